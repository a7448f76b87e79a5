// Archive, program, module; see import_pt2.h.
#include "import/pt2/import_pt2.h"

#include "import/program/functionalise.h"
#include "import/program/inline_regions.h"
#include "import/pt2/archive.h"
#include "import/pt2/read_program.h"

namespace mlgc {

std::optional<ImportedModel> import_pt2(const std::shared_ptr<Context>& context, const std::string& path,
                                        const ImportOptions& options, DiagnosticEngine& engine) {
  const std::optional<Pt2Archive> archive = Pt2Archive::open(path, options.model, context->locations(), engine);
  if (!archive) return std::nullopt;
  std::optional<program::Program> program =
      pt2::read_program(archive->model_json().bytes, archive->model_member(), archive->location(), engine);
  LocationTable& locations = context->locations();
  if (!program || !program::inline_regions(*program, locations, engine) ||
      !program::functionalise(*program, locations, engine))
    return std::nullopt;
  return program::import_program(context, *program, *archive, options, engine);
}

}  // namespace mlgc

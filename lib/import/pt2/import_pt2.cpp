// Archive, program, module; see import_pt2.h.
#include "import/pt2/import_pt2.h"

#include <filesystem>

#include "diag/kinds_import.h"
#include "import/program/functionalise.h"
#include "import/program/inline_regions.h"
#include "import/pt2/archive.h"
#include "import/pt2/read_program.h"

namespace mlgc {

namespace {

std::optional<ImportedModel> import_archive(const std::shared_ptr<Context>& context, const std::string& path,
                                            const ImportOptions& options, DiagnosticEngine& engine) {
  const std::optional<Pt2Archive> archive = Pt2Archive::open(path, options.model, context->locations(), engine);
  if (!archive) return std::nullopt;
  std::optional<program::Program> program =
      pt2::read_program(archive->model_json().bytes, archive->model_member(), archive->location(), engine);
  LocationTable& locations = context->locations();
  if (program) program->size_names = archive->size_names();
  if (!program || !program::inline_regions(*program, locations, engine) ||
      !program::functionalise(*program, locations, engine))
    return std::nullopt;
  return program::import_program(context, *program, *archive, options, engine);
}

}  // namespace

std::optional<ImportedModel> import_pt2(const std::shared_ptr<Context>& context, const std::string& path,
                                        const ImportOptions& options, DiagnosticEngine& engine) {
  LocationTable& locations = context->locations();
  DiagnosticEngine said(locations);
  std::optional<ImportedModel> model = import_archive(context, path, options, said);
  for (Diagnostic diagnostic : said.sorted()) {
    // Of a node that no line of Python is recorded for.
    if (!locations.primary_position(diagnostic.at)) {
      const std::string_view node = locations.origin_info(diagnostic.at).node;
      diagnostic.at = locations.position(path, 1, 1);
      if (!node.empty())
        diagnostic.add_note<kAtNode>(diagnostic.at, node, std::filesystem::path(path).filename().string());
    }
    engine.emit(std::move(diagnostic));
  }
  return model;
}

}  // namespace mlgc

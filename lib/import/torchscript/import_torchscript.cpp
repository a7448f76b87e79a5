// See import_torchscript.h.
#include "import/torchscript/import_torchscript.h"

#include <algorithm>

#include "diag/kinds_import.h"
#include "import/python/import_python.h"
#include "import/torchscript/read_script.h"
#include "plugin/plugin.h"

namespace mlgc {

std::optional<ImportedModel> import_torchscript(const std::shared_ptr<Context>& context, const std::string& path,
                                                const ImportOptions& options, DiagnosticEngine& engine) {
  const Location at = context->locations().position(path, 1, 1);
  const Result<const TorchPlugin*, Diagnostic> plugin = TorchPlugin::load();
  if (!plugin) {
    engine.emit(plugin.error());
    return std::nullopt;
  }
  Result<std::shared_ptr<const mlgc_script>> script = (*plugin)->load_script(path);
  if (!script) {
    // LibTorch goes on about what may have happened.
    const std::string& reason = script.error();
    engine.emit(diagnose<kScriptFile>(at, reason.substr(0, std::min(reason.find(". "), reason.find('\n')))));
    return std::nullopt;
  }
  python::PythonModel model{torchscript::read_script(*std::move(script)), at, {}, {}};
  model.runner = [program = model.program, at](program::GraphScope& scope, python::TensorSource& tensors) {
    return std::make_unique<python::ScriptRunner>(*program, scope, tensors, at);
  };
  return python::import_python(context, std::move(model), options, engine);
}

}  // namespace mlgc

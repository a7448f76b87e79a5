// See import_models.h.
#include "import/import_models.h"

#include <utility>
#include <vector>

#include "import/link_models.h"

namespace mlgc {

namespace {

ModelToLink to_link(const std::string& path, ImportedModel imported) {
  ModelToLink model{path, model_name(path), std::move(imported.module), {}};
  for (auto& [name, tensor] : imported.weights) model.data.emplace(name, std::move(tensor));
  return model;
}

// Tensors in the order of the module.
ImportedModel linked(std::vector<ModelToLink> models, const ImportOptions& options, DiagnosticEngine& engine) {
  ModelToLink model = link_models(std::move(models), engine);
  ImportedModel imported{std::move(model.module), {}, {}, {}};
  for (const OpRef op : imported.module.body().ops())
    if (const auto found = model.data.find(op.symbol()); found != model.data.end())
      imported.weights.emplace_back(found->first, std::move(found->second));
  Context& context = imported.module.context();
  // The first model states it only where it has data itself.
  if (!options.weights_file.empty() && !imported.weights.empty())
    imported.module.top().set_attr("weights", context.attributes().string(options.weights_file));
  return imported;
}

}  // namespace

std::optional<FallbackLedger> import_model_files(std::span<const std::string> paths, const std::string& output,
                                                 const ImportOptions& options, DiagnosticEngine& engine,
                                                 const std::shared_ptr<Context>& context) {
  if (paths.size() == 1) return import_model_file(paths.front(), output, options, engine, context);
  const ImportOptions named = named_after(options, paths.front(), output);
  std::vector<ModelToLink> models;
  std::vector<std::string> sources(paths.begin(), paths.end());
  FallbackLedger ledger;
  for (const std::string& path : paths) {
    std::optional<ImportedModel> imported = import_model(context, path, named, engine);
    if (!imported) return std::nullopt;
    if (!imported->mapped_from.empty()) sources.push_back(imported->mapped_from);
    ledger.add(imported->fallback, context->index());
    models.push_back(to_link(path, *std::move(imported)));
  }
  if (!write_imported(linked(std::move(models), named, engine), sources, output, engine)) return std::nullopt;
  return ledger;
}

}  // namespace mlgc

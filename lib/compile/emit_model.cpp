// See emit_model.h.
#include "compile/emit_model.h"

#include <utility>

#include "artifact/artifact.h"
#include "diag/kinds_driver.h"
#include "loops/add_host_functions.h"
#include "support/activity.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

// Where a file of the tensors has each.
Result<codegen::DataPlaces, Diagnostic> places_of(const Module& module, const NamedTensors& tensors) {
  const Result<WeightsTable> table = lay_out_weights(tensors);
  if (!table) return Failure{diagnose<kCannotWrite>({}, table.error())};
  codegen::DataPlaces places;
  const auto weights = static_cast<std::ptrdiff_t>(codegen::model_data(module).weights.size());
  if (!tensors.empty()) {
    places.weights.assign(table->offsets.begin(), table->offsets.begin() + weights);
    places.states.assign(table->offsets.begin() + weights, table->offsets.end());
  }
  places.file_bytes = table->file_bytes;
  places.header_bytes = table->header_bytes;
  places.header_hash = table->header_hash;
  return places;
}

}  // namespace

Result<NamedTensors, Diagnostic> model_tensors(Module& module, const ModuleData& data) {
  const codegen::ModelData symbols = codegen::model_data(module);
  std::vector<OpRef> all = symbols.weights;
  all.insert(all.end(), symbols.states.begin(), symbols.states.end());
  auto values = evaluate_data(module, all, data);
  if (!values) return Failure{std::move(values.error())};
  NamedTensors tensors;
  for (std::size_t i = 0; i < all.size(); ++i) tensors.emplace_back(all[i].symbol(), std::move((*values)[i]));
  return tensors;
}

Result<EmittedModel, Diagnostic> emit_model(Module& module, const ModuleData& data, const EmitOptions& options) {
  if (Status<Diagnostic> added = add_host_functions(module); !added) return Failure{added.error()};
  Result<NamedTensors, Diagnostic> tensors = model_tensors(module, data);
  if (!tensors) return Failure{std::move(tensors).error()};
  const auto places = places_of(module, *tensors);
  if (!places) return Failure{places.error()};
  const TargetDef& target = *options.target;
  const std::string arch = options.arch.empty() ? std::string(target.arch) : options.arch;
  if (target.beyond_arch != nullptr)
    if (std::optional<Diagnostic> beyond = target.beyond_arch(module, arch)) return Failure{*std::move(beyond)};
  const Activity generating("generating code for", "`" + std::string(target.name) + "`");
  auto source =
      target.print(module, *places, {options.mathematics, MLGC_VERSION, options.bytes_per_file, options.vector_bytes});
  if (!source) return Failure{std::move(source.error())};
  return EmittedModel{model_identifier(module), &target, arch, options.vector_bytes, *std::move(source),
                      *std::move(tensors)};
}

}  // namespace mlgc

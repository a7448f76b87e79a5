// See run_emitted.h.
#include "compile/run_emitted.h"

#include <algorithm>
#include <string>
#include <utility>

#include "diag/kinds_interp.h"
#include "support/log.h"

namespace mlgc {

Result<Outputs, Diagnostic> run_model(const Model& model, ModelContext& context, std::int32_t function,
                                      std::span<const Tensor> inputs) {
  auto values = context.run(function, inputs);
  if (!values) return Failure{std::move(values.error())};
  const mlgc_unit& unit = model.unit();
  const mlgc_function& signature = unit.functions[function];
  Outputs outputs;
  for (mlgc_i32 i = 0; i < signature.output_count; ++i) {
    const mlgc_value& output = signature.outputs[i];
    if (output.state >= 0)
      outputs.updates.emplace_back("@" + std::string(unit.states[output.state].name), context.state(output.state));
    else if (output.input >= 0)
      outputs.updates.emplace_back("%" + std::string(signature.inputs[output.input].name),
                                   std::move((*values)[static_cast<std::size_t>(i)]));
    else
      outputs.results.push_back(std::move((*values)[static_cast<std::size_t>(i)]));
  }
  return outputs;
}

void order_updates(FuncRef function, Outputs& outputs) {
  const StringPool& strings = function.op().module().context().strings();
  std::vector<std::pair<std::string, Tensor>> ordered;
  for (const UpdateTarget& update : function.updates()) {
    const std::string target = update.argument ? "%" + argument_name(function, *update.argument)
                                               : "@" + std::string(strings.text(update.symbol));
    const auto found = std::ranges::find(outputs.updates, target, [](const auto& pair) { return pair.first; });
    MLGC_ASSERT(found != outputs.updates.end(), "a model without a new value of " + target);
    ordered.push_back(std::move(*found));
  }
  outputs.updates = std::move(ordered);
}

Result<Outputs, Diagnostic> run_emitted(const EmittedModel& model, const CompileOptions& options,
                                        std::string_view function, std::span<const Tensor> inputs,
                                        DiagnosticEngine& diagnostics) {
  log_info("generated the source");
  auto loaded = load_emitted(model, options, diagnostics);
  if (!loaded) return Failure{std::move(loaded.error())};
  log_info("loaded the model");
  const std::int32_t number = loaded->abi().find_function(loaded->program(), std::string(function).c_str());
  if (number < 0) return Failure{diagnose<kNoFunction>({}, function)};
  auto context = ModelContext::make(*loaded);
  if (!context) return Failure{std::move(context.error())};
  auto outputs = run_model(*loaded, *context, number, inputs);
  log_info("ran @" + std::string(function));
  return outputs;
}

}  // namespace mlgc

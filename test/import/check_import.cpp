// check_import MODEL CASE.npz [--compiled] [--input-type=NAME=TYPE...] [--then=CASE.npz] [PASS FLAG...]: imports a
// model, reads its text back, makes every call of the case and holds every result and new state against PyTorch's (see
// make_models.py for the arrays); then runs the passes, given as to `mlgc opt`, and makes all calls again, or those of
// another case where the passes make another function; with --compiled, where the passes lower to loops, once more as
// compiled C++. Exit code 0 when all agree.
#include <functional>
#include <iostream>
#include <map>

#include "compile/run_emitted.h"
#include "diag/render.h"
#include "driver/input_type_flag.h"
#include "driver/pass_flags.h"
#include "import/import_model.h"
#include "interp/interpret_module.h"
#include "ir/structural_hash.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "tensor/compare.h"
#include "tensor/npz.h"
#include "text/parser.h"
#include "text/printer.h"
#include "verify/verify.h"

using namespace mlgc;

namespace {

int fail(const std::string& what) {
  std::cerr << "error: " << what << "\n";
  return 1;
}

// The text of the module reads back as the same module.
bool reads_back(const ImportedModel& model, const std::string& text) {
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  const SourceFile& file = context->locations().add_source("printed", text);
  const std::optional<Module> again = parse_module(context, file, engine);
  if (!again) std::cerr << render_text(engine);
  return again && print(*again, {.form = TextForm::Pretty, .locations = true}) == text &&
         structural_hash(*again) == structural_hash(model.module);
}

// The arrays that a call has under names such as `in0`.
std::vector<const Tensor*> numbered(const std::map<std::string, Tensor>& arrays, const std::string& prefix) {
  std::vector<const Tensor*> found;
  for (auto at = arrays.find(prefix + "0"); at != arrays.end(); at = arrays.find(prefix + std::to_string(found.size())))
    found.push_back(&at->second);
  return found;
}

using Call = std::function<Result<Outputs, Diagnostic>(std::span<const Tensor>)>;

// Makes the calls one after the other: each starts from the states that the one before left.
bool calls_agree(const std::map<std::string, Tensor>& arrays, const Call& make_call) {
  std::size_t call = 0;
  bool all_agree = true;
  for (;; ++call) {
    const std::string prefix = "call" + std::to_string(call) + ".";
    std::vector<Tensor> inputs;
    for (const Tensor* input : numbered(arrays, prefix + "in")) inputs.push_back(*input);
    if (inputs.empty()) break;
    const Result<Outputs, Diagnostic> outputs = make_call(inputs);
    if (!outputs) return fail(prefix + ": " + outputs.error().message()) == 0;
    // PyTorch's arrays have the results first, then the new states.
    std::vector<Tensor> results = outputs->results;
    for (const auto& [target, value] : outputs->updates) results.push_back(value);
    const auto eager = numbered(arrays, prefix + "eager"), judge = numbered(arrays, prefix + "judge");
    if (results.size() != eager.size() || results.size() != judge.size())
      return fail(prefix + ": " + std::to_string(results.size()) + " results, PyTorch has another number") == 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Difference difference = agrees(results[i], *judge[i], eager[i]);
      std::cout << render_text(difference, prefix + "result" + std::to_string(i));
      all_agree = all_agree && difference.agrees;
    }
  }
  return call > 0 ? all_agree : fail("the case has no calls") == 0;
}

// By the interpreter, which is given the states.
bool interpreted_agrees(Module& module, const std::map<std::string, Tensor>& arrays, ModuleData data) {
  return calls_agree(arrays, [&](std::span<const Tensor> inputs) {
    Result<Outputs, Diagnostic> outputs = interpret(module, "forward", inputs, data);
    if (!outputs) return outputs;
    for (const auto& [target, value] : outputs->updates)
      if (target.starts_with('@')) data.insert_or_assign(target.substr(1), value);
    return outputs;
  });
}

// By one context of a compiled model, which keeps the states.
bool compiled_agrees(Module& module, const std::map<std::string, Tensor>& arrays, const ModuleData& data,
                     DiagnosticEngine& engine) {
  const Result<EmittedModel, Diagnostic> emitted = emit_model(module, data, {});
  if (!emitted) return fail("emitting: " + emitted.error().message()) == 0;
  CompileOptions options;
  options.flags = {"-O1"};  // what it computes does not depend on it
  options.vector_bytes = widest_vectors();
  const Result<Model, Diagnostic> model = load_emitted(*emitted, options, engine);
  if (!model) return fail("compiling: " + model.error().message()) == 0;
  Result<ModelContext, Diagnostic> context = ModelContext::make(*model);
  if (!context) return fail("loading: " + context.error().message()) == 0;
  const std::int32_t forward = model->abi().find_function(model->program(), "forward");
  return calls_agree(arrays, [&](std::span<const Tensor> inputs) {
    Result<Outputs, Diagnostic> outputs = run_model(*model, *context, forward, inputs);
    if (outputs) order_updates(find_function(module, "forward"), *outputs);
    return outputs;
  });
}

bool run_passes(Module& module, const Words& flags, DiagnosticEngine& engine) {
  Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags, std::nullopt, module.context().locations());
  if (!pipeline) return fail(pipeline.error().message()) == 0;
  PassManager manager(module.context(), {.check_changed = true, .verify = verify});
  return manager.run(module, *pipeline, engine);
}

// Takes the values of a flag out of the words.
std::vector<std::string> take(Words& words, std::string_view flag) {
  std::vector<std::string> values;
  std::erase_if(words, [&](const std::string& word) {
    if (!word.starts_with(flag)) return false;
    values.push_back(word.substr(flag.size()));
    return true;
  });
  return values;
}

std::optional<std::map<std::string, Tensor>> read_case(const std::string& path) {
  Result<NamedTensors> read = read_npz(path);
  if (!read) std::cerr << "error: " << read.error() << "\n";
  return read ? std::optional(std::map<std::string, Tensor>(read->begin(), read->end())) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  Words words(argv + 1, argv + argc);
  InputTypeFlags input_types;
  const bool compiled = std::erase(words, "--compiled") > 0;
  input_types.given = take(words, "--input-type=");
  const std::vector<std::string> then = take(words, "--then=");
  if (words.size() < 2 || read_input_types(input_types, "check_import"))
    return fail(
        "usage: check_import MODEL CASE.npz [--compiled] [--input-type=NAME=TYPE...] [--then=CASE.npz] [PASS FLAG...]");
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  std::optional<ImportedModel> model = import_model(context, words[0], {.input_types = input_types.types}, engine);
  const bool verified = model && verify(model->module, engine);
  std::cerr << render_text(engine);
  if (!verified) return 1;
  std::cout << print(model->module);
  if (!reads_back(*model, print(model->module, {.form = TextForm::Pretty, .locations = true})))
    return fail("the text does not read back");
  const auto arrays = read_case(words[1]);
  const auto later = then.empty() ? arrays : read_case(then.back());
  if (!arrays || !later) return 1;
  const ModuleData data(model->weights.begin(), model->weights.end());
  const bool imported_agrees = interpreted_agrees(model->module, *arrays, data);
  const Words flags(words.begin() + 2, words.end());
  for (const std::string& flag : flags)
    if (!is_pass_flag(flag)) return fail("`" + flag + "` is no flag of a pass");
  DiagnosticEngine pass_engine(context->locations());
  const bool ran = run_passes(model->module, flags, pass_engine);
  std::cerr << render_text(pass_engine);
  if (!ran) return 1;
  std::cout << "=== after passes\n" << print(model->module);
  const bool agrees = interpreted_agrees(model->module, *later, data) && imported_agrees;
  return (!compiled || compiled_agrees(model->module, *later, data, pass_engine)) && agrees ? 0 : 1;
}

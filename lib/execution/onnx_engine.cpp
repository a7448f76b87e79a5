// See onnx_engine.h.
#include "execution/onnx_engine.h"

#include <algorithm>
#include <utility>

#include "diag/kinds_driver.h"
#include "export/notation.h"
#include "ir/function.h"
#include "support/file.h"
#include "support/python.h"
#include "support/scratch_folder.h"
#include "support/subprocess.h"
#include "tensor/npz.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

constexpr std::string_view kName = "onnxruntime";

// MODEL INPUTS RESULTS: inputs by name, results by number.
constexpr std::string_view kScript = R"(import sys
import numpy
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 4
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
wanted = {one.name for one in session.get_inputs()}
with numpy.load(sys.argv[2]) as stored:
    given = {name: stored[name] for name in stored.files if name in wanted}
found = session.run(None, given)
numpy.savez(sys.argv[3], **{f"result{i}": value for i, value in enumerate(found)})
)";

class OnnxRuntimeEngine : public Engine {
 public:
  Result<std::vector<EngineValue>, Diagnostic> run(const EngineCall& call, Seen seen) override {
    Module copy = call.module;
    const FuncRef of = find_function(copy, call.function);
    std::vector<ValueId> ids;
    for (const Value value : seen == Seen::All ? return_all(of) : of.results()) ids.push_back(value.id());
    NamedTensors given;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) given.emplace_back(argument_name(of, i), call.inputs[i]);
    const NamedTensors weights(call.data.begin(), call.data.end());
    const Notation* const onnx = *find_notation("onnx");
    DiagnosticEngine diagnostics(call.module.context().locations());
    if (!run_pipeline(copy, onnx->passes, diagnostics)) return failed(diagnostics.sorted()[0].message());
    const auto exported = onnx->write({copy, find_function(copy, call.function), &weights});
    if (!exported) return Failure{exported.error()};
    auto folder = ScratchFolder::make("mlgc-onnx-");
    if (!folder) return failed(folder.error());
    if (auto done = write_file(folder->file("model.onnx"), exported->text); !done) return failed(done.error());
    if (auto done = write_file(folder->file("run.py"), kScript); !done) return failed(done.error());
    if (auto done = write_npz(folder->file("inputs.npz"), given); !done) return failed(done.error());
    const auto ran = run_process({default_python(), folder->file("run.py"), folder->file("model.onnx"),
                                  folder->file("inputs.npz"), folder->file("results.npz")});
    if (!ran) return failed(ran.error());
    if (ran->exit_code != 0) return failed(last_line(ran->output));
    auto results = read_npz(folder->file("results.npz"));
    if (!results) return failed(results.error());
    std::vector<EngineValue> out;
    for (std::size_t i = 0; i < std::min(ids.size(), results->size()); ++i)
      out.emplace_back(ids[i], std::move((*results)[i].second));
    return out;
  }

  std::optional<Outputs> evaluate(const EngineCall&, const EngineRunOptions&, DiagnosticEngine&) override {
    throw InternalError("ONNX Runtime gives no updates");
  }

 private:
  static Failure<Diagnostic> failed(const std::string& reason) {
    return Failure{diagnose<kEngineFailed>({}, kName, reason)};
  }
  // Of Python's report of an error.
  static std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.empty() ? "it says nothing" : text.substr(text.rfind('\n') + 1);
  }
};

}  // namespace

Result<std::unique_ptr<Engine>, Diagnostic> open_onnx_runtime(const EngineSettings&) {
  return std::unique_ptr<Engine>(std::make_unique<OnnxRuntimeEngine>());
}

}  // namespace mlgc

// See torch_backend.h.
#include "aten/torch_backend.h"

#include <utility>

#include "aten/known_differences.h"
#include "aten/row_call.h"
#include "aten/run_torch_call.h"
#include "diag/kinds_torch.h"
#include "ops/instantiate_op.h"

namespace mlgc {

InterpretOptions TorchBackend::options() {
  InterpretOptions options;
  options.around = [this](const OpRun& run, const std::function<OpResults()>& own) { return this->run(run, own); };
  options.observe = [this](OpRef op, std::span<const Tensor>) {
    if (!has_formula(op.def()) && !op.is(GraphOp::TorchCall)) ++left_[std::string(op.name())];
  };
  options.torch_call = [this](const TorchCallRun& run) {
    ++called_;
    return run_torch_call(plugin_, run);
  };
  return options;
}

OpResults TorchBackend::run(const OpRun& run, const std::function<OpResults()>& own) {
  Result<std::vector<Tensor>> results = call(run);
  if (results) {
    ++called_;
    return std::move(*results);
  }
  ++left_[std::string(run.op.name()) + " (" + results.error() + ")"];
  return own();
}

Result<std::vector<Tensor>> TorchBackend::call(const OpRun& run) const {
  const auto call = aten_call(plugin_, run);
  if (!call) return Failure{call.error()};
  if (const std::string_view unsafe = why_not_called(run); !unsafe.empty()) return Failure{std::string(unsafe)};
  auto given = plugin_.call(call->op, call->arguments);
  if (!given) return Failure{given.error().substr(0, given.error().find('\n'))};
  std::vector<Tensor> out;
  const TypePool& types = run.op.module().context().types();
  for (std::size_t i = 0; i < run.op.result_count(); ++i) {
    const std::string result = "result " + std::to_string(i) + " of " + std::string(call->name);
    if (i >= given->size() || !(*given)[i]) return Failure{"there is no " + result};
    const Dtype wanted = types.dtype(run.op.result(i).type()), found = (*given)[i]->dtype();
    if (wanted != found)
      return Failure{result + " is " + std::string(dtype_info(found).name) + ", wanted is " +
                     std::string(dtype_info(wanted).name)};
    out.push_back(std::move(*(*given)[i]));
  }
  return out;
}

std::optional<Diagnostic> TorchBackend::note() const {
  if (left_.empty()) return std::nullopt;
  std::uint64_t total = called_;
  std::vector<std::string> listed;
  for (const auto& [what, count] : left_) {
    total += count;
    listed.push_back(std::to_string(count) + " " + what);
  }
  return diagnose<kRunByInterpreter>({}, static_cast<std::int64_t>(called_), static_cast<std::int64_t>(total),
                                     plugin_.torch_version(), std::move(listed));
}

}  // namespace mlgc

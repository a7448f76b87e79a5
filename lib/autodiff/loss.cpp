// See loss.h.
#include "autodiff/loss.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "autodiff/named_results.h"
#include "autodiff/op_maker.h"
#include "autodiff/request.h"
#include "autodiff/working_copy.h"
#include "diag/kinds_grad.h"
#include "diag/kinds_training.h"
#include "ir/function_facts.h"

namespace mlgc {

namespace {

struct LossDef {
  std::string_view name;
  Loss loss;
  std::string_view row;
};
constexpr std::array kLosses{LossDef{"cross_entropy", Loss::CrossEntropy, "cross_entropy"},
                             LossDef{"mse", Loss::Mse, "mse_loss"}};

const LossDef& def_of(Loss loss) {
  return *std::find_if(kLosses.begin(), kLosses.end(), [&](const LossDef& def) { return def.loss == loss; });
}

// What the target of a loss of such a result is. Nothing when there is none.
std::optional<Type> target_type(Context& context, Loss loss, Type result) {
  if (loss == Loss::Mse) return result;
  const std::span<const IndexExpr> dims = context.types().dims(result);
  if (dims.empty()) return std::nullopt;
  std::vector<IndexExpr> sizes(dims.begin(), dims.end());
  sizes.erase(sizes.begin() + (sizes.size() == 1 ? 0 : 1));
  return context.types().tensor(Dtype::I64, sizes);
}

}  // namespace

std::optional<Loss> find_loss(std::string_view name) {
  const auto at = std::find_if(kLosses.begin(), kLosses.end(), [&](const LossDef& def) { return def.name == name; });
  return at == kLosses.end() ? std::nullopt : std::optional(at->loss);
}

std::string loss_names() {
  std::string names;
  for (const LossDef& def : kLosses) names += (names.empty() ? "" : ", ") + std::string(def.name);
  return names;
}

FuncRef attach_loss(Module& module, FuncRef function, const LossRequest& request, DiagnosticEngine& diagnostics) {
  Context& context = module.context();
  const Location at = function.op().location();
  const std::optional<std::size_t> chosen = choose_float_result(function, request.of, diagnostics);
  if (!chosen) return {};
  const std::vector<std::string> old_names = result_names(function);
  if (std::find(old_names.begin(), old_names.end(), "loss") != old_names.end()) {
    diagnostics.emit(diagnose<kLossThere>(at, std::string(function.name())));
    return {};
  }
  const LossDef& def = def_of(request.loss);
  const Type type = function.results()[*chosen].type();
  const auto misfit = [&](const std::string& reason) {
    diagnostics.emit(
        diagnose<kLossMisfit>(at, std::string(def.name), old_names[*chosen], context.types().print(type), reason));
    return FuncRef();
  };
  const std::optional<Type> target = target_type(context, request.loss, type);
  if (!target) return misfit("it has no axis of classes");
  if (has_computed_size(function, *target))
    return misfit("the call computes its size, and a target is there before the call");

  const std::string name = request.name.empty() ? std::string(function.name()) + "_loss" : request.name;
  const FuncRef made = working_copy(function, module, free_symbol(module, name));
  const Value argument = made.body().add_argument(*target);
  std::vector<std::string> taken = argument_names(function);
  argument.set_name(free_name("target", taken));
  const OpRef end = made.return_op();
  Builder builder(module, made.body());
  builder.set_before(end);
  builder.set_location(end.operand(*chosen).is_result() ? end.operand(*chosen).definer().location() : at);
  FunctionFacts facts;
  const OpMaker ops(builder, facts.of(made.op()));
  const Result<Value, Diagnostic> loss = ops.try_make(def.row, {end.operand(*chosen), argument});
  if (!loss) {
    made.op().erase();
    return misfit(loss.error().message());
  }
  loss->set_name("loss");
  std::vector<Value> returned{*loss};
  for (std::size_t i = 0; i < end.operand_count(); ++i) returned.push_back(end.operand(i));
  end.set_operands(returned);
  std::vector<std::string> names{"loss"};
  names.insert(names.end(), old_names.begin(), old_names.end());
  set_result_names(made, names);
  return made;
}

}  // namespace mlgc

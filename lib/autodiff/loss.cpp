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
#include "diag/kinds_text.h"
#include "diag/kinds_training.h"
#include "diag/suggest.h"
#include "ir/function_facts.h"
#include "ops/attribute_value.h"
#include "ops/op_table.h"

namespace mlgc {

namespace {

constexpr std::string_view kSuffix = "_loss";

// Of a prediction and a target, with nothing else that has to be there, to one number.
bool is_loss(const OpDef& row) {
  if (row.operands.size() < 2 || row.operands[1].name != "target" || row.result_count != 1) return false;
  for (std::size_t i = 0; i < row.operands.size(); ++i)
    if (row.operands[i].optional != (i >= 2)) return false;
  return find_attribute(row, "reduction") != nullptr;
}

std::string_view short_name(const OpDef& row) {
  std::string_view name = row.name;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

// Losses that apply a softmax or sigmoid themselves, and what they want of a model.
struct Wanted {
  std::string_view loss, what;
};
constexpr std::array kWanted{
    Wanted{"cross_entropy", "logits"},
    Wanted{"nll_loss", "logarithms of probabilities"},
    Wanted{"binary_cross_entropy_with_logits", "logits"},
};

// The op that makes probabilities of a value, if nothing but movement and casts stands after it.
OpRef probabilities_of(Value value) {
  while (value.is_result()) {
    const OpRef op = value.definer();
    if (op.is(GraphOp::Softmax) || op.is(GraphOp::Sigmoid)) return op;
    if (op.operand_count() != 1 || !(op.has_trait(Traits::Movement) || op.is(GraphOp::Cast))) break;
    value = op.operand(0);
  }
  return {};
}

// What the target of a loss of such a result is. Nothing when there is none.
std::optional<Type> target_type(Context& context, const OpDef& loss, Type result) {
  if (loss.operands[1].elements == ElementClass::Float) return result;
  const std::span<const IndexExpr> dims = context.types().dims(result);
  if (dims.empty()) return std::nullopt;
  std::vector<IndexExpr> sizes(dims.begin(), dims.end());
  sizes.erase(sizes.begin() + (sizes.size() == 1 ? 0 : 1));
  return context.types().tensor(Dtype::I64, sizes);
}

}  // namespace

std::vector<std::string_view> known_losses() {
  std::vector<std::string_view> names;
  for (const OpDef* row : op_table())
    if (is_loss(*row)) names.push_back(short_name(*row));
  std::sort(names.begin(), names.end());
  return names;
}

Result<const OpDef*, Diagnostic> find_loss(std::string_view name) {
  for (const OpDef* row : op_table())
    if (is_loss(*row) && (row->name == name || short_name(*row) == name)) return row;
  const std::vector<std::string_view> known = known_losses();
  Diagnostic unknown = diagnose<kUnknownLoss>({}, name);
  // Whoever knows `_loss` from PyTorch gets it back.
  std::vector<std::string_view> spellings = known;
  for (const OpDef* row : op_table())
    if (is_loss(*row)) spellings.push_back(row->name);
  if (const auto best = closest_name(name, spellings)) unknown.add_note<kDidYouMean>({}, *best);
  unknown.add_note<kKnownNames>({}, std::vector<std::string>(known.begin(), known.end()));
  return Failure{std::move(unknown)};
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
  const std::string_view loss_name = short_name(*request.loss);
  const Type type = function.results()[*chosen].type();
  const auto misfit = [&](const std::string& reason) {
    diagnostics.emit(
        diagnose<kLossMisfit>(at, std::string(loss_name), old_names[*chosen], context.types().print(type), reason));
    return FuncRef();
  };
  const std::optional<Type> target = target_type(context, *request.loss, type);
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
  const Result<Value, Diagnostic> loss = ops.try_make(request.loss->name, {end.operand(*chosen), argument});
  if (!loss) {
    made.op().erase();
    return misfit(loss.error().message());
  }
  const auto wanted = std::ranges::find(kWanted, request.loss->name, &Wanted::loss);
  if (const OpRef maker = probabilities_of(end.operand(*chosen)); maker.valid() && wanted != kWanted.end())
    diagnostics.emit(diagnose<kLossOnProbabilities>(maker.location(), std::string(loss_name), wanted->what,
                                                    old_names[*chosen], context.def(maker.opcode()).name));
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

// constant-fold: evaluates formula ops whose operands are constants, with the interpreter, in the precision of their
// dtypes. What is folded is what evaluation of the unfolded program would give.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "formula/formula_work.h"
#include "interp/evaluate_formula.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "rewrite/match.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct ConstantFoldOptions {
  std::int64_t max_elements = 4096;
  std::int64_t max_work = 1 << 22;
};

constexpr std::array kConstantFoldOptions{
    pass_option<&ConstantFoldOptions::max_elements>("max-elements",
                                                    "fold only where each result has at most that many elements; "
                                                    "results that are one value repeated are always folded"),
    pass_option<&ConstantFoldOptions::max_work>(
        "max-work", "fold only where a formula runs through at most that many index tuples"),
};
constexpr std::array kConstantFoldCounters{
    PassCounter{"ops-folded", "ops replaced by constants"},
    PassCounter{"too-large", "ops with constant operands whose results or work exceed the options"},
    PassCounter{"would-fail", "ops with constant operands whose evaluation is an error: left for run time to report"},
};

enum class Outcome : std::uint8_t { Folded, NotConstant, TooLarge, WouldFail, Refused };

class Folder {
 public:
  Folder(Module& module, const ConstantFoldOptions& options, PassContext& pass)
      : module_(module), context_(module.context()), options_(options), pass_(pass) {
    value_name_ = context_.strings().intern("value");
    constant_ = context_.opcode(GraphOp::Constant);
  }

  Outcome fold(OpRef op) {
    if (op.region_count() != 0 || op.result_count() == 0 || op.has_trait(Traits::Constant)) return Outcome::NotConstant;
    if (op.is(GraphOp::Dim)) return fold_size(op);
    if (op.operand_count() == 0 || !has_formula(op.def())) return Outcome::NotConstant;
    if ((op.own_effects() & (Effects::Reads | Effects::Writes | Effects::Allocates)) != Effects::None)
      return Outcome::NotConstant;
    bool splats = op.has_trait(Traits::Elementwise);
    std::vector<Attribute> operands;
    for (const Value operand : op.operands()) {
      operands.push_back(constant_attribute(operand));
      if (!operands.back().valid()) return Outcome::NotConstant;
      splats = splats && context_.attributes().as_tensor(operands.back()).splat;
    }
    for (const Value result : op.results())
      if (!context_.types().is_tensor(result.type())) return Outcome::NotConstant;
    return splats ? fold_splats(op, operands) : fold_dense(op, operands);
  }

 private:
  Outcome fold_size(OpRef op) {
    const auto size = context_.attributes().as_int64(op.attr("value"));
    if (!size) return Outcome::NotConstant;
    return replace(op, std::array{context_.attributes().tensor(Tensor::scalar<std::int64_t>(*size))});
  }

  // Each operand is one value repeated: the op is evaluated once, whatever the shape.
  Outcome fold_splats(OpRef op, std::span<const Attribute> operands) {
    std::vector<Tensor> values;
    std::vector<Type> types;
    for (const Attribute operand : operands) {
      const TensorConstant& constant = context_.attributes().as_tensor(operand);
      auto value = Tensor::from_bytes(context_.types().dtype(constant.type), {}, constant.bytes);
      MLGC_ASSERT(value.ok(), "a splat that is not an element of its dtype");
      values.push_back(std::move(value).value());
      types.push_back(context_.types().tensor(values.back().dtype(), std::span<const IndexExpr>()));
    }
    auto results = evaluate_op(op, types, values);
    if (!results) return Outcome::WouldFail;
    std::vector<Attribute> attributes;
    for (std::size_t i = 0; i < results->size(); ++i)
      attributes.push_back(context_.attributes().tensor(op.result(i).type(), (*results)[i].bytes()));
    return replace(op, attributes);
  }

  Outcome fold_dense(OpRef op, std::span<const Attribute> operands) {
    for (const Value result : op.results()) {
      if (!context_.types().is_static(result.type())) return Outcome::NotConstant;
      const auto count = context_.types().element_count(result.type());
      if (!count || *count > options_.max_elements) return Outcome::TooLarge;
    }
    std::vector<Tensor> values;
    std::vector<Type> types;
    for (const Attribute operand : operands) {
      types.push_back(context_.attributes().as_tensor(operand).type);
      const auto count = context_.types().element_count(types.back());
      if (!count) return Outcome::NotConstant;
      if (*count > options_.max_work) return Outcome::TooLarge;
      auto value = context_.attributes().to_host(operand);
      if (!value) return Outcome::TooLarge;
      values.push_back(std::move(value).value());
    }
    const auto formula = instantiate_op(context_, op.opcode(), types, op.attrs());
    if (!formula) return Outcome::WouldFail;
    if (work(*formula) > options_.max_work) return Outcome::TooLarge;
    add_absent(*formula, values);
    auto results = evaluate(formulas(context_), *formula, values);
    if (!results || results->size() != op.result_count()) return Outcome::WouldFail;
    std::vector<Attribute> attributes;
    for (const Tensor& result : *results) attributes.push_back(context_.attributes().tensor(result));
    return replace(op, attributes);
  }

  std::optional<std::vector<Tensor>> evaluate_op(OpRef op, std::span<const Type> types, std::vector<Tensor>& values) {
    const auto formula = instantiate_op(context_, op.opcode(), types, op.attrs());
    if (!formula) return std::nullopt;
    add_absent(*formula, values);
    auto results = evaluate(formulas(context_), *formula, values);
    if (!results || results->size() != op.result_count()) return std::nullopt;
    return std::move(results).value();
  }

  // Trailing optional operands that are not there; they are never read.
  static void add_absent(const Formula& formula, std::vector<Tensor>& values) {
    while (values.size() < formula.operand_count())
      values.push_back(Tensor::zeros(formula.tensors[values.size()].dtype, {}));
  }

  std::int64_t work(const Formula& formula) {
    return formula_work(formulas(context_), formula, options_.max_work,
                        [&](IndexExpr extent) { return context_.index().as_constant(extent); });
  }

  Outcome replace(OpRef op, std::span<const Attribute> results) {
    if (!pass_.may_rewrite("fold-constant-op", op.location())) return Outcome::Refused;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Type type = op.result(i).type();
      MLGC_ASSERT(context_.attributes().as_tensor(results[i]).type == type, "folding gives another type");
      const NamedAttribute entry{value_name_, results[i]};
      const OpRef constant = module_.create(constant_, {}, context_.attributes().dict(std::span(&entry, 1)),
                                            std::span(&type, 1), op.location());
      constant.move_before(op);
      op.result(i).replace_all_uses_with(constant.result());
    }
    op.erase();
    return Outcome::Folded;
  }

  Module& module_;
  Context& context_;
  const ConstantFoldOptions& options_;
  PassContext& pass_;
  StringId value_name_;
  Opcode constant_;
};

PassResult run(Module& module, const ConstantFoldOptions& options, PassContext& context) {
  Folder folder(module, options, context);
  std::array<std::uint64_t, 5> outcomes{};
  walk(module, [&](OpRef op) { ++outcomes[static_cast<std::size_t>(folder.fold(op))]; });
  const auto count = [&](Outcome outcome) { return outcomes[static_cast<std::size_t>(outcome)]; };
  context.count("ops-folded") = count(Outcome::Folded);
  context.count("too-large") = count(Outcome::TooLarge);
  context.count("would-fail") = count(Outcome::WouldFail);
  return PassContext::changed_if(count(Outcome::Folded) > 0);
}

}  // namespace

constexpr PassDef kConstantFoldPass{
    .name = "constant-fold",
    .summary = "Evaluates ops whose operands are constants of the text.",
    .description =
        "The interpreter evaluates the op's formula in the precision of its dtypes. Weights are not "
        "constants in this sense: what depends on weights only becomes a derived weight. Elementwise ops on "
        "splats are folded whatever their shape. Operands without a reader are left to `dce`.",
    .options = kConstantFoldOptions,
    .counters = kConstantFoldCounters,
    .example = {.before = R"(func @f() -> tensor<2xf32> {
  %a = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : tensor<2xf32>
  %b = constant {value = dense<3.0> : tensor<2xf32>} : tensor<2xf32>
  %0 = add %a, %b : tensor<2xf32>
  return %0
})",
                .after = R"(func @f() -> tensor<2xf32> {
  %a = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : tensor<2xf32>
  %b = constant {value = dense<3.0> : tensor<2xf32>} : tensor<2xf32>
  %0 = constant {value = dense<[4.0, 5.0]> : tensor<2xf32>} : tensor<2xf32>
  return %0
})"},
    .body = pass_body<ConstantFoldOptions, run>(),
};

}  // namespace mlgc

// contraction-order: a contraction of three factors and more becomes contractions of two, in the order that computes
// and moves least.
//
// One nest over all labels multiplies as often as there are index tuples: einsum("ab,bc,cd->ad") a*b*c*d times, and
// two products a*b*c + a*c*d. So it is with gradients of such sums, whose equal parts `cse` merges afterwards.
//
// A sum in which an element is read at anything but a label (a window), or under a guard, is left alone.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formula/contraction_path.h"
#include "ir/builder.h"
#include "ops/instantiate_op.h"
#include "ops/name_statement.h"
#include "tensor/dtype.h"
#include "transforms/passes.h"
#include "transforms/replace_op.h"
#include "transforms/usual_size.h"

namespace mlgc {

namespace {

constexpr std::array kContractionOrderCounters{
    PassCounter{"replaced", "contractions of three factors and more that became contractions of two"},
    PassCounter{"products", "contractions of two factors that they became"},
};

class ContractionOrder {
 public:
  ContractionOrder(OpRef op, const Facts& facts)
      : op_(op),
        facts_(facts),
        context_(op.module().context()),
        index_(context_.index()),
        pool_(formulas(context_)),
        builder_(op.module()) {}

  // The steps, where they are worth it.
  bool read() {
    if (op_.result_count() != 1 || !context_.types().is_tensor(op_.result().type())) return false;
    std::vector<Type> types;
    for (const Value operand : op_.operands()) types.push_back(operand.type());
    const auto formula = instantiate_op(context_, op_.opcode(), types, op_.attrs(), facts_);
    if (!formula || formula->statements.size() != 1) return false;
    const Statement& statement = formula->statements[0];
    if (!statement.pull || statement.guard.valid() || statement.write != WriteOp::Set) return false;
    const ExprId body = without_casts(statement.body);
    if (pool_.node(body).kind != NodeKind::Reduce) return false;
    const ReduceParts sum = pool_.reduce_of(body);
    if (sum.reduction != Reduction::Sum || sum.guard.valid() || !read_factors(sum.body)) return false;
    const Dtype dtype = op_.result().dtype();
    if (operands_.size() < 3 || dtype == Dtype::I1) return false;
    if (std::any_of(operands_.begin(), operands_.end(), [&](Value v) { return v.dtype() != dtype; })) return false;
    return read_result(statement) && labels_.size() <= kMostContractionLabels && find_path();
  }

  // How many products it became.
  std::size_t run() {
    builder_.set_before(op_);
    builder_.set_location(op_.location());
    std::vector<Value> values = operands_;
    std::vector<std::vector<std::size_t>> labels = contraction_.factors;
    for (std::size_t f = 0; f < values.size(); ++f) sum_alone(f, values[f], labels[f]);
    for (const ContractionStep& step : steps_) {
      const std::size_t pair[] = {step.first, step.second};
      values.push_back(product({values[pair[0]], values[pair[1]]}, {labels[pair[0]], labels[pair[1]]}, step.result));
      labels.push_back(step.result);
    }
    // A result keeps the type that the text gives it: equal, where the function says so.
    Value y = values.back();
    replace_op(op_, y);
    return steps_.size();
  }

 private:
  // --- what is there

  // Sums of integers are taken in wider ones and cut off, which products of two may do as well.
  [[nodiscard]] ExprId without_casts(ExprId e) const {
    while (pool_.node(e).kind == NodeKind::Cast && is_integer(pool_.type(e)) &&
           is_integer(pool_.type(pool_.arguments(e)[0])))
      e = pool_.arguments(e)[0];
    return e;
  }
  bool read_factors(ExprId product) {
    const ExprId e = without_casts(product);
    if (pool_.node(e).kind == NodeKind::Call && pool_.fn(e) == ScalarFn::Mul) {
      const std::vector<ExprId> arguments = pool_.arguments(e);
      return std::all_of(arguments.begin(), arguments.end(), [&](ExprId factor) { return read_factors(factor); });
    }
    if (pool_.node(e).kind != NodeKind::Read) return false;
    const ReadParts parts = pool_.read_of(e);
    if (parts.fill.valid()) return false;
    std::vector<std::size_t> labels;
    for (std::size_t d = 0; d < parts.subscripts.size(); ++d) {
      const auto label = number_of(parts.subscripts[d]);
      if (!label) return false;
      labels.push_back(*label);
    }
    operands_.push_back(op_.operand(parts.tensor.index()));
    contraction_.factors.push_back(std::move(labels));
    return true;
  }
  // Of a subscript that is a label; the only element of a dim of size 1 is read at one that nothing else has.
  std::optional<std::size_t> number_of(IndexExpr subscript) {
    const auto atom = index_.as_atom(subscript);
    if (!atom) {
      if (index_.as_constant(subscript) != 0) return std::nullopt;
      labels_.emplace_back();
      contraction_.extents.push_back(1);
      return labels_.size() - 1;
    }
    if (index_.atom(*atom).kind != AtomKind::IndexLabel) return std::nullopt;
    const auto at = std::find(labels_.begin(), labels_.end(), atom);
    if (at != labels_.end()) return static_cast<std::size_t>(at - labels_.begin());
    labels_.emplace_back(atom);
    contraction_.extents.push_back(usual(index_.atom(*atom).a));
    return labels_.size() - 1;
  }
  // The labels of the result; a dim of size 1 that has none takes one that only one element is read at.
  bool read_result(const Statement& statement) {
    for (const IndexExpr subscript : statement.subscripts) {
      const auto atom = index_.as_atom(subscript);
      const auto at = std::find_if(labels_.begin(), labels_.end(), [&](const std::optional<AtomId>& label) {
        const auto number = static_cast<std::size_t>(&label - labels_.data());
        const auto& taken = contraction_.result;
        return label == atom && std::find(taken.begin(), taken.end(), number) == taken.end();
      });
      if (at == labels_.end()) return false;
      contraction_.result.push_back(static_cast<std::size_t>(at - labels_.begin()));
    }
    return true;
  }
  [[nodiscard]] double usual(IndexExpr size) const { return usual_size(index_, size, facts_); }

  bool find_path() {
    auto path = contraction_path(contraction_);
    if (!path) return false;
    steps_ = std::move(*path);
    return true;
  }

  // --- what it becomes

  // The labels that only this factor has are summed first.
  void sum_alone(std::size_t factor, Value& value, std::vector<std::size_t>& labels) {
    if (!is_float(value.dtype())) return;  // sums of integers have another dtype
    std::vector<std::int64_t> dims;
    std::vector<std::size_t> kept;
    for (std::size_t d = 0; d < labels.size(); ++d) {
      bool elsewhere = std::count(labels.begin(), labels.end(), labels[d]) > 1;
      const auto has = [&](const std::vector<std::size_t>& of) {
        return std::find(of.begin(), of.end(), labels[d]) != of.end();
      };
      elsewhere = elsewhere || has(contraction_.result);
      for (std::size_t f = 0; f < contraction_.factors.size(); ++f)
        elsewhere = elsewhere || (f != factor && has(contraction_.factors[f]));
      if (elsewhere)
        kept.push_back(labels[d]);
      else
        dims.push_back(static_cast<std::int64_t>(d));
    }
    if (dims.empty()) return;
    value = make(context_.find_op("sum"), {value}, builder_.attrs({{"dim", context_.attributes().int_list(dims)}}));
    labels = std::move(kept);
  }

  Value product(const std::vector<Value>& factors, const std::vector<std::vector<std::size_t>>& labels,
                const std::vector<std::size_t>& result) {
    std::vector<std::size_t> known;  // in the order of their appearance, so that equal products are equal ops
    std::string equation;
    const auto add = [&](const std::vector<std::size_t>& of) {
      for (const std::size_t label : of) {
        const auto at = std::find(known.begin(), known.end(), label);
        const auto number = static_cast<std::size_t>(at - known.begin());
        equation += static_cast<char>(number < 26 ? 'a' + number : 'A' + (number - 26));
        if (at == known.end()) known.push_back(label);
      }
    };
    add(labels[0]);
    equation += ',';
    add(labels[1]);
    equation += "->";
    add(result);
    const Opcode einsum = context_.find_op("einsum");
    const AttrDict attrs = builder_.attrs({{"equation", context_.attributes().string(equation)}});
    std::vector<Type> types;
    for (const Value factor : factors) types.push_back(factor.type());
    // `matmul` and `mul` where it is one of them.
    const auto formula = instantiate_op(context_, einsum, types, attrs, facts_);
    MLGC_ASSERT(formula.ok(), "the parts of a contraction fit each other");
    if (const auto named = name_statement(context_, *formula, formula->statements[0]);
        named && named->opcode != Opcode::Invalid) {
      std::vector<Value> operands;
      for (const TensorId operand : named->operands) operands.push_back(factors[operand.index()]);
      return make(named->opcode, operands, named->attrs);
    }
    return make(einsum, factors, attrs);
  }

  Value make(Opcode opcode, const std::vector<Value>& operands, AttrDict attrs) {
    std::vector<Type> types;
    for (const Value operand : operands) types.push_back(operand.type());
    const auto inferred = infer_types(context_, opcode, types, attrs, facts_);
    MLGC_ASSERT(inferred.ok(), "the parts of a contraction have types");
    return builder_.create(opcode, operands, attrs, *inferred).result();
  }

  OpRef op_;
  const Facts& facts_;
  Context& context_;
  IndexPool& index_;
  FormulaPool& pool_;
  Builder builder_;
  std::vector<Value> operands_;                // one for each factor
  std::vector<std::optional<AtomId>> labels_;  // by number; nothing: of an element that is read at 0
  Contraction contraction_;
  std::vector<ContractionStep> steps_;
};

PassResult run_contraction_order(Module& module, const NoPassOptions& /*options*/, PassContext& context) {
  if (!admits(context.numerics(), NumericsClass::Reassociate, true)) return PassResult::Unchanged;
  constexpr std::array<std::string_view, 2> kNames{"einsum", "compute"};
  bool changed = false;
  for_each_named(module, kNames, [&](OpRef op, std::size_t /*name*/, const Facts& facts) {
    ContractionOrder order(op, facts);
    if (!order.read()) return WalkResult::Continue;
    if (!context.may_rewrite("contraction-order", op.location(), NumericsClass::Reassociate)) return WalkResult::Stop;
    context.count("products") += order.run();
    ++context.count("replaced");
    changed = true;
    return WalkResult::Continue;
  });
  return PassContext::changed_if(changed);
}

}  // namespace

constexpr PassDef kContractionOrderPass{
    .name = "contraction-order",
    .summary = "Replaces contractions of three factors and more by contractions of two.",
    .description =
        "The order is the one with the fewest multiplications and the fewest moved elements, by a count over all "
        "orders (more than 8 factors: the cheapest pair first). An unknown size counts as 256, or as the nearest "
        "bound of its range. Values between two products are rounded to the dtype, as in PyTorch: not under "
        "--numerics=exact.",
    .counters = kContractionOrderCounters,
    .needs = Stages::Graph,
    .example =
        {.before =
             R"mlir(func @f(%x: tensor<[B]x64xf32>, %a: tensor<64x8xf32>, %b: tensor<8x64xf32>) -> tensor<[B]x64xf32> {
  %0 = einsum %x, %a, %b {equation = "bi,ir,ro->bo"} : tensor<[B]x64xf32>
  return %0
})mlir",
         .after =
             R"mlir(func @f(%x: tensor<[B]x64xf32>, %a: tensor<64x8xf32>, %b: tensor<8x64xf32>) -> tensor<[B]x64xf32> {
  %0 = matmul %x, %a : tensor<[B]x8xf32>
  %1 = matmul %0, %b : tensor<[B]x64xf32>
  return %1
})mlir"},
    .body = pass_body<NoPassOptions, run_contraction_order>(),
};

}  // namespace mlgc

// simplify-shapes: arithmetic on sizes becomes a size. What an op computes from `dim`s and integer constants is read
// off its formula as an index expression; it is then one `dim`, or a constant where it no longer depends on any size.
//
// One walk in program order, linear in ops; the expressions are those of types, so their canonical form does the work.
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"
#include "rewrite/match.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kSimplifyShapesCounters{
    PassCounter{"sizes", "ops replaced by a size"},
    PassCounter{"constants", "ops and sizes replaced by a constant"},
};

// What is known of a scalar: an integer over sizes, or whether it is true.
struct Known {
  std::optional<IndexExpr> integer;
  Truth truth = Truth::Unknown;
};

Truth negated(Truth truth) { return truth == Truth::Unknown ? truth : truth == Truth::Yes ? Truth::No : Truth::Yes; }

class Shapes {
 public:
  Shapes(Module& module, PassContext& context)
      : module_(module),
        context_(module.context()),
        index_(context_.index()),
        pool_(formulas(context_)),
        pass_(context),
        value_(context_.strings().intern("value")),
        dim_(context_.opcode(GraphOp::Dim)) {}

  bool run() {
    bool changed = false;
    walk(module_, [&](OpRef op) { changed = simplify(op) || changed; });
    return changed;
  }

 private:
  bool simplify(OpRef op) {
    if (op.result_count() != 1 || op.region_count() != 0 || !is_scalar(op.result())) return false;
    if (op.has_trait(Traits::Constant)) return note_constant(op);
    if (op.is(dim_)) return simplify_dim(op);
    if (op.operand_count() == 0 || op.has_trait(Traits::Random)) return false;
    if ((op.own_effects() & (Effects::Reads | Effects::Writes | Effects::Allocates)) != Effects::None) return false;
    std::vector<Type> types;
    std::vector<IndexExpr> operands;
    bool sized = false;  // constants alone are the matter of constant-fold
    for (const Value operand : op.operands()) {
      const auto size = sizes_.find(operand.id());
      if (size == sizes_.end()) return false;
      types.push_back(operand.type());
      operands.push_back(size->second);
      sized = sized || !index_.as_constant(size->second);
    }
    if (!sized) return false;
    const auto value = scalar_value(context_, op.opcode(), types, op.attrs());
    if (!value || !*value) return false;
    const Known known = evaluate(**value, operands, facts_.of(op), 0);
    if (known.truth != Truth::Unknown && op.result().dtype() == Dtype::I1)
      return replace_by_constant(op, Tensor::scalar<bool>(known.truth == Truth::Yes));
    if (!known.integer || op.result().dtype() != Dtype::I64) return false;
    const auto number = index_.as_constant(*known.integer);
    return number ? replace_by_constant(op, Tensor::scalar<std::int64_t>(*number))
                  : replace_by_size(op, *known.integer);
  }

  [[nodiscard]] bool is_scalar(Value value) const {
    return context_.types().is_tensor(value.type()) && value.rank() == 0 &&
           (value.dtype() == Dtype::I64 || value.dtype() == Dtype::I1);
  }

  bool note_constant(OpRef op) {
    const auto number = op.result().dtype() == Dtype::I64 ? splat_value(op.result()) : std::nullopt;
    if (number) sizes_[op.result().id()] = index_.constant(static_cast<std::int64_t>(*number));
    return false;
  }

  // Sizes that the function pins to a number are that number.
  bool simplify_dim(OpRef op) {
    const IndexExpr given = *context_.attributes().as_int(op.attr(value_));
    const Facts& facts = facts_.of(op);
    const IndexExpr known = index_.substitute(given, [&](AtomId atom) -> std::optional<IndexExpr> {
      if (const auto defined = facts.definition(atom); defined && index_.as_constant(*defined)) return defined;
      const auto lower = facts.lower(atom), upper = facts.upper(atom);
      return lower && lower == upper ? std::optional(index_.constant(*lower)) : std::nullopt;
    });
    const auto number = index_.as_constant(known);
    if (number) return replace_by_constant(op, Tensor::scalar<std::int64_t>(*number));
    sizes_[op.result().id()] = known;
    return known != given && known != index_.overflow() && replace_by_size(op, known);
  }

  // --- what a formula says
  Known evaluate(ExprId e, std::span<const IndexExpr> operands, const Facts& facts, std::size_t depth) {
    constexpr std::size_t kDeepest = 64;  // formulas of rows are flat; a longer one is left alone
    if (depth > kDeepest) return {};
    const auto integer = [](IndexExpr value) { return Known{value, Truth::Unknown}; };
    const ExprNode node = pool_.node(e);
    switch (node.kind) {
      case NodeKind::Literal:
        if (node.type == Dtype::I64) return integer(index_.constant(pool_.literal_integer(e)));
        if (node.type == Dtype::I1) return {{}, pool_.literal_integer(e) != 0 ? Truth::Yes : Truth::No};
        return {};
      case NodeKind::Read: {
        const ReadParts read = pool_.read_of(e);
        return node.type == Dtype::I64 && read.tensor.index() < operands.size() ? integer(operands[read.tensor.index()])
                                                                                : Known{};
      }
      case NodeKind::Select: {
        const std::vector<ExprId> parts = pool_.arguments(e);
        const Truth chosen = evaluate(parts[0], operands, facts, depth + 1).truth;
        if (chosen == Truth::Unknown) return {};
        return evaluate(parts[chosen == Truth::Yes ? 1 : 2], operands, facts, depth + 1);
      }
      case NodeKind::Stop:
      case NodeKind::Cast: {
        const ExprId inner = pool_.arguments(e)[0];
        return pool_.type(inner) == node.type ? evaluate(inner, operands, facts, depth + 1) : Known{};
      }
      case NodeKind::Call: break;
      case NodeKind::Index:
      case NodeKind::Reduce: return {};
    }
    std::vector<Known> arguments;
    for (const ExprId argument : pool_.arguments(e))
      arguments.push_back(evaluate(argument, operands, facts, depth + 1));
    return call(pool_.fn(e), arguments, facts);
  }

  Known call(ScalarFn fn, std::span<const Known> arguments, const Facts& facts) {
    const auto truth = [](Truth value) { return Known{{}, value}; };
    if (fn == ScalarFn::Not) return truth(negated(arguments[0].truth));
    if (fn == ScalarFn::And || fn == ScalarFn::Or) {
      const Truth decisive = fn == ScalarFn::And ? Truth::No : Truth::Yes;
      if (arguments[0].truth == decisive || arguments[1].truth == decisive) return truth(decisive);
      const bool both = arguments[0].truth != Truth::Unknown && arguments[1].truth != Truth::Unknown;
      return truth(both ? negated(decisive) : Truth::Unknown);
    }
    for (const Known& argument : arguments)
      if (!argument.integer) return {};
    const IndexExpr a = *arguments[0].integer;
    const IndexExpr b = arguments.size() > 1 ? *arguments[1].integer : a;
    const auto size = [&](IndexExpr value) {
      return value == index_.overflow() ? Known{} : Known{value, Truth::Unknown};
    };
    const auto divides = [&] { return index_.is_non_negative(index_.sub(b, index_.constant(1)), facts); };
    switch (fn) {
      case ScalarFn::Neg: return size(index_.scale(a, -1));
      case ScalarFn::Add: return size(index_.add(a, b));
      case ScalarFn::Sub: return size(index_.sub(a, b));
      case ScalarFn::Mul: return size(index_.mul(a, b));
      case ScalarFn::Min: return size(index_.min(a, b));
      case ScalarFn::Max: return size(index_.max(a, b));
      // Both round down; a divisor that may be 0 is an error that the op has to report.
      case ScalarFn::FloorDiv: return divides() ? size(index_.floordiv(a, b)) : Known{};
      case ScalarFn::Mod: return divides() ? size(index_.mod(a, b)) : Known{};
      case ScalarFn::Lt: return truth(index_.less(a, b, facts));
      case ScalarFn::Le: return truth(negated(index_.less(b, a, facts)));
      case ScalarFn::Eq: return truth(index_.equal(a, b, facts));
      case ScalarFn::Ne: return truth(negated(index_.equal(a, b, facts)));
      default: return {};
    }
  }

  // --- replacement
  bool replace_by_size(OpRef op, IndexExpr size) {
    sizes_[op.result().id()] = size;
    if (!pass_.may_rewrite("compute-size", op.location())) return false;
    const NamedAttribute entry{value_, context_.attributes().integer(size)};
    const Value made = put_before(op, dim_, entry);
    sizes_[made.id()] = size;
    ++pass_.count("sizes");
    return true;
  }
  bool replace_by_constant(OpRef op, const Tensor& value) {
    if (!pass_.may_rewrite("decide-size", op.location())) return false;
    const NamedAttribute entry{value_, context_.attributes().tensor(value)};
    const Value made = put_before(op, context_.opcode(GraphOp::Constant), entry);
    if (value.dtype() == Dtype::I64) sizes_[made.id()] = index_.constant(value.get_int(0));
    ++pass_.count("constants");
    return true;
  }
  Value put_before(OpRef op, Opcode opcode, const NamedAttribute& entry) {
    const Type type = op.result().type();
    const OpRef made = module_.create(opcode, {}, context_.attributes().dict(std::span(&entry, 1)), std::span(&type, 1),
                                      op.location());
    made.move_before(op);
    op.result().replace_all_uses_with(made.result());
    op.erase();
    return made.result();
  }

  Module& module_;
  Context& context_;
  IndexPool& index_;
  FormulaPool& pool_;
  PassContext& pass_;
  StringId value_;
  Opcode dim_;
  FunctionFacts facts_;
  std::unordered_map<ValueId, IndexExpr> sizes_;
};

PassResult run_simplify_shapes(Module& module, const NoPassOptions&, PassContext& context) {
  return PassContext::changed_if(Shapes(module, context).run());
}

}  // namespace

constexpr PassDef kSimplifyShapesPass{
    .name = "simplify-shapes",
    .summary = "Turns arithmetic on sizes into sizes, and decides comparisons of sizes.",
    .description =
        "An op of rank 0 on `dim`s and integer constants becomes one `dim` of an expression in canonical form, so "
        "that equal sizes are equal ops. What does not depend on a size any more is a constant. So is a size that the "
        "function's `where` clause pins to a number, and a comparison that it decides. A division stays where its "
        "divisor is not known to be 1 or more. Sizes are integers: where arithmetic in 64 bits would have wrapped "
        "around, evaluating the size is an error. Operands without uses are left to `dce`.",
    .counters = kSimplifyShapesCounters,
    .example = {.before = R"(func @f(%x: tensor<[B]x[S]xf32>) -> tensor<i64> {
  %b = dim [B] : tensor<i64>
  %s = dim [S] : tensor<i64>
  %m = mul %b, %s : tensor<i64>
  %n = add %m {other = 1} : tensor<i64>
  return %n
})",
                .after = R"(func @f(%x: tensor<[B]x[S]xf32>) -> tensor<i64> {
  %b = dim [B] : tensor<i64>
  %s = dim [S] : tensor<i64>
  %m = dim [B*S] : tensor<i64>
  %n = dim [B*S + 1] : tensor<i64>
  return %n
})"},
    .body = pass_body<NoPassOptions, run_simplify_shapes>(),
};

}  // namespace mlgc

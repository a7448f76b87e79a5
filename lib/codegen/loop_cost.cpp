// Counts operations on floats, nest by nest.
#include "codegen/loop_cost.h"

#include <unordered_map>

#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "ops/loop_ops.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {
namespace {

class Counter {
 public:
  explicit Counter(Context& context)
      : context_(context), index_(context.index()), types_(context.types()), pool_(formulas(context)) {}

  IndexExpr region(RegionRef r) {
    IndexExpr total = index_.constant(0);
    for (const OpRef op : r.ops()) {
      if (op.is("for")) {
        total = index_.add(total, loop(ForRef::from(op)));
        continue;
      }
      known_ = known_ && !op.is("while");  // who knows how often
      for (std::size_t a = 0; a < op.region_count(); ++a) total = index_.add(total, region(op.region(a)));
      total = index_.add(total, index_.constant(scalar(op)));
    }
    return total;
  }
  [[nodiscard]] bool known() const { return known_; }

 private:
  IndexExpr loop(ForRef loop) {
    const IndexExpr first = mean(loop.op(), loop.first()), last = mean(loop.op(), loop.last());
    middles_[loop.index().id()] = index_.ceildiv(index_.add(first, last), index_.constant(2));
    return index_.mul(index_.sub(last, first), region(loop.body()));
  }

  // With the mean of each index in its place.
  IndexExpr mean(OpRef op, IndexExpr e) {
    return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque) return std::nullopt;
      const auto found = middles_.find(op.operand(atom.number).id());
      known_ = known_ && found != middles_.end();
      return found == middles_.end() ? index_.constant(0) : found->second;
    });
  }

  std::int64_t scalar(OpRef op) {
    if (op.result_count() != 1 || types_.kind(op.result().type()) != TypeKind::Scalar || op.region_count() > 0 ||
        op.operand_count() == 0)
      return 0;
    std::vector<Type> types;
    for (const Value v : op.operands()) {
      if (types_.kind(v.type()) == TypeKind::Buffer) return 0;
      types.push_back(types_.kind(v.type()) == TypeKind::Index ? types_.scalar(Dtype::I64) : v.type());
    }
    const auto value = scalar_value(context_, op.opcode(), types, op.attrs());
    if (!value.ok() || !value.value()) return 0;
    std::int64_t cost = 0;
    pool_.visit(**value, [&](ExprId e) {
      const ExprNode& node = pool_.node(e);
      const bool real = node.kind == NodeKind::Call ? is_float(pool_.type(pool_.arguments(e)[0])) : is_float(node.type);
      if (!real) return;
      if (node.kind == NodeKind::Call) cost += scalar_fn_info(pool_.fn(e)).cost;
      if (node.kind == NodeKind::Select) ++cost;
    });
    return cost;
  }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& pool_;
  bool known_ = true;
  std::unordered_map<ValueId, IndexExpr> middles_;
};

}  // namespace

std::string LoopCost::print(const IndexPool& pool) const {
  return pool.print(read_bytes) + " bytes read, " + pool.print(written_bytes) + " written, " +
         (flops ? pool.print(*flops) : "an unknown number of") + " FLOPs";
}

LoopCost loop_cost(OpRef func) {
  Context& context = func.module().context();
  IndexPool& index = context.index();
  LoopCost out{index.constant(0), index.constant(0), std::nullopt};
  const std::vector<bool> written = written_arguments(func);
  std::vector<bool> read(written.size(), false);
  walk(func, [&](OpRef op) {
    if (!op.is("load")) return;
    const Value buffer = underlying_buffer(op.operand(0));
    if (buffer.is_argument() && buffer.argument_of() == func.region(0)) read[buffer.number()] = true;
  });
  for (std::size_t i = 0; i < written.size(); ++i) {
    const IndexExpr bytes = context.storage_bytes(func.region(0).argument(i).type());
    if (read[i]) out.read_bytes = index.add(out.read_bytes, bytes);
    if (written[i]) out.written_bytes = index.add(out.written_bytes, bytes);
  }
  Counter counter(context);
  const IndexExpr flops = counter.region(func.region(0));
  if (counter.known()) out.flops = flops;
  return out;
}

}  // namespace mlgc::codegen

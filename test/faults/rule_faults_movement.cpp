// Wrong rewrite rules about ops that move elements and about reductions.
#include <algorithm>
#include <array>

#include "faults/fault_tools.h"
#include "faults/faults.h"

namespace mlgc::test {
namespace {

using C = NumericsClass;

const AttributePool& attributes_of(OpRef op) { return op.module().context().attributes(); }
AttrDict with_int(OpRef op, std::string_view name, std::int64_t value) {
  Context& context = op.module().context();
  return context.attributes().with(op.attrs(), context.strings().intern(name), context.attributes().integer(value));
}
OpRef inner(OpRef op) { return op.operand_count() > 0 ? defined_by(op.operand(0), op.opcode()) : OpRef(); }
std::optional<std::int64_t> int_of(OpRef op, std::string_view name) {
  return attributes_of(op).as_int64(op.attr(name));
}

// The second of two transposes or permutes, or the reversal of other axes, is taken back although it is another one.
bool undo_any(OpRef op, FaultRewriter& r) { return inner(op).valid() && replace_by(op, r, inner(op).operand(0)); }

constexpr FaultRule kTranspose{.name = "wrong-transpose-twice",
                               .root = "transpose",
                               .doc = "two transposes are none, whatever their axes",
                               .apply = undo_any};
constexpr FaultRule kFlip{
    .name = "wrong-flip-twice", .root = "flip", .doc = "two flips are none, whatever their axes", .apply = undo_any};
constexpr FaultRule kRoll{.name = "wrong-roll-twice", .root = "roll", .doc = "two rolls are none", .apply = undo_any};
constexpr FaultRule kPermute{.name = "wrong-permute-order",
                             .root = "permute",
                             .doc = "two permutes are one, composed in the wrong order",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               const OpRef in = inner(op);
                               if (!in.valid()) return false;
                               const auto outer_axes = attributes_of(op).as_int64_list(op.attr("dims")),
                                          inner_axes = attributes_of(op).as_int64_list(in.attr("dims"));
                               if (!outer_axes || !inner_axes) return false;
                               std::vector<std::int64_t> axes;
                               for (const std::int64_t axis : *inner_axes)
                                 axes.push_back((*outer_axes)[static_cast<std::size_t>(axis)]);
                               Context& context = op.module().context();
                               const AttrDict attrs = context.attributes().with(
                                   op.attrs(), context.strings().intern("dims"), context.attributes().int_list(axes));
                               return replace_by(op, r, make(r, "permute", {in.operand(0)}, op.result().type(), attrs));
                             }};
constexpr FaultRule kTransposeView{
    .name = "wrong-transpose-view",
    .root = "transpose",
    .doc = "a transpose to the same shape is nothing",
    .apply = [](OpRef op, FaultRewriter& r) { return replace_by(op, r, op.operand(0)); }};
constexpr FaultRule kSlice{.name = "wrong-slice-of-slice",
                           .root = "slice",
                           .doc = "a slice of a slice starts where the second one does",
                           .apply = [](OpRef op, FaultRewriter& r) {
                             const OpRef in = inner(op);
                             if (!in.valid() || int_of(in, "dim") != int_of(op, "dim") ||
                                 int_of(op, "step").value_or(1) != 1 || int_of(in, "step").value_or(1) != 1)
                               return false;
                             return replace_by(op, r,
                                               make(r, "slice", {in.operand(0)}, op.result().type(), op.attrs()));
                           }};
constexpr FaultRule kSliceStart{
    .name = "wrong-slice-start",
    .root = "slice",
    .doc = "a slice starts one element later, and ends there too",
    .apply = [](OpRef op, FaultRewriter& r) {
      const auto start = int_of(op, "start"), end = int_of(op, "end");
      if (!start || !end || *start < 1 || *end < *start || !mark(op)) return false;
      Context& context = op.module().context();
      r.set_attrs(context.attributes().with(with_int(op, "start", *start - 1), context.strings().intern("end"),
                                            context.attributes().integer(*end - 1)));
      return true;
    }};
constexpr FaultRule kCat{.name = "wrong-cat-order",
                         .root = "cat",
                         .doc = "operands of cat are swapped where their types are one",
                         .apply = [](OpRef op, FaultRewriter& r) {
                           if (op.operand_count() != 2 || op.operand(0).type() != op.operand(1).type() || !mark(op))
                             return false;
                           const std::array v{op.operand(1), op.operand(0)};
                           r.set_operands(v);
                           return true;
                         }};
constexpr FaultRule kCatSlice{.name = "wrong-slice-of-cat",
                              .root = "slice",
                              .doc = "a slice of a cat is its first operand where the types fit",
                              .apply = [](OpRef op, FaultRewriter& r) {
                                const OpRef cat = defined_by(op.operand(0), "cat");
                                return cat.valid() && replace_by(op, r, cat.operand(0));
                              }};
constexpr FaultRule kSumMean{
    .name = "wrong-mean-sum", .root = "mean", .doc = "mean is sum", .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r, r.create("sum", {op.operand(0)}, op.result().type(), op.attrs()));
    }};
constexpr FaultRule kSumOrder{.name = "wrong-sum-of-permute",
                              .root = "sum",
                              .doc = "a sum over one axis does not see a transpose",
                              .apply = [](OpRef op, FaultRewriter& r) {
                                const OpRef in = defined_by(op.operand(0), "transpose");
                                return in.valid() && in.operand(0).type() == in.result().type() &&
                                       replace_by(op, r,
                                                  r.create("sum", {in.operand(0)}, op.result().type(), op.attrs()));
                              }};
constexpr FaultRule kMaxNeg{
    .name = "wrong-amax-neg", .root = "amax", .doc = "amax(-x) is amax(x)", .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef neg = defined_by(op.operand(0), "neg");
      return neg.valid() && replace_by(op, r, r.create("amax", {neg.operand(0)}, op.result().type(), op.attrs()));
    }};
constexpr FaultRule kMatmul{.name = "wrong-matmul-swapped",
                            .root = "matmul",
                            .doc = "a*b is b*a for square matrices",
                            .apply = [](OpRef op, FaultRewriter& r) {
                              if (op.operand(0).type() != op.operand(1).type() || !mark(op)) return false;
                              const std::array v{op.operand(1), op.operand(0)};
                              r.set_operands(v);
                              return true;
                            }};
constexpr FaultRule kMatmulTranspose{
    .name = "wrong-matmul-transpose",
    .root = "matmul",
    .doc = "a transpose of a square operand is dropped",
    .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef t = defined_by(op.operand(1), "transpose");
      return t.valid() && t.operand(0).type() == t.result().type() &&
             replace_by(op, r, make(r, "matmul", {op.operand(0), t.operand(0)}, op.result().type()));
    }};
constexpr FaultRule kDistribute{.name = "wrong-sum-scale",
                                .root = "sum",
                                .numerics = C::Exact,
                                .doc = "a factor inside a sum is dropped",
                                .apply = [](OpRef op, FaultRewriter& r) {
                                  const OpRef mul = defined_by(op.operand(0), "mul");
                                  return mul.valid() && mul.operand_count() == 1 &&
                                         replace_by(op, r,
                                                    r.create("sum", {mul.operand(0)}, op.result().type(), op.attrs()));
                                }};
constexpr FaultRule kReassociate{.name = "wrong-reassociation",
                                 .root = "sum",
                                 .numerics = C::Reassociate,
                                 .doc = "a sum is a mean, claimed to reassociate only",
                                 .apply = [](OpRef op, FaultRewriter& r) {
                                   return is_float(op.result().dtype()) &&
                                          replace_by(op, r,
                                                     r.create("mean", {op.operand(0)}, op.result().type(), op.attrs()));
                                 }};
constexpr FaultRule kBroadcast{.name = "wrong-expand-of-add",
                               .root = "cumsum",
                               .doc = "cumsum runs along the first axis",
                               .apply = [](OpRef op, FaultRewriter& r) {
                                 if (int_of(op, "dim") == 0 || !mark(op)) return false;
                                 r.set_attrs(with_int(op, "dim", 0));
                                 return true;
                               }};

constexpr std::array kPasses{
    rule_fault<kTranspose>("fault-transpose-twice"),
    rule_fault<kFlip>("fault-flip-twice"),
    rule_fault<kRoll>("fault-roll-twice"),
    rule_fault<kPermute>("fault-permute-order"),
    rule_fault<kTransposeView>("fault-transpose-view"),
    rule_fault<kSlice>("fault-slice-of-slice"),
    rule_fault<kSliceStart>("fault-slice-start"),
    rule_fault<kCat>("fault-cat-order"),
    rule_fault<kCatSlice>("fault-slice-of-cat"),
    rule_fault<kSumMean>("fault-mean-sum"),
    rule_fault<kSumOrder>("fault-sum-of-transpose"),
    rule_fault<kMaxNeg>("fault-amax-neg"),
    rule_fault<kMatmul>("fault-matmul-swapped"),
    rule_fault<kMatmulTranspose>("fault-matmul-transpose"),
    rule_fault<kDistribute>("fault-sum-scale"),
    rule_fault<kReassociate>("fault-reassociation"),
    rule_fault<kBroadcast>("fault-cumsum-axis"),
};

}  // namespace

std::span<const PassDef> movement_rule_faults() { return kPasses; }

}  // namespace mlgc::test

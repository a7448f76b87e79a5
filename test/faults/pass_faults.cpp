// Variants of cse, constant-fold, inline, expand and dce with one mistake each.
#include <algorithm>
#include <array>
#include <cmath>

#include "faults/fault_tools.h"
#include "faults/faults.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "tensor/tensor.h"

namespace mlgc::test {
namespace {

constexpr std::string_view kWrong = "wrong-step";

// --- cse: an op merges with one before it in its region. What is wrong is when two ops count as equal.
bool same_operands(OpRef a, OpRef b) {
  const auto x = a.operands(), y = b.operands();
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}
bool same_types(OpRef a, OpRef b) {
  if (a.result_count() != b.result_count()) return false;
  for (std::size_t i = 0; i < a.result_count(); ++i)
    if (a.result(i).type() != b.result(i).type()) return false;
  return true;
}
bool equal(OpRef a, OpRef b) { return a.opcode() == b.opcode() && a.attrs() == b.attrs() && same_operands(a, b); }

template <bool (*WronglyEqual)(OpRef, OpRef)>
bool merge(OpRef op, PassContext& context) {
  if (op.result_count() == 0 || op.region_count() != 0 || op.has_trait(Traits::Symbol)) return false;
  for (OpRef other = op.previous(); other.valid(); other = other.previous()) {
    if (!same_types(op, other) || other.region_count() != 0) continue;
    const bool right = equal(op, other);
    if (!right && !WronglyEqual(op, other)) continue;
    if (!context.may_rewrite(right ? "merge-equal-ops" : kWrong, op.location())) return false;
    for (std::size_t i = 0; i < op.result_count(); ++i) op.result(i).replace_all_uses_with(other.result(i));
    op.erase();
    return true;
  }
  return false;
}

bool ignores_attributes(OpRef a, OpRef b) {
  return a.opcode() == b.opcode() && same_operands(a, b) && !a.has_trait(Traits::Constant) && !a.is(GraphOp::Read);
}
bool ignores_order(OpRef a, OpRef b) {
  return a.opcode() == b.opcode() && a.attrs() == b.attrs() && a.operand_count() == 2 && b.operand_count() == 2 &&
         a.operand(0) == b.operand(1) && a.operand(1) == b.operand(0);
}
bool ignores_second_operand(OpRef a, OpRef b) {
  return a.opcode() == b.opcode() && a.attrs() == b.attrs() && a.operand_count() == 2 && b.operand_count() == 2 &&
         a.operand(0) == b.operand(0);
}
bool ignores_opcode(OpRef a, OpRef b) {
  return a.has_trait(Traits::Elementwise) && b.has_trait(Traits::Elementwise) && a.attrs() == b.attrs() &&
         a.operand_count() > 0 && same_operands(a, b);
}
bool ignores_symbol(OpRef a, OpRef b) { return a.is(GraphOp::Read) && b.is(GraphOp::Read); }
bool ignores_random_key(OpRef a, OpRef b) {
  return a.opcode() == b.opcode() && a.attrs() == b.attrs() && a.has_trait(Traits::Random);
}
bool compares_constants_by_size(OpRef a, OpRef b) { return a.is(GraphOp::Constant) && b.is(GraphOp::Constant); }
bool compares_first_element(OpRef a, OpRef b) {
  if (!a.is(GraphOp::Constant) || !b.is(GraphOp::Constant)) return false;
  const AttributePool& attributes = a.module().context().attributes();
  const auto x = attributes.to_host(a.attr("value")), y = attributes.to_host(b.attr("value"));
  return x && y && x->size() > 0 && x->size() == y->size() && x->get_double(0) == y->get_double(0);
}

// --- constants: what a fold made is spoilt.
template <bool (*Spoil)(Tensor&)>
bool spoil_constant(OpRef op, PassContext& context) {
  if (!op.is(GraphOp::Constant)) return false;
  AttributePool& attributes = op.module().context().attributes();
  auto tensor = attributes.to_host(op.attr("value"));
  if (!tensor || tensor->size() == 0) return false;
  Tensor value = *std::move(tensor);
  if (!Spoil(value) || !context.may_rewrite(kWrong, op.location())) return false;
  op.set_attr("value", attributes.tensor(value));
  return true;
}
bool reversed(Tensor& t) {
  bool other = false;
  for (std::int64_t i = 0, j = t.size() - 1; i < j; ++i, --j) {
    const double a = t.get_double(i), b = t.get_double(j);
    t.set_double(i, b);
    t.set_double(j, a);
    other = other || a != b;
  }
  return other;
}
bool first_for_all(Tensor& t) {
  bool other = false;
  for (std::int64_t i = 1; i < t.size(); ++i) {
    other = other || t.get_double(i) != t.get_double(0);
    t.set_double(i, t.get_double(0));
  }
  return other;
}
bool rounded_to_bf16(Tensor& t) {
  if (!is_float(t.dtype())) return false;
  bool other = false;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    Tensor narrow = Tensor::zeros(Dtype::BF16, {});
    narrow.set_double(0, t.get_double(i));
    const double was = t.get_double(i), is = narrow.get_double(0);
    other = other || was != is;
    t.set_double(i, is);
  }
  return other;
}
bool one_ulp(Tensor& t) {
  if (t.dtype() != Dtype::F32) return false;
  t.set_double(0, static_cast<double>(std::nextafter(static_cast<float>(t.get_double(0)), 1e30F)));
  return true;
}
bool without_sign(Tensor& t) {
  bool other = false;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    other = other || t.get_double(i) < 0;
    t.set_double(i, std::abs(t.get_double(i)));
  }
  return other;
}

bool size_off_by_one(OpRef op, PassContext& context) {
  if (!op.is(GraphOp::Dim)) return false;
  Context& ir = op.module().context();
  const auto size = ir.attributes().as_int(op.attr("value"));
  if (!size || !context.may_rewrite(kWrong, op.location())) return false;
  op.set_attr("value", ir.attributes().integer(ir.index().add(*size, ir.index().constant(1))));
  return true;
}

// --- inline: the body of a callee whose types are those of the call.
enum class Inlining : std::uint8_t { ArgumentsSwapped, FirstForAll, ResultsSwapped, LastOpDropped };
template <Inlining Mistake>
bool inline_wrongly(OpRef call, PassContext& context) {
  if (!call.is(GraphOp::Call)) return false;
  Module& module = call.module();
  const auto name = module.context().attributes().as_symbol(call.attr("callee"));
  const FuncRef callee = find_function(module, name ? *name : "");
  if (!callee.valid() || !callee.updates().empty()) return false;
  const auto arguments = callee.arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].type() != call.operand(i).type()) return false;
  std::vector<Value> given(call.operands().begin(), call.operands().end());
  bool wrong = false;
  if (Mistake == Inlining::ArgumentsSwapped && given.size() >= 2 && given[0].type() == given[1].type()) {
    std::swap(given[0], given[1]);
    wrong = true;
  }
  if (Mistake == Inlining::FirstForAll)
    for (std::size_t i = 1; i < given.size(); ++i)
      if (given[i].type() == given[0].type() && given[i] != given[0]) {
        given[i] = given[0];
        wrong = true;
      }
  std::vector<Value> results = callee.results();
  if (Mistake == Inlining::ResultsSwapped && results.size() >= 2 && results[0].type() == results[1].type()) {
    std::swap(results[0], results[1]);
    wrong = true;
  }
  if (Mistake == Inlining::LastOpDropped && !results.empty()) {
    const OpRef last = results[0].definer();
    if (last.valid() && last.operand_count() > 0 && last.operand(0).type() == results[0].type()) {
      results[0] = last.operand(0);
      wrong = true;
    }
  }
  if (!context.may_rewrite(wrong ? kWrong : "inline-call", call.location())) return false;
  ValueMap map;
  for (std::size_t i = 0; i < arguments.size(); ++i) map.set(arguments[i], given[i]);
  Builder builder(module, call.parent());
  builder.set_before(call);
  clone_ops(callee.body(), builder, map, true);
  for (std::size_t i = 0; i < results.size(); ++i) call.result(i).replace_all_uses_with(map.find(results[i]));
  call.erase();
  return true;
}

// --- expand: an op becomes others that are not quite the same.
bool softmax_without_maximum(OpRef op, PassContext& context) {
  if (!op.is(GraphOp::Softmax) || !context.may_rewrite(kWrong, op.location())) return false;
  Context& ir = op.module().context();
  const Type type = op.result().type();
  const Value e = make_before(op, "exp", {op.operand(0)}, type);
  const std::array dims{ir.attributes().as_int64(op.attr("dim")).value_or(0)};
  std::vector<IndexExpr> sizes(ir.types().dims(type).begin(), ir.types().dims(type).end());
  sizes[static_cast<std::size_t>(dims[0] < 0 ? dims[0] + static_cast<std::int64_t>(sizes.size()) : dims[0])] =
      ir.index().constant(1);
  const std::array entries{NamedAttribute{ir.strings().intern("dim"), ir.attributes().int_list(dims)},
                           NamedAttribute{ir.strings().intern("keepdim"), ir.attributes().boolean(true)}};
  const Value sum = make_before(op, "sum", {e}, ir.types().with_dims(type, sizes), ir.attributes().dict(entries));
  replace(op, make_before(op, "div", {e, sum}, type));
  return true;
}
bool gelu_by_sigmoid(OpRef op, PassContext& context) {
  if (op.name() != "gelu" || !context.may_rewrite(kWrong, op.location())) return false;
  const Type type = op.result().type();
  Context& ir = op.module().context();
  const NamedAttribute entry{ir.strings().intern("other"), ir.attributes().real(1.702)};
  const Value scaled = make_before(op, "mul", {op.operand(0)}, type, ir.attributes().dict(std::span(&entry, 1)));
  const Value gate = make_before(op, "sigmoid", {scaled}, type);
  replace(op, make_before(op, "mul", {op.operand(0), gate}, type));
  return true;
}
bool silu_without_gate(OpRef op, PassContext& context) {
  if (op.name() != "silu" || !context.may_rewrite(kWrong, op.location())) return false;
  replace(op, make_before(op, "sigmoid", {op.operand(0)}, op.result().type()));
  return true;
}

// --- dce and what it might forget.
bool drops_update(OpRef op, PassContext& context) {
  const FuncRef function = FuncRef::from(op);
  if (!function.valid() || function.updates().empty()) return false;
  if (!context.may_rewrite(kWrong, op.location())) return false;
  std::vector<UpdateTarget> updates = function.updates();
  const OpRef end = function.return_op();
  std::vector<Value> values(end.operands().begin(), end.operands().end());
  updates.pop_back();
  values.pop_back();
  end.set_operands(values);
  function.set_updates(updates);
  return true;
}
bool swaps_updates(OpRef op, PassContext& context) {
  const FuncRef function = FuncRef::from(op);
  if (!function.valid() || function.updates().size() < 2) return false;
  const OpRef end = function.return_op();
  const std::size_t last = end.operand_count() - 1;
  if (end.operand(last).type() != end.operand(last - 1).type() || !context.may_rewrite(kWrong, op.location()))
    return false;
  const Value a = end.operand(last), b = end.operand(last - 1);
  end.set_operand(last, b);
  end.set_operand(last - 1, a);
  return true;
}
bool takes_then_for_else(OpRef op, PassContext& context) {
  if (!op.is(GraphOp::If) || op.region_count() < 2 || op.result_count() == 0) return false;
  const OpRef a = op.region(0).terminator(), b = op.region(1).terminator();
  bool changes = false;
  for (std::size_t i = 0; i < a.operand_count(); ++i) {
    const OpRef definer = a.operand(i).definer();
    const bool outside = !definer.valid() || !definer.is_inside(op);
    changes = changes || (outside && a.operand(i) != b.operand(i));
  }
  if (!changes || !context.may_rewrite(kWrong, op.location())) return false;
  for (std::size_t i = 0; i < a.operand_count(); ++i) {
    const OpRef definer = a.operand(i).definer();
    if (!definer.valid() || !definer.is_inside(op)) b.set_operand(i, a.operand(i));
  }
  return true;
}
bool drops_carried(OpRef op, PassContext& context) {
  if (!op.is(GraphOp::Yield) || !op.parent_op().has_trait(Traits::Loop) || op.operand_count() < 1) return false;
  const RegionRef body = op.parent();
  const std::size_t first = body.argument_count() - op.operand_count();
  const std::size_t last = op.operand_count() - 1;
  if (body.argument(first + last).type() != op.operand(last).type() || body.argument(first + last) == op.operand(last))
    return false;
  if (!context.may_rewrite(kWrong, op.location())) return false;
  op.set_operand(last, body.argument(first + last));
  return true;
}
bool hoists_first_operand(OpRef op, PassContext& context) {
  if (op.name() != "clone" && op.name() != "dropout") return false;
  if (op.result(0).type() != op.operand(0).type() || op.result_count() < 2) return false;
  if (!context.may_rewrite(kWrong, op.location())) return false;
  op.result(0).replace_all_uses_with(op.operand(0));
  return true;
}

constexpr std::array kPasses{
    step_fault<merge<ignores_attributes>>("fault-cse-attributes", "cse that does not compare attributes"),
    step_fault<merge<ignores_order>>("fault-cse-order", "cse that takes every op for commutative"),
    step_fault<merge<ignores_second_operand>>("fault-cse-second-operand", "cse that compares first operands only"),
    step_fault<merge<ignores_opcode>>("fault-cse-opcode", "cse that does not compare opcodes of elementwise ops"),
    step_fault<merge<ignores_symbol>>("fault-cse-read", "cse that merges reads of different symbols"),
    step_fault<merge<ignores_random_key>>("fault-cse-random", "cse that merges random ops with different keys"),
    step_fault<merge<compares_constants_by_size>>("fault-cse-constant", "cse that merges constants of one type"),
    step_fault<merge<compares_first_element>>("fault-cse-first-element",
                                              "cse that compares the first element of constants, as a number"),
    step_fault<spoil_constant<reversed>>("fault-fold-reversed", "constants are written backwards"),
    step_fault<spoil_constant<first_for_all>>("fault-fold-splat", "constants become splats of their first element"),
    step_fault<spoil_constant<rounded_to_bf16>>("fault-fold-bf16", "constants are rounded to bf16"),
    step_fault<spoil_constant<one_ulp>>("fault-fold-ulp", "the first element of a constant is off by one ulp"),
    step_fault<spoil_constant<without_sign>>("fault-fold-sign", "constants lose their signs"),
    step_fault<size_off_by_one>("fault-dim", "sizes are off by one"),
    step_fault<inline_wrongly<Inlining::ArgumentsSwapped>>("fault-inline-swapped",
                                                           "inlining swaps the first two arguments"),
    step_fault<inline_wrongly<Inlining::FirstForAll>>("fault-inline-first",
                                                      "inlining gives the first argument for all of its type"),
    step_fault<inline_wrongly<Inlining::ResultsSwapped>>("fault-inline-results", "inlining swaps results"),
    step_fault<inline_wrongly<Inlining::LastOpDropped>>("fault-inline-last-op",
                                                        "inlining drops the last op of the body"),
    step_fault<softmax_without_maximum>("fault-softmax", "softmax without subtracting the maximum"),
    step_fault<gelu_by_sigmoid>("fault-gelu", "gelu by a sigmoid"),
    step_fault<silu_without_gate>("fault-silu", "silu without its factor"),
    step_fault<drops_update>("fault-update-dropped", "the last new state is dropped"),
    step_fault<swaps_updates>("fault-updates-swapped", "two new states are swapped"),
    step_fault<takes_then_for_else>("fault-else", "the second arm of an `if` gives what the first does"),
    step_fault<drops_carried>("fault-carried", "the last value that a loop carries stays what it was"),
    step_fault<hoists_first_operand>("fault-dropout", "dropout drops nothing"),
};

}  // namespace

std::span<const PassDef> pass_faults() { return kPasses; }

}  // namespace mlgc::test

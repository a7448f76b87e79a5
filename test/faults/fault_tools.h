// Short forms for writing faults: a pass that applies one wrong rule beside the right ones, a pass that takes one wrong
// step at every op, and what both need.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/walk.h"
#include "pass/pass.h"
#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "tensor/tensor.h"
#include "transforms/rules.h"

namespace mlgc::test {

// --- rules.
// How a wrong rule changes the module: what it makes stands before the root.
class FaultRewriter {
 public:
  explicit FaultRewriter(OpRef root) : root_(root), builder_(root.module(), root.parent()) {
    builder_.set_before(root);
    builder_.set_location(root.location());
  }
  Value create(std::string_view name, std::initializer_list<Value> operands, Type type, AttrDict attrs = {}) {
    return builder_.create(name, operands, {type}, attrs).result();
  }
  Value splat(double value, Type type) {
    Context& context = root_.module().context();
    const Tensor element = Tensor::splat(context.types().dtype(type), {}, value);
    const NamedAttribute entry{context.strings().intern("value"), context.attributes().tensor(type, element.bytes())};
    return create("constant", {}, type, context.attributes().dict(std::span(&entry, 1)));
  }
  void replace(Value value) {
    root_.result().replace_all_uses_with(value);
    root_.erase();
  }
  void replace_by_region(RegionRef region) {
    const OpRef end = region.terminator();
    const std::vector<Value> values(end.operands().begin(), end.operands().end());
    end.erase();
    region.splice_before(root_);
    root_.replace_all_uses_with(values);
    root_.erase();
  }
  void set_operands(std::span<const Value> values) {
    for (std::size_t i = 0; i < values.size(); ++i) root_.set_operand(i, values[i]);
  }
  void set_attrs(AttrDict attrs) { root_.set_attrs(attrs); }

 private:
  OpRef root_;
  Builder builder_;
};

struct FaultRule {
  std::string_view name, root;
  NumericsClass numerics = NumericsClass::Exact;  // what it claims
  std::string_view doc;
  bool (*apply)(OpRef op, FaultRewriter& rewriter);
};

// The wrong rule at every op, then the right rules.
template <const FaultRule& Rule>
PassResult run_with_rule(Module& module, const NoPassOptions&, PassContext& context) {
  bool changed = false;
  walk(module, [&](OpRef op) {
    if (op.name() != Rule.root || !context.gate().open()) return;
    const Location at = op.location();
    FaultRewriter rewriter(op);
    if (!Rule.apply(op, rewriter)) return;
    context.gate().record(Rule.name, at, Rule.numerics);
    changed = true;
  });
  const auto file = load_rule_file(module.context(), "canonicalize", context.diagnostics());
  const RuleSet set(module.context(), canonical_rules(*file));
  const RewriteReport report = rewrite(module, set, context.numerics(), &context.gate());
  return PassContext::changed_if(changed || report.applied > 0);
}

template <const FaultRule& Rule>
constexpr PassDef rule_fault(std::string_view name) {
  return {.name = name, .summary = Rule.doc, .body = pass_body<NoPassOptions, run_with_rule<Rule>>()};
}

// The op that defines `value` when it is of this kind, else an invalid handle.
inline OpRef defined_by(Value value, Opcode opcode) {
  const OpRef definer = value.definer();
  return definer.valid() && definer.is(opcode) ? definer : OpRef();
}
inline OpRef defined_by(Value value, std::string_view op) {
  const OpRef definer = value.definer();
  return definer.valid() && definer.name() == op ? definer : OpRef();
}

// The second operand of a two-operand op as a number: a splat, or the attribute `other` where that stands for it.
inline std::optional<double> second_number(OpRef op) {
  if (op.operand_count() == 2) return op.attrs().empty() ? splat_value(op.operand(1)) : std::nullopt;
  if (op.operand_count() != 1) return std::nullopt;
  const AttributePool& attributes = op.module().context().attributes();
  if (attributes.entries(op.attrs()).size() != 1) return std::nullopt;
  const Attribute other = op.attr("other");
  if (const auto real = attributes.as_float(other)) return *real;
  if (const auto flag = attributes.as_bool(other)) return *flag ? 1.0 : 0.0;
  if (const auto integer = attributes.as_int64(other)) return static_cast<double>(*integer);
  return std::nullopt;
}

// A rule that moves attributes or operands would find its own work again.
inline bool mark(OpRef op) {
  if (op.attr("fault.done").valid()) return false;
  op.set_attr("fault.done", op.module().context().attributes().boolean(true));
  return true;
}

inline bool replace_by(OpRef op, FaultRewriter& rewriter, Value value) {
  if (!value.valid() || value.type() != op.result().type()) return false;
  rewriter.replace(value);
  return true;
}

inline Value make(FaultRewriter& rewriter, std::string_view name, std::initializer_list<Value> operands, Type type,
                  AttrDict attrs = {}) {
  return rewriter.create(name, operands, type, attrs);
}

// --- passes. The step makes its change only after a yes of context.may_rewrite(), and answers whether it made one.
template <bool (*Step)(OpRef, PassContext&)>
PassResult run_steps(Module& module, const NoPassOptions&, PassContext& context) {
  bool changed = false;
  walk(module, [&](OpRef op) { changed = Step(op, context) || changed; });
  return PassContext::changed_if(changed);
}

template <bool (*Step)(OpRef, PassContext&)>
constexpr PassDef step_fault(std::string_view name, std::string_view summary) {
  return {.name = name, .summary = summary, .body = pass_body<NoPassOptions, run_steps<Step>>()};
}

inline void replace(OpRef op, Value value) {
  op.result().replace_all_uses_with(value);
  op.erase();
}

inline Value make_before(OpRef op, std::string_view name, std::initializer_list<Value> operands, Type type,
                         AttrDict attrs = {}) {
  Builder builder(op.module(), op.parent());
  builder.set_before(op);
  builder.set_location(op.location());
  return builder.create(name, operands, {type}, attrs).result();
}

}  // namespace mlgc::test

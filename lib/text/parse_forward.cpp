// Values that are used before their definition.
//
// Such a use is an operand that stands for the value until its definition is met, a result of an op of its own that
// stands nowhere. Ops with operands of unknown type get their types when the item of the module ends, in the order in
// which the values are computed. Text in order comes here with nothing to do.
#include <algorithm>

#include "diag/kinds_verify.h"
#include "diag/suggest.h"
#include "ir/topological_order.h"
#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

// No definition has more results.
constexpr std::uint32_t kMaxIndex = 0xFFFF;

std::uint64_t forward_key(NameKey key, std::uint32_t index) {
  return (std::uint64_t{key.numeric} << 63U) | (std::uint64_t{key.id} << 16U) | std::min(index, kMaxIndex);
}

}  // namespace

// A value of that name that was awaited since the region began is the same one.
Value Parser::await(NameKey key, std::uint32_t index, const Token& token) {
  const auto open = awaited_.emplace(forward_key(key, index), kNotAwaited).first;
  if (open->second == kNotAwaited || open->second < region_forward_) {
    const Type unknown[] = {Type()};
    const OpRef stand_in = module_->create(context_.opcode(GraphOp::Module), {}, {}, unknown, location(token));
    forward_.push_back({.key = key, .index = index, .stand_in = stand_in.result(), .outer = open->second});
    open->second = static_cast<std::uint32_t>(forward_.size() - 1);
  }
  early_uses_.push_back({token, open->second, op_begin_});
  return forward_[open->second].stand_in;
}

// Uses in this region, and in those inside of it, that were waiting for this definition. An invalid `first`: it failed.
void Parser::define_awaited(NameKey key, const Token& token, ValueId first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto open = awaited_.find(forward_key(key, i));
    if (open == awaited_.end()) continue;
    while (open->second != kNotAwaited && open->second >= region_forward_) {
      ForwardValue& value = forward_[open->second];
      value.state = first.valid() ? ForwardValue::State::Defined : ForwardValue::State::Failed;
      value.definition = token.begin;
      if (first.valid()) value.defined_by = module_->value(first).definer();
      forward_failed_ = forward_failed_ || !first.valid();
      if (first.valid()) value.stand_in.replace_all_uses_with(module_->value(ValueId(first.index() + i)));
      open->second = value.outer;
    }
    if (open->second == kNotAwaited) awaited_.erase(open);
  }
}

// Of what was awaited since `first` in a region that sees nothing outside of itself, the rest does not exist.
void Parser::report_undefined(std::size_t first) {
  if (first == forward_.size()) return;
  for (std::size_t i = forward_.size(); i-- > first;) {
    ForwardValue& value = forward_[i];
    if (value.state != ForwardValue::State::Open) continue;
    forward_failed_ = true;
    const auto open = awaited_.find(forward_key(value.key, value.index));
    open->second = value.outer;
    if (value.outer == kNotAwaited) awaited_.erase(open);
  }
  std::vector<std::string_view> names;
  for (const EarlyUse& use : early_uses_) {
    if (use.value < first || forward_[use.value].state != ForwardValue::State::Open) continue;
    const ForwardValue& value = forward_[use.value];
    const std::string_view name = lexer_.text(use.token);
    const std::size_t width = use.token.end - use.token.begin;
    const NameScope::Entry* entry = scope_.find(value.key);
    if (entry != nullptr && !entry->first.valid()) continue;
    if (entry != nullptr) {
      error<kNoSuchResult>(use.token, name.substr(0, name.find('#')), entry->count, value.index);
      continue;
    }
    Diagnostic d = diagnose<kUndefinedValue>(location(use.token), name).with_width(width);
    // A search costs the number of names, so it is made only for what will be shown.
    if (!value.key.numeric && !diagnostics_.at_limit()) {
      if (names.empty()) scope_.for_each_name([&](StringId id) { names.push_back(context_.strings().text(id)); });
      if (const auto near = closest_name(name.substr(1), names)) d.add_note<kDidYouMean>({}, "%" + std::string(*near));
    }
    diagnostics_.emit(std::move(d));
  }
  for (std::size_t i = first; i < forward_.size(); ++i)
    if (forward_[i].state == ForwardValue::State::Open) forward_[i].state = ForwardValue::State::Failed;
}

// Types of operands, or of what the regions yield, are not known yet.
bool Parser::is_early(const OpText& op, OpRef made) const {
  if (deferred_.size() > op.first_deferred) return true;
  for (const Value operand : made.operands())
    if (!operand.type().valid()) return true;
  return false;
}

bool Parser::defer_op(OpText& op, OpRef made, std::span<const Type> operand_types) {
  const std::size_t first_name = op.first_name;
  bool ok = true;
  if (op.result_names != 0) {
    const int fixed = op.def->result_count;
    const std::size_t count = op.types_given              ? op.types.size()
                              : fixed != kVariadicResults ? static_cast<std::size_t>(fixed)
                                                          : op.result_names;
    if (count != op.result_names) {
      ok = error<kResultCount>(op.name, op.def->name, count, op.result_names);
    } else {
      made.add_results(op.types_given ? op.types : std::vector<Type>(count));
      ok = define_results(made, first_name);
    }
  }
  forward_failed_ = forward_failed_ || !ok;
  deferred_.push_back({std::move(op), made, {operand_types.begin(), operand_types.end()}, op_begin_});
  return ok;
}

bool Parser::finish_deferred(const DeferredOp& deferred) {
  const auto& [op, made, operand_types, begin] = deferred;
  // Where an operand has none, the reason has been reported.
  for (const Value operand : made.operands())
    if (!operand.type().valid()) return false;
  if (!check_operand_types(op, made, operand_types)) return false;
  std::vector<Type> types;
  if (!check_types(op, made, types) || !check_result_count(op, types)) return false;
  if (op.result_names == 0) made.add_results(types);
  for (std::size_t i = 0; i < op.result_names; ++i) made.result(i).set_type(types[i]);
  return true;
}

void Parser::finish_deferred_ops(OpRef item, const TopologicalOrder& order) {
  std::unordered_map<OpId, const DeferredOp*> by_op;
  for (const DeferredOp& deferred : deferred_) by_op.emplace(deferred.made.id(), &deferred);
  struct Frame {
    OpRef op;
    RegionRef region;
    const std::vector<OpId>* order;
    std::size_t next;
    OpRef at;
  };
  std::vector<Frame> open;
  const auto begin = [&](RegionRef region) {
    return Frame{region.parent_op(), region, order.order_of(region), 0, region.front()};
  };
  open.push_back(begin(item.region()));
  while (!open.empty()) {
    Frame& frame = open.back();
    OpRef op;
    if (frame.order != nullptr) {
      if (frame.next < frame.order->size()) op = module_->op((*frame.order)[frame.next++]);
    } else if (frame.at.valid()) {
      op = frame.at;
      frame.at = op.next();
    }
    if (op.valid() && op.region_count() > 0) {
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments())
          if (const auto initial = untyped_arguments_.find(argument.id()); initial != untyped_arguments_.end())
            argument.set_type(op.operand(initial->second).type());
      open.push_back(begin(op.region()));
      continue;
    }
    if (!op.valid()) {
      if (const RegionRef next = frame.region.next(); next.valid()) {
        frame = begin(next);
        continue;
      }
      op = frame.op;
      open.pop_back();
    }
    if (const auto found = by_op.find(op.id()); found != by_op.end()) finish_deferred(*found->second);
  }
}

// The name that the text gives to a value.
std::string Parser::spelled(Value value) const {
  if (!value.name().empty()) return "%" + std::string(value.name());
  std::string name;
  scope_.for_each([&](NameKey, const NameScope::Entry& entry) {
    if (!entry.first.valid() || value.id().index() < entry.first.index()) return;
    const std::size_t index = value.id().index() - entry.first.index();
    if (index >= entry.count) return;
    Lexer lexer(file_.text(), entry.offset, lexer_.end());
    name = lexer.text(lexer.next());
    if (entry.count > 1) name += "#" + std::to_string(index);
  });
  return name;
}

void Parser::report_early_uses(OpRef item, const TopologicalOrder& order) {
  for (const OrderCycle& cycle : order.cycles())
    diagnostics_.emit(report_cycle(cycle, [this](Value value) { return spelled(value); }));
  // Outside of the items there is no order to look for.
  if (options_.any_order && item != module_->top()) return;
  std::unordered_map<std::uint32_t, OpRef> op_at;  // by where its text begins
  if (!order.cycles().empty())
    for (const DeferredOp& deferred : deferred_) op_at.emplace(deferred.begin, deferred.made);
  // Both ends of the use are in a cycle, which is reported.
  const auto in_cycle = [&](const EarlyUse& use) {
    const auto found = op_at.find(use.op_begin);
    if (found == op_at.end()) return false;
    const OpRef definer = forward_[use.value].defined_by;
    OpRef op = found->second;
    while (op.parent().valid() && op.parent() != definer.parent()) op = op.parent_op();
    return order.in_one_cycle(op, definer);
  };
  for (const EarlyUse& use : early_uses_) {
    const ForwardValue& value = forward_[use.value];
    if (value.state != ForwardValue::State::Defined || in_cycle(use)) continue;
    diagnostics_.emit(diagnose<kUseBeforeDefinition>(location(use.token), lexer_.text(use.token))
                          .with_width(use.token.end - use.token.begin)
                          .with_note<kDefinedHere>(location(value.definition)));
  }
}

// The item's text has ended: every use has its value, or has been reported.
void Parser::finish_item(OpRef item) {
  if (forward_.empty()) return;
  const std::size_t errors = diagnostics_.error_count();
  const TopologicalOrder order(item, TopologicalOrder::Needs::Values);
  report_early_uses(item, order);
  if (!forward_failed_ && diagnostics_.error_count() == errors) finish_deferred_ops(item, order);
  // Other items ask for the types that a function returns.
  if (forward_failed_ || diagnostics_.error_count() > errors)
    for (const DeferredOp& deferred : deferred_)
      if (deferred.made.result_count() == 0 && deferred.made.parent_op() == item) deferred.made.erase();
  for (const ForwardValue& value : forward_)
    if (!value.stand_in.has_uses()) value.stand_in.definer().erase();
  forward_.clear();
  awaited_.clear();
  early_uses_.clear();
  deferred_.clear();
  untyped_arguments_.clear();
  forward_failed_ = false;
}

}  // namespace mlgc::text

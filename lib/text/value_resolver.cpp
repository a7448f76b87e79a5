// See value_resolver.h.
#include "text/value_resolver.h"

#include <algorithm>
#include <charconv>

#include "diag/kinds_verify.h"
#include "diag/suggest.h"

namespace mlgc::text {

namespace {

// No definition has more results.
constexpr std::uint32_t kMaxIndex = 0xFFFF;

std::uint64_t forward_key(NameKey key, std::uint32_t index) {
  return (std::uint64_t{key.numeric} << 63U) | (std::uint64_t{key.id} << 16U) | std::min(index, kMaxIndex);
}

}  // namespace

std::uint32_t ValueResolver::enter(bool isolated) {
  const std::uint32_t outer = region_forward_;
  region_forward_ = static_cast<std::uint32_t>(forward_.size());
  scope_.enter(isolated);
  return outer;
}

void ValueResolver::leave(std::uint32_t outer) {
  scope_.leave();
  region_forward_ = outer;
}

bool ValueResolver::name_key(const Token& token, NameKey& key, std::uint32_t& index) {
  std::string_view name = in_.text(token).substr(1);
  index = 0;
  if (const std::size_t hash = name.find('#'); hash != std::string_view::npos) {
    const std::string_view digits = name.substr(hash + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc())
      return in_.error<kNumberTooLarge>(token, digits, "a result number");
    name = name.substr(0, hash);
  }
  if (name.front() >= '0' && name.front() <= '9') {
    std::uint32_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc())
      return in_.error<kNumberTooLarge>(token, name, "a value number");
    key = {true, number};
  } else {
    key = {false, context_.strings().intern(name).value};
  }
  return true;
}

bool ValueResolver::resolve(const Token& token, Value& out) {
  NameKey key;
  std::uint32_t index = 0;
  if (!name_key(token, key, index)) return false;
  out = Value();
  const NameScope::Entry* entry = scope_.find(key);
  if (entry == nullptr) {
    out = await(key, index, token);
    return true;
  }
  if (!entry->first.valid()) return true;
  if (index >= entry->count) {
    const std::string_view name = in_.text(token);
    return in_.error<kNoSuchResult>(token, name.substr(0, name.find('#')), entry->count, index);
  }
  out = module_.value(ValueId(entry->first.index() + index));
  return true;
}

bool ValueResolver::define(const Token& token, ValueId first, std::uint32_t count) {
  NameKey key;
  std::uint32_t index = 0;
  if (!name_key(token, key, index)) return false;
  if (in_.text(token).find('#') != std::string_view::npos)
    return in_.error<kUnexpectedToken>(token, "a name without `#`", "`" + std::string(in_.text(token)) + "`");
  if (const NameScope::Entry* old = scope_.find(key)) {
    in_.report(diagnose<kRedefinedValue>(in_.location(token), in_.text(token))
                   .with_width(token.end - token.begin)
                   .with_note<kFirstDefinedHere>(in_.location(old->offset)));
    return false;
  }
  scope_.define(key, {first, count, 0, token.begin});
  if (first.valid() && count == 1 && !key.numeric) module_.value(first).set_name(StringId(key.id));
  if (!awaited_.empty()) define_awaited(key, token, first, count);
  return true;
}

void ValueResolver::define_failed(std::size_t first_name) {
  for (std::size_t i = first_name; i < result_names_.size(); ++i)
    define(result_names_[i].token, ValueId(), result_names_[i].count);
}

bool ValueResolver::define_results(OpRef op, std::size_t first_name) {
  std::size_t result = 0;
  bool ok = true;
  for (std::size_t i = first_name; i < result_names_.size(); ++i) {
    const ResultName& name = result_names_[i];
    ok = define(name.token, op.result(result).id(), name.count) && ok;
    result += name.count;
  }
  return ok;
}

std::size_t ValueResolver::count_results(std::size_t first_name) const {
  std::size_t count = 0;
  for (std::size_t i = first_name; i < result_names_.size(); ++i) count += result_names_[i].count;
  return count;
}

bool ValueResolver::parse_result_names() {
  do {
    if (!in_.at(Tok::Value)) return in_.unexpected("a value");
    result_names_.push_back({in_.token(), 1});
    in_.advance();
    if (!in_.take(Tok::Colon)) continue;
    std::uint64_t count = 0;
    if (!in_.at(Tok::Integer)) return in_.unexpected("a number of results");
    if (!in_.parse_magnitude(in_.token(), count)) return false;
    if (count == 0 || count > 65'535) return in_.error<kBadResultCount>(in_.token(), in_.text());
    result_names_.back().count = static_cast<std::uint32_t>(count);
    in_.advance();
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::Equal, "after the results");
}

// A value of that name that was awaited since the region began is the same one.
Value ValueResolver::await(NameKey key, std::uint32_t index, const Token& token) {
  const auto open = awaited_.emplace(forward_key(key, index), kNotAwaited).first;
  if (open->second == kNotAwaited || open->second < region_forward_) {
    const Type unknown[] = {Type()};
    const OpRef stand_in = module_.create(context_.opcode(GraphOp::Module), {}, {}, unknown, in_.location(token));
    forward_.push_back({.key = key, .index = index, .stand_in = stand_in.result(), .outer = open->second});
    open->second = static_cast<std::uint32_t>(forward_.size() - 1);
  }
  early_uses_.push_back({token, open->second, op_begin_});
  return forward_[open->second].stand_in;
}

// Uses in this region, and in those inside of it, that were waiting for this definition. An invalid `first`: it failed.
void ValueResolver::define_awaited(NameKey key, const Token& token, ValueId first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto open = awaited_.find(forward_key(key, i));
    if (open == awaited_.end()) continue;
    while (open->second != kNotAwaited && open->second >= region_forward_) {
      ForwardValue& value = forward_[open->second];
      value.state = first.valid() ? ForwardValue::State::Defined : ForwardValue::State::Failed;
      value.definition = token.begin;
      if (first.valid()) value.defined_by = module_.value(first).definer();
      forward_failed_ = forward_failed_ || !first.valid();
      if (first.valid()) value.stand_in.replace_all_uses_with(module_.value(ValueId(first.index() + i)));
      open->second = value.outer;
    }
    if (open->second == kNotAwaited) awaited_.erase(open);
  }
}

void ValueResolver::report_undefined() {
  const std::size_t first = region_forward_;
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
    const std::string_view name = in_.text(use.token);
    const std::size_t width = use.token.end - use.token.begin;
    const NameScope::Entry* entry = scope_.find(value.key);
    if (entry != nullptr && !entry->first.valid()) continue;
    if (entry != nullptr) {
      in_.error<kNoSuchResult>(use.token, name.substr(0, name.find('#')), entry->count, value.index);
      continue;
    }
    Diagnostic d = diagnose<kUndefinedValue>(in_.location(use.token), name).with_width(width);
    // A search costs the number of names, so it is made only for what will be shown.
    if (!value.key.numeric && !in_.diagnostics().at_limit()) {
      if (names.empty()) scope_.for_each_name([&](StringId id) { names.push_back(context_.strings().text(id)); });
      if (const auto near = closest_name(name.substr(1), names)) d.add_note<kDidYouMean>({}, "%" + std::string(*near));
    }
    in_.report(std::move(d));
  }
  for (std::size_t i = first; i < forward_.size(); ++i)
    if (forward_[i].state == ForwardValue::State::Open) forward_[i].state = ForwardValue::State::Failed;
}

// The name that the text gives to a value.
std::string ValueResolver::spelled(Value value) const {
  if (!value.name().empty()) return "%" + std::string(value.name());
  std::string name;
  scope_.for_each([&](NameKey, const NameScope::Entry& entry) {
    if (!entry.first.valid() || value.id().index() < entry.first.index()) return;
    const std::size_t index = value.id().index() - entry.first.index();
    if (index >= entry.count) return;
    Lexer lexer(in_.all(), entry.offset, in_.end());
    name = lexer.text(lexer.next());
    if (entry.count > 1) name += "#" + std::to_string(index);
  });
  return name;
}

void ValueResolver::report_early_uses(OpRef item, const TopologicalOrder& order,
                                      const std::unordered_map<std::uint32_t, OpRef>& op_at) const {
  for (const OrderCycle& cycle : order.cycles())
    in_.report(report_cycle(cycle, [this](Value value) { return spelled(value); }));
  // Outside of the items there is no order to look for.
  if (any_order_ && item != module_.top()) return;
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
    in_.report(diagnose<kUseBeforeDefinition>(in_.location(use.token), in_.text(use.token))
                   .with_width(use.token.end - use.token.begin)
                   .with_note<kDefinedHere>(in_.location(value.definition)));
  }
}

void ValueResolver::forget_awaited() {
  for (const ForwardValue& value : forward_)
    if (!value.stand_in.has_uses()) value.stand_in.definer().erase();
  forward_.clear();
  awaited_.clear();
  early_uses_.clear();
  forward_failed_ = false;
}

}  // namespace mlgc::text

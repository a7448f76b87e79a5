// Giving out names.
#include "text/names.h"

#include <charconv>
#include <memory>

#include "ir/walk.h"
#include "text/lexer.h"

namespace mlgc::text {

namespace {

// Turns any text into the name of a value: other characters become `_`, and it does not start with a digit.
std::string spellable(std::string_view text) {
  std::string name;
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) name += '_';
  for (const char c : text) name += is_name_character(c) ? c : '_';
  return name;
}

bool is_spellable(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text)
    if (!is_name_character(c)) return false;
  return true;
}

}  // namespace

std::uint32_t ValueNames::own_name(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  made_.push_back(std::make_unique<std::string>(text));
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back(*made_.back());
  by_text_.emplace(*made_.back(), index);
  used_.push_back(false);
  next_suffix_.push_back(1);
  return index;
}

bool ValueNames::take(std::uint32_t name) {
  if (used_[name]) return false;
  used_[name] = true;
  undo_.push_back(name);
  return true;
}

void ValueNames::start_item(OpRef item) {
  next_number_ = 0;
  if (!ahead_) return;
  walk(item, [&](OpRef op) {
    for (const Value result : op.results()) define(result);
    for (const RegionRef region : op.regions())
      for (const Value argument : region.arguments()) define(argument);
  });
}

void ValueNames::define(Value value) {
  const std::size_t index = value.id().index();
  if (ahead_ && index < of_value_.size() && of_value_[index].id != kNone) return;
  if (index >= of_value_.size()) of_value_.resize(std::max(index + 1, of_value_.size() + of_value_.size() / 2));
  const StringId id = value.name_id();
  if (!id.valid()) {
    of_value_[index] = {true, next_number_++};
    return;
  }
  if (id.index() >= of_string_.size()) of_string_.resize(id.index() + 1, kNone);
  std::uint32_t& cached = of_string_[id.index()];
  if (cached == kNone) {
    const std::string_view text = strings_.text(id);
    cached = is_spellable(text) ? own_name(text) : own_name(spellable(text));
  }
  std::uint32_t name = cached;
  while (!take(name)) {
    const std::string base(names_[cached]);
    name = own_name(base + "_" + std::to_string(next_suffix_[cached]));
    if (used_[name]) ++next_suffix_[cached];
  }
  of_value_[index] = {false, name};
}

void ValueNames::append(std::string& out, Value value) const {
  out += '%';
  const std::size_t index = value.id().index();
  const Name name = index < of_value_.size() ? of_value_[index] : Name{};
  if (name.id == kNone) {
    out += '?';
    missed_ = true;
  } else if (name.numeric) {
    char buffer[12];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, name.id).ptr;
    out.append(buffer, end);
  } else {
    out += names_[name.id];
  }
}

}  // namespace mlgc::text

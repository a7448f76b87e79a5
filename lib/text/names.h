// The names that values print with: their own where they have one that is free, else a number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc::text {

// Names are free again when the region ends that they were given in. The same module always gets the same names, and a
// text read back gets the names it was printed with.
class ValueNames {
 public:
  explicit ValueNames(const Module& module) : strings_(module.context().strings()) {}

  void enter() { marks_.push_back({undo_.size(), next_number_}); }
  void leave() {
    const Mark mark = marks_.back();
    marks_.pop_back();
    while (undo_.size() > mark.undo) {
      used_[undo_.back()] = false;
      next_suffix_[undo_.back()] = 1;
      undo_.pop_back();
    }
    next_number_ = mark.number;
  }
  // From here on, values of an item get their names where it starts: for one whose values are used before they are
  // defined.
  void name_ahead() { ahead_ = true; }
  void start_item(OpRef item);
  void define(Value value);
  void append(std::string& out, Value value) const;  // with the %
  // A value was asked for that had no name yet.
  [[nodiscard]] bool missed() const { return missed_; }
  [[nodiscard]] std::string text(Value value) const {
    std::string out;
    append(out, value);
    return out;
  }

 private:
  struct Mark {
    std::size_t undo;
    std::uint32_t number;
  };
  struct Name {
    bool numeric = true;
    std::uint32_t id = kNone;  // the number, or an index of names_
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t own_name(std::string_view text);
  bool take(std::uint32_t name);

  const StringPool& strings_;
  std::vector<Name> of_value_;
  // Names in use, numbered: ids of the string pool first seen, then those made up here.
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<std::string>> made_;
  std::vector<std::uint32_t> of_string_;  // StringId to index of names_
  std::unordered_map<std::string_view, std::uint32_t> by_text_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> next_suffix_;
  std::vector<std::uint32_t> undo_;
  std::vector<Mark> marks_;
  std::uint32_t next_number_ = 0;
  bool ahead_ = false;
  mutable bool missed_ = false;
};

}  // namespace mlgc::text

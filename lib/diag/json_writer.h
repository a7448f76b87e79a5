// Writes JSON text in order, without a tree of values in between.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace mlgc {

// A JSON document whose top is an object. Brackets, commas and quotes are the writer's: members are only written within
// an object, and what opens a bracket is a call that closes it again.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { Compact, Spaced };  // `{"a":1,"b":2}`, `{"a": 1, "b": 2}`
  explicit JsonWriter(Layout layout = Layout::Compact) : spaced_(layout == Layout::Spaced) {}

  // Bytes that are not UTF-8 become U+FFFD.
  void member(std::string_view name, std::string_view text);
  // Not for what converts to bool, as literals of text do.
  void member(std::string_view name, std::same_as<bool> auto value) { number(name, value ? "true" : "false"); }
  void member(std::string_view name, std::integral auto value)
    requires(!std::same_as<decltype(value), bool>)
  {
    number(name, std::to_string(value));
  }
  // A number as it is written.
  void number(std::string_view name, std::string_view digits);

  // `members` writes the members of the object.
  void object(std::string_view name, std::invocable auto&& members) {
    open(name, '{');
    members();
    close('}');
  }
  // An array with an object for each item, whose members `members(item)` writes.
  template <class Items, class Members>
  void objects(std::string_view name, const Items& items, Members&& members) {
    objects_from(name, items, {}, members);
  }
  // Each object but the first starts a line.
  template <class Items, class Members>
  void objects_by_lines(std::string_view name, const Items& items, Members&& members) {
    objects_from(name, items, {.next = 0}, members);
  }
  // Each object starts a line of its own, indented; the bracket after the last one is indented by two less.
  template <class Items, class Members>
  void objects_on_lines(std::string_view name, const Items& items, std::size_t indent, Members&& members) {
    objects_from(name, items, {indent, indent, indent - std::min<std::size_t>(indent, 2)}, members);
  }
  // Integers, or numbers as they are written.
  template <class Items>
  void numbers(std::string_view name, const Items& items) {
    open(name, '[');
    for (const auto& item : items) {
      separate();
      if constexpr (std::integral<std::remove_cvref_t<decltype(item)>>)
        out_ += std::to_string(item);
      else
        out_ += item;
    }
    close(']');
  }
  template <class Items>
  void strings(std::string_view name, const Items& items) {
    open(name, '[');
    for (const std::string_view item : items) string(item);
    close(']');
  }

  // The next member or closing bracket starts a line.
  void new_line(std::size_t indent) { line_ = indent; }

  // Ends the document, and its last line.
  [[nodiscard]] std::string take();

 private:
  // By how much lines are indented that begin with an object or with the bracket after the last one; nothing: they are
  // on the line before.
  struct Indents {
    std::optional<std::size_t> first = {}, next = {}, bracket = {};
  };
  void objects_from(std::string_view name, const auto& items, const Indents& indents, auto& members) {
    open(name, '[');
    bool is_first = true;
    for (const auto& item : items) {
      line_ = is_first ? indents.first : indents.next;
      is_first = false;
      separate();
      out_ += '{';
      members(item);
      close('}');
    }
    if (!is_first) line_ = indents.bracket;
    close(']');
  }
  void separate();
  void key(std::string_view name);
  void open(std::string_view name, char bracket);
  void close(char bracket);
  void string(std::string_view text);

  bool spaced_;
  std::optional<std::size_t> line_;
  std::string out_ = "{";
};

}  // namespace mlgc

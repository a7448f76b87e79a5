// Private to lib/codegen: pieces of C-like source that know what they name, and statements made of them.
//
// Text is made once and never read again. What later decisions need is recorded where the text is made: the variables
// that occur in it (captures of functions, what is overwritten before it is read), whether it needs brackets as an
// operand, the number that it is, and whether it can leave its function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc::codegen {

// A variable of one printed function. The first ones exist in every function.
enum class VariableId : std::uint32_t { Runtime, Failure, Scratch, Memory, FirstOfFunction };

// Variables in ascending order.
using Variables = std::vector<VariableId>;
void add_variables(Variables& to, const Variables& from);

class SourceText {
 public:
  SourceText() = default;
  // Text that names no variable.
  SourceText(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor): text is text
  SourceText(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  explicit SourceText(std::string_view text) : text_(text) {}

  static SourceText number(std::int64_t value);
  static SourceText variable(std::string name, VariableId id);
  static SourceText runtime() { return variable("runtime", VariableId::Runtime); }
  static SourceText failure() { return variable("failure", VariableId::Failure); }
  static SourceText scratch() { return variable("scratch", VariableId::Scratch); }
  static SourceText memory() { return variable("memory", VariableId::Memory); }

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  // The decimal number that is all of it.
  [[nodiscard]] std::optional<std::int64_t> as_number() const { return number_; }
  [[nodiscard]] bool is_number(std::int64_t value) const { return number_ == value; }
  // One identifier or one number without a sign: an operand of any operator.
  [[nodiscard]] bool is_word() const { return form_ == Form::Word || text_.empty(); }
  [[nodiscard]] const Variables& variables() const { return variables_; }
  [[nodiscard]] bool mentions(const SourceText& variable) const { return variable.is_among(variables_); }
  // Of a variable.
  [[nodiscard]] bool is_among(const Variables& variables) const;
  // Of a statement: whether it can return from the function.
  [[nodiscard]] bool can_return() const { return returns_; }

  // In brackets; in brackets unless it is a word; without those that bracketed() put around all of it.
  [[nodiscard]] SourceText bracketed() const;
  [[nodiscard]] SourceText as_operand() const { return is_word() ? *this : bracketed(); }
  [[nodiscard]] SourceText without_brackets() const;
  // The same text, in which these variables occur too; the same statement, which can return.
  [[nodiscard]] SourceText naming(const Variables& variables) const;
  [[nodiscard]] SourceText returning() const;

  SourceText& operator+=(const SourceText& more);
  friend SourceText operator+(SourceText a, const SourceText& b) { return a += b; }
  // Of the text alone. A function has one variable of a name.
  friend bool operator==(const SourceText& a, const SourceText& b) { return a.text_ == b.text_; }
  friend bool operator<(const SourceText& a, const SourceText& b) { return a.text_ < b.text_; }

 private:
  enum class Form : std::uint8_t { Other, Word, Bracketed };
  std::string text_;
  Variables variables_;
  std::optional<std::int64_t> number_;
  Form form_ = Form::Other;
  bool returns_ = false;
};

// The items, separated by `, `.
[[nodiscard]] SourceText comma_separated(const std::vector<SourceText>& items);

}  // namespace mlgc::codegen

// See option_text.h.
#include "pass/option_text.h"

#include <algorithm>

namespace mlgc {

namespace {

// The position after the quote that closes the one at `at`.
std::optional<std::size_t> quote_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::nullopt;
}

std::string unquoted(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    const bool escaped = quoted[i] == '\\';
    if (escaped) ++i;
    text += escaped && quoted[i] == 'n' ? '\n' : quoted[i];
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + "\"";
}

// Whether the text reads back as itself without quotes.
bool stands_alone(std::string_view text) {
  if (text.starts_with('"')) return false;
  const auto end = option_value_end(std::string(text) + "}", 0);
  return end == text.size();
}

}  // namespace

std::optional<std::size_t> option_value_end(std::string_view text, std::size_t at) {
  std::string open;  // what closes the brackets around `at`
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const auto end = quote_end(text, at);
      if (!end) return std::nullopt;
      at = *end - 1;
      continue;
    }
    if (open.empty()) {
      if (is_blank(c) || c == '}') return at;
      const char following = at + 1 < text.size() ? text[at + 1] : ' ';
      if (c == ',' && (is_blank(following) || following == '}')) return at;
    } else if (c == open.back()) {
      open.pop_back();
      continue;
    }
    if (c == '{') open += '}';
    if (c == '[') open += ']';
    if (c == '(') open += ')';
  }
  return open.empty() ? std::optional(at) : std::nullopt;
}

Result<std::string> read_option_text(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  const auto end = quote_end(value, 0);
  if (!end) return Failure{std::string("the quote is not closed")};
  if (end != value.size()) return Failure{"`" + std::string(value.substr(*end)) + "` follows the closing quote"};
  return unquoted(value);
}

Result<std::vector<std::string>> read_option_list(std::string_view value) {
  std::vector<std::string> items;
  while (!value.empty()) {
    std::size_t end = std::min(value.find(','), value.size());
    if (value.starts_with('"')) {
      const auto closed = quote_end(value, 0);
      if (!closed) return Failure{std::string("the quote is not closed")};
      end = std::min(value.find(',', *closed), value.size());
    }
    Result<std::string> item = read_option_text(value.substr(0, end));
    if (!item) return Failure{std::move(item).error()};
    if (end == 0) return Failure{std::string("a list has an empty item")};
    items.push_back(std::move(*item));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return items;
}

std::string option_text(std::string_view text) { return stands_alone(text) ? std::string(text) : in_quotes(text); }

std::string option_list(std::span<const std::string> items) {
  std::string text;
  for (const std::string& item : items) {
    const bool alone = !item.empty() && item.find(',') == std::string::npos && stands_alone(item);
    text += (text.empty() ? "" : ",") + (alone ? item : in_quotes(item));
  }
  return text;
}

}  // namespace mlgc

// See config_file.h.
#include "driver/config_file.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"

namespace mlgc {
namespace {

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// `12`, `-1_000`, `0.5`, `1e-3`: whatever may follow a key without quotes and is no word.
bool is_number(std::string_view word) {
  double number = 0;
  if (word.starts_with('+')) word.remove_prefix(1);
  if (word.empty() || word.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error != std::errc::invalid_argument && end == word.data() + word.size();
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Reader {
 public:
  Reader(const SourceFile& file, const LocationTable& locations, DiagnosticEngine& diagnostics)
      : file_(file), locations_(locations), diagnostics_(diagnostics), text_(file.text()) {}

  ConfigFile read() {
    if (const auto bad = first_invalid_utf8(text_)) {
      wrong(*bad, 1, "this byte is no UTF-8");
      return {};
    }
    while (at_ < text_.size() && !diagnostics_.at_limit()) {
      skip_blanks();
      if (!at_line_end()) {
        const bool read = peek() == '[' ? read_table() : read_entry();
        if (read) skip_blanks();
        if (read && !at_line_end()) wrong(at_, word_width(), "a line holds one flag, and this follows it");
      }
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  // `\r` before it is part of a line's end.
  [[nodiscard]] bool at_line_end() const { return peek() == '\n' || peek() == '#' || text_.substr(at_, 2) == "\r\n"; }
  [[nodiscard]] Location place(std::size_t offset) const { return locations_.position_in(file_, offset); }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  // Within a list lines end freely.
  void skip_lines() {
    for (skip_blanks(); at_ < text_.size() && at_line_end(); skip_blanks())
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
  }
  // Up to what ends a word.
  [[nodiscard]] std::size_t word_width() const {
    return std::min(text_.find_first_of(" \t\r\n#,]=", at_), text_.size()) - at_;
  }
  bool wrong(std::size_t offset, std::size_t width, std::string_view what) {
    diagnostics_.emit(diagnose<kConfigSyntax>(place(offset), what).with_width(width));
    return false;
  }

  // `explain.memory`, `"dim"`; the parts are joined by points.
  bool read_key(std::string& key) {
    while (true) {
      skip_blanks();
      const std::size_t start = at_;
      if (peek() == '"' || peek() == '\'') {
        if (!read_text(key)) return false;
      } else {
        while (is_key_letter(peek())) key += text_[at_++];
        if (at_ == start)
          return wrong(at_, word_width(), "here the name of a flag is expected, without dashes in front of it");
      }
      const std::size_t end = at_;
      skip_blanks();
      if (peek() != '.') {
        at_ = end;
        return true;
      }
      ++at_;
      key += '.';
    }
  }

  bool read_table() {
    const std::size_t bracket = at_++;
    skip_blanks();
    const std::size_t start = at_;
    if (peek() == '[') return wrong(bracket, 2, "a command's flags stand once: `[bench]`, not `[[bench]]`");
    ConfigTable table;
    if (!read_key(table.name)) return false;
    table.at = place(start);
    table.width = at_ - start;
    skip_blanks();
    if (peek() != ']') return wrong(at_, word_width(), "here `]` is expected");
    ++at_;
    if (const auto [first, added] = tables_.try_emplace(table.name, table.at); !added) {
      twice(table.at, table.width, "the table `" + table.name + "` stands twice", first->second);
      return false;
    }
    table_ = table.name;
    out_.tables.push_back(std::move(table));
    return true;
  }

  bool read_entry() {
    const std::size_t start = at_;
    ConfigEntry entry;
    if (!read_key(entry.key)) return false;
    entry.table = table_;
    entry.at = place(start);
    entry.width = at_ - start;
    // `bench.threads = 2` is `threads = 2` in the table `bench`.
    if (const std::size_t point = entry.key.rfind('.'); point != std::string::npos) {
      entry.table += (entry.table.empty() ? "" : ".") + entry.key.substr(0, point);
      entry.key.erase(0, point + 1);
    }
    skip_blanks();
    if (peek() != '=') return wrong(at_, word_width(), "here `=` is expected");
    ++at_;
    skip_blanks();
    entry.is_list = peek() == '[';
    if (!(entry.is_list ? read_list(entry.values) : read_value(entry.values))) return false;
    if (const auto [first, added] = keys_.try_emplace(entry.table + "." + entry.key, entry.at); !added) {
      twice(entry.at, entry.width, "`" + entry.key + "` is set twice", first->second);
      return false;
    }
    out_.entries.push_back(std::move(entry));
    return true;
  }

  void twice(Location at, std::size_t width, const std::string& what, Location first) {
    diagnostics_.emit(diagnose<kConfigSyntax>(at, what).with_width(width).with_note<kFirstDefinedHere>(first));
  }

  bool read_list(std::vector<ConfigValue>& values) {
    const std::size_t bracket = at_++;
    for (skip_lines(); peek() != ']'; skip_lines()) {
      if (at_ >= text_.size()) return wrong(bracket, 1, "this list has no end");
      if (!read_value(values)) return false;
      skip_lines();
      if (peek() == ',')
        ++at_;
      else if (peek() != ']')
        return wrong(at_, word_width(), "here `,` or `]` is expected");
    }
    ++at_;
    return true;
  }

  bool read_value(std::vector<ConfigValue>& values) {
    ConfigValue value;
    const std::size_t start = at_;
    value.at = place(start);
    if (peek() == '"' || peek() == '\'') {
      if (!read_text(value.text)) return false;
    } else {
      const std::string_view word = text_.substr(at_, word_width());
      if (word.empty()) return wrong(at_, 1, "here a value is expected");
      value.text = word;
      std::erase(value.text, '_');
      value.kind = ConfigValue::Kind::Number;
      if (word == "true" || word == "false")
        value.kind = ConfigValue::Kind::Boolean;
      else if (!is_number(value.text))
        return wrong(at_, word.size(), "`" + std::string(word) + "` is not a number; write a text in quotes");
      at_ += word.size();
    }
    value.width = at_ - start;
    values.push_back(std::move(value));
    return true;
  }

  // `"a\tb"`, or `'a\b'` where nothing is escaped.
  bool read_text(std::string& out) {
    const std::size_t start = at_;
    const char quote = text_[at_++];
    if (text_.substr(start, 3) == std::string(3, quote))
      return wrong(start, 3, "a text stands in one line, between single or double quotes");
    while (peek() != quote) {
      if (peek() == '\n') return wrong(start, 1, "this text has no end on its line");
      if (text_[at_] == '\\' && quote == '"') {
        if (!read_escape(out)) return false;
      } else {
        out += text_[at_++];
      }
    }
    ++at_;
    return true;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\bfnrt", kMeant = "\"\\\b\f\n\r\t";
    const std::size_t start = at_++;
    const char letter = peek();
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      out += kMeant[known];
      ++at_;
      return true;
    }
    const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    const std::string_view hex = text_.substr(std::min(at_ + 1, text_.size()), digits);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    const bool whole = digits > 0 && hex.size() == digits && end == hex.data() + digits && error == std::errc();
    if (!whole || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return wrong(start, 2, R"(after `\` stands one of ", \, b, f, n, r, t, or u and the digits of a character)");
    append_utf8(out, code);
    at_ += 1 + digits;
    return true;
  }

  const SourceFile& file_;
  const LocationTable& locations_;
  DiagnosticEngine& diagnostics_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string table_;
  std::map<std::string, Location> tables_, keys_;
  ConfigFile out_;
};

}  // namespace

ConfigFile read_config(const SourceFile& file, const LocationTable& locations, DiagnosticEngine& diagnostics) {
  return Reader(file, locations, diagnostics).read();
}

std::string config_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7F)
      out += std::string("\\u00") + kHex[byte >> 4] + kHex[byte & 15U];
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace mlgc

// See located_json.h.
#include "diag/located_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "diag/kinds_text.h"

namespace mlgc {

namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  Parser(const SourceFile& file, DiagnosticEngine& diagnostics)
      : file_(file), text_(file.text()), diagnostics_(diagnostics) {}

  std::optional<JsonNode> run() {
    JsonNode root;
    if (!value(root, 0)) return std::nullopt;
    skip_space();
    if (at_ != text_.size()) {
      fail("the end of the file");
      return std::nullopt;
    }
    return root;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool fail(std::string_view expected) {
    const Location at = diagnostics_.locations().position_in(file_, at_);
    std::string found = at_ < text_.size() ? "`" + std::string(1, text_[at_]) + "`" : "the end of the file";
    if (at_ < text_.size() && (text_[at_] < ' ' || text_[at_] > '~')) found = "another character";
    diagnostics_.emit(diagnose<kJsonSyntax>(at, expected, found));
    return false;
  }

  bool value(JsonNode& out, int depth) {
    skip_space();
    out.begin = at_;
    if (depth == kMaxDepth) return fail("less than 64 levels of nesting");
    const char c = peek();
    bool ok = true;
    if (c == '{')
      ok = object(out.value.emplace<JsonObject>(), depth);
    else if (c == '[')
      ok = array(out.value.emplace<JsonArray>(), depth);
    else if (c == '"')
      ok = string(out.value.emplace<std::string>());
    else if (c == '-' || (c >= '0' && c <= '9'))
      ok = number(out);
    else if (word("true"))
      out.value = true;
    else if (word("false"))
      out.value = false;
    else if (!word("null"))
      return fail("a value");
    out.end = at_;
    return ok;
  }

  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool object(JsonObject& out, int depth) {
    ++at_;
    skip_space();
    if (word("}")) return true;
    while (true) {
      skip_space();
      JsonMember member;
      member.begin = at_;
      if (peek() != '"') return fail("a name in double quotes");
      if (!string(member.name)) return false;
      member.end = at_;
      if (std::any_of(out.begin(), out.end(), [&](const JsonMember& other) { return other.name == member.name; })) {
        at_ = member.begin;
        return fail("a name that this object does not have yet");
      }
      skip_space();
      if (!word(":")) return fail("`:`");
      if (!value(member.node, depth + 1)) return false;
      out.push_back(std::move(member));
      skip_space();
      if (word("}")) return true;
      if (!word(",")) return fail("`,` or `}`");
    }
  }

  bool array(JsonArray& out, int depth) {
    ++at_;
    skip_space();
    if (word("]")) return true;
    while (true) {
      if (!value(out.emplace_back(), depth + 1)) return false;
      skip_space();
      if (word("]")) return true;
      if (!word(",")) return fail("`,` or `]`");
    }
  }

  bool string(std::string& out) {
    ++at_;
    while (true) {
      const char c = peek();
      if (at_ == text_.size() || (c >= 0 && c < ' ')) return fail("`\"`");
      ++at_;
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      if (const std::size_t i = kEscapes.find(peek()); i != std::string_view::npos && at_ < text_.size()) {
        out += kMeanings[i];
        ++at_;
      } else if (!word("u")) {
        return fail("an escape of JSON");
      } else if (!code_point(out)) {
        return false;
      }
    }
  }

  std::optional<std::uint32_t> four_digits() {
    std::uint32_t unit = 0;
    if (text_.size() - at_ < 4) return std::nullopt;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, first + 4, unit, 16);
    if (error != std::errc() || end != first + 4) return std::nullopt;
    at_ += 4;
    return unit;
  }

  // After `\u`; two of them where the first is half of a pair.
  bool code_point(std::string& out) {
    auto code = four_digits();
    if (!code) return fail("four hexadecimal digits");
    if (*code >= 0xD800 && *code < 0xE000) {
      const auto low = *code < 0xDC00 && word("\\u") ? four_digits() : std::nullopt;
      if (!low || *low < 0xDC00 || *low >= 0xE000) return fail("the other half of a pair `\\uD800\\uDC00`");
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
    if (*code < 0x80) {
      byte(*code);
    } else if (*code < 0x800) {
      byte(0xC0 | *code >> 6);
      byte(0x80 | (*code & 0x3F));
    } else if (*code < 0x10000) {
      byte(0xE0 | *code >> 12);
      byte(0x80 | (*code >> 6 & 0x3F));
      byte(0x80 | (*code & 0x3F));
    } else {
      byte(0xF0 | *code >> 18);
      byte(0x80 | (*code >> 12 & 0x3F));
      byte(0x80 | (*code >> 6 & 0x3F));
      byte(0x80 | (*code & 0x3F));
    }
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin || fail("a digit");
  }

  bool number(JsonNode& out) {
    const std::size_t begin = at_;
    word("-");
    bool whole = true;
    if (!word("0") && !digits()) return false;
    if (word(".")) {
      whole = false;
      if (!digits()) return false;
    }
    if (word("e") || word("E")) {
      whole = false;
      if (!word("+")) word("-");
      if (!digits()) return false;
    }
    const char* first = text_.data() + begin;
    const char* last = text_.data() + at_;
    std::int64_t integer = 0;
    if (whole && std::from_chars(first, last, integer).ec == std::errc()) {
      out.value = integer;
      return true;
    }
    double real = 0;
    if (whole || std::from_chars(first, last, real).ec != std::errc()) {
      at_ = begin;
      return fail("a number of 64 bits");
    }
    out.value = real;
    return true;
  }

  const SourceFile& file_;
  std::string_view text_;
  DiagnosticEngine& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  const JsonObject* object = as<JsonObject>();
  if (object == nullptr) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(), [&](const JsonMember& m) { return m.name == name; });
  return found == object->end() ? nullptr : &found->node;
}

std::string_view json_kind(const JsonNode& node) {
  constexpr std::string_view kNames[] = {"null",     "true or false", "an integer", "a number",
                                         "a string", "an array",      "an object"};
  return kNames[node.value.index()];
}

std::optional<JsonNode> parse_located_json(const SourceFile& file, DiagnosticEngine& diagnostics) {
  return Parser(file, diagnostics).run();
}

}  // namespace mlgc

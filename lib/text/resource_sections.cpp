// See resource_sections.h.
#include "text/resource_sections.h"

#include <bit>

namespace mlgc::text {

namespace {

constexpr std::size_t kAlignmentBytes = 4;  // of a blob: the first four say how it is aligned

std::uint8_t digit(char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

}  // namespace

template <class ParseEntry>
bool ResourceSections::parse_metadata_map(const ParseEntry& parse_entry) {
  if (!in_.expect(Tok::LBrace, "in a metadata section")) return false;
  while (!in_.at(Tok::RBrace)) {
    const Token token = in_.token();
    if (!in_.at(Tok::Name)) return in_.unexpected("a key or `}`");
    const std::string key(in_.text());
    in_.advance();
    if (!in_.expect(Tok::Colon, "after a key") || !parse_entry(token, key)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  return in_.expect(Tok::RBrace, "in a metadata section");
}

// A value of a section: a string, a number or a boolean.
bool ResourceSections::parse_metadata_value() {
  if (!in_.at(Tok::String) && !in_.at(Tok::Integer) && !in_.at_word("true") && !in_.at_word("false"))
    return in_.unexpected("a string, a number, `true` or `false`");
  in_.advance();
  return true;
}

// The current token is `{-#`.
bool ResourceSections::parse_metadata_section() {
  in_.advance();
  while (!in_.at(Tok::MetadataEnd)) {
    const Token kind = in_.token();
    const bool dialects = in_.at_word("dialect_resources");
    if (!dialects && !in_.at_word("external_resources"))
      return in_.at(Tok::Name)
                 ? in_.error<kUnknownKey>(in_.token(), in_.text(), "dialect_resources, external_resources")
                 : in_.unexpected("`dialect_resources`, `external_resources` or `#-}`");
    in_.advance();
    if (!in_.expect(Tok::Colon, "after the name of a metadata section")) return false;
    const auto group = [&](const Token& owner, const std::string& name) {
      const bool kept = dialects && name == "builtin";
      if (!kept) in_.error<kResourcesDropped>(owner, in_.text(kind), name);
      return parse_metadata_map([&](const Token& token, const std::string& key) {
        const Token value = in_.token();
        if (!parse_metadata_value()) return false;
        if (kept && !values_.emplace(key, value).second) return in_.error<kBadResource>(token, key, "is defined twice");
        return true;
      });
    };
    if (!parse_metadata_map(group)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  return in_.expect(Tok::MetadataEnd, "after a metadata section");
}

// Reads every section of the text, once.
void ResourceSections::find_resources() {
  if (found_) return;
  found_ = true;
  Lexer lexer = in_.from_begin();
  for (Token token = lexer.next(); token.kind != Tok::End; token = lexer.next()) {
    if (token.kind != Tok::MetadataBegin) continue;
    std::size_t end = 0;
    in_.parse_at(token.begin, [&] {
      bool closed = parse_metadata_section();
      while (!closed && !in_.at(Tok::End)) {
        closed = in_.at(Tok::MetadataEnd);
        in_.advance();
      }
      end = in_.token().begin;
      return true;
    });
    if (in_.gave_up()) return;
    section_ends_.emplace(token.begin, end);
    lexer.seek(end);
  }
}

// A section at the top level: jumps over what find_resources() reads.
void ResourceSections::skip_metadata_section() {
  const std::size_t begin = in_.token().begin;
  find_resources();
  if (in_.gave_up()) return;
  if (const auto end = section_ends_.find(begin); end != section_ends_.end()) in_.characters().seek(end->second);
  in_.advance();
}

// The bytes that a key stands for; `use` is the key where it is used.
bool ResourceSections::resource_bytes(const Token& use, const std::string& key, std::vector<std::byte>& bytes) {
  const auto found = values_.find(key);
  if (found == values_.end()) return in_.error<kUndefinedResource>(use, key);
  const Token value = found->second;
  const std::string_view spelling = in_.text(value);
  const std::string_view digits = spelling.starts_with('"') ? spelling.substr(1, spelling.size() - 2) : spelling;
  if (!spelling.starts_with('"') || !digits.starts_with("0x") || digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string_view::npos)
    return in_.error<kBadResource>(value, key, "is not a string of `0x` and pairs of hexadecimal digits");
  const std::size_t size = digits.size() / 2 - 1;
  if (size == 0) return true;  // MLIR's form of no bytes
  if (size < kAlignmentBytes) return in_.error<kBadResource>(value, key, "has no alignment in its first four bytes");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::byte>(digit(digits[2 + 2 * i]) << 4 | digit(digits[3 + 2 * i]));
  };
  std::uint32_t alignment = 0;
  for (std::size_t i = 0; i < kAlignmentBytes; ++i) alignment |= std::to_integer<std::uint32_t>(byte(i)) << (8 * i);
  if (!std::has_single_bit(alignment))
    return in_.error<kBadResource>(value, key, "has an alignment that is no power of two");
  bytes.reserve(size - kAlignmentBytes);
  for (std::size_t i = kAlignmentBytes; i < size; ++i) bytes.push_back(byte(i));
  return true;
}

bool ResourceSections::parse_resource_handle(Token& use, std::string& key) {
  if (!in_.expect(Tok::Less, "after `dense_resource`")) return false;
  use = in_.token();
  if (!in_.at(Tok::Name)) return in_.unexpected("the key of a resource");
  key = in_.text();
  in_.advance();
  if (!in_.expect_greater("after a key") || !in_.expect(Tok::Colon, "before the type of a constant")) return false;
  find_resources();
  return !in_.gave_up();
}

}  // namespace mlgc::text

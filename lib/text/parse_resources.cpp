// `{-# dialect_resources: { builtin: { key: "0x…" } } #-}`: bytes that `dense_resource<key> : tensor<…>` stands for. A
// use stands before the section that defines its key, so sections are looked for when the first key is met. What is
// read becomes a constant like any other; no section is printed.
#include <bit>

#include "text/parser_impl.h"

namespace mlgc::text {

using Kind = MlirType::Kind;

namespace {

constexpr std::size_t kAlignmentBytes = 4;  // of a blob: the first four say how it is aligned

std::uint8_t digit(char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

}  // namespace

// `{ key: entry, … }`, where `parse_entry` reads what follows the colon.
template <class ParseEntry>
bool Parser::parse_metadata_map(const ParseEntry& parse_entry) {
  if (!expect(Tok::LBrace, "in a metadata section")) return false;
  while (!at(Tok::RBrace)) {
    const Token token = tok_;
    if (!at(Tok::Name)) return unexpected("a key or `}`");
    const std::string key(text());
    advance();
    if (!expect(Tok::Colon, "after a key") || !parse_entry(token, key)) return false;
    if (!take(Tok::Comma)) break;
  }
  return expect(Tok::RBrace, "in a metadata section");
}

// A value of a section: a string, a number or a boolean.
bool Parser::parse_metadata_value() {
  if (!at(Tok::String) && !at(Tok::Integer) && !at_word("true") && !at_word("false"))
    return unexpected("a string, a number, `true` or `false`");
  advance();
  return true;
}

// The current token is `{-#`.
bool Parser::parse_metadata_section() {
  advance();
  while (!at(Tok::MetadataEnd)) {
    const Token kind = tok_;
    const bool dialects = at_word("dialect_resources");
    if (!dialects && !at_word("external_resources"))
      return at(Tok::Name) ? error<kUnknownKey>(tok_, text(), "dialect_resources, external_resources")
                           : unexpected("`dialect_resources`, `external_resources` or `#-}`");
    advance();
    if (!expect(Tok::Colon, "after the name of a metadata section")) return false;
    const auto group = [&](const Token& owner, const std::string& name) {
      const bool kept = dialects && name == "builtin";
      if (!kept) error<kResourcesDropped>(owner, lexer_.text(kind), name);
      return parse_metadata_map([&](const Token& token, const std::string& key) {
        const Token value = tok_;
        if (!parse_metadata_value()) return false;
        if (kept && !resources_.emplace(key, value).second) return error<kBadResource>(token, key, "is defined twice");
        return true;
      });
    };
    if (!parse_metadata_map(group)) return false;
    if (!take(Tok::Comma)) break;
  }
  return expect(Tok::MetadataEnd, "after a metadata section");
}

// Reads every section of the text, once.
void Parser::find_resources() {
  if (resources_found_) return;
  resources_found_ = true;
  Lexer lexer(file_.text(), options_.begin, std::min(options_.end, file_.text().size()));
  for (Token token = lexer.next(); token.kind != Tok::End; token = lexer.next()) {
    if (token.kind != Tok::MetadataBegin) continue;
    std::size_t end = 0;
    parse_at(token.begin, [&] {
      bool closed = parse_metadata_section();
      while (!closed && !at(Tok::End)) {
        closed = at(Tok::MetadataEnd);
        advance();
      }
      end = tok_.begin;
      return true;
    });
    if (gave_up_) return;
    section_ends_.emplace(token.begin, end);
    lexer.seek(end);
  }
}

// A section at the top level: jumps over what find_resources() reads.
void Parser::skip_metadata_section() {
  const std::size_t begin = tok_.begin;
  find_resources();
  if (gave_up_) return;
  if (const auto end = section_ends_.find(begin); end != section_ends_.end()) lexer_.seek(end->second);
  advance();
}

// The bytes that a key stands for; `use` is the key where it is used.
bool Parser::resource_bytes(const Token& use, const std::string& key, std::vector<std::byte>& bytes) {
  const auto found = resources_.find(key);
  if (found == resources_.end()) return error<kUndefinedResource>(use, key);
  const Token value = found->second;
  const std::string_view spelling = lexer_.text(value);
  const std::string_view digits = spelling.starts_with('"') ? spelling.substr(1, spelling.size() - 2) : spelling;
  if (!spelling.starts_with('"') || !digits.starts_with("0x") || digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string_view::npos)
    return error<kBadResource>(value, key, "is not a string of `0x` and pairs of hexadecimal digits");
  const std::size_t size = digits.size() / 2 - 1;
  if (size == 0) return true;  // MLIR's spelling of no bytes
  if (size < kAlignmentBytes) return error<kBadResource>(value, key, "has no alignment in its first four bytes");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::byte>(digit(digits[2 + 2 * i]) << 4 | digit(digits[3 + 2 * i]));
  };
  std::uint32_t alignment = 0;
  for (std::size_t i = 0; i < kAlignmentBytes; ++i) alignment |= std::to_integer<std::uint32_t>(byte(i)) << (8 * i);
  if (!std::has_single_bit(alignment))
    return error<kBadResource>(value, key, "has an alignment that is no power of two");
  bytes.reserve(size - kAlignmentBytes);
  for (std::size_t i = kAlignmentBytes; i < size; ++i) bytes.push_back(byte(i));
  return true;
}

// `<key>`: false when nothing defines it in the text, which is no error here.
bool Parser::parse_resource_handle(Token& use, std::string& key) {
  if (!expect(Tok::Less, "after `dense_resource`")) return false;
  use = tok_;
  if (!at(Tok::Name)) return unexpected("the key of a resource");
  key = text();
  advance();
  if (!expect_greater("after a key") || !expect(Tok::Colon, "before the type of a constant")) return false;
  find_resources();
  return !gave_up_;
}

// `dense_resource<key> : tensor<…>` as the constant that it is; the current token is the word.
bool Parser::parse_dense_resource(Attribute& out) {
  advance();
  Token use;
  std::string key;
  if (!parse_resource_handle(use, key)) return false;
  const Token word = tok_;
  Type type;
  if (!parse_type(type)) return false;
  const TypePool& types = context_.types();
  if (!type.valid() || !types.is_tensor(type) || !types.is_static(type)) return error<kConstantType>(word);
  const Dtype dtype = types.dtype(type);
  if (!check_real(word, "constant", dtype)) return false;
  std::vector<std::byte> bytes;
  if (!resource_bytes(use, key, bytes)) return false;
  const auto count = types.element_count(type);
  const std::size_t width = dtype_info(dtype).bytes;
  if (!count || bytes.size() % width != 0 || bytes.size() / width != static_cast<std::uint64_t>(*count))
    return error<kElementCount>(use, bytes.size() / width, count ? *count : -1);
  if (dtype == Dtype::I1)
    for (std::byte& each : bytes) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
  out = context_.attributes().tensor(type, std::span<const std::byte>(bytes));
  return true;
}

// The same among MLIR's attributes, as `dense<"0x…">`. A key that the text does not define is another's to know.
bool Parser::mlir_dense_resource(std::string& out) {
  Token use;
  std::string key;
  if (!parse_resource_handle(use, key)) return false;
  MlirType type;
  std::string type_text;
  const Token word = tok_;
  if (!mlir_type(type_text, type)) return false;
  if (!resources_.contains(key)) {
    out += "dense_resource<" + key + "> : " + type_text;
    return true;
  }
  const bool shaped = type.kind == Kind::Tensor || type.kind == Kind::Vector || type.kind == Kind::Memref;
  if (!shaped || !type.is_static) return error<kConstantType>(word);
  const MlirType& element = *type.element;
  const MlirType& part = element.kind == Kind::Complex ? *element.element : element;
  if (part.kind != Kind::Integer && part.kind != Kind::Float && part.kind != Kind::Index)
    return error<kConstantType>(word);
  std::vector<std::byte> bytes;
  if (!resource_bytes(use, key, bytes)) return false;
  const std::uint64_t bits = part.kind == Kind::Index ? 64 : part.bits;
  const std::uint64_t width = std::max<std::uint64_t>((bits + 7) / 8, 1) * (element.kind == Kind::Complex ? 2 : 1);
  const std::uint64_t count = element_count(type);
  if (bytes.size() % width != 0 || bytes.size() / width != count)
    return error<kElementCount>(use, bytes.size() / width, count);
  if (bits == 1 && element.kind != Kind::Complex) {  // `dense` packs what a blob has a byte for
    std::vector<std::byte> packed((bytes.size() + 7) / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != std::byte{0}) packed[i / 8] |= std::byte{1} << (i % 8);
    bytes = std::move(packed);
  }
  ++alias_uses_;  // what is appended is not what the text has here
  out += "dense<";
  if (!bytes.empty()) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += "\"0x";
    for (const std::byte each : bytes) {
      out += kDigits[std::to_integer<unsigned>(each) >> 4];
      out += kDigits[std::to_integer<unsigned>(each) & 15U];
    }
    out += '"';
  }
  out += "> : " + type_text;
  return true;
}

}  // namespace mlgc::text

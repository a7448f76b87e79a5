// `loc("f":1:2)`, names, fused lists, call sites, and their metadata: what importers note, and any attribute of MLIR.
#include <array>
#include <utility>

#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

constexpr std::array<std::string_view, 4> kOriginKeys{"module", "node", "opcode", "target"};

}  // namespace

// The metadata at hand is what importers note: a dictionary of those keys alone, once each, with strings.
bool Parser::at_origin() const {
  if (!at(Tok::LBrace)) return false;
  Lexer ahead = lexer_;
  Token token = ahead.next();
  std::array<bool, kOriginKeys.size()> seen{};
  while (token.kind != Tok::RBrace) {
    const auto key = std::find(kOriginKeys.begin(), kOriginKeys.end(), ahead.text(token));
    if (token.kind != Tok::Name || key == kOriginKeys.end()) return false;
    if (std::exchange(seen[static_cast<std::size_t>(key - kOriginKeys.begin())], true)) return false;
    if (ahead.next().kind != Tok::Equal || ahead.next().kind != Tok::String) return false;
    token = ahead.next();
    if (token.kind != Tok::Comma) break;
    token = ahead.next();
    if (token.kind == Tok::RBrace) return false;
  }
  return token.kind == Tok::RBrace && ahead.next().kind == Tok::Greater;
}

// `fields` are in the order of kOriginKeys.
bool Parser::parse_origin(std::span<std::string> fields) {
  advance();
  while (!take(Tok::RBrace)) {
    const auto key = std::find(kOriginKeys.begin(), kOriginKeys.end(), text());
    advance();
    advance();
    if (!parse_string(fields[static_cast<std::size_t>(key - kOriginKeys.begin())])) return false;
    take(Tok::Comma);
  }
  return true;
}

bool Parser::parse_location(Location& out) {
  advance();
  if (!expect(Tok::LParen, "after `loc`")) return false;
  out = Location();
  return parse_location_inner(out) && expect(Tok::RParen, "after a location");
}

bool Parser::parse_location_inner(Location& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  LocationTable& table = context_.locations();
  if (at(Tok::String)) {
    std::string name;
    if (!parse_string(name)) return false;
    if (take(Tok::Colon)) {
      std::uint64_t numbers[2] = {0, 0};
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && !expect(Tok::Colon, "between line and column")) return false;
        if (!at(Tok::Integer)) return unexpected(i == 0 ? "a line" : "a column");
        if (!parse_magnitude(tok_, numbers[i])) return false;
        if (numbers[i] > 0xFFFFFFFF) return error<kNumberTooLarge>(tok_, text(), "a line or column");
        advance();
      }
      out = table.position(name, static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]));
      return true;
    }
    Location child;
    if (take(Tok::LParen) && (!parse_location_inner(child) || !expect(Tok::RParen, "after a location"))) return false;
    out = table.named(name, child);
    return true;
  }
  if (at(Tok::Hash)) {
    const Token mark = tok_;
    advance();
    if (!at(Tok::Name)) return unexpected("the name of an alias");
    const Token word{Tok::Name, mark.begin, tok_.end};
    advance();
    Alias* alias = find_alias(word);
    if (alias == nullptr || !use_alias(word, *alias)) return false;
    if (!alias->is_location) return error<kUnexpectedToken>(word, "a location", "another attribute");
    out = alias->location;
    return true;
  }
  if (take_word("unknown")) return true;
  if (take_word("callsite")) {
    Location callee, caller;
    if (!expect(Tok::LParen, "after `callsite`") || !parse_location_inner(callee)) return false;
    if (!take_word("at")) return unexpected("`at`");
    if (!parse_location_inner(caller) || !expect(Tok::RParen, "after the caller")) return false;
    out = table.call_site(callee, caller);
    return true;
  }
  if (!at_word("fused")) return unexpected("a location");
  advance();
  std::array<std::string, kOriginKeys.size()> fields;
  bool is_origin = false;
  std::string metadata;
  if (take(Tok::Less)) {
    is_origin = at_origin();
    if (!(is_origin ? parse_origin(fields) : mlir_text(metadata)) || !expect_greater("before a fused list"))
      return false;
  }
  if (!expect(Tok::LBracket, "before a fused list")) return false;
  std::vector<Location> parts;
  if (!at(Tok::RBracket)) {
    do {
      Location part;
      if (!parse_location_inner(part)) return false;
      // The table cuts long lists; there is no need to collect more than it keeps.
      if (parts.size() < 4 * kMaxFused) parts.push_back(part);
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RBracket, "after a fused list")) return false;
  const Location child = table.fused(parts);
  out = is_origin          ? table.origin({fields[0], fields[2], fields[3], fields[1]}, child)
        : metadata.empty() ? child
                           : table.annotated(metadata, child);
  return true;
}

}  // namespace mlgc::text

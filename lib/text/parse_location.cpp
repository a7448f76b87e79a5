// `loc("f":1:2)`, names, fused lists, call sites, and what importers note (as the metadata of a fused location).
#include "text/parser_impl.h"

namespace mlgc::text {

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
  std::string fields[4];  // module, node, opcode, target
  bool is_origin = false;
  if (take(Tok::Less) && !at(Tok::LBrace)) {  // metadata of another compiler, which has no place here
    std::string ignored;
    if (!mlir_text(ignored) || !expect_greater("before a fused list")) return false;
  } else if (take(Tok::LBrace)) {
    is_origin = true;
    constexpr std::string_view kKeys[] = {"module", "node", "opcode", "target"};
    while (!at(Tok::RBrace)) {
      if (!at(Tok::Name)) return unexpected("a key or `}`");
      std::string* field = nullptr;
      for (std::size_t i = 0; i < 4; ++i)
        if (text() == kKeys[i]) field = &fields[i];
      if (field == nullptr) return error<kUnknownKey>(tok_, text(), "module, node, opcode, target");
      advance();
      if (!expect(Tok::Equal, "after a key") || !parse_string(*field)) return false;
      if (!take(Tok::Comma)) break;
    }
    if (!expect(Tok::RBrace, "after what is known of an origin") || !expect_greater("before a fused list"))
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
  out = is_origin ? table.origin({fields[0], fields[2], fields[3], fields[1]}, child) : child;
  return true;
}

}  // namespace mlgc::text

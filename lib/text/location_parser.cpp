// See location_parser.h.
#include "text/location_parser.h"

#include <array>
#include <utility>

#include "text/mlir_attribute_parser.h"

namespace mlgc::text {

namespace {

constexpr std::array<std::string_view, 4> kOriginKeys{"module", "node", "opcode", "target"};

}  // namespace

// The metadata at hand is what importers note: a dictionary of those keys alone, once each, with strings.
bool LocationParser::at_origin() const {
  if (!in_.at(Tok::LBrace)) return false;
  Lexer ahead = in_.ahead();
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
bool LocationParser::parse_origin(std::span<std::string> fields) {
  in_.advance();
  while (!in_.take(Tok::RBrace)) {
    const auto key = std::find(kOriginKeys.begin(), kOriginKeys.end(), in_.text());
    in_.advance();
    in_.advance();
    if (!in_.parse_string(fields[static_cast<std::size_t>(key - kOriginKeys.begin())])) return false;
    in_.take(Tok::Comma);
  }
  return true;
}

bool LocationParser::parse_location(Location& out) {
  in_.advance();
  if (!in_.expect(Tok::LParen, "after `loc`")) return false;
  out = Location();
  return parse_location_inner(out) && in_.expect(Tok::RParen, "after a location");
}

bool LocationParser::parse_location_inner(Location& out) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  LocationTable& table = context_.locations();
  if (in_.at(Tok::String)) {
    std::string name;
    if (!in_.parse_string(name)) return false;
    if (in_.take(Tok::Colon)) {
      std::uint64_t numbers[2] = {0, 0};
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && !in_.expect(Tok::Colon, "between line and column")) return false;
        if (!in_.at(Tok::Integer)) return in_.unexpected(i == 0 ? "a line" : "a column");
        if (!in_.parse_magnitude(in_.token(), numbers[i])) return false;
        if (numbers[i] > 0xFFFFFFFF) return in_.error<kNumberTooLarge>(in_.token(), in_.text(), "a line or column");
        in_.advance();
      }
      out = table.position(name, static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]));
      return true;
    }
    Location child;
    if (in_.take(Tok::LParen) && (!parse_location_inner(child) || !in_.expect(Tok::RParen, "after a location")))
      return false;
    out = table.named(name, child);
    return true;
  }
  if (in_.at(Tok::Hash)) {
    const Alias* alias = aliases_.use_location();
    if (alias == nullptr) return false;
    out = alias->location;
    return true;
  }
  if (in_.take_word("unknown")) return true;
  if (in_.take_word("callsite")) {
    Location callee, caller;
    if (!in_.expect(Tok::LParen, "after `callsite`") || !parse_location_inner(callee)) return false;
    if (!in_.take_word("at")) return in_.unexpected("`at`");
    if (!parse_location_inner(caller) || !in_.expect(Tok::RParen, "after the caller")) return false;
    out = table.call_site(callee, caller);
    return true;
  }
  if (!in_.at_word("fused")) return in_.unexpected("a location");
  in_.advance();
  std::array<std::string, kOriginKeys.size()> fields;
  bool is_origin = false;
  std::string metadata;
  if (in_.take(Tok::Less)) {
    is_origin = at_origin();
    if (!(is_origin ? parse_origin(fields) : mlir_.mlir_text(metadata)) || !in_.expect_greater("before a fused list"))
      return false;
  }
  if (!in_.expect(Tok::LBracket, "before a fused list")) return false;
  std::vector<Location> parts;
  if (!in_.at(Tok::RBracket)) {
    do {
      Location part;
      if (!parse_location_inner(part)) return false;
      // The table cuts long lists; there is no need to collect more than it keeps.
      if (parts.size() < 4 * kMaxFused) parts.push_back(part);
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RBracket, "after a fused list")) return false;
  const Location child = table.fused(parts);
  out = is_origin          ? table.origin({fields[0], fields[2], fields[3], fields[1]}, child)
        : metadata.empty() ? child
                           : table.annotated(metadata, child);
  return true;
}

}  // namespace mlgc::text

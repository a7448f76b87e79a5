// See alias_table.h.
#include "text/alias_table.h"

#include "text/location_parser.h"
#include "text/mlir_attribute_parser.h"
#include "text/mlir_type_parser.h"

namespace mlgc::text {

namespace {

// What an alias stands for, written out: a doubling chain of aliases has 2^n characters.
constexpr std::size_t kMaxAliasText = std::size_t{1} << 16;

}  // namespace

// Notes where each alias is defined.
void AliasTable::find_aliases() {
  found_ = true;
  Lexer lexer = in_.from_begin();
  std::size_t depth = 0;
  for (Token token = lexer.next(); token.kind != Tok::End; token = lexer.next()) {
    if (token.kind == Tok::LBrace || token.kind == Tok::LParen || token.kind == Tok::LBracket) ++depth;
    if ((token.kind == Tok::RBrace || token.kind == Tok::RParen || token.kind == Tok::RBracket) && depth > 0) --depth;
    if (depth > 0 || (token.kind != Tok::Hash && token.kind != Tok::Bang)) continue;
    Lexer ahead = lexer;
    const Token name = ahead.next();
    if (name.kind != Tok::Name || ahead.next().kind != Tok::Equal) continue;
    const std::string_view spelling = lexer.text({Tok::Name, token.begin, name.end});
    const auto [it, is_new] = aliases_.try_emplace(spelling);
    if (is_new) {
      it->second.name = {Tok::Name, token.begin, name.end};
      it->second.body = ahead.offset();
    }
    lexer = ahead;
  }
}

// Null when there is none of that name, which is reported. The name starts with its `#` or `!`.
Alias* AliasTable::find_alias(const Token& name) {
  if (!found_) find_aliases();
  const auto it = aliases_.find(in_.text(name));
  if (it != aliases_.end()) return &it->second;
  in_.error<kUndefinedAlias>(name, in_.text(name));
  return nullptr;
}

Alias* AliasTable::use(const Token& name) {
  Alias* alias = find_alias(name);
  return alias != nullptr && read(name, *alias) ? alias : nullptr;
}

// What the alias stands for is known afterwards.
bool AliasTable::read(const Token& use, Alias& alias) {
  ++uses_;
  if (alias.state == Alias::State::Reading) return in_.error<kCyclicAlias>(use, in_.text(use));
  if (alias.state == Alias::State::Wrong) return false;  // reported where it was read
  if (alias.state == Alias::State::Done) return in_.allow_depth(use, alias.depth);
  alias.state = Alias::State::Reading;
  bool ok = true;
  alias.depth = in_.depth_of([&] {
    in_.parse_at(alias.body, [&] {
      ok = read_body(alias);
      if (ok && alias.text.size() > kMaxAliasText)
        ok = in_.error<kAliasTooLarge>(alias.name, in_.text(alias.name), kMaxAliasText);
      alias.end = in_.token().begin;
      return ok;
    });
  });
  alias.state = ok ? Alias::State::Done : Alias::State::Wrong;
  return ok;
}

bool AliasTable::read_body(Alias& alias) {
  if (in_.text(alias.name).starts_with('!')) return mlir_types_.mlir_type(alias.text, alias.type);
  alias.is_location = in_.at_word("loc");
  if (alias.is_location) {
    if (!locations_.parse_location(alias.location)) return false;
    in_.seek(alias.body);
  }
  return mlir_.mlir_text(alias.text);
}

Alias* AliasTable::use_location() {
  Token name;
  if (!in_.parse_marked_name(name, "the name of an alias")) return nullptr;
  Alias* alias = use(name);
  if (alias == nullptr || alias->is_location) return alias;
  in_.error<kUnexpectedToken>(name, "a location", "another attribute");
  return nullptr;
}

// `#name = …` or `!name = …`, at the top level.
bool AliasTable::parse_alias() {
  Token name;
  if (!in_.parse_marked_name(name, "the name of an alias")) return false;
  if (!in_.at(Tok::Equal)) return in_.unexpected("`=` after the name of an alias");
  Alias* alias = find_alias(name);
  if (alias == nullptr) return false;
  if (alias->name.begin != name.begin) return in_.error<kRedefinedAlias>(name, in_.text(name));
  if (!read(name, *alias)) return false;
  in_.seek(alias->end);
  return true;
}

}  // namespace mlgc::text

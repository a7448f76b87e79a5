// Aliases of MLIR's text: `#loc1 = loc("a")`, `#map = affine_map<…>`, `!t = tensor<4xf32>` at the top level. A use may
// stand before the definition, so definitions are found by a walk over the text when the first name is met.
#include <algorithm>

#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

// What an alias stands for, written out: a doubling chain of aliases has 2^n characters.
constexpr std::size_t kMaxAliasText = std::size_t{1} << 16;

}  // namespace

// Notes where each alias is defined.
void Parser::find_aliases() {
  aliases_found_ = true;
  Lexer lexer(file_.text(), options_.begin, std::min(options_.end, file_.text().size()));
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
Parser::Alias* Parser::find_alias(const Token& name) {
  if (!aliases_found_) find_aliases();
  const auto it = aliases_.find(lexer_.text(name));
  if (it != aliases_.end()) return &it->second;
  error<kUndefinedAlias>(name, lexer_.text(name));
  return nullptr;
}

// What the alias stands for is known afterwards.
bool Parser::use_alias(const Token& use, Alias& alias) {
  ++alias_uses_;
  if (alias.state == Alias::State::Reading) return error<kCyclicAlias>(use, lexer_.text(use));
  if (alias.state == Alias::State::Wrong) return false;  // reported where it was read
  if (alias.state == Alias::State::Done) {
    // As deep as what it stands for.
    deepest_ = std::max(deepest_, depth_ + alias.depth);
    if (depth_ + alias.depth <= kMaxNesting) return true;
    error<kNestingTooDeep>(use, kMaxNesting);
    give_up();
    return false;
  }
  alias.state = Alias::State::Reading;
  const Token resume = tok_;
  const Lexer outer = lexer_;
  const std::size_t deepest = deepest_;
  deepest_ = depth_;
  lexer_ = Lexer(file_.text(), alias.body, std::min(options_.end, file_.text().size()));
  advance();
  bool ok = true;
  if (lexer_.text(alias.name).starts_with('!')) {
    ok = mlir_type(alias.text, alias.type);
  } else {
    alias.is_location = at_word("loc");
    if (alias.is_location) {
      ok = parse_location(alias.location);
      if (ok) {
        lexer_.seek(alias.body);
        advance();
      }
    }
    ok = ok && mlir_text(alias.text);
  }
  if (ok && alias.text.size() > kMaxAliasText)
    ok = error<kAliasTooLarge>(alias.name, lexer_.text(alias.name), kMaxAliasText);
  alias.end = tok_.begin;
  alias.depth = deepest_ - depth_;
  deepest_ = std::max(deepest, deepest_);
  alias.state = ok ? Alias::State::Done : Alias::State::Wrong;
  if (!gave_up_) {
    lexer_ = outer;
    tok_ = resume;
  }
  return ok;
}

// `#name = …` or `!name = …`, at the top level.
bool Parser::parse_alias() {
  const Token mark = tok_;
  advance();
  if (!at(Tok::Name)) return unexpected("the name of an alias");
  const Token name{Tok::Name, mark.begin, tok_.end};
  advance();
  if (!at(Tok::Equal)) return unexpected("`=` after the name of an alias");
  Alias* alias = find_alias(name);
  if (alias == nullptr) return false;
  if (alias->name.begin != name.begin) return error<kRedefinedAlias>(name, lexer_.text(name));
  if (!use_alias(name, *alias)) return false;
  lexer_.seek(alias->end);
  advance();
  return true;
}

}  // namespace mlgc::text

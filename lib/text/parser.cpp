// Tokens, errors, recovery, scopes and regions.
#include <algorithm>
#include <charconv>

#include "diag/kinds_verify.h"
#include "text/parser_impl.h"

namespace mlgc {

namespace text {

Parser::Parser(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics, const ParseOptions& options)
    : context_(context),
      file_(file),
      diagnostics_(diagnostics),
      options_(options),
      lexer_(file.text(), options.begin, std::min(options.end, file.text().size())),
      base_(context.locations().position_in(file, 0).id) {
  if (!check_bytes()) lexer_.seek(lexer_.end());
  advance();
}

// What the lexer relies on: not too long, UTF-8, no NUL.
bool Parser::check_bytes() {
  const std::string_view all = file_.text();
  if (all.size() > kMaxTextBytes) {
    diagnostics_.emit(diagnose<kTextTooLong>(location(0), all.size(), kMaxTextBytes));
    return false;
  }
  const std::string_view part = all.substr(lexer_.offset(), lexer_.end() - lexer_.offset());
  if (const auto bad = first_invalid_utf8(part)) {
    const std::size_t offset = lexer_.offset() + *bad;
    diagnostics_.emit(
        diagnose<kNotUtf8>(location(offset), static_cast<unsigned>(static_cast<unsigned char>(all[offset])), offset));
    return false;
  }
  if (const std::size_t nul = part.find('\0'); nul != std::string_view::npos) {
    diagnostics_.emit(diagnose<kNulByte>(location(lexer_.offset() + nul), lexer_.offset() + nul));
    return false;
  }
  return true;
}

bool Parser::Nesting::ok() {
  if (parser_.depth_ <= kMaxNesting) return true;
  parser_.error<kNestingTooDeep>(parser_.tok_, kMaxNesting);
  // Recovering from here would meet the same error at every level on the way out.
  parser_.give_up();
  return false;
}

bool Parser::unexpected(std::string_view wanted) {
  if (at(Tok::Error)) {
    const std::string_view spelling = text();
    const DiagKind* kind = lexer_.error();
    if (kind == &kUnterminatedString) return error<kUnterminatedString>(tok_);
    if (kind == &kBadNumber) return error<kBadNumber>(tok_, spelling);
    if (kind == &kBadValueName) return error<kBadValueName>(tok_, spelling);
    return error<kUnexpectedCharacter>(tok_, spelling);
  }
  std::string found(token_name(tok_.kind));
  if (at(Tok::Name) || at(Tok::Value) || at(Tok::Symbol) || at(Tok::Integer) || at(Tok::Float) || at(Tok::Block)) {
    const std::string_view spelling = text();
    found = "`" + std::string(spelling.substr(0, 60)) + (spelling.size() > 60 ? "..." : "") + "`";
  }
  return error<kUnexpectedToken>(tok_, wanted, found);
}

bool Parser::expect(Tok kind, std::string_view where) {
  if (take(kind)) return true;
  return unexpected(std::string(token_name(kind)) + (where.empty() ? "" : " ") + std::string(where));
}

bool Parser::expect_greater(std::string_view where) {
  if (at(Tok::GreaterEqual)) {
    lexer_.seek(tok_.begin + 1);
    advance();
    return true;
  }
  return expect(Tok::Greater, where);
}

bool Parser::expect_end() { return at(Tok::End) || unexpected("nothing more"); }

std::optional<std::size_t> Parser::indentation(std::size_t offset) const {
  const std::string_view all = file_.text();
  std::size_t i = offset;
  while (i > 0 && (all[i - 1] == ' ' || all[i - 1] == '\t')) --i;
  if (i != 0 && all[i - 1] != '\n') return std::nullopt;
  return offset - i;
}

void Parser::report_unclosed(const Token& open) {
  if (!gave_up_) diagnostics_.emit(diagnose<kUnclosedBrace>(location(tok_)).with_note<kOpenedHere>(location(open)));
  give_up();
}

namespace {

bool starts_item(std::string_view word) {
  return word == "func" || word == "weight" || word == "state" || word == "module";
}

}  // namespace

// Goes to where the next op may start: the first token of a line outside of what was opened since, or the `}` of the
// region. A brace that the error swallowed must not swallow the rest: what is indented no more than the op itself is
// the next op, and a function, weight or module at the start of a line ends everything.
void Parser::synchronize(std::size_t op_begin) {
  if (gave_up_) return;  // the end is reached, and every op around would read its text once more
  // What the op itself opened before the error.
  std::size_t open = 0;
  Lexer again(file_.text(), op_begin, tok_.begin);
  for (Token token = again.next(); token.kind != Tok::End; token = again.next()) {
    if (token.kind == Tok::LBrace) ++open;
    if (token.kind == Tok::RBrace && open > 0) --open;
  }
  if (tok_.begin == op_begin && !at(Tok::End) && !at(Tok::RBrace)) {
    if (at(Tok::LBrace)) ++open;
    advance();
  }
  const std::optional<std::size_t> own = indentation(op_begin);
  while (!at(Tok::End)) {
    const bool may_start = at(Tok::Name) || at(Tok::Value) || at(Tok::String) || at(Tok::Error) || at(Tok::Hash);
    if (at(Tok::Name) && starts_item(text()) && first_on_line(tok_)) return;
    if (may_start && own && open > 0) {
      const std::optional<std::size_t> other = indentation(tok_.begin);
      if (other && *other <= *own) return;
    }
    if (open == 0) {
      if (at(Tok::RBrace)) return;
      if (may_start && first_on_line(tok_)) return;
    }
    if (at(Tok::LBrace)) ++open;
    if (at(Tok::RBrace)) --open;
    advance();
  }
}

// --- values

bool Parser::name_key(const Token& token, NameKey& key, std::uint32_t& index) {
  std::string_view name = lexer_.text(token).substr(1);
  index = 0;
  if (const std::size_t hash = name.find('#'); hash != std::string_view::npos) {
    const std::string_view digits = name.substr(hash + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc())
      return error<kNumberTooLarge>(token, digits, "a result number");
    name = name.substr(0, hash);
  }
  if (name.front() >= '0' && name.front() <= '9') {
    std::uint32_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc())
      return error<kNumberTooLarge>(token, name, "a value number");
    key = {true, number};
  } else {
    key = {false, context_.strings().intern(name).value};
  }
  return true;
}

bool Parser::resolve(const Token& token, Value& out) {
  NameKey key;
  std::uint32_t index = 0;
  if (!name_key(token, key, index)) return false;
  out = Value();
  const NameScope::Entry* entry = scope_.find(key);
  if (entry == nullptr) {
    out = await(key, index, token);
    return true;
  }
  if (!entry->first.valid()) return true;
  if (index >= entry->count) {
    const std::string_view name = lexer_.text(token);
    return error<kNoSuchResult>(token, name.substr(0, name.find('#')), entry->count, index);
  }
  out = module_->value(ValueId(entry->first.index() + index));
  return true;
}

bool Parser::define(const Token& token, ValueId first, std::uint32_t count) {
  NameKey key;
  std::uint32_t index = 0;
  if (!name_key(token, key, index)) return false;
  if (lexer_.text(token).find('#') != std::string_view::npos)
    return error<kUnexpectedToken>(token, "a name without `#`", "`" + std::string(lexer_.text(token)) + "`");
  if (const NameScope::Entry* old = scope_.find(key)) {
    diagnostics_.emit(diagnose<kRedefinedValue>(location(token), lexer_.text(token))
                          .with_width(token.end - token.begin)
                          .with_note<kFirstDefinedHere>(location(old->offset)));
    return false;
  }
  scope_.define(key, {first, count, 0, token.begin});
  if (first.valid() && count == 1 && !key.numeric) module_->value(first).set_name(StringId(key.id));
  if (!awaited_.empty()) define_awaited(key, token, first, count);
  return true;
}

// The names of an op that was not made: their uses are not reported again.
void Parser::define_failed(std::size_t first_name) {
  for (std::size_t i = first_name; i < result_names_.size(); ++i)
    define(result_names_[i].token, ValueId(), result_names_[i].count);
}

bool Parser::define_results(OpRef op, std::size_t first_name) {
  std::size_t result = 0;
  bool ok = true;
  for (std::size_t i = first_name; i < result_names_.size(); ++i) {
    const ResultName& name = result_names_[i];
    ok = define(name.token, op.result(result).id(), name.count) && ok;
    result += name.count;
  }
  return ok;
}

std::size_t Parser::count_results(std::size_t first_name) const {
  std::size_t count = 0;
  for (std::size_t i = first_name; i < result_names_.size(); ++i) count += result_names_[i].count;
  return count;
}

// --- regions

bool Parser::parse_region(RegionRef region, std::span<const RegionArgument> arguments, bool isolated,
                          const Token& open) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  const std::uint32_t outer_forward = region_forward_;
  region_forward_ = static_cast<std::uint32_t>(forward_.size());
  scope_.enter(isolated);
  bool ok = true;
  for (const RegionArgument& argument : arguments) {
    const Value value = region.add_argument(argument.type);
    if (!argument.type.valid()) untyped_arguments_.emplace(value.id(), argument.operand);
    if (argument.name.kind != Tok::End) ok = define(argument.name, value.id(), 1) && ok;
  }
  parse_ops(region, false);
  if (unwinding_) {
    ok = false;
  } else if (!take(Tok::RBrace)) {
    ok = false;
    report_unclosed(open);
  }
  if (isolated) {
    report_undefined(region_forward_);
    if (region_forward_ == 0 && scope_.depth() == kItemDepth) finish_item(region.parent_op());
  }
  scope_.leave();
  region_forward_ = outer_forward;
  return ok;
}

void Parser::parse_ops(RegionRef region, bool top_level) {
  while (!at(Tok::End)) {
    if (at(Tok::RBrace)) {
      if (!top_level) return;
      error<kUnmatchedBrace>(tok_);
      advance();
      continue;
    }
    if (diagnostics_.at_limit()) return give_up();
    const bool in_module = region == module_->body();
    if (in_module && (at(Tok::Hash) || at(Tok::Bang))) {
      const std::size_t begin = tok_.begin;
      op_begin_ = begin;
      if (!parse_alias()) synchronize(begin);
      continue;
    }
    if (top_level && at(Tok::MetadataBegin)) {
      skip_metadata_section();
      continue;
    }
    if (at(Tok::Name) && starts_item(text()) && !in_module && first_on_line(tok_)) {
      // No op of a function is called that, so the brace that closes the function is missing.
      if (!unwinding_) error<kItemInRegion>(tok_, text());
      unwinding_ = true;
      return;
    }
    if (top_level && module_closed_) {
      error<kSecondModule>(tok_);
      return give_up();
    }
    // What follows a terminator would print as operands of it.
    const OpRef last = region.back();
    if (last.valid() && last.has_trait(Traits::Terminator) && (at(Tok::Name) || at(Tok::Value) || at(Tok::String)))
      error<kOpAfterTerminator>(tok_, last.name());
    const std::size_t begin = tok_.begin;
    op_begin_ = tok_.begin;
    if (parse_op(region)) continue;
    if (unwinding_) {
      if (!in_module) return;
      unwinding_ = false;
    } else {
      synchronize(begin);
    }
  }
}

bool Parser::parse_result_names() {
  do {
    if (!at(Tok::Value)) return unexpected("a value");
    result_names_.push_back({tok_, 1});
    advance();
    if (!take(Tok::Colon)) continue;
    std::uint64_t count = 0;
    if (!at(Tok::Integer)) return unexpected("a number of results");
    if (!parse_magnitude(tok_, count)) return false;
    if (count == 0 || count > 65'535) return error<kBadResultCount>(tok_, text());
    result_names_.back().count = static_cast<std::uint32_t>(count);
    advance();
  } while (take(Tok::Comma));
  return expect(Tok::Equal, "after the results");
}

bool Parser::parse_op(RegionRef region) {
  const std::size_t first_name = result_names_.size();
  bool ok = !at(Tok::Value) || parse_result_names();
  if (ok) {
    const bool has_results = result_names_.size() > first_name;
    if (at(Tok::String)) {
      ok = parse_generic(region, first_name);
    } else if (!at(Tok::Name)) {
      ok = unexpected("an op");
    } else if (has_results && starts_item(text())) {
      ok = error<kItemWithResults>(tok_, text());
    } else if (at_word("module")) {
      ok = parse_module_op(region);
    } else if (at_word("func")) {
      ok = parse_func(region);
    } else if (at_word("weight") || at_word("state")) {
      ok = parse_weight(region);
    } else {
      ok = parse_pretty(region, first_name);
    }
  }
  if (!ok) define_failed(first_name);
  result_names_.resize(first_name);
  return ok;
}

// Jumps over a block that belongs to nothing, for recovery: its ops are not parsed.
bool Parser::skip_block(const Token& open) {
  std::size_t depth = 1;
  while (!at(Tok::End)) {
    if (at(Tok::LBrace)) ++depth;
    if (at(Tok::RBrace) && --depth == 0) {
      advance();
      return true;
    }
    advance();
  }
  report_unclosed(open);
  return false;
}

std::optional<Module> Parser::run(const std::shared_ptr<Context>& context) {
  const std::size_t errors = diagnostics_.error_count();
  module_.emplace(context);
  // Printed programs have about one op and 1.2 values in 40 bytes; the tables grow when that is too little.
  const std::size_t guess = (lexer_.end() - lexer_.offset()) / 64;
  module_->reserve(guess, guess, guess + guess / 2);
  module_->top().set_location(location(tok_));
  scope_.enter(true);
  parse_ops(module_->body(), true);
  report_undefined(0);
  finish_item(module_->top());
  scope_.leave();
  if (diagnostics_.error_count() > errors) return std::nullopt;
  return std::move(module_);
}

}  // namespace text

std::optional<Module> parse_module(const std::shared_ptr<Context>& context, const SourceFile& file,
                                   DiagnosticEngine& diagnostics, const ParseOptions& options) {
  const std::size_t errors = diagnostics.error_count();
  text::Parser parser(*context, file, diagnostics, options);
  if (diagnostics.error_count() > errors) return std::nullopt;
  return parser.run(context);
}

namespace {

// Runs `parse` on a parser of the whole text.
template <class T, class Parse>
std::optional<T> parse_piece(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics,
                             const Parse& parse) {
  const std::size_t errors = diagnostics.error_count();
  const ParseOptions options;
  text::Parser parser(context, file, diagnostics, options);
  T result{};
  if (diagnostics.error_count() > errors || !parse(parser, result) || !parser.expect_end()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<Type> parse_type(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<Type>(context, file, diagnostics, [](text::Parser& p, Type& out) { return p.parse_type(out); });
}

std::optional<IndexExpr> parse_index_expr(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<IndexExpr>(context, file, diagnostics,
                                [](text::Parser& p, IndexExpr& out) { return p.parse_whole_expr(out); });
}

std::optional<Attribute> parse_attribute(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics,
                                         AttributeKind wanted, bool generic) {
  return parse_piece<Attribute>(context, file, diagnostics, [&](text::Parser& p, Attribute& out) {
    p.read_generic(generic);
    return p.parse_attribute(wanted, out);
  });
}

std::optional<Attribute> parse_constraints(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<Attribute>(context, file, diagnostics,
                                [](text::Parser& p, Attribute& out) { return p.parse_constraints(out); });
}

std::vector<TextRange> split_input(std::string_view text) {
  constexpr std::string_view kMark = "// -----";
  std::vector<TextRange> parts;
  std::size_t begin = 0, line = 0;
  while (line < text.size()) {
    const std::size_t newline = text.find('\n', line);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
    const std::string_view content = text.substr(line, end - line);
    if (content.starts_with(kMark) && content.find_first_not_of(" \t\r-", 2) == std::string_view::npos) {
      parts.push_back({begin, line});
      begin = std::min(end + 1, text.size());
    }
    line = end + 1;
  }
  parts.push_back({begin, text.size()});
  return parts;
}

}  // namespace mlgc

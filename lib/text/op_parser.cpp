// See op_parser.h.
#include "text/op_parser.h"

#include <algorithm>

#include "diag/suggest.h"
#include "text/generic_names.h"
#include "text/region_parser.h"
#include "text/row_syntax.h"

namespace mlgc::text {

bool OpParser::find_op(OpText& op, std::string_view name) {
  op.opcode = context_.find_op(name);
  if (op.opcode != Opcode::Invalid) {
    op.def = &context_.def(op.opcode);
    return true;
  }
  std::vector<std::string_view> names;
  for (const OpDef* def : context_.ops()) names.push_back(def->name);
  Diagnostic d = diagnose<kUnknownOp>(in_.location(op.name), name).with_width(op.name.end - op.name.begin);
  if (const std::string_view plain = short_name(name); plain != name && context_.find_op(plain) != Opcode::Invalid) {
    d.add_note<kDidYouMean>({}, plain);
  } else if (const auto near = closest_name(name, names)) {
    d.add_note<kDidYouMean>({}, *near);
  }
  if (op.name.kind == Tok::Name && name.find('.') != std::string_view::npos) d.add_note<kOfAnotherDialect>({});
  in_.report(std::move(d));
  return false;
}

// `%a, @symbol, %b`, then `[subscripts]`. A symbol goes to the row's attribute of that kind.
bool OpParser::parse_operands(OpText& op) {
  if (in_.at(Tok::Value) || in_.at(Tok::Symbol)) {
    do {
      if (in_.at(Tok::Symbol)) {
        const AttrDef* attr = symbol_attribute(*op.def);
        const Token token = in_.token();
        std::string name;
        if (!in_.parse_symbol(name)) return false;
        if (attr == nullptr) return in_.error<kUnexpectedSymbol>(token, op.def->name, in_.text(token));
        if (!attributes_.check_key(nullptr, token, attr->name)) return false;
        attributes_.entries().push_back({context_.strings().intern(attr->name), context_.attributes().symbol(name)});
        continue;
      }
      if (!in_.at(Tok::Value)) return in_.unexpected("an operand");
      Value value;
      if (!values_.resolve(in_.token(), value)) return false;
      in_.advance();
      op.poisoned = op.poisoned || !value.valid();
      operands_.push_back(value);
    } while (in_.take(Tok::Comma));
  }
  return !in_.at(Tok::LBracket) || parse_subscripts(op);
}

bool OpParser::parse_subscripts(OpText& op) {
  const Token open = in_.token();
  in_.advance();
  // Values already listed after the leading operands are the same operands here.
  const std::size_t first = std::min(leading_operands(*op.def), operands_.size());
  ExprParser::Subscripts values{operands_, first,
                                [this](const Token& token, Value& value) { return values_.resolve(token, value); }};
  std::vector<IndexExpr> subscripts;
  if (!in_.at(Tok::RBracket)) {
    do {
      subscripts.emplace_back();
      if (!exprs_.parse_subscript(subscripts.back(), values)) return false;
      if (operands_.size() - values.first > kMaxSubscriptValues)
        return in_.error<kExpressionTooLarge>(open, "values in subscripts", kMaxSubscriptValues);
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RBracket, "after subscripts")) return false;
  op.poisoned = op.poisoned || values.poisoned;
  const AttrDef* attr = bracket_attribute(*op.def);
  if (attr == nullptr) return in_.error<kUnexpectedSubscripts>(open, op.def->name);
  AttributePool& pool = context_.attributes();
  Attribute value;
  if (attr->kind == AttributeKind::Subscripts) {
    value = pool.subscripts(subscripts);
  } else {
    if (subscripts.size() != 1) return in_.error<kSubscriptCount>(open, op.def->name, subscripts.size());
    value = pool.integer(subscripts[0]);
  }
  if (!attributes_.check_key(nullptr, open, attr->name)) return false;
  attributes_.entries().push_back({context_.strings().intern(attr->name), value});
  return true;
}

// `(%c = %a, %i: index)`: arguments of the first region; those with a value are operands too.
bool OpParser::parse_initializers(OpText& op, std::vector<RegionArgument>& arguments) {
  in_.advance();
  if (in_.take(Tok::RParen)) return true;
  do {
    RegionArgument argument{in_.token(), {}};
    if (!in_.expect(Tok::Value, "in the arguments of a region")) return false;
    if (in_.take(Tok::Equal)) {
      Value value;
      if (!in_.at(Tok::Value)) return in_.unexpected("a value");
      if (!values_.resolve(in_.token(), value)) return false;
      in_.advance();
      op.poisoned = op.poisoned || !value.valid();
      if (value.valid()) argument.type = value.type();
      argument.operand = static_cast<std::uint32_t>(operands_.size());
      operands_.push_back(value);
    } else {
      if (!in_.at(Tok::Colon)) return in_.unexpected("`=` or `:` after a region argument");
      in_.advance();
      if (!types_.parse_type(argument.type)) return false;
    }
    arguments.push_back(argument);
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RParen, "after the arguments of a region");
}

// `(%a: T, …)`
bool OpParser::parse_argument_list(std::vector<RegionArgument>& out) {
  if (!in_.expect(Tok::LParen, "before arguments")) return false;
  if (in_.take(Tok::RParen)) return true;
  do {
    RegionArgument argument{in_.token(), {}};
    if (!in_.expect(Tok::Value, "in a list of arguments") || !in_.expect(Tok::Colon, "after an argument")) return false;
    if (!types_.parse_type(argument.type)) return false;
    out.push_back(argument);
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RParen, "after arguments");
}

bool OpParser::check_operand_count(const OpText& op, std::size_t count) {
  std::size_t least = 0, most = 0;
  bool open = false;
  for (const OperandDef& operand : op.def->operands) {
    if (operand.variadic) {
      open = true;
    } else {
      ++most;
      if (!operand.optional) ++least;
    }
  }
  // The values of subscripts are operands that a row need not list.
  const AttrDef* bracket = bracket_attribute(*op.def);
  open = open || (bracket != nullptr && bracket->kind == AttributeKind::Subscripts);
  if (count >= least && (open || count <= most)) return true;
  const std::string wanted = least == most && !open ? std::to_string(least)
                             : open                 ? "at least " + std::to_string(least)
                                                    : std::to_string(least) + " to " + std::to_string(most);
  return in_.error<kOperandCount>(op.name, op.def->name, wanted, count);
}

// The regions of `made`; with an invalid op they are skipped. A region after the first starts with its name in the row;
// without an argument list of its own it has the arguments of the first.
bool OpParser::parse_regions(OpText& op, OpRef made, std::vector<RegionArgument>& arguments) {
  const bool isolated = has(op.def->traits, Traits::IsolatedRegion);
  const std::size_t first_arguments = arguments.size();
  for (std::size_t i = 0; i < op.def->regions.size(); ++i) {
    const RegionDef& region = op.def->regions[i];
    std::vector<RegionArgument> own;
    bool listed = i == 0;
    if (i == 0) {
      if (!in_.at(Tok::LBrace)) {
        if (region.optional) return true;
        return in_.unexpected("`{` before the region `" + std::string(region.name) + "`");
      }
    } else {
      if (!in_.at_word(region.name)) {
        if (region.optional) continue;
        return in_.unexpected("`" + std::string(region.name) + "`");
      }
      in_.advance();
      if (in_.at(Tok::LParen)) {
        listed = true;
        if (!parse_argument_list(own)) return false;
      }
    }
    const Token open = in_.token();
    if (!in_.expect(Tok::LBrace, "before a region")) return false;
    if (!made.valid()) {
      if (!in_.skip_block(open)) return false;
      continue;
    }
    const std::span<const RegionArgument> given =
        i == 0 || !listed ? std::span<const RegionArgument>(arguments).first(first_arguments) : own;
    const std::uint32_t begin = values_.op_begin();
    if (!regions_.parse_region(made.add_region(), given, isolated, open)) return false;
    values_.begin_op(begin);
  }
  return true;
}

// `: types where … loc(…)`
bool OpParser::parse_tail(OpText& op) {
  if (in_.take(Tok::Colon)) {
    op.types_given = true;
    if (!types_.parse_type_list(op.types)) return false;
  }
  if (in_.take_word("where") && !exprs_.parse_constraints(op.where)) return false;
  op.location = in_.location(op.name);
  return locations_.parse_optional_location(op.location);
}

bool OpParser::parse_pretty(RegionRef region, std::size_t first_name) {
  OpText op;
  op.name = in_.token();
  op.first_name = first_name;
  op.first_deferred = finisher_.deferred_count();
  op.result_names = values_.count_results(first_name);
  if (is_reserved_op_name(in_.text(), op.result_names > 0))
    return in_.error<kReservedWord>(in_.token(), in_.text(), "an op");
  if (!find_op(op, in_.text())) return false;
  in_.advance();
  operands_.clear();
  attributes_.entries().clear();
  std::vector<RegionArgument> arguments;
  const bool has_regions = !op.def->regions.empty();
  if (!parse_operands(op)) return false;
  if (has_regions && in_.at(Tok::LParen) && !parse_initializers(op, arguments)) return false;
  if (in_.at_word("attributes")) {
    in_.advance();
    if (!attributes_.parse_dict(op.def, false)) return false;
  } else if (!has_regions && in_.at(Tok::LBrace) && !attributes_.parse_dict(op.def, false)) {
    return false;
  }
  if (in_.at(Tok::Error)) return in_.unexpected("the rest of an op");
  if (!check_operand_count(op, operands_.size())) return false;
  OpRef made;
  const auto make = [&] {
    made = module_.create(op.opcode, operands_, context_.attributes().dict(attributes_.entries()), {},
                          in_.location(op.name));
    made.move_to_end(region);
  };
  if (has_regions) {
    if (!op.poisoned) make();
    if (!parse_regions(op, made, arguments)) return false;
    if (!parse_tail(op)) return false;
  } else {
    if (!parse_tail(op)) return false;
    if (!op.poisoned) make();
  }
  if (op.poisoned) {
    values_.define_failed(first_name);
    return true;
  }
  // What is wrong with the meaning of an op is no reason to skip text.
  if (!finisher_.finish_op(op, made)) values_.define_failed(first_name);
  return true;
}

}  // namespace mlgc::text

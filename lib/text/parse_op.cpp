// Ops in the pretty form: `results = name operands [subscripts] {attributes} regions : types where … loc(…)`.
#include <algorithm>

#include "diag/suggest.h"
#include "text/parser_impl.h"
#include "text/row_syntax.h"

namespace mlgc::text {

bool Parser::find_op(OpText& op, std::string_view name) {
  op.opcode = context_.find_op(name);
  if (op.opcode != Opcode::Invalid) {
    op.def = &context_.def(op.opcode);
    return true;
  }
  std::vector<std::string_view> names;
  for (const OpDef* def : context_.ops()) names.push_back(def->name);
  Diagnostic d = diagnose<kUnknownOp>(location(op.name), name).with_width(op.name.end - op.name.begin);
  if (const std::string_view plain = short_name(name); plain != name && context_.find_op(plain) != Opcode::Invalid) {
    d.add_note<kDidYouMean>({}, plain);
  } else if (const auto near = closest_name(name, names)) {
    d.add_note<kDidYouMean>({}, *near);
  }
  if (op.name.kind == Tok::Name && name.find('.') != std::string_view::npos) d.add_note<kOfAnotherDialect>({});
  diagnostics_.emit(std::move(d));
  return false;
}

// `%a, @symbol, %b`, then `[subscripts]`. A symbol goes to the row's attribute of that kind.
bool Parser::parse_operands(OpText& op) {
  if (at(Tok::Value) || at(Tok::Symbol)) {
    do {
      if (at(Tok::Symbol)) {
        const AttrDef* attr = symbol_attribute(*op.def);
        const Token token = tok_;
        std::string name;
        if (!parse_symbol(name)) return false;
        if (attr == nullptr) return error<kUnexpectedSymbol>(token, op.def->name, lexer_.text(token));
        if (!check_key(nullptr, token, attr->name)) return false;
        attributes_.push_back({context_.strings().intern(attr->name), context_.attributes().symbol(name)});
        continue;
      }
      if (!at(Tok::Value)) return unexpected("an operand");
      Value value;
      if (!resolve(tok_, value)) return false;
      advance();
      op.poisoned = op.poisoned || !value.valid();
      operands_.push_back(value);
    } while (take(Tok::Comma));
  }
  return !at(Tok::LBracket) || parse_subscripts(op);
}

bool Parser::parse_subscripts(OpText& op) {
  const Token open = tok_;
  advance();
  // Values already listed behind the leading operands are the same operands here.
  const std::size_t first = std::min(leading_operands(*op.def), operands_.size());
  SubscriptOperands values{&operands_, first};
  std::vector<IndexExpr> subscripts;
  if (!at(Tok::RBracket)) {
    do {
      subscripts.emplace_back();
      if (!parse_expr(subscripts.back(), &values)) return false;
      if (operands_.size() - values.first > kMaxSubscriptValues)
        return error<kExpressionTooLarge>(open, "values in subscripts", kMaxSubscriptValues);
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RBracket, "after subscripts")) return false;
  op.poisoned = op.poisoned || values.poisoned;
  const AttrDef* attr = bracket_attribute(*op.def);
  if (attr == nullptr) return error<kUnexpectedSubscripts>(open, op.def->name);
  AttributePool& pool = context_.attributes();
  Attribute value;
  if (attr->kind == AttributeKind::Subscripts) {
    value = pool.subscripts(subscripts);
  } else {
    if (subscripts.size() != 1) return error<kSubscriptCount>(open, op.def->name, subscripts.size());
    value = pool.integer(subscripts[0]);
  }
  if (!check_key(nullptr, open, attr->name)) return false;
  attributes_.push_back({context_.strings().intern(attr->name), value});
  return true;
}

// `(%c = %a, %i: index)`: arguments of the first region; those with a value are operands too.
bool Parser::parse_initializers(OpText& op, std::vector<RegionArgument>& arguments) {
  advance();
  if (take(Tok::RParen)) return true;
  do {
    RegionArgument argument{tok_, {}};
    if (!expect(Tok::Value, "in the arguments of a region")) return false;
    if (take(Tok::Equal)) {
      Value value;
      if (!at(Tok::Value)) return unexpected("a value");
      if (!resolve(tok_, value)) return false;
      advance();
      op.poisoned = op.poisoned || !value.valid();
      if (value.valid()) argument.type = value.type();
      argument.operand = static_cast<std::uint32_t>(operands_.size());
      operands_.push_back(value);
    } else {
      if (!at(Tok::Colon)) return unexpected("`=` or `:` after a region argument");
      advance();
      if (!parse_type(argument.type)) return false;
    }
    arguments.push_back(argument);
  } while (take(Tok::Comma));
  return expect(Tok::RParen, "after the arguments of a region");
}

// `(%a: T, …)`
bool Parser::parse_argument_list(std::vector<RegionArgument>& out) {
  if (!expect(Tok::LParen, "before arguments")) return false;
  if (take(Tok::RParen)) return true;
  do {
    RegionArgument argument{tok_, {}};
    if (!expect(Tok::Value, "in a list of arguments") || !expect(Tok::Colon, "after an argument")) return false;
    if (!parse_type(argument.type)) return false;
    out.push_back(argument);
  } while (take(Tok::Comma));
  return expect(Tok::RParen, "after arguments");
}

bool Parser::check_operand_count(const OpText& op, std::size_t count) {
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
  return error<kOperandCount>(op.name, op.def->name, wanted, count);
}

// The regions of `made`; with an invalid op they are skipped. A region after the first starts with its name in the row;
// without an argument list of its own it has the arguments of the first.
bool Parser::parse_regions(OpText& op, OpRef made, std::vector<RegionArgument>& arguments) {
  const bool isolated = has(op.def->traits, Traits::IsolatedRegion);
  const std::size_t first_arguments = arguments.size();
  for (std::size_t i = 0; i < op.def->regions.size(); ++i) {
    const RegionDef& region = op.def->regions[i];
    std::vector<RegionArgument> own;
    bool listed = i == 0;
    if (i == 0) {
      if (!at(Tok::LBrace)) {
        if (region.optional) return true;
        return unexpected("`{` before the region `" + std::string(region.name) + "`");
      }
    } else {
      if (!at_word(region.name)) {
        if (region.optional) continue;
        return unexpected("`" + std::string(region.name) + "`");
      }
      advance();
      if (at(Tok::LParen)) {
        listed = true;
        if (!parse_argument_list(own)) return false;
      }
    }
    const Token open = tok_;
    if (!expect(Tok::LBrace, "before a region")) return false;
    if (!made.valid()) {
      if (!skip_block(open)) return false;
      continue;
    }
    const std::span<const RegionArgument> given =
        i == 0 || !listed ? std::span<const RegionArgument>(arguments).first(first_arguments) : own;
    const std::uint32_t begin = op_begin_;
    if (!parse_region(made.add_region(), given, isolated, open)) return false;
    op_begin_ = begin;
  }
  return true;
}

// `: types where … loc(…)`
bool Parser::parse_tail(OpText& op) {
  if (take(Tok::Colon)) {
    op.types_given = true;
    if (!parse_type_list(op.types)) return false;
  }
  if (take_word("where") && !parse_constraints(op.where)) return false;
  op.location = location(op.name);
  return parse_optional_location(op.location);
}

// Types of one kind whose dims are known to be equal, given the function's constraints.
bool Parser::same_type(Type a, Type b) {
  if (a == b) return true;
  TypePool& types = context_.types();
  if (!a.valid() || !b.valid() || types.kind(a) != types.kind(b) || !types.is_shaped(a)) return false;
  if (types.with_dims(a, {}) != types.with_dims(b, {}) || types.rank(a) != types.rank(b)) return false;
  const Facts none;
  const Facts& facts = function_.valid() ? facts_.of(function_) : none;
  for (std::size_t i = 0; i < types.rank(a); ++i)
    if (context_.index().equal(types.dims(a)[i], types.dims(b)[i], facts) != Truth::Yes) return false;
  return true;
}

bool Parser::check_types(const OpText& op, OpRef made, std::vector<Type>& inferred) {
  const Inferred answer = options_.infer ? options_.infer(made, op.types, inferred, diagnostics_) : Inferred::Unknown;
  if (answer == Inferred::Failed) return false;
  if (answer == Inferred::Unknown) {
    inferred = op.types;
    if (op.types_given || op.def->result_count == 0) return true;
    if (op.def->result_count == kVariadicResults && op.result_names == 0) return true;
    return error<kTypeNotInferred>(op.name, op.def->name);
  }
  if (!op.types_given) return true;
  if (inferred.size() != op.types.size())
    return error<kTypeCount>(op.name, op.def->name, inferred.size(), op.types.size());
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (same_type(inferred[i], op.types[i])) continue;
    return error<kResultType>(op.name, op.def->name, context_.types().print(inferred[i]),
                              context_.types().print(op.types[i]));
  }
  inferred = op.types;
  return true;
}

bool Parser::check_result_count(const OpText& op, std::span<const Type> types) {
  const int wanted = op.def->result_count;
  if (wanted != kVariadicResults && types.size() != static_cast<std::size_t>(wanted))
    return error<kTypeCount>(op.name, op.def->name, wanted, types.size());
  if (op.result_names != 0 && op.result_names != types.size())
    return error<kResultCount>(op.name, op.def->name, types.size(), op.result_names);
  return true;
}

bool Parser::check_operand_types(const OpText& op, OpRef made, std::span<const Type> operand_types) {
  for (std::size_t i = 0; i < operand_types.size(); ++i)
    if (operand_types[i] != made.operand(i).type())
      return error<kOperandType>(op.name, i, context_.types().print(made.operand(i).type()),
                                 context_.types().print(operand_types[i]));
  return true;
}

// Gives the op its results and their names.
bool Parser::finish_op(OpText& op, OpRef made, std::span<const Type> operand_types) {
  made.set_location(op.location);
  if (op.where.valid()) made.set_attr("where", op.where);
  if (!forward_.empty() && is_early(op, made)) return defer_op(op, made, operand_types);
  std::vector<Type> types;
  if (!check_operand_types(op, made, operand_types) || !check_types(op, made, types) || !check_result_count(op, types))
    return false;
  made.add_results(types);
  return define_results(made, op.first_name);
}

bool Parser::parse_pretty(RegionRef region, std::size_t first_name) {
  OpText op;
  op.name = tok_;
  op.first_name = first_name;
  op.first_deferred = deferred_.size();
  op.result_names = count_results(first_name);
  if (is_reserved_op_name(text(), op.result_names > 0)) return error<kReservedWord>(tok_, text(), "an op");
  if (!find_op(op, text())) return false;
  advance();
  operands_.clear();
  attributes_.clear();
  std::vector<RegionArgument> arguments;
  const bool has_regions = !op.def->regions.empty();
  if (!parse_operands(op)) return false;
  if (has_regions && at(Tok::LParen) && !parse_initializers(op, arguments)) return false;
  if (at_word("attributes")) {
    advance();
    if (!parse_dict(op.def, false)) return false;
  } else if (!has_regions && at(Tok::LBrace) && !parse_dict(op.def, false)) {
    return false;
  }
  if (at(Tok::Error)) return unexpected("the rest of an op");
  if (!check_operand_count(op, operands_.size())) return false;
  OpRef made;
  const auto make = [&] {
    made = module_->create(op.opcode, operands_, context_.attributes().dict(attributes_), {}, location(op.name));
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
    define_failed(first_name);
    return true;
  }
  // What is wrong with the meaning of an op is no reason to skip text.
  if (!finish_op(op, made)) define_failed(first_name);
  return true;
}

}  // namespace mlgc::text

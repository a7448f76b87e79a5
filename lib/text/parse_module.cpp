// module, func, weight and state.
#include "text/parser_impl.h"

namespace mlgc::text {

bool Parser::define_symbol(const Token& token, std::string_view symbol) {
  const StringId id = context_.strings().intern(symbol);
  const auto [it, inserted] = symbols_.emplace(id, token);
  if (inserted) return true;
  diagnostics_.emit(diagnose<kRedefinedSymbol>(location(token), symbol)
                        .with_width(token.end - token.begin)
                        .with_note<kFirstDefinedHere>(location(it->second)));
  return false;
}

// Functions, weights and states stand in the module.
bool Parser::place_symbol(RegionRef region, const Token& name) {
  return region == module_->body() || error<kItemInRegion>(name, lexer_.text(name));
}

// module @name weights "file" attributes {…} { … } loc(…)
bool Parser::parse_module_op(RegionRef region) {
  const Token word = tok_;
  if (!place_symbol(region, word)) return false;
  if (module_seen_ || !module_->body().empty()) return error<kSecondModule>(word);
  module_seen_ = true;
  advance();
  const OpRef top = module_->top();
  attributes_.clear();
  AttributePool& pool = context_.attributes();
  if (at(Tok::Symbol)) {
    std::string name;
    if (!parse_symbol(name)) return false;
    attributes_.push_back({context_.names().sym_name, pool.string(name)});
  }
  if (take_word("weights")) {
    std::string file;
    if (!parse_string(file)) return false;
    attributes_.push_back({context_.names().weights, pool.string(file)});
  }
  if (take_word("attributes") && !parse_dict(&top.def(), false)) return false;
  top.set_attrs(pool.dict(attributes_));
  top.set_location(location(word));
  const Token open = tok_;
  if (!expect(Tok::LBrace, "before the items of a module")) return false;
  {
    Nesting nesting(*this);
    parse_ops(module_->body(), false);
  }
  if (!take(Tok::RBrace)) {
    report_unclosed(open);
    return false;
  }
  module_closed_ = true;
  Location loc = top.location();
  if (!parse_optional_location(loc)) return false;
  top.set_location(loc);
  return true;
}

// weight @name : type attributes {…} = { … } loc(…)
bool Parser::parse_weight(RegionRef region) {
  OpText op;
  op.name = tok_;
  const Token word = tok_;
  if (!place_symbol(region, word) || !find_op(op, text())) return false;
  advance();
  const Token name_token = tok_;
  std::string name;
  if (!parse_symbol(name)) return false;
  if (!expect(Tok::Colon, "after the name")) return false;
  Type type;
  if (!parse_type(type)) return false;
  attributes_.clear();
  AttributePool& pool = context_.attributes();
  attributes_.push_back({context_.names().sym_name, pool.string(name)});
  attributes_.push_back({context_.names().type, pool.type(type)});
  if (take_word("attributes") && !parse_dict(op.def, false)) return false;
  const OpRef made = module_->create(op.opcode, {}, pool.dict(attributes_), {}, location(word));
  made.move_to_end(region);
  if (take(Tok::Equal)) {
    const Token open = tok_;
    if (op.def->regions.empty()) return error<kNoRegion>(open, op.def->name);
    if (!expect(Tok::LBrace, "before the region of a derived weight")) return false;
    if (!parse_region(made.add_region(), {}, true, open)) return false;
  }
  Location loc = made.location();
  if (!parse_optional_location(loc)) return false;
  made.set_location(loc);
  define_symbol(name_token, name);
  return true;
}

// (@w = %w1, %x = %x1)
bool Parser::parse_updates(std::vector<UpdateTarget>& targets, std::vector<Token>& values,
                           std::span<const RegionArgument> arguments) {
  if (!expect(Tok::LParen, "after `updates`")) return false;
  do {
    UpdateTarget target;
    if (at(Tok::Symbol)) {
      std::string name;
      if (!parse_symbol(name)) return false;
      target.symbol = context_.strings().intern(name);
    } else if (at(Tok::Value)) {
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (lexer_.text(arguments[i].name) == text()) target.argument = i;
      if (!target.argument) return error<kNotAnArgument>(tok_, text());
      advance();
    } else {
      return unexpected("a symbol or an argument");
    }
    if (!expect(Tok::Equal, "after what is updated")) return false;
    if (!at(Tok::Value)) return unexpected("a value");
    values.push_back(tok_);
    advance();
    targets.push_back(target);
  } while (take(Tok::Comma));
  return expect(Tok::RParen, "after the updates");
}

// The return agrees with what the signature says: types of the results, and names of the new states.
bool Parser::check_return(FuncRef func, bool types_given, std::span<const Type> types, std::span<const Token> updates,
                          const Token& name) {
  const OpRef end = func.return_op();
  // Without a return there is nothing to compare; the verifier says that it is missing.
  if (!end.valid()) return true;
  const std::size_t count = end.operand_count();
  const std::size_t wanted = types.size() + updates.size();
  if (count < updates.size() || (types_given && count != wanted)) {
    diagnostics_.emit(diagnose<kReturnCount>(end.location(), count, types.size(), updates.size())
                          .with_note<kSignatureHere>(location(name)));
    return false;
  }
  for (std::size_t i = 0; types_given && i < types.size(); ++i) {
    if (same_type(types[i], end.operand(i).type())) continue;
    diagnostics_.emit(diagnose<kReturnType>(end.location(), i, context_.types().print(end.operand(i).type()),
                                            context_.types().print(types[i]))
                          .with_note<kSignatureHere>(location(name)));
    return false;
  }
  return true;
}

// func @name(%x: T, …) -> types where … updates (…) gradient @g attributes {…} { … } loc(…)
bool Parser::parse_func(RegionRef region) {
  OpText op;
  op.name = tok_;
  const Token word = tok_;
  if (!place_symbol(region, word) || !find_op(op, text())) return false;
  advance();
  const Token name_token = tok_;
  std::string name;
  if (!parse_symbol(name)) return false;
  std::vector<RegionArgument> arguments;
  if (!parse_argument_list(arguments)) return false;
  std::vector<Type> types;
  const bool types_given = take(Tok::Arrow);
  if (types_given && !parse_result_types(types)) return false;
  Attribute where;
  if (take_word("where") && !parse_constraints(where)) return false;
  std::vector<UpdateTarget> targets;
  std::vector<Token> values;
  if (take_word("updates") && !parse_updates(targets, values, arguments)) return false;
  std::string gradient;
  const bool states_gradient = take_word("gradient");
  if (states_gradient && !parse_symbol(gradient)) return false;
  attributes_.clear();
  AttributePool& pool = context_.attributes();
  attributes_.push_back({context_.names().sym_name, pool.string(name)});
  if (where.valid()) attributes_.push_back({context_.names().where, where});
  if (states_gradient) attributes_.push_back({context_.names().gradient, pool.symbol(gradient)});
  if (take_word("attributes") && !parse_dict(op.def, false)) return false;
  const OpRef made = module_->create(op.opcode, {}, pool.dict(attributes_), {}, location(word));
  made.move_to_end(region);
  const FuncRef func(made);
  if (!targets.empty()) func.set_updates(targets);
  define_symbol(name_token, name);
  const Token open = tok_;
  if (!expect(Tok::LBrace, "before the body of a function")) return false;

  // As parse_region(), but the names of the new states are looked up before the scope ends.
  Nesting nesting(*this);
  region_forward_ = static_cast<std::uint32_t>(forward_.size());
  const std::size_t errors = diagnostics_.error_count();
  const RegionRef body = made.add_region();
  scope_.enter(true);
  function_ = made;
  bool ok = true;
  for (const RegionArgument& argument : arguments)
    ok = define(argument.name, body.add_argument(argument.type).id(), 1) && ok;
  parse_ops(body, false);
  const Token close = tok_;
  if (unwinding_) {
    ok = false;
  } else if (!take(Tok::RBrace)) {
    ok = false;
    report_unclosed(open);
  }
  std::vector<Value> states;
  for (const Token& token : values) {
    op_begin_ = word.begin;
    Value value;
    if (!resolve(token, value)) ok = false;
    states.push_back(value);
  }
  report_undefined(region_forward_);
  if (region_forward_ == 0) finish_item(made);
  scope_.leave();
  region_forward_ = 0;
  if (ok && diagnostics_.error_count() == errors && check_return(func, types_given, types, values, name_token)) {
    const OpRef end = func.return_op();
    for (std::size_t i = 0; end.valid() && i < states.size(); ++i) {
      const std::size_t operand = end.operand_count() - states.size() + i;
      if (end.operand(operand) == states[i]) continue;
      diagnostics_.emit(diagnose<kUpdateNotReturned>(location(values[i]), lexer_.text(values[i]), operand)
                            .with_width(values[i].end - values[i].begin));
    }
    if (!end.valid() && !states.empty()) error<kUpdateNotReturned>(close, lexer_.text(values[0]), 0);
  }
  function_ = OpRef();
  if (!ok && unwinding_) return false;
  Location loc = made.location();
  if (!parse_optional_location(loc)) return false;
  made.set_location(loc);
  return true;
}

}  // namespace mlgc::text

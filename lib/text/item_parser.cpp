// See item_parser.h.
#include "text/item_parser.h"

#include "diag/kinds_verify.h"
#include "text/op_parser.h"
#include "text/region_parser.h"

namespace mlgc::text {

bool ItemParser::define_symbol(const Token& token, std::string_view symbol) {
  const StringId id = context_.strings().intern(symbol);
  const auto [it, inserted] = symbols_.emplace(id, token);
  if (inserted) return true;
  in_.report(diagnose<kRedefinedSymbol>(in_.location(token), symbol)
                 .with_width(token.end - token.begin)
                 .with_note<kFirstDefinedHere>(in_.location(it->second)));
  return false;
}

bool ItemParser::place_symbol(RegionRef region, const Token& name) {
  return region == module_.body() || in_.error<kItemInRegion>(name, in_.text(name));
}

bool ItemParser::begin_module(const Token& name) {
  if (module_seen_ || !module_.body().empty()) return in_.error<kSecondModule>(name);
  module_seen_ = true;
  return true;
}

// module @name weights "file" attributes {…} { … } loc(…)
bool ItemParser::parse_module_op(RegionRef region) {
  const Token word = in_.token();
  if (!place_symbol(region, word)) return false;
  if (!begin_module(word)) return false;
  in_.advance();
  const OpRef top = module_.top();
  attributes_.entries().clear();
  AttributePool& pool = context_.attributes();
  if (in_.at(Tok::Symbol)) {
    std::string name;
    if (!in_.parse_symbol(name)) return false;
    attributes_.entries().push_back({context_.names().sym_name, pool.string(name)});
  }
  if (in_.take_word("weights")) {
    std::string file;
    if (!in_.parse_string(file)) return false;
    attributes_.entries().push_back({context_.names().weights, pool.string(file)});
  }
  if (in_.take_word("attributes") && !attributes_.parse_dict(&top.def(), false)) return false;
  top.set_attrs(pool.dict(attributes_.entries()));
  top.set_location(in_.location(word));
  const Token open = in_.token();
  if (!in_.expect(Tok::LBrace, "before the items of a module")) return false;
  {
    Cursor::Nesting nesting(in_);
    regions_.parse_ops(module_.body(), false);
  }
  if (!in_.take(Tok::RBrace)) {
    in_.report_unclosed(open);
    return false;
  }
  close_module();
  Location loc = top.location();
  if (!locations_.parse_optional_location(loc)) return false;
  top.set_location(loc);
  return true;
}

// weight @name : type attributes {…} = { … } loc(…)
bool ItemParser::parse_weight(RegionRef region) {
  OpText op;
  op.name = in_.token();
  const Token word = in_.token();
  if (!place_symbol(region, word) || !ops_.find_op(op, in_.text())) return false;
  in_.advance();
  const Token name_token = in_.token();
  std::string name;
  if (!in_.parse_symbol(name)) return false;
  if (!in_.expect(Tok::Colon, "after the name")) return false;
  Type type;
  if (!types_.parse_type(type)) return false;
  attributes_.entries().clear();
  AttributePool& pool = context_.attributes();
  attributes_.entries().push_back({context_.names().sym_name, pool.string(name)});
  attributes_.entries().push_back({context_.names().type, pool.type(type)});
  if (in_.take_word("attributes") && !attributes_.parse_dict(op.def, false)) return false;
  const OpRef made = module_.create(op.opcode, {}, pool.dict(attributes_.entries()), {}, in_.location(word));
  made.move_to_end(region);
  if (in_.take(Tok::Equal)) {
    const Token open = in_.token();
    if (op.def->regions.empty()) return in_.error<kNoRegion>(open, op.def->name);
    if (!in_.expect(Tok::LBrace, "before the region of a derived weight")) return false;
    if (!regions_.parse_region(made.add_region(), {}, true, open)) return false;
  }
  Location loc = made.location();
  if (!locations_.parse_optional_location(loc)) return false;
  made.set_location(loc);
  define_symbol(name_token, name);
  return true;
}

// (@w = %w1, %x = %x1)
bool ItemParser::parse_updates(Signature& signature) {
  if (!in_.expect(Tok::LParen, "after `updates`")) return false;
  do {
    UpdateTarget target;
    if (in_.at(Tok::Symbol)) {
      std::string name;
      if (!in_.parse_symbol(name)) return false;
      target.symbol = context_.strings().intern(name);
    } else if (in_.at(Tok::Value)) {
      for (std::size_t i = 0; i < signature.arguments.size(); ++i)
        if (in_.text(signature.arguments[i].name) == in_.text()) target.argument = i;
      if (!target.argument) return in_.error<kNotAnArgument>(in_.token(), in_.text());
      in_.advance();
    } else {
      return in_.unexpected("a symbol or an argument");
    }
    if (!in_.expect(Tok::Equal, "after what is updated")) return false;
    if (!in_.at(Tok::Value)) return in_.unexpected("a value");
    signature.updates.push_back(in_.token());
    in_.advance();
    signature.targets.push_back(target);
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RParen, "after the updates");
}

// The return agrees with what the signature says: types of the results, and names of the new states.
bool ItemParser::check_return(FuncRef func, const Signature& signature) {
  const auto& [word, name, arguments, types, types_given, targets, updates] = signature;
  const OpRef end = func.return_op();
  // Without a return there is nothing to compare; the verifier says that it is missing.
  if (!end.valid()) return true;
  const std::size_t count = end.operand_count();
  const std::size_t wanted = types.size() + updates.size();
  if (count < updates.size() || (types_given && count != wanted)) {
    in_.report(diagnose<kReturnCount>(end.location(), count, types.size(), updates.size())
                   .with_note<kSignatureHere>(in_.location(name)));
    return false;
  }
  for (std::size_t i = 0; types_given && i < types.size(); ++i) {
    if (finisher_.same_type(types[i], end.operand(i).type())) continue;
    in_.report(diagnose<kReturnType>(end.location(), i, context_.types().print(end.operand(i).type()),
                                     context_.types().print(types[i]))
                   .with_note<kSignatureHere>(in_.location(name)));
    return false;
  }
  return true;
}

// func @name(%x: T, …) -> types where … updates (…) gradient @g attributes {…} { … } loc(…)
bool ItemParser::parse_func(RegionRef region) {
  Signature signature;
  OpRef made;
  if (!parse_signature(region, signature, made)) return false;
  const Token open = in_.token();
  if (!in_.expect(Tok::LBrace, "before the body of a function")) return false;
  Cursor::Nesting nesting(in_);
  const bool ok = parse_body(signature, made, open);
  finisher_.leave_function();
  if (!ok && regions_.unwinding()) return false;
  Location loc = made.location();
  if (!locations_.parse_optional_location(loc)) return false;
  made.set_location(loc);
  return true;
}

bool ItemParser::parse_signature(RegionRef region, Signature& out, OpRef& made) {
  OpText op;
  op.name = in_.token();
  out.word = in_.token();
  if (!place_symbol(region, out.word) || !ops_.find_op(op, in_.text())) return false;
  in_.advance();
  out.name = in_.token();
  std::string name;
  if (!in_.parse_symbol(name)) return false;
  if (!ops_.parse_argument_list(out.arguments)) return false;
  out.types_given = in_.take(Tok::Arrow);
  if (out.types_given && !types_.parse_result_types(out.types)) return false;
  Attribute where;
  if (in_.take_word("where") && !exprs_.parse_constraints(where)) return false;
  if (in_.take_word("updates") && !parse_updates(out)) return false;
  std::string gradient;
  const bool states_gradient = in_.take_word("gradient");
  if (states_gradient && !in_.parse_symbol(gradient)) return false;
  attributes_.entries().clear();
  AttributePool& pool = context_.attributes();
  attributes_.entries().push_back({context_.names().sym_name, pool.string(name)});
  if (where.valid()) attributes_.entries().push_back({context_.names().where, where});
  if (states_gradient) attributes_.entries().push_back({context_.names().gradient, pool.symbol(gradient)});
  if (in_.take_word("attributes") && !attributes_.parse_dict(op.def, false)) return false;
  made = module_.create(op.opcode, {}, pool.dict(attributes_.entries()), {}, in_.location(out.word));
  made.move_to_end(region);
  if (!out.targets.empty()) FuncRef(made).set_updates(out.targets);
  define_symbol(out.name, name);
  return true;
}

// As RegionParser::parse_region(), but the names of the new states are looked up before the scope ends.
bool ItemParser::parse_body(const Signature& signature, OpRef made, const Token& open) {
  const std::size_t errors = in_.diagnostics().error_count();
  const RegionRef body = made.add_region();
  const std::uint32_t outer = values_.enter(true);
  finisher_.enter_function(made);
  bool ok = true;
  for (const RegionArgument& argument : signature.arguments)
    ok = values_.define(argument.name, body.add_argument(argument.type).id(), 1) && ok;
  regions_.parse_ops(body, false);
  const Token close = in_.token();
  if (regions_.unwinding()) {
    ok = false;
  } else if (!in_.take(Tok::RBrace)) {
    ok = false;
    in_.report_unclosed(open);
  }
  std::vector<Value> states;
  for (const Token& token : signature.updates) {
    values_.begin_op(signature.word.begin);
    Value value;
    if (!values_.resolve(token, value)) ok = false;
    states.push_back(value);
  }
  values_.report_undefined();
  if (values_.in_item()) finisher_.finish_item(made);
  values_.leave(outer);
  const FuncRef func(made);
  if (ok && in_.diagnostics().error_count() == errors && check_return(func, signature))
    check_updates(func, signature, states, close);
  return ok;
}

// The new states are what the function returns last.
void ItemParser::check_updates(FuncRef func, const Signature& signature, std::span<const Value> states,
                               const Token& close) {
  const std::vector<Token>& values = signature.updates;
  const OpRef end = func.return_op();
  for (std::size_t i = 0; end.valid() && i < states.size(); ++i) {
    const std::size_t operand = end.operand_count() - states.size() + i;
    if (end.operand(operand) == states[i]) continue;
    in_.error<kUpdateNotReturned>(values[i], in_.text(values[i]), operand);
  }
  if (!end.valid() && !states.empty()) in_.error<kUpdateNotReturned>(close, in_.text(values[0]), 0);
}

}  // namespace mlgc::text

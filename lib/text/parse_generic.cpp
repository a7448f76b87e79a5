// Ops in MLIR's generic form:
//     results = "mlgc.name"(operands) <{properties}> ({regions}) {attributes} : (types) -> types loc(…)
// Modules and functions are MLIR's own ops there, which says what we say otherwise; dotted attributes carry the rest.
#include "text/parser_impl.h"

namespace mlgc::text {

std::string_view Parser::short_name(std::string_view name) {
  if (name == "builtin.module") return "module";
  if (name == "func.func") return "func";
  if (name == "func.return") return "return";
  if (name.starts_with("mlgc.")) return name.substr(5);
  return name;
}

std::string_view Parser::plain_key(const OpDef& def, std::string_view key) {
  if (!key.starts_with("mlgc.")) return key;
  for (const AttrDef& attr : def.attrs)
    if (attr.name == key.substr(5)) return attr.name;
  return key;
}

// ^bb0(%a: T, …):
bool Parser::parse_block_label(std::vector<RegionArgument>& out) {
  advance();
  if (at(Tok::LParen)) {
    advance();
    if (!take(Tok::RParen)) {
      do {
        RegionArgument argument{tok_, {}};
        Location ignored;
        if (!expect(Tok::Value, "in a block label") || !expect(Tok::Colon, "after an argument")) return false;
        if (!parse_type(argument.type) || !parse_optional_location(ignored)) return false;
        out.push_back(argument);
      } while (take(Tok::Comma));
      if (!expect(Tok::RParen, "after the arguments of a block")) return false;
    }
  }
  return expect(Tok::Colon, "after a block label");
}

bool Parser::parse_generic_regions(GenericOp& generic) {
  OpText& op = generic.op;
  const OpRef made = generic.made;
  const bool is_module = op.is(GraphOp::Module);
  const bool isolated = is_module || has(op.def->traits, Traits::IsolatedRegion);
  std::size_t count = 0;
  do {
    const Token open = tok_;
    if (!expect(Tok::LBrace, "before a region")) return false;
    std::vector<RegionArgument> arguments;
    generic.has_block = at(Tok::Block);
    if (at(Tok::Block) && !parse_block_label(arguments)) return false;
    if (++count > (is_module ? 1 : op.def->regions.size()) && !op.poisoned) {
      error<kRegionCount>(open, op.def->name, is_module ? 1 : op.def->regions.size());
      if (!skip_block(open)) return false;
      op.poisoned = true;
      continue;
    }
    if (!made.valid()) {
      if (!skip_block(open)) return false;
      continue;
    }
    const std::uint32_t begin = op_begin_;
    if (is_module) {
      Nesting nesting(*this);
      parse_ops(module_->body(), false);
      if (!take(Tok::RBrace)) {
        report_unclosed(open);
        return false;
      }
      module_closed_ = true;
    } else {
      if (op.is(GraphOp::Func)) function_ = made;
      if (!parse_region(made.add_region(), arguments, isolated, open)) return false;
    }
    op_begin_ = begin;
    if (at(Tok::Block)) return error<kSeveralBlocks>(tok_);
  } while (take(Tok::Comma));
  return expect(Tok::RParen, "after the regions");
}

// What the dotted attributes and func.func's properties say, in our own words.
bool Parser::convert_generic_attributes(OpText& op, Type& function_type) {
  AttributePool& pool = context_.attributes();
  StringPool& strings = context_.strings();
  std::vector<NamedAttribute> kept;
  bool ok = true;
  for (const NamedAttribute& entry : attributes_) {
    const std::string_view key = strings.text(entry.name);
    if (key == "function_type" && op.is(GraphOp::Func)) {
      function_type = pool.as_type(entry.value);
      if (!function_type.valid() || context_.types().kind(function_type) != TypeKind::Function)
        ok = error<kBadGenericAttribute>(op.name, key, "a function type");
    } else if (key == "mlgc.where") {
      if (pool.kind(entry.value) != AttributeKind::StringList) {
        ok = error<kBadGenericAttribute>(op.name, key, "a list of strings");
        continue;
      }
      // The strings are no part of the text as they stand (escapes), so each is a small text of its own.
      Constraints constraints;
      for (const StringId id : pool.as_string_list(entry.value)) {
        const SourceFile& piece =
            context_.locations().add_source(file_.name() + "#mlgc.where", std::string(strings.text(id)));
        const ParseOptions options;
        Parser inner(context_, piece, diagnostics_, options);
        Attribute chain;
        if (!inner.parse_constraints(chain) || !inner.expect_end()) return false;
        std::optional<Constraints> parsed = constraints_from(chain, context_);
        MLGC_ASSERT(parsed.has_value(), "constraints read back from their attribute");
        for (Constraint& c : *parsed) constraints.push_back(std::move(c));
      }
      op.where = to_attribute(constraints, context_);
    } else {
      kept.push_back({context_.strings().intern(plain_key(*op.def, key)), entry.value});
    }
  }
  attributes_ = std::move(kept);
  return ok;
}

// Attributes stand behind the region, but types inside it are inferred under the function's constraints: reads them,
// and comes back to the region. They are not read again.
void Parser::read_attributes_ahead(OpText& op, OpRef made, Ahead& ahead) {
  const Token start = tok_;
  const Lexer outer = lexer_;
  advance();
  std::size_t depth = 0;
  while (!at(Tok::End)) {
    if (at(Tok::LBrace)) ++depth;
    if (at(Tok::RBrace) && depth > 0) --depth;
    if (depth == 0 && at(Tok::RParen)) break;
    advance();
  }
  // What is wrong in the region is reported when it is parsed.
  if (take(Tok::RParen) && at(Tok::LBrace)) {
    ahead.begin = tok_.begin;
    ahead.ok = parse_dict(op.def, true);
    if (!ahead.ok || !convert_generic_attributes(op, ahead.function_type)) op.poisoned = true;
    ahead.attributes = attributes_;
    ahead.lexer = lexer_;
    ahead.next = tok_;
    if (made.valid() && op.where.valid()) made.set_attr("where", op.where);
  }
  lexer_ = outer;
  tok_ = start;
}

bool Parser::parse_generic_head(RegionRef region, GenericOp& generic) {
  OpText& op = generic.op;
  op.name = tok_;
  op.result_names = count_results(op.first_name);
  std::string spelling;
  if (!parse_string(spelling)) return false;
  if (!find_op(op, short_name(spelling))) return false;
  const bool is_module = op.is(GraphOp::Module);
  const bool is_item = is_module || op.is(GraphOp::Func) || op.is(GraphOp::Weight) || op.is(GraphOp::State);
  if (is_item && !place_symbol(region, op.name)) return false;
  if (is_module) {
    if (module_seen_ || !module_->body().empty()) return error<kSecondModule>(op.name);
    module_seen_ = true;
  }
  operands_.clear();
  attributes_.clear();
  if (!expect(Tok::LParen, "before the operands")) return false;
  if (!at(Tok::RParen)) {
    do {
      Value value;
      if (!at(Tok::Value)) return unexpected("an operand");
      if (!resolve(tok_, value)) return false;
      advance();
      op.poisoned = op.poisoned || !value.valid();
      operands_.push_back(value);
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RParen, "after the operands")) return false;
  if (at(Tok::LBracket)) return error<kSeveralBlocks>(tok_);
  if (take(Tok::Less) && (!parse_dict(op.def, true) || !expect_greater("after the properties"))) return false;

  // The op is made before its regions, the attributes behind them are added afterwards.
  generic.operands = operands_;
  OpRef& made = generic.made;
  if (!op.poisoned) {
    if (is_module) {
      made = module_->top();
    } else {
      if (!check_operand_count(op, operands_.size())) return false;
      made = module_->create(op.opcode, operands_, {}, {}, location(op.name));
      made.move_to_end(region);
    }
  }
  generic.properties = attributes_;
  if (op.is(GraphOp::Func) && at(Tok::LParen)) read_attributes_ahead(op, made, generic.ahead.emplace(lexer_));
  return true;
}

bool Parser::parse_generic_tail(GenericOp& generic) {
  auto& [op, made, operands, properties, ahead, errors, has_block] = generic;
  const std::size_t first_name = op.first_name;
  attributes_ = std::move(properties);
  const bool were_read = ahead && at(Tok::LBrace) && tok_.begin == ahead->begin;
  if (were_read) {
    if (!ahead->ok) return false;
    attributes_ = std::move(ahead->attributes);
    lexer_ = ahead->lexer;
    tok_ = ahead->next;
  } else if (at(Tok::LBrace) && !parse_dict(op.def, true)) {
    return false;
  }
  if (!expect(Tok::Colon, "before the type of an op")) return false;
  std::vector<Type> operand_types;
  if (!expect(Tok::LParen, "before the operand types")) return false;
  if (!at(Tok::RParen) && !parse_type_list(operand_types)) return false;
  if (!expect(Tok::RParen, "after the operand types") || !expect(Tok::Arrow, "in the type of an op")) return false;
  if (!parse_result_types(op.types)) return false;
  op.types_given = true;
  op.location = location(op.name);
  if (!parse_optional_location(op.location)) return false;

  if (op.is(GraphOp::Func)) function_ = OpRef();
  if (op.is(GraphOp::Module) && module_->body().empty() && !has_block && !op.poisoned)
    return error<kModuleWithoutBlock>(op.name);
  Type function_type = were_read ? ahead->function_type : Type();
  if (!were_read && !convert_generic_attributes(op, function_type)) op.poisoned = true;
  if (operand_types.size() != operands.size())
    return error<kOperandTypeCount>(op.name, operands.size(), operand_types.size());
  if (op.poisoned || !made.valid()) {
    define_failed(op.first_name);
    return true;
  }
  made.set_attrs(context_.attributes().dict(attributes_));
  const bool has_symbol = op.is(GraphOp::Func) || op.is(GraphOp::Weight) || op.is(GraphOp::State);
  if (has_symbol && !made.symbol().empty()) define_symbol(op.name, made.symbol());
  if (op.is(GraphOp::Func) && made.region_count() == 0) static_cast<void>(made.add_region());
  if (!finish_op(op, made, operand_types)) define_failed(first_name);
  // A body with errors has another type for that reason alone.
  const bool sound = diagnostics_.error_count() == errors;
  if (sound && function_type.valid() && FuncRef(made).type().valid()) {
    const FuncRef func(made);
    const OpRef end = func.return_op();
    std::vector<Type> params, results;
    for (const Value argument : func.arguments()) params.push_back(argument.type());
    for (std::size_t i = 0; end.valid() && i < end.operand_count(); ++i) results.push_back(end.operand(i).type());
    const Type actual = context_.types().function(params, results);
    if (actual != function_type)
      error<kFunctionType>(op.name, context_.types().print(function_type), context_.types().print(actual));
  }
  return true;
}

bool Parser::parse_generic(RegionRef region, std::size_t first_name) {
  GenericOp generic;
  generic.errors = diagnostics_.error_count();
  generic.op.first_name = first_name;
  generic.op.first_deferred = deferred_.size();
  return parse_generic_head(region, generic) && (!take(Tok::LParen) || parse_generic_regions(generic)) &&
         parse_generic_tail(generic);
}

}  // namespace mlgc::text

// See generic_op_parser.h.
#include "text/generic_op_parser.h"

#include "ir/constraint.h"
#include "ir/function.h"
#include "text/generic_names.h"
#include "text/item_parser.h"
#include "text/op_parser.h"
#include "text/region_parser.h"

namespace mlgc::text {

// ^bb0(%a: T, …):
bool GenericOpParser::parse_block_label(std::vector<RegionArgument>& out) {
  in_.advance();
  if (in_.at(Tok::LParen)) {
    in_.advance();
    if (!in_.take(Tok::RParen)) {
      do {
        RegionArgument argument{in_.token(), {}};
        Location ignored;
        if (!in_.expect(Tok::Value, "in a block label") || !in_.expect(Tok::Colon, "after an argument")) return false;
        if (!types_.parse_type(argument.type) || !locations_.parse_optional_location(ignored)) return false;
        out.push_back(argument);
      } while (in_.take(Tok::Comma));
      if (!in_.expect(Tok::RParen, "after the arguments of a block")) return false;
    }
  }
  return in_.expect(Tok::Colon, "after a block label");
}

bool GenericOpParser::parse_generic_regions(GenericOp& generic) {
  OpText& op = generic.op;
  const OpRef made = generic.made;
  const bool is_module = op.is(GraphOp::Module);
  const bool isolated = is_module || has(op.def->traits, Traits::IsolatedRegion);
  std::size_t count = 0;
  do {
    const Token open = in_.token();
    if (!in_.expect(Tok::LBrace, "before a region")) return false;
    std::vector<RegionArgument> arguments;
    generic.has_block = in_.at(Tok::Block);
    if (in_.at(Tok::Block) && !parse_block_label(arguments)) return false;
    if (++count > (is_module ? 1 : op.def->regions.size()) && !op.poisoned) {
      in_.error<kRegionCount>(open, op.def->name, is_module ? 1 : op.def->regions.size());
      if (!in_.skip_block(open)) return false;
      op.poisoned = true;
      continue;
    }
    if (!made.valid()) {
      if (!in_.skip_block(open)) return false;
      continue;
    }
    const std::uint32_t begin = values_.op_begin();
    if (is_module) {
      Cursor::Nesting nesting(in_);
      regions_.parse_ops(module_.body(), false);
      if (!in_.take(Tok::RBrace)) {
        in_.report_unclosed(open);
        return false;
      }
      items_.close_module();
    } else {
      if (op.is(GraphOp::Func)) finisher_.enter_function(made);
      if (!regions_.parse_region(made.add_region(), arguments, isolated, open)) return false;
    }
    values_.begin_op(begin);
    if (in_.at(Tok::Block)) return in_.error<kSeveralBlocks>(in_.token());
  } while (in_.take(Tok::Comma));
  return in_.expect(Tok::RParen, "after the regions");
}

// What the dotted attributes and func.func's properties say, in our own words.
bool GenericOpParser::convert_generic_attributes(OpText& op, Type& function_type) {
  AttributePool& pool = context_.attributes();
  StringPool& strings = context_.strings();
  std::vector<NamedAttribute> kept;
  bool ok = true;
  for (const NamedAttribute& entry : attributes_.entries()) {
    const std::string_view key = strings.text(entry.name);
    if (key == "function_type" && op.is(GraphOp::Func)) {
      function_type = pool.as_type(entry.value);
      if (!function_type.valid() || context_.types().kind(function_type) != TypeKind::Function)
        ok = in_.error<kBadGenericAttribute>(op.name, key, "a function type");
    } else if (key == "mlgc.where") {
      if (pool.kind(entry.value) != AttributeKind::StringList) {
        ok = in_.error<kBadGenericAttribute>(op.name, key, "a list of strings");
        continue;
      }
      if (!parse_where(entry.value, op.where)) return false;
    } else {
      kept.push_back({context_.strings().intern(plain_key(*op.def, key)), entry.value});
    }
  }
  attributes_.entries() = std::move(kept);
  return ok;
}

// The strings are no part of the text as they stand (escapes), so each is a small text of its own.
bool GenericOpParser::parse_where(Attribute list, Attribute& where) {
  Constraints constraints;
  for (const StringId id : context_.attributes().as_string_list(list)) {
    const SourceFile& piece =
        context_.locations().add_source(in_.file().name() + "#mlgc.where", std::string(context_.strings().text(id)));
    const ParseOptions options;
    DataParser inner(context_, piece, in_.diagnostics(), options);
    Attribute chain;
    if (!inner.exprs().parse_constraints(chain) || !inner.cursor().expect_end()) return false;
    std::optional<Constraints> parsed = constraints_from(chain, context_);
    MLGC_ASSERT(parsed.has_value(), "constraints read back from their attribute");
    for (Constraint& c : *parsed) constraints.push_back(std::move(c));
  }
  where = to_attribute(constraints, context_);
  return true;
}

// Attributes stand after the region, but types inside it are inferred under the function's constraints: reads them,
// and comes back to the region. They are not read again.
void GenericOpParser::read_attributes_ahead(OpText& op, OpRef made, Ahead& ahead) {
  const Cursor::Place outer = in_.place();
  in_.advance();
  std::size_t depth = 0;
  while (!in_.at(Tok::End)) {
    if (in_.at(Tok::LBrace)) ++depth;
    if (in_.at(Tok::RBrace) && depth > 0) --depth;
    if (depth == 0 && in_.at(Tok::RParen)) break;
    in_.advance();
  }
  // What is wrong in the region is reported when it is parsed.
  if (in_.take(Tok::RParen) && in_.at(Tok::LBrace)) {
    ahead.begin = in_.token().begin;
    ahead.ok = attributes_.parse_dict(op.def, true);
    if (!ahead.ok || !convert_generic_attributes(op, ahead.function_type)) op.poisoned = true;
    ahead.attributes = attributes_.entries();
    ahead.after = in_.place();
    if (made.valid() && op.where.valid()) made.set_attr("where", op.where);
  }
  in_.go_to(outer);
}

bool GenericOpParser::parse_generic_head(RegionRef region, GenericOp& generic) {
  OpText& op = generic.op;
  op.name = in_.token();
  op.result_names = values_.count_results(op.first_name);
  std::string spelling;
  if (!in_.parse_string(spelling)) return false;
  if (!ops_.find_op(op, short_name(spelling))) return false;
  const bool is_module = op.is(GraphOp::Module);
  const bool is_item = is_module || op.is(GraphOp::Func) || op.is(GraphOp::Weight) || op.is(GraphOp::State);
  if (is_item && !items_.place_symbol(region, op.name)) return false;
  if (is_module && !items_.begin_module(op.name)) return false;
  std::vector<Value>& operands = generic.operands;
  attributes_.entries().clear();
  if (!in_.expect(Tok::LParen, "before the operands")) return false;
  if (!in_.at(Tok::RParen)) {
    do {
      Value value;
      if (!in_.at(Tok::Value)) return in_.unexpected("an operand");
      if (!values_.resolve(in_.token(), value)) return false;
      in_.advance();
      op.poisoned = op.poisoned || !value.valid();
      operands.push_back(value);
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RParen, "after the operands")) return false;
  if (in_.at(Tok::LBracket)) return in_.error<kSeveralBlocks>(in_.token());
  if (in_.take(Tok::Less) && (!attributes_.parse_dict(op.def, true) || !in_.expect_greater("after the properties")))
    return false;

  // The op is made before its regions, the attributes after them are added afterwards.
  OpRef& made = generic.made;
  if (!op.poisoned) {
    if (is_module) {
      made = module_.top();
    } else {
      if (!ops_.check_operand_count(op, operands.size())) return false;
      made = module_.create(op.opcode, operands, {}, {}, in_.location(op.name));
      made.move_to_end(region);
    }
  }
  generic.properties = attributes_.entries();
  if (op.is(GraphOp::Func) && in_.at(Tok::LParen))
    read_attributes_ahead(op, made,
                          generic.ahead.emplace(Ahead{.attributes = {}, .function_type = {}, .after = in_.place()}));
  return true;
}

bool GenericOpParser::parse_generic_tail(GenericOp& generic) {
  auto& [op, made, operands, properties, ahead, errors, has_block] = generic;
  const std::size_t first_name = op.first_name;
  attributes_.entries() = std::move(properties);
  const bool were_read = ahead && in_.at(Tok::LBrace) && in_.token().begin == ahead->begin;
  if (were_read) {
    if (!ahead->ok) return false;
    attributes_.entries() = std::move(ahead->attributes);
    in_.go_to(ahead->after);
  } else if (in_.at(Tok::LBrace) && !attributes_.parse_dict(op.def, true)) {
    return false;
  }
  if (!in_.expect(Tok::Colon, "before the type of an op")) return false;
  std::vector<Type> operand_types;
  if (!in_.expect(Tok::LParen, "before the operand types")) return false;
  if (!in_.at(Tok::RParen) && !types_.parse_type_list(operand_types)) return false;
  if (!in_.expect(Tok::RParen, "after the operand types") || !in_.expect(Tok::Arrow, "in the type of an op"))
    return false;
  if (!types_.parse_result_types(op.types)) return false;
  op.types_given = true;
  op.location = in_.location(op.name);
  if (!locations_.parse_optional_location(op.location)) return false;

  if (op.is(GraphOp::Func)) finisher_.leave_function();
  if (op.is(GraphOp::Module) && module_.body().empty() && !has_block && !op.poisoned)
    return in_.error<kModuleWithoutBlock>(op.name);
  Type function_type = were_read ? ahead->function_type : Type();
  if (!were_read && !convert_generic_attributes(op, function_type)) op.poisoned = true;
  if (operand_types.size() != operands.size())
    return in_.error<kOperandTypeCount>(op.name, operands.size(), operand_types.size());
  if (op.poisoned || !made.valid()) {
    values_.define_failed(op.first_name);
    return true;
  }
  made.set_attrs(context_.attributes().dict(attributes_.entries()));
  const bool has_symbol = op.is(GraphOp::Func) || op.is(GraphOp::Weight) || op.is(GraphOp::State);
  if (has_symbol && !made.symbol().empty()) items_.define_symbol(op.name, made.symbol());
  if (op.is(GraphOp::Func) && made.region_count() == 0) static_cast<void>(made.add_region());
  if (!finisher_.finish_op(op, made, operand_types)) values_.define_failed(first_name);
  // A body with errors has another type for that reason alone.
  const bool sound = in_.diagnostics().error_count() == errors;
  if (sound && function_type.valid() && FuncRef(made).type().valid()) {
    const FuncRef func(made);
    const OpRef end = func.return_op();
    std::vector<Type> params, results;
    for (const Value argument : func.arguments()) params.push_back(argument.type());
    for (std::size_t i = 0; end.valid() && i < end.operand_count(); ++i) results.push_back(end.operand(i).type());
    const Type actual = context_.types().function(params, results);
    if (actual != function_type)
      in_.error<kFunctionType>(op.name, context_.types().print(function_type), context_.types().print(actual));
  }
  return true;
}

bool GenericOpParser::parse_generic(RegionRef region, std::size_t first_name) {
  GenericOp generic;
  generic.errors = in_.diagnostics().error_count();
  generic.op.first_name = first_name;
  generic.op.first_deferred = finisher_.deferred_count();
  return parse_generic_head(region, generic) && (!in_.take(Tok::LParen) || parse_generic_regions(generic)) &&
         parse_generic_tail(generic);
}

}  // namespace mlgc::text

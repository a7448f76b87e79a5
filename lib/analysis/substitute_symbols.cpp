// Substitution, with a memory of what was substituted.
#include "analysis/substitute_symbols.h"

#include <unordered_set>
#include <vector>

#include "formula/formula_syntax.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"

namespace mlgc {

void SymbolSubstitution::match(Type formal, Type actual) {
  const TypePool& types = context_->types();
  if (!types.is_shaped(formal) || !types.is_shaped(actual) || types.rank(formal) != types.rank(actual)) return;
  for (std::size_t i = 0; i < types.rank(formal); ++i) {
    const auto atom = context_->index().as_atom(types.dims(formal)[i]);
    if (atom && context_->index().atom(*atom).kind == AtomKind::Symbol) set(*atom, types.dims(actual)[i]);
  }
}

bool SymbolSubstitution::is_identity() const {
  for (const auto& [symbol, value] : values_)
    if (context_->index().as_atom(value) != symbol) return false;
  return true;
}

IndexExpr SymbolSubstitution::operator()(IndexExpr e) {
  return context_->index().substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
    const auto it = values_.find(atom);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  });
}

Type SymbolSubstitution::operator()(Type type) {
  TypePool& types = context_->types();
  if (const auto it = types_.find(type.id); it != types_.end()) return it->second;
  Type result = type;
  if (types.is_shaped(type)) {
    std::vector<IndexExpr> dims;
    for (const IndexExpr dim : types.dims(type)) dims.push_back((*this)(dim));
    result = types.with_dims(type, dims);
  } else if (types.kind(type) == TypeKind::Function) {
    std::vector<Type> params, results;
    for (const Type t : types.params(type)) params.push_back((*this)(t));
    for (const Type t : types.results(type)) results.push_back((*this)(t));
    result = types.function(params, results);
  }
  types_[type.id] = result;
  return result;
}

Attribute SymbolSubstitution::operator()(Attribute attribute) {
  if (const auto it = attributes_.find(attribute.id); it != attributes_.end()) return it->second;
  AttributePool& pool = context_->attributes();
  Attribute result = attribute;
  const auto expressions = [&] {
    std::vector<IndexExpr> out;
    for (const IndexExpr e : pool.as_int_list(attribute)) out.push_back((*this)(e));
    return out;
  };
  switch (pool.kind(attribute)) {
    case AttributeKind::Int: result = pool.integer((*this)(*pool.as_int(attribute))); break;
    case AttributeKind::IntList: result = pool.int_list(expressions()); break;
    case AttributeKind::Subscripts: result = pool.subscripts(expressions()); break;
    case AttributeKind::Type: result = pool.type((*this)(pool.as_type(attribute))); break;
    case AttributeKind::Tensor: {
      const TensorConstant constant = pool.as_tensor(attribute);
      if (!context_->types().is_static(constant.type)) result = pool.tensor((*this)(constant.type), constant.bytes);
      break;
    }
    case AttributeKind::Array: {
      std::vector<Attribute> items;  // nesting is bounded by the parser's limit
      for (const Attribute item : pool.as_array(attribute)) items.push_back((*this)(item));
      result = pool.array(items);
      break;
    }
    default: break;
  }
  attributes_[attribute.id] = result;
  return result;
}

AttrDict SymbolSubstitution::operator()(AttrDict attrs) {
  if (attrs.empty()) return attrs;
  if (const auto it = dicts_.find(attrs.id); it != dicts_.end()) return it->second;
  const auto entries = context_->attributes().entries(attrs);
  std::vector<NamedAttribute> substituted(entries.begin(), entries.end());
  for (NamedAttribute& entry : substituted) entry.value = (*this)(entry.value);
  const AttrDict result = context_->attributes().dict(substituted);
  dicts_[attrs.id] = result;
  return result;
}

Attribute SymbolSubstitution::formula_text(OpRef compute) {
  std::vector<FormulaOperand> operands;
  for (const Value value : compute.operands())
    operands.push_back(
        {"x" + std::to_string(operands.size()), true, value.dtype(), {value.dims().begin(), value.dims().end()}});
  // A name with a value is that value, also where a text would take it for a symbol. An index label hides a size, and
  // so does an operand.
  const std::string_view text = *context_->attributes().as_string(compute.attr("formula"));
  const auto syntax = parse_formula_syntax(text);
  MLGC_ASSERT(syntax.ok(), "the formula of a verified op");
  std::unordered_set<std::string> labels;
  for (const FormulaOperand& operand : operands) labels.insert(operand.name);
  for (const SyntaxStatement& statement : syntax->statements) {
    for (const auto& [label, extent] : statement.over) labels.insert(label);
    for (const SyntaxId subscript : statement.subscripts) labels.insert((*syntax)[subscript].text);
  }
  for (const SyntaxNode& node : syntax->nodes)
    for (const SyntaxId label : node.labels) labels.insert((*syntax)[label].text);
  AttrValues values;
  for (const auto& [symbol, value] : values_) {
    std::string name(context_->index().symbol_name(symbol));
    if (!labels.contains(name)) values.values.emplace_back(std::move(name), value);
  }
  FormulaPool& pool = formulas(*context_);
  const Result<Formula, Diagnostic> formula = instantiate_text(pool, text, operands, values);
  MLGC_ASSERT(formula.ok(), "the formula of a verified op, with other sizes");
  return context_->attributes().string(print_formula(pool, *formula));
}

void SymbolSubstitution::apply(OpRef root) {
  walk(root, [&](OpRef op) {
    if (!op.attrs().empty()) op.set_attrs((*this)(op.attrs()));
    if (op.is(GraphOp::Compute) && !values_.empty()) op.set_attr("formula", formula_text(op));
    for (const Value result : op.results()) result.set_type((*this)(result.type()));
    for (const RegionRef region : op.regions())
      for (const Value argument : region.arguments()) argument.set_type((*this)(argument.type()));
  });
}

}  // namespace mlgc

// Matches shapes with types.
#include "interp/bind_symbols.h"

#include "diag/kinds_interp.h"
#include "ops/solved_products.h"

namespace mlgc {

void bind_dims(Context& context, Type type, const Shape& shape, SymbolValues& symbols) {
  const IndexPool& pool = context.index();
  const std::span<const IndexExpr> dims = context.types().dims(type);
  for (std::size_t d = 0; d < dims.size() && d < shape.size(); ++d) {
    // slope * symbol + constant
    std::optional<AtomId> symbol;
    std::int64_t slope = 0, constant = 0;
    bool linear = true;
    for (std::size_t t = 0; t < pool.term_count(dims[d]); ++t) {
      const Term term = pool.term(dims[d], t);
      if (term.factors.empty()) {
        constant = term.coefficient;
      } else if (term.factors.size() == 1 && !symbol && pool.atom(term.factors[0]).kind == AtomKind::Symbol) {
        symbol = term.factors[0];
        slope = term.coefficient;
      } else {
        linear = false;
      }
    }
    if (!linear || !symbol || symbols.find(*symbol)) continue;
    const std::int64_t rest = shape[d] - constant;
    if (rest % slope == 0 && rest / slope >= 0) symbols.values.emplace_back(*symbol, rest / slope);
  }
}

bool shape_fits(const Context& context, Type type, const Shape& shape, const SymbolValues& symbols) {
  const std::span<const IndexExpr> dims = context.types().dims(type);
  if (dims.size() != shape.size()) return false;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto wanted = context.index().evaluate(dims[d], [&](AtomId id) { return symbols.find(id); });
    if (!wanted || *wanted != shape[d]) return false;
  }
  return true;
}

std::optional<Shape> shape_of(const Context& context, Type type, const SymbolValues& symbols) {
  Shape shape;
  for (const IndexExpr dim : context.types().dims(type)) {
    const auto size = context.index().evaluate(dim, [&](AtomId id) { return symbols.find(id); });
    if (!size || *size < 0) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

void check_constraints(const Constraints& constraints, const IndexPool& index, const SymbolValues& symbols,
                       Location at) {
  const auto value_of = [&](AtomId id) { return symbols.find(id); };
  for (const Constraint& constraint : constraints) {
    if (holds(constraint, index, value_of).value_or(true)) continue;
    std::vector<std::string> values;
    for (const IndexExpr term : constraint.terms) {
      if (index.as_constant(term)) continue;
      const auto value = index.evaluate(term, value_of);
      values.push_back(index.print(term) + " is " + (value ? std::to_string(*value) : "unknown"));
    }
    throw diagnose<kConstraintFails>(at, print(constraint, index), values);
  }
}

namespace {

// A size in a dim that has no value yet.
std::optional<AtomId> unbound_size(const Context& context, Type type, const SymbolValues& symbols) {
  std::optional<AtomId> found;
  if (!context.types().is_shaped(type)) return found;
  for (const IndexExpr dim : context.types().dims(type))
    context.index().for_each_atom(dim, [&](AtomId id) {
      if (!found && context.index().atom(id).kind == AtomKind::Symbol && !symbols.find(id)) found = id;
    });
  return found;
}

// Gives a value to the sizes of a product that is solved from a dim.
void bind_product(const Context& context, const SolvedProduct& solved, Type type, const Shape& shape,
                  SymbolValues& symbols) {
  if (!context.types().is_shaped(type) || symbols.find(solved.size)) return;
  const std::span<const IndexExpr> dims = context.types().dims(type);
  for (std::size_t d = 0; d < dims.size() && d < shape.size(); ++d) {
    const auto dim = affine_dim(context.index(), dims[d], solved.product);
    const auto size = dim ? dim->size_for(shape[d]) : std::nullopt;
    if (!size) continue;
    symbols.values.emplace_back(solved.size, *size);
    for (const AtomId one : solved.ones) symbols.values.emplace_back(one, 1);
    return;
  }
}

// Sizes that are solved from their product (ops/solved_products.h). Reports one that cannot be inferred.
void bind_products(FuncRef func, std::span<const Value> arguments, std::span<const Tensor> inputs,
                   SymbolValues& symbols) {
  const Context& context = func.op().module().context();
  const auto missing = [&] {
    std::optional<AtomId> found;
    for (std::size_t i = 0; i < inputs.size() && !found; ++i)
      found = unbound_size(context, arguments[i].type(), symbols);
    return found;
  };
  if (!missing()) return;
  const SolvedProducts products = solved_products(func.op());
  for (const SolvedProduct& solved : products.all)
    for (std::size_t i = 0; i < inputs.size(); ++i)
      bind_product(context, solved, arguments[i].type(), inputs[i].shape(), symbols);
  const auto still = missing();
  for (const UnsolvedSize& unsolved : products.unsolved)
    if (still == unsolved.size)
      throw diagnose<kSizeNotInferred>(func.op().location(), context.index().symbol_name(unsolved.size), func.name(),
                                       unsolved.reason);
}

}  // namespace

SymbolValues bind_arguments(FuncRef func, std::span<const Value> arguments, std::span<const Tensor> inputs,
                            bool in_f64) {
  Context& context = func.op().module().context();
  const Location at = func.op().location();
  if (inputs.size() != arguments.size()) throw diagnose<kInputCount>(at, func.name(), arguments.size(), inputs.size());
  SymbolValues symbols;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (context.types().is_shaped(arguments[i].type()))
      bind_dims(context, arguments[i].type(), inputs[i].shape(), symbols);
  bind_products(func, arguments, inputs, symbols);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type type = arguments[i].type();
    if (!context.types().is_shaped(type)) continue;
    const std::string name = arguments[i].name().empty() ? std::to_string(i) : std::string(arguments[i].name());
    const Dtype wanted = context.types().dtype(type);
    const bool widened = in_f64 && inputs[i].dtype() == reference_dtype(wanted);
    if (inputs[i].dtype() != wanted && !widened)
      throw diagnose<kInputDtype>(at, name, dtype_info(inputs[i].dtype()).name, dtype_info(wanted).name);
    if (!shape_fits(context, type, inputs[i].shape(), symbols))
      throw diagnose<kInputShape>(at, name, shape_text(inputs[i].shape()), context.types().print(type));
  }
  check_constraints(func.constraints(), context.index(), symbols, at);
  return symbols;
}

}  // namespace mlgc

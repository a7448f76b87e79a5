// Inference of structural rows.
#include "ops/infer_structural.h"

#include <unordered_map>

#include "diag/kinds_ops.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/function.h"
#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

std::vector<Type> types_of(const OpRef& op) {
  std::vector<Type> out;
  if (op.valid())
    for (const Value v : op.operands()) out.push_back(v.type());
  return out;
}

std::string print(const TypePool& pool, std::span<const Type> types) {
  std::string out = "(";
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i) out += ", ";
    pool.print(out, types[i]);
  }
  return out + ")";
}

Diagnostic unknown_symbol(const OpRef& op, std::string_view name) {
  Diagnostic d = diagnose<kUnknownSymbol>({}, name);
  std::vector<std::string_view> names;
  for (const OpRef item : op.module().body().ops())
    if (!item.symbol().empty()) names.push_back(item.symbol());
  if (const auto near = closest_name(name, names)) d.add_note<kDidYouMean>({}, "@" + std::string(*near));
  return d;
}

// What a region yields; empty while it is not complete.
std::vector<Type> yielded(const OpRef& op, std::size_t region) {
  return op.region_count() > region ? types_of(op.region(region).terminator()) : std::vector<Type>();
}

}  // namespace

InferredTypes infer_constant(const InferContext& in) {
  return std::vector<Type>{in.context().attributes().as_tensor(in.attr("value")).type};
}

InferredTypes infer_dim(const InferContext& in) {
  return std::vector<Type>{in.context().types().tensor(Dtype::I64, std::span<const IndexExpr>())};
}

InferredTypes infer_read(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_read: no op");
  const std::string_view name = *in.context().attributes().as_symbol(in.attr("symbol"));
  const OpRef symbol = in.op().module().lookup(name);
  if (!symbol.valid()) return Failure{unknown_symbol(in.op(), name)};
  const auto& known = in.context().known();
  if (!symbol.is(known.weight) && !symbol.is(known.state))
    return Failure{diagnose<kSymbolKind>({}, name, symbol.name(), "weight or state")};
  return std::vector<Type>{in.context().attributes().as_type(symbol.attr(in.context().names().type))};
}

InferredTypes infer_call(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_call: no op");
  Context& context = in.context();
  TypePool& types = context.types();
  const std::string_view name = *context.attributes().as_symbol(in.attr("callee"));
  const OpRef symbol = in.op().module().lookup(name);
  if (!symbol.valid()) return Failure{unknown_symbol(in.op(), name)};
  const FuncRef callee = FuncRef::from(symbol);
  if (!callee.valid()) return Failure{diagnose<kSymbolKind>({}, name, symbol.name(), "func")};
  const auto arguments = callee.arguments();
  if (arguments.size() != in.operands().size())
    return Failure{diagnose<kCallArguments>({}, name, arguments.size(), in.operands().size())};

  // Bare symbols take the caller's sizes; every other dim must then agree.
  std::unordered_map<std::uint32_t, IndexExpr> sizes;
  const auto substitute = [&](IndexExpr e) {
    return context.index().substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
      const auto it = sizes.find(atom.value);
      return it == sizes.end() ? std::nullopt : std::optional(it->second);
    });
  };
  const auto instance = [&](Type t) {
    if (!types.is_shaped(t)) return t;
    std::vector<IndexExpr> dims;
    for (IndexExpr d : types.dims(t)) dims.push_back(substitute(d));
    return types.with_dims(t, dims);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type formal = arguments[i].type(), actual = in.operands()[i];
    if (!types.is_shaped(formal) || !types.is_shaped(actual) || types.rank(formal) != types.rank(actual)) continue;
    for (std::size_t d = 0; d < types.rank(formal); ++d) {
      const auto atom = context.index().as_atom(types.dims(formal)[d]);
      if (atom && context.index().atom(*atom).kind == AtomKind::Symbol)
        sizes.try_emplace(atom->value, types.dims(actual)[d]);
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type wanted = instance(arguments[i].type());
    if (wanted != in.operands()[i])
      return Failure{diagnose<kCallArgumentType>({}, i, name, types.print(wanted), types.print(in.operands()[i]))};
  }
  std::vector<Type> results;
  for (const Value v : callee.results()) results.push_back(instance(v.type()));
  return results;
}

InferredTypes infer_if(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_if: no op");
  std::vector<Type> first = yielded(in.op(), 0);
  const std::vector<Type> second = yielded(in.op(), 1);
  if (first != second)
    return Failure{diagnose<kRegionYield>({}, "else", "if", print(in.context().types(), second),
                                          print(in.context().types(), first))};
  return first;
}

InferredTypes infer_carried(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_carried: no op");
  std::vector<Type> initial = types_of(in.op());
  const auto check = [&](std::size_t region, std::size_t skipped) -> std::optional<Diagnostic> {
    std::vector<Type> given = yielded(in.op(), region);
    given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, given.size())));
    if (given == initial) return std::nullopt;
    return diagnose<kRegionYield>({}, in.def().regions[region].name, in.def().name, print(in.context().types(), given),
                                  print(in.context().types(), initial));
  };
  if (auto wrong = check(0, 1)) return Failure{std::move(*wrong)};
  if (auto wrong = check(1, 0)) return Failure{std::move(*wrong)};
  return initial;
}

InferredTypes infer_scan(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_scan: no op");
  TypePool& types = in.context().types();
  const std::vector<Type> operands = types_of(in.op());
  const auto carried = in.context().attributes().as_int64(in.attr("carried"));
  if (!carried || *carried < 0 || static_cast<std::size_t>(*carried) >= operands.size())
    return Failure{diagnose<kAttributeValue>({}, "carried", "scan", "at least one operand must be a sequence")};
  const auto count = static_cast<std::size_t>(*carried);
  const Type sequence = operands[count];
  if (!types.is_tensor(sequence) || types.rank(sequence) == 0)
    return Failure{diagnose<kOperandClass>({}, "initial", "scan", types.print(sequence), "a tensor with an axis 0")};
  const IndexExpr length = types.dims(sequence)[0];
  std::vector<Type> given = yielded(in.op(), 0);
  const std::vector<Type> initial(operands.begin(), operands.begin() + *carried);
  if (given.size() < count || !std::equal(initial.begin(), initial.end(), given.begin()))
    return Failure{diagnose<kRegionYield>({}, "body", "scan", print(types, given), print(types, initial) + " first")};
  for (std::size_t i = count; i < given.size(); ++i) {
    std::vector<IndexExpr> dims{length};
    const auto rest = types.dims(given[i]);
    dims.insert(dims.end(), rest.begin(), rest.end());
    given[i] = types.tensor(types.dtype(given[i]), dims);
  }
  return given;
}

InferredTypes infer_fusion(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_fusion: no op");
  return yielded(in.op(), 0);
}

}  // namespace mlgc

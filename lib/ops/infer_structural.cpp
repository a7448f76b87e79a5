// Inference of structural rows.
#include "ops/infer_structural.h"

#include <algorithm>

#include "diag/kinds_loops.h"
#include "diag/kinds_ops.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
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

}  // namespace

Result<OpRef, Diagnostic> find_symbol(const OpRef& op, std::string_view name) {
  const OpRef symbol = op.module().lookup(name);
  if (symbol.valid() && op.is_inside(symbol)) return Failure{diagnose<kSymbolInItself>({}, name)};
  if (symbol.valid()) return symbol;
  Diagnostic d = diagnose<kUnknownSymbol>({}, name);
  std::vector<std::string_view> names;
  for (const OpRef item : op.module().body().ops())
    if (!item.symbol().empty()) names.push_back(item.symbol());
  if (const auto near = closest_name(name, names)) d.add_note<kDidYouMean>({}, "@" + std::string(*near));
  return Failure{std::move(d)};
}

namespace {

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

void CalleeSizes::match(Type formal, Type actual) {
  const TypePool& types = context_->types();
  if (!types.is_shaped(formal) || !types.is_shaped(actual) || types.rank(formal) != types.rank(actual)) return;
  for (std::size_t d = 0; d < types.rank(formal); ++d) {
    const auto atom = context_->index().as_atom(types.dims(formal)[d]);
    if (atom && context_->index().atom(*atom).kind == AtomKind::Symbol)
      sizes_.try_emplace(*atom, types.dims(actual)[d]);
  }
}

CalleeSizes CalleeSizes::of_launch(OpRef launch) {
  Context& context = launch.module().context();
  CalleeSizes sizes(context);
  for (const auto& [symbol, size] : LaunchRef::from(launch).stated_sizes()) sizes.state(symbol, size);
  const OpRef callee = LaunchRef::from(launch).callee();
  for (std::size_t i = 0; i < launch.operand_count(); ++i)
    sizes.match(callee.region(0).argument(i).type(), launch.operand(i).type());
  return sizes;
}

IndexExpr CalleeSizes::in_caller(IndexExpr e) const {
  return context_->index().substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
    const auto it = sizes_.find(atom);
    return it == sizes_.end() ? std::nullopt : std::optional(it->second);
  });
}

Type CalleeSizes::in_caller(Type type) const {
  TypePool& types = context_->types();
  if (!types.is_shaped(type)) return type;
  std::vector<IndexExpr> dims;
  for (const IndexExpr d : types.dims(type)) dims.push_back(in_caller(d));
  return types.with_dims(type, dims);
}

namespace {

// The type of the weight or state that the op's symbol names.
Result<Type, Diagnostic> type_of_symbol(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "a symbol without an op");
  const std::string_view name = *in.context().attributes().as_symbol(in.attr("symbol"));
  const auto found = find_symbol(in.op(), name);
  if (!found) return Failure{found.error()};
  const OpRef symbol = *found;
  if (!symbol.is(GraphOp::Weight) && !symbol.is(GraphOp::State))
    return Failure{diagnose<kSymbolKind>({}, name, symbol.name(), "weight or state")};
  return in.context().attributes().as_type(symbol.attr(in.context().names().type));
}

// The function that the op's `callee` names, which has as many arguments as the op has operands.
Result<FuncRef, Diagnostic> find_callee(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "a callee without an op");
  const std::string_view name = *in.context().attributes().as_symbol(in.attr("callee"));
  const auto found = find_symbol(in.op(), name);
  if (!found) return Failure{found.error()};
  const OpRef symbol = *found;
  const FuncRef callee = FuncRef::from(symbol);
  if (!callee.valid()) return Failure{diagnose<kSymbolKind>({}, name, symbol.name(), "func")};
  if (symbol.region_count() == 0) return Failure{diagnose<kCalleeUnread>({}, name)};
  if (callee.arguments().size() != in.operands().size())
    return Failure{diagnose<kCallArguments>({}, name, callee.arguments().size(), in.operands().size())};
  return callee;
}

}  // namespace

InferredTypes infer_read(const InferContext& in) {
  const auto type = type_of_symbol(in);
  if (!type) return Failure{type.error()};
  return std::vector<Type>{*type};
}

InferredTypes infer_data(const InferContext& in) {
  const auto type = type_of_symbol(in);
  if (!type) return Failure{type.error()};
  TypePool& types = in.context().types();
  return std::vector<Type>{types.buffer(types.dtype(*type), types.dims(*type), Scope::Weight)};
}

InferredTypes infer_launch(const InferContext& in) {
  const auto callee = find_callee(in);
  if (!callee) return Failure{callee.error()};
  if (!is_loop_function(callee->op())) return Failure{diagnose<kLaunchCallee>({}, callee->name())};
  return std::vector<Type>();
}

InferredTypes infer_call(const InferContext& in) {
  const auto found = find_callee(in);
  if (!found) return Failure{found.error()};
  Context& context = in.context();
  TypePool& types = context.types();
  const FuncRef callee = *found;
  const std::string_view name = callee.name();
  const auto arguments = callee.arguments();
  CalleeSizes sizes(context);
  for (std::size_t i = 0; i < arguments.size(); ++i) sizes.match(arguments[i].type(), in.operands()[i]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type wanted = sizes.in_caller(arguments[i].type());
    if (wanted != in.operands()[i])
      return Failure{diagnose<kCallArgumentType>({}, i, name, types.print(wanted), types.print(in.operands()[i]))};
  }
  std::vector<Type> results;
  for (const Value v : callee.results()) {
    results.push_back(sizes.in_caller(v.type()));
    if (!types.is_shaped(v.type())) continue;
    // Two calls would give two sizes one name.
    for (const IndexExpr d : types.dims(v.type())) {
      std::optional<AtomId> free;
      context.index().for_each_atom(d, [&](AtomId atom) {
        if (context.index().atom(atom).kind == AtomKind::Symbol && !sizes.knows(atom)) free = atom;
      });
      if (free) return Failure{diagnose<kCallResultSize>({}, name, context.index().symbol_name(*free))};
    }
  }
  return results;
}

std::optional<Diagnostic> check_region_arguments(const InferContext& in, std::size_t region,
                                                 std::span<const Type> wanted) {
  if (in.op().region_count() <= region) return std::nullopt;
  std::vector<Type> given;
  for (const Value argument : in.op().region(region).arguments()) given.push_back(argument.type());
  if (std::equal(given.begin(), given.end(), wanted.begin(), wanted.end())) return std::nullopt;
  const TypePool& types = in.context().types();
  return diagnose<kRegionArguments>({}, in.def().regions[region].name, in.def().name, print(types, given),
                                    print(types, wanted));
}

std::optional<Diagnostic> check_region_yield(const InferContext& in, std::size_t region, std::span<const Type> wanted,
                                             std::size_t skipped) {
  std::vector<Type> given = yielded(in.op(), region);
  given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, given.size())));
  if (std::equal(given.begin(), given.end(), wanted.begin(), wanted.end())) return std::nullopt;
  const TypePool& types = in.context().types();
  return diagnose<kRegionYield>({}, in.def().regions[region].name, in.def().name, print(types, given),
                                print(types, wanted));
}

InferredTypes infer_if(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_if: no op");
  for (const std::size_t region : {0U, 1U})
    if (auto wrong = check_region_arguments(in, region, {})) return Failure{std::move(*wrong)};
  std::vector<Type> first = yielded(in.op(), 0);
  if (auto wrong = check_region_yield(in, 1, first)) return Failure{std::move(*wrong)};
  return first;
}

InferredTypes infer_carried(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_carried: no op");
  std::vector<Type> initial = types_of(in.op());
  for (const std::size_t region : {0U, 1U}) {
    if (auto wrong = check_region_arguments(in, region, initial)) return Failure{std::move(*wrong)};
    // The first region ends in whether to go on, then the values.
    if (auto wrong = check_region_yield(in, region, initial, region == 0 ? 1 : 0)) return Failure{std::move(*wrong)};
  }
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
  std::vector<Type> arguments(operands.begin(), operands.begin() + *carried);
  for (std::size_t i = count; i < operands.size(); ++i) {
    const Type sequence = operands[i];
    if (!types.is_tensor(sequence) || types.rank(sequence) == 0)
      return Failure{diagnose<kOperandClass>({}, "initial", "scan", types.print(sequence), "a tensor with an axis 0")};
    arguments.push_back(types.tensor(types.dtype(sequence), types.dims(sequence).subspan(1)));
  }
  if (auto wrong = check_region_arguments(in, 0, arguments)) return Failure{std::move(*wrong)};
  const IndexExpr length = types.dims(operands[count])[0];
  std::vector<Type> given = yielded(in.op(), 0);
  const std::vector<Type> initial(operands.begin(), operands.begin() + *carried);
  if (given.size() < count || !std::equal(initial.begin(), initial.end(), given.begin()))
    return Failure{diagnose<kRegionYield>({}, "body", "scan", print(types, given), print(types, initial) + " first")};
  for (std::size_t i = count; i < given.size(); ++i) {
    if (!types.is_tensor(given[i]))
      return Failure{diagnose<kRegionYield>({}, "body", "scan", print(types, given), "tensors to stack")};
    std::vector<IndexExpr> dims{length};
    const auto rest = types.dims(given[i]);
    dims.insert(dims.end(), rest.begin(), rest.end());
    given[i] = types.tensor(types.dtype(given[i]), dims);
  }
  return given;
}

namespace {

// The stated type where it is that of positions in `columns` columns whose first size is a name of its own.
InferredTypes stated_positions(const InferContext& in, std::optional<std::int64_t> columns) {
  const TypePool& types = in.context().types();
  const IndexPool& index = in.context().index();
  const std::size_t rank = columns ? 2 : 1;
  if (in.stated().size() == 1 && types.is_tensor(in.stated()[0]) && types.rank(in.stated()[0]) == rank &&
      types.dtype(in.stated()[0]) == Dtype::I64) {
    const auto dims = types.dims(in.stated()[0]);
    const auto size = index.as_atom(dims[0]);
    if (size && index.atom(*size).kind == AtomKind::Symbol && (!columns || index.as_constant(dims[1]) == columns))
      return std::vector<Type>{in.stated()[0]};
  }
  const std::string wanted = "tensor<[u]x" + (columns ? std::to_string(*columns) + "x" : std::string()) + "i64>";
  return Failure{diagnose<kDataSize>({}, in.def().name, wanted,
                                     in.stated().empty() ? "not stated" : print(in.context().types(), in.stated()))};
}

}  // namespace

InferredTypes infer_nonzero(const InferContext& in) {
  return stated_positions(in, static_cast<std::int64_t>(in.context().types().rank(in.operands()[0])));
}

InferredTypes infer_range(const InferContext& in) {
  if (in.context().types().rank(in.operands()[0]) != 0)
    return Failure{diagnose<kOperandClass>({}, "end", "range", in.context().types().print(in.operands()[0]),
                                           "a tensor of rank 0")};
  return stated_positions(in, std::nullopt);
}

InferredTypes infer_isolated(const InferContext& in) {
  MLGC_ASSERT(in.op().valid(), "infer_isolated: no op");
  if (auto wrong = check_region_arguments(in, 0, in.operands())) return Failure{std::move(*wrong)};
  return yielded(in.op(), 0);
}

}  // namespace mlgc

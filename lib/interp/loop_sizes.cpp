// See loop_sizes.h.
#include "interp/loop_sizes.h"

#include <algorithm>

#include "diag/kinds_interp.h"
#include "interp/bind_symbols.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"

namespace mlgc::loop_program {

void Sizes::learn(AtomId symbol, std::int64_t value, Location at) {
  symbols_ = [before = symbols_, symbol, value](AtomId id) { return id == symbol ? std::optional(value) : before(id); };
  SymbolValues known;
  for (const AtomId id : symbols_of(func_))
    if (const auto is = symbols_(id)) known.values.emplace_back(id, *is);
  check_constraints(FuncRef(func_).constraints(), func_.module().context().index(), known, at);
}

std::int64_t Sizes::size(IndexExpr e, Location at) const {
  const IndexPool& index = func_.module().context().index();
  const auto size = index.evaluate(e, symbols_);
  if (!size || *size < 0)
    throw diagnose<kBufferSize>(at, index.print(e), size ? std::to_string(*size) : "without a value");
  return *size;
}

IndexExpr Sizes::without_symbols(IndexExpr e, Location at) const {
  IndexPool& index = func_.module().context().index();
  return index.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    if (index.atom(id).kind != AtomKind::Symbol) return std::nullopt;
    const auto value = symbols_(id);
    if (!value) throw diagnose<kUnboundSymbol>(at, index.symbol_name(id));
    return index.constant(*value);
  });
}

std::vector<std::int64_t> Sizes::shape_of(Value buffer, Location at) const {
  const TypePool& types = func_.module().context().types();
  std::vector<std::int64_t> shape;
  for (const IndexExpr dim : types.dims(buffer.type())) shape.push_back(size(dim, at));
  if (!checked_element_count(buffer.dtype(), shape))
    throw diagnose<kBufferSize>(at, types.print(buffer.type()), "too large");
  return shape;
}

bool Sizes::is_late(Value buffer) const {
  const IndexPool& index = func_.module().context().index();
  const std::vector<OpRef> late = late_sizes(func_);
  const auto dims = buffer.dims();
  return std::any_of(late.begin(), late.end(), [&](OpRef bind) {
    const AtomId symbol = BindSizeRef::from(bind).size();
    return !knows(symbol) &&
           std::any_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return index.mentions(dim, symbol); });
  });
}

}  // namespace mlgc::loop_program

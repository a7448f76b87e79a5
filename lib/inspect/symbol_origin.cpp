// See symbol_origin.h.
#include "inspect/symbol_origin.h"

#include <algorithm>

#include "ir/walk.h"

namespace mlgc {

std::vector<SymbolOrigin> symbol_origins(const FuncRef& function) {
  const Context& context = function.op().module().context();
  const IndexPool& index = context.index();
  std::vector<SymbolOrigin> out;
  const auto is_known = [&](std::string_view name) {
    return std::any_of(out.begin(), out.end(), [&](const SymbolOrigin& at) { return at.name == name; });
  };
  // A dim that is the symbol alone says more than an expression of it.
  const auto take = [&](Value value, bool alone) {
    if (!context.types().is_shaped(value.type())) return;
    for (std::size_t i = 0; i < value.rank(); ++i) {
      const IndexExpr size = value.dims()[i];
      if (alone && !index.as_atom(size)) continue;
      index.for_each_atom(size, [&](AtomId atom) {
        if (index.atom(atom).kind == AtomKind::Symbol && !is_known(index.symbol_name(atom)))
          out.push_back({std::string(index.symbol_name(atom)), value, i, size});
      });
    }
  };
  for (const bool alone : {true, false})
    for (const Value argument : function.arguments()) take(argument, alone);
  walk(function.op(), [&](OpRef op) {
    if (op.has_trait(Traits::BindsSize))
      for (const Value result : op.results()) take(result, true);
  });
  return out;
}

}  // namespace mlgc

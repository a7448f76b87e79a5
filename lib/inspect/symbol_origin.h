// Where the sizes that are symbols come from in a function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/function.h"

namespace mlgc {

struct SymbolOrigin {
  std::string name;
  Value value;          // an argument, or the result of an op that introduces the size
  std::size_t dim = 0;  // of its type
  IndexExpr size;       // that dim: the symbol, or an expression of it
};

// In the order in which the function introduces them.
[[nodiscard]] std::vector<SymbolOrigin> symbol_origins(const FuncRef& function);

}  // namespace mlgc

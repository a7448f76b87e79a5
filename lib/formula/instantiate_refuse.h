// How instantiation says that a formula is wrong: every error that a user causes is thrown as Refused, and caught at
// the entry points in instantiate.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "diag/kinds_ops.h"
#include "formula/formula_syntax.h"

namespace mlgc::instantiation {

// What refuse() throws and the entry points turn into a Failure: it leaves no public function.
struct Refused {
  Diagnostic diagnostic;
};

template <const DiagKind& K, class... Args>
[[noreturn]] void refuse(Args&&... args) {
  throw Refused{diagnose<K>({}, std::forward<Args>(args)...)};
}

[[noreturn]] inline void bad(const SyntaxNode& node, std::string_view message) {
  refuse<kFormulaSyntax>(message, static_cast<std::int64_t>(node.column));
}

}  // namespace mlgc::instantiation

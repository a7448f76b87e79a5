// The verifier: what a module must satisfy beyond the invariants of its store.
//
// It checks that values are defined before they are used and visible there, that regions end as their rows say, that
// operands, attributes and result types are what the rows infer, that symbols resolve and are defined once, that
// functions return what `updates` promises, and that isolated regions see nothing from outside. Every finding is
// located; all findings are reported, up to the engine's limit. Time is linear in the module.
#pragma once

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

// True when nothing was found.
bool verify(const Module& module, DiagnosticEngine& diagnostics);
// The same for a module that is still to be sorted: values may be used before their definition. What is stored where is
// not checked in one in which a value is.
bool verify_in_any_order(const Module& module, DiagnosticEngine& diagnostics);

// Of a module that is valid but for this function of it, linear in the function: what changed one alone asks this.
bool verify_function(OpRef func, DiagnosticEngine& diagnostics);

}  // namespace mlgc

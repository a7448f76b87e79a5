// Differences from ATen that are understood and stay, each with its reason and with what it may look like: a row of the
// table covers a difference only where nothing but its symptoms is seen. The comparison of single rows has a table of
// its own (test/aten/known.py), with the cases in which they show.
#pragma once

#include <cstddef>
#include <string_view>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "tensor/compare.h"

namespace mlgc {

// Result `result` of the run, of the type that ATen's has, differs as `difference` says. The reason; empty when it is
// none of the table.
[[nodiscard]] std::string_view known_difference(const OpRun& run, std::size_t result, const Difference& difference);

// The op was refused with this kind, and ATen computed it.
[[nodiscard]] std::string_view known_refusal(const OpRun& run, const DiagKind& kind);

// The types of a result differ.
[[nodiscard]] std::string_view known_type_difference(const OpRun& run);

// Why ATen may not be called: with such operands it reads or writes outside its memory. Empty when it may.
[[nodiscard]] std::string_view why_not_called(const OpRun& run);

// A row that takes a mean off and divides by a deviation that it computes.
[[nodiscard]] bool keeps_statistics(std::string_view row);

// A row whose results step: the least change of an operand may change them by as much as there is between two results.
[[nodiscard]] bool has_steps(std::string_view row);

}  // namespace mlgc

// Makes a program functional: operators that change tensors in place become operators with results, and what other
// views of the same memory read from then on follows. States and inputs that are changed become outputs of the program.
//
// A view remembers the node that made it. After a change it is made again from what it is a view of when it is next
// read; a change through a view is carried back, view by view, to the tensor whose memory it is. PyTorch's own
// functionalisation does the same on tensors ("functionalization", torch/_subclasses/functional_tensor.py); here it is
// a rewriting of plain data, so that the conversion never sees an operator with effects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "import/program/program.h"
#include "support/result.h"

namespace mlgc::program {

// How a result shares memory with the first tensor argument.
enum class Sharing : std::uint8_t {
  Same,      // all elements in the same order of axes
  Reshaped,  // all elements, under another shape
  Permuted,
  Part,      // some elements: slice, select
  Repeated,  // elements may stand for several: nothing may be written through it
  Perhaps,   // depends on strides and dtypes: what is written to one is lost to the other, which must not be read then
};
// Of an ATen operator, by its name without namespace and overload; Perhaps for one of which only its schema, found by
// `aten.view.default`, says that it gives a view, and nothing for one that gives none.
[[nodiscard]] std::optional<Sharing> sharing_of(std::string_view name, std::string_view target);

// The node that makes, of what a view is now, what the tensor is that it is a view of. `maker` is the node that made
// the view, its first argument the tensor; `value` names the view's value, `before` that of the whole, which is of
// `sizes`. The node's outputs are the maker's. Precondition: `sharing` is Reshaped, Permuted or Part. Error: why there
// is none, about the maker and without location.
[[nodiscard]] Result<Node, Diagnostic> put_back(const Node& maker, Sharing sharing, const std::string& value,
                                                const std::string& before, const Argument& sizes);

// What is functional by its level stays as it is. False after a diagnostic: a change that cannot be followed, located
// at the node. Linear in the nodes, but for views that are made again.
[[nodiscard]] bool functionalise(Program& program, LocationTable& locations, DiagnosticEngine& engine);

}  // namespace mlgc::program

// Private to lib/interp: a statement of a formula compiled for evaluation over strips.
//
// A strip is up to kStripLength consecutive values of one index label. Every node is evaluated for a whole strip at a
// time; what does not depend on the strip's index label is evaluated once. Lanes that a guard excludes are masked, so
// laziness is kept lane by lane.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "formula/formula.h"

namespace mlgc::strips {

inline constexpr std::size_t kStripLength = 256;

using Mask = std::array<std::uint8_t, kStripLength>;

[[nodiscard]] inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

struct Node;

// What one reduction, or as many as there are lanes, has come to.
template <std::size_t N>
struct Accumulators {
  std::array<double, N> reals;
  std::array<std::int64_t, N> integers, where;  // `where`: of arguments of extrema
  std::array<std::uint8_t, N> seen;             // of extrema: whether there was an element
};

// A subscript or condition: constant + sum of coefficient * product of factors.
struct IndexProgram {
  struct Factor {
    AtomKind kind;
    std::uint32_t label = 0;             // IndexLabel: its slot
    std::unique_ptr<IndexProgram> a, b;  // FloorDiv, Mod, Min, Max
    std::unique_ptr<Node> value;         // Opaque
  };
  struct Term {
    std::int64_t coefficient;
    std::vector<Factor> factors;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  std::vector<bool> labels;         // slots it depends on
  std::vector<std::int64_t> slope;  // per slot: the constant coefficient when linear in that index label
  std::vector<bool> linear;         // per slot
  bool affine = true;               // every term is a coefficient times one index label
  std::array<std::int64_t, kStripLength> lanes;
};

struct Node {
  NodeKind kind;
  ScalarFn fn = ScalarFn::Add;
  Reduction reduction = Reduction::Sum;
  Dtype type = Dtype::F32;
  bool real = false;
  std::vector<bool> labels;  // slots of free index labels
  double literal_real = 0;
  std::int64_t literal_integer = 0;
  std::unique_ptr<IndexProgram> index;  // Index
  std::uint32_t tensor = 0;             // Read
  std::vector<std::unique_ptr<IndexProgram>> subscripts;
  std::vector<std::unique_ptr<Node>> children;  // Read: the fill; Reduce: body, then guard
  std::vector<std::uint32_t> reduced;           // Reduce: slots, outermost first
  bool refuses_nothing = false;                 // Reduce: an extremum that nothing does not have (formula/formula.h)
  // Reduce: conjuncts of the guard of the form 0 <= e. Where e is linear in a reduced index label and otherwise known
  // when that index label's loop starts, it becomes a bound of the loop.
  std::vector<std::unique_ptr<IndexProgram>> bounds;
  // Reduce: a running reduction along the strip's index label (formula/running_reduction.h), and what it has come to in
  // the strips before this one, which starts at 0 or goes on where the last one ended.
  bool running = false;
  Accumulators<1> before;
  // Lane values: `values` points at `reals`, or straight into the tensor that a contiguous read covers.
  const double* values = nullptr;
  std::array<double, kStripLength> reals;
  std::array<std::int64_t, kStripLength> integers;
};

}  // namespace mlgc::strips

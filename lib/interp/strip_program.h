// Private to lib/interp: a statement of a formula compiled for evaluation over strips.
//
// A strip is up to kStripLength consecutive values of one letter. Every node is evaluated for a whole strip at a time;
// what does not depend on the strip's letter is evaluated once. Lanes that a guard excludes are masked, so laziness is
// kept lane by lane.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interp/evaluate_formula.h"
#include "interp/storage.h"

namespace mlgc::strips {

inline constexpr std::size_t kStripLength = 256;

using Mask = std::array<std::uint8_t, kStripLength>;

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
    std::uint32_t letter = 0;            // Letter: its slot
    std::unique_ptr<IndexProgram> a, b;  // FloorDiv, Mod, Min, Max
    std::unique_ptr<Node> value;         // Opaque
  };
  struct Term {
    std::int64_t coefficient;
    std::vector<Factor> factors;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  std::vector<bool> letters;        // slots it depends on
  std::vector<std::int64_t> slope;  // per slot: the constant coefficient when linear in that letter
  std::vector<bool> linear;         // per slot
  bool affine = true;               // every term is a coefficient times one letter
  std::array<std::int64_t, kStripLength> lanes;
};

struct Node {
  NodeKind kind;
  ScalarFn fn = ScalarFn::Add;
  Reduction reduction = Reduction::Sum;
  Dtype type = Dtype::F32;
  bool real = false;
  std::vector<bool> letters;  // slots of free letters
  double literal_real = 0;
  std::int64_t literal_integer = 0;
  std::unique_ptr<IndexProgram> index;  // Index
  std::uint32_t tensor = 0;             // Read
  std::vector<std::unique_ptr<IndexProgram>> subscripts;
  std::vector<std::unique_ptr<Node>> children;  // Read: the fill; Reduce: body, then guard
  std::vector<std::uint32_t> reduced;           // Reduce: slots, outermost first
  bool refuses_nothing = false;                 // Reduce: an extremum that nothing does not have (formula/formula.h)
  // Reduce: conjuncts of the guard of the form 0 <= e. Where e is linear in a reduced letter and otherwise known when
  // that letter's loop starts, it becomes a bound of the loop.
  std::vector<std::unique_ptr<IndexProgram>> bounds;
  // Reduce: a running reduction along the strip's letter (formula/running_reduction.h), and what it has come to in the
  // strips before this one, which starts at 0 or goes on where the last one ended.
  bool running = false;
  Accumulators<1> before;
  // Lane values: `values` points at `reals`, or straight into the tensor that a contiguous read covers.
  const double* values = nullptr;
  std::array<double, kStripLength> reals;
  std::array<std::int64_t, kStripLength> integers;
};

// Compiles expressions; symbols are replaced by their values.
class Compiler {
 public:
  // `extents` by slot; they must outlive the compiler. The reductions of `running` are carried from strip to strip:
  // they are running ones along the strip's letter, whose strips the machine is given in order.
  Compiler(FormulaPool& pool, const SymbolValues& symbols, const std::vector<std::int64_t>& extents,
           std::vector<ExprId> running = {});
  std::unique_ptr<Node> compile(ExprId e);
  std::unique_ptr<IndexProgram> compile(IndexExpr e);
  [[nodiscard]] std::uint32_t slot(AtomId letter) const;

 private:
  FormulaPool& pool_;
  const SymbolValues& symbols_;
  const std::vector<std::int64_t>& extents_;
  std::vector<ExprId> running_;
  std::size_t slots_;
};

// Runs compiled expressions. Throws Diagnostic for errors of the program.
class Machine {
 public:
  Machine(const Formula& formula, std::vector<Storage>& tensors, std::vector<std::int64_t> extents, bool round);

  // Lane values are at node.values or in node.integers; with a uniform result only lane 0 is set.
  // Returns true when the result is uniform over the strip.
  bool run(Node& node, const std::uint8_t* mask);
  bool run(IndexProgram& index, const std::uint8_t* mask);

  // The index in lane 0 and what it grows by from lane to lane; nothing where it does not grow evenly.
  std::optional<std::pair<std::int64_t, std::int64_t>> evenly(IndexProgram& index) {
    const bool still = !varies(index.letters);
    if (!still && !index.linear[strip_slot]) return std::nullopt;
    return std::pair(at_first_lane(index), still ? 0 : index.slope[strip_slot]);
  }

  // The index that the program was given where the subscript, which has run, is `at`: a subscript that counts from the
  // end, `i + select(i < 0, size, 0)`, has added the size to one below 0.
  [[nodiscard]] std::int64_t given_index(const IndexProgram& subscript, std::size_t lane, std::int64_t at,
                                         std::int64_t size) const;

  std::vector<std::int64_t> letters;  // by slot; the strip's letter holds its first value
  std::uint32_t strip_slot = 0xFFFFFFFF;
  std::size_t lanes = 1;

 private:
  // The value in lane 0, without the other lanes.
  std::int64_t at_first_lane(IndexProgram& index);
  bool read(Node& node, const std::uint8_t* mask);
  bool read_straight(Node& node, std::size_t width);
  bool read_any(Node& node, const std::uint8_t* mask, std::size_t width);
  bool evaluate(Node& node, const std::uint8_t* mask);
  bool accumulate_products(Node& body, double* acc, std::size_t width);
  bool call(Node& node, const std::uint8_t* mask);
  bool logical(Node& node, const std::uint8_t* mask);
  bool select(Node& node, const std::uint8_t* mask);
  bool reduce(Node& node, const std::uint8_t* mask);
  void reduce_into(Node& node, const std::uint8_t* mask, std::size_t width);
  void run_along(Node& node);
  // The values of the reduced letter at `level` that the guard's bounds leave, given the letters outside.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> loop_range(Node& node, std::size_t level);
  [[nodiscard]] bool varies(const std::vector<bool>& on) const {
    return lanes > 1 && strip_slot < on.size() && on[strip_slot];
  }
  void finish(Node& node, std::size_t width) const;

  const Formula& formula_;
  std::vector<Storage>& tensors_;
  std::vector<std::int64_t> extents_;
  bool round_;
};

}  // namespace mlgc::strips

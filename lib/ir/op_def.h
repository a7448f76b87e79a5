// One row of the op table: every fact about an op that the parts of the compiler ask for. Rows are constexpr objects
// written with designated initialisers in lib/ops; lib/ir only defines what a row is.
//
//     constexpr OpDef kRelu{
//         .name = "relu", .summary = "Sets negative elements to zero.", .tier = Tier::Formula,
//         .formula = "y[B..] = select(x[B..] <= 0, stop(0), x[B..])", .operands = {{"x", ElementClass::Float}},
//         .traits = Traits::Elementwise | Traits::Idempotent, .example = "…", .aten = {"aten.relu.default"}};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attribute.h"
#include "ir/known_ops.h"
#include "ir/type.h"
#include "support/result.h"
#include "tensor/dtype.h"

namespace mlgc {

// A list inside a constexpr row. More than N items do not compile.
template <class T, std::size_t N>
class RowList {
 public:
  constexpr RowList() = default;
  constexpr RowList(std::initializer_list<T> items) {
    if (items.size() > N) throw std::length_error("too many items in a row of the op table: raise the list's capacity");
    for (const T& item : items) items_[size_++] = item;
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + size_; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

enum class Tier : std::uint8_t { Formula, Composite, Hook, Structural };

// What an operand accepts. Classes of shaped operands speak of the element type.
enum class ElementClass : std::uint8_t {
  Any,     // any shaped type whose elements can be computed with
  Number,  // integer or float
  Float,
  Integer,  // signed or unsigned, not i1
  Bool,     // i1
  IntOrBool,
  Position,  // i32 or i64: a subscript into another tensor
  Index,     // the type `index`
  Buffer,    // a buffer of any element type
  Opaque,    // a tensor of any elements, complex ones included: nothing here looks at them
  Value,     // anything, functions' arguments of any type included
};

struct OperandDef {
  std::string_view name;
  ElementClass elements = ElementClass::Any;
  bool variadic =
      false;  // zero or more; at most one operand of a row is variadic or optional, or all optional ones trail
  bool optional = false;
};

struct AttrDef {
  std::string_view name;
  AttributeKind kind = AttributeKind::None;  // None: a number, that is Bool, Int or Float
  std::string_view fallback = "";  // the value when left out: in the text form, or another attribute; empty: none
  bool required = false;
  std::string_view choices = "";     // of a String: the permitted values, separated by `|`
  std::string_view instead_of = "";  // an optional operand: exactly one of the two is given
  std::string_view summary = "";
};

struct RegionDef {
  std::string_view name;
  std::string_view terminator = "";  // name of the op that must end the region; empty: none needed
  bool optional = false;
};

// The element type of the results.
enum class DtypeRuleKind : std::uint8_t {
  Same,        // of operand `operand`
  Bool,        // i1
  Position,    // i64
  FloatOf,     // of operand `operand` when float, else f32
  Accumulate,  // sums: i64 for integers and bool, else of operand `operand`
  Fixed,       // `fixed`
  Attribute,   // the dtype in attribute `attribute`
  Formula,     // follows from the body
  Hook,        // the infer hook says
};
struct DtypeRule {
  DtypeRuleKind kind = DtypeRuleKind::Same;
  std::uint8_t operand = 0;
  Dtype fixed = Dtype::F32;
  std::string_view attribute = "";
};

// What an op does beside computing its results; of an op with regions, beside what the ops inside do.
enum class Effects : std::uint8_t { None = 0, MayFail = 1, Reads = 2, Writes = 4, Allocates = 8 };
constexpr Effects operator|(Effects a, Effects b) {
  return static_cast<Effects>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr Effects operator&(Effects a, Effects b) {
  return static_cast<Effects>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
constexpr bool has(Effects set, Effects bits) { return (set & bits) == bits; }

enum class Traits : std::uint32_t {
  None = 0,
  Commutative = 1U << 0,  // in its first two operands
  Idempotent = 1U << 1,   // f(f(x)) is f(x)
  Involution = 1U << 2,   // f(f(x)) is x
  Associative = 1U << 3,  // over the integers; of floats only where reassociation is allowed
  Elementwise = 1U << 4,
  Movement = 1U << 5,        // moves elements, computes none
  Terminator = 1U << 6,      // ends a region
  IsolatedRegion = 1U << 7,  // regions see only their arguments
  CapturesRegion = 1U << 8,  // regions see the values around the op
  Symbol = 1U << 9,          // named by the attribute sym_name, found through the module's symbol table
  TopLevelOnly = 1U << 10,   // stands in the module's own region
  Constant = 1U << 11,       // its value is in its attributes
  Random = 1U << 12,         // takes a key
  Loop = 1U << 13,           // repeats its region
  BindsSize = 1U << 14,      // the first size of its result is a new symbol, visible from there on
};
constexpr Traits operator|(Traits a, Traits b) {
  return static_cast<Traits>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Traits set, Traits bits) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(bits)) == static_cast<std::uint32_t>(bits);
}

// The part of a row whose types belong to higher layers. `build` writes the formula where its text depends on ranks or
// on the lengths of lists (ops/op_types.h); the other functions are there for what cannot be a formula.
class OpTypes;
class Attrs;
struct Diagnostic;
class InferContext;
class EvaluateContext;
class GradientContext;
class LowerContext;
struct OpHooks {
  Result<std::string, Diagnostic> (*build)(const OpTypes&, const Attrs&) = nullptr;
  Result<std::vector<Type>, Diagnostic> (*infer)(const InferContext&) = nullptr;  // types of the results
  bool (*evaluate)(EvaluateContext&) = nullptr;
  bool (*gradient)(GradientContext&) = nullptr;
  bool (*lower)(LowerContext&) = nullptr;
};

inline constexpr int kVariadicResults = -1;

struct OpDef {
  std::string_view name;
  // What code calls the op that speaks of it; both where it is one of either level.
  GraphOp graph_op = GraphOp::Other;
  LoopOp loop_op = LoopOp::Scalar;
  std::string_view summary;
  Tier tier = Tier::Structural;
  std::string_view formula = "";  // statements in the language of the op formulas; several are separated by `;`
  RowList<OperandDef, 12> operands = {};
  RowList<AttrDef, 14> attrs = {};
  int result_count = 1;  // or kVariadicResults
  RowList<std::string_view, 6> result_names = {};
  RowList<RegionDef, 3> regions = {};
  DtypeRule dtype = {};
  Effects effects = Effects::None;
  Traits traits = Traits::None;
  OpHooks hooks = {};
  std::string_view no_formula = "";   // tier Hook: why it cannot be a formula
  std::string_view no_gradient = "";  // why it has no gradient; empty: it has one, or computes nothing
  std::string_view example = "";
  RowList<std::string_view, 16> aten = {};
};

}  // namespace mlgc

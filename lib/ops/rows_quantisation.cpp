// See rows_quantisation.h.
#include "ops/rows_quantisation.h"

#include <string>

#include "diag/kinds_ops.h"
#include "ops/build_text.h"
#include "ops/op_types.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

using Text = Result<std::string, Diagnostic>;

Failure<Diagnostic> wrong(std::string_view op, std::string_view name, const std::string& reason) {
  return Failure{diagnose<kAttributeValue>({}, name, op, reason)};
}

// The parts of the formulas of a quantised tensor whose last axis has `size` elements.
struct Groups {
  std::string size;        // of the axis
  std::string group;       // elements of one; empty: all of them
  std::string half;        // bytes of one, of 4 bits
  bool packed = false;     // 4 bits
  std::string zero = "0";  // the attribute

  [[nodiscard]] std::string of(const std::string& k) const { return group.empty() ? "0" : k + " // " + group; }
  [[nodiscard]] std::string scale(const std::string& k) const { return "scales[B.., " + of(k) + "]"; }
};

// Whether the scales and zero points, operands from the second on, have an element for each group.
Result<Groups, Diagnostic> groups_of(std::string_view op, const OpTypes& types, const Attrs& attrs, bool packed_x) {
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types.present(i) && types.rank(i) == 0)
      return Failure{diagnose<kRankMismatch>({}, types.name(i), 0, "at least 1")};
  IndexPool& index = types.index();
  Groups out;
  const auto bits = attrs.integer("bits");
  if (bits != 4 && bits != 8) return wrong(op, "bits", "it must be 4 or 8");
  out.packed = bits == 4;
  if (packed_x && out.packed && types.dtype(0) != Dtype::UI8)
    return wrong(op, "bits",
                 "numbers of 4 bits are packed in ui8, not in " + std::string(dtype_info(types.dtype(0)).name));
  const std::size_t last = types.rank(0) - 1;
  const bool in_bytes = packed_x && out.packed;
  const IndexExpr size = index.scale(types.dim(0, last), in_bytes ? 2 : 1);
  out.size = (in_bytes ? "2*" : "") + dim_text(types, 0, last);
  IndexExpr count = index.constant(1);
  if (attrs.has("group")) {
    const auto group = attrs.integer("group");
    if (!group || *group < 1) return wrong(op, "group", "it must be a constant of at least 1");
    if (out.packed && *group % 2 != 0) return wrong(op, "group", "of packed numbers it must be even");
    if (out.packed &&
        index.equal(index.mod(size, index.constant(*group)), index.constant(0), types.facts()) != Truth::Yes)
      return wrong(op, "group",
                   "of packed numbers all groups must be whole, and the axis has " + index.print(size) + " elements");
    count = index.ceildiv(size, index.constant(*group));
    out.group = std::to_string(*group);
    out.half = std::to_string(*group / 2);
  } else if (out.packed) {
    if (!in_bytes && index.equal(index.mod(size, index.constant(2)), index.constant(0), types.facts()) != Truth::Yes)
      return wrong(op, "bits", "of packed numbers an axis has an even number, and this one has " + index.print(size));
    out.half = in_bytes ? dim_text(types, 0, last) : "(" + out.size + " // 2)";
  }
  for (std::size_t i = 1; i < types.size(); ++i) {
    if (!types.present(i)) continue;
    const IndexExpr has = types.dim(i, types.rank(i) - 1);
    if (index.equal(has, count, types.facts()) != Truth::Yes)
      return wrong(op, "group",
                   "`" + types.name(i) + "` has " + index.print(has) + " on its last axis, and " + index.print(size) +
                       " elements have " + index.print(count) + (out.group.empty() ? " group" : " groups"));
  }
  const std::int64_t zero = attrs.integer("zero").value_or(0);
  if (zero < -128 || zero > 255) return wrong(op, "zero", "it must be a constant from -128 to 255");
  if (types.present(2) && zero != 0) return wrong(op, "zero", "the operand `zeros` states zero points, too");
  out.zero = std::to_string(zero);
  return out;
}

Text dequantize_text(const OpTypes& types, const Attrs& attrs) {
  const auto groups = groups_of("dequantize", types, attrs, true);
  if (!groups) return Failure{groups.error()};
  std::string x = "x[B.., k]", size;
  if (groups->packed) {
    const std::string& half = groups->half;
    const std::string byte =
        "x[B.., " + (groups->group.empty() ? "" : half + "*(k // " + groups->group + ") + ") + "k % " + half + "]";
    x = "select(k // " + half + " % 2 == 0, bitand(" + byte + ", 15), shr(" + byte + ", 4))";
    size = " where k = " + groups->size;
  }
  // Differences of integers are exact: those of nibbles in i8, of bytes in i32.
  std::string number = "like(" + x + ", scales)";
  if (types.present(2)) {
    const std::string zero = "zeros[B.., " + groups->of("k") + "]";
    number = is_float(types.dtype(2)) ? number + " - like(" + zero + ", scales)"
                                      : "like(i32(" + x + ") - i32(" + zero + "), scales)";
  } else if (groups->zero != "0") {
    const std::string narrow = groups->packed && groups->zero.size() <= 2 ? "i8" : "i32";
    number = "like(" + narrow + "(" + x + ") - " + groups->zero + ", scales)";
  }
  return "y[B.., k] = (" + number + ")*" + groups->scale("k") + size;
}

Text quantize_text(const OpTypes& types, const Attrs& attrs) {
  const auto groups = groups_of("quantize", types, attrs, false);
  if (!groups) return Failure{groups.error()};
  // A scale of 0 is that of a group of zeros.
  const auto code = [&](const std::string& k) {
    const std::string scale = groups->scale("(" + k + ")");
    const std::string zero =
        types.present(2) ? "like(zeros[B.., " + groups->of("(" + k + ")") + "], x)" : "like(" + groups->zero + ", x)";
    const std::string least = groups->packed ? "0" : "-128", most = groups->packed ? "15" : "127";
    return "min(max(select(" + scale + " == 0, 0, round(x[B.., " + k + "]/like(" + scale + ", x))) + " + zero + ", " +
           least + "), " + most + ")";
  };
  if (!groups->packed) return "y[B.., k] = i8(" + code("k") + ")";
  const std::string& half = groups->half;
  // Not a bare index, which would have the size of the axis.
  const std::string first =
      groups->group.empty() ? "b % " + half : groups->group + "*(b // " + half + ") + b % " + half;
  return "y[B.., b] = ui8(" + code(first) + " + 16*" + code(first + " + " + half) + ") where b = " + groups->size +
         " // 2";
}

constexpr OpDef kQuantisationRows[] = {
    {.name = "dequantize",
     .summary =
         "Integers minus their zero points, times scales: one for the last axis, or for each group of it. With 4 "
         "bits two of them are packed in a byte.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Integer},
                  {.name = "scales", .elements = ElementClass::Float},
                  {.name = "zeros", .elements = ElementClass::Number, .optional = true}},
     .attrs = {{.name = "bits", .kind = AttributeKind::Int, .fallback = "8"},
               {.name = "group", .kind = AttributeKind::Int},
               {.name = "zero", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = dequantize_text},
     .example = "dequantize([3, -2, 1]:i8, [0.5, 2.0]) {group = 2} == [1.5, -1.0, 2.0]"},
    {.name = "quantize",
     .summary = "The nearest integers to quotients by scales, plus zero points: what `dequantize` with the same "
                "attributes gives back, rounded. i8, or 4 bits packed in ui8.",
     .tier = Tier::Formula,
     .operands = {{.name = "x", .elements = ElementClass::Float},
                  {.name = "scales", .elements = ElementClass::Float},
                  {.name = "zeros", .elements = ElementClass::Number, .optional = true}},
     .attrs = {{.name = "bits", .kind = AttributeKind::Int, .fallback = "8"},
               {.name = "group", .kind = AttributeKind::Int},
               {.name = "zero", .kind = AttributeKind::Int, .fallback = "0"}},
     .dtype = {.kind = DtypeRuleKind::Formula},
     .hooks = {.build = quantize_text},
     .example = "quantize([1.4, -1.0, 300.0], [0.5, 2.0]) {group = 2} == [3, -2, 127]:i8"},
};

constexpr auto kQuantisationFamily = family<kQuantisationRows>();

}  // namespace

std::span<const OpDef* const> quantisation_rows() { return kQuantisationFamily; }

}  // namespace mlgc

// Functions of conditions and attributes.
#include "rewrite/rule_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "rewrite/match.h"
#include "tensor/tensor.h"

namespace mlgc {

namespace {

using Arguments = std::span<const TermValue>;
using Answer = std::optional<AttrValue>;
using In = const RuleFunctionContext&;

// A list's items as numbers; nothing when one is symbolic.
std::optional<std::vector<std::int64_t>> whole_list(In in, const TermValue& value) {
  const auto* items = std::get_if<std::vector<IndexExpr>>(&value.data);
  if (items == nullptr) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const IndexExpr item : *items) {
    const auto c = in.index().as_constant(item);
    if (!c) return std::nullopt;
    out.push_back(*c);
  }
  return out;
}

std::optional<std::int64_t> whole(In in, const TermValue& value) {
  const auto* expression = std::get_if<IndexExpr>(&value.data);
  return expression != nullptr ? in.index().as_constant(*expression) : std::nullopt;
}

AttrValue list_of(In in, std::span<const std::int64_t> items) {
  std::vector<IndexExpr> out;
  for (const std::int64_t item : items) out.push_back(in.index().constant(item));
  return out;
}

bool is_shaped(const TermValue& v) {
  return v.value.valid() && v.value.module().context().types().is_shaped(v.value.type());
}

Answer constant(In, Arguments a) {
  return std::all_of(a.begin(), a.end(), [](const TermValue& v) { return v.value.valid() && is_constant(v.value); });
}

// Whether the value follows from weights and constants alone. `budget` bounds the ops that are looked at.
bool from_weights(Value value, int& budget) {
  const OpRef op = value.definer();
  if (!op.valid() || --budget < 0) return false;
  if (op.has_trait(Traits::Constant)) return true;
  if (op.is(GraphOp::Read)) {
    const auto symbol = op.module().context().attributes().as_symbol(op.attr("symbol"));
    const OpRef item = symbol ? op.module().lookup(*symbol) : OpRef();
    return item.valid() && item.is(GraphOp::Weight);
  }
  if (op.region_count() != 0 || op.operand_count() == 0 || op.own_effects() != Effects::None ||
      op.has_trait(Traits::Random))
    return false;
  const auto operands = op.operands();
  return std::all_of(operands.begin(), operands.end(), [&](Value v) { return !v.valid() || from_weights(v, budget); });
}

Answer weight(In, Arguments a) {
  int budget = 64;
  return std::all_of(a.begin(), a.end(),
                     [&](const TermValue& v) { return v.value.valid() && from_weights(v.value, budget); });
}

// Counting all readers of one value for each of them would take quadratic time.
constexpr std::int64_t kMostUses = 16;

Answer uses(In in, Arguments a) {
  std::int64_t count = 0;
  if (a[0].value.valid())
    for ([[maybe_unused]] const Use use : a[0].value.uses())
      if (++count == kMostUses) break;
  return in.index().constant(count);
}

Answer rank(In in, Arguments a) {
  if (!is_shaped(a[0])) return std::nullopt;
  return in.index().constant(static_cast<std::int64_t>(a[0].value.rank()));
}

Answer shape(In in, Arguments a) {
  if (!is_shaped(a[0])) return std::nullopt;
  const auto dims = in.context().types().dims(a[0].value.type());
  return std::vector<IndexExpr>(dims.begin(), dims.end());
}

std::optional<std::int64_t> normal_axis(std::int64_t axis, std::int64_t rank) {
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? std::optional(axis) : std::nullopt;
}

Answer size(In in, Arguments a) {
  const auto number = whole(in, a[1]);
  if (!is_shaped(a[0]) || !number) return std::nullopt;
  const auto dims = in.context().types().dims(a[0].value.type());
  const auto axis = normal_axis(*number, static_cast<std::int64_t>(dims.size()));
  if (!axis) return std::nullopt;
  return dims[static_cast<std::size_t>(*axis)];
}

// The product of the sizes of the first axes (`behind` false) or of the last ones, of the number given second.
Answer part_of_shape(In in, Arguments a, bool behind) {
  const auto count = whole(in, a[1]);
  if (!is_shaped(a[0]) || !count) return std::nullopt;
  const auto dims = in.context().types().dims(a[0].value.type());
  if (*count < 0 || *count > static_cast<std::int64_t>(dims.size())) return std::nullopt;
  const auto middle = dims.end() - *count;
  return behind ? std::vector<IndexExpr>(middle, dims.end()) : std::vector<IndexExpr>(dims.begin(), middle);
}
Answer leading(In in, Arguments a) { return part_of_shape(in, a, false); }
Answer trailing(In in, Arguments a) { return part_of_shape(in, a, true); }

Answer joined(In, Arguments a) {
  const auto* first = std::get_if<std::vector<IndexExpr>>(&a[0].data);
  const auto* second = std::get_if<std::vector<IndexExpr>>(&a[1].data);
  if (first == nullptr || second == nullptr) return std::nullopt;
  std::vector<IndexExpr> items = *first;
  items.insert(items.end(), second->begin(), second->end());
  return items;
}

Answer dtype(In in, Arguments a) {
  if (!is_shaped(a[0])) return std::nullopt;
  return in.context().types().dtype(a[0].value.type());
}

Answer float_elements(In, Arguments a) { return is_shaped(a[0]) && is_float(a[0].value.dtype()); }
Answer integer_elements(In, Arguments a) { return is_shaped(a[0]) && is_integer(a[0].value.dtype()); }
Answer boolean_elements(In, Arguments a) { return is_shaped(a[0]) && a[0].value.dtype() == Dtype::I1; }

Answer scalar(In in, Arguments a) {
  if (!is_shaped(a[0])) return std::nullopt;
  const auto dims = in.context().types().dims(a[0].value.type());
  return std::all_of(dims.begin(), dims.end(), [&](IndexExpr d) { return in.index().as_constant(d) == 1; });
}

Answer same_type(In, Arguments a) {
  return a[0].value.valid() && a[1].value.valid() && a[0].value.type() == a[1].value.type();
}

Answer same_shape(In in, Arguments a) {
  if (!is_shaped(a[0]) || !is_shaped(a[1])) return std::nullopt;
  const TypePool& types = in.context().types();
  const auto x = types.dims(a[0].value.type()), y = types.dims(a[1].value.type());
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [&](IndexExpr p, IndexExpr q) {
           return in.index().equal(p, q, in.facts()) == Truth::Yes;
         });
}

// Whether every value of the second dtype is one of the first, so that converting there and back changes nothing.
Answer holds_all(In, Arguments a) {
  const Dtype to = std::get<Dtype>(a[0].data), from = std::get<Dtype>(a[1].data);
  const DtypeInfo& wide = dtype_info(to);
  const DtypeInfo& narrow = dtype_info(from);
  if (to == from || from == Dtype::I1) return true;
  if (wide.category == DtypeCategory::Bool) return false;
  if (is_float(from)) return is_float(to) && wide.bytes > narrow.bytes;
  if (is_float(to)) return wide.bytes > narrow.bytes && to != Dtype::BF16 && !(to == Dtype::F32 && from == Dtype::I32);
  return wide.bytes > narrow.bytes && to != Dtype::UI8;
}

Answer axes(In in, Arguments a) {
  auto items = whole_list(in, a[0]);
  const auto rank = whole(in, a[1]);
  if (!items || !rank) return std::nullopt;
  for (std::int64_t& item : *items) {
    const auto axis = normal_axis(item, *rank);
    if (!axis) return std::nullopt;
    item = *axis;
  }
  return list_of(in, *items);
}

Answer axis(In in, Arguments a) {
  const auto number = whole(in, a[0]), rank = whole(in, a[1]);
  const auto normal = number && rank ? normal_axis(*number, *rank) : std::nullopt;
  if (!normal) return std::nullopt;
  return in.index().constant(*normal);
}

Answer sorted(In in, Arguments a) {
  auto items = whole_list(in, a[0]);
  if (!items) return std::nullopt;
  std::sort(items->begin(), items->end());
  return list_of(in, *items);
}

Answer range(In in, Arguments a) {
  const auto count = whole(in, a[0]);
  if (!count || *count < 0 || *count > 1024) return std::nullopt;
  std::vector<std::int64_t> items(static_cast<std::size_t>(*count));
  std::iota(items.begin(), items.end(), 0);
  return list_of(in, items);
}

Answer compose(In in, Arguments a) {
  const auto outer = whole_list(in, a[0]), inner = whole_list(in, a[1]);
  if (!outer || !inner) return std::nullopt;
  std::vector<std::int64_t> items;
  for (const std::int64_t axis : *outer) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(inner->size())) return std::nullopt;
    items.push_back((*inner)[static_cast<std::size_t>(axis)]);
  }
  return list_of(in, items);
}

Answer inverse(In in, Arguments a) {
  const auto order = whole_list(in, a[0]);
  if (!order) return std::nullopt;
  std::vector<std::int64_t> items(order->size(), -1);
  for (std::size_t i = 0; i < order->size(); ++i) {
    const std::int64_t axis = (*order)[i];
    if (axis < 0 || axis >= static_cast<std::int64_t>(items.size()) || items[static_cast<std::size_t>(axis)] >= 0)
      return std::nullopt;
    items[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(i);
  }
  return list_of(in, items);
}

// Of `permute` and `transpose`: the axes of the operand as they stand in the result.
Answer order(In in, Arguments a) {
  const OpRef op = a[0].value.valid() ? a[0].value.definer() : OpRef();
  if (!op.valid() || (!op.is(GraphOp::Permute) && !op.is(GraphOp::Transpose))) return std::nullopt;
  const AttributePool& attributes = in.context().attributes();
  const auto rank = static_cast<std::int64_t>(a[0].value.rank());
  const auto axis_of = [&](Attribute attribute) -> std::optional<std::int64_t> {
    const auto number = attributes.as_int64(attribute);
    return number ? normal_axis(*number, rank) : std::nullopt;
  };
  std::vector<std::int64_t> items(static_cast<std::size_t>(rank));
  std::iota(items.begin(), items.end(), 0);
  if (op.is(GraphOp::Transpose)) {
    const auto first = axis_of(op.attr("dim0")), second = axis_of(op.attr("dim1"));
    if (!first || !second) return std::nullopt;
    std::swap(items[static_cast<std::size_t>(*first)], items[static_cast<std::size_t>(*second)]);
    return list_of(in, items);
  }
  const auto dims = attributes.as_int_list(op.attr("dims"));
  if (dims.size() != items.size()) return std::nullopt;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto number = in.index().as_constant(dims[i]);
    const auto axis = number ? normal_axis(*number, rank) : std::nullopt;
    if (!axis) return std::nullopt;
    items[i] = *axis;
  }
  return list_of(in, items);
}

Answer at_axis(In in, Arguments a) {
  const auto* size = std::get_if<IndexExpr>(&a[0].data);
  const auto axis = whole(in, a[1]), rank = whole(in, a[2]);
  if (size == nullptr || !axis || !rank || *rank < 0 || *rank > 64) return std::nullopt;
  const auto normal = normal_axis(*axis, *rank);
  if (!normal) return std::nullopt;
  std::vector<IndexExpr> items(static_cast<std::size_t>(*rank), in.index().constant(1));
  items[static_cast<std::size_t>(*normal)] = *size;
  return items;
}

Answer length(In in, Arguments a) {
  if (const auto* items = std::get_if<std::vector<IndexExpr>>(&a[0].data))
    return in.index().constant(static_cast<std::int64_t>(items->size()));
  if (const auto* reals = std::get_if<std::vector<double>>(&a[0].data))
    return in.index().constant(static_cast<std::int64_t>(reals->size()));
  return std::nullopt;
}

template <class Function>
Answer of_real(In in, const TermValue& a, Function function) {
  const auto number = as_double(in.index(), a.data);
  if (!number) return std::nullopt;
  return AttrValue(function(*number));
}

Answer finite(In in, Arguments a) {
  return of_real(in, a[0], [](double x) { return std::isfinite(x); });
}
Answer square_root(In in, Arguments a) {
  return of_real(in, a[0], [](double x) { return std::sqrt(x); });
}
Answer magnitude(In in, Arguments a) {
  return of_real(in, a[0], [](double x) { return std::fabs(x); });
}
// Whether an element of the value's dtype can be that number.
bool is_element(Dtype dtype, double number) {
  const Tensor element = Tensor::splat(dtype, {}, number);
  return visit_dtype(dtype, [&]<class T>() -> bool {
    const double back = convert_element<double>(*reinterpret_cast<const T*>(element.bytes().data()));
    return back == number || (std::isnan(back) && std::isnan(number));
  });
}
Answer fits(In in, Arguments a) {
  const auto number = as_double(in.index(), a[0].data);
  if (!number || !is_shaped(a[1])) return std::nullopt;
  return is_element(a[1].value.dtype(), *number);
}
// The inverse of a small one is not a number of the dtype.
Answer power_of_two(In in, Arguments a) {
  const auto number = as_double(in.index(), a[0].data);
  if (!number || !is_shaped(a[1])) return std::nullopt;
  int exponent = 0;
  const bool power = std::isfinite(*number) && *number != 0 && std::fabs(std::frexp(*number, &exponent)) == 0.5;
  const Dtype dtype = a[1].value.dtype();
  return power && std::isfinite(1 / *number) && is_element(dtype, *number) && is_element(dtype, 1 / *number);
}

constexpr auto B = TermKind::Bool, N = TermKind::Number, L = TermKind::List, D = TermKind::Dtype, V = TermKind::Value;

constexpr std::array kFunctions{
    RuleFunction{"constant", {V}, 1, true, B, "each value is a constant of the text", constant},
    RuleFunction{"weight", {V}, 1, true, B, "each value follows from weights and constants alone", weight},
    RuleFunction{"uses", {V}, 1, false, N, "how often the value is read; from 16 on, 16", uses},
    RuleFunction{"rank", {V}, 1, false, N, "the number of axes", rank},
    RuleFunction{"shape", {V}, 1, false, L, "the sizes", shape},
    RuleFunction{"size", {V, N}, 2, false, N, "the size of an axis; -1 is the last", size},
    RuleFunction{"leading", {V, N}, 2, false, L, "the sizes but for that many at the end", leading},
    RuleFunction{"trailing", {V, N}, 2, false, L, "that many sizes at the end", trailing},
    RuleFunction{"dtype", {V}, 1, false, D, "the element type", dtype},
    RuleFunction{"float", {V}, 1, false, B, "the elements are floats", float_elements},
    RuleFunction{"integer", {V}, 1, false, B, "the elements are integers, i1 excluded", integer_elements},
    RuleFunction{"boolean", {V}, 1, false, B, "the elements are i1", boolean_elements},
    RuleFunction{"scalar", {V}, 1, false, B, "the value has one element: every size is 1", scalar},
    RuleFunction{"same_type", {V, V}, 2, false, B, "both values have one type", same_type},
    RuleFunction{"same_shape", {V, V}, 2, false, B, "the sizes are known to be equal", same_shape},
    RuleFunction{"holds_all", {D, D}, 2, false, B, "the first dtype can hold every value of the second", holds_all},
    RuleFunction{"axes", {L, N}, 2, false, L, "axes counted from the front, of that rank", axes},
    RuleFunction{"axis", {N, N}, 2, false, N, "an axis counted from the front, of that rank", axis},
    RuleFunction{"sorted", {L}, 1, false, L, "the numbers in ascending order", sorted},
    RuleFunction{"range", {N}, 1, false, L, "0, 1, … up to one less than the number", range},
    RuleFunction{"compose", {L, L}, 2, false, L, "the permutation that is the second followed by the first", compose},
    RuleFunction{"inverse", {L}, 1, false, L, "the permutation that undoes this one", inverse},
    RuleFunction{"order", {V}, 1, false, L, "the permutation that `permute` or `transpose` made of the axes", order},
    RuleFunction{"at_axis",
                 {N, N, N},
                 3,
                 false,
                 L,
                 "a shape of the rank given last: the first number at the axis given second, 1 elsewhere",
                 at_axis},
    RuleFunction{"joined", {L, L}, 2, false, L, "the items of both", joined},
    RuleFunction{"length", {L}, 1, false, N, "the number of items", length},
    RuleFunction{"finite", {N}, 1, false, B, "neither infinite nor NaN", finite},
    RuleFunction{"sqrt", {N}, 1, false, N, "the square root", square_root},
    RuleFunction{"abs", {N}, 1, false, N, "the magnitude", magnitude},
    RuleFunction{"power_of_two",
                 {N, V},
                 2,
                 false,
                 B,
                 "a power of two, or minus one, that the value's dtype holds and whose inverse it holds: dividing "
                 "values of that dtype by it is multiplying them by the inverse",
                 power_of_two},
    RuleFunction{"fits", {N, V}, 2, false, B, "an element of the value's dtype can be exactly this number", fits},
};

}  // namespace

std::span<const RuleFunction> rule_functions() { return kFunctions; }

const RuleFunction* find_rule_function(std::string_view name) {
  for (const RuleFunction& row : kFunctions)
    if (row.name == name) return &row;
  return nullptr;
}

std::optional<double> as_double(const IndexPool& index, const AttrValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  if (const auto* expression = std::get_if<IndexExpr>(&value))
    if (const auto c = index.as_constant(*expression)) return static_cast<double>(*c);
  return std::nullopt;
}

std::optional<AttrValue> operand_number(Context& context, OpRef op, std::size_t operand) {
  if (operand < op.operand_count() && op.operand(operand).valid()) {
    const Value value = op.operand(operand);
    const auto number = splat_value(value);
    if (!number) return std::nullopt;
    if (is_float(value.dtype())) return AttrValue(*number);
    return AttrValue(context.index().constant(static_cast<std::int64_t>(*number)));
  }
  const OpDef& def = op.def();
  if (operand >= def.operands.size()) return std::nullopt;
  for (const AttrDef& attr : def.attrs) {
    if (attr.instead_of != def.operands[operand].name) continue;
    const AttributePool& attributes = context.attributes();
    const Attribute found = op.attr(attr.name);
    if (const auto real = attributes.as_float(found)) return AttrValue(*real);
    const auto flag = attributes.as_bool(found);
    const std::optional<IndexExpr> integer =
        flag ? std::optional(context.index().constant(*flag ? 1 : 0)) : attributes.as_int(found);
    if (!integer) return std::nullopt;
    // Beside floats a whole number is a float, whose zero is +0.
    const Value other = op.operand_count() > 0 ? op.operand(0) : Value();
    const bool beside_float = other.valid() && context.types().is_shaped(other.type()) && is_float(other.dtype());
    const auto constant = beside_float ? context.index().as_constant(*integer) : std::nullopt;
    return constant ? AttrValue(static_cast<double>(*constant)) : AttrValue(*integer);
  }
  return std::nullopt;
}

}  // namespace mlgc

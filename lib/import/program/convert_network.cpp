// Ranges, subscripts and others whose call does not look like a row's.
#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// An argument of a range; 0 to 1 by 1 where the overload has none.
Argument range_argument(NodeScope& scope, std::string_view name) {
  for (const BoundArgument& argument : scope.arguments())
    if (argument.name == name) return argument.value;
  Argument number;
  number.kind = Kind::Int;
  number.ints.push_back({"", name == "start" ? 0 : 1});
  return number;
}

// Whole numbers are a row. Where a bound is none, the length is the recorded one: ATen computes each element from its
// number, in f64 for a float result, and truncates start and step for an integer one.
void convert_arange(NodeScope& scope) {
  const Argument start = range_argument(scope, "start"), step = range_argument(scope, "step");
  const bool whole = start.is(Kind::Int) && step.is(Kind::Int) && scope.argument("end").is(Kind::Int);
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const Dtype dtype = scope.context().types().dtype(type);
  if (whole) {
    scope.result(0, scope.emit_one("arange", {},
                                   {{"start", scope.number(start)},
                                    {"end", scope.number(scope.argument("end"))},
                                    {"step", scope.number(step)},
                                    {"dtype", attributes.dtype(dtype)}}));
    return;
  }
  const Dtype computed = is_float(dtype) ? Dtype::F64 : Dtype::I64;
  const auto factor = [&](const Argument& number) {
    if (number.is(Kind::Float) && number.constant_number() && !is_float(dtype))
      return attributes.integer(static_cast<std::int64_t>(number.reals[0]));
    return scope.number(number);
  };
  Value y = scope.emit_one(
      "arange", {},
      {{"end", attributes.integer(scope.context().types().dims(type)[0])}, {"dtype", attributes.dtype(computed)}});
  y = scope.emit_one("mul", {y}, {{"other", factor(step)}});
  y = scope.emit_one("add", {y}, {{"other", factor(start)}});
  scope.result(0, scope.cast(y, dtype));
}

// Integer subscripts on some axes, in front of and between whole ones.
struct Subscripts {
  std::vector<Value> indices;
  Attribute positions;
};
Subscripts subscripts(NodeScope& scope) {
  Subscripts found;
  std::vector<std::int64_t> positions;
  const std::vector<Value> given = scope.tensors("indices");
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    if (!given[axis].valid()) continue;
    if (given[axis].dtype() == Dtype::I1 || given[axis].dtype() == Dtype::UI8)
      scope.refuse<kUnsupportedArgument>("indices", "boolean, so that the size of the result depends on data",
                                         "a tensor of positions");
    found.indices.push_back(given[axis]);
    positions.push_back(static_cast<std::int64_t>(axis));
  }
  found.positions = scope.context().attributes().int_list(positions);
  return found;
}

// Positions that a mask selects, as subscripts of its axes, the first of which is `axis`.
Subscripts subscripts(NodeScope& scope, Value places, std::size_t axis, std::size_t rank) {
  Subscripts found;
  std::vector<std::int64_t> positions;
  AttributePool& attributes = scope.context().attributes();
  for (std::size_t i = 0; i < rank && !scope.failed(); ++i) {
    found.indices.push_back(
        scope.emit_one("select", {places},
                       {{"dim", attributes.integer(1)}, {"index", attributes.integer(static_cast<std::int64_t>(i))}}));
    positions.push_back(static_cast<std::int64_t>(axis + i));
  }
  found.positions = attributes.int_list(positions);
  return found;
}

// One mask selects positions, whose number the result's type names.
bool convert_mask(NodeScope& scope) {
  const std::vector<Value> given = scope.tensors("indices");
  std::size_t axis = 0, masks = 0, others = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].valid()) continue;
    if (given[i].dtype() != Dtype::I1) ++others;
    if (given[i].dtype() == Dtype::I1 && masks++ == 0) axis = i;
  }
  if (scope.failed() || masks != 1 || others != 0 || given[axis].rank() == 0) return false;
  const Type type = scope.recorded(0);
  if (scope.failed()) return true;
  Context& context = scope.context();
  const std::size_t rank = given[axis].rank();
  if (context.types().rank(type) <= axis) return false;
  const std::array dims{context.types().dims(type)[axis], context.index().constant(static_cast<std::int64_t>(rank))};
  const Value places = scope.emit_stated("nonzero", given[axis], context.types().tensor(Dtype::I64, dims));
  std::vector<Value> operands{scope.tensor("self")};
  const Subscripts found = subscripts(scope, places, axis, rank);
  if (scope.failed()) return true;
  operands.insert(operands.end(), found.indices.begin(), found.indices.end());
  const OpRef op = scope.emit("index", operands, {{"positions", found.positions}});
  if (!scope.failed()) scope.result(0, op.result());
  return true;
}

void convert_index(NodeScope& scope) {
  if (convert_mask(scope)) return;
  std::vector<Value> operands{scope.tensor("self")};
  const Subscripts found = subscripts(scope);
  operands.insert(operands.end(), found.indices.begin(), found.indices.end());
  const OpRef op = scope.emit("index", operands, {{"positions", found.positions}});
  if (!scope.failed()) scope.result(0, op.result());
}

void put(NodeScope& scope, const Subscripts& at) {
  std::vector<Value> operands{scope.tensor("self"), scope.tensor("values")};
  operands.insert(operands.end(), at.indices.begin(), at.indices.end());
  const OpRef op = scope.emit(
      "index_put", operands,
      {{"positions", at.positions}, {"accumulate", scope.context().attributes().boolean(scope.flag("accumulate"))}});
  if (!scope.failed()) scope.result(0, op.result());
}

// A mask that selected elements before, and as many values to put back: at the positions that were found then.
bool put_back(NodeScope& scope, Value mask, std::size_t axis, IndexExpr count) {
  for (const OpRef user : mask.users()) {
    if (user.name() != "nonzero" || user.result().dims()[0] != count) continue;
    put(scope, subscripts(scope, user.result(), axis, mask.rank()));
    return true;
  }
  return false;
}

// One mask, and values that are the same wherever it is set, or as many as are set: a choice by element.
bool convert_masked_put(NodeScope& scope) {
  const std::vector<Value> given = scope.tensors("indices");
  const Value x = scope.tensor("self");
  Value values = scope.tensor("values");
  std::size_t axis = given.size(), tensors = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].valid()) continue;
    ++tensors;
    if (given[i].dtype() == Dtype::I1) axis = i;
  }
  if (scope.failed() || tensors != 1 || axis == given.size()) return false;
  Context& context = scope.context();
  AttributePool& attributes = context.attributes();
  const std::size_t masked = given[axis].rank(), behind = x.rank() - axis - masked;
  std::vector<IndexExpr> mask_dims(given[axis].dims().begin(), given[axis].dims().end());
  mask_dims.resize(masked + behind, context.index().constant(1));
  std::vector<IndexExpr> value_dims(values.dims().begin(), values.dims().end());
  if (value_dims.size() > behind) {
    const auto at = value_dims.end() - static_cast<std::ptrdiff_t>(behind) - 1;
    const std::optional<std::int64_t> count = context.index().as_constant(*at);
    if (!count) return put_back(scope, given[axis], axis, *at);
    OpChain chain(scope);
    if (*count != 1)
      chain.check_equal(chain.count_set(given[axis]), *at,
                        "`index_put`: the mask has not as many set as there are values");
    if (*count == 0) return chain.result(0, x), true;
    std::vector<IndexExpr> spread(masked, context.index().constant(1));
    if (*count > 1) {
      values = scope.emit_one("index_select", {values, chain.places_among_set(given[axis])},
                              {{"dim", attributes.integer(at - value_dims.begin())}});
      std::copy_n(mask_dims.begin(), masked, spread.begin());
    }
    value_dims.insert(value_dims.erase(at), spread.begin(), spread.end());
  }
  const Value mask = scope.emit_one("view", {given[axis]}, {{"shape", attributes.int_list(mask_dims)}});
  Value value = scope.emit_one("view", {values}, {{"shape", attributes.int_list(value_dims)}});
  if (scope.flag("accumulate")) value = scope.emit_one("add", {x, value});
  if (!scope.failed()) scope.result(0, scope.emit_one("where", {mask, value, x}));
  return true;
}

void convert_index_put(NodeScope& scope) {
  if (!convert_masked_put(scope)) put(scope, subscripts(scope));
}

// Subscripts without elements may have any shape.
void convert_scatter_add(NodeScope& scope) {
  const Value x = scope.tensor("self"), index = scope.tensor("index");
  if (scope.failed()) return;
  const auto dims = index.dims();
  const bool empty = std::any_of(dims.begin(), dims.end(),
                                 [&](IndexExpr dim) { return scope.context().index().as_constant(dim) == 0; });
  if (empty) return scope.result(0, x);
  convert_by_row(scope, scope.context().def(scope.context().find_op("scatter_add")));
}

void convert_scatter_combining(NodeScope& scope) {
  AttributePool& attributes = scope.context().attributes();
  const std::string_view reduce = scope.argument("reduce").text == "add" ? "sum" : "prod";
  const std::array operands{RowOperand{scope.tensor("self"), {}}, RowOperand{scope.tensor("index"), {}},
                            RowOperand{scope.tensor("src"), {}}};
  if (scope.failed()) return;
  const OpRef op = emit_row(scope, scope.context().def(scope.context().find_op("scatter_reduce")), operands,
                            {{"dim", attributes.integer(scope.integer("dim"))}, {"reduce", attributes.string(reduce)}});
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  Value y = scope.cast(op.result(), scope.context().types().dtype(type));
  if (y.type() != type)  // a scalar that got an axis
    y = scope.emit_one("view", {y}, {{"shape", attributes.int_list(scope.context().types().dims(type))}});
  scope.result(0, y);
}

void convert_safe_softmax(NodeScope& scope) {
  AttributePool& attributes = scope.context().attributes();
  NodeScope::Attrs attrs{{"dim", attributes.integer(scope.integer("dim"))}, {"safe", attributes.boolean(true)}};
  if (const auto dtype = scope.dtype("dtype")) attrs.emplace_back("dtype", attributes.dtype(*dtype));
  if (scope.failed()) return;
  const OpRef op = scope.emit("softmax", std::vector<Value>{scope.tensor("self")}, attrs);
  if (!scope.failed()) scope.result(0, op.result());
}

constexpr Converter kNetworkConverters[] = {
    {"aten.scatter.reduce", convert_scatter_combining},
    {"aten.scatter_add.default", convert_scatter_add},
    {"aten._safe_softmax.default", convert_safe_softmax},
    {"aten.arange.default", convert_arange},
    {"aten.arange.start", convert_arange},
    {"aten.arange.start_step", convert_arange},
    {"aten.index.Tensor", convert_index},
    {"aten.index_put.default", convert_index_put},
};

}  // namespace

std::span<const Converter> network_converters() { return kNetworkConverters; }

}  // namespace mlgc::program

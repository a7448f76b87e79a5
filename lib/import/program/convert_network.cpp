// Layers and sequences whose call does not look like a row's.
#include <array>

#include "import/program/convert.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Inference only: the statistics are operands. The saved statistics that some overloads return are not computed.
void convert_batch_norm(NodeScope& scope) {
  for (const BoundArgument& argument : scope.arguments()) {
    if (argument.name != "training" || !argument.value.flags.at(0)) continue;
    scope.unsupported("batch normalisation in training mode; call `.eval()` before exporting");
    return;
  }
  std::vector<Value> operands;
  for (const std::string_view name : {"input", "running_mean", "running_var"}) {
    operands.push_back(scope.tensor(name));
    if (scope.failed()) return;
    if (!operands.back().valid()) {
      scope.unsupported("argument `" + std::string(name) + "` is missing");
      return;
    }
  }
  if (scope.is_tensor("bias") && !scope.is_tensor("weight")) {
    scope.unsupported("a bias without a weight");
    return;
  }
  for (const std::string_view name : {"weight", "bias"})
    if (scope.is_tensor(name)) operands.push_back(scope.tensor(name));
  const OpRef op = scope.emit("batch_norm", operands, {{"eps", scope.context().attributes().real(scope.real("eps"))}});
  if (scope.failed()) return;
  scope.result(0, op.result());
  for (std::size_t i = 1; i < scope.output_names().size(); ++i)
    if (scope.used(i)) scope.unsupported("its result number " + std::to_string(i) + " is used");
}

// Integers only: a floating-point range accumulates differently in different programs.
void convert_arange(NodeScope& scope) {
  NodeScope::Attrs attrs;
  for (const BoundArgument& argument : scope.arguments()) {
    if (argument.name != "start" && argument.name != "end" && argument.name != "step") continue;
    if (!argument.value.is(Kind::Int)) {
      scope.unsupported("`" + std::string(argument.name) + "` is no integer");
      return;
    }
    attrs.emplace_back(argument.name, scope.number(argument.value));
  }
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  attrs.emplace_back("dtype", scope.context().attributes().dtype(scope.context().types().dtype(type)));
  const Value y = scope.emit_one("arange", {}, attrs);
  if (!scope.failed()) scope.result(0, y);
}

// ATen's one operator for all convolutions; the row follows from the rank of the weight.
void convert_convolution(NodeScope& scope) {
  std::vector<Value> operands{scope.tensor("input"), scope.tensor("weight")};
  if (scope.is_tensor("bias")) operands.push_back(scope.tensor("bias"));
  if (scope.failed()) return;
  const std::size_t spatial = operands[1].rank() < 2 ? 0 : operands[1].rank() - 2;
  const bool transposed = scope.flag("transposed");
  const std::string op = (transposed ? "conv_transpose" : "conv") + std::to_string(spatial) + "d";
  if (scope.context().find_op(op) == Opcode::Invalid) {
    scope.unsupported("there is no `" + op + "`");
    return;
  }
  AttributePool& attributes = scope.context().attributes();
  NodeScope::Attrs attrs{{"stride", attributes.int_list(scope.integers("stride"))},
                         {"padding", attributes.int_list(scope.integers("padding"))},
                         {"dilation", attributes.int_list(scope.integers("dilation"))},
                         {"groups", attributes.integer(scope.integer("groups"))}};
  if (transposed) attrs.emplace_back("output_padding", attributes.int_list(scope.integers("output_padding")));
  const OpRef built = scope.emit(op, operands, attrs);
  if (!scope.failed()) scope.result(0, built.result());
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
      scope.unsupported("a boolean index, whose result has a size that depends on data");
    found.indices.push_back(given[axis]);
    positions.push_back(static_cast<std::int64_t>(axis));
  }
  found.positions = scope.context().attributes().int_list(positions);
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
  AttributePool& attributes = context.attributes();
  const std::size_t rank = given[axis].rank();
  if (context.types().rank(type) <= axis) return false;
  const std::array dims{context.types().dims(type)[axis], context.index().constant(static_cast<std::int64_t>(rank))};
  const Value places = scope.emit_stated("nonzero", given[axis], context.types().tensor(Dtype::I64, dims));
  std::vector<Value> operands{scope.tensor("self")};
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < rank && !scope.failed(); ++i) {
    operands.push_back(
        scope.emit_one("select", {places},
                       {{"dim", attributes.integer(1)}, {"index", attributes.integer(static_cast<std::int64_t>(i))}}));
    positions.push_back(static_cast<std::int64_t>(axis + i));
  }
  if (scope.failed()) return true;
  const OpRef op = scope.emit("index", operands, {{"positions", attributes.int_list(positions)}});
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

void convert_index_put(NodeScope& scope) {
  std::vector<Value> operands{scope.tensor("self"), scope.tensor("values")};
  const Subscripts found = subscripts(scope);
  operands.insert(operands.end(), found.indices.begin(), found.indices.end());
  const OpRef op = scope.emit(
      "index_put", operands,
      {{"positions", found.positions}, {"accumulate", scope.context().attributes().boolean(scope.flag("accumulate"))}});
  if (!scope.failed()) scope.result(0, op.result());
}

void convert_safe_softmax(NodeScope& scope) {
  AttributePool& attributes = scope.context().attributes();
  NodeScope::Attrs attrs{{"dim", attributes.integer(scope.integer("dim"))}, {"safe", attributes.boolean(true)}};
  if (const auto dtype = scope.dtype("dtype")) attrs.emplace_back("dtype", attributes.dtype(*dtype));
  if (scope.failed()) return;
  const OpRef op = scope.emit("softmax", std::vector<Value>{scope.tensor("self")}, attrs);
  if (!scope.failed()) scope.result(0, op.result());
}

constexpr Converter kConverters[] = {
    {"aten.batch_norm.default", convert_batch_norm, "batch_norm"},
    {"aten._native_batch_norm_legit_no_training.default", convert_batch_norm, "batch_norm"},
    {"aten._safe_softmax.default", convert_safe_softmax, "softmax"},
    {"aten.arange.default", convert_arange, "arange"},
    {"aten.arange.start", convert_arange, "arange"},
    {"aten.arange.start_step", convert_arange, "arange"},
    {"aten.index.Tensor", convert_index, "index"},
    {"aten.index_put.default", convert_index_put, "index_put"},
    {"aten.convolution.default", convert_convolution, "conv2d"},
};

}  // namespace

std::span<const Converter> network_converters() { return kConverters; }

}  // namespace mlgc::program

// See equivalents.h.
#include "import/python/equivalents.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/python/dtypes.h"
#include "import/python/result_types.h"

namespace mlgc::python {

namespace {

// An operator of TorchScript that is another one of an exported program, or one with other arguments.
struct Equivalent {
  std::string_view from, to;  // `_convolution.default`, without `aten.`
  // By argument of `to`: the number of the operand that it is; -1: left out; kSizesOf + i: the sizes of operand i;
  // kDtypeOf + i: its element type.
  std::array<int, 10> operands{};
  std::size_t count = 0;
};
constexpr int kSizesOf = 100, kDtypeOf = 200;
constexpr std::array kEquivalents{
    Equivalent{"_convolution.default", "convolution.default", {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9},
    Equivalent{"_convolution.deprecated", "convolution.default", {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9},
    Equivalent{"view_as.default", "view.default", {0, kSizesOf + 1}, 2},
    Equivalent{"reshape_as.default", "reshape.default", {0, kSizesOf + 1}, 2},
    Equivalent{"expand_as.default", "expand.default", {0, kSizesOf + 1}, 2},
    Equivalent{"type_as.default", "to.dtype", {0, kDtypeOf + 1}, 2},
    Equivalent{"to.other", "to.dtype", {0, kDtypeOf + 1}, 2},
    Equivalent{"to.device", "to.dtype", {0, 2}, 2},
    Equivalent{"to.prim_Device", "to.dtype", {0, 2}, 2},
    Equivalent{"to.prim_dtype", "to.dtype", {0, 1}, 2},
    Equivalent{"to.prim_other", "contiguous.default", {0}, 1},
    Equivalent{"cpu.default", "contiguous.default", {0}, 1},
    Equivalent{"detach.default", "contiguous.default", {0}, 1},
    Equivalent{"detach_.default", "contiguous.default", {0}, 1},
    Equivalent{"numpy_T.a", "numpy_T.default", {0}, 1},
    Equivalent{"zero.default", "zeros_like.default", {0}, 1},
    Equivalent{"normal.default", "normal_functional.default", {0, 1, 2}, 3},  // `normal_`
    Equivalent{"bernoulli.float", "bernoulli.p", {0, 1}, 2},
    Equivalent{"fill.Scalar", "full_like.default", {0, 1}, 2},
    Equivalent{"tensor.int", "scalar_tensor.default", {0, 1}, 2},
    Equivalent{"tensor.float", "scalar_tensor.default", {0, 1}, 2},
    Equivalent{"tensor.bool", "scalar_tensor.default", {0, 1}, 2},
    Equivalent{"sort.stable", "sort.stable", {0, 1, 2, 3}, 4},
    Equivalent{"unsafe_chunk.default", "chunk.default", {0, 1, 2}, 3},
    Equivalent{"split.sizes", "split_with_sizes.default", {0, 1, 2}, 3},
    Equivalent{"floor_divide.Scalar", "floor_divide.default", {0, 1}, 2},
    Equivalent{"unsafe_split.Tensor", "split.Tensor", {0, 1, 2}, 3},
    Equivalent{"upsample_nearest2d.default", "upsample_nearest2d.vec", {0, 1}, 2},
};

// Their results are their operand in eval mode.
constexpr std::array<std::string_view, 5> kDropouts{"dropout", "feature_dropout", "alpha_dropout",
                                                    "feature_alpha_dropout", "native_dropout"};

}  // namespace

bool gives_operand(std::string_view base, std::span<const PythonValue> operands) {
  return std::find(kDropouts.begin(), kDropouts.end(), base) != kDropouts.end() && operands.size() == 3 &&
         operands[2].is<bool>() && !*operands[2].as<bool>();
}

Ran run_on_sizes(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node,
                 std::string_view base) {
  constexpr std::array<std::string_view, 6> kExact{"add", "sub", "mul", "floor_divide", "remainder", "neg"};
  const std::string* const mode = node.inputs.size() == 3 ? values.input(node, 2).as<std::string>() : nullptr;
  const bool divides = base == "div" && mode != nullptr;
  if (!divides && std::find(kExact.begin(), kExact.end(), base) == kExact.end()) return Ran::No;
  std::vector<PythonValue> numbers;
  bool any = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const PythonValue& value = values.input(node, i);
    if (i == 2 && divides) continue;
    if (i == 2) {  // alpha
      const IndexExpr* const factor = value.as<IndexExpr>();
      if (factor == nullptr || builder.index().as_constant(*factor) != 1) return Ran::No;
      continue;
    }
    if (const Tensor* tensor = value.as<Tensor>()) {
      if (!(*tensor)->number || !(*tensor)->current()) return Ran::No;
      numbers.push_back({*(*tensor)->number});
      any = true;
    } else if (value.is<IndexExpr>()) {
      numbers.push_back(value);
    } else {
      return Ran::No;
    }
  }
  if (!any) return Ran::No;
  if (divides) {
    // Towards zero is downwards for what is not negative.
    if (*mode == "trunc" && !builder.index().is_non_negative(*numbers[0].as<IndexExpr>(), builder.scope().facts()))
      return Ran::No;
    base = "floor_divide";
  }
  const Computation done = compute(builder, node, base, numbers);
  const IndexExpr* const result = done.value.as<IndexExpr>();
  if (result == nullptr) return Ran::No;
  const Tensor tensor = tensors.create({});
  tensor->number = *result;
  values.set_output(node, 0, {tensor});
  return Ran::Yes;
}

bool run_select(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node) {
  const Tensor* const tensor = values.input(node, 0).as<Tensor>();
  const IndexExpr* const dim = values.input(node, 1).as<IndexExpr>();
  const Value x = tensor == nullptr ? Value() : tensors.value(node, *tensor);
  if (!x.valid()) return false;
  const auto rank = static_cast<std::int64_t>(x.rank());
  const std::int64_t given = dim == nullptr ? rank : builder.index().as_constant(*dim).value_or(rank);
  if (given < -rank || given >= rank) return builder.refuse<kOutOfRange>(node, "axis", given, rank);
  const std::int64_t axis = given < 0 ? given + rank : given;
  const IndexExpr size = x.dims()[static_cast<std::size_t>(axis)];
  const Value position = values.input(node, 2).as<Computed>()->value;
  const Value length = builder.number_value(node, {size});
  AttributePool& attributes = builder.context().attributes();
  const auto one = [&](std::string_view op, std::initializer_list<Value> inputs,
                       const program::NodeScope::Attrs& attrs = {}) {
    const std::vector<Value> all(inputs);
    const bool sound = std::all_of(all.begin(), all.end(), [](const Value& value) { return value.valid(); });
    return sound ? builder.emit(node, op, all, attrs) : Value();
  };
  const Value negative = one("lt", {position}, {{"other", attributes.integer(std::int64_t{0})}});
  const Value place = one("where", {negative, one("add", {position, length}), position});
  const std::array shape{std::int64_t{1}};
  const Value list = one("view", {place}, {{"shape", attributes.int_list(std::span<const std::int64_t>(shape))}});
  const Value taken = one("index_select", {x, list}, {{"dim", attributes.integer(axis)}});
  const Value y =
      one("select", {taken}, {{"dim", attributes.integer(axis)}, {"index", attributes.integer(std::int64_t{0})}});
  if (!y.valid()) return false;
  const Tensor made = tensors.create(y);
  made->memory = (*tensor)->memory;
  made->version = made->memory->version;
  values.set_output(node, 0, {made});
  return true;
}

bool to_exported(const FunctionBuilder& builder, TensorMemory& tensors, const Node& node, std::string& target,
                 std::vector<PythonValue>& operands) {
  const auto* const equivalent =
      std::find_if(kEquivalents.begin(), kEquivalents.end(), [&](const Equivalent& row) { return row.from == target; });
  if (equivalent != kEquivalents.end()) {
    std::vector<PythonValue> converted;
    for (std::size_t i = 0; i < equivalent->count; ++i) {
      const int code = equivalent->operands[i];
      const auto at = static_cast<std::size_t>(code % 100);
      if (at >= operands.size()) break;
      if (code < kSizesOf) {
        converted.push_back(operands[at]);
        continue;
      }
      const Tensor* const tensor = operands[at].as<Tensor>();
      const Value like = tensor == nullptr ? Value() : tensors.value(node, *tensor);
      if (!like.valid())
        return tensor == nullptr
                   ? builder.refuse<kArgumentKind>(node, "an argument", kind_name(operands[at]), "a tensor")
                   : false;
      if (code >= kDtypeOf) {
        converted.push_back({builder.index().constant(c10_number(like.dtype()))});
        continue;
      }
      auto sizes = std::make_shared<std::vector<PythonValue>>();
      for (const IndexExpr dim : like.dims()) sizes->push_back({dim});
      converted.push_back({Tuple{sizes}});
    }
    // torch.tensor() of a number goes by its type, torch.scalar_tensor() gives f32.
    if (equivalent->to == std::string_view("scalar_tensor.default") && converted.size() == 2 && converted[1].is<None>())
      converted[1] = {builder.index().constant(c10_number(dtype_of_number(converted[0])))};
    operands = std::move(converted);
    target = equivalent->to;
  }
  if (target == "to.dtype" && operands[1].is<None>()) target = "contiguous.default", operands.resize(1);
  return true;
}

}  // namespace mlgc::python

// See aten_call.h.
#include "import/python/aten_call.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"

namespace mlgc::python {

namespace {

using Form = program::Argument::Kind;
using Kind = program::SchemaArgument::Kind;

// What writes the operands of one node as arguments. What gives a bool is false after a diagnostic.
class ArgumentWriter {
 public:
  ArgumentWriter(FunctionBuilder& builder, TensorMemory& tensors, const Node& node)
      : builder_(builder), tensors_(tensors), node_(node) {}

  bool write(const PythonValue& value, Kind kind, program::Argument& out) {
    if (value.is<None>()) return true;
    if (kind == Kind::Dtype || kind == Kind::Layout || kind == Kind::MemoryFormat || kind == Kind::Device)
      return write_constant(value, kind, out);
    if (const Tensor* tensor = value.as<Tensor>()) {
      const Value held = tensors_.value(node_, *tensor);
      if (!held.valid()) return false;
      out.kind = Form::Tensor;
      out.names.push_back(builder_.name_value(held));
      return true;
    }
    if (value.number()) return write_number(value, kind, out);
    if (const std::string* text = value.as<std::string>()) {
      out.kind = Form::String;
      out.text = *text;
      return true;
    }
    const std::vector<PythonValue>* const items = value.items();
    if (items == nullptr)
      return builder_.refuse<kArgumentKind>(node_, "an argument", kind_name(value), "a tensor, a number or a list");
    return write_list(*items, kind, out);
  }

 private:
  // Of c10's numbers.
  bool write_constant(const PythonValue& value, Kind kind, program::Argument& out) {
    out.kind = kind == Kind::Dtype    ? Form::Dtype
               : kind == Kind::Layout ? Form::Layout
               : kind == Kind::Device ? Form::Device
                                      : Form::MemoryFormat;
    const IndexExpr* const number = value.as<IndexExpr>();
    const std::int64_t c10 = number == nullptr ? 0 : builder_.index().as_constant(*number).value_or(-1);
    if (kind != Kind::Dtype) {
      out.ints.push_back({"", c10});
      return true;
    }
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> kQuantised{
        {{12, "qint8"}, {13, "quint8"}, {14, "qint32"}, {16, "quint4x2"}, {17, "quint2x4"}}};
    for (const auto& [number_of, name] : kQuantised)
      if (c10 == number_of)
        return builder_.refuse<kUnsupportedArgument>(node_, "dtype", "the quantised type `" + std::string(name) + "`",
                                                     "a plain element type");
    // torch.export's numbers of element types.
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 2> kMoved{{{11, 12}, {15, 13}}};
    const auto* const moved =
        std::find_if(kMoved.begin(), kMoved.end(), [&](const auto& row) { return row.first == c10; });
    out.ints.push_back({"", moved != kMoved.end() ? moved->second : c10 + 1});
    return true;
  }

  bool write_number(const PythonValue& value, Kind kind, program::Argument& out) {
    if (const Computed* computed = value.as<Computed>()) {
      const Dtype dtype = computed->value.dtype();
      std::string name = builder_.name_value(computed->value);
      out.kind = is_float(dtype) ? Form::Float : dtype == Dtype::I1 ? Form::Bool : Form::Int;
      if (out.kind == Form::Int)
        out.ints.push_back({std::move(name), 0});
      else
        out.names.push_back(std::move(name));
      return true;
    }
    if (const IndexExpr* number = value.as<IndexExpr>()) {
      out.kind = Form::Int;
      out.ints.push_back(builder_.integer(*number));
      return true;
    }
    if (const double* real = value.as<double>()) {
      out.kind = Form::Float;
      out.reals.push_back(*real);
      return true;
    }
    const bool flag = *value.as<bool>();
    out.kind = kind == Kind::Int ? Form::Int : Form::Bool;
    if (kind == Kind::Int)
      out.ints.push_back({"", flag ? 1 : 0});
    else
      out.flags.push_back(flag);
    return true;
  }

  bool write_list(const std::vector<PythonValue>& items, Kind kind, program::Argument& out) {
    out.kind = kind == Kind::IntList     ? Form::Ints
               : kind == Kind::FloatList ? Form::Floats
               : kind == Kind::BoolList  ? Form::Bools
                                         : Form::Tensors;
    for (const PythonValue& item : items) {
      program::Argument one;
      const Kind wanted = kind == Kind::IntList ? Kind::Int : kind == Kind::FloatList ? Kind::Float : Kind::Tensor;
      if (!write(item, wanted, one)) return false;
      if (out.kind == Form::Tensors && one.none())
        out.names.emplace_back();
      else if (out.kind == Form::Tensors && one.is(Form::Tensor))
        out.names.push_back(one.names[0]);
      else if (out.kind == Form::Ints && one.is(Form::Int))
        out.ints.push_back(one.ints[0]);
      else if (out.kind == Form::Floats && one.constant_number() && one.is(Form::Float))
        out.reals.push_back(one.reals[0]);
      else if (out.kind == Form::Bools && one.constant_number() && one.is(Form::Bool))
        out.flags.push_back(one.flags[0]);
      else
        return builder_.refuse<kArgumentKind>(node_, "an item of a list", kind_name(item), "another kind");
    }
    return true;
  }

  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  const Node& node_;
};

}  // namespace

bool bind_operands(FunctionBuilder& builder, TensorMemory& tensors, AtenCall& call,
                   std::span<const program::SchemaArgument> parameters) {
  if (call.operands.size() > parameters.size())
    return builder.refuse<kArgumentCount>(call.node, parameters.size(), call.operands.size());
  ArgumentWriter writer(builder, tensors, call.node);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const program::SchemaArgument& wanted = parameters[i];
    const PythonValue& operand = call.operands[i];
    program::NamedArgument argument{std::string(wanted.name), {}};
    if (wanted.kind == Kind::Other && operand.is<None>()) continue;
    if (operand.is<Undefined>() && wanted.has_default) continue;
    if (!writer.write(operand, wanted.kind, argument.value)) return false;
    const Tensor* const tensor = operand.as<Tensor>();
    call.arguments.items.push_back(
        {wanted.name, operand, tensor == nullptr ? Value() : tensors.value(call.node, *tensor)});
    call.made.inputs.push_back(std::move(argument));
  }
  return true;
}

CallResults::CallResults(const Program& program, FunctionBuilder& builder)
    : program_(program), builder_(builder), used_(program.values.size(), false) {
  count_uses(program.body);
}

void CallResults::count_uses(const Block& block) {
  for (std::size_t i = 0; i < block.outputs.size(); ++i) used_[block.outputs[i]] = true;
  for (const Node& node : block.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) used_[node.inputs[i]] = true;
    for (const Block& inside : node.blocks) count_uses(inside);
  }
}

bool CallResults::state(AtenCall& call, std::span<const Type> types) {
  const Node& node = call.node;
  call.list = node.outputs.size() == 1 && type_of(node.outputs[0]).ends_with("[]");
  if (call.list && types.empty()) return builder_.refuse<kResultTypeUnknown>(node, "its list of tensors");
  const std::size_t count = call.list ? types.size() : node.outputs.size();
  const std::vector<Type> recorded = types.empty() ? builder_.recorded_types(node) : std::vector<Type>();
  program::Argument outputs;
  outputs.kind = call.list ? Form::Tensors : Form::Tensor;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t output = node.outputs[call.list ? 0 : i];
    call.results.push_back(builder_.result_name(output, call.base, used_[output] || call.changed));
    if (i < types.size())
      builder_.scope().state_type(call.results[i], types[i]);
    else if (i < recorded.size())
      builder_.scope().suggest_type(call.results[i], recorded[i]);
    outputs.names.push_back(call.results[i]);
    if (call.list) continue;
    call.made.outputs.push_back(outputs);
    outputs.names.clear();
  }
  if (call.list) call.made.outputs.push_back(outputs);
  return true;
}

}  // namespace mlgc::python

// Calls of ATen operators: from the spelling of TorchScript to a node of an exported program, and what such a call
// changes; see interpreter.h.
#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/schema.h"
#include "import/torchscript/dtypes.h"
#include "import/torchscript/interpreter.h"
#include "import/torchscript/python_operators.h"
#include "import/torchscript/result_types.h"

namespace mlgc::torchscript {

namespace {

using Form = program::Argument::Kind;
using Kind = program::SchemaArgument::Kind;

// An operator of TorchScript that is another one of an exported program, or one with other arguments.
struct Spelling {
  std::string_view from, to;  // `_convolution.default`, without `aten.`
  // By argument of `to`: the number of the operand that it is; -1: left out; kSizesOf + i: the sizes of operand i;
  // kDtypeOf + i: its element type.
  std::array<int, 10> operands{};
  std::size_t count = 0;
};
constexpr int kSizesOf = 100, kDtypeOf = 200;
constexpr std::array kSpellings{
    Spelling{"_convolution.default", "convolution.default", {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9},
    Spelling{"_convolution.deprecated", "convolution.default", {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9},
    Spelling{"view_as.default", "view.default", {0, kSizesOf + 1}, 2},
    Spelling{"reshape_as.default", "reshape.default", {0, kSizesOf + 1}, 2},
    Spelling{"expand_as.default", "expand.default", {0, kSizesOf + 1}, 2},
    Spelling{"type_as.default", "to.dtype", {0, kDtypeOf + 1}, 2},
    Spelling{"to.other", "to.dtype", {0, kDtypeOf + 1}, 2},
    Spelling{"to.device", "to.dtype", {0, 2}, 2},
    Spelling{"to.prim_Device", "to.dtype", {0, 2}, 2},
    Spelling{"to.prim_dtype", "to.dtype", {0, 1}, 2},
    Spelling{"to.prim_other", "contiguous.default", {0}, 1},
    Spelling{"cpu.default", "contiguous.default", {0}, 1},
    Spelling{"detach.default", "contiguous.default", {0}, 1},
    Spelling{"detach_.default", "contiguous.default", {0}, 1},
    Spelling{"numpy_T.a", "numpy_T.default", {0}, 1},
    Spelling{"zero.default", "zeros_like.default", {0}, 1},
    Spelling{"fill.Scalar", "full_like.default", {0, 1}, 2},
    Spelling{"tensor.int", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"tensor.float", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"tensor.bool", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"sort.stable", "sort.stable", {0, 1, 2, 3}, 4},
    Spelling{"unsafe_chunk.default", "chunk.default", {0, 1, 2}, 3},
    Spelling{"unsafe_split.Tensor", "split.Tensor", {0, 1, 2}, 3},
    Spelling{"upsample_nearest2d.default", "upsample_nearest2d.vec", {0, 1}, 2},
};

// Their results are their operand in eval mode.
constexpr std::array<std::string_view, 5> kDropouts{"dropout", "feature_dropout", "alpha_dropout",
                                                    "feature_alpha_dropout", "native_dropout"};

// Whether results may share the memory of the first operand.
bool gives_view(std::string_view target) {
  const program::SchemaRow* const row = program::find_schema_row(target);
  return row != nullptr && row->schema.find("-> Tensor(a)") != std::string_view::npos;
}

// A name of LibTorch without the number behind it (`x.3`); empty where it is a number only.
std::string_view stem(std::string_view name) {
  const std::string_view text = name.substr(0, std::min(name.find('.'), name.size()));
  return !text.empty() && text[0] >= '0' && text[0] <= '9' ? std::string_view() : text;
}

}  // namespace

std::string Interpreter::name_value(Value value) {
  std::string name = "value " + std::to_string(value.id().index());
  if (scope().find(name).valid()) return name;
  // The name is for the node only: a value that has none keeps none.
  const StringId before = value.name_id();
  (void)scope().define(name, value);
  value.set_name(before);
  return name;
}

// As torch.export names results: after the operator, or the variable of the program.
std::string Interpreter::result_name(std::uint32_t value, std::string_view op, bool used) {
  const std::string_view own = stem(script_.values[value].name);
  const std::string first = program::identifier(std::string(own.empty() ? op : own));
  std::string name = first;
  if (int count = names_[first]++; count > 0) {
    do name = first + "_" + std::to_string(count++);
    while (!names_.emplace(name, 1).second);
  }
  return used ? name : name + "_unused_0";
}

bool Interpreter::argument_of(const Node& node, const PythonValue& value, Kind kind, program::Argument& out) {
  const auto constant = [&](IndexExpr number) { return index().as_constant(number); };
  const auto integer = [&](IndexExpr number) -> program::IntArg {
    if (const auto known = constant(number)) return {"", *known};
    std::string name = "size " + index().print(number);
    scope().state_integer(name, number);
    return {std::move(name), 0};
  };
  if (value.is<None>()) return true;
  if (kind == Kind::Dtype || kind == Kind::Layout || kind == Kind::MemoryFormat || kind == Kind::Device) {
    out.kind = kind == Kind::Dtype    ? Form::Dtype
               : kind == Kind::Layout ? Form::Layout
               : kind == Kind::Device ? Form::Device
                                      : Form::MemoryFormat;
    const IndexExpr* const number = value.as<IndexExpr>();
    const std::int64_t c10 = number == nullptr ? 0 : constant(*number).value_or(-1);
    if (kind != Kind::Dtype) {
      out.ints.push_back({"", c10});
      return true;
    }
    // torch.export's numbers of element types.
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 2> kMoved{{{11, 12}, {15, 13}}};
    const auto* const moved =
        std::find_if(kMoved.begin(), kMoved.end(), [&](const auto& row) { return row.first == c10; });
    out.ints.push_back({"", moved != kMoved.end() ? moved->second : c10 + 1});
    return true;
  }
  if (const Tensor* tensor = value.as<Tensor>()) {
    const Value held = tensor_value(node, *tensor);
    if (!held.valid()) return false;
    out.kind = Form::Tensor;
    out.names.push_back(name_value(held));
    return true;
  }
  if (const Computed* computed = value.as<Computed>()) {
    const Dtype dtype = computed->value.dtype();
    std::string name = name_value(computed->value);
    out.kind = is_float(dtype) ? Form::Float : dtype == Dtype::I1 ? Form::Bool : Form::Int;
    if (out.kind == Form::Int)
      out.ints.push_back({std::move(name), 0});
    else
      out.names.push_back(std::move(name));
    return true;
  }
  if (const IndexExpr* number = value.as<IndexExpr>()) {
    out.kind = Form::Int;
    out.ints.push_back(integer(*number));
    return true;
  }
  if (const double* real = value.as<double>()) {
    out.kind = Form::Float;
    out.reals.push_back(*real);
    return true;
  }
  if (const bool* flag = value.as<bool>()) {
    out.kind = kind == Kind::Int ? Form::Int : Form::Bool;
    if (kind == Kind::Int)
      out.ints.push_back({"", *flag ? 1 : 0});
    else
      out.flags.push_back(*flag);
    return true;
  }
  if (const std::string* text = value.as<std::string>()) {
    out.kind = Form::String;
    out.text = *text;
    return true;
  }
  const std::vector<PythonValue>* const items = value.items();
  if (items == nullptr) return fail(node, "it is given " + kind_name(value));
  out.kind = kind == Kind::IntList     ? Form::Ints
             : kind == Kind::FloatList ? Form::Floats
             : kind == Kind::BoolList  ? Form::Bools
                                       : Form::Tensors;
  for (const PythonValue& item : *items) {
    program::Argument one;
    const Kind wanted = kind == Kind::IntList ? Kind::Int : kind == Kind::FloatList ? Kind::Float : Kind::Tensor;
    if (!argument_of(node, item, wanted, one)) return false;
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
      return fail(node, "it is given a list that holds " + kind_name(item));
  }
  return true;
}

// Tensors of rank 0 that stand for sizes, which a traced program computes with, stay numbers.
bool Interpreter::known_numbers(const Node& node, std::string_view base) {
  constexpr std::array<std::string_view, 6> kExact{"add", "sub", "mul", "floor_divide", "remainder", "neg"};
  const std::string* const mode = node.input_count == 3 ? get(node.inputs[2]).as<std::string>() : nullptr;
  const bool divides = base == "div" && mode != nullptr;
  if (!divides && std::find(kExact.begin(), kExact.end(), base) == kExact.end()) return false;
  std::vector<PythonValue> numbers;
  bool any = false;
  for (std::size_t i = 0; i < node.input_count; ++i) {
    const PythonValue& value = get(node.inputs[i]);
    if (i == 2 && divides) continue;
    if (i == 2) {  // alpha
      const IndexExpr* const factor = value.as<IndexExpr>();
      if (factor == nullptr || index().as_constant(*factor) != 1) return false;
      continue;
    }
    if (const Tensor* tensor = value.as<Tensor>()) {
      if (!(*tensor)->number || !(*tensor)->current()) return false;
      numbers.push_back({*(*tensor)->number});
      any = true;
    } else if (value.is<IndexExpr>()) {
      numbers.push_back(value);
    } else {
      return false;
    }
  }
  if (!any) return false;
  if (divides) {
    // Towards zero is downwards for what is not negative.
    if (*mode == "trunc" && !index().is_non_negative(*numbers[0].as<IndexExpr>(), scope().facts())) return false;
    base = "floor_divide";
  }
  const Computation done = compute(*this, node, base, numbers);
  const IndexExpr* const result = done.value.as<IndexExpr>();
  if (result == nullptr) return false;
  const Tensor tensor = new_tensor({});
  tensor->number = *result;
  set(node.outputs[0], {tensor});
  return true;
}

bool Interpreter::change(const Node& node, const Tensor& tensor, Value value) {
  Memory& memory = *tensor->memory;
  if (memory.outside && memory.owner != tensor.get())
    return fail(node, "it changes a part or another view of an input, a weight or a buffer in place");
  if (region_->depth > tensor->depth) {
    const auto known = std::find_if(region_->changed.begin(), region_->changed.end(),
                                    [&](const auto& entry) { return entry.first == tensor; });
    if (known == region_->changed.end()) region_->changed.emplace_back(tensor, tensor->value);
  }
  tensor->value = value;
  tensor->number.reset();
  tensor->version = ++memory.version;
  memory.changed_by = &node;
  return true;
}

// What the conversion says gets the line of the program.
bool Interpreter::convert(const Node& node, const program::Node& call) {
  DiagnosticEngine& engine = scope().engine();
  DiagnosticEngine heard(scope().context().locations());
  scope().set_engine(heard);
  const bool converted = converter_.convert(scope(), call, location(node));
  scope().set_engine(engine);
  for (Diagnostic& diagnostic : heard.sorted()) report(node, std::move(diagnostic));
  return converted;
}

bool Interpreter::call(const Node& node) {
  const std::string_view kind = node.kind;
  if (!kind.starts_with("aten::")) return fail(node, "it has no counterpart here");
  const std::string_view full = kind.substr(6);
  const std::size_t dot = std::min(full.find('.'), full.size());
  std::string_view base = full.substr(0, dot);
  const std::string overload(dot < full.size() ? full.substr(dot + 1) : "default");
  std::vector<PythonValue> operands;
  for (std::size_t i = 0; i < node.input_count; ++i) operands.push_back(get(node.inputs[i]));

  Tensor changed;
  if (program::is_in_place(base)) {
    base.remove_suffix(1);
    if (operands.empty() || !operands[0].is<Tensor>()) return fail(node, "it changes something that is no tensor");
    changed = *operands[0].as<Tensor>();
  }
  if (std::find(kDropouts.begin(), kDropouts.end(), base) != kDropouts.end() && operands.size() == 3 &&
      operands[2].is<bool>() && !*operands[2].as<bool>()) {
    set(node.outputs[0], operands[0]);
    return true;
  }
  if (!changed && known_numbers(node, base)) return true;

  std::string target = std::string(base) + "." + overload;
  const auto* const spelling =
      std::find_if(kSpellings.begin(), kSpellings.end(), [&](const Spelling& row) { return row.from == target; });
  if (spelling != kSpellings.end()) {
    std::vector<PythonValue> respelt;
    for (std::size_t i = 0; i < spelling->count; ++i) {
      const int code = spelling->operands[i];
      const auto at = static_cast<std::size_t>(code % 100);
      if (at >= operands.size()) break;
      if (code < kSizesOf) {
        respelt.push_back(operands[at]);
        continue;
      }
      const Tensor* const tensor = operands[at].as<Tensor>();
      const Value like = tensor == nullptr ? Value() : tensor_value(node, *tensor);
      if (!like.valid()) return tensor == nullptr ? fail(node, "it is given " + kind_name(operands[at])) : false;
      if (code >= kDtypeOf) {
        respelt.push_back({index().constant(c10_number(like.dtype()))});
        continue;
      }
      auto sizes = std::make_shared<std::vector<PythonValue>>();
      for (const IndexExpr dim : like.dims()) sizes->push_back({dim});
      respelt.push_back({Tuple{sizes}});
    }
    operands = std::move(respelt);
    target = spelling->to;
  }
  if (target == "to.dtype" && operands[1].is<None>()) target = "contiguous.default", operands.resize(1);
  target.insert(0, "aten.");

  const std::optional<program::Schema> schema = program::find_schema(target);
  if (!schema || !converter_.known(target))
    return fail(node, "`" + target + "` is not known; `mlgc ops` lists what is");
  program::Node call = described(node, target);
  CallArguments arguments;
  if (operands.size() > schema->arguments.size()) return fail(node, "it has more arguments than `" + target + "`");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const program::SchemaArgument& wanted = schema->arguments[i];
    if (operands[i].is<Undefined>() && wanted.has_default) continue;
    program::NamedArgument argument{std::string(wanted.name), {}};
    if (!argument_of(node, operands[i], wanted.kind, argument.value)) return false;
    const Tensor* const tensor = operands[i].as<Tensor>();
    arguments.items.push_back({wanted.name, operands[i], tensor == nullptr ? Value() : tensor_value(node, *tensor)});
    call.inputs.push_back(std::move(argument));
  }
  const std::string fresh = "u" + std::to_string(names_["size that depends on data"]);
  const ResultTypes types = result_types(target, arguments, scope().context(), fresh);
  if (!types.wrong.empty()) return fail(node, types.wrong);
  for (const Type type : types.types)
    for (const IndexExpr dim : scope().context().types().dims(type))
      if (index().print(dim) == fresh) ++names_["size that depends on data"];

  const bool list = node.output_count == 1 && type_of(node.outputs[0]).ends_with("[]");
  if (list && types.types.empty()) return fail(node, "it gives a list of tensors of unknown length");
  const std::vector<Type> recorded = types.types.empty() ? recorded_types(node) : std::vector<Type>();
  std::vector<std::string> names;
  const std::size_t count = list ? types.types.size() : node.output_count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t output = node.outputs[list ? 0 : i];
    names.push_back(result_name(output, base, used_[output] || changed));
    if (i < types.types.size())
      scope().state_type(names[i], types.types[i]);
    else if (i < recorded.size())
      scope().suggest_type(names[i], recorded[i]);
  }
  program::Argument outputs;
  outputs.kind = list ? Form::Tensors : Form::Tensor;
  if (list) {
    outputs.names = names;
    call.outputs.push_back(outputs);
  } else {
    for (const std::string& name : names) {
      outputs.names = {name};
      call.outputs.push_back(outputs);
    }
  }
  if (!convert(node, call)) return false;
  std::vector<PythonValue> results;
  const Tensor* const first = operands.empty() ? nullptr : operands[0].as<Tensor>();
  for (const std::string& name : names) {
    const Value value = scope().find(name);
    if (!value.valid()) {
      results.push_back({Undefined()});
      continue;
    }
    if (changed) {
      Value after = value;
      if (after.dtype() != changed->value.dtype()) {
        const std::array one{after};
        after = emit(node, "cast", one, {{"dtype", scope().context().attributes().dtype(changed->value.dtype())}});
      }
      if (!after.valid()) return false;
      const TypePool& pool = scope().context().types();
      if (after.type() != changed->value.type())
        return fail(node,
                    "it makes " + pool.print(after.type()) + " of " + pool.print(changed->value.type()) + " in place");
      if (!change(node, changed, after)) return false;
      set(node.outputs[0], operands[0]);
      return true;
    }
    const Tensor made = new_tensor(value);
    const bool cast = target.starts_with("aten.to.") && first != nullptr && !((*first)->value == value);
    if (first != nullptr && gives_view(target) && !cast) {
      made->memory = (*first)->memory;
      made->version = made->memory->version;
    }
    results.push_back({made});
  }
  if (list) {
    set(node.outputs[0], {List{std::make_shared<std::vector<PythonValue>>(std::move(results)), region_->depth}});
    return true;
  }
  for (std::size_t i = 0; i < node.output_count; ++i) set(node.outputs[i], results[i]);
  return true;
}

}  // namespace mlgc::torchscript

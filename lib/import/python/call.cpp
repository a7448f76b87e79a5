// Calls of ATen operators: from the spelling of TorchScript to a node of an exported program, and what such a call
// changes; see interpreter.h.
#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/schema.h"
#include "import/python/dtypes.h"
#include "import/python/interpreter.h"
#include "import/python/python_operators.h"
#include "import/python/result_types.h"
#include "import/python/torch_types.h"

namespace mlgc::python {

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
    Spelling{"normal.default", "normal_functional.default", {0, 1, 2}, 3},  // `normal_`
    Spelling{"bernoulli.float", "bernoulli.p", {0, 1}, 2},
    Spelling{"fill.Scalar", "full_like.default", {0, 1}, 2},
    Spelling{"tensor.int", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"tensor.float", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"tensor.bool", "scalar_tensor.default", {0, 1}, 2},
    Spelling{"sort.stable", "sort.stable", {0, 1, 2, 3}, 4},
    Spelling{"unsafe_chunk.default", "chunk.default", {0, 1, 2}, 3},
    Spelling{"split.sizes", "split_with_sizes.default", {0, 1, 2}, 3},
    Spelling{"floor_divide.Scalar", "floor_divide.default", {0, 1}, 2},
    Spelling{"unsafe_split.Tensor", "split.Tensor", {0, 1, 2}, 3},
    Spelling{"upsample_nearest2d.default", "upsample_nearest2d.vec", {0, 1}, 2},
};

// Their results are their operand in eval mode.
constexpr std::array<std::string_view, 5> kDropouts{"dropout", "feature_dropout", "alpha_dropout",
                                                    "feature_alpha_dropout", "native_dropout"};

// A name of LibTorch without the number behind it (`x.3`); empty where it is a number only.
std::string_view stem(std::string_view name) {
  const std::string_view text = name.substr(0, std::min(name.find('.'), name.size()));
  return !text.empty() && text[0] >= '0' && text[0] <= '9' ? std::string_view() : text;
}

}  // namespace

std::string Interpreter::name_value(Value value) const {
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
  const std::string_view own = stem(program_.values[value].name);
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
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> kQuantised{
        {{12, "qint8"}, {13, "quint8"}, {14, "qint32"}, {16, "quint4x2"}, {17, "quint2x4"}}};
    for (const auto& [number_of, name] : kQuantised)
      if (c10 == number_of) return fail(node, "it asks for the quantised element type `" + std::string(name) + "`");
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
  const std::string* const mode = node.inputs.size() == 3 ? get(node.inputs[2]).as<std::string>() : nullptr;
  const bool divides = base == "div" && mode != nullptr;
  if (!divides && std::find(kExact.begin(), kExact.end(), base) == kExact.end()) return false;
  std::vector<PythonValue> numbers;
  bool any = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
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

// Diagnostics of the conversion get the line of the program. `form` gets the one that says that the node has no form
// here, and nothing is left of the node.
bool Interpreter::convert(const Node& node, const program::Node& made, std::optional<Diagnostic>& form) {
  program::GraphScope& graph = scope();
  const program::GraphScope::Mark mark = graph.mark();
  DiagnosticEngine& engine = graph.engine();
  DiagnosticEngine heard(graph.context().locations());
  graph.set_engine(heard);
  const bool converted = converter_.convert(graph, made, location(node));
  graph.set_engine(engine);
  std::vector<Diagnostic> found = heard.sorted();
  if (!converted && found.size() == 1 && program::may_become_call(found[0])) {
    graph.roll_back(mark);
    form = std::move(found[0]);
    return false;
  }
  for (Diagnostic& diagnostic : found) report(node, std::move(diagnostic));
  return converted;
}

// The operands by the names of the parameters that they are given to.
bool Interpreter::bind_operands(Call& call, std::span<const program::SchemaArgument> parameters) {
  if (call.operands.size() > parameters.size())
    return fail(call.node, "it has more arguments than `" + call.target + "`");
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const program::SchemaArgument& wanted = parameters[i];
    const PythonValue& operand = call.operands[i];
    program::NamedArgument argument{std::string(wanted.name), {}};
    if (wanted.kind == Kind::Other && operand.is<None>()) continue;
    if (operand.is<Undefined>() && wanted.has_default) continue;
    if (!argument_of(call.node, operand, wanted.kind, argument.value)) return false;
    const Tensor* const tensor = operand.as<Tensor>();
    call.arguments.items.push_back(
        {wanted.name, operand, tensor == nullptr ? Value() : tensor_value(call.node, *tensor)});
    call.made.inputs.push_back(std::move(argument));
  }
  return true;
}

// Names and types of the results. No types: inference says them.
bool Interpreter::state_results(Call& call, std::span<const Type> types) {
  const Node& node = call.node;
  call.list = node.outputs.size() == 1 && type_of(node.outputs[0]).ends_with("[]");
  if (call.list && types.empty()) return fail(node, "it gives a list of tensors of unknown length");
  const std::size_t count = call.list ? types.size() : node.outputs.size();
  const std::vector<Type> recorded = types.empty() ? recorded_types(node) : std::vector<Type>();
  program::Argument outputs;
  outputs.kind = call.list ? Form::Tensors : Form::Tensor;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t output = node.outputs[call.list ? 0 : i];
    call.results.push_back(result_name(output, call.base, used_[output] || call.changed));
    if (i < types.size())
      scope().state_type(call.results[i], types[i]);
    else if (i < recorded.size())
      scope().suggest_type(call.results[i], recorded[i]);
    outputs.names.push_back(call.results[i]);
    if (call.list) continue;
    call.made.outputs.push_back(outputs);
    outputs.names.clear();
  }
  if (call.list) call.made.outputs.push_back(outputs);
  return true;
}

// The first of u0, u1, … that is a size of no input and of nothing computed before.
std::string Interpreter::fresh_symbol() const {
  for (int number = 0;; ++number)
    if (std::string name = "u" + std::to_string(number); !symbols_.contains(name) && !data_symbols_.contains(name))
      return name;
}

bool Interpreter::depends_on_data(IndexExpr size) const {
  bool found = false;
  index().for_each_atom(size, [&](AtomId atom) {
    found = found || (index().atom(atom).kind == AtomKind::Symbol && data_symbols_.contains(index().symbol_name(atom)));
  });
  return found;
}

bool Interpreter::call(const Node& node) {
  const std::string_view kind = node.kind;
  if (!kind.starts_with("aten::")) return fail(node, "it has no counterpart here");
  const std::string_view full = kind.substr(6);
  const std::size_t dot = std::min(full.find('.'), full.size());
  std::string_view base = full.substr(0, dot);
  const std::string overload(dot < full.size() ? full.substr(dot + 1) : "default");
  std::vector<PythonValue> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(get(node.inputs[i]));

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
  if (full == "select.int" && operands[2].is<Computed>()) return select(node);

  std::string target = std::string(base) + "." + overload;
  if (!respell(node, target, operands)) return false;
  target.insert(0, "aten.");
  Call call{node, std::string(base), target, std::move(operands), changed, described(node, target), {}, {}, false};
  ++ledger_.operators;
  const std::optional<program::Schema> schema = program::find_schema(target);
  if (!schema || !converter_.known(target)) return fall_back(call) && give_results(call);

  if (!bind_operands(call, schema->arguments)) return false;
  const std::string fresh = fresh_symbol();
  const ResultTypes types = result_types(target, call.arguments, scope().context(), fresh);
  if (!types.wrong.empty()) return fail(node, types.wrong);
  for (const Type type : types.types)
    for (const IndexExpr dim : scope().context().types().dims(type))
      index().for_each_atom(dim, [&](AtomId atom) {
        if (index().atom(atom).kind == AtomKind::Symbol && index().symbol_name(atom) == fresh)
          data_symbols_.insert(fresh);
      });
  if (!state_results(call, types.types)) return false;
  std::optional<Diagnostic> form;
  if (convert(node, call.made, form)) return give_results(call);
  // The conversion may have asked for types that no row of result_types.cpp says.
  if (form && types.types.empty() && state_torch_types(call)) {
    form.reset();
    if (convert(node, call.made, form)) return give_results(call);
  }
  if (!form) return false;
  if (fallback_ == Fallback::Error) {
    report(node, *std::move(form));
    return false;
  }
  return fall_back(call, form) && give_results(call);
}

// A position along an axis that depends on data, counted from the end where it is negative.
bool Interpreter::select(const Node& node) {
  const Tensor* const tensor = get(node.inputs[0]).as<Tensor>();
  const IndexExpr* const dim = get(node.inputs[1]).as<IndexExpr>();
  const Value x = tensor == nullptr ? Value() : tensor_value(node, *tensor);
  if (!x.valid()) return false;
  const auto rank = static_cast<std::int64_t>(x.rank());
  const std::int64_t given = dim == nullptr ? rank : index().as_constant(*dim).value_or(rank);
  if (given < -rank || given >= rank) return fail(node, "an axis that is not there");
  const std::int64_t axis = given < 0 ? given + rank : given;
  const IndexExpr size = x.dims()[static_cast<std::size_t>(axis)];
  const Value position = get(node.inputs[2]).as<Computed>()->value;
  const Value length = number_value(node, {size});
  AttributePool& attributes = scope().context().attributes();
  const auto one = [&](std::string_view op, std::initializer_list<Value> values,
                       const program::NodeScope::Attrs& attrs = {}) {
    const std::vector<Value> all(values);
    const bool sound = std::all_of(all.begin(), all.end(), [](const Value& value) { return value.valid(); });
    return sound ? emit(node, op, all, attrs) : Value();
  };
  const Value negative = one("lt", {position}, {{"other", attributes.integer(std::int64_t{0})}});
  const Value place = one("where", {negative, one("add", {position, length}), position});
  const std::array shape{std::int64_t{1}};
  const Value list = one("view", {place}, {{"shape", attributes.int_list(std::span<const std::int64_t>(shape))}});
  const Value taken = one("index_select", {x, list}, {{"dim", attributes.integer(axis)}});
  const Value y =
      one("select", {taken}, {{"dim", attributes.integer(axis)}, {"index", attributes.integer(std::int64_t{0})}});
  if (!y.valid()) return false;
  const Tensor made = new_tensor(y);
  made->memory = (*tensor)->memory;
  made->version = made->memory->version;
  set(node.outputs[0], {made});
  return true;
}

bool Interpreter::respell(const Node& node, std::string& target, std::vector<PythonValue>& operands) {
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
    // torch.tensor() of a number goes by its type, torch.scalar_tensor() gives f32.
    if (spelling->to == std::string_view("scalar_tensor.default") && respelt.size() == 2 && respelt[1].is<None>())
      respelt[1] = {index().constant(c10_number(dtype_of_number(respelt[0])))};
    operands = std::move(respelt);
    target = spelling->to;
  }
  if (target == "to.dtype" && operands[1].is<None>()) target = "contiguous.default", operands.resize(1);
  return true;
}

// What the results are to the program: values of their own, views of the first operand, or what it becomes in place.
bool Interpreter::give_results(const Call& call) {
  const Node& node = call.node;
  std::vector<PythonValue> results;
  const Tensor* const first = call.operands.empty() ? nullptr : call.operands[0].as<Tensor>();
  for (const std::string& name : call.results) {
    const Value value = scope().find(name);
    if (!value.valid()) {
      results.push_back({Undefined()});
      continue;
    }
    if (call.changed) {
      const Value before = tensor_value(node, call.changed);
      Value after = value;
      if (!before.valid()) return false;
      if (after.dtype() != before.dtype()) {
        const std::array one{after};
        after = emit(node, "cast", one, {{"dtype", scope().context().attributes().dtype(before.dtype())}});
      }
      if (!after.valid()) return false;
      const TypePool& pool = scope().context().types();
      if (after.type() != before.type())
        return fail(node, "it makes " + pool.print(after.type()) + " of " + pool.print(before.type()) + " in place");
      if (!change(node, call.changed, after)) return false;
      set(node.outputs[0], call.operands[0]);
      return true;
    }
    const Tensor made = new_tensor(value);
    if (first != nullptr) make_view(call, *first, made, results.size());
    results.push_back({made});
  }
  if (call.list) {
    set(node.outputs[0], {List{std::make_shared<std::vector<PythonValue>>(std::move(results)), region_->depth}});
    return true;
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], results[i]);
  return true;
}

// --- calls of PyTorch

namespace {

// A parameter as the tables of schemas have it: its name and kind.
program::SchemaArgument parameter_of(const AtenParameter& parameter) {
  constexpr std::array<std::pair<mlgc_torch_kind, Kind>, 11> kKinds{{{MLGC_TORCH_TENSOR, Kind::Tensor},
                                                                     {MLGC_TORCH_TENSORS, Kind::TensorList},
                                                                     {MLGC_TORCH_INT, Kind::Int},
                                                                     {MLGC_TORCH_INTS, Kind::IntList},
                                                                     {MLGC_TORCH_FLOAT, Kind::Float},
                                                                     {MLGC_TORCH_FLOATS, Kind::FloatList},
                                                                     {MLGC_TORCH_BOOL, Kind::Bool},
                                                                     {MLGC_TORCH_BOOLS, Kind::BoolList},
                                                                     {MLGC_TORCH_NUMBER, Kind::Number},
                                                                     {MLGC_TORCH_STRING, Kind::String},
                                                                     {MLGC_TORCH_DTYPE, Kind::Dtype}}};
  program::SchemaArgument out;
  out.name = parameter.name;
  const auto* const known =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.first == parameter.kind; });
  out.kind = known == kKinds.end() ? Kind::Other : known->second;
  return out;
}

}  // namespace

// States what LibTorch says of the results of a known operator; false, without a diagnostic, where it says nothing.
bool Interpreter::state_torch_types(const Call& call) const {
  const Result<const TorchPlugin*, Diagnostic> plugin = TorchPlugin::load();
  const AtenOp op = plugin ? (*plugin)->find(program::schema_name(call.target)) : AtenOp();
  if (!op.valid() || call.list) return false;
  const Result<std::vector<Type>> types = torch_result_types(**plugin, op, scope(), call.made);
  if (!types || types->size() != call.results.size()) return false;
  for (std::size_t i = 0; i < types->size(); ++i) scope().state_type(call.results[i], (*types)[i]);
  return true;
}

// The node as a call of PyTorch, because its operator is not known or, with `form`, not in this form.
bool Interpreter::fall_back(Call& call, const std::optional<Diagnostic>& form) {
  const Node& node = call.node;
  // Without leave to fall back the call is made all the same, so that every unknown operator is found in one run.
  const bool listed = fallback_ == Fallback::Error;
  const auto refuse = [&](const std::string& why) {
    if (listed) return unknown(call, ""), false;
    if (form) report(node, *form);
    report(node, diagnose<kNoFallback>(location(node), call.target, why));
    return false;
  };
  const Result<const TorchPlugin*, Diagnostic> plugin = TorchPlugin::load();
  if (!plugin) {
    if (listed) return unknown(call, ""), false;
    report(node, plugin.error());
    return false;
  }
  const AtenOp op = (*plugin)->find(program::schema_name(call.target));
  if (!op.valid()) return fail(node, "it has no counterpart here");
  call.made = described(node, "torch.ops." + call.target);
  std::vector<program::SchemaArgument> parameters;
  for (const AtenParameter& parameter : op.parameters()) parameters.push_back(parameter_of(parameter));
  // What says only where and how a result lies is no part of a call.
  for (std::size_t i = 0; i < std::min(call.operands.size(), parameters.size()); ++i)
    if (parameters[i].kind == Kind::Other && !call.operands[i].is<None>()) parameters[i].kind = Kind::Device;
  call.arguments.items.clear();
  if (!bind_operands(call, parameters)) return false;
  if (const std::string why = program::why_no_fallback(call.made); !why.empty()) {
    if (listed) return unknown(call, why), false;
    return refuse(why);
  }
  const Result<std::vector<Type>> types = torch_result_types(**plugin, op, scope(), call.made);
  if (!types) return refuse(types.error());
  const bool flat = std::none_of(node.outputs.begin(), node.outputs.end(), [&](std::uint32_t output) {
    return type_of(output) != "Tensor" && (node.outputs.size() > 1 || type_of(output) != "Tensor[]");
  });
  if (!flat) return refuse("it gives something that is no tensor");
  call.results.clear();
  if (!state_results(call, *types)) return false;
  if (types->size() != call.results.size()) return refuse("it gives another number of results than the program says");
  auto problem = program::convert_to_call(scope(), call.made, location(node),
                                          form ? form->kind->id : std::string_view("unknown-operator"),
                                          form ? form->message() : std::string(), ledger_);
  if (problem) {
    if (form) report(node, *form);
    problem->at = location(node);
    report(node, *std::move(problem));
    return false;
  }
  if (listed) unknown(call, "");
  return true;
}

void Interpreter::unknown(const Call& call, const std::string& why) {
  Unknown& entry = unknown_[call.target];
  if (entry.calls++ == 0) {
    entry.at = location(call.node);
    entry.line = call.node.line;
    entry.number = unknown_.size();
  }
  if (!why.empty()) entry.why = why;
}

bool Interpreter::all_known() {
  if (unknown_.empty()) return true;
  std::vector<std::pair<std::string_view, const Unknown*>> found;
  for (const auto& [target, entry] : unknown_) found.emplace_back(target, &entry);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.second->number < b.second->number; });
  std::vector<std::string> listed;
  for (const auto& [target, entry] : found)
    listed.push_back(std::string(target) + " (" + std::to_string(entry->calls) +
                     (entry->calls == 1 ? " call" : " calls") + (entry->why.empty() ? "" : "; " + entry->why) + ")");
  const auto placed = [&](Location at) { return scope().context().locations().primary_position(at) ? at : file_; };
  Diagnostic diagnostic = diagnose<kUnknownOperators>(placed(found[0].second->at),
                                                      static_cast<std::int64_t>(found.size()), std::move(listed));
  for (const auto& [target, entry] : found)
    if (!entry->line.empty()) diagnostic.add_note<kScriptLine>(placed(entry->at), entry->line);
  scope().engine().emit(std::move(diagnostic));
  return false;
}

}  // namespace mlgc::python

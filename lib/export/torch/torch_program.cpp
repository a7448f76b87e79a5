// Turns functions into blocks of calls, op by op.
#include "export/torch/torch_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "aten/row_binding.h"
#include "diag/kinds_export.h"
#include "export/formula_tensors.h"
#include "export/graph_names.h"
#include "export/lacking_ops.h"
#include "export/size_bindings.h"
#include "export/torch/aten_ops.h"
#include "export/torch/torch_builder.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "ops/torch_call.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

// What every torch.nn.Module has, and what the class defines itself.
constexpr auto kModuleNames = {"add_module",
                               "apply",
                               "bfloat16",
                               "buffers",
                               "call_super_init",
                               "children",
                               "compile",
                               "cpu",
                               "cuda",
                               "double",
                               "dump_patches",
                               "eval",
                               "extra_repr",
                               "float",
                               "forward",
                               "get_buffer",
                               "get_extra_state",
                               "get_parameter",
                               "get_submodule",
                               "half",
                               "ipu",
                               "load_state_dict",
                               "load_weights",
                               "modules",
                               "mtia",
                               "named_buffers",
                               "named_children",
                               "named_modules",
                               "named_parameters",
                               "parameters",
                               "register_buffer",
                               "register_module",
                               "register_parameter",
                               "requires_grad_",
                               "set_extra_state",
                               "set_submodule",
                               "share_memory",
                               "state_dict",
                               "to",
                               "to_empty",
                               "train",
                               "training",
                               "type",
                               "xpu",
                               "zero_grad"};

struct ModuleNames {
  std::map<std::string, std::string, std::less<>> data;     // attributes, by name in the module
  std::map<std::string, std::string, std::less<>> methods;  // of functions and derived weights
};

// One function, or the derivation of a weight.
class FunctionMaker {
 public:
  FunctionMaker(Module& module, const TorchPlugin& plugin, const ModuleNames& names, const TorchOptions& options,
                LackingOps& lacking, TorchProgram& program, PythonNames& attributes)
      : module_(module),
        context_(module.context()),
        plugin_(plugin),
        module_names_(names),
        options_(options),
        lacking_(lacking),
        program_(program),
        attributes_(attributes) {}

  Result<TorchFunction, Diagnostic> make(FuncRef func) {
    TorchFunction out{std::string(func.name()), module_names_.methods.find(func.name())->second, {}, {}, {}};
    const TorchBuilder builder(context_, names_, out.body.nodes);
    for (std::size_t i = 0; i < func.arguments().size(); ++i) {
      const Value argument = func.arguments()[i];
      out.body.arguments.push_back({define(argument, argument_name(func, i)), argument.type()});
    }
    builder_ = &builder;
    const GraphNames names(module_);
    if (func.name() == options_.forward) names_of_ops_ = &names;
    sizes_.bind_arguments(func);
    ops(builder, func.body());
    const std::vector<UpdateTarget> updates = func.updates();
    const OpRef end = func.return_op();
    for (std::size_t i = 0; i < end.operand_count(); ++i) {
      const std::string& value = name_of(end.operand(i));
      const std::size_t results = func.result_count();
      if (i < results) {
        out.body.values.push_back(value);
        out.result_names.push_back(result_name(func, i));
      } else if (const UpdateTarget& target = updates[i - results]; target.argument) {
        out.body.values.push_back(value);
        out.result_names.push_back("%" + argument_name(func, *target.argument));
      } else {
        const std::string_view symbol = context_.strings().text(target.symbol);
        out.updates.emplace_back(module_names_.data.find(symbol)->second, value);
      }
    }
    return finish(std::move(out), func.op());
  }

  Result<TorchFunction, Diagnostic> make_derived(OpRef weight) {
    TorchFunction out{std::string(weight.symbol()), module_names_.methods.find(weight.symbol())->second, {}, {}, {}};
    const TorchBuilder builder(context_, names_, out.body.nodes);
    ops(builder, weight.region());
    out.body.values = values_of(weight.region().terminator(), 0);
    return finish(std::move(out), weight);
  }

 private:
  Result<TorchFunction, Diagnostic> finish(TorchFunction out, OpRef op) {
    if (unsolved_)
      return Failure{diagnose<kSizeWithoutInput>(op.location(), *unsolved_, op.symbol(), options_.notation)};
    std::erase_if(out.body.nodes, [&](const TorchNode& node) {
      return node.kind == TorchNodeKind::Size && !used_sizes_.contains(node.results[0].name);
    });
    return out;
  }

  // Names of values.
  std::string define(Value value, std::string_view wanted) {
    return defined_.insert_or_assign(value.id(), names_.fresh(wanted)).first->second;
  }
  std::string define(Value value, OpRef op) { return define(value, value.name().empty() ? op.name() : value.name()); }
  void alias(Value value, const std::string& name) { defined_.insert_or_assign(value.id(), name); }
  const std::string& name_of(Value value) { return defined_.find(value.id())->second; }
  std::vector<std::string> operands_of(OpRef op, std::size_t first = 0) {
    std::vector<std::string> out;
    for (std::size_t i = first; i < op.operand_count(); ++i) out.push_back(name_of(op.operand(i)));
    return out;
  }
  std::vector<std::string> values_of(OpRef terminator, std::size_t first) { return operands_of(terminator, first); }
  std::vector<TorchResult> results_of(OpRef op) {
    std::vector<TorchResult> out;
    for (const Value result : op.results()) out.push_back({define(result, op), result.type()});
    return out;
  }

  // Sizes.
  const std::string& symbol_name(AtomId symbol) {
    const auto [at, fresh] = symbols_.try_emplace(symbol);
    if (fresh) at->second = names_.fresh(context_.index().symbol_name(symbol));
    return at->second;
  }
  // The same with the sizes' names in Python.
  IndexExpr size(IndexExpr e) {
    IndexPool& pool = context_.index();
    return pool.substitute(sizes_.without_ones(e), [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Symbol) return std::nullopt;
      if (sizes_.is_unsolved(id) && !unsolved_) unsolved_ = std::string(pool.symbol_name(id));
      used_sizes_.insert(symbol_name(id));
      return pool.symbol(symbol_name(id));
    });
  }
  std::vector<IndexExpr> sizes(std::span<const IndexExpr> all) {
    std::vector<IndexExpr> out;
    for (const IndexExpr e : all) out.push_back(size(e));
    return out;
  }
  void bind_size(AtomId symbol, Value value, std::size_t axis, AffineDim affine) {
    builder_->add({.kind = TorchNodeKind::Size,
                   .arguments = {{"self", TorchName{name_of(value)}, MLGC_TORCH_TENSOR}},
                   .results = {{symbol_name(symbol), {}}},
                   .axis = axis,
                   .factor = affine.factor,
                   .offset = affine.offset});
  }

  void ops(const TorchBuilder& builder, RegionRef region) {
    for (const OpRef op : region.ops()) {
      if (op.has_trait(Traits::Terminator)) continue;
      const std::size_t before = builder.size();
      make_op(builder, op);
      if (names_of_ops_ != nullptr)
        program_.ops.push_back({names_of_ops_->path(op), std::string(op.name()), builder.written(before)});
      builder_ = &builder;
      for (const Value result : op.results()) sizes_.bind(result);
    }
  }

  void make_op(const TorchBuilder& builder, OpRef op) {
    // What stands inside is not looked at.
    if (std::ranges::count(options_.lacks, op.def().graph_op) != 0) return give_up(op, "");
    switch (op.def().graph_op) {
      case GraphOp::Read: return read(builder, op);
      case GraphOp::Constant: return constant(builder, op);
      case GraphOp::Dim: {
        const IndexExpr value = size(*context_.attributes().as_int(op.attr("value")));
        return call(builder, op, "aten::scalar_tensor",
                    {{"s", value, MLGC_TORCH_NUMBER}, {"dtype", Dtype::I64, MLGC_TORCH_DTYPE}});
      }
      case GraphOp::Range: {
        const std::string end = names_.fresh("end");
        builder.add({.target = "aten::item", .arguments = {tensor("self", op.operand(0))}, .results = {{end, {}}}});
        return call(builder, op, "aten::arange",
                    {{"end", TorchName{end}, MLGC_TORCH_NUMBER}, {"dtype", Dtype::I64, MLGC_TORCH_DTYPE}});
      }
      case GraphOp::Call: {
        const auto callee = context_.attributes().as_symbol(op.attr("callee"));
        return method(builder, op, module_names_.methods.find(*callee)->second);
      }
      case GraphOp::If:
      case GraphOp::While:
      case GraphOp::Scan: return control(builder, op);
      case GraphOp::Fusion:
      case GraphOp::Segment: return inlined(builder, op);
      case GraphOp::TorchCall: return torch_call(builder, op);
      default: return row(builder, op);
    }
  }

  TorchArgument tensor(std::string parameter, Value value) {
    return {std::move(parameter), TorchName{name_of(value)}, MLGC_TORCH_TENSOR};
  }
  void call(const TorchBuilder& builder, OpRef op, std::string target, std::vector<TorchArgument> arguments) {
    builder.add({.target = std::move(target), .arguments = std::move(arguments), .results = results_of(op)});
  }
  void method(const TorchBuilder& builder, OpRef op, const std::string& name) {
    TorchNode node{.kind = TorchNodeKind::Method, .target = name};
    for (const Value operand : op.operands()) node.arguments.push_back(tensor("", operand));
    node.results = results_of(op);
    builder.add(std::move(node));
  }

  void read(const TorchBuilder& builder, OpRef op) {
    const std::string_view symbol = *context_.attributes().as_symbol(op.attr("symbol"));
    if (const auto derived = module_names_.methods.find(symbol);
        derived != module_names_.methods.end() && module_.lookup(symbol).is(GraphOp::Weight))
      return method(builder, op, derived->second);
    builder.add({.kind = TorchNodeKind::Read,
                 .target = module_names_.data.find(symbol)->second,
                 .results = {{define(op.result(), op.result().name().empty() ? symbol : op.result().name()),
                              op.result().type()}}});
  }

  void constant(const TorchBuilder& builder, OpRef op) {
    const Attribute value = op.attr("value");
    const TensorConstant& data = context_.attributes().as_tensor(value);
    const TypePool& types = context_.types();
    if (data.splat && types.rank(data.type) > 0) {
      const Dtype dtype = types.dtype(data.type);
      return call(builder, op, "aten::full",
                  {{"size", sizes(types.dims(data.type)), MLGC_TORCH_INTS},
                   {"fill_value", element(dtype, data.bytes), MLGC_TORCH_NUMBER},
                   {"dtype", dtype, MLGC_TORCH_DTYPE}});
    }
    if (types.element_count(data.type).value_or(0) <= options_.inline_elements) {
      builder.add({.kind = TorchNodeKind::Constant, .results = results_of(op), .constant = value});
      return;
    }
    auto known = std::ranges::find(program_.data, value, &TorchData::constant);
    if (known == program_.data.end()) {
      const std::string name = attributes_.fresh("constant");
      known = program_.data.insert(known, {name, name, data.type, TorchDataRole::Constant, {}, value});
    }
    builder.add({.kind = TorchNodeKind::Read, .target = known->attribute, .results = results_of(op)});
  }
  // Floats as the shortest number that rounds to the element.
  TorchValue element(Dtype dtype, std::span<const std::byte> bytes) {
    const Result<Tensor> one = Tensor::from_bytes(dtype, {}, bytes);
    MLGC_ASSERT(one.ok(), "a splat is one element");
    if (is_complex(dtype)) {
      const Tensor parts = one->parts();
      return std::vector<double>{parts.get_double(0), parts.get_double(1)};
    }
    if (is_float(dtype)) return std::stod(print_element(*one, 0));
    if (dtype == Dtype::I1) return one->get_int(0) != 0;
    return context_.index().constant(one->get_int(0));
  }

  TorchBlock block(const TorchBuilder& builder, RegionRef region, bool condition = false) {
    TorchBlock out;
    std::set<AtomId> bound = sizes_.bound();
    const TorchBuilder inside = builder.inside(out.nodes);
    for (const Value argument : region.arguments())
      out.arguments.push_back(
          {define(argument, argument.name().empty() ? "carried" : argument.name()), argument.type()});
    ops(inside, region);
    const OpRef end = region.terminator();
    if (condition) out.condition = name_of(end.operand(0));
    out.values = values_of(end, condition ? 1 : 0);
    sizes_.restore(std::move(bound));
    return out;
  }

  void control(const TorchBuilder& builder, OpRef op) {
    TorchNode node{.kind = op.is(GraphOp::If)      ? TorchNodeKind::If
                           : op.is(GraphOp::While) ? TorchNodeKind::While
                                                   : TorchNodeKind::Scan};
    for (const Value operand : op.operands()) node.arguments.push_back(tensor("", operand));
    node.carried = static_cast<std::size_t>(context_.attributes().as_int64(op.attr("carried")).value_or(0));
    if (!op.is(GraphOp::If)) node.counter = names_.fresh("i");
    node.reverse = context_.attributes().as_bool(op.attr("reverse")).value_or(false);
    for (const RegionRef region : op.regions())
      node.blocks.push_back(block(builder, region, op.is(GraphOp::While) && region.number() == 0));
    node.results = results_of(op);
    if (op.is(GraphOp::Scan))
      for (const Value result : op.results()) node.empty_shapes.push_back(empty_shape(result));
    builder.add(std::move(node));
  }
  std::vector<IndexExpr> empty_shape(Value value) {
    if (value.rank() == 0) return {};
    std::vector<IndexExpr> out = sizes(value.dims().subspan(1));
    out.insert(out.begin(), context_.index().constant(0));
    return out;
  }

  // The region sees its arguments only, so that it may stand where the op stands.
  void inlined(const TorchBuilder& builder, OpRef op) {
    const RegionRef region = op.region();
    for (std::size_t i = 0; i < region.argument_count(); ++i) alias(region.argument(i), name_of(op.operand(i)));
    ops(builder, region);
    const OpRef end = region.terminator();
    for (std::size_t i = 0; i < op.result_count(); ++i) alias(op.result(i), name_of(end.operand(i)));
  }

  void torch_call(const TorchBuilder& builder, OpRef op) {
    const AttributePool& pool = context_.attributes();
    const std::string target(torch_target(op));
    const AtenOp known = plugin_.find(target);
    if (!known.valid()) return give_up(op, target + ": LibTorch does not have it");
    TorchNode node{.target = target, .one_tensor = known.has(MLGC_TORCH_ONE_TENSOR)};
    const std::span<const StringId> parameters = pool.as_string_list(op.attr("parameters"));
    const std::span<const Attribute> values = pool.as_array(op.attr("arguments"));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string_view text = context_.strings().text(parameters[i]);
      if (i < op.operand_count()) {
        give_operand(node, *read_torch_parameter(text), name_of(op.operand(i)));
        continue;
      }
      const auto found = std::ranges::find(known.parameters(), text, &AtenParameter::name);
      const mlgc_torch_kind kind = found == known.parameters().end() ? MLGC_TORCH_OTHER : found->kind;
      node.arguments.push_back({std::string(text), stated(values[i - op.operand_count()]), kind});
    }
    node.results = results_of(op);
    builder.add(std::move(node));
  }
  static void give_operand(TorchNode& node, const TorchParameter& parameter, const std::string& name) {
    if (!parameter.item) {
      node.arguments.push_back({std::string(parameter.name), TorchName{name}, MLGC_TORCH_TENSOR});
      return;
    }
    auto list = std::ranges::find(node.arguments, parameter.name, &TorchArgument::parameter);
    if (list == node.arguments.end())
      list = node.arguments.insert(list, {std::string(parameter.name), TorchNames(), MLGC_TORCH_TENSORS});
    auto& items = std::get<TorchNames>(list->value);
    items.resize(std::max(items.size(), *parameter.item + 1));
    items[*parameter.item] = name;
  }
  TorchValue stated(Attribute value) {
    const AttributePool& pool = context_.attributes();
    switch (pool.kind(value)) {
      case AttributeKind::Bool: return *pool.as_bool(value);
      case AttributeKind::Int: return size(*pool.as_int(value));
      case AttributeKind::Float: return *pool.as_float(value);
      case AttributeKind::String: return std::string(*pool.as_string(value));
      case AttributeKind::Dtype: return *pool.as_dtype(value);
      case AttributeKind::IntList: return sizes(pool.as_int_list(value));
      case AttributeKind::FloatList: {
        const auto items = pool.as_float_list(value);
        return std::vector<double>(items.begin(), items.end());
      }
      case AttributeKind::BoolList: {
        const auto items = pool.as_bool_list(value);
        return std::vector<bool>(items.begin(), items.end());
      }
      default: return std::monostate();
    }
  }

  // An operator of ATen that computes the row, else its formula.
  void row(const TorchBuilder& builder, OpRef op) {
    std::string reason = "no operator of ATen";
    if (const auto attributes = check_attributes(context_, op.def(), op.attrs())) {
      const auto bound = bind_row(plugin_, {context_, op.def(), op.operand_count(), *attributes});
      if (bound) return bound_row(builder, op, *bound);
      if (!bound.error().empty()) reason = bound.error();
    }
    if (!has_formula(op.def())) return give_up(op, reason);
    if (auto failed = by_formula(builder, op)) give_up(op, reason + "; " + *failed);
  }

  void bound_row(const TorchBuilder& builder, OpRef op, const BoundCall& bound) {
    TorchNode node{.target = std::string(bound.op.name()), .one_tensor = bound.op.has(MLGC_TORCH_ONE_TENSOR)};
    for (const BoundArgument& argument : bound.arguments) {
      TorchArgument made{std::string(argument.parameter->name),
                         std::visit([&](const auto& value) { return given(value, op); }, argument.value),
                         argument.parameter->kind};
      if (made.kind == MLGC_TORCH_TENSOR && is_number(made.value)) give_number(builder, op, node.target, made);
      node.arguments.push_back(std::move(made));
    }
    node.results = results_of(op);
    builder.add(std::move(node));
  }
  static bool is_number(const TorchValue& value) {
    return std::holds_alternative<double>(value) || std::holds_alternative<IndexExpr>(value) ||
           std::holds_alternative<bool>(value);
  }
  // A number in a tensor's place: by the overload that takes one, else as a tensor of the first operand's type, which
  // it does not promote.
  void give_number(const TorchBuilder& builder, OpRef op, std::string& target, TorchArgument& argument) {
    constexpr std::string_view kTensor = ".Tensor";
    std::string other = target;
    if (const std::size_t at = other.find(kTensor); at != std::string::npos)
      other.replace(at, kTensor.size(), ".Scalar");
    if (other != target && plugin_.find(other).valid()) {
      target = std::move(other);
      argument.kind = MLGC_TORCH_NUMBER;
      return;
    }
    const bool real = std::holds_alternative<double>(argument.value);
    const Dtype first = op.operand(0).dtype();
    const Dtype dtype = is_float(first) || !real ? first : Dtype::F32;
    const Type type = context_.types().tensor(dtype, std::span<const IndexExpr>());
    argument.value = TorchName{
        builder.call("aten::scalar_tensor",
                     {{"s", std::move(argument.value), MLGC_TORCH_NUMBER}, {"dtype", dtype, MLGC_TORCH_DTYPE}}, type,
                     argument.parameter)};
  }
  template <class Same>
  static TorchValue given(const Same& value, OpRef /*op*/) {
    return value;
  }
  TorchValue given(IndexExpr value, OpRef /*op*/) { return size(value); }
  TorchValue given(const std::vector<IndexExpr>& value, OpRef /*op*/) { return sizes(value); }
  TorchValue given(BoundOperand operand, OpRef op) { return TorchName{name_of(op.operand(operand.number))}; }
  TorchValue given(const BoundOperands& operands, OpRef op) {
    TorchNames out;
    for (const auto& number : operands)
      out.push_back(number ? std::optional(name_of(op.operand(*number))) : std::nullopt);
    return out;
  }

  // What is missing, if anything.
  std::optional<std::string> by_formula(const TorchBuilder& builder, OpRef op) {
    std::vector<Type> types;
    for (const Value operand : op.operands()) types.push_back(operand.type());
    const auto formula = instantiate_op(context_, op.opcode(), types, op.attrs(), facts_.of(op));
    if (!formula) return formula.error().message();
    std::vector<TensorValue> operands;
    for (std::size_t i = 0; i < op.operand_count(); ++i)
      operands.push_back({name_of(op.operand(i)), op.operand(i).dtype(), sizes(op.operand(i).dims())});
    std::vector<TensorValue> values;
    try {
      AtenOps ops(builder);
      values = formula_tensors(ops, formulas(context_), *formula, operands, [&](IndexExpr e) { return size(e); });
    } catch (const NoForm& none) {
      return none.reason;
    }
    const std::vector<TorchResult> results = results_of(op);
    for (std::size_t i = 0; i < results.size(); ++i)
      builder.add({.target = "aten::alias",
                   .arguments = {{"self", TorchName{values[i].name}, MLGC_TORCH_TENSOR}},
                   .results = {results[i]}});
    return std::nullopt;
  }

  void give_up(OpRef op, std::string_view reason) {
    lacking_.add(op, reason);
    (void)results_of(op);
  }

  Module& module_;
  Context& context_;
  const TorchPlugin& plugin_;
  const ModuleNames& module_names_;
  const TorchOptions& options_;
  LackingOps& lacking_;
  TorchProgram& program_;
  PythonNames& attributes_;
  PythonNames names_{"self", "torch", "float", "range", "reversed"};
  std::map<ValueId, std::string> defined_;
  std::map<AtomId, std::string> symbols_;
  SizeBindings sizes_{context_, [this](AtomId size, Value value, std::size_t axis, AffineDim affine) {
                        bind_size(size, value, axis, affine);
                      }};
  const GraphNames* names_of_ops_ = nullptr;  // null: what is written for each op is not asked for
  const TorchBuilder* builder_ = nullptr;     // where sizes are bound
  std::set<std::string, std::less<>> used_sizes_;
  std::optional<std::string> unsolved_;
  FunctionFacts facts_;
};

TorchData data_of(Context& context, OpRef op, std::string attribute, bool updated) {
  const AttributePool& pool = context.attributes();
  const Type type = pool.as_type(op.attr("type"));
  TorchData out{std::move(attribute), std::string(op.symbol()), type};
  if (op.is(GraphOp::Weight) && is_float(context.types().dtype(type)) && !updated) out.role = TorchDataRole::Parameter;
  const Attribute initial = op.attr("initial");
  if (const auto real = pool.as_float(initial)) out.initial = *real;
  if (const auto whole = pool.as_int64(initial)) out.initial = static_cast<double>(*whole);
  if (const auto flag = pool.as_bool(initial)) out.initial = *flag ? 1 : 0;
  return out;
}

std::set<std::string, std::less<>> updated_symbols(const Module& module) {
  std::set<std::string, std::less<>> out;
  for (const FuncRef func : functions(module))
    for (const UpdateTarget& target : func.updates())
      if (!target.argument) out.emplace(module.context().strings().text(target.symbol));
  return out;
}

}  // namespace

Result<TorchProgram, Diagnostic> make_torch_program(Module& module, const TorchOptions& options) {
  const auto plugin = TorchPlugin::load();
  if (!plugin) return Failure{plugin.error()};
  Context& context = module.context();
  TorchProgram program{std::string(module.top().symbol()), {}, {}, {}, {}};
  PythonNames attributes({});
  for (const std::string_view name : kModuleNames) (void)attributes.fresh(name);
  ModuleNames names;
  const auto updated = updated_symbols(module);
  std::vector<OpRef> derived;
  for (const OpRef op : module.body().ops()) {
    const std::string symbol(op.symbol());
    if (op.is(GraphOp::Weight) && op.region_count() > 0) {
      names.methods.emplace(symbol, attributes.fresh("derive_" + symbol));
      derived.push_back(op);
    } else if (op.is(GraphOp::Weight) || op.is(GraphOp::State)) {
      const std::string attribute = attributes.fresh(symbol);
      names.data.emplace(symbol, attribute);
      program.data.push_back(data_of(context, op, attribute, updated.contains(symbol)));
    }
  }
  for (const FuncRef func : functions(module))
    names.methods.emplace(
        func.name(), func.name() == options.forward ? "forward" : attributes.fresh("call_" + std::string(func.name())));
  LackingOps lacking;
  const auto maker = [&] { return FunctionMaker(module, **plugin, names, options, lacking, program, attributes); };
  for (const OpRef weight : derived) {
    auto made = maker().make_derived(weight);
    if (!made) return Failure{std::move(made).error()};
    program.derived.push_back(*std::move(made));
  }
  for (const FuncRef func : functions(module)) {
    auto made = maker().make(func);
    if (!made) return Failure{std::move(made).error()};
    program.functions.push_back(*std::move(made));
  }
  if (auto error = lacking.error(options.notation)) return Failure{*std::move(error)};
  return program;
}

}  // namespace mlgc

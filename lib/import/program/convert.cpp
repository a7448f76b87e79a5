// Binding, promotion, types and the walk over the nodes; see convert.h. What single operators need is in convert_*.cpp.
#include "import/program/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "diag/kinds_import.h"
#include "import/program/dtypes.h"
#include "import/program/locations.h"
#include "import/program/schema.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Python's operators on numbers: what is made of sizes is recorded with the name of the result, and what is made of
// data is computed when it is asked for.
bool computes_number(const Node& node) {
  if (node.target.starts_with("_operator.")) return true;
  const std::string_view target = short_target(node.target);
  return target.starts_with("aten.sym_") || target == "math.ceil" || target == "math.floor" || target == "math.trunc" ||
         target == "math.sqrt" || node.target.starts_with("torch.sym_") || node.target.starts_with("torch._sym_");
}

// Assertions that hold: our own inference checks dtypes, and the bounds of sizes stand in the program's ranges too.
// What is printed is no result.
bool says_nothing_new(std::string_view target) {
  constexpr std::array kTargets{"aten._assert_tensor_metadata.default", "aten.sym_constrain_range_for_size.default",
                                "aten.sym_constrain_range.default", "aten._print.default"};
  return std::find(kTargets.begin(), kTargets.end(), target) != kTargets.end();
}

}  // namespace

// From ATen names to converters and rows.
class Dispatch {
 public:
  explicit Dispatch(const Context& context) {
    for (const OpDef* def : context.ops())
      for (const std::string_view name : def->aten) rows_.emplace(name, def);
    for (const auto table : {arithmetic_converters(), movement_converters(), network_converters(),
                             sampling_converters(), convolution_converters(), normalisation_converters(),
                             resample_converters(), number_converters(), composite_converters(), training_converters(),
                             assertion_converters(), position_converters(), arrangement_converters(),
                             recurrent_converters(), random_converters(), axis_converters(), algebra_converters()})
      for (const Converter& converter : table) converters_.emplace(converter.target, &converter);
    for (const Expansion& expansion : expansions()) expansions_.emplace(expansion.target, expansion.text);
  }
  [[nodiscard]] bool known(std::string_view target) const {
    return find_schema_row(target) != nullptr &&
           (converter(target) != nullptr || row(target) != nullptr || expansions_.contains(target));
  }
  [[nodiscard]] const Converter* converter(std::string_view target) const {
    const auto found = converters_.find(target);
    return found == converters_.end() ? nullptr : found->second;
  }
  [[nodiscard]] const OpDef* row(std::string_view target) const {
    const auto found = rows_.find(target);
    return found == rows_.end() ? nullptr : found->second;
  }

  // Converts a node whose operator is known.
  void convert(NodeScope& scope) const {
    const std::string_view target = scope.target();
    if (const Converter* known_converter = converter(target))
      known_converter->convert(scope);
    else if (const auto expansion = expansions_.find(target); expansion != expansions_.end())
      convert_by_expansion(scope, expansion->second);
    else
      convert_by_row(scope, *row(target));
  }

 private:
  std::map<std::string_view, const OpDef*> rows_;
  std::map<std::string_view, const Converter*> converters_;
  std::map<std::string_view, std::string_view> expansions_;
};

std::string identifier(const std::string& name) {
  std::string out = name;
  for (char& c : out)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) c = '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), '_');
  return out;
}

GraphScope::GraphScope(GraphScope& parent, const Graph& graph, RegionRef region, bool repeats)
    : builder(parent.builder),
      parent_(&parent),
      repeats_(repeats || parent.repeats_),
      graph_(&graph),
      names_(parent.names_),
      data_symbols_(parent.data_symbols_),
      facts_(parent.facts_),
      engine_(parent.engine_),
      ledger_(parent.ledger_),
      calls_(parent.calls_) {
  builder.set_end(region);
}

Value GraphScope::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? Value() : found->second;
}

bool GraphScope::define(const std::string& name, Value value) {
  if (!values_.emplace(name, value).second) return false;
  defined_.push_back(name);
  if (!value.name_id().valid()) value.set_name(identifier(name));
  return true;
}

std::vector<std::string> known_operators(const Context& context) {
  const Dispatch dispatch(context);
  std::vector<std::string> names;
  for (const SchemaRow& row : schema_table())
    if (dispatch.known(row.target)) names.emplace_back(row.target);
  return names;
}

Value GraphScope::key() {
  if (parent_ != nullptr) return root().key();
  if (!key_.valid()) {
    RegionRef region = builder.region();
    while (!region.parent_op().is(GraphOp::Func)) region = region.parent_op().parent();
    const std::array dims{context().index().constant(2)};
    key_ = region.add_argument(context().types().tensor(Dtype::I64, dims));
    std::string name = "key";
    while (values_.contains(name)) name += "_";
    key_.set_name(name);
  }
  return key_;
}

IndexExpr GraphScope::draw(IndexExpr count) {
  if (parent_ != nullptr) return root().draw(count);
  IndexPool& pool = context().index();
  const IndexExpr start = key_.valid() ? drawn_ : pool.constant(0);
  drawn_ = pool.add(start, count);
  return start;
}

Result<IndexExpr> GraphScope::size(const Size& size) {
  IndexPool& pool = context().index();
  if (size.expression.empty()) return pool.constant(size.value);
  if (const auto found = sizes_.find(size.expression); found != sizes_.end()) return found->second;
  Result<IndexExpr> value = parse_size_expression(size.expression, pool, *names_);
  if (value) sizes_.emplace(size.expression, *value);
  return value;
}

void GraphScope::roll_back(const Mark& mark) {
  while (!builder.region().empty() && builder.region().back() != mark.last) builder.region().back().erase();
  for (; defined_.size() > mark.defined; defined_.pop_back()) values_.erase(defined_.back());
}

Result<Type, Diagnostic> GraphScope::recorded_type(const std::string& name) {
  if (const auto stated = stated_types_.find(name); stated != stated_types_.end()) return stated->second;
  if (const auto guess = suggested_types_.find(name); guess != suggested_types_.end()) return guess->second;
  const auto found = graph_->tensors.find(name);
  if (found == graph_->tensors.end() && !graph_->types_recorded)
    return Failure{diagnose<kResultTypeUnknown>({}, name, "this result")};
  if (found == graph_->tensors.end())
    return Failure{diagnose<kModelStructure>({}, "tensor_values", "an entry for `" + name + "`")};
  const std::optional<Dtype> dtype = dtype_of_number(found->second.dtype);
  if (!dtype) return Failure{diagnose<kUnsupportedDtype>({}, name, dtype_number_name(found->second.dtype))};
  std::vector<IndexExpr> dims;
  for (const Size& dim : found->second.sizes) {
    const Result<IndexExpr> value = size(dim);
    if (!value) return Failure{diagnose<kSizeExpression>({}, dim.expression, value.error())};
    if (context().index().as_constant(*value).value_or(0) < 0)
      return Failure{diagnose<kModelStructure>({}, "tensor_values." + name, "sizes that are not negative")};
    dims.push_back(*value);
  }
  return context().types().tensor(*dtype, dims);
}

void NodeScope::fail(Diagnostic diagnostic) {
  if (failed_) return;
  failed_ = true;
  diagnostic.at = location_;
  graph_->engine().emit(std::move(diagnostic));
}

namespace {

std::string argument_text(std::string_view name) { return "argument `" + std::string(name) + "`"; }

}  // namespace

const Argument& NodeScope::argument(std::string_view name) const {
  for (const BoundArgument& candidate : arguments_)
    if (candidate.name == name) return candidate.value;
  throw InternalError("the schema of " + std::string(target_) + " has no argument " + std::string(name));
}

Value NodeScope::tensor(std::string_view name) {
  const Argument& value = argument(name);
  if (value.is(Kind::Tensor)) return tensor_named(value.names[0]);
  if (!value.none()) refuse<kArgumentKind>(argument_text(name), "a number", "a tensor");
  return {};
}

Value NodeScope::tensor_named(const std::string& name) {
  if (failed_) return {};
  const Value value = graph_->find(name);
  if (!value.valid()) fail(diagnose<kModelStructure>({}, node_->name, "`" + name + "` to be defined before its use"));
  return value;
}

std::vector<Value> NodeScope::tensors(std::string_view name) {
  std::vector<Value> values;
  for (const std::string& item : argument(name).names) values.push_back(item.empty() ? Value() : tensor_named(item));
  return values;
}

IndexExpr NodeScope::integer(const IntArg& value) {
  const Result<IndexExpr> expr = graph_->integer(value);
  if (expr) return *expr;
  fail(diagnose<kSizeExpression>({}, value.name, expr.error()));
  return {};
}

IndexExpr NodeScope::integer(std::string_view name) { return integer(argument(name).ints.at(0)); }

std::int64_t NodeScope::constant(std::string_view name) {
  const std::optional<std::int64_t> value = context().index().as_constant(integer(name));
  if (!value) refuse<kArgumentNotConstant>(argument_text(name), "sizes");
  return value.value_or(0);
}

std::vector<IndexExpr> NodeScope::integers(std::string_view name) {
  std::vector<IndexExpr> values;
  for (const IntArg& item : argument(name).ints) values.push_back(integer(item));
  return values;
}

bool NodeScope::flag(std::string_view name) {
  const Argument& value = argument(name);
  if (value.is(Kind::Bool) && !value.constant_number()) refuse<kArgumentNotConstant>(argument_text(name), "data");
  return value.is(Kind::Bool) && value.flags[0];
}

double NodeScope::real(std::string_view name) {
  const Argument& value = argument(name);
  if (!value.none() && !value.constant_number()) refuse<kArgumentNotConstant>(argument_text(name), "sizes or data");
  if (value.is(Kind::Float)) return value.reals[0];
  if (value.is(Kind::Bool)) return value.flags[0] ? 1 : 0;
  return value.is(Kind::Int) ? static_cast<double>(value.ints[0].value) : 0;
}

std::optional<Dtype> NodeScope::dtype(std::string_view name) {
  const Argument& value = argument(name);
  if (!value.is(Kind::Dtype)) return std::nullopt;
  const std::optional<Dtype> dtype = dtype_of_number(value.ints[0].value);
  if (!dtype) fail(diagnose<kUnsupportedDtype>({}, target_, dtype_number_name(value.ints[0].value)));
  return dtype;
}

Attribute NodeScope::number(const Argument& value) {
  AttributePool& attributes = context().attributes();
  if (!value.is(Kind::Int) && !value.constant_number()) refuse<kArgumentNotConstant>("a number", "data");
  if (value.is(Kind::Float)) return attributes.real(value.reals[0]);
  if (value.is(Kind::Bool)) return attributes.boolean(value.flags[0]);
  return attributes.integer(integer(value.ints[0]));
}

std::int64_t NodeScope::axis(std::int64_t value, std::size_t rank) {
  const std::int64_t axes = std::max<std::int64_t>(static_cast<std::int64_t>(rank), 1);
  if (value < -axes || value >= axes) {
    refuse<kOutOfRange>("axis", value, rank);
    return 0;
  }
  return value < 0 ? value + axes : value;
}

Type NodeScope::recorded(std::size_t i) {
  if (i >= output_names_.size()) {
    fail(diagnose<kModelStructure>({}, node_->name, "at least " + std::to_string(i + 1) + " tensor outputs"));
    return {};
  }
  const Result<Type, Diagnostic> type = graph_->recorded_type(output_names_[i]);
  if (type) return *type;
  fail(type.error());
  return {};
}

// torch calls unused results `<node>_unused_<i>`.
bool NodeScope::used(std::size_t i) const {
  return i < output_names_.size() && output_names_[i].find("_unused_") == std::string::npos;
}

AttrDict NodeScope::dict(const Attrs& attrs) const {
  std::vector<NamedAttribute> named;
  for (const auto& [name, value] : attrs) named.push_back({context().strings().intern(name), value});
  return context().attributes().dict(named);
}

OpRef NodeScope::emit(std::string_view op, std::span<const Value> operands, const Attrs& attrs) {
  if (failed_) return {};
  const Opcode opcode = context().find_op(op);
  MLGC_ASSERT(opcode != Opcode::Invalid, "no row " + std::string(op));
  const AttrDict dict = this->dict(attrs);
  std::vector<Type> types;
  for (const Value& operand : operands) types.push_back(operand.type());
  Result<std::vector<Type>, Diagnostic> results = infer_types(context(), opcode, types, dict, graph_->facts());
  if (!results) {  // PyTorch ran the operator: what no row takes is not wrong
    refuse<kOperandsRefused>(results.error().message());
    return {};
  }
  graph_->builder.set_location(location_);
  return graph_->builder.create(opcode, operands, dict, *results);
}

Value NodeScope::emit_one(std::string_view op, std::initializer_list<Value> operands, const Attrs& attrs) {
  const OpRef built = emit(op, std::span(operands.begin(), operands.size()), attrs);
  return built.valid() ? built.result() : Value();
}

Value NodeScope::cast(Value value, Dtype dtype) {
  if (failed_ || value.dtype() == dtype) return value;
  return emit_one("cast", {value}, {{"dtype", context().attributes().dtype(dtype)}});
}

Value NodeScope::emit_stated(std::string_view op, Value operand, Type type) {
  if (failed_) return {};
  graph_->builder.set_location(location_);
  const OpRef made = graph_->builder.create(op, {operand}, {type});
  const Result<std::vector<Type>, Diagnostic> types = infer_types(made, graph_->facts());
  if (types) return made.result();
  refuse<kOperandsRefused>(types.error().message());
  return {};
}

Value NodeScope::next_key(IndexExpr count) {
  if (failed_) return {};
  if (graph_->repeats()) {
    refuse<kRandomSource>("in a loop, where each iteration would generate the same");
    return {};
  }
  IndexPool& pool = context().index();
  AttributePool& attributes = context().attributes();
  const IndexExpr start = graph_->draw(count);
  const Value key = graph_->key();
  if (pool.as_constant(start) == 0) return key;
  const std::array dims{pool.constant(2)};
  const Type type = context().types().tensor(Dtype::I64, dims);
  const auto pair = [&](std::int64_t offset) {
    const std::array<std::int64_t, 2> values{0, offset};
    return emit_one("constant", {}, {{"value", attributes.tensor(type, std::as_bytes(std::span(values)))}});
  };
  if (const auto offset = pool.as_constant(start)) return emit_one("add", {key, pair(*offset)});
  const Value offset = emit_one("dim", {}, {{"value", attributes.integer(start)}});
  return emit_one("add", {key, emit_one("mul", {pair(1), offset})});
}

Value NodeScope::as_scalar(Value value) {
  if (failed_ || !value.valid() || value.rank() == 0) return value;
  return emit_one("view", {value}, {{"shape", context().attributes().int_list(std::span<const std::int64_t>())}});
}

Value NodeScope::scalar(Dtype dtype, const Argument& number) {
  if (failed_) return {};
  if (!number.constant_number()) {
    const Value value = graph_->number(number, location_);
    if (!value.valid()) give_up();
    return cast(value, dtype);
  }
  Tensor value = Tensor::zeros(dtype, {});
  if (number.is(Kind::Int))
    value.set_int(0, number.ints[0].value);
  else if (number.is(Kind::Bool))
    value.set_int(0, number.flags[0] ? 1 : 0);
  else
    value.set_double(0, number.reals.at(0));
  return emit_one("constant", {}, {{"value", context().attributes().tensor(value)}});
}

void NodeScope::result(std::size_t i, Value value) {
  const bool inferred_only = i < output_names_.size() && !graph_->has_type(output_names_[i]);
  const Type recorded_type = inferred_only && value.valid() ? value.type() : recorded(i);
  if (failed_) return;
  IndexPool& pool = context().index();
  const TypePool& types = context().types();
  const auto ours = types.dims(value.type()), theirs = types.dims(recorded_type);
  bool same = types.dtype(value.type()) == types.dtype(recorded_type) && ours.size() == theirs.size();
  for (std::size_t axis = 0; same && axis < ours.size(); ++axis)
    same = pool.equal(ours[axis], theirs[axis], graph_->facts()) == Truth::Yes;
  if (!same) {
    fail(diagnose<kRecordedType>({}, target_, types.print(value.type()), types.print(recorded_type)));
    return;
  }
  const std::string& name = output_names_[i];
  if (!graph_->define(name, value))
    fail(diagnose<kModelStructure>({}, node_->name, "the name `" + name + "` to be defined once"));
}

void Promotion::add(std::size_t priority, Dtype dtype) {
  std::optional<Dtype>& best = best_[priority];
  if (!best) {
    best = dtype;
    return;
  }
  if (*best == dtype) return;
  const auto category = [](Dtype d) { return dtype_info(d).category; };
  if (category(*best) != category(dtype)) {
    if (category(dtype) > category(*best)) best = dtype;
    return;
  }
  // Inside a category the wider one wins; two of one width have the next wider one in common (f16 and bf16, i8 and
  // ui8).
  const std::size_t width = dtype_info(dtype).bytes, best_width = dtype_info(*best).bytes;
  const bool mixed_signs = dtype == Dtype::UI8 || *best == Dtype::UI8;
  if (width == best_width)
    best = is_float(dtype) ? Dtype::F32 : Dtype::I16;
  else if (width > best_width)
    best = dtype;
  if (mixed_signs && *best == Dtype::I8) best = Dtype::I16;
}

void Promotion::add_tensor(Value value) { add(value.rank() > 0 ? 0 : 1, value.dtype()); }

void Promotion::add_number(const Argument& number) {
  add(2, number.is(Kind::Float) ? Dtype::F32 : number.is(Kind::Bool) ? Dtype::I1 : Dtype::I64);
}

Dtype Promotion::result() const {
  std::optional<Dtype> best;
  for (const std::optional<Dtype>& candidate : best_)
    if (candidate && (!best || dtype_info(*candidate).category > dtype_info(*best).category)) best = candidate;
  return best.value_or(Dtype::F32);
}

std::optional<Value> graph_output(GraphScope& scope, const Argument& argument, Location location) {
  const bool named = argument.is(Kind::Tensor);
  if (named || argument.is(Kind::Int) || argument.is(Kind::Float) || argument.is(Kind::Bool)) {
    if (!named) {
      static const Node no_node;
      NodeScope constant(scope, no_node, "output", location, {});
      // A number that the program computes is a Python float, which has the precision of f64.
      const Dtype real = argument.constant_number() ? Dtype::F32 : Dtype::F64;
      const Dtype dtype = argument.is(Kind::Int) ? Dtype::I64 : argument.is(Kind::Bool) ? Dtype::I1 : real;
      const Value value = constant.scalar(dtype, argument);
      if (constant.failed()) return std::nullopt;
      return value;
    }
    if (const Value value = scope.find(argument.names[0]); value.valid()) return value;
    scope.engine().emit(
        diagnose<kModelStructure>(location, "graph.outputs", "`" + argument.names[0] + "` to be defined"));
    return std::nullopt;
  }
  scope.engine().emit(diagnose<kInputKind>(location, "an output", "neither a tensor nor a number"));
  return std::nullopt;
}

namespace {

// The nodes of a graph and of the graphs inside; false to stop.
bool each_node(const Graph& graph, const std::function<bool(const Node&)>& visit) {
  for (const Node& node : graph.nodes) {
    if (!visit(node)) return false;
    for (const NamedArgument& input : node.inputs)
      if (input.value.graph && !each_node(*input.value.graph, visit)) return false;
  }
  return true;
}

}  // namespace

bool check_operators(const Program& program, Context& context, Location archive, bool calls, DiagnosticEngine& engine) {
  const Dispatch dispatch(context);
  std::map<std::string, std::pair<int, std::string>> unknown;  // how often, and why it can be no call either
  Location first;
  bool drawing = false;
  const bool functional = each_node(program.graph, [&](const Node& node) {
    const std::string_view target = short_target(node.target);
    if (computes_number(node) || says_nothing_new(target) || is_higher_order(node) || dispatch.known(target))
      return true;
    if (target == "aten._scaled_dot_product_flash_attention_for_cpu_backward.default") {
      engine.emit(diagnose<kWrongGradients>(location_of(node, context.locations()), target));
      return false;
    }
    const bool draws = draws_numbers(node);
    const std::optional<Diagnostic> why = calls || draws ? why_no_call(node) : std::nullopt;
    if (calls && !why) return true;
    drawing = drawing || draws;
    if (unknown.empty()) first = location_of(node, context.locations());
    auto& [count, reason] = unknown[std::string(target)];
    ++count;
    reason = why ? no_call_reason(*why) : "";
    return true;
  });
  if (!functional) return false;
  if (unknown.empty()) return true;
  std::vector<std::string> listed;
  for (const auto& [target, found] : unknown)
    listed.push_back(target + " (" + std::to_string(found.first) + (found.first == 1 ? " call" : " calls") +
                     (found.second.empty() ? "" : "; " + found.second) + ")");
  Diagnostic refused = diagnose<kUnknownOperators>(context.locations().primary_position(first) ? first : archive,
                                                   static_cast<std::int64_t>(unknown.size()), std::move(listed));
  if (drawing) refused.add_note<kRandomInput>({});
  engine.emit(std::move(refused));
  return false;
}

bool is_form(const Diagnostic& refused) {
  return std::find(kFormKinds.begin(), kFormKinds.end(), refused.kind) != kFormKinds.end();
}

bool may_become_call(const Diagnostic& refused) {
  return is_form(refused) || refused.kind == &kUnsupportedDtype || refused.kind == &kComplexOperator;
}

namespace {

// Whether a node takes or gives complex numbers, or names such a type.
bool is_complex(const GraphScope& scope, const Node& node) {
  const auto is_complex_number = [](std::int64_t number) {
    const auto dtype = dtype_of_number(number);
    return dtype && mlgc::is_complex(*dtype);
  };
  const auto names_complex = [&](const Argument& argument) {
    if (argument.is(Kind::Dtype)) return is_complex_number(argument.ints[0].value);
    return argument.is(Kind::Complex) || std::ranges::any_of(argument.names, [&](const std::string& name) {
             const Value value = scope.find(name);
             if (value.valid()) return mlgc::is_complex(value.dtype());
             const auto recorded = scope.graph().tensors.find(name);
             return recorded != scope.graph().tensors.end() && is_complex_number(recorded->second.dtype);
           });
  };
  return std::ranges::any_of(node.inputs, [&](const NamedArgument& input) { return names_complex(input.value); }) ||
         std::ranges::any_of(node.outputs, names_complex);
}

// Precondition: the operator is known. False after a diagnostic.
bool convert_node(GraphScope& scope, const Dispatch& dispatch, const Node& node, Location location) {
  const std::string_view target = short_target(node.target);
  if (is_complex(scope, node)) {
    scope.engine().emit(diagnose<kComplexOperator>(location, target));
    return false;
  }
  const std::optional<Schema> schema = find_schema(target);
  MLGC_ASSERT(schema.has_value(), "an operator was not checked: " + std::string(target));
  Result<std::vector<BoundArgument>, Diagnostic> arguments = bind_arguments(*schema, target, node.inputs);
  if (!arguments) {
    arguments.error().at = location;
    scope.engine().emit(arguments.error());
    return false;
  }
  NodeScope node_scope(scope, node, target, location, std::move(arguments).value());
  dispatch.convert(node_scope);
  return !node_scope.failed();
}

// The same, where what has no form here may become a call of PyTorch.
bool convert_or_call(GraphScope& scope, const Dispatch& dispatch, const Node& node, Location location) {
  const std::string_view target = short_target(node.target);
  std::string_view reason = "unknown-operator";
  std::string detail;
  DiagnosticEngine& engine = scope.engine();
  DiagnosticEngine refused(scope.context().locations());
  if (dispatch.known(target)) {
    const GraphScope::Mark mark = scope.mark();
    scope.set_engine(refused);
    const bool converted = convert_node(scope, dispatch, node, location);
    scope.set_engine(engine);
    const std::vector<Diagnostic> found = refused.sorted();
    if (converted || found.size() != 1 || !may_become_call(found[0])) {
      for (const Diagnostic& diagnostic : found) engine.emit(diagnostic);
      return converted;
    }
    scope.roll_back(mark);
    reason = found[0].kind->id;
    detail = found[0].message();
  }
  auto problem = convert_to_call(scope, node, location, reason, std::move(detail), *scope.ledger());
  if (!problem) return true;
  for (const Diagnostic& diagnostic : refused.sorted()) engine.emit(diagnostic);
  problem->at = location;
  engine.emit(*std::move(problem));
  return false;
}

}  // namespace

const Dispatch& GraphScope::dispatch() {
  std::shared_ptr<const Dispatch>& shared = root().dispatch_;
  if (shared == nullptr) shared = std::make_shared<const Dispatch>(context());
  return *shared;
}

bool convert_nodes(GraphScope& scope) {
  const Dispatch& dispatch = scope.dispatch();
  for (const Node& node : scope.graph().nodes) {
    const std::string_view target = short_target(node.target);
    if (says_nothing_new(target)) continue;
    if (computes_number(node)) {
      scope.remember(node);
      continue;
    }
    const Location location = location_of(node, scope.context().locations());
    if (is_higher_order(node)) {
      if (!convert_higher_order(scope, node, location)) return false;
      continue;
    }
    scope.count_operator();
    if (!(scope.ledger() != nullptr ? convert_or_call(scope, dispatch, node, location)
                                    : convert_node(scope, dispatch, node, location)))
      return false;
  }
  return true;
}

NodeConverter::NodeConverter(const Context& context) : dispatch_(std::make_unique<const Dispatch>(context)) {}
NodeConverter::~NodeConverter() = default;
bool NodeConverter::known(std::string_view target) const { return dispatch_->known(target); }
bool NodeConverter::convert(GraphScope& scope, const Node& node, Location location) const {
  return convert_node(scope, *dispatch_, node, location);
}

}  // namespace mlgc::program

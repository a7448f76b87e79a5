// Python numbers of a graph: symbolic integers as sizes or as values, and what is computed from them.
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/locations.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Of numbers that wait for what they are computed from: also what ends one that is computed from itself.
constexpr int kMaxPendingNumbers = 500;

// Whether the text of a size expression names one of the symbols.
bool mentions(std::string_view expression, const std::set<std::string, std::less<>>& symbols) {
  for (const std::string_view name : symbols_of(expression))
    if (symbols.contains(name)) return true;
  return false;
}

struct NumberOperator {
  std::string_view target;  // of the node
  std::string_view op;
  enum class Domain { Same, Real, Truth } domain = Domain::Same;  // that operands are brought to
};
constexpr std::array kOperators{
    NumberOperator{"_operator.add", "add"},
    NumberOperator{"_operator.sub", "sub"},
    NumberOperator{"_operator.mul", "mul"},
    NumberOperator{"_operator.neg", "neg"},
    NumberOperator{"_operator.pow", "pow"},
    NumberOperator{"_operator.mod", "remainder"},
    NumberOperator{"_operator.floordiv", "floor_divide"},
    NumberOperator{"_operator.truediv", "div", NumberOperator::Domain::Real},
    NumberOperator{"_operator.eq", "eq"},
    NumberOperator{"_operator.ne", "ne"},
    NumberOperator{"_operator.lt", "lt"},
    NumberOperator{"_operator.le", "le"},
    NumberOperator{"_operator.gt", "gt"},
    NumberOperator{"_operator.ge", "ge"},
    NumberOperator{"_operator.and_", "bitwise_and"},
    NumberOperator{"_operator.or_", "bitwise_or"},
    NumberOperator{"_operator.not_", "logical_not", NumberOperator::Domain::Truth},
    NumberOperator{"torch.sym_not", "logical_not", NumberOperator::Domain::Truth},
    NumberOperator{"torch.sym_max", "maximum"},
    NumberOperator{"torch.sym_min", "minimum"},
    NumberOperator{"torch.sym_sqrt", "sqrt", NumberOperator::Domain::Real},
    NumberOperator{"torch._sym_sqrt", "sqrt", NumberOperator::Domain::Real},
    NumberOperator{"math.sqrt", "sqrt", NumberOperator::Domain::Real},
};
// Between integers and reals.
struct NumberCast {
  std::string_view target, op;  // applied to reals before the cast; none: the cast alone
  Dtype dtype;
};
constexpr std::array kCasts{
    NumberCast{"torch.sym_float", "", Dtype::F64}, NumberCast{"torch.sym_int", "trunc", Dtype::I64},
    NumberCast{"math.trunc", "trunc", Dtype::I64}, NumberCast{"math.ceil", "ceil", Dtype::I64},
    NumberCast{"math.floor", "floor", Dtype::I64},
};

std::string_view number_target(const Node& node) {
  const std::string_view target = node.target;
  return target.starts_with("torch.ops.") ? target.substr(10) : target;
}

// A number out of a tensor of one element.
void convert_item(NodeScope& scope) {
  const Value value = scope.as_scalar(scope.tensor("self"));
  if (scope.failed()) return;
  const std::vector<Argument>& outputs = scope.node().outputs;
  if (outputs.size() != 1 || (!outputs[0].is(Kind::Int) && outputs[0].names.empty())) {
    scope.fail(diagnose<kModelStructure>({}, scope.node().name, "one number as its output"));
    return;
  }
  const Argument& output = outputs[0];
  const Dtype dtype = output.is(Kind::Int) ? Dtype::I64 : output.is(Kind::Float) ? Dtype::F64 : Dtype::I1;
  const Value number = scope.cast(value, dtype);
  if (scope.failed()) return;
  const std::string& name = output.is(Kind::Int) ? output.ints[0].name : output.names[0];
  if (!scope.graph().bind(name, number, scope.location())) scope.give_up();
}

constexpr Converter kNumbersConverters[] = {
    {"aten.item.default", convert_item},
    {"aten._local_scalar_dense.default", convert_item},
};

}  // namespace

std::span<const Converter> number_converters() { return kNumbersConverters; }

Result<IndexExpr> GraphScope::integer(const IntArg& integer) {
  if (integer.name.empty()) return context().index().constant(integer.value);
  for (const GraphScope* at = this; at != nullptr; at = at->parent_)
    if (const auto stated = at->stated_integers_.find(integer.name); stated != at->stated_integers_.end())
      return stated->second;
  if (!graph_->types_recorded) return Failure{"`" + integer.name + "` depends on data, so it is no size"};
  const auto found = graph_->sym_ints.find(integer.name);
  if (found == graph_->sym_ints.end()) return Failure{"`" + integer.name + "` is no symbolic integer of the graph"};
  if (mentions(found->second.expression, data_symbols_->numbers))
    return Failure{"`" + integer.name + "` depends on data and may be negative, so it is no size"};
  return size(found->second);
}

bool GraphScope::bind(const std::string& name, Value value, Location location) {
  const auto fail = [&](Diagnostic diagnostic) {
    diagnostic.at = location;
    engine_->emit(std::move(diagnostic));
    return false;
  };
  if (!define(name, value)) return fail(diagnose<kModelStructure>({}, name, "a name that is defined once"));
  const auto found = graph_->sym_ints.find(name);
  if (found == graph_->sym_ints.end() || mentions(found->second.expression, data_symbols_->numbers)) return true;
  const Result<IndexExpr> symbol = size(found->second);
  if (!symbol) return fail(diagnose<kSizeExpression>({}, found->second.expression, symbol.error()));
  (void)bind_size(*symbol, found->second, value, location);
  return true;
}

Value GraphScope::bind_size(IndexExpr symbol, const std::optional<Size>& recorded, Value value, Location location) {
  IndexPool& pool = context().index();
  const auto atom = pool.as_atom(symbol);
  if (!atom || pool.atom(*atom).kind != AtomKind::Symbol) return {};  // a constant, or known from other sizes
  const std::array dims{symbol};
  const std::array types{context().types().tensor(Dtype::I64, dims)};
  const std::vector<std::string_view> symbols = symbols_of(recorded ? recorded->expression : std::string_view());
  const auto stated = data_symbols_->sizes.find(symbols.empty() ? std::string_view() : symbols.front());
  AttrDict attrs;
  if (stated != data_symbols_->sizes.end() && !stated->second.empty())
    attrs = builder.attrs({{"where", to_attribute(stated->second, context())}});
  builder.set_location(location);
  const std::array operands{value};
  return builder.create(context().opcode(GraphOp::Range), operands, attrs, types).result();
}

void GraphScope::remember(const Node& node) {
  for (const Argument& output : node.outputs)
    for (const std::string& name : output.names) numbers_.emplace(name, &node);
  for (const Argument& output : node.outputs)
    for (const IntArg& integer : output.ints)
      if (!integer.name.empty()) numbers_.emplace(integer.name, &node);
}

Value GraphScope::number(const Argument& argument, Location location) {
  static const Node no_node;
  NodeScope scope(*this, no_node, "number", location, {});
  AttributePool& attributes = context().attributes();
  const bool integer = argument.is(Kind::Int);
  std::string name;
  if (integer)
    name = argument.ints[0].name;
  else if (!argument.names.empty())
    name = argument.names[0];
  if (name.empty())
    return scope.scalar(integer ? Dtype::I64 : argument.is(Kind::Float) ? Dtype::F64 : Dtype::I1, argument);
  if (const Value known = find(name); known.valid()) return known;
  if (integer) {
    if (const Result<IndexExpr> value = this->integer(argument.ints[0]))
      return scope.emit_one("dim", {}, {{"value", attributes.integer(*value)}});
  }
  const auto node = numbers_.find(name);
  if (node == numbers_.end()) {
    scope.fail(diagnose<kModelStructure>({}, name, "a node that computes it"));
    return {};
  }
  if (pending_numbers_ >= kMaxPendingNumbers) {
    scope.refuse<kImportLimit>(pending_numbers_ + 1, "steps to compute a number", kMaxPendingNumbers);
    return {};
  }
  ++pending_numbers_;
  const Value value = computed_number(*node->second, location);
  --pending_numbers_;
  if (value.valid() && values_.emplace(name, value).second) defined_.push_back(name);
  return value;
}

Value GraphScope::computed_number(const Node& node, Location location) {
  NodeScope scope(*this, node, number_target(node), location, {});
  std::vector<Value> operands;
  bool real = false, truth = true;
  for (const NamedArgument& input : node.inputs) {
    if (!input.value.is(Kind::Int) && !input.value.is(Kind::Float) && !input.value.is(Kind::Bool)) {
      scope.refuse<kArgumentKind>("operand `" + input.name + "`", "something else", "a number");
      return {};
    }
    operands.push_back(number(input.value, location));
    if (!operands.back().valid()) return {};
    real = real || operands.back().dtype() == Dtype::F64;
    truth = truth && operands.back().dtype() == Dtype::I1;
  }
  for (const NumberCast& cast : kCasts) {
    if (cast.target != scope.target() || operands.size() != 1) continue;
    const Value value = cast.op.empty() || !real ? operands[0] : scope.emit_one(cast.op, {operands[0]});
    return scope.cast(value, cast.dtype);
  }
  for (const NumberOperator& row : kOperators) {
    if (row.target != scope.target()) continue;
    const bool bits = row.op.starts_with("bitwise_");
    if (bits && real) break;
    Dtype dtype = real || row.domain == NumberOperator::Domain::Real ? Dtype::F64 : Dtype::I64;
    if (row.domain == NumberOperator::Domain::Truth || (bits && truth)) dtype = Dtype::I1;
    for (Value& operand : operands) operand = scope.cast(operand, dtype);
    const OpRef op = scope.emit(row.op, operands, {});
    return op.valid() ? op.result() : Value();
  }
  scope.refuse<kArgumentNotConstant>("a number that is computed in this way", "data");
  return {};
}

}  // namespace mlgc::program

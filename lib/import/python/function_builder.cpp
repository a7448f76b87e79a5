// See function_builder.h.
#include "import/python/function_builder.h"

#include <algorithm>

#include "diag/kinds_import.h"

namespace mlgc::python {

namespace {

// A name of LibTorch without its numeric suffix (`x.3`); empty where it is a number only.
std::string_view stem(std::string_view name) {
  const std::string_view text = name.substr(0, std::min(name.find('.'), name.size()));
  return !text.empty() && text[0] >= '0' && text[0] <= '9' ? std::string_view() : text;
}

}  // namespace

program::GraphScope& FunctionBuilder::enter(program::GraphScope& scope) {
  program::GraphScope& outer = *scope_;
  scope_ = &scope;
  ++depth_;
  return outer;
}

void FunctionBuilder::leave(program::GraphScope& outer) {
  scope_ = &outer;
  --depth_;
}

Location FunctionBuilder::placed(Location at) const { return context().locations().primary_position(at) ? at : file_; }

void FunctionBuilder::report(const Node& node, Diagnostic diagnostic) const {
  origins_.annotate(node, diagnostic);
  diagnostic.at = placed(diagnostic.at);
  if (!node.line.empty()) diagnostic.add_note<kScriptLine>({}, node.line);
  scope().engine().emit(std::move(diagnostic));
}

Value FunctionBuilder::emit(const Node& node, std::string_view op, std::span<const Value> operands,
                            const program::NodeScope::Attrs& attrs) {
  const program::Node described_node = described(node, node.kind);
  program::NodeScope made(scope(), described_node, node.kind, location(node), {});
  const OpRef built = made.emit(op, operands, attrs);
  return built.valid() ? built.result() : Value();
}

Value FunctionBuilder::number_value(const Node& node, const PythonValue& number) {
  if (const Computed* computed = number.as<Computed>()) return computed->value;
  const program::Node described_node = described(node, node.kind);
  program::NodeScope made(scope(), described_node, node.kind, location(node), {});
  program::Argument argument;
  if (const IndexExpr* size = number.as<IndexExpr>()) {
    const auto constant = index().as_constant(*size);
    if (!constant) return emit(node, "dim", {}, {{"value", context().attributes().integer(*size)}});
    argument.kind = program::Argument::Kind::Int;
    argument.ints.push_back({"", *constant});
    return made.scalar(Dtype::I64, argument);
  }
  if (const double* real = number.as<double>()) {
    argument.kind = program::Argument::Kind::Float;
    argument.reals.push_back(*real);
    return made.scalar(Dtype::F64, argument);
  }
  if (const bool* flag = number.as<bool>()) {
    argument.kind = program::Argument::Kind::Bool;
    argument.flags.push_back(*flag);
    return made.scalar(Dtype::I1, argument);
  }
  refuse<kArgumentKind>(node, "an operand", kind_name(number), "a number");
  return {};
}

std::string FunctionBuilder::name_value(Value value) const {
  std::string name = "value " + std::to_string(value.id().index());
  if (scope().find(name).valid()) return name;
  // The name is for the node only: a value that has none keeps none.
  const StringId before = value.name_id();
  (void)scope().define(name, value);
  value.set_name(before);
  return name;
}

program::IntArg FunctionBuilder::integer(IndexExpr number) const {
  if (const auto known = index().as_constant(number)) return {"", *known};
  std::string name = "size " + index().print(number);
  scope().state_integer(name, number);
  return {std::move(name), 0};
}

std::string FunctionBuilder::result_name(std::uint32_t value, std::string_view op, bool used) {
  const std::string_view own = stem(program_.values[value].name);
  const std::string first = program::identifier(std::string(own.empty() ? op : own));
  std::string name = first;
  if (int count = names_[first]++; count > 0) {
    do name = first + "_" + std::to_string(count++);
    while (!names_.emplace(name, 1).second);
  }
  return used ? name : name + "_unused_0";
}

std::string FunctionBuilder::repeated_name(const std::string& name) {
  const int count = names_[name]++;
  return name + "_again" + (count == 0 ? "" : "_" + std::to_string(count));
}

bool FunctionBuilder::convert(const Node& node, const program::Node& made, std::optional<Diagnostic>& form) {
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

}  // namespace mlgc::python

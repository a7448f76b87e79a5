// See executor.h.
#include "import/fx/executor.h"

#include <algorithm>

#include "diag/kinds_import.h"

namespace mlgc::fx {

Executor::Executor(Script& script, program::GraphScope& scope, const Surroundings& surroundings)
    : graph_(script.graph),
      numbers_(script.numbers),
      sites_(script.graph, script.program.values, script.numbers, surroundings.types, scope.context().locations(),
             surroundings.file_name),
      interpreter_(script.program, sites_, scope, surroundings.tensors, surroundings.file),
      place_{interpreter_.builder(), sites_},
      literals_(interpreter_.builder(), interpreter_.values(), numbers_),
      modules_(graph_, place_, literals_, interpreter_.attributes()),
      operators_(place_, interpreter_, numbers_),
      calls_(place_, operators_, modules_, interpreter_.tensors()),
      higher_order_(place_, literals_, interpreter_.tensors(), surroundings),
      recorded_(place_, surroundings.types, interpreter_.data_sizes(), interpreter_.tensors()) {}

// Lists all that cannot be called.
bool Executor::check_known() {
  std::map<std::string, int> unknown;
  std::size_t first = 0;
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.opcode == Opcode::CallModule && !graph_.modules.contains(node.target)) {
      sites_.start(i);
      place_.builder.report(place_.node(),
                            diagnose<kFxStructure>(sites_.location(place_.node()), "node `" + node.name + "`",
                                                   "an entry for `" + node.target + "` among `modules`"));
      return false;
    }
    const std::optional<std::string> what = unknown_target(place_.builder, graph_, node);
    if (!what) continue;
    if (unknown.empty()) first = i;
    ++unknown[*what];
  }
  if (unknown.empty()) return true;
  std::vector<std::string> listed;
  for (const auto& [name, count] : unknown)
    listed.push_back(name + " (" + std::to_string(count) + (count == 1 ? " node)" : " nodes)"));
  sites_.start(first);
  place_.builder.report(place_.node(),
                        diagnose<kFxUnknown>(sites_.location(place_.node()), static_cast<std::int64_t>(unknown.size()),
                                             std::move(listed)));
  return false;
}

std::string Executor::why_refused(std::size_t number) {
  program::GraphScope& scope = place_.builder.scope();
  DiagnosticEngine& own = scope.engine();
  DiagnosticEngine heard(scope.context().locations());
  scope.set_engine(heard);
  const program::GraphScope::Mark before = scope.mark();
  std::string reason;
  if (const auto unknown = unknown_target(place_.builder, graph_, graph_.nodes[number]))
    reason = "`" + *unknown + "` is not known";
  else if (!run_node(number))
    reason = heard.sorted().empty() ? "it cannot be imported" : heard.sorted().front().message();
  // The ops that the node was converted to come after `before.last`.
  for (OpRef op = scope.mark().last; reason.empty() && op.valid() && op != before.last; op = op.previous())
    reason = support_->refuse(op);
  if (!reason.empty())
    interpreter_.values().set(numbers_.node(number), recorded_.stand_in(graph_.nodes[number].recorded));
  scope.set_engine(own);
  return reason;
}

std::vector<std::size_t> Executor::checked_operands(const Node& node) const {
  std::vector<std::size_t> operands;
  const auto read = [&](const auto& self, const Literal& literal) -> void {
    if (literal.is(Literal::Kind::Node))
      if (const auto from = verdict_of_[static_cast<std::size_t>(literal.integer)]) operands.push_back(*from);
    for (const Literal& item : literal.items) self(self, item);
  };
  for (const Literal& literal : node.arguments) read(read, literal);
  for (const auto& [name, literal] : node.keywords) read(read, literal);
  return operands;
}

void Executor::check_node(std::size_t number) {
  const Node& node = graph_.nodes[number];
  sites_.start(number);
  FxVerdict verdict{node.name, node.target, {}, sites_.location(place_.node()), {}};
  verdict.reason = why_refused(number);
  verdict.operands = checked_operands(node);
  verdict_of_[number] = support_->verdicts.size();
  support_->verdicts.push_back(std::move(verdict));
}

bool Executor::run() {
  if (support_ == nullptr && !check_known()) return false;
  verdict_of_.assign(graph_.nodes.size(), std::nullopt);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Opcode opcode = graph_.nodes[i].opcode;
    if (opcode == Opcode::Placeholder) {
      sites_.start(i);
      if (!recorded_.check(graph_.nodes[i].recorded, interpreter_.values().get(numbers_.node(i)))) return false;
      continue;
    }
    if (support_ != nullptr && opcode != Opcode::Output)
      check_node(i);
    else if (!run_node(i))
      return false;
  }
  return true;
}

bool Executor::run_node(std::size_t number) {
  sites_.start(number);
  const Node& node = graph_.nodes[number];
  Given value = evaluate(node);
  if (!value) return false;
  if (!recorded_.check(node.recorded, *value)) return false;
  value = recorded_.as_size(node.recorded, *std::move(value));
  // What a call made has a name of its own until it is known to be the node's.
  if (const Tensor* tensor = value->as<Tensor>(); tensor != nullptr && (*tensor)->value.valid()) {
    const Value made = (*tensor)->value;
    if (sites_.is_own(made.name())) made.set_name(program::identifier(node.name));
  }
  interpreter_.values().set(numbers_.node(number), *value);
  return true;
}

Given Executor::evaluate(const Node& node) {
  if (node.opcode == Opcode::CallFunction && is_higher_order(node.target)) return higher_order_.call(node);
  Arguments arguments;
  for (const Literal& literal : node.arguments) arguments.positional.push_back(literals_.value(literal));
  for (const auto& [name, literal] : node.keywords) arguments.keywords.emplace_back(name, literals_.value(literal));
  switch (node.opcode) {
    case Opcode::GetAttr: return modules_.tensor(node.target);
    case Opcode::CallFunction: return calls_.call_function(node.target, std::move(arguments));
    case Opcode::CallMethod: return calls_.call_method(node.target, std::move(arguments));
    case Opcode::CallModule: return calls_.call_module(node.target, std::move(arguments));
    case Opcode::Output: return arguments.positional.at(0);
    case Opcode::Placeholder: break;
  }
  return std::nullopt;
}

}  // namespace mlgc::fx

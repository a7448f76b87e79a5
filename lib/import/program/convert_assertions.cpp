// Assertions of a program about its sizes and its data: `check`, where nothing else says the same.
//
// torch.export writes every assertion as a node, those too that follow from the bounds of the sizes. What the bounds
// imply is dropped; the rest aborts when it does not hold, as in PyTorch.
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// What has to be 0 or more for a comparison of integers to hold.
std::optional<std::vector<IndexExpr>> margins(std::string_view comparison, IndexExpr a, IndexExpr b, IndexPool& pool) {
  const IndexExpr one = pool.constant(1);
  if (comparison == "_operator.ge") return {{pool.sub(a, b)}};
  if (comparison == "_operator.gt") return {{pool.sub(pool.sub(a, b), one)}};
  if (comparison == "_operator.le") return {{pool.sub(b, a)}};
  if (comparison == "_operator.lt") return {{pool.sub(pool.sub(b, a), one)}};
  if (comparison == "_operator.eq") return {{pool.sub(a, b), pool.sub(b, a)}};
  return std::nullopt;
}

// The same of an assertion that compares two sizes; nothing for any other.
std::optional<std::vector<IndexExpr>> size_margins(GraphScope& graph, const Argument& asserted) {
  if (!asserted.is(Kind::Bool) || asserted.names.empty()) return std::nullopt;
  const Node* const comparison = graph.node_of_number(asserted.names[0]);
  if (comparison == nullptr || comparison->inputs.size() != 2) return std::nullopt;
  std::array<IndexExpr, 2> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    const Argument& side = comparison->inputs[i].value;
    if (!side.is(Kind::Int)) return std::nullopt;
    const Result<IndexExpr> value = graph.integer(side.ints[0]);
    if (!value) return std::nullopt;
    sides[i] = *value;
  }
  return margins(comparison->target, sides[0], sides[1], graph.context().index());
}

void emit_check(NodeScope& scope, std::span<const Value> operands, std::span<const IndexExpr> conditions) {
  OpChain(scope).check(operands, conditions, scope.argument("assert_msg").text);
}

// The value, a truth of rank 0, has to be true.
void check_value(NodeScope& scope, Value value) {
  const Value truth = scope.cast(scope.cast(value, Dtype::I1), Dtype::I64);
  if (scope.failed()) return;
  IndexPool& pool = scope.context().index();
  const std::array condition{pool.sub(pool.opaque(0), pool.constant(1))};
  emit_check(scope, std::array{truth}, condition);
}

void convert_assert_number(NodeScope& scope) {
  GraphScope& graph = scope.graph();
  const Argument& asserted = scope.argument("self");
  if (std::optional<std::vector<IndexExpr>> conditions = size_margins(graph, asserted)) {
    std::erase_if(*conditions,
                  [&](IndexExpr margin) { return scope.context().index().is_non_negative(margin, graph.facts()); });
    if (!conditions->empty()) emit_check(scope, {}, *conditions);
    return;
  }
  // An assertion that has no form here is no reason to refuse the model, but a user has to know that nothing asserts.
  DiagnosticEngine& engine = graph.engine();
  DiagnosticEngine refused(graph.context().locations());
  const GraphScope::Mark mark = graph.mark();
  graph.set_engine(refused);
  const Value value = graph.number(asserted, scope.location());
  graph.set_engine(engine);
  const std::vector<Diagnostic> said = refused.sorted();
  if (value.valid()) {
    for (const Diagnostic& found : said) engine.emit(found);
    return check_value(scope, value);
  }
  graph.roll_back(mark);
  for (const Diagnostic& found : said) {
    const bool form = is_form(found);
    engine.emit(form ? diagnose<kAssertionDropped>(scope.location(), scope.argument("assert_msg").text, found.message())
                     : found);
    if (!form && found.kind->severity == Severity::Error) scope.give_up();
  }
}

void convert_assert_tensor(NodeScope& scope) { check_value(scope, scope.as_scalar(scope.tensor("self"))); }

constexpr Converter kAssertionsConverters[] = {
    {"aten._assert_scalar.default", convert_assert_number},
    {"aten._assert_async.msg", convert_assert_tensor},
};

}  // namespace

std::span<const Converter> assertion_converters() { return kAssertionsConverters; }

}  // namespace mlgc::program

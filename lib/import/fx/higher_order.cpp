// See higher_order.h.
#include "import/fx/higher_order.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/fx/executor.h"
#include "import/fx/script.h"
#include "ops/instantiate_op.h"

namespace mlgc::fx {

namespace {

constexpr std::string_view kPrefix = "torch.ops.higher_order.";
constexpr std::array<std::string_view, 6> kKnown{"cond",     "while_loop",      "scan",
                                                 "map_impl", "invoke_subgraph", "invoke_quant_packed"};

// A truth value of rank 0; invalid after a diagnostic.
Value condition(const Place& place, python::TensorMemory& tensors, const PythonValue& value) {
  Value flag = tensors.value(place.node(), value);
  if (!flag.valid()) return {};
  if (flag.rank() > 0) {
    const std::array whole{flag};
    const auto shape = place.builder.context().attributes().int_list(std::span<const std::int64_t>());
    flag = place.builder.emit(place.node(), "view", whole, {{"shape", shape}});
  }
  if (flag.valid() && flag.dtype() != Dtype::I1) {
    place.refuse<kArgumentKind>("its condition", "of element type " + std::string(dtype_info(flag.dtype()).name),
                                "of i1");
    return {};
  }
  return flag;
}

// Of a region: tensors and numbers as values, None left out. Nothing after a diagnostic.
std::optional<std::vector<Value>> region_results(const Place& place, python::TensorMemory& tensors,
                                                 const PythonValue& value) {
  std::vector<Value> results;
  if (value.is<None>()) return results;
  if (const auto* items = value.items()) {
    for (const PythonValue& item : *items) {
      const auto inside = region_results(place, tensors, item);
      if (!inside) return std::nullopt;
      results.insert(results.end(), inside->begin(), inside->end());
    }
    return results;
  }
  results.push_back(tensors.value(place.node(), value));
  if (!results.back().valid()) return std::nullopt;
  return results;
}

}  // namespace

bool is_higher_order(std::string_view name) {
  return name.starts_with(kPrefix) &&
         std::find(kKnown.begin(), kKnown.end(), name.substr(kPrefix.size())) != kKnown.end();
}

// A graph while it runs in a region, or in the place of its call.
class HigherOrder::Body {
 public:
  Body(const HigherOrder& outer, const Graph& graph, program::GraphScope& scope)
      : place_(outer.place_), script_(make_body_script(graph, outer.surroundings_.file, scope.engine())) {
    if (script_ != nullptr) executor_.emplace(*script_, scope, outer.surroundings_);
  }

  // What the graph gives; nothing after a diagnostic.
  Given run(std::span<const PythonValue> given) {
    if (script_ == nullptr) return std::nullopt;
    const python::Block& body = script_->program.body;
    if (body.inputs.size() != given.size() + 1)
      return place_.refuse<kCountsDiffer>(given.size(), "values", body.inputs.size() - 1, "inputs of a graph inside");
    python::Interpreter& interpreter = executor_->interpreter();
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < given.size(); ++i) {
      PythonValue value = given[i];
      if (const Tensor* tensor = value.as<Tensor>()) {
        tensors.push_back(interpreter.tensors().create((*tensor)->value));
        value = {tensors.back()};
      }
      interpreter.values().set(body.inputs[i + 1], std::move(value));
    }
    const bool ran = executor_->run();
    if (!interpreter.torch_calls().all_known() || !ran) return std::nullopt;
    if (std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return tensor->memory->version > 0; }))
      return place_.refuse<kChangedInPlace>("what a graph inside is given");
    return interpreter.values().get(body.outputs.front());
  }
  // Of what it gave, or a part of that; as the functions of these names.
  std::optional<std::vector<Value>> region_results(const PythonValue& value) {
    return fx::region_results(executor_->place(), executor_->interpreter().tensors(), value);
  }
  Value condition(const PythonValue& value) {
    return fx::condition(executor_->place(), executor_->interpreter().tensors(), value);
  }

 private:
  Place place_;
  std::shared_ptr<Script> script_;
  std::optional<Executor> executor_;
};

const Literal* HigherOrder::argument(const Node& node, std::size_t i, Literal::Kind kind) const {
  if (i < node.arguments.size() && node.arguments[i].is(kind)) return &node.arguments[i];
  place_.refuse<kArgumentKind>("argument " + std::to_string(i), "something else",
                               kind == Literal::Kind::Graph ? "a graph" : "what the operator takes there");
  return nullptr;
}

bool HigherOrder::materialise(std::vector<PythonValue>& values) {
  for (PythonValue& value : values) {
    if (const Tensor* tensor = value.as<Tensor>()) {
      const Value now = tensors_.value(place_.node(), *tensor);
      if (!now.valid()) return false;
      value = {tensors_.create(now)};
    } else if (!value.number()) {
      place_.refuse<kArgumentKind>("an argument", python::kind_name(value), "a tensor or a number");
      return false;
    }
  }
  return true;
}

std::optional<std::vector<PythonValue>> HigherOrder::operands(const Node& node, std::size_t i) {
  std::vector<PythonValue> values;
  if (i >= node.arguments.size()) return values;
  if (!node.arguments[i].is(Literal::Kind::List) && !node.arguments[i].is(Literal::Kind::Tuple)) {
    place_.refuse<kArgumentKind>("argument " + std::to_string(i), "something else", "a list");
    return std::nullopt;
  }
  for (const Literal& item : node.arguments[i].items) values.push_back(literals_.value(item));
  if (!materialise(values)) return std::nullopt;
  return values;
}

Given HigherOrder::finish(OpRef op, const PythonValue& form) {
  const Result<std::vector<Type>, Diagnostic> types = infer_types(op, place_.builder.scope().facts());
  if (!types) return place_.refuse<kOperandsRefused>(types.error().message());
  op.add_results(*types);
  std::size_t next = 0;
  const auto rebuilt = [&](const auto& self, const PythonValue& value) -> PythonValue {
    if (value.is<None>()) return value;
    if (const auto* items = value.items()) {
      auto made = std::make_shared<std::vector<PythonValue>>();
      for (const PythonValue& item : *items) made->push_back(self(self, item));
      return {Tuple{made}};
    }
    const Value result = op.result(next++);
    if (!value.is<Tensor>()) return {Computed{result}};
    result.set_name(place_.sites.fresh_name("result"));
    return {tensors_.create(result)};
  };
  return rebuilt(rebuilt, form);
}

Given HigherOrder::call(const Node& node) {
  const program::GraphScope::Mark before = place_.builder.scope().mark();
  Given given = dispatch(node);
  if (!given) place_.builder.scope().roll_back(before);
  return given;
}

Given HigherOrder::dispatch(const Node& node) {
  const std::string_view name = std::string_view(node.target).substr(kPrefix.size());
  if (name == "cond") return run_cond(node);
  if (name == "while_loop") return run_while(node);
  const Literal* const body = argument(node, 0, Literal::Kind::Graph);
  if (name == "scan" || name == "map_impl") {
    const bool carries = name == "scan";
    const auto carried = carries ? operands(node, 1) : std::vector<PythonValue>();
    const auto sequences = operands(node, carries ? 2 : 1), captured = operands(node, carries ? 3 : 2);
    if (body == nullptr || !carried || !sequences || !captured) return std::nullopt;
    return run_scan(*body, *carried, *sequences, *captured);
  }
  std::vector<PythonValue> values;
  for (std::size_t i = name == "invoke_subgraph" ? 2 : 1; i < node.arguments.size(); ++i)
    values.push_back(literals_.value(node.arguments[i]));
  return body != nullptr && materialise(values) ? run_inline(*body, values) : std::nullopt;
}

Given HigherOrder::run_inline(const Literal& body, std::span<const PythonValue> operands) {
  Body inside(*this, *body.graph, place_.builder.scope());
  return inside.run(operands);
}

Given HigherOrder::run_cond(const Node& node) {
  const std::array arms{argument(node, 1, Literal::Kind::Graph), argument(node, 2, Literal::Kind::Graph)};
  const auto given = operands(node, 3);
  if (arms[0] == nullptr || arms[1] == nullptr || !given) return std::nullopt;
  const PythonValue chosen = literals_.value(node.arguments[0]);
  if (const bool* known = chosen.as<bool>()) return run_inline(*arms[*known ? 0 : 1], *given);
  const std::array flag{condition(place_, tensors_, chosen)};
  if (!flag[0].valid()) return std::nullopt;
  program::GraphScope& outer = place_.builder.scope();
  outer.builder.set_location(place_.sites.location(place_.node()));
  const OpRef op = outer.builder.create(outer.context().opcode(GraphOp::If), flag, {}, {}, 2);
  Given form;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    program::GraphScope inner(outer, outer.graph(), op.region(arm), outer.repeats());
    Body inside(*this, *arms[arm]->graph, inner);
    form = inside.run(*given);
    const auto results = form ? inside.region_results(*form) : std::nullopt;
    if (!results) return std::nullopt;
    inner.builder.set_location({});
    inner.builder.create(outer.context().opcode(GraphOp::Yield), *results, {}, {});
  }
  return finish(op, *form);
}

Given HigherOrder::run_while(const Node& node) {
  const std::array graphs{argument(node, 0, Literal::Kind::Graph), argument(node, 1, Literal::Kind::Graph)};
  const auto carried = operands(node, 2), captured = operands(node, 3);
  if (graphs[0] == nullptr || graphs[1] == nullptr || !carried || !captured) return std::nullopt;
  std::vector<Value> initial;
  for (const PythonValue& value : *carried) {
    const Tensor* const tensor = value.as<Tensor>();
    initial.push_back(tensor != nullptr ? (*tensor)->value : place_.builder.number_value(place_.node(), value));
    if (!initial.back().valid()) return std::nullopt;
  }
  program::GraphScope& outer = place_.builder.scope();
  Context& context = outer.context();
  outer.builder.set_location(place_.sites.location(place_.node()));
  const OpRef op = outer.builder.create(context.opcode(GraphOp::While), initial, {}, {}, 2);
  Given form;
  for (std::size_t region = 0; region < 2; ++region) {
    program::GraphScope inner(outer, outer.graph(), op.region(region), true);
    std::vector<PythonValue> values;
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < initial.size(); ++i) {
      arguments.push_back(op.region(region).add_argument(initial[i].type()));
      values.push_back((*carried)[i].is<Tensor>() ? PythonValue{tensors_.create(arguments.back())}
                                                  : PythonValue{Computed{arguments.back()}});
    }
    values.insert(values.end(), captured->begin(), captured->end());
    Body inside(*this, *graphs[region]->graph, inner);
    form = inside.run(values);
    if (!form) return std::nullopt;
    if (region == 0) {
      const auto* const items = form->items();
      const Value more = inside.condition(items != nullptr && items->size() == 1 ? items->front() : *form);
      if (!more.valid()) return std::nullopt;
      arguments.insert(arguments.begin(), more);
    } else {
      const auto results = inside.region_results(*form);
      if (!results) return std::nullopt;
      arguments = *results;
    }
    inner.builder.set_location({});
    inner.builder.create(context.opcode(region == 0 ? GraphOp::Condition : GraphOp::Yield), arguments, {}, {});
  }
  return finish(op, *form);
}

Given HigherOrder::run_scan(const Literal& body, std::span<const PythonValue> carried,
                            std::span<const PythonValue> sequences, std::span<const PythonValue> captured) {
  program::GraphScope& outer = place_.builder.scope();
  Context& context = outer.context();
  std::vector<Value> initial;
  for (const auto& part : {carried, sequences}) {
    for (const PythonValue& value : part) {
      const Tensor* const tensor = value.as<Tensor>();
      if (tensor == nullptr)
        return place_.refuse<kArgumentKind>("what it carries from one step to the next", "a Python number", "a tensor");
      initial.push_back((*tensor)->value);
    }
  }
  const AttrDict attrs =
      outer.builder.attrs({{"carried", context.attributes().integer(static_cast<std::int64_t>(carried.size()))}});
  outer.builder.set_location(place_.sites.location(place_.node()));
  const OpRef op = outer.builder.create(context.opcode(GraphOp::Scan), initial, attrs, {}, 1);
  std::vector<PythonValue> values;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    Type type = initial[i].type();
    if (i >= carried.size()) {
      const auto dims = initial[i].dims();
      if (dims.empty()) return place_.refuse<kOperandAxes>("a sequence", 0, "at least one");
      type = context.types().tensor(initial[i].dtype(), dims.subspan(1));
    }
    values.push_back({tensors_.create(op.region(0).add_argument(type))});
  }
  values.insert(values.end(), captured.begin(), captured.end());
  program::GraphScope inner(outer, outer.graph(), op.region(0), true);
  Body inside(*this, *body.graph, inner);
  const Given form = inside.run(values);
  const auto results = form ? inside.region_results(*form) : std::nullopt;
  if (!results) return std::nullopt;
  inner.builder.set_location({});
  inner.builder.create(context.opcode(GraphOp::Yield), *results, {}, {});
  return finish(op, *form);
}

}  // namespace mlgc::fx

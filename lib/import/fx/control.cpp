// Nodes that hold graphs: `cond`, `while_loop`, `scan` and `map` become ops with regions, and a call of a graph its
// nodes. Each graph is run by an executor of its own.
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

}  // namespace

// A graph while it runs in a region, or in the place of its call.
struct Executor::Body {
  Body(Executor& outer, const Graph& graph, program::GraphScope& scope)
      : outer(outer), script(make_body_script(graph, outer.file_, scope.engine())) {
    if (script != nullptr)
      executor.emplace(script->graph, script->program, script->program.values, script->numbers, outer.types_, scope,
                       outer.tensors(), outer.file_, outer.file_name_);
  }

  // What the graph gives; nothing after a diagnostic.
  Given run(std::span<const PythonValue> values) {
    if (script == nullptr) return std::nullopt;
    if (script->program.body.inputs.size() != values.size() + 1)
      return outer.refuse("a graph inside takes " + std::to_string(script->program.body.inputs.size() - 1) +
                          " values, and is given " + std::to_string(values.size()));
    std::vector<Tensor> given;
    for (std::size_t i = 0; i < values.size(); ++i) {
      PythonValue value = values[i];
      if (const Tensor* tensor = value.as<Tensor>()) {
        given.push_back(executor->new_tensor((*tensor)->value));
        value = {given.back()};
      }
      executor->set(script->program.body.inputs[i + 1], std::move(value));
    }
    const bool ran = executor->run_program();
    if (!executor->all_known() || !ran) return std::nullopt;
    if (std::any_of(given.begin(), given.end(), [](const Tensor& tensor) { return tensor->memory->version > 0; }))
      return outer.refuse("a graph inside changes what it is given in place");
    return executor->get(script->program.body.outputs.front());
  }

  Executor& outer;
  std::shared_ptr<Script> script;
  std::optional<Executor> executor;
};

bool Executor::is_higher_order(std::string_view name) {
  return name.starts_with(kPrefix) &&
         std::find(kKnown.begin(), kKnown.end(), name.substr(kPrefix.size())) != kKnown.end();
}

const Literal* Executor::argument(const fx::Node& node, std::size_t i, Literal::Kind kind) {
  if (i < node.arguments.size() && node.arguments[i].is(kind)) return &node.arguments[i];
  refuse("its argument " + std::to_string(i) + " is not what it takes there");
  return nullptr;
}

bool Executor::materialise(std::vector<PythonValue>& values) {
  for (PythonValue& value : values) {
    if (const Tensor* tensor = value.as<Tensor>()) {
      const Value now = tensor_value(here(), *tensor);
      if (!now.valid()) return false;
      value = {new_tensor(now)};
    } else if (!value.number()) {
      refuse("it is given " + python::kind_name(value));
      return false;
    }
  }
  return true;
}

std::optional<std::vector<PythonValue>> Executor::operands(const fx::Node& node, std::size_t i) {
  std::vector<PythonValue> values;
  if (i >= node.arguments.size()) return values;
  if (!node.arguments[i].is(Literal::Kind::List) && !node.arguments[i].is(Literal::Kind::Tuple)) {
    refuse("its argument " + std::to_string(i) + " is not a list");
    return std::nullopt;
  }
  for (const Literal& item : node.arguments[i].items) values.push_back(value_of(item));
  if (!materialise(values)) return std::nullopt;
  return values;
}

Value Executor::condition(const PythonValue& value) {
  const Tensor* const tensor = value.as<Tensor>();
  Value flag = tensor != nullptr ? tensor_value(here(), *tensor) : number_value(here(), value);
  if (!flag.valid()) return {};
  if (flag.rank() > 0) {
    const std::array whole{flag};
    const auto shape = scope().context().attributes().int_list(std::span<const std::int64_t>());
    flag = emit(here(), "view", whole, {{"shape", shape}});
  }
  if (flag.valid() && flag.dtype() != Dtype::I1) {
    refuse("its condition is of " + std::string(dtype_info(flag.dtype()).name));
    return {};
  }
  return flag;
}

std::optional<std::vector<Value>> Executor::region_results(const PythonValue& value) {
  std::vector<Value> results;
  if (value.is<None>()) return results;
  if (const auto* items = value.items()) {
    for (const PythonValue& item : *items) {
      const auto inside = region_results(item);
      if (!inside) return std::nullopt;
      results.insert(results.end(), inside->begin(), inside->end());
    }
    return results;
  }
  const Tensor* const tensor = value.as<Tensor>();
  results.push_back(tensor != nullptr ? tensor_value(here(), *tensor) : number_value(here(), value));
  if (!results.back().valid()) return std::nullopt;
  return results;
}

Executor::Given Executor::finish(OpRef op, const PythonValue& form) {
  const Result<std::vector<Type>, Diagnostic> types = infer_types(op, scope().facts());
  if (!types) return refuse(types.error().message());
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
    result.set_name(fresh_name("result"));
    return {new_tensor(result)};
  };
  return rebuilt(rebuilt, form);
}

Executor::Given Executor::call_higher_order(const fx::Node& node) {
  const std::string_view name = std::string_view(node.target).substr(kPrefix.size());
  const program::GraphScope::Mark before = scope().mark();
  Given given;
  if (name == "cond") {
    given = run_cond(node);
  } else if (name == "while_loop") {
    given = run_while(node);
  } else if (name == "scan" || name == "map_impl") {
    const bool carries = name == "scan";
    const Literal* const body = argument(node, 0, Literal::Kind::Graph);
    const auto carried = carries ? operands(node, 1) : std::vector<PythonValue>();
    const auto sequences = operands(node, carries ? 2 : 1), captured = operands(node, carries ? 3 : 2);
    if (body != nullptr && carried && sequences && captured) given = run_scan(*body, *carried, *sequences, *captured);
  } else {
    const Literal* const body = argument(node, 0, Literal::Kind::Graph);
    std::vector<PythonValue> values;
    for (std::size_t i = name == "invoke_subgraph" ? 2 : 1; i < node.arguments.size(); ++i)
      values.push_back(value_of(node.arguments[i]));
    if (body != nullptr && materialise(values)) given = run_inline(*body, values);
  }
  if (!given) scope().roll_back(before);
  return given;
}

Executor::Given Executor::run_inline(const Literal& body, std::span<const PythonValue> operands) {
  Body inside(*this, *body.graph, scope());
  return inside.run(operands);
}

Executor::Given Executor::run_cond(const fx::Node& node) {
  const std::array arms{argument(node, 1, Literal::Kind::Graph), argument(node, 2, Literal::Kind::Graph)};
  const auto given = operands(node, 3);
  if (arms[0] == nullptr || arms[1] == nullptr || !given) return std::nullopt;
  const PythonValue chosen = value_of(node.arguments[0]);
  if (const bool* known = chosen.as<bool>()) return run_inline(*arms[*known ? 0 : 1], *given);
  const std::array flag{condition(chosen)};
  if (!flag[0].valid()) return std::nullopt;
  program::GraphScope& outer = scope();
  outer.builder.set_location(location(here()));
  const OpRef op = outer.builder.create(outer.context().opcode(GraphOp::If), flag, {}, {}, 2);
  Given form;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    program::GraphScope inner(outer, outer.graph(), op.region(arm), outer.repeats());
    Body inside(*this, *arms[arm]->graph, inner);
    form = inside.run(*given);
    const auto results = form ? inside.executor->region_results(*form) : std::nullopt;
    if (!results) return std::nullopt;
    inner.builder.set_location({});
    inner.builder.create(outer.context().opcode(GraphOp::Yield), *results, {}, {});
  }
  return finish(op, *form);
}

Executor::Given Executor::run_while(const fx::Node& node) {
  const std::array graphs{argument(node, 0, Literal::Kind::Graph), argument(node, 1, Literal::Kind::Graph)};
  const auto carried = operands(node, 2), captured = operands(node, 3);
  if (graphs[0] == nullptr || graphs[1] == nullptr || !carried || !captured) return std::nullopt;
  std::vector<Value> initial;
  for (const PythonValue& value : *carried) {
    const Tensor* const tensor = value.as<Tensor>();
    initial.push_back(tensor != nullptr ? (*tensor)->value : number_value(here(), value));
    if (!initial.back().valid()) return std::nullopt;
  }
  program::GraphScope& outer = scope();
  Context& context = outer.context();
  outer.builder.set_location(location(here()));
  const OpRef op = outer.builder.create(context.opcode(GraphOp::While), initial, {}, {}, 2);
  Given form;
  for (std::size_t region = 0; region < 2; ++region) {
    program::GraphScope inner(outer, outer.graph(), op.region(region), true);
    std::vector<PythonValue> values;
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < initial.size(); ++i) {
      arguments.push_back(op.region(region).add_argument(initial[i].type()));
      values.push_back((*carried)[i].is<Tensor>() ? PythonValue{new_tensor(arguments.back())}
                                                  : PythonValue{Computed{arguments.back()}});
    }
    values.insert(values.end(), captured->begin(), captured->end());
    Body inside(*this, *graphs[region]->graph, inner);
    form = inside.run(values);
    if (!form) return std::nullopt;
    if (region == 0) {
      const auto* const items = form->items();
      const Value more = inside.executor->condition(items != nullptr && items->size() == 1 ? items->front() : *form);
      if (!more.valid()) return std::nullopt;
      arguments.insert(arguments.begin(), more);
    } else {
      const auto results = inside.executor->region_results(*form);
      if (!results) return std::nullopt;
      arguments = *results;
    }
    inner.builder.set_location({});
    inner.builder.create(context.opcode(region == 0 ? GraphOp::Condition : GraphOp::Yield), arguments, {}, {});
  }
  return finish(op, *form);
}

Executor::Given Executor::run_scan(const Literal& body, std::span<const PythonValue> carried,
                                   std::span<const PythonValue> sequences, std::span<const PythonValue> captured) {
  program::GraphScope& outer = scope();
  Context& context = outer.context();
  std::vector<Value> initial;
  for (const auto& part : {carried, sequences}) {
    for (const PythonValue& value : part) {
      const Tensor* const tensor = value.as<Tensor>();
      if (tensor == nullptr) return refuse("it carries a Python number from one step to the next");
      initial.push_back((*tensor)->value);
    }
  }
  const AttrDict attrs =
      outer.builder.attrs({{"carried", context.attributes().integer(static_cast<std::int64_t>(carried.size()))}});
  outer.builder.set_location(location(here()));
  const OpRef op = outer.builder.create(context.opcode(GraphOp::Scan), initial, attrs, {}, 1);
  std::vector<PythonValue> values;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    Type type = initial[i].type();
    if (i >= carried.size()) {
      const auto dims = initial[i].dims();
      if (dims.empty()) return refuse("a sequence without an axis");
      type = context.types().tensor(initial[i].dtype(), dims.subspan(1));
    }
    values.push_back({new_tensor(op.region(0).add_argument(type))});
  }
  values.insert(values.end(), captured.begin(), captured.end());
  program::GraphScope inner(outer, outer.graph(), op.region(0), true);
  Body inside(*this, *body.graph, inner);
  const Given form = inside.run(values);
  const auto results = form ? inside.executor->region_results(*form) : std::nullopt;
  if (!results) return std::nullopt;
  inner.builder.set_location({});
  inner.builder.create(context.opcode(GraphOp::Yield), *results, {}, {});
  return finish(op, *form);
}

}  // namespace mlgc::fx

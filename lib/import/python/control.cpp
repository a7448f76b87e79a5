// prim::If and prim::Loop; see interpreter.h.
#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "diag/kinds_import.h"
#include "import/python/interpreter.h"
#include "ops/instantiate_op.h"

namespace mlgc::python {

namespace {

std::size_t node_count(const Block& block) {
  std::size_t count = block.nodes.size();
  for (const Node& node : block.nodes)
    for (const Block& inside : node.blocks) count += node_count(inside);
  return count;
}

bool uses(const Block& block, std::uint32_t value) {
  if (std::count(block.outputs.begin(), block.outputs.end(), value) != 0) return true;
  return std::any_of(block.nodes.begin(), block.nodes.end(), [value](const Node& node) {
    return std::count(node.inputs.begin(), node.inputs.end(), value) != 0 ||
           std::any_of(node.blocks.begin(), node.blocks.end(),
                       [value](const Block& inside) { return uses(inside, value); });
  });
}

}  // namespace

// A region of an op, with a scope of its own, current for as long as it lives.
class Interpreter::In {
 public:
  In(Interpreter& interpreter, program::GraphScope& scope)
      : interpreter_(interpreter), region_{&scope, interpreter.region_, interpreter.region_->depth + 1, {}, {}, {}} {
    interpreter.region_ = &region_;
  }
  In(const In&) = delete;
  In& operator=(const In&) = delete;
  ~In() { interpreter_.region_ = region_.parent; }
  Region& region() { return region_; }
  // What is from outside is again what it was before.
  void restore() {
    for (const auto& [tensor, saved] : region_.tensors) {
      tensor->value = saved.value;
      tensor->version = saved.version;
      tensor->number = saved.number;
    }
    for (const auto& [memory, saved] : region_.memories) std::tie(memory->version, memory->changed_by) = saved;
  }

 private:
  Interpreter& interpreter_;
  Region region_;
};

// Values of several ways to one place, brought together: what is the same on all of them stays as it is, tensors and
// numbers become values that each way gives, lists and tuples are merged item by item.
struct Interpreter::Merge {
  Interpreter& interpreter;
  const Node& node;
  std::string_view what;  // the ways, for messages
  std::vector<program::GraphScope*> scopes;
  std::vector<std::vector<Value>> given;  // by way: in the order of the results
  std::span<const Tensor> changed;        // in place, on one of them

  // Puts what the ways give into `given`. False after a diagnostic.
  bool collect(std::span<const PythonValue> ways) {
    if (std::all_of(ways.begin() + 1, ways.end(), [&](const PythonValue& way) { return same(ways[0], way); }))
      return true;
    // A name that gets no value on one way is not read behind it.
    const auto known =
        std::find_if(ways.begin(), ways.end(), [](const auto& way) { return !way.template is<Undefined>(); });
    std::vector<PythonValue> all(ways.begin(), ways.end());
    if (const auto* items = known->items(); items != nullptr) return collect_items(all, items->size());
    std::vector<Value> values(all.size());
    Type type;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].is<Undefined>()) continue;
      const In in(interpreter, *scopes[i]);
      values[i] = value_of(all[i]);
      if (!values[i].valid()) return false;
      type = values[i].type();
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is<Undefined>()) continue;
      const In in(interpreter, *scopes[i]);
      values[i] = anything(type);
      if (!values[i].valid()) return false;
    }
    const TypePool& types = interpreter.scope().context().types();
    for (const Value& value : values)
      if (value.type() != values[0].type())
        return interpreter.fail(
            node, std::string(what) + " give " + types.print(values[0].type()) + " and " + types.print(value.type()));
    for (std::size_t i = 0; i < values.size(); ++i) given[i].push_back(values[i]);
    return true;
  }

  // The same walk, taking results one by one.
  PythonValue rebuild(std::span<const PythonValue> ways, std::span<const Value> results, std::size_t& next) {
    if (std::all_of(ways.begin() + 1, ways.end(), [&](const PythonValue& way) { return same(ways[0], way); }))
      return ways[0];
    const auto known =
        std::find_if(ways.begin(), ways.end(), [](const auto& way) { return !way.template is<Undefined>(); });
    if (const auto* items = known->items(); items != nullptr) {
      auto made = std::make_shared<std::vector<PythonValue>>();
      for (std::size_t i = 0; i < items->size(); ++i) made->push_back(rebuild(column(ways, i), results, next));
      if (known->is<Tuple>()) return {Tuple{made}};
      return {List{made, interpreter.depth()}};
    }
    const Value result = results[next++];
    if (!known->is<Tensor>()) return {Computed{result}};
    const Tensor made = interpreter.new_tensor(result);
    for (const PythonValue& way : ways)
      if (const Tensor* tensor = way.as<Tensor>(); tensor != nullptr && (*tensor)->memory->depth <= interpreter.depth())
        link(made->memory, (*tensor)->memory);
    return {made};
  }

 private:
  static bool same(const PythonValue& a, const PythonValue& b) {
    // Two lists that are alike now may be changed later.
    return a.is<List>() ? a.items() == b.items() : identical(a, b);
  }
  static std::vector<PythonValue> column(std::span<const PythonValue> ways, std::size_t i) {
    std::vector<PythonValue> out;
    for (const PythonValue& way : ways) out.push_back(way.items() == nullptr ? PythonValue() : (*way.items())[i]);
    return out;
  }
  bool collect_items(std::span<const PythonValue> ways, std::size_t count) {
    for (const PythonValue& way : ways)
      if (way.items() == nullptr ? !way.is<Undefined>() : way.items()->size() != count)
        return interpreter.fail(node, std::string(what) + " give lists of different lengths");
    for (std::size_t i = 0; i < count; ++i)
      if (!collect(column(ways, i))) return false;
    return true;
  }
  // Invalid after a diagnostic.
  Value value_of(const PythonValue& value) {
    if (const Tensor* tensor = value.as<Tensor>()) {
      const auto same_memory = [&](const Tensor& other) { return other->memory == (*tensor)->memory; };
      if (std::none_of(changed.begin(), changed.end(), same_memory)) return interpreter.tensor_value(node, *tensor);
      interpreter.fail(
          node, "a branch that depends on data gives a tensor from outside that one of the two changes in place");
      return {};
    }
    if (value.number()) return interpreter.number_value(node, value);
    interpreter.fail(node,
                     "one of " + std::string(what) + " gives " + kind_name(value) + ", and the other something else");
    return {};
  }
  // What stands for a name that has no value: nobody reads it.
  Value anything(Type type) {
    Context& context = interpreter.scope().context();
    AttributePool& attributes = context.attributes();
    return interpreter.emit(node, "full", {},
                            {{"size", attributes.int_list(context.types().dims(type))},
                             {"value", attributes.integer(0)},
                             {"dtype", attributes.dtype(context.types().dtype(type))}});
  }
};

bool Interpreter::run_if(const Node& node) {
  const PythonValue condition = get(node.inputs[0]);
  if (const Computed* computed = condition.as<Computed>()) return undecided_if(node, computed->value);
  const bool* const known = condition.as<bool>();
  if (known == nullptr) return fail(node, "its condition is " + kind_name(condition));
  const Block& taken = node.blocks[*known ? 0 : 1];
  if (!run(taken)) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], get(taken.outputs[i]));
  return true;
}

bool Interpreter::undecided_if(const Node& node, Value condition) {
  const std::array operands{condition};
  program::GraphScope& outer = scope();
  outer.builder.set_location(location(node));
  const OpRef op = outer.builder.create(outer.context().opcode(GraphOp::If), operands, {}, {}, 2);
  std::array<std::optional<program::GraphScope>, 2> scopes;
  std::array<std::vector<PythonValue>, 2> outputs;
  std::vector<Tensor> changed;  // in either branch
  std::array<std::vector<std::pair<Tensor, Value>>, 2> left;
  std::vector<std::shared_ptr<Memory>> touched;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    scopes[arm].emplace(outer, outer.graph(), op.region(arm), outer.repeats());
    In in(*this, *scopes[arm]);
    if (!run(node.blocks[arm])) return false;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) outputs[arm].push_back(get(node.blocks[arm].outputs[i]));
    for (const Tensor& tensor : in.region().changed) {
      left[arm].emplace_back(tensor, tensor->value);
      if (std::find(changed.begin(), changed.end(), tensor) == changed.end()) changed.push_back(tensor);
    }
    for (const auto& [memory, saved] : in.region().memories) touched.push_back(memory);
    // The other branch starts from what was before.
    in.restore();
  }
  Merge merge{*this, node, "its two branches", {&*scopes[0], &*scopes[1]}, {{}, {}}, changed};
  const auto ways = [&](std::size_t i) { return std::array{outputs[0][i], outputs[1][i]}; };
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (!merge.collect(ways(i))) return false;
  for (const Tensor& tensor : changed) {
    for (std::size_t arm = 0; arm < 2; ++arm) {
      const auto found =
          std::find_if(left[arm].begin(), left[arm].end(), [&](const auto& entry) { return entry.first == tensor; });
      const In in(*this, *scopes[arm]);
      merge.given[arm].push_back(found == left[arm].end() ? tensor_value(node, tensor) : found->second);
      if (!merge.given[arm].back().valid()) return false;
    }
  }
  for (std::size_t arm = 0; arm < 2; ++arm) {
    scopes[arm]->builder.set_location({});
    scopes[arm]->builder.create(outer.context().opcode(GraphOp::Yield), merge.given[arm], {}, {});
  }
  const Result<std::vector<Type>, Diagnostic> types = infer_types(op, outer.facts());
  if (!types) return fail(node, types.error().message());
  op.add_results(*types);
  std::vector<Value> results;
  for (const Value result : op.results()) results.push_back(result);
  if (node.outputs.size() == 1 && results.size() == 1) results[0].set_name(result_name(node.outputs[0], "if", true));
  for (const std::shared_ptr<Memory>& memory : touched) touch(node, memory);
  // What was changed comes behind what the branches give, and first: what they give may share its memory.
  std::size_t next = results.size() - changed.size();
  for (const Tensor& tensor : changed)
    if (!change(node, tensor, results[next++])) return false;
  next = 0;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], merge.rebuild(ways(i), results, next));
  return true;
}

bool Interpreter::run_loop(const Node& node) {
  const Block& body = node.blocks[0];
  const PythonValue trips = get(node.inputs[0]);
  PythonValue go_on = get(node.inputs[1]);
  std::vector<PythonValue> carried;
  for (std::size_t i = 2; i < node.inputs.size(); ++i) carried.push_back(get(node.inputs[i]));
  const auto finish = [&] {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], carried[i]);
    return true;
  };
  const IndexExpr* const bound = trips.as<IndexExpr>();
  const std::int64_t known_trips = bound == nullptr ? -1 : index().as_constant(*bound).value_or(-1);  // -1: not known
  const std::int64_t most = static_cast<std::int64_t>(kMaxUnrolled / std::max<std::size_t>(node_count(body), 1));
  // A `for` that is too long would only be unrolled in part.
  const bool endless = known_trips == std::numeric_limits<std::int64_t>::max();
  const bool unrolls = known_trips >= 0 && (endless || known_trips <= most);
  std::int64_t step = 0;
  for (; unrolls && go_on.is<bool>() && step < most; ++step) {
    if (step == known_trips || !*go_on.as<bool>()) return finish();
    set(body.inputs[0], {index().constant(step)});
    for (std::size_t i = 0; i < carried.size(); ++i) set(body.inputs[i + 1], carried[i]);
    if (!run(body)) return false;
    go_on = get(body.outputs[0]);
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = get(body.outputs[i + 1]);
  }
  if (unrolls && step == known_trips) return finish();
  if (const bool* known = go_on.as<bool>(); known != nullptr && !*known) return finish();
  return emit_while(node, {index().constant(step)}, go_on, std::move(carried));
}

// Whether a step reads nothing that a step before changed but through what it is given: a tensor from outside whose
// memory a carried one may have, or another carried one.
bool Interpreter::steps_apart(const Block& body, std::span<const Tensor> arguments, const Region& region) const {
  const auto changed = [](const Tensor& argument) { return argument->memory->version > 0; };
  if (std::none_of(arguments.begin(), arguments.end(), changed)) return true;
  for (std::size_t i = 1; i < body.outputs.size(); ++i) {
    const Tensor* const out = get(body.outputs[i]).as<Tensor>();
    const Tensor* const in = get(body.inputs[i]).as<Tensor>();
    if (out == nullptr || (in != nullptr && (*in)->memory == (*out)->memory)) continue;
    const auto is_out = [&](const Tensor& argument) { return argument->memory == (*out)->memory; };
    if ((*out)->memory->depth < region.depth || std::any_of(arguments.begin(), arguments.end(), is_out)) return false;
  }
  return !reads_any(body, region);
}

// Whether a node in there is given a tensor of a memory that the region touched.
bool Interpreter::reads_any(const Block& block, const Region& region) const {
  return std::any_of(block.nodes.begin(), block.nodes.end(), [&](const Node& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](std::uint32_t value) {
                         const Tensor* const tensor = get(value).as<Tensor>();
                         return tensor != nullptr && region.memories.contains((*tensor)->memory);
                       }) ||
           std::any_of(node.blocks.begin(), node.blocks.end(),
                       [&](const Block& inside) { return reads_any(inside, region); });
  });
}

// From step `first` on. Carried are the number of the step where the loop counts or its body asks for it, whether to go
// on where that depends on data, and what a step makes anew.
bool Interpreter::emit_while(const Node& node, const PythonValue& first, const PythonValue& go_on,
                             std::vector<PythonValue> carried) {
  const Block& body = node.blocks[0];
  const PythonValue trips = get(node.inputs[0]);
  const IndexExpr* const bound = trips.as<IndexExpr>();
  const bool endless = bound != nullptr && index().as_constant(*bound) == std::numeric_limits<std::int64_t>::max();
  const bool counts = !endless || uses(body, body.inputs[0]);
  std::vector<std::size_t> fresh;  // of carried
  for (std::size_t i = 0; i < carried.size(); ++i)
    if (body.outputs[i + 1] != body.inputs[i + 1]) fresh.push_back(i);

  const Value limit = endless ? Value() : number_value(node, trips);
  std::vector<Value> initial;
  if (counts) initial.push_back(number_value(node, first));
  initial.push_back(number_value(node, go_on));
  for (const std::size_t i : fresh) {
    const PythonValue& value = carried[i];
    if (!value.is<Tensor>() && !value.number())
      return fail(node, "from step to step it carries " + kind_name(value) +
                            ", and only tensors and numbers may change in a loop that depends on data");
    initial.push_back(value.is<Tensor>() ? tensor_value(node, *value.as<Tensor>()) : number_value(node, value));
  }
  if (std::any_of(initial.begin(), initial.end(), [](const Value& value) { return !value.valid(); }) ||
      (!endless && !limit.valid()))
    return false;

  program::GraphScope& outer = scope();
  Context& context = outer.context();
  outer.builder.set_location(location(node));
  const OpRef op = outer.builder.create(context.opcode(GraphOp::While), initial, {}, {}, 2);
  std::array<std::vector<Value>, 2> arguments;
  for (std::size_t region = 0; region < 2; ++region)
    for (const Value value : initial) arguments[region].push_back(op.region(region).add_argument(value.type()));
  {
    program::GraphScope inner(outer, outer.graph(), op.region(0), true);
    const In in(*this, inner);
    Value more = arguments[0][counts ? 1 : 0];
    if (!endless) {
      const std::array count{arguments[0][0], limit};
      const Value below = emit(node, "lt", count);
      const std::array both{below, more};
      more = below.valid() ? emit(node, "logical_and", both) : Value();
    }
    if (!more.valid()) return false;
    std::vector<Value> values{more};
    values.insert(values.end(), arguments[0].begin(), arguments[0].end());
    inner.builder.set_location({});
    inner.builder.create(context.opcode(GraphOp::Condition), values, {}, {});
  }
  program::GraphScope inner(outer, outer.graph(), op.region(1), true);
  std::vector<Tensor> arguments_of;  // that are tensors
  std::vector<std::shared_ptr<Memory>> touched;
  {
    In in(*this, inner);
    std::size_t next = 0;
    if (counts) set(body.inputs[0], {Computed{arguments[1][next++]}});
    ++next;
    for (std::size_t i = 0; i < carried.size(); ++i) set(body.inputs[i + 1], carried[i]);
    for (const std::size_t i : fresh) {
      const Value argument = arguments[1][next];
      const std::string name = result_name(body.inputs[i + 1], "carried", true);
      arguments[0][next].set_name(name);
      arguments[1][next++].set_name(name);
      if (!carried[i].is<Tensor>()) {
        set(body.inputs[i + 1], {Computed{argument}});
        continue;
      }
      arguments_of.push_back(new_tensor(argument));
      link(arguments_of.back()->memory, (*carried[i].as<Tensor>())->memory);
      set(body.inputs[i + 1], {arguments_of.back()});
    }
    if (!run(body)) return false;
    if (!in.region().changed.empty() || !steps_apart(body, arguments_of, in.region()))
      return fail(node, "it changes a tensor from outside of a loop that depends on data in place");
    std::vector<Value> yields;
    if (counts) {
      const std::array one{number_value(node, {index().constant(1)})};
      if (!one[0].valid()) return false;
      const std::array sum{arguments[1][0], one[0]};
      yields.push_back(emit(node, "add", sum));
    }
    yields.push_back(number_value(node, get(body.outputs[0])));
    for (const std::size_t i : fresh) {
      const PythonValue& value = get(body.outputs[i + 1]);
      if (!value.is<Tensor>() && !value.number())
        return fail(node, "from step to step it carries " + kind_name(value) +
                              ", and only tensors and numbers may change in a loop that depends on data");
      yields.push_back(value.is<Tensor>() ? tensor_value(node, *value.as<Tensor>()) : number_value(node, value));
    }
    const TypePool& types = context.types();
    for (std::size_t i = 0; i < yields.size(); ++i) {
      if (!yields[i].valid()) return false;
      if (yields[i].type() != initial[i].type())
        return fail(node, "a step makes " + types.print(yields[i].type()) + " of " + types.print(initial[i].type()));
    }
    inner.builder.set_location({});
    inner.builder.create(context.opcode(GraphOp::Yield), yields, {}, {});
    for (const auto& [memory, saved] : in.region().memories) touched.push_back(memory);
    in.restore();
  }
  for (const std::shared_ptr<Memory>& memory : touched) touch(node, memory);
  const Result<std::vector<Type>, Diagnostic> types = infer_types(op, outer.facts());
  if (!types) return fail(node, types.error().message());
  op.add_results(*types);
  std::size_t next = counts ? 2 : 1;
  for (const std::size_t i : fresh) {
    const Value result = op.result(next++);
    result.set_name(result_name(node.outputs[i], "carried", true));
    if (!carried[i].is<Tensor>()) {
      carried[i] = {Computed{result}};
      continue;
    }
    const Tensor made = new_tensor(result);
    for (const PythonValue& value : {carried[i], get(body.outputs[i + 1])})
      if (const Tensor* tensor = value.as<Tensor>(); tensor != nullptr && (*tensor)->memory->depth <= region_->depth)
        link(made->memory, (*tensor)->memory);
    carried[i] = {made};
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) set(node.outputs[i], carried[i]);
  return true;
}

}  // namespace mlgc::python

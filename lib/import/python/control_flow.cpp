// See control_flow.h.
#include "import/python/control_flow.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "diag/kinds_import.h"
#include "import/python/merge.h"
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

// A loop that becomes `while`, from step `first` on. Carried are the number of the step where the loop counts or its
// body asks for it, whether to go on where that depends on data, and what a step makes anew.
struct ControlFlow::Loop {
  const Node& node;
  const Block& body;
  PythonValue trips;
  PythonValue first, go_on;
  std::vector<PythonValue> carried;
  std::vector<std::size_t> fresh;  // of carried: what a step makes anew
  bool endless;                    // no number of steps is stated
  bool counts;                     // the number of the step is carried
  OpRef op;
  Value limit;  // of the number of steps; invalid: endless
};

bool ControlFlow::run_if(const Node& node) {
  const PythonValue condition = values_.input(node, 0);
  if (const Computed* computed = condition.as<Computed>()) return undecided_if(node, computed->value);
  const bool* const known = condition.as<bool>();
  if (known == nullptr) return builder_.refuse<kArgumentKind>(node, "its condition", kind_name(condition), "a bool");
  const Block& taken = node.blocks[*known ? 0 : 1];
  if (!run_(taken)) return false;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) values_.set_output(node, i, values_.get(taken.outputs[i]));
  return true;
}

bool ControlFlow::undecided_if(const Node& node, Value condition) {
  const std::array operands{condition};
  program::GraphScope& outer = builder_.scope();
  outer.builder.set_location(builder_.location(node));
  const OpRef op = outer.builder.create(outer.context().opcode(GraphOp::If), operands, {}, {}, 2);
  std::array<std::optional<program::GraphScope>, 2> scopes;
  std::array<std::vector<PythonValue>, 2> outputs;
  std::vector<Tensor> changed;  // in either branch
  std::array<std::vector<std::pair<Tensor, Value>>, 2> left;
  std::vector<std::shared_ptr<Memory>> touched;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    scopes[arm].emplace(outer, outer.graph(), op.region(arm), outer.repeats());
    Region in(builder_, tensors_, *scopes[arm]);
    if (!run_(node.blocks[arm])) return false;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      outputs[arm].push_back(values_.get(node.blocks[arm].outputs[i]));
    for (const Tensor& tensor : in.changes().changed) {
      left[arm].emplace_back(tensor, tensor->value);
      if (std::find(changed.begin(), changed.end(), tensor) == changed.end()) changed.push_back(tensor);
    }
    for (const auto& [memory, saved] : in.changes().memories) touched.push_back(memory);
    // The other branch starts from what was before.
    in.restore();
  }
  Merge merge(builder_, tensors_, node, "its two branches", {&*scopes[0], &*scopes[1]}, changed);
  const auto ways = [&](std::size_t i) { return std::array{outputs[0][i], outputs[1][i]}; };
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (!merge.collect(ways(i))) return false;
  for (const Tensor& tensor : changed) {
    for (std::size_t arm = 0; arm < 2; ++arm) {
      const auto found =
          std::find_if(left[arm].begin(), left[arm].end(), [&](const auto& entry) { return entry.first == tensor; });
      const Region in(builder_, tensors_, *scopes[arm]);
      const Value given = found == left[arm].end() ? tensors_.value(node, tensor) : found->second;
      if (!given.valid()) return false;
      merge.add(arm, given);
    }
  }
  for (std::size_t arm = 0; arm < 2; ++arm) {
    scopes[arm]->builder.set_location({});
    scopes[arm]->builder.create(outer.context().opcode(GraphOp::Yield), merge.given(arm), {}, {});
  }
  const Result<std::vector<Type>, Diagnostic> types = infer_types(op, outer.facts());
  if (!types) return builder_.refuse<kOperandsRefused>(node, types.error().message());
  op.add_results(*types);
  std::vector<Value> results;
  for (const Value result : op.results()) results.push_back(result);
  if (node.outputs.size() == 1 && results.size() == 1)
    results[0].set_name(builder_.result_name(node.outputs[0], "if", true));
  for (const std::shared_ptr<Memory>& memory : touched) tensors_.touch(node, memory);
  // What was changed comes after what the branches give, and first: what they give may share its memory.
  std::size_t next = results.size() - changed.size();
  for (const Tensor& tensor : changed)
    if (!tensors_.change(node, tensor, results[next++])) return false;
  next = 0;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    values_.set_output(node, i, merge.rebuild(ways(i), results, next));
  return true;
}

bool ControlFlow::run_loop(const Node& node) {
  const Block& body = node.blocks[0];
  const PythonValue trips = values_.input(node, 0);
  PythonValue go_on = values_.input(node, 1);
  std::vector<PythonValue> carried;
  for (std::size_t i = 2; i < node.inputs.size(); ++i) carried.push_back(values_.input(node, i));
  const auto finish = [&] {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) values_.set_output(node, i, carried[i]);
    return true;
  };
  const IndexExpr* const bound = trips.as<IndexExpr>();
  const std::int64_t known_trips =
      bound == nullptr ? -1 : builder_.index().as_constant(*bound).value_or(-1);  // -1: not known
  const std::int64_t most = static_cast<std::int64_t>(kMaxUnrolled / std::max<std::size_t>(node_count(body), 1));
  // A `for` that is too long would only be unrolled in part.
  const bool endless = known_trips == std::numeric_limits<std::int64_t>::max();
  const bool unrolls = known_trips >= 0 && (endless || known_trips <= most);
  std::int64_t step = 0;
  for (; unrolls && go_on.is<bool>() && step < most; ++step) {
    if (step == known_trips || !*go_on.as<bool>()) return finish();
    values_.set(body.inputs[0], {builder_.index().constant(step)});
    for (std::size_t i = 0; i < carried.size(); ++i) values_.set(body.inputs[i + 1], carried[i]);
    if (!run_(body)) return false;
    go_on = values_.get(body.outputs[0]);
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = values_.get(body.outputs[i + 1]);
  }
  if (unrolls && step == known_trips) return finish();
  if (const bool* known = go_on.as<bool>(); known != nullptr && !*known) return finish();
  Loop loop{node,  body, trips, {builder_.index().constant(step)}, go_on, std::move(carried), {}, endless,
            false, {},   {}};
  return emit_while(loop);
}

// Whether an iteration reads nothing that an earlier one changed but through what it is given: a tensor from outside
// whose memory a carried one may have, or another carried one.
bool ControlFlow::iterations_independent(const Block& body, std::span<const Tensor> arguments,
                                         const TensorMemory::Changes& changes, std::size_t depth) const {
  const auto changed = [](const Tensor& argument) { return argument->memory->version > 0; };
  if (std::none_of(arguments.begin(), arguments.end(), changed)) return true;
  for (std::size_t i = 1; i < body.outputs.size(); ++i) {
    const Tensor* const out = values_.get(body.outputs[i]).as<Tensor>();
    const Tensor* const in = values_.get(body.inputs[i]).as<Tensor>();
    if (out == nullptr || (in != nullptr && (*in)->memory == (*out)->memory)) continue;
    const auto is_out = [&](const Tensor& argument) { return argument->memory == (*out)->memory; };
    if ((*out)->memory->depth < depth || std::any_of(arguments.begin(), arguments.end(), is_out)) return false;
  }
  return !reads_any(body, changes);
}

// Whether a node in there is given a tensor of a memory that the region touched.
bool ControlFlow::reads_any(const Block& block, const TensorMemory::Changes& changes) const {
  return std::any_of(block.nodes.begin(), block.nodes.end(), [&](const Node& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](std::uint32_t value) {
                         const Tensor* const tensor = values_.get(value).as<Tensor>();
                         return tensor != nullptr && changes.memories.contains((*tensor)->memory);
                       }) ||
           std::any_of(node.blocks.begin(), node.blocks.end(),
                       [&](const Block& inside) { return reads_any(inside, changes); });
  });
}

Value ControlFlow::carried_value(const Node& node, const PythonValue& value) {
  if (value.is<Tensor>() || value.number()) return tensors_.value(node, value);
  builder_.refuse<kArgumentKind>(node, "what a loop that depends on data carries", kind_name(value),
                                 "a tensor or a number");
  return {};
}

// The op with its regions and their arguments, without results. False after a diagnostic.
bool ControlFlow::begin_while(Loop& loop, std::vector<Value>& initial) {
  const Node& node = loop.node;
  loop.counts = !loop.endless || uses(loop.body, loop.body.inputs[0]);
  for (std::size_t i = 0; i < loop.carried.size(); ++i)
    if (loop.body.outputs[i + 1] != loop.body.inputs[i + 1]) loop.fresh.push_back(i);

  loop.limit = loop.endless ? Value() : builder_.number_value(node, loop.trips);
  if (loop.counts) initial.push_back(builder_.number_value(node, loop.first));
  initial.push_back(builder_.number_value(node, loop.go_on));
  for (const std::size_t i : loop.fresh) {
    initial.push_back(carried_value(node, loop.carried[i]));
    if (!initial.back().valid()) return false;
  }
  if (std::any_of(initial.begin(), initial.end(), [](const Value& value) { return !value.valid(); }) ||
      (!loop.endless && !loop.limit.valid()))
    return false;

  program::GraphScope& outer = builder_.scope();
  outer.builder.set_location(builder_.location(node));
  loop.op = outer.builder.create(outer.context().opcode(GraphOp::While), initial, {}, {}, 2);
  for (std::size_t region = 0; region < 2; ++region)
    for (const Value value : initial) (void)loop.op.region(region).add_argument(value.type());
  return true;
}

bool ControlFlow::emit_condition(const Loop& loop, std::span<const Value> arguments) {
  program::GraphScope& outer = builder_.scope();
  program::GraphScope inner(outer, outer.graph(), loop.op.region(0), true);
  const Region in(builder_, tensors_, inner);
  Value more = arguments[loop.counts ? 1 : 0];
  if (!loop.endless) {
    const std::array count{arguments[0], loop.limit};
    const Value below = builder_.emit(loop.node, "lt", count);
    const std::array both{below, more};
    more = below.valid() ? builder_.emit(loop.node, "logical_and", both) : Value();
  }
  if (!more.valid()) return false;
  std::vector<Value> values{more};
  values.insert(values.end(), arguments.begin(), arguments.end());
  inner.builder.set_location({});
  inner.builder.create(outer.context().opcode(GraphOp::Condition), values, {}, {});
  return true;
}

// Gives a step its arguments; returns those that are tensors.
std::vector<Tensor> ControlFlow::set_arguments(const Loop& loop) {
  std::vector<Tensor> tensors;
  const Block& body = loop.body;
  std::size_t next = 0;
  if (loop.counts) values_.set(body.inputs[0], {Computed{loop.op.region(1).arguments()[next++]}});
  ++next;
  for (std::size_t i = 0; i < loop.carried.size(); ++i) values_.set(body.inputs[i + 1], loop.carried[i]);
  for (const std::size_t i : loop.fresh) {
    const Value argument = loop.op.region(1).arguments()[next];
    const std::string name = builder_.result_name(body.inputs[i + 1], "carried", true);
    loop.op.region(0).arguments()[next++].set_name(name);
    argument.set_name(name);
    if (!loop.carried[i].is<Tensor>()) {
      values_.set(body.inputs[i + 1], {Computed{argument}});
      continue;
    }
    tensors.push_back(tensors_.create(argument));
    TensorMemory::link(tensors.back()->memory, (*loop.carried[i].as<Tensor>())->memory);
    values_.set(body.inputs[i + 1], {tensors.back()});
  }
  return tensors;
}

// What a step gives to the next one. False after a diagnostic.
bool ControlFlow::yield(const Loop& loop, std::span<const Value> initial) {
  const Node& node = loop.node;
  std::vector<Value> yields;
  if (loop.counts) {
    const std::array one{builder_.number_value(node, {builder_.index().constant(1)})};
    if (!one[0].valid()) return false;
    const std::array sum{loop.op.region(1).arguments()[0], one[0]};
    yields.push_back(builder_.emit(node, "add", sum));
  }
  yields.push_back(builder_.number_value(node, values_.get(loop.body.outputs[0])));
  for (const std::size_t i : loop.fresh) {
    yields.push_back(carried_value(node, values_.get(loop.body.outputs[i + 1])));
    if (!yields.back().valid()) return false;
  }
  const TypePool& types = builder_.context().types();
  for (std::size_t i = 0; i < yields.size(); ++i) {
    if (!yields[i].valid()) return false;
    if (yields[i].type() != initial[i].type())
      return builder_.refuse<kTypeChanged>(node, "an iteration", types.print(yields[i].type()),
                                           types.print(initial[i].type()));
  }
  program::GraphScope& inner = builder_.scope();
  inner.builder.set_location({});
  inner.builder.create(inner.context().opcode(GraphOp::Yield), yields, {}, {});
  return true;
}

void ControlFlow::give_results(Loop& loop) {
  const Node& node = loop.node;
  std::size_t next = loop.counts ? 2 : 1;
  for (const std::size_t i : loop.fresh) {
    PythonValue& carried = loop.carried[i];
    const Value result = loop.op.result(next++);
    result.set_name(builder_.result_name(node.outputs[i], "carried", true));
    if (!carried.is<Tensor>()) {
      carried = {Computed{result}};
      continue;
    }
    const Tensor made = tensors_.create(result);
    for (const PythonValue& value : {carried, values_.get(loop.body.outputs[i + 1])})
      if (const Tensor* tensor = value.as<Tensor>(); tensor != nullptr && (*tensor)->memory->depth <= builder_.depth())
        TensorMemory::link(made->memory, (*tensor)->memory);
    carried = {made};
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) values_.set_output(node, i, loop.carried[i]);
}

bool ControlFlow::emit_while(Loop& loop) {
  const Node& node = loop.node;
  std::vector<Value> initial;
  if (!begin_while(loop, initial)) return false;
  std::vector<Value> tested;
  for (const Value argument : loop.op.region(0).arguments()) tested.push_back(argument);
  if (!emit_condition(loop, tested)) return false;
  program::GraphScope& outer = builder_.scope();
  program::GraphScope inner(outer, outer.graph(), loop.op.region(1), true);
  std::vector<std::shared_ptr<Memory>> touched;
  {
    Region in(builder_, tensors_, inner);
    const std::vector<Tensor> arguments = set_arguments(loop);
    if (!run_(loop.body)) return false;
    if (!in.changes().changed.empty() || !iterations_independent(loop.body, arguments, in.changes(), builder_.depth()))
      return builder_.refuse<kChangedInPlace>(node, "a tensor from outside of a loop that depends on data");
    if (!yield(loop, initial)) return false;
    for (const auto& [memory, saved] : in.changes().memories) touched.push_back(memory);
    in.restore();
  }
  for (const std::shared_ptr<Memory>& memory : touched) tensors_.touch(node, memory);
  const Result<std::vector<Type>, Diagnostic> types = infer_types(loop.op, outer.facts());
  if (!types) return builder_.refuse<kOperandsRefused>(node, types.error().message());
  loop.op.add_results(*types);
  give_results(loop);
  return true;
}

}  // namespace mlgc::python

// See lower_segment.h.
#include "loops/lower_segment.h"

#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "tensor/dtype.h"

namespace mlgc::loops {
namespace {

// Ops of a segment that no launch computes.
bool is_given(OpRef op) { return op.is(GraphOp::Read) || op.is(GraphOp::Constant) || op.is(GraphOp::Dim); }

}  // namespace

ChangedSymbols changed_symbols(const Module& module) {
  ChangedSymbols changed;
  for (const OpRef op : module.body().ops())
    if (op.is(GraphOp::State)) changed.insert(op.symbol());
  for (const FuncRef function : functions(module))
    for (const UpdateTarget& target : function.updates())
      if (!target.argument) changed.insert(module.context().strings().text(target.symbol));
  return changed;
}

std::string why_not_external(OpRef segment, const ChangedSymbols& changed) {
  const Context& context = segment.module().context();
  const TypePool& types = context.types();
  std::string why;
  const auto check_type = [&](Value v) {
    if (!types.is_tensor(v.type()))
      why = "`" + std::string(v.name()) + "`, which its target would be given, is not a tensor";
    else if (is_complex(v.dtype()))
      why = "`" + std::string(v.name()) + "`, which its target would be given, is complex";
  };
  for (const Value v : segment.operands()) check_type(v);
  walk(segment, [&](OpRef op) {
    if (!why.empty()) return WalkResult::Stop;
    for (const Value v : op.results()) check_type(v);
    if (op.has_trait(Traits::BindsSize)) why = "`" + std::string(op.name()) + "` inside of it binds a size";
    if (op.is(GraphOp::TorchCall)) why = "only PyTorch computes a `torch.call`";
    if (op.is(GraphOp::Fusion) || op.is(GraphOp::Segment) || op.is(GraphOp::Call)) {
      if (op != segment) why = "there is a `" + std::string(op.name()) + "` inside of it";
    }
    if (op.is(GraphOp::Read)) {
      const std::string_view symbol = *context.attributes().as_symbol(op.attr("symbol"));
      if (changed.contains(symbol))
        why = "it reads `@" + std::string(symbol) + "`, which calls change: read it outside";
    }
    return WalkResult::Continue;
  });
  return why;
}

std::string segment_words(OpRef segment) {
  std::string words(*segment.module().context().attributes().as_string(segment.attr("target")));
  for (const OpRef op : segment.region(0).ops())
    if (!op.has_trait(Traits::Terminator) && !is_given(op)) words += "_" + std::string(op.name());
  return words;
}

void simplify_results(OpRef segment, std::unordered_map<ValueId, Value>& replaced) {
  const RegionRef body = segment.region(0);
  const OpRef end = body.terminator();
  std::unordered_map<ValueId, Value> first;  // by what is yielded: the result that it is
  const auto replace = [&](Value result, Value by) {
    result.replace_all_uses_with(by);
    replaced.emplace(result.id(), by);
  };
  for (std::size_t i = 0; i < segment.result_count(); ++i) {
    const Value yielded = end.operand(i), result = segment.result(i);
    if (!result.has_uses()) continue;
    if (yielded.is_argument() && yielded.argument_of() == body) {
      replace(result, segment.operand(yielded.number()));
    } else if (is_given(yielded.definer())) {
      Builder at(segment.module());
      at.set_before(segment);
      at.set_location(yielded.definer().location());
      replace(result, clone(yielded.definer(), at).result());
    } else {
      const auto [known, is_new] = first.try_emplace(yielded.id(), result);
      if (!is_new) replace(result, known->second);
    }
  }
}

OpRef lower_segment(Module& module, OpRef segment, std::string_view name) {
  Context& context = module.context();
  TypePool& types = context.types();
  const RegionRef body = segment.region(0);
  const OpRef end = body.terminator();
  std::vector<std::size_t> results;
  for (const Value v : segment.results())
    if (v.has_uses()) results.push_back(v.number());
  std::vector<Type> arguments;
  const auto add = [&](Value v) { arguments.push_back(types.buffer(v.dtype(), v.dims(), Scope::Argument)); };
  for (const Value v : segment.operands()) add(v);
  for (const std::size_t i : results) add(segment.result(i));

  Builder builder(module);
  const OpRef func = builder.func(name, arguments);
  const auto buffers = func.region(0).arguments();
  const auto name_buffer = [&](std::size_t i, std::string_view wanted, const std::string& otherwise) {
    buffers[i].set_name(wanted.empty() ? otherwise : wanted);
  };
  for (std::size_t i = 0; i < segment.operand_count(); ++i)
    name_buffer(i, segment.operand(i).name(), "x" + std::to_string(i));
  for (std::size_t i = 0; i < results.size(); ++i)
    name_buffer(segment.operand_count() + i, segment.result(results[i]).name(), "y" + std::to_string(i));
  builder.set_end(func.region(0));
  builder.set_location(segment.location());
  const std::vector<Value> given(buffers.begin(), buffers.end());
  const OpRef made = ExternalRef::create(builder, *context.attributes().as_string(segment.attr("target")), given).op();
  ValueMap map;
  for (const Value v : body.arguments()) {
    const Value argument = made.region(0).add_argument(v.type());
    if (!v.name().empty()) argument.set_name(v.name());
    map.set(v, argument);
  }
  Builder inside(module, made.region(0));
  inside.set_location(segment.location());
  clone_ops(body, inside, map, true);
  std::vector<Value> yielded;
  for (const std::size_t i : results) yielded.push_back(map.find(end.operand(i)));
  inside.create(context.opcode(LoopOp::Yield), yielded, {}, {});
  builder.create(LoopOp::Return, {}, {});
  return func;
}

}  // namespace mlgc::loops

// dce: removes ops without uses. One backward pass that looks only at uses and effects.
#include <array>
#include <string>
#include <vector>

#include "ir/walk.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct DceOptions {
  bool keep_asserts = true;
  bool dead_symbols = false;
};

constexpr std::array kDceOptions{
    pass_option<&DceOptions::keep_asserts>("keep-asserts", "keep checks, that is ops without results that may fail"),
    pass_option<&DceOptions::dead_symbols>("dead-symbols", "remove weights and states that nothing refers to"),
};
constexpr std::array kDceCounters{
    PassCounter{"ops-removed", "ops without uses, not counting the ops inside them"},
    PassCounter{"symbols-removed", "weights and states that nothing refers to"},
};

// Whether the op may be removed once its results have no uses. That it may fail does not keep an op with results: a
// program that needs the check has an op for it.
bool removable(OpRef op, Effects effects, const DceOptions& options) {
  if (op.has_trait(Traits::Terminator) || op.has_trait(Traits::Symbol)) return false;
  if (op.has_trait(Traits::BindsSize)) return false;  // types and attributes may speak of the size
  if (has(effects, Effects::Writes)) return false;
  if (op.result_count() == 0 && has(effects, Effects::MayFail)) return !options.keep_asserts;
  return true;
}

std::uint64_t remove_ops(Module& module, const DceOptions& options, PassContext& context) {
  std::uint64_t removed = 0;
  // What is done inside a region, complete when the op that has it is reached: everything inside comes first.
  std::vector<Effects> inside(module.region_id_bound(), Effects::None);
  walk<WalkOrder::BackwardPost>(module, [&](OpRef op) {
    Effects effects = op.own_effects();
    for (const RegionRef region : op.regions()) effects = effects | inside[region.id().index()];
    if (op.results_unused() && removable(op, effects, options) &&
        context.may_rewrite("remove-unread-op", op.location())) {
      op.erase();
      ++removed;
      return;
    }
    Effects& around = inside[op.parent().id().index()];
    around = around | effects;
  });
  return removed;
}

// Marks the symbols that an attribute names, at any depth of lists.
void mark(const AttributePool& attributes, Attribute attribute, const Module& module, std::vector<bool>& used) {
  std::vector<Attribute> open{attribute};
  while (!open.empty()) {
    const Attribute at = open.back();
    open.pop_back();
    for (const Attribute item : attributes.as_array(at)) open.push_back(item);
    if (const auto name = attributes.as_symbol(at))
      if (const OpRef target = module.lookup(*name); target.valid()) used[target.id().index()] = true;
  }
}

// A derived weight keeps what it reads, so definitions are looked at from the last to the first. A reference to a later
// one would only keep too much.
std::uint64_t remove_symbols(Module& module, PassContext& context) {
  const AttributePool& attributes = module.context().attributes();
  std::vector<bool> used(module.op_id_bound()), looked(attributes.dict_count());
  std::uint64_t removed = 0;
  const auto mark_all = [&](OpRef op) {
    // Equal dictionaries name equal symbols.
    if (op.attrs().empty() || looked[op.attrs().id]) return;
    looked[op.attrs().id] = true;
    for (const NamedAttribute& entry : attributes.entries(op.attrs())) mark(attributes, entry.value, module, used);
  };
  for (const OpRef op : module.body().ops())
    if (!op.is(GraphOp::Weight) && !op.is(GraphOp::State)) walk(op, mark_all);
  for (OpRef op = module.body().back(); op.valid();) {
    const OpRef previous = op.previous();
    if (op.is(GraphOp::Weight) || op.is(GraphOp::State)) {
      if (used[op.id().index()] || module.lookup(op.symbol()) != op ||
          !context.may_rewrite("remove-unread-symbol", op.location())) {
        walk(op, mark_all);
      } else {
        op.erase();
        ++removed;
      }
    }
    op = previous;
  }
  return removed;
}

PassResult run(Module& module, const DceOptions& options, PassContext& context) {
  const std::uint64_t ops = remove_ops(module, options, context);
  const std::uint64_t symbols = options.dead_symbols ? remove_symbols(module, context) : 0;
  context.count("ops-removed") = ops;
  context.count("symbols-removed") = symbols;
  return PassContext::changed_if(ops + symbols > 0);
}

}  // namespace

constexpr PassDef kDcePass{
    .name = "dce",
    .summary = "Removes ops whose results have no uses.",
    .description =
        "An op stays when it writes, ends a region, or checks something (see `keep-asserts`). What an op "
        "does inside its regions counts. Functions are never removed.",
    .options = kDceOptions,
    .counters = kDceCounters,
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = neg %x : tensor<4xf32>
  %1 = exp %0 : tensor<4xf32>
  %2 = relu %x : tensor<4xf32>
  return %2
})",
                .after = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relu %x : tensor<4xf32>
  return %0
})"},
    .body = pass_body<DceOptions, run>(),
};

}  // namespace mlgc

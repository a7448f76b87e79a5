// Views of loop ops, and index expressions over values.
//
// The subscripts of an op (attribute kind Subscripts) are index expressions whose opaque atoms number its operands; the
// values that occur only there follow the row's own operands, each once.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace mlgc {

// The expressions in the brackets of an op; empty when it has none.
[[nodiscard]] std::span<const IndexExpr> subscripts_of(OpRef op);
// What a kernel has to touch for its results to go past the caches (`store` with `bytes`): several second-level caches.
inline constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;

// Whether subscript `axis` of an access counts from the end, as the lowering spells it:
// `%i + where(%i < 0, size of the axis, 0)`. Where it is below 0, the index that the program was given is that much
// less, and this is the one that messages speak of.
[[nodiscard]] bool counts_from_end(OpRef access, Value buffer, std::size_t axis);

class ForRef {
 public:
  // An invalid view when `op` is no `for` of the loop or graph level.
  [[nodiscard]] static ForRef from(OpRef op);
  [[nodiscard]] bool valid() const { return op_.valid(); }
  [[nodiscard]] OpRef op() const { return op_; }
  [[nodiscard]] IndexExpr first() const { return subscripts_of(op_)[0]; }
  [[nodiscard]] IndexExpr last() const { return subscripts_of(op_)[1]; }  // exclusive
  [[nodiscard]] std::string_view kind() const;                            // serial where the text does not say
  [[nodiscard]] RegionRef body() const { return op_.region(0); }
  [[nodiscard]] Value index() const { return body().argument(0); }
  [[nodiscard]] std::size_t carried_count() const { return body().argument_count() - 1; }
  [[nodiscard]] Value carried(std::size_t i) const { return body().argument(i + 1); }
  [[nodiscard]] Value initial(std::size_t i) const { return op_.operand(op_.operand_count() - carried_count() + i); }

 private:
  OpRef op_;
};

// Makes the brackets of an op: expressions are built with atom(), then numbered() gives the attribute.
class SubscriptBuilder {
 public:
  // Values are appended to `operands`, which already holds the operands before the brackets.
  SubscriptBuilder(Context& context, std::vector<Value>& operands)
      : context_(&context), operands_(&operands), first_(operands.size()) {}
  // The atom that stands for the value.
  IndexExpr atom(Value value);
  // Numbers the values in the order in which the text form names them, so that it need not list them.
  [[nodiscard]] Attribute numbered(std::vector<IndexExpr> expressions);

 private:
  Context* context_;
  std::vector<Value>* operands_;
  std::size_t first_;
};

// Whether the operand is read in the op's brackets, and only there.
[[nodiscard]] bool is_in_subscripts(const Use& use);

// Puts `by`, whose opaque atoms number the operands of `owner`, in the place of a value in the brackets of `op`. What
// the brackets do not name any more is no operand afterwards. Precondition: every use of the value by `op` is
// is_in_subscripts().
void replace_in_subscripts(OpRef op, Value value, IndexExpr by, OpRef owner);

// The buffer whose memory this is: what `buffer_view`s, one of another, were taken of; a buffer that is no view itself.
[[nodiscard]] Value underlying_buffer(Value buffer);

// How many elements the buffer has.
[[nodiscard]] IndexExpr element_count(Value buffer);
// The buffer that the memory is called after: behind views and what the plan lets lie in the memory of another one.
[[nodiscard]] Value memory_of(Value buffer);
// The argument of a driver that is the new value of the state; an invalid handle when there is none.
[[nodiscard]] Value new_state(OpRef func, StringId state);
// The argument that is the new value of a state, where the driver says `in_place` of the one that the `data` op names:
// both are one memory. An invalid handle otherwise.
[[nodiscard]] Value written_over(OpRef data);
// Uses of the buffer by ops that touch it, through views too. Buffers in the same memory are others.
void for_each_access(Value buffer, const std::function<void(const Use&)>& visit);

// How often a loop runs, as far as that is known; of a tile whose last one is smaller: the full one. Never less than it
// does.
[[nodiscard]] std::optional<std::int64_t> usual_extent(ForRef loop);

// A sum that rounds once: `%s = add %c, %p {loop.fused = 1}` is a*b + c, where `%p = mul %a, %b`. The number is that of
// the operand whose rounding is left out; whoever else reads it has it rounded.
inline constexpr std::string_view kFusedAttribute = "loop.fused";
struct FusedSum {
  OpRef product;
  Value addend;
};
// Nothing: the op rounds as its row says, or what it states is no product of f32.
[[nodiscard]] std::optional<FusedSum> fused_sum(OpRef op);
// Nobody reads the product rounded.
[[nodiscard]] bool is_only_fused(OpRef product);

// How wide the vectors are that schedules make their tiles for, in bytes: `module attributes {vector_bytes = "32"}`, or
// 64. Results are the same bits for each.
[[nodiscard]] std::int64_t vector_bytes(const Module& module);
[[nodiscard]] bool states_vector_bytes(const Module& module);
// Precondition: 16, 32 or 64.
void set_vector_bytes(Module& module, std::int64_t bytes);

// The loop of a nest and those that stand alone inside of each other, as far as they are parallel.
[[nodiscard]] std::vector<OpRef> parallel_chain(OpRef nest);

// The `external` that is all that a loop function does: a target computes it. An invalid handle: it is a kernel or a
// driver.
[[nodiscard]] OpRef external_op(OpRef func);
// How many of the operands of an `external` it reads; it writes the others.
[[nodiscard]] std::size_t read_count(OpRef external);

// A function of the loop level: at least one argument is a buffer.
[[nodiscard]] bool is_loop_function(OpRef func);
// Such a function that is called from outside: `attributes {results = N}`.
[[nodiscard]] bool is_driver(OpRef func);
// Arguments of a loop function that some store in it writes, or a function that it launches, by number.
[[nodiscard]] std::vector<bool> written_arguments(OpRef func);
// A buffer that the op writes: that of a store, those that a launched function writes. No views: what is underneath.
void for_each_written(OpRef op, const std::function<void(Value)>& visit);
// The loop function that a launch runs; an invalid handle when there is none of that name.
[[nodiscard]] OpRef launched(OpRef launch);

// The size that a `bind_size` says.
[[nodiscard]] AtomId bound_size(OpRef bind);
// Whether the size is known before the call begins: the value of an input, outside of loops and choices.
[[nodiscard]] bool is_known_before(OpRef bind);
// The `bind_size`s of a function whose sizes become known while it runs, in the order of the text.
[[nodiscard]] std::vector<OpRef> late_sizes(OpRef func);

// The launches of each kernel that is launched, in the order of the text.
[[nodiscard]] std::unordered_map<OpId, std::vector<OpRef>> launches_by_kernel(const Module& module);

// The sizes of the callee that a launch states, with what they are in the caller: as many as both lists have.
[[nodiscard]] std::vector<std::pair<AtomId, IndexExpr>> stated_sizes(OpRef launch);

// What a loop function says of its arguments: `attributes {results = N}` on a driver function means that its last
// arguments are N results and then one new state for each entry of `updates`, in order. Without it the arguments that
// the function writes are its results.
struct ResultArguments {
  std::vector<bool> is_result;   // by argument; new states too
  std::size_t first_update = 0;  // number of the argument that is the first new state; all behind it are
};
// Precondition: as many arguments as the attribute and the updates speak of (verify).
[[nodiscard]] ResultArguments result_arguments(OpRef func);
// The symbols in the types of the arguments and in the expressions inside, by name.
[[nodiscard]] std::vector<AtomId> symbols_of(OpRef func);
// Those of them that no argument has as a whole dim: a launch must state them.
[[nodiscard]] std::vector<AtomId> symbols_without_dim(OpRef func);

}  // namespace mlgc

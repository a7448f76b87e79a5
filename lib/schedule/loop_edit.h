// Private to lib/schedule: what steps are made of. Expressions between steps are over values: their opaque atoms are
// values of the module rather than operands of one op.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"
#include "schedule/refusal.h"

namespace mlgc::schedule {

// The load or store touches this element, of this buffer, instead; `subscripts` are over values.
void set_element(OpRef access, Value buffer, const std::vector<IndexExpr>& subscripts);
// By how much an expression over values grows with the value; nothing where it is not linear in it.
[[nodiscard]] std::optional<std::int64_t> coefficient_of(IndexExpr e, Value v);
// Whether it is a size that stands outside of all loops: it speaks of no values.
[[nodiscard]] bool is_size(const IndexPool& pool, IndexExpr e);
// Likewise, and without minima and maxima, of which what is known of an index is not told again.
[[nodiscard]] bool is_plain_size(const IndexPool& pool, IndexExpr e);
// e floordiv size, a minimum or maximum in e taken outside: then what it bounds can be told from its sides, which it
// cannot from a quotient of it.
[[nodiscard]] IndexExpr quotient_of(IndexPool& pool, IndexExpr e, std::int64_t size);
// e times a positive size, likewise.
[[nodiscard]] IndexExpr product_of(IndexPool& pool, IndexExpr e, std::int64_t size);
// How many iterations so many tiles cover: where their number is a minimum, one that is not known to be 0 or more.
[[nodiscard]] IndexExpr covered_by(IndexPool& pool, IndexExpr tiles, std::int64_t size);
// With what the map gives in the place of values that it has.
[[nodiscard]] IndexExpr mapped(Module& module, IndexExpr over_values, const ValueMap& map);
// The brackets of an op from expressions over values, which are appended to its operands.
[[nodiscard]] Attribute brackets(Module& module, std::vector<Value>& operands, std::span<const IndexExpr> expressions);

// A name for the index of a new loop that no other loop of the function has.
[[nodiscard]] std::string fresh_name(OpRef loop, const std::string& stem);
[[nodiscard]] std::vector<Value> initial_values(ForRef loop);
[[nodiscard]] std::vector<Value> carried_values(ForRef loop);

// Gives a loop other bounds, over values, and other initial values.
void set_loop(OpRef loop, IndexExpr first, IndexExpr last, const std::vector<Value>& initial);
// A loop over [0, last) in front of `inner` that takes its place: it starts from the same values and carries on what
// inner gives.
OpRef wrap(OpRef inner, IndexExpr last, std::string_view name);

// What an accumulator of the function starts as.
[[nodiscard]] Value neutral_literal(Builder& builder, ScalarFn fn, Dtype dtype);
// A loop over [first, last), over values, that carries as many values as it starts from; its body is empty.
OpRef new_loop(Builder& builder, IndexExpr first, IndexExpr last, const std::string& name,
               const std::vector<Value>& initial);
// An element of the buffer, at subscripts over values.
[[nodiscard]] Value load_of(Builder& builder, Value buffer, std::span<const IndexExpr> subscripts);
void store_of(Builder& builder, Value value, Value buffer, std::span<const IndexExpr> subscripts);
// The same access at the insertion point, with other operands in front of the brackets and other subscripts: all else
// that it states goes with it, and where it stands in the source.
AccessRef access_like(Builder& builder, AccessRef of, std::vector<Value> operands,
                      std::span<const IndexExpr> subscripts);
// The step by which the loop takes its carried value i, of other values: `carried` stands where the carried one does.
Value step_like(Builder& builder, ForRef loop, std::size_t i, OpRef step, Value carried, Value other);
// A serial loop at the insertion point with the bounds of another one, mapped, called after it, that carries nothing.
ForRef loop_like(Builder& builder, ForRef of, std::string_view suffix, const ValueMap& map = {});

// The note of the strategy that a loop has (kStrategyAttribute): a loop that takes its place, or stands around it, has
// it from then on, if it has none of its own.
void move_strategy(OpRef from, OpRef to);

}  // namespace mlgc::schedule

// `where` constraints: comparison chains over index expressions, `1 <= B <= 256, B mod 8 == 0, T == 2*S`.
//
// They live in the attribute `where` of a function (and of an op that introduces a symbol): an Array with one Array for
// each chain, which holds the expressions (Int) with the relations (String) between them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attribute.h"
#include "ir/context.h"
#include "ir/index_expr.h"

namespace mlgc {

enum class Relation : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
[[nodiscard]] std::string_view relation_text(Relation relation);  // `==`, `!=`, `<`, `<=`, `>`, `>=`
[[nodiscard]] std::optional<Relation> parse_relation(std::string_view text);

// terms[0] relations[0] terms[1] relations[1] …; one relation less than terms, and at least one.
struct Constraint {
  std::vector<IndexExpr> terms;
  std::vector<Relation> relations;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};
using Constraints = std::vector<Constraint>;

// The attribute form and back; from_attribute answers nothing for an attribute that is none of ours.
[[nodiscard]] Attribute to_attribute(std::span<const Constraint> constraints, Context& context);
[[nodiscard]] std::optional<Constraints> constraints_from(Attribute attribute, const Context& context);
// Those of an op; empty without the attribute.
class OpRef;
[[nodiscard]] Constraints constraints_of(const OpRef& op);

// `1 <= B <= 256`; a list is joined by commas.
[[nodiscard]] std::string print(const Constraint& constraint, const IndexPool& pool);
[[nodiscard]] std::string print(std::span<const Constraint> constraints, const IndexPool& pool);

// What the constraints say of their symbols, in the form that the sign test uses:
//   - a linear comparison of one symbol with constants is a bound;
//   - an equation defines one of its symbols (`T == 2*S` the left side; `B mod 8 == r` gives B = 8*q + r with a fresh
//   q);
//   - `u <= B` defines B as u plus a fresh symbol.
// Definitions mention no defined symbol. Fresh symbols have names that no text can spell. What cannot be expressed is
// left out, which is sound.
[[nodiscard]] Facts to_facts(std::span<const Constraint> constraints, IndexPool& pool);

// Whether it is one of those that are known, or shown by the facts.
[[nodiscard]] bool follows(const Constraint& wanted, std::span<const Constraint> known, const Facts& facts,
                           IndexPool& pool);

// Whether the constraint holds for these values; nothing when a term has no value.
[[nodiscard]] std::optional<bool> holds(const Constraint& constraint, const IndexPool& pool,
                                        const std::function<std::optional<std::int64_t>(AtomId)>& value_of);

}  // namespace mlgc

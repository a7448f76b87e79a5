// Small programs that a text rule matches, generated at random: what `rules --check` evaluates.
//
// Guarantees
//   - A generated program is one function @f whose result is the root of the rule's left side; it verifies.
//   - Sizes are symbols and small numbers, distinct ones and equal ones alike; operands may broadcast.
//   - The same rule, seed and number give the same program.
//
// How: types of the values, attributes and constants are sampled from the leaves up, with the types of the row's own
// example as a hint. Each op whose row refuses them is sampled again a few times. Where rows want shapes that chance
// rarely finds, fewer programs are found: the report counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/module.h"
#include "rewrite/rule_text.h"
#include "tensor/dtype.h"

namespace mlgc {

// Nothing when no program was found in some hundred attempts. Most elements are of `dtype`. With `extreme` one of the
// numbers that the rule binds is that one; nothing, too, when it binds none.
[[nodiscard]] std::optional<Module> draw_instance(const std::shared_ptr<Context>& context, const TextRule& rule,
                                                  Dtype dtype, std::uint64_t seed, std::optional<double> extreme = {});

// Numbers of a dtype at the ends of its range, where 1/x, x*x or -x leaves it, and infinities and NaN; none of i1.
[[nodiscard]] std::vector<double> extreme_numbers(Dtype dtype);

}  // namespace mlgc

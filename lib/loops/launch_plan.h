// Private to lib/loops: what a host function launches for each op of the graph function that it is made of. Makes no
// ops.
//
// Guarantee: equal ops share the plan of the first one, so a program of equal layers is planned in the time of one
// layer and one step for each op.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fusion/fusion_kernel.h"
#include "ir/function.h"
#include "ir/function_facts.h"

namespace mlgc::loops {

// An op that has no lowering, and why.
struct NotLowered {
  OpRef op;
  std::string reason;
};

// What is launched for an op: a function on the buffers of these values.
struct Launch {
  std::optional<FusionKernel> kernel = {};
  OpRef sort = {}, extremum = {}, segment = {};  // in place of a kernel
  std::vector<Value> operands = {}, results = {};
  std::string words = {};  // for its name
  OpRef like = {};  // valid: an equal op before it, whose function it launches; then there is nothing in place of it
};

struct LaunchPlan {
  FunctionFacts facts;
  bool for_threads = false;  // an iteration has many threads
  std::unordered_map<OpId, Launch> launches;
  std::vector<OpRef> sizes;                     // ops whose result has a size of its own
  std::unordered_map<OpId, std::size_t> views;  // by op: the operand that its result is a view of
  std::vector<NotLowered> missing;              // empty: the function can be lowered

  // The operand whose buffer the value is another view of; an invalid handle where it is not a view.
  [[nodiscard]] Value viewed(Value v) const;
  // Of an op that gives the integers up to the value of an argument: the size is known when the call begins, and
  // everything is planned for it. In a loop or an arm the op may never run, and what it says of the value need not
  // hold.
  [[nodiscard]] bool is_known_before_call(FuncRef function, OpRef range) const;
};

// `for_threads`: as of lower_to_loops().
[[nodiscard]] LaunchPlan plan_launches(Module& module, FuncRef function, bool for_threads = false);
// The launch of an op by its formula (op_formula()), which computes all results.
[[nodiscard]] Launch launch_of_formula(OpRef op, const Formula& formula);

}  // namespace mlgc::loops

// A loop by the name of its index, and what each transform is in a sentence.
#include "schedule/loop_transforms.h"

#include <vector>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "schedule/loop_edit.h"

namespace mlgc {

using namespace schedule;

Result<OpRef, Diagnostic> find_loop(OpRef func, std::string_view index) {
  std::vector<OpRef> found;
  std::string names;
  walk(func, [&](OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid()) return;
    if (index_name(loop) == index) found.push_back(op);
    if (!index_name(loop).empty()) names += (names.empty() ? "`%" : ", `%") + std::string(index_name(loop)) + "`";
  });
  if (found.size() == 1) return found[0];
  if (found.empty())
    return refuse<kScheduleNoSuchLoop>(index, func.symbol(), names.empty() ? "no loops" : "loops over " + names);
  return refuse<kScheduleAmbiguousLoop>(found.size(), func.symbol(), index);
}

std::string_view step_summary(std::string_view step) {
  if (step == "fuse-product") return "Adds products of f32 to a sum before they are rounded (fused multiply-add).";
  if (step == "split-argument") return "Finds an extremum first and its position after it: another zero may be it.";
  if (step == "split-scan") return "Reduces pieces of running sums first: terms are added in another order.";
  if (step == "online-softmax")
    return "Rounds exponentials of a softmax to the values' 16 bits, and divides their sums; keys that a causal mask "
           "hides "
           "are not read.";
  if (step == "split-keys") return "Weights values by a softmax part by part of the scores, and divides their sums.";
  return "";
}

}  // namespace mlgc

// See transform_review.h.
#include "schedule/transform_review.h"

#include <algorithm>

#include "diag/diagnostic.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "verify/verify.h"

namespace mlgc::schedule {

namespace {

// Policy, the same for all machines: a schedule of which more transforms are refused is given up, since each refusal
// makes the schedule anew. A refusal is a defect of a transform, so that there are few.
constexpr std::size_t kMostRefusals = 32;

// What the verifier says first; nothing where the function is valid.
std::optional<std::string> error_in(OpRef func) {
  DiagnosticEngine findings(func.module().context().locations(), 1);
  if (verify_function(func, findings)) return std::nullopt;
  for (const Diagnostic& finding : findings.sorted())
    if (finding.kind->severity == Severity::Error) return finding.message();
  return "the function is not valid";
}

}  // namespace

Snapshot::Snapshot(OpRef func)
    : func_(func), module_(func.module().shared_context()), copy_(clone_function(func, module_, func.symbol())) {}

void Snapshot::restore() const {
  const RegionRef body = func_.region(0);
  for (OpRef last = body.back(); last.valid(); last = body.back()) last.erase();
  ValueMap map;
  const RegionRef from = copy_.region(0);
  for (std::size_t i = 0; i < from.arguments().size(); ++i) map.set(from.argument(i), body.argument(i));
  Builder builder(func_.module());
  builder.set_end(body);
  clone_ops(from, builder, map);
}

std::optional<std::string> TransformReview::refuses_next() {
  const std::size_t number = next_++;
  for (const Refusal& refusal : refusals_)
    if (refusal.number == number) return refusal.text;
  return std::nullopt;
}

void TransformReview::applied(OpRef func, std::string_view what) {
  if (!each_) return;
  const std::optional<std::string> error = error_in(func);
  if (!error) return;
  refusals_.push_back({next_ - 1, std::string(what) + ": " + *error});
  throw Stopped();
}

ScheduleCounts schedule_reviewed(OpRef func, RewriteGate& gate, TransformReview& review,
                                 const std::function<ScheduleCounts()>& schedule) {
  const Snapshot snapshot(func);
  const RewriteGate before = gate;
  while (review.refusals_.size() <= kMostRefusals) {
    review.next_ = 0;
    try {
      const ScheduleCounts counts = schedule();
      const std::optional<std::string> error = gate.count() == before.count() ? std::nullopt : error_in(func);
      if (!error) return counts;
      if (review.each_) {
        review.refusals_.push_back({review.next_, "the schedule as a whole: " + *error});
        break;
      }
      review.each_ = true;
    } catch (const TransformReview::Stopped&) {
    }
    snapshot.restore();
    gate = before;
  }
  snapshot.restore();
  gate = before;
  return {};
}

}  // namespace mlgc::schedule

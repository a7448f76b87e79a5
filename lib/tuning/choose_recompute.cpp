// See choose_recompute.h.
#include "tuning/choose_recompute.h"

#include <algorithm>
#include <map>
#include <utility>

#include "diag/kinds_codegen.h"
#include "diag/kinds_grad.h"
#include "ir/constraint.h"
#include "ir/walk.h"
#include "memory/memory_limits.h"
#include "memory/memory_plan.h"
#include "ops/memory_limit.h"
#include "pass/option_text.h"
#include "rematerialize/candidates.h"
#include "rematerialize/least_memory.h"
#include "reports/recompute_report.h"
#include "support/activity.h"
#include "support/byte_size.h"
#include "support/saturating.h"
#include "transforms/levels.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

// How far from the middle a size that `where` admits is looked for: further than any alignment.
constexpr std::int64_t kNearby = 4096;

// What forward keeps for backward.
struct SavedValue {
  std::string name;  // `saved_x`
  Type type;
  Location at;  // of what computes it
};

class Decision {
 public:
  Decision(const Module& derived, const RecomputeRequest& request, const RecomputeOptions& options,
           DiagnosticEngine& diagnostics)
      : derived_(derived),
        request_(request),
        options_(options),
        diagnostics_(diagnostics),
        function_(find_function(derived, request.function)) {}

  std::optional<RecomputeDecision> run() {
    if (!options_.explain && !options_.limit) return RecomputeDecision{asked(), std::nullopt, std::nullopt};
    part_ = forward_part(function_, request_.results);
    find_sizes();
    report_.function = request_.function;
    report_.sizes = sizes_;
    report_.limit = options_.limit;
    const auto candidate_of = [&](const RecomputeChoice& choice) {
      return recompute_candidate(derived_, part_, choice);
    };
    report_.everything_kept = candidate_of({}).cost;
    const std::vector<RecomputeCandidate> candidates =
        !options_.asked ? recompute_candidates(derived_, part_) : std::vector{candidate_of(asked())};
    Activity planning("planning the memory of", "@" + request_.function);
    planning.does(candidates.size(), "way");
    std::vector<Skipped> skipped;
    bool met = false;
    for (const RecomputeCandidate& candidate : candidates) {
      // After the one that meets a limit none is planned.
      if (met && options_.limit) {
        note(candidate, {});
        continue;
      }
      planning.next();
      auto planned = fuse(candidate.choice);
      if (!planned) return std::nullopt;
      const std::int64_t least = options_.limit ? least_of(*planned) : 0;
      if (options_.limit && least > *options_.limit) {
        skipped.push_back({report_.choices.size(), least});
        note(candidate, least);
        continue;
      }
      note(candidate, {});
      if (!consider(*std::move(planned), report_.choices.back())) return std::nullopt;
      if (met) continue;
      met = options_.limit ? *report_.choices.back().peak <= *options_.limit
                           : options_.asked || candidate.choice.what == Recompute::None;
      if (met) report_.chosen = report_.choices.size() - 1;
    }
    if (!met && !find_least(std::move(skipped))) return std::nullopt;
    if (!met) {
      refuse();
      return std::nullopt;
    }
    RecomputeDecision decision{report_.choices[report_.chosen].candidate.choice, std::nullopt, std::nullopt};
    // Nothing was planned after the choice that meets the limit.
    if (options_.limit) decision.limit = MemoryLimit{*options_.limit - saved_, sizes_};
    if (options_.explain) {
      describe(decision.choice);
      decision.report = std::move(report_);
    }
    return decision;
  }

 private:
  [[nodiscard]] RecomputeChoice asked() const { return options_.asked.value_or(RecomputeChoice{}); }
  // What was said, else the upper ends of ranges; what has neither is left for plan_memory() to refuse.
  void find_sizes() { sizes_ = largest_sizes(function_, request_.sizes); }
  [[nodiscard]] std::int64_t bytes_of(Type type) const { return bytes_of(type, sizes_); }
  [[nodiscard]] std::int64_t bytes_of(Type type, const SymbolSizes& sizes) const {
    return bytes_at(derived_.context(), type, sizes);
  }

  struct Planned {
    Module module;
    std::vector<std::string> names;  // of the functions that count
    std::vector<SavedValue> saved;   // between forward and backward
  };

  // Up to its kernels.
  std::optional<Planned> fuse(const RecomputeChoice& choice) {
    Module module = derived_;
    if (!run_pipeline(module, rematerialize_step(request_, choice) + request_.finish, diagnostics_))
      return std::nullopt;
    std::vector<SavedValue> saved;
    // The function as it is called, or the two that it was split into.
    std::vector<std::string> names = new_functions(derived_, module);
    if (names.empty()) names = {request_.function};
    if (names.size() > 1) {
      const FuncRef forward = find_function(module, names[0]);
      const std::vector<Value> results = forward.results();
      for (std::size_t i = request_.results; i < results.size(); ++i)
        saved.push_back({result_name(forward, i), results[i].type(),
                         results[i].is_result() ? results[i].definer().location() : forward.op().location()});
    }
    if (!optimise(module, diagnostics_)) return std::nullopt;
    // Calls are inlined now, and other functions have sizes of their own.
    for (const FuncRef& other : functions(module))
      if (std::find(names.begin(), names.end(), other.name()) == names.end()) other.op().erase();
    if (!lower_to("fused", module, diagnostics_)) return std::nullopt;
    return Planned{std::move(module), std::move(names), std::move(saved)};
  }

  // No plan of these kernels takes less.
  std::int64_t least_of(const Planned& planned) const {
    std::int64_t bytes = 0;
    for (const std::string& name : planned.names)
      bytes = std::max(bytes, least_memory(find_function(planned.module, name), sizes_));
    for (const SavedValue& saved : planned.saved) bytes = saturating_add(bytes, bytes_of(saved.type));
    return bytes;
  }

  // Plans of the function, or of what it was split into, and what they take at most.
  struct Peak {
    std::vector<MemoryPlan> plans;
    std::int64_t bytes = 0, saved = 0;  // saved: of these, what is saved for backward
  };
  Result<Peak, Diagnostic> peak_of(Planned& planned, const SymbolSizes& sizes) const {
    auto plans = plan_memory(planned.module, nullptr, sizes);
    if (!plans) return Failure{std::move(plans).error()};
    Peak peak;
    for (MemoryPlan& plan : *plans) {
      if (std::find(planned.names.begin(), planned.names.end(), plan.function) == planned.names.end()) continue;
      peak.bytes = std::max(peak.bytes, plan.total());
      peak.plans.push_back(std::move(plan));
    }
    for (const SavedValue& saved : planned.saved) peak.saved = saturating_add(peak.saved, bytes_of(saved.type, sizes));
    peak.bytes = saturating_add(peak.bytes, peak.saved);
    return peak;
  }

  // Plans what was fused, and notes what it takes.
  bool consider(Planned planned, RecomputeReport::Choice& choice) {
    if (!lower_to("plan", planned.module, diagnostics_)) return false;
    auto peak = peak_of(planned, sizes_);
    if (!peak) {
      diagnostics_.emit(std::move(peak).error());
      return false;
    }
    warn_of_unknown(*peak);
    choice.peak = peak->bytes;
    choice.least = std::nullopt;
    saved_ = peak->saved;
    if (!least_ || peak->bytes < least_peak_.bytes) {
      least_ = std::move(planned);
      least_peak_ = *std::move(peak);
      least_choice_ = choice.candidate.choice;
    }
    return true;
  }

  // A choice that was not planned, since no plan of it meets the limit.
  struct Skipped {
    std::size_t number;  // in the report
    std::int64_t least;
  };
  // The smallest peak: of what was skipped those are planned that may have it.
  bool find_least(std::vector<Skipped> skipped) {
    std::stable_sort(skipped.begin(), skipped.end(),
                     [](const Skipped& a, const Skipped& b) { return a.least < b.least; });
    for (const Skipped& one : skipped) {
      if (least_ && one.least >= least_peak_.bytes) break;
      RecomputeReport::Choice& choice = report_.choices[one.number];
      auto planned = fuse(choice.candidate.choice);
      if (!planned || !consider(*std::move(planned), choice)) return false;
    }
    return true;
  }

  // Once: what the call computes the size of is about the same for all candidates.
  void warn_of_unknown(const Peak& peak) {
    NotCounted unknown;
    for (const MemoryPlan& plan : peak.plans) {
      NotCounted more = not_counted(plan);
      unknown.names.insert(unknown.names.end(), more.names.begin(), more.names.end());
      if (!more.names.empty()) unknown.size = std::move(more.size);
    }
    if (unknown.names.empty() || warned_) return;
    warned_ = true;
    diagnostics_.emit(
        diagnose<kSizesNotCounted>(function_.op().location(), unknown.names, options_.words.size(unknown.size)));
  }

  void note(const RecomputeCandidate& candidate, std::optional<std::int64_t> least) {
    RecomputeReport::Choice choice{candidate, 0, std::nullopt, least};
    for (const KeptValue& kept : choose_recomputed(part_, candidate.choice).kept)
      choice.kept = saturating_add(choice.kept, bytes_of(kept.value.type()));
    report_.choices.push_back(choice);
  }

  void describe(const RecomputeChoice& choice) {
    const Recomputed chosen = choose_recomputed(part_, choice);
    std::map<std::uint32_t, std::vector<RecomputeReport::Row>> kept;
    for (const auto& [value, reason] : chosen.kept)
      kept[part_.number_of.at(value.definer().id())].push_back(row(value, kept_reason_text(value, reason, choice)));
    for (auto& [number, rows] : kept)
      for (RecomputeReport::Row& one : rows) report_.kept.push_back(std::move(one));
    for (const ForwardOp& forward : part_.ops) {
      if (!chosen.ops.contains(forward.op.id())) continue;
      for (const Value value : forward.op.results()) report_.recomputed.push_back(row(value, ""));
    }
  }
  [[nodiscard]] RecomputeReport::Row row(Value value, std::string reason) const {
    const std::string name = value.name().empty() ? "a result without a name" : "%" + std::string(value.name());
    return {name, std::string(value.definer().name()), bytes_of(value.type()), std::move(reason),
            value.definer().location()};
  }

  // What is alive at the smallest peak, and what would be allowed instead.
  void refuse() {
    MLGC_ASSERT(!least_peak_.plans.empty(), "a function without a plan");
    const auto [least, limit] = byte_size_texts(least_peak_.bytes, *options_.limit);
    Diagnostic error = diagnose<kMemoryLimit>(
        function_.op().location(), request_.function, least, sizes_.empty() ? "" : " with " + sizes_text(sizes_),
        options_.words.choice(least_choice_), limit, options_.words.limit(least_peak_.bytes), smaller_size());
    const auto largest =
        std::max_element(least_peak_.plans.begin(), least_peak_.plans.end(),
                         [](const MemoryPlan& a, const MemoryPlan& b) { return a.total() < b.total(); });
    // A kernel stands at its first op; the function knows each value's own.
    std::map<std::string, Location, std::less<>> places;
    walk(function_.op(), [&](OpRef op) {
      for (const Value value : op.results())
        if (!value.name().empty()) places.try_emplace(std::string(value.name()), op.location());
    });
    for (PlannedBuffer& buffer : largest->buffers)
      if (const auto place = places.find(buffer.name); place != places.end()) buffer.at = place->second;
    for (const SavedValue& saved : least_->saved) {
      PlannedBuffer& buffer = largest->buffers.emplace_back();
      buffer.name = saved.name;
      buffer.bytes = bytes_of(saved.type);
      buffer.at_peak = true;
      buffer.at = saved.at;
    }
    note_live_at_peak(error, *largest);
    diagnostics_.emit(std::move(error));
  }

  // `, or take B = 512`: the largest value of a size with which the limit is met, and which `where` admits. It is
  // looked for by halves; what is not admitted gives way to what is, nearby.
  std::string smaller_size() {
    for (const auto& [name, size] : sizes_) {
      std::int64_t fits = 0, fails = size;
      while (const auto tried = admitted_between(name, fits, fails)) {
        SymbolSizes sizes = sizes_;
        sizes[name] = *tried;
        const auto peak = peak_of(*least_, sizes);
        (peak && peak->bytes <= *options_.limit ? fits : fails) = *tried;
      }
      if (fits > 0) return ", or take " + name + " = " + std::to_string(fits);
    }
    return "";
  }

  // Of the values of a size that `where` admits, the one nearest to the middle.
  [[nodiscard]] std::optional<std::int64_t> admitted_between(const std::string& name, std::int64_t low,
                                                             std::int64_t high) const {
    const IndexPool& index = derived_.context().index();
    const Constraints constraints = function_.constraints();
    const auto admits = [&](std::int64_t value) {
      return value > low && value < high &&
             std::none_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
               return holds(constraint, index, [&](AtomId atom) -> std::optional<std::int64_t> {
                        if (index.symbol_name(atom) == name) return value;
                        const auto found = sizes_.find(index.symbol_name(atom));
                        return found == sizes_.end() ? std::nullopt : std::optional(found->second);
                      }) == false;
             });
    };
    const std::int64_t middle = low + (high - low) / 2;
    for (std::int64_t step = 0; step <= std::min(high - middle, kNearby); ++step) {
      if (admits(middle - step)) return middle - step;
      if (admits(middle + step)) return middle + step;
    }
    return std::nullopt;
  }

  const Module& derived_;
  const RecomputeRequest& request_;
  const RecomputeOptions& options_;
  DiagnosticEngine& diagnostics_;
  FuncRef function_;
  SymbolSizes sizes_;
  ForwardPart part_;
  RecomputeReport report_;
  std::optional<Planned> least_;  // the candidate with the smallest peak
  Peak least_peak_;
  RecomputeChoice least_choice_;
  std::int64_t saved_ = 0;  // by the candidate that was planned last
  bool warned_ = false;
};

}  // namespace

std::string rematerialize_step(const RecomputeRequest& request, const RecomputeChoice& choice) {
  return "rematerialize{function=" + option_text(request.function) + " results=" + std::to_string(request.results) +
         " recompute=" + std::string(recompute_name(choice.what)) + " segments=" + std::to_string(choice.segments) +
         "}";
}

void state_limit(const Module& derived, Module& module, const RecomputeRequest& request, const MemoryLimit& limit) {
  std::vector<std::string> names = new_functions(derived, module);
  if (names.empty()) names = {request.function};
  // Backward need not have all sizes.
  for (const std::string& name : names) state_own_limit(find_function(module, name), limit);
}

std::optional<RecomputeDecision> choose_recompute(const Module& derived, const RecomputeRequest& request,
                                                  const RecomputeOptions& options, DiagnosticEngine& diagnostics) {
  return Decision(derived, request, options, diagnostics).run();
}

}  // namespace mlgc

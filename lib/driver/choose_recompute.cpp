// See choose_recompute.h.
#include "driver/choose_recompute.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compile/memory_plan.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_grad.h"
#include "driver/emit_flags.h"
#include "driver/pass_flags.h"
#include "driver/recompute_report.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "pass/option_text.h"
#include "rematerialize/candidates.h"
#include "support/byte_size.h"

namespace mlgc {
namespace {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

// Buffers at the peak that a refusal names.
constexpr std::size_t kShown = 4;

class Decision {
 public:
  Decision(const Module& derived, const RecomputeRequest& request, const RecomputeFlags& flags,
           DiagnosticEngine& diagnostics)
      : derived_(derived),
        request_(request),
        flags_(flags),
        diagnostics_(diagnostics),
        function_(find_function(derived, request.function)) {}

  std::optional<RecomputeDecision> run(ReportFormat format) {
    if (!flags_.explain && !flags_.limit) return RecomputeDecision{asked(), ""};
    find_sizes();
    report_.function = request_.function;
    report_.sizes = sizes_;
    report_.limit = flags_.limit;
    const auto candidate_of = [&](const RecomputeChoice& choice) {
      return recompute_candidate(derived_, request_.function, request_.results, choice);
    };
    report_.everything_kept = candidate_of({}).cost;
    const std::vector<RecomputeCandidate> candidates =
        flags_.recompute.empty() ? recompute_candidates(derived_, request_.function, request_.results)
                                 : std::vector{candidate_of(asked())};
    const Progress progress("planning the memory of @" + request_.function);
    bool met = false;
    for (const RecomputeCandidate& candidate : candidates) {
      // Behind the one that meets a limit none is planned.
      if (met && flags_.limit) {
        note(candidate, std::nullopt);
        continue;
      }
      progress.update("planning the memory of @" + request_.function + ": " + choice_text(candidate.choice));
      if (!consider(candidate)) return std::nullopt;
      if (met) continue;
      met = flags_.limit ? *report_.choices.back().peak <= *flags_.limit
                         : !flags_.recompute.empty() || candidate.choice.what == Recompute::None;
      if (met) report_.chosen = report_.choices.size() - 1;
    }
    if (!met) {
      refuse();
      return std::nullopt;
    }
    RecomputeDecision decision{report_.choices[report_.chosen].candidate.choice, ""};
    if (flags_.explain) {
      describe(decision.choice);
      const LocationTable& locations = derived_.context().locations();
      decision.report =
          format == ReportFormat::Json ? render_json(report_, locations) : render_text(report_, locations);
    }
    return decision;
  }

 private:
  [[nodiscard]] RecomputeChoice asked() const {
    return {find_recompute(flags_.recompute).value_or(Recompute::None), flags_.segments};
  }
  // What was said, else the upper ends of ranges; what has neither is left for plan_memory() to refuse.
  void find_sizes() {
    for (const DimFlag& dim : request_.dims) sizes_[dim.name] = dim.size;
    const IndexPool& index = derived_.context().index();
    const Facts facts = FunctionFacts().of(function_.op());
    for (const Value argument : function_.arguments())
      for (const IndexExpr dim : argument.dims()) {
        const auto atom = index.as_atom(dim);
        if (!atom || index.atom(*atom).kind != AtomKind::Symbol) continue;
        // A multiple of a number is that number times another symbol, which has the bounds.
        const auto definition = facts.definition(*atom);
        const auto upper =
            definition ? index.evaluate(*definition, [&](AtomId of) { return facts.upper(of); }) : facts.upper(*atom);
        if (upper) sizes_.try_emplace(std::string(index.symbol_name(*atom)), *upper);
      }
  }
  [[nodiscard]] std::int64_t bytes_of(Type type) const { return bytes_of(type, sizes_); }
  [[nodiscard]] std::int64_t bytes_of(Type type, const Sizes& sizes) const {
    Context& context = derived_.context();
    const auto bytes =
        context.index().evaluate(context.storage_bytes(type), [&](AtomId atom) -> std::optional<std::int64_t> {
          const auto found = sizes.find(context.index().symbol_name(atom));
          return found == sizes.end() ? std::nullopt : std::optional(found->second);
        });
    return bytes.value_or(0);
  }

  struct Planned {
    Module module;
    std::vector<std::string> functions;
    std::vector<Type> saved;  // between forward and backward
  };

  std::optional<Planned> lower(const RecomputeChoice& choice) {
    Module module = derived_;
    if (!run_pipeline(module, rematerialize_step(request_, choice) + request_.finish, diagnostics_))
      return std::nullopt;
    std::vector<Type> saved;
    // The function as it is called, or the two that it was split into.
    std::vector<std::string> names = new_functions(derived_, module);
    if (names.empty()) names = {request_.function};
    if (names.size() > 1) {
      const std::vector<Value> results = find_function(module, names[0]).results();
      for (std::size_t i = request_.results; i < results.size(); ++i) saved.push_back(results[i].type());
    }
    if (!run_flag_passes(module, EmitFlags(), diagnostics_)) return std::nullopt;
    // Calls are inlined now, and other functions have sizes of their own.
    for (const FuncRef& other : functions(module))
      if (std::find(names.begin(), names.end(), other.name()) == names.end()) other.op().erase();
    if (!lower_to("plan", module, Numerics::LikeEager, diagnostics_)) return std::nullopt;
    return Planned{std::move(module), std::move(names), std::move(saved)};
  }

  // Plans of the function, or of what it was split into, and what they take at most.
  struct Peak {
    std::vector<MemoryPlan> plans;
    std::int64_t bytes = 0;
  };
  Result<Peak, Diagnostic> peak_of(Planned& planned, const Sizes& sizes) const {
    auto plans = plan_memory(planned.module, nullptr, sizes);
    if (!plans) return Failure{std::move(plans).error()};
    Peak peak;
    for (MemoryPlan& plan : *plans) {
      if (std::find(planned.functions.begin(), planned.functions.end(), plan.function) == planned.functions.end())
        continue;
      peak.bytes = std::max(peak.bytes, plan.arena + plan.scratch);
      peak.plans.push_back(std::move(plan));
    }
    for (const Type type : planned.saved) peak.bytes += bytes_of(type, sizes);
    return peak;
  }

  bool consider(const RecomputeCandidate& candidate) {
    auto planned = lower(candidate.choice);
    if (!planned) return false;
    auto peak = peak_of(*planned, sizes_);
    if (!peak) {
      diagnostics_.emit(std::move(peak).error());
      return false;
    }
    warn_of_unknown(*peak);
    note(candidate, peak->bytes);
    if (!least_ || peak->bytes < least_peak_.bytes) {
      least_ = std::move(planned);
      least_peak_ = *std::move(peak);
      least_choice_ = candidate.choice;
    }
    return true;
  }

  // Once: what the call computes the size of is about the same for all candidates.
  void warn_of_unknown(const Peak& peak) {
    std::vector<std::string> names;
    std::string size;
    for (const MemoryPlan& plan : peak.plans)
      for (const PlannedBuffer& buffer : plan.buffers) {
        if (buffer.unknown.empty()) continue;
        names.push_back(buffer.name);
        size = buffer.stage;
      }
    if (names.empty() || warned_) return;
    warned_ = true;
    diagnostics_.emit(diagnose<kSizesNotCounted>(function_.op().location(), names, "--dim=" + size + "=64"));
  }

  void note(const RecomputeCandidate& candidate, std::optional<std::int64_t> peak) {
    RecomputeReport::Choice choice{candidate, 0, peak};
    for (const KeptValue& kept : recomputed(candidate.choice).kept) choice.kept += bytes_of(kept.value.type());
    report_.choices.push_back(choice);
  }

  Recomputed recomputed(const RecomputeChoice& choice) {
    return choose_recomputed(part_ ? *part_ : part_.emplace(forward_part(function_, request_.results)), choice);
  }

  void describe(const RecomputeChoice& choice) {
    const Recomputed chosen = recomputed(choice);
    std::map<std::uint32_t, std::vector<RecomputeReport::Row>> kept;
    for (const auto& [value, reason] : chosen.kept)
      kept[part_->number_of.at(value.definer().id())].push_back(row(value, reason_text(value, reason, choice)));
    for (auto& [number, rows] : kept)
      for (RecomputeReport::Row& one : rows) report_.kept.push_back(std::move(one));
    for (const ForwardOp& forward : part_->ops) {
      if (!chosen.ops.contains(forward.op.id())) continue;
      for (const Value value : forward.op.results()) report_.recomputed.push_back(row(value, ""));
    }
  }
  [[nodiscard]] RecomputeReport::Row row(Value value, std::string reason) const {
    const std::string name = value.name().empty() ? "a result without a name" : "%" + std::string(value.name());
    return {name, std::string(value.definer().name()), bytes_of(value.type()), std::move(reason),
            value.definer().location()};
  }
  static std::string reason_text(Value value, KeptReason reason, const RecomputeChoice& choice) {
    if (choice.what == Recompute::None) return "";
    switch (reason) {
      case KeptReason::Never: return "it cannot be computed again";
      case KeptReason::Level:
        return "`" + std::string(recompute_name(choice.what)) + "` does not compute `" +
               std::string(value.definer().name()) + "` again";
      case KeptReason::Result: return "it is a result, and there to the end";
      case KeptReason::Segment: return "it is alive between two segments";
      case KeptReason::LastPart: return "backward begins with what the last segment has computed";
      case KeptReason::Cheaper: return "computing it again takes longer, or needs more to be kept";
    }
    return "";
  }

  static std::string flags_text(const RecomputeChoice& choice) {
    return "--recompute=" + std::string(recompute_name(choice.what)) +
           (choice.segments > 1 ? " --segments=" + std::to_string(choice.segments) : "");
  }

  // What is alive at the smallest peak, and what would be allowed instead.
  void refuse() {
    MLGC_ASSERT(!least_peak_.plans.empty(), "a function without a plan");
    std::string least = byte_size_text(least_peak_.bytes), limit = byte_size_text(*flags_.limit);
    if (least == limit) {
      least = std::to_string(least_peak_.bytes) + " bytes";
      limit = std::to_string(*flags_.limit);
    }
    Diagnostic error = diagnose<kMemoryLimit>(function_.op().location(), request_.function, least,
                                              sizes_.empty() ? "" : " with " + sizes_text(sizes_),
                                              flags_text(least_choice_), limit, least_peak_.bytes, smaller_size());
    const auto largest = std::max_element(
        least_peak_.plans.begin(), least_peak_.plans.end(),
        [](const MemoryPlan& a, const MemoryPlan& b) { return a.arena + a.scratch < b.arena + b.scratch; });
    std::map<std::string, Location, std::less<>> places;
    walk(function_.op(), [&](OpRef op) {
      for (const Value value : op.results())
        if (!value.name().empty()) places.try_emplace(std::string(value.name()), op.location());
    });
    std::vector<PlannedBuffer> live;
    for (const PlannedBuffer& buffer : largest->buffers)
      if (buffer.at_peak) live.push_back(buffer);
    std::stable_sort(live.begin(), live.end(),
                     [](const PlannedBuffer& a, const PlannedBuffer& b) { return a.bytes > b.bytes; });
    for (std::size_t i = 0; i < std::min(live.size(), kShown); ++i) {
      const auto place = places.find(live[i].name);
      error.add_note<kLiveAtPeak>(place == places.end() ? Location() : place->second, live[i].name,
                                  byte_size_text(live[i].bytes), largest->peak);
    }
    if (live.size() > kShown) error.add_note<kMoreAtPeak>({}, static_cast<std::int64_t>(live.size() - kShown));
    diagnostics_.emit(std::move(error));
  }

  // `, or B = 512`: the largest value of a size with which the limit is met.
  std::string smaller_size() {
    for (const auto& [name, size] : sizes_) {
      std::int64_t fits = 0, fails = size;
      while (fails - fits > 1) {
        const std::int64_t middle = fits + (fails - fits) / 2;
        Sizes tried = sizes_;
        tried[name] = middle;
        const auto peak = peak_of(*least_, tried);
        (peak && peak->bytes <= *flags_.limit ? fits : fails) = middle;
      }
      if (fits > 0) return ", or take " + name + " = " + std::to_string(fits);
    }
    return "";
  }

  const Module& derived_;
  const RecomputeRequest& request_;
  const RecomputeFlags& flags_;
  DiagnosticEngine& diagnostics_;
  FuncRef function_;
  Sizes sizes_;
  std::optional<ForwardPart> part_;
  RecomputeReport report_;
  std::optional<Planned> least_;  // the candidate with the smallest peak
  Peak least_peak_;
  RecomputeChoice least_choice_;
  bool warned_ = false;
};

}  // namespace

void add_recompute_flags(Arguments& arguments, RecomputeFlags& flags) {
  arguments.add_value("--memory-limit", flags.limit_text, "BYTES",
                      "What the temporaries of a call may take, as 64MiB: met by computing values again, the cheapest "
                      "way, or refused (exit code 5). Symbols count with --dim, or the upper ends of their ranges");
  arguments.add_choice<std::string>(
      "--recompute", flags.recompute,
      {{"none", "none"}, {"fast", "fast"}, {"cheap", "cheap"}, {"reductions", "reductions"}, {"all", "all"}},
      "What backward computes again: nothing; elementwise ops, where that is faster than keeping them; all of those; "
      "reductions too; products too");
  arguments.add_value("--segments", flags.segments, "N",
                      "With --recompute: parts of the forward computation that are computed again by turns");
  arguments.add_flag("--explain", flags.explain,
                     "Say what is kept, what is computed again and why; the module is printed with -o only");
  arguments.needs("--segments", "--recompute");
}

std::optional<Diagnostic> read_recompute_flags(RecomputeFlags& flags) {
  if (flags.segments < 1) return diagnose<kBadFlag>({}, "--segments: there is at least one", "grad");
  if (flags.segments > 1 && (flags.recompute == "none" || flags.recompute == "fast"))
    return diagnose<kBadFlag>({}, "--segments has no effect with --recompute=" + flags.recompute, "grad");
  if (flags.limit_text.empty()) return std::nullopt;
  flags.limit = read_byte_size(flags.limit_text);
  if (!flags.limit)
    return diagnose<kBadFlag>({}, "--memory-limit: `" + flags.limit_text + "` is no number of bytes, as 64MiB", "grad");
  return std::nullopt;
}

std::vector<std::string> new_functions(const Module& before, const Module& after) {
  std::vector<std::string> names;
  for (const FuncRef& function : functions(after))
    if (!find_function(before, function.name()).valid()) names.emplace_back(function.name());
  return names;
}

std::string rematerialize_step(const RecomputeRequest& request, const RecomputeChoice& choice) {
  return "rematerialize{function=" + option_text(request.function) + " results=" + std::to_string(request.results) +
         " recompute=" + std::string(recompute_name(choice.what)) + " segments=" + std::to_string(choice.segments) +
         "}";
}

std::optional<RecomputeDecision> choose_recompute(const Module& derived, const RecomputeRequest& request,
                                                  const RecomputeFlags& flags, ReportFormat format,
                                                  DiagnosticEngine& diagnostics) {
  return Decision(derived, request, flags, diagnostics).run(format);
}

}  // namespace mlgc

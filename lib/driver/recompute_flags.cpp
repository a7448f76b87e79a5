// See recompute_flags.h.
#include "driver/recompute_flags.h"

#include <string_view>
#include <utility>
#include <vector>

#include "diag/kinds_driver.h"
#include "driver/emit_flags.h"
#include "rematerialize/choose.h"

namespace mlgc {

void add_recompute_flags(Arguments& arguments, RecomputeFlags& flags) {
  arguments.add_value("--memory-limit", flags.limit_text, "BYTES",
                      "What the temporaries of a call may take, as 64MiB: met by recomputing values, the cheapest "
                      "way, or refused (exit code 5). Symbols count with --dim, or the upper ends of their ranges");
  std::vector<std::pair<std::string_view, std::string>> choices;
  for (const std::string_view name : kRecomputeNames) choices.emplace_back(name, name);
  arguments.add_choice<std::string>("--recompute", flags.recompute, choices,
                                    "What backward recomputes. " + std::string(kRecomputeHelp));
  arguments.add_value("--segments", flags.segments, "N",
                      "Segments of the forward computation, with --recompute: they are recomputed one after the other");
  arguments.add_flag("--explain", flags.explain,
                     "Say what is saved, what is recomputed and why; the module is printed with -o only");
  arguments.needs("--segments", "--recompute");
}

std::optional<Diagnostic> read_recompute_flags(RecomputeFlags& flags) {
  if (flags.segments < 1) return diagnose<kBadFlag>({}, "--segments: there is at least one", "grad");
  if (flags.segments > 1 && (flags.recompute == "none" || flags.recompute == "fast"))
    return diagnose<kBadFlag>({}, "--segments has no effect with --recompute=" + flags.recompute, "grad");
  if (flags.limit_text.empty()) return std::nullopt;
  const auto limit = read_limit(flags.limit_text, "grad");
  if (!limit) return limit.error();
  flags.limit = *limit;
  return std::nullopt;
}

RecomputeOptions recompute_options(const RecomputeFlags& flags) {
  RecomputeOptions options{.asked = {}, .limit = flags.limit, .explain = flags.explain};
  options.words.choice = [](const RecomputeChoice& choice) {
    return "--recompute=" + std::string(recompute_name(choice.what)) +
           (choice.segments > 1 ? " --segments=" + std::to_string(choice.segments) : "");
  };
  options.words.limit = [](std::int64_t bytes) { return "--memory-limit=" + std::to_string(bytes); };
  options.words.size = [](const std::string& symbol) { return "--dim=" + symbol + "=64"; };
  if (const auto what = find_recompute(flags.recompute)) options.asked = RecomputeChoice{*what, flags.segments};
  return options;
}

}  // namespace mlgc

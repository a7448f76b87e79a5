// mlgc tune: measures which strategy is fastest for each kernel of a model, and writes that as a file.
#include <filesystem>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/dim_flag.h"
#include "driver/emit_flags.h"
#include "driver/model_flags.h"
#include "driver/timing_flags.h"
#include "ops/op_table.h"
#include "reports/schedule_report.h"
#include "transforms/levels.h"
#include "tuning/tune_kernels.h"

namespace mlgc {
namespace {

constexpr std::string_view kTuneExamples =
    "  mlgc tune model.pt2 -o model.decisions.json               then: mlgc compile model.pt2 "
    "--decisions=model.decisions.json\n"
    "  mlgc tune model.mlir --dim=B=64 --threads=2               at the sizes and threads that it will run with\n"
    "  mlgc tune model.mlir --candidates=8 --min-time=2          more of them, for longer\n"
    "  mlgc tune model.pt2 --target=cuda --device=cuda:0         tiles and strategies, on a GPU; needs nvcc\n"
    "docs/tuning.md describes the file. Nothing is measured when it is used: the same file gives the same program.\n";

std::string tune_text(const TuneReport& report) {
  std::string out;
  std::size_t chosen = 0;
  for (const TunedKernel& kernel : report.kernels) {
    chosen += kernel.best != 0 ? 1 : 0;
    if (kernel.candidates.size() < 2) continue;
    out +=
        "@" + kernel.name + (kernel.kernels > 1 ? " and " + std::to_string(kernel.kernels - 1) + " more" : "") + "\n";
    for (std::size_t i = 0; i < kernel.candidates.size(); ++i) {
      const TunedKernel::Candidate& candidate = kernel.candidates[i];
      out += std::string(i == kernel.best ? "  * " : "    ") + candidate.choice.text() + ": " +
             (candidate.measured > 0 ? seconds_text(candidate.measured) : std::string("not called")) + ", predicted " +
             seconds_text(candidate.predicted) + "\n";
    }
  }
  out += std::to_string(chosen) + " of " + std::to_string(report.kernels.size()) +
         " kernels are faster with another strategy; all kernels of a call: " + seconds_text(report.before) +
         (chosen > 0 ? " by default, " + seconds_text(report.after) + " with these decisions" : std::string()) + "\n";
  return out;
}

}  // namespace

ExitCode run_tune(const Words& words) {
  Arguments arguments("tune",
                      "Measures which strategy is fastest for each kernel of a model, and writes these decisions.",
                      kTuneExamples);
  EmitFlags flags;
  TimingFlags timing;
  TuneOptions options;
  std::string function, output;
  std::vector<std::string> dims;
  add_emit_flags(arguments, flags);
  add_target_flags(arguments, flags);
  add_memory_format_flag(arguments, flags.level);
  flags.vectors.fallback = kNativeVectors;
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels, which are measured: of so many bytes, of this CPU's, or as mlgc "
                        "compile --vector-bytes=all makes them; with --machine: of its");
  add_function_flag(arguments, function);
  arguments.add_list("--dim", dims, "NAME=SIZE", "The size of a symbol; repeatable");
  add_timing_flags(arguments, timing);
  arguments.add_value("--candidates", options.candidates, "N",
                      "That are measured of each kernel, by what they are predicted to take (default: 4)");
  arguments.add_value("-o,--output", output, "FILE",
                      "Where it is written (default: the input's name, .decisions.json)");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_emit_flags(flags, "tune")) return console.report(*std::move(wrong));
  if (auto wrong = check_vectors_here(flags.vectors, "tune")) return console.report(*std::move(wrong));
  if (auto wrong = read_timing_flags(timing, *flags.emit.target, "tune")) return console.report(*std::move(wrong));
  if (auto wrong = read_dim_flags(dims, "tune", timing.sizes)) return console.report(*std::move(wrong));
  if (options.candidates < 1)
    return console.report(diagnose<kBadFlag>({}, "--candidates: a number from 1 on is wanted", "tune"));
  if (output.empty())
    output = (flags.input == "-" ? "model" : std::filesystem::path(flags.input).stem().string()) + ".decisions.json";
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  ModuleData data;
  std::optional<Module> module = load_from_flags(flags, context, &data, diagnostics);
  if (!module) return console.report(diagnostics);
  const auto call = bind_timed_call(*module, function, timing.arguments(), diagnostics);
  if (!call) return console.report(diagnostics);
  if (!run_flag_passes(*module, flags, diagnostics) ||
      !lower_unscheduled(*flags.emit.target, *module, flags.numerics, diagnostics, flags.level))
    return console.report(diagnostics);
  options.timing = timing.options(flags);
  options.seconds = timing.seconds;
  for (const SizeBinding& size : timing.sizes) options.sizes[size.name] = size.size;
  const auto report = tune_kernels(*module, data, *call, options, diagnostics);
  if (!report) return console.report(diagnostics);
  if (const ExitCode warned = console.report(diagnostics); warned != ExitCode::Ok) return warned;
  Status<> written = write_product(output, schedule::decisions_text(decisions_of(*report)));
  if (written && output != "-") written = write_product("-", tune_text(*report));
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc

// See timing_flags.h.
#include "driver/timing_flags.h"

#include <charconv>

#include "diag/kinds_driver.h"
#include "driver/model_flags.h"

namespace mlgc {

TimingOptions TimingFlags::options(const EmitFlags& emit) const {
  TimingOptions out{.numerics = emit.numerics,
                    .emit = emit.emit,
                    .vector_bytes = {},
                    .host_compiler = compiler,
                    .threads = threads,
                    .device = device.number};
  if (emit.vectors.given) out.vector_bytes = emit.vectors.bytes();
  return out;
}

void add_timing_flags(Arguments& arguments, TimingFlags& flags) {
  arguments.add_list("--input", flags.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all; the others are random; repeatable");
  arguments.add_value("--seed", flags.seed, "N", "Of what is random: inputs (default: 1)");
  arguments.add_value("--threads", flags.threads, "N", "Threads that compute (default: 1)");
  arguments.add_value("--min-time", flags.min_time, "SECONDS",
                      "How long is timed: each version of the model (default: 0.5)");
  add_device_flag(arguments, flags.device,
                  "Where it runs, with --target=cuda: cuda or cuda:N, a GPU (default: cuda:0)");
  add_compiler_flags(arguments, flags.compilers);
}

std::optional<Diagnostic> read_min_time(const std::string& text, const std::string& command, double& seconds) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc{} && end == text.data() + text.size() && seconds > 0 && seconds <= kLongestTiming)
    return std::nullopt;
  return diagnose<kBadFlag>({}, "--min-time: `" + text + "` is not a number of seconds from 0 to 3600", command);
}

std::optional<Diagnostic> read_timing_flags(TimingFlags& flags, const TargetDef& target, const std::string& command) {
  if (auto wrong = read_compiler_flags(flags.compilers, target, flags.compiler)) return wrong;
  if (auto wrong = read_device_flag(flags.device, command)) return wrong;
  if (!flags.device.text.empty() && (flags.device.kind == MLGC_CUDA) != (target.kind() == MachineKind::Gpu))
    return diagnose<kFlagConflict>({}, "--device=" + flags.device.text, "--target=" + std::string(target.name));
  if (flags.threads < 1 || flags.threads > static_cast<std::size_t>(kMostTimedThreads))
    return diagnose<kBadFlag>({}, "--threads: a number from 1 to 1024 is wanted", command);
  return read_min_time(flags.min_time, command, flags.seconds);
}

}  // namespace mlgc

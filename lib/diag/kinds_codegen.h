// What plans of memory and emission of source report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kCannotEmit{
    .id = "cannot-emit",
    .exit = ExitCode::Unsupported,
    .message = "source cannot be emitted for {what:text}",
    .doc = "The interpreter runs such loop text, but no source is printed for it: change the schedule.",
};

inline constexpr DiagKind kArchLacks{
    .id = "arch-lacks",
    .exit = ExitCode::Unsupported,
    .message = "`{arch:text}` lacks {what:text}, which a loop of this function needs",
    .remedy = "give --arch={least:text} or a later one; with --numerics=exact no loop is computed by the matrix unit",
    .doc = "Kernels use what GPUs have from a compute capability on, and --arch names one below it.",
};

inline constexpr DiagKind kPlanSize{
    .id = "plan-size",
    .exit = ExitCode::BadUsage,
    .message = "memory cannot be planned: {what:text}",
    .remedy = "give each size that is a symbol a value: --dim=B=64",
    .doc = "Memory is planned for given sizes, which fit in 64 bits with all that is computed from them.",
};

inline constexpr DiagKind kMemoryLimitExceeded{
    .id = "memory-limit-exceeded",
    .exit = ExitCode::Limit,
    .message =
        "`@{function:text}` takes {planned:text} for temporaries{sizes:text}, more than its `memory_limit` of "
        "{limit:text}",
    .remedy =
        "state `memory_limit = {bytes:int}`, or smaller sizes in `memory_limit_sizes`; `mlgc grad --memory-limit` "
        "finds a plan within a limit for the passes of -O2 and --numerics=like-eager",
    .doc = "A function states a limit of memory, which its memory plan exceeds: other passes may take more.",
};
inline constexpr DiagKind kMemoryLimitUnchecked{
    .id = "memory-limit-unchecked",
    .message = "the `memory_limit` of `@{function:text}` cannot be compared with its memory plan: {reason:text}",
    .remedy =
        "give sizes that `where` admits, among them each without an upper limit: `memory_limit_sizes = "
        "[\"B=64\"]`, or --dim=B=64 with --memory-limit",
    .doc = "A limit of memory is for sizes: those that the function states with it, else the upper ends of ranges.",
};
inline constexpr DiagKind kLimitSizeUnused{
    .id = "memory-limit-size-unused",
    .severity = Severity::Warning,
    .message = "`memory_limit_sizes` gives `{size:text}`, and `@{function:text}` has no such size",
    .remedy = "leave it out",
    .doc = "No argument has the size, and no op that is left computes it.",
};
inline constexpr DiagKind kSizesNotCounted{
    .id = "sizes-not-counted",
    .severity = Severity::Warning,
    .message = "values whose sizes the call computes count as empty: {names:list}",
    .remedy = "say what such a size shall be: {flag:text}",
    .doc = "A limit of memory counts without values whose sizes depend on data.",
};
inline constexpr DiagKind kLiveAtPeak{
    .id = "live-at-peak",
    .severity = Severity::Note,
    .message = "`{name:text}`, {bytes:text}, is alive at the peak, {step:text}",
    .doc = "One of the largest values that are in memory at once where most is.",
};
inline constexpr DiagKind kMoreAtPeak{
    .id = "more-at-peak",
    .severity = Severity::Note,
    .message = "and {count:int} smaller ones",
    .doc = "Of what is alive at the peak only the largest values are named.",
};

inline constexpr std::array kCodegenKinds{
    &kCannotEmit,      &kArchLacks,       &kPlanSize,   &kMemoryLimitExceeded, &kMemoryLimitUnchecked,
    &kLimitSizeUnused, &kSizesNotCounted, &kLiveAtPeak, &kMoreAtPeak};

}  // namespace mlgc

// What reading machines reports (lib/machine). Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kMachineVersion{
    .id = "machine-version",
    .exit = ExitCode::Unsupported,
    .message = "version {found:int} of the format of machine files is not known",
    .remedy = "this program reads version {known:int}",
    .doc = "The member `mlgc-machine` of a machine file states the version of its format.",
};
inline constexpr DiagKind kMachineMember{
    .id = "machine-member",
    .message = "the machine file has no member `{name:text}`",
    .remedy =
        "`mlgc explain target --machine=h200 --format=json` prints a whole one; `\"base\": \"x86-64-v4\"` takes what "
        "is not said from there",
    .doc = "A member that must be there is missing in a machine file.",
};
inline constexpr DiagKind kMachineUnknownMember{
    .id = "machine-unknown-member",
    .message = "a machine of kind `{kind:text}` has no number `{name:text}`",
    .remedy = "`mlgc explain target` lists the numbers",
    .doc = "Members of a machine file that are not known are refused, so that no number is silently left out.",
};
inline constexpr DiagKind kMachineValue{
    .id = "machine-value",
    .message = "`{name:text}` {problem:text}",
    .doc = "A value of a machine file is of another kind than its place asks for.",
};
inline constexpr DiagKind kMachineNumber{
    .id = "machine-number",
    .message = "{problem:text}",
    .doc = "A number of a machine is out of its bounds: no lanes, a negative cache.",
};
inline constexpr DiagKind kUnknownMachine{
    .id = "unknown-machine",
    .message = "{problem:text}",
    .remedy = "`mlgc explain target` lists the machines; a file of your own is named with a `/` or ends in `.json`",
    .doc = "A machine that is not built in, or a number of one that it does not have.",
};
inline constexpr DiagKind kMachineOfOtherKind{
    .id = "machine-of-other-kind",
    .message =
        "`{machine:text}` is a machine of kind `{kind:text}`, and what is compiled for needs one of kind "
        "`{needed:text}`",
    .remedy = "say another one with --machine, as {machines:list}",
    .doc = "A CPU where a GPU is compiled for, or the other way round.",
};

inline constexpr std::array kMachineKinds{&kMachineVersion, &kMachineMember,  &kMachineUnknownMember, &kMachineValue,
                                          &kMachineNumber,  &kUnknownMachine, &kMachineOfOtherKind};

}  // namespace mlgc

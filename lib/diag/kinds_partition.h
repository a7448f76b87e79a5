// What reading a target's registry and partitioning report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kRegistryVersion{
    .id = "registry-version",
    .exit = ExitCode::Unsupported,
    .message = "version {found:int} of the registry format is not known",
    .remedy = "this program reads version {known:int}",
    .doc = "The member `mlgc-registry` of a registry file states the version of its format.",
};
inline constexpr DiagKind kRegistryMember{
    .id = "registry-member",
    .message = "`{place:text}` has no member `{name:text}`",
    .remedy = "docs/partition.md describes the format",
    .doc = "A member that must be there is missing in a registry file.",
};
inline constexpr DiagKind kRegistryUnknownMember{
    .id = "registry-unknown-member",
    .message = "`{place:text}` has a member `{name:text}`, which the format does not have",
    .remedy = "docs/partition.md describes the format",
    .doc = "Members of a registry file that are not known are refused, so that no condition is silently left out.",
};
inline constexpr DiagKind kRegistryValue{
    .id = "registry-value",
    .message = "`{place:text}` is {found:text}, and must be {expected:text}",
    .doc = "A value of a registry file is of another kind than its place asks for.",
};
inline constexpr DiagKind kRegistryUnknownOp{
    .id = "registry-unknown-op",
    .message = "`{place:text}`: there is no op and no class of ops `{name:text}`",
    .remedy = "`mlgc ops` lists the ops; classes are {classes:list}, and `*` is every op",
    .doc = "A rule of a registry names an op that is in no row of the op table.",
};
inline constexpr DiagKind kRegistryOpNotAllowed{
    .id = "registry-op-not-allowed",
    .message = "`{place:text}`: `{name:text}` is in no segment: {reason:text}",
    .doc = "A rule of a registry names an op that no rule can put into a segment.",
};
inline constexpr DiagKind kRegistryUnknownAttribute{
    .id = "registry-unknown-attribute",
    .message = "`{place:text}`: `{op:text}` has no attribute `{name:text}`",
    .doc = "A rule of a registry has a condition on an attribute that the op's row does not have.",
};
inline constexpr DiagKind kRegistryUnknownOperand{
    .id = "registry-unknown-operand",
    .message = "`{place:text}`: `{op:text}` has no operand `{name:text}`",
    .doc = "A rule of a registry has a condition on an operand that the op's row does not have.",
};
inline constexpr DiagKind kRegistryUnreached{
    .id = "registry-unreached",
    .severity = Severity::Warning,
    .message = "`{place:text}` is never reached: `{earlier:text}` decides on all of its ops, without a condition",
    .remedy = "the first rule that fits decides: exceptions come first",
    .doc = "An earlier rule of a registry fits whatever a later one could.",
};
inline constexpr DiagKind kSegmentNotSupported{
    .id = "segment-not-supported",
    .severity = Severity::Warning,
    .message = "`{op:text}` is in a segment for `{target:text}`, which does not support it: {reason:text}",
    .remedy = "`inline{{segments=true}` before `partition` inlines segments, so that they are formed anew",
    .doc = "A segment that the module had holds an op that the registry does not support, after other passes perhaps.",
};

inline constexpr std::array kPartitionKinds{
    &kRegistryVersion,   &kRegistryMember,       &kRegistryUnknownMember,    &kRegistryValue,
    &kRegistryUnknownOp, &kRegistryOpNotAllowed, &kRegistryUnknownAttribute, &kRegistryUnknownOperand,
    &kRegistryUnreached, &kSegmentNotSupported};

}  // namespace mlgc

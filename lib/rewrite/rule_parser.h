// Reads rule files. The grammar, with names of docs/rules.md:
//
//   file     = { "set" NAME "phase" ("simplify" | "once" | "grow") [STRING] { rule } }
//   rule     = "rule" NAME ":" pattern "=>" ("fusion" | build) { "where" NAME "=" build { "," NAME "=" build } }
//              { "if" term } "numerics" CLASS [ "in" ("reduction" | "weights") ] [STRING]
//   pattern  = NAME ["?"] | number | "#" NAME
//            | [NAME "@"] op { "|" op } ["*"] ["!"] ["[" attribute { "," attribute } "]"] "(" [pattern { "," pattern }]
//            ")"
//   attribute = "*" | NAME | NAME "=" (NAME | literal)
//   build    = NAME | number | "#" primary | "splat" "(" term ["," build] ")"
//            | op ["[" ("*" [NAME] | NAME ["=" term]) { "," … } "]"] "(" [build { "," build }] ")"
//   term     = and/or/not over comparisons over sums and products of primaries
//
// Guarantees: errors are located and several are reported from one text; a file is given only when there was none.
#pragma once

#include <optional>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "rewrite/rule_text.h"

namespace mlgc {

[[nodiscard]] std::optional<RuleFile> parse_rules(Context& context, const SourceFile& file,
                                                  DiagnosticEngine& diagnostics);

}  // namespace mlgc

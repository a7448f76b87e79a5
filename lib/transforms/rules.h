// The rules that passes apply: files that are built in, files of the user, and the few rules in code.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "pass/pass_context.h"
#include "rewrite/driver.h"
#include "rewrite/rule.h"

namespace mlgc {

// Rules about control flow, in code.
[[nodiscard]] std::span<const RewriteRule> control_flow_rules();

// A built-in file by its name, or else the file at a path; null after errors, which are located in the text or say why
// the file cannot be read. Rules of phase `simplify` must have an order proof (rewrite/rule_order.h).
[[nodiscard]] std::shared_ptr<const RuleFile> load_rule_file(Context& context, std::string_view name,
                                                             DiagnosticEngine& diagnostics);
// The same without the order proofs.
[[nodiscard]] std::shared_ptr<const RuleFile> read_rule_file(Context& context, std::string_view name,
                                                             DiagnosticEngine& diagnostics);
// Emits an error for each rule of phase `simplify` without an order proof; false when there was one.
bool check_order(const Context& context, const RuleFile& file, DiagnosticEngine& diagnostics);

// The rules of `canonicalize`: those of the file, then those in code. `file` must outlive them.
[[nodiscard]] std::vector<Rule> canonical_rules(const RuleFile& file);

// Hits into the statistics of a pass.
void add_rule_hits(PassContext& context, const RuleSet& set, const RewriteReport& report);

}  // namespace mlgc

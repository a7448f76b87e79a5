// mlgc rules: lists rule files, their rules, and what conditions may ask; checks files.
#include <algorithm>
#include <string>

#include "check/rule_check.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "ops/op_table.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_functions.h"
#include "transforms/rules.h"

namespace mlgc {
namespace {

constexpr std::string_view kRulesExamples =
    "  mlgc rules                      the rule files that are built in\n"
    "  mlgc rules canonicalize         the rules of one, or of a file: `mlgc rules my.rules`\n"
    "  mlgc rules --check my.rules     checks it: does rewriting end, is every rule reached, are values what the class "
    "says\n"
    "  mlgc rules --check              the same for all that are built in\n"
    "  mlgc rules --functions          what conditions and attributes of rules may call\n"
    "  mlgc opt model.mlir --rules=my.rules    applies a file\n";

void append_cell(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  out.append(text.size() < width ? width - text.size() + 2 : 2, ' ');
}

std::string files_text() {
  std::string out;
  for (const BuiltinRules& file : builtin_rules()) {
    append_cell(out, file.name, 24);
    // The first line of a file is a comment that says what it is for.
    std::string_view line = file.text.substr(0, file.text.find('\n'));
    while (!line.empty() && (line.front() == '/' || line.front() == ' ')) line.remove_prefix(1);
    out += line;
    out += '\n';
  }
  return out;
}

std::string rules_text(const RuleFile& file) {
  std::string out;
  for (const RuleTextSet& set : file.sets) {
    out += "set " + set.name + " phase " + std::string(rule_phase_name(set.phase));
    if (!set.doc.empty()) out += ": " + set.doc;
    out += '\n';
    for (const TextRule& rule : set.rules) {
      out += "  ";
      append_cell(out, rule.name, 24);
      append_cell(out, numerics_class_name(rule.numerics), 11);
      out += rule.doc.empty() ? "line " + std::to_string(rule.line) : rule.doc;
      out += '\n';
    }
  }
  return out;
}

std::string functions_text() {
  std::string out;
  for (const RuleFunction& row : rule_functions()) {
    std::string head = std::string(row.name) + "(";
    for (std::size_t i = 0; i < row.parameter_count; ++i)
      head += (i > 0 ? ", " : "") + std::string(term_kind_text(row.parameters[i]));
    head += row.variadic ? ", …)" : ")";
    append_cell(out, head, 44);
    append_cell(out, term_kind_text(row.result), 13);
    out += row.doc;
    out += '\n';
  }
  return out;
}

}  // namespace

namespace {

std::string verdicts_text(const std::vector<RuleVerdict>& verdicts) {
  std::string out;
  for (const RuleVerdict& verdict : verdicts) {
    append_cell(out, verdict.rule->name, 24);
    append_cell(out, verdict.sound ? "ok" : "WRONG", 5);
    append_cell(out, numerics_class_name(verdict.rule->numerics), 11);
    append_cell(out,
                verdict.rule->numerics == NumericsClass::Unequal ? "not compared"
                : verdict.compared == 0                          ? "nothing compared"
                                        : "shown " + std::string(numerics_class_name(verdict.shown)),
                18);
    std::string counts = std::to_string(verdict.applied) + "/" + std::to_string(verdict.programs) + " programs, " +
                         std::to_string(verdict.dtypes.size()) + " dtypes, " + std::to_string(verdict.compared) +
                         " runs";
    append_cell(out, counts, 38);
    out += verdict.order;
    for (const std::string& other : verdict.overlaps) out += "; also matched first by " + other;
    out += '\n';
  }
  return out;
}

ExitCode check(const Arguments& arguments, const std::shared_ptr<Context>& context,
               const std::vector<std::string>& names, const RuleCheckOptions& options) {
  DiagnosticEngine diagnostics(context->locations(), arguments.console().error_limit);
  std::string out;
  for (const std::string& name : names)
    if (const auto file = read_rule_file(*context, name, diagnostics))
      out += verdicts_text(check_rules(context, *file, options, diagnostics));
  const Status<> written = write_product("-", out);
  const ExitCode code = arguments.console().report(diagnostics);
  return written ? code : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace

ExitCode run_rules(const Words& words) {
  Arguments arguments("rules", "Lists rewrite rules, and checks them.", kRulesExamples);
  std::vector<std::string> names;
  bool functions = false, checks = false;
  RuleCheckOptions options;
  std::optional<std::uint64_t> seed, programs;
  arguments.add_positional("file", names, "FILE", "Rule files, or names of built-in ones");
  arguments.add_flag("--functions", functions, "List the functions of conditions and attributes");
  arguments.add_flag("--check", checks, "Check: order, reach, and values of the rules on random programs");
  arguments.add_value("--seed", seed, "N", "Of what is random: the programs of --check (0 if left out)");
  arguments.add_value("--programs", programs, "N", "Random programs of each rule and dtype (6 if left out)");
  arguments.needs("--seed", "--check");
  arguments.needs("--programs", "--check");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;

  const std::shared_ptr<Context> context = make_context();
  if (checks) {
    options.seed = seed.value_or(options.seed);
    options.programs = static_cast<int>(std::min<std::uint64_t>(programs.value_or(6), 1000));
    if (names.empty())
      for (const BuiltinRules& file : builtin_rules()) names.emplace_back(file.name);
    return check(arguments, context, names, options);
  }
  DiagnosticEngine diagnostics(context->locations(), arguments.console().error_limit);
  std::string out;
  for (const std::string& name : names)
    if (const auto file = load_rule_file(*context, name, diagnostics)) out += rules_text(*file);
  if (const ExitCode code = arguments.console().report(diagnostics); code != ExitCode::Ok) return code;
  if (functions)
    out += functions_text();
  else if (names.empty())
    out = files_text();
  const Status<> written = write_product("-", out);
  return written ? ExitCode::Ok : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc

// mlgc rules: lists rule files, their rules, and what conditions may ask.
#include <string>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "ops/op_table.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_functions.h"
#include "transforms/rules.h"

namespace mlgc {
namespace {

constexpr std::string_view kExamples =
    "  mlgc rules                      the rule files that are built in\n"
    "  mlgc rules canonicalize         the rules of one, or of a file: `mlgc rules my.rules`\n"
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

ExitCode run_rules(const Words& words) {
  Arguments arguments("rules", "Lists rewrite rules.", kExamples);
  std::vector<std::string> names;
  bool functions = false;
  arguments.add_positional("file", names, "FILE", "Rule files, or names of built-in ones");
  arguments.add_flag("--functions", functions, "List the functions of conditions and attributes");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;

  const std::shared_ptr<Context> context = make_context();
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

// mlgc ops: what the rows of the op table say, for people and for programs.
#include <algorithm>
#include <array>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "ops/op_table.h"
#include "ops/reference.h"

namespace mlgc {

ExitCode run_ops(const Words& words) {
  Arguments arguments("ops", "Describes the ops: all of them in a line each, or the named ones in full.",
                      "  mlgc ops                            every op with one line\n"
                      "  mlgc ops softmax                    formula, operands, attributes, example\n"
                      "  mlgc ops --summary                  how many rows of which kind\n"
                      "  mlgc ops --format=json | jq …       for programs\n");
  std::vector<std::string> names;
  bool summary = false;
  OpsFormat format = OpsFormat::Text;
  arguments.add_positional("op", names, "NAME", "Ops to describe");
  arguments.add_flag("--summary", summary, "Count the rows by tier");
  arguments.add_choice<OpsFormat>(
      "--format", format, {{"text", OpsFormat::Text}, {"markdown", OpsFormat::Markdown}, {"json", OpsFormat::Json}},
      "How to print");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  if (summary && !names.empty())
    return arguments.console().report(diagnose<kFlagConflict>({}, "--summary", names.front()));

  std::vector<const OpDef*> rows;
  for (const std::string& name : names) {
    const OpDef* row = find_op_def(name);
    if (row == nullptr) {
      Diagnostic diagnostic = diagnose<kUnknownName>({}, "op", name);
      std::vector<std::string_view> known;
      for (const OpDef* def : op_table()) known.push_back(def->name);
      if (const auto best = closest_name(name, known)) diagnostic.add_note<kDidYouMean>({}, *best);
      return arguments.console().report(std::move(diagnostic));
    }
    rows.push_back(row);
  }
  std::string text;
  if (summary)
    text = ops_summary(op_table(), format);
  else if (names.empty())
    text = ops_reference(op_table(), format, /*details=*/format != OpsFormat::Text);
  else
    text = ops_reference(rows, format, /*details=*/true);
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc

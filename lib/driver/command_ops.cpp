// mlgc ops: what the rows of the op table say, for people and for programs.
#include <algorithm>
#include <array>
#include <cctype>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "import/program/convert.h"
#include "ops/aten_names.h"
#include "ops/op_table.h"
#include "ops/reference.h"

namespace mlgc {
namespace {

// Alphanumeric characters, in lower case: `LayerNorm` and `layer_norm` are one.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// `aten.mm.default` without its overload: `mm`.
std::string_view operator_name(std::string_view aten) {
  const std::size_t first = aten.find('.');
  if (first != std::string_view::npos) aten.remove_prefix(first + 1);
  return aten.substr(0, aten.find('.'));
}

// The ops that a user means by a name that is none: in another case, as PyTorch calls it, with or without an overload
// (`aten.mm.default`, `aten::mm`, `torch.ops.aten.mm`, `torch.mm`, `F.relu`, `nn.ReLU`).
std::vector<const OpDef*> ops_meant(std::string_view name) {
  for (const std::string_view prefix :
       {"torch.ops.", "torch.nn.functional.", "torch.nn.", "torch.special.", "torch.", "nn.functional.", "nn.", "F."})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  std::string full(name);
  if (full.starts_with("aten::")) full.replace(4, 2, ".");
  if (const OpDef* row = row_for_aten(full)) return {row};
  std::string_view base = full.starts_with("aten.") ? operator_name(full) : std::string_view(full);
  while (base.ends_with('_')) base.remove_suffix(1);  // in place
  const std::string wanted = plain(base);
  std::vector<const OpDef*> found;
  for (const OpDef* def : op_table())
    if (plain(def->name) == wanted) return {def};
  for (const OpDef* def : op_table()) {
    const bool is_meant = std::any_of(def->aten.begin(), def->aten.end(), [&](std::string_view aten) {
      return !aten.empty() && plain(operator_name(aten)) == wanted;
    });
    if (is_meant) found.push_back(def);
  }
  return found;
}

// Names to offer where nothing is meant: the nearest one, and those with the name inside.
std::vector<std::string> names_near(std::string_view name) {
  const std::string wanted = plain(operator_name("." + std::string(name)));
  std::vector<std::string_view> known;
  std::vector<std::string> near;
  for (const OpDef* def : op_table()) {
    known.push_back(def->name);
    for (const std::string_view aten : def->aten)
      if (!aten.empty()) known.push_back(operator_name(aten));
  }
  if (const auto best = closest_name(name, known)) near.emplace_back(*best);
  for (const OpDef* def : op_table())
    if (wanted.size() >= 3 && near.size() < 6 && plain(def->name).find(wanted) != std::string::npos &&
        std::find(near.begin(), near.end(), def->name) == near.end())
      near.emplace_back(def->name);
  return near;
}

}  // namespace

ExitCode run_ops(const Words& words) {
  Arguments arguments("ops", "Describes the ops: all of them in a line each, or the named ones in full.",
                      "  mlgc ops                            every op with one line\n"
                      "  mlgc ops softmax                    formula, operands, attributes, example\n"
                      "  mlgc ops aten.mm.default nn.ReLU    the ops that compute what PyTorch calls so\n"
                      "  mlgc ops --summary                  how many rows of which kind\n"
                      "  mlgc ops --aten                     the operators of PyTorch that importers take\n"
                      "  mlgc ops --format=json | jq …       for programs\n");
  std::vector<std::string> names;
  bool summary = false, aten = false;
  OpsFormat format = OpsFormat::Text;
  arguments.add_positional("op", names, "NAME", "Ops to describe");
  arguments.add_flag("--summary", summary, "Count the rows by tier");
  arguments.add_flag("--aten", aten, "List the operators of PyTorch that importers take, one a line");
  arguments.add_choice<OpsFormat>(
      "--format", format, {{"text", OpsFormat::Text}, {"markdown", OpsFormat::Markdown}, {"json", OpsFormat::Json}},
      "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  for (const auto& [given, flag] : {std::pair{summary, "--summary"}, std::pair{aten, "--aten"}})
    if (given && !names.empty()) return arguments.console().report(diagnose<kFlagConflict>({}, flag, names.front()));
  if (summary && aten) return arguments.console().report(diagnose<kFlagConflict>({}, "--summary", "--aten"));

  std::vector<const OpDef*> rows;
  for (const std::string& name : names) {
    const OpDef* row = find_op_def(name);
    if (row == nullptr) {
      const std::vector<const OpDef*> meant = ops_meant(name);
      if (meant.empty()) {
        Diagnostic diagnostic = diagnose<kUnknownName>({}, "op", name);
        for (const std::string& near : names_near(name)) diagnostic.add_note<kDidYouMean>({}, near);
        return arguments.console().report(std::move(diagnostic));
      }
      rows.insert(rows.end(), meant.begin(), meant.end());
      continue;
    }
    rows.push_back(row);
  }
  std::string text;
  if (aten)
    for (const std::string& name : program::known_operators(*make_context())) text += name + "\n";
  else if (summary)
    text = ops_summary(op_table(), format);
  else if (names.empty())
    text = ops_reference(op_table(), format, /*details=*/format != OpsFormat::Text);
  else
    text = ops_reference(rows, format, /*details=*/true);
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc

// See side_by_side.h.
#include "export/side_by_side.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "export/graph_names.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

// Of more operators the rest is counted.
constexpr std::size_t kShownOperators = 12;

std::string listed(const std::vector<std::string>& items, std::size_t shown) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), shown); ++i) out += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > shown) out += ", and " + std::to_string(items.size() - shown) + " more";
  return out;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}
std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::size_t operators_of(const Exported& exported) {
  std::size_t out = 0;
  for (const ExportedOp& op : exported.ops) out += op.operators.size();
  return out;
}

std::string table(FuncRef function, std::span<const WrittenNotation> written) {
  std::size_t width = 8, ops = 0;
  for (const WrittenNotation& one : written) width = std::max(width, one.notation->name.size());
  walk(function.op(), [&](OpRef op) { ops += op.has_trait(Traits::Terminator) || op == function.op() ? 0 : 1; });
  std::string out = padded("notation", width) + "  operators     bytes  what it makes explicit\n";
  const auto line = [&](std::string_view name, const std::string& count, const std::string& bytes,
                        std::string_view rest) {
    out += padded(std::string(name), width) + "  " + right(count, 9) + "  " + right(bytes, 8) + "  " +
           std::string(rest) + "\n";
  };
  line("mlgc", std::to_string(ops), "", "types and sizes of every value, weights, states");
  for (const auto& [notation, exported, refusal] : written) {
    if (!exported)
      line(notation->name, "-", "-", refusal);
    else
      line(notation->name, exported->ops.empty() ? std::to_string(ops) : std::to_string(operators_of(*exported)),
           std::to_string(exported->text.size()), notation->explicit_parts);
  }
  return out;
}

}  // namespace

std::string side_by_side(const Module& module, FuncRef function, std::span<const WrittenNotation> written) {
  struct Op {
    std::string name;
    // What stands for it, and the notations that write it so.
    std::vector<std::pair<std::string, std::string>> forms;
  };
  std::vector<Op> ops;
  std::map<std::string, std::size_t> numbers;
  const auto op_of = [&](const std::string& path, std::string_view name) -> Op& {
    const auto [at, fresh] = numbers.try_emplace(path, ops.size());
    if (fresh) ops.push_back({"%" + path + " = " + std::string(name), {}});
    return ops[at->second];
  };
  const GraphNames names(module);
  walk(function.op(), [&](OpRef op) {
    if (op != function.op() && !op.has_trait(Traits::Terminator)) (void)op_of(names.path(op), op.name());
  });
  std::size_t width = 0;
  for (const auto& [notation, exported, refusal] : written) {
    if (!exported) continue;
    for (const ExportedOp& op : exported->ops) {
      const std::string form = op.operators.empty() ? "-" : listed(op.operators, kShownOperators);
      auto& forms = op_of(op.path, op.op).forms;
      auto same = std::ranges::find(forms, form, &std::pair<std::string, std::string>::first);
      if (same == forms.end()) same = forms.insert(same, {form, ""});
      // A block may be written twice, as the condition of a loop is.
      const std::string name(notation->name);
      if (same->second != name && !same->second.ends_with(" " + name))
        same->second += (same->second.empty() ? "" : ", ") + name;
      width = std::max(width, same->second.size());
    }
  }
  std::string out = table(function, written);
  for (const Op& op : ops) {
    out += "\n" + op.name + "\n";
    for (const auto& [form, by] : op.forms) out += "  " + padded(by, width) + "  " + form + "\n";
  }
  return out;
}

}  // namespace mlgc

// See op_report.h.
#include "inspect/op_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/json_writer.h"
#include "fusion/typical_sizes.h"
#include "inspect/node_class.h"
#include "inspect/op_work.h"
#include "ir/walk.h"
#include "text/printer.h"

namespace mlgc {
namespace {

// All ops of one opcode and class in a function.
struct OpcodeRow {
  std::string_view name;
  OpClass kind = OpClass::Compute;
  std::size_t count = 0, uncounted = 0;
  IndexExpr operations, bytes;
  double typical = 0, typical_bytes = 0;
};

class OpReport : GraphView {
 public:
  OpReport(const Module& module, const ViewOptions& options) : GraphView(module, options), classes_(module) {}

  std::string text() {
    std::string out;
    for (const FuncRef& function : functions(module_)) {
      if (!options_.value.empty()) {
        walk(function.op(), [&](OpRef op) {
          if (is_asked(op)) text_of_op(out, op);
        });
        continue;
      }
      const std::vector<OpcodeRow> rows = rows_of(function);
      text_of(out, function, rows);
    }
    return out;
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kOpJsonVersion);
    out.objects("functions", functions(module_), [&](const FuncRef& function) {
      out.member("function", function.name());
      std::vector<OpRef> ops;
      walk(function.op(), [&](OpRef op) {
        if (op != function.op() && (options_.value.empty() || is_asked(op))) ops.push_back(op);
      });
      out.objects("ops", ops, [&](OpRef op) {
        const OpWork work = work_of(op, facts_at(op));
        json_op(out, op);
        out.member("class", kOpClassNames[static_cast<std::size_t>(classes_.of(op))]);
        out.member("operations", context_.index().print(work.operations));
        out.member("bytes", context_.index().print(work.bytes));
        out.member("counted", work.is_counted);
      });
    });
    return out.take();
  }

 private:
  [[nodiscard]] bool is_asked(OpRef op) const {
    const auto results = op.results();
    return std::any_of(results.begin(), results.end(), [&](Value v) { return name(v) == options_.value; });
  }

  std::vector<OpcodeRow> rows_of(const FuncRef& function) {
    IndexPool& index = context_.index();
    std::map<std::pair<std::string_view, OpClass>, OpcodeRow> by_name;
    walk(function.op(), [&](OpRef op) {
      if (op == function.op()) return;
      const OpClass kind = classes_.of(op);
      OpcodeRow& row = by_name[{op.name(), kind}];
      const OpWork work = work_of(op, facts_at(op));
      row.name = op.name();
      row.kind = kind;
      ++row.count;
      if (!work.is_counted && kind == OpClass::Compute) ++row.uncounted;
      row.operations = index.add(row.operations, work.operations);
      row.bytes = index.add(row.bytes, work.bytes);
    });
    std::vector<OpcodeRow> rows;
    for (auto& [key, row] : by_name) {
      row.typical = typical_size(index, row.operations, facts_at(function.op()));
      row.typical_bytes = typical_size(index, row.bytes, facts_at(function.op()));
      rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const OpcodeRow& a, const OpcodeRow& b) {
      return std::pair(a.typical, a.typical_bytes) > std::pair(b.typical, b.typical_bytes);
    });
    return rows;
  }

  void text_of(std::string& out, const FuncRef& function, const std::vector<OpcodeRow>& rows) {
    IndexPool& index = context_.index();
    double operations = 0, bytes = 0;
    std::size_t count = 0;
    IndexExpr all = index.constant(0);
    for (const OpcodeRow& row : rows) {
      operations += row.typical;
      bytes += row.typical_bytes;
      count += row.count;
      all = index.add(all, index.add(row.operations, row.bytes));
    }
    if (!out.empty()) out += "\n";
    out += paint("1", "@" + std::string(function.name())) + ": " + counted(count, "op") + ", " +
           amount_text(operations) + " operations, " + amount_text(bytes) + "B if each runs by itself" +
           at_typical_sizes(index, all, facts_at(function.op())) + "\n";
    ReportTable table;
    table.rows.push_back({"opcode", "class", "ops", "operations", "share", "bytes", "share"});
    for (const OpcodeRow& row : rows)
      table.rows.push_back({std::string(row.name), std::string(kOpClassNames[static_cast<std::size_t>(row.kind)]),
                            std::to_string(row.count), row.uncounted > 0 ? "not counted" : amount_text(row.typical),
                            share(row.typical, operations), amount_text(row.typical_bytes) + "B",
                            share(row.typical_bytes, bytes)});
    table.append_to(out, "  ");
  }

  static std::string share(double part, double whole) {
    return short_number(whole > 0 ? 100 * part / whole : 0) + " %";
  }

  void text_of_op(std::string& out, OpRef op) {
    const OpDef& def = op.def();
    const OpWork work = work_of(op, facts_at(op));
    if (!out.empty()) out += "\n";
    out += paint("1", names(op)) + " = " + std::string(op.name()) + "  " + place(op) + "\n";
    ReportTable table;
    const auto row = [&](std::string_view label, std::string text) {
      if (!text.empty()) table.rows.push_back({std::string(label), std::move(text)});
    };
    row("what", std::string(def.summary));
    row("class", std::string(kOpClassNames[static_cast<std::size_t>(classes_.of(op))]));
    row("formula", std::string(def.formula));
    row("reads", symbol_read(op));
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const std::size_t last = def.operands.empty() ? 0 : def.operands.size() - 1;
      const std::string_view called = def.operands.empty() ? "" : def.operands[std::min(i, last)].name;
      row("operand",
          std::string(called) + " = " + origin(op.operand(i)) + ": " + context_.types().print(op.operand(i).type()));
    }
    for (const auto& [attribute, value] : attributes(op)) row("attribute", attribute + " = " + value);
    for (const Value result : op.results()) row("result", name(result) + ": " + context_.types().print(result.type()));
    row("work", work.is_counted ? context_.index().print(work.operations) + " operations on " + bytes_text(work.bytes)
                                : std::string());
    row("PyTorch", joined(def.aten, [](std::string_view aten) { return std::string(aten); }));
    table.append_to(out, "  ");
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> attributes(OpRef op) const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const NamedAttribute& entry : context_.attributes().entries(op.attrs()))
      out.emplace_back(context_.strings().text(entry.name), print_attribute(entry.value, context_));
    return out;
  }

  NodeClasses classes_;
};

}  // namespace

std::string op_text(const Module& module, const ViewOptions& options) { return OpReport(module, options).text(); }

std::string op_json(const Module& module, const ViewOptions& options) { return OpReport(module, options).json(); }

}  // namespace mlgc

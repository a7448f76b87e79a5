// See dependence_report.h.
#include "inspect/dependence_report.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/backward_slice.h"
#include "diag/json_writer.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

class DependenceReport : GraphView {
 public:
  using GraphView::GraphView;

  std::string text() {
    std::string out;
    if (!options_.value.empty()) {
      for (const Value value : asked()) text_of_value(out, value);
      return out;
    }
    for (const FuncRef& function : functions(module_)) {
      if (!out.empty()) out += "\n";
      out += paint("1", "@" + std::string(function.name())) + "\n";
      ReportTable table;
      for (const Value argument : function.arguments())
        table.rows.push_back({name(argument), "argument", "", "read by " + readers_text(argument)});
      rows_of(table, function.body(), "");
      table.append_to(out, "  ");
    }
    return out;
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kDependenceJsonVersion);
    out.objects("functions", functions(module_), [&](const FuncRef& function) {
      out.member("function", function.name());
      std::vector<Value> values(function.arguments().begin(), function.arguments().end());
      walk(function.op(), [&](OpRef op) {
        for (const Value result : op.results()) values.push_back(result);
      });
      if (!options_.value.empty()) std::erase_if(values, [&](Value value) { return name(value) != options_.value; });
      out.objects("values", values, [&](Value value) {
        out.member("name", name(value));
        out.member("type", context_.types().print(value.type()));
        out.member("argument", value.is_argument());
        out.objects("reads", value.is_argument() ? std::vector<Value>() : read_by(value.definer()),
                    [&](Value read) { out.member("name", name(read)); });
        out.objects("readers", readers(value), [&](OpRef reader) { json_op(out, reader); });
      });
    });
    return out.take();
  }

 private:
  // Arguments of functions and results of ops that are called so, in program order.
  [[nodiscard]] std::vector<Value> asked() const {
    std::vector<Value> out;
    const auto take = [&](Value value) {
      if (name(value) == options_.value) out.push_back(value);
    };
    walk(module_, [&](OpRef op) {
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments()) take(argument);
      for (const Value result : op.results()) take(result);
    });
    return out;
  }

  // The ops of the value's region that read it, themselves or inside of their regions, in program order.
  [[nodiscard]] static std::vector<OpRef> readers(Value value) {
    std::vector<OpRef> out;
    const RegionRef scope = value.scope();
    for (OpRef user : value.users()) {
      while (user.parent() != scope) user = user.parent_op();
      if (std::find(out.begin(), out.end(), user) == out.end()) out.push_back(user);
    }
    std::sort(out.begin(), out.end(), [](OpRef a, OpRef b) { return a.id() < b.id(); });
    return out;
  }
  // Operands, and what the op's regions read from around it; each once.
  [[nodiscard]] static std::vector<Value> read_by(OpRef op) {
    std::vector<Value> out;
    const auto take = [&](const auto& values) {
      for (const Value read : values)
        if (std::find(out.begin(), out.end(), read) == out.end()) out.push_back(read);
    };
    take(op.operands());
    take(values_read(op));
    return out;
  }

  [[nodiscard]] std::string op_text(OpRef op) const {
    return op.result_count() == 0 ? std::string(op.name()) : names(op) + " = " + std::string(op.name());
  }
  [[nodiscard]] std::string readers_text(Value value) const {
    const std::vector<OpRef> all = readers(value);
    return all.empty() ? "nothing" : joined(all, [&](OpRef op) { return op_text(op); });
  }
  [[nodiscard]] std::string reads_text(OpRef op) const {
    const std::string symbol = symbol_read(op);
    return symbol.empty() ? joined(read_by(op), [&](Value value) { return name(value); }) : symbol;
  }

  // What is inside of regions follows the op, further to the right.
  void rows_of(ReportTable& table, RegionRef region, const std::string& indent) {
    for (const OpRef op : region.ops()) {
      std::string read_by = op.result_count() == 0 ? "" : "read by ";
      if (op.result_count() == 1) read_by += readers_text(op.result(0));
      if (op.result_count() > 1)
        read_by += joined(op.results(), [&](Value v) { return name(v) + ": " + readers_text(v); });
      const std::string reads = reads_text(op);
      table.rows.push_back({indent + names(op), std::string(op.name()), reads.empty() ? "" : "of " + reads, read_by});
      for (const RegionRef inner : op.regions()) rows_of(table, inner, indent + "  ");
    }
  }

  void text_of_value(std::string& out, Value value) {
    if (!out.empty()) out += "\n";
    const OpRef op = value.definer();
    const RegionRef scope = value.scope();
    out += paint("1", name(value)) + ": " + context_.types().print(value.type()) + " in @" +
           std::string(function_of(scope).symbol()) + "\n";
    ReportTable table;
    const auto row = [&](std::string_view label, std::string text) {
      if (!text.empty()) table.rows.push_back({std::string(label), std::move(text)});
    };
    row("defined", op.valid() ? "by " + std::string(op.name()) + ", " + place(op) : "as an argument");
    if (op.valid()) row("reads", reads_text(op));
    for (const OpRef reader : readers(value)) row("read by", op_text(reader) + ", " + place(reader));
    if (!value.has_uses()) row("read by", "nothing");
    // What it is computed of, and what is computed of it, whatever lies between.
    if (op.valid()) {
      const std::unordered_set<OpId> slice = backward_slice(std::span(&value, 1));
      std::vector<Value> arguments;
      std::vector<std::string> symbols;
      for (const OpRef other : scope.ops()) {
        if (!slice.contains(other.id())) continue;
        if (std::string symbol = symbol_read(other); !symbol.empty()) symbols.push_back(std::move(symbol));
        for (const Value read : values_read(other))
          if (read.is_argument() && read.argument_of() == scope &&
              std::find(arguments.begin(), arguments.end(), read) == arguments.end())
            arguments.push_back(read);
      }
      row("depends on", joined(arguments, [&](Value v) { return name(v); }));
      row("and on", joined(symbols, [](const std::string& symbol) { return symbol; }));
      row("after", counted(slice.size() - 1, "op"));
    }
    std::unordered_set<ValueId> reached{value.id()};
    std::size_t ahead = 0;
    for (const OpRef other : scope.ops()) {
      const std::vector<Value> read = values_read(other);
      if (std::none_of(read.begin(), read.end(), [&](Value v) { return reached.contains(v.id()); })) continue;
      for (const Value result : other.results()) reached.insert(result.id());
      if (!other.has_trait(Traits::Terminator)) ++ahead;
      if (other.has_trait(Traits::Terminator) && other == FuncRef(function_of(scope)).return_op())
        row("reaches", joined(reached_results(other, reached), [](const std::string& text) { return text; }));
    }
    row("ahead", counted(ahead, "op"));
    table.append_to(out, "  ");
  }

  [[nodiscard]] static std::vector<std::string> reached_results(OpRef end, const std::unordered_set<ValueId>& reached) {
    const FuncRef function(end.parent_op());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < end.operand_count(); ++i)
      if (reached.contains(end.operand(i).id()))
        out.push_back(i < function.result_count() ? "result " + result_name(function, i) : "a new state");
    return out;
  }
};

}  // namespace

std::string dependence_text(const Module& module, const ViewOptions& options) {
  return DependenceReport(module, options).text();
}

std::string dependence_json(const Module& module, const ViewOptions& options) {
  return DependenceReport(module, options).json();
}

}  // namespace mlgc

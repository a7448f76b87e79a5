// See shape_report.h.
#include "inspect/shape_report.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/backward_slice.h"
#include "diag/json_writer.h"
#include "fusion/typical_sizes.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

// A size of a result that is an expression no operand of its op has.
struct NewSize {
  std::size_t dim = 0;
  IndexExpr size;
};

class ShapeReport : GraphView {
 public:
  using GraphView::GraphView;

  std::string text() {
    std::string out;
    for (const FuncRef& function : functions(module_)) {
      const std::vector<Value> values = values_of(function);
      if (values.empty() && !options_.value.empty()) continue;
      if (!out.empty()) out += "\n";
      out += paint("1", "@" + std::string(function.name())) + "\n";
      ReportTable symbols;
      for (const SymbolOrigin& symbol : symbol_origins(function))
        symbols.rows.push_back({"symbol", symbol_text(symbol)});
      if (const Constraints where = function.constraints(); !where.empty())
        symbols.rows.push_back({"where", print(where, context_.index())});
      symbols.append_to(out, "  ");
      ReportTable table;
      for (const Value value : values) table.rows.push_back(row_of(value));
      table.append_to(out, "  ");
    }
    return out;
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kShapeJsonVersion);
    out.objects("functions", functions(module_), [&](const FuncRef& function) {
      out.member("function", function.name());
      out.objects("symbols", symbol_origins(function), [&](const SymbolOrigin& at) {
        out.member("symbol", at.name);
        out.member("of", name(at.value));
        out.member("dim", at.dim);
        out.member("size", context_.index().print(at.size));
      });
      out.objects("values", values_of(function), [&](Value value) {
        out.member("name", name(value));
        out.member("type", context_.types().print(value.type()));
        out.member("bytes", context_.index().print(bytes(value.type())));
        if (value.is_result()) json_op(out, value.definer());
        out.objects("new_sizes", new_sizes(value), [&](const NewSize& at) {
          out.member("dim", at.dim);
          out.member("size", context_.index().print(at.size));
        });
      });
    });
    return out.take();
  }

 private:
  // Arguments and results in program order; those that are asked for.
  [[nodiscard]] std::vector<Value> values_of(const FuncRef& function) const {
    std::vector<Value> out;
    const auto take = [&](Value value) {
      if (options_.value.empty() || name(value) == options_.value) out.push_back(value);
    };
    walk(function.op(), [&](OpRef op) {
      if (op != function.op())
        for (const Value result : op.results()) take(result);
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments()) take(argument);
    });
    return out;
  }

  [[nodiscard]] std::vector<NewSize> new_sizes(Value value) const {
    std::vector<NewSize> out;
    if (value.is_argument() || !context_.types().is_shaped(value.type())) return out;
    const IndexPool& index = context_.index();
    std::unordered_set<std::uint32_t> known;
    for (const Value read : values_read(value.definer()))
      if (context_.types().is_shaped(read.type()))
        for (const IndexExpr size : read.dims()) known.insert(size.id);
    for (std::size_t i = 0; i < value.rank(); ++i) {
      const IndexExpr size = value.dims()[i];
      if (!index.as_constant(size) && !known.contains(size.id)) out.push_back({i, size});
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> row_of(Value value) {
    IndexPool& index = context_.index();
    const OpRef op = value.is_result() ? value.definer() : value.argument_of().parent_op();
    std::string made = value.is_argument()
                           ? (op.is(GraphOp::Func) ? "argument" : "argument of " + std::string(op.name()))
                           : std::string(op.name());
    std::string amount;
    if (context_.types().is_shaped(value.type()))
      amount = amount_text(typical_size(index, bytes(value.type()), facts_at(op))) + "B" +
               at_typical_sizes(index, bytes(value.type()), facts_at(op));
    std::string sizes = joined(new_sizes(value), [&](const NewSize& at) {
      return "size " + std::to_string(at.dim) + " = " + index.print(at.size);
    });
    return {name(value), std::move(made), context_.types().print(value.type()), std::move(amount),
            sizes.empty() ? "" : "new here: " + sizes};
  }
};

}  // namespace

std::string shape_text(const Module& module, const ViewOptions& options) { return ShapeReport(module, options).text(); }

std::string shape_json(const Module& module, const ViewOptions& options) { return ShapeReport(module, options).json(); }

}  // namespace mlgc

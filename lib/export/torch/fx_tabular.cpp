// fx-tabular: the table that torch.fx prints of a graph, one for each function.
#include "export/notation.h"
#include "export/torch/python_text.h"
#include "export/torch/torch_program.h"
#include "import/fx/listing.h"

namespace mlgc {
namespace {

using Row = fx::ListingRow;

// Of one item too, as Python writes it.
std::string tuple(const std::vector<std::string>& items) {
  return "(" + joined(items) + (items.size() == 1 ? ",)" : ")");
}

class Table {
 public:
  explicit Table(const Context& context) : context_(context) {}

  std::string write(const TorchFunction& function) {
    for (const TorchResult& argument : function.body.arguments)
      rows_.push_back({"placeholder", argument.name, argument.name, "()", "{}"});
    for (const TorchNode& node : function.body.nodes) add(node);
    for (const auto& [attribute, value] : function.updates)
      rows_.push_back({"call_function", "update_" + attribute, "aten.copy_.default", tuple({attribute, value}), "{}"});
    const std::vector<std::string>& values = function.body.values;
    rows_.push_back({"output", "output", "output", tuple({values.size() == 1 ? values[0] : tuple(values)}), "{}"});
    return fx::listing_table(rows_);
  }

 private:
  std::string text(const TorchArgument& argument) const {
    const auto* const word = std::get_if<std::string>(&argument.value);
    return word == nullptr ? python_text(context_, argument) : "'" + *word + "'";
  }

  void add(const TorchNode& node) {
    const std::string& name = node.results.empty() ? node.target : node.results[0].name;
    switch (node.kind) {
      case TorchNodeKind::Read:
      case TorchNodeKind::Constant:
        rows_.push_back({"get_attr", name, node.kind == TorchNodeKind::Read ? node.target : name, "()", "{}"});
        return;
      case TorchNodeKind::Size:
        rows_.push_back({"call_function", name, "<size>", tuple({python_size(node)}), "{}"});
        return;
      case TorchNodeKind::Method: {
        std::vector<std::string> arguments{"self"};
        for (const TorchArgument& argument : node.arguments) arguments.push_back(text(argument));
        return call({"call_method", name, node.target, tuple(arguments), "{}"}, node);
      }
      case TorchNodeKind::Call: {
        std::vector<std::string> positional;
        std::string keywords;
        for (const TorchArgument& argument : node.arguments) {
          const bool tensor =
              std::holds_alternative<TorchName>(argument.value) || std::holds_alternative<TorchNames>(argument.value);
          if (tensor && keywords.empty())
            positional.push_back(text(argument));
          else
            keywords += (keywords.empty() ? "'" : ", '") + argument.parameter + "': " + text(argument);
        }
        return call({"call_function", name, python_target(node.target), tuple(positional), "{" + keywords + "}"}, node);
      }
      case TorchNodeKind::If:
      case TorchNodeKind::While:
      case TorchNodeKind::Scan: break;
    }
    throw InternalError("fx-tabular: control flow");
  }

  // Several results are items of one.
  void call(Row row, const TorchNode& node) {
    const bool one = node.kind == TorchNodeKind::Call ? node.one_tensor : node.results.size() == 1;
    const std::string name = row[1];
    if (!one) row[1] += "_all";
    rows_.push_back(std::move(row));
    for (std::size_t i = 0; i < node.results.size() && !one; ++i)
      rows_.push_back({"call_function", node.results[i].name, "<built-in function getitem>",
                       tuple({name + "_all", std::to_string(i)}), "{}"});
  }

  const Context& context_;
  std::vector<Row> rows_;
};

}  // namespace

Result<Exported, Diagnostic> export_fx_tabular(const ExportRequest& request) {
  Module& module = request.module;
  const FuncRef function = request.function;
  const auto program = make_torch_program(
      module,
      {.forward = function.name(), .notation = "fx-tabular", .lacks = {GraphOp::If, GraphOp::While, GraphOp::Scan}});
  if (!program) return Failure{program.error()};
  Exported out{.text = {}, .constants = {}, .data = {}, .ops = program->ops};
  const bool several = program->derived.size() + program->functions.size() > 1;
  for (const auto* functions : {&program->derived, &program->functions})
    for (const TorchFunction& one : *functions) {
      if (several) out.text += (out.text.empty() ? "" : "\n") + one.method + ":\n";
      out.text += Table(module.context()).write(one);
    }
  return out;
}

}  // namespace mlgc

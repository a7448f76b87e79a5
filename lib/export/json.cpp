// json: the graph of each function as data. {"version":1,"name","data":[{"name","kind","type"}],"functions":[{"name",
// "arguments":[{"name","type"}],"nodes":[…]}]}; a node is {"op","class","operands":[name],"results":[{"name","type"}],
// "attributes":{name:text},"regions":[{"arguments","nodes"}]}. Empty parts are left out.
#include <nlohmann/json.hpp>

#include "export/graph_names.h"
#include "export/notation.h"
#include "inspect/node_class.h"
#include "ir/function.h"
#include "pass/statistics.h"
#include "text/printer.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

class Graph {
 public:
  explicit Graph(Module& module) : context_(module.context()), names_(module), classes_(module) {}

  Json of(Module& module) {
    Json out{{"version", kVersion}};
    if (!module.top().symbol().empty()) out["name"] = module.top().symbol();
    for (const OpRef op : module.body().ops())
      if (op.is(GraphOp::Weight) || op.is(GraphOp::State))
        out["data"].push_back({{"name", op.symbol()},
                               {"kind", op.name()},
                               {"type", print_type(context_.attributes().as_type(op.attr("type")), context_)}});
    for (const FuncRef func : functions(module)) {
      Json one{{"name", func.name()}};
      one.update(region(func.body()));
      out["functions"].push_back(std::move(one));
    }
    return out;
  }

 private:
  Json region(RegionRef region) {
    Json out = Json::object();
    for (const Value argument : region.arguments()) out["arguments"].push_back(value(argument));
    for (const OpRef op : region.ops()) out["nodes"].push_back(node(op));
    return out;
  }
  Json node(OpRef op) {
    Json out{{"op", op.name()}, {"class", kOpClassNames[static_cast<std::size_t>(classes_.of(op))]}};
    for (const Value operand : op.operands()) out["operands"].push_back(names_.of(operand));
    for (const Value result : op.results()) out["results"].push_back(value(result));
    for (const auto& [name, attribute] : context_.attributes().entries(op.attrs()))
      out["attributes"][std::string(context_.strings().text(name))] = print_attribute(attribute, context_);
    for (const RegionRef inner : op.regions()) out["regions"].push_back(region(inner));
    return out;
  }
  Json value(Value value) { return {{"name", names_.of(value)}, {"type", print_type(value.type(), context_)}}; }

  Context& context_;
  GraphNames names_;
  NodeClasses classes_;
};

}  // namespace

Result<Exported, Diagnostic> export_json(const ExportRequest& request) {
  Module& module = request.module;
  return Exported{Graph(module).of(module).dump(1, ' ', false, Json::error_handler_t::replace) + "\n", {}};
}

}  // namespace mlgc

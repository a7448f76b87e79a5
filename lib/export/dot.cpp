// dot: the graph of each function for Graphviz. Nodes are ops, coloured by their class; edges are values with their
// types; regions are clusters. A kernel or segment is a cluster alone: edges lead to and from the ops in it, so that
// the picture is that of the graph before fusion, with a frame around each kernel.
#include <array>

#include "export/graph_names.h"
#include "export/notation.h"
#include "inspect/node_class.h"
#include "ir/function.h"
#include "text/printer.h"

namespace mlgc {
namespace {

// By OpClass.
constexpr std::array<std::string_view, kOpClassNames.size()> kColours{"lightblue", "lightyellow", "lightgrey",
                                                                      "lightsalmon", "lightgreen"};

// An op that computes what its region yields, once: a fusion or a segment.
bool is_cluster(OpRef op) {
  if (!op.has_trait(Traits::IsolatedRegion) || op.region_count() != 1) return false;
  const RegionRef body = op.region();
  const OpRef end = body.terminator();
  return end.valid() && body.argument_count() == op.operand_count() && end.operand_count() == op.result_count();
}

// The same value outside of the clusters that it is an argument of.
Value outside(Value value) {
  while (value.is_argument() && is_cluster(value.argument_of().parent_op()))
    value = value.argument_of().parent_op().operand(value.number());
  return value;
}

// The same value at the op that computes it, into and out of clusters.
Value computed(Value value) {
  for (value = outside(value); value.is_result() && is_cluster(value.definer());)
    value = outside(value.definer().region().terminator().operand(value.number()));
  return value;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "\"";
}

class Dot {
 public:
  explicit Dot(Module& module) : module_(module), names_(module), classes_(module) {}

  std::string write() {
    out_ = "digraph " + quoted(module_.top().symbol().empty() ? "module" : module_.top().symbol()) +
           " {\n  node [shape=box, style=filled]\n";
    depth_ = 1;
    for (const FuncRef func : functions(module_)) region(func.body(), "@" + std::string(func.name()));
    return std::move(out_) + edges_ + "}\n";
  }

 private:
  void line(const std::string& text) { out_.append(2 * depth_, ' ') += text + "\n"; }

  // Of who makes the value: an op, or the region whose argument it is.
  static std::string node_of(Value value) {
    return value.is_result() ? "op" + std::to_string(value.definer().serial())
                             : "arg" + std::to_string(value.argument_of().parent_op().serial()) + "_" +
                                   std::to_string(value.argument_of().number()) + "_" + std::to_string(value.number());
  }

  void region(RegionRef region, const std::string& title) {
    line("subgraph cluster_" + std::to_string(clusters_++) + " {");
    ++depth_;
    line("label=" + quoted(title));
    for (const Value argument : region.arguments())
      if (outside(argument) == argument)
        line(node_of(argument) + " [label=" + quoted("%" + names_.of(argument)) + ", shape=ellipse, fillcolor=white]");
    for (const OpRef op : region.ops()) node(op);
    --depth_;
    line("}");
  }

  // `fusion contraction`, `segment accel`.
  std::string cluster_title(OpRef op) const {
    std::string title(op.name());
    for (const std::string_view name : {"kind", "target"})
      if (const auto text = module_.context().attributes().as_string(op.attr(name))) title += " " + std::string(*text);
    return title;
  }

  void node(OpRef op) {
    if (is_cluster(op)) return region(op.region(), cluster_title(op));
    if (is_cluster(op.parent_op()) && op == op.parent().terminator()) return;
    const std::string name = "op" + std::to_string(op.serial());
    std::string label(op.name());
    const Attribute symbol = op.attr("symbol");
    if (const auto text = module_.context().attributes().as_symbol(symbol)) label += " @" + std::string(*text);
    line(name + " [label=" + quoted(label) +
         ", fillcolor=" + std::string(kColours[static_cast<std::size_t>(classes_.of(op))]) + "]");
    for (const Value operand : op.operands()) {
      const Value read = outside(operand);
      edges_ += "  " + node_of(computed(read)) + " -> " + name +
                " [label=" + quoted("%" + names_.of(read) + ": " + print_type(read.type(), module_.context())) + "]\n";
    }
    for (const RegionRef inner : op.regions())
      region(inner, std::string(op.name()) + " " + std::string(op.def().regions[inner.number()].name));
  }

  Module& module_;
  GraphNames names_;
  NodeClasses classes_;
  std::size_t depth_ = 0, clusters_ = 0;
  std::string out_, edges_;
};

}  // namespace

Result<Exported, Diagnostic> export_dot(const ExportRequest& request) {
  Module& module = request.module;
  return Exported{Dot(module).write(), {}};
}

}  // namespace mlgc

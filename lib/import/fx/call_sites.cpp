// See call_sites.h.
#include "import/fx/call_sites.h"

#include <algorithm>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/locations.h"

namespace mlgc::fx {

CallSites::CallSites(const Graph& graph, std::span<python::ProgramValue> names, ValueNumbers numbers,
                     RecordedTypes& types, LocationTable& locations, std::string file_name)
    : graph_(graph),
      names_(names),
      numbers_(numbers),
      types_(types),
      locations_(locations),
      file_name_(std::move(file_name)) {
  for (const Node& node : graph.nodes) {
    taken_.emplace(program::identifier(node.name), 0);
    markers_.push_back({node.target, "", {}, {}, {}, {}, node.stack, node.module, node.line});
  }
  find_items_read();
}

void CallSites::start(std::size_t number) {
  current_ = number;
  last_ = true;
}

Location CallSites::location(const python::Node& node) const {
  const Node& from = origin(node);
  const program::UserFrame frame = program::innermost_user_frame(from.stack);
  const Location user = frame.line == 0 ? Location{} : locations_.position(frame.file, frame.line, 1);
  return locations_.origin({from.module, opcode_name(from.opcode), from.target, from.name}, user);
}

const Node& CallSites::origin(const python::Node& node) const {
  const auto call = node_of_.find(&node);
  return graph_.nodes[call != node_of_.end() ? call->second : current_];
}

void CallSites::annotate(const python::Node& node, Diagnostic& diagnostic) const {
  diagnostic.add_note<kAtNode>({}, origin(node).name, file_name_);
}

// torch.ops.aten.max.dim gives a tuple, of which operator.getitem reads what is needed.
void CallSites::find_items_read() {
  items_read_.assign(graph_.nodes.size(), std::set<std::int64_t>());
  const auto use = [&](const auto& self, const Literal& literal) -> void {
    if (literal.is(Literal::Kind::Node)) items_read_[static_cast<std::size_t>(literal.integer)].reset();
    for (const Literal& item : literal.items) self(self, item);
  };
  for (const Node& node : graph_.nodes) {
    const bool item = node.target == "operator.getitem" && node.arguments.size() == 2 &&
                      node.arguments[0].is(Literal::Kind::Node) && node.arguments[1].is(Literal::Kind::Int);
    if (item) {
      if (auto& read = items_read_[static_cast<std::size_t>(node.arguments[0].integer)])
        read->insert(node.arguments[1].integer);
      continue;
    }
    for (const Literal& literal : node.arguments) use(use, literal);
    for (const auto& [name, literal] : node.keywords) use(use, literal);
  }
}

bool CallSites::reads_result(std::size_t i) const {
  const auto& read = items_read_[current_];
  return !last_ || !read || read->contains(static_cast<std::int64_t>(i)) || (!read->empty() && *read->begin() < 0);
}

std::vector<Type> CallSites::recorded_types(const python::Node& /*node*/) const {
  std::vector<Type> out;
  if (!last_ || !types_.comparable()) return out;
  const Recorded& recorded = current().recorded;
  const std::vector<Recorded> one{recorded};
  for (const Recorded& part : recorded.kind == Recorded::Kind::Several ? recorded.parts : one) {
    const Result<Type> type = types_.tensor(part);
    if (part.kind != Recorded::Kind::Tensor || !type) break;
    out.push_back(*type);
  }
  return out;
}

std::string CallSites::fresh_name(std::string_view base) {
  const std::string stem = program::identifier(current().name + "_" + std::string(base));
  std::string name = stem;
  for (int i = 1; !taken_.emplace(name, current_ + 1).second; ++i) name = stem + "_" + std::to_string(i);
  return name;
}

bool CallSites::is_own(std::string_view name) const {
  const auto taken = taken_.find(name);
  return taken != taken_.end() && taken->second == current_ + 1;
}

const python::Node& CallSites::make(const std::string& kind, std::size_t operands, std::size_t results, bool list) {
  python::Node node{kind, "", {}, {}, {}, {}, current().stack, current().module, current().line};
  for (std::size_t i = 0; i < operands; ++i) node.inputs.push_back(numbers_.operand(i));
  const std::string_view base = std::string_view(kind).substr(kind.find("::") + 2);
  for (std::size_t i = 0; i < std::max<std::size_t>(results, 1); ++i) {
    const std::uint32_t number = list ? numbers_.list() : numbers_.result(i);
    if (i < results) node.outputs.push_back(number);
    names_[number].name = fresh_name(base.substr(0, base.find('.')));
  }
  const python::Node& kept = calls_.emplace_back(std::move(node));
  node_of_.emplace(&kept, current_);
  return kept;
}

}  // namespace mlgc::fx

// Nodes that hold graphs: `cond`, `while_loop`, `scan` and `map` become structured control flow, whose regions see the
// values around them.
#include <array>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/locations.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

constexpr std::string_view kPrefix = "torch.ops.higher_order.";
class HigherOrder {
 public:
  HigherOrder(GraphScope& scope, const Node& node, Location location)
      : scope_(scope),
        node_(node),
        name_(std::string_view(node.target).substr(kPrefix.size())),
        node_scope_(scope, node, std::string_view(node.target).substr(kPrefix.find('.') + 5), location, {}) {}

  bool run() {
    if (name_ == "cond")
      cond();
    else if (name_ == "while_loop")
      while_loop();
    else if (name_ == "scan")
      scan();
    else
      map();
    return !node_scope_.failed();
  }

  static bool known(std::string_view name) {
    return name == "cond" || name == "while_loop" || name == "scan" || name == "map_impl";
  }

 private:
  // The arguments of the node are told apart by their place only.
  const Argument* at(std::size_t i, Kind kind, std::string_view what) {
    if (i < node_.inputs.size() && (node_.inputs[i].value.is(kind) || kind == Kind::None))
      return &node_.inputs[i].value;
    node_scope_.fail(diagnose<kModelStructure>({}, node_.name, what));
    return nullptr;
  }
  const Graph* graph(std::size_t i) {
    const Argument* const argument = at(i, Kind::Graph, "a graph in its place");
    return argument == nullptr ? nullptr : argument->graph.get();
  }
  // A list of tensors. An empty one has no type in the file.
  std::vector<Argument> operands(std::size_t i) {
    std::vector<Argument> out;
    if (i >= node_.inputs.size()) return out;
    const Argument& argument = node_.inputs[i].value;
    if (argument.is(Kind::Tensors)) {
      for (const std::string& name : argument.names) {
        Argument tensor;
        tensor.kind = Kind::Tensor;
        tensor.names.push_back(name);
        out.push_back(std::move(tensor));
      }
    } else if (argument.is(Kind::Ints)) {
      for (const IntArg& integer : argument.ints) {
        Argument number;
        number.kind = Kind::Int;
        number.ints.push_back(integer);
        out.push_back(std::move(number));
      }
    } else {
      node_scope_.refuse<kArgumentKind>("an argument", "something else", "a tensor or an integer");
    }
    return out;
  }
  std::vector<Value> tensors(std::span<const Argument> arguments) {
    std::vector<Value> out;
    for (const Argument& argument : arguments) {
      if (!argument.is(Kind::Tensor)) {
        node_scope_.refuse<kArgumentKind>("what it carries from one step to the next", "a Python number", "a tensor");
        return {};
      }
      out.push_back(node_scope_.tensor_named(argument.names[0]));
    }
    return out;
  }

  // The inputs of a graph, in order, are `values` and then what stands in the outer scope under the names of
  // `captured`.
  bool define_inputs(GraphScope& inner, const Graph& graph, std::span<const Value> values,
                     std::span<const Argument> captured) {
    if (graph.inputs.size() != values.size() + captured.size()) {
      node_scope_.fail(diagnose<kModelStructure>({}, node_.name, "a graph with as many inputs as it is given"));
      return false;
    }
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const Argument& input = graph.inputs[i];
      bool fresh = true;
      if (input.is(Kind::Tensor)) {
        if (i >= values.size() && !captured[i - values.size()].is(Kind::Tensor)) return mismatch();
        const Value value =
            i < values.size() ? values[i] : node_scope_.tensor_named(captured[i - values.size()].names[0]);
        if (node_scope_.failed()) return false;
        fresh = inner.define(input.names[0], value);
      } else if (!input.is(Kind::Int) || i < values.size()) {
        return mismatch();
      }  // an integer is known inside by its expression
      if (!fresh) {
        node_scope_.fail(diagnose<kModelStructure>({}, node_.name, "a graph whose inputs have different names"));
        return false;
      }
    }
    return true;
  }
  bool mismatch() {
    node_scope_.refuse<kArgumentKind>("an argument of a graph inside", "of another kind", "what the graph takes");
    return false;
  }

  // Fills a region with a graph; nothing after a diagnostic.
  std::optional<std::vector<Value>> fill(RegionRef region, const Graph& graph, std::span<const Value> values,
                                         std::span<const Argument> captured, bool repeats) {
    GraphScope inner(scope_, graph, region, repeats);
    if (!define_inputs(inner, graph, values, captured)) return std::nullopt;
    std::optional<std::vector<Value>> results = outputs(inner, graph);
    if (!results) return std::nullopt;
    inner.builder.set_location({});
    inner.builder.create(scope_.context().opcode(GraphOp::Yield), *results, {}, {});
    return results;
  }
  std::optional<std::vector<Value>> outputs(GraphScope& inner, const Graph& graph) {
    if (!convert_nodes(inner)) {
      node_scope_.give_up();
      return std::nullopt;
    }
    std::vector<Value> results;
    for (const Argument& output : graph.outputs) {
      if (output.none()) continue;
      const std::optional<Value> value = graph_output(inner, output, node_scope_.location());
      if (!value) {
        node_scope_.give_up();
        return std::nullopt;
      }
      results.push_back(*value);
    }
    return results;
  }

  OpRef create(GraphOp known, std::span<const Value> operands, AttrDict attrs, std::size_t regions) {
    std::vector<Type> types;
    for (std::size_t i = 0; i < node_scope_.output_names().size(); ++i) types.push_back(node_scope_.recorded(i));
    if (node_scope_.failed()) return {};
    scope_.builder.set_location(node_scope_.location());
    return scope_.builder.create(scope_.context().opcode(known), operands, attrs, types, regions);
  }
  // The op is complete: its types are what its regions give.
  void finish(OpRef op) {
    Result<std::vector<Type>, Diagnostic> types = infer_types(op, scope_.facts());
    if (!types) return node_scope_.fail(std::move(types).error());
    if (types->size() != op.result_count())
      return node_scope_.fail(diagnose<kModelStructure>({}, node_.name, "as many results as its graphs have"));
    const TypePool& pool = scope_.context().types();
    for (std::size_t i = 0; i < types->size(); ++i)
      if ((*types)[i] != op.result(i).type())
        return node_scope_.fail(diagnose<kRecordedType>({}, node_scope_.target(), pool.print((*types)[i]),
                                                        pool.print(op.result(i).type())));
    for (std::size_t i = 0; i < op.result_count(); ++i) node_scope_.result(i, op.result(i));
  }

  void cond() {
    const Argument* const predicate = at(0, Kind::None, "a condition");
    const std::array graphs{graph(1), graph(2)};
    const std::vector<Argument> given = operands(3);
    if (node_scope_.failed()) return;
    if (!predicate->is(Kind::Tensor) && !predicate->is(Kind::Bool) && !predicate->is(Kind::Int))
      return node_scope_.fail(diagnose<kModelStructure>({}, node_.name, "a tensor or a truth value as its condition"));
    const Value condition = predicate->is(Kind::Tensor) ? node_scope_.tensor_named(predicate->names[0])
                                                        : scope_.number(*predicate, node_scope_.location());
    if (!condition.valid()) return node_scope_.give_up();
    const std::array flags{node_scope_.as_scalar(condition)};
    const OpRef op = create(GraphOp::If, flags, {}, 2);
    for (std::size_t arm = 0; arm < 2 && op.valid(); ++arm)
      if (!fill(op.region(arm), *graphs[arm], {}, given, false)) return;
    if (op.valid()) finish(op);
  }

  void while_loop() {
    const Graph* const condition = graph(0);
    const Graph* const body = graph(1);
    const std::vector<Argument> carried = operands(2), captured = operands(3);
    const std::vector<Value> initial = tensors(carried);
    if (node_scope_.failed()) return;
    const OpRef op = create(GraphOp::While, initial, {}, 2);
    if (!op.valid()) return;
    std::array<std::vector<Value>, 2> arguments;
    for (std::size_t region = 0; region < 2; ++region)
      for (const Value value : initial) arguments[region].push_back(op.region(region).add_argument(value.type()));
    {
      GraphScope inner(scope_, *condition, op.region(0), true);
      if (!define_inputs(inner, *condition, arguments[0], captured)) return;
      const std::optional<std::vector<Value>> go_on = outputs(inner, *condition);
      if (!go_on) return;
      if (go_on->size() != 1)
        return node_scope_.fail(diagnose<kModelStructure>({}, node_.name, "a condition with one result"));
      std::vector<Value> values{(*go_on)[0]};
      values.insert(values.end(), arguments[0].begin(), arguments[0].end());
      inner.builder.set_location({});
      inner.builder.create(scope_.context().opcode(GraphOp::Condition), values, {}, {});
    }
    if (!fill(op.region(1), *body, arguments[1], captured, true)) return;
    finish(op);
  }

  void scan() {
    const Graph* const body = graph(0);
    scan_over(body, operands(1), operands(2), operands(3));
  }
  void map() { scan_over(graph(0), {}, operands(1), operands(2)); }

  void scan_over(const Graph* body, const std::vector<Argument>& carried, const std::vector<Argument>& sequences,
                 const std::vector<Argument>& captured) {
    std::vector<Value> values = tensors(carried);
    const std::vector<Value> slices = tensors(sequences);
    values.insert(values.end(), slices.begin(), slices.end());
    if (node_scope_.failed()) return;
    Context& context = scope_.context();
    const AttrDict attrs =
        scope_.builder.attrs({{"carried", context.attributes().integer(static_cast<std::int64_t>(carried.size()))}});
    const OpRef op = create(GraphOp::Scan, values, attrs, 1);
    if (!op.valid()) return;
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
      Type type = values[i].type();
      if (i >= carried.size()) {
        const auto dims = context.types().dims(type);
        if (dims.empty()) return node_scope_.refuse<kOperandAxes>("a sequence", 0, "at least one");
        type = context.types().tensor(context.types().dtype(type), dims.subspan(1));
      }
      arguments.push_back(op.region(0).add_argument(type));
    }
    if (!fill(op.region(0), *body, arguments, captured, true)) return;
    finish(op);
  }

  GraphScope& scope_;
  const Node& node_;
  std::string_view name_;
  NodeScope node_scope_;
};

}  // namespace

bool is_higher_order(const Node& node) {
  return node.target.starts_with(kPrefix) && HigherOrder::known(std::string_view(node.target).substr(kPrefix.size()));
}

bool convert_higher_order(GraphScope& scope, const Node& node, Location location) {
  return HigherOrder(scope, node, location).run();
}

}  // namespace mlgc::program

// Nodes of an exported graph as ops of a function.
//
// Guarantees
//   - Every node is checked twice: our row infers the types of its results, and they must be those that the exporter
//     recorded (of a format that records none, those that were stated).
//   - Arguments bind by name to the operator's schema; an argument that has no counterpart in the row must have a value
//     that changes nothing, else it is an error.
//   - Operands of one op get one dtype by inserted `cast`s, by PyTorch's rules of promotion.
//   - Whatever is not known is listed completely before anything is built.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "import/program/fallback.h"
#include "import/program/program.h"
#include "import/program/schema.h"
#include "import/program/symbolic.h"
#include "ir/builder.h"
#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc::program {

// From names of operators to what converts them.
class Dispatch;

// Symbolic integers that come from data and not from sizes of inputs, by torch's names.
struct DataSymbols {
  std::set<std::string, std::less<>> numbers;             // may be negative: no sizes
  std::map<std::string, Constraints, std::less<>> sizes;  // with what the program says of them
};

// What the conversion of a graph shares between nodes. A graph inside of another has a scope of its own, whose names
// are given by the node that holds it.
class GraphScope {
 public:
  GraphScope(Module& module, const Graph& graph, SymbolNames& names, const DataSymbols& data_symbols,
             const Facts& facts, DiagnosticEngine& engine)
      : builder(module),
        graph_(&graph),
        names_(&names),
        data_symbols_(&data_symbols),
        facts_(&facts),
        engine_(&engine) {}
  // Of a graph inside; `repeats` when what it computes may run more than once. Inserts at the end of the region.
  GraphScope(GraphScope& parent, const Graph& graph, RegionRef region, bool repeats);

  Builder builder;

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const Facts& facts() const { return *facts_; }
  [[nodiscard]] DiagnosticEngine& engine() const { return *engine_; }
  [[nodiscard]] Context& context() const { return builder.context(); }

  // An invalid value when the graph has not defined the name yet.
  [[nodiscard]] Value find(std::string_view name) const;
  // False when the name is taken. A value without a name gets it.
  bool define(const std::string& name, Value value);

  // For a format that records no types: what a result will be, where its operator alone does not say it, and the value
  // of a name of an integer.
  void state_type(const std::string& name, Type type) { stated_types_.insert_or_assign(name, type); }
  // The same, used only where a conversion asks for the type; what it infers need not be that.
  void suggest_type(const std::string& name, Type type) { suggested_types_.insert_or_assign(name, type); }
  void state_integer(const std::string& name, IndexExpr value) { stated_integers_.insert_or_assign(name, value); }

  // Errors: an expression that cannot be read, a name that is no symbolic integer; of integer() also one that depends
  // on data and is not known to be 0 or more, so that it can be no size.
  [[nodiscard]] Result<IndexExpr> size(const Size& size);
  [[nodiscard]] Result<IndexExpr> integer(const IntArg& integer);
  // The named symbolic integer gets its value, an i64 of rank 0, from data; its symbol becomes a size where it may be
  // one. False after a diagnostic.
  bool bind(const std::string& name, Value value, Location location);
  // The size becomes what the value, an i64 of rank 0, says: the integers below it, by which the size is known from
  // here on. An invalid value where the size is not a symbol alone, so that it is known already. `recorded` is what the
  // file says of the size, where it does.
  Value bind_size(IndexExpr symbol, const std::optional<Size>& recorded, Value value, Location location);
  // What the file says of an axis of a tensor; nothing where it records no such thing.
  [[nodiscard]] std::optional<Size> recorded_size(std::string_view name, std::size_t axis) const {
    const auto found = graph_->tensors.find(name);
    if (found == graph_->tensors.end() || axis >= found->second.sizes.size()) return std::nullopt;
    return found->second.sizes[axis];
  }

  // Nodes that compute Python numbers from sizes and data run when one is asked for.
  void remember(const Node& node);
  // The node that computes the number of that name; null where no node does.
  [[nodiscard]] const Node* node_of_number(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? nullptr : found->second;
  }
  // A number as a value of rank 0: i64, f64 or i1. Invalid after a diagnostic.
  [[nodiscard]] Value number(const Argument& argument, Location location);
  // Random numbers of the graph depend on a last argument of the function, made when first asked for: seed and offset.
  // Every op uses its own range of the numbers after the offset.
  [[nodiscard]] Value key();
  // Where the next stretch starts, before it is moved on by `count`.
  IndexExpr draw(IndexExpr count);
  [[nodiscard]] bool random() const { return key_.valid(); }
  [[nodiscard]] IndexExpr drawn() const { return drawn_; }
  [[nodiscard]] bool repeats() const { return repeats_; }
  // Made when it is first asked for, and the same in graphs inside.
  [[nodiscard]] const Dispatch& dispatch();

  // What was recorded or stated of a tensor; an error diagnostic (without location) where it is not there or not
  // usable.
  [[nodiscard]] Result<Type, Diagnostic> recorded_type(const std::string& name);
  [[nodiscard]] bool has_type(std::string_view name) const {
    return graph_->types_recorded || stated_types_.find(name) != stated_types_.end();
  }

  // Where operators are counted and, with `calls`, what becomes a call of PyTorch is entered.
  void set_ledger(FallbackLedger& ledger, bool calls) {
    ledger_ = &ledger;
    calls_ = calls;
  }
  // Null: nothing may become a call of PyTorch.
  [[nodiscard]] FallbackLedger* ledger() const { return calls_ ? ledger_ : nullptr; }
  void count_operator() {
    if (ledger_ != nullptr) ++ledger_->operators;
  }
  // What a node that was begun has to undo to become a call.
  struct Mark {
    OpRef last;  // of the region
    std::size_t defined = 0;
  };
  [[nodiscard]] Mark mark() const {
    return {builder.region().empty() ? OpRef() : builder.region().back(), defined_.size()};
  }
  void roll_back(const Mark& mark);
  // Diagnostics go to `engine` from now on.
  void set_engine(DiagnosticEngine& engine) { engine_ = &engine; }

 private:
  [[nodiscard]] GraphScope& root() { return parent_ == nullptr ? *this : parent_->root(); }
  [[nodiscard]] Value computed_number(const Node& node, Location location);

  GraphScope* parent_ = nullptr;
  std::shared_ptr<const Dispatch> dispatch_;  // of the root scope
  bool repeats_ = false;
  const Graph* graph_;
  SymbolNames* names_;
  const DataSymbols* data_symbols_;
  const Facts* facts_;
  DiagnosticEngine* engine_;
  FallbackLedger* ledger_ = nullptr;
  bool calls_ = false;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> defined_;                         // names in values_, in the order of their definition
  std::map<std::string, const Node*, std::less<>> numbers_;  // by what they compute
  int pending_numbers_ = 0;
  Value key_;
  IndexExpr drawn_;                                      // numbers so far, where there is a key
  std::map<std::string, IndexExpr, std::less<>> sizes_;  // expressions that were read before
  std::map<std::string, Type, std::less<>> stated_types_, suggested_types_;
  std::map<std::string, IndexExpr, std::less<>> stated_integers_;
};

// One node while it is converted. The first failure sticks: from then on values are invalid and nothing is built.
class NodeScope {
 public:
  NodeScope(GraphScope& graph, const Node& node, std::string_view target, Location location,
            std::vector<BoundArgument> arguments)
      : graph_(&graph), node_(&node), target_(target), location_(location), arguments_(std::move(arguments)) {
    for (const Argument& output : node.outputs)
      output_names_.insert(output_names_.end(), output.names.begin(), output.names.end());
  }

  using Attrs = std::vector<std::pair<std::string_view, Attribute>>;

  [[nodiscard]] GraphScope& graph() const { return *graph_; }
  [[nodiscard]] Context& context() const { return graph_->context(); }
  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] std::string_view target() const { return target_; }  // `aten.relu.default`
  [[nodiscard]] Location location() const { return location_; }
  [[nodiscard]] std::span<const BoundArgument> arguments() const { return arguments_; }
  [[nodiscard]] bool failed() const { return failed_; }
  void fail(Diagnostic diagnostic);
  // The diagnostic of why the node has no counterpart here: a kind whose first argument is what is called.
  template <const DiagKind& K, class... Args>
  void refuse(Args&&... args) {
    fail(diagnose<K>({}, target_, std::forward<Args>(args)...));
  }

  // Precondition of what takes a name: the schema has it (InternalError).
  [[nodiscard]] const Argument& argument(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return !argument(name).none(); }
  [[nodiscard]] bool is_tensor(std::string_view name) const { return argument(name).is(Argument::Kind::Tensor); }
  // A tensor; an invalid value when it is none (absent, or after a failure).
  Value tensor(std::string_view name);
  Value tensor_named(const std::string& name);
  // The tensors of a list.
  std::vector<Value> tensors(std::string_view name);
  IndexExpr integer(std::string_view name);
  IndexExpr integer(const IntArg& value);
  // A constant integer.
  std::int64_t constant(std::string_view name);
  std::vector<IndexExpr> integers(std::string_view name);
  [[nodiscard]] bool flag(std::string_view name);
  // Of Number and Float arguments that are constants; of Bool 0 or 1.
  [[nodiscard]] double real(std::string_view name);
  // The dtype argument; nothing when it is absent.
  std::optional<Dtype> dtype(std::string_view name);
  // A number as an attribute of kind Int, Float or Bool.
  Attribute number(const Argument& value);

  // An axis counted from the end made to count from the start, for `rank` axes (a scalar counts as one).
  std::int64_t axis(std::int64_t value, std::size_t rank);

  // The recorded type of tensor output i, or of item i of a list output.
  Type recorded(std::size_t i);
  [[nodiscard]] std::span<const std::string> output_names() const { return output_names_; }  // lists flattened
  // Whether any node or output of the graph uses output i.
  [[nodiscard]] bool used(std::size_t i) const;

  [[nodiscard]] AttrDict dict(const Attrs& attrs) const;
  // Builds an op whose result types follow from its row. An invalid op after a failure.
  OpRef emit(std::string_view op, std::span<const Value> operands, const Attrs& attrs);
  Value emit_one(std::string_view op, std::initializer_list<Value> operands, const Attrs& attrs = {});
  Value cast(Value value, Dtype dtype);
  // An op whose result has a size that depends on data: the type says what the size is called.
  Value emit_stated(std::string_view op, Value operand, Type type);
  // Of a failure whose diagnostic was given already.
  void give_up() { failed_ = true; }
  // A key for an op that draws `count` numbers: no other op of the graph draws with the same one.
  Value next_key(IndexExpr count);
  // A tensor of one element as one of rank 0.
  Value as_scalar(Value value);
  // A tensor of rank 0.
  Value scalar(Dtype dtype, const Argument& number);

  // Result i is this value; its type must be the recorded one where there is one.
  void result(std::size_t i, Value value);

 private:
  GraphScope* graph_;
  const Node* node_;
  std::string_view target_;
  Location location_;
  std::vector<BoundArgument> arguments_;
  std::vector<std::string> output_names_;
  bool failed_ = false;
};

using ConvertFunction = void (*)(NodeScope&);
struct Converter {
  std::string_view target;
  ConvertFunction convert;
};
// Operators whose arguments do not match a row's operands and attributes by name; all others go by the row's ATen
// names.
[[nodiscard]] std::span<const Converter> arithmetic_converters();
[[nodiscard]] std::span<const Converter> movement_converters();
[[nodiscard]] std::span<const Converter> network_converters();
[[nodiscard]] std::span<const Converter> sampling_converters();
[[nodiscard]] std::span<const Converter> random_converters();
[[nodiscard]] std::span<const Converter> number_converters();
[[nodiscard]] std::span<const Converter> assertion_converters();
[[nodiscard]] std::span<const Converter> composite_converters();
[[nodiscard]] std::span<const Converter> training_converters();
[[nodiscard]] std::span<const Converter> convolution_converters();
[[nodiscard]] std::span<const Converter> resample_converters();
[[nodiscard]] std::span<const Converter> normalisation_converters();
[[nodiscard]] std::span<const Converter> position_converters();
[[nodiscard]] std::span<const Converter> arrangement_converters();
[[nodiscard]] std::span<const Converter> recurrent_converters();
[[nodiscard]] std::span<const Converter> axis_converters();
[[nodiscard]] std::span<const Converter> algebra_converters();

// An upsampling to the nearest element as positions along each axis. Sizes that are not constant are refused.
void convert_nearest_positions(NodeScope& scope);

// The attributes of a sampling at the places of a grid, or of what it sends back. Empty after a failure.
[[nodiscard]] NodeScope::Attrs grid_sampler_attributes(NodeScope& scope);

// Converts by the row alone: tensors are its operands in order, the rest are attributes of the same name.
void convert_by_row(NodeScope& scope, const OpDef& def);

// A tensor, or a number that stands for one.
struct RowOperand {
  Value tensor;
  std::optional<Argument> number;
};
// An op of a row: operands are promoted as PyTorch does where the row is elementwise, and converted to what it takes.
[[nodiscard]] OpRef emit_row(NodeScope& scope, const OpDef& def, std::span<const RowOperand> operands,
                             NodeScope::Attrs attrs);
// An argument as the attribute of a row; nothing when the call leaves it out.
[[nodiscard]] std::optional<Attribute> row_attribute(NodeScope& scope, const OpDef& def, const BoundArgument& argument,
                                                     const AttrDef& attr);

// An operand of an op that is differentiated; without a value where only its type is known, of an op that is linear in
// it.
struct DifferentiatedOperand {
  DifferentiatedOperand(Value value) : type(value.valid() ? value.type() : Type()), value(value) {}
  DifferentiatedOperand(Type type) : type(type) {}
  Type type;
  Value value;
};
// What the operands numbered `wanted` get back when each float result of the op gets a cotangent: one op for each
// statement of the formula that differentiating the row's formula gives. Precondition: the row has a formula. Empty
// after a failure.
[[nodiscard]] std::vector<Value> emit_gradient(NodeScope& scope, std::string_view op,
                                               std::span<const DifferentiatedOperand> operands,
                                               const NodeScope::Attrs& attrs, std::span<const Value> cotangents,
                                               std::span<const std::size_t> wanted);
// Of an op with one float result, in one operand.
[[nodiscard]] Value emit_gradient(NodeScope& scope, std::string_view op, DifferentiatedOperand operand,
                                  const NodeScope::Attrs& attrs, Value cotangent);

// Operators that are an expression over rows; see expansions.cpp for the texts.
struct Expansion {
  std::string_view target, text;
};
[[nodiscard]] std::span<const Expansion> expansions();
void convert_by_expansion(NodeScope& scope, std::string_view text);

// The dtype that PyTorch gives operands of one operator. Tensors of rank 0 count only by their category, numbers less.
class Promotion {
 public:
  void add_tensor(Value value);
  void add_number(const Argument& number);
  [[nodiscard]] Dtype result() const;

 private:
  // Best of each priority: tensors with axes, tensors without, Python numbers.
  std::optional<Dtype> best_[3];
  void add(std::size_t priority, Dtype dtype);
};

// Converts a node with graphs inside: control flow, and regions that only say how PyTorch runs them. False after a
// diagnostic.
[[nodiscard]] bool is_higher_order(const Node& node);
[[nodiscard]] bool convert_higher_order(GraphScope& scope, const Node& node, Location location);

// What a graph gives back: a tensor, or a number as a tensor of rank 0. Nothing after a diagnostic.
[[nodiscard]] std::optional<Value> graph_output(GraphScope& scope, const Argument& argument, Location location);

// A name of the exporter as one of the text form.
[[nodiscard]] std::string identifier(const std::string& name);

// Lists every operator of the graph, and of those inside, that cannot be converted, nor become a call of PyTorch where
// `calls` permits that. False when there is one.
[[nodiscard]] bool check_operators(const Program& program, Context& context, Location archive, bool calls,
                                   DiagnosticEngine& engine);

// Every ATen operator that can be converted, as `aten.relu.default`, sorted.
[[nodiscard]] std::vector<std::string> known_operators(const Context& context);

// Converts all nodes at the builder's insertion point. False after a diagnostic.
[[nodiscard]] bool convert_nodes(GraphScope& scope);

// Converts nodes one by one, for a format whose graph is known only as it is walked.
class NodeConverter {
 public:
  explicit NodeConverter(const Context& context);
  NodeConverter(const NodeConverter&) = delete;
  NodeConverter& operator=(const NodeConverter&) = delete;
  ~NodeConverter();
  [[nodiscard]] bool known(std::string_view target) const;
  // Precondition: known(). False after a diagnostic.
  [[nodiscard]] bool convert(GraphScope& scope, const Node& node, Location location) const;

 private:
  std::unique_ptr<const Dispatch> dispatch_;
};

}  // namespace mlgc::program

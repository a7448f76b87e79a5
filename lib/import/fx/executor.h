// Runs a graph of torch.fx: each node is a call of Python, which comes down to ATen operators, and those go through the
// conversion of exported programs (import/python/interpreter.h).
//
// What a name means, first match:
//   1. what works on Python's values: operator.getitem, builtins.getattr, Tensor.size, … (builtins.cpp)
//   2. a def of prelude.cpp
//   3. the ATen operator of that name: `torch.add`, `operator.add` and `x.add` are aten.add, of which the overload is
//      taken whose arguments are those given (overloads.cpp)
//
// Guarantees
//   - What a node gives is held against what the exporter recorded of it.
//   - Every error is at the line of the program, where that is known, and names the node.
//   - Whatever is not known is listed completely before anything is built.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/fx/graph.h"
#include "import/fx/import_fx.h"
#include "import/fx/prelude_syntax.h"
#include "import/python/interpreter.h"

namespace mlgc::fx {

// Python's values, as the interpreter holds them.
using python::Computed;
using python::Device;
using python::Dict;
using python::Ellipsis;
using python::Foreign;
using python::List;
using python::None;
using python::Object;
using python::PythonValue;
using python::Slice;
using python::Tensor;
using python::TorchConstant;
using python::Tuple;

// Of a call of Python.
struct Arguments {
  std::vector<PythonValue> positional;
  std::vector<std::pair<std::string, PythonValue>> keywords;

  // Takes a keyword out.
  std::optional<PythonValue> take(std::string_view name);
};

// Numbers of values in the script that a graph is run as (script.h). Operands and results of the calls that nodes come
// down to use the same ones again and again.
struct ValueNumbers {
  std::uint32_t first_node = 0;  // a value for each node
  std::uint32_t first_scratch = 0;
  static constexpr std::uint32_t kOperands = 64, kResults = 16;
  // Behind the operands: one list of tensors, then tensors one by one.
  [[nodiscard]] std::uint32_t list() const { return first_scratch + kOperands; }
  [[nodiscard]] std::uint32_t result(std::size_t i) const { return list() + 1 + static_cast<std::uint32_t>(i); }
  [[nodiscard]] std::uint32_t end() const { return list() + 1 + kResults; }
};

// Types of what the exporter recorded, with our names of its symbols.
class RecordedTypes {
 public:
  virtual ~RecordedTypes() = default;
  // Error: an element type or a size that cannot be.
  [[nodiscard]] virtual Result<Type> tensor(const Recorded& recorded) = 0;
  // Of sizes of inputs; nothing where it mentions others, or is not understood.
  [[nodiscard]] virtual std::optional<IndexExpr> size(const program::Size& size) = 0;
  // Where inputs have other sizes than recorded, only element types and ranks can be compared.
  [[nodiscard]] virtual bool comparable() const = 0;

 protected:
  RecordedTypes() = default;
  RecordedTypes(const RecordedTypes&) = default;
  RecordedTypes& operator=(const RecordedTypes&) = default;
};

class Executor final : public python::Interpreter {
 public:
  // `names` are those of the script's values, which calls write into; file names the graph in notes.
  Executor(const Graph& graph, const python::Program& program, std::span<python::ProgramValue> names,
           ValueNumbers numbers, RecordedTypes& types, program::GraphScope& scope, python::TensorSource& tensors,
           Location file, std::string file_name);

  // From now on a node that cannot be run is no error: `verdicts` gets an entry for each call, and what such a one
  // gives is taken to be what was recorded of it.
  struct Judge {
    std::vector<FxVerdict>& verdicts;
    const RefuseOp& refuse;
  };
  void judge(const Judge& judge) { judge_ = &judge; }

  [[nodiscard]] bool run_program() override;
  [[nodiscard]] PythonValue value_of(const Literal& literal);

 private:
  using Given = std::optional<PythonValue>;  // nothing after a diagnostic
  using Builtin = Given (Executor::*)(std::string_view name, Arguments& arguments);

  [[nodiscard]] Location location(const Node& node) const override;
  void report(const Node& node, Diagnostic diagnostic) override;
  [[nodiscard]] std::string spelling(const Node& node) const override;
  [[nodiscard]] std::vector<Type> recorded_types(const Node& node) override;

  // The node of the graph that a node of the script belongs to.
  [[nodiscard]] const fx::Node& origin(const Node& node) const;
  // The node that runs.
  [[nodiscard]] const fx::Node& current() const { return graph_.nodes[current_]; }
  [[nodiscard]] const Node& here() const { return markers_[current_]; }
  std::nullopt_t refuse(const std::string& reason);

  // How messages call what a node calls, where that is not known.
  [[nodiscard]] std::optional<std::string> unknown_target(const fx::Node& node) const;
  [[nodiscard]] bool check_known();
  void judge_node(std::size_t number);
  // A value of which only the type is known; Foreign where not even that is.
  [[nodiscard]] PythonValue stand_in(const Recorded& recorded);
  [[nodiscard]] bool knows_function(std::string_view name) const;
  [[nodiscard]] bool knows_method(std::string_view name) const;
  [[nodiscard]] bool run_node(std::size_t number);
  [[nodiscard]] PythonValue recorded_size(const Recorded& recorded, PythonValue value);
  void find_items_read();
  // Whether a node reads result i of the one that runs.
  [[nodiscard]] bool reads_result(std::size_t i) const;
  [[nodiscard]] bool check_recorded(const Recorded& recorded, const PythonValue& value);
  [[nodiscard]] Given evaluate(const fx::Node& node);

  // --- Calls
  [[nodiscard]] Given call_builtin(Builtin builtin, std::string_view name, Arguments& arguments);
  [[nodiscard]] Given call_function(std::string_view name, Arguments arguments);
  [[nodiscard]] Given call_method(std::string_view name, Arguments arguments);
  [[nodiscard]] Given call_module(const std::string& path, Arguments arguments);
  [[nodiscard]] Given get_attribute(const PythonValue& object, const std::string& name);
  [[nodiscard]] Given tensor_at(const std::string& path);

  // --- control.cpp: nodes that hold graphs
  struct Body;
  [[nodiscard]] static bool is_higher_order(std::string_view name);
  [[nodiscard]] Given call_higher_order(const fx::Node& node);
  // What builds the op of a node; nothing after a diagnostic, and then the op stands unfinished.
  [[nodiscard]] Given run_cond(const fx::Node& node);
  [[nodiscard]] Given run_while(const fx::Node& node);
  [[nodiscard]] Given run_scan(const Literal& body, std::span<const PythonValue> carried,
                               std::span<const PythonValue> sequences, std::span<const PythonValue> captured);
  [[nodiscard]] Given run_inline(const Literal& body, std::span<const PythonValue> operands);
  [[nodiscard]] const Literal* argument(const fx::Node& node, std::size_t i, Literal::Kind kind);
  // The items of a list or tuple; tensors have their values before an op is begun that reads them.
  [[nodiscard]] std::optional<std::vector<PythonValue>> operands(const fx::Node& node, std::size_t i);
  [[nodiscard]] bool materialise(std::vector<PythonValue>& values);
  // A truth value of rank 0.
  [[nodiscard]] Value condition(const PythonValue& value);
  // Of a region: tensors and numbers as values, None left out.
  [[nodiscard]] std::optional<std::vector<Value>> region_results(const PythonValue& value);
  // The op is complete: its results in the form that its bodies have.
  [[nodiscard]] Given finish(OpRef op, const PythonValue& form);

  // --- overloads.cpp
  [[nodiscard]] bool known_base(std::string_view base) const;
  // The ATen operator of that name; `name_` changes its first operand.
  // With `overload` that one, where there is one of that name.
  [[nodiscard]] Given call_aten(std::string_view base, Arguments arguments, std::string_view overload = "");
  [[nodiscard]] PythonValue default_of(const program::SchemaArgument& argument);
  // `relu.default`, of operands in the order of its schema; an undefined one is left out.
  [[nodiscard]] Given call_overload(std::string_view name, std::vector<PythonValue> operands);
  // An operator of Python's values by the name that TorchScript has for it, as `aten::size`.
  [[nodiscard]] Given call_python(const std::string& kind, std::span<const PythonValue> operands);
  [[nodiscard]] const Node& script_node(const std::string& kind, std::span<const PythonValue> operands,
                                        std::size_t results, bool list);
  [[nodiscard]] std::string fresh_name(std::string_view base);

  // --- builtins.cpp
  [[nodiscard]] static Builtin builtin_function(std::string_view name);
  [[nodiscard]] static Builtin builtin_method(std::string_view name);
  Given run_getattr(std::string_view name, Arguments& arguments);
  Given run_getitem(std::string_view name, Arguments& arguments);
  Given run_operator(std::string_view name, Arguments& arguments);
  Given run_number(std::string_view name, Arguments& arguments);
  Given run_size(std::string_view name, Arguments& arguments);
  Given run_query(std::string_view name, Arguments& arguments);
  Given run_container(std::string_view name, Arguments& arguments);
  Given run_to(std::string_view name, Arguments& arguments);
  Given run_helper(std::string_view name, Arguments& arguments);
  Given subscript(const PythonValue& tensor, const PythonValue& key);
  [[nodiscard]] std::optional<bool> truth(const PythonValue& value);
  // Whether two values are equal in Python; Undefined where that depends on sizes or data.
  [[nodiscard]] PythonValue equal(const PythonValue& a, const PythonValue& b);
  // The number itself, unless it left 64 bits.
  Given in_range(Given number);
  // An index or a bound of a slice, which counts from the end when it is less than 0. Constants stay as they are, for
  // operators of ATen wrap those.
  Given from_start(const PythonValue& position, IndexExpr size, bool clamped);
  Given asserted(const PythonValue& condition, const PythonValue& message);
  Given children(const PythonValue& module);

  // --- python.cpp: defs of the prelude
  struct Frame;
  Given call_def(const Function& function, Arguments arguments);
  // `last` is said of what a def returns as it is.
  Given evaluate(Frame& frame, const Expression& expression, bool last = false);
  Given evaluate_call(Frame& frame, const Expression& expression, bool last);
  enum class Went : std::uint8_t { On, Returned, Failed };
  Went run_block(Frame& frame, std::span<const Statement> block);
  Went run_statement(Frame& frame, const Statement& statement);

  const Graph& graph_;
  std::span<python::ProgramValue> names_;
  ValueNumbers numbers_;
  RecordedTypes& types_;
  Location file_;
  std::string file_name_;
  std::size_t current_ = 0;
  const Judge* judge_ = nullptr;
  std::vector<std::optional<std::size_t>> verdict_of_;  // by node, where it has one
  // By node: which of its results others read, where they only read single ones.
  std::vector<std::optional<std::set<std::int64_t>>> items_read_;
  int depth_ = 0;                               // of defs in each other
  bool last_ = false;                           // whether what is called next gives what the node gives
  std::vector<Node> markers_;                   // one for each node of the graph, for messages
  std::deque<Node> calls_;                      // what nodes came down to; kept for messages about later nodes
  std::map<const Node*, std::size_t> node_of_;  // of calls_, the node of the graph
  // Names of values, with the node that needed them plus 1; 0 for the names of nodes.
  std::map<std::string, std::size_t, std::less<>> taken_;
};

}  // namespace mlgc::fx

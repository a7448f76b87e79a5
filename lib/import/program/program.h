// An exported program as plain data, in the terms of torch.export's schema whatever file it comes from: a graph of
// calls of ATen operators, and which of its inputs and outputs are weights and states. Nothing is interpreted yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc::program {

// A size: an expression, or a constant where `expression` is empty.
struct Size {
  std::string expression;
  std::int64_t value = 0;
};

// An integer argument: a name of the graph's symbolic integers, or a constant where `name` is empty.
struct IntArg {
  std::string name;
  std::int64_t value = 0;
  friend bool operator==(const IntArg&, const IntArg&) = default;
};

// The schema's union of arguments, with forms that mean the same folded together.
struct Graph;

struct Argument {
  enum class Kind {
    None,
    Tensor,   // names[0]
    Tensors,  // names; "" where the list has a hole
    Int,      // ints[0]
    Ints,
    Float,  // reals[0]; a name in names[0] for one that depends on data
    Floats,
    Bool,  // flags[0]; a name in names[0] for one that depends on sizes or data
    Bools,
    String,        // text
    Dtype,         // ints[0]: torch's number in .pt2 files
    Layout,        // ints[0]
    MemoryFormat,  // ints[0]
    Device,        // text
    Graph,         // graph, called text: of control flow
    Complex,       // reals: real and imaginary part
    Other,         // text: the name of the form (custom objects)
  };
  Kind kind = Kind::None;
  std::vector<std::string> names;
  std::vector<IntArg> ints;
  std::vector<double> reals;
  std::vector<bool> flags;
  std::string text;
  std::shared_ptr<const Graph> graph;

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] bool none() const { return kind == Kind::None; }
  [[nodiscard]] bool reads(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  // A number that stands in the argument itself.
  [[nodiscard]] bool constant_number() const {
    return kind == Kind::Int ? ints[0].name.empty() : (kind == Kind::Float || kind == Kind::Bool) && names.empty();
  }
  friend bool operator==(const Argument&, const Argument&) = default;
};

struct NamedArgument {
  std::string name;
  Argument value;
};

struct TensorMeta {
  std::int64_t dtype = 0;
  std::vector<Size> sizes;
};

struct Node {
  std::string target;  // as written: `torch.ops.aten.relu.default`
  std::string name;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::string stack_trace, module_stack;
};

// A graph inside of another has names of its own: its inputs are what the node passes to it.
struct Graph {
  std::vector<Argument> inputs, outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta, std::less<>> tensors;
  std::map<std::string, Size, std::less<>> sym_ints;
  bool types_recorded = true;  // every tensor is in `tensors`; otherwise types follow from inference alone
};

struct InputSpec {
  enum class Kind { Parameter, Buffer, Constant, User, Specialised, Other };
  Kind kind = Kind::Other;
  std::string name;        // of the graph's input
  std::string target;      // fully qualified name of the weight; of Specialised the value; of Other the form
  bool persistent = true;  // of a buffer; the others' data stand among the constants
  Argument argument;       // of User
};

struct OutputSpec {
  enum class Kind { User, Loss, Gradient, BufferMutation, InputMutation, ParameterMutation, Other };
  Kind kind = Kind::Other;
  Argument argument;
  std::string target;  // name of the buffer, input or parameter, of Gradient of what it is for; of Other the form
};

struct Range {
  std::string symbol;  // a name or an expression
  std::optional<std::int64_t> lower, upper;
};

struct Program {
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<Range> ranges;  // sorted by symbol
  // What the exporter calls symbols, by torch's names: identifiers that differ.
  std::map<std::string, std::string, std::less<>> size_names;
  bool training_level = false;  // straight from export: may hold in-place operators
};

}  // namespace mlgc::program

// A graph of torch.fx as plain data, in the terms of the file that scripts/export_fx.py writes. Nothing is interpreted
// yet: docs/importing.md describes the format.
//
// Guarantees of what read_graph() gives
//   - Names of nodes are unique, and a node refers to earlier ones only.
//   - There is one output, the last node; modules and tensors that nodes name may be missing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/program/program.h"
#include "ir/constraint.h"
#include "tensor/dtype.h"

namespace mlgc::fx {

struct Graph;

// An argument or a hyper-parameter.
struct Literal {
  enum class Kind : std::uint8_t {
    None,
    Bool,    // integer: 0 or 1
    Int,     // integer
    Float,   // real, and text as Python writes it
    String,  // text
    Node,    // text: the name; integer: its number
    List,
    Tuple,
    Dict,   // items: keys and values in turn
    Slice,  // items: start, stop, step
    Ellipsis,
    Dtype,         // text: `float32`
    Layout,        // text: `strided`
    MemoryFormat,  // text: `channels_last`
    Device,        // text: `cpu`
    Complex,       // text: as Python writes it
    Graph,         // graph: of control flow, with names of its own; its inputs are what the node passes to it
  };
  Kind kind = Kind::None;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Literal> items;
  std::shared_ptr<const Graph> graph = nullptr;

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
};
using Keywords = std::vector<std::pair<std::string, Literal>>;

// What the exporter says that a node gives.
struct Recorded {
  enum class Kind : std::uint8_t { Nothing, Tensor, Int, Float, Bool, Several };
  Kind kind = Kind::Nothing;
  std::string dtype;                 // of a tensor
  std::vector<program::Size> sizes;  // of a tensor; of an int that is a size, that one
  std::vector<Recorded> parts;
};

enum class Opcode : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
[[nodiscard]] std::string_view opcode_name(Opcode opcode);

struct Node {
  Opcode opcode = Opcode::Output;
  std::string name, target;
  std::string printed;  // the target as FX prints it, where that is another text
  std::vector<Literal> arguments;
  Keywords keywords;
  Recorded recorded;
  std::string stack;   // the innermost frame of the user's, as in a traceback; may be empty
  std::string line;    // its line of source
  std::string module;  // path of the module whose code it is
};

struct Module {
  std::string type;  // `torch.nn.modules.linear.Linear`
  std::map<std::string, Literal, std::less<>> hyper_parameters;
};

// A view of an array of the weights file, in elements.
struct TensorEntry {
  std::string array;
  Dtype dtype = Dtype::F32;
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset = 0;
};

// What every call observes of its sizes: `terms[0] relations[0] terms[1] …`, as `where` of a function has it.
struct SizeRelation {
  std::vector<program::Size> terms;
  std::vector<Relation> relations;
};

struct Graph {
  std::vector<Node> nodes;
  std::map<std::string, Module, std::less<>> modules;
  std::map<std::string, TensorEntry, std::less<>> tensors;
  std::vector<program::Range> ranges;   // of symbols
  std::vector<SizeRelation> relations;  // between sizes
  std::string weights_file;             // beside the graph's own; empty: none
};

}  // namespace mlgc::fx

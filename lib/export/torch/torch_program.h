// A module as calls of ATen: what the notations of PyTorch are printed from.
//
// Guarantees
//   - Names of tensors and sizes are identifiers of Python, and each name of a function stands for one value, so that a
//     block may be printed where it stands.
//   - Every size that an expression names is bound before: by a Size node, at the start of the function or after the
//     node whose result first has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "export/notation.h"
#include "ir/function.h"
#include "ir/module.h"
#include "plugin/plugin.h"

namespace mlgc {

struct TorchName {
  std::string text;
};
using TorchNames = std::vector<std::optional<std::string>>;
// std::monostate is `None`.
using TorchValue = std::variant<std::monostate, TorchName, TorchNames, bool, IndexExpr, std::vector<IndexExpr>, double,
                                std::vector<double>, std::vector<bool>, std::string, Dtype>;
struct TorchArgument {
  std::string parameter;
  TorchValue value;
  mlgc_torch_kind kind = MLGC_TORCH_OTHER;  // that the parameter takes; two floats for a Number are a complex number
};

struct TorchResult {
  std::string name;
  Type type = {};  // invalid: a size or a number
};

enum class TorchNodeKind : std::uint8_t {
  Call,      // an operator of ATen
  Read,      // the parameter or buffer `target`
  Constant,  // a tensor that stands in the text
  Method,    // another function of the module, or what derives a weight
  Size,      // (extent of `axis` - offset) / factor
  If,        // blocks: then, else
  While,     // blocks: before (with a condition), do; both take the carried values
  Scan,      // blocks: body, which takes the carried values and a slice of each sequence
};

struct TorchNode;
struct TorchBlock {
  std::vector<TorchResult> arguments;
  std::vector<TorchNode> nodes;
  std::string condition;  // of `before`
  std::vector<std::string> values;
};

struct TorchNode {
  TorchNodeKind kind = TorchNodeKind::Call;
  std::string target = {};  // Call: `aten::add.Tensor`
  std::vector<TorchArgument> arguments = {};
  std::vector<TorchResult> results = {};
  bool one_tensor = true;                                 // Call: it gives a tensor, not a tuple or a list of them
  Attribute constant = {};                                // Constant
  std::size_t axis = 0;                                   // Size
  std::int64_t factor = 1, offset = 0;                    // Size
  std::size_t carried = 0;                                // Scan
  bool reverse = false;                                   // Scan
  std::string counter = {};                               // Scan and While: the number of the step
  std::vector<std::vector<IndexExpr>> empty_shapes = {};  // Scan: of results, when there are no slices
  std::vector<TorchBlock> blocks = {};
};

struct TorchFunction {
  std::string function;                                      // in the module, without @; of a derived weight its name
  std::string method;                                        // in Python
  TorchBlock body;                                           // its values are the results, then new values of arguments
  std::vector<std::string> result_names;                     // of the values
  std::vector<std::pair<std::string, std::string>> updates;  // attribute and the value that replaces it
};

enum class TorchDataRole : std::uint8_t { Parameter, Buffer, Constant };
struct TorchData {
  std::string attribute;  // in Python
  std::string name;       // in the module and in weight files
  Type type;
  TorchDataRole role = TorchDataRole::Buffer;
  std::optional<double> initial = {};  // of a state that states it
  Attribute constant = {};             // of a Constant
};

struct TorchProgram {
  std::string name;
  std::vector<TorchData> data;
  std::vector<TorchFunction> derived;    // weights that follow from others
  std::vector<ExportedOp> ops;           // of `forward`
  std::vector<TorchFunction> functions;  // `forward` is the one that was asked for
};

struct TorchOptions {
  std::string_view forward;  // the function that is called `forward`
  // Constants of more elements are data.
  std::int64_t inline_elements = 64;
  std::string_view notation;        // for messages
  std::vector<GraphOp> lacks = {};  // what the notation has no form for
};

// Error: one that names every op without an operator, each with the number of its uses, or a size that no argument
// tells.
[[nodiscard]] Result<TorchProgram, Diagnostic> make_torch_program(Module& module, const TorchOptions& options);

// An expression over sizes in Python.
[[nodiscard]] std::string size_text(const Context& context, IndexExpr size);

}  // namespace mlgc

// The table of notations.
#include <array>
#include <vector>

#include "diag/kinds_driver.h"
#include "diag/kinds_export.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "export/notation.h"

namespace mlgc {
namespace {

// For notations of one graph.
constexpr std::string_view kOneGraph = "inline{segments=true fusions=true}";

}  // namespace

std::span<const Notation> notations() {
  static constexpr std::array kNotations{
      Notation{.name = "fx-code",
               .summary = "a torch.nn.Module in Python that calls torch.ops.aten, its weights beside it",
               .ending = ".py",
               .explicit_parts = "overloads of ATen, every argument, sizes as numbers of Python",
               .weights = ExportedWeights::Beside,
               .write = export_fx_code},
      Notation{.name = "fx-tabular",
               .summary = "the table that torch.fx prints of a graph",
               .ending = ".fx.txt",
               .explicit_parts = "one row for each node, positional and named arguments",
               .write = export_fx_tabular},
      Notation{.name = "torchscript",
               .summary = "text like TorchScript's",
               .ending = ".torchscript.txt",
               .explicit_parts = "types of every value, the module as an argument",
               .write = export_torchscript},
      Notation{.name = "onnx",
               .summary = "a file for ONNX Runtime and others, its weights inside",
               .ending = ".onnx",
               .explicit_parts = "types of inputs and outputs, constants, sizes as nodes",
               .weights = ExportedWeights::Inside,
               .data_file = true,
               .passes = kOneGraph,
               .write = export_onnx},
      Notation{.name = "onnx-text",
               .summary = "the same graph in the syntax of onnx.parser, weights as inputs",
               .ending = ".onnx.txt",
               .explicit_parts = "the same",
               .passes = kOneGraph,
               .write = export_onnx_text},
      Notation{.name = "stablehlo",
               .summary = "MLIR in the dialect StableHLO, its weights beside it",
               .ending = ".stablehlo.mlir",
               .explicit_parts = "types and shapes of every value, broadcasts, bodies of reductions",
               .weights = ExportedWeights::Beside,
               .passes = kOneGraph,
               .write = export_stablehlo},
      Notation{.name = "hlo",
               .summary = "text of XLA's HLO, its weights beside it",
               .ending = ".hlo.txt",
               .explicit_parts = "the same, and one computation for each region",
               .weights = ExportedWeights::Beside,
               .passes = kOneGraph,
               .write = export_hlo},
      Notation{.name = "relay",
               .summary = "text like TVM's Relay, for people",
               .ending = ".relay.txt",
               .explicit_parts = "types of every value, every attribute, loops as functions",
               .passes = kOneGraph,
               .write = export_relay},
      Notation{.name = "dot",
               .summary = "a picture, for Graphviz",
               .ending = ".dot",
               .explicit_parts = "who reads what, classes of ops",
               .write = export_dot},
      Notation{.name = "json",
               .summary = "nodes, edges and types, for programs",
               .ending = ".json",
               .explicit_parts = "the same as mlgc, with classes of ops",
               .write = export_json},
  };
  return kNotations;
}

Result<const Notation*, Diagnostic> find_notation(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Notation& notation : notations()) {
    if (notation.name == name) return &notation;
    names.push_back(notation.name);
  }
  Diagnostic unknown = diagnose<kUnknownNotation>({}, name);
  if (const auto near = closest_name(name, names)) unknown.add_note<kDidYouMean>({}, *near);
  return Failure{std::move(unknown)};
}

}  // namespace mlgc

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
      Notation{"fx-code", "a torch.nn.Module in Python that calls torch.ops.aten, its weights beside it",
               ExportedWeights::Beside, "", export_fx_code},
      Notation{"fx-tabular", "the table that torch.fx prints of a graph", ExportedWeights::None, "", export_fx_tabular},
      Notation{"torchscript", "text like TorchScript's", ExportedWeights::None, "", export_torchscript},
      Notation{"onnx", "a file for ONNX Runtime and others, its weights inside", ExportedWeights::Inside, kOneGraph,
               export_onnx},
      Notation{"onnx-text", "the same graph in the syntax of onnx.parser, weights as inputs", ExportedWeights::None,
               kOneGraph, export_onnx_text},
      Notation{"dot", "a picture, for Graphviz", ExportedWeights::None, "", export_dot},
      Notation{"json", "nodes, edges and types, for programs", ExportedWeights::None, "", export_json},
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

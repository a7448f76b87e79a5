// The notations that `mlgc export` writes: one row each, which help and messages list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/function.h"
#include "tensor/npz.h"

namespace mlgc {

struct ExportRequest {
  Module& module;
  FuncRef function;             // what a caller calls; where a notation has one function only, it is this one
  const NamedTensors* weights;  // also states, by name in the module; null: none were given
  std::string data_file = {};   // the name of a file beside, for weights; empty: they stand in the file itself
};

// An op, and what stands for it: `aten.linear.default`, or several operators.
struct ExportedOp {
  std::string path;  // GraphNames::path()
  std::string op;
  std::vector<std::string> operators;
};

struct Exported {
  std::string text;                  // or the bytes of a file
  NamedTensors constants;            // that are too large for the text and stand with the weights
  std::string data = {};             // what stands in ExportRequest::data_file
  std::vector<ExportedOp> ops = {};  // of the function that was asked for; empty: the notation shows mlgc's own ops
};

// Where weights and states are.
enum class ExportedWeights : std::uint8_t { None, Beside, Inside };

struct Notation {
  std::string_view name;
  std::string_view summary;
  std::string_view ending;                          // of its files
  std::string_view explicit_parts;                  // what it says that others leave out
  ExportedWeights weights = ExportedWeights::None;  // beside: in a .safetensors file
  bool data_file = false;                           // can have weights in another file of the notation's own
  std::string_view passes = "";                     // that the notation needs, as text of a pipeline; empty: none
  Result<Exported, Diagnostic> (*write)(const ExportRequest& request) = nullptr;
};

[[nodiscard]] std::span<const Notation> notations();
// Error: none has the name, with the nearest one.
[[nodiscard]] Result<const Notation*, Diagnostic> find_notation(std::string_view name);

// One file each: <name>.cpp.
Result<Exported, Diagnostic> export_fx_code(const ExportRequest& request);
Result<Exported, Diagnostic> export_fx_tabular(const ExportRequest& request);
Result<Exported, Diagnostic> export_torchscript(const ExportRequest& request);
Result<Exported, Diagnostic> export_onnx(const ExportRequest& request);
Result<Exported, Diagnostic> export_onnx_text(const ExportRequest& request);
Result<Exported, Diagnostic> export_stablehlo(const ExportRequest& request);
Result<Exported, Diagnostic> export_hlo(const ExportRequest& request);
Result<Exported, Diagnostic> export_relay(const ExportRequest& request);
Result<Exported, Diagnostic> export_dot(const ExportRequest& request);
Result<Exported, Diagnostic> export_json(const ExportRequest& request);

}  // namespace mlgc

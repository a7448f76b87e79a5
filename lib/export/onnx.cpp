// ONNX as a file and as text.
#include "export/notation.h"
#include "export/onnx_notation.h"

namespace mlgc {
namespace {

Result<OnnxModel, Diagnostic> onnx_model(const ExportRequest& request, std::string_view notation) {
  OnnxNotation made(request.module.context(), notation, request.weights);
  if (auto written = write_graph(request.module, request.function, made); !written) return Failure{written.error()};
  return made.finish(request.function.name());
}

}  // namespace

Result<Exported, Diagnostic> export_onnx(const ExportRequest& request) {
  const auto model = onnx_model(request, "onnx");
  if (!model) return Failure{model.error()};
  return Exported{onnx_bytes(*model), {}};
}

Result<Exported, Diagnostic> export_onnx_text(const ExportRequest& request) {
  const auto model = onnx_model(request, "onnx-text");
  if (!model) return Failure{model.error()};
  return Exported{onnx_text(*model), {}};
}

}  // namespace mlgc

// ONNX as a file and as text.
#include "export/notation.h"
#include "export/onnx_notation.h"

namespace mlgc {
namespace {

Result<Exported, Diagnostic> write(const ExportRequest& request, std::string_view notation,
                                   std::string (*print)(const OnnxModel&)) {
  OnnxNotation made(request.module.context(), notation, request.weights);
  auto written = write_graph(request.module, request.function, made);
  if (!written) return Failure{written.error()};
  return Exported{print(made.finish(request.function.name())), {}, *std::move(written)};
}

}  // namespace

Result<Exported, Diagnostic> export_onnx(const ExportRequest& request) { return write(request, "onnx", onnx_bytes); }

Result<Exported, Diagnostic> export_onnx_text(const ExportRequest& request) {
  return write(request, "onnx-text", onnx_text);
}

}  // namespace mlgc

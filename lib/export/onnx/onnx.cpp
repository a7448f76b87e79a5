// ONNX as a file and as text.
#include "export/notation.h"
#include "export/onnx/onnx_notation.h"

namespace mlgc {
namespace {

struct Written {
  OnnxModel model;
  std::vector<ExportedOp> ops;
};

Result<Written, Diagnostic> write(const ExportRequest& request, std::string_view notation) {
  OnnxNotation made(request.module.context(), notation, request.weights);
  auto ops = write_graph(request.module, request.function, made);
  if (!ops) return Failure{ops.error()};
  return Written{made.finish(request.function.name()), *std::move(ops)};
}

}  // namespace

Result<Exported, Diagnostic> export_onnx(const ExportRequest& request) {
  auto written = write(request, "onnx");
  if (!written) return Failure{written.error()};
  Exported out{.text = {}, .constants = {}, .data = {}, .ops = std::move(written->ops)};
  if (request.data_file.empty()) {
    out.text = onnx_bytes(written->model);
    return out;
  }
  OnnxDataFile data{request.data_file};
  out.text = onnx_bytes(written->model, &data);
  out.data = std::move(data.bytes);
  return out;
}

Result<Exported, Diagnostic> export_onnx_text(const ExportRequest& request) {
  auto written = write(request, "onnx-text");
  if (!written) return Failure{written.error()};
  return Exported{.text = onnx_text(written->model), .constants = {}, .data = {}, .ops = std::move(written->ops)};
}

}  // namespace mlgc

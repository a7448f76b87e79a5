// relay: text in the syntax of TVM's Relay, each value bound by `let`. It is for people: nothing reads it back.
#include "export/notation.h"
#include "export/relay/relay_notation.h"

namespace mlgc {

Result<Exported, Diagnostic> export_relay(const ExportRequest& request) {
  RelayNotation notation(request.module.context());
  auto written = write_graph(request.module, request.function, notation);
  if (!written) return Failure{written.error()};
  return Exported{.text = notation.finish(), .constants = {}, .data = {}, .ops = *std::move(written)};
}

}  // namespace mlgc

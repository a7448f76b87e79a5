// See load_module.h.
#include "import/load_module.h"

#include <string>
#include <utility>

#include "ir/function_facts.h"
#include "ops/instantiate_op.h"
#include "pass/statistics.h"
#include "support/log.h"
#include "verify/verify.h"

namespace mlgc {

InferFunction row_inference(Context& context) {
  return [&context, facts = FunctionFacts()](OpRef op, std::span<const Type> given, std::vector<Type>& types,
                                             DiagnosticEngine& diagnostics) mutable {
    if (!has_inference(context.def(op.opcode()))) return Inferred::Unknown;
    Result<std::vector<Type>, Diagnostic> inferred = infer_types(op, facts.of(op), given);
    if (!inferred) {
      Diagnostic diagnostic = std::move(inferred).error();
      if (!diagnostic.at.known()) diagnostic.at = op.location();
      diagnostics.emit(std::move(diagnostic));
      return Inferred::Failed;
    }
    types = *std::move(inferred);
    return Inferred::Yes;
  };
}

std::optional<Module> load_module(const std::shared_ptr<Context>& context, const SourceFile& file,
                                  DiagnosticEngine& diagnostics, const LoadOptions& options) {
  ParseOptions parse;
  parse.infer = row_inference(*context);
  parse.any_order = options.any_order;
  parse.begin = options.range.begin;
  parse.end = options.range.end;
  auto module = parse_module(context, file, diagnostics, parse);
  if (module) log_info("parsed " + std::to_string(count_all(*module)) + " ops");
  const auto verified = [&] {
    return options.any_order ? verify_in_any_order(*module, diagnostics) : verify(*module, diagnostics);
  };
  if (module && options.verify && !verified()) return std::nullopt;
  if (module && options.verify) log_debug("verified");
  return module;
}

}  // namespace mlgc

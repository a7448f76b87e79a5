// Programs from text, for tests of passes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "ir/module.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "pass/pipeline.h"
#include "support_catch.h"
#include "text/parser.h"
#include "text/printer.h"
#include "transforms/all_passes.h"

namespace mlgc::test {

inline Inferred infer(OpRef op, std::span<const Type> given, std::vector<Type>& types, DiagnosticEngine& diagnostics) {
  if (!has_inference(op.def())) return Inferred::Unknown;
  auto inferred = infer_types(op, {}, given);
  if (!inferred) {
    Diagnostic diagnostic = inferred.error();
    diagnostic.at = op.location();
    diagnostics.emit(diagnostic);
    return Inferred::Failed;
  }
  types = std::move(inferred).value();
  return Inferred::Yes;
}

// The text is that of a module's body. It must be correct.
inline Module parse(const std::shared_ptr<Context>& context, std::string_view text, bool any_order = false) {
  DiagnosticEngine diagnostics(context->locations());
  const SourceFile& file = context->locations().add_source("test.mlir", std::string(text));
  auto module = parse_module(context, file, diagnostics, {.infer = infer, .any_order = any_order});
  INFO(text);
  INFO(render_text(diagnostics));
  REQUIRE(module.has_value());
  return std::move(*module);
}

struct Run {
  Module module;
  bool ok = false;
  std::string messages;
  std::string statistics;
};

// Parses and runs the pipeline, with every check on.
inline Run run(std::string_view pipeline, std::string_view text, Numerics numerics = Numerics::LikeEager) {
  const std::shared_ptr<Context> context = make_context();
  Run run{parse(context, text), false, "", ""};
  DiagnosticEngine diagnostics(context->locations());
  auto parsed = parse_pipeline(pipeline, all_passes());
  REQUIRE(parsed.ok());
  PassManager manager(*context, {.check_changed = true, .statistics = true, .numerics = numerics});
  run.ok = manager.run(run.module, *parsed, diagnostics);
  run.messages = render_text(diagnostics);
  run.statistics = manager.statistics_text();
  return run;
}

// What the pipeline makes of a text, with values renumbered by the printer.
inline std::string after(std::string_view pipeline, std::string_view text, Numerics numerics = Numerics::LikeEager) {
  Run result = run(pipeline, text, numerics);
  INFO(result.messages);
  REQUIRE(result.ok);
  return print(result.module);
}

// The text as the printer writes it.
inline std::string canonical(std::string_view text) { return print(parse(make_context(), text)); }

}  // namespace mlgc::test

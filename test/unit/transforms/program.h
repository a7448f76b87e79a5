// Programs from text, for tests of passes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "parsed_module.h"
#include "pass/pass_manager.h"
#include "pass/pipeline.h"
#include "transforms/all_passes.h"

namespace mlgc::test {

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

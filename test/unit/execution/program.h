// Texts of ir-samples as modules, for tests that stand for a C++ program without a command line.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "diag/render.h"
#include "import/load_module.h"
#include "ir/module.h"
#include "ops/op_table.h"
#include "support/file.h"
#include "support_catch.h"

namespace mlgc::test {

// Nothing that a test compiles is kept.
struct NoCache {
  NoCache() { setenv("MLGC_CACHE", "off", 1); }
};

// The text must be correct.
inline Module loaded(const std::string& name, std::string text) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations());
  auto module = load_module(context, context->locations().add_source(name, std::move(text)), diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(module.has_value());
  return *std::move(module);
}

inline Module sample(const std::string& name) {
  auto text = read_file(std::string(MLGC_SAMPLES) + "/" + name);
  REQUIRE(text.ok());
  return loaded(name, *std::move(text));
}

}  // namespace mlgc::test

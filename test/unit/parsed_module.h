// Modules from text, of the graph or of the loop level, for tests of what works on modules.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/render.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/module.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "text/parser.h"
#include "text/printer.h"

namespace mlgc::test {

// As the driver infers: types that depend on data are stated.
inline Inferred infer_with_facts(OpRef op, std::span<const Type> given, std::vector<Type>& types,
                                 DiagnosticEngine& diagnostics) {
  if (!has_inference(op.def())) return Inferred::Unknown;
  FunctionFacts facts;
  auto inferred = infer_types(op, facts.of(op), given);
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
  auto module = parse_module(context, file, diagnostics, {.infer = infer_with_facts, .any_order = any_order});
  INFO(text);
  INFO(render_text(diagnostics));
  REQUIRE(module.has_value());
  return std::move(*module);
}

// A module whose values and ops are asked for by name.
struct ParsedModule {
  explicit ParsedModule(std::string_view text) : context(make_context()), module(parse(context, text)) {}
  ParsedModule(std::shared_ptr<Context> given, std::string_view text)
      : context(std::move(given)), module(parse(context, text)) {}

  [[nodiscard]] OpRef func(std::string_view name = "f") const { return find_function(module, name).op(); }
  // The first of that name in the program: a result, or an argument of a region.
  [[nodiscard]] Value value(std::string_view name) const {
    Value found;
    walk(module, [&](OpRef op) {
      const auto take = [&](Value v) {
        if (!found.valid() && v.name() == name) found = v;
      };
      for (const Value v : op.results()) take(v);
      for (const RegionRef region : op.regions())
        for (const Value v : region.arguments()) take(v);
    });
    INFO(name);
    REQUIRE(found.valid());
    return found;
  }
  // The op that defines it.
  [[nodiscard]] OpRef op(std::string_view name) const {
    const OpRef definer = value(name).definer();
    REQUIRE(definer.valid());
    return definer;
  }
  // The n-th op of that row in the program.
  [[nodiscard]] OpRef nth(std::string_view row, std::size_t n = 0) const {
    OpRef found;
    walk(module, [&](OpRef op) {
      if (op.name() == row && n-- == 0 && !found.valid()) found = op;
    });
    INFO(row);
    REQUIRE(found.valid());
    return found;
  }
  [[nodiscard]] IndexExpr size(std::string_view symbol) const { return context->index().symbol(symbol); }
  [[nodiscard]] std::string text() const { return print(module); }

  std::shared_ptr<Context> context;
  Module module;
};

}  // namespace mlgc::test

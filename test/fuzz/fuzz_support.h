// What the fuzz targets share: a failed property ends the process, so that libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "diag/render.h"
#include "ir/function.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "text/parser.h"

namespace mlgc::fuzz {

[[noreturn]] inline void fail(std::string_view property, std::string_view details = {}) {
  std::fprintf(stderr, "broken property: %.*s\n%.*s\n", static_cast<int>(property.size()), property.data(),
               static_cast<int>(details.size()), details.data());
  std::abort();
}

inline void expect(bool holds, std::string_view property, std::string_view details = {}) {
  if (!holds) fail(property, details);
}

// Inference through the op table, under the constraints of the enclosing function.
inline InferFunction row_inference() {
  return [](OpRef op, std::span<const Type> stated, std::vector<Type>& types, DiagnosticEngine& diagnostics) {
    Context& context = op.module().context();
    if (!has_inference(context.def(op.opcode()))) return Inferred::Unknown;
    OpRef function = op;
    while (function.valid() && !function.is(GraphOp::Func)) function = function.parent_op();
    const Facts facts = function.valid() ? to_facts(constraints_of(function), context.index()) : Facts();
    auto inferred = infer_types(op, facts, stated);
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

// A text read with the real op table in a context of its own.
struct Reading {
  std::shared_ptr<Context> context = make_context();
  const SourceFile& file;
  DiagnosticEngine diagnostics;
  std::optional<Module> module;

  explicit Reading(std::string text, bool any_order = false)
      : file(context->locations().add_source("input.mlir", std::move(text))), diagnostics(context->locations()) {
    ParseOptions options;
    options.infer = row_inference();
    options.any_order = any_order;
    module = parse_module(context, file, diagnostics, options);
  }
  [[nodiscard]] std::string errors() const { return render_text(diagnostics); }
};

}  // namespace mlgc::fuzz

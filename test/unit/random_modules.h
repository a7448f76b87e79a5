// Modules that a pass made of random programs: whether they are sound, and what they compute.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/draw_inputs.h"
#include "interp/interpret_module.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "transforms/program.h"
#include "verify/verify.h"

namespace mlgc::test {

inline std::map<std::string, std::size_t> ops_by_name(const Module& module) {
  std::map<std::string, std::size_t> out;
  walk(module, [&](OpRef op) { ++out[std::string(op.name())]; });
  return out;
}

// The same without some rows.
template <class Names>
std::map<std::string, std::size_t> ops_by_name_but(const Module& module, const Names& left_out) {
  std::map<std::string, std::size_t> out = ops_by_name(module);
  for (const auto& name : left_out) out.erase(std::string(name));
  return out;
}

inline void require_sound(const Module& module) {
  DiagnosticEngine diagnostics(module.context().locations());
  const bool sound = verify(module, diagnostics);
  INFO(render_text(diagnostics));
  INFO(print(module));
  REQUIRE(module.check_store().empty());
  REQUIRE(sound);
  // The text is that of the same program.
  const std::string text = print(module);
  const SourceFile& file = module.context().locations().add_source("again.mlir", text);
  const auto again = parse_module(module.shared_context(), file, diagnostics, {.infer = infer_with_facts});
  INFO(render_text(diagnostics));
  REQUIRE(again);
  REQUIRE(print(*again) == text);
}

inline std::string outcome(Module& module, std::string_view function, const Draw& draw) {
  const auto outputs = interpret(module, function, draw.inputs, draw.data, {.precision = Precision::Native});
  if (!outputs) return "fails";
  std::string out;
  const auto add = [&](const Tensor& t) {
    for (const std::int64_t d : t.shape()) out += std::to_string(d) + "x";
    out += std::string(dtype_info(t.dtype()).name) + ":";
    const auto bytes = t.bytes();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  for (const Tensor& t : outputs->results) add(t);
  for (const auto& t : outputs->updates) add(t.second);
  return out;
}

}  // namespace mlgc::test

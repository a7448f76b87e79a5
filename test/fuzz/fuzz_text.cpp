// Any bytes as a text, in order or not: a module or located errors; what is a module prints in both forms, reads back
// as the same text and the same structural hash; formatting keeps the meaning and is done after one round; the verifier
// accepts it or says where it is wrong; what verifies goes through the standard passes, truthfully, and verifies
// afterwards.
#include <cstdint>

#include "fuzz_support.h"
#include "ir/structural_hash.h"
#include "ir/topological_order.h"
#include "pass/pass_manager.h"
#include "text/format.h"
#include "text/printer.h"
#include "transforms/all_passes.h"
#include "transforms/pipelines.h"
#include "verify/verify.h"

namespace mlgc::fuzz {
namespace {

void check_round_trip(const Module& module, const PrintOptions& options) {
  const std::string printed = print(module, options);
  const Reading again(printed);
  expect(again.module.has_value(), "what is printed reads back", printed + again.errors());
  const std::string twice = print(*again.module, options);
  expect(twice == printed, "print(parse(print(m))) == print(m)", printed + "\n----\n" + twice);
  expect(structural_hash(*again.module) == structural_hash(module), "parse(print(m)) has the hash of m", printed);
}

void expect_places(const DiagnosticEngine& diagnostics, const LocationTable& locations) {
  for (const Diagnostic& d : diagnostics.sorted())
    expect(locations.primary_position(d.at).has_value(), "errors have a place", d.message());
}

void check_passes(Module module) {
  // Bounds the time of one run; programs of this size reach everything that longer ones do.
  constexpr std::size_t kMostOps = 1000;
  if (module.op_count() > kMostOps) return;
  Context& context = module.context();
  const std::string all = std::string(find_pipeline("O2")->text) + ",simplify-control-flow{unroll=4},expand";
  const auto pipeline = parse_pipeline(all, all_passes());
  expect(pipeline.ok(), "the pipeline is one");
  const std::string before = print(module, {TextForm::Pretty, false});
  PassManager manager(context, {.verify_each = true, .check_changed = true, .verify = verify});
  DiagnosticEngine diagnostics(context.locations());
  expect(manager.run(module, *pipeline, diagnostics), "passes keep a module that verifies",
         before + render_text(diagnostics));
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) check_round_trip(module, {form, false});
}

void check_verification(const Module& module) {
  DiagnosticEngine diagnostics(module.context().locations());
  const bool verified = verify(module, diagnostics);
  expect(verified != diagnostics.has_errors(), "a module verifies, or there are errors");
  expect_places(diagnostics, module.context().locations());
  (void)render_text(diagnostics);
  if (verified) check_passes(module);
}

// Text whose values are used before their definition.
void check_any_order(const std::string& text) {
  Reading reading(text, true);
  expect(reading.module.has_value() != reading.diagnostics.has_errors(), "a module or errors");
  if (!reading.module) return;
  DiagnosticEngine diagnostics(reading.context->locations());
  if (!verify_in_any_order(*reading.module, diagnostics)) return;
  const TopologicalOrder order(reading.module->top());
  if (!order.cycles().empty()) return;  // memory may leave values no order
  order.apply();
  const std::string damage = reading.module->check_store();
  expect(damage.empty(), "the store of a sorted module is consistent", damage);
  expect(TopologicalOrder(reading.module->top()).sorted(), "what was sorted is sorted");
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) check_round_trip(*reading.module, {form, false});
  check_verification(*reading.module);
}

void check_text(const std::string& text) {
  const Reading reading(text);
  expect(reading.module.has_value() != reading.diagnostics.has_errors(), "a module or errors");
  expect_places(reading.diagnostics, reading.context->locations());
  (void)reading.errors();
  (void)render_json(reading.diagnostics);
  if (!reading.module) return check_any_order(text);

  const std::string damage = reading.module->check_store();
  expect(damage.empty(), "the store is consistent", damage);
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) {
    check_round_trip(*reading.module, {form, false});
    check_round_trip(*reading.module, {form, true});
  }

  LocationTable locations;
  DiagnosticEngine diagnostics(locations);
  const auto formatted = format_text(locations, locations.add_source("input.mlir", text), diagnostics);
  expect(formatted.has_value(), "what parses can be formatted", render_text(diagnostics));
  expect(format_text(locations, locations.add_source("formatted.mlir", *formatted), diagnostics) == formatted,
         "format(format(t)) == format(t)", *formatted);
  const Reading parsed(*formatted);
  expect(parsed.module.has_value(), "a formatted program parses", *formatted);
  expect(structural_hash(*parsed.module) == structural_hash(*reading.module), "formatting keeps the program",
         *formatted);
  check_verification(*reading.module);
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

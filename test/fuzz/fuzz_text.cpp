// Any bytes as a text: a module or located errors; what is a module prints in both forms, reads back as the same text
// and the same structural hash; formatting keeps the meaning and is done after one round.
#include <cstdint>

#include "fuzz_support.h"
#include "ir/structural_hash.h"
#include "text/format.h"
#include "text/printer.h"

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

void check_text(const std::string& text) {
  const Reading reading(text);
  expect(reading.module.has_value() != reading.diagnostics.has_errors(), "a module or errors");
  for (const Diagnostic& d : reading.diagnostics.sorted())
    expect(reading.context->locations().primary_position(d.at).has_value(), "errors have a place", d.message());
  (void)reading.errors();
  (void)render_json(reading.diagnostics);
  if (!reading.module) return;

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
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

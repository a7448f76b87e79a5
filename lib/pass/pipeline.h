// A pipeline: passes with their options, in order; and its text form.
//
//     canonicalize,cse,dce{keep-asserts=false}
//     replace-op{from=relu to=leaky_relu attributes={negative_slope = 0.1}}
//
// pipeline = [ pass { "," pass } ] ; pass = name [ "{" { option } "}" ] ; option = name "=" value.
// Options are separated by blanks, or commas followed by blanks. A value is a run of characters other than blanks, in
// which quotes and brackets of any kind enclose blanks too; a text that needs it stands in quotes (option_text.h).
// Blanks and line breaks may stand between all parts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "pass/order.h"
#include "pass/pass.h"
#include "support/result.h"

namespace mlgc {

struct PassStep {
  const PassDef* pass = nullptr;
  std::shared_ptr<const void> options;  // the pass's options struct
  Location at;                          // in the pipeline text; unknown when that is not in a location table
};

struct Pipeline {
  std::vector<PassStep> steps;
  std::vector<Diagnostic> warnings;  // order advice that was not followed

  // Canonical text: options that differ from their defaults, or all of them. Parses back to an equal pipeline.
  [[nodiscard]] std::string print(bool with_defaults = false) const;
};
[[nodiscard]] std::string print(const PassStep& step, bool with_defaults = false);

// Parses the text, checks options, stages and order facts. With a table the error is located in the text, which the
// table then holds under `source_name`; without one it has no location.
[[nodiscard]] Result<Pipeline, Diagnostic> parse_pipeline(std::string_view text, std::span<const PassDef* const> passes,
                                                          LocationTable* locations = nullptr,
                                                          std::string_view source_name = "<pipeline>");

// One pass with options as between the braces: for flags `--dce` and `--dce=keep-asserts=false`.
[[nodiscard]] Result<PassStep, Diagnostic> make_step(const PassDef& pass, std::string_view options = "");

// Checks stages and order facts of steps that were put together by hand; adds to `warnings`.
[[nodiscard]] Status<Diagnostic> check_pipeline(Pipeline& pipeline, std::span<const OrderFact> facts = order_facts());

}  // namespace mlgc

// Any bytes as a text: what reads and verifies is differentiated in reverse and forward mode, split into a forward and
// a backward function, and made into a training step with a loss. Each gives a module that verifies after every pass
// and reads back as the same text, or errors that have a place.
#include <cstdint>
#include <vector>

#include "autodiff/loss.h"
#include "autodiff/named_results.h"
#include "diag/kinds_pass.h"
#include "fuzz_support.h"
#include "loopir/functions.h"
#include "pass/option_text.h"
#include "pass/pass_manager.h"
#include "text/printer.h"
#include "transforms/all_passes.h"
#include "verify/verify.h"

namespace mlgc::fuzz {
namespace {

// Bound the time of one run.
constexpr std::size_t kMostOps = 200, kMostFunctions = 3;

void check_pipeline(Module module, const std::string& text, const std::string& program) {
  const auto pipeline = parse_pipeline(text, all_passes());
  expect(pipeline.ok(), "the pipeline is one", text);
  Context& context = module.context();
  DiagnosticEngine diagnostics(context.locations());
  PassManager manager(context, {.verify_each = true, .check_changed = true, .verify = verify});
  if (!manager.run(module, *pipeline, diagnostics)) {
    expect(diagnostics.has_errors(), "a pass that fails says why", program + text);
    for (const Diagnostic& d : diagnostics.sorted()) {
      const bool located = context.locations().primary_position(d.at).has_value() || d.kind == &kBadPassOption;
      expect(located, "errors have a place", program + text + "\n" + d.message());
      expect(d.kind->exit != ExitCode::Internal, "no error is internal", program + text + "\n" + d.message());
    }
    (void)render_text(diagnostics);
    return;
  }
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) {
    const std::string printed = print(module, {form, false});
    const Reading again(printed);
    expect(again.module.has_value(), "what is printed reads back", program + text + "\n" + printed + again.errors());
    expect(print(*again.module, {form, false}) == printed, "print(parse(print(m))) == print(m)", printed);
  }
}

void check_function(const Module& module, const FuncRef& function, const std::string& program) {
  constexpr std::string_view kStraight = "inline{segments=true fusions=true},", kTidy = ",canonicalize,cse,dce";
  const std::string of_it = "function=" + option_text(function.name());
  const std::string made = free_symbol(module, std::string(function.name()) + "_made");
  const std::string named = " name=" + option_text(made);
  const auto check = [&](const std::string& passes) {
    check_pipeline(module, std::string(kStraight) + passes + std::string(kTidy), program);
  };
  check("grad{" + of_it + named + " seed=true},split-gradient{function=" + option_text(made) +
        " results=" + std::to_string(function.result_count()) + " cotangents=1}");
  check("jvp{" + of_it + named + "}");
  for (const std::string_view loss : known_losses())
    check("attach-loss{" + of_it + named + " loss=" + std::string(loss) +
          "},training-step{function=" + option_text(made) + " optimiser=adam}");
}

void check_text(const std::string& text) {
  const Reading reading(text);
  if (!reading.module || reading.module->op_count() > kMostOps) return;
  DiagnosticEngine diagnostics(reading.context->locations());
  if (!verify(*reading.module, diagnostics)) return;
  const std::string program = print(*reading.module, {TextForm::Pretty, false});
  std::size_t count = 0;
  for (const FuncRef& function : functions(*reading.module))
    if (!is_loop_function(function.op()) && ++count <= kMostFunctions)
      check_function(*reading.module, function, program);
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

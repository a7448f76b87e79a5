// Dumps of the program around passes.
#include "pass/instrumentation.h"

#include <algorithm>
#include <utility>

namespace mlgc {

void PassInstrumentation::before_pass(const PassStep&, std::size_t, const Module&) {}
void PassInstrumentation::after_pass(const PassStep&, std::size_t, PassResult, const Module&) {}

PrintIr::PrintIr(PrintIrOptions options, Printer printer, Sink sink)
    : options_(std::move(options)), printer_(std::move(printer)), sink_(std::move(sink)) {}

void PrintIr::before_pass(const PassStep& step, std::size_t, const Module& module) {
  const auto& names = options_.before;
  if (options_.before_all || std::find(names.begin(), names.end(), step.pass->name) != names.end())
    dump("Before", step, "", module);
}

void PrintIr::after_pass(const PassStep& step, std::size_t, PassResult result, const Module& module) {
  const auto& names = options_.after;
  const bool asked = options_.after_all || std::find(names.begin(), names.end(), step.pass->name) != names.end();
  if (result == PassResult::Failed) {
    if (asked || options_.after_failure) dump("After", step, " Failed", module);
    return;
  }
  // Alone, after_change asks for every pass that changed something; beside others it narrows what they ask for.
  const bool everything = options_.after_change && names.empty();
  if (options_.after_change && result == PassResult::Unchanged) return;
  if (asked || everything) dump("After", step, "", module);
}

void PrintIr::dump(std::string_view when, const PassStep& step, std::string_view outcome, const Module& module) {
  std::string text = "// -----// IR Dump " + std::string(when) + " " + std::string(step.pass->name) +
                     std::string(outcome) + " //----- //\n";
  text += printer_(module);
  if (text.back() != '\n') text += '\n';
  sink_(text);
}

}  // namespace mlgc

// Hooks around passes, and the one that prints the program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pass/pipeline.h"

namespace mlgc {

class PassInstrumentation {
 public:
  virtual ~PassInstrumentation() = default;
  // `number` counts the steps of the pipeline from 0.
  virtual void before_pass(const PassStep& step, std::size_t number, const Module& module);
  // Also when the pass failed, or broke the module: then `result` is Failed.
  virtual void after_pass(const PassStep& step, std::size_t number, PassResult result, const Module& module);
};

struct PrintIrOptions {
  bool before_all = false, after_all = false, after_change = false, after_failure = false;
  std::vector<std::string> before, after;  // names of passes
  [[nodiscard]] bool any() const {
    return before_all || after_all || after_change || after_failure || !before.empty() || !after.empty();
  }
};

// Writes `// -----// IR Dump After cse //----- //` and the module. With after_change, passes that changed nothing are
// left out whatever else is asked for.
class PrintIr : public PassInstrumentation {
 public:
  using Printer = std::function<std::string(const Module&)>;
  using Sink = std::function<void(std::string_view)>;
  PrintIr(PrintIrOptions options, Printer printer, Sink sink);
  void before_pass(const PassStep& step, std::size_t number, const Module& module) override;
  void after_pass(const PassStep& step, std::size_t number, PassResult result, const Module& module) override;

 private:
  void dump(std::string_view when, const PassStep& step, std::string_view outcome, const Module& module);
  PrintIrOptions options_;
  Printer printer_;
  Sink sink_;
};

}  // namespace mlgc

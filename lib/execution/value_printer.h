// What a run of the interpreter computes, value by value, as text or JSON.
//
//     %y = linear : 2x4xf32
//     [[…]]
//     %s = add : f32 in @helper, for %acc[2]
//     0.5
//
// in the order of execution: arguments of a region when it is entered, results of an op after what its regions compute.
// `in` names the regions around it (check/run_path.h). As JSON each value is an object on a line of its own. Of a loop
// that runs more often than is asked for, a line after it says how many iterations were left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/run_path.h"
#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc {

struct ValuePrinterOptions {
  bool json = false;
  std::int64_t iterations = 10;  // of each run of a loop, the first ones; 0: all
  std::string more = {};         // after the count of iterations left out, as text: how to see them
  // Gets the text, some of it at a time. Error: what could not be written; nothing more is then.
  std::function<Status<>(std::string_view)> write;
};

class ValuePrinter {
 public:
  // `names`, with their %, are those of the printed module; none: all of its values. Error: kUnknownValue.
  [[nodiscard]] static Result<ValuePrinter, Diagnostic> make(const Module& module,
                                                             const std::vector<std::string>& names,
                                                             const ValuePrinterOptions& options);

  // From now on a run with these options is printed. The printer must stay where it is meanwhile.
  void watch(InterpretOptions& options);
  // Writes what is left; also after a run that failed. Error: what could not be written.
  [[nodiscard]] Status<> finish();

 private:
  ValuePrinter(const Module& module, const ValuePrinterOptions& options) : options_(options), path_(module) {}

  void enter(RegionRef region, std::span<const Tensor> arguments);
  void leave(OpRef op);
  void show(Value value, std::string_view op, const Tensor& tensor);
  void show_left_out(OpRef loop);
  void flush();

  ValuePrinterOptions options_;
  RunPath path_;
  std::unordered_set<ValueId> wanted_;
  std::optional<std::size_t> hidden_;                     // the first level of the path that is not printed
  std::vector<std::pair<OpRef, std::int64_t>> left_out_;  // loops that are running, and iterations
  std::string out_;
  Status<> written_;
};

}  // namespace mlgc

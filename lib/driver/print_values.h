// --print-values: what a run of the interpreter computes, value by value.
//
//     %y = linear : 2x4xf32
//     [[…]]
//     %s = add : f32 in @helper, for %acc[2]
//     0.5
//
// in the order of execution: arguments of a region when it is entered, results of an op after what its regions compute.
// `in` names the regions around it, from the outermost: a callee, or an op by its first result, with the number of the
// iteration. As JSON each value is an object on a line of its own.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/console.h"
#include "interp/interpret_module.h"
#include "ir/module.h"

namespace mlgc {

class ValuePrinter {
 public:
  // `names`, with their %, are those of the printed module; none: all of its values. Error: kUnknownValue.
  [[nodiscard]] static Result<ValuePrinter, Diagnostic> make(const Module& module,
                                                             const std::vector<std::string>& names,
                                                             ReportFormat format);

  // From now on a run with these options is printed on standard output. The printer must stay where it is meanwhile.
  void watch(InterpretOptions& options);
  // Writes what is left; also after a run that failed. Error: what could not be written.
  [[nodiscard]] Status<> finish();

 private:
  // A region that is being run.
  struct Level {
    RegionRef region;
    std::string text;
    std::unordered_map<RegionId, std::int64_t> entered;  // regions of its ops, while the op runs
  };

  explicit ValuePrinter(ReportFormat format) : format_(format) {}

  void enter(RegionRef region, std::span<const Tensor> arguments);
  void leave_to(RegionRef region);
  [[nodiscard]] std::string level_text(RegionRef region, std::int64_t number) const;
  void show(Value value, std::string_view op, const Tensor& tensor);
  void flush();

  ReportFormat format_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_set<ValueId> wanted_;
  std::vector<Level> levels_;
  std::string out_;
  Status<> written_;
};

}  // namespace mlgc

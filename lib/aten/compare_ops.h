// Holds every op that the interpreter runs against ATen, on the operands that it runs on.
//
// Guarantees
//   - The interpreter goes on from its own results, so one difference does not cause another.
//   - "Agrees" is agrees() of lib/tensor. The reference is LibTorch in f64 on the same operands; eager is LibTorch in
//     their own dtype. Differences that are understood and accepted are in one table, with reasons.
//   - Every op that computes by a formula is compared, or counted with the reason why not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "plugin/plugin.h"

namespace mlgc {

struct OpComparisonCounts {
  std::uint64_t ops = 0;                                       // that ran
  std::uint64_t agree = 0;                                     // all their results
  std::uint64_t refused = 0;                                   // by both sides
  std::map<std::string, std::uint64_t, std::less<>> rows;      // compared ones, by row
  std::map<std::string, std::uint64_t, std::less<>> known;     // differences, by `row: reason`
  std::map<std::string, std::uint64_t, std::less<>> wider;     // LibTorch refuses, by `row: its message`
  std::map<std::string, std::uint64_t, std::less<>> left_out;  // not compared, by `row: reason`
};

class OpComparison {
 public:
  explicit OpComparison(const TorchPlugin& plugin) : plugin_(plugin) {}
  OpComparison(const OpComparison&) = delete;
  OpComparison& operator=(const OpComparison&) = delete;

  // For one or more runs of interpret() in native precision. Refers to this object.
  [[nodiscard]] InterpretOptions options();

  [[nodiscard]] const OpComparisonCounts& counts() const { return counts_; }
  // What differed since the last call, located at the op; `inputs` and `program` go into a note.
  [[nodiscard]] std::vector<Diagnostic> take_differences(std::string_view inputs, std::string_view program);

 private:
  struct Found {
    Diagnostic diagnostic;
    std::string operands;
  };
  using Results = Result<std::vector<std::optional<Tensor>>>;

  OpResults compare(const OpRun& run, const std::function<OpResults()>& own);
  void compare_results(const OpRun& run, std::string_view aten, const std::vector<Tensor>& mine, const Results& eager,
                       const std::vector<std::optional<Tensor>>& exact);
  // Whether each element is one that LibTorch gives in f64 for operands that lie within rounding of these: backward
  // error (Higham, "Accuracy and Stability of Numerical Algorithms", 1.5). Where terms cancel no algorithm does better.
  // For results in f64 they lie within as many roundings as an element has terms.
  [[nodiscard]] bool is_rounding_of_operands(const OpRun& run, const Tensor& mine, const Tensor& reference,
                                             const Tensor* eager, std::size_t result) const;
  void report(const OpRun& run, Diagnostic diagnostic);

  const TorchPlugin& plugin_;
  OpComparisonCounts counts_;
  std::vector<Found> found_;
};

}  // namespace mlgc

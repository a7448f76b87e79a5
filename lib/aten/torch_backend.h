// LibTorch as the back end of a run: every op that has a counterpart in ATen computes there, one call for each op, as
// eager PyTorch does. The interpreter walks the program and computes what is left.
//
// Guarantees
//   - Results are those of ATen and have the types of the ops, or the interpreter computes the op.
//   - Every op that the interpreter computed is counted, with the reason.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "plugin/plugin.h"

namespace mlgc {

class TorchBackend {
 public:
  explicit TorchBackend(const TorchPlugin& plugin) : plugin_(plugin) {}
  TorchBackend(const TorchBackend&) = delete;
  TorchBackend& operator=(const TorchBackend&) = delete;

  // For one or more runs of interpret() in native precision. Refers to this object.
  [[nodiscard]] InterpretOptions options();

  // What the interpreter ran since the object was made; nothing when that is nothing.
  [[nodiscard]] std::optional<Diagnostic> note() const;

 private:
  OpResults run(const OpRun& run, const std::function<OpResults()>& own);
  // The results when they are there and have the op's types. Error: why not.
  [[nodiscard]] Result<std::vector<Tensor>> call(const OpRun& run) const;

  const TorchPlugin& plugin_;
  std::uint64_t called_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> left_;  // by `row`, or `row (reason)`
};

}  // namespace mlgc

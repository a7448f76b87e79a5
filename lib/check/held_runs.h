// Runs of one function for differences: what its `stop`s hold stays as it is at the inputs that were given first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/interpret_module.h"
#include "ir/function_facts.h"

namespace mlgc {

// In Precision::F64. The operands of ops with `stop` are recorded in the first run, in execution order, and reused in
// every other run.
class HeldRuns {
 public:
  HeldRuns(const Module& module, std::string_view function, std::int64_t max_trips)
      : module_(module), context_(module_.context()), function_(function), max_trips_(max_trips) {}

  Result<Outputs, Diagnostic> first(std::span<const Tensor> inputs, const ModuleData& data);
  // The op of which two writes collided in the first run, if any.
  [[nodiscard]] const std::string& colliding() const { return colliding_; }
  // Nothing when the run fails, or takes another way.
  std::optional<Outputs> again(std::span<const Tensor> inputs, const ModuleData& data);

 private:
  template <class Around>
  Result<Outputs, Diagnostic> run(std::span<const Tensor> inputs, const ModuleData& data, const Around& around);
  const std::optional<Formula>& held_of(const OpRun& run);  // hold_stops() of the op's formula
  void look_for_collisions(const OpRun& run);
  Formula formula_of(const OpRun& run);

  Module module_;
  Context& context_;
  std::string function_;
  std::int64_t max_trips_;
  FunctionFacts facts_;
  std::unordered_map<OpId, std::optional<Formula>> formulas_;
  std::vector<std::pair<OpId, std::vector<Tensor>>> held_;
  std::string colliding_;
};

}  // namespace mlgc

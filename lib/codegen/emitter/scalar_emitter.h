// Private to lib/codegen: scalar ops, in one lane or in all of them.
//
// A variable holds a 16-bit float as f32. What is only loaded and stored would be widened and rounded again, and what
// is rounded and stored rounded twice: where every use is a store, the variable holds the bits as they lie in memory.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/emitter/half_results.h"
#include "codegen/emitter/lane_scope.h"

namespace mlgc::codegen {

class ScalarEmitter : private EmitterPart {
 public:
  ScalarEmitter(FunctionWriter& writer, LaneScope& lanes, PrivateBuffers& own)
      : EmitterPart(writer), lanes_(lanes), half_results_(writer, own) {}

  void scalar(OpRef op);
  void literal(LiteralRef literal, bool as_variable);
  void fma(FmaRef op);
  void bits(BitsRef op);
  ValueText expression(ExprId e, const std::vector<ValueText>& operands);
  // Ends the function with an error if the condition holds in an active lane.
  void fail_if(const ValueText& condition, const std::string& message, const std::vector<SourceText>& values);

  [[nodiscard]] bool is_kept_as_bits(Value v) const;
  [[nodiscard]] ValueText as_bits(const ValueText& value, Dtype dtype) const;
  // The value was loaded as a number of the dtype.
  void note_loaded(Value v, Dtype dtype) {
    halves_.insert_or_assign(v.id(), Halves{dtype == Dtype::F16, dtype == Dtype::BF16});
  }

 private:
  // Of which 16-bit floats a number is one.
  struct Halves {
    bool f16 = false, bf16 = false;
    [[nodiscard]] bool has(Dtype half) const { return half == Dtype::F16 ? f16 : bf16; }
    [[nodiscard]] Halves and_also(Halves other) const { return {f16 && other.f16, bf16 && other.bf16}; }
  };
  [[nodiscard]] bool shares_divisor(OpRef op) const;
  std::optional<ValueText> short_index(OpRef op);
  [[nodiscard]] Halves halves_of(ExprId e, OpRef op) const;
  static Halves halves_of(Dtype dtype, double number);
  [[nodiscard]] Halves halves_of(Value v) const;
  [[nodiscard]] bool is_rounded_later(Value v) const;
  [[nodiscard]] bool is_one_plus_erf(OpRef sum) const;
  [[nodiscard]] bool is_in_one_plus_erf(Value v);
  [[nodiscard]] bool keeps_halves(ExprId e, std::size_t argument) const;
  std::optional<ValueText> rounded(OpRef op, ExprId e, const std::vector<ValueText>& operands);

  LaneScope& lanes_;
  HalfResults half_results_;
  bool for_halves_ = false;      // of the expression that is being emitted
  bool shares_divisor_ = false;  // of the op that is being emitted
  std::unordered_map<ValueId, Halves> halves_;
};

}  // namespace mlgc::codegen

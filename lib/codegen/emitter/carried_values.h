// Private to lib/codegen: the variables that hold what loops carry.
#pragma once

#include <vector>

#include "codegen/emitter/lane_scope.h"
#include "codegen/emitter/scalar_emitter.h"

namespace mlgc::codegen {

class CarriedValues : private EmitterPart {
 public:
  CarriedValues(FunctionWriter& writer, LaneScope& lanes) : EmitterPart(writer), lanes_(lanes) {}

  // Declares the variables with their initial values.
  std::vector<SourceText> start_carried(ForRef loop);
  // Declares the accumulators of a loop that reduces by lanes, each of which starts neutral.
  std::vector<SourceText> start_lanes(ForRef loop, int lanes);
  // Likewise of a loop whose lanes take several iterations at a time: arrays with an accumulator for each of these.
  std::vector<SourceText> start_neighbours(ForRef loop);
  // Declares the accumulators of one of these iterations.
  std::vector<SourceText> accumulators_of(ForRef loop, const std::vector<SourceText>& arrays,
                                          const SourceText& neighbour);
  // Combines the elements of each array in halves; what is left of each.
  std::vector<SourceText> combine_neighbours(ForRef loop, const std::vector<SourceText>& arrays,
                                             ScalarEmitter& scalars);
  // What combines two of them, over two operands.
  static ExprId combination(ForRef loop, std::size_t i);
  // Assigns what the body yields, in lanes of the mask.
  void carry_on(ForRef loop, const std::vector<SourceText>& carried, const SourceText& mask);
  // All at once: what would be overwritten first is saved.
  void assign(const std::vector<SourceText>& to, const std::vector<Dtype>& dtypes, std::vector<ValueText> values);

 private:
  // What an accumulator starts with.
  ValueText neutral(ForRef loop, std::size_t i);
  LaneScope& lanes_;
};

}  // namespace mlgc::codegen

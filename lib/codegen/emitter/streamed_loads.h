// Private to lib/codegen: what sums of products read once and in order is fetched before it is read.
//
// Rows of a weight that are added side by side are streams of memory. Hardware prefetchers follow few of them, not over
// the end of a page, and begin anew with each row: eight rows of 1 KiB reach a third of the rate of one stream. So each
// load asks for what the same load reads some iterations of the rows later.
#pragma once

#include <set>
#include <utility>

#include "codegen/emitter/lane_scope.h"

namespace mlgc::codegen {

class StreamedLoads : private EmitterPart {
 public:
  StreamedLoads(FunctionWriter& writer, LaneScope& lanes) : EmitterPart(writer), lanes_(lanes) {}

  // In front of a load of neighbours at `pointer`: a statement where the load is one of a sum of products that no loop
  // around reads again.
  void before_load(OpRef load, const SourceText& pointer);

 private:
  std::int64_t elements_ahead(OpRef load);

  LaneScope& lanes_;
  std::set<std::pair<OpId, std::string>> fetched_;  // by the loop that holds the load
};

}  // namespace mlgc::codegen

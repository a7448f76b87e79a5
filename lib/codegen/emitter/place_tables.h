// Private to lib/codegen: places of lanes that are known while code is emitted, as tables in it.
//
// Such places follow from the index of the lanes alone, by quotients, remainders, minima and maxima, or are computed in
// floats.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/known_number.h"
#include "codegen/emitter/index_emitter.h"

namespace mlgc::codegen {

class OfIndex;  // place_tables.cpp

class PlaceTables : private EmitterPart {
 public:
  PlaceTables(FunctionWriter& writer, LaneScope& lanes, IndexEmitter& indices)
      : EmitterPart(writer), known(writer.context), lanes_(lanes), indices_(indices) {}

  std::unordered_map<ValueId, SourceText> in_memory;  // vectors of i64: where they were loaded from
  KnownNumbers known;

  bool is_known_inside(OpRef op, IndexExpr e, IndexExpr size);
  std::optional<LaneAccess> table_access(OpRef op, Value buffer);
  std::pair<IndexExpr, IndexExpr> parts_of_place(OpRef op, Value buffer);
  SourceText places_in_memory(OpRef op, IndexExpr varying);

 private:
  SourceText numbers(std::string_view type, std::string_view stem, const std::vector<std::int64_t>& values);
  OfIndex of_strip(OpRef op);

  LaneScope& lanes_;
  IndexEmitter& indices_;
};

}  // namespace mlgc::codegen

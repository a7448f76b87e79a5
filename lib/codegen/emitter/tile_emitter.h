// Private to lib/codegen: register tiles of products as calls of functions that the kernels of a file share
// (tile_function.h).
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "analysis/loop_access.h"
#include "codegen/emitter/access_emitter.h"
#include "codegen/emitter/loop_hints.h"

namespace mlgc::codegen {

struct SharedTile;  // tile_emitter.cpp
struct TileLoops;   // likewise

// Policy of this printer, the same for all machines: accumulators of a loop that make it a register tile.
inline constexpr std::size_t kFewestAccumulators = 4;

class TileEmitter : private EmitterPart {
 public:
  TileEmitter(FunctionWriter& writer, LaneScope& lanes, IndexEmitter& indices, RegisterBuffers& registers,
              AccessEmitter& accesses, LoopHints& hints)
      : EmitterPart(writer),
        lanes_(lanes),
        indices_(indices),
        registers_(registers),
        accesses_(accesses),
        hints_(hints) {}

  // Whether the value is what sums of register tiles start as, and nothing else.
  [[nodiscard]] bool starts_tiles(Value v) const;
  // The loops of a sum in registers, emitted as a call. False: they are something else, and nothing was emitted.
  bool call(ForRef loop);
  // Whether a call has done what the store would do.
  bool has_stored(OpRef store) { return stored_.erase(store.id()) > 0; }
  // The functions that were called, by name.
  [[nodiscard]] const std::map<std::string, std::string>& functions() const { return functions_; }

 private:
  [[nodiscard]] std::size_t fewest_sums() const;
  std::optional<SharedTile> find(ForRef loop);
  bool read_levels(LoopAccess& shown, SharedTile& tile);
  std::optional<std::pair<std::int64_t, std::int64_t>> counts_by_round(IndexExpr count, AtomId label,
                                                                       std::int64_t rounds);
  std::vector<OpRef> stores_of_tile(ForRef loop);
  IndexExpr place_over_loops(LoopAccess& shown, OpRef op);
  std::int64_t panel_ahead(LoopAccess& shown, const TileLoops& found);
  std::optional<IndexExpr> distance_between(LoopAccess& shown, const std::vector<OpRef>& accesses,
                                            const std::vector<ForRef>& loops);
  [[nodiscard]] bool is_of_symbols(IndexExpr e) const;

  LaneScope& lanes_;
  IndexEmitter& indices_;
  RegisterBuffers& registers_;
  AccessEmitter& accesses_;
  LoopHints& hints_;
  std::map<std::string, std::string> functions_;
  std::unordered_set<OpId> stored_;
};

}  // namespace mlgc::codegen

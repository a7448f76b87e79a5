// Private to lib/codegen: loads and stores.
#pragma once

#include <functional>
#include <optional>

#include "codegen/emitter/index_emitter.h"
#include "codegen/emitter/piece_accesses.h"
#include "codegen/emitter/place_tables.h"
#include "codegen/emitter/private_buffers.h"
#include "codegen/emitter/register_buffers.h"
#include "codegen/emitter/scalar_emitter.h"
#include "codegen/emitter/streamed_loads.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class AccessEmitter : private EmitterPart {
 public:
  AccessEmitter(FunctionWriter& writer, LaneScope& lanes, IndexEmitter& indices, RegisterBuffers& registers,
                PrivateBuffers& own, EarlyTests& tests, PieceAccesses& pieces, ScalarEmitter& scalars,
                ThreadBlock& block)
      : EmitterPart(writer),
        lanes_(lanes),
        indices_(indices),
        registers_(registers),
        own_(own),
        tests_(tests),
        pieces_(pieces),
        scalars_(scalars),
        block_(block),
        tables_(writer, lanes, indices),
        streams_(writer, lanes) {}

  void load(OpRef op);
  void store(OpRef op);
  // Tests what the text does not show of the subscripts. `fail` is given the condition under which one lies outside,
  // and what the failure says.
  using Fail = std::function<void(const ValueText&, const std::string&, const std::vector<SourceText>&)>;
  void test_subscripts(OpRef op, const Fail& fail);
  // How the lanes of the op lie in memory; nothing where the place is the same for all lanes.
  std::optional<LaneAccess> lane_access(OpRef op, Value buffer);

  // Loads are emitted where this holds or not: they read the first element where it does not. Empty: it holds.
  SourceText only_where;
  bool streams = false;  // a store of the function so far goes past the caches

 private:
  void check_subscripts(OpRef op);
  SourceText element(OpRef op, Value buffer);
  bool has_room(OpRef op, Value buffer);
  bool is_factor_in_place(OpRef load);

  LaneScope& lanes_;
  IndexEmitter& indices_;
  RegisterBuffers& registers_;
  PrivateBuffers& own_;
  EarlyTests& tests_;
  PieceAccesses& pieces_;
  ScalarEmitter& scalars_;
  ThreadBlock& block_;
  PlaceTables tables_;
  StreamedLoads streams_;
  std::optional<bool> chooses_stream_;  // whether a store of the function goes past the caches at some sizes
};

}  // namespace mlgc::codegen

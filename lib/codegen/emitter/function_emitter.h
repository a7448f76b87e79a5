// Private to lib/codegen: one function, from its ops to its text. Regions, branches and loops are emitted here, what
// they hold by the other emitters.
#pragma once

#include <optional>

#include <string>
#include <vector>

#include "codegen/emitter/access_emitter.h"
#include "codegen/emitter/carried_values.h"
#include "codegen/emitter/device_checks.h"
#include "codegen/emitter/grid_emitter.h"
#include "codegen/emitter/host_function_emitter.h"
#include "codegen/emitter/loop_hints.h"
#include "codegen/emitter/matrix_emitter.h"
#include "codegen/emitter/outliner.h"
#include "codegen/emitter/thread_loops.h"
#include "codegen/emitter/tile_emitter.h"
#include "codegen/print_function.h"

namespace mlgc::codegen {

// Members refer to each other: not copied, not moved.
class FunctionEmitter : private EmitterPart {
 public:
  explicit FunctionEmitter(FunctionWriter& writer);
  FunctionEmitter(const FunctionEmitter&) = delete;
  FunctionEmitter& operator=(const FunctionEmitter&) = delete;

  // A function over buffers; a function of one `mlgc_call`. Once.
  PrintedFunction run();
  PrintedFunction run_host_function();

  void region(RegionRef r);
  void op(OpRef op);
  void loop(OpRef op);
  void allocate(OpRef op);
  // Tests the places of these accesses.
  void test_places(std::span<const OpRef> accesses);

 private:
  [[nodiscard]] std::optional<std::int64_t> elements_of_thread(Value buffer) const;
  [[nodiscard]] bool touches_registers(ForRef loop) const;
  void check(CheckRef check);
  void serial_loop(ForRef loop);
  void test_places_of_loop(ForRef loop, std::span<const OpRef> accesses, const SourceText& head);
  void masked_loop(ForRef loop);
  void unrolled_loop(ForRef loop);
  void vector_loop(ForRef loop);
  void strip(ForRef loop, const std::vector<SourceText>& carried);
  void combine_lanes(ForRef loop, const std::vector<SourceText>& carried, int lanes);
  void branch(OpRef op);
  void selected_branch(OpRef op);
  void masked_branch(OpRef op);
  SourceText given(RegionRef arm, std::size_t i, const ValueText& to);
  void while_loop(OpRef op);

  LaneScope lanes_;
  IndexEmitter indices_;
  ScalarEmitter scalars_;
  ThreadBlock block_;
  DeviceChecks checks_;
  RegisterBuffers registers_;
  PrivateBuffers own_;
  EarlyTests tests_;
  PieceRuns runs_;
  PieceAccesses pieces_;
  AccessEmitter accesses_;
  LoopHints hints_;
  CarriedValues carried_;
  TileEmitter tiles_;
  MatrixEmitter matrices_;
  Outliner outliner_;
  ThreadLoops threads_;
  GridEmitter grids_;
  HostFunctionEmitter host_;
};

}  // namespace mlgc::codegen

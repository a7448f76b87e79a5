// Private to lib/codegen: matrix loops whose factors the device copies by itself (tensor_tile_hooks.h), as kernels
// beside those of matrix_emitter.h. A nest has such a kernel where it stands alone in loops of a grid, its factors are
// boxes (analysis/factor_boxes.h), nothing that follows from a sum can fail, and no buffer is both read and written.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "analysis/factor_boxes.h"
#include "codegen/emitter/matrix_emitter.h"
#include "codegen/tensor_tile_hooks.h"

namespace mlgc::codegen {

// What a kernel is printed of.
struct TensorKernel {
  MatrixNest nest;
  NestBoxes boxes;
  MatrixTile tile;
  SourceText left_map, right_map, ring;
  bool if_few = false;  // the nest has no more rows than the tile, which is known when the host queues it
};

class TensorTileEmitter : private EmitterPart {
 public:
  TensorTileEmitter(FunctionWriter& writer, IndexEmitter& indices, MatrixEmitter& matrices)
      : EmitterPart(writer), indices_(indices), matrices_(matrices) {}

  // The kernels of the nest in these parallel loops, if it has any. The host runs the first one that may run.
  [[nodiscard]] std::vector<TensorKernel> find(std::span<const ForRef> around);
  // Of the host: declares the maps; the condition under which the kernel of this name runs.
  void declare_maps(const TensorKernel& of);
  [[nodiscard]] SourceText condition(const TensorKernel& of, std::string_view kernel, const SourceText& iterations);
  // Of the host: how many blocks take these iterations, and bytes of shared memory of each.
  [[nodiscard]] SourceText blocks(const TensorKernel& of, const SourceText& iterations);
  [[nodiscard]] SourceText bytes(const TensorKernel& of, const SourceText& iterations);
  // Of the kernel: what stands in front of its loop over tiles, and the nest.
  void begin(const TensorKernel& of);
  void nest(const TensorKernel& of);
  void end();

  [[nodiscard]] const TensorTileHooks& hooks() const { return *writer_.grid->tensor_tiles(); }

 private:
  [[nodiscard]] TensorGrid grid(const TensorKernel& of, const SourceText& iterations);
  [[nodiscard]] static bool follows_freely(ForRef rows);
  [[nodiscard]] SourceText make_map(const SourceText& map, const MatrixOperand& operand, const FactorBoxes& boxes,
                                    std::int64_t lines);

  IndexEmitter& indices_;
  MatrixEmitter& matrices_;
};

}  // namespace mlgc::codegen

// Private to lib/codegen: matrix loops whose factors the device copies by itself (tensor_tile_hooks.h), as kernels
// beside those of matrix_emitter.h. A nest has such a kernel where it stands alone in loops of a grid, its factors are
// boxes (analysis/factor_boxes.h), nothing that follows from a sum can fail, and no buffer is both read and written.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "analysis/factor_boxes.h"
#include "codegen/attention_tile_hooks.h"
#include "codegen/emitter/matrix_emitter.h"
#include "codegen/tensor_tile_hooks.h"

namespace mlgc::codegen {

// What a kernel of attention is printed of.
struct AttentionKernel {
  AttentionNest nest;
  AttentionBoxes boxes;
  AttentionTile tile;
  SourceText query_map, key_map, value_map;
};
// What a kernel is printed of: one product, or attention.
struct TensorKernel {
  MatrixNest nest;
  NestBoxes boxes;
  MatrixTile tile;
  SourceText left_map, right_map, ring;
  std::optional<AttentionKernel> attention = {};
  bool if_few = false;  // the nest has no more rows than the tile, which is known when the host queues it

  [[nodiscard]] std::vector<SourceText> maps() const;
};

class TensorTileEmitter : private EmitterPart {
 public:
  TensorTileEmitter(FunctionWriter& writer, IndexEmitter& indices, MatrixEmitter& matrices)
      : EmitterPart(writer), indices_(indices), matrices_(matrices) {}

  [[nodiscard]] const TensorTileHooks& hooks() const { return *writer_.grid->tensor_tiles(); }
  // The kernels of the nest in these parallel loops, if it has any. The host runs the first one that may run.
  [[nodiscard]] std::vector<TensorKernel> find(std::span<const ForRef> around);
  // Of the host: declares the maps; the condition under which the kernel of this name runs.
  void declare_maps(const TensorKernel& of);
  [[nodiscard]] SourceText condition(const TensorKernel& of, std::string_view kernel, const SourceText& iterations);
  [[nodiscard]] int threads(const TensorKernel& of) const;
  // How many blocks take these iterations, and bytes of shared memory of each.
  [[nodiscard]] SourceText blocks(const TensorKernel& of, const SourceText& iterations);
  [[nodiscard]] SourceText bytes(const TensorKernel& of, const SourceText& iterations);
  [[nodiscard]] std::string head(const TensorKernel& of, std::string_view name) const;
  // Of the kernel: what stands in front of its loops over tiles, and these, which `loop` prints around a nest. Tiles
  // are taken from the last one on where that one has the most work.
  void begin(const TensorKernel& of);
  void loops(const TensorKernel& of, const std::function<void(const std::function<void()>& nest)>& loop);
  [[nodiscard]] static bool from_last(const TensorKernel& of) { return of.attention && of.attention->nest.is_causal; }
  // The kernel's body, compiled for GPUs that have the unit alone: for others it would be variables without a use.
  [[nodiscard]] SourceBlock guarded(SourceBlock body) const;

 private:
  void nest(const TensorKernel& of);
  [[nodiscard]] TensorGrid grid(const TensorKernel& of, const SourceText& iterations);
  [[nodiscard]] SourceText count_of_terms(const TensorKernel& of);
  // tensor_attention.cpp
  [[nodiscard]] std::vector<TensorKernel> find_attention(ForRef rows, std::span<const ForRef> around);
  [[nodiscard]] const AttentionTileHooks& attention_hooks() const { return hooks().attention(); }
  [[nodiscard]] SourceText make_maps(const AttentionKernel& of);
  void bring(const AttentionKernel& of, const SourceText& ring);
  void use(const AttentionKernel& of, const SourceText& ring);
  AttentionSource source_of(const SourceText& map, const MatrixOperand& operand, const FactorBoxes& boxes,
                            const SourceText& first);

  [[nodiscard]] static bool follows_freely(ForRef rows);
  [[nodiscard]] SourceText make_map(const SourceText& map, const MatrixOperand& operand, const FactorCopy& copy,
                                    std::int64_t lines, const MatrixTile& tile = {});
  // tensor_windows.cpp
  [[nodiscard]] SourceText make_window_map(const SourceText& map, OpRef load, const FactorWindows& windows,
                                           std::int64_t lines, std::int64_t box_terms);
  // What brings a factor, after statements that it needs.
  TensorCopy copy_of(const SourceText& map, const MatrixOperand& operand, const FactorCopy& copy, ForRef lines,
                     ForRef terms, const MatrixEmitter::Bounds& bounds);

  IndexEmitter& indices_;
  MatrixEmitter& matrices_;
};

}  // namespace mlgc::codegen

// Private to lib/codegen/cuda: tiles of products by TMA and `wgmma` (prelude/wgmma.cuh).
#pragma once

#include "codegen/cuda/attention_tiles.h"
#include "codegen/tensor_tile_hooks.h"

namespace mlgc::codegen {

class CudaTensorTiles final : public TensorTileHooks {
 public:
  [[nodiscard]] bool has(const MatrixTile& tile) const override;
  [[nodiscard]] bool is_transposed(const MatrixTile& tile) const override;
  [[nodiscard]] int threads(const MatrixTile& tile) const override;
  [[nodiscard]] TensorPart part(const MatrixTile& tile) const override;
  [[nodiscard]] const AttentionTileHooks& attention() const override { return attention_; }
  [[nodiscard]] std::string_view map_type() const override { return "mlgc_tensor_map"; }
  [[nodiscard]] SourceText runs(std::string_view kernel, const MatrixTile& tile, const TensorGrid& grid) const override;
  [[nodiscard]] SourceText make_map(const SourceText& map, const TensorFactor& factor) const override;
  [[nodiscard]] SourceText make_map(const SourceText& map, const TensorWindows& factor) const override;
  [[nodiscard]] SourceText blocks(const MatrixTile& tile, const TensorGrid& grid) const override;
  [[nodiscard]] SourceText bytes(const MatrixTile& tile, const TensorGrid& grid) const override;
  [[nodiscard]] std::string kernel_head(std::string_view name, const MatrixTile& tile) const override;
  [[nodiscard]] std::string_view map_parameter() const override { return "const __grid_constant__ mlgc_tensor_map"; }
  [[nodiscard]] std::string_view begin_guarded() const override { return "#if MLGC_TENSOR_UNIT"; }
  [[nodiscard]] std::string_view end_guarded() const override { return "#endif"; }
  [[nodiscard]] std::vector<SourceText> begin(const MatrixTile& tile, const SourceText& ring) const override;
  [[nodiscard]] SourceText brings(const MatrixTile& tile) const override;
  [[nodiscard]] SourceText bring(const MatrixTile& tile, const SourceText& ring, const SourceText& left_map,
                                 const std::vector<SourceText>& left_at, const SourceText& right_map,
                                 const std::vector<SourceText>& right_at, const SourceText& first,
                                 const SourceText& end) const override;
  [[nodiscard]] SourceText window_term(const SourceText& name, const SourceText& parameter, bool narrow,
                                       const SourceText& channel,
                                       const std::vector<SourceText>& offsets) const override;
  [[nodiscard]] SourceText bring_parts(const MatrixTile& tile, const SourceText& ring, const TensorCopy& left,
                                       const TensorCopy& right, const SourceText& first,
                                       const SourceText& end) const override;
  [[nodiscard]] std::vector<SourceText> multiply(const MatrixTile& tile, const SourceText& ring, const SourceText& sums,
                                                 const SourceText& first, const SourceText& end) const override;
  [[nodiscard]] SourceText each_part(const MatrixTile& tile, const SourceText& part) const override;
  [[nodiscard]] SourceText put(const MatrixTile& tile, const SourceText& ring, const SourceText& sums,
                               const SourceText& part, const SourceText& memory) const override;
  [[nodiscard]] SourceText first_row(const MatrixTile& tile, const SourceText& part) const override;
  [[nodiscard]] SourceText first_column(const MatrixTile& tile, const SourceText& part) const override;
  [[nodiscard]] SourceText take(const MatrixTile& tile, const SourceText& memory, const SourceText& row,
                                const SourceText& column, const SourceText& taken) const override;
  [[nodiscard]] SourceText taken(const SourceText& taken, const SourceText& neighbour) const override;

 private:
  CudaAttentionTiles attention_;
};

}  // namespace mlgc::codegen

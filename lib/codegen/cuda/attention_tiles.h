// Private to lib/codegen/cuda: attention by TMA and `wgmma` (prelude/attention_wgmma.cuh).
#pragma once

#include "codegen/attention_tile_hooks.h"

namespace mlgc::codegen {

class CudaAttentionTiles final : public AttentionTileHooks {
 public:
  [[nodiscard]] int threads(const AttentionTile& tile) const override;
  [[nodiscard]] AttentionPart part(const AttentionTile& tile) const override;
  [[nodiscard]] AttentionBoxLines lines(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText runs(std::string_view kernel, const AttentionTile& tile) const override;
  [[nodiscard]] SourceText bytes(const AttentionTile& tile) const override;
  [[nodiscard]] std::string kernel_head(std::string_view name, const AttentionTile& tile) const override;
  [[nodiscard]] std::vector<SourceText> begin(const AttentionTile& tile, const SourceText& ring) const override;
  [[nodiscard]] SourceText brings(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText begin_bringing(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText begin_using(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText bring(const AttentionTile& tile, const SourceText& ring, const AttentionSource& queries,
                                 const AttentionSource& keys, const AttentionSource& values,
                                 const SourceText& tiles) const override;
  [[nodiscard]] SourceText scaled_scores(const SourceText& name, const SourceText& scale) const override;
  [[nodiscard]] std::vector<SourceText> multiply(const AttentionTile& tile, const SourceText& ring,
                                                 const SourceText& sums, const SourceText& totals,
                                                 const AttentionBlock& block) const override;
  [[nodiscard]] SourceText each_part(const AttentionTile& tile, const SourceText& part) const override;
  [[nodiscard]] SourceText put(const AttentionTile& tile, const SourceText& ring, const SourceText& sums,
                               const SourceText& totals, const SourceText& part,
                               const SourceText& memory) const override;
  [[nodiscard]] SourceText first_row(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText first_column(const AttentionTile& tile, const SourceText& part) const override;
  [[nodiscard]] SourceText take(const AttentionTile& tile, const SourceText& memory, const SourceText& row,
                                const SourceText& column, const SourceText& taken) const override;
  [[nodiscard]] SourceText taken(const SourceText& taken, const SourceText& neighbour) const override;
  [[nodiscard]] SourceText total(const AttentionTile& tile, const SourceText& memory,
                                 const SourceText& row) const override;
};

}  // namespace mlgc::codegen

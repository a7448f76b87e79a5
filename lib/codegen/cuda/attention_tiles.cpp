// See attention_tiles.h.
#include "codegen/cuda/attention_tiles.h"

namespace mlgc::codegen {
namespace {

using Text = SourceText;

// As prelude/attention_wgmma.cuh has them. A group is four warps, as the instructions have it, and so are the warps
// that bring tiles, since registers move between groups.
constexpr std::int64_t kGroupQueries = 64, kKeys = 128, kBoxColumns = 64, kFewestColumns = 64, kMostColumns = 128;
constexpr int kGroupOfQueries = 128, kRowsOfPart = 64, kColumnsOfPart = 32;

std::int64_t query_groups(const AttentionTile& tile) { return tile.rows / kGroupQueries; }

std::string attention_type(const AttentionTile& tile) {
  const std::int64_t terms = (tile.terms + 15) / 16 * 16;  // of a product of the unit
  const std::int64_t columns = tile.columns > kFewestColumns ? kMostColumns : kFewestColumns;
  return "mlgc_tensor_attention<mlgc_matrix_" + std::string(tile.dtype == Dtype::BF16 ? "bf16" : "f16") + ", " +
         std::to_string(query_groups(tile)) + ", " + std::to_string(terms) + ", " + std::to_string(columns) + ">";
}

Text attention_member(const AttentionTile& tile, std::string_view name) {
  return attention_type(tile) + "::" + std::string(name);
}
Text source(const AttentionSource& of) { return of.map + ", {" + comma_separated(of.at) + "}"; }

}  // namespace

int CudaAttentionTiles::threads(const AttentionTile& tile) const {
  return (static_cast<int>(query_groups(tile)) + 1) * kGroupOfQueries;
}
AttentionPart CudaAttentionTiles::part(const AttentionTile&) const {
  return {kRowsOfPart, kColumnsOfPart, kGroupOfQueries};
}
AttentionBoxLines CudaAttentionTiles::lines(const AttentionTile& tile) const { return {tile.rows, kKeys, kBoxColumns}; }

Text CudaAttentionTiles::runs(std::string_view kernel, const AttentionTile& tile) const {
  return "mlgc_runs_tensor_tile(" + Text(kernel) + ", " + std::to_string(threads(tile)) + ", " + bytes(tile) + ")";
}
Text CudaAttentionTiles::bytes(const AttentionTile& tile) const { return attention_member(tile, "kBytes"); }

std::string CudaAttentionTiles::kernel_head(std::string_view name, const AttentionTile& tile) const {
  return "__global__ static void MLGC_TENSOR_BOUNDS(" + std::to_string(threads(tile)) + ", 1) " + std::string(name);
}
std::vector<Text> CudaAttentionTiles::begin(const AttentionTile& tile, const Text& ring) const {
  return {"extern __shared__ __align__(1024) char mlgc_tiles[];",
          "mlgc_attention_ring " + ring + " = " + attention_member(tile, "begin") + "(mlgc_tiles);"};
}
Text CudaAttentionTiles::brings(const AttentionTile& tile) const { return attention_member(tile, "brings") + "()"; }
Text CudaAttentionTiles::begin_bringing(const AttentionTile& tile) const {
  return attention_member(tile, "begin_bringing") + "();";
}
Text CudaAttentionTiles::begin_using(const AttentionTile& tile) const {
  return attention_member(tile, "begin_using") + "();";
}
Text CudaAttentionTiles::bring(const AttentionTile& tile, const Text& ring, const AttentionSource& queries,
                               const AttentionSource& keys, const AttentionSource& values, const Text& tiles) const {
  return attention_member(tile, "bring") + "(" + ring + ", " + source(queries) + ", " + source(keys) + ", " +
         source(values) + ", " + tiles + ");";
}
Text CudaAttentionTiles::scaled_scores(const Text& name, const Text& scale) const {
  return "const mlgc_scaled_products " + name + " = {" + scale + "};";
}
std::vector<Text> CudaAttentionTiles::multiply(const AttentionTile& tile, const Text& ring, const Text& sums,
                                               const Text& totals, const AttentionBlock& block) const {
  return {"float " + sums + "[" + attention_member(tile, "kOwnSums") + "], " + totals + "[2];",
          attention_member(tile, "multiply") + "(" + ring + ", " + sums + ", " + totals + ", " + block.first + ", " +
              block.rows + ", " + block.keys + ", " + block.tiles + ", " + block.seen + ", " + block.score + ");"};
}
Text CudaAttentionTiles::each_part(const AttentionTile& tile, const Text& part) const {
  return "for (int " + part + " = 0; " + part + " < " + attention_member(tile, "kParts") + "; ++" + part + ") {";
}
Text CudaAttentionTiles::put(const AttentionTile& tile, const Text& ring, const Text& sums, const Text& totals,
                             const Text& part, const Text& memory) const {
  return "char* const " + memory + " = " + attention_member(tile, "put") + "(" + ring + ", " + sums + ", " + totals +
         ", " + part + ");";
}
Text CudaAttentionTiles::first_row(const AttentionTile& tile) const {
  return attention_member(tile, "first_row") + "()";
}
Text CudaAttentionTiles::first_column(const AttentionTile&, const Text& part) const {
  return part + " * " + std::to_string(kColumnsOfPart);
}
Text CudaAttentionTiles::take(const AttentionTile& tile, const Text& memory, const Text& row, const Text& column,
                              const Text& taken) const {
  return "const mlgc_piece<float, 8> " + taken + " = " + attention_member(tile, "take") + "(" + memory + ", " + row +
         ", " + column + ");";
}
Text CudaAttentionTiles::taken(const Text& taken, const Text& neighbour) const {
  return taken + ".values[" + neighbour + "]";
}
Text CudaAttentionTiles::total(const AttentionTile& tile, const Text& memory, const Text& row) const {
  return attention_member(tile, "total") + "(" + memory + ", " + row + ")";
}

}  // namespace mlgc::codegen

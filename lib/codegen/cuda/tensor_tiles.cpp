// See tensor_tiles.h.
#include "codegen/cuda/tensor_tiles.h"

namespace mlgc::codegen {
namespace {

using Text = SourceText;

// Policies of this printer, which the type is told. A group is four warps, as the instructions have it. More than
// kGroupSums are of two groups, since each holds its own in registers.
// Of fewer rows than the unit has lines the product is computed transposed.
constexpr std::int64_t kUnitLines = 64, kGroupSums = 64 * 64;
constexpr int kGroupThreads = 128, kBringingThreads = 32, kPartRows = 64, kPartColumns = 32, kPartTerms = 64;

bool multiplies_transposed(const MatrixTile& tile) { return tile.rows < kUnitLines; }
int groups_of(const MatrixTile& tile) {
  const bool halves = !multiplies_transposed(tile) || tile.columns % (2 * kUnitLines) == 0;
  return halves && tile.rows * tile.columns > kGroupSums ? 2 : 1;
}

// An argument of a template, unless it is that of parts of one box.
std::string box_of(std::int64_t terms) { return terms == kPartTerms ? "" : ", " + std::to_string(terms); }

std::string type_of(const MatrixTile& tile) {
  const auto flag = [](bool by_terms) { return by_terms ? "true" : "false"; };
  return std::string(multiplies_transposed(tile) ? "mlgc_few_rows_tensor_tile" : "mlgc_tensor_tile") + "<mlgc_matrix_" +
         std::string(tile.dtype == Dtype::BF16 ? "bf16" : "f16") + ", " + std::to_string(tile.rows) + ", " +
         std::to_string(tile.columns) + ", " + std::to_string(groups_of(tile)) + ", " + flag(tile.left_by_terms) +
         ", " + flag(tile.right_by_terms) + box_of(tile.box_terms) + ">";
}

Text member(const MatrixTile& tile, std::string_view name) { return type_of(tile) + "::" + std::string(name); }
Text list_of(const TensorGrid& grid) { return "(" + grid.tiles + ", " + grid.terms + ")"; }
Text list(const std::vector<Text>& items) { return "{" + comma_separated(items) + "}"; }

}  // namespace

bool CudaTensorTiles::has(const MatrixTile& tile) const {
  // Boxes of lines have as many as the unit; what a group takes has fewer columns.
  const bool narrow = tile.columns == kPartColumns && tile.right_by_terms && !is_transposed(tile);
  return narrow || (tile.columns >= kUnitLines && (!is_transposed(tile) || tile.left_by_terms));
}
bool CudaTensorTiles::is_transposed(const MatrixTile& tile) const { return multiplies_transposed(tile); }
int CudaTensorTiles::threads(const MatrixTile& tile) const {
  return groups_of(tile) * kGroupThreads + kBringingThreads;
}
TensorPart CudaTensorTiles::part(const MatrixTile& tile) const {
  if (is_transposed(tile)) return {static_cast<int>(tile.rows), kUnitLines, kGroupThreads};
  return {kPartRows, kPartColumns, kGroupThreads};
}

Text CudaTensorTiles::runs(std::string_view kernel, const MatrixTile& tile, const TensorGrid& grid) const {
  return "mlgc_runs_tensor_tile(" + Text(kernel) + ", " + std::to_string(threads(tile)) + ", " + bytes(tile, grid) +
         ")";
}
Text CudaTensorTiles::make_map(const Text& map, const TensorFactor& factor) const {
  const std::string box = factor.box_terms == kPartTerms ? "" : "<" + std::to_string(factor.box_terms) + ">";
  Text out = "mlgc_map_factor" + box + "(&" + map + ", " + factor.pointer + ", " +
             (factor.by_terms ? "true" : "false") + ", " + factor.lines + ", " + factor.terms + ", " + factor.stride +
             ", " + std::to_string(factor.tile_lines);
  for (const Text& of : factor.further) out += ", int64_t{" + of + "}";
  return out + ")";
}
Text CudaTensorTiles::make_map(const Text& map, const TensorWindows& factor) const {
  Text axes;
  for (const TensorWindows::Axis& axis : factor.axes)
    axes += (axes.empty() ? "{" : ", {") + axis.size + ", " + axis.count + ", " + std::to_string(axis.first) + ", " +
            std::to_string(axis.step) + ", " + std::to_string(axis.reach) + "}";
  return "mlgc_map_windows<" + std::to_string(factor.axes.size()) + box_of(factor.box_terms) + ">(&" + map + ", " +
         factor.pointer + ", " + std::to_string(factor.tile_lines) + ", " + factor.images + ", " + factor.channels +
         ", {" + axes + "})";
}
Text CudaTensorTiles::blocks(const MatrixTile& tile, const TensorGrid& grid) const {
  return member(tile, "blocks") + list_of(grid);
}
Text CudaTensorTiles::bytes(const MatrixTile& tile, const TensorGrid& grid) const {
  return member(tile, "bytes") + list_of(grid);
}

std::string CudaTensorTiles::kernel_head(std::string_view name, const MatrixTile& tile) const {
  return "__global__ static void MLGC_TENSOR_BOUNDS(" + std::to_string(threads(tile)) + ", (" +
         member(tile, "kBlocks").str() + ")) " + std::string(name);
}
std::vector<Text> CudaTensorTiles::begin(const MatrixTile& tile, const Text& ring) const {
  return {"extern __shared__ __align__(1024) char mlgc_tiles[];",
          "mlgc_tensor_ring " + ring + " = " + member(tile, "begin") + "(mlgc_tiles);"};
}
Text CudaTensorTiles::brings(const MatrixTile& tile) const { return member(tile, "brings") + "()"; }
Text CudaTensorTiles::bring(const MatrixTile& tile, const Text& ring, const Text& left_map,
                            const std::vector<Text>& left_at, const Text& right_map, const std::vector<Text>& right_at,
                            const Text& first, const Text& end) const {
  return member(tile, "bring") + "(" + ring + ", " + left_map + ", " + list(left_at) + ", " + right_map + ", " +
         list(right_at) + ", " + first + ", " + end + ");";
}
Text CudaTensorTiles::window_term(const Text& name, const Text& parameter, bool narrow, const Text& channel,
                                  const std::vector<Text>& offsets) const {
  const auto number = [](const Text& text) { return "static_cast<int32_t>(" + text.without_brackets() + ")"; };
  Text out = "const auto " + name + " = [=](" + (narrow ? "int32_t " : "int64_t ") + parameter +
             ") { return mlgc_window_term<" + std::to_string(offsets.size()) + ">{" + number(channel) + ", {";
  for (const Text& offset : offsets) out += (&offset == offsets.data() ? "" : ", ") + number(offset);
  return out + "}}; };";
}
Text CudaTensorTiles::bring_parts(const MatrixTile& tile, const Text& ring, const TensorCopy& left,
                                  const TensorCopy& right, const Text& first, const Text& end) const {
  const auto factor = [&](const TensorCopy& of, bool is_left) -> Text {
    const Text lines = Text::number(is_left ? tile.rows : tile.columns);
    if (!of.term_function.empty())
      return "mlgc_windows<" + std::to_string(of.at.size() - 1) + ">(" + of.map + ", " + list(of.at) + ", " + lines +
             ", " + of.term_function + ")";
    return "mlgc_boxes<" + type_of(tile) + ", " +
           ((is_left ? tile.left_by_terms : tile.right_by_terms) ? "true" : "false") + ", " + lines + ", " +
           std::to_string(of.at.size()) + ">{" + of.map + ", " + list(of.at) + "}";
  };
  const Text places = tile.place_terms == 0
                          ? Text("mlgc_bring_parts<" + type_of(tile) + ">(")
                          : Text("mlgc_bring_places<" + type_of(tile) + ", " + std::to_string(tile.place_terms) + ", " +
                                 std::to_string(tile.box_terms) + ">(");
  return places + ring + ", " + factor(left, true) + ", " + factor(right, false) + ", " + first + ", " + end + ");";
}
std::vector<Text> CudaTensorTiles::multiply(const MatrixTile& tile, const Text& ring, const Text& sums,
                                            const Text& first, const Text& end) const {
  const std::int64_t padded =
      tile.place_terms == 0 ? 0 : (tile.place_terms + tile.box_terms - 1) / tile.box_terms * tile.box_terms;
  const Text range = padded == tile.place_terms ? first + ", " + end
                                                : "0, (" + end.as_operand() + " - " + first.as_operand() + ") / " +
                                                      std::to_string(tile.place_terms) + " * " + std::to_string(padded);
  return {"float " + sums + "[" + member(tile, "kTall") + "][" + member(tile, "kWide") + "];",
          member(tile, "multiply") + "(" + ring + ", " + sums + ", " + range + ");"};
}
Text CudaTensorTiles::each_part(const MatrixTile& tile, const Text& part) const {
  return "for (int " + part + " = 0; " + part + " < " + member(tile, "kParts") + "; ++" + part + ") {";
}
Text CudaTensorTiles::put(const MatrixTile& tile, const Text& ring, const Text& sums, const Text& part,
                          const Text& memory) const {
  return "char* const " + memory + " = " + member(tile, "put") + "(" + ring + ", " + sums + ", " + part + ");";
}
Text CudaTensorTiles::first_row(const MatrixTile& tile, const Text& part) const {
  return member(tile, "first_row") + "(" + part + ")";
}
Text CudaTensorTiles::first_column(const MatrixTile& tile, const Text& part) const {
  return member(tile, "first_column") + "(" + part + ")";
}
Text CudaTensorTiles::take(const MatrixTile& tile, const Text& memory, const Text& row, const Text& column,
                           const Text& taken) const {
  return "const mlgc_piece<float, 8> " + taken + " = " + member(tile, "take") + "(" + memory + ", " + row + ", " +
         column + ");";
}
Text CudaTensorTiles::taken(const Text& taken, const Text& neighbour) const {
  return taken + ".values[" + neighbour + "]";
}

}  // namespace mlgc::codegen

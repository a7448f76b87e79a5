// What a back end supplies beside GridHooks where the device copies factors of matrix loops to shared memory by itself,
// by maps that the host makes, and groups of threads multiply them.
//
// A block has one warp that brings parts of the factors, and groups that compute the sums of a tile, of which each
// takes its own in parts through shared memory. The kernel is empty on devices that cannot do so: the host asks, and
// runs another one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/emitter_hooks.h"

namespace mlgc::codegen {

// A part of a group's sums, and its threads.
struct TensorPart {
  int rows = 0, columns = 0, threads = 0;
};
// How a factor lies in memory (analysis/factor_boxes.h).
struct TensorFactor {
  SourceText pointer, lines, terms, stride;
  std::vector<SourceText> further;  // pairs of a count and a distance
  bool by_terms = true;
  std::int64_t tile_lines = 0, box_terms = 64;
};
// Likewise as windows of images (analysis/factor_windows.h), axes from the outermost one.
struct TensorWindows {
  struct Axis {
    SourceText size, count;
    std::int64_t first = 0, step = 1, reach = 0;
  };
  SourceText pointer, images, channels;
  std::vector<Axis> axes;
  std::int64_t tile_lines = 0, box_terms = 64;
};
// What brings a factor in a kernel: its map, and places along the dimensions of the map that are not of terms, from the
// innermost one. Of windows these are where the first line begins, and a function of a term says the rest.
struct TensorCopy {
  SourceText map;
  std::vector<SourceText> at;
  SourceText term_function;
};

// How many tiles there are, and terms of a product.
struct TensorGrid {
  SourceText tiles, terms;
};

class AttentionTileHooks;

class TensorTileHooks {
 public:
  TensorTileHooks() = default;
  TensorTileHooks(const TensorTileHooks&) = delete;
  TensorTileHooks& operator=(const TensorTileHooks&) = delete;
  virtual ~TensorTileHooks() = default;

  // Whether there is code for tiles of these rows, columns and dtype.
  [[nodiscard]] virtual bool has(const MatrixTile& tile) const = 0;
  // Whether the product is computed transposed, as of few rows: factors are boxes then.
  [[nodiscard]] virtual bool is_transposed(const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual int threads(const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual TensorPart part(const MatrixTile& tile) const = 0;

  // Likewise of attention.
  [[nodiscard]] virtual const AttentionTileHooks& attention() const = 0;

  // Of the host: the type of a map, a condition under which the device runs the kernel, and an expression that makes
  // the map of a factor, false where there is none. Blocks, of which no more run than the device has at a time; bytes
  // of shared memory of each. `grid`: what there is to compute.
  [[nodiscard]] virtual std::string_view map_type() const = 0;
  [[nodiscard]] virtual SourceText runs(std::string_view kernel, const MatrixTile& tile,
                                        const TensorGrid& grid) const = 0;
  [[nodiscard]] virtual SourceText make_map(const SourceText& map, const TensorFactor& factor) const = 0;
  [[nodiscard]] virtual SourceText make_map(const SourceText& map, const TensorWindows& factor) const = 0;
  [[nodiscard]] virtual SourceText blocks(const MatrixTile& tile, const TensorGrid& grid) const = 0;
  [[nodiscard]] virtual SourceText bytes(const MatrixTile& tile, const TensorGrid& grid) const = 0;

  // Of the kernel: its head without its parameters, the type of a map as a parameter, and lines between which code
  // stands that is empty where the device cannot run it.
  [[nodiscard]] virtual std::string kernel_head(std::string_view name, const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual std::string_view map_parameter() const = 0;
  [[nodiscard]] virtual std::string_view begin_guarded() const = 0;
  [[nodiscard]] virtual std::string_view end_guarded() const = 0;
  // Statements that declare `ring`, through which parts go; a condition: the thread is of the warp that brings them. A
  // statement that brings those of the tile, at the first lines and at places along further dims of the maps.
  [[nodiscard]] virtual std::vector<SourceText> begin(const MatrixTile& tile, const SourceText& ring) const = 0;
  [[nodiscard]] virtual SourceText brings(const MatrixTile& tile) const = 0;
  [[nodiscard]] virtual SourceText bring(const MatrixTile& tile, const SourceText& ring, const SourceText& left_map,
                                         const std::vector<SourceText>& left_at, const SourceText& right_map,
                                         const std::vector<SourceText>& right_at, const SourceText& first,
                                         const SourceText& end) const = 0;
  // Likewise where a factor is windows: a statement that declares the function of a term, which gives a channel and the
  // offsets along the axes from the innermost one, and one that brings the parts.
  [[nodiscard]] virtual SourceText window_term(const SourceText& name, const SourceText& parameter, bool narrow,
                                               const SourceText& channel,
                                               const std::vector<SourceText>& offsets) const = 0;
  [[nodiscard]] virtual SourceText bring_parts(const MatrixTile& tile, const SourceText& ring, const TensorCopy& left,
                                               const TensorCopy& right, const SourceText& first,
                                               const SourceText& end) const = 0;
  // Statements that declare and compute the sums of the thread. The head of a loop over their parts. A statement that
  // declares `memory`, in which a part is; its first row and column in the tile. A statement that declares `taken`,
  // neighbouring sums of a row of it, and one of these.
  [[nodiscard]] virtual std::vector<SourceText> multiply(const MatrixTile& tile, const SourceText& ring,
                                                         const SourceText& sums, const SourceText& first,
                                                         const SourceText& end) const = 0;
  [[nodiscard]] virtual SourceText each_part(const MatrixTile& tile, const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText put(const MatrixTile& tile, const SourceText& ring, const SourceText& sums,
                                       const SourceText& part, const SourceText& memory) const = 0;
  [[nodiscard]] virtual SourceText first_row(const MatrixTile& tile, const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText first_column(const MatrixTile& tile, const SourceText& part) const = 0;
  [[nodiscard]] virtual SourceText take(const MatrixTile& tile, const SourceText& memory, const SourceText& row,
                                        const SourceText& column, const SourceText& taken) const = 0;
  [[nodiscard]] virtual SourceText taken(const SourceText& taken, const SourceText& neighbour) const = 0;
};

}  // namespace mlgc::codegen

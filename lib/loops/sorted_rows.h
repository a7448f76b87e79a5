// Private to lib/loops: what loops that sort have in common: the rows of a `sort` or `topk`, the keys of their
// elements, and where results go.
//
// An element's key is an integer that orders as elements do: of a float its bits, those of a negative one as a negative
// magnitude, so that both zeros are one key and NaN is the largest; of `descending` its complement.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "loops/loop_builder.h"

namespace mlgc::loops {

class SortedRows {
 public:
  SortedRows(const SortedRows&) = delete;
  SortedRows& operator=(const SortedRows&) = delete;

 protected:
  SortedRows(Module& module, OpRef sort);
  ~SortedRows() = default;

  // Of more elements a row is refused where it is sorted: places and counts have 32 bits.
  static constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();

  // --- the function
  // Begins `func @name(x, results...)`; result i is number `results[i]` of the op.
  OpRef open(std::span<const std::size_t> results, std::string_view name);
  // Parallel loops over the rows; close() continues after them.
  std::vector<OpRef> open_rows();
  void close(std::span<const OpRef> loops);
  // Sizes of the rows.
  [[nodiscard]] std::vector<IndexExpr> row_dims() const;
  // Where a row of unknown length begins: aborts if it has too many elements.
  void check_length();

  // --- a row
  // The subscripts of an element of the row.
  [[nodiscard]] std::vector<Value> at(Value place) const;
  Value key_of(Value element);
  // The element at `from` to place `to` of the results; places are tested where subscripts do not show what they are.
  void move(Value from, Value to, bool checked_from, bool checked_to);
  // Of the result of that number.
  void give(Value found, std::size_t result, Value to, Value i);

  // --- ops
  OpRef loop(IndexExpr end, std::string_view name, const std::vector<Value>& initial, bool parallel);
  [[nodiscard]] Value as(Value v, Dtype dtype) { return v.dtype() == dtype ? v : ops_.cast(v, dtype); }
  Value both(Value a, Value b) { return ops_.scalar("logical_and", {a, b}, ops_.i1()); }
  Value opposite(Value a) { return ops_.scalar("logical_not", {a}, ops_.i1()); }
  // Of integers of one dtype.
  Value calculated(std::string_view op, Value a, Value b) { return ops_.scalar(op, {a, b}, a.type()); }
  Value difference(Value a, Value b) { return calculated("sub", a, b); }
  Value shifted(Value a, std::int64_t by) { return calculated("bitwise_right_shift", a, ops_.literal(a.dtype(), by)); }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  OpRef sort_;
  LoopBuilder ops_;
  Type type_;
  std::size_t axis_ = 0;
  IndexExpr count_, kept_;  // elements of a row, and of its result
  bool descending_ = false;
  Dtype stored_{}, held_{}, place_{};  // of elements in memory and here, and of their places
  bool wide_ = false;                  // keys have 64 bits
  std::span<const std::size_t> results_;
  RegionRef body_;
  Value x_;
  std::vector<Value> row_;  // indices of the rows, by dim; none for the sorted one

 private:
  [[nodiscard]] Attribute attribute(std::string_view name);
};

}  // namespace mlgc::loops

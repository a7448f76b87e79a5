// What random programs are made of: element types, shapes, attributes and numbers of ops, sampled with the hints of
// their rows.
//
// Guarantees
//   - The same context, seed and calls give the same draws.
//   - Nothing here knows an op: hints are the classes of operands, the kinds, choices and fallbacks of attributes, and
//     the row's own example. Whether a draw is an op is for the row's inference to say; who draws tries again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "formula/instantiate.h"
#include "ir/module.h"
#include "ops/example.h"
#include "tensor/random.h"

namespace mlgc {

class OpDrawing {
 public:
  OpDrawing(Context& context, std::uint64_t seed) : context_(context), stream_(seed) {}

  [[nodiscard]] Context& context() const { return context_; }
  std::uint64_t next_seed() { return stream_.next_u64(); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return stream_.next_int(low, high); }
  std::int64_t below(std::int64_t n) { return between(0, n - 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class Items>
  auto& pick(Items& items) {
    return items[static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size())))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }

  // The dtype of most elements.
  [[nodiscard]] Dtype dtype() const { return dtype_; }
  void set_dtype(Dtype dtype) { dtype_ = dtype; }
  Dtype any_dtype() { return static_cast<Dtype>(below(kRealDtypeCount)); }
  // One that the class admits, most often dtype().
  Dtype dtype_for(ElementClass elements);

  // The sizes of what is sampled from now on, and the shape that most operands have.
  void set_sizes(std::vector<IndexExpr> palette, std::vector<IndexExpr> shape);
  [[nodiscard]] const std::vector<IndexExpr>& palette() const { return palette_; }
  [[nodiscard]] const std::vector<IndexExpr>& shape() const { return shape_; }

  // The value next to which types and attributes are sampled: its sizes and axes are hints. Invalid: none.
  [[nodiscard]] Type beside() const { return beside_; }
  void set_beside(Type type) { beside_ = type; }

  // The row's example; null when it has none that reads.
  const Example* example_of(const OpDef& def);

  // An operand's type: near that beside it, the usual shape, one that broadcasts with it, the example's rank, or any.
  Type draw_type(const OpDef& def, std::size_t operand);
  // An attribute's value by kind and name: axes, shapes, small numbers.
  AttrValue draw_attribute(const AttrDef& row);
  AttrValue draw_number();

  // A constant of a static type or, when `number` is given, with that number in every element.
  Attribute draw_constant(Type type);
  Attribute splat(Type type, double number);

 private:
  std::optional<std::size_t> example_rank(const OpDef& def, std::size_t operand);
  std::vector<IndexExpr> draw_axes();
  std::vector<IndexExpr> draw_shape(bool copies);
  std::vector<IndexExpr> draw_small_numbers(const AttrDef& row);
  [[nodiscard]] bool has_beside() const { return beside_.valid() && context_.types().is_shaped(beside_); }
  [[nodiscard]] std::int64_t axes() const;

  Context& context_;
  PhiloxStream stream_;
  Dtype dtype_ = Dtype::F32;
  std::vector<IndexExpr> palette_, shape_;
  Type beside_;
  std::map<const OpDef*, std::optional<Example>> examples_;
};

}  // namespace mlgc

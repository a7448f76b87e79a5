// Sizes that the shapes of inputs tell by their product alone: B and S of `tensor<[B*S]x64xf32>`, where no other dim
// says what one of them is.
//
// A function means the same however such a product splits, if each term of each expression in it (types, attributes,
// launches with what they launch, `where`) has the sizes in powers of that product. Then one of them stands for the
// product, and the others are 1: whoever binds sizes (the interpreter, a unit's table) needs no other expressions.
//
// Guarantees
//   - What `where` says of one of the sizes alone is kept: it lets exactly those values of the product pass that some
//     split has which it admits. Where these are not all values from 0 or 1 on, the sizes are not told.
//   - In the order of the sizes' names; of several sizes that could stand for the product, the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc {

struct ToldProduct {
  IndexExpr product;         // B*S
  AtomId size;               // its value is the product's
  std::vector<AtomId> ones;  // the others
  std::int64_t low = 0;      // the least value of the product that `where` admits, 0 or 1
};

// A size in the dims of inputs that none of them tells.
struct UntoldSize {
  AtomId size;
  std::string reason;  // "`B + 1` depends on how `B*S` splits"
};

struct ToldProducts {
  std::vector<ToldProduct> all;
  std::vector<UntoldSize> untold;
  [[nodiscard]] bool is_one(AtomId size) const;
  // The product that the size is a factor of; null: none.
  [[nodiscard]] const ToldProduct* of(AtomId size) const;
};

// Of a function of tensors or buffers. Empty where each size is told by itself, which costs one look at its arguments.
[[nodiscard]] ToldProducts told_products(OpRef func);

// `dim` is factor * size + offset, factor > 0: then its value tells the size, which is a symbol or a product of some.
struct TellingDim {
  std::int64_t factor = 1, offset = 0;
  // Nothing: no size of at least 0 makes the dim so large.
  [[nodiscard]] std::optional<std::int64_t> size_for(std::int64_t extent) const {
    const std::int64_t rest = extent - offset;
    return rest >= 0 && rest % factor == 0 ? std::optional(rest / factor) : std::nullopt;
  }
};
[[nodiscard]] std::optional<TellingDim> telling_dim(const IndexPool& pool, IndexExpr dim, IndexExpr size);

// Whether `where` says nothing that the products do not say: it speaks of one size in them alone.
[[nodiscard]] bool is_kept_by(const ToldProducts& products, const Constraint& constraint, const IndexPool& pool);

}  // namespace mlgc

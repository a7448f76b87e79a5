// Sizes that are solved from the product of several in an input's shape: B and S of `tensor<[B*S]x64xf32>`, where no
// other dim says what one of them is.
//
// A function means the same however such a product splits, if each term of each expression in it (types, attributes,
// launches with what they launch, `where`) has the sizes in powers of that product. Then one of them stands for the
// product, and the others are 1: whoever binds sizes (the interpreter, a unit's table) needs no other expressions.
//
// Guarantees
//   - What `where` says of one of the sizes alone is kept: it lets exactly those values of the product pass that some
//     split has which it admits. Where these are not all values from 0 or 1 on, the sizes are not solved.
//   - In the order of the sizes' names; of several sizes that could stand for the product, the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc {

struct SolvedProduct {
  IndexExpr product;         // B*S
  AtomId size;               // its value is the product's
  std::vector<AtomId> ones;  // the others
  std::int64_t low = 0;      // the least value of the product that `where` admits, 0 or 1
};

// A size in the dims of inputs that is solved from none of them.
struct UnsolvedSize {
  AtomId size;
  std::string reason;  // "`B + 1` depends on how `B*S` splits"
};

struct SolvedProducts {
  std::vector<SolvedProduct> all;
  std::vector<UnsolvedSize> unsolved;
  [[nodiscard]] bool is_one(AtomId size) const;
  // The product that the size is a factor of; null: none.
  [[nodiscard]] const SolvedProduct* of(AtomId size) const;
};

// Of a function of tensors or buffers. Empty where each size is a dim of its own, which costs one look at its
// arguments.
[[nodiscard]] SolvedProducts solved_products(OpRef func);

// `dim` is factor * size + offset, factor > 0: the size is solved from its value; it is a symbol or a product of some.
struct AffineDim {
  std::int64_t factor = 1, offset = 0;
  // Nothing: no size of at least 0 makes the dim so large.
  [[nodiscard]] std::optional<std::int64_t> size_for(std::int64_t extent) const {
    const std::int64_t rest = extent - offset;
    return rest >= 0 && rest % factor == 0 ? std::optional(rest / factor) : std::nullopt;
  }
};
[[nodiscard]] std::optional<AffineDim> affine_dim(const IndexPool& pool, IndexExpr dim, IndexExpr size);

// Whether `where` says nothing that the products do not say: it speaks of one size in them alone.
[[nodiscard]] bool is_kept_by(const SolvedProducts& products, const Constraint& constraint, const IndexPool& pool);

}  // namespace mlgc

// A sorting network as loops: merges of bitonic sequences (Batcher, Sorting networks and their applications, 1968).
// Each thread compares and exchanges a few keys, at places that follow from its number alone, so that no two of them
// meet.
//
// Guarantees
//   - Keys are sorted from the least on; those that are equal may change places. Of keys with companions none are
//   equal.
//   - Vector loops only, one after the other, over constant bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/module.h"
#include "loops/loop_builder.h"

namespace mlgc::loops {

class SortingNetwork {
 public:
  // Of so many keys, integers. Keys that are not all different have companions, integers too, which decide between
  // equal ones. They lie in a scratch of their own, at the same places.
  SortingNetwork(Context& context, LoopBuilder& ops, std::int64_t count);

  // Keys with those that fill up to a power of two, which are to be the greatest.
  [[nodiscard]] std::int64_t keys() const { return std::int64_t{1} << levels_; }
  // Elements of the scratch.
  [[nodiscard]] std::int64_t room() const { return keys() / each_ * pitch_; }
  [[nodiscard]] std::int64_t lanes() const;

  // What holds the keys in the scratch, and the place of the key of a number in it: of the opaque atom 0.
  [[nodiscard]] Value view(Value scratch);
  [[nodiscard]] std::vector<IndexExpr> place() const;

  // Of the scratch of the keys, and of their companions if they have some.
  void sort(std::span<const Value> scratch);
  // The same of keys that ascend up to one of them, and descend after it.
  void merge(std::span<const Value> scratch);

 private:
  using Held = std::vector<std::vector<Value>>;  // the keys of a thread, and their companions
  void round(std::span<const Value> scratch, std::int64_t low, std::int64_t merged);
  void exchange(Held& held, std::size_t a, std::size_t b);

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  LoopBuilder& ops_;
  std::int64_t levels_ = 2;           // there are two to the power of that keys
  std::int64_t bits_ = 1, each_ = 2;  // of the number of a key that vary in a thread, and keys of a thread
  std::int64_t pitch_ = 2;            // of each so many neighbouring keys in the scratch
};

// Gives a loop lanes.
void set_lanes(OpRef loop, std::int64_t lanes);

}  // namespace mlgc::loops

// The two building blocks of every interner.
//
// StableArena<T>: spans that never move, so what an interner hands out stays valid while it grows.
// InternTable: an open-addressing set of 32-bit ids by hash; the owner keeps the rows and compares them. Ids are given
// out in order of first appearance, never in hash order, so what is printed from them is deterministic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace mlgc {

template <class T>
class StableArena {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Copies `items`; the span stays valid for the life of the arena.
  std::span<const T> copy(std::span<const T> items) {
    if (items.empty()) return {};
    if (items.size() > free_.size()) {
      const std::size_t size = std::max(items.size(), next_chunk_);
      next_chunk_ = std::min<std::size_t>(next_chunk_ * 2, kMaxChunk);
      chunks_.push_back(std::make_unique<T[]>(size));
      free_ = {chunks_.back().get(), size};
    }
    std::copy(items.begin(), items.end(), free_.begin());
    const std::span<const T> result = free_.first(items.size());
    free_ = free_.subspan(items.size());
    return result;
  }

 private:
  static constexpr std::size_t kMaxChunk = 65536;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::span<T> free_;
  std::size_t next_chunk_ = 64;
};

class InternTable {
 public:
  // The id with this hash for which `same(id)` holds, or the id that `insert()` makes.
  template <class Same, class Insert>
  std::uint32_t find_or_insert(std::uint64_t hash, const Same& same, const Insert& insert) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at].id != kEmpty) {
      if (slots_[at].tag == tag && same(slots_[at].id)) return slots_[at].id;
      at = (at + 1) & mask;
    }
    const std::uint32_t id = insert();
    slots_[at] = {id, static_cast<std::uint32_t>(hash), tag};
    ++count_;
    return id;
  }

  // The id, or kNone.
  template <class Same>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
    if (slots_.empty()) return kEmpty;
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = static_cast<std::size_t>(hash) & mask; slots_[at].id != kEmpty; at = (at + 1) & mask)
      if (slots_[at].tag == tag && same(slots_[at].id)) return slots_[at].id;
    return kEmpty;
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

 private:
  static constexpr std::uint32_t kEmpty = kNone;
  struct Slot {
    std::uint32_t id = kEmpty;
    std::uint32_t low = 0;  // low half of the hash: where the slot goes when the table grows
    std::uint32_t tag = 0;  // high half: compared before `same` is asked
  };
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kEmpty) continue;
      std::size_t at = slot.low & mask;
      while (slots_[at].id != kEmpty) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace mlgc

// Interned names: attribute names, symbols, names of values, string attributes. Equality of ids is equality of texts.
// Views handed out stay valid for the life of the pool.
#pragma once

#include <string_view>
#include <vector>

#include "support/hash.h"
#include "support/id.h"
#include "support/intern_table.h"

namespace mlgc {

using StringId = Id<struct StringTag>;

class StringPool {
 public:
  StringId intern(std::string_view text) {
    return StringId(table_.find_or_insert(
        hash_bytes(text), [&](std::uint32_t id) { return texts_[id] == text; },
        [&] {
          const std::span<const char> kept = arena_.copy({text.data(), text.size()});
          texts_.emplace_back(kept.data(), kept.size());
          return static_cast<std::uint32_t>(texts_.size() - 1);
        }));
  }
  // Without interning: an invalid id when the text is not in the pool.
  [[nodiscard]] StringId find(std::string_view text) const {
    const std::uint32_t id =
        table_.find(hash_bytes(text), [&](std::uint32_t candidate) { return texts_[candidate] == text; });
    return id == InternTable::kNone ? StringId() : StringId(id);
  }
  [[nodiscard]] std::string_view text(StringId id) const { return texts_[id.index()]; }

 private:
  StableArena<char> arena_;
  std::vector<std::string_view> texts_;
  InternTable table_;
};

}  // namespace mlgc

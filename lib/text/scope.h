// Names of values during parsing: which value a name stands for at this point of the text.
//
// Names are visible in their region and in regions inside it, up to an isolated one. A visible name cannot be defined
// again; regions beside each other may use the same names. Lookup and definition take constant time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc::text {

// A name without `%`: an interned text, or a number as in `%12`.
struct NameKey {
  bool numeric = false;
  std::uint32_t id = 0;
  friend bool operator==(NameKey, NameKey) = default;
};

class NameScope {
 public:
  struct Entry {
    ValueId first;            // values of a pack are consecutive; invalid: its definition failed
    std::uint32_t count = 0;  // of the pack; 0: no entry
    std::uint32_t level = 0;
    std::uint32_t offset = 0;  // of the definition in the text
  };

  void enter(bool isolated) {
    marks_.push_back({static_cast<std::uint32_t>(undo_.size()), barrier_});
    if (isolated) barrier_ = static_cast<std::uint32_t>(marks_.size());
  }
  void leave() {
    const Mark mark = marks_.back();
    marks_.pop_back();
    barrier_ = mark.barrier;
    while (undo_.size() > mark.undo) {
      slot(undo_.back().key) = undo_.back().old;
      undo_.pop_back();
    }
  }
  [[nodiscard]] std::size_t depth() const { return marks_.size(); }

  // The visible entry of that name; nothing when there is none.
  [[nodiscard]] const Entry* find(NameKey key) const {
    const std::vector<Entry>& dense = key.numeric ? numbers_ : names_;
    const Entry* entry = nullptr;
    if (key.id < dense.size() && dense[key.id].count != 0) {
      entry = &dense[key.id];
    } else if (key.numeric && !far_.empty()) {
      const auto it = far_.find(key.id);
      if (it != far_.end() && it->second.count != 0) entry = &it->second;
    }
    return entry != nullptr && entry->level >= barrier_ ? entry : nullptr;
  }
  // Precondition: find(key) is nothing.
  void define(NameKey key, Entry entry) {
    entry.level = static_cast<std::uint32_t>(marks_.size());
    Entry& place = slot(key);
    undo_.push_back({key, place});
    place = entry;
    if (key.numeric) ++numeric_definitions_;
  }
  // Calls visit(NameKey, Entry) for each visible name.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Undo& undo : undo_)
      if (const Entry* entry = find(undo.key)) visit(undo.key, *entry);
  }
  // Calls visit(StringId) for each visible name that is not a number.
  template <class Visit>
  void for_each_name(const Visit& visit) const {
    for (const Undo& undo : undo_)
      if (!undo.key.numeric && find(undo.key) != nullptr) visit(StringId(undo.key.id));
  }

 private:
  struct Mark {
    std::uint32_t undo, barrier;
  };
  struct Undo {
    NameKey key;
    Entry old;
  };
  // Numbers far beyond the count of definitions are kept in a map, so that `%4000000000` costs no memory.
  Entry& slot(NameKey key) {
    std::vector<Entry>& dense = key.numeric ? numbers_ : names_;
    if (key.id < dense.size()) {
      if (key.numeric && !far_.empty()) {
        if (const auto it = far_.find(key.id); it != far_.end()) return it->second;
      }
      return dense[key.id];
    }
    if (key.numeric && key.id > 2 * numeric_definitions_ + 1024) return far_[key.id];
    if (key.numeric && !far_.empty()) {
      if (const auto it = far_.find(key.id); it != far_.end()) return it->second;
    }
    dense.resize(std::max<std::size_t>(key.id + std::size_t{1}, dense.size() + dense.size() / 2));
    return dense[key.id];
  }

  std::vector<Entry> names_;    // by StringId
  std::vector<Entry> numbers_;  // by number
  std::unordered_map<std::uint32_t, Entry> far_;
  std::vector<Undo> undo_;
  std::vector<Mark> marks_;
  std::uint32_t barrier_ = 0;  // entries of lower levels are not visible
  std::size_t numeric_definitions_ = 0;
};

}  // namespace mlgc::text

// cse: of ops that compute the same, the first in the program stays. One table over the whole module, in which a region
// sees what stands before it around it; linear in the number of ops and operands.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "rewrite/match.h"
#include "support/hash.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kCseCounters{
    PassCounter{"ops-merged", "ops replaced by an equal one before them"},
};

// Ops that are visible at a point of the program, found by what they compute. Entries leave in the opposite order of
// their insertion, so that removing one from an open-addressed table leaves no hole in anybody's path. A slot carries
// the hash beside the number of its entry: a look-up that finds nothing costs one line of memory, not three.
class VisibleOps {
 public:
  explicit VisibleOps(Module& module)
      : module_(module), slots_(std::bit_ceil(std::max<std::size_t>(64, module.op_count() * 4 / 3))) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // An equal op among the entries from number `first` on; else inserts `op` and answers an invalid handle.
  OpRef find_or_insert(OpRef op, std::size_t first) {
    const bool commutes = is_commutative(op);
    const std::uint32_t hash = hash_of(op, commutes);
    std::size_t at = hash & mask();
    for (; slots_[at].entry != kEmpty; at = (at + 1) & mask()) {
      if (slots_[at].hash != hash || slots_[at].entry < first) continue;
      if (const OpRef other = module_.op(entries_[slots_[at].entry].op); equal(op, other, commutes)) return other;
    }
    slots_[at] = {static_cast<std::uint32_t>(entries_.size()), hash};
    entries_.push_back({op.id(), hash});
    return {};
  }

  // Removes all entries from number `size` on.
  void shrink(std::size_t size) {
    while (entries_.size() > size) {
      std::size_t at = entries_.back().hash & mask();
      while (slots_[at].entry != entries_.size() - 1) at = (at + 1) & mask();
      slots_[at] = {};
      entries_.pop_back();
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  struct Entry {
    OpId op;
    std::uint32_t hash;
  };
  struct Slot {
    std::uint32_t entry = kEmpty;
    std::uint32_t hash = 0;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

  static std::uint32_t hash_of(OpRef op, bool commutes) {
    const auto id = [](Value v) { return static_cast<std::uint64_t>(v.id().index()); };
    std::uint64_t h = hash_mix(static_cast<std::uint64_t>(op.opcode()), op.attrs().id);
    if (commutes) {
      const auto [low, high] = std::minmax({id(op.operand(0)), id(op.operand(1))});
      h = hash_mix(h, low << 32 | high);
    } else {
      for (const Value operand : op.operands()) h = hash_mix(h, id(operand));
    }
    h = hash_mix(h, op.result(0).type().id);
    return static_cast<std::uint32_t>(h ^ h >> 32);
  }

  static bool equal(OpRef a, OpRef b, bool commutes) {
    if (a.opcode() != b.opcode() || a.attrs() != b.attrs()) return false;
    const auto x = a.operands(), y = b.operands();
    if (x.size() != y.size() || a.result_count() != b.result_count()) return false;
    const bool same = std::equal(x.begin(), x.end(), y.begin());
    if (!same && !(commutes && x[0] == y[1] && x[1] == y[0])) return false;
    for (std::size_t i = 0; i < a.result_count(); ++i)
      if (a.result(i).type() != b.result(i).type()) return false;
    return true;
  }

  Module& module_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // merging makes no ops, so the table never grows
};

// Merging keeps a possible failure: the op that stays fails where both would have. What is read may have been written
// in between, and what is allocated is somebody's own.
bool mergeable(OpRef op) {
  if (op.result_count() == 0 || op.region_count() != 0) return false;
  if (op.has_trait(Traits::Terminator) || op.has_trait(Traits::Symbol)) return false;
  return (op.own_effects() & (Effects::Reads | Effects::Writes | Effects::Allocates)) == Effects::None;
}

void merge(OpRef op, OpRef into) {
  LocationTable& locations = op.module().context().locations();
  if (op.location() != into.location()) {
    const Location both[]{into.location(), op.location()};
    into.set_location(locations.fused(both));
  }
  for (std::size_t i = 0; i < op.result_count(); ++i) op.result(i).replace_all_uses_with(into.result(i));
  op.erase();
}

PassResult run_cse(Module& module, const NoPassOptions&, PassContext& context) {
  struct Frame {
    RegionRef region;
    OpRef next;
    std::size_t first_visible;  // entries before belong to the outside of an isolated op
    std::size_t size;           // of the table when the region was entered
    bool entered = false;
  };
  VisibleOps visible(module);
  std::uint64_t merged = 0;
  std::vector<Frame> frames{{module.body(), module.body().front(), 0, 0}};
  std::vector<RegionRef> regions;
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (!frame.entered) {
      frame.entered = true;
      frame.size = visible.size();
      if (frame.region.parent_op().has_trait(Traits::IsolatedRegion)) frame.first_visible = visible.size();
    }
    if (!frame.next.valid()) {
      visible.shrink(frame.size);
      frames.pop_back();
      continue;
    }
    const OpRef op = frame.next;
    frame.next = op.next();
    if (mergeable(op)) {
      if (const OpRef first = visible.find_or_insert(op, frame.first_visible);
          first.valid() && context.may_rewrite("merge-equal-ops", op.location())) {
        merge(op, first);
        ++merged;
      }
    }
    if (op.erased() || op.region_count() == 0) continue;
    const std::size_t first_visible = frame.first_visible;
    regions.clear();
    for (const RegionRef region : op.regions()) regions.push_back(region);
    for (auto it = regions.rbegin(); it != regions.rend(); ++it) frames.push_back({*it, it->front(), first_visible, 0});
  }
  context.count("ops-merged") = merged;
  return PassContext::changed_if(merged > 0);
}

}  // namespace

constexpr PassDef kCsePass{
    .name = "cse",
    .summary = "Merges ops that compute the same from the same values.",
    .description =
        "Equal are the op, its attributes, operands and result types; commutative operands may be swapped. "
        "An op inside a region merges with one around it. Ops that read, write or allocate memory and ops "
        "with regions stay. The op that stays has the locations of both.",
    .counters = kCseCounters,
    .example = {.before = R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = add %x, %y : tensor<4xf32>
  %1 = add %y, %x : tensor<4xf32>
  %2 = mul %0, %1 : tensor<4xf32>
  return %2
})",
                .after = R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = add %x, %y : tensor<4xf32>
  %1 = mul %0, %0 : tensor<4xf32>
  return %1
})"},
    .body = pass_body<NoPassOptions, run_cse>(),
};

}  // namespace mlgc

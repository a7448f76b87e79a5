// The index labels and packs of a statement, as seen from the reductions that are open: which axes and dims a pack
// stands for, and the extent of each index label and axis, on which all places must agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/formula_scope.h"

namespace mlgc::instantiation {

// Where an extent came from, for the message when another place disagrees.
struct Place {
  std::string text;
};

struct Extent {
  IndexExpr size;
  Place place;
  bool unit = false;  // only dims of size 1 say so
};

struct Pack {
  // An operand without the first axes of the pack: another one has to say how long they are.
  struct Shorter {
    std::string operand;
    std::size_t rank, expected;
  };
  std::optional<std::size_t> rank;
  std::vector<std::optional<Extent>> extents;
  std::vector<Shorter> shorter;
};

// One dim of an operand under a pack: which pack axis it is, or a unit dim, and its map if any.
struct PackDim {
  std::optional<std::size_t> axis;  // nothing: a unit dim
  const PackOperator* map = nullptr;
  std::size_t ordinal = 0;
  bool whole = true;  // a bare subscript: binds the extent
};

// An index label: its name, and the reduction that declares it.
struct LabelKey {
  std::string name;
  std::uint32_t scope;  // the Reduce node, or kStatement
  auto operator<=>(const LabelKey&) const = default;
};

// The scope of index labels that no reduction declares.
inline constexpr std::uint32_t kStatement = 0xFFFFFFFF;

class StatementAxes {
 public:
  // Index labels of the ground form with their extents.
  using GroundLabels = std::vector<std::pair<std::string, SyntaxId>>;

  // `ground`: of a statement in the ground form; else null.
  StatementAxes(const FormulaScope& scope, const GroundLabels* ground)
      : scope_(scope), index_(scope.pool().index()), ground_(ground) {}

  // Index labels declared by a reduction hide those of the same name around it.
  void enter(SyntaxId reduction) { reductions_.push_back(reduction); }
  void leave() { reductions_.pop_back(); }

  [[nodiscard]] const GroundLabels* ground() const { return ground_; }
  // In the ground form, which names its index labels after `over`, every other name is a symbol.
  [[nodiscard]] bool is_symbol(const std::string& name) const;
  [[nodiscard]] bool is_label(const SyntaxNode& n) const;
  [[nodiscard]] LabelKey key_of(const std::string& name) const;
  // The innermost open reduction over that axis, else kStatement.
  [[nodiscard]] std::uint32_t reduction_over(const std::string& pack, std::size_t axis);

  // Packs. One that is only mentioned has no rank yet.
  [[nodiscard]] bool has_rank(const std::string& name) const;
  [[nodiscard]] Pack& pack_named(const std::string& name) { return packs_[name]; }
  // With a rank: 0 where nothing gives one.
  [[nodiscard]] Pack& pack(const SyntaxNode& node);
  // Makes room for the extents of every pack that has a rank.
  void size_packs();
  [[nodiscard]] std::vector<PackDim> pack_dims(const SyntaxNode& node, std::size_t rank) const;
  // Dims of an operand that `node` (a Pack) covers when its pack has rank r.
  [[nodiscard]] std::size_t covered(const SyntaxNode& node, std::size_t r) const;
  // Dims that subscripts from `begin` on, up to `end`, cover.
  [[nodiscard]] std::size_t covered(const std::vector<SyntaxId>& subscripts, std::size_t begin, std::size_t end);

  // Extents. Gives what has none a size, or refuses one that is not known to equal what it has.
  void merge(std::optional<Extent>& slot, IndexExpr size, Place place, const std::string& label) const;
  void state_label(const std::string& label, IndexExpr size, Place place) {
    labels_[{label, kStatement}] = Extent{size, std::move(place)};
  }
  void bind_label(const LabelKey& key, IndexExpr size, Place place) {
    merge(labels_[key], size, std::move(place), key.name);
  }
  // A dim of an operand: one of size 1 that may broadcast says so, and others give the axis its size.
  void bind_axis(const std::string& pack, std::size_t axis, IndexExpr size, bool can_broadcast, Place place);
  // Axes that only size-1 dims speak of have extent 1.
  void close_units();
  // Nothing: not known. The size of a reduction's index label may be stated for the statement.
  [[nodiscard]] std::optional<IndexExpr> label_extent(const LabelKey& key) const;
  // Also asked outside the reduction that declares the index label.
  [[nodiscard]] std::optional<IndexExpr> extent_named(const std::string& label) const;

 private:
  const FormulaScope& scope_;
  IndexPool& index_;
  const GroundLabels* ground_;
  std::vector<SyntaxId> reductions_;
  std::map<std::string, Pack> packs_;
  std::map<std::string, std::vector<bool>> unit_seen_;
  std::map<LabelKey, std::optional<Extent>> labels_;
};

}  // namespace mlgc::instantiation

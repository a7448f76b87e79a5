// See join_tiles.h.
#include "fusion/join_tiles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/backward_slice.h"
#include "analysis/dependences.h"
#include "formula/formula_work.h"
#include "fusion/fusion_kernel.h"
#include "fusion/known_values.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

// It has so many times the bytes of whatever the kernel reads or writes.
constexpr double kTimesLarger = 1.5;
// Rows that threads share: fewer leave some of them without work.
constexpr double kFewestRows = 8;
// A size that nothing bounds, where the question is what grows faster.
constexpr std::int64_t kLongSize = 1024;

double long_size(const IndexPool& index, IndexExpr size, const Facts& facts) {
  const auto value = index.evaluate(size, [&](AtomId symbol) -> std::optional<std::int64_t> {
    return std::clamp(kLongSize, facts.lower(symbol).value_or(0),
                      std::max(facts.lower(symbol).value_or(0), facts.upper(symbol).value_or(kLongSize)));
  });
  return value ? static_cast<double>(std::max<std::int64_t>(*value, 0)) : static_cast<double>(kLongSize);
}

// Whether the statements of a kernel run by tiles of one axis.
class TileAxis {
 public:
  TileAxis(FormulaPool& pool, const KernelFormula& kernel) : pool_(pool), kernel_(kernel) {}

  // Rows share no factor of a product: each has a contraction of its own.
  [[nodiscard]] bool are_apart(const std::vector<AtomId>& rows) const {
    const IndexPool& index = pool_.index();
    bool apart = true;
    for (const Statement& st : kernel_.formula().statements) {
      if (!is_contraction(pool_, st)) continue;
      visit(st, [&](ExprId e) {
        if (pool_.node(e).kind != NodeKind::Read) return;
        for (const AtomId row : rows) {
          if (index.as_constant(index.atom(row).a) == 1) continue;
          bool has = false;
          for (const IndexExpr subscript : pool_.read_of(e).subscripts)
            index.for_each_atom(subscript, [&](AtomId id) {
              has = has || (index.atom(id).kind == AtomKind::IndexLabel && kernel_.axis(id) == kernel_.axis(row));
            });
          apart = apart && has;
        }
      });
    }
    return apart;
  }

  [[nodiscard]] bool fits(std::uint32_t axis) const {
    enum class Role : std::uint8_t { Free, Row, Sum };
    const Formula& formula = kernel_.formula();
    std::unordered_map<std::size_t, Role> role;         // of tensors that are computed
    std::unordered_map<std::size_t, std::size_t> dims;  // of those of rows: which dim
    bool any = false;                                   // sum over rows
    for (const Statement& st : formula.statements) {
      if (!st.pull || role.contains(st.result.index())) return false;
      std::optional<AtomId> own;
      for (const AtomId label : st.labels) {
        if (kernel_.axis(label) != axis) continue;
        if (own) return false;
        own = label;
      }
      std::vector<ReadParts> reads;
      std::optional<AtomId> summed;
      bool sums = false;
      visit(st, [&](ExprId e) {
        if (pool_.node(e).kind == NodeKind::Read && role.contains(pool_.read_of(e).tensor.index()))
          reads.push_back(pool_.read_of(e));
        if (pool_.node(e).kind != NodeKind::Reduce) return;
        const ReduceParts parts = pool_.reduce_of(e);
        for (const AtomId label : parts.labels)
          if (kernel_.axis(label) == axis) {
            sums = sums || summed || parts.reduction != Reduction::Sum || parts.guard.valid();
            summed = label;
          }
      });
      const auto reads_rows = [&](const std::optional<AtomId>& label) {
        return std::all_of(reads.begin(), reads.end(), [&](const ReadParts& read) {
          const auto dim = dims.find(read.tensor.index());
          return dim == dims.end() || (label && is_at(read, dim->second, *label));
        });
      };
      const auto reads_a = [&](Role wanted) {
        return std::any_of(reads.begin(), reads.end(),
                           [&](const ReadParts& read) { return role.at(read.tensor.index()) == wanted; });
      };
      Role& here = role.try_emplace(st.result.index(), Role::Free).first->second;
      if (own) {
        here = Role::Row;
        if (summed || reads_a(Role::Sum) || !reads_rows(own)) return false;
        std::size_t dim = 0;
        while (dim < st.subscripts.size() && !is_label(st.subscripts[dim], *own)) ++dim;
        if (dim == st.subscripts.size()) return false;
        dims.emplace(st.result.index(), dim);
      } else if (summed) {
        here = Role::Sum;
        if (sums || reads_a(Role::Sum) || !reads_rows(summed) || !is_contraction(pool_, st)) return false;
        any = any || reads_a(Role::Row);
      } else if (reads_a(Role::Row)) {
        return false;
      } else if (reads_a(Role::Sum)) {
        here = Role::Sum;  // after all tiles, as the sums are
      }
    }
    return any;
  }

 private:
  template <class Visit>
  void visit(const Statement& st, const Visit& each) const {
    pool_.visit(st.body, each);
    if (st.guard.valid()) pool_.visit(st.guard, each);
    for (const IndexExpr subscript : st.subscripts) pool_.visit(subscript, each);
  }
  [[nodiscard]] bool is_label(IndexExpr subscript, AtomId label) const {
    const auto atom = pool_.index().as_atom(subscript);
    return atom && *atom == label;
  }
  [[nodiscard]] bool is_at(const ReadParts& read, std::size_t dim, AtomId label) const {
    return !read.fill.valid() && is_label(read.subscripts[dim], label);
  }

  FormulaPool& pool_;
  const KernelFormula& kernel_;
};

class Joining {
 public:
  Joining(const Module& module, const FusionOptions& options, FusionDecisions& decisions)
      : context_(module.context()),
        index_(context_.index()),
        pool_(formulas(context_)),
        shared_(context_),
        options_(options),
        decisions_(decisions),
        dependences_(module) {}

  void run() {
    for (FusionRegion& region : decisions_.regions) join(region);
    // In the order of the regions: later ones begin earlier now.
    std::vector<FusionGroup> left;
    for (FusionRegion& region : decisions_.regions) {
      const std::size_t begin = left.size();
      for (std::size_t k = region.first_kernel; k < region.first_kernel + region.kernel_count; ++k)
        if (!gone_.contains(k)) left.push_back(std::move(decisions_.kernels[k]));
      region.first_kernel = begin;
      region.kernel_count = left.size() - begin;
    }
    decisions_.kernels = std::move(left);
  }

 private:
  using Group = std::vector<std::size_t>;  // kernels, in order

  double bytes_of(Value v) {
    double bytes = static_cast<double>(dtype_info(v.dtype()).bytes);
    for (const IndexExpr dim : v.dims()) bytes *= long_size(index_, dim, facts_);
    return bytes;
  }

  void join(const FusionRegion& region) {
    if (region.kernel_count < 2) return;
    facts_ = function_facts_.of(region.region.parent_op());
    const std::size_t begin = region.first_kernel, end = begin + region.kernel_count;
    // Who reads a value: kernels, and ops that are in none, which want all of it.
    std::unordered_map<ValueId, Group> readers;
    std::unordered_set<ValueId> whole;
    std::unordered_set<OpId> placed;
    std::unordered_map<ValueId, std::size_t> writer;
    for (std::size_t k = begin; k < end; ++k) {
      for (const FusionGroup::Member& member : decisions_.kernels[k].members) placed.insert(member.op.id());
      for (const Value v : decisions_.kernels[k].inputs) readers[v.id()].push_back(k);
      for (const Value v : decisions_.kernels[k].outputs) writer[v.id()] = k;
    }
    for (const OpRef op : region.region.ops())
      if (!placed.contains(op.id()))
        walk(op, [&](OpRef inner) {
          for (const Value v : inner.operands()) whole.insert(v.id());
        });
    for (std::size_t k = begin; k < end; ++k) {
      if (gone_.contains(k)) continue;
      const std::vector<Value> outputs = decisions_.kernels[k].outputs;
      for (const Value v : outputs) {
        const auto passes = [&](Value value) {
          return !whole.contains(value.id()) && readers.contains(value.id()) &&
                 bytes_of(value) >= static_cast<double>(options_.tile_bytes);
        };
        if (!passes(v)) continue;
        // The group has the writers and readers of all values that are at least as large.
        Group group{k};
        for (std::size_t next = 0; next < group.size(); ++next) {
          const FusionGroup& kernel = decisions_.kernels[group[next]];
          const auto add = [&](std::size_t other) {
            if (!gone_.contains(other) && std::find(group.begin(), group.end(), other) == group.end())
              group.push_back(other);
          };
          for (const Value out : kernel.outputs)
            if (passes(out) && bytes_of(out) >= bytes_of(v))
              for (const std::size_t reader : readers[out.id()]) add(reader);
          for (const Value in : kernel.inputs)
            if (passes(in) && bytes_of(in) >= bytes_of(v) && writer.contains(in.id())) add(writer[in.id()]);
        }
        std::sort(group.begin(), group.end());
        if (group.size() < 2 || !try_join(region.region, group, whole, readers)) continue;
        break;
      }
    }
  }

  bool try_join(RegionRef region, const Group& group, const std::unordered_set<ValueId>& whole,
                const std::unordered_map<ValueId, Group>& readers) {
    std::vector<std::size_t> order = order_of(region, group);
    if (order.empty()) return false;
    FusionGroup joined;
    KernelFormula formula(shared_);
    std::unordered_set<ValueId> inside;
    std::size_t ops = 0, alone = 0;
    for (const std::size_t k : order)
      for (const FusionGroup::Member& member : decisions_.kernels[k].members) {
        const Value result = member.op.result();
        if (inside.contains(result.id())) {
          if (member.copy) continue;
          return false;  // a copy of it is there as index arithmetic
        }
        if (formula.has(result)) return false;  // likewise as memory
        joined.members.push_back(member);
        for (const Value v : member.op.results()) inside.insert(v.id());
        ops += member.copy ? 0 : 1;
        if (const auto known = known_value(member.op, pool_); known && member.copy) {
          formula.add_known(result, *known);
          continue;
        }
        const OpFormula* own = shared_.of(member.op, facts_);
        if (own == nullptr) return false;
        alone += own->bent_subscripts;
        formula.add(member.op, *own, member.copy ? KernelFormula::As::Moved : KernelFormula::As::Computed);
      }
    if (ops > options_.max_ops) return false;
    joined.shape = formula.shape();
    const KernelShape& shape = joined.shape;
    if (shape.scatters || shape.reduces_windows || shape.contractions < 2 || formula.bent_subscripts() > alone)
      return false;
    double rows = 1;
    for (const AtomId label : shape.rows) rows *= long_size(index_, index_.atom(label).a, facts_);
    if (rows < kFewestRows) return false;
    fill(joined, group, whole, readers);
    if (!is_smaller(joined, group) || !has_axis(formula, group)) return false;
    joined.operations = formula_operations(pool_, formula.formula());
    for (const std::size_t k : group)
      if (k != group.front()) gone_.insert(k);
    note_edges(joined, group);
    decisions_.kernels[group.front()] = std::move(joined);
    return true;
  }

  // Inputs and outputs.
  void fill(FusionGroup& joined, const Group& group, const std::unordered_set<ValueId>& whole,
            const std::unordered_map<ValueId, Group>& readers) {
    std::unordered_set<ValueId> inside, seen;
    for (const FusionGroup::Member& member : joined.members) {
      for (const Value v : member.op.operands())
        if (!inside.contains(v.id()) && seen.insert(v.id()).second) joined.inputs.push_back(v);
      for (const Value v : member.op.results()) inside.insert(v.id());
    }
    const auto is_outside = [&](std::size_t k) { return std::find(group.begin(), group.end(), k) == group.end(); };
    for (const FusionGroup::Member& member : joined.members) {
      if (member.copy) continue;
      for (const Value v : member.op.results()) {
        const auto found = readers.find(v.id());
        const bool outside =
            found != readers.end() && std::any_of(found->second.begin(), found->second.end(), is_outside);
        if (whole.contains(v.id()) || outside) joined.outputs.push_back(v);
      }
    }
    joined.bytes = index_.constant(0);
    for (const Value v : joined.inputs) joined.bytes = index_.add(joined.bytes, context_.storage_bytes(v.type()));
    for (const Value v : joined.outputs) joined.bytes = index_.add(joined.bytes, context_.storage_bytes(v.type()));
  }
  // What passed between the kernels is larger than all that is left.
  bool is_smaller(const FusionGroup& joined, const Group& group) {
    double largest = 0, least = 0;
    for (const Value v : joined.inputs) largest = std::max(largest, bytes_of(v));
    for (const Value v : joined.outputs) largest = std::max(largest, bytes_of(v));
    for (const Value v : passing(joined, group)) least = std::max(least, bytes_of(v));
    return least >= kTimesLarger * largest;
  }
  std::vector<Value> passing(const FusionGroup& joined, const Group& group) {
    std::vector<Value> out;
    for (const std::size_t k : group)
      for (const Value v : decisions_.kernels[k].outputs)
        if (std::find(joined.outputs.begin(), joined.outputs.end(), v) == joined.outputs.end()) out.push_back(v);
    return out;
  }
  // An axis of what passes along which tiles are made.
  bool has_axis(const KernelFormula& formula, const Group& group) {
    const TileAxis tiles(pool_, formula);
    if (!tiles.are_apart(formula.shape().rows)) return false;
    std::unordered_set<std::uint32_t> tried;
    for (const std::size_t k : group)
      for (const Value v : decisions_.kernels[k].outputs) {
        const auto tensor = formula.find(v);
        for (const Statement& st : formula.formula().statements) {
          if (!tensor || st.result != *tensor) continue;
          for (const AtomId label : st.labels) {
            const std::uint32_t axis = formula.axis(label);
            const std::vector<AtomId> rows = formula.shape().rows;
            const bool is_row =
                std::any_of(rows.begin(), rows.end(), [&](AtomId row) { return formula.axis(row) == axis; });
            if (!is_row && tried.insert(axis).second && tiles.fits(axis)) return true;
          }
        }
      }
    return false;
  }

  // The kernels in an order in which each follows what it reads; empty where another op has to run between them.
  std::vector<std::size_t> order_of(RegionRef region, const Group& group) {
    const RegionDependences& all = dependences_.of(region);
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> of(all.ops.size(), kNone);
    std::vector<bool> copied(all.ops.size());
    for (const std::size_t k : group)
      for (const FusionGroup::Member& member : decisions_.kernels[k].members) {
        const std::uint32_t number = dependences_.number(member.op);
        if (member.copy)
          copied[number] = true;
        else
          of[number] = k;
      }
    // Edges go to later ops, so one pass in their order finds what comes after the group.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = all.edges;
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::unordered_set<std::size_t>> through(all.ops.size());  // copies: kernels that they come from
    std::vector<bool> behind(all.ops.size());
    std::map<std::size_t, std::unordered_set<std::size_t>> needs;
    for (const auto& [from, to] : edges) {
      std::unordered_set<std::size_t> sources = through[from];
      if (of[from] != kNone) sources.insert(of[from]);
      if (of[to] != kNone) {
        if (behind[from]) return {};
        for (const std::size_t k : sources)
          if (k != of[to]) needs[of[to]].insert(k);
      } else if (copied[to]) {
        through[to].insert(sources.begin(), sources.end());
        if (behind[from]) behind[to] = true;
      } else if (!sources.empty() || behind[from]) {
        behind[to] = true;
      }
    }
    std::vector<std::size_t> order;
    while (order.size() < group.size()) {
      const auto next = std::find_if(group.begin(), group.end(), [&](std::size_t k) {
        return std::find(order.begin(), order.end(), k) == order.end() &&
               std::all_of(needs[k].begin(), needs[k].end(), [&](std::size_t need) {
                 return std::find(order.begin(), order.end(), need) != order.end();
               });
      });
      if (next == group.end()) return {};
      order.push_back(*next);
    }
    return order;
  }

  void note_edges(const FusionGroup& joined, const Group& group) {
    std::unordered_map<OpId, bool> members;
    for (const FusionGroup::Member& member : joined.members) members.emplace(member.op.id(), member.copy);
    std::unordered_set<ValueId> written;
    for (const Value v : passing(joined, group)) written.insert(v.id());
    for (FusionEdge& edge : decisions_.edges) {
      if (is_fused(edge.reason) || !members.contains(edge.producer.id()) || !members.contains(edge.consumer.id()))
        continue;
      const Value v = edge.consumer.operand(edge.operand);
      edge.reason = FusionReason::Tile;
      edge.bytes = context_.storage_bytes(v.type());
      if (written.erase(v.id()) > 0) edge.bytes = index_.add(edge.bytes, edge.bytes);
    }
  }

  Context& context_;
  IndexPool& index_;
  FormulaPool& pool_;
  KernelFormulas shared_;
  FusionOptions options_;
  FusionDecisions& decisions_;
  Dependences dependences_;
  FunctionFacts function_facts_;
  Facts facts_;
  std::unordered_set<std::size_t> gone_;
};

}  // namespace

FusionDecisions join_tiles(const Module& module, const FusionOptions& options, FusionDecisions decisions) {
  if (options.tile_bytes > 0) Joining(module, options, decisions).run();
  return decisions;
}

}  // namespace mlgc

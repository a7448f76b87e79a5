// See module_matching.h.
#include "inspect/module_matching.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "inspect/sequences.h"
#include "ir/function.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "support/hash.h"

namespace mlgc {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
// Marks that keep different structures with equal parts apart.
constexpr std::uint64_t kPair = 0xB1, kArgument = 0xB2, kResult = 0xB3, kParent = 0xB4, kAlone = 0xB5;

// How much of an op counts.
enum class Strictness : std::uint8_t { Exact, AnyType, AnyAttribute, AnyOp };

bool is_called_at_once(OpRef op) {
  if (!op.valid() || !op.has_trait(Traits::IsolatedRegion) || op.has_trait(Traits::TopLevelOnly) ||
      op.region_count() != 1 || !op.parent().valid())
    return false;
  const OpRef end = op.region(0).terminator();
  return op.region(0).argument_count() == op.operand_count() && end.valid() && end.operand_count() == op.result_count();
}

// `visit` gets each op that reads the value, and the number of the operand, as seen_through() sees it.
template <class Visit>
void for_each_reader(Value value, const Visit& visit) {
  for (const Use use : value.uses()) {
    const OpRef op = use.owner();
    if (is_called_at_once(op))
      for_each_reader(op.region(0).argument(use.operand_number()), visit);
    else if (op.has_trait(Traits::Terminator) && is_called_at_once(op.parent_op()))
      for_each_reader(op.parent_op().result(use.operand_number()), visit);
    else
      visit(op, use.operand_number());
  }
}

}  // namespace

Value seen_through(Value value) {
  while (true) {
    const OpRef op = value.is_result() ? value.definer() : value.argument_of().parent_op();
    if (!is_called_at_once(op)) return value;
    value = value.is_result() ? op.region(0).terminator().operand(value.number()) : op.operand(value.number());
  }
}

// Matches the ops inside of items that are matched already.
class OpMatcher {
 public:
  explicit OpMatcher(ModuleMatching& matching) : matching_(matching) {
    sides_[0].side = &matching.before_;
    sides_[1].side = &matching.after_;
    for (Half& half : sides_) number(half);
    for (std::uint32_t i = 0; i < sides_[0].ops.size(); ++i) {
      const OpRef other = matching.partner(sides_[0].ops[i]);
      if (other.valid()) mark(i, sides_[1].number_of[other.id().index()]);
    }
  }

  void run() {
    for (std::uint32_t i = 0; i < sides_[0].ops.size(); ++i)
      if (sides_[0].partner[i] != kNone) match_terminators(i, sides_[0].partner[i]);
    for (const Strictness strictness : {Strictness::Exact, Strictness::AnyType, Strictness::AnyAttribute}) {
      set_rows(strictness);
      constexpr int kMostRounds = 8;  // each works with the pairs of the one before
      for (int round = 0; round < kMostRounds && anything_left() && match(strictness); ++round) {
      }
    }
    set_rows(Strictness::AnyOp);
    if (anything_left()) replace();
  }

 private:
  using Hashes = std::vector<std::uint64_t>;
  // One module, with ops of matched items only.
  struct Half {
    ModuleMatching::Side* side = nullptr;
    std::vector<OpRef> ops;                // in program order
    std::vector<std::uint32_t> backward;   // the last first; an op before what is inside of it
    std::vector<std::uint32_t> number_of;  // by id
    std::vector<std::uint32_t> parent;     // kNone: an item
    std::vector<std::uint32_t> item;       // that the op stands in
    std::vector<std::uint32_t> partner;    // kNone: none yet
    Hashes row, down, up, near;
    std::size_t left = 0;
  };

  static void number(Half& half) {
    half.number_of.assign(half.side->module->op_id_bound(), kNone);
    for (const OpRef item : half.side->module->body().ops()) {
      if (!half.side->partner[item.id().index()].valid()) continue;
      walk(item, [&](OpRef op) {
        half.number_of[op.id().index()] = static_cast<std::uint32_t>(half.ops.size());
        half.parent.push_back(op == item ? kNone : half.number_of[op.parent_op().id().index()]);
        half.item.push_back(half.number_of[item.id().index()]);
        half.ops.push_back(op);
      });
    }
    walk<WalkOrder::BackwardPre>(*half.side->module, [&](OpRef op) {
      if (const std::uint32_t at = half.number_of[op.id().index()]; at != kNone) half.backward.push_back(at);
    });
    half.left = half.ops.size();
    half.partner.assign(half.ops.size(), kNone);
    for (Hashes* hashes : {&half.row, &half.down, &half.up, &half.near}) hashes->assign(half.ops.size(), 0);
  }

  [[nodiscard]] bool anything_left() const { return sides_[0].left > 0 && sides_[1].left > 0; }

  void mark(std::uint32_t a, std::uint32_t b) {
    sides_[0].partner[a] = b;
    sides_[1].partner[b] = a;
    --sides_[0].left;
    --sides_[1].left;
    pairs_.emplace_back(a, b);
  }
  void match_pair(std::uint32_t a, std::uint32_t b) {
    matching_.pair(sides_[0].ops[a], sides_[1].ops[b]);
    mark(a, b);
    match_terminators(a, b);
  }
  void match_terminators(std::uint32_t a, std::uint32_t b) {
    const OpRef x = sides_[0].ops[a], y = sides_[1].ops[b];
    for (std::size_t r = 0; r < std::min(x.region_count(), y.region_count()); ++r) {
      const OpRef end_x = x.region(r).terminator(), end_y = y.region(r).terminator();
      if (!end_x.valid() || !end_y.valid() || end_x.opcode() != end_y.opcode()) continue;
      const std::uint32_t at_x = sides_[0].number_of[end_x.id().index()],
                          at_y = sides_[1].number_of[end_y.id().index()];
      if (sides_[0].partner[at_x] == kNone && sides_[1].partner[at_y] == kNone) match_pair(at_x, at_y);
    }
  }

  void set_rows(Strictness strictness) {
    for (Half& half : sides_)
      for (std::uint32_t i = 0; i < half.ops.size(); ++i) {
        const OpRef op = half.ops[i];
        std::uint64_t h = hash_mix(op.result_count(), op.region_count());
        if (strictness != Strictness::AnyOp) h = hash_mix(h, static_cast<std::uint64_t>(op.opcode()));
        if (strictness <= Strictness::AnyType) h = hash_mix(hash_mix(h, op.attrs().id), op.operand_count());
        if (strictness == Strictness::Exact || strictness == Strictness::AnyOp)
          for (const Value result : op.results()) h = hash_mix(h, result.type().id);
        half.row[i] = hash_mix(h, item_number(half, i));
      }
  }
  // Of the pair of items that the op stands in.
  [[nodiscard]] std::uint32_t item_number(const Half& half, std::uint32_t i) const {
    return &half == sides_.data() ? half.item[i] : half.partner[half.item[i]];
  }

  // What stands for an op: its pair, or so far its hash.
  [[nodiscard]] std::uint64_t mark_of(const Half& half, std::uint32_t i, const Hashes& hashes) const {
    if (half.partner[i] == kNone) return hashes[i];
    return hash_mix(kPair, &half == sides_.data() ? i : half.partner[i]);
  }
  [[nodiscard]] std::uint64_t value_mark(const Half& half, Value of, const Hashes& hashes) const {
    const Value value = seen_through(of);
    const bool result = value.is_result();
    const OpRef op = result ? value.definer() : value.argument_of().parent_op();
    std::uint64_t h = hash_mix(result ? kResult : kArgument, mark_of(half, half.number_of[op.id().index()], hashes));
    if (result) return hash_mix(h, value.number());
    h = hash_mix(h, value.argument_of().number());
    const auto other = half.side->arguments.find(value.id());
    if (other == half.side->arguments.end()) {
      // Arguments of a region whose op has no partner yet.
      const bool open = half.partner[half.number_of[op.id().index()]] == kNone;
      return hash_mix(h, open ? value.number() : hash_mix(kAlone + (&half == sides_.data() ? 0 : 1), value.number()));
    }
    const Value in_before = &half == sides_.data() ? value : sides_[0].side->module->value(other->second);
    return hash_mix(h, in_before.number());
  }
  [[nodiscard]] std::uint64_t parent_mark(const Half& half, std::uint32_t i, const Hashes& hashes) const {
    std::uint32_t at = i;
    // What ends such a region belongs to it.
    if (!half.ops[i].has_trait(Traits::Terminator))
      while (half.parent[at] != kNone && is_called_at_once(half.ops[half.parent[at]])) at = half.parent[at];
    if (half.parent[at] == kNone) return 0;
    return hash_mix(hash_mix(kParent, mark_of(half, half.parent[at], hashes)), half.ops[at].parent().number());
  }
  // Of what the op reads; of commutative ops the first two in any order.
  [[nodiscard]] std::uint64_t operands_mark(const Half& half, OpRef op, const Hashes& hashes) const {
    std::uint64_t h = 0;
    std::size_t next = 0;
    if (op.has_trait(Traits::Commutative) && op.operand_count() > 1) {
      h = hash_mix(0, value_mark(half, op.operand(0), hashes) + value_mark(half, op.operand(1), hashes));
      next = 2;
    }
    for (; next < op.operand_count(); ++next) h = hash_mix(h, value_mark(half, op.operand(next), hashes));
    return h;
  }
  // Of all that read the op, in any order.
  [[nodiscard]] std::uint64_t users_mark(const Half& half, OpRef op, const Hashes& hashes) const {
    std::uint64_t sum = 0;
    for (const Value result : op.results())
      for_each_reader(result, [&](OpRef reader, std::size_t operand) {
        const std::uint64_t user = mark_of(half, half.number_of[reader.id().index()], hashes);
        const bool either = operand == 1 && reader.has_trait(Traits::Commutative);
        sum += hash_mix(hash_mix(user, either ? 0 : operand), result.number());
      });
    return sum;
  }

  // By all that computes an op.
  void compute_down() {
    for (Half& half : sides_)
      for (std::uint32_t i = 0; i < half.ops.size(); ++i) {
        const std::uint64_t h = hash_mix(half.row[i], parent_mark(half, i, half.down));
        half.down[i] = hash_mix(h, operands_mark(half, half.ops[i], half.down));
      }
  }
  // By all that is computed of it.
  void compute_up() {
    for (Half& half : sides_)
      for (const std::uint32_t i : half.backward) {
        std::uint64_t h = hash_mix(half.row[i], users_mark(half, half.ops[i], half.up));
        if (half.ops[i].has_trait(Traits::Terminator)) h = hash_mix(h, parent_mark(half, i, half.up));
        half.up[i] = h;
      }
  }
  // By what stands up to so many ops away.
  void compute_near(int distance) {
    for (Half& half : sides_) {
      half.near = half.row;
      for (int step = 0; step < distance; ++step) {
        Hashes next(half.ops.size());
        for (std::uint32_t i = 0; i < half.ops.size(); ++i) {
          if (half.partner[i] != kNone) continue;
          std::uint64_t h = hash_mix(half.near[i], parent_mark(half, i, half.near));
          h = hash_mix(h, operands_mark(half, half.ops[i], half.near));
          next[i] = hash_mix(h, users_mark(half, half.ops[i], half.near));
        }
        half.near = std::move(next);
      }
    }
  }

  bool match(Strictness strictness) {
    const std::size_t before = sides_[0].left;
    const bool exact = strictness == Strictness::Exact;
    const auto any = [](OpRef) { return true; };
    // Where less of an op counts, what stands around it must say which one it is.
    const auto reads = [strictness](OpRef op) { return strictness <= Strictness::AnyType || op.operand_count() > 0; };
    const auto read = [exact](OpRef op) { return exact || !op.results_unused(); };
    compute_down();
    compute_up();
    pair_equal([](const Half& half, std::uint32_t i) { return hash_mix(half.down[i], half.up[i]); }, any);
    compute_down();
    pair_equal([](const Half& half, std::uint32_t i) { return half.down[i]; }, reads);
    compute_up();
    pair_equal([](const Half& half, std::uint32_t i) { return half.up[i]; }, read);
    // What is around an op says little where much is alike: it is asked where nothing else tells more.
    const auto near = [](const Half& half, std::uint32_t i) { return half.near[i]; };
    for (const int distance : {2, 1}) {
      if (sides_[0].left < before) return true;
      compute_near(distance);
      align(near, any);
    }
    if (sides_[0].left == before) follow_pairs();
    for (const int distance : {2, 1}) {
      if (sides_[0].left < before) return true;
      compute_near(distance);
      group(near, any, true);
    }
    return sides_[0].left < before;
  }

  // First those that stand in the same order, then in any: as many here as there, then what is left of them.
  template <class Key, class Admits>
  void pair_equal(const Key& key, const Admits& admits) {
    align(key, admits);
    group(key, admits, false);
  }

  // Pairs those of equal key that have no partner yet: first where there are as many on both sides, then, unless only
  // `equal` numbers count, as many as there are.
  template <class Key, class Admits>
  void group(const Key& key, const Admits& admits, bool equal) {
    if (!anything_left()) return;
    std::array<std::vector<std::pair<std::uint64_t, std::uint32_t>>, 2> keyed;
    for (std::size_t s = 0; s < 2; ++s) {
      const Half& half = sides_[s];
      for (std::uint32_t i = 0; i < half.ops.size(); ++i)
        if (half.partner[i] == kNone && admits(half.ops[i])) keyed[s].emplace_back(key(half, i), i);
      std::sort(keyed[s].begin(), keyed[s].end());
    }
    std::vector<std::array<std::vector<std::uint32_t>, 2>> later;
    auto a = keyed[0].begin(), b = keyed[1].begin();
    while (a != keyed[0].end() && b != keyed[1].end()) {
      if (a->first != b->first) {
        ++(a->first < b->first ? a : b);
        continue;
      }
      const std::uint64_t same = a->first;
      std::vector<std::uint32_t> left, right;
      for (; a != keyed[0].end() && a->first == same; ++a) left.push_back(a->second);
      for (; b != keyed[1].end() && b->first == same; ++b) right.push_back(b->second);
      if (left.size() == right.size())
        pair_alike(left, right);
      else if (!equal)
        later.push_back({std::move(left), std::move(right)});
    }
    for (const auto& [left, right] : later) pair_alike(left, right);
  }

  // Of ops that are alike those of one name are the same, then those that come first.
  void pair_alike(const std::vector<std::uint32_t>& left, const std::vector<std::uint32_t>& right) {
    const auto open = [&](std::size_t s, std::uint32_t i) { return sides_[s].partner[i] == kNone; };
    if (left.size() > 1 || right.size() > 1) {
      std::unordered_map<StringId, std::uint32_t> named;
      const auto name = [&](std::size_t s, std::uint32_t i) {
        const OpRef op = sides_[s].ops[i];
        return op.result_count() == 0 ? StringId() : op.result(0).name_id();
      };
      for (const std::uint32_t b : right)
        if (const StringId id = name(1, b); id.valid()) named.emplace(id, b);
      for (const std::uint32_t a : left)
        if (const auto found = named.find(name(0, a)); found != named.end() && open(0, a) && open(1, found->second))
          match_pair(a, found->second);
    }
    auto b = right.begin();
    for (const std::uint32_t a : left) {
      if (!open(0, a)) continue;
      while (b != right.end() && !open(1, *b)) ++b;
      if (b == right.end()) return;
      match_pair(a, *b);
    }
  }

  // Pairs those of equal key that stand in the same order between pairs that keep theirs.
  template <class Key, class Admits>
  void align(const Key& key, const Admits& admits) {
    if (!anything_left()) return;
    std::vector<std::uint32_t> pairs;
    std::vector<std::size_t> places;
    for (std::uint32_t i = 0; i < sides_[0].ops.size(); ++i)
      if (sides_[0].partner[i] != kNone) {
        pairs.push_back(i);
        places.push_back(sides_[0].partner[i]);
      }
    const std::vector<bool> in_order = longest_increasing(places);
    const auto end_a = static_cast<std::uint32_t>(sides_[0].ops.size()),
               end_b = static_cast<std::uint32_t>(sides_[1].ops.size());
    std::uint32_t a = 0, b = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!in_order[i]) continue;
      align(a, pairs[i], b, static_cast<std::uint32_t>(places[i]), key, admits);
      a = pairs[i] + 1;
      b = static_cast<std::uint32_t>(places[i]) + 1;
    }
    align(a, end_a, b, end_b, key, admits);
  }
  template <class Key, class Admits>
  void align(std::uint32_t begin_a, std::uint32_t end_a, std::uint32_t begin_b, std::uint32_t end_b, const Key& key,
             const Admits& admits) {
    constexpr std::size_t kMostDifferent = 256;
    std::array<std::vector<std::uint32_t>, 2> ops;
    std::array<Hashes, 2> keys;
    const auto collect = [&](std::size_t s, std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i)
        if (sides_[s].partner[i] == kNone && admits(sides_[s].ops[i])) {
          ops[s].push_back(i);
          keys[s].push_back(key(sides_[s], i));
        }
    };
    collect(0, begin_a, end_a);
    if (ops[0].empty()) return;
    collect(1, begin_b, end_b);
    for (const auto& [i, k] : common_subsequence(keys[0], keys[1], kMostDifferent))
      if (sides_[0].partner[ops[0][i]] == kNone && sides_[1].partner[ops[1][k]] == kNone)
        match_pair(ops[0][i], ops[1][k]);
  }

  // What a pair reads, and what reads it, at the same place and of one row.
  void follow_pairs() {
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
      const auto [a, b] = pairs_[at];
      const OpRef x = sides_[0].ops[a], y = sides_[1].ops[b];
      for (std::size_t i = 0; i < std::min(x.operand_count(), y.operand_count()); ++i) {
        const Value of_x = seen_through(x.operand(i)), of_y = seen_through(y.operand(i));
        if (!of_x.is_result() || !of_y.is_result()) continue;
        const std::uint32_t from_x = sides_[0].number_of[of_x.definer().id().index()],
                            from_y = sides_[1].number_of[of_y.definer().id().index()];
        if (sides_[0].partner[from_x] == kNone && sides_[1].partner[from_y] == kNone &&
            sides_[0].row[from_x] == sides_[1].row[from_y])
          match_pair(from_x, from_y);
      }
      for (std::size_t r = 0; r < std::min(x.result_count(), y.result_count()); ++r)
        follow_users(x.result(r), y.result(r));
      for (std::size_t region = 0; region < std::min(x.region_count(), y.region_count()); ++region)
        for (const Value argument : x.region(region).arguments())
          if (const Value other = matching_.partner(argument); other.valid()) follow_users(argument, other);
    }
  }
  void follow_users(Value x, Value y) {
    std::map<std::pair<std::uint64_t, std::size_t>, std::array<std::vector<std::uint32_t>, 2>> users;
    const auto collect = [&](std::size_t s, Value value) {
      for_each_reader(value, [&](OpRef reader, std::size_t operand) {
        const std::uint32_t i = sides_[s].number_of[reader.id().index()];
        if (sides_[s].partner[i] == kNone) users[{sides_[s].row[i], operand}][s].push_back(i);
      });
    };
    collect(0, x);
    if (users.empty()) return;
    collect(1, y);
    for (auto& [key, both] : users) {
      for (std::vector<std::uint32_t>& half : both) std::sort(half.begin(), half.end());
      if (both[0].size() == both[1].size()) pair_alike(both[0], both[1]);
    }
  }

  // Ops of another opcode that take the place of one.
  void replace() {
    std::array<std::map<std::uint64_t, std::vector<std::uint32_t>>, 2> places;
    for (std::size_t s = 0; s < 2; ++s) {
      const Half& half = sides_[s];
      for (std::uint32_t i = 0; i < half.ops.size(); ++i)
        if (half.partner[i] == kNone && !half.ops[i].results_unused() && only_pairs_read(half, half.ops[i]))
          places[s][hash_mix(half.row[i], users_mark(half, half.ops[i], half.row))].push_back(i);
    }
    for (const auto& [key, left] : places[0]) {
      const auto right = places[1].find(key);
      if (right == places[1].end() || left.size() != 1 || right->second.size() != 1) continue;
      if (share_an_operand(sides_[0].ops[left[0]], sides_[1].ops[right->second[0]]))
        match_pair(left[0], right->second[0]);
    }
  }
  static bool only_pairs_read(const Half& half, OpRef op) {
    bool pairs = true;
    for (const Value result : op.results())
      for_each_reader(result, [&](OpRef reader, std::size_t) {
        pairs = pairs && half.partner[half.number_of[reader.id().index()]] != kNone;
      });
    return pairs;
  }
  // So do those that read nothing.
  [[nodiscard]] bool share_an_operand(OpRef before, OpRef after) const {
    if (before.operand_count() == 0 && after.operand_count() == 0) return true;
    std::vector<ValueId> read;
    for (const Value operand : before.operands())
      if (const Value other = matching_.partner(seen_through(operand)); other.valid()) read.push_back(other.id());
    std::sort(read.begin(), read.end());
    const auto operands = after.operands();
    return std::any_of(operands.begin(), operands.end(), [&](Value operand) {
      return std::binary_search(read.begin(), read.end(), seen_through(operand).id());
    });
  }

  ModuleMatching& matching_;
  std::array<Half, 2> sides_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

ModuleMatching::ModuleMatching(const Module& before, const Module& after) {
  MLGC_ASSERT(&before.context() == &after.context(), "modules of two contexts");
  before_.module = &before;
  after_.module = &after;
  before_.partner.resize(before.op_id_bound());
  after_.partner.resize(after.op_id_bound());
  pair(before.top(), after.top());
  pair_items();
  OpMatcher(*this).run();
}

OpRef ModuleMatching::partner(OpRef op) const {
  const Side& own = side(op.module());
  const Side& other = &own == &before_ ? after_ : before_;
  return other.module->op(own.partner[op.id().index()]);
}

Value ModuleMatching::partner(Value value) const {
  const Side& own = side(value.module());
  const Side& other = &own == &before_ ? after_ : before_;
  if (value.is_argument()) {
    const auto found = own.arguments.find(value.id());
    return found == own.arguments.end() ? Value() : other.module->value(found->second);
  }
  const OpRef op = partner(value.definer());
  return op.valid() && value.number() < op.result_count() ? op.result(value.number()) : Value();
}

void ModuleMatching::pair(OpRef before, OpRef after) {
  before_.partner[before.id().index()] = after.id();
  after_.partner[after.id().index()] = before.id();
  if (!before.is(GraphOp::Module)) pair_arguments(before, after);
}

void ModuleMatching::pair_arguments(OpRef before, OpRef after) {
  const auto pair = [&](Value x, Value y) {
    before_.arguments.emplace(x.id(), y.id());
    after_.arguments.emplace(y.id(), x.id());
  };
  const FuncRef f = FuncRef::from(before), g = FuncRef::from(after);
  for (std::size_t r = 0; r < std::min(before.region_count(), after.region_count()); ++r) {
    const RegionRef x = before.region(r), y = after.region(r);
    if (!f.valid() || !g.valid()) {
      for (std::size_t i = 0; i < std::min(x.argument_count(), y.argument_count()); ++i)
        pair(x.argument(i), y.argument(i));
      continue;
    }
    std::unordered_map<std::string, std::size_t> named;
    for (std::size_t i = 0; i < y.argument_count(); ++i) named.emplace(argument_name(g, i), i);
    std::vector<Value> left;
    for (std::size_t i = 0; i < x.argument_count(); ++i) {
      const auto found = named.find(argument_name(f, i));
      if (found == named.end()) {
        left.push_back(x.argument(i));
        continue;
      }
      pair(x.argument(i), y.argument(found->second));
      named.erase(found);
    }
    // Those of another name: the next one of the type.
    std::unordered_map<std::uint32_t, std::deque<Value>> of_type;
    for (const Value argument : y.arguments())
      if (!after_.arguments.contains(argument.id())) of_type[argument.type().id].push_back(argument);
    for (const Value argument : left) {
      std::deque<Value>& others = of_type[argument.type().id];
      if (others.empty()) continue;
      pair(argument, others.front());
      others.pop_front();
    }
  }
}

void ModuleMatching::pair_items() {
  std::vector<OpRef> left, right;
  std::unordered_map<std::string_view, OpRef> named;
  for (const OpRef item : after_.module->body().ops())
    if (!item.symbol().empty()) named.emplace(item.symbol(), item);
  for (const OpRef item : before_.module->body().ops()) {
    const auto found = named.find(item.symbol());
    if (!item.symbol().empty() && found != named.end() && found->second.opcode() == item.opcode() &&
        !after_.partner[found->second.id().index()].valid())
      pair(item, found->second);
    else
      left.push_back(item);
  }
  if (left.empty()) return;
  // The same under another name. A weight is nothing but a type: one of another name is another one.
  StructuralHasher before_hash(*before_.module), after_hash(*after_.module);
  std::unordered_map<std::uint64_t, std::deque<OpRef>> alike;
  const auto may_be_renamed = [](OpRef item) { return item.symbol().empty() || item.region_count() > 0; };
  for (const OpRef item : after_.module->body().ops())
    if (!after_.partner[item.id().index()].valid() && may_be_renamed(item))
      alike[after_hash.op_hash(item, {.symbol_name = false})].push_back(item);
  for (const OpRef item : left) {
    if (!may_be_renamed(item)) continue;
    const auto found = alike.find(before_hash.op_hash(item, {.symbol_name = false}));
    if (found == alike.end() || found->second.empty()) continue;
    pair(item, found->second.front());
    found->second.pop_front();
  }
}

}  // namespace mlgc

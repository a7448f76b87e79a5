// Random sequences of edits, done to the store and to a naive model side by side. The model keeps ops and values as
// numbered records with plain vectors and finds uses by looking everywhere.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/structural_hash.h"
#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct ModelRegion {
  std::vector<std::size_t> arguments, ops;
};
struct ModelOp {
  OpId id;
  bool alive = true;
  std::size_t parent = 0, region = 0;
  std::vector<std::size_t> operands, results;
  std::vector<ModelRegion> regions;
};

class Pair {
 public:
  explicit Pair(unsigned seed) : random_(seed), module_(context_) {
    ModelOp top;
    top.id = OpId(0);
    top.regions.resize(1);
    ops_.push_back(top);
  }

  void edit() {
    switch (pick(14)) {
      case 0:
      case 1:
      case 2:
      case 3: return create();
      case 4: return set_operand();
      case 5: return set_operands();
      case 6: return replace();
      case 7:
      case 8: return erase();
      case 9:
      case 10: return move();
      case 11: return add_argument();
      case 12: return erase_argument();
      case 13: return pick(10) == 0 ? compact() : create();
      default: return;
    }
  }

  // Everything the store shows agrees with the model.
  void compare() {
    REQUIRE(module_.check_store() == "");
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> uses(values_.size());
    std::size_t live = 0;
    for (std::size_t label = 0; label < ops_.size(); ++label) {
      const ModelOp& model = ops_[label];
      if (!model.alive) continue;
      ++live;
      const OpRef op = module_.op(model.id);
      REQUIRE(labels(op.operands()) == model.operands);
      REQUIRE(labels(op.results()) == model.results);
      REQUIRE(op.region_count() == model.regions.size());
      for (std::size_t i = 0; i < model.operands.size(); ++i) uses[model.operands[i]].emplace_back(model.id.index(), i);
      for (std::size_t i = 0; i < model.regions.size(); ++i) {
        REQUIRE(labels(op.region(i).arguments()) == model.regions[i].arguments);
        std::vector<OpId> expected, forwards, backwards;
        for (const std::size_t inner : model.regions[i].ops) expected.push_back(ops_[inner].id);
        for (const OpRef inner : op.region(i).ops()) forwards.push_back(inner.id());
        for (OpRef inner = op.region(i).back(); inner.valid(); inner = inner.previous())
          backwards.push_back(inner.id());
        std::reverse(backwards.begin(), backwards.end());
        REQUIRE(forwards == expected);
        REQUIRE(backwards == expected);
      }
      if (label != 0) REQUIRE(op.parent() == module_.op(ops_[model.parent].id).region(model.region));
    }
    REQUIRE(module_.op_count() == live);
    for (std::size_t label = 0; label < values_.size(); ++label) {
      if (!values_[label].valid()) continue;
      const Value value = module_.value(values_[label]);
      std::vector<std::pair<std::size_t, std::size_t>> found;
      for (const Use use : value.uses()) found.emplace_back(use.owner().id().index(), use.operand_number());
      std::sort(found.begin(), found.end());
      std::sort(uses[label].begin(), uses[label].end());
      REQUIRE(found == uses[label]);
      REQUIRE(value.has_uses() == !found.empty());
      REQUIRE(value.has_one_use() == (found.size() == 1));
    }
  }

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] std::size_t live_ops() const { return module_.op_count(); }

  void compact() {
    const std::string before = test::dump(module_);
    const Remapping moved = module_.compact();
    for (ModelOp& op : ops_)
      if (op.alive) op.id = moved.ops[op.id.index()];
    for (ValueId& value : values_)
      if (value.valid()) value = moved.values[value.index()];
    REQUIRE(test::dump(module_) == before);
  }

 private:
  std::size_t pick(std::size_t bound) { return random_() % bound; }

  template <class Range>
  std::vector<std::size_t> labels(const Range& range) const {
    std::vector<std::size_t> result;
    for (const Value value : range)
      result.push_back(
          static_cast<std::size_t>(std::find(values_.begin(), values_.end(), value.id()) - values_.begin()));
    return result;
  }

  std::size_t any_op(bool with_top) {
    std::vector<std::size_t> alive;
    for (std::size_t i = with_top ? 0 : 1; i < ops_.size(); ++i)
      if (ops_[i].alive) alive.push_back(i);
    return alive.empty() ? 0 : alive[pick(alive.size())];
  }
  // A region of some op: label and number. The module's body is always there.
  std::pair<std::size_t, std::size_t> any_region() {
    for (int tries = 0; tries < 4; ++tries) {
      const std::size_t op = any_op(true);
      if (!ops_[op].regions.empty()) return {op, pick(ops_[op].regions.size())};
    }
    return {0, 0};
  }
  std::vector<std::size_t> any_values(std::size_t count) {
    std::vector<std::size_t> alive, chosen;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].valid()) alive.push_back(i);
    for (std::size_t i = 0; i < count && !alive.empty(); ++i) chosen.push_back(alive[pick(alive.size())]);
    return chosen;
  }
  std::vector<Value> handles(const std::vector<std::size_t>& labels) {
    std::vector<Value> result;
    for (const std::size_t label : labels) result.push_back(module_.value(values_[label]));
    return result;
  }
  ModelRegion& region(std::pair<std::size_t, std::size_t> at) { return ops_[at.first].regions[at.second]; }
  bool is_inside(std::size_t op, std::size_t ancestor) const {
    for (; op != 0; op = ops_[op].parent)
      if (op == ancestor) return true;
    return ancestor == 0;
  }

  void create() {
    const auto place = any_region();
    ModelOp model;
    model.operands = any_values(pick(4));
    const std::vector<Type> types(pick(3), context_->types().scalar(Dtype::F32));
    model.regions.resize(pick(3));
    const OpRef op =
        module_.create(context_->find_op("any"), handles(model.operands), {}, types, {}, model.regions.size());
    model.id = op.id();
    for (const Value result : op.results()) {
      model.results.push_back(values_.size());
      values_.push_back(result.id());
    }
    ops_.push_back(model);
    put(ops_.size() - 1, place, pick(region(place).ops.size() + 1));
  }

  void put(std::size_t op, std::pair<std::size_t, std::size_t> place, std::size_t position) {
    ModelRegion& list = region(place);
    const OpRef handle = module_.op(ops_[op].id);
    if (position == list.ops.size())
      handle.move_to_end(module_.op(ops_[place.first].id).region(place.second));
    else if (position > 0 && pick(2) == 0)
      handle.move_after(module_.op(ops_[list.ops[position - 1]].id));
    else
      handle.move_before(module_.op(ops_[list.ops[position]].id));
    list.ops.insert(list.ops.begin() + static_cast<std::ptrdiff_t>(position), op);
    ops_[op].parent = place.first;
    ops_[op].region = place.second;
  }

  void move() {
    const std::size_t op = any_op(false);
    const auto place = any_region();
    if (op == 0 || is_inside(place.first, op)) return;
    std::erase(region({ops_[op].parent, ops_[op].region}).ops, op);
    put(op, place, pick(region(place).ops.size() + 1));
  }

  void set_operand() {
    ModelOp& op = ops_[any_op(false)];
    const auto value = any_values(1);
    if (op.operands.empty() || value.empty()) return;
    const std::size_t i = pick(op.operands.size());
    module_.op(op.id).set_operand(i, handles(value)[0]);
    op.operands[i] = value[0];
  }

  void set_operands() {
    const std::size_t label = any_op(false);
    if (label == 0) return;
    ops_[label].operands = any_values(pick(6));
    module_.op(ops_[label].id).set_operands(handles(ops_[label].operands));
  }

  void replace() {
    const auto values = any_values(2);
    if (values.size() < 2) return;
    handles(values)[0].replace_all_uses_with(handles(values)[1]);
    for (ModelOp& op : ops_)
      if (op.alive) std::replace(op.operands.begin(), op.operands.end(), values[0], values[1]);
  }

  void erase() {
    const std::size_t victim = any_op(false);
    if (victim == 0) return;
    std::vector<std::size_t> inside;
    std::vector<bool> dies(values_.size());
    for (std::size_t i = 1; i < ops_.size(); ++i) {
      if (!ops_[i].alive || !is_inside(i, victim)) continue;
      inside.push_back(i);
      for (const std::size_t result : ops_[i].results) dies[result] = true;
      for (const ModelRegion& r : ops_[i].regions)
        for (const std::size_t argument : r.arguments) dies[argument] = true;
    }
    const std::vector<std::size_t>& own = ops_[victim].results;
    for (std::size_t i = 1; i < ops_.size(); ++i)
      for (const std::size_t operand : ops_[i].operands)
        if (ops_[i].alive && dies[operand] &&
            (!is_inside(i, victim) || std::find(own.begin(), own.end(), operand) != own.end()))
          return;
    module_.op(ops_[victim].id).erase();
    std::erase(region({ops_[victim].parent, ops_[victim].region}).ops, victim);
    for (const std::size_t i : inside) ops_[i].alive = false;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (dies[i]) values_[i] = ValueId();
  }

  void add_argument() {
    const auto place = any_region();
    region(place).arguments.push_back(values_.size());
    values_.push_back(
        module_.op(ops_[place.first].id).region(place.second).add_argument(context_->types().index()).id());
  }

  void erase_argument() {
    const auto place = any_region();
    std::vector<std::size_t>& arguments = region(place).arguments;
    if (arguments.empty()) return;
    const std::size_t i = pick(arguments.size());
    for (const ModelOp& op : ops_)
      if (op.alive && std::count(op.operands.begin(), op.operands.end(), arguments[i]) > 0) return;
    module_.op(ops_[place.first].id).region(place.second).erase_argument(i);
    values_[arguments[i]] = ValueId();
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::mt19937 random_;
  std::shared_ptr<Context> context_ = test::make_context();
  Module module_;
  std::vector<ModelOp> ops_;     // by label; 0 is the module op
  std::vector<ValueId> values_;  // by label
};

}  // namespace

TEST_CASE("random edits do to the store what they do to a naive model") {
  std::size_t largest = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Pair pair(seed);
    std::vector<std::pair<Module, std::string>> snapshots;
    for (int step = 1; step <= 1000; ++step) {
      pair.edit();
      if (step % 20 == 0) pair.compare();
      if (step % 200 == 0) snapshots.emplace_back(pair.module(), test::dump(pair.module()));
    }
    largest = std::max(largest, pair.live_ops());
    const std::uint64_t hash = structural_hash(pair.module());
    pair.compact();
    pair.compare();
    CHECK(structural_hash(pair.module()) == hash);
    for (const auto& [snapshot, text] : snapshots) {
      CHECK(test::dump(snapshot) == text);
      CHECK(snapshot.check_store() == "");
    }
  }
  CHECK(largest > 50);  // the sequences do grow programs
}

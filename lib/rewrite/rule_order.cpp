// Order proofs.
#include "rewrite/rule_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "formula/scalar_function.h"
#include "rewrite/rule_functions.h"

namespace mlgc {

namespace {

// Beyond that of a sum.
int scalar_cost(std::string_view name) {
  for (const std::size_t arity : {1, 2})
    if (const auto fn = find_scalar_fn(name, arity)) return scalar_fn_info(*fn).cost - 1;
  return 0;
}

}  // namespace

int op_cost(const OpDef& def) {
  if (has(def.traits, Traits::Constant) || has(def.traits, Traits::Movement)) return 1;
  if (!has(def.traits, Traits::Elementwise)) return def.tier == Tier::Composite ? 64 : 32;
  // Of elementwise rows quotients and scalar functions cost more than sums, products and choices.
  int cost = 2;
  std::size_t word = 0;
  for (std::size_t i = 0; i < def.formula.size(); ++i) {
    const char c = def.formula[i];
    if (c == '/') cost += scalar_cost("/");
    if (c == '(') cost += scalar_cost(def.formula.substr(word, i - word));
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) word = i + 1;
  }
  return cost;
}

namespace {

// The cost of a tree whose leaves are the rule's values: a constant part, and how often each value occurs.
struct TreeCost {
  long constant = 0;
  std::map<std::uint16_t, long> values;
  void add(const TreeCost& other) {
    constant += other.constant;
    for (const auto& [slot, count] : other.values) values[slot] += count;
  }
};

// Whether `a` is at most `b` (less, when `strict`) for every cost of the values, each at least 1.
bool at_most(const TreeCost& a, const TreeCost& b, bool strict) {
  long slack = b.constant - a.constant;
  for (const auto& [slot, count] : a.values) {
    const auto there = b.values.find(slot);
    if (there == b.values.end() || there->second < count) return false;
  }
  for (const auto& [slot, count] : b.values) {
    const auto there = a.values.find(slot);
    slack += count - (there == a.values.end() ? 0 : there->second);
  }
  return strict ? slack > 0 : slack >= 0;
}

class Prover {
 public:
  Prover(const Context& context, const TextRule& rule) : context_(context), rule_(rule) {}
  OrderProof prove();

 private:
  void conjuncts(const RuleTerm& term);
  // The name that a call of one argument speaks of: `uses(x)`.
  static std::uint16_t subject(const RuleTerm& term, std::string_view function) {
    if (term.form == RuleTerm::Form::Call && term.function->name == function && term.operands.size() == 1 &&
        term.operands[0].form == RuleTerm::Form::Name)
      return term.operands[0].slot;
    return kNoSlot;
  }
  TreeCost pattern_cost(const RulePattern& pattern, Opcode root, bool is_root);
  TreeCost build_cost(const RuleBuild& build, Opcode root);
  [[nodiscard]] int cost_of(const std::vector<Opcode>& opcodes, bool largest) const;
  [[nodiscard]] bool moves_constant(const RulePattern& root) const;
  OrderProof prove_for(Opcode root);

  const Context& context_;
  const TextRule& rule_;
  std::set<std::uint16_t> read_once_;                // op labels of which `uses(label) == 1` is known
  std::set<std::uint16_t> constant_, not_constant_;  // values of which conditions say so
  std::vector<TreeCost> removed_, made_;             // of single ops; the root first
  std::map<std::uint16_t, TreeCost> op_costs_, local_costs_;
};

void Prover::conjuncts(const RuleTerm& term) {
  using Form = RuleTerm::Form;
  if (term.form == Form::And) {
    conjuncts(term.operands[0]);
    conjuncts(term.operands[1]);
  } else if (term.form == Form::Equal) {
    const std::uint16_t slot = subject(term.operands[0], "uses");
    if (slot != kNoSlot && term.operands[1].form == Form::Literal) {
      const auto* whole = std::get_if<IndexExpr>(&term.operands[1].literal);
      if (whole != nullptr && context_.index().as_constant(*whole) == 1) read_once_.insert(slot);
    }
  } else if (term.form == Form::Not) {
    if (const std::uint16_t slot = subject(term.operands[0], "constant"); slot != kNoSlot) not_constant_.insert(slot);
  } else if (const std::uint16_t slot = subject(term, "constant"); slot != kNoSlot) {
    constant_.insert(slot);
  }
}

int Prover::cost_of(const std::vector<Opcode>& opcodes, bool largest) const {
  int cost = -1;
  for (const Opcode opcode : opcodes) {
    const int one = op_cost(context_.def(opcode));
    cost = cost < 0 ? one : largest ? std::max(cost, one) : std::min(cost, one);
  }
  return std::max(cost, 0);
}

TreeCost Prover::pattern_cost(const RulePattern& pattern, Opcode root, bool is_root) {
  TreeCost cost;
  switch (pattern.form) {
    case RulePattern::Form::Value:
    case RulePattern::Form::Optional: cost.values[pattern.slot] = 1; return cost;
    case RulePattern::Form::Literal:
    case RulePattern::Form::Number: return cost;  // an attribute, or a constant that weighs more
    case RulePattern::Form::Op: break;
  }
  // What may not be there costs nothing, and is not removed.
  if (pattern.optional) return op_costs_[pattern.slot] = pattern_cost(pattern.operands[0], root, false);
  const std::size_t number = removed_.size();
  const bool removed = is_root || read_once_.contains(pattern.slot);
  if (removed) removed_.emplace_back();
  const bool as_root = is_root || (pattern.same_as != kNoSlot && pattern.same_as == rule_.pattern.slot);
  cost.constant = as_root ? op_cost(context_.def(root)) : cost_of(pattern.opcodes, false);
  for (const RulePattern& operand : pattern.operands) cost.add(pattern_cost(operand, root, false));
  if (removed) removed_[number] = cost;
  op_costs_[pattern.slot] = cost;
  return cost;
}

TreeCost Prover::build_cost(const RuleBuild& build, Opcode root) {
  TreeCost cost;
  switch (build.form) {
    case RuleBuild::Form::Number: return cost;
    case RuleBuild::Form::Splat: cost.constant = 1; return cost;
    case RuleBuild::Form::Value: {
      if (const auto op = op_costs_.find(build.slot); op != op_costs_.end()) return op->second;
      if (rule_.names[build.slot].role != RuleName::Role::Local) {
        cost.values[build.slot] = 1;
        return cost;
      }
      // Made once, however often it is named.
      if (const auto known = local_costs_.find(build.slot); known != local_costs_.end()) return known->second;
      for (const auto& [slot, local] : rule_.locals)
        if (slot == build.slot) return local_costs_[slot] = build_cost(local, root);
      return cost;
    }
    case RuleBuild::Form::Op: break;
  }
  for (const RuleBuild& operand : build.operands) cost.add(build_cost(operand, root));
  if (build.same_as == kNoSlot) {
    cost.constant += op_cost(context_.def(build.opcode));
  } else if (build.same_as == rule_.pattern.slot) {
    cost.constant += op_cost(context_.def(root));
  } else {
    // An inner op: the dearest of what it may be. (The left side counts the cheapest.)
    std::function<const RulePattern*(const RulePattern&)> find = [&](const RulePattern& p) -> const RulePattern* {
      if (p.form == RulePattern::Form::Op && p.slot == build.same_as) return &p;
      for (const RulePattern& operand : p.operands)
        if (const RulePattern* found = find(operand)) return found;
      return nullptr;
    };
    if (const RulePattern* pattern = find(rule_.pattern)) cost.constant += cost_of(pattern->opcodes, true);
  }
  made_.push_back(cost);
  return cost;
}

// `f!(k, x) => f(x, k) if constant(k) and not constant(x)`.
bool Prover::moves_constant(const RulePattern& root) const {
  const RuleBuild& build = rule_.replacement;
  const bool same = build.form == RuleBuild::Form::Op &&
                    (build.same_as == root.slot || (root.opcodes.size() == 1 && build.opcode == root.opcodes[0]));
  if (!same || !root.as_written || root.operands.size() != 2 || build.operands.size() != 2) return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (root.operands[i].form != RulePattern::Form::Value || build.operands[i].form != RuleBuild::Form::Value)
      return false;
  return build.operands[0].slot == root.operands[1].slot && build.operands[1].slot == root.operands[0].slot &&
         constant_.contains(root.operands[0].slot) && not_constant_.contains(root.operands[1].slot);
}

std::string ops_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " op" : " ops"); }

OrderProof Prover::prove_for(Opcode root) {
  removed_.clear();
  made_.clear();
  op_costs_.clear();
  local_costs_.clear();
  const TreeCost left = pattern_cost(rule_.pattern, root, true);
  const TreeCost right = build_cost(rule_.replacement, root);
  const std::string counts = "it makes " + ops_text(made_.size()) + " and surely removes " + ops_text(removed_.size());
  if (made_.size() < removed_.size()) return {true, counts};
  if (made_.size() > removed_.size())
    return {false, counts + "; where an op of the left side has no other reader, say so with `uses(label) == 1`"};
  if (moves_constant(rule_.pattern)) return {true, "it moves a constant after an operand that is not one"};
  if (!at_most(right, left, true)) return {false, counts + ", and what it computes, written out, does not get smaller"};
  // Each op that is made replaces one that goes and was at least as dear; the root's term got smaller.
  auto by_constant = [](const TreeCost& a, const TreeCost& b) { return a.constant > b.constant; };
  std::sort(made_.begin(), made_.end(), by_constant);
  std::sort(removed_.begin(), removed_.end(), by_constant);
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (!at_most(made_[i], removed_[i], false))
      return {false, counts + ", and one that it makes costs more than those that go"};
  return {true, counts + ", which computes less"};
}

OrderProof Prover::prove() {
  for (const RuleTerm& condition : rule_.conditions) conjuncts(condition);
  OrderProof proof{false, "it has no ops that it could stand for"};
  for (const Opcode opcode : rule_.pattern.opcodes) {
    proof = prove_for(opcode);
    if (!proof.holds) break;
  }
  return proof;
}

}  // namespace

OrderProof prove_order(const Context& context, const TextRule& rule) { return Prover(context, rule).prove(); }

}  // namespace mlgc

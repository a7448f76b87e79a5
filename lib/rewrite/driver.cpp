// The worklist.
#include "rewrite/driver.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "ir/function_facts.h"
#include "ir/walk.h"
#include "rewrite/rule_apply.h"
#include "tensor/tensor.h"

namespace mlgc {

namespace {

// The mode that holds at an op: that of the innermost op around it that states one.
Numerics mode_at(OpRef op, Numerics mode) {
  const AttributePool& attributes = op.module().context().attributes();
  for (; op.valid(); op = op.parent_op())
    if (const auto text = attributes.as_string(op.attr("numerics")))
      if (const auto stated = parse_numerics(*text)) return *stated;
  return mode;
}

bool at_most_two_uses(Value value) {
  std::size_t count = 0;
  for ([[maybe_unused]] const Use use : value.uses())
    if (++count > 2) return false;
  return true;
}

}  // namespace

void Rewriter::start(OpRef root) {
  root_ = root;
  location_ = root.location();
  touched_.clear();
  maybe_unread_.clear();
  made_ = removed_ = 0;
}

void Rewriter::touch(OpRef op) { touched_.push_back(op.id()); }

void Rewriter::touch_users(Value value) {
  std::size_t begin = touched_.size();
  for (const Use use : value.uses()) touch(use.owner());
  for (std::size_t level = 1; level < rules_->depth(); ++level) {
    const std::size_t end = touched_.size();
    for (std::size_t i = begin; i < end; ++i)
      for (const Value result : module_->op(touched_[i]).results())
        for (const Use use : result.uses()) touch(use.owner());
    begin = end;
  }
}

void Rewriter::release_operands(OpRef op) {
  for (const Value operand : op.operands()) {
    const OpRef definer = operand.valid() ? operand.definer() : OpRef();
    if (!definer.valid()) continue;
    maybe_unread_.push_back(definer.id());
    // Whoever is the only other reader may now match a rule that asks for one.
    if (rules_->counts_uses() && at_most_two_uses(operand))
      for (const Use use : operand.uses())
        if (use.owner() != op) touch(use.owner());
  }
}

Value Rewriter::create(Opcode opcode, std::span<const Value> operands, Type result, AttrDict attrs) {
  const OpRef op = module_->create(opcode, operands, attrs, std::span(&result, 1), location_);
  op.move_before(root_);
  if (!op.has_trait(Traits::Constant)) ++made_;
  touch(op);
  return op.result();
}

Value Rewriter::create(std::string_view name, std::initializer_list<Value> operands, Type result, AttrDict attrs) {
  const Opcode opcode = context().find_op(name);
  MLGC_ASSERT(opcode != Opcode::Invalid, "a rule makes an op that is in no row: " + std::string(name));
  return create(opcode, std::span(operands.begin(), operands.size()), result, attrs);
}

Value Rewriter::constant(Attribute value, Type type) {
  MLGC_ASSERT(context().attributes().as_tensor(value).type == type, "a constant of another type than its attribute");
  const NamedAttribute entry{context().strings().intern("value"), value};
  return create(context().opcode(GraphOp::Constant), {}, type, context().attributes().dict(std::span(&entry, 1)));
}

Value Rewriter::splat(double value, Type type) {
  const Tensor element = Tensor::splat(context().types().dtype(type), {}, value);
  return constant(context().attributes().tensor(type, element.bytes()), type);
}

void Rewriter::remove_root() {
  release_operands(root_);
  if (!root_.has_trait(Traits::Constant)) ++removed_;
  root_.erase();
}

void Rewriter::replace(std::span<const Value> values) {
  MLGC_ASSERT(values.size() == root_.result_count(), "a rule replaces an op by another number of values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    MLGC_ASSERT(values[i].type() == root_.result(i).type(), "a rule replaces a value by one of another type");
    touch_users(root_.result(i));
  }
  root_.replace_all_uses_with(values);
  remove_root();
}

void Rewriter::replace_first(Value value) {
  MLGC_ASSERT(value.type() == root_.result().type(), "a rule replaces a value by one of another type");
  touch_users(root_.result());
  root_.result().replace_all_uses_with(value);
  remove_root();
}

void Rewriter::replace_by_region(RegionRef region) {
  MLGC_ASSERT(region.argument_count() == 0, "a region with arguments cannot stand without its op");
  const OpRef terminator = region.terminator();
  MLGC_ASSERT(terminator.valid(), "a region without terminator");
  const auto operands = terminator.operands();
  const std::vector<Value> values(operands.begin(), operands.end());
  release_operands(terminator);
  terminator.erase();
  ++removed_;
  region.splice_before(root_);
  replace(values);
}

class RewriteDriver {
 public:
  RewriteDriver(Module& module, const RuleSet& rules, Numerics mode, RewriteGate* gate,
                std::vector<std::optional<Location>>* barred)
      : module_(module), rules_(rules), mode_(mode), gate_(gate), barred_(barred), rewriter_(module, rules) {
    report_.hits.assign(rules.rules().size(), 0);
    if (barred_ != nullptr) barred_->assign(rules.rules().size(), std::nullopt);
  }

  RewriteReport run() {
    walk(module_, [&](OpRef op) {
      if (rules_.has_rules_for(op.opcode())) stack_.push_back(op.id());
    });
    // The last op is visited first by phase `grow`, the first one by the others.
    if (rules_.phase() != RulePhase::Grow) std::reverse(stack_.begin(), stack_.end());
    queued_.assign(module_.op_id_bound(), false);
    for (const OpId id : stack_) queued_[id.index()] = true;
    while (!stack_.empty() && (gate_ == nullptr || gate_->open())) {
      const OpRef op = module_.op(stack_.back());
      queued_[op.id().index()] = false;
      stack_.pop_back();
      if (!op.erased() && op.parent().valid() && !collected_.contains(op.id())) visit(op);
    }
    return std::move(report_);
  }

 private:
  void visit(OpRef op) {
    const Location at = op.location();
    for (const DecisionTree::Candidate candidate : rules_.candidates(op)) {
      const Rule& rule = rules_.rules()[candidate.rule];
      if (rule.numerics > NumericsClass::SignedZero && !admits(mode_at(op, mode_), rule)) {
        note_barred(candidate, op);
        continue;
      }
      rewriter_.start(op);
      if (!apply(rule, candidate.form, op)) continue;
      ++report_.hits[candidate.rule];
      ++report_.applied;
      if (gate_ != nullptr) gate_->record(rule.name, at, rule.numerics);
      if (rules_.phase() == RulePhase::Simplify) push_touched();
      remove_unread();
      return;
    }
  }

  void note_barred(const DecisionTree::Candidate candidate, OpRef op) {
    if (barred_ == nullptr || (*barred_)[candidate.rule]) return;
    const TextRule* const text = rules_.rules()[candidate.rule].text;
    if (text == nullptr) return;
    RuleMatcher matcher(module_.context(), *text);
    if (matcher.match(text->forms[candidate.form], op, match_) && matcher.holds(match_, op, facts_.of(op)))
      (*barred_)[candidate.rule] = op.location();
  }

  bool apply(const Rule& rule, std::uint16_t form, OpRef op) {
    if (rule.code != nullptr) {
      if (!rule.code->apply(op, rewriter_)) return false;
      MLGC_ASSERT(rewriter_.made_ < rewriter_.removed_,
                  "rule " + std::string(rule.name) + " does not remove more ops than it makes");
      return true;
    }
    RuleMatcher matcher(module_.context(), *rule.text);
    if (!matcher.match(rule.text->forms[form], op, match_)) return false;
    const Facts& facts = facts_.of(op);
    if (!matcher.holds(match_, op, facts)) return false;
    if (!rule.text->fusion) return apply_replacement(*rule.text, match_, op, &rewriter_, facts, nullptr);
    const std::vector<OpRef> moved = apply_fusion(*rule.text, match_, op, false, nullptr);
    for (const OpRef member : moved) collected_.insert(member.id());
    return !moved.empty();
  }

  // In the opposite order, so that the first touched is tried first.
  void push_touched() {
    for (auto it = rewriter_.touched_.rbegin(); it != rewriter_.touched_.rend(); ++it) {
      if (it->index() >= queued_.size()) queued_.resize(it->index() + 1, false);
      if (queued_[it->index()] || module_.op(*it).erased()) continue;
      if (!rules_.has_rules_for(module_.op(*it).opcode())) continue;
      queued_[it->index()] = true;
      stack_.push_back(*it);
    }
  }

  void remove_unread() {
    std::vector<OpId>& open = rewriter_.maybe_unread_;
    while (!open.empty()) {
      const OpRef op = module_.op(open.back());
      open.pop_back();
      if (op.erased() || !op.results_unused() || op.region_count() != 0 || op.own_effects() != Effects::None ||
          op.has_trait(Traits::Terminator) || op.has_trait(Traits::Symbol) ||
          op.has_trait(Traits::BindsSize))  // types and attributes may speak of the size
        continue;
      rewriter_.release_operands(op);
      op.erase();
      ++report_.unread;
    }
  }

  Module& module_;
  const RuleSet& rules_;
  Numerics mode_;
  RewriteGate* gate_;
  std::vector<std::optional<Location>>* barred_;
  Rewriter rewriter_;
  RuleMatch match_;
  FunctionFacts facts_;
  RewriteReport report_;
  std::vector<OpId> stack_;
  std::vector<bool> queued_;            // by op: on the stack
  std::unordered_set<OpId> collected_;  // in a region by a rule of phase `grow`
};

RewriteReport rewrite(Module& module, const RuleSet& rules, Numerics mode, RewriteGate* gate,
                      std::vector<std::optional<Location>>* barred) {
  return RewriteDriver(module, rules, mode, gate, barred).run();
}

bool admits(Numerics mode, const Rule& rule) {
  return admits(mode, rule.numerics, rule.scope != RoundingScope::Anywhere);
}

}  // namespace mlgc

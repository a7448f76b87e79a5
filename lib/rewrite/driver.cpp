// The worklist.
#include "rewrite/driver.h"

#include <algorithm>
#include <array>
#include <string>

#include "ir/walk.h"
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

}  // namespace

void Rewriter::start(OpRef root) {
  root_ = root;
  touched_.clear();
  maybe_unread_.clear();
  made_ = removed_ = 0;
}

void Rewriter::touch(OpRef op) { touched_.push_back(op.id()); }

void Rewriter::touch_users(Value value) {
  for (const Use use : value.uses()) touch(use.owner());
}

void Rewriter::release_operands(OpRef op) {
  for (const Value operand : op.operands())
    if (const OpRef definer = operand.definer(); definer.valid()) maybe_unread_.push_back(definer.id());
}

Value Rewriter::create(Opcode opcode, std::span<const Value> operands, Type result, AttrDict attrs) {
  const OpRef op = module_->create(opcode, operands, attrs, std::span(&result, 1), root_.location());
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
  return create("constant", {}, type, context().attributes().dict(std::span(&entry, 1)));
}

Value Rewriter::splat(double value, Type type) {
  const Tensor element = Tensor::splat(context().types().dtype(type), {}, value);
  return constant(context().attributes().tensor(type, element.bytes()), type);
}

void Rewriter::replace(std::span<const Value> values) {
  MLGC_ASSERT(values.size() == root_.result_count(), "a rule replaces an op by another number of values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    MLGC_ASSERT(values[i].type() == root_.result(i).type(), "a rule replaces a value by one of another type");
    touch_users(root_.result(i));
  }
  root_.replace_all_uses_with(values);
  release_operands(root_);
  if (!root_.has_trait(Traits::Constant)) ++removed_;
  root_.erase();
}

void Rewriter::set_operands(std::span<const Value> values) {
  release_operands(root_);
  for (std::size_t i = 0; i < values.size() && values.size() == root_.operand_count(); ++i)
    root_.set_operand(i, values[i]);
  if (values.size() != root_.operand_count()) root_.set_operands(values);
  touch(root_);
}

void Rewriter::set_attrs(AttrDict attrs) {
  root_.set_attrs(attrs);
  touch(root_);
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
  RewriteDriver(Module& module, const RuleSet& rules, Numerics mode, RewriteGate* gate)
      : module_(module), rules_(rules), mode_(mode), gate_(gate), rewriter_(module) {
    report_.hits.assign(rules.rules().size(), 0);
  }

  RewriteReport run() {
    walk(module_, [&](OpRef op) {
      if (!rules_.rules_for(op.opcode()).empty()) stack_.push_back(op.id());
    });
    std::reverse(stack_.begin(), stack_.end());
    queued_.assign(module_.op_id_bound(), false);
    for (const OpId id : stack_) queued_[id.index()] = true;
    while (!stack_.empty() && (gate_ == nullptr || gate_->open())) {
      const OpRef op = module_.op(stack_.back());
      queued_[op.id().index()] = false;
      stack_.pop_back();
      if (!op.erased() && op.parent().valid()) visit(op);
    }
    return std::move(report_);
  }

 private:
  void visit(OpRef op) {
    const Location at = op.location();
    for (const std::uint16_t index : rules_.rules_for(op.opcode())) {
      const RewriteRule& rule = rules_.rules()[index];
      if (rule.numerics > NumericsClass::SignedZero &&
          !admits(mode_at(op, mode_), rule.numerics, rule.inside_reduction))
        continue;
      rewriter_.start(op);
      if (!rule.apply(op, rewriter_)) continue;
      check_promise(rule);
      ++report_.hits[index];
      ++report_.applied;
      if (gate_ != nullptr) gate_->record(rule.name, at, rule.numerics);
      push_touched();
      remove_unread();
      return;
    }
  }

  void check_promise(const RewriteRule& rule) const {
    const std::size_t made = rewriter_.made_, removed = rewriter_.removed_;
    const bool kept = rule.termination == Termination::FewerOps       ? made < removed
                      : rule.termination == Termination::ShorterChain ? made <= removed
                                                                      : made == 0 && removed == 0;
    MLGC_ASSERT(kept, "rule " + std::string(rule.name) + " does not keep its promise: it " +
                          std::string(termination_text(rule.termination)));
  }

  // In the opposite order, so that the first touched is tried first.
  void push_touched() {
    for (auto it = rewriter_.touched_.rbegin(); it != rewriter_.touched_.rend(); ++it) {
      if (it->index() >= queued_.size()) queued_.resize(it->index() + 1, false);
      if (queued_[it->index()] || module_.op(*it).erased()) continue;
      if (rules_.rules_for(module_.op(*it).opcode()).empty()) continue;
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
          op.has_trait(Traits::Terminator) || op.has_trait(Traits::Symbol))
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
  Rewriter rewriter_;
  RewriteReport report_;
  std::vector<OpId> stack_;
  std::vector<bool> queued_;  // by op: on the stack
};

RewriteReport rewrite(Module& module, const RuleSet& rules, Numerics mode, RewriteGate* gate) {
  return RewriteDriver(module, rules, mode, gate).run();
}

}  // namespace mlgc

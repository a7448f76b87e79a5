// See op_finisher.h.
#include "text/op_finisher.h"

#include "diag/kinds_verify.h"

namespace mlgc::text {

// Types of operands, or of what the regions yield, are not known yet.
bool OpFinisher::is_early(const OpText& op, OpRef made) const {
  if (deferred_.size() > op.first_deferred) return true;
  for (const Value operand : made.operands())
    if (!operand.type().valid()) return true;
  return false;
}

bool OpFinisher::defer_op(OpText& op, OpRef made, std::span<const Type> operand_types) {
  const std::size_t first_name = op.first_name;
  bool ok = true;
  if (op.result_names != 0) {
    const int fixed = op.def->result_count;
    const std::size_t count = op.types_given              ? op.types.size()
                              : fixed != kVariadicResults ? static_cast<std::size_t>(fixed)
                                                          : op.result_names;
    if (count != op.result_names) {
      ok = in_.error<kResultCount>(op.name, op.def->name, count, op.result_names);
    } else {
      made.add_results(op.types_given ? op.types : std::vector<Type>(count));
      ok = values_.define_results(made, first_name);
    }
  }
  if (!ok) values_.fail();
  deferred_.push_back({std::move(op), made, {operand_types.begin(), operand_types.end()}, values_.op_begin()});
  return ok;
}

bool OpFinisher::finish_deferred(const DeferredOp& deferred) {
  const auto& [op, made, operand_types, begin] = deferred;
  // Where an operand has none, the reason has been reported.
  for (const Value operand : made.operands())
    if (!operand.type().valid()) return false;
  if (!check_operand_types(op, made, operand_types)) return false;
  std::vector<Type> types;
  if (!check_types(op, made, types) || !check_result_count(op, types)) return false;
  if (op.result_names == 0) made.add_results(types);
  for (std::size_t i = 0; i < op.result_names; ++i) made.result(i).set_type(types[i]);
  return true;
}

void OpFinisher::finish_deferred_ops(OpRef item, const TopologicalOrder& order) {
  std::unordered_map<OpId, const DeferredOp*> by_op;
  for (const DeferredOp& deferred : deferred_) by_op.emplace(deferred.made.id(), &deferred);
  struct Frame {
    OpRef op;
    RegionRef region;
    const std::vector<OpId>* order;
    std::size_t next;
    OpRef at;
  };
  std::vector<Frame> open;
  const auto begin = [&](RegionRef region) {
    return Frame{region.parent_op(), region, order.order_of(region), 0, region.front()};
  };
  open.push_back(begin(item.region()));
  while (!open.empty()) {
    Frame& frame = open.back();
    OpRef op;
    if (frame.order != nullptr) {
      if (frame.next < frame.order->size()) op = module_.op((*frame.order)[frame.next++]);
    } else if (frame.at.valid()) {
      op = frame.at;
      frame.at = op.next();
    }
    if (op.valid() && op.region_count() > 0) {
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments())
          if (const auto initial = untyped_arguments_.find(argument.id()); initial != untyped_arguments_.end())
            argument.set_type(op.operand(initial->second).type());
      open.push_back(begin(op.region()));
      continue;
    }
    if (!op.valid()) {
      if (const RegionRef next = frame.region.next(); next.valid()) {
        frame = begin(next);
        continue;
      }
      op = frame.op;
      open.pop_back();
    }
    if (const auto found = by_op.find(op.id()); found != by_op.end()) finish_deferred(*found->second);
  }
}

void OpFinisher::finish_item(OpRef item) {
  if (!values_.any_awaited()) return;
  const std::size_t errors = in_.diagnostics().error_count();
  const TopologicalOrder order(item, TopologicalOrder::Needs::Values);
  std::unordered_map<std::uint32_t, OpRef> op_at;
  if (!order.cycles().empty())
    for (const DeferredOp& deferred : deferred_) op_at.emplace(deferred.begin, deferred.made);
  values_.report_early_uses(item, order, op_at);
  const bool sound = !values_.failed() && in_.diagnostics().error_count() == errors;
  if (sound) finish_deferred_ops(item, order);
  // Other items ask for the types that a function returns.
  if (values_.failed() || in_.diagnostics().error_count() > errors)
    for (const DeferredOp& deferred : deferred_)
      if (deferred.made.result_count() == 0 && deferred.made.parent_op() == item) deferred.made.erase();
  values_.forget_awaited();
  deferred_.clear();
  untyped_arguments_.clear();
}

bool OpFinisher::same_type(Type a, Type b) {
  if (a == b) return true;
  TypePool& types = context_.types();
  if (!a.valid() || !b.valid() || types.kind(a) != types.kind(b) || !types.is_shaped(a)) return false;
  if (types.with_dims(a, {}) != types.with_dims(b, {}) || types.rank(a) != types.rank(b)) return false;
  const Facts none;
  const Facts& facts = function_.valid() ? facts_.of(function_) : none;
  for (std::size_t i = 0; i < types.rank(a); ++i)
    if (context_.index().equal(types.dims(a)[i], types.dims(b)[i], facts) != Truth::Yes) return false;
  return true;
}

bool OpFinisher::check_types(const OpText& op, OpRef made, std::vector<Type>& inferred) {
  const Inferred answer =
      options_.infer ? options_.infer(made, op.types, inferred, in_.diagnostics()) : Inferred::Unknown;
  if (answer == Inferred::Failed) return false;
  if (answer == Inferred::Unknown) {
    inferred = op.types;
    if (op.types_given || op.def->result_count == 0) return true;
    if (op.def->result_count == kVariadicResults && op.result_names == 0) return true;
    return in_.error<kTypeNotInferred>(op.name, op.def->name);
  }
  if (!op.types_given) return true;
  if (inferred.size() != op.types.size())
    return in_.error<kTypeCount>(op.name, op.def->name, inferred.size(), op.types.size());
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (same_type(inferred[i], op.types[i])) continue;
    return in_.error<kResultType>(op.name, op.def->name, context_.types().print(inferred[i]),
                                  context_.types().print(op.types[i]));
  }
  inferred = op.types;
  return true;
}

bool OpFinisher::check_result_count(const OpText& op, std::span<const Type> types) {
  const int wanted = op.def->result_count;
  if (wanted != kVariadicResults && types.size() != static_cast<std::size_t>(wanted))
    return in_.error<kTypeCount>(op.name, op.def->name, wanted, types.size());
  if (op.result_names != 0 && op.result_names != types.size())
    return in_.error<kResultCount>(op.name, op.def->name, types.size(), op.result_names);
  return true;
}

bool OpFinisher::check_operand_types(const OpText& op, OpRef made, std::span<const Type> operand_types) {
  for (std::size_t i = 0; i < operand_types.size(); ++i)
    if (operand_types[i] != made.operand(i).type())
      return in_.error<kOperandType>(op.name, i, context_.types().print(made.operand(i).type()),
                                     context_.types().print(operand_types[i]));
  return true;
}

bool OpFinisher::finish_op(OpText& op, OpRef made, std::span<const Type> operand_types) {
  made.set_location(op.location);
  if (op.where.valid()) made.set_attr("where", op.where);
  if (values_.any_awaited() && is_early(op, made)) return defer_op(op, made, operand_types);
  std::vector<Type> types;
  if (!check_operand_types(op, made, operand_types) || !check_types(op, made, types) || !check_result_count(op, types))
    return false;
  made.add_results(types);
  return values_.define_results(made, op.first_name);
}

}  // namespace mlgc::text

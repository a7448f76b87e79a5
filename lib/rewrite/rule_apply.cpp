// Building the right side.
#include "rewrite/rule_apply.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "diag/location.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"
#include "tensor/tensor.h"

namespace mlgc {

namespace {

// A value that is there, or number `made` of the ops that the plan makes.
struct Source {
  Value value;
  int made = -1;
};

// What will be made, with types; made in this order.
struct PlannedOp {
  Opcode opcode = Opcode::Invalid;
  AttrDict attrs;
  std::vector<Source> operands;
  Type type;
};

class Planner {
 public:
  Planner(const TextRule& rule, const RuleMatch& match, OpRef root, Context& context, const Facts& facts)
      : rule_(rule), match_(match), root_(root), context_(context), facts_(facts), functions_(context, facts) {}

  std::optional<Source> plan(const RuleBuild& build);
  [[nodiscard]] Type type_of(const Source& source) const {
    return source.made >= 0 ? ops_[static_cast<std::size_t>(source.made)].type
                            : (source.value.valid() ? source.value.type() : Type{});
  }
  [[nodiscard]] const std::vector<PlannedOp>& ops() const { return ops_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::optional<Source> fail(std::string problem) {
    problem_ = std::move(problem);
    return std::nullopt;
  }
  std::optional<Source> plan_op(const RuleBuild& build);
  std::optional<Source> plan_splat(const RuleBuild& build);
  bool plan_attributes(const RuleBuild& build, Opcode opcode, std::vector<NamedAttribute>& out);
  Source push(PlannedOp op) {
    ops_.push_back(std::move(op));
    return {Value(), static_cast<int>(ops_.size()) - 1};
  }

  const TextRule& rule_;
  const RuleMatch& match_;
  OpRef root_;
  Context& context_;
  const Facts& facts_;
  RuleFunctionContext functions_;
  std::vector<PlannedOp> ops_;
  std::unordered_map<std::uint16_t, Source> locals_;
  std::string problem_;
};

const RulePattern* find_pattern(const RulePattern& pattern, std::uint16_t slot) {
  if (pattern.form == RulePattern::Form::Op && pattern.slot == slot) return &pattern;
  for (const RulePattern& operand : pattern.operands)
    if (const RulePattern* found = find_pattern(operand, slot)) return found;
  return nullptr;
}

std::optional<Source> Planner::plan(const RuleBuild& build) {
  switch (build.form) {
    case RuleBuild::Form::Value: {
      if (rule_.names[build.slot].role != RuleName::Role::Local) return Source{match_.bindings[build.slot].value, -1};
      if (const auto known = locals_.find(build.slot); known != locals_.end()) return known->second;
      for (const auto& [slot, local] : rule_.locals)
        if (slot == build.slot) {
          const auto made = plan(local);
          if (made) locals_.emplace(slot, *made);
          return made;
        }
      throw InternalError("a rule uses a name of `where` that is not there");
    }
    case RuleBuild::Form::Splat: return plan_splat(build);
    case RuleBuild::Form::Op: return plan_op(build);
    case RuleBuild::Form::Number: break;
  }
  throw InternalError("a rule builds a number where it needs a value");
}

std::optional<Source> Planner::plan_splat(const RuleBuild& build) {
  Type type = root_.result().type();
  if (!build.operands.empty()) {
    const auto like = plan(build.operands[0]);
    if (!like) return std::nullopt;
    type = type_of(*like);
  }
  const auto number = evaluate_term(build.term, functions_, match_);
  const auto real = number ? as_double(context_.index(), *number) : std::nullopt;
  if (!real || !context_.types().is_tensor(type)) return fail("the number of a `splat` is not known");
  const Tensor element = Tensor::splat(context_.types().dtype(type), {}, *real);
  const NamedAttribute entry{context_.strings().intern("value"), context_.attributes().tensor(type, element.bytes())};
  return push({context_.opcode(GraphOp::Constant), context_.attributes().dict(std::span(&entry, 1)), {}, type});
}

bool Planner::plan_attributes(const RuleBuild& build, Opcode opcode, std::vector<NamedAttribute>& out) {
  const OpDef& def = context_.def(opcode);
  const auto named = [&](std::string_view name) {
    return std::any_of(build.attributes.begin(), build.attributes.end(),
                       [&](const auto& a) { return a.first == name; });
  };
  const std::uint16_t from = build.same_as != kNoSlot ? build.same_as : build.carry;
  if (from != kNoSlot) {
    const OpRef op = match_.bindings[from].op;
    const RulePattern* pattern = build.same_as == kNoSlot ? find_pattern(rule_.pattern, from) : nullptr;
    for (const NamedAttribute& entry : context_.attributes().entries(op.attrs())) {
      const std::string_view name = context_.strings().text(entry.name);
      if (named(name) || name.find('.') != std::string_view::npos) continue;
      if (pattern != nullptr && std::any_of(pattern->attributes.begin(), pattern->attributes.end(),
                                            [&](const RuleAttribute& a) { return a.name == name; }))
        continue;
      if (find_attribute(def, name) == nullptr) {
        problem_ = "`" + std::string(def.name) + "` has no attribute `" + std::string(name) + "` to carry over";
        return false;
      }
      out.push_back(entry);
    }
  }
  for (const auto& [name, term] : build.attributes) {
    const auto value = evaluate_term(term, functions_, match_);
    const AttrDef& row = *find_attribute(def, name);
    const auto converted = value ? convert_attribute(context_, *value, row.kind) : std::nullopt;
    if (!converted) {
      problem_ = "attribute `" + name + "` has no value here";
      return false;
    }
    if (converted == fallback_attribute(context_, def, name)) continue;
    out.push_back({context_.strings().intern(name), *make_attribute(context_, *converted, row.kind)});
  }
  return true;
}

std::optional<Source> Planner::plan_op(const RuleBuild& build) {
  PlannedOp op;
  op.opcode = build.same_as != kNoSlot ? match_.bindings[build.same_as].op.opcode() : build.opcode;
  const OpDef& def = context_.def(op.opcode);
  std::vector<NamedAttribute> attributes;
  if (!plan_attributes(build, op.opcode, attributes)) return std::nullopt;
  for (std::size_t i = 0; i < build.operands.size(); ++i) {
    const RuleBuild& operand = build.operands[i];
    if (operand.form != RuleBuild::Form::Number) {
      const auto source = plan(operand);
      if (!source) return std::nullopt;
      op.operands.push_back(*source);
      continue;
    }
    const auto number = evaluate_term(operand.term, functions_, match_);
    const auto row = std::find_if(def.attrs.begin(), def.attrs.end(),
                                  [&](const AttrDef& a) { return a.instead_of == def.operands[i].name; });
    const auto attribute = number ? make_attribute(context_, *number, row->kind) : std::nullopt;
    if (!attribute)
      return fail("the number for operand " + std::to_string(i) + " of `" + std::string(def.name) + "` is not known");
    attributes.push_back({context_.strings().intern(row->name), *attribute});
    op.operands.push_back({});
  }
  while (!op.operands.empty() && op.operands.back().made < 0 && !op.operands.back().value.valid())
    op.operands.pop_back();
  op.attrs = context_.attributes().dict(attributes);
  std::vector<Type> types;
  for (const Source& source : op.operands) types.push_back(type_of(source));
  const auto results = infer_types(context_, op.opcode, types, op.attrs, facts_);
  if (!results) return fail(results.error().message());
  op.type = results->front();
  if (results->size() != 1) return fail("`" + std::string(def.name) + "` has several results");
  return push(std::move(op));
}

bool miss_at(NearMiss* miss, OpRef root, std::string reason) {
  // The left side has matched as a whole: nothing gets further.
  if (miss != nullptr) *miss = NearMiss{static_cast<std::size_t>(-1), std::move(reason), root};
  return false;
}

}  // namespace

std::string rule_location_name(std::string_view rule) { return "rule " + std::string(rule); }

bool apply_replacement(const TextRule& rule, const RuleMatch& match, OpRef root, Rewriter* rewriter, const Facts& facts,
                       NearMiss* miss) {
  Context& context = root.module().context();
  Planner planner(rule, match, root, context, facts);
  const auto result = planner.plan(rule.replacement);
  if (!result) return miss_at(miss, root, "the right side cannot be made: " + planner.problem());
  const Type made = planner.type_of(*result), wanted = root.result().type();
  if (made != wanted)
    return miss_at(miss, root,
                   "the right side is " + context.types().print(made) + ", the left " + context.types().print(wanted));
  if (result->made < 0 && result->value == root.result()) return miss_at(miss, root, "nothing would change");
  if (result->made >= 0) {
    const PlannedOp& last = planner.ops()[static_cast<std::size_t>(result->made)];
    bool same =
        last.opcode == root.opcode() && last.attrs == root.attrs() && last.operands.size() == root.operand_count();
    for (std::size_t i = 0; same && i < last.operands.size(); ++i)
      same = last.operands[i].made < 0 && last.operands[i].value == root.operand(i);
    if (same) return miss_at(miss, root, "nothing would change");
  }

  if (rewriter == nullptr) return true;

  std::vector<Location> parts;
  for (const RuleMatch::Binding& binding : match.bindings)
    if (binding.op.valid()) parts.push_back(binding.op.location());
  LocationTable& locations = context.locations();
  rewriter->set_location(locations.named(rule_location_name(rule.name), locations.fused(parts)));
  std::vector<Value> values;
  for (const PlannedOp& op : planner.ops()) {
    std::vector<Value> operands;
    for (const Source& source : op.operands)
      operands.push_back(source.made >= 0 ? values[static_cast<std::size_t>(source.made)] : source.value);
    values.push_back(rewriter->create(op.opcode, operands, op.type, op.attrs));
  }
  rewriter->replace_first(result->made >= 0 ? values[static_cast<std::size_t>(result->made)] : result->value);
  return true;
}

std::vector<OpRef> apply_fusion(const TextRule& rule, const RuleMatch& match, OpRef root, bool dry, NearMiss* miss) {
  std::unordered_set<OpId> inside;
  std::vector<OpRef> members;
  const auto add = [&](OpRef op) {
    if (op.valid() && inside.insert(op.id()).second) members.push_back(op);
  };
  for (const RuleMatch::Binding& binding : match.bindings) add(binding.op);
  for (const OpRef op : match.chain) add(op);
  if (members.size() < 2) return miss_at(miss, root, "a region of one op gains nothing"), std::vector<OpRef>();
  for (const OpRef op : members) {
    if (op.parent() != root.parent())
      return miss_at(miss, root, rule_subject(op) + " stands in another region"), std::vector<OpRef>();
    if (op == root) continue;
    for (const Value result : op.results())
      for (const Use use : result.uses())
        if (!inside.contains(use.owner().id()))
          return miss_at(miss, root, rule_subject(op) + " is read by " + rule_subject(use.owner()) + " too"),
                 std::vector<OpRef>();
  }
  // Operands before readers: depth first from the root.
  std::vector<OpRef> order;
  std::unordered_set<OpId> seen{root.id()};
  std::vector<std::pair<OpRef, std::size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [op, next] = stack.back();
    if (next == op.operand_count()) {
      order.push_back(op);
      stack.pop_back();
      continue;
    }
    const Value operand = op.operand(next++);
    const OpRef definer = operand.valid() ? operand.definer() : OpRef();
    if (definer.valid() && inside.contains(definer.id()) && seen.insert(definer.id()).second)
      stack.emplace_back(definer, 0);
  }

  if (dry) return order;

  Module& module = root.module();
  Context& context = module.context();
  std::vector<Value> operands;
  std::vector<Location> parts;
  for (const OpRef op : order) {
    parts.push_back(op.location());
    for (const Value operand : op.operands())
      if (operand.valid() && !(operand.definer().valid() && inside.contains(operand.definer().id())) &&
          std::find(operands.begin(), operands.end(), operand) == operands.end())
        operands.push_back(operand);
  }
  std::vector<Type> results;
  std::vector<Value> values;
  for (const Value result : root.results()) {
    results.push_back(result.type());
    values.push_back(result);
  }
  LocationTable& locations = context.locations();
  const Location location = locations.named(rule_location_name(rule.name), locations.fused(parts));
  const NamedAttribute kind{context.strings().intern("kind"), context.attributes().string(rule.name)};
  const OpRef fusion = module.create(context.opcode(GraphOp::Fusion), operands,
                                     context.attributes().dict(std::span(&kind, 1)), results, location, 1);
  fusion.move_before(root);
  const RegionRef body = fusion.region(0);
  std::unordered_map<ValueId, Value> arguments;
  for (const Value operand : operands) arguments.emplace(operand.id(), body.add_argument(operand.type()));
  std::vector<Value> outside;
  for (const Value result : fusion.results()) outside.push_back(result);
  root.replace_all_uses_with(outside);
  for (const OpRef op : order) {
    op.move_to_end(body);
    for (std::size_t i = 0; i < op.operand_count(); ++i)
      if (const auto argument = arguments.find(op.operand(i).id());
          op.operand(i).valid() && argument != arguments.end())
        op.set_operand(i, argument->second);
  }
  const OpRef yield = module.create(context.opcode(GraphOp::Yield), values, {}, {}, location);
  yield.move_to_end(body);
  return order;
}

NearMiss explain_miss(Context& context, const TextRule& rule, OpRef root, const Facts& facts) {
  NearMiss miss;
  RuleMatcher matcher(context, rule, &miss);
  RuleMatch match;
  for (const RulePattern& form : rule.forms) {
    if (!matcher.match(form, root, match) || !matcher.holds(match, root, facts)) continue;
    const bool applies = rule.fusion ? !apply_fusion(rule, match, root, true, &miss).empty()
                                     : apply_replacement(rule, match, root, nullptr, facts, &miss);
    if (applies) return {};
  }
  return miss;
}

}  // namespace mlgc

// Drawing programs.
#include "check/rule_instance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/draw_op.h"
#include "ir/builder.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"
#include "rewrite/rule_functions.h"

namespace mlgc {

namespace {

// Policies of the search, the same for all machines and rules: trials of a whole program, of an op of the rule (half as
// many below the root) and of an operand. A trial fails where a type or a condition does not fit what was chosen
// before.
constexpr int kWholeAttempts = 60, kRuleOpAttempts = 24, kLeafAttempts = 6;
// Likewise: ops generated for one program, abandoned ones included. Trials multiply with the depth of a rule; this ends
// them. A rule has a handful of ops, so that dozens of trials fit.
constexpr int kBudget = 400;

struct PlannedOp;
// One operand: an op, a value of the rule, a constant number, or nothing.
struct PlannedOperand {
  std::shared_ptr<PlannedOp> op;
  std::uint16_t slot = kNoSlot;
  std::optional<double> number;
  Type type;  // invalid: absent
};
struct PlannedOp {
  Opcode opcode = Opcode::Invalid;
  AttrDict attrs;
  std::vector<PlannedOperand> operands;
  std::vector<Type> results;
};

class Drawing {
 public:
  Drawing(const std::shared_ptr<Context>& context, const TextRule& rule, Dtype dtype, std::uint64_t seed,
          std::optional<double> extreme)
      : shared_(context), context_(*context), rule_(rule), drawing_(*context, seed), extreme_(extreme) {
    drawing_.set_dtype(dtype);
    if (extreme_) {
      find_numbers(rule.pattern);
      if (!numbers_.empty()) extreme_slot_ = drawing_.pick(numbers_);
    }
    for (const RuleTerm& condition : rule.conditions) {
      find_constants(condition, true);
      find_sizes(condition);
    }
  }

  std::optional<Module> draw() {
    if (extreme_ && numbers_.empty()) return std::nullopt;
    for (int attempt = 0; attempt < kWholeAttempts; ++attempt) {
      start();
      const auto root = draw_op(rule_.pattern, 0);
      if (!root) continue;
      Module module = build(*root);
      if (sizes_are_known(module)) return module;
    }
    return std::nullopt;
  }

 private:
  // What has been chosen so far; goes back when an op refuses it.
  struct Choices {
    std::map<std::uint16_t, Type> values;
    std::map<std::uint16_t, AttrValue> data;
    std::map<std::uint16_t, std::pair<Opcode, AttrDict>> ops;
  };

  // Numbers that the left side binds, as operands and as attributes.
  void find_numbers(const RulePattern& pattern) {
    if (pattern.form == RulePattern::Form::Number) numbers_.push_back(pattern.slot);
    for (const RuleAttribute& attribute : pattern.attributes) {
      if (attribute.slot == kNoSlot || pattern.opcodes.empty()) continue;
      const AttrDef* const row = find_attribute(context_.def(pattern.opcodes.front()), attribute.name);
      if (row != nullptr && (row->kind == AttributeKind::None || row->kind == AttributeKind::Float))
        numbers_.push_back(attribute.slot);
    }
    for (const RulePattern& operand : pattern.operands) find_numbers(operand);
  }

  // The number in that slot, as what the row wants there.
  AttrValue extreme_number(AttributeKind kind) {
    const double number = *extreme_;
    if (kind == AttributeKind::Float || is_float(drawing_.dtype())) return number;
    return context_.index().constant(static_cast<std::int64_t>(number));
  }

  // Values of which a condition wants that they follow from constants.
  void find_constants(const RuleTerm& term, bool positive) {
    if (term.form == RuleTerm::Form::Not) positive = !positive;
    if (term.form == RuleTerm::Form::Call && (term.function->name == "constant" || term.function->name == "weight"))
      for (const RuleTerm& operand : term.operands) {
        if (positive) constants_.insert(operand.slot);
      }
    for (const RuleTerm& operand : term.operands) find_constants(operand, positive);
  }

  // Sizes of values that a condition states: `size(x, -1) == 1`.
  void find_sizes(const RuleTerm& term) {
    using Form = RuleTerm::Form;
    if (term.form != Form::Equal || term.operands[0].form != Form::Call || term.operands[0].function->name != "size")
      return;
    const RuleTerm& axis = term.operands[0].operands[1];
    const auto* number = std::get_if<IndexExpr>(&axis.literal);
    const auto* size = std::get_if<IndexExpr>(&term.operands[1].literal);
    if (axis.form != Form::Literal || term.operands[1].form != Form::Literal || number == nullptr || size == nullptr)
      return;
    sizes_.push_back({term.operands[0].operands[0].slot, context_.index().as_constant(*number).value_or(0), *size});
  }

  Type with_fixed_sizes(Type type, std::uint16_t slot) {
    const auto there = context_.types().dims(type);
    std::vector<IndexExpr> dims(there.begin(), there.end());
    for (const FixedSize& fixed : sizes_) {
      const auto axis = fixed.axis < 0 ? fixed.axis + static_cast<std::int64_t>(dims.size()) : fixed.axis;
      if (fixed.slot == slot && axis >= 0 && axis < static_cast<std::int64_t>(dims.size()))
        dims[static_cast<std::size_t>(axis)] = fixed.size;
    }
    return context_.types().tensor(context_.types().dtype(type), dims);
  }

  void start() {
    choices_ = {};
    drawing_.set_beside({});
    budget_ = kBudget;
    IndexPool& index = context_.index();
    std::vector<IndexExpr> all{index.constant(1), index.constant(2), index.constant(3), index.constant(4)};
    if (constants_.empty())
      for (const std::string_view name : {"A", "B", "C"}) all.push_back(index.symbol(name));
    std::vector<IndexExpr> palette, shape;
    for (std::int64_t i = drawing_.between(1, 3); i > 0; --i) palette.push_back(drawing_.pick(all));
    for (std::int64_t i = drawing_.chance(15) ? 0 : drawing_.between(1, 4); i > 0; --i)
      shape.push_back(drawing_.pick(palette));
    drawing_.set_sizes(std::move(palette), std::move(shape));
  }

  // The attributes of an op for its pattern; false when one has no value.
  bool draw_attributes(const RulePattern& pattern, const OpDef& def, std::vector<NamedAttribute>& out) {
    const auto add = [&](const AttrDef& row, const AttrValue& value) {
      const auto attribute = make_attribute(context_, value, row.kind);
      if (attribute) out.push_back({context_.strings().intern(row.name), *attribute});
      return attribute.has_value();
    };
    for (const AttrDef& row : def.attrs) {
      const auto named = std::find_if(pattern.attributes.begin(), pattern.attributes.end(),
                                      [&](const RuleAttribute& a) { return a.name == row.name; });
      if (named == pattern.attributes.end()) {
        const bool drawn = row.required || (pattern.rest && row.instead_of.empty() && drawing_.chance(25));
        if (drawn && term_kind_known(row.kind) && !add(row, drawing_.draw_attribute(row))) return false;
        continue;
      }
      if (named->slot == kNoSlot) {
        if (!add(row, named->literal)) return false;
        continue;
      }
      if (const auto bound = choices_.data.find(named->slot); bound != choices_.data.end()) {
        if (!add(row, bound->second)) return false;
        continue;
      }
      const auto fallback = fallback_attribute(context_, def, row.name);
      const AttrValue value = named->slot == extreme_slot_      ? extreme_number(row.kind)
                              : fallback && drawing_.chance(40) ? *fallback
                                                                : drawing_.draw_attribute(row);
      choices_.data[named->slot] = value;
      if (!add(row, value)) return false;
    }
    return true;
  }
  static bool term_kind_known(AttributeKind kind) {
    return kind != AttributeKind::Symbol && kind != AttributeKind::Tensor && kind != AttributeKind::Type &&
           kind != AttributeKind::Array;
  }

  std::optional<PlannedOp> draw_op(const RulePattern& pattern, int depth) {
    const Choices before = choices_;
    for (int attempt = 0; attempt < (depth == 0 ? kRuleOpAttempts : kRuleOpAttempts / 2) && budget_ > 0; ++attempt) {
      choices_ = before;
      if (auto op = try_op(pattern, depth)) return op;
    }
    return std::nullopt;
  }

  std::optional<PlannedOp> try_op(const RulePattern& pattern, int depth) {
    PlannedOp op;
    std::vector<NamedAttribute> attributes;
    if (pattern.same_as != kNoSlot) {
      const auto& [opcode, attrs] = choices_.ops.at(pattern.same_as);
      op.opcode = opcode;
      for (const NamedAttribute& entry : context_.attributes().entries(attrs)) attributes.push_back(entry);
    } else {
      op.opcode = drawing_.pick(pattern.opcodes);
    }
    const OpDef& def = context_.def(op.opcode);
    // Attributes follow the operands, unless an op below shall have the same.
    const bool early = pattern.chain || repeated_below(pattern, pattern.slot);
    if (early && pattern.same_as == kNoSlot && !draw_attributes(pattern, def, attributes)) return std::nullopt;
    choices_.ops[pattern.slot] = {op.opcode, context_.attributes().dict(attributes)};
    if (!has_inference(def) || --budget_ < 0) return std::nullopt;
    if (pattern.chain) {
      if (draw_chain_operands(pattern, def, depth, op) && infer(op, attributes)) return op;
      return std::nullopt;
    }
    // The operands are generated once; the values next to them until they fit.
    const std::size_t count = pattern.operands.size();
    std::vector<PlannedOperand> below(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (pattern.operands[i].form != RulePattern::Form::Op) continue;
      if (!draw_operand(pattern.operands[i], def, i, depth, op, attributes)) return std::nullopt;
      below[i] = std::move(op.operands.back());
      drawing_.set_beside(below[i].type);
    }
    const Choices choices = choices_;
    const Type beside = drawing_.beside();
    for (int attempt = 0; attempt < kLeafAttempts; ++attempt) {
      choices_ = choices;
      drawing_.set_beside(beside);
      op.operands.clear();
      std::vector<NamedAttribute> own = attributes;
      bool drawn = true;
      for (std::size_t i = 0; i < count && drawn; ++i) {
        if (pattern.operands[i].form == RulePattern::Form::Op)
          op.operands.push_back(below[i]);
        else
          drawn = draw_operand(pattern.operands[i], def, i, depth, op, own);
      }
      if (drawn && !early && pattern.same_as == kNoSlot) {
        drawing_.set_beside(op.operands.empty() ? Type() : op.operands[0].type);
        drawn = draw_attributes(pattern, def, own);
        choices_.ops[pattern.slot].second = context_.attributes().dict(own);
      }
      drawing_.set_beside({});
      if (drawn && infer(op, own)) return op;
    }
    return std::nullopt;
  }

  static bool repeated_below(const RulePattern& pattern, std::uint16_t slot) {
    return std::any_of(pattern.operands.begin(), pattern.operands.end(), [&](const RulePattern& operand) {
      return operand.same_as == slot || repeated_below(operand, slot);
    });
  }

  bool infer(PlannedOp& op, std::span<const NamedAttribute> attributes) {
    while (!op.operands.empty() && !op.operands.back().type.valid()) op.operands.pop_back();
    op.attrs = context_.attributes().dict(attributes);
    std::vector<Type> types;
    for (const PlannedOperand& operand : op.operands) types.push_back(operand.type);
    auto results = infer_types(context_, op.opcode, types, op.attrs);
    if (!results || results->empty()) return false;
    op.results = *std::move(results);
    return true;
  }

  // The pattern below the chain for the first operand, values for the others; sometimes a chain of two.
  bool draw_chain_operands(const RulePattern& pattern, const OpDef& def, int depth, PlannedOp& op) {
    std::vector<NamedAttribute> unused;
    for (std::size_t i = 0; i < def.operands.size(); ++i) {
      if (i == 0 && drawing_.chance(60)) {
        RulePattern again = pattern;
        again.slot = pattern.slot;
        auto inner = try_op(again, depth + 1);
        if (!inner) return false;
        const Type type = inner->results.front();
        op.operands.push_back({std::make_shared<PlannedOp>(std::move(*inner)), kNoSlot, std::nullopt, type});
      } else if (i == 0 && !pattern.operands.empty()) {
        if (!draw_operand(pattern.operands[0], def, i, depth, op, unused)) return false;
      } else if (!def.operands[i].variadic) {
        op.operands.push_back({nullptr, kNoSlot, std::nullopt, drawing_.draw_type(def, i)});
      }
    }
    return true;
  }

  bool draw_operand(const RulePattern& pattern, const OpDef& def, std::size_t i, int depth, PlannedOp& op,
                    std::vector<NamedAttribute>& attributes) {
    if (i >= def.operands.size() && !(!def.operands.empty() && def.operands[def.operands.size() - 1].variadic))
      return pattern.form == RulePattern::Form::Optional;
    switch (pattern.form) {
      case RulePattern::Form::Op: {
        if (pattern.optional && drawing_.chance(50)) {
          for (const RulePattern& operand : pattern.operands)
            if (operand.otherwise) choices_.data[operand.slot] = *operand.otherwise;
          return draw_operand(pattern.operands[0], def, i, depth, op, attributes);
        }
        auto inner = draw_op(pattern, depth + 1);
        if (!inner) return false;
        const Type type = inner->results.front();
        op.operands.push_back({std::make_shared<PlannedOp>(std::move(*inner)), kNoSlot, std::nullopt, type});
        return true;
      }
      case RulePattern::Form::Optional:
        if (drawing_.chance(50)) {
          op.operands.push_back({});
          return true;
        }
        [[fallthrough]];
      case RulePattern::Form::Value: {
        auto [bound, fresh] = choices_.values.try_emplace(pattern.slot);
        if (fresh) bound->second = with_fixed_sizes(drawing_.draw_type(def, i), pattern.slot);
        op.operands.push_back({nullptr, pattern.slot, std::nullopt, bound->second});
        return true;
      }
      case RulePattern::Form::Literal:
      case RulePattern::Form::Number: break;
    }
    AttrValue number = pattern.literal;
    if (pattern.form == RulePattern::Form::Number) {
      auto [bound, fresh] = choices_.data.try_emplace(pattern.slot);
      if (fresh)
        bound->second = pattern.slot == extreme_slot_ ? extreme_number(AttributeKind::None) : drawing_.draw_number();
      number = bound->second;
    }
    const auto real = as_double(context_.index(), number);
    const auto row = std::find_if(def.attrs.begin(), def.attrs.end(),
                                  [&](const AttrDef& a) { return a.instead_of == def.operands[i].name; });
    if (row != def.attrs.end() && drawing_.chance(60)) {
      const bool whole = !is_float(drawing_.dtype()) && *real == static_cast<double>(static_cast<std::int64_t>(*real));
      const AttrValue value =
          whole ? AttrValue(context_.index().constant(static_cast<std::int64_t>(*real))) : AttrValue(*real);
      const auto attribute = make_attribute(context_, value, row->kind);
      if (!attribute) return false;
      attributes.push_back({context_.strings().intern(row->name), *attribute});
      op.operands.push_back({});
      return true;
    }
    op.operands.push_back({nullptr, kNoSlot, *real, drawing_.draw_type(def, i)});
    return true;
  }

  // --- the program

  // Every size is one of an argument: a constant may not bring one of its own.
  bool sizes_are_known(const Module& module) {
    std::set<AtomId> known;
    const auto symbols_of = [&](Type type, const auto& visit) {
      if (!context_.types().is_shaped(type)) return;
      for (const IndexExpr d : context_.types().dims(type))
        context_.index().for_each_atom(d, [&](AtomId atom) {
          if (context_.index().atom(atom).kind == AtomKind::Symbol) visit(atom, context_.index().as_atom(d) == atom);
        });
    };
    for (const Value argument : body_.arguments())
      symbols_of(argument.type(), [&](AtomId atom, bool alone) {
        if (alone) known.insert(atom);
      });
    bool all = true;
    walk(module, [&](OpRef op) {
      for (const Value result : op.results())
        symbols_of(result.type(), [&](AtomId atom, bool) { all = all && known.contains(atom); });
    });
    return all;
  }

  Module build(const PlannedOp& root) {
    Module module(shared_);
    Builder builder(module);
    const OpRef func = builder.func("f", {});
    body_ = func.region(0);
    values_.clear();
    builder.set_end(body_);
    const Value result = make(builder, root);
    builder.create(GraphOp::Return, {result}, {});
    return module;
  }

  Value make(Builder& builder, const PlannedOp& op) {
    std::vector<Value> operands;
    for (const PlannedOperand& operand : op.operands) {
      if (operand.op)
        operands.push_back(make(builder, *operand.op));
      else if (!operand.type.valid())
        operands.emplace_back();
      else if (operand.number)
        operands.push_back(constant(builder, operand.type, *operand.number));
      else if (operand.slot == kNoSlot)
        operands.push_back(body_.add_argument(operand.type));
      else
        operands.push_back(value_of(builder, operand.slot, operand.type));
    }
    return builder.create(op.opcode, operands, op.attrs, op.results).result();
  }

  Value value_of(Builder& builder, std::uint16_t slot, Type type) {
    auto [known, fresh] = values_.try_emplace(slot);
    if (!fresh) return known->second;
    if (!constants_.contains(slot)) return known->second = body_.add_argument(type);
    return known->second = dense(builder, drawing_.draw_constant(type), type);
  }

  Value constant(Builder& builder, Type type, double number) {
    return dense(builder, drawing_.splat(type, number), type);
  }

  Value dense(Builder& builder, Attribute attribute, Type type) {
    const NamedAttribute entry{context_.strings().intern("value"), attribute};
    const std::array results{type};
    return builder
        .create(context_.opcode(GraphOp::Constant), {}, context_.attributes().dict(std::span(&entry, 1)), results)
        .result();
  }

  const std::shared_ptr<Context>& shared_;
  Context& context_;
  const TextRule& rule_;
  OpDrawing drawing_;
  struct FixedSize {
    std::uint16_t slot;
    std::int64_t axis;
    IndexExpr size;
  };
  std::optional<double> extreme_;
  std::uint16_t extreme_slot_ = kNoSlot;
  std::vector<std::uint16_t> numbers_;
  std::vector<FixedSize> sizes_;
  std::set<std::uint16_t> constants_;
  Choices choices_;
  int budget_ = 0;
  RegionRef body_;
  std::map<std::uint16_t, Value> values_;
};

}  // namespace

std::optional<Module> draw_instance(const std::shared_ptr<Context>& context, const TextRule& rule, Dtype dtype,
                                    std::uint64_t seed, std::optional<double> extreme) {
  return Drawing(context, rule, dtype, seed, extreme).draw();
}

std::vector<double> extreme_numbers(Dtype dtype) {
  if (dtype == Dtype::I1) return {};
  const auto integers = [](double low, double high) {
    return low == 0 ? std::vector<double>{high} : std::vector<double>{low, high, low + 1};
  };
  // The greatest i64 is none of f64, which numbers of rules are computed in.
  switch (dtype) {
    case Dtype::I64: return integers(-0x1p63, 0x1p63 - 1024);
    case Dtype::I32: return integers(-0x1p31, 0x1p31 - 1);
    case Dtype::I16: return integers(-0x1p15, 0x1p15 - 1);
    case Dtype::I8: return integers(-0x1p7, 0x1p7 - 1);
    case Dtype::UI8: return integers(0, 255);
    default: break;
  }
  // Each with its power of two next to the end of the range.
  double largest = std::numeric_limits<float>::max(), normal = 0x1p-126, smallest = 0x1p-149;
  if (dtype == Dtype::F64) {
    largest = std::numeric_limits<double>::max();
    normal = std::numeric_limits<double>::min();
    smallest = std::numeric_limits<double>::denorm_min();
  } else if (dtype == Dtype::F16) {
    largest = 65504;
    normal = 0x1p-14;
    smallest = 0x1p-24;
  } else if (dtype == Dtype::BF16) {
    largest = 0x1.FEp127;
    smallest = 0x1p-133;
  }
  const double top = std::exp2(std::floor(std::log2(largest)));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {largest,
          -largest,
          top,
          1 / top,
          normal,
          -normal,
          smallest,
          -smallest * 4,
          std::sqrt(normal),
          2 * std::sqrt(top),
          kInfinity,
          -kInfinity,
          std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace mlgc

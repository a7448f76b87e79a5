// From an op to its ground formula, and what is remembered of it.
#include "ops/instantiate_op.h"

#include <algorithm>

#include "diag/kinds_ops.h"
#include "ops/known_formula.h"
#include "ops/op_services.h"
#include "ops/op_types.h"

namespace mlgc {

OpServices& op_services(Context& context) {
  if (!context.op_services()) context.set_op_services(std::make_shared<OpServices>(context));
  return *context.op_services();
}

FormulaPool& formulas(Context& context) { return op_services(context).pool; }

bool has_formula(const OpDef& def) { return !def.formula.empty() || def.hooks.build != nullptr; }

bool has_inference(const OpDef& def) { return has_formula(def) || def.hooks.infer != nullptr || def.result_count == 0; }

namespace {

// Operands as the formula sees them, named as the row names them.
std::vector<FormulaOperand> formula_operands(const TypePool& types, const OpDef& def, std::span<const Type> operands) {
  std::vector<FormulaOperand> out;
  auto add = [&](std::string name, Type type) {
    FormulaOperand o{std::move(name), type.valid(), Dtype::F32, {}};
    if (type.valid()) {
      o.dtype = types.dtype(type);
      const auto dims = types.dims(type);
      o.shape.assign(dims.begin(), dims.end());
    }
    out.push_back(std::move(o));
  };
  for (std::size_t i = 0; i < def.operands.size(); ++i) {
    const OperandDef& operand = def.operands[i];
    if (!operand.variadic) {
      add(std::string(operand.name), i < operands.size() ? operands[i] : Type{});
      continue;
    }
    for (std::size_t j = i; j < operands.size(); ++j)
      add(std::string(operand.name) + std::to_string(j - i), operands[j]);
  }
  return out;
}

std::optional<Diagnostic> check_alternatives(const OpDef& def, const std::vector<FormulaOperand>& operands,
                                             const AttrValues& values) {
  for (const AttrDef& attr : def.attrs) {
    if (attr.instead_of.empty()) continue;
    const auto operand = std::find_if(operands.begin(), operands.end(),
                                      [&](const FormulaOperand& o) { return o.name == attr.instead_of; });
    const bool given = operand != operands.end() && operand->present;
    if (given == (values.find(attr.name) != nullptr))
      return diagnose<kOperandOrAttribute>({}, def.name, attr.instead_of, attr.name);
  }
  return std::nullopt;
}

std::vector<std::string> result_names(const OpDef& def) { return {def.result_names.begin(), def.result_names.end()}; }

// The parsed text of a row that states its formula.
Result<std::shared_ptr<const FormulaSyntax>, Diagnostic> syntax_of(OpServices& services, const OpDef& def,
                                                                   Opcode opcode, const OpTypes& types,
                                                                   const Attrs& attrs) {
  auto parse = [](std::string_view text) -> Result<std::shared_ptr<const FormulaSyntax>, Diagnostic> {
    auto syntax = parse_formula_syntax(text);
    if (!syntax)
      return Failure{
          diagnose<kFormulaSyntax>({}, syntax.error().message, static_cast<std::int64_t>(syntax.error().column))};
    return std::shared_ptr<const FormulaSyntax>(std::make_shared<FormulaSyntax>(std::move(*syntax)));
  };
  if (def.hooks.build) {
    auto text = def.hooks.build(types, attrs);
    if (!text) return Failure{std::move(text.error())};
    return parse(*text);
  }
  std::shared_ptr<const FormulaSyntax>& slot = services.syntaxes[static_cast<std::size_t>(opcode)];
  if (!slot) {
    auto parsed = parse(def.formula);
    if (!parsed) return parsed;
    slot = *parsed;
  }
  return slot;
}

Result<Formula, Diagnostic> instantiate_checked(Context& context, Opcode opcode,
                                                const std::vector<FormulaOperand>& operands, const AttrValues& values,
                                                const Facts& facts) {
  OpServices& services = op_services(context);
  const OpDef& def = context.def(opcode);
  const OpTypes types(context.index(), facts, operands);
  const Attrs attrs(context.index(), values);
  auto syntax = syntax_of(services, def, opcode, types, attrs);
  if (!syntax) return Failure{std::move(syntax.error())};
  return instantiate(services.pool, **syntax, operands, values, result_names(def), facts);
}

// Tensors when an operand is one or there are none, else vectors when one is a vector, else scalars.
std::vector<Type> result_types(TypePool& types, const Formula& formula, std::span<const Type> operands) {
  bool tensor = operands.empty(), vector = false;
  for (Type t : operands) {
    if (!t.valid()) continue;
    tensor = tensor || types.kind(t) == TypeKind::Tensor;
    vector = vector || types.kind(t) == TypeKind::Vector;
  }
  std::vector<Type> out;
  for (TensorId id : formula.results()) {
    const FormulaTensor& t = formula.tensor(id);
    if (tensor || (!vector && !t.shape.empty()))
      out.push_back(types.tensor(t.dtype, t.shape));
    else
      out.push_back(vector ? types.vector(t.dtype, t.shape) : types.scalar(t.dtype));
  }
  return out;
}

// Valid until the next call.
Result<const OpServices::Known*, Diagnostic> know(Context& context, Opcode opcode, std::span<const Type> operands,
                                                  AttrDict attrs, const Facts& facts) {
  OpServices& services = op_services(context);
  const OpDef& def = context.def(opcode);
  OpServices::Key key{opcode, attrs, {operands.begin(), operands.end()}};
  while (!key.operands.empty() && !key.operands.back().valid()) key.operands.pop_back();
  if (!facts.empty() && services.facts != facts) {
    services.facts = facts;
    services.known_under_facts.clear();
  }
  auto& memo = facts.empty() ? services.known : services.known_under_facts;
  if (const auto it = memo.find(key); it != memo.end()) return &it->second;

  if (auto wrong = check_operands(context, def, key.operands)) return Failure{std::move(*wrong)};
  auto values = check_attributes(context, def, attrs);
  if (!values) return Failure{std::move(values.error())};
  const auto formula_side = formula_operands(context.types(), def, key.operands);
  if (auto wrong = check_alternatives(def, formula_side, *values)) return Failure{std::move(*wrong)};
  auto formula = instantiate_checked(context, opcode, formula_side, *values, facts);
  if (!formula) return Failure{std::move(formula.error())};
  OpServices::Known known{nullptr, result_types(context.types(), *formula, key.operands)};
  known.formula = std::make_shared<const Formula>(std::move(*formula));
  return &memo.emplace(std::move(key), std::move(known)).first->second;
}

}  // namespace

Result<Formula, Diagnostic> instantiate_op(Context& context, Opcode opcode, std::span<const Type> operands,
                                           AttrDict attrs, const Facts& facts) {
  MLGC_ASSERT(has_formula(context.def(opcode)), "instantiate_op: a row without a formula");
  auto known = know(context, opcode, operands, attrs, facts);
  if (!known) return Failure{std::move(known.error())};
  return *(*known)->formula;
}

Result<std::shared_ptr<const Formula>, Diagnostic> known_formula(Context& context, Opcode opcode,
                                                                 std::span<const Type> operands, AttrDict attrs,
                                                                 const Facts& facts) {
  MLGC_ASSERT(has_formula(context.def(opcode)), "known_formula: a row without a formula");
  auto known = know(context, opcode, operands, attrs, facts);
  if (!known) return Failure{std::move(known.error())};
  return (*known)->formula;
}

namespace {

Result<std::vector<Type>, Diagnostic> infer(Context& context, Opcode opcode, std::span<const Type> operands,
                                            AttrDict attrs, const Facts& facts, OpRef op,
                                            std::span<const Type> stated) {
  const OpDef& def = context.def(opcode);
  if (has_formula(def)) {
    auto known = know(context, opcode, operands, attrs, facts);
    if (!known) return Failure{std::move(known.error())};
    return (*known)->results;
  }
  if (auto wrong = check_operands(context, def, operands)) return Failure{std::move(*wrong)};
  auto values = check_attributes(context, def, attrs);
  if (!values) return Failure{std::move(values.error())};
  if (def.hooks.infer) return def.hooks.infer(InferContext(context, def, operands, attrs, op, stated));
  MLGC_ASSERT(def.result_count == 0, "infer_types: a row without inference");
  return std::vector<Type>();
}

}  // namespace

Result<std::vector<Type>, Diagnostic> infer_types(Context& context, Opcode opcode, std::span<const Type> operands,
                                                  AttrDict attrs, const Facts& facts) {
  return infer(context, opcode, operands, attrs, facts, OpRef(), {});
}

Result<std::vector<Type>, Diagnostic> infer_types(OpRef op, const Facts& facts, std::span<const Type> stated) {
  std::vector<Type> operands, results;
  for (const Value v : op.operands()) operands.push_back(v.type());
  for (const Value v : op.results()) results.push_back(v.type());
  return infer(op.module().context(), op.opcode(), operands, op.attrs(), facts, op,
               results.empty() ? stated : std::span<const Type>(results));
}

}  // namespace mlgc

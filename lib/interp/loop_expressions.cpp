// See loop_expressions.h.
#include "interp/loop_expressions.h"

namespace mlgc::loop_program {

AffineForm IndexWriter::affine(IndexExpr e) {
  e = sizes_.without_symbols(e, code_.location());
  if (e == index_.overflow()) {
    // Too large, or a division by a size that is 0: an error where it is reached, which it may never be.
    code_.check(code_.integer_constant(0), "an index expression has no value: it is too large, or divides by 0");
    return {};
  }
  AffineForm form;
  for (std::size_t i = 0; i < index_.term_count(e); ++i) {
    const Term term = index_.term(e, i);
    if (term.factors.empty()) {
      form.constant = term.coefficient;
      continue;
    }
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    const std::int64_t coefficient = term.coefficient;
    RegisterId product = atom(factors[0]);
    for (std::size_t f = 1; f < factors.size(); ++f) {
      const RegisterId next = code_.new_register();
      code_.emit(Code::Integer, next, product, atom(factors[f]), Dtype::I64, ScalarFn::Mul);
      product = next;
    }
    form.terms.push_back({coefficient, product});
  }
  return form;
}

RegisterId IndexWriter::atom(AtomId id) {
  const Atom atom = index_.atom(id);
  if (atom.kind == AtomKind::Opaque) return code_.reg(op_.operand(atom.number));
  const RegisterId a = value(atom.a), b = value(atom.b);
  const RegisterId result = code_.new_register();
  const Code code = atom.kind == AtomKind::FloorDiv ? Code::FloorDiv
                    : atom.kind == AtomKind::Mod    ? Code::Mod
                    : atom.kind == AtomKind::Min    ? Code::Min
                                                    : Code::Max;
  code_.emit(code, result, a, b);
  return result;
}

RegisterId IndexWriter::value(IndexExpr e) {
  AffineForm form = affine(e);
  if (form.terms.empty()) return code_.integer_constant(form.constant);
  if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].coefficient == 1) return form.terms[0].from;
  return code_.affine(std::move(form));
}

RegisterId ScalarWriter::literal(ExprId e) {
  const Dtype type = pool_.type(e);
  if (!is_float(type)) return code_.integer_constant(pool_.literal_integer(e));
  const double value = pool_.literal_real(e);
  return code_.real_constant(round_ && type != Dtype::F64 ? static_cast<float>(value) : value);
}

// Only the side that is taken is computed.
RegisterId ScalarWriter::select(const std::vector<ExprId>& args, const std::vector<RegisterId>& operands) {
  const RegisterId condition = value(args[0], operands), result = code_.new_register();
  const std::size_t to_else = code_.emit(Code::JumpIfZero, 0, condition, 0);
  code_.emit(Code::Move, result, value(args[1], operands), 0);
  const std::size_t to_end = code_.emit(Code::Jump, 0, 0, 0);
  code_.land(to_else);
  code_.emit(Code::Move, result, value(args[2], operands), 0);
  code_.land(to_end);
  return result;
}

RegisterId ScalarWriter::value(ExprId e, const std::vector<RegisterId>& operands) {
  const ExprNode node = pool_.node(e);
  const bool real = is_float(node.type);
  switch (node.kind) {
    case NodeKind::Literal: return literal(e);
    case NodeKind::Read: return operands[pool_.read_of(e).tensor.index()];
    case NodeKind::Index: {
      const auto value = pool_.index().evaluate(pool_.index_of(e), sizes_.symbols());
      MLGC_ASSERT(value.has_value(), "a scalar formula with an index label");
      return code_.integer_constant(*value);
    }
    default: break;
  }
  const std::vector<ExprId> args = pool_.arguments(e);
  if (node.kind == NodeKind::Select) return select(args, operands);
  const RegisterId a = value(args[0], operands);
  if (node.kind == NodeKind::Stop) return a;
  const bool from_real = is_float(pool_.type(args[0])) && pool_.node(args[0]).kind != NodeKind::Index;
  const RegisterId result = code_.new_register();
  if (node.kind == NodeKind::Cast) {
    code_.emit(real ? (from_real ? Code::Round : Code::ToReal) : (from_real ? Code::ToInteger : Code::Wrap), result, a,
               0, node.type);
    return result;
  }
  const RegisterId b = args.size() > 1 ? value(args[1], operands) : a;
  const ScalarFn fn = pool_.fn(e);
  const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
  if (from_real)
    code_.emit(real ? Code::Real : Code::RealTest, result, a, b, node.type, fn);
  else
    code_.emit(divides ? Code::Divide : Code::Integer, result, a, b, node.type, fn);
  return result;
}

}  // namespace mlgc::loop_program

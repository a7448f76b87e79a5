// Instantiation of formula text: the entry points, and statements with what they write. Guarantees: user-caused errors
// come back as a Failure, and the letters of a written place are numbered before those of the body.
#include "formula/instantiate.h"

#include <algorithm>

#include "formula/instantiator.h"

namespace mlgc {

namespace instantiation {

Formula Instantiator::run() {
  for (std::size_t s = 0; s < syntax_.statements.size(); ++s) statement(syntax_.statements[s], s);
  return std::move(formula_);
}

ExprId Instantiator::scalar(const std::vector<std::pair<std::string_view, ExprId>>& names) {
  names_ = &names;
  return build(syntax_.statements.front().body);
}

void Instantiator::statement(const SyntaxStatement& st, std::size_t number_of_statement) {
  packs_.clear();
  letters_.clear();
  atoms_.clear();
  scopes_.clear();
  unit_seen_.clear();
  fixed_rank_.clear();
  list_rank_.clear();
  ground_form_ = ground_form_ || st.ground;
  ground_ = ground_form_ ? &st.over : nullptr;
  if (ground_)
    for (const auto& [name, extent] : *ground_) {
      const IndexExpr size = as_index(build(extent), at(extent));
      check_extent(name, size);
      letters_[{name, kStatement}] = Extent{size, {"`over`"}};
    }
  find_ranks(st);
  bind_bare_operands(st.body, true);
  bind_bare_operands(st.guard, true);
  bind_extents(st.body);
  bind_extents(st.guard);
  for (SyntaxId s : st.subscripts) bind_extents(s);
  if (const auto target = target_in_base(st)) bind_read(*target);
  bind_bare_operands(st.body, false);
  bind_bare_operands(st.guard, false);
  close_units();
  bind_where(st);

  Statement out;
  FormulaTensor target;
  target.name = st.result.empty() ? formula_.unique_tensor_name("y") : st.result;
  if (find_tensor(target.name))
    refuse<kFormulaSyntax>("`" + target.name + "` is written twice", static_cast<std::int64_t>(st.column));
  const bool last = number_of_statement + 1 == syntax_.statements.size();
  const bool named = std::find(results_.begin(), results_.end(), st.result) != results_.end();
  target.role = named || (results_.empty() && last) ? TensorRole::Result : TensorRole::Temporary;

  // Output letters come first, so that they have the lowest numbers.
  out.subscripts = subscripts_of(st.subscripts, st.subscripts.size(), nullptr);
  out.pull = st.write == "=" && !st.base.valid() && !st.guard.valid();
  if (st.write == "+=") out.write = WriteOp::Add;
  if (st.write == "*=") out.write = WriteOp::Mul;
  if (st.write == "max=") out.write = WriteOp::Max;
  if (st.write == "min=") out.write = WriteOp::Min;
  ExprId body = build(st.body);
  if (!body.valid()) bad(at(st.body), "the body reads only absent operands");
  body = pool_.settle(body);
  if (st.guard.valid()) out.guard = build(st.guard);

  if (out.pull) {
    for (IndexExpr s : out.subscripts) {
      const auto atom = index_.as_atom(s);
      const bool letter = atom && index_.atom(*atom).kind == AtomKind::Letter;
      if (!letter && index_.as_constant(s) != 0)
        refuse<kFormulaSyntax>("`=` writes over bare letters; another subscript needs `from`",
                               static_cast<std::int64_t>(st.column));
      target.shape.push_back(letter ? index_.atom(*atom).a : number(1));
      if (letter && std::find(out.letters.begin(), out.letters.end(), *atom) == out.letters.end())
        out.letters.push_back(*atom);
    }
    for (const ExprId e : {body, out.guard}) {
      if (!e.valid()) continue;
      for (const AtomId l : pool_.free_letters(e))
        if (std::find(out.letters.begin(), out.letters.end(), l) == out.letters.end())
          refuse<kFormulaSyntax>("a read has letters that neither the result nor a reduction has",
                                 static_cast<std::int64_t>(st.column));
    }
  } else {
    target.shape = push_shape(st, out);
    if (out.subscripts.size() != target.shape.size())
      refuse<kFormulaSyntax>("a push writes as many subscripts as its `from` has dimensions",
                             static_cast<std::int64_t>(st.column));
    // The ground form states the order of the loops, and letters that nothing mentions but that repeat the push.
    if (ground_)
      for (const auto& [name, extent] : *ground_)
        if (!bound_by_reduction(name)) out.letters.push_back(letter_atom({name, kStatement}, at(extent)));
    for (IndexExpr s : out.subscripts)
      for (AtomId l : pool_.free_letters(s)) add_letter(out.letters, l);
    for (AtomId l : pool_.free_letters(body)) add_letter(out.letters, l);
    if (out.guard.valid())
      for (AtomId l : pool_.free_letters(out.guard)) add_letter(out.letters, l);
    if (out.base.valid() && !pool_.node(body).weak && pool_.type(body) != formula_.tensor(out.base).dtype)
      refuse<kDtypeMismatch>(st.write, dtype_info(formula_.tensor(out.base).dtype).name,
                             dtype_info(pool_.type(body)).name);
  }
  if (overflows(body) || (out.guard.valid() && overflows(out.guard)))
    refuse<kFormulaSyntax>("index arithmetic leaves 64 bits", static_cast<std::int64_t>(st.column));
  target.dtype = pool_.type(body);
  out.body = body;
  out.result = add_tensor(std::move(target));
  formula_.statements.push_back(std::move(out));
}

bool Instantiator::overflows(ExprId root) const {
  bool found = false;
  pool_.visit(root, [&](ExprId e) {
    const NodeKind kind = pool_.node(e).kind;
    if (kind == NodeKind::Index) found = found || pool_.index_of(e) == index_.overflow();
    if (kind != NodeKind::Read) return;
    for (const IndexExpr s : pool_.read_of(e).subscripts) found = found || s == index_.overflow();
  });
  return found;
}

bool Instantiator::bound_by_reduction(const std::string& name) const {
  for (const SyntaxNode& n : syntax_.nodes)
    if (n.kind == SyntaxKind::Reduce)
      for (SyntaxId l : n.letters)
        if (at(l).text == name) return true;
  return false;
}

void Instantiator::add_letter(std::vector<AtomId>& list, AtomId l) {
  if (std::find(list.begin(), list.end(), l) == list.end()) list.push_back(l);
}

std::vector<IndexExpr> Instantiator::push_shape(const SyntaxStatement& st, Statement& out) {
  if (!st.base.valid())
    refuse<kFormulaSyntax>("a push needs `from`: an operand or `zeros[extents]`", static_cast<std::int64_t>(st.column));
  const SyntaxNode& base = at(st.base);
  if (base.kind == SyntaxKind::Read && base.text == "zeros") {
    std::vector<IndexExpr> shape;
    for (SyntaxId c : base.children) {
      const SyntaxNode& sub = at(c);
      if (sub.kind != SyntaxKind::Pack) {
        shape.push_back(as_index(build(c), sub));
        check_extent("zeros[" + std::to_string(shape.size() - 1) + "]", shape.back());
        continue;
      }
      for (const PackDim& d : pack_dims(sub, *pack(sub).rank))
        shape.push_back(d.axis ? packs_[sub.text].extents[*d.axis]->size : number(1));
    }
    return shape;
  }
  const auto id = find_tensor(base.text);
  if (!id || is_absent(base.text)) bad(base, "`from` names an operand, or `zeros[extents]`");
  out.base = *id;
  return formula_.tensor(*id).shape;
}

}  // namespace instantiation

const AttrValue* AttrValues::find(std::string_view name) const {
  for (const auto& [key, value] : values)
    if (key == name) return &value;
  return nullptr;
}

Result<Formula, Diagnostic> instantiate(FormulaPool& pool, const FormulaSyntax& syntax,
                                        const std::vector<FormulaOperand>& operands, const AttrValues& attributes,
                                        const std::vector<std::string>& results, const Facts& facts) {
  try {
    return instantiation::Instantiator(pool, syntax, operands, attributes, results, facts).run();
  } catch (instantiation::Refused& refused) {
    return Failure{std::move(refused.diagnostic)};
  }
}

Result<Formula, Diagnostic> instantiate_text(FormulaPool& pool, std::string_view text,
                                             const std::vector<FormulaOperand>& operands, const AttrValues& attributes,
                                             const std::vector<std::string>& results, const Facts& facts) {
  auto syntax = parse_formula_syntax(text);
  if (!syntax)
    return Failure{
        diagnose<kFormulaSyntax>({}, syntax.error().message, static_cast<std::int64_t>(syntax.error().column))};
  return instantiate(pool, *syntax, operands, attributes, results, facts);
}

ExprId instantiate_scalar(FormulaPool& pool, const FormulaSyntax& syntax,
                          const std::vector<std::pair<std::string_view, ExprId>>& names) {
  const AttrValues none;
  const Facts facts;
  return instantiation::Instantiator(pool, syntax, {}, none, {}, facts).scalar(names);
}

}  // namespace mlgc

// Instantiation of formula text: the entry points, and statements with what they write. Guarantees: user-caused errors
// come back as a Failure, and the index labels of a written place are numbered before those of the body.
#include "formula/instantiate.h"

#include <algorithm>

#include "formula/expression_builder.h"
#include "formula/extent_binder.h"
#include "formula/formula_scope.h"
#include "formula/statement_axes.h"

namespace mlgc {

namespace instantiation {

namespace {

TensorRole role_of(const SyntaxStatement& st, const std::vector<std::string>& results, bool last) {
  const bool named = std::find(results.begin(), results.end(), st.result) != results.end();
  return named || (results.empty() && last) ? TensorRole::Result : TensorRole::Temporary;
}

WriteOp write_op(std::string_view text) {
  if (text == "+=") return WriteOp::Add;
  if (text == "*=") return WriteOp::Mul;
  if (text == "max=") return WriteOp::Max;
  if (text == "min=") return WriteOp::Min;
  return WriteOp::Set;
}

void add_label(std::vector<AtomId>& list, AtomId l) {
  if (std::find(list.begin(), list.end(), l) == list.end()) list.push_back(l);
}

// One statement: its extents, its body, and the place that it writes.
class StatementInstantiator {
 public:
  StatementInstantiator(FormulaScope& scope, const StatementAxes::GroundLabels* ground)
      : pool_(scope.pool()), index_(pool_.index()), scope_(scope), axes_(scope, ground), expressions_(scope, axes_) {}

  // Appends it to the formula. Throws Refused.
  void run(const SyntaxStatement& st, TensorRole role);

 private:
  [[noreturn]] static void bad_statement(const SyntaxStatement& st, std::string_view message) {
    refuse<kFormulaSyntax>(message, static_cast<std::int64_t>(st.column));
  }
  // The index labels of a statement and the shape of what it writes.
  std::vector<IndexExpr> finish_pull(const SyntaxStatement& st, Statement& out);
  std::vector<IndexExpr> finish_push(const SyntaxStatement& st, Statement& out);
  std::vector<IndexExpr> push_shape(const SyntaxStatement& st, Statement& out);
  // Whether index arithmetic below the expression left 64 bits.
  [[nodiscard]] bool overflows(ExprId root) const;
  [[nodiscard]] bool bound_by_reduction(const std::string& name) const;

  FormulaPool& pool_;
  IndexPool& index_;
  FormulaScope& scope_;
  StatementAxes axes_;
  ExpressionBuilder expressions_;
};

void StatementInstantiator::run(const SyntaxStatement& st, TensorRole role) {
  ExtentBinder(scope_, axes_, expressions_).bind(st);
  Formula& formula = scope_.formula();
  FormulaTensor target;
  target.name = st.result.empty() ? formula.unique_tensor_name("y") : st.result;
  if (scope_.find_tensor(target.name)) bad_statement(st, "`" + target.name + "` is written twice");
  target.role = role;

  // Output index labels come first, so that they have the lowest numbers.
  Statement out;
  out.subscripts = expressions_.subscripts_of(st.subscripts, st.subscripts.size(), nullptr);
  out.pull = st.write == "=" && !st.base.valid() && !st.guard.valid();
  out.write = write_op(st.write);
  const ExprId body = expressions_.build(st.body);
  if (!body.valid()) bad(scope_.at(st.body), "the body reads only absent operands");
  out.body = pool_.settle(body);
  if (st.guard.valid()) out.guard = expressions_.build(st.guard);
  target.shape = out.pull ? finish_pull(st, out) : finish_push(st, out);
  if (overflows(out.body) || (out.guard.valid() && overflows(out.guard)))
    bad_statement(st, "index arithmetic leaves 64 bits");
  target.dtype = pool_.type(out.body);
  out.result = scope_.add_tensor(std::move(target));
  formula.statements.push_back(std::move(out));
}

std::vector<IndexExpr> StatementInstantiator::finish_pull(const SyntaxStatement& st, Statement& out) {
  std::vector<IndexExpr> shape;
  for (IndexExpr s : out.subscripts) {
    const auto atom = index_.as_atom(s);
    const bool label = atom && index_.atom(*atom).kind == AtomKind::IndexLabel;
    if (!label && index_.as_constant(s) != 0)
      bad_statement(st, "`=` writes over bare index labels; another subscript needs `from`");
    shape.push_back(label ? index_.atom(*atom).a : index_.constant(1));
    if (label && std::find(out.labels.begin(), out.labels.end(), *atom) == out.labels.end())
      out.labels.push_back(*atom);
  }
  for (const ExprId e : {out.body, out.guard}) {
    if (!e.valid()) continue;
    for (const AtomId l : pool_.free_labels(e))
      if (std::find(out.labels.begin(), out.labels.end(), l) == out.labels.end())
        bad_statement(st, "a read has index labels that neither the result nor a reduction has");
  }
  return shape;
}

std::vector<IndexExpr> StatementInstantiator::finish_push(const SyntaxStatement& st, Statement& out) {
  std::vector<IndexExpr> shape = push_shape(st, out);
  if (out.subscripts.size() != shape.size())
    bad_statement(st, "a push writes as many subscripts as its `from` has dimensions");
  // The ground form states the order of the loops, and index labels that nothing mentions but that repeat the push.
  if (axes_.ground())
    for (const auto& [name, extent] : *axes_.ground())
      if (!bound_by_reduction(name))
        out.labels.push_back(expressions_.label_atom({name, kStatement}, scope_.at(extent)));
  for (IndexExpr s : out.subscripts)
    for (AtomId l : pool_.free_labels(s)) add_label(out.labels, l);
  for (AtomId l : pool_.free_labels(out.body)) add_label(out.labels, l);
  if (out.guard.valid())
    for (AtomId l : pool_.free_labels(out.guard)) add_label(out.labels, l);
  if (out.base.valid() && !pool_.node(out.body).weak && pool_.type(out.body) != scope_.formula().tensor(out.base).dtype)
    refuse<kDtypeMismatch>(st.write, dtype_info(scope_.formula().tensor(out.base).dtype).name,
                           dtype_info(pool_.type(out.body)).name);
  return shape;
}

bool StatementInstantiator::overflows(ExprId root) const {
  bool found = false;
  pool_.visit(root, [&](ExprId e) {
    const NodeKind kind = pool_.node(e).kind;
    if (kind == NodeKind::Index) found = found || pool_.index_of(e) == index_.overflow();
    if (kind != NodeKind::Read) return;
    for (const IndexExpr s : pool_.read_of(e).subscripts) found = found || s == index_.overflow();
  });
  return found;
}

bool StatementInstantiator::bound_by_reduction(const std::string& name) const {
  for (const SyntaxNode& n : scope_.syntax().nodes)
    if (n.kind == SyntaxKind::Reduce)
      for (SyntaxId l : n.labels)
        if (scope_.at(l).text == name) return true;
  return false;
}

std::vector<IndexExpr> StatementInstantiator::push_shape(const SyntaxStatement& st, Statement& out) {
  if (!st.base.valid()) bad_statement(st, "a push needs `from`: an operand or `zeros[extents]`");
  const SyntaxNode& base = scope_.at(st.base);
  if (base.kind == SyntaxKind::Read && base.text == "zeros") {
    std::vector<IndexExpr> shape;
    for (SyntaxId c : base.children) {
      const SyntaxNode& sub = scope_.at(c);
      if (sub.kind != SyntaxKind::Pack) {
        shape.push_back(expressions_.index_of(c));
        scope_.check_extent("zeros[" + std::to_string(shape.size() - 1) + "]", shape.back());
        continue;
      }
      for (const PackDim& d : axes_.pack_dims(sub, *axes_.pack(sub).rank))
        shape.push_back(d.axis ? axes_.pack_named(sub.text).extents[*d.axis]->size : index_.constant(1));
    }
    return shape;
  }
  const auto id = scope_.find_tensor(base.text);
  if (!id || scope_.is_absent(base.text)) bad(base, "`from` names an operand, or `zeros[extents]`");
  out.base = *id;
  return scope_.formula().tensor(*id).shape;
}

}  // namespace

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
    instantiation::FormulaScope scope(pool, syntax, operands, attributes, facts);
    bool ground = false;
    for (const SyntaxStatement& statement : syntax.statements) {
      // Once a statement is in the ground form, all that follow are.
      ground = ground || statement.ground;
      const bool last = &statement == &syntax.statements.back();
      instantiation::StatementInstantiator(scope, ground ? &statement.over : nullptr)
          .run(statement, instantiation::role_of(statement, results, last));
    }
    return std::move(scope.formula());
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
  const std::vector<FormulaOperand> no_operands;
  instantiation::FormulaScope scope(pool, syntax, no_operands, none, facts);
  instantiation::StatementAxes axes(scope, nullptr);
  return instantiation::ExpressionBuilder(scope, axes, &names).build(syntax.statements.front().body);
}

}  // namespace mlgc

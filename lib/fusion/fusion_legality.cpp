// See fusion_legality.h.
#include "fusion/fusion_legality.h"

#include <algorithm>

#include "fusion/typical_sizes.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

// A contraction that is a kernel's first reason to be, or nests of few rows below this many points, are no loss to
// run on one thread.
constexpr double kSmall = 32768;
constexpr double kEnoughRows = 16;
// Rows with fewer elements are no vectors.
constexpr double kShortRow = 16;
// Columns that a nest over columns works on at once; what it keeps, it keeps for each.
constexpr double kColumns = 64;
// Rows of a product up to which each tile of it unpacks the weight that it reads. With more, the weight is unpacked
// once into memory: a store and a load of each float, which take as long as some rows of products.
constexpr double kMostRowsThatUnpack = 16;

}  // namespace

FusionLegality::FusionLegality(Context& context, KernelFormulas& shared, const Facts& facts, std::int64_t row_bytes)
    : index_(context.index()), pool_(formulas(context)), shared_(shared), facts_(facts), row_bytes_(row_bytes) {}

double FusionLegality::rows_of(const KernelShape& shape) const { return typical_product(index_, shape.rows, facts_); }

std::optional<FusionReason> FusionLegality::refusal(const Before& before, double own, const KernelFormula& kernel,
                                                    const Member* added) const {
  const KernelShape& shape = kernel.shape();
  const Formula& formula = kernel.formula();
  if (shape.long_subscripts) return FusionReason::Subscripts;
  if (shape.scatters) return FusionReason::Scatter;
  const bool follows = before.contractions > 1 && shape.contractions == before.contractions;
  if (!follows && (shape.contractions > 1 || !shape.contracts_in_rows)) return FusionReason::Contraction;
  if (shape.reduces_windows) return FusionReason::Window;
  if (added != nullptr && shape.contractions > 0 && leaves_short_rows(added->op, kernel)) return FusionReason::Order;
  const double rows = rows_of(shape);
  double points = 0;
  for (std::size_t s = 0; s < formula.statements.size(); ++s) {
    const Statement& st = formula.statements[s];
    double steps = 1;
    if (kernel.facts(s).reduces)
      pool_.visit(st.body, [&](ExprId e) {
        if (pool_.node(e).kind == NodeKind::Reduce)
          steps = std::max(steps, typical_product(index_, pool_.reduce_of(e).labels, facts_));
      });
    points = std::max(points, typical_product(index_, st.labels, facts_) * steps);
  }
  const bool inner = shape.nests > 0 && has_inner(shape, formula, kernel);
  // A dim that is not reduced, and that is in the way of an outer one: the smaller part would be computed for columns
  // of the larger one. An op that works on columns by itself loses nothing when it is fused with what it reads.
  if (added != nullptr && inner && !before.reduces && out_of_order(added->op, shape, kernel) &&
      !alone_out_of_order(*added))
    return FusionReason::Repeated;
  if (points > kSmall) {
    if (shape.nests >= 2 && rows < kEnoughRows && rows < std::max(before.rows, own)) return FusionReason::Rows;
    if (rows < kEnoughRows && before.rows >= kEnoughRows && own >= kEnoughRows) return FusionReason::Rows;
  }
  double kept = 0;
  for (const TensorId tensor : shape.kept) {
    double bytes = static_cast<double>(dtype_info(formula.tensor(tensor).dtype).bytes);
    for (const IndexExpr extent : formula.tensor(tensor).shape) bytes *= typical_size(index_, extent, facts_);
    kept += bytes / std::max(rows, 1.0) * (columns(shape, formula) ? kColumns : 1);
  }
  if (kept > static_cast<double>(row_bytes_)) return FusionReason::RowMemory;
  return std::nullopt;
}

// Whether rows of a contraction that are long enough for vectors would be written as others that are not.
bool FusionLegality::leaves_short_rows(OpRef op, const KernelFormula& kernel) const {
  const Formula& formula = kernel.formula();
  const auto row = [&](const Statement& st) {
    const auto last = std::find_if(st.labels.rbegin(), st.labels.rend(),
                                   [&](AtomId l) { return index_.as_constant(index_.atom(l).a) != 1; });
    return last == st.labels.rend() ? std::nullopt : std::optional(*last);
  };
  const auto result = kernel.find(op.result(0));
  const auto of = [&](const auto& test) {
    return std::find_if(formula.statements.begin(), formula.statements.end(), test);
  };
  const auto written = of([&](const Statement& st) { return result && st.result == *result; });
  const auto summed = of([&](const Statement& st) {
    return kernel.facts(static_cast<std::size_t>(&st - formula.statements.data())).contracts;
  });
  if (written == formula.statements.end() || summed == formula.statements.end()) return false;
  const auto out = row(*written), in = row(*summed);
  return out && in && kernel.axis(*out) != kernel.axis(*in) &&
         typical_size(index_, index_.atom(*out).a, facts_) < kShortRow &&
         typical_size(index_, index_.atom(*in).a, facts_) >= kShortRow;
}

bool FusionLegality::has_inner(const KernelShape& shape, const Formula& formula, const KernelFormula& kernel) const {
  for (const Statement& st : formula.statements)
    for (const AtomId label : st.labels)
      if (index_.as_constant(index_.atom(label).a) != 1 && !is_row(shape, kernel, label)) return true;
  return false;
}

bool FusionLegality::is_row(const KernelShape& shape, const KernelFormula& kernel, AtomId label) {
  return std::any_of(shape.rows.begin(), shape.rows.end(),
                     [&](AtomId row) { return kernel.axis(row) == kernel.axis(label); });
}

// Whether a row of some result of the op is strided: a dim of the row follows one that is inner.
bool FusionLegality::out_of_order(OpRef op, const KernelShape& shape, const KernelFormula& kernel) const {
  const Formula& formula = kernel.formula();
  for (const Value result : op.results()) {
    const auto tensor = kernel.find(result);
    for (const Statement& st : formula.statements) {
      if (!tensor || st.result != *tensor) continue;
      bool seen_inner = false;
      for (const AtomId label : st.labels) {
        if (index_.as_constant(index_.atom(label).a) == 1) continue;
        if (!is_row(shape, kernel, label))
          seen_inner = true;
        else if (seen_inner)
          return true;
      }
    }
  }
  return false;
}

bool FusionLegality::alone_out_of_order(const Member& member) const {
  KernelFormula alone(shared_);
  alone.add(member.op, *member.formula, KernelFormula::As::Computed);
  return out_of_order(member.op, alone.shape(), alone);
}

// Whether rows are columns of stored tensors: then a block of them is computed at once.
bool FusionLegality::columns(const KernelShape& shape, const Formula& formula) const {
  if (shape.rows.empty()) return false;
  for (const TensorId tensor : shape.kept) {
    if (formula.tensor(tensor).shape.empty()) continue;
    for (const Statement& st : formula.statements)
      if (st.result == tensor && !st.labels.empty() &&
          std::find(shape.rows.begin(), shape.rows.end(), st.labels.back()) != shape.rows.end())
        return true;
  }
  return false;
}

bool FusionLegality::unpacks_for_few_rows(OpRef op, const OpFormula& formula) const {
  if (!formula.unpacks) return false;
  double elements = 1;
  const auto& statement = formula.formula.statements[0];
  for (const IndexExpr extent : formula.formula.tensor(statement.result).shape)
    elements *= typical_size(index_, extent, facts_);
  const auto users = op.result(0).users();
  return std::all_of(users.begin(), users.end(), [&](OpRef user) {
    const OpFormula* reader = user.parent() == op.parent() ? shared_.of(user, facts_) : nullptr;
    if (reader == nullptr || !reader->contracts) return false;
    double products = 1;
    for (const Statement& st : reader->formula.statements)
      pool_.visit(st.body, [&](ExprId e) {
        if (pool_.node(e).kind != NodeKind::Reduce) return;
        products = std::max(products, typical_product(index_, st.labels, facts_) *
                                          typical_product(index_, pool_.reduce_of(e).labels, facts_));
      });
    return products <= kMostRowsThatUnpack * elements;
  });
}

}  // namespace mlgc

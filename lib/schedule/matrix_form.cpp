// See matrix_form.h.
#include "schedule/matrix_form.h"

#include <algorithm>

#include "analysis/matrix_nest.h"
#include "schedule/along_loop.h"

namespace mlgc::schedule {

namespace {

std::vector<ForRef> loops_of_ops(const std::vector<OpRef>& ops) {
  std::vector<ForRef> out;
  for (const OpRef op : ops) out.push_back(ForRef::from(op));
  return out;
}

// The loop and those that take its sum further, each alone in the one before it.
std::vector<OpRef> sum_loops(OpRef loop) {
  std::vector<OpRef> out{loop};
  while (true) {
    const RegionRef body = out.back().region(0);
    const OpRef inner = body.front();
    if (!ForRef::from(inner).valid() || inner.next() != body.terminator()) return out;
    out.push_back(inner);
  }
}

bool collapse_with_inner(Scheduler& scheduler, OpRef loop) {
  return scheduler.take("collapse", loop, NumericsClass::Exact, scheduler.counts().tiled,
                        [&] { return collapse(loop, Divides::Brackets); }) ||
         scheduler.take("collapse", loop, NumericsClass::Exact, scheduler.counts().tiled,
                        [&] { return collapse(loop, Divides::Nothing); });
}

// Of neighbouring loops as many as may become one, from the inside. How many are left.
std::size_t collapse_loops(Scheduler& scheduler, std::vector<OpRef> loops) {
  while (loops.size() > 1 && collapse_with_inner(scheduler, loops[loops.size() - 2])) loops.pop_back();
  return loops.size();
}

// How many of the factors' elements are neighbours along the loop; a number of them that is a multiple of a piece
// counts like one more.
int neighbours_along(OpRef loop, const std::array<MatrixOperand, 2>& factors) {
  const ForRef of = ForRef::from(loop);
  const auto varying = varying_values(of);
  int out = extent(loop).value_or(1) % kMatrixPiece == 0 ? 1 : 0;
  for (const MatrixOperand& factor : factors) out += along(factor.load, of, varying) == Along::Next ? 1 : 0;
  return out;
}

std::size_t innermost_of(const std::vector<OpRef>& terms) {
  const auto factors = multiplied_in(ForRef::from(terms.back()));
  if (!factors) return terms.size() - 1;
  std::size_t best = terms.size() - 1;
  int most = neighbours_along(terms[best], factors->factors);
  for (std::size_t i = terms.size() - 1; i-- > 0;)
    if (const int count = neighbours_along(terms[i], factors->factors); count > most) {
      best = i;
      most = count;
    }
  return best;
}

// The loop along which most is contiguous becomes the innermost one.
void order_terms(Scheduler& scheduler, const std::vector<OpRef>& terms) {
  std::size_t best = innermost_of(terms);
  // Loops change places by what the ops say.
  for (; best + 1 < terms.size(); ++best)
    if (!scheduler.take("interchange", terms[best], NumericsClass::Reassociate, scheduler.counts().tiled,
                        [&] { return interchange(terms[best], scheduler.facts()); }))
      return;
}

}  // namespace

Result<MatrixLoops, std::string> matrix_loops(const std::vector<OpRef>& chain) {
  MatrixLoops out;
  out.terms = sum_loops(loops_in(chain.back().region(0)).front());
  const auto factors = multiplied_in(ForRef::from(out.terms.back()));
  if (!factors) return Failure{factors.error()};
  const bool first = varies_along(factors->factors[0], ForRef::from(chain.back()));
  const MatrixOperand &left = factors->factors[first ? 1 : 0], &right = factors->factors[first ? 0 : 1];
  const auto only = [&](OpRef loop, const MatrixOperand& varies, const MatrixOperand& stays) {
    return varies_along(varies, ForRef::from(loop)) && !varies_along(stays, ForRef::from(loop));
  };
  std::size_t at = chain.size();
  for (; at > 0 && only(chain[at - 1], right, left); --at) out.columns.insert(out.columns.begin(), chain[at - 1]);
  for (; at > 0 && !only(chain[at - 1], left, right); --at) continue;
  for (; at > 0 && only(chain[at - 1], left, right); --at) out.rows.insert(out.rows.begin(), chain[at - 1]);
  if (out.rows.empty() || out.columns.empty())
    return Failure<std::string>{"not one factor is shared by rows and the other one by columns"};
  const auto rows = loops_of_ops(out.rows), columns = loops_of_ops(out.columns), terms = loops_of_ops(out.terms);
  if (const auto may = matrix_factors(rows, columns, terms); !may) return Failure{may.error()};
  return out;
}

OpRef innermost_terms(const std::vector<OpRef>& terms) { return terms[innermost_of(terms)]; }

TransformResult merge_matrix_loops(Scheduler& scheduler, const std::vector<OpRef>& chain, const MatrixLoops& loops) {
  order_terms(scheduler, loops.terms);
  if (collapse_loops(scheduler, loops.terms) > 1) return Failure{scheduler.refused()};
  const std::size_t columns = chain.size() - loops.columns.size();
  (void)collapse_loops(scheduler, {chain.begin() + static_cast<std::ptrdiff_t>(columns), chain.end()});
  if (loops.rows.size() == 1) return {};
  // Rows come to stand in front of the columns, the innermost one first.
  const auto first = std::find(chain.begin(), chain.end(), loops.rows.front()) - chain.begin();
  const auto count = static_cast<std::ptrdiff_t>(loops.rows.size()), end = static_cast<std::ptrdiff_t>(columns);
  for (std::ptrdiff_t row = count; row-- > 0;)
    for (std::ptrdiff_t at = first + row; at + count - row < end; ++at)
      if (!scheduler.interchange_with_inner(chain[static_cast<std::size_t>(at)])) return Failure{scheduler.refused()};
  (void)collapse_loops(scheduler, {chain.begin() + (end - count), chain.begin() + end});
  return {};
}

}  // namespace mlgc::schedule

// Evaluates subscripts and conditions over strips.
#include "interp/strip_index.h"

#include <algorithm>

#include "diag/kinds_interp.h"
#include "interp/strip_machine.h"

namespace mlgc::strips {

bool StripIndex::run(IndexProgram& index, const std::uint8_t* mask) {
  const bool uniform = !at_.varies(index.labels);
  if (uniform) mask = nullptr;  // see StripMachine::run()
  const std::size_t width = uniform ? 1 : at_.lanes;
  if (index.affine && uniform) {
    index.lanes[0] = first_lane(index);
    return true;
  }
  if (!uniform && index.linear[at_.strip_slot]) {
    // The value in the first lane, then steps of the slope.
    const std::int64_t first = first_lane(index), slope = index.slope[at_.strip_slot];
    for (std::size_t i = 0; i < width; ++i) index.lanes[i] = first + slope * static_cast<std::int64_t>(i);
    return false;
  }
  std::fill_n(index.lanes.begin(), width, index.constant);
  std::array<std::int64_t, kStripLength> product;
  for (IndexProgram::Term& term : index.terms) {
    std::fill_n(product.begin(), width, term.coefficient);
    for (IndexProgram::Factor& factor : term.factors) multiply(factor, mask, width, product.data());
    for (std::size_t i = 0; i < width; ++i) index.lanes[i] += product[i];
  }
  return uniform;
}

// product *= the factor's lanes.
void StripIndex::multiply(IndexProgram::Factor& factor, const std::uint8_t* mask, std::size_t width,
                          std::int64_t* product) {
  if (factor.kind == AtomKind::IndexLabel) {
    const std::int64_t first = at_.labels[factor.label], step = factor.label == at_.strip_slot ? 1 : 0;
    for (std::size_t i = 0; i < width; ++i) product[i] *= first + step * static_cast<std::int64_t>(i);
    return;
  }
  if (factor.kind == AtomKind::Opaque) {
    const bool uniform = values_.run(*factor.value, mask);
    for (std::size_t i = 0; i < width; ++i) product[i] *= factor.value->integers[uniform ? 0 : i];
    return;
  }
  const bool ua = run(*factor.a, mask), ub = run(*factor.b, mask);
  for (std::size_t i = 0; i < width; ++i) {
    const std::int64_t a = factor.a->lanes[ua ? 0 : i], b = factor.b->lanes[ub ? 0 : i];
    std::int64_t v = 0;
    if (factor.kind == AtomKind::Min) v = std::min(a, b);
    if (factor.kind == AtomKind::Max) v = std::max(a, b);
    if (factor.kind == AtomKind::FloorDiv || factor.kind == AtomKind::Mod) {
      if (b <= 0) {
        if (!mask || mask[i]) throw diagnose<kDivisionByZero>({}, factor.kind == AtomKind::Mod ? "mod" : "floordiv");
        continue;
      }
      const std::int64_t q = floor_div(a, b);
      v = factor.kind == AtomKind::FloorDiv ? q : a - q * b;
    }
    product[i] *= v;
  }
}

std::int64_t StripIndex::first_lane_of_any(IndexProgram& index) {
  const std::size_t saved = at_.lanes;
  at_.lanes = 1;
  run(index, nullptr);
  at_.lanes = saved;
  return index.lanes[0];
}

std::int64_t StripIndex::given_index(const IndexProgram& subscript, std::size_t lane, std::int64_t at,
                                     std::int64_t size) const {
  const auto adds = [&](const auto& self, const Node& value) -> bool {
    if (value.kind == NodeKind::Select) return value.integers[at_.varies(value.labels) ? lane : 0] == size;
    return value.kind == NodeKind::Call && value.fn == ScalarFn::Add &&
           std::any_of(value.children.begin(), value.children.end(),
                       [&](const auto& child) { return self(self, *child); });
  };
  const bool from_end =
      at < 0 && std::any_of(subscript.terms.begin(), subscript.terms.end(), [&](const IndexProgram::Term& term) {
        return term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].value != nullptr &&
               adds(adds, *term.factors[0].value);
      });
  return from_end ? at - size : at;
}

}  // namespace mlgc::strips

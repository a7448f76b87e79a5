#include "codegen/emitter/index_emitter.h"

#include <algorithm>
#include <bit>

#include "analysis/loop_access.h"
#include "codegen/emitter/narrow_indices.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
// The order of terms follows their text, never ids.
ValueText IndexEmitter::index(OpRef op, IndexExpr e) {
  e = resolved(op, e);
  std::vector<std::pair<bool, SourceText>> terms;
  std::int64_t constant = 0;
  int lanes = 1;
  for (std::size_t i = 0; i < index_.term_count(e); ++i) {
    const Term term = index_.term(e, i);
    if (term.factors.empty()) {
      constant = term.coefficient;
      continue;
    }
    const bool negative = term.coefficient < 0;
    const std::int64_t magnitude = negative ? -term.coefficient : term.coefficient;
    const std::vector<AtomId> ids(term.factors.begin(), term.factors.end());
    std::vector<SourceText> factors;
    for (const AtomId id : ids) {
      const ValueText f = atom(op, id);
      lanes = std::max(lanes, f.lanes);
      factors.push_back(f.text.as_operand());
    }
    std::sort(factors.begin(), factors.end());
    SourceText product = magnitude == 1 ? "" : std::to_string(magnitude);
    for (const SourceText& f : factors) product += (product.empty() ? "" : " * ") + f;
    terms.emplace_back(negative, product);
  }
  if (terms.empty()) return {SourceText::number(constant), 1};
  std::sort(terms.begin(), terms.end());
  SourceText out;
  for (const auto& [negative, product] : terms)
    out += out.empty() ? (negative ? "-" : "") + product : (negative ? " - " : " + ") + product;
  if (constant != 0) out += (constant < 0 ? " - " : " + ") + std::to_string(constant < 0 ? -constant : constant);
  return {out, lanes};
}

ValueText IndexEmitter::atom(OpRef op, AtomId id) {
  const Atom atom = index_.atom(id);
  if (atom.kind == AtomKind::Symbol) return {writer_.symbol_names.at(id), 1};
  if (atom.kind == AtomKind::Opaque) {
    const Value v = op.operand(atom.number);
    if (!lanes_.strip || v != lanes_.strip->index) {
      // Subscripts are of 64 bits whatever the numbers are that they are made of.
      const ValueText number = text_of(v);
      if (dtype_of(v) == Dtype::I64) return number;
      return {hooks_.convert(dtype_of(v), Dtype::I64, number.lanes, number.text), number.lanes};
    }
    if (lanes_.first_lane) return {lanes_.strip->base, 1};
    return {lanes_.strip->base_lanes, lanes_.strip->lanes};
  }
  if (const auto in_run = of_run(op, atom)) return {*in_run, 1};
  const ValueText sides[] = {index(op, atom.a), index(op, atom.b)};
  const int lanes = std::max(sides[0].lanes, sides[1].lanes);
  const bool narrow[] = {is_narrow(writer_, op, atom.a), is_narrow(writer_, op, atom.b)};
  const bool is_extremum = atom.kind == AtomKind::Min || atom.kind == AtomKind::Max;
  if (narrow[0])
    if (const auto quotient = narrow_division(op, atom, sides[0].text)) return {*quotient, 1};
  // Both sides have one type: literals are ints in C.
  const bool in_32_bits = is_extremum && std::all_of(std::begin(sides), std::end(sides), [&](const ValueText& side) {
                            return narrow[&side - sides] || side.text.as_number();
                          });
  SourceText text[2];
  for (int i = 0; i < 2; ++i) {
    const auto literal = sides[i].text.as_number();
    text[i] = literal ? hooks_.integer_literal(in_32_bits ? Dtype::I32 : Dtype::I64, *literal) : sides[i].text;
    if (narrow[i] && !in_32_bits) text[i] = hooks_.convert(Dtype::I32, Dtype::I64, 1, text[i]);
    if (sides[i].lanes < lanes) text[i] = hooks_.splat(Dtype::I64, lanes, text[i]);
  }
  if (lanes == 1)
    if (const auto plain = plain_division(op, atom, text[0])) return {*plain, 1};
  if (atom.kind == AtomKind::FloorDiv) return {hooks_.floor_div(lanes, text[0], text[1]), lanes};
  if (atom.kind == AtomKind::Mod) return {hooks_.floor_mod(lanes, text[0], text[1]), lanes};
  if (text[1] < text[0]) std::swap(text[0], text[1]);  // which side is which may follow ids
  return {
      atom.kind == AtomKind::Min ? hooks_.minimum(lanes, text[0], text[1]) : hooks_.maximum(lanes, text[0], text[1]),
      lanes};
}

std::optional<SourceText> IndexEmitter::of_run(OpRef op, const Atom& atom) {
  if (writer_.runs.empty() || (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod)) return std::nullopt;
  const IndexExpr dividend = over_values(op, atom.a);
  const auto divisor = index_.as_constant(atom.b);
  for (const QuotientRun& run : writer_.runs) {
    const IndexExpr own = index_.opaque(run.index.value);
    if (divisor != run.divisor || index_.as_constant(index_.sub(dividend, own)) != run.added) continue;
    return atom.kind == AtomKind::FloorDiv ? run.quotient : run.remainder;
  }
  return std::nullopt;
}

// A division without a branch on signs, so that compilers take it out of loops: by a power of two as a shift, by
// another constant as C divides, where the dividend is shown not to be negative.
std::optional<SourceText> IndexEmitter::plain_division(OpRef op, const Atom& atom, const SourceText& dividend) {
  const bool quotient = atom.kind == AtomKind::FloorDiv;
  const auto divisor = quotient || atom.kind == AtomKind::Mod ? index_.as_constant(atom.b) : std::nullopt;
  if (!divisor || *divisor < 1) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(*divisor);
  if (std::has_single_bit(bits))
    return quotient ? dividend.as_operand() + " >> " + std::to_string(std::countr_zero(bits))
                    : dividend.as_operand() + " & " + std::to_string(*divisor - 1);
  if (!is_not_negative(op, atom.a)) return std::nullopt;
  return dividend.as_operand() + (quotient ? " / " : " % ") + std::to_string(*divisor);
}

// Of an index of 32 bits: without a sign, as no compiler knows that there is none.
std::optional<SourceText> IndexEmitter::narrow_division(OpRef op, const Atom& atom, const SourceText& dividend) {
  const bool quotient = atom.kind == AtomKind::FloorDiv;
  const auto divisor = quotient || atom.kind == AtomKind::Mod ? index_.as_constant(atom.b) : std::nullopt;
  if (!divisor || *divisor < 1 || !is_not_negative(op, atom.a)) return std::nullopt;
  const SourceText by = writer_.grid->narrow_literal(*divisor);
  return writer_.grid->narrow_signed(dividend.as_operand() + (quotient ? " / " : " % ") + by);
}

bool IndexEmitter::is_not_negative(OpRef op, IndexExpr e) {
  LoopAccess shown(context_, writer_.facts.of(op));
  shown.enter_around(op);
  return shown.is_known(shown.over_loops(op, e));
}

IndexEmitter::Along IndexEmitter::along(OpRef op, IndexExpr e) {
  Along out{true, index_.constant(0)};
  for (std::size_t i = 0; i < index_.term_count(e); ++i) {
    const Term term = index_.term(e, i);
    const std::int64_t coefficient = term.coefficient;
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    std::size_t indices = 0;
    IndexExpr rest = index_.constant(coefficient);
    for (const AtomId id : factors) {
      const Atom atom = index_.atom(id);
      if (atom.kind == AtomKind::Opaque && op.operand(atom.number) == lanes_.strip->index) {
        ++indices;
        continue;
      }
      if (varies(op, index_.from_atom(id))) out.linear = false;
      rest = index_.mul(rest, index_.from_atom(id));
    }
    if (indices > 1) out.linear = false;
    if (indices == 1) out.step = index_.add(out.step, rest);
  }
  return out;
}

// Row-major, of lane 0 where the op is in a strip.
SourceText IndexEmitter::offset(OpRef op, Value buffer) {
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  SourceText out;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const SourceText at = index(op, subscripts[d]).text, size = index(op, dims[d]).text;
    const SourceText rows = out.empty() || out.is_number(0) ? "" : out.as_operand() + " * " + size.as_operand();
    out = rows.empty() ? at : at.is_number(0) ? rows : rows + " + " + at;
  }
  return out.empty() ? SourceText::number(0) : out;
}

ValueText IndexEmitter::offset_vector(OpRef op, Value buffer) {
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  ValueText out{SourceText::number(0), 1};
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const ValueText at = index(op, subscripts[d]);
    const SourceText size = index(op, dims[d]).text;
    const int lanes = std::max(out.lanes, at.lanes);
    out = {out.text.is_number(0) ? at.text
                                 : out.text.as_operand() + " * " + size.as_operand() + " + " + at.text.as_operand(),
           lanes};
  }
  return out;
}

bool IndexEmitter::varies(OpRef op, IndexExpr e) const {
  bool found = false;
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom atom = index_.atom(id);
    found = found || (atom.kind == AtomKind::Opaque && text_of(op.operand(atom.number)).lanes > 1);
  });
  return found;
}

bool IndexEmitter::is_varying(OpRef op) const {
  const auto subscripts = subscripts_of(op);
  return std::any_of(subscripts.begin(), subscripts.end(), [&](IndexExpr e) { return varies(op, e); });
}

// Where the expression goes up or down by a constant from lane to lane: the mask of the lanes in which it is not
// negative, which are the first ones or the last ones.
std::optional<ValueText> IndexEmitter::run_of_lanes(OpRef op, IndexExpr e) {
  if (!lanes_.strip) return std::nullopt;
  const IndexExpr at = resolved(op, e);
  const Along found = along(op, at);
  const auto step = index_.as_constant(found.step);
  if (!found.linear || !step || *step == 0) return std::nullopt;
  const IndexExpr size = index_.constant(*step > 0 ? *step : -*step);
  lanes_.first_lane = true;
  const SourceText first = index(op, *step > 0 ? index_.ceildiv(index_.scale(at, -1), size)
                                               : index_.add(index_.floordiv(at, size), index_.constant(1)))
                               .text;
  lanes_.first_lane = false;
  const int lanes = lanes_.strip->lanes;
  const auto number = [&](std::int64_t value) { return hooks_.integer_literal(Dtype::I64, value); };
  const SourceText count = hooks_.minimum(1, hooks_.maximum(1, first.as_operand(), number(0)), number(lanes));
  const SourceText mask = hooks_.first_lanes(lanes, count);
  return ValueText{*step > 0 ? hooks_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, lanes, mask, "") : mask.bracketed(),
                   lanes};
}

ValueText IndexEmitter::all_not_negative(OpRef op) {
  ValueText out{"", 1};
  for (const IndexExpr e : subscripts_of(op)) {
    if (const auto run = run_of_lanes(op, e)) {
      out = out.text.empty() ? *run
                             : ValueText{hooks_.call(ScalarFn::And, Dtype::I1, Dtype::I1, run->lanes,
                                                     widened(out, Dtype::I1, run->lanes), run->text),
                                         run->lanes};
      continue;
    }
    const ValueText value = index(op, e);
    SourceText test = (value.text + " >= 0").bracketed();
    if (value.lanes > 1)
      test = hooks_.call(ScalarFn::Le, Dtype::I64, Dtype::I1, value.lanes, hooks_.splat(Dtype::I64, value.lanes, "0"),
                         value.text.as_operand());
    if (out.text.empty()) {
      out = {test, value.lanes};
      continue;
    }
    const int lanes = std::max(out.lanes, value.lanes);
    out = {hooks_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, widened(out, Dtype::I1, lanes),
                       widened({test, value.lanes}, Dtype::I1, lanes)),
           lanes};
  }
  return out.text.empty() ? ValueText{hooks_.integer_literal(Dtype::I1, 1), 1} : out;
}

}  // namespace mlgc::codegen

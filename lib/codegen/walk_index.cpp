// Index expressions and addresses, of scalars and along the lanes of a strip.
#include <algorithm>
#include <bit>

#include "analysis/loop_access.h"
#include "codegen/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "ops/index_from_end.h"

namespace mlgc::codegen {
// Indices of unrolled loops become numbers.
IndexExpr Walk::resolved(OpRef op, IndexExpr e) {
  if (constants_.empty()) return e;
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (atom.kind != AtomKind::Opaque) return std::nullopt;
    const auto found = constants_.find(op.operand(atom.number).id());
    if (found == constants_.end()) return std::nullopt;
    return index_.constant(found->second);
  });
}

// The order of terms follows their text, never ids.
Spelled Walk::index(OpRef op, IndexExpr e) {
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
      const Spelled f = atom(op, id);
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

Spelled Walk::atom(OpRef op, AtomId id) {
  const Atom atom = index_.atom(id);
  if (atom.kind == AtomKind::Symbol) return {symbol_names_.at(id), 1};
  if (atom.kind == AtomKind::Opaque) {
    const Value v = op.operand(atom.number);
    if (!strip_ || v != strip_->index) {
      // Subscripts are of 64 bits whatever the numbers are that they are made of.
      const Spelled number = spelled(v);
      if (dtype_of(v) == Dtype::I64) return number;
      return {leaves_.convert(dtype_of(v), Dtype::I64, number.lanes, number.text), number.lanes};
    }
    if (first_lane_) return {strip_->base, 1};
    return {strip_->base_lanes, strip_->lanes};
  }
  const Spelled sides[] = {index(op, atom.a), index(op, atom.b)};
  const int lanes = std::max(sides[0].lanes, sides[1].lanes);
  SourceText text[2];
  for (int i = 0; i < 2; ++i) {
    // Both sides have one type: literals are ints in C.
    const auto literal = sides[i].text.as_number();
    text[i] = literal ? leaves_.integer_literal(Dtype::I64, *literal) : sides[i].text;
    if (sides[i].lanes < lanes) text[i] = leaves_.splat(Dtype::I64, lanes, text[i]);
  }
  if (lanes == 1)
    if (const auto plain = plain_division(op, atom, text[0])) return {*plain, 1};
  if (atom.kind == AtomKind::FloorDiv) return {leaves_.floor_div(lanes, text[0], text[1]), lanes};
  if (atom.kind == AtomKind::Mod) return {leaves_.floor_mod(lanes, text[0], text[1]), lanes};
  if (text[1] < text[0]) std::swap(text[0], text[1]);  // which side is which may follow ids
  return {
      atom.kind == AtomKind::Min ? leaves_.minimum(lanes, text[0], text[1]) : leaves_.maximum(lanes, text[0], text[1]),
      lanes};
}

// A division without a branch on signs, so that compilers take it out of loops: by a power of two as a shift, by
// another constant as C divides, where the dividend is shown not to be negative.
std::optional<SourceText> Walk::plain_division(OpRef op, const Atom& atom, const SourceText& dividend) {
  const bool quotient = atom.kind == AtomKind::FloorDiv;
  const auto divisor = quotient || atom.kind == AtomKind::Mod ? index_.as_constant(atom.b) : std::nullopt;
  if (!divisor || *divisor < 1) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(*divisor);
  if (std::has_single_bit(bits))
    return quotient ? dividend.as_operand() + " >> " + std::to_string(std::countr_zero(bits))
                    : dividend.as_operand() + " & " + std::to_string(*divisor - 1);
  LoopAccess shown(context_, facts_.of(op));
  shown.enter_around(op);
  if (!shown.is_known(shown.over_loops(op, atom.a))) return std::nullopt;
  return dividend.as_operand() + (quotient ? " / " : " % ") + std::to_string(*divisor);
}

Walk::Along Walk::along(OpRef op, IndexExpr e) {
  Along out{true, index_.constant(0)};
  const auto varies = [&](AtomId id) {
    bool found = false;
    index_.for_each_atom(index_.from_atom(id), [&](AtomId inner) {
      const Atom atom = index_.atom(inner);
      found = found || (atom.kind == AtomKind::Opaque && spelled(op.operand(atom.number)).lanes > 1);
    });
    return found;
  };
  for (std::size_t i = 0; i < index_.term_count(e); ++i) {
    const Term term = index_.term(e, i);
    const std::int64_t coefficient = term.coefficient;
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    std::size_t indices = 0;
    IndexExpr rest = index_.constant(coefficient);
    for (const AtomId id : factors) {
      const Atom atom = index_.atom(id);
      if (atom.kind == AtomKind::Opaque && op.operand(atom.number) == strip_->index) {
        ++indices;
        continue;
      }
      if (varies(id)) out.linear = false;
      rest = index_.mul(rest, index_.from_atom(id));
    }
    if (indices > 1) out.linear = false;
    if (indices == 1) out.step = index_.add(out.step, rest);
  }
  return out;
}

// Row-major, of lane 0 where the op is in a strip.
SourceText Walk::offset(OpRef op, Value buffer) {
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

Spelled Walk::offset_vector(OpRef op, Value buffer) {
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  Spelled out{SourceText::number(0), 1};
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const Spelled at = index(op, subscripts[d]);
    const SourceText size = index(op, dims[d]).text;
    const int lanes = std::max(out.lanes, at.lanes);
    out = {out.text.is_number(0) ? at.text
                                 : out.text.as_operand() + " * " + size.as_operand() + " + " + at.text.as_operand(),
           lanes};
  }
  return out;
}

bool Walk::is_varying(OpRef op) {
  bool found = false;
  for (const IndexExpr e : subscripts_of(op))
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = index_.atom(id);
      found = found || (atom.kind == AtomKind::Opaque && spelled(op.operand(atom.number)).lanes > 1);
    });
  return found;
}

SourceText Walk::mask_or_all() {
  if (!mask_.empty()) return mask_;
  return leaves_.first_lanes(strip_->lanes, std::to_string(strip_->lanes));
}

void Walk::check_subscripts(OpRef op, Value buffer) {
  if (!AccessRef::from(op).checked()) return;
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  const std::string verb = op.is(LoopOp::Store) ? "writing `" : "reading `";
  // What loops and guards say already needs no test.
  LoopAccess shown(context_, facts_.of(op));
  shown.enter_around(op);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const IndexExpr place = shown.over_loops(op, subscripts[d]);
    if (shown.is_known(place) && shown.is_known(index_.sub(index_.sub(dims[d], index_.constant(1)), place))) continue;
    Spelled at = index(op, subscripts[d]);
    if (at.lanes > 1 && is_known_inside(op, subscripts[d], dims[d])) continue;
    if (!at.text.is_word()) at = temporary(Dtype::I64, at);
    const SourceText size = index(op, dims[d]).text;
    Spelled outside{at.text + " < 0 || " + at.text + " >= " + size.as_operand(), 1};
    SourceText first = at.text;
    if (at.lanes > 1) {
      const auto test = [&](ScalarFn fn, const SourceText& a, const SourceText& b) {
        return leaves_.call(fn, Dtype::I64, Dtype::I1, at.lanes, a, b);
      };
      const auto everywhere = [&](const SourceText& text) { return leaves_.splat(Dtype::I64, at.lanes, text); };
      outside = {
          leaves_.call(ScalarFn::Or, Dtype::I1, Dtype::I1, at.lanes, test(ScalarFn::Lt, at.text, everywhere("0")),
                       test(ScalarFn::Le, everywhere(size), at.text)),
          at.lanes};
      // The first lanes of the last strip are active: where there is no place 0, these fail whatever the others have.
      const bool is_rest = !mask_.empty() && mask_ == strip_->mask;
      const SourceText tested = is_rest ? leaves_.choose(at.lanes, mask_, at.text, everywhere("0")) : at.text;
      const SourceText any = mask_.empty() || is_rest ? leaves_.any_outside(tested, size) : "";
      if (!any.empty()) outside = {any, 1};
      first = leaves_.outside(at.text, size, mask_or_all());
    }
    if (counts_from_end(op, buffer, d)) first = "mlgc_given(" + first + ", " + size + ")";
    fail_if(outside,
            verb + std::string(buffer.name()) + "` at index {0} of axis " + std::to_string(d) + ", which has size {1}",
            {first, size});
  }
}

SourceText Walk::element(OpRef op, Value buffer) { return spelled(buffer).text + "[" + offset(op, buffer) + "]"; }

// Whether all lanes of the strip that fills no vector have an element in the buffer, though some hold nothing, or
// nothing that is looked at.
bool Walk::has_room(OpRef op, Value buffer) {
  const auto subscripts = subscripts_of(op);
  const auto dims = types_.dims(buffer.type());
  const ForRef loop = ForRef::from(strip_->index.scope().parent_op());
  if (subscripts.empty() || !loop.valid()) return false;
  const auto first = index_.as_constant(resolved(loop.op(), loop.first())),
             end = index_.as_constant(resolved(loop.op(), loop.last())), size = index_.as_constant(dims.back());
  if (!size) return false;
  // How far after the beginning of the loop the strip begins: after the whole ones, of which one that runs over as
  // many lanes at most has none.
  std::int64_t begin = 0;
  if (first && end)
    begin = (*end - *first) / strip_->lanes * strip_->lanes;
  else if (usual_extent(loop).value_or(strip_->lanes + 1) > strip_->lanes)
    return false;
  LoopAccess shown(context_, facts_.of(op));
  shown.enter_around(op);
  const AtomId letter = shown.letter_of(loop);
  const IndexExpr at = index_.substitute(shown.over_loops(op, resolved(op, subscripts.back())),
                                         [&](AtomId id) -> std::optional<IndexExpr> {
                                           if (id != letter) return std::nullopt;
                                           return index_.constant(begin);
                                         });
  const auto place = index_.as_constant(at);
  return place && *place >= 0 && *place + strip_->lanes <= *size;
}

// Nothing where the place is the same for all lanes.
std::optional<LaneAccess> Walk::lane_access(OpRef op, Value buffer) {
  if (!strip_ || !is_varying(op)) return std::nullopt;
  LaneAccess out;
  const SourceText& name = spelled(buffer).text;
  IndexExpr step = index_.constant(0);
  bool linear = true;
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const Along found = along(op, resolved(op, subscripts[d]));
    linear = linear && found.linear;
    step = index_.add(index_.mul(step, resolved(op, dims[d])), found.step);
  }
  if (!linear) {
    const bool loads = op.is(LoopOp::Load);
    if (auto table = loads ? table_access(op, buffer) : std::nullopt) return table;
    out.kind = LaneAccess::Kind::Lanes;
    out.pointer = name;
    if (const auto [uniform, varying] = parts_of_place(op, buffer); loads && varying != index_.overflow()) {
      if (const SourceText before = index(op, uniform).text; !before.is_number(0)) out.pointer += " + " + before;
      if (out.at = places_in_memory(op, varying); !out.at.empty() && mask_.empty()) {
        out.kind = LaneAccess::Kind::Table;
        return out;
      }
      out.at = index(op, varying).text;
    } else {
      out.at = offset_vector(op, buffer).text;
    }
    if (loads && mask_ == strip_->mask && !strip_->count.empty()) {
      out.kind = LaneAccess::Kind::LanesPart;
      out.count = strip_->count;
    } else if (!loads || !mask_.empty()) {
      out.mask = mask_or_all();
    }
    return out;
  }
  first_lane_ = true;
  const SourceText first = offset(op, buffer), distance = index(op, step).text;
  first_lane_ = false;
  out.pointer = first.is_number(0) ? name : name + " + " + first;
  const bool next = index_.as_constant(step) == 1, reversed = index_.as_constant(step) == -1 && op.is(LoopOp::Load);
  const bool is_rest = mask_ == strip_->mask && !strip_->count.empty();
  if (reversed && (mask_.empty() || is_rest)) {
    out.kind = mask_.empty() ? LaneAccess::Kind::Reversed : LaneAccess::Kind::ReversedPart;
    out.count = strip_->count;
  } else if (mask_.empty()) {
    out.kind = next ? LaneAccess::Kind::Whole : LaneAccess::Kind::Every;
    out.count = distance;
  } else if (next && mask_ == strip_->mask && op.is(LoopOp::Load) && has_room(op, buffer)) {
    out.kind = LaneAccess::Kind::Whole;
  } else if (next && is_rest) {
    out.kind = LaneAccess::Kind::Part;
    out.count = strip_->count;
  } else if (next) {
    out.kind = LaneAccess::Kind::Masked;
    out.mask = mask_;
  } else if (is_rest && index_.as_constant(step) != 2) {
    out.kind = LaneAccess::Kind::EveryPart;
    out.count = strip_->count;
    out.at = distance;
  } else {
    out.kind = LaneAccess::Kind::EveryMasked;
    out.count = distance;
    out.at = leaves_.count_up(strip_->lanes, SourceText::number(0)) + " * " + distance.as_operand();
    out.mask = mask_;
  }
  return out;
}

// Where the expression goes up or down by a constant from lane to lane: the mask of the lanes in which it is not
// negative, which are the first ones or the last ones.
std::optional<Spelled> Walk::run_of_lanes(OpRef op, IndexExpr e) {
  if (!strip_) return std::nullopt;
  const IndexExpr at = resolved(op, e);
  const Along found = along(op, at);
  const auto step = index_.as_constant(found.step);
  if (!found.linear || !step || *step == 0) return std::nullopt;
  const IndexExpr size = index_.constant(*step > 0 ? *step : -*step);
  first_lane_ = true;
  const SourceText first = index(op, *step > 0 ? index_.ceildiv(index_.scale(at, -1), size)
                                               : index_.add(index_.floordiv(at, size), index_.constant(1)))
                               .text;
  first_lane_ = false;
  const int lanes = strip_->lanes;
  const auto number = [&](std::int64_t value) { return leaves_.integer_literal(Dtype::I64, value); };
  const SourceText count = leaves_.minimum(1, leaves_.maximum(1, first.as_operand(), number(0)), number(lanes));
  const SourceText mask = leaves_.first_lanes(lanes, count);
  return Spelled{*step > 0 ? leaves_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, lanes, mask, "") : mask.bracketed(),
                 lanes};
}

Spelled Walk::all_not_negative(OpRef op) {
  Spelled out{"", 1};
  for (const IndexExpr e : subscripts_of(op)) {
    if (const auto run = run_of_lanes(op, e)) {
      out = out.text.empty() ? *run
                             : Spelled{leaves_.call(ScalarFn::And, Dtype::I1, Dtype::I1, run->lanes,
                                                    widened(out, Dtype::I1, run->lanes), run->text),
                                       run->lanes};
      continue;
    }
    const Spelled value = index(op, e);
    SourceText test = (value.text + " >= 0").bracketed();
    if (value.lanes > 1)
      test = leaves_.call(ScalarFn::Le, Dtype::I64, Dtype::I1, value.lanes, leaves_.splat(Dtype::I64, value.lanes, "0"),
                          value.text.as_operand());
    if (out.text.empty()) {
      out = {test, value.lanes};
      continue;
    }
    const int lanes = std::max(out.lanes, value.lanes);
    out = {leaves_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, widened(out, Dtype::I1, lanes),
                        widened({test, value.lanes}, Dtype::I1, lanes)),
           lanes};
  }
  return out.text.empty() ? Spelled{leaves_.integer_literal(Dtype::I1, 1), 1} : out;
}

// Which names are meant is known while code is written, so names of single elements change places for nothing. Vectors
// are transposed by a statement, as late as it can stand: in front of the first access, or of what holds that and may
// run more or less than once.
void Walk::transpose_in_place(TransposeInPlaceRef op) {
  const Value buffer = op.buffer();
  Named& named = named_.at(buffer.id());
  if (!named.vector_axis) {
    named.swapped = !named.swapped;
  } else if (leaves_.transpose(named.lanes, named.elements).empty()) {
    refuse(op.op(), "a transposition of " + std::to_string(named.lanes) + " lanes in place");
  } else if (std::erase(transpositions_, buffer) == 0) {
    transpositions_.push_back(buffer);
  }
}

void Walk::write_transposition(Value buffer) {
  const Named& named = named_.at(buffer.id());
  if (std::erase(transpositions_, buffer) > 0) line(leaves_.transpose(named.lanes, named.elements));
}
void Walk::write_transpositions_for(OpRef op) {
  const std::vector<Value> waiting = transpositions_;
  for (const Value buffer : waiting) {
    const auto uses = buffer.uses();
    if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return use.owner().is_inside(op); }))
      write_transposition(buffer);
  }
}

// What the op holds is written in the order in which it runs, without a jump.
bool Walk::is_straight(OpRef op) {
  const ForRef loop = ForRef::from(op);
  return loop.valid() &&
         (loop.kind() == LoopKind::Unrolled || (loop.kind() == LoopKind::Vector && usual_extent(loop) == loop.lanes()));
}

// The name of an element of a buffer of names; nothing for memory.
std::optional<SourceText> Walk::named_place(OpRef op, Value buffer) {
  const auto found = named_.find(buffer.id());
  if (found == named_.end()) return std::nullopt;
  std::size_t element = 0;
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const Value lane = strip_ ? strip_->index : kernel_ ? kernel_->lane.value_or(Value()) : Value();
  const auto along_strip = [&](std::size_t d) {
    const auto id = index_.as_atom(resolved(op, subscripts[d]));
    return id && lane.valid() && index_.atom(*id).kind == AtomKind::Opaque &&
           op.operand(index_.atom(*id).number) == lane;
  };
  write_transposition(buffer);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    if (found->second.vector_axis == d) {
      if (!along_strip(d)) refuse(op, "a register buffer that is read across the lanes of a vector loop");
      continue;
    }
    const IndexExpr at = resolved(op, subscripts[found->second.swapped ? 1 - d : d]);
    const auto number = index_.as_constant(at);
    if (!number) refuse(op, "a register buffer whose subscripts are no constants after unrolling");
    const std::int64_t size = found->second.sizes[d];
    MLGC_ASSERT(0 <= *number && *number < size, "a subscript outside of a register buffer");
    element = element * static_cast<std::size_t>(size) + static_cast<std::size_t>(*number);
  }
  return found->second.elements[element];
}

void Walk::load(OpRef op) {
  const Value buffer = LoadRef::from(op).buffer();
  const Dtype dtype = buffer.dtype();
  if (const auto name = named_place(op, buffer)) return declare(op.result(), {*name, named_.at(buffer.id()).lanes});
  check_subscripts(op, buffer);
  const bool bits = is_kept_as_bits(op.result());
  halves_.insert_or_assign(op.result().id(), Halves{dtype == Dtype::F16, dtype == Dtype::BF16});
  if (auto access = lane_access(op, buffer)) {
    access->bits = bits;
    if (access->kind == LaneAccess::Kind::Whole && dtype == Dtype::I64)
      in_memory_.insert_or_assign(op.result().id(), access->pointer);
    else
      in_memory_.erase(op.result().id());
    return declare(op.result(), {leaves_.load_lanes(dtype, strip_->lanes, *access), strip_->lanes, bits});
  }
  if (tables_ != nullptr && !kernel_)
    if (const SourceText statement = leaves_.before_deciding(); !statement.empty()) line(statement);
  if (is_uniform()) before_touching(touched(op));
  const SourceText place = element(op, buffer);
  if (is_factor_in_place(op)) {
    names_[op.result().id()] = {.text = place, .element = true};
    return;
  }
  declare(op.result(), {bits ? place : leaves_.load(dtype, place), 1, bits});
}

void Walk::store(OpRef op) {
  const auto store = StoreRef::from(op);
  const Value buffer = store.buffer();
  const Dtype dtype = buffer.dtype();
  const Spelled value = spelled(store.value());
  if (const auto name = named_place(op, buffer)) {
    const int lanes = named_.at(buffer.id()).lanes;
    const SourceText wide = widened(value, dtype, lanes);
    line(*name + " = " + (lanes > 1 && !mask_.empty() ? leaves_.choose(lanes, mask_, wide, *name) : wide) + ";");
    return;
  }
  check_subscripts(op, buffer);
  auto access = lane_access(op, buffer);
  if (!access && value.lanes > 1) {
    // All lanes write one place: the last that is active stays.
    access = LaneAccess{LaneAccess::Kind::Lanes,
                        spelled(buffer).text,
                        "",
                        leaves_.splat(Dtype::I64, strip_->lanes, offset(op, buffer)),
                        mask_or_all(),
                        false,
                        ""};
  }
  if (!access) {
    const SourceText place = element(op, buffer);
    const SourceText statement =
        value.bits ? place + " = " + value.text + ";" : leaves_.store(dtype, place, value.text);
    if (!is_uniform()) return line(statement);
    before_touching(touched(op));
    return line("if (" + std::string(grid_->thread()) + " == 0) " + statement);
  }
  access->bits = value.bits;
  access->stream = store.streams();
  if (const auto where = store.stream_where(); access->stream && where)
    access->stream_where = index(op, *where).text.without_brackets() + " >= 0";
  streams_ = streams_ || (access->stream && access->kind == LaneAccess::Kind::Whole);
  line(leaves_.store_lanes(dtype, strip_->lanes, *access, widened(value, dtype, strip_->lanes)));
}

}  // namespace mlgc::codegen

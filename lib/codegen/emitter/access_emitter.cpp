#include "codegen/emitter/access_emitter.h"

#include <algorithm>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "ops/index_from_end.h"

namespace mlgc::codegen {
void AccessEmitter::check_subscripts(OpRef op) {
  if (!AccessRef::from(op).checked() || tests_.is_tested(op)) return;
  test_subscripts(op, [&](const ValueText& outside, const std::string& message, const std::vector<SourceText>& values) {
    scalars_.fail_if(outside, message, values);
  });
}

void AccessEmitter::test_subscripts(OpRef op, const Fail& fail) {
  const Value buffer = op.is(LoopOp::Store) ? StoreRef::from(op).buffer() : LoadRef::from(op).buffer();
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  const std::string verb = op.is(LoopOp::Store) ? "writing `" : "reading `";
  // What loops and guards say already needs no test.
  for (const std::size_t d : tests_.axes_to_test(op, buffer)) {
    ValueText at = indices_.index(op, subscripts[d]);
    if (at.lanes > 1 && tables_.is_known_inside(op, subscripts[d], dims[d])) continue;
    if (!at.text.is_word()) at = temporary(Dtype::I64, at);
    const SourceText size = indices_.index(op, dims[d]).text;
    ValueText outside{at.text + " < 0 || " + at.text + " >= " + size.as_operand(), 1};
    SourceText first = at.text;
    if (at.lanes > 1) {
      const auto test = [&](ScalarFn fn, const SourceText& a, const SourceText& b) {
        return hooks_.call(fn, Dtype::I64, Dtype::I1, at.lanes, a, b);
      };
      const auto everywhere = [&](const SourceText& text) { return hooks_.splat(Dtype::I64, at.lanes, text); };
      outside = {hooks_.call(ScalarFn::Or, Dtype::I1, Dtype::I1, at.lanes, test(ScalarFn::Lt, at.text, everywhere("0")),
                             test(ScalarFn::Le, everywhere(size), at.text)),
                 at.lanes};
      // The first lanes of the last strip are active: where there is no place 0, these fail whatever the others have.
      const bool is_rest = !lanes_.mask.empty() && lanes_.mask == lanes_.strip->mask;
      const SourceText tested = is_rest ? hooks_.choose(at.lanes, lanes_.mask, at.text, everywhere("0")) : at.text;
      const SourceText any = lanes_.mask.empty() || is_rest ? hooks_.any_outside(tested, size) : "";
      if (!any.empty()) outside = {any, 1};
      first = hooks_.outside(at.text, size, lanes_.mask_or_all());
    }
    if (counts_from_end(op, buffer, d)) first = "mlgc_given(" + first + ", " + size + ")";
    fail(outside,
         verb + std::string(buffer.name()) + "` at index {0} of axis " + std::to_string(d) + ", which has size {1}",
         {first, size});
  }
}

SourceText AccessEmitter::element(OpRef op, Value buffer) {
  if (const auto in_register = own_.element(op)) return *in_register;
  if (const auto of_piece = pieces_.element(op)) return *of_piece;
  SourceText at = indices_.offset(op, buffer);
  if (!only_where.empty() && !at.is_number(0)) at = writer_.grid->place_if(only_where, at);
  return text_of(buffer).text + "[" + at + "]";
}

// Whether all lanes of the strip that fills no vector have an element in the buffer, though some hold nothing, or
// nothing that is looked at.
bool AccessEmitter::has_room(OpRef op, Value buffer) {
  const auto subscripts = subscripts_of(op);
  const auto dims = types_.dims(buffer.type());
  const ForRef loop = ForRef::from(lanes_.strip->index.scope().parent_op());
  if (subscripts.empty() || !loop.valid()) return false;
  const auto first = index_.as_constant(resolved(loop.op(), loop.first())),
             end = index_.as_constant(resolved(loop.op(), loop.last())), size = index_.as_constant(dims.back());
  if (!size) return false;
  // How far after the beginning of the loop the strip begins: after the whole ones, of which one that runs over as
  // many lanes at most has none.
  std::int64_t begin = 0;
  if (first && end)
    begin = (*end - *first) / lanes_.strip->lanes * lanes_.strip->lanes;
  else if (usual_extent(loop).value_or(lanes_.strip->lanes + 1) > lanes_.strip->lanes)
    return false;
  LoopAccess shown(context_, writer_.facts.of(op));
  shown.enter_around(op);
  const AtomId label = shown.label_of(loop);
  const IndexExpr at = index_.substitute(shown.over_loops(op, resolved(op, subscripts.back())),
                                         [&](AtomId id) -> std::optional<IndexExpr> {
                                           if (id != label) return std::nullopt;
                                           return index_.constant(begin);
                                         });
  const auto place = index_.as_constant(at);
  return place && *place >= 0 && *place + lanes_.strip->lanes <= *size;
}

// Nothing where the place is the same for all lanes.
std::optional<LaneAccess> AccessEmitter::lane_access(OpRef op, Value buffer) {
  if (!lanes_.strip || !indices_.is_varying(op)) return std::nullopt;
  LaneAccess out;
  const SourceText& name = text_of(buffer).text;
  IndexExpr step = index_.constant(0);
  bool linear = true;
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const std::span<const IndexExpr> dims = types_.dims(buffer.type());
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const IndexEmitter::Along found = indices_.along(op, resolved(op, subscripts[d]));
    linear = linear && found.linear;
    step = index_.add(index_.mul(step, resolved(op, dims[d])), found.step);
  }
  if (!linear) {
    const bool loads = op.is(LoopOp::Load);
    if (auto table = loads ? tables_.table_access(op, buffer) : std::nullopt) return table;
    out.kind = LaneAccess::Kind::Lanes;
    out.pointer = name;
    if (const auto [uniform, varying] = tables_.parts_of_place(op, buffer); loads && varying != index_.overflow()) {
      if (const SourceText before = indices_.index(op, uniform).text; !before.is_number(0))
        out.pointer += " + " + before;
      if (out.at = tables_.places_in_memory(op, varying); !out.at.empty() && lanes_.mask.empty()) {
        out.kind = LaneAccess::Kind::Table;
        return out;
      }
      out.at = indices_.index(op, varying).text;
    } else {
      out.at = indices_.offset_vector(op, buffer).text;
    }
    if (loads && lanes_.mask == lanes_.strip->mask && !lanes_.strip->count.empty()) {
      out.kind = LaneAccess::Kind::LanesPart;
      out.count = lanes_.strip->count;
    } else if (!loads || !lanes_.mask.empty()) {
      out.mask = lanes_.mask_or_all();
    }
    return out;
  }
  lanes_.first_lane = true;
  const SourceText first = indices_.offset(op, buffer), distance = indices_.index(op, step).text;
  lanes_.first_lane = false;
  out.pointer = first.is_number(0) ? name : name + " + " + first;
  const bool next = index_.as_constant(step) == 1, reversed = index_.as_constant(step) == -1 && op.is(LoopOp::Load);
  const bool is_rest = lanes_.mask == lanes_.strip->mask && !lanes_.strip->count.empty();
  if (reversed && (lanes_.mask.empty() || is_rest)) {
    out.kind = lanes_.mask.empty() ? LaneAccess::Kind::Reversed : LaneAccess::Kind::ReversedPart;
    out.count = lanes_.strip->count;
  } else if (lanes_.mask.empty()) {
    out.kind = next ? LaneAccess::Kind::Whole : LaneAccess::Kind::Every;
    out.count = distance;
  } else if (next && lanes_.mask == lanes_.strip->mask && op.is(LoopOp::Load) && has_room(op, buffer)) {
    out.kind = LaneAccess::Kind::Whole;
  } else if (next && is_rest) {
    out.kind = LaneAccess::Kind::Part;
    out.count = lanes_.strip->count;
  } else if (next) {
    out.kind = LaneAccess::Kind::Masked;
    out.mask = lanes_.mask;
  } else if (is_rest && index_.as_constant(step) != 2) {
    out.kind = LaneAccess::Kind::EveryPart;
    out.count = lanes_.strip->count;
    out.at = distance;
  } else {
    out.kind = LaneAccess::Kind::EveryMasked;
    out.count = distance;
    out.at = hooks_.count_up(lanes_.strip->lanes, SourceText::number(0)) + " * " + distance.as_operand();
    out.mask = lanes_.mask;
  }
  return out;
}

void AccessEmitter::load(OpRef op) {
  const Value buffer = LoadRef::from(op).buffer();
  const Dtype dtype = buffer.dtype();
  if (const auto name = registers_.variable(op, buffer))
    return declare(op.result(), {*name, registers_.lanes_of(buffer)});
  check_subscripts(op);
  const bool bits = scalars_.is_kept_as_bits(op.result());
  scalars_.note_loaded(op.result(), dtype);
  if (auto access = lane_access(op, buffer)) {
    access->bits = bits;
    if (access->kind == LaneAccess::Kind::Whole && dtype == Dtype::I64)
      tables_.in_memory.insert_or_assign(op.result().id(), access->pointer);
    else
      tables_.in_memory.erase(op.result().id());
    if (access->kind == LaneAccess::Kind::Whole) streams_.before_load(op, access->pointer);
    return declare(op.result(), {hooks_.load_lanes(dtype, lanes_.strip->lanes, *access), lanes_.strip->lanes, bits});
  }
  if (writer_.tables != nullptr && !block_.kernel)
    if (const SourceText statement = hooks_.before_deciding(); !statement.empty()) line(statement);
  if (block_.is_uniform()) block_.before_touching(block_.touched(op));
  const SourceText place = element(op, buffer);
  if (is_factor_in_place(op)) {
    writer_.names[op.result().id()] = {.text = place, .element = true};
    return;
  }
  declare(op.result(), {bits ? place : hooks_.load(dtype, place), 1, bits});
}

void AccessEmitter::store(OpRef op) {
  const auto store = StoreRef::from(op);
  const Value buffer = store.buffer();
  const Dtype dtype = buffer.dtype();
  const ValueText value = text_of(store.value());
  if (const auto name = registers_.variable(op, buffer)) {
    const int lanes = registers_.lanes_of(buffer);
    const SourceText wide = widened(value, dtype, lanes);
    line(*name + " = " + (lanes > 1 && !lanes_.mask.empty() ? hooks_.choose(lanes, lanes_.mask, wide, *name) : wide) +
         ";");
    return;
  }
  check_subscripts(op);
  auto access = lane_access(op, buffer);
  if (!access && value.lanes > 1) {
    // All lanes write one place: the last that is active stays.
    access = LaneAccess{LaneAccess::Kind::Lanes,
                        text_of(buffer).text,
                        "",
                        hooks_.splat(Dtype::I64, lanes_.strip->lanes, indices_.offset(op, buffer)),
                        lanes_.mask_or_all(),
                        false,
                        ""};
  }
  if (!access) {
    const SourceText place = element(op, buffer);
    SourceText statement = place + " = " + value.text + ";";
    if (writer_.rounded_later.contains(op.id()))
      statement = place + " = " + (value.bits ? hooks_.load(dtype, value.text) : value.text) + ";";
    else if (!value.bits)
      statement = hooks_.store(dtype, place, value.text);
    if (!block_.is_uniform()) return line(statement);
    block_.before_touching(block_.touched(op));
    return line("if (" + block_.thread() + " == 0) " + statement);
  }
  access->bits = value.bits;
  access->stream = store.streams();
  if (const auto where = store.stream_where(); access->stream && where)
    access->stream_where = indices_.index(op, *where).text.without_brackets() + " >= 0";
  streams = streams || (access->stream && access->kind == LaneAccess::Kind::Whole);
  line(hooks_.store_lanes(dtype, lanes_.strip->lanes, *access, widened(value, dtype, lanes_.strip->lanes)));
}

// Whether what is loaded, the same for all lanes, is one factor of one product of vectors, and nothing is written
// before that: the product then reads it. Where it depends on the call how results are stored, g++ would keep the sums
// of such products in memory.
bool AccessEmitter::is_factor_in_place(OpRef load) {
  if (!hooks_.names_factors() || !lanes_.strip || load.result().dtype() != Dtype::F32 || !load.result().has_one_use())
    return false;
  if (!chooses_stream_) {
    OpRef func = load;
    while (func.parent_op().valid()) func = func.parent_op();
    chooses_stream_ = !mlgc::walk(func, [](OpRef op) {
      const StoreRef store = StoreRef::from(op);
      return store.valid() && store.streams() && store.stream_where() ? WalkResult::Stop : WalkResult::Continue;
    });
  }
  if (*chooses_stream_) return false;
  const FmaRef product = FmaRef::from(load.result().users()[0]);
  if (!product.valid() || product.op().parent() != load.parent() || product.addend() == load.result()) return false;
  const Value other = product.left() == load.result() ? product.right() : product.left();
  if (!lanes_.varies(other)) return false;
  for (OpRef op = load.next(); op.valid() && op != product.op(); op = op.next())
    if (!op.is(LoopOp::Load) && !op.is(LoopOp::Fma)) return false;
  return true;
}

}  // namespace mlgc::codegen

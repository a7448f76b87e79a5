#include "codegen/emitter/piece_accesses.h"

#include <algorithm>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/nests.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

constexpr std::int64_t kChunkBytes = 16;  // of an access

Value buffer_of(OpRef access) {
  return access.is(LoopOp::Load) ? LoadRef::from(access).buffer() : StoreRef::from(access).buffer();
}

bool is_made_in(Value v, OpRef loop) {
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  return home == loop || home.is_inside(loop);
}

// Whether the function only loads elements of the memory, by the buffer or by views of it.
bool is_only_read(Value buffer) {
  const auto users = buffer.users();
  return std::all_of(users.begin(), users.end(), [](OpRef user) {
    return user.is(LoopOp::Load) || (user.is(LoopOp::BufferView) && is_only_read(user.result()));
  });
}

}  // namespace

// Its subscripts over values, with the indices of unrolled loops as numbers.
std::vector<IndexExpr> PieceAccesses::place(OpRef access) {
  std::vector<IndexExpr> out;
  for (const IndexExpr e : subscripts_of(access)) out.push_back(over_values(access, resolved(access, e)));
  return out;
}

// Whether the next iteration accesses the next element, or any other one where pieces are of one element. Other loops'
// indices and sizes may stand in the subscripts, and of what the iteration computes that alone which is the same in
// all.
bool PieceAccesses::is_of_neighbours(OpRef access, ForRef loop) {
  const Value buffer = buffer_of(access);
  if (types_.scope(buffer.type()) == Scope::Register || is_made_in(buffer, loop.op()) || own_.contains(buffer))
    return false;
  if (!writer_.names.contains(buffer.id())) return false;  // sums of the matrix unit, which are in no memory
  const IndexExpr index = of_value(loop.index());
  for (const IndexExpr e : place(access)) {
    bool is_free = true;
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque || index_.from_atom(id) == index) return;
      is_free = is_free && tests_.is_same(Value(&access.module(), ValueId(atom.number)), loop);
    });
    if (!is_free) return false;
  }
  // Memory on the chip is accessed element by element where it is not aligned: nothing is gained by asking.
  if (types_.scope(buffer.type()) == Scope::Thread && !runs_.begins_at_multiple(access, loop, loop.per_lane()))
    return false;
  const auto elements = runs_.distance(access, loop);
  const bool apart = elements == 1 || (loop.per_lane() == 1 && elements && *elements != 0);
  return apart && (!AccessRef::from(access).checked() || tests_.is_tested_once(access, loop));
}

// In program order. A buffer that the loop writes is read and written as pieces only where each access to it is to one
// place, whose old value is read first, and no branch or loop inside writes it: then no iteration sees what another one
// wrote, and the last value stays.
std::vector<OpRef> PieceAccesses::accesses_of_pieces(ForRef loop) {
  std::vector<OpRef> found;
  for (const OpRef op : loop.body().ops())
    if ((op.is(LoopOp::Load) || op.is(LoopOp::Store)) && is_of_neighbours(op, loop)) found.push_back(op);
  for (const OpRef load : runs_.loads_in_arms(loop))
    if (is_of_neighbours(load, loop)) found.push_back(load);
  std::erase_if(found, [&](OpRef access) {
    const Value buffer = underlying_buffer(buffer_of(access));
    bool stored = false, stored_inside = false, loaded_after = false, elsewhere = false;
    const auto at = place(access);
    walk(loop.op(), [&](OpRef op) {
      if (!op.is(LoopOp::Load) && !op.is(LoopOp::Store)) return;
      if (underlying_buffer(buffer_of(op)) != buffer) return;
      if (op.is(LoopOp::Store)) {
        stored = true;
        stored_inside = stored_inside || op.parent() != loop.body();  // to memory, before the piece is written
      } else {
        loaded_after = loaded_after || stored;
      }
      elsewhere = elsewhere || buffer_of(op) != buffer_of(access) || place(op) != at;
    });
    return stored && (stored_inside || loaded_after || elsewhere);
  });
  return found;
}

SourceText PieceAccesses::first_place(OpRef access, ForRef loop, const SourceText& first) {
  const ValueText index = writer_.names.at(loop.index().id());
  writer_.names[loop.index().id()] = {first, 1};
  const SourceText at = indices_.offset(access, buffer_of(access));
  writer_.names[loop.index().id()] = index;
  return at;
}

void PieceAccesses::start_kernel(std::span<const TypedName> parameters) {
  kept_.clear();
  parameters_.clear();
  asked_.clear();
  for (const TypedName& parameter : parameters)
    if (parameter.type.ends_with('*')) parameters_.insert(parameter.name);
}

bool PieceAccesses::asks(OpRef access, ForRef loop) {
  const SourceText& pointer = text_of(buffer_of(access)).text;
  if (loop.per_lane() < 2 || !parameters_.contains(pointer) || !runs_.begins_at_multiple(access, loop, loop.per_lane()))
    return false;
  asked_.insert(pointer);
  return true;
}

// Whether what is stored is computed as a number of 32 bits, not moved as the bits that were loaded.
bool PieceAccesses::holds_numbers(OpRef store, ForRef loop) const {
  const Dtype dtype = buffer_of(store).dtype();
  const Value value = StoreRef::from(store).value();
  if ((dtype != Dtype::F16 && dtype != Dtype::BF16) || loop.per_lane() % 2 != 0 || !value.is_result()) return false;
  const OpRef from = value.definer();
  return !from.is(LoopOp::Load) && from.region_count() == 0;
}

SourceText PieceAccesses::from_memory(OpRef access, ForRef loop, const SourceText& first) {
  const Value buffer = buffer_of(access);
  const SourceText at = first_place(access, loop, first);
  const SourceText pointer = at.is_number(0) ? text_of(buffer).text : text_of(buffer).text + " + " + at;
  const auto count = static_cast<int>(loop.per_lane());
  const bool aligned = runs_.begins_at_multiple(access, loop, count);
  return aligned ? writer_.grid->read_piece(count, pointer, asks(access, loop))
                 : writer_.grid->read_parts(count, pointer);
}

std::vector<IndexExpr> PieceAccesses::place_of_loop(OpRef access, ForRef loop) {
  std::vector<IndexExpr> out = place(access);
  for (IndexExpr& e : out)
    e = index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      return index_.from_atom(id) == of_value(loop.index()) ? std::optional(index_.constant(0)) : std::nullopt;
    });
  return out;
}

std::optional<PieceAccesses::Iterations> PieceAccesses::iterations_of(ForRef loop) const {
  const OpRef op = loop.op();
  const ForRef around = ForRef::from(op.parent_op());
  if (lanes_of_lanes(loop).valid() || (around.valid() && lanes_of_lanes(around).valid())) return std::nullopt;
  const auto most = usual_extent(loop);
  if (loop.lanes() < 2 || !most || *most <= 0) return std::nullopt;
  return Iterations{over_values(op, loop.first()), over_values(op, loop.last()), *most, loop.lanes(), loop.per_lane(),
                    skew_over_values(loop)};
}

std::optional<PieceAccesses::Rounds> PieceAccesses::rounds_of(ForRef loop) const {
  const auto iterations = iterations_of(loop);
  if (!iterations) return std::nullopt;
  const auto exact = index_.as_constant(index_.sub(iterations->last, iterations->first));
  return Rounds{iterations->of_thread().rounds(), exact.value_or(0) / (iterations->lanes * iterations->per_lane)};
}

PieceAccesses::Kept* PieceAccesses::kept(OpRef access, ForRef loop) {
  const auto iterations = iterations_of(loop);
  if (!iterations || !access.is(LoopOp::Load)) return nullptr;
  const auto at = place_of_loop(access, loop);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
    return one.buffer == buffer_of(access) && one.place == at && one.iterations == *iterations &&
           (loop.op().parent() == one.home || loop.op().is_inside(one.home.parent_op()));
  });
  return found == kept_.end() ? nullptr : &*found;
}

// Whether a loop after this one, in the same region, reads the same pieces.
bool PieceAccesses::is_read_again(OpRef access, ForRef loop, const Iterations& iterations) {
  const auto at = place_of_loop(access, loop);
  bool found = false;
  for (OpRef after = loop.op().next(); after.valid() && !found; after = after.next())
    walk(after, [&](OpRef op) {
      const ForRef other = ForRef::from(op);
      if (!other.valid() || other.kind() != LoopKind::Vector || iterations_of(other) != iterations) return;
      for (const OpRef load : other.body().ops())
        found = found || (load.is(LoopOp::Load) && buffer_of(load) == buffer_of(access) &&
                          is_of_neighbours(load, other) && place_of_loop(load, other) == at);
    });
  return found;
}

std::vector<OpRef> PieceAccesses::to_keep(ForRef loop) {
  const auto iterations = iterations_of(loop);
  if (!iterations) return {};
  const auto words_of = [](const Iterations& of, Dtype dtype) { return words_of_thread(of.of_thread(), dtype); };
  std::int64_t words = 0;
  for (const Kept& one : kept_) words += words_of(one.iterations, one.buffer.dtype());
  std::vector<OpRef> out;
  for (const OpRef access : accesses_of_pieces(loop)) {
    if (!access.is(LoopOp::Load)) continue;
    if (kept(access, loop) != nullptr) {
      out.push_back(access);
      continue;
    }
    const Value buffer = buffer_of(access);
    const std::int64_t own = words_of(*iterations, buffer.dtype());
    if (!is_only_read(underlying_buffer(buffer)) || words + own > most_words_of_thread(iterations->lanes) ||
        !is_read_again(access, loop, *iterations))
      continue;
    words += own;
    out.push_back(access);
  }
  return out;
}

bool PieceAccesses::keeps(ForRef loop) { return !to_keep(loop).empty(); }

bool PieceAccesses::keep(ForRef loop) {
  const std::vector<OpRef> accesses = to_keep(loop);
  for (const OpRef access : accesses) {
    if (kept(access, loop) != nullptr) continue;
    const Iterations iterations = iterations_of(loop).value();
    const Value buffer = buffer_of(access);
    const SourceText name = fresh(std::string(buffer.name()) + "_kept");
    line(writer_.grid->piece_type(buffer.dtype(), static_cast<int>(loop.per_lane())) + " " + name + "[" +
         std::to_string(iterations.of_thread().rounds()) + "];");
    kept_.push_back({loop.op().parent(), buffer, place_of_loop(access, loop), iterations, name, std::nullopt});
  }
  return !accesses.empty();
}

void PieceAccesses::read(ForRef loop, const SourceText& first, const SourceText& round, const SourceText& neighbour) {
  const int count = static_cast<int>(loop.per_lane());
  for (const OpRef access : accesses_of_pieces(loop)) {
    const Value buffer = buffer_of(access);
    if (Kept* const before = kept(access, loop)) {
      const SourceText name = before->name + "[" + round + "]";
      if (!before->reader) line(name + " = " + from_memory(access, loop, first) + ";");
      if (!before->reader) before->reader = access.id();
      elements_[access.id()] = name + ".values[" + neighbour + "]";
      continue;
    }
    const SourceText name = fresh(std::string(buffer.name().empty() ? "piece" : buffer.name()) + "_piece");
    const bool numbers = access.is(LoopOp::Store) && holds_numbers(access, loop);
    const std::string type = writer_.grid->piece_type(numbers ? Dtype::F32 : buffer.dtype(), count);
    if (access.is(LoopOp::Load)) {
      const SourceText where = runs_.wanted_where(access, loop);
      line((where.empty() ? "const " : "") + type + " " + name + " = " +
           (where.empty() ? from_memory(access, loop, first) : "{}") + ";");
      if (!where.empty()) line("if (" + where + ") " + name + " = " + from_memory(access, loop, first) + ";");
    } else {
      line(type + " " + name + ";");
      stores_.push_back({access, name, asks(access, loop)});
      if (numbers) writer_.rounded_later.insert(access.id());
    }
    elements_[access.id()] = name + ".values[" + neighbour + "]";
  }
}

void PieceAccesses::read_part(ForRef loop, const SourceText& variable, const SourceText& round,
                              const SourceText& neighbour,
                              const std::function<void(const std::function<void()>&)>& of_each) {
  std::vector<std::pair<OpRef, SourceText>> to_read;
  for (const OpRef access : accesses_of_pieces(loop)) {
    const Kept* const before = kept(access, loop);
    if (before == nullptr) continue;
    const SourceText element = before->name + "[" + round + "].values[" + neighbour + "]";
    if (before->reader == access.id()) to_read.emplace_back(access, element);
    elements_[access.id()] = element;
  }
  if (to_read.empty()) return;
  of_each([&] {
    for (const auto& [access, element] : to_read)
      line(element + " = " + text_of(buffer_of(access)).text + "[" + first_place(access, loop, variable) + "];");
  });
}

void PieceAccesses::leave(RegionRef region) {
  std::erase_if(kept_, [&](const Kept& one) { return one.home == region; });
}

bool PieceAccesses::is_row_piece(OpRef store, ForRef loop, OpRef rows) {
  const Value buffer = buffer_of(store);
  const std::int64_t bytes = dtype_info(buffer.dtype()).bytes;
  if (types_.scope(buffer.type()) == Scope::Thread || bytes < 2 || loop.per_lane() * bytes % kChunkBytes != 0 ||
      runs_.begins_at_multiple(store, loop, loop.per_lane()))
    return false;
  bool known = true;
  for (const IndexExpr e : place(store))
    index_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = index_.atom(id);
      if (atom.kind != AtomKind::Opaque) return;
      const Value v(&store.module(), ValueId(atom.number));
      known = known && (v == loop.index() || v == ForRef::from(rows).index() || !is_made_in(v, rows));
    });
  return known;
}

void PieceAccesses::begin_rows(ForRef loop, OpRef rows) {
  for (const OpRef access : accesses_of_pieces(loop)) {
    if (!access.is(LoopOp::Store) || !is_row_piece(access, loop, rows)) continue;
    const Value buffer = buffer_of(access);
    const SourceText name = fresh(std::string(buffer.name()) + "_row"), holds = fresh(name.str() + "_holds");
    line(writer_.grid->piece_type(buffer.dtype(), static_cast<int>(loop.per_lane())) + " " + name + " = {};");
    line("bool " + holds + " = false;");
    row_stores_.push_back({access, name, holds});
  }
}

void PieceAccesses::write_rows(ForRef loop, const SourceText& first, int threads) {
  for (const RowPiece& row : row_stores_)
    line(writer_.grid->write_row_piece(threads, text_of(buffer_of(row.access)).text,
                                       first_place(row.access, loop, first), row.name, row.holds));
  row_stores_.clear();
}

void PieceAccesses::write(ForRef loop, const SourceText& first) {
  for (const Piece& piece : stores_) {
    const Value buffer = buffer_of(piece.access);
    const bool numbers = writer_.rounded_later.erase(piece.access.id()) > 0;
    const SourceText stored = numbers ? writer_.grid->rounded_piece(buffer.dtype(), piece.name) : piece.name;
    const auto row = std::find_if(row_stores_.begin(), row_stores_.end(),
                                  [&](const RowPiece& one) { return one.access == piece.access; });
    if (row == row_stores_.end()) {
      line(
          writer_.grid->write_piece(text_of(buffer).text, first_place(piece.access, loop, first), stored, piece.asked));
      continue;
    }
    line(row->name + " = " + stored + ";");
    line(row->holds + " = true;");
  }
  stores_.clear();
  elements_.clear();
}

std::optional<SourceText> PieceAccesses::element(OpRef access) const {
  const auto found = elements_.find(access.id());
  return found == elements_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace mlgc::codegen

#include "codegen/emitter/register_buffers.h"

#include "loopir/nests.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

// What the op holds is written in the order in which it runs, without a jump.
bool is_straight(OpRef op) {
  const ForRef loop = ForRef::from(op);
  return loop.valid() &&
         (loop.kind() == LoopKind::Unrolled || (loop.kind() == LoopKind::Vector && usual_extent(loop) == loop.lanes()));
}

}  // namespace

// Whether an access to the buffer runs along the axis with the index of a vector loop of as many lanes.
bool RegisterBuffers::has_lanes_along(Value buffer, std::size_t axis, std::int64_t lanes) const {
  for (const Use& use : buffer.uses()) {
    const std::span<const IndexExpr> subscripts = subscripts_of(use.owner());
    if (axis >= subscripts.size()) continue;
    const auto id = index_.as_atom(subscripts[axis]);
    if (!id || index_.atom(*id).kind != AtomKind::Opaque) continue;
    const Value at = use.owner().operand(index_.atom(*id).number);
    if (!at.is_argument()) continue;
    const ForRef loop = ForRef::from(at.argument_of().parent_op());
    if (loop.valid() && loop.kind() == LoopKind::Vector && loop.lanes() == lanes) return true;
  }
  return false;
}

// Names are resolved while code is written, so transposing single elements only exchanges names and costs nothing.
// Vectors are transposed by a statement, as late as possible: in front of the first access, or of the op that contains
// it and may run more or less than once.
void RegisterBuffers::transpose_in_place(TransposeInPlaceRef op) {
  const Value buffer = op.buffer();
  Buffer& named = buffers_.at(buffer.id());
  if (!named.vector_axis) {
    named.swapped = !named.swapped;
  } else if (hooks_.transpose(named.lanes, named.elements).empty()) {
    refuse(op.op(), "a transposition of " + std::to_string(named.lanes) + " lanes in place");
  } else if (std::erase(waiting_, buffer) == 0) {
    waiting_.push_back(buffer);
  }
}

void RegisterBuffers::write_transposition(Value buffer) {
  const Buffer& named = buffers_.at(buffer.id());
  if (std::erase(waiting_, buffer) > 0) line(hooks_.transpose(named.lanes, named.elements));
}

void RegisterBuffers::write_transpositions_before(OpRef op) {
  if (is_straight(op)) return;
  const std::vector<Value> all = waiting_;
  for (const Value buffer : all) {
    const auto uses = buffer.uses();
    if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return use.owner().is_inside(op); }))
      write_transposition(buffer);
  }
}

// The name of an element of a buffer of names; nothing for memory.
std::optional<SourceText> RegisterBuffers::variable(OpRef op, Value buffer) {
  const auto found = buffers_.find(buffer.id());
  if (found == buffers_.end()) return std::nullopt;
  std::size_t element = 0;
  const std::span<const IndexExpr> subscripts = subscripts_of(op);
  const Value lane = lanes_.strip    ? lanes_.strip->index
                     : block_.kernel ? block_.kernel->lane.value_or(Value())
                                     : Value();
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

void RegisterBuffers::leave(RegionRef r) {
  std::erase_if(waiting_, [&](Value buffer) { return buffer.scope() == r; });
}

void RegisterBuffers::allocate(OpRef op, const SourceText& name) {
  const Value v = op.result();
  const Dtype dtype = v.dtype();
  const std::span<const IndexExpr> dims = types_.dims(v.type());
  Buffer made;
  std::vector<std::string> all{name.str()};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto size = index_.as_constant(resolved(op, dims[d]));
    if (!size) refuse(op, "a register buffer whose size is no constant");
    // An axis that the index of a vector loop runs along is one vector.
    if (!made.vector_axis && has_lanes_along(v, d, *size)) {
      made.vector_axis = d;
      made.lanes = writer_.grid == nullptr ? static_cast<int>(*size) : 1;
      made.sizes.push_back(1);
      continue;
    }
    made.sizes.push_back(*size);
    std::vector<std::string> next;
    for (const std::string& stem : all)
      for (std::int64_t i = 0; i < *size; ++i) next.push_back(stem + "_" + std::to_string(i));
    all = std::move(next);
    if (all.size() > 1024) refuse(op, "a register buffer of more than 1024 elements");
  }
  if (lanes_.strip && !made.vector_axis && lanes_.varies(v)) made.lanes = lanes_.strip->lanes;
  for (const std::string& element : all) {
    writer_.reserve(element);
    made.elements.push_back(writer_.variable(element));
    line(hooks_.unused() + hooks_.variable_type(dtype, made.lanes) + " " + made.elements.back() + " = " +
         SourceText(hooks_.zeros()) + ";");
  }
  buffers_[v.id()] = std::move(made);
}

}  // namespace mlgc::codegen

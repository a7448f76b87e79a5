#include "codegen/emitter/private_buffers.h"

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

// The outermost vector loop around the op, which is the one whose lanes are threads.
ForRef thread_loop_around(OpRef op) {
  ForRef found;
  for (OpRef around = op.parent_op(); around.valid(); around = around.parent_op())
    if (const ForRef loop = ForRef::from(around); loop.valid() && loop.kind() == LoopKind::Vector) found = loop;
  return found;
}

constexpr std::int64_t kMostLanesOfBlock = 1024;  // which CUDA gives a block

}  // namespace

ForRef lanes_of_lanes(ForRef loop) {
  if (loop.kind() != LoopKind::Vector || loop.carried_count() > 0 || loop.per_lane() > 1 || loop.body().empty())
    return {};
  const ForRef inner = ForRef::from(loop.body().front());
  if (!inner.valid() || inner.kind() != LoopKind::Vector || inner.carried_count() > 0 || inner.lanes() < 2) return {};
  const bool alone = inner.op().next().is(LoopOp::Yield) && loop.lanes() * inner.lanes() <= kMostLanesOfBlock;
  return alone ? inner : ForRef();
}

std::int64_t words_of_thread(const ThreadIterations& iterations, Dtype dtype) {
  const auto bytes = static_cast<std::int64_t>(dtype_info(dtype).bytes);
  return iterations.rounds() * ((iterations.per_lane * bytes + 3) / 4);
}

// Of the text: bounds that follow from an unrolled loop's index differ from copy to copy.
std::optional<ThreadIterations> PrivateBuffers::iterations_of(ForRef vector_loop) const {
  const ForRef around = ForRef::from(vector_loop.op().parent_op());
  if (lanes_of_lanes(vector_loop).valid() || (around.valid() && lanes_of_lanes(around).valid())) return std::nullopt;
  const auto first = index_.as_constant(vector_loop.first()), last = index_.as_constant(vector_loop.last());
  if (vector_loop.lanes() < 2 || !first || !last || *first >= *last) return std::nullopt;
  return ThreadIterations{*first, *last, vector_loop.lanes(), vector_loop.per_lane(), skew_over_values(vector_loop)};
}

std::optional<ThreadIterations> PrivateBuffers::find_owners(Value buffer) const {
  if (types_.kind(buffer.type()) != TypeKind::Buffer || types_.scope(buffer.type()) != Scope::Thread)
    return std::nullopt;
  std::optional<ThreadIterations> owners;
  for (const OpRef op : buffer.users()) {
    const AccessRef access = AccessRef::from(op);
    if (!access.valid() || access.checked()) return std::nullopt;
    const ForRef loop = thread_loop_around(op);
    const auto own = loop.valid() ? iterations_of(loop) : std::nullopt;
    if (!own) return std::nullopt;
    // In a loop between them the skew may change, and with it who has an element.
    const bool same_skew =
        !own->skew || index_.as_constant(*own->skew) || loop.op().parent() == buffer.definer().parent();
    if (!same_skew) return std::nullopt;
    std::size_t along_loop = 0;
    for (const IndexExpr at : subscripts_over_values(op)) {
      if (at == of_value(loop.index()))
        ++along_loop;
      else if (index_.as_constant(at) != 0)
        return std::nullopt;
    }
    if (along_loop != 1 || (owners && *owners != *own)) return std::nullopt;
    owners = own;
  }
  if (!owners || words_of_thread(*owners, buffer.dtype()) > most_words_of_thread(owners->lanes)) return std::nullopt;
  return owners;
}

std::optional<ThreadIterations> PrivateBuffers::owners_of(Value buffer) {
  const auto [known, is_new] = owners_.try_emplace(buffer.id());
  if (is_new) known->second = find_owners(buffer);
  return known->second;
}

bool PrivateBuffers::contains(Value buffer) { return writer_.grid != nullptr && owners_of(buffer).has_value(); }

void PrivateBuffers::allocate(OpRef alloc) {
  const Value buffer = alloc.result();
  const ThreadIterations owners = owners_of(buffer).value();
  const SourceText name = fresh(buffer);
  writer_.names[buffer.id()] = {name, 1};
  line(std::string(hooks_.element_type(buffer.dtype())) + " " + name + "[" + std::to_string(owners.rounds()) + "][" +
       std::to_string(owners.per_lane) + "];");
}

bool PrivateBuffers::are_in(ForRef vector_loop) {
  return !walk(vector_loop.op(), [&](OpRef op) {
    const AccessRef access = AccessRef::from(op);
    return access.valid() && contains(access.buffer()) ? WalkResult::Stop : WalkResult::Continue;
  });
}

std::optional<SourceText> PrivateBuffers::element(OpRef access) {
  const Value buffer = AccessRef::from(access).buffer();
  if (!contains(buffer)) return std::nullopt;
  return text_of(buffer).text + "[" + round_ + "][" + neighbour_ + "]";
}

}  // namespace mlgc::codegen

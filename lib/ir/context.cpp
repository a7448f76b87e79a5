// The op table's names and the names that the store itself knows.
#include "ir/context.h"

#include <bit>
#include <string>

#include "support/hash.h"

namespace mlgc {
namespace {
constexpr std::uint16_t kNoRow = 0xFFFF;
}  // namespace

Context::Context(std::span<const OpDef* const> ops)
    : types_(index_, strings_), attributes_(index_, strings_, types_), ops_(ops) {
  MLGC_ASSERT(ops.size() < kNoRow, "too many rows in the op table");
  graph_ops_.fill(Opcode::Invalid);
  loop_ops_.fill(Opcode::Invalid);
  // At most half full, so that probes stay short.
  slots_.assign(std::bit_ceil(ops.size() * 2 + 2), kNoRow);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    std::size_t at = hash_bytes(ops[i]->name) & (slots_.size() - 1);
    for (; slots_[at] != kNoRow; at = (at + 1) & (slots_.size() - 1))
      MLGC_ASSERT(ops_[slots_[at]]->name != ops[i]->name, "two rows of the op table have one name");
    slots_[at] = static_cast<std::uint16_t>(i);
    note_known(*ops[i], static_cast<Opcode>(i));
  }
  names_ = {.sym_name = strings_.intern("sym_name"),
            .weights = strings_.intern("weights"),
            .where = strings_.intern("where"),
            .updates = strings_.intern("updates"),
            .gradient = strings_.intern("gradient"),
            .type = strings_.intern("type")};
}

void Context::note_known(const OpDef& row, Opcode opcode) {
  const auto note = [&](Opcode& place) {
    MLGC_ASSERT(place == Opcode::Invalid, "two rows of the op table are one known op: " + std::string(row.name));
    place = opcode;
  };
  if (row.graph_op != GraphOp::Other) note(graph_ops_[static_cast<std::size_t>(row.graph_op)]);
  if (row.loop_op != LoopOp::Scalar) note(loop_ops_[static_cast<std::size_t>(row.loop_op)]);
}

Opcode Context::find_op(std::string_view name) const {
  for (std::size_t at = hash_bytes(name) & (slots_.size() - 1); slots_[at] != kNoRow;
       at = (at + 1) & (slots_.size() - 1))
    if (ops_[slots_[at]]->name == name) return static_cast<Opcode>(slots_[at]);
  return Opcode::Invalid;
}

Opcode Context::opcode(const OpDef& def) const {
  const Opcode found = find_op(def.name);
  MLGC_ASSERT(found != Opcode::Invalid && &this->def(found) == &def, "a row that is not in the context's op table");
  return found;
}

IndexExpr Context::storage_bytes(Type type) {
  if (!types_.is_shaped(type)) return index_.constant(0);
  IndexExpr bytes = index_.constant(static_cast<std::int64_t>(dtype_info(types_.dtype(type)).bytes));
  for (const IndexExpr dim : types_.dims(type)) bytes = index_.mul(bytes, dim);
  return bytes;
}

}  // namespace mlgc

// Everything that modules share: the pools and the op table. A module and its snapshots hold one Context through a
// shared_ptr; it only grows, so ids stay valid for its whole life. Not thread-safe: one thread builds with one Context.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/location.h"
#include "ir/attribute.h"
#include "ir/index_expr.h"
#include "ir/known_ops.h"
#include "ir/op_def.h"
#include "ir/string_pool.h"
#include "ir/type.h"

namespace mlgc {

class OpServices;  // lib/ops: formulas and what was inferred from them

// Index of a row in the context's op table.
enum class Opcode : std::uint16_t { Invalid = 0xFFFF };

class Context {
 public:
  // `ops` must outlive the context; names are unique. At most 65,535 rows.
  explicit Context(std::span<const OpDef* const> ops);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] IndexPool& index() { return index_; }
  [[nodiscard]] const IndexPool& index() const { return index_; }
  [[nodiscard]] StringPool& strings() { return strings_; }
  [[nodiscard]] const StringPool& strings() const { return strings_; }
  [[nodiscard]] TypePool& types() { return types_; }
  [[nodiscard]] const TypePool& types() const { return types_; }
  [[nodiscard]] AttributePool& attributes() { return attributes_; }
  [[nodiscard]] const AttributePool& attributes() const { return attributes_; }
  [[nodiscard]] LocationTable& locations() { return locations_; }
  [[nodiscard]] const LocationTable& locations() const { return locations_; }

  [[nodiscard]] std::span<const OpDef* const> ops() const { return ops_; }
  [[nodiscard]] const OpDef& def(Opcode opcode) const { return *ops_[static_cast<std::size_t>(opcode)]; }
  // Opcode::Invalid when no row has the name.
  [[nodiscard]] Opcode find_op(std::string_view name) const;
  // The opcode of a row of this table; throws InternalError for another row.
  [[nodiscard]] Opcode opcode(const OpDef& def) const;

  // The opcode of the row that states it; Opcode::Invalid where the table has no such row. Precondition: it is neither
  // GraphOp::Other nor LoopOp::Scalar, which many rows are.
  [[nodiscard]] Opcode opcode(GraphOp op) const { return graph_ops_[static_cast<std::size_t>(op)]; }
  [[nodiscard]] Opcode opcode(LoopOp op) const { return loop_ops_[static_cast<std::size_t>(op)]; }
  // Names of attributes that the store itself reads.
  struct Names {
    StringId sym_name;  // String: the name of a symbol, without @
    StringId weights;   // String, on module: the weight file
    StringId where;     // Array of chains, on func: see constraint.h
    StringId updates;   // Array of Symbol (a state or weight) and Int (an argument number), on func
    StringId gradient;  // Symbol (the function that computes its adjoints), on func
    StringId type;      // Type, on weight and state
  };
  [[nodiscard]] const Names& names() const { return names_; }

  // Bytes that the elements of a shaped type take, contiguous; 0 for another type.
  [[nodiscard]] IndexExpr storage_bytes(Type type);

  // A slot for the layer of the op rows, which fills and reads it; empty until then.
  [[nodiscard]] const std::shared_ptr<OpServices>& op_services() const { return op_services_; }
  void set_op_services(std::shared_ptr<OpServices> services) { op_services_ = std::move(services); }

 private:
  void note_known(const OpDef& row, Opcode opcode);

  IndexPool index_;
  StringPool strings_;
  TypePool types_;
  AttributePool attributes_;
  LocationTable locations_;
  std::span<const OpDef* const> ops_;
  std::vector<std::uint16_t> slots_;  // open hash over the names of ops_
  std::array<Opcode, kGraphOpCount> graph_ops_;
  std::array<Opcode, kLoopOpCount> loop_ops_;
  Names names_;
  std::shared_ptr<OpServices> op_services_;  // last: it refers to the pools
};

}  // namespace mlgc

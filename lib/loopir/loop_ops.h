// Typed views of the ops of the loop level. Each is made by from(), and invalid where the op is another one; create()
// makes an op at a builder's insertion point. Operands that stand in brackets only follow the definition's own, as
// SubscriptBuilder (subscripts.h) collects them while it makes the attribute of the brackets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loopir/loop_op_view.h"
#include "loopir/subscripts.h"

namespace mlgc {

class Builder;

// How a loop runs, in the order of the definition's choices.
enum class LoopKind : std::uint8_t { Serial, Parallel, Vector, Unrolled, Matrix };
inline constexpr std::size_t kLoopKindCount = static_cast<std::size_t>(LoopKind::Matrix) + 1;
[[nodiscard]] std::string_view loop_kind_name(LoopKind kind);

// for [first, last) { body }
class ForRef : public LoopOpView<ForRef, LoopOp::For> {
 public:
  // Also invalid where bounds, body or index are missing.
  [[nodiscard]] static ForRef from(OpRef op);
  // `operands` are those of the bounds. The body has the index and what is carried as arguments, and no ops yet.
  [[nodiscard]] static ForRef create(Builder& builder, std::vector<Value> operands, Attribute bounds,
                                     std::span<const Value> initial, std::string_view index_name);
  // Other bounds, and what the loop starts from: as many values as it carries.
  void set_bounds(std::vector<Value> operands, Attribute bounds, std::span<const Value> initial) const;
  [[nodiscard]] IndexExpr first() const { return subscripts_of(op_)[0]; }
  [[nodiscard]] IndexExpr last() const { return subscripts_of(op_)[1]; }  // exclusive
  [[nodiscard]] LoopKind kind() const;
  void set_kind(LoopKind kind) const;  // what only vector or matrix loops have goes where it is another kind
  // Of a vector loop; 0 where it states none.
  [[nodiscard]] std::int64_t lanes() const;
  void set_lanes(std::int64_t lanes) const;
  // How many neighbouring iterations a lane of a vector loop takes at a time; 1 where the loop states none. Iteration k
  // is one of lane (k / per_lane) mod lanes.
  [[nodiscard]] std::int64_t per_lane() const;
  void set_per_lane(std::int64_t iterations) const;
  // Of a matrix loop: how many parts of the factors are in shared memory at a time.
  [[nodiscard]] std::int64_t stages() const;
  void set_stages(std::int64_t stages) const;
  // How the lanes of each carried value are combined (ops/combine.h).
  [[nodiscard]] std::vector<std::string_view> combine() const;
  void set_combine(std::span<const std::string_view> words) const;

  [[nodiscard]] RegionRef body() const { return op_.region(0); }
  [[nodiscard]] Value index() const { return body().argument(0); }
  [[nodiscard]] std::size_t carried_count() const { return body().argument_count() - 1; }
  [[nodiscard]] Value carried(std::size_t i) const { return body().argument(i + 1); }
  [[nodiscard]] Value initial(std::size_t i) const { return op_.operand(op_.operand_count() - carried_count() + i); }
};

class LoadRef : public LoopOpView<LoadRef, LoopOp::Load> {
 public:
  // `operands`: the buffer, then those of the brackets.
  [[nodiscard]] static LoadRef create(Builder& builder, std::span<const Value> operands, Attribute at,
                                      bool checked = false);
  [[nodiscard]] Value buffer() const { return buffer_use().value(); }
  [[nodiscard]] Use buffer_use() const { return op_.operand_use(operand_number("buffer")); }
  [[nodiscard]] Value value() const { return op_.result(); }
  [[nodiscard]] bool checked() const { return flag(attribute_definition("checked", AttributeKind::Bool)); }
  [[nodiscard]] static std::string_view place_attribute() {
    return attribute_definition("at", AttributeKind::Subscripts).name;
  }
};

class StoreRef : public LoopOpView<StoreRef, LoopOp::Store> {
 public:
  // `operands`: value and buffer, then those of the brackets.
  static StoreRef create(Builder& builder, std::span<const Value> operands, Attribute at, bool checked = false);
  [[nodiscard]] Value value() const { return op_.operand(operand_number("value")); }
  [[nodiscard]] Value buffer() const { return buffer_use().value(); }
  [[nodiscard]] Use buffer_use() const { return op_.operand_use(operand_number("buffer")); }
  [[nodiscard]] bool checked() const { return flag(attribute_definition("checked", AttributeKind::Bool)); }
  [[nodiscard]] static std::string_view place_attribute() {
    return attribute_definition("at", AttributeKind::Subscripts).name;
  }
  // Past the caches, and at sizes of a call that make `stream_where` at least 0; nothing: at all sizes.
  [[nodiscard]] bool streams() const;
  [[nodiscard]] std::optional<IndexExpr> stream_where() const;
  void set_stream(std::optional<IndexExpr> where) const;
  void remove_stream() const;
};

// From here on nothing touches the buffer, an `alloc` of a host function in the same region.
class DeallocRef : public LoopOpView<DeallocRef, LoopOp::Dealloc> {
 public:
  [[nodiscard]] Value buffer() const { return op_.operand(operand_number("buffer")); }
  static DeallocRef create(Builder& builder, Value buffer);
};

// The axes of a square register buffer, swapped where it stands; the op stands in the region of the buffer's `alloc`.
class TransposeInPlaceRef : public LoopOpView<TransposeInPlaceRef, LoopOp::TransposeInPlace> {
 public:
  [[nodiscard]] Value buffer() const { return op_.operand(operand_number("buffer")); }
  static TransposeInPlaceRef create(Builder& builder, Value buffer);
};

// A load or a store.
class AccessRef {
 public:
  [[nodiscard]] static AccessRef from(OpRef op);
  [[nodiscard]] bool valid() const { return op_.valid(); }
  [[nodiscard]] OpRef op() const { return op_; }
  [[nodiscard]] bool is_store() const { return op_.is(LoopOp::Store); }
  [[nodiscard]] Value buffer() const { return buffer_use().value(); }
  [[nodiscard]] Use buffer_use() const {
    return is_store() ? StoreRef::from(op_).buffer_use() : LoadRef::from(op_).buffer_use();
  }
  [[nodiscard]] Value value() const { return is_store() ? StoreRef::from(op_).value() : LoadRef::from(op_).value(); }
  [[nodiscard]] std::span<const IndexExpr> subscripts() const { return subscripts_of(op_); }
  // Another element, also of another buffer; `operands` as of create(). All else that the op states stays.
  void set_place(std::span<const Value> operands, Attribute at) const;
  [[nodiscard]] bool checked() const {
    return is_store() ? StoreRef::from(op_).checked() : LoadRef::from(op_).checked();
  }

 private:
  OpRef op_;
};

class AllocRef : public LoopOpView<AllocRef, LoopOp::Alloc> {
 public:
  [[nodiscard]] Value buffer() const { return op_.result(); }
  // The buffer in whose memory it lies; an invalid handle: in its own.
  [[nodiscard]] Value memory() const {
    return op_.operand_count() > operand_number("memory") ? op_.operand(operand_number("memory")) : Value();
  }
};

class BufferViewRef : public LoopOpView<BufferViewRef, LoopOp::BufferView> {
 public:
  [[nodiscard]] Value of() const { return op_.operand(operand_number("buffer")); }
  [[nodiscard]] Value view() const { return op_.result(); }
};

class DataRef : public LoopOpView<DataRef, LoopOp::Data> {
 public:
  [[nodiscard]] static DataRef create(Builder& builder, std::string_view name, Type buffer);
  // Of the weight or state, without @.
  [[nodiscard]] std::string_view name() const { return symbol(attribute_definition("symbol", AttributeKind::Symbol)); }
  [[nodiscard]] Value buffer() const { return op_.result(); }
};

class LiteralRef : public LoopOpView<LiteralRef, LoopOp::Literal> {
 public:
  // Of a float dtype `real`, else `integer`.
  [[nodiscard]] static LiteralRef create(Builder& builder, Dtype dtype, double real, std::int64_t integer);
  // The same number as another literal, rounded to another dtype.
  [[nodiscard]] static LiteralRef create(Builder& builder, Dtype dtype, LiteralRef of);
  // The number as it is stated: one of the two, or neither where it is not a number.
  [[nodiscard]] std::optional<double> real() const { return attributes().as_float(number()); }
  [[nodiscard]] std::optional<std::int64_t> integer() const { return attributes().as_int64(number()); }
  [[nodiscard]] Dtype dtype() const { return op_.result().dtype(); }

 private:
  [[nodiscard]] static LiteralRef create(Builder& builder, Dtype dtype, Attribute number);
  [[nodiscard]] Attribute number() const { return op_.attr(attribute_definition("value", AttributeKind::None).name); }
};

class ApplyRef : public LoopOpView<ApplyRef, LoopOp::Apply> {
 public:
  [[nodiscard]] static ApplyRef create(Builder& builder, std::span<const Value> operands, Attribute value);
  [[nodiscard]] IndexExpr value() const { return subscripts_of(op_)[0]; }
};

class GuardRef : public LoopOpView<GuardRef, LoopOp::Guard> {
 public:
  [[nodiscard]] static GuardRef create(Builder& builder, std::span<const Value> operands, Attribute conditions);
  [[nodiscard]] Value holds() const { return op_.result(); }
};

// left * right + addend with one rounding, of f32.
class FmaRef : public LoopOpView<FmaRef, LoopOp::Fma> {
 public:
  [[nodiscard]] Value left() const { return op_.operand(operand_number("left")); }
  [[nodiscard]] Value right() const { return op_.operand(operand_number("right")); }
  [[nodiscard]] Value addend() const { return op_.operand(operand_number("addend")); }
  [[nodiscard]] static FmaRef create(Builder& builder, Value left, Value right, Value addend);
};

// The bits of an f32 or f64 as an integer.
class BitsRef : public LoopOpView<BitsRef, LoopOp::Bits> {
 public:
  [[nodiscard]] Value of() const { return op_.operand(operand_number("x")); }
  [[nodiscard]] static BitsRef create(Builder& builder, Value of);
};

class CheckRef : public LoopOpView<CheckRef, LoopOp::Check> {
 public:
  static CheckRef create(Builder& builder, std::span<const Value> operands, Attribute conditions,
                         std::string_view message);
  [[nodiscard]] std::string_view message() const {
    return text(attribute_definition("message", AttributeKind::String)).value_or(std::string_view());
  }
};

class BindSizeRef : public LoopOpView<BindSizeRef, LoopOp::BindSize> {
 public:
  static BindSizeRef create(Builder& builder, Value buffer, std::string_view size);
  // The buffer of one element that holds the size.
  [[nodiscard]] Value buffer() const { return op_.operand(operand_number("value")); }
  [[nodiscard]] AtomId size() const;
  // Whether the size is known before the call begins: the value of an input, outside of loops and choices.
  [[nodiscard]] bool is_known_before() const;
};

class LaunchRef : public LoopOpView<LaunchRef, LoopOp::Launch> {
 public:
  // `sizes` are stated: symbols of the callee, and what they are in the caller.
  static LaunchRef create(Builder& builder, std::string_view callee, std::span<const Value> buffers,
                          std::span<const std::pair<AtomId, IndexExpr>> sizes = {});
  // Without @; the function of that name, which is an invalid handle where there is none.
  [[nodiscard]] std::string_view callee_name() const {
    return symbol(attribute_definition("callee", AttributeKind::Symbol));
  }
  [[nodiscard]] OpRef callee() const { return op_.module().lookup(callee_name()); }
  void set_callee(std::string_view name) const;
  [[nodiscard]] OpRef::Operands buffers() const { return op_.operands(); }
  // The sizes of the callee that the launch states, with what they are in the caller: as many as both lists have.
  [[nodiscard]] std::vector<std::pair<AtomId, IndexExpr>> stated_sizes() const;
  [[nodiscard]] std::size_t stated_name_count() const;
  [[nodiscard]] std::size_t stated_size_count() const;
};

// What a target of the user's computes: all that its function does.
class ExternalRef : public LoopOpView<ExternalRef, LoopOp::External> {
 public:
  // Its region has no arguments and no ops yet.
  [[nodiscard]] static ExternalRef create(Builder& builder, std::string_view target, std::span<const Value> buffers);
  [[nodiscard]] std::string_view target() const {
    return text(attribute_definition("target", AttributeKind::String)).value_or(std::string_view());
  }
  // The first operands are read, the others written.
  [[nodiscard]] std::size_t read_count() const;
};

}  // namespace mlgc

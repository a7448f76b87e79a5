// Private to lib/loops: ops of the loop level that are written out by hand, one after the other.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"

namespace mlgc::loops {

// Integers are i64. Places of elements are indices or i64 values.
class LoopBuilder {
 public:
  explicit LoopBuilder(Module& module);

  Builder& builder() { return builder_; }
  [[nodiscard]] Type i64() const { return i64_; }
  [[nodiscard]] Type i1() const { return i1_; }

  Value named(std::string_view op, std::initializer_list<Value> operands, Type type, std::string_view name);
  Value scalar(std::string_view op, std::initializer_list<Value> operands, Type type);
  Value sum(Value a, Value b) { return scalar("add", {a, b}, i64_); }
  Value less(Value a, Value b) { return scalar("lt", {a, b}, i1_); }
  Value choose(Value condition, Value yes, Value no) { return scalar("where", {condition, yes, no}, yes.type()); }
  Value cast(Value v, Dtype to);
  Value number(std::int64_t value) { return literal(Dtype::I64, value); }
  Value literal(Dtype dtype, std::int64_t value);
  // The value of an expression over `values`, which are its opaque atoms by number.
  Value apply(IndexExpr e, const std::vector<Value>& values);

  // Aborts unless the expression over sizes is at least 0.
  void check(IndexExpr condition, std::string_view message);

  Value load(Value buffer, const std::vector<Value>& from, bool checked = false);
  void store(Value value, Value buffer, const std::vector<Value>& to, bool checked = false);
  // The same at expressions over `values`, which are their opaque atoms by number.
  Value load_at(Value buffer, std::span<const IndexExpr> at, const std::vector<Value>& values, bool checked = false);
  void store_at(Value value, Value buffer, std::span<const IndexExpr> at, const std::vector<Value>& values,
                bool checked);
  // A loop that carries i64 values, over bounds in which opaque atoms number `values`; goes on inside of it.
  OpRef loop(IndexExpr first, IndexExpr last, const std::vector<Value>& values, std::string_view name,
             const std::vector<Value>& initial, bool parallel);
  // Yields, and continues after the op whose region was filled.
  void end(OpRef op, const std::vector<Value>& yielded = {});

 private:
  Attribute brackets(std::span<const IndexExpr> expressions, const std::vector<Value>& values,
                     std::vector<Value>& operands);
  std::vector<IndexExpr> alone(std::size_t count);

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  Builder builder_;
  Type i64_, i1_;
};

}  // namespace mlgc::loops

// Gives an op its results, when the types of its operands are known: at once, or, of an op with operands that are used
// before their definition, when the item of the module ends, in the order in which the values are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/function_facts.h"
#include "ir/module.h"
#include "ir/topological_order.h"
#include "text/cursor.h"
#include "text/op_text.h"
#include "text/value_resolver.h"

namespace mlgc::text {

class OpFinisher {
 public:
  // `options` says how types are inferred; it must outlive the finisher.
  OpFinisher(Cursor& in, Context& context, Module& module, ValueResolver& values, const ParseOptions& options)
      : in_(in), context_(context), module_(module), values_(values), options_(options) {}

  // The function whose body is parsed, if any: types are compared under its constraints.
  void enter_function(OpRef function) { function_ = function; }
  void leave_function() { function_ = OpRef(); }
  // Types of one kind whose dims are known to be equal.
  [[nodiscard]] bool same_type(Type a, Type b);

  // Gives the op its results and their names. `operand_types`: as a generic op states them.
  bool finish_op(OpText& op, OpRef made, std::span<const Type> operand_types = {});
  [[nodiscard]] std::size_t deferred_count() const { return deferred_.size(); }
  // A region argument has the type of an operand, which is not known yet.
  void note_untyped(ValueId argument, std::uint32_t operand) { untyped_arguments_.emplace(argument, operand); }
  // The item's text has ended: every use has its value, or has been reported.
  void finish_item(OpRef item);

 private:
  struct DeferredOp {
    OpText op;
    OpRef made;
    std::vector<Type> operand_types;
    std::uint32_t begin;
  };
  [[nodiscard]] bool is_early(const OpText& op, OpRef made) const;
  bool defer_op(OpText& op, OpRef made, std::span<const Type> operand_types);
  bool finish_deferred(const DeferredOp& deferred);
  void finish_deferred_ops(OpRef item, const TopologicalOrder& order);
  bool check_operand_types(const OpText& op, OpRef made, std::span<const Type> operand_types);
  bool check_types(const OpText& op, OpRef made, std::vector<Type>& inferred);
  bool check_result_count(const OpText& op, std::span<const Type> types);

  Cursor& in_;
  Context& context_;
  Module& module_;
  ValueResolver& values_;
  const ParseOptions& options_;
  OpRef function_;
  FunctionFacts facts_;                                           // of function_
  std::vector<DeferredOp> deferred_;                              // of the item at hand
  std::unordered_map<ValueId, std::uint32_t> untyped_arguments_;  // region arguments to operand numbers
};

}  // namespace mlgc::text

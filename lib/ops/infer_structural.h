// Result types of rows without a formula, from attributes, symbols and regions.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/type.h"
#include "support/result.h"

namespace mlgc {

class Context;
class InferContext;
class OpRef;
using InferredTypes = Result<std::vector<Type>, Diagnostic>;

InferredTypes infer_constant(const InferContext& in);
InferredTypes infer_dim(const InferContext& in);
// The next need InferContext::op(): a symbol of its module, or its regions.
InferredTypes infer_read(const InferContext& in);
InferredTypes infer_call(const InferContext& in);     // the callee's sizes are matched with the operands'
InferredTypes infer_if(const InferContext& in);       // what the first region yields
InferredTypes infer_carried(const InferContext& in);  // the operands' types
InferredTypes infer_scan(const InferContext& in);
InferredTypes infer_nonzero(const InferContext& in);   // the stated type, whose first size is a name of its own
InferredTypes infer_range(const InferContext& in);     // the same
InferredTypes infer_isolated(const InferContext& in);  // what the region yields

// The sizes of a callee in the words of its caller: a symbol that is a whole dim of a formal type stands for that dim
// of the actual type. Types that do not fit in rank say nothing.
class CalleeSizes {
 public:
  explicit CalleeSizes(Context& context) : context_(&context) {}
  // Those of a launch: what its `names` and `sizes` state, then what the buffers say. Precondition: as many operands as
  // the callee has arguments.
  [[nodiscard]] static CalleeSizes of_launch(OpRef launch);
  void match(Type formal, Type actual);
  // The first statement of a size stays.
  void state(AtomId symbol, IndexExpr size) { sizes_.try_emplace(symbol, size); }
  [[nodiscard]] IndexExpr in_caller(IndexExpr e) const;
  [[nodiscard]] Type in_caller(Type type) const;
  [[nodiscard]] bool knows(AtomId symbol) const { return sizes_.contains(symbol); }

 private:
  Context* context_;
  std::unordered_map<AtomId, IndexExpr> sizes_;
};

// What a symbol stands for: something that is complete, so not what holds the op.
[[nodiscard]] Result<OpRef, Diagnostic> find_symbol(const OpRef& op, std::string_view name);

// What is wrong with a region of the op: its arguments, or what it yields after the first `skipped` values. A region
// that does not exist yet is valid.
[[nodiscard]] std::optional<Diagnostic> check_region_arguments(const InferContext& in, std::size_t region,
                                                               std::span<const Type> wanted);
[[nodiscard]] std::optional<Diagnostic> check_region_yield(const InferContext& in, std::size_t region,
                                                           std::span<const Type> wanted, std::size_t skipped = 0);

}  // namespace mlgc

// Where an op itself speaks of sizes: in the types of its results and in its attributes. Ops that bind a size must
// stand before all who do, even where no operand says so.
#pragma once

#include <vector>

#include "ir/module.h"

namespace mlgc {

// Calls visit(IndexExpr) for each expression, with repetitions. Answers whether a text may speak of any size besides:
// the formula of `compute` does.
template <class Visitor>
bool visit_mentioned_sizes(OpRef op, Visitor&& visit) {
  const Context& context = op.module().context();
  const AttributePool& attributes = context.attributes();
  for (const Value result : op.results())
    if (context.types().is_shaped(result.type()))
      for (const IndexExpr dim : result.dims()) visit(dim);
  const bool is_text = op.is(GraphOp::Compute);
  bool any = false;
  std::vector<Attribute> open;
  for (const NamedAttribute& entry : attributes.entries(op.attrs())) open.push_back(entry.value);
  while (!open.empty()) {
    const Attribute attribute = open.back();
    open.pop_back();
    for (const Attribute item : attributes.as_array(attribute)) open.push_back(item);
    for (const IndexExpr e : attributes.as_int_list(attribute)) visit(e);
    if (const auto e = attributes.as_int(attribute)) visit(*e);
    any = any || (is_text && attributes.as_string(attribute).has_value());
  }
  return any;
}

}  // namespace mlgc

// What every row of the op table holds to, beyond what compiling it shows.
#include "ops/op_table.h"

#include "ops/instantiate_op.h"
#include "support_catch.h"

namespace mlgc {
namespace {

// Formulas have operands with elements; the index of a loop reaches them as a tensor, through `apply`. So whoever
// derives from formulas (gradients, tangents, fusion) has no index to convert.
TEST_CASE("no row with a formula takes an index") {
  const std::shared_ptr<Context> context = make_context();
  std::size_t rows = 0;
  for (const OpDef* def : op_table()) {
    if (!has_formula(*def)) continue;
    ++rows;
    for (const OperandDef& operand : def->operands) {
      INFO(def->name << ", operand " << operand.name);
      CHECK(operand.elements != ElementClass::Index);
      CHECK(operand.elements != ElementClass::Value);
    }
    for (const AttrDef& attr : def->attrs)
      CHECK(attr.kind != AttributeKind::Subscripts);  // of which indices are operands
    const Type index = context->types().index();
    const std::vector<Type> operands(std::max<std::size_t>(def->operands.size(), 1), index);
    INFO(def->name);
    if (!def->operands.empty()) CHECK(check_operands(*context, *def, operands).has_value());
  }
  CHECK(rows > 150);
}

}  // namespace
}  // namespace mlgc

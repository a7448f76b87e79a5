// What the text says of an op, before it is made and while it is finished.
#pragma once

#include <cstdint>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/attribute.h"
#include "ir/known_ops.h"
#include "ir/op_def.h"
#include "ir/type.h"
#include "text/lexer.h"

namespace mlgc::text {

struct OpText {
  const OpDef* def = nullptr;
  Opcode opcode = Opcode::Invalid;
  Token name;
  std::size_t first_name = 0;    // among the names of results
  std::size_t result_names = 0;  // number of results that the names stand for
  bool poisoned = false;         // an operand has no value: parse, but make no op
  bool types_given = false;
  std::size_t first_deferred = 0;  // among the deferred ops
  std::vector<Type> types;
  Location location;
  Attribute where;
  [[nodiscard]] bool is(GraphOp known) const { return def->graph_op == known; }  // Precondition: the op was found
};

struct RegionArgument {
  Token name;                 // kind End: no name
  Type type;                  // invalid: that of an operand whose type is not known yet
  std::uint32_t operand = 0;  // the operand that initialises it
};

}  // namespace mlgc::text

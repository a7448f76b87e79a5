// See postfix.h.
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

bool apply(mlgc_i64 op, mlgc_i64 a, mlgc_i64 b, mlgc_i64* value) {
  switch (op) {
    case MLGC_ADD: return !__builtin_add_overflow(a, b, value);
    case MLGC_SUB: return !__builtin_sub_overflow(a, b, value);
    case MLGC_MUL: return multiply(a, b, value);
    // Towards minus infinity, as everywhere in the compiler; the divisor is positive.
    case MLGC_FLOORDIV: *value = b < 1 ? 0 : a / b - (a % b < 0 ? 1 : 0); return b >= 1;
    case MLGC_CEILDIV: *value = b < 1 ? 0 : a / b + (a % b > 0 ? 1 : 0); return b >= 1;
    case MLGC_MOD: *value = b < 1 ? 0 : a % b + (a % b < 0 ? b : 0); return b >= 1;
    case MLGC_MIN: *value = a < b ? a : b; return true;
    case MLGC_MAX: *value = a > b ? a : b; return true;
    case MLGC_EQ: *value = a == b; return true;
    case MLGC_NE: *value = a != b; return true;
    case MLGC_LT: *value = a < b; return true;
    case MLGC_LE: *value = a <= b; return true;
    case MLGC_GT: *value = a > b; return true;
    case MLGC_GE: *value = a >= b; return true;
    case MLGC_AND: *value = a != 0 && b != 0; return true;
    default: return false;
  }
}

}  // namespace

bool evaluate(const mlgc_i64* program, const mlgc_i64* symbols, mlgc_i64* value) {
  mlgc_i64 stack[MLGC_POSTFIX_DEPTH];
  mlgc_i32 depth = 0;
  for (; *program != MLGC_END; ++program) {
    if (*program == MLGC_CONSTANT || *program == MLGC_SYMBOL) {
      if (depth == MLGC_POSTFIX_DEPTH) return false;
      const bool constant = *program++ == MLGC_CONSTANT;
      stack[depth++] = constant ? *program : symbols[*program];
    } else {
      if (depth < 2) return false;
      --depth;
      if (!apply(*program, stack[depth - 1], stack[depth], &stack[depth - 1])) return false;
    }
  }
  *value = stack[0];
  return depth == 1;
}

bool evaluate(const mlgc_integer& integer, const mlgc_i64* symbols, mlgc_i64* value) {
  *value = integer.constant;
  return integer.program == nullptr || evaluate(integer.program, symbols, value);
}

mlgc_i32 stage_of(const mlgc_i64* program, const mlgc_symbol* symbols) {
  mlgc_i32 stage = 0;
  for (; *program != MLGC_END; ++program) {
    const mlgc_i64 op = *program;
    if (op != MLGC_CONSTANT && op != MLGC_SYMBOL) continue;
    ++program;
    if (op == MLGC_SYMBOL && symbols[*program].stage > stage) stage = symbols[*program].stage;
  }
  return stage;
}

mlgc_i32 stage_of(const mlgc_integer& integer, const mlgc_symbol* symbols) {
  return integer.program == nullptr ? 0 : stage_of(integer.program, symbols);
}

mlgc_i32 stage_of(const mlgc_value& value, const mlgc_symbol* symbols) {
  mlgc_i32 stage = 0;
  for (mlgc_i32 axis = 0; axis < value.rank; ++axis) {
    const mlgc_i32 of_dim = stage_of(value.dims[axis].size, symbols);
    if (of_dim > stage) stage = of_dim;
  }
  return stage;
}

}  // namespace mlgc::runtime

/* Private to the runtime: values of the postfix programs of unit.h. */
#ifndef MLGC_RUNTIME_POSTFIX_H
#define MLGC_RUNTIME_POSTFIX_H

#include "runtime/unit.h"

namespace mlgc::runtime {

// False: the value does not fit in 64 bits, a divisor is below 1, or the program is none.
[[nodiscard]] bool evaluate(const mlgc_i64* program, const mlgc_i64* symbols, mlgc_i64* value);
[[nodiscard]] bool evaluate(const mlgc_integer& integer, const mlgc_i64* symbols, mlgc_i64* value);

// The stage in which the value is known.
[[nodiscard]] mlgc_i32 stage_of(const mlgc_i64* program, const mlgc_symbol* symbols);
[[nodiscard]] mlgc_i32 stage_of(const mlgc_integer& integer, const mlgc_symbol* symbols);
// Of an output: that of its latest dim.
[[nodiscard]] mlgc_i32 stage_of(const mlgc_value& value, const mlgc_symbol* symbols);

// a * b where it fits.
[[nodiscard]] inline bool multiply(mlgc_i64 a, mlgc_i64 b, mlgc_i64* product) {
  return !__builtin_mul_overflow(a, b, product);
}

}  // namespace mlgc::runtime

#endif

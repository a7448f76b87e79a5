// What a back end supplies to the walk over loop ops (loop_walk.h): spellings of types, numbers, conversions, scalar
// functions and memory accesses. The walk owns statements, names, control flow and addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ops/scalar_function.h"
#include "tensor/dtype.h"

namespace mlgc::codegen {

class Leaves {
 public:
  Leaves() = default;
  Leaves(const Leaves&) = delete;
  Leaves& operator=(const Leaves&) = delete;
  virtual ~Leaves() = default;

  // What stands in front of a function's head, and the type of sizes and indices.
  [[nodiscard]] virtual std::string_view function_prefix() const = 0;
  [[nodiscard]] virtual std::string_view index_type() const = 0;
  // Of an element in memory, and of a variable that holds it (16-bit floats are held in 32 bits).
  [[nodiscard]] virtual std::string_view element_type(Dtype dtype) const = 0;
  [[nodiscard]] virtual std::string_view variable_type(Dtype dtype) const = 0;

  [[nodiscard]] virtual std::string real_literal(Dtype dtype, double value) const = 0;
  [[nodiscard]] virtual std::string integer_literal(Dtype dtype, std::int64_t value) const = 0;
  // Operands are variables or literals, so that a spelling may name one twice.
  [[nodiscard]] virtual std::string call(ScalarFn fn, Dtype operand, Dtype result, std::string_view a,
                                         std::string_view b) const = 0;
  [[nodiscard]] virtual std::string convert(Dtype from, Dtype to, std::string_view a) const = 0;
  // From and to an element in memory.
  [[nodiscard]] virtual std::string load(Dtype dtype, std::string_view place) const = 0;
  [[nodiscard]] virtual std::string store(Dtype dtype, std::string_view place, std::string_view value) const = 0;

  [[nodiscard]] virtual std::string floor_div(std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string floor_mod(std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string minimum(std::string_view a, std::string_view b) const = 0;
  [[nodiscard]] virtual std::string maximum(std::string_view a, std::string_view b) const = 0;

  // Statements: memory that lives to the end of the scope, and the head of a loop over from .. to-1.
  [[nodiscard]] virtual std::string allocate(Dtype dtype, std::string_view name, std::string_view count,
                                             std::string_view failure) const = 0;
  [[nodiscard]] virtual std::string loop_head(std::string_view kind, std::string_view index, std::string_view from,
                                              std::string_view to) const = 0;
  [[nodiscard]] virtual bool is_reserved(std::string_view name) const = 0;
};

}  // namespace mlgc::codegen

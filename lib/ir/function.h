// A view of a `func` op: `func @step(%x: T) -> (tensor<f32>) where … updates (@w = …, %x = …) { … }`.
//
// Representation: attribute sym_name; optionally `result_names` and `gradient` (ops/stated_gradient.h); one region,
// whose arguments are the function's; it ends in `return`. The operands of the return are the results, followed by one
// new state for each entry of the attribute `updates`. The type is not stored: it is what arguments and return say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc {

// What a new state replaces.
struct UpdateTarget {
  StringId symbol;                      // a state or weight; invalid: an argument
  std::optional<std::size_t> argument;  // number of an argument
  friend bool operator==(const UpdateTarget&, const UpdateTarget&) = default;
};

class FuncRef {
 public:
  FuncRef() = default;
  // Precondition: `op` is a func.
  explicit FuncRef(OpRef op) : op_(op) {}
  // An invalid view when `op` is not a func.
  [[nodiscard]] static FuncRef from(OpRef op);

  [[nodiscard]] bool valid() const { return op_.valid(); }
  [[nodiscard]] OpRef op() const { return op_; }
  [[nodiscard]] std::string_view name() const { return op_.symbol(); }
  [[nodiscard]] RegionRef body() const { return op_.region(0); }
  [[nodiscard]] RegionRef::Arguments arguments() const { return body().arguments(); }
  // The terminator; an invalid handle while the body is not complete.
  [[nodiscard]] OpRef return_op() const { return body().terminator(); }
  [[nodiscard]] std::size_t result_count() const;    // without updates
  [[nodiscard]] std::vector<Value> results() const;  // without updates
  [[nodiscard]] Type type() const;                   // a Function type, without updates

  // The name of the function that its adjoints are computed by, where it states one.
  [[nodiscard]] std::optional<std::string_view> gradient() const;

  [[nodiscard]] Constraints constraints() const { return constraints_of(op_); }
  void set_constraints(std::span<const Constraint> constraints) const;

  // In the order of the return's trailing operands.
  [[nodiscard]] std::vector<UpdateTarget> updates() const;
  void set_updates(std::span<const UpdateTarget> updates) const;

 private:
  OpRef op_;
};

// The name of an argument for people and files: the one in the text, else `arg<i>`.
[[nodiscard]] std::string argument_name(const FuncRef& function, std::size_t i);

// The name of a result: the one that the function states, else that of the value that is returned, else `result<i>`.
[[nodiscard]] std::string result_name(const FuncRef& function, std::size_t i);
// States them: one for each result, updates not counted.
void set_result_names(const FuncRef& function, const std::vector<std::string>& names);

// The functions of a module in program order.
[[nodiscard]] std::vector<FuncRef> functions(const Module& module);
// An invalid view when there is none of that name.
[[nodiscard]] FuncRef find_function(const Module& module, std::string_view name);

}  // namespace mlgc

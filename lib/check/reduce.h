// Makes a program smaller while something about it stays: delta debugging over edits of the module.
//
// Guarantees
//   - Every program that is tried has been read back from its own text and verifies; so does the result.
//   - The result satisfies the test, if the input does. Same input, same tests, same result.
//   - At most `max_tests` tests. Texts that were tried before are not tried again, and do not count.
//
// Edits: functions, weights and states go; ops go, and what read their results reads an operand, another visible value
// of the type, or a constant; results and arguments of functions go; an `if` becomes one of its arms; calls are
// inlined; constants become splats; attributes go; sizes in types shrink.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pass/pass.h"

namespace mlgc {

struct ReduceOptions {
  std::size_t max_tests = 2000;
  // Whether the program of this text still fails as it should.
  std::function<bool(const std::string& text)> test;
  // Reads and verifies a text; nothing when it is not correct.
  std::function<std::optional<Module>(const std::string& text)> read;
  std::vector<const PassDef*> simplify;  // passes that are tried as a whole: inline
  // After each accepted edit: what is left, and how many tests were made.
  std::function<void(std::size_t ops, std::size_t tests)> progress = {};
};

struct Reduced {
  std::string text;
  std::size_t tests = 0;
  bool at_limit = false;  // max_tests was reached
};

// Precondition: `module` satisfies the test.
[[nodiscard]] Reduced reduce_module(const Module& module, const ReduceOptions& options);
// For texts that cannot be read: lines go. Precondition: `text` satisfies the test.
[[nodiscard]] Reduced reduce_lines(const std::string& text, const ReduceOptions& options);

}  // namespace mlgc

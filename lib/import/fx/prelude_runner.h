// Runs defs of the prelude on values; prelude_syntax.h says what Python they may use.
#pragma once

#include <cstdint>
#include <span>

#include "import/fx/place.h"
#include "import/fx/prelude_syntax.h"

namespace mlgc::fx {

// What names mean to a def. What gives a value gives nothing after a diagnostic.
class Callables {
 public:
  Callables() = default;
  Callables(const Callables&) = delete;
  Callables& operator=(const Callables&) = delete;
  virtual ~Callables() = default;
  [[nodiscard]] virtual Given call_function(std::string_view name, Arguments arguments) = 0;
  // The first argument is the object.
  [[nodiscard]] virtual Given call_method(std::string_view name, Arguments arguments) = 0;
  [[nodiscard]] virtual Given call_module(const std::string& path, Arguments arguments) = 0;
  [[nodiscard]] virtual Given attribute(const PythonValue& object, const std::string& name) = 0;
};

class PreludeRunner {
 public:
  PreludeRunner(Place place, Callables& callables) : place_(place), callables_(callables) {}
  [[nodiscard]] Given call(const Function& function, Arguments arguments);

 private:
  struct Frame;
  // `last` is said of what a def returns as it is.
  Given evaluate(Frame& frame, const Expression& expression, bool last = false);
  std::optional<std::vector<PythonValue>> evaluate_all(Frame& frame, std::span<const Expression> expressions);
  Given evaluate_call(Frame& frame, const Expression& expression, bool last);
  Given evaluate_attribute(Frame& frame, const Expression& expression);
  Given evaluate_choice(Frame& frame, const Expression& expression, bool last);
  [[nodiscard]] bool bind(Frame& frame, Arguments arguments);
  enum class Went : std::uint8_t { On, Returned, Failed };
  Went run_block(Frame& frame, std::span<const Statement> block);
  Went run_statement(Frame& frame, const Statement& statement);
  Went run_for(Frame& frame, const Statement& statement, const PythonValue& over);
  Went assign(Frame& frame, const Statement& statement, PythonValue value);

  Place place_;
  Callables& callables_;
  int depth_ = 0;  // of defs in each other
};

}  // namespace mlgc::fx

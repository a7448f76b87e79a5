// From a program over Python's values to a module, whatever file the program comes from.
//
// What is imported is the method `forward` of the module in eval mode. Its arguments are tensors and numbers, in the
// order of the program; their types are those that tracing recorded, or that `ImportOptions::input_types` states.
// Results are what the program gives back, tuples, lists and dicts laid out flat. Parameters and buffers that the
// program uses are weights by their paths; those that it changes are states, as inputs that it changes are updated.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "import/program/import_program.h"
#include "import/python/interpreter.h"
#include "ir/constraint.h"

namespace mlgc::python {

// What runs a program: an interpreter, and the order in which its parts are run.
class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;
  [[nodiscard]] virtual Interpreter& interpreter() = 0;
  // The whole program. False after a diagnostic.
  [[nodiscard]] virtual bool run() = 0;
};

// Runs the body of a program node by node.
class ScriptRunner final : public Runner {
 public:
  ScriptRunner(const Program& program, program::GraphScope& scope, TensorSource& tensors, Location file)
      : program_(program),
        origins_(program, scope.context().locations()),
        interpreter_(program, origins_, scope, tensors, file) {}
  [[nodiscard]] Interpreter& interpreter() override { return interpreter_; }
  [[nodiscard]] bool run() override { return interpreter_.run(program_.body); }

 private:
  const Program& program_;
  ScriptOrigins origins_;
  Interpreter interpreter_;
};

// A program, and what runs it.
struct PythonModel {
  std::shared_ptr<const Program> program;
  Location location;
  Constraints constraints;  // of the sizes that its inputs have
  std::function<std::unique_ptr<Runner>(program::GraphScope&, TensorSource&)> runner;
};

// As import_program() says. Every input that is a tensor has a type in `options`, or was traced. Time is linear in the
// program and in what its loops unroll to.
[[nodiscard]] std::optional<ImportedModel> import_python(const std::shared_ptr<Context>& context, PythonModel model,
                                                         const ImportOptions& options, DiagnosticEngine& engine);

}  // namespace mlgc::python

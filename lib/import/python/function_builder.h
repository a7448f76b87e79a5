// The function while it grows: the region that ops go to, ops that nodes of the program become, names of results, and
// diagnostics about nodes.
//
// Guarantees
//   - Every diagnostic is at the line of the program that it is about, with that line in a note.
//   - What gives a Value or a bool is invalid or false after a diagnostic.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "diag/diagnostic.h"
#include "import/program/convert.h"
#include "import/python/origins.h"
#include "import/python/program.h"
#include "import/python/python_value.h"

namespace mlgc::python {

class FunctionBuilder {
 public:
  // `file` is where an error points to that no line of the program is known for.
  FunctionBuilder(const Program& program, const NodeOrigins& origins, program::GraphScope& scope, Location file)
      : program_(program), origins_(origins), file_(file), converter_(scope.context()), scope_(&scope) {}

  // The region that ops go to, and how many regions of ops it is inside of.
  [[nodiscard]] program::GraphScope& scope() const { return *scope_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Ops go to another region until leave(), which takes the scope that enter() gave. For class Region.
  [[nodiscard]] program::GraphScope& enter(program::GraphScope& scope);
  void leave(program::GraphScope& outer);

  [[nodiscard]] Context& context() const { return scope().context(); }
  [[nodiscard]] IndexPool& index() const { return context().index(); }

  [[nodiscard]] Location location(const Node& node) const { return origins_.location(node); }
  // `at`, or the file where that is no place in a text.
  [[nodiscard]] Location placed(Location at) const;
  [[nodiscard]] std::string spelling(const Node& node) const { return origins_.spelling(node); }
  [[nodiscard]] std::vector<Type> recorded_types(const Node& node) const { return origins_.recorded_types(node); }
  void report(const Node& node, Diagnostic diagnostic) const;
  // The diagnostic of why the node cannot be imported: a kind whose first argument is what messages call the node.
  template <const DiagKind& K, class... Args>
  bool refuse(const Node& node, Args&&... args) const {
    report(node, diagnose<K>(location(node), spelling(node), std::forward<Args>(args)...));
    return false;
  }

  [[nodiscard]] Value emit(const Node& node, std::string_view op, std::span<const Value> operands,
                           const program::NodeScope::Attrs& attrs = {});
  // A number as a value of rank 0: i64, f64 or i1.
  [[nodiscard]] Value number_value(const Node& node, const PythonValue& number);

  // --- Nodes of exported programs
  [[nodiscard]] program::Node described(const Node& node, std::string target) const {
    return python::described(program_, node, std::move(target));
  }
  // A value by the name that arguments call it.
  [[nodiscard]] std::string name_value(Value value) const;
  // A size as an argument.
  [[nodiscard]] program::IntArg integer(IndexExpr number) const;
  // As torch.export names results: after the operator, or the variable of the program.
  [[nodiscard]] std::string result_name(std::uint32_t value, std::string_view op, bool used);
  // Of the result of a node that is made once more.
  [[nodiscard]] std::string repeated_name(const std::string& name);
  [[nodiscard]] bool knows(std::string_view target) const { return converter_.known(target); }
  // Builds the ops of `made`. `form` gets the diagnostic that says that the node has no form here, and nothing is left
  // of the node; every other one is given.
  [[nodiscard]] bool convert(const Node& node, const program::Node& made, std::optional<Diagnostic>& form);

 private:
  const Program& program_;
  const NodeOrigins& origins_;
  Location file_;
  program::NodeConverter converter_;
  program::GraphScope* scope_;
  std::size_t depth_ = 0;
  std::map<std::string, int, std::less<>> names_;  // how often a name was given
};

}  // namespace mlgc::python

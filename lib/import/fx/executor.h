// Runs a graph of torch.fx: each node is a call of Python (calls.h), which comes down to ATen operators, and those go
// through the conversion of exported programs (import/python/interpreter.h).
//
// Guarantees
//   - What a node gives is compared with what the exporter recorded of it.
//   - Every error is at the line of the program, where that is known, and names the node.
//   - Whatever is not known is listed completely before anything is built.
#pragma once

#include <optional>
#include <vector>

#include "import/fx/calls.h"
#include "import/fx/higher_order.h"
#include "import/fx/import_fx.h"
#include "import/fx/recorded.h"
#include "import/fx/script.h"
#include "import/python/import_python.h"

namespace mlgc::fx {

class Executor final : public python::Runner {
 public:
  Executor(Script& script, program::GraphScope& scope, const Surroundings& surroundings);

  // From now on a node that cannot be run is no error: `verdicts` gets an entry for each call, and what such a one
  // gives is taken to be what was recorded of it.
  struct SupportCheck {
    std::vector<FxVerdict>& verdicts;
    const RefuseOp& refuse;
  };
  void check_support(const SupportCheck& check) { support_ = &check; }

  [[nodiscard]] python::Interpreter& interpreter() override { return interpreter_; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] bool run() override;

 private:
  [[nodiscard]] bool check_known();
  [[nodiscard]] bool run_node(std::size_t number);
  [[nodiscard]] Given evaluate(const Node& node);
  void check_node(std::size_t number);
  [[nodiscard]] std::string why_refused(std::size_t number);
  // Verdicts of nodes that the node reads.
  [[nodiscard]] std::vector<std::size_t> checked_operands(const Node& node) const;

  const Graph& graph_;
  ValueNumbers numbers_;
  CallSites sites_;
  python::Interpreter interpreter_;
  Place place_;
  Literals literals_;
  Modules modules_;
  Operators operators_;
  Calls calls_;
  HigherOrder higher_order_;
  RecordedValues recorded_;
  const SupportCheck* support_ = nullptr;
  std::vector<std::optional<std::size_t>> verdict_of_;  // by node, where it has one
};

}  // namespace mlgc::fx

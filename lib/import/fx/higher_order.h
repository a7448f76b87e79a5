// Nodes that hold graphs: `cond`, `while_loop`, `scan` and `map` become ops with regions, and a call of a graph its
// nodes. Each graph is run by an executor of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/fx/literals.h"
#include "import/fx/place.h"
#include "import/python/model_attributes.h"
#include "import/python/tensor_memory.h"

namespace mlgc::fx {

[[nodiscard]] bool is_higher_order(std::string_view name);

// What graphs inside of a graph have in common with it.
struct Surroundings {
  RecordedTypes& types;
  python::TensorSource& tensors;
  Location file;
  std::string file_name;
};

class HigherOrder {
 public:
  HigherOrder(Place place, const Literals& literals, python::TensorMemory& tensors, Surroundings surroundings)
      : place_(place), literals_(literals), tensors_(tensors), surroundings_(std::move(surroundings)) {}

  // What the node gives; nothing after a diagnostic, and then nothing is left of it.
  [[nodiscard]] Given call(const Node& node);

 private:
  class Body;
  // What builds the op of a node; nothing after a diagnostic, and then the op stands unfinished.
  [[nodiscard]] Given dispatch(const Node& node);
  [[nodiscard]] Given run_cond(const Node& node);
  [[nodiscard]] Given run_while(const Node& node);
  [[nodiscard]] Given run_scan(const Literal& body, std::span<const PythonValue> carried,
                               std::span<const PythonValue> sequences, std::span<const PythonValue> captured);
  [[nodiscard]] Given run_inline(const Literal& body, std::span<const PythonValue> operands);

  [[nodiscard]] const Literal* argument(const Node& node, std::size_t i, Literal::Kind kind) const;
  // The items of a list or tuple; tensors have their values before an op is begun that reads them.
  [[nodiscard]] std::optional<std::vector<PythonValue>> operands(const Node& node, std::size_t i);
  [[nodiscard]] bool materialise(std::vector<PythonValue>& values);
  // The op is complete: its results in the form that its bodies have.
  [[nodiscard]] Given finish(OpRef op, const PythonValue& form);

  Place place_;
  const Literals& literals_;
  python::TensorMemory& tensors_;
  Surroundings surroundings_;
};

}  // namespace mlgc::fx

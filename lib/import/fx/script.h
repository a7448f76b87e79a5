// A graph of torch.fx in the form of the plug-in, as far as what runs scripts reads it: values, inputs with their
// defaults, and tensors over the mapped weights. Its nodes stay a graph's (executor.h).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "import/fx/executor.h"
#include "import/fx/graph.h"
#include "plugin/plugin_api.h"
#include "tensor/safetensors.h"

namespace mlgc::fx {

// Everything that the parts of `program` point at.
struct Script {
  Script() = default;
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  Graph graph;
  std::optional<Safetensors> weights;
  ValueNumbers numbers;
  std::vector<mlgc_script_value> values;
  std::vector<std::uint32_t> arguments;  // the body's inputs
  std::vector<std::uint32_t> results;
  std::vector<mlgc_script_input> inputs;
  std::deque<mlgc_script_constant> constants;
  std::deque<std::vector<mlgc_script_constant>> constant_items;
  std::vector<mlgc_script_tensor> tensors;
  mlgc_script program{};
};

// `path` is the graph's file, whose folder holds the weights. Nothing after a diagnostic.
[[nodiscard]] std::shared_ptr<Script> make_script(Graph graph, const std::string& path, Location at,
                                                  DiagnosticEngine& engine);
// The same of a graph inside of another, whose tensors are those of the outer one.
[[nodiscard]] std::shared_ptr<Script> make_body_script(Graph graph, Location at, DiagnosticEngine& engine);

}  // namespace mlgc::fx

// A graph of torch.fx as a program of the interpreter, as far as that reads it: values, inputs with their defaults, and
// tensors over the mapped weights. Its nodes stay a graph's (executor.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "import/fx/call_sites.h"
#include "import/fx/graph.h"
#include "import/python/program.h"
#include "tensor/safetensors.h"

namespace mlgc::fx {

// Neither copied nor moved: names and tensors of `program` refer to the graph and the weights.
struct Script {
  Script() = default;
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  Graph graph;
  std::optional<Safetensors> weights;
  ValueNumbers numbers;
  python::Program program;
};

// `path` is the graph's file, whose folder holds the weights. Nothing after a diagnostic.
[[nodiscard]] std::shared_ptr<Script> make_script(Graph graph, const std::string& path, Location at,
                                                  DiagnosticEngine& engine);
// The same of a graph inside of another, whose tensors are those of the outer one.
[[nodiscard]] std::shared_ptr<Script> make_body_script(Graph graph, Location at, DiagnosticEngine& engine);

}  // namespace mlgc::fx

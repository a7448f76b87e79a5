// `mlgc explain gradients`: which arguments, weights and states have a gradient, through which ops it flows, which ops
// end it and why, by what rule each op sends gradients back, and what is saved for that; as text and as JSON. The same
// report gives the same bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

struct GradientFlow {
  struct Op {
    std::string name, place;
  };
  // An op that leads to the results and passes no gradient on, and why.
  struct End {
    Op op;
    std::string reason;
  };
  struct Source {
    std::string name;  // of an argument, or with @ of a weight or state
    bool has_gradient = false;
    std::vector<Op> path;    // from the value to the result, the shortest; the first ops
    std::size_t length = 0;  // of the whole path
    std::vector<End> ends;   // the first ones
    std::string reason;      // why its gradient is zero, or that it is the result itself
  };
  struct Rule {
    std::string op, rule;
    std::size_t count = 0;
  };
  struct Saved {
    std::string name, op, bytes, place;
  };

  std::string function;
  std::vector<std::string> of;  // results
  std::vector<Source> sources;
  std::vector<Rule> rules;  // of the ops that lead to the results
  std::vector<Saved> saved;
  std::string bytes, not_saved;  // of all that is saved; why that is not known
};

// Of the results `of`, by the values `wrt`; empty: the only float one, and all float ones. Nothing when an error was
// reported.
[[nodiscard]] std::optional<GradientFlow> find_gradient_flow(Module module, const std::string& function,
                                                             const std::vector<std::string>& of,
                                                             const std::vector<std::string>& wrt,
                                                             DiagnosticEngine& diagnostics);

[[nodiscard]] std::string render_text(const GradientFlow& flow);
// One object, "version": 1; docs/schemas/explain.gradients.json states its members.
[[nodiscard]] std::string render_json(const GradientFlow& flow);

}  // namespace mlgc

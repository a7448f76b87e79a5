// Where the nodes of a program come from: their locations, and what messages about them say.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "import/program/program.h"
#include "import/python/program.h"
#include "ir/type.h"

namespace mlgc::python {

class NodeOrigins {
 public:
  NodeOrigins() = default;
  NodeOrigins(const NodeOrigins&) = delete;
  NodeOrigins& operator=(const NodeOrigins&) = delete;
  virtual ~NodeOrigins() = default;
  [[nodiscard]] virtual Location location(const Node& node) const = 0;
  // What messages call the node.
  [[nodiscard]] virtual std::string spelling(const Node& node) const = 0;
  // Adds the notes that every diagnostic about the node has.
  virtual void annotate(const Node& node, Diagnostic& diagnostic) const = 0;
  // Types of the node's results that the file states; none where it states none.
  [[nodiscard]] virtual std::vector<Type> recorded_types(const Node& node) const = 0;
};

// Of programs whose nodes are what the file holds: a node is called by its kind.
class ScriptOrigins final : public NodeOrigins {
 public:
  ScriptOrigins(const Program& program, LocationTable& locations) : program_(program), locations_(locations) {}
  [[nodiscard]] Location location(const Node& node) const override;
  [[nodiscard]] std::string spelling(const Node& node) const override { return node.kind; }
  void annotate(const Node& /*node*/, Diagnostic& /*diagnostic*/) const override {}
  [[nodiscard]] std::vector<Type> recorded_types(const Node& /*node*/) const override { return {}; }

 private:
  const Program& program_;
  LocationTable& locations_;
};

// The node as one of an exported program, of that target and without arguments.
[[nodiscard]] program::Node described(const Program& program, const Node& node, std::string target);

}  // namespace mlgc::python

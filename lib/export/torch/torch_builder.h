// Appends calls to a block of a TorchProgram, and names what they give.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/torch/torch_program.h"

namespace mlgc {

// Identifiers of Python, each given once.
class PythonNames {
 public:
  explicit PythonNames(std::initializer_list<std::string_view> taken);
  // `wanted` with `_` for characters that no identifier has, and a number appended where the name is taken.
  [[nodiscard]] std::string fresh(std::string_view wanted);

 private:
  std::set<std::string, std::less<>> taken_;
};

class TorchBuilder {
 public:
  TorchBuilder(Context& context, PythonNames& names, std::vector<TorchNode>& nodes)
      : context_(&context), names_(&names), nodes_(&nodes) {}

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] std::string fresh(std::string_view wanted) const { return names_->fresh(wanted); }
  [[nodiscard]] std::size_t size() const { return nodes_->size(); }
  // The operators of the nodes from number `first` on.
  [[nodiscard]] std::vector<std::string> written(std::size_t first) const;
  TorchNode& add(TorchNode node) const { return nodes_->emplace_back(std::move(node)); }
  // A builder for a block inside of the node that is to come.
  [[nodiscard]] TorchBuilder inside(std::vector<TorchNode>& nodes) const { return {*context_, *names_, nodes}; }

  // A call that gives one tensor, which has the name `wanted` if it can; the name that it has.
  std::string call(std::string target, std::vector<TorchArgument> arguments, Type type,
                   std::string_view wanted = "t") const {
    std::string name = fresh(wanted);
    add({.target = std::move(target), .arguments = std::move(arguments), .results = {{name, type}}});
    return name;
  }

 private:
  Context* context_;
  PythonNames* names_;
  std::vector<TorchNode>* nodes_;
};

}  // namespace mlgc

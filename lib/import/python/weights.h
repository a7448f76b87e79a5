// Tensors of a TorchScript module as weights of the module that is built: each once, whatever its names.
//
// Guarantees: storages are used where LibTorch has them; reads stand at the start of the function, in the order of
// their first use.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "import/program/weights.h"
#include "import/python/model_attributes.h"
#include "tensor/npz.h"

namespace mlgc::python {

// The bytes of the tensors.
class Storages final : public program::WeightSource {
 public:
  Storages(std::shared_ptr<const Program> program, Location location);
  // The tensor of that number; null for one of a kind that there is none of here.
  [[nodiscard]] const program::WeightView* view(std::size_t number) const;

  [[nodiscard]] const program::WeightView* find_weight(std::string_view name) const override;
  [[nodiscard]] const program::WeightView* find_constant(std::string_view name) const override;
  [[nodiscard]] std::optional<SharedBytes> storage(const program::WeightView& weight,
                                                   DiagnosticEngine& engine) const override;
  [[nodiscard]] Location location() const override { return location_; }

 private:
  std::shared_ptr<const Program> program_;
  Location location_;
  std::vector<std::optional<program::WeightView>> views_;     // by number
  std::map<std::string, SharedBytes, std::less<>> storages_;  // by WeightView::storage
};

class Weights final : public TensorSource {
 public:
  Weights(const Program& program, const Storages& storages, program::GraphScope& scope, OpRef function)
      : program_(program), storages_(storages), scope_(scope), function_(function) {}

  [[nodiscard]] Result<Tensor> find(std::size_t number, const std::string& path) override;

  struct Entry {
    const program::WeightView* view = nullptr;
    std::vector<std::string> names;  // paths; the first is the symbol
    bool inlined = false;            // a constant of the text, without a symbol
    Tensor tensor;
    Value initial;
    OpRef item;  // the weight
  };
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // Makes the weight a state.
  void make_state(std::size_t number);
  // False after a diagnostic.
  [[nodiscard]] bool load(NamedTensors& tensors, DiagnosticEngine& engine) const;

 private:
  [[nodiscard]] OpRef put_first(OpRef op);
  [[nodiscard]] Result<Value> inline_constant(const program::WeightView& view, std::optional<IndexExpr>& number);

  const Program& program_;
  const Storages& storages_;
  program::GraphScope& scope_;
  OpRef function_;
  OpRef last_;  // of what stands at the start of the function
  std::vector<Entry> entries_;
  std::map<program::WeightView, std::size_t> entry_of_;
  std::map<std::string, std::shared_ptr<Memory>> memory_of_;  // by storage
};

}  // namespace mlgc::python

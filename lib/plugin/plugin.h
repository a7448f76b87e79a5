// LibTorch, when it is asked for: ATen operators by schema name, called on host tensors, and TorchScript files as plain
// data.
//
// Guarantees
//   - Nothing is loaded before the first load(); the library stays loaded to the end of the process.
//   - Tensors are copied both ways.
//   - Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "plugin/plugin_api.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

// A tensor of which only the type is known.
struct TensorShape {
  Dtype dtype;
  Shape sizes;
};

// std::monostate is `None`; two floats in a number's place are a complex number; shapes are for infer(). Items of a
// list of tensors may be absent where the schema says `Tensor?[]`.
using AtenValue = std::variant<std::monostate, Tensor, std::vector<std::optional<Tensor>>, std::int64_t,
                               std::vector<std::int64_t>, double, std::vector<double>, bool, std::vector<bool>,
                               std::string, Dtype, TensorShape, std::vector<std::optional<TensorShape>>>;

struct AtenArgument {
  std::string_view name;  // of the schema
  AtenValue value;
};

// One parameter of an operator's schema.
struct AtenParameter {
  std::string_view name;
  mlgc_torch_kind kind = MLGC_TORCH_OTHER;
  bool optional = false;     // takes None
  bool has_default = false;  // may be left out
};

// An operator; as good as the process is long.
class AtenOp {
 public:
  AtenOp() = default;
  [[nodiscard]] bool valid() const { return op_ != nullptr; }
  [[nodiscard]] std::string_view name() const { return name_; }  // `aten::add.Tensor`
  [[nodiscard]] std::span<const AtenParameter> parameters() const { return known_->parameters; }
  [[nodiscard]] bool has(mlgc_torch_trait trait) const { return (known_->traits & trait) != 0; }

 private:
  friend class TorchPlugin;
  struct Known {
    const mlgc_torch_op* op = nullptr;
    std::vector<AtenParameter> parameters;
    std::uint32_t traits = 0;
  };
  const mlgc_torch_op* op_ = nullptr;
  std::string_view name_;
  const Known* known_ = nullptr;
};

class TorchPlugin {
 public:
  // The file that the environment variable MLGC_TORCH_PLUGIN names, else libmlgc_torch.so beside the running program.
  // LibTorch computes on one thread: sums of floats may depend on their number. Error: not found or not to be used.
  [[nodiscard]] static Result<const TorchPlugin*, Diagnostic> load();

  [[nodiscard]] std::string_view torch_version() const { return api_->torch_version; }

  // By its full name, `aten::add.Tensor` or `aten::relu`. An invalid handle when there is none.
  [[nodiscard]] AtenOp find(std::string_view name) const;

  // Arguments that are left out take the schema's defaults. Tuples and lists of results are laid out flat; results that
  // are undefined are absent. Error: LibTorch's own message.
  [[nodiscard]] Result<std::vector<std::optional<Tensor>>> call(const AtenOp& op,
                                                                std::span<const AtenArgument> arguments) const;

  // The same of shapes: what the results would be. Where the operator cannot say it without elements it runs on zeros.
  [[nodiscard]] Result<std::vector<std::optional<TensorShape>>> infer(const AtenOp& op,
                                                                      std::span<const AtenArgument> arguments) const;

  // A file of torch.jit.save. Error: LibTorch's own message.
  [[nodiscard]] Result<std::shared_ptr<const mlgc_script>> load_script(const std::string& path) const;

 private:
  explicit TorchPlugin(const mlgc_torch_api* api) : api_(api) {}
  const mlgc_torch_api* api_;
  mutable std::map<std::string, AtenOp::Known, std::less<>> known_;
};

}  // namespace mlgc

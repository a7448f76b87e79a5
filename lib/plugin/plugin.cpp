// See plugin.h.
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "diag/kinds_torch.h"
#include "support/activity.h"
#include "support/subprocess.h"

namespace mlgc {
namespace {

static_assert(static_cast<int>(Dtype::I1) == MLGC_TORCH_I1 && static_cast<int>(Dtype::UI8) == MLGC_TORCH_UI8 &&
              static_cast<int>(Dtype::F16) == MLGC_TORCH_F16 && static_cast<int>(Dtype::F64) == MLGC_TORCH_F64 &&
              static_cast<int>(Dtype::C128) == MLGC_TORCH_C128 && kDtypeCount == MLGC_TORCH_C128 + 1);

constexpr std::string_view kFile = "libmlgc_torch.so";

std::string plugin_path() {
  if (const char* given = std::getenv("MLGC_TORCH_PLUGIN"); given != nullptr && *given != '\0') return given;
  const std::string self = own_path(), folder = self.substr(0, self.rfind('/') + 1);
  // Beside the program as it is built; where `cmake --install` puts it.
  const std::string built = folder + std::string(kFile), installed = folder + "../lib/mlgc/" + std::string(kFile);
  return ::access(built.c_str(), R_OK) != 0 && ::access(installed.c_str(), R_OK) == 0 ? installed : built;
}

Result<const mlgc_torch_api*> open(const std::string& path) {
  // A file that is not there is the usual case, and dlopen says it at length.
  if (::access(path.c_str(), R_OK) != 0) return Failure{path + ": there is no such file"};
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return Failure{reason != nullptr ? std::string(reason) : path + ": it cannot be loaded"};
  }
  const auto entry = reinterpret_cast<mlgc_torch_plugin_function>(::dlsym(library, "mlgc_torch_plugin"));
  const mlgc_torch_api* const api = entry != nullptr ? entry() : nullptr;
  if (api == nullptr) return Failure{path + ": it is no plug-in of mlgc"};
  if (api->abi != MLGC_TORCH_ABI)
    return Failure{path + ": it is of version " + std::to_string(api->abi) + ", wanted is " +
                   std::to_string(MLGC_TORCH_ABI)};
  return api;
}

// Owns what the plug-in hands out.
class Handles {
 public:
  explicit Handles(const mlgc_torch_api& api) : api_(api) {}
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (mlgc_torch_tensor* t : tensors_)
      if (t != nullptr) api_.free_tensor(t);
    if (error_ != nullptr) api_.free_text(error_);
  }

  char** error() { return &error_; }
  // Throws std::bad_alloc where that is the reason.
  [[nodiscard]] std::string message() const {
    if (error_ != nullptr && std::string_view(error_) == MLGC_TORCH_NO_MEMORY) throw std::bad_alloc();
    return error_ != nullptr ? error_ : !own_error_.empty() ? own_error_ : "no reason is given";
  }
  void own(mlgc_torch_tensor* tensor) { tensors_.push_back(tensor); }

  // Null when the plug-in cannot make it.
  mlgc_torch_tensor* make(const Tensor& t) {
    own(api_.make_tensor(static_cast<std::int32_t>(t.dtype()), t.rank(), t.shape().data(), t.bytes().data(), &error_));
    return tensors_.back();
  }

  mlgc_torch_tensor* make(const TensorShape& t) {
    own(api_.make_shape(static_cast<std::int32_t>(t.dtype), t.sizes.size(), t.sizes.data(), &error_));
    return tensors_.back();
  }

  std::optional<Tensor> read(mlgc_torch_tensor* tensor) {
    std::int32_t dtype = 0;
    std::size_t rank = 0;
    const std::int64_t* sizes = nullptr;
    const void* data = nullptr;
    if (api_.describe(tensor, &dtype, &rank, &sizes, &data, &error_) != 0) return std::nullopt;
    if (dtype < 0 || dtype >= static_cast<std::int32_t>(kDtypeCount))
      return fail("a result has an unknown element type");
    auto out = Tensor::create(static_cast<Dtype>(dtype), Shape(sizes, sizes + rank));
    if (!out) return fail(out.error());
    if (out->byte_size() != 0) std::memcpy(out->mutable_bytes().data(), data, out->byte_size());
    return std::move(*out);
  }

  std::optional<TensorShape> read_shape(mlgc_torch_tensor* tensor) {
    std::int32_t dtype = 0;
    std::size_t rank = 0;
    const std::int64_t* sizes = nullptr;
    if (api_.describe_shape(tensor, &dtype, &rank, &sizes, &error_) != 0) return std::nullopt;
    if (dtype >= 0 && dtype < static_cast<std::int32_t>(kDtypeCount))
      return TensorShape{static_cast<Dtype>(dtype), Shape(sizes, sizes + rank)};
    fail("a result has an unknown element type");
    return std::nullopt;
  }

 private:
  std::optional<Tensor> fail(std::string reason) {
    own_error_ = std::move(reason);
    return std::nullopt;
  }

  const mlgc_torch_api& api_;
  std::vector<mlgc_torch_tensor*> tensors_;
  char* error_ = nullptr;
  std::string own_error_;
};

// An argument as the ABI wants it; what it points to lives as long as this does.
struct Lowered {
  mlgc_torch_argument argument{};
  std::string name;
  std::vector<mlgc_torch_tensor*> tensors;
  std::vector<std::int64_t> flags;
};

class Lower {
 public:
  Lower(Handles& handles, Lowered& out)
      : handles_(handles), out_(out.argument), tensors_(out.tensors), flags_(out.flags) {}
  bool operator()(std::monostate) const { return set(MLGC_TORCH_NONE); }
  bool operator()(const Tensor& t) const { return add(t) && list(MLGC_TORCH_TENSOR); }
  bool operator()(const TensorShape& t) const { return add(t) && list(MLGC_TORCH_TENSOR); }
  bool operator()(const std::vector<std::optional<Tensor>>& items) const { return add_all(items); }
  bool operator()(const std::vector<std::optional<TensorShape>>& items) const { return add_all(items); }
  bool operator()(std::int64_t value) const { return out_.integer = value, set(MLGC_TORCH_INT); }
  bool operator()(double value) const { return out_.real = value, set(MLGC_TORCH_FLOAT); }
  bool operator()(bool value) const { return out_.integer = value ? 1 : 0, set(MLGC_TORCH_BOOL); }
  bool operator()(Dtype value) const { return out_.integer = static_cast<std::int64_t>(value), set(MLGC_TORCH_DTYPE); }
  bool operator()(const std::string& value) const { return out_.text = value.c_str(), set(MLGC_TORCH_STRING); }
  bool operator()(const std::vector<std::int64_t>& items) const {
    out_.integers = items.data();
    out_.count = items.size();
    return set(MLGC_TORCH_INTS);
  }
  bool operator()(const std::vector<bool>& items) const {
    flags_.assign(items.begin(), items.end());
    out_.integers = flags_.data();
    out_.count = flags_.size();
    return set(MLGC_TORCH_BOOLS);
  }
  bool operator()(const std::vector<double>& items) const {
    out_.reals = items.data();
    out_.count = items.size();
    return set(MLGC_TORCH_FLOATS);
  }

 private:
  bool set(mlgc_torch_kind kind) const {
    out_.kind = kind;
    return true;
  }
  template <class Items>
  bool add_all(const Items& items) const {
    for (const auto& item : items) {
      if (!item)
        tensors_.push_back(nullptr);
      else if (!add(*item))
        return false;
    }
    return list(MLGC_TORCH_TENSORS);
  }
  bool add(const TensorShape& t) const {
    tensors_.push_back(handles_.make(t));
    return tensors_.back() != nullptr;
  }
  bool add(const Tensor& t) const {
    tensors_.push_back(handles_.make(t));
    return tensors_.back() != nullptr;
  }
  bool list(mlgc_torch_kind kind) const {
    out_.tensors = tensors_.data();
    out_.count = tensors_.size();
    return set(kind);
  }

  Handles& handles_;
  mlgc_torch_argument& out_;
  std::vector<mlgc_torch_tensor*>& tensors_;
  std::vector<std::int64_t>& flags_;
};

}  // namespace

Result<const TorchPlugin*, Diagnostic> TorchPlugin::load() {
  static std::unique_ptr<const TorchPlugin> loaded;
  if (loaded) return loaded.get();
  const auto api = open(plugin_path());
  if (!api) return Failure{diagnose<kNoTorchPlugin>({}, api.error())};
  loaded.reset(new TorchPlugin(*api));
  (*api)->set_threads(1);
  return loaded.get();
}

AtenOp TorchPlugin::find(std::string_view name) const {
  auto at = known_.find(name);
  if (at == known_.end()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string base(name.substr(0, dot)), overload(name.substr(std::min(dot + 1, name.size())));
    at = known_.try_emplace(std::string(name)).first;
    AtenOp::Known& known = at->second;
    known.op = api_->find_op(base.c_str(), overload.c_str());
    if (known.op != nullptr) known.traits = api_->traits(known.op);
    const std::size_t count = known.op == nullptr ? 0 : api_->parameter_count(known.op);
    for (std::size_t i = 0; i < count; ++i) {
      mlgc_torch_parameter parameter{};
      api_->parameter(known.op, i, &parameter);
      known.parameters.push_back({parameter.name, static_cast<mlgc_torch_kind>(parameter.kind), parameter.optional != 0,
                                  parameter.has_default != 0});
    }
  }
  AtenOp out;
  out.op_ = at->second.op;
  out.name_ = at->first;
  out.known_ = &at->second;
  return out;
}

namespace {

// Runs an operator by one of the ABI's functions; what it gives belongs to `handles`. Nothing, and a message there,
// when it fails.
template <class Function>
std::optional<std::vector<mlgc_torch_tensor*>> run(const mlgc_torch_api& api, Function function,
                                                   const mlgc_torch_op* op, std::span<const AtenArgument> arguments,
                                                   Handles& handles) {
  std::vector<Lowered> lowered(arguments.size());
  std::vector<mlgc_torch_argument> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    lowered[i].name = arguments[i].name;
    lowered[i].argument.name = lowered[i].name.c_str();
    if (!std::visit(Lower(handles, lowered[i]), arguments[i].value)) return std::nullopt;
    given.push_back(lowered[i].argument);
  }
  mlgc_torch_tensor** list = nullptr;
  std::size_t count = 0;
  if (function(op, given.data(), given.size(), &list, &count, handles.error()) != 0) return std::nullopt;
  std::vector<mlgc_torch_tensor*> results(list, list + count);
  api.free_list(list);
  for (mlgc_torch_tensor* t : results) handles.own(t);
  return results;
}

}  // namespace

Result<std::vector<std::optional<Tensor>>> TorchPlugin::call(const AtenOp& op,
                                                             std::span<const AtenArgument> arguments) const {
  MLGC_ASSERT(op.valid(), "an operator that LibTorch does not have is called");
  Handles handles(*api_);
  auto results = run(*api_, api_->call, op.op_, arguments, handles);
  if (!results) return Failure{handles.message()};
  std::vector<std::optional<Tensor>> out;
  for (mlgc_torch_tensor* t : *results) {
    out.push_back(t == nullptr ? std::nullopt : handles.read(t));
    if (t != nullptr && !out.back()) return Failure{handles.message()};
  }
  return out;
}

Result<std::vector<std::optional<TensorShape>>> TorchPlugin::infer(const AtenOp& op,
                                                                   std::span<const AtenArgument> arguments) const {
  MLGC_ASSERT(op.valid(), "an operator that LibTorch does not have is asked for");
  Handles handles(*api_);
  const auto results = run(*api_, api_->infer, op.op_, arguments, handles);
  if (!results) return Failure{handles.message()};
  std::vector<std::optional<TensorShape>> out;
  for (mlgc_torch_tensor* t : *results) {
    out.push_back(t == nullptr ? std::nullopt : handles.read_shape(t));
    if (t != nullptr && !out.back()) return Failure{handles.message()};
  }
  return out;
}

Result<std::shared_ptr<const mlgc_script>> TorchPlugin::load_script(const std::string& path) const {
  Handles handles(*api_);
  const Activity reading("reading the TorchScript module", path);
  const mlgc_script* const script = api_->load_script(path.c_str(), handles.error());
  if (script == nullptr) return Failure{handles.message()};
  return std::shared_ptr<const mlgc_script>(script, api_->free_script);
}

}  // namespace mlgc

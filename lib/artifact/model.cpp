// See model.h.
#include "artifact/model.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "diag/kinds_artifact.h"
#include "support/log.h"
#include "support/parts.h"

namespace mlgc {
namespace {

Diagnostic refused_as(const mlgc_unit& unit, std::int32_t status, const std::string& what) {
  const bool device = unit.abi == MLGC_UNIT_ABI && unit.device != nullptr;
  switch (status) {
    case MLGC_BAD_INPUT:
    case MLGC_BAD_USAGE: return diagnose<kRunRefused>({}, what);
    case MLGC_UNSUPPORTED: return device ? diagnose<kDeviceUnsupported>({}, what) : diagnose<kRunUnsupported>({}, what);
    case MLGC_LIMIT: return device ? diagnose<kDeviceLimit>({}, what) : diagnose<kRunLimit>({}, what);
    case MLGC_DEVICE_FAILED: return diagnose<kDeviceFailed>({}, what);
    case MLGC_EXTERNAL_FAILED: return diagnose<kExternalFailed>({}, what);
    default: throw InternalError(what);
  }
}

// The model's device is this thread's, as long as the object lives.
class Selected {
 public:
  explicit Selected(const Model& model) : device_(model.device()) {
    const char* reason = nullptr;
    if (device_ == nullptr || device_->select(model.device_number(), &previous_, &reason) != MLGC_OK) device_ = nullptr;
  }
  Selected(const Selected&) = delete;
  Selected& operator=(const Selected&) = delete;
  ~Selected() {
    std::int32_t ours = 0;
    const char* reason = nullptr;
    if (device_ != nullptr) (void)device_->select(previous_, &ours, &reason);
  }

 private:
  const mlgc_device* device_;
  std::int32_t previous_ = 0;
};

// The first touch of memory, by several threads: within a copy from the device one thread would do it, which takes
// several times as long as the copy.
void touch(std::span<std::byte> fresh) {
  constexpr std::size_t kPage = 4096, kLeast = std::size_t{8} << 20U;
  for_each_part(parts_of(fresh.size(), kLeast), [&](std::size_t, Part part) {
    for (std::size_t at = part.begin; at < part.end; at += kPage) fresh[at] = std::byte{0};
  });
}

mlgc_tensor empty_tensor() {
  mlgc_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  return tensor;
}

}  // namespace

Diagnostic Model::refused(std::int32_t status, const std::string& what) const {
  return refused_as(unit(), status, what);
}

Result<Model, Diagnostic> Model::load(const ArtifactFiles& files, ModelOptions options) {
  Result<SharedObject, Diagnostic> object = files.shared_object.empty()
                                                ? SharedObject::open(files.code, files.path, files.manifest.unit)
                                                : SharedObject::open(files.shared_object, files.manifest.unit);
  if (!object) return Failure{std::move(object).error()};
  return load(*std::move(object), files.weights, std::move(options));
}

Result<Model, Diagnostic> Model::load(SharedObject object, SharedBytes weights, ModelOptions given) {
  const mlgc_unit& unit = *object.unit();
  for (std::int32_t s = 0; unit.abi == MLGC_UNIT_ABI && s < unit.segment_count; ++s)
    if (const char* const target = unit.segments[s].segment.target; !given.externals.has(target))
      return Failure{diagnose<kExternalMissing>({}, unit.name, target)};
  Model model;
  model.loaded_ = std::make_shared<Loaded>(std::move(object), std::move(weights), std::move(given.externals));
  Loaded& loaded = *model.loaded_;
  loaded.device = given.device;
  mlgc_program_options options = {};
  options.struct_size = sizeof options;
  options.weights = loaded.weights.bytes.data();
  options.weights_bytes = loaded.weights.size();
  options.vector_bytes = given.vector_bytes;
  options.externals = loaded.externals.tables().data();
  options.external_count = static_cast<std::int32_t>(loaded.externals.tables().size());
  options.device_id = given.device;
  options.copy_weights = given.copy_weights ? 1 : 0;
  std::array<char, 1024> error{};
  const std::int32_t status =
      model.abi().program_create(loaded.object.unit(), &options, &loaded.program, error.data(), error.size());
  if (status != MLGC_OK) return Failure{model.refused(status, error.data())};
  return model;
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) device_->release(data_);
}

Status<Diagnostic> DeviceMemory::reset(const Model& model, std::size_t bytes) {
  if (data_ != nullptr && bytes <= bytes_) return {};
  const Selected selected(model);
  DeviceMemory made;
  const char* reason = "";
  made.device_ = model.device();
  const std::int32_t status = made.device_->allocate(static_cast<std::int64_t>(bytes), &made.data_, &reason);
  if (status != MLGC_OK)
    return Failure{
        model.refused(status, std::to_string(bytes) + " bytes for a tensor of `" + model.unit().name + "`: " + reason)};
  made.bytes_ = bytes;
  *this = std::move(made);
  return {};
}

Status<Diagnostic> DeviceMemory::copy_in(const Model& model, std::span<const std::byte> from) {
  if (Status<Diagnostic> held = reset(model, from.size()); !held || from.empty()) return held;
  const Selected selected(model);
  const char* reason = "";
  const std::int32_t status =
      device_->copy_in(data_, from.data(), static_cast<std::int64_t>(from.size()), nullptr, &reason);
  if (status != MLGC_OK) return Failure{model.refused(status, std::string("an input: ") + reason)};
  return {};
}

Result<Tensor, Diagnostic> copy_out(const Model& model, const mlgc_tensor& tensor) {
  Tensor value = Tensor::zeros(static_cast<Dtype>(tensor.dtype), Shape(tensor.sizes, tensor.sizes + tensor.rank));
  if (value.byte_size() == 0) return value;
  touch(value.mutable_bytes());
  const Selected selected(model);
  const char* reason = "";
  const std::int32_t status = model.device()->copy_out(value.mutable_bytes().data(), tensor.data,
                                                       static_cast<std::int64_t>(value.byte_size()), nullptr, &reason);
  if (status != MLGC_OK) return Failure{model.refused(status, std::string("an output: ") + reason)};
  return value;
}

ModelContext::State::~State() {
  if (context != nullptr) model.abi().context_destroy(context);
}

Result<ModelContext, Diagnostic> ModelContext::make(const Model& model, const ModelContextOptions& given) {
  ModelContext made;
  made.state_ = std::make_unique<State>();
  made.state_->model = model;
  made.state_->log = given.log;
  mlgc_context_options options = {};
  options.struct_size = sizeof options;
  options.threads = given.threads;
  options.measure_arena = given.measure_arena ? 1 : 0;
  options.memory_limit = given.memory_limit;
  if (given.log) {
    options.log_data = made.state_.get();
    options.log = [](void* data, const mlgc_launch_event* event) { static_cast<const State*>(data)->log(*event); };
  }
  std::array<char, 1024> error{};
  const std::int32_t status =
      model.abi().context_create(model.program(), &options, &made.state_->context, error.data(), error.size());
  if (status != MLGC_OK) return Failure{model.refused(status, error.data())};
  return made;
}

Result<std::vector<Tensor>, Diagnostic> ModelContext::run(std::int32_t function, std::span<const Tensor> inputs) {
  const Model& model = state_->model;
  const RuntimeAbi& abi = model.abi();
  const mlgc_signature* const signature = abi.function_signature(model.program(), function);
  MLGC_ASSERT(signature != nullptr, "a model has no function " + std::to_string(function));
  std::vector<mlgc_tensor> given;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> copies;
  if (model.device() != nullptr) state_->inputs.resize(std::max(state_->inputs.size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    const std::span<const std::byte> bytes = input.bytes();
    mlgc_tensor tensor = empty_tensor();
    tensor.data = const_cast<std::byte*>(bytes.data());
    // A tensor is aligned for its dtype; kernels may want more.
    constexpr std::size_t kAlignment = 64;
    if (model.device() != nullptr) {
      if (Status<Diagnostic> copied = state_->inputs[i].copy_in(model, bytes); !copied) return Failure{copied.error()};
      tensor.data = state_->inputs[i].data();
      tensor.device = model.device()->kind;
      tensor.device_id = model.device_number();
    } else if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment != 0) {
      copies.emplace_back(std::aligned_alloc(kAlignment, (bytes.size() + kAlignment) / kAlignment * kAlignment),
                          &std::free);
      if (copies.back() == nullptr) return Failure{diagnose<kRunLimit>({}, "no memory for the inputs")};
      std::memcpy(copies.back().get(), bytes.data(), bytes.size());
      tensor.data = copies.back().get();
    }
    tensor.dtype = static_cast<std::int32_t>(input.dtype());
    tensor.rank = static_cast<std::int32_t>(input.rank());
    tensor.sizes = input.shape().data();
    tensor.bytes = bytes.size();
    given.push_back(tensor);
  }
  if (model.device() != nullptr) log_debug("copied the inputs to the device");
  std::vector<mlgc_tensor> outputs(static_cast<std::size_t>(signature->output_count), empty_tensor());
  const std::int32_t status = abi.run(state_->context, function, given.data(), static_cast<std::int32_t>(given.size()),
                                      outputs.data(), static_cast<std::int32_t>(outputs.size()));
  if (status != MLGC_OK) return Failure{model.refused(status, abi.error(state_->context))};
  if (const std::int32_t failed = abi.context_synchronize(state_->context); failed != MLGC_OK) {
    Failure failure{model.refused(failed, abi.error(state_->context))};
    for (const mlgc_tensor& output : outputs) (void)abi.release(state_->context, output.data);
    return failure;
  }
  log_debug("computed");
  std::vector<Tensor> results;
  for (const mlgc_tensor& output : outputs) {
    if (model.device() != nullptr) {
      Result<Tensor, Diagnostic> value = copy_out(model, output);
      if (!value) return Failure{std::move(value).error()};
      results.push_back(*std::move(value));
    } else {
      Result<Tensor> copy =
          Tensor::from_bytes(static_cast<Dtype>(output.dtype), Shape(output.sizes, output.sizes + output.rank),
                             {static_cast<const std::byte*>(output.data), output.bytes});
      MLGC_ASSERT(copy.ok(), copy ? "" : copy.error());
      results.push_back(*std::move(copy));
    }
    (void)abi.release(state_->context, output.data);
  }
  return results;
}

Tensor ModelContext::state(std::int32_t number) const {
  const mlgc_data& data = state_->model.unit().states[number];
  Tensor value = Tensor::zeros(static_cast<Dtype>(data.dtype), Shape(data.sizes, data.sizes + data.rank));
  const std::int32_t status =
      state_->model.abi().state_read(state_->context, number, value.mutable_bytes().data(), value.byte_size());
  MLGC_ASSERT(status == MLGC_OK, state_->model.abi().error(state_->context));
  return value;
}

Status<Diagnostic> ModelContext::set_state(std::int32_t number, const Tensor& value) {
  const mlgc_data& data = state_->model.unit().states[number];
  const Shape shape(data.sizes, data.sizes + data.rank);
  if (value.dtype() != static_cast<Dtype>(data.dtype) || value.shape() != shape)
    return Failure{diagnose<kRunRefused>({}, "state `" + std::string(data.name) + "` is " +
                                                 to_string(static_cast<Dtype>(data.dtype), shape) +
                                                 ", the value given is " + value.type_string())};
  const std::int32_t status =
      state_->model.abi().state_write(state_->context, number, value.bytes().data(), value.byte_size());
  if (status != MLGC_OK) return Failure{state_->model.refused(status, state_->model.abi().error(state_->context))};
  return {};
}

mlgc_memory ModelContext::memory() const {
  mlgc_memory memory = {};
  memory.struct_size = sizeof memory;
  (void)state_->model.abi().context_memory(state_->context, &memory);
  return memory;
}

}  // namespace mlgc

// See model.h.
#include "artifact/model.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "diag/kinds_artifact.h"

namespace mlgc {
namespace {

Diagnostic refused(std::int32_t status, const std::string& what) {
  switch (status) {
    case MLGC_BAD_INPUT:
    case MLGC_BAD_USAGE: return diagnose<kRunRefused>({}, what);
    case MLGC_UNSUPPORTED: return diagnose<kRunUnsupported>({}, what);
    case MLGC_LIMIT: return diagnose<kRunLimit>({}, what);
    case MLGC_EXTERNAL_FAILED: return diagnose<kExternalFailed>({}, what);
    default: throw InternalError(what);
  }
}

mlgc_tensor empty_tensor() {
  mlgc_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  return tensor;
}

}  // namespace

Result<Model, Diagnostic> Model::load(const ArtifactFiles& files, std::int32_t vector_bytes, Externals externals) {
  Result<SharedObject, Diagnostic> object = files.shared_object.empty()
                                                ? SharedObject::open(files.code, files.path, files.manifest.unit)
                                                : SharedObject::open(files.shared_object, files.manifest.unit);
  if (!object) return Failure{std::move(object).error()};
  return load(*std::move(object), files.weights, vector_bytes, std::move(externals));
}

Result<Model, Diagnostic> Model::load(SharedObject object, SharedBytes weights, std::int32_t vector_bytes,
                                      Externals externals) {
  const mlgc_unit& unit = *object.unit();
  for (std::int32_t s = 0; unit.abi == MLGC_UNIT_ABI && s < unit.segment_count; ++s)
    if (const char* const target = unit.segments[s].segment.target; !externals.has(target))
      return Failure{diagnose<kExternalMissing>({}, unit.name, target)};
  Model model;
  model.loaded_ = std::make_shared<Loaded>(std::move(object), std::move(weights), std::move(externals));
  mlgc_program_options options = {};
  options.struct_size = sizeof options;
  options.weights = model.loaded_->weights.bytes.data();
  options.weights_bytes = model.loaded_->weights.size();
  options.vector_bytes = vector_bytes;
  options.externals = model.loaded_->externals.tables().data();
  options.external_count = static_cast<std::int32_t>(model.loaded_->externals.tables().size());
  std::array<char, 1024> error{};
  const std::int32_t status = model.abi().program_create(model.loaded_->object.unit(), &options,
                                                         &model.loaded_->program, error.data(), error.size());
  if (status != MLGC_OK) return Failure{refused(status, error.data())};
  return model;
}

ModelContext::State::~State() {
  if (model) model->object.abi().context_destroy(context);
}

Result<ModelContext, Diagnostic> ModelContext::make(const Model& model, const ModelContextOptions& given) {
  ModelContext made;
  made.state_ = std::make_unique<State>();
  made.state_->model = model.loaded_;
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
  if (status != MLGC_OK) return Failure{refused(status, error.data())};
  return made;
}

Result<std::vector<Tensor>, Diagnostic> ModelContext::run(std::int32_t function, std::span<const Tensor> inputs) {
  const RuntimeAbi& abi = state_->model->object.abi();
  const mlgc_signature* const signature = abi.function_signature(state_->model->program, function);
  MLGC_ASSERT(signature != nullptr, "a model has no function " + std::to_string(function));
  std::vector<mlgc_tensor> given;
  std::vector<std::unique_ptr<void, decltype(&std::free)>> copies;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    const std::span<const std::byte> bytes = input.bytes();
    mlgc_tensor tensor = empty_tensor();
    tensor.data = const_cast<std::byte*>(bytes.data());
    // A tensor is aligned for its dtype; kernels may want more.
    constexpr std::size_t kAlignment = 64;
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment != 0) {
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
  std::vector<mlgc_tensor> outputs(static_cast<std::size_t>(signature->output_count), empty_tensor());
  const std::int32_t status = abi.run(state_->context, function, given.data(), static_cast<std::int32_t>(given.size()),
                                      outputs.data(), static_cast<std::int32_t>(outputs.size()));
  if (status != MLGC_OK) return Failure{refused(status, abi.error(state_->context))};
  std::vector<Tensor> results;
  for (const mlgc_tensor& output : outputs) {
    Result<Tensor> copy =
        Tensor::from_bytes(static_cast<Dtype>(output.dtype), Shape(output.sizes, output.sizes + output.rank),
                           {static_cast<const std::byte*>(output.data), output.bytes});
    MLGC_ASSERT(copy.ok(), copy ? "" : copy.error());
    results.push_back(*std::move(copy));
    (void)abi.release(state_->context, output.data);
  }
  return results;
}

Tensor ModelContext::state(std::int32_t number) const {
  const mlgc_data& data = state_->model->object.unit()->states[number];
  Tensor value = Tensor::zeros(static_cast<Dtype>(data.dtype), Shape(data.sizes, data.sizes + data.rank));
  const std::int32_t status =
      state_->model->object.abi().state_read(state_->context, number, value.mutable_bytes().data(), value.byte_size());
  MLGC_ASSERT(status == MLGC_OK, state_->model->object.abi().error(state_->context));
  return value;
}

Status<Diagnostic> ModelContext::set_state(std::int32_t number, const Tensor& value) {
  const mlgc_data& data = state_->model->object.unit()->states[number];
  const Shape shape(data.sizes, data.sizes + data.rank);
  if (value.dtype() != static_cast<Dtype>(data.dtype) || value.shape() != shape)
    return Failure{diagnose<kRunRefused>({}, "state `" + std::string(data.name) + "` is " +
                                                 to_string(static_cast<Dtype>(data.dtype), shape) +
                                                 ", the value given is " + value.type_string())};
  const std::int32_t status =
      state_->model->object.abi().state_write(state_->context, number, value.bytes().data(), value.byte_size());
  if (status != MLGC_OK) return Failure{refused(status, state_->model->object.abi().error(state_->context))};
  return {};
}

mlgc_memory ModelContext::memory() const {
  mlgc_memory memory = {};
  memory.struct_size = sizeof memory;
  (void)state_->model->object.abi().context_memory(state_->context, &memory);
  return memory;
}

}  // namespace mlgc

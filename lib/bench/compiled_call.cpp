// See compiled_call.h.
#include "bench/compiled_call.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "artifact/artifact.h"
#include "bench/statistics.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_interp.h"

namespace mlgc::bench {
namespace {

using Clock = std::chrono::steady_clock;

using Bytes = std::unique_ptr<void, decltype(&std::free)>;

// Aligned as vectors want it, from 2 MiB on in large pages where the system has such, which is where numpy puts what
// other backends read and how the machine's limits are measured; null without memory.
Bytes allocate(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes < kLargePage ? 64 : kLargePage;
  const std::size_t size = (bytes + alignment) / alignment * alignment;
  Bytes memory(std::aligned_alloc(alignment, size), &std::free);
  if (memory != nullptr && bytes >= kLargePage) madvise(memory.get(), size, MADV_HUGEPAGE);
  return memory;
}

constexpr int kWarmStarts = 5;
constexpr std::size_t kFewestCalls = 5;

}  // namespace

struct CompiledCall::Memory {
  std::vector<Bytes> blocks;
  std::vector<DeviceMemory> on_device;
  std::vector<Shape> sizes;  // of the outputs: the context's own live until its next call only
  std::vector<mlgc_tensor> inputs, outputs;
  std::vector<std::size_t> lent;  // outputs whose sizes only a call tells: the context brings their memory
};

Result<CompiledCall, Diagnostic> CompiledCall::make(const Model& model, const std::string& function,
                                                    std::span<const Tensor> inputs, std::int32_t threads) {
  CompiledCall made;
  made.model_ = model;
  made.threads_ = threads;
  made.inputs_.assign(inputs.begin(), inputs.end());
  made.function_ = model.abi().find_function(model.program(), function.c_str());
  if (made.function_ < 0) return Failure{diagnose<kNoFunction>({}, function)};
  ModelContextOptions options;
  options.threads = threads;
  auto context = ModelContext::make(model, options);
  if (!context) return Failure{std::move(context.error())};
  made.context_ = *std::move(context);

  made.memory_ = std::make_shared<Memory>();
  Memory& memory = *made.memory_;
  const auto add = [&](std::size_t bytes) -> Result<void*, Diagnostic> {
    if (model.device() == nullptr) {
      memory.blocks.push_back(allocate(bytes));
      if (memory.blocks.back() != nullptr) return memory.blocks.back().get();
      return Failure{diagnose<kRunLimit>({}, "no memory for the inputs or outputs")};
    }
    memory.on_device.emplace_back();
    if (Status<Diagnostic> held = memory.on_device.back().reset(model, bytes); !held) return Failure{held.error()};
    return memory.on_device.back().data();
  };
  mlgc_tensor empty = {};
  empty.struct_size = sizeof empty;
  if (model.device() != nullptr) empty.device = model.device()->kind;
  empty.device_id = model.device_number();
  for (const Tensor& input : made.inputs_) {
    mlgc_tensor tensor = empty;
    const Result<void*, Diagnostic> data = add(input.byte_size());
    if (!data) return Failure{data.error()};
    tensor.data = *data;
    if (model.device() == nullptr)
      std::memcpy(tensor.data, input.bytes().data(), input.byte_size());
    else if (Status<Diagnostic> copied = memory.on_device.back().copy_in(model, input.bytes()); !copied)
      return Failure{copied.error()};
    tensor.dtype = static_cast<std::int32_t>(input.dtype());
    tensor.rank = static_cast<std::int32_t>(input.rank());
    tensor.sizes = input.shape().data();
    tensor.bytes = input.byte_size();
    memory.inputs.push_back(tensor);
  }
  const mlgc_signature* const signature = model.abi().function_signature(model.program(), made.function_);
  memory.outputs.assign(static_cast<std::size_t>(signature->output_count), empty);
  const std::int32_t status = model.abi().output_shapes(made.context_.handle(), made.function_, memory.inputs.data(),
                                                        static_cast<std::int32_t>(memory.inputs.size()),
                                                        memory.outputs.data(), signature->output_count);
  if (status != MLGC_OK) return Failure{model.refused(status, model.abi().error(made.context_.handle()))};
  for (mlgc_tensor& output : memory.outputs) memory.sizes.emplace_back(output.sizes, output.sizes + output.rank);
  for (std::size_t i = 0; i < memory.outputs.size(); ++i) {
    mlgc_tensor& output = memory.outputs[i];
    if (std::ranges::any_of(memory.sizes[i], [](std::int64_t size) { return size < 0; })) {
      memory.lent.push_back(i);
      continue;
    }
    output.sizes = memory.sizes[i].data();
    const Result<void*, Diagnostic> data = add(output.bytes);
    if (!data) return Failure{data.error()};
    output.data = *data;
  }
  const auto start = Clock::now();
  Status<> called = made.call();
  if (called) called = made.finish();
  if (!called) return Failure{diagnose<kRunRefused>({}, called.error())};
  made.first_call_ = seconds_since(start);
  return made;
}

Status<> CompiledCall::call(const ModelContext& context) const {
  // What a context lent goes back to it: what this call's own one did before its next call, so that it can be read.
  const auto give_back = [&](const ModelContext& to) {
    for (const std::size_t i : memory_->lent) {
      if (memory_->outputs[i].data != nullptr) (void)model_.abi().release(to.handle(), memory_->outputs[i].data);
      memory_->outputs[i] = {};
      memory_->outputs[i].struct_size = sizeof(mlgc_tensor);
    }
  };
  give_back(context_);
  const std::int32_t status = model_.abi().run(
      context.handle(), function_, memory_->inputs.data(), static_cast<std::int32_t>(memory_->inputs.size()),
      memory_->outputs.data(), static_cast<std::int32_t>(memory_->outputs.size()));
  if (status != MLGC_OK) return Failure{std::string(model_.abi().error(context.handle()))};
  if (context.handle() != context_.handle()) give_back(context);
  return {};
}

Status<> CompiledCall::finish() const {
  if (model_.abi().context_synchronize(context_.handle()) == MLGC_OK) return {};
  return Failure{std::string(model_.abi().error(context_.handle()))};
}

Result<std::vector<Tensor>, Diagnostic> CompiledCall::outputs() const {
  std::vector<Tensor> tensors;
  for (const mlgc_tensor& output : memory_->outputs) {
    if (model_.device() != nullptr) {
      Result<Tensor, Diagnostic> value = copy_out(model_, output);
      if (!value) return Failure{std::move(value.error())};
      tensors.push_back(*std::move(value));
      continue;
    }
    auto copy = Tensor::from_bytes(static_cast<Dtype>(output.dtype), Shape(output.sizes, output.sizes + output.rank),
                                   {static_cast<const std::byte*>(output.data), output.bytes});
    MLGC_ASSERT(copy.ok(), copy ? "" : copy.error());
    tensors.push_back(*std::move(copy));
  }
  return tensors;
}

Result<std::vector<KernelTime>, Diagnostic> CompiledCall::kernel_times(double seconds) const {
  struct Launches {
    KernelTime kernel;
    std::vector<double> seconds;
  };
  std::vector<Launches> launches;
  std::size_t next = 0;  // in this call
  ModelContextOptions options;
  options.threads = threads_;
  options.log = [&](const mlgc_launch_event& event) {
    if (next == launches.size())
      launches.push_back({{event.function, event.kernel, event.number, 0, event.bytes, event.flops}, {}});
    // A call whose control flow takes another way has other launches; what they have in common counts.
    if (launches[next].kernel.number == event.number)
      launches[next].seconds.push_back(static_cast<double>(event.nanoseconds) * 1e-9);
    ++next;
  };
  auto context = ModelContext::make(model_, options);
  if (!context) return Failure{std::move(context.error())};
  const auto start = Clock::now();
  for (std::size_t calls = 0; calls < kFewestCalls || seconds_since(start) < seconds; ++calls) {
    if (calls == 1)  // the first call touches memory
      for (Launches& launch : launches) launch.seconds.clear();
    next = 0;
    if (const Status<> called = call(*context); !called) return Failure{diagnose<kRunRefused>({}, called.error())};
  }
  std::vector<KernelTime> times;
  for (Launches& launch : launches) {
    if (launch.seconds.empty()) continue;
    launch.kernel.seconds = median(launch.seconds);
    times.push_back(std::move(launch.kernel));
  }
  return times;
}

Result<CallUse, Diagnostic> CompiledCall::use() const {
  CallUse use;
  ModelContextOptions options;
  options.threads = threads_;
  options.log = [&](const mlgc_launch_event&) { ++use.launches; };
  auto context = ModelContext::make(model_, options);
  if (!context) return Failure{std::move(context.error())};
  if (const Status<> called = call(*context); !called) return Failure{diagnose<kRunRefused>({}, called.error())};
  use.temporaries = context->memory().arena_planned;
  return use;
}

Result<double, Diagnostic> warm_start_seconds(const std::string& path, const std::string& function,
                                              std::span<const Tensor> inputs, std::int32_t threads,
                                              std::int32_t device) {
  std::vector<double> times;
  for (int i = 0; i < kWarmStarts; ++i) {
    const auto start = Clock::now();
    auto files = open_artifact(path);
    if (!files) return Failure{std::move(files.error())};
    auto model = Model::load(*files, {.device = device});
    if (!model) return Failure{std::move(model.error())};
    auto call = CompiledCall::make(*model, function, inputs, threads);
    if (!call) return Failure{std::move(call.error())};
    times.push_back(seconds_since(start));
  }
  return median(times);
}

}  // namespace mlgc::bench

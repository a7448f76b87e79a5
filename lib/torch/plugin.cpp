// The plug-in: operators of ATen by schema name, called boxed; TorchScript is in script.cpp.
//
// Guarantees: no exception leaves it; nothing is recorded for autograd; LibTorch's warnings, which are for people who
// wrote the call, go nowhere.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "torch/script.h"
#include "torch/values.h"

struct mlgc_torch_op {
  c10::OperatorHandle handle;
};

namespace {

using namespace mlgc_torch;

char* copy_text(const std::string& text) {
  char* const out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

// Runs `body`; what it throws becomes a message. 0 when it threw nothing.
template <class Body>
std::int32_t guarded(char** error, const Body& body) {
  try {
    body();
    return 0;
  } catch (const c10::Error& wrong) {
    const std::string text = wrong.what_without_backtrace();
    // The allocator's words; it has no class of its own for it.
    const bool memory = text.find("DefaultCPUAllocator") != std::string::npos;
    *error = copy_text(memory ? MLGC_TORCH_NO_MEMORY : text);
  } catch (const std::bad_alloc&) {
    *error = copy_text(MLGC_TORCH_NO_MEMORY);
  } catch (const std::exception& wrong) {
    *error = copy_text(wrong.what());
  } catch (...) {
    *error = copy_text("LibTorch threw something that is no error");
  }
  return 1;
}

mlgc_torch_op* find_op(const char* name, const char* overload) {
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<mlgc_torch_op>> known;
  mlgc_torch_op* op = nullptr;
  char* error = nullptr;
  guarded(&error, [&] {
    auto [at, fresh] = known.try_emplace({name, overload});
    const auto found = fresh ? c10::Dispatcher::singleton().findSchema({name, overload}) : std::nullopt;
    if (found) at->second = std::make_unique<mlgc_torch_op>(mlgc_torch_op{*found});
    op = at->second.get();
  });
  std::free(error);
  return op;
}

std::size_t parameter_count(const mlgc_torch_op* op) { return op->handle.schema().arguments().size(); }

void parameter(const mlgc_torch_op* op, std::size_t i, mlgc_torch_parameter* out) {
  *out = {"", MLGC_TORCH_OTHER, 0, 0};
  char* error = nullptr;
  guarded(&error, [&] {
    const c10::Argument& argument = op->handle.schema().arguments().at(i);
    *out = {argument.name().c_str(), kind_of(argument), argument.type()->kind() == c10::TypeKind::OptionalType,
            argument.default_value().has_value()};
  });
  std::free(error);
}

mlgc_torch_tensor* make_tensor(std::int32_t dtype, std::size_t rank, const std::int64_t* sizes, const void* data,
                               char** error) {
  mlgc_torch_tensor* out = nullptr;
  guarded(error, [&] {
    const c10::InferenceMode mode;
    at::Tensor t = at::empty(at::IntArrayRef(sizes, rank), at::TensorOptions().dtype(scalar_type(dtype)));
    if (t.nbytes() != 0) std::memcpy(t.mutable_data_ptr(), data, t.nbytes());
    out = new mlgc_torch_tensor{std::move(t)};
  });
  return out;
}

std::int32_t describe(mlgc_torch_tensor* tensor, std::int32_t* dtype, std::size_t* rank, const std::int64_t** sizes,
                      const void** data, char** error) {
  return guarded(error, [&] {
    const c10::InferenceMode mode;
    at::Tensor& t = tensor->tensor;
    if (!t.device().is_cpu() || t.layout() != at::kStrided)
      throw std::invalid_argument("the result is no dense tensor of the CPU");
    if (!dtype_of(t.scalar_type(), *dtype))
      throw std::invalid_argument(std::string("the result has the element type ") + c10::toString(t.scalar_type()));
    if (t._is_zerotensor()) t = at::zeros(t.sizes(), t.options());  // zeros that have no memory
    t = t.contiguous().resolve_conj().resolve_neg();
    *rank = static_cast<std::size_t>(t.dim());
    *sizes = t.sizes().data();
    *data = t.const_data_ptr();
  });
}

void free_tensor(mlgc_torch_tensor* tensor) { delete tensor; }

// The arguments in the order of the schema, with its defaults.
torch::jit::Stack stack_of(const mlgc_torch_op* op, const mlgc_torch_argument* arguments, std::size_t argument_count) {
  torch::jit::Stack stack;
  std::size_t used = 0;
  for (const c10::Argument& wanted : op->handle.schema().arguments()) {
    const mlgc_torch_argument* given = nullptr;
    for (std::size_t i = 0; i < argument_count && given == nullptr; ++i)
      if (wanted.name() == arguments[i].name) given = &arguments[i];
    if (given != nullptr) {
      stack.push_back(to_ivalue(*given, wanted));
      ++used;
    } else if (wanted.default_value()) {
      stack.push_back(*wanted.default_value());
    } else {
      throw std::invalid_argument("argument `" + wanted.name() + "` is missing");
    }
  }
  if (used != argument_count) throw std::invalid_argument("an argument is not in the schema, or given twice");
  return stack;
}

void give_results(const torch::jit::Stack& stack, mlgc_torch_tensor*** results, std::size_t* count) {
  std::vector<at::Tensor> flat;
  for (const c10::IValue& value : stack) append_results(value, flat);
  std::vector<std::unique_ptr<mlgc_torch_tensor>> made;
  for (at::Tensor& t : flat)
    made.push_back(t.defined() ? std::make_unique<mlgc_torch_tensor>(mlgc_torch_tensor{std::move(t)}) : nullptr);
  auto list = std::make_unique<mlgc_torch_tensor*[]>(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) list[i] = made[i].release();
  *results = list.release();
  *count = flat.size();
}

std::int32_t call(const mlgc_torch_op* op, const mlgc_torch_argument* arguments, std::size_t argument_count,
                  mlgc_torch_tensor*** results, std::size_t* count, char** error) {
  return guarded(error, [&] {
    const c10::InferenceMode mode;
    torch::jit::Stack stack = stack_of(op, arguments, argument_count);
    op->handle.callBoxed(stack);
    give_results(stack, results, count);
  });
}

std::uint32_t traits(const mlgc_torch_op* op) {
  std::uint32_t out = 0;
  char* error = nullptr;
  guarded(&error, [&] {
    if (op->handle.schema().is_mutable()) out |= MLGC_TORCH_MUTATES;
    if (op->handle.hasTag(at::Tag::nondeterministic_seeded)) out |= MLGC_TORCH_DRAWS;
    if (op->handle.hasTag(at::Tag::dynamic_output_shape)) out |= MLGC_TORCH_SIZES_FROM_DATA;
    const std::vector<c10::Argument>& returns = op->handle.schema().returns();
    if (returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::TensorType) out |= MLGC_TORCH_ONE_TENSOR;
  });
  std::free(error);
  return out;
}

mlgc_torch_tensor* make_shape(std::int32_t dtype, std::size_t rank, const std::int64_t* sizes, char** error) {
  mlgc_torch_tensor* out = nullptr;
  guarded(error, [&] {
    const c10::InferenceMode mode;
    const auto options = at::TensorOptions().dtype(scalar_type(dtype)).device(at::kMeta);
    out = new mlgc_torch_tensor{at::empty(at::IntArrayRef(sizes, rank), options)};
  });
  return out;
}

std::int32_t infer(const mlgc_torch_op* op, const mlgc_torch_argument* arguments, std::size_t argument_count,
                   mlgc_torch_tensor*** results, std::size_t* count, char** error) {
  return guarded(error, [&] {
    const c10::InferenceMode mode;
    torch::jit::Stack stack = stack_of(op, arguments, argument_count);
    try {
      op->handle.callBoxed(stack);
    } catch (const c10::NotImplementedError&) {
      stack = stack_of(op, arguments, argument_count);
      for (c10::IValue& value : stack) value = with_zeros(value);
      op->handle.callBoxed(stack);
    }
    give_results(stack, results, count);
  });
}

std::int32_t describe_shape(mlgc_torch_tensor* tensor, std::int32_t* dtype, std::size_t* rank,
                            const std::int64_t** sizes, char** error) {
  return guarded(error, [&] {
    const at::Tensor& t = tensor->tensor;
    if (t.layout() != at::kStrided) throw std::invalid_argument("the result is no dense tensor");
    if (!dtype_of(t.scalar_type(), *dtype))
      throw std::invalid_argument(std::string("the result has the element type ") + c10::toString(t.scalar_type()));
    *rank = static_cast<std::size_t>(t.dim());
    *sizes = t.sizes().data();
  });
}

void free_list(mlgc_torch_tensor** list) { delete[] list; }
void free_text(char* text) { std::free(text); }
void set_threads(std::int32_t count) {
  char* error = nullptr;
  guarded(&error, [&] { at::set_num_threads(count); });
  std::free(error);
}

const mlgc_script* load_script_file(const char* path, char** error) {
  const mlgc_script* out = nullptr;
  guarded(error, [&] { out = load_script(path); });
  return out;
}

constexpr mlgc_torch_api kApi{
    MLGC_TORCH_ABI, TORCH_VERSION,  find_op,   parameter_count, parameter,        make_tensor,
    describe,       free_tensor,    call,      free_list,       traits,           make_shape,
    infer,          describe_shape, free_text, set_threads,     load_script_file, free_script,
};

class NoWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& /*warning*/) override {}
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const mlgc_torch_api* mlgc_torch_plugin() {
  static NoWarnings none;
  c10::WarningUtils::set_warning_handler(&none);
  return &kApi;
}

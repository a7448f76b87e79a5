// See print_model.h.
#include "codegen/cuda/print_model.h"

#include <algorithm>
#include <set>

#include "analysis/in_place.h"
#include "codegen/cpp/print_table.h"
#include "codegen/cpp/unit.h"
#include "codegen/cuda/cuda_hooks.h"
#include "codegen/prelude.h"
#include "diag/kinds_codegen.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loops/add_host_functions.h"

namespace mlgc {
namespace {

using codegen::PrintedFunction;

constexpr std::string_view kHead = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define MLGC_INLINE __attribute__((unused)) __host__ __device__ static inline
#define MLGC_UNUSED __attribute__((unused))
#define MLGC_HOST __attribute__((unused)) static
#define MLGC_DEVICE __attribute__((unused)) __device__ static inline
)";

// Whether kernels of the host function, or loops of it that become kernels, may note a failure.
bool can_fail(const codegen::ModelFunction& function, std::span<const PrintedFunction> kernels) {
  return ProgramEnds().may_end(function.host_function) ||
         std::any_of(function.launches.begin(), function.launches.end(), [&](const codegen::ModelLaunch& launch) {
           return kernels[launch.kernel].text.find("mlgc_fail(") != std::string::npos;
         });
}

// Kernels of a grid do not order what they read and write of one element, so text in which buffers share memory is not
// printed: the op that says so.
OpRef sharing_memory(std::span<const codegen::ModelFunction> functions, std::span<const OpRef> kernels) {
  OpRef found;
  for (const codegen::ModelFunction& function : functions)
    walk(function.host_function, [&](OpRef op) {
      bool shares = (op.is(LoopOp::Alloc) && op.operand_count() > 0) || op.attr("in_place").valid();
      if (op.is(LoopOp::Launch)) {
        const codegen::ModelLaunch& launch = function.launches[function.launch_of.at(op.id())];
        const std::vector<bool> written = written_arguments(kernels[launch.kernel]);
        for (std::size_t i = 0; i < op.operand_count(); ++i)
          for (std::size_t j = 0; j < op.operand_count(); ++j)
            shares = shares ||
                     (i != j && written[i] && underlying_buffer(op.operand(i)) == underlying_buffer(op.operand(j)));
      }
      if (shares && !found.valid()) found = op;
    });
  return found;
}

}  // namespace

Result<SourceModel, Diagnostic> print_cuda_model(const Module& module, const codegen::DataPlaces& places,
                                                 const SourceOptions& options) {
  std::vector<std::string> messages;
  const codegen::CudaHooks hooks(messages);
  std::set<std::string> names;
  const std::vector<OpRef> kernel_ops = codegen::launched_kernels(module);
  for (const OpRef function : codegen::launched_externals(module))
    return Failure{diagnose<kCannotEmit>(external_op(function).location(),
                                         "a segment of an external target, which is called with memory of the CPU")};
  auto kernels = codegen::print_loop_functions(kernel_ops, hooks, names);
  if (!kernels) return Failure{std::move(kernels.error())};
  auto functions = codegen::describe_host_functions(module, codegen::memory_of(*kernels));
  if (!functions) return Failure{std::move(functions.error())};
  if (const OpRef op = sharing_memory(*functions, kernel_ops); op.valid())
    return Failure{diagnose<kCannotEmit>(
        op.location(), "buffers that share memory, which CUDA does not order: emit text without a plan")};
  if (functions->empty()) return Failure{diagnose<kCannotEmit>({}, "a module without a function to call")};
  const codegen::ModelData data = codegen::model_data(module);
  const std::string name = model_identifier(module), symbol = "mlgc_unit_" + name;
  std::string text;
  for (const PrintedFunction& kernel : *kernels) text += "\n" + kernel.text;
  codegen::TableText table{
      std::string(codegen::module_name(module)), options.version, symbol, "nullptr", {}, "\"\"", "&mlgc_cuda_device"};
  std::string host_functions, queues;
  bool any_fails = false;
  for (const codegen::ModelFunction& function : *functions) {
    const bool fails = can_fail(function, *kernels);
    any_fails = any_fails || fails;
    const codegen::CudaHostHooks host(messages, fails ? &function - functions->data() : -1);
    auto printed = codegen::print_host_function({function, data, *kernels},
                                                codegen::free_name(function.host_function.symbol(), host, names), host);
    if (!printed) return Failure{std::move(printed.error())};
    host_functions += "\n" + printed->text;
    table.run.push_back(printed->name);
    queues += std::string("    {") + (fails ? "1" : "0") + ", " + (host.only_launches() ? "1" : "0") + "},\n";
  }
  if (any_fails) {
    text += "\n// Why kernels fail, by the numbers that they note.\nstatic const char* const mlgc_messages[] = {\n";
    for (const std::string& message : messages) text += "    " + codegen::c_string(message) + ",\n";
    if (messages.empty()) text += "    nullptr,  // the host alone fails\n";
    text += "};\n";
  }
  text += host_functions;
  text += "\nstatic const mlgc_queue mlgc_queues[] = {\n" + queues +
          "};\nstatic const mlgc_device mlgc_cuda_device = MLGC_CUDA_DEVICE(mlgc_queues, " +
          (any_fails ? "mlgc_messages" : "nullptr") + ");\n";
  text += codegen::print_table(module, *functions, data, places, table);
  SourceModel model;
  model.symbol = symbol;
  model.sources.push_back({"model.cu", "#include \"runtime/unit.h\"\n\n" + std::string(kHead) +
                                           "\nnamespace mlgc_model_" + name + " {\n\n" +
                                           codegen::print_prelude(text, codegen::cuda_prelude()) + text +
                                           "\n}  // namespace mlgc_model_" + name + "\n"});
  model.header = codegen::model_header(module, *functions, symbol, hooks);
  return model;
}

Result<std::vector<codegen::ModelFunction>, Diagnostic> describe_cuda_host_functions(Module& module) {
  if (Status<Diagnostic> added = add_host_functions(module); !added) return Failure{added.error()};
  std::vector<std::string> messages;
  std::set<std::string> names;
  const auto kernels =
      codegen::print_loop_functions(codegen::launched_kernels(module), codegen::CudaHooks(messages), names);
  if (!kernels) return Failure{kernels.error()};
  return codegen::describe_host_functions(module, codegen::memory_of(*kernels));
}

}  // namespace mlgc

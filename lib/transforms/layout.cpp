// layout: in which order the axes of a host function's buffers lie in memory. How it is chosen, says
// schedule/choose_layouts.h; what it takes, schedule/permute_axes.h.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "machine/machine.h"
#include "memory/plan_transforms.h"
#include "schedule/choose_layouts.h"
#include "schedule/permute_axes.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kLayoutCounters{
    PassCounter{"changed", "buffers whose axes have another order in memory"},
    PassCounter{"kept", "buffers for which there was another order; each notes why it was not taken"},
    PassCounter{"copied", "kernels that are also launched on a buffer that is as it was"},
    PassCounter{"elided", "on a gpu: copies between buffers of the same order, whose readers read the source"},
};

struct LayoutOptions {
  std::string function, buffer;
  std::vector<std::string> order;
  std::string format{kMemoryFormatNames.front()}, device{"cpu"};
};
constexpr std::array kLayoutOptions{
    pass_option<&LayoutOptions::function>("function",
                                          "the host function that allocates the buffer; empty: the only one"),
    pass_option<&LayoutOptions::buffer>("buffer", "the name of the buffer, without %; empty: all, as they take least"),
    pass_option<&LayoutOptions::order>("order", "of the old axes, in the new one: 0,2,1"),
    pass_option<&LayoutOptions::format>(
        "format",
        "of buffers between convolutions. contiguous: as it is; channels_last: channels are "
        "contiguous; auto: whichever is predicted to take less"),
    pass_option<&LayoutOptions::device>(
        "device",
        "what runs it: cpu or gpu; on a gpu channels of 16-bit floats are contiguous, and nothing else changes"),
};

// The only host function, or the one of that name. An invalid view after reporting.
FuncRef chosen_host_function(const Module& module, const std::string& name, PassContext& context) {
  std::vector<FuncRef> found;
  for (const FuncRef& function : functions(module))
    if (is_host_function(function.op()) && (name.empty() || function.name() == name)) found.push_back(function);
  if (found.size() == 1) return found[0];
  if (name.empty())
    reject_option(context, "function", "there are " + std::to_string(found.size()) + " host functions: name one");
  else
    reject_option(context, "function", "there is no host function `@" + name + "`");
  return {};
}

// A permutation of the axes; nothing after reporting.
std::optional<AxisOrder> read_order(const std::vector<std::string>& words, std::size_t rank, PassContext& context) {
  AxisOrder order;
  for (const std::string& word : words) {
    std::size_t axis = rank;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), axis);
    if (error != std::errc() || end != word.data() + word.size()) axis = rank;
    order.push_back(axis);
  }
  AxisOrder sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool fits = sorted.size() == rank;
  for (std::size_t i = 0; i < sorted.size(); ++i) fits = fits && sorted[i] == i;
  if (fits) return order;
  reject_option(context, "order", "expected each axis from 0 to " + std::to_string(rank - 1) + " once");
  return std::nullopt;
}

PassResult run_on(Module& module, const LayoutOptions& options, PassContext& context) {
  const FuncRef host_function = chosen_host_function(module, options.function, context);
  if (!host_function.valid()) return PassResult::Failed;
  std::vector<Value> found;
  const auto look = [&](Value v) {
    if (module.context().types().kind(v.type()) == TypeKind::Buffer && v.name() == options.buffer) found.push_back(v);
  };
  for (const Value v : host_function.arguments()) look(v);
  walk(host_function.op(), [&](OpRef op) {
    for (const Value v : op.results()) look(v);
  });
  if (found.size() != 1) {
    reject_option(context, "buffer",
                  "`@" + std::string(host_function.name()) + "` has " + std::to_string(found.size()) + " buffers `%" +
                      options.buffer + "`, not one");
    return PassResult::Failed;
  }
  const Value buffer = found[0];
  const auto order = read_order(options.order, buffer.rank(), context);
  if (!order) return PassResult::Failed;
  const Location at = buffer.is_result() ? buffer.definer().location() : host_function.op().location();
  if (const TransformResult may = may_permute_axes(buffer); !may) {
    Diagnostic refused = may.error();
    refused.at = at;
    context.diagnostics().emit(std::move(refused));
    return PassResult::Failed;
  }
  if (std::is_sorted(order->begin(), order->end()) || !context.may_rewrite("layout", at)) return PassResult::Unchanged;
  AxisPermuter permuter(module);
  (void)permuter.permute(buffer, *order);
  context.count("changed") = 1;
  context.count("copied") = permuter.copied();
  return PassResult::Changed;
}

std::string one_of_formats() {
  std::string out;
  for (const std::string_view name : kMemoryFormatNames)
    out += (out.empty() ? "" : name == kMemoryFormatNames.back() ? " or " : ", ") + std::string(name);
  return out;
}

PassResult run(Module& module, const LayoutOptions& options, PassContext& context) {
  const auto format = memory_format(options.format);
  if (!format) {
    reject_option(context, "format", "expected " + one_of_formats() + ", found `" + options.format + "`");
    return PassResult::Failed;
  }
  if (!options.buffer.empty()) return run_on(module, options, context);
  for (const auto& [name, given] :
       {std::pair("function", !options.function.empty()), std::pair("order", !options.order.empty())}) {
    if (!given) continue;
    reject_option(context, name, "expected `buffer` beside it: without, all buffers are looked at");
    return PassResult::Failed;
  }
  const bool is_gpu = options.device == machine_kind_name(MachineKind::Gpu);
  if (!is_gpu && options.device != machine_kind_name(MachineKind::Cpu)) {
    reject_option(context, "device", "expected cpu or gpu, found `" + options.device + "`");
    return PassResult::Failed;
  }
  const std::uint64_t before = context.gate().count();
  const LayoutCounts counts = is_gpu ? choose_gpu_layouts(module, context.numerics(), context.gate())
                                     : choose_layouts(module, *format, context.numerics(), context.gate());
  context.count("changed") = counts.changed;
  context.count("kept") = counts.kept;
  context.count("copied") = counts.copied;
  // What a permutation of axes undoes is a copy then.
  if (is_gpu && counts.changed > 0)
    for (const FuncRef& function : functions(module))
      if (is_host_function(function.op()))
        context.count("elided") += read_through_copies(function.op(), context.gate());
  return PassContext::changed_if(context.gate().count() > before);
}

}  // namespace

constexpr PassDef kLayoutPass{
    .name = "layout",
    .summary = "Chooses the order of axes in memory for the buffers between kernels.",
    .description =
        "Runs before `schedule`. A buffer of the arena gets its axes in another order where that pays: the kernels "
        "that write and read it, scheduled for a CPU, are estimated to take less than two thirds of the time. Kernels "
        "that other launches need as they are get a copy. Buffers with views, and memory of the caller, stay. The "
        "decision is on the `alloc`: `layout.order`, or `layout.kept` with the reason. With a buffer and an order "
        "that one is changed, whatever it takes.",
    .options = kLayoutOptions,
    .counters = kLayoutCounters,
    .needs = Stages::Loops,
    .example = {.before = R"mlir(func @copy(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[M]x[N]xf32, argument>) {
  for [0, M] (%i: index) attributes {kind = "parallel"} {
    for [0, N] (%j: index) attributes {kind = "parallel"} {
      %0 = load %a[%i, %j] : f32
      store %0, %b[%i, %j]
    }
  }
  return
}
func @columns(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%j: index) attributes {kind = "parallel"} {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, M] (%i: index, %2 = %0) {
      %3 = load %a[%i, %j] : f32
      %4 = maximum %2, %3 : f32
      yield %4
    } : f32
    store %1, %b[%j]
  }
  return
}
func @f(%x: buffer<[M]x[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[M]x[N]xf32, arena>
  launch @copy, %x, %t
  launch @columns, %t, %y
  return
})mlir",
                .after =
                    R"mlir(func @copy.relaid(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[N]x[M]xf32, argument>) {
  for [0, N] (%j: index) attributes {kind = "parallel"} {
    for [0, M] (%i: index) attributes {kind = "parallel"} {
      %0 = load %a[%i, %j] : f32
      store %0, %b[%j, %i]
    }
  }
  return
}
func @columns.relaid(%a: buffer<[N]x[M]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%j: index) attributes {kind = "parallel"} {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, M] (%i: index, %2 = %0) {
      %3 = load %a[%j, %i] : f32
      %4 = maximum %2, %3 : f32
      yield %4
    } : f32
    store %1, %b[%j]
  }
  return
}
func @f(%x: buffer<[M]x[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]x[M]xf32, arena>
  launch @copy.relaid, %x, %t
  launch @columns.relaid, %t, %y
  return
})mlir",
                .options = "buffer=t order=1,0"},
    .body = pass_body<LayoutOptions, run>(),
};

}  // namespace mlgc

// Machines choose tiles, packing and the order of loops: what is computed keeps its bits on every one.
#include "check/draw_inputs.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "kernel_families.h"
#include "loopir/functions.h"
#include "loopir/module_machine.h"
#include "ops/op_table.h"
#include "schedule/default_schedule.h"
#include "support_catch.h"
#include "text/printer.h"

#include <algorithm>
#include <set>

namespace mlgc {
namespace {

// Few and many registers, cores and bytes, up to the ends of what a machine may say.
constexpr std::string_view kMachines[] = {
    "x86-64-v2",
    "x86-64-v3",
    "x86-64-v4,cores=1",
    "x86-64-v4,cores=1000000",
    "x86-64-v4,l2_bytes=1024",
    "x86-64-v4,l2_bytes=1000000000000",
    "x86-64-v4,vector_registers=8",
    "x86-64-v4,vector_registers=1024",
    "x86-64-v2,vector_registers=32,cores=3,l2_bytes=65536",
};

// Products whose sums are more than one accumulator takes in, with few and many rows, columns and strips of columns:
// what is packed and how sums are blocked hangs together.
std::vector<test::Family> families_and_long_products() {
  std::vector<test::Family> all = test::families();
  all.push_back({"conv2d, 864 terms, 24 columns",
                 R"(func @f(%x: tensor<1x96x6x24xf32>, %w: tensor<8x96x3x3xf32>) -> tensor<1x8x6x24xf32> {
  %0 = conv2d %x, %w {padding = [1, 1]}
  return %0
})",
                 {}});
  all.push_back({"conv2d, 864 terms, 130 columns",
                 R"(func @f(%x: tensor<1x96x3x130xf32>, %w: tensor<4x96x3x3xf32>) -> tensor<1x4x3x130xf32> {
  %0 = conv2d %x, %w {padding = [1, 1]}
  return %0
})",
                 {}});
  all.push_back({"linear, 900 terms",
                 R"(func @f(%x: tensor<70x900xf32>, %w: tensor<40x900xf32>) -> tensor<70x40xf32> {
  %0 = linear %x, %w
  return %0
})",
                 {}});
  all.push_back({"matmul, 900 terms, 200 columns",
                 R"(func @f(%x: tensor<9x900xf32>, %w: tensor<900x200xf32>) -> tensor<9x200xf32> {
  %0 = matmul %x, %w
  return %0
})",
                 {}});
  return all;
}

// Schedules every kernel of a copy for the machine.
Module scheduled(const Module& loops, const Machine& machine) {
  Module out = loops;
  state_machine(out, machine);
  RewriteGate gate;
  for (const FuncRef& function : functions(out)) {
    if (!is_loop_function(function.op()) || is_host_function(function.op())) continue;
    FunctionFacts facts;
    (void)schedule_by_default(function.op(), Numerics::LikeEager, facts.of(function.op()), gate);
  }
  return out;
}

bool same_bits_in_all(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return x.dtype() == y.dtype() && x.shape() == y.shape() && std::ranges::equal(x.bytes(), y.bytes());
  });
}

}  // namespace

TEST_CASE("scheduled kernels of each kind have the same bits for every machine") {
  std::size_t runs = 0, other_texts = 0;
  for (const test::Family& family : families_and_long_products()) {
    const std::shared_ptr<Context> context = make_context();
    const Module graph = test::parse(context, family.text);
    const auto draws = draw_inputs(find_function(graph, "f"), {.seed = 7, .non_finite = false});
    if (!draws) continue;
    Module loops = graph;
    test::lower(loops);
    Module first = scheduled(loops, default_machine(MachineKind::Cpu));
    std::vector<std::optional<Outputs>> expected;
    for (const Draw& draw : *draws) {
      auto outputs = interpret(first, "f", draw.inputs, draw.data);
      expected.push_back(outputs ? std::optional(*std::move(outputs)) : std::nullopt);
    }
    const auto without_head = [](const std::string& text) { return text.substr(text.find('\n')); };
    std::set<std::string> texts{without_head(print(first))};  // what was run already
    for (const std::string_view spec : kMachines) {
      const Result<Machine> machine = read_machine_spec(spec);
      REQUIRE(machine);
      Module other = scheduled(loops, *machine);
      const std::string text = print(other);
      INFO(family.name << " on " << spec << "\n" << text);
      if (!texts.insert(without_head(text)).second) continue;
      ++other_texts;
      for (std::size_t d = 0; d < draws->size(); ++d) {
        const auto outputs = interpret(other, "f", (*draws)[d].inputs, (*draws)[d].data);
        CHECK(outputs.ok() == expected[d].has_value());
        if (!outputs || !expected[d]) continue;
        CHECK(same_bits_in_all(outputs->results, expected[d]->results));
        ++runs;
      }
    }
  }
  CHECK(other_texts >= 10);
  CHECK(runs >= 30);
}

}  // namespace mlgc

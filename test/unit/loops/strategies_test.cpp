// The tables of strategies: names are words that a user can write, and no row is dead.
#include "ir/function.h"
#include "ir/function_facts.h"
#include "kernel_families.h"
#include "loopir/functions.h"
#include "ops/op_table.h"
#include "schedule/choose_layouts.h"
#include "schedule/default_schedule.h"
#include "schedule/gpu_schedule.h"
#include "schedule/strategy.h"
#include "support_catch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace mlgc::schedule {
namespace {

bool is_kebab(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits) && name.front() != '-' && name.back() != '-' &&
         name.find("--") == std::string_view::npos;
}

TEST_CASE("strategies have names of their own and all that is asked of a row") {
  for (const MachineKind target : {MachineKind::Cpu, MachineKind::Gpu}) {
    std::set<std::string_view> names;
    Stage last = Stage::Rows;
    for (const StrategyDef* row : strategies(target)) {
      INFO(row->name);
      CHECK(is_kebab(row->name));
      CHECK(names.insert(row->name).second);
      CHECK(find_strategy(target, row->name) == row);
      CHECK(row->summary.ends_with("."));
      REQUIRE(row->matches != nullptr);
      REQUIRE(row->why != nullptr);
      REQUIRE(row->apply != nullptr);
      CHECK(last <= row->stage);
      last = row->stage;
    }
    CHECK(find_strategy(target, "no-such-strategy") == nullptr);
  }
}

// The kernels of a module's text, lowered to loops; schedules them and adds which strategies were taken.
void add_taken(const std::string& text, MachineKind target, std::set<std::string_view>& taken) {
  const auto context = make_context();
  Module module = test::parse(context, text);
  test::lower(module);
  RewriteGate layouts;
  if (target == MachineKind::Cpu) (void)choose_layouts(module, MemoryFormat::Contiguous, Numerics::LikeEager, layouts);
  for (const FuncRef& function : functions(module)) {
    if (!is_loop_function(function.op())) continue;
    FunctionFacts facts;
    RewriteGate gate;
    ScheduleLog log;
    const auto schedule = target == MachineKind::Cpu ? schedule_by_default : schedule_for_gpu;
    (void)schedule(function.op(), Numerics::LikeEager, facts.of(function.op()), gate, nullptr, {.log = &log});
    for (const Decision& decision : log.decisions) {
      if (decision.taken == nullptr) continue;
      CHECK(!decision.why.empty());
      taken.insert(decision.taken->name);
    }
  }
}

TEST_CASE("each strategy is taken in a sample") {
  const std::filesystem::path goldens = std::filesystem::path(MLGC_SAMPLES).parent_path() / "test/opt/schedule";
  const auto text_of = [&](const char* name) {
    std::ifstream in(goldens / name);
    REQUIRE(in.good());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  };
  std::set<std::string_view> cpu, gpu;
  add_taken(text_of("strategies.mlir"), MachineKind::Cpu, cpu);
  add_taken(text_of("row-tiles.mlir"), MachineKind::Cpu, cpu);
  for (const test::Family& family : test::families())
    if (family.name == "gradient of attention") add_taken(family.text, MachineKind::Cpu, cpu);
  add_taken(text_of("two-sums-in-strips.mlir"), MachineKind::Cpu, cpu);
  add_taken(text_of("default-gathered.mlir"), MachineKind::Cpu, cpu);
  add_taken(text_of("dot-product-groups.mlir"), MachineKind::Cpu, cpu);
  add_taken(text_of("gpu-strategies.mlir"), MachineKind::Gpu, gpu);
  add_taken(text_of("gpu-extrema.mlir"), MachineKind::Gpu, gpu);
  add_taken(text_of("gpu-windows.mlir"), MachineKind::Gpu, gpu);
  add_taken(text_of("tensor-core-tiles.mlir"), MachineKind::Gpu, gpu);
  add_taken(text_of("attention-tiles.mlir"), MachineKind::Gpu, gpu);
  add_taken(text_of("gpu-scans.mlir"), MachineKind::Gpu, gpu);
  for (const StrategyDef* row : strategies(MachineKind::Cpu)) {
    INFO(row->name);
    CHECK(cpu.contains(row->name));
  }
  for (const StrategyDef* row : strategies(MachineKind::Gpu)) {
    INFO(row->name);
    CHECK(gpu.contains(row->name));
  }
}

}  // namespace
}  // namespace mlgc::schedule

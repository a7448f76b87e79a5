// All transforms of a memory plan on random host functions: what is computed stays, the text is valid after each, no
// order takes a larger arena, and equal functions get equal plans.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "host_function.h"
#include "runtime/arena_layout.h"

namespace mlgc {
namespace {

using namespace test;

// Launches over random buffers, each written before it is read; some in a loop. At least one writes %y, and %n.
std::string random_body(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::string> rows{"x", "o"}, wide;  // that hold something
  std::string allocs = kOldState, body;
  const auto any = [&](const std::vector<std::string>& of) {
    // The newest most often, so that there are chains.
    return random() % 2 == 0 ? of.back() : of[below(of.size())];
  };
  const std::size_t launches = 3 + below(8);
  for (std::size_t i = 0; i < launches; ++i) {
    const std::string fresh = "t" + std::to_string(i);
    switch (below(7)) {
      case 0:
        allocs += alloc(fresh, "[N]x64");
        body += launch("grow", {any(rows), fresh});
        wide.push_back(fresh);
        continue;
      case 1:
        if (wide.empty()) continue;
        body += launch("shrink", {any(wide), fresh});
        break;
      case 2: body += launch("turn", {any(rows), fresh}); break;
      case 3: body += launch("copy", {any(rows), fresh}); break;
      case 4: body += launch("join", {any(rows), any(rows), fresh}); break;
      case 5:
        body += launch("copy", {any(rows), fresh}) + "  for [0, 2] (%k" + std::to_string(i) + ": index) {\n" +
                alloc(fresh + "n") + launch(random() % 2 == 0 ? "twice" : "turn", {fresh, fresh + "n"}) +
                launch("copy", {fresh + "n", fresh}) + "  }\n";
        break;
      default: body += launch(random() % 8 == 0 ? "tests" : "twice", {any(rows), fresh}); break;
    }
    allocs += alloc(fresh);
    rows.push_back(fresh);
  }
  const std::string state = launch(random() % 2 == 0 ? "twice" : "copy", {any(rows), "n"});
  const std::string result = launch(random() % 2 == 0 ? "twice" : "copy", {any(rows), "y"});
  return allocs + body + (random() % 2 == 0 ? state + result : result + state);
}

// What the buffers of the outermost region take, with each at the sizes that orders are compared at.
std::int64_t arena(const ParsedModule& parsed, std::int64_t n) {
  const HostFunctionMemory memory(parsed.func());
  std::vector<runtime::ArenaBuffer> buffers;
  for (const OpRef op : parsed.func().region(0).ops()) {
    if (!op.is(LoopOp::Alloc)) continue;
    const auto life = memory.life_of(op.result());
    if (!life) continue;
    const auto bytes = parsed.context->index().evaluate(parsed.context->storage_bytes(op.result().type()),
                                                        [&](AtomId) { return std::optional(n); });
    buffers.push_back({bytes.value(), static_cast<mlgc_i32>(life->first), static_cast<mlgc_i32>(life->last)});
  }
  std::vector<mlgc_i64> offsets(buffers.size());
  std::vector<mlgc_i32> workspace(3 * buffers.size());
  return runtime::layout_arena(buffers.data(), static_cast<mlgc_i32>(buffers.size()), offsets.data(), workspace.data());
}

}  // namespace

TEST_CASE("random host functions compute the same after each transform of their plan") {
  std::uint64_t elided = 0, reordered = 0, shared = 0, states = 0;
  for (std::uint32_t seed = 1; seed <= 120; ++seed) {
    INFO(seed);
    std::mt19937 random(seed);
    const std::string text = host(random_body(random), true);
    Planned planned(text), again(text);
    elided += planned.elide();
    const std::int64_t before[] = {arena(planned.parsed, 1), arena(planned.parsed, 16), arena(planned.parsed, 256)};
    const std::uint64_t moved = planned.reorder();
    reordered += moved;
    CHECK(arena(planned.parsed, 1) <= before[0]);
    CHECK(arena(planned.parsed, 16) <= before[1]);
    CHECK(arena(planned.parsed, 256) <= before[2]);
    planned.sink();
    CHECK_FALSE(planned.sink());
    states += planned.states();
    shared += planned.share();
    again.elide();
    again.reorder();
    again.sink();
    again.states();
    again.share();
    CHECK(planned.parsed.text() == again.parsed.text());
  }
  // Each was at work.
  CHECK(elided > 20);
  CHECK(reordered > 5);
  CHECK(shared > 20);
  CHECK(states > 20);
}

}  // namespace mlgc

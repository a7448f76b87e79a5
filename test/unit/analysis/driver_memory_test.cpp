// When buffers of a host function are live, and which may share memory: by hand, and on random programs against the
// definition.
#include "analysis/host_function_memory.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/function_memory.h"
#include "analysis/in_place.h"
#include "parsed_module.h"

namespace mlgc {
namespace {

// Kernels: `copy` may work in place, `turn` may not, `into` only writes, `tests` may fail, `divides` too.
const std::string kKernels = R"(state @s : tensor<8xf32>
func @copy(%a: buffer<8xf32, argument>, %b: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %e = load %a[%i] : f32
    store %e, %b[%i]
  }
  return
}
func @turn(%a: buffer<8xf32, argument>, %b: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %e = load %a[7 - %i] : f32
    store %e, %b[%i]
  }
  return
}
func @tests(%a: buffer<8xf32, argument>, %b: buffer<8xf32, argument>) {
  check [-1] {message = "never"}
  for [0, 8] (%i: index) {
    %e = load %a[%i] : f32
    store %e, %b[%i]
  }
  return
}
)";

std::string host(const std::string& body, const std::string& attributes = "results = 1",
                 const std::string& updates = "") {
  const std::string states = updates.empty() ? "" : ", %n: buffer<8xf32, argument>";
  return kKernels + "func @f(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>" + states + ")" + updates +
         " attributes {" + attributes + "} {\n" + body + "  return" + (updates.empty() ? "" : " %n") + "\n}\n";
}
std::string alloc(const std::string& name, const std::string& memory = "") {
  return "  %" + name + " = alloc" + (memory.empty() ? "" : " %" + memory) + " : buffer<8xf32, arena>\n";
}
std::string launch(const std::string& kernel, const std::string& from, const std::string& to) {
  return "  launch @" + kernel + ", %" + from + ", %" + to + "\n";
}

// `first-last` of the live range; empty where nothing touches the buffer.
std::string life(const test::ParsedModule& parsed, const std::string& buffer) {
  const auto found = HostFunctionMemory(parsed.func()).life_of(parsed.value(buffer));
  return found ? std::to_string(found->first) + "-" + std::to_string(found->last) : "";
}

}  // namespace

TEST_CASE("live ranges go from the first op that touches a buffer to the last") {
  // Steps: t 0, u 1, w 2, launch 3, for 4 (v 5, launches 6 and 7), launch 8, return 9.
  const test::ParsedModule parsed(host(alloc("t") + alloc("u") + alloc("w") + launch("copy", "x", "t") +
                                       "  for [0, 3] (%k: index) {\n" + alloc("v") + launch("copy", "t", "v") +
                                       launch("copy", "v", "u") + "  }\n" + launch("copy", "u", "y")));
  CHECK(life(parsed, "x") == "3-3");
  CHECK(life(parsed, "t") == "3-7");  // iterations repeat: to the end of the loop
  CHECK(life(parsed, "u") == "4-8");  // and from its beginning
  CHECK(life(parsed, "v") == "6-7");  // allocated there
  CHECK(life(parsed, "w").empty());
  CHECK(life(parsed, "y") == "8-9");  // a result lives to the end
  const HostFunctionMemory memory(parsed.func());
  CHECK(memory.step_count() == 10);
  const Life loop = memory.steps_of(parsed.func().region(0).terminator().previous().previous());
  CHECK((loop.first == 4 && loop.last == 7));
  CHECK(memory.shared().empty());
}

TEST_CASE("a view touches the buffer underneath, dealloc touches nothing, and what shares memory is grouped") {
  const test::ParsedModule parsed(host(alloc("t") + "  %r = buffer_view %t : buffer<2x4xf32, arena>\n" +
                                       launch("copy", "x", "t") + "  %q = buffer_view %r : buffer<8xf32, arena>\n" +
                                       launch("copy", "q", "y") + "  dealloc %t\n" + alloc("u", "y") +
                                       alloc("v", "u")));
  CHECK(life(parsed, "t") == "2-4");
  const auto shared = HostFunctionMemory(parsed.func()).shared();
  REQUIRE(shared.size() == 1);
  CHECK((shared[0].size() == 3 && shared[0][0] == parsed.value("y") && shared[0][1] == parsed.value("u") &&
         shared[0][2] == parsed.value("v")));
}

TEST_CASE("a state that is written over holds its old value from the start") {
  const std::string body =
      launch("copy", "x", "y") + "  %o = data @s : buffer<8xf32, weight>\n" + launch("copy", "o", "n");
  const test::ParsedModule in_place(host(body, "in_place = [\"s\"], results = 1", " updates (@s = %n)"));
  CHECK(life(in_place, "o") == "0-2");
  CHECK(life(in_place, "n") == "2-3");
  const auto shared = HostFunctionMemory(in_place.func()).shared();
  REQUIRE(shared.size() == 1);
  CHECK((shared[0][0] == in_place.value("n") && shared[0][1] == in_place.value("o")));
  const test::ParsedModule beside(host(body, "results = 1", " updates (@s = %n)"));
  CHECK(life(beside, "o") == "2-2");
  CHECK(HostFunctionMemory(beside.func()).shared().empty());
}

TEST_CASE("what may end the program behind the first write of a new state") {
  const auto fails = [](const std::string& body) {
    const test::ParsedModule parsed(
        host("  %o = data @s : buffer<8xf32, weight>\n" + body, "results = 1", " updates (@s = %n)"));
    const HostFunctionMemory memory(parsed.func());
    const OpRef at = StateWrites(memory).fails_behind(parsed.value("n"));
    return at.valid() ? std::string(at.name()) : "nothing";
  };
  const std::string write = launch("copy", "o", "n"), result = launch("copy", "x", "y");
  CHECK(fails(result + write) == "nothing");
  CHECK(fails(launch("tests", "x", "y") + write) == "nothing");
  CHECK(fails(write + launch("tests", "x", "y")) == "launch");
  CHECK(fails(result + launch("tests", "o", "n")) == "launch");
  CHECK(fails(write + "  check [-1] {message = \"never\"}\n" + result) == "check");
  CHECK(fails(result + "  check [-1] {message = \"never\"}\n" + write) == "nothing");
}

TEST_CASE("runs that may end with an error are checks, checked accesses, integer divisions, and launches of such") {
  ProgramEnds ends;
  const auto may_end = [&](const std::string& op) {
    const test::ParsedModule parsed(kKernels +
                                    "func @f(%x: buffer<8xf32, argument>, %p: i64, %y: buffer<8xf32, argument>) {\n" +
                                    op + "\n  return\n}\n");
    return ProgramEnds().may_end(parsed.func());
  };
  CHECK(may_end("  check [-1] {message = \"never\"}"));
  CHECK(may_end("  %v = load %x[0] {checked = true} : f32"));
  CHECK(may_end("  for [0, 8] (%i: index) {\n    check [%i] {message = \"never\"}\n  }"));
  CHECK(may_end("  launch @tests, %x, %y"));
  CHECK(may_end("  %q = floor_divide %p, %p : i64"));
  CHECK(may_end("  %z = literal {dtype = i64, value = 0} : i64\n  %q = floor_divide %p, %z : i64"));
  CHECK_FALSE(may_end("  %z = literal {dtype = i64, value = 3} : i64\n  %q = floor_divide %p, %z : i64"));
  CHECK_FALSE(may_end("  %v = load %x[0] : f32\n  %w = div %v, %v : f32\n  store %w, %y[0]"));
  CHECK_FALSE(may_end("  launch @copy, %x, %y"));
}

TEST_CASE("memory that a loop function takes: buffers outside of parallel loops, and scratch inside, by cache lines") {
  const auto bytes = [](const std::string& body, std::int64_t n) {
    const test::ParsedModule parsed("func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {\n" + body +
                                    "  return\n}\n");
    const FunctionMemory memory = function_memory(parsed.func());
    const auto at = [&](IndexExpr e) {
      return parsed.context->index().evaluate(e, [&](AtomId) { return std::optional(n); }).value_or(-1);
    };
    CHECK((at(memory.bytes) > 0) == memory.takes_memory);
    return std::pair(at(memory.bytes), at(memory.scratch));
  };
  using Bytes = std::pair<std::int64_t, std::int64_t>;
  const std::string parallel = "  for [0, N] (%i: index) attributes {kind = \"parallel\"} {\n";
  CHECK(bytes("", 5) == Bytes{0, 0});
  CHECK(bytes("  %t = alloc : buffer<[N]xf32, thread>\n", 17) == Bytes{128, 0});
  CHECK(bytes("  %t = alloc : buffer<[N]xf32, thread>\n", 16) == Bytes{64, 0});
  CHECK(bytes(parallel + "    %t = alloc : buffer<3xf64, thread>\n    %u = alloc : buffer<[N]xi8, thread>\n  }\n",
              65) == Bytes{0, 64 + 128});
  CHECK(bytes(parallel + "    %t = alloc : buffer<8x8xf32, register>\n  }\n", 5) == Bytes{0, 0});
  CHECK(bytes("  for [0, N] (%i: index) {\n    %t = alloc : buffer<4xf32, thread>\n  }\n", 9) == Bytes{64, 0});
}

TEST_CASE("two buffers share memory where their live ranges meet in nothing but a launch that works in place") {
  const auto meet = [](const std::string& body) {
    const test::ParsedModule parsed(host(body));
    const HostFunctionMemory memory(parsed.func());
    InPlaceKernels kernels;
    const Value t = parsed.value("t"), u = parsed.value("u");
    const OpRef at = both_alive(memory, {t, *memory.life_of(t)}, {u, *memory.life_of(u)}, kernels);
    const OpRef turned = both_alive(memory, {u, *memory.life_of(u)}, {t, *memory.life_of(t)}, kernels);
    CHECK(at == turned);
    return at.valid();
  };
  const std::string both = alloc("t") + alloc("u");
  CHECK_FALSE(meet(both + launch("copy", "x", "t") + launch("copy", "t", "u") + launch("copy", "u", "y")));
  CHECK(meet(both + launch("copy", "x", "t") + launch("turn", "t", "u") + launch("copy", "u", "y")));
  CHECK(meet(both + launch("copy", "x", "t") + launch("copy", "t", "u") + launch("copy", "t", "y") +
             launch("copy", "u", "y")));
  CHECK_FALSE(meet(both + launch("copy", "x", "t") + launch("copy", "t", "y") + launch("copy", "x", "u") +
                   launch("copy", "u", "y")));
  // In a loop, what lies outside is live all the time.
  CHECK(meet(both + launch("copy", "x", "t") + "  for [0, 2] (%k: index) {\n" + launch("copy", "t", "u") + "  }\n" +
             launch("copy", "u", "y")));
}

TEST_CASE("of random buffers in one memory overlaps are found exactly where two of them overlap") {
  std::mt19937 random(11);
  int apart = 0, met = 0;
  for (int round = 0; round < 150; ++round) {
    const int buffers = 2 + static_cast<int>(random() % 4), launches = 2 + static_cast<int>(random() % 6);
    std::string body;
    std::vector<std::string> names;
    for (int i = 0; i < buffers; ++i) {
      names.push_back("t" + std::to_string(i));
      body += alloc(names.back());
    }
    // Chains more often than anything: so that some share.
    body += launch("copy", "x", names[0]);
    int at = 0;
    for (int i = 0; i < launches; ++i) {
      const int next = random() % 8 == 0 ? static_cast<int>(random() % static_cast<unsigned>(buffers))
                                         : std::min(at + 1, buffers - 1);
      if (next == at) continue;
      body += launch(random() % 6 == 0 ? "turn" : "copy", names[static_cast<std::size_t>(at)],
                     names[static_cast<std::size_t>(next)]);
      at = next;
    }
    const test::ParsedModule parsed(host(body));
    INFO(parsed.text());
    const HostFunctionMemory memory(parsed.func());
    InPlaceKernels kernels;
    std::vector<LiveBuffer> live;
    std::vector<Value> all;
    for (const std::string& name : names) {
      all.push_back(parsed.value(name));
      if (const auto of = memory.life_of(all.back())) live.push_back({all.back(), *of});
    }
    bool any = false;
    for (std::size_t i = 0; i < live.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) any = any || both_alive(memory, live[i], live[j], kernels).valid();
    const auto found = overlaps(memory, all, kernels);
    CHECK(found.empty() == !any);
    for (const Overlap& overlap : found) {
      const auto of = [&](Value v) { return LiveBuffer{v, *memory.life_of(v)}; };
      CHECK(both_alive(memory, of(overlap.a), of(overlap.b), kernels) == overlap.at);
    }
    ++(any ? met : apart);
  }
  CHECK(apart > 10);
  CHECK(met > 10);
}

}  // namespace mlgc

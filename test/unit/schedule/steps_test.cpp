// Random schedules keep what a function computes: after each step that is not refused the function verifies, reads back
// as it prints, and gives the same bits for sizes that tiles divide and that they do not. Data are small integers, so
// that sums are exact in every order.
#include "interp/interpret_module.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "schedule/loop_transforms.h"
#include "thread_cases.h"
#include "verify/verify.h"

#include <map>
#include <numeric>
#include <random>

using namespace mlgc;
using namespace mlgc::thread_test;

namespace {

using Sizes3 = std::array<std::int64_t, 3>;

// Every function has sizes M, N and K, and results behind its inputs.
const std::vector<std::string>& programs() {
  static const std::vector<std::string> all{
      // A product of matrices that carries its sums, and one that adds up in memory.
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %sum = for [0, K] (%k: index, %s = %zero) {
        %0 = load %a[%i, %k]
        %1 = load %b[%k, %j]
        %2 = mul %0, %1
        %3 = add %s, %2
        yield %3
      }
      store %sum, %c[%i, %j]
    }
  }
  return
})",
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  for [0, K] (%k: index) {
    for [0, M] (%i: index) {
      for [0, N] (%j: index) {
        %0 = load %a[%i, %k]
        %1 = load %b[%k, %j]
        %2 = mul %0, %1
        %3 = load %c[%i, %j]
        %4 = add %3, %2
        store %4, %c[%i, %j]
      }
    }
  }
  return
})",
      // Two neighbours, a guard, and an order that matters: each row adds the one before it.
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  for [1, M] (%i: index) {
    for [0, N] (%j: index) {
      %0 = load %c[%i - 1, %j]
      %g = guard [%i - %j, K - 1 - %j]
      %1 = if %g {
        %2 = load %b[%j, 0] {checked = true}
        yield %2
      } else {
        yield %0
      }
      %3 = add %0, %1
      %4 = literal {dtype = f32, value = 1.0}
      %5 = add %3, %4
      store %5, %c[%i, %j]
    }
  }
  return
})",
      // Extrema and counts of a window; constant extents.
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) where 1 <= K {
  %low = literal {dtype = f32, value = -100.0}
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %m, %s = for [0, 6] (%w: index, %best = %low, %sum = %zero) {
        %0 = load %a[%i, min(%w, K - 1)]
        %1 = maximum %best, %0
        %2 = add %0, %sum
        yield %1, %2
      }
      %3 = add %m, %s
      store %3, %c[%i, %j]
    }
  }
  return
})",
      // The best of a row's sums, which the loop around the sums carries, and a place for each in scratch.
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %low = literal {dtype = f32, value = -100.0}
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    %sums = alloc : buffer<[N]xf32, thread>
    %best = for [0, N] (%j: index, %m = %low) {
      %sum = for [0, K] (%k: index, %s = %zero) {
        %0 = load %a[%i, %k]
        %1 = load %b[%k, %j]
        %2 = fma %0, %1, %s
        yield %2
      }
      store %sum, %sums[%j]
      %4 = maximum %m, %sum
      yield %4
    }
    for [0, N] (%l: index) {
      %0 = load %sums[%l]
      %1 = sub %best, %0
      store %1, %c[%i, %l]
    }
  }
  return
})",
      // Windows in strides, and with steps of their own, of which some lie outside.
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %0 = for [0, 3] (%p: index, %s = %zero) {
        %1 = for [0, 3] (%q: index, %t = %s) {
          %g = guard [%i + 2*%p - 1, M - %i - 2*%p, 2*%j + %q - 1, K - 2*%j - %q]
          %2 = if %g {
            %3 = load %a[%i + 2*%p - 1, 2*%j + %q - 1]
            yield %3
          } else {
            yield %zero
          }
          %4 = add %t, %2
          yield %4
        }
        yield %1
      }
      store %0, %c[%i, %j]
    }
  }
  return
})"};
  return all;
}

Tensor integers(Shape shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tensor t = Tensor::zeros(Dtype::F32, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) t.set_double(i, static_cast<double>(random() % 9) - 4);
  return t;
}

std::vector<Tensor> results(Module& module) {
  std::vector<Tensor> out;
  for (const auto& [m, n, k] : {Sizes3{0, 3, 2}, {1, 1, 1}, {8, 4, 12}, {7, 5, 9}, {3, 17, 6}}) {
    const std::vector<Tensor> inputs{integers({m, k}, 1), integers({k, n}, 2), integers({m, n}, 3)};
    auto made = interpret(module, "f", inputs);
    if (!made) FAIL(made.error().message() << "\n" << print(module));
    out.insert(out.end(), made->results.begin(), made->results.end());
  }
  return out;
}

// The module is valid, reads back, and computes these results.
void require_same(const Module& module, const std::vector<Tensor>& expected) {
  REQUIRE(module.check_store().empty());
  DiagnosticEngine diagnostics(module.context().locations());
  const bool sound = verify(module, diagnostics);
  INFO((diagnostics.sorted().empty() ? "" : diagnostics.sorted()[0].message()));
  REQUIRE(sound);
  Module read = read_text(module.shared_context(), print(module));
  REQUIRE(print(read) == print(module));
  const std::vector<Tensor> got = results(read);
  for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(same_bits(got[i], expected[i]));
}

struct Tally {
  std::map<std::string, std::pair<int, int>> steps;  // made, refused
};

// Some load in the loop.
TransformResult pack_one(std::mt19937& random, OpRef loop) {
  std::vector<OpRef> loads;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Load)) loads.push_back(op);
  });
  if (loads.empty()) return schedule::refuse<kScheduleLoadCount>("x", 0, schedule::index_name(ForRef::from(loop)));
  return pack(loads[random() % loads.size()], loop);
}
// Likewise, along one of the loops.
TransformResult pack_window_one(std::mt19937& random, OpRef loop) {
  std::vector<OpRef> loads, loops;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Load)) loads.push_back(op);
    if (ForRef::from(op).valid()) loops.push_back(op);
  });
  if (loads.empty()) return schedule::refuse<kScheduleLoadCount>("x", 0, schedule::index_name(ForRef::from(loop)));
  const OpRef load = loads[random() % loads.size()];
  return pack_window(load, loop, loops[random() % loops.size()]);
}

TransformResult pad_one(std::mt19937& random, OpRef loop, const Facts& facts) {
  std::vector<OpRef> loads;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Load)) loads.push_back(op);
  });
  if (loads.empty()) return schedule::refuse<kScheduleLoadCount>("x", 0, schedule::index_name(ForRef::from(loop)));
  return pad_load(loads[random() % loads.size()], loop, facts);
}

// Draws a step and takes it; the kind is noted. Nothing when it is refused.
TransformResult random_step(std::mt19937& random, OpRef loop, const Facts& facts, std::string& kind) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  switch (below(17)) {
    case 0: kind = "tile"; return tile(loop, 1 + below(5), Tail::Min, facts);
    case 1: kind = "split"; return tile(loop, 1 + below(5), Tail::Loop, facts);
    case 2: kind = "interchange"; return interchange(loop, facts);
    case 3: kind = "unroll"; return unroll(loop, below(2) == 0 ? 0 : 1 + below(4), facts);
    case 4: kind = "vectorize"; return vectorize(loop, std::int64_t{2} << below(4), facts);
    case 5: kind = "jam"; return jam(loop, below(3) == 0 ? 0 : 1 + below(4), facts);
    case 6: kind = "pack"; return pack_one(random, loop);
    case 8: kind = "split-range"; return split_range(loop, {.pieces = 2 + static_cast<std::size_t>(below(15))}, facts);
    case 9: kind = "pack-window"; return pack_window_one(random, loop);
    case 10: kind = "pad-load"; return pad_one(random, loop, facts);
    case 11: kind = "distribute"; return distribute(loop);
    case 13: kind = "fission"; return fission(loop, facts);
    case 14: kind = "isolate-product"; return isolate_product(loop, facts);
    case 15: kind = "overlap"; return tile(loop, 2 + below(4), Tail::Overlap, facts);
    case 12: kind = "expand-scratch"; return expand_scratch(loop);
    case 7: kind = "rfactor"; return rfactor(loop, 1 + below(4), facts);
    default: kind = "parallelize"; return parallelize(loop, facts);
  }
}

}  // namespace

TEST_CASE("random schedules keep what is computed") {
  Tally tally;
  std::vector<std::uint32_t> seeds(1000);
  std::iota(seeds.begin(), seeds.end(), 0U);
  // Further ones whose schedules were wrong once: full tiles between minima, interchanged lanes.
  seeds.insert(seeds.end(), {1181, 1298, 1667, 2738});
  for (const std::uint32_t seed : seeds) {
    std::mt19937 random(seed);
    const std::string& text = programs()[seed % programs().size()];
    const auto context = make_context();
    Module module = read_text(context, text);
    const std::vector<Tensor> expected = results(module);
    std::string schedule;
    for (int step = 0; step < 5; ++step) {
      std::vector<OpRef> loops;
      const OpRef func = module.lookup("f");
      walk(func, [&](OpRef op) {
        if (ForRef::from(op).valid()) loops.push_back(op);
      });
      const OpRef loop = loops[random() % loops.size()];
      const std::string before = print(module);
      const std::string index(ForRef::from(loop).index().name());
      FunctionFacts facts;
      std::string kind;
      const TransformResult done = random_step(random, loop, facts.of(func), kind);
      (done ? tally.steps[kind].first : tally.steps[kind].second)++;
      if (!done) {
        CHECK(print(module) == before);
        continue;
      }
      schedule += kind + " " + index + ", ";
      INFO(schedule << "seed " << seed << "\n" << before << "\n" << print(module));
      require_same(module, expected);
    }
  }
  for (const auto& [kind, counts] : tally.steps) {
    INFO(kind << ": " << counts.first << " made, " << counts.second << " refused");
    const bool rare =
        kind == "pad-load" || kind == "distribute" || kind == "expand-scratch" || kind == "isolate-product";
    CHECK(counts.first >= (rare ? 0 : 10));
    if (kind != "tile" && kind != "split") CHECK(counts.second >= 20);
  }
  CHECK(tally.steps.size() == 17);
}

TEST_CASE("loops that are written out keep what is computed") {
  int made = 0;
  for (const std::string& text : programs()) {
    const auto context = make_context();
    Module module = read_text(context, text);
    const std::vector<Tensor> expected = results(module);
    // From outside, so that copies of loops are written out too.
    for (bool more = true; more;) {
      more = false;
      std::vector<OpRef> loops;
      walk(module.lookup("f"), [&](OpRef op) {
        if (ForRef::from(op).valid()) loops.push_back(op);
      });
      for (const OpRef loop : loops) {
        const std::string before = print(module);
        INFO(before);
        more = write_out(loop).ok();
        if (!more) CHECK(print(module) == before);
        if (!more) continue;
        ++made;
        require_same(module, expected);
        break;
      }
    }
  }
  CHECK(made >= 4);
}

TEST_CASE("sizes that divide leave no tail, others one loop or a smaller tile") {
  const auto text = [](const std::string& where) {
    return "func @f(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>)" + where +
           " {\n  for [0, N] (%i: index) {\n    %v = load %a[%i]\n    store %v, %b[%i]\n  }\n  return\n}\n";
  };
  const auto tiled = [&](const std::string& where, Tail tail) {
    const auto context = make_context();
    Module module = read_text(context, text(where));
    FunctionFacts facts;
    const OpRef func = module.lookup("f");
    REQUIRE(tile(*find_loop(func, "i"), 8, tail, facts.of(func)));
    return print(module);
  };
  CHECK_THAT(tiled(" where N mod 8 == 0", Tail::Min), Contains("for [8*%i_o, 8*%i_o + 8] (%i: index)"));
  CHECK_THAT(tiled(" where N mod 8 == 0", Tail::Loop), !Contains("%i_tail"));
  CHECK_THAT(tiled("", Tail::Min), Contains("for [8*%i_o, min(8*%i_o + 8, N)] (%i: index)"));
  CHECK_THAT(tiled("", Tail::Loop), Contains("for [8*(N floordiv 8), N] (%i_tail: index)"));
}

TEST_CASE("pieces of ranges keep what is computed") {
  // Of two buffers side by side, of a rotation, of a reflection, and of a window that borders cut.
  const std::string text =
      R"(func @f(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) where 1 <= K {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %g = guard [K - 1 - %j, %i - %j + 2]
      %0 = if %g {
        %1 = load %a[%i, %j]
        yield %1
      } else {
        %1 = load %b[min(%i, K - 1), (%j + 3) mod N]
        yield %1
      }
      %2 = for [max(1 - %i, 0), 3] (%q: index, %s = %0) {
        %3 = load %a[(%i + %q - 1) mod M, max(%j - 2, 2 - %j) mod K]
        %h = guard [%j - %q]
        %4 = if %h {
          %5 = add %s, %3
          yield %5
        } else {
          yield %s
        }
        yield %4
      }
      store %2, %c[%i, %j]
    }
  }
  return
})";
  const auto context = make_context();
  Module whole = read_text(context, text);
  const std::vector<Tensor> expected = results(whole);
  int made = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    Module module = read_text(context, text);
    for (int step = 0; step < 3; ++step) {
      std::vector<OpRef> loops;
      const OpRef func = module.lookup("f");
      walk(func, [&](OpRef op) {
        if (ForRef::from(op).valid()) loops.push_back(op);
      });
      FunctionFacts facts;
      const std::string before = print(module);
      if (!split_range(loops[random() % loops.size()], {}, facts.of(func))) {
        CHECK(print(module) == before);
        continue;
      }
      ++made;
      INFO("seed " << seed << "\n" << before << "\n" << print(module));
      require_same(module, expected);
    }
  }
  CHECK(made >= 12);
}

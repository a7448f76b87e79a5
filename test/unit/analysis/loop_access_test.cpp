// Where an access lies and which iterations meet, case by case; that both are sound on random nests is tested with the
// lowering (loops/access_random_test.cpp).
#include "analysis/loop_access.h"

#include <functional>
#include <string>
#include <vector>

#include "ir/function_facts.h"
#include "parsed_module.h"

namespace mlgc {
namespace {

using Place = AccessVerdict::Place;

// A function of %x (N by 8, or what `x` says), %at (integers) and %y, around a body.
std::string text_of(const std::string& body, const std::string& where = "", const std::string& x = "[N]x8") {
  return "func @f(%x: buffer<" + x + "xf32, argument>, %at: buffer<4xi64, argument>, %y: buffer<[N]x8xf32, argument>)" +
         (where.empty() ? "" : " where " + where) + " {\n" + body + "\n  return\n}\n";
}

// The last access of %x in the text, reached as a walk in program order reaches it.
AccessVerdict last_place(const std::string& text) {
  const test::ParsedModule parsed(text);
  FunctionFacts facts;
  LoopAccess access(*parsed.context, facts.of(parsed.func()));
  AccessVerdict last;
  const std::function<void(RegionRef)> visit = [&](RegionRef region) {
    access.enter(region);
    for (const OpRef op : region.ops()) {
      if (const AccessRef at = AccessRef::from(op); at.valid() && at.buffer().name() == "x") last = access.place(op);
      for (const RegionRef inner : op.regions()) visit(inner);
      access.pass(op);
    }
    access.leave();
  };
  visit(parsed.func().region(0));
  return last;
}

std::string loop(const std::string& bounds, const std::string& index, const std::string& body) {
  return "  for [" + bounds + "] (%" + index + ": index) {\n" + body + "  }\n";
}
std::string load(const std::string& at, const std::string& more = "") {
  return "    %v = load %x[" + at + "]" + more + " : f32\n";
}
std::string guarded(const std::string& conditions, const std::string& then, const std::string& otherwise = "") {
  return "    %g = guard [" + conditions + "] : i1\n    if %g {\n" + then + "      yield\n    } else {\n" + otherwise +
         "      yield\n    }\n";
}

// What find_conflict() says of the loop over %i: `none`, `certain`, or `open`, with the row of what the store meets.
std::string conflict(const std::string& text, const std::string& within = "") {
  const test::ParsedModule parsed(text);
  FunctionFacts facts;
  const auto loop_over = [&](const std::string& index) {
    return ForRef::from(parsed.value(index).argument_of().parent_op());
  };
  const auto found =
      find_conflict(loop_over("i"), facts.of(parsed.func()), within.empty() ? OpRef() : loop_over(within).op());
  if (!found) return "none";
  CHECK(found->store.is(LoopOp::Store));
  CHECK((!found->certain || found->store == found->other));
  return std::string(found->certain ? "certain " : "open ") + std::string(found->other.name());
}

}  // namespace

TEST_CASE("an access is inside, outside or open by the bounds, guards and checks around it") {
  struct Case {
    std::string body;
    Place place;
    std::size_t axis = 0;
    std::string where = {}, x = "[N]x8";
  };
  const std::vector<Case> cases{
      // Bounds of loops, and what lies one element beside them.
      {loop("0, N", "i", load("%i, 7")), Place::Inside},
      {loop("0, N", "i", load("%i, 8")), Place::Outside, 1},
      {loop("0, N", "i", load("%i, -1")), Place::Outside, 1},
      {loop("0, N", "i", load("%i + 1, 0")), Place::Open, 0},
      {loop("0, N - 1", "i", load("%i + 1, 0")), Place::Inside},
      {loop("1, N", "i", load("%i - 1, 0")), Place::Inside},
      {loop("0, N", "i", load("%i - 1, 0")), Place::Open, 0},
      {loop("0, N", "i", load("N - 1 - %i, 0")), Place::Inside},
      {loop("0, N", "i", load("N + %i, 0")), Place::Outside, 0},
      // An axis that is outside comes before one that is open.
      {loop("0, N", "i", load("%i + 1, 8")), Place::Outside, 1},
      {loop("0, N", "i", load("%i + 1, %i")), Place::Open, 0},
      // Tiles, and the iterations that fill none.
      {loop("0, N ceildiv 4", "o", loop("4*%o, min(4*%o + 4, N)", "i", load("%i, 0"))), Place::Inside},
      {loop("0, N ceildiv 4", "o", loop("4*%o, 4*%o + 4", "i", load("%i, 0"))), Place::Open, 0},
      {loop("0, N floordiv 4", "o", loop("4*%o, 4*%o + 4", "i", load("%i, 0"))), Place::Inside},
      // Windows of places that are one loop, which tiles end: 28 places a row, so that multiples of 28 are taken out of
      // what is divided.
      {loop("0, 13", "o", loop("64*%o, min(784, 64*%o + 64)", "i", load("2*(%i floordiv 28) + 1, 0"))), Place::Inside,
       0, "56 <= N"},
      {loop("0, 13", "o", loop("64*%o, min(784, 64*%o + 64)", "i", load("2*(%i floordiv 28) + 1, 0"))), Place::Open, 0,
       "55 <= N"},
      // Every third row of places that are one loop: a multiple of 3 that is below 7 is below 7 - 2.
      {loop("0, 3", "o", loop("16*%o, 16*%o + 16", "i", load("3*(%i floordiv 20), 0"))), Place::Inside, 0, "7 <= N"},
      {loop("0, 3", "o", loop("16*%o, 16*%o + 16", "i", load("3*(%i floordiv 20), 0"))), Place::Open, 0, "6 <= N"},
      // A loop that runs says that it is not empty; one that never does holds nothing that could be outside.
      {loop("3, N", "i", load("3, 0")), Place::Inside},
      {load("3, 0"), Place::Open, 0},
      {loop("4, 4", "i", load("99, 99")), Place::Inside},
      // Guards lead to one arm.
      {loop("0, N", "i", guarded("N - 2 - %i", load("%i + 1, 0"))), Place::Inside},
      {loop("0, N", "i", guarded("N - 2 - %i", "", load("%i + 1, 0"))), Place::Outside, 0},
      {loop("0, N", "i", guarded("%i - 1, N - %i", load("%i - 1, 0"))), Place::Inside},
      {loop("0, N", "i", guarded("%i - 1, N - %i", "", load("%i - 1, 0"))), Place::Open, 0},
      {loop("0, N", "i", guarded("-1", load("99, 99"))), Place::Inside},
      // Behind an `if` its guard says nothing.
      {loop("0, N", "i", guarded("N - 2 - %i", "") + load("%i + 1, 0")), Place::Open, 0},
      // Facts of the function.
      {load("3, 0"), Place::Inside, 0, "4 <= N"},
      {load("3, 0"), Place::Open, 0, "3 <= N"},
      {load("3, 0"), Place::Outside, 0, "N <= 3"},
      {load("2*M, 0"), Place::Inside, 0, "N == 2*M + 1"},
      // What was tested holds behind it, not before.
      {"  check [N - 4] {message = \"small\"}\n" + load("3, 0"), Place::Inside},
      {load("3, 0") + "  check [N - 4] {message = \"small\"}\n", Place::Open, 0},
      {"    %c = load %y[3, 0] {checked = true} : f32\n" + load("3, 0"), Place::Inside},
      {"    %c = load %y[2, 0] {checked = true} : f32\n" + load("3, 0"), Place::Open, 0},
      // Values that data give, and numbers that stand in the text.
      {"    %p = load %at[0] : i64\n" + load("%p, 0"), Place::Open, 0},
      {"    %p = load %at[0] : i64\n" + guarded("%p, N - 1 - %p", load("%p, 0")), Place::Inside},
      {loop("0, N", "i", "    %p = apply [2*%i] : i64\n" + load("%p, 0")), Place::Inside, 0, "", "[2*N]x8"},
      {"    %p = literal {dtype = i64, value = 7} : i64\n" + load("0, %p"), Place::Inside, 0, "1 <= N"},
  };
  for (const Case& c : cases) {
    INFO(text_of(c.body, c.where, c.x));
    const AccessVerdict verdict = last_place(text_of(c.body, c.where, c.x));
    CHECK(static_cast<int>(verdict.place) == static_cast<int>(c.place));
    if (c.place != Place::Inside) CHECK(verdict.axis == c.axis);
  }
}

// Of all small multiples of quotients what is shown is so, and what is so is shown where nothing is added to them.
TEST_CASE("multiples of quotients in tiles are placed as their values are") {
  int shown = 0, inside = 0;
  for (int tile : {1, 3, 4})
    for (int by = 1; by <= 4; ++by)
      for (int scale = -3; scale <= 3; ++scale)
        for (int offset = -2; offset <= 2; ++offset)
          for (int size = 1; size <= 9; ++size) {
            int below = 0, above = 0;
            for (int i = 0; i < 3 * tile; ++i) {
              const int at = scale * (i / by) + offset;
              below += at < 0 ? 1 : 0;
              above += at >= size ? 1 : 0;
            }
            const std::string at =
                std::to_string(scale) + "*(%i floordiv " + std::to_string(by) + ") + " + std::to_string(offset) + ", 0";
            const std::string width = std::to_string(tile) + "*%o";
            const std::string text =
                text_of(loop("0, 3", "o", loop(width + ", " + width + " + " + std::to_string(tile), "i", load(at))),
                        "N == " + std::to_string(size));
            INFO(text);
            const Place place = last_place(text).place;
            const bool is_inside = below + above == 0;
            if (place == Place::Inside) CHECK(is_inside);
            if (place == Place::Outside) CHECK((below == 3 * tile || above == 3 * tile));
            if (offset == 0 && scale >= 0) CHECK((place == Place::Inside) == is_inside);
            inside += is_inside ? 1 : 0;
            shown += place == Place::Inside ? 1 : 0;
          }
  CHECK(shown >= inside * 9 / 10);
}

TEST_CASE("iterations that write what another one touches conflict") {
  const std::string zero = "    %z = literal {dtype = f32, value = 0.0} : f32\n";
  const auto store = [&](const std::string& at) { return zero + "    store %z, %y[" + at + "]\n"; };
  const auto from_y = [](const std::string& at) { return "    %w = load %y[" + at + "] : f32\n"; };
  struct Case {
    std::string body, conflict;
    std::string within = {}, where = {};
  };
  const std::vector<Case> cases{
      {loop("0, N", "i", store("%i, 0")), "none"},
      {loop("0, N", "i", load("%i, 0")), "none"},
      {loop("0, N", "i", store("0, 0")), "certain store"},
      {loop("0, N", "i", store("%i floordiv 2, 0")), "open store"},
      {loop("0, N", "i", store("N - 1 - %i, 0")), "none"},
      // A neighbour, in this array or in another one.
      {loop("0, N - 1", "i", from_y("%i + 1, 0") + "    store %w, %y[%i, 0]\n"), "open load"},
      {loop("0, N - 1", "i", load("%i + 1, 0") + "    store %v, %y[%i, 0]\n"), "none"},
      {loop("0, N", "i", from_y("%i, 1") + "    store %w, %y[%i, 0]\n"), "none"},
      // Two elements of an iteration: of its own tile, or of the next one's.
      {loop("0, N floordiv 2", "i", store("2*%i, 0") + "    store %z, %y[2*%i + 1, 0]\n"), "none"},
      {loop("0, N floordiv 2", "i", store("2*%i, 0") + "    store %z, %y[2*%i + 2, 0]\n"), "open store"},
      // Rows, and columns that all rows share.
      {loop("0, N", "i", loop("0, 8", "j", store("%i, %j"))), "none"},
      {loop("0, N", "i", loop("0, 8", "j", store("0, %j"))), "open store"},
      {loop("0, N ceildiv 4", "i", loop("4*%i, min(4*%i + 4, N)", "j", store("%j, 0"))), "none"},
      {loop("0, N ceildiv 4", "i", loop("4*%i, 4*%i + 5", "j", store("%j, 0"))), "open store"},
      // Two iterations of %i, of one iteration of %o or of any two.
      {loop("0, N", "o", loop("0, 8", "i", store("%o, %i"))), "none", "o"},
      {loop("0, N", "o", loop("0, 8", "i", store("0, %i"))), "none", "o"},
      {loop("0, N", "o", loop("0, 8", "i", store("0, %i + %o"))), "none"},
      {loop("0, N", "o", loop("0, 8", "i", store("0, %i + %o"))), "open store", "o"},
      // Memory of the iteration itself.
      {loop("0, N", "i", "    %t = alloc : buffer<1xf32, thread>\n" + zero + "    store %z, %t[0]\n"), "none"},
      {"    %t = alloc : buffer<1xf32, thread>\n" + loop("0, N", "i", zero + "    store %z, %t[0]\n"), "certain store"},
      // A view is the buffer underneath.
      {"    %w8 = buffer_view %y : buffer<[8*N]xf32, argument>\n" +
           loop("0, N", "i", zero + "    store %z, %w8[8*%i]\n"),
       "none"},
      {"    %w8 = buffer_view %y : buffer<[8*N]xf32, argument>\n" +
           loop("0, N - 1", "i", store("%i, 0") + "    store %z, %w8[8*%i + 8]\n"),
       "open store"},
  };
  for (const Case& c : cases) {
    INFO(text_of(c.body, c.where));
    CHECK(conflict(text_of(c.body, c.where), c.within) == c.conflict);
  }
}

TEST_CASE("two buffers in one memory are apart where no iteration touches what another one stores") {
  const auto apart = [](const std::string& body) {
    const test::ParsedModule parsed(text_of(loop("0, N - 1", "i", body)));
    FunctionFacts facts;
    const ForRef over = ForRef::from(parsed.value("i").argument_of().parent_op());
    const Value x = parsed.value("x"), y = parsed.value("y");
    const bool both = keep_apart_as_one(over, facts.of(parsed.func()), x, y);
    CHECK(both == keep_apart_as_one(over, facts.of(parsed.func()), y, x));
    return both;
  };
  CHECK(apart(load("%i, 0") + "    store %v, %y[%i, 0]\n"));
  CHECK(apart(load("%i, 1") + "    store %v, %y[%i, 0]\n"));
  CHECK_FALSE(apart(load("%i + 1, 0") + "    store %v, %y[%i, 0]\n"));
  CHECK_FALSE(apart(load("%i, 0") + "    store %v, %y[N - 1 - %i, 0]\n"));
  CHECK(apart(load("%i + 1, 0")));
}

}  // namespace mlgc

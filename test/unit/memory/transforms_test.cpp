// Each transform of a memory plan on small host functions: what changes, and what must not.
#include <string>
#include <vector>

#include "host_function.h"

namespace mlgc {
namespace {

using namespace test;

std::string loop(const std::string& body) { return "  for [0, 3] (%k: index) {\n" + body + "  }\n"; }

}  // namespace

TEST_CASE("a copy is elided where its source is written, used up by it, and nobody touches its target meanwhile") {
  struct Case {
    std::string body;
    std::uint64_t elided;
    std::string launches;  // that are left
  };
  const std::string t = alloc("t"), u = alloc("u"), v = alloc("v");
  const std::vector<Case> cases{
      {t + launch("twice", {"x", "t"}) + launch("copy", {"t", "y"}), 1, "launch twice x y\n"},
      // A chain of them.
      {t + u + launch("twice", {"x", "t"}) + launch("copy", {"t", "u"}) + launch("copy", {"u", "y"}), 2,
       "launch twice x y\n"},
      // Into another buffer.
      {t + u + launch("twice", {"x", "t"}) + launch("copy", {"t", "u"}) + launch("turn", {"u", "y"}), 1,
       "launch twice x u\nlaunch turn u y\n"},
      // What stands in a loop, written where it is carried: where the kernel may work in place.
      {launch("copy", {"x", "y"}) + loop(t + launch("twice", {"y", "t"}) + launch("copy", {"t", "y"})), 1,
       "launch copy x y\nlaunch twice y y\n"},
      {launch("copy", {"x", "y"}) + loop(t + launch("turn", {"y", "t"}) + launch("copy", {"t", "y"})), 0, ""},
      // Of an argument or into one that is given, of a part, and of what is read behind it.
      {launch("copy", {"x", "y"}), 0, ""},
      {t + launch("twice", {"x", "t"}) + launch("part", {"t", "y"}), 0, ""},
      {t + u + launch("twice", {"x", "t"}) + launch("copy", {"t", "u"}) + launch("join", {"u", "t", "y"}), 0, ""},
      // The target is read, or written, between.
      {t + u + v + launch("twice", {"x", "u"}) + launch("twice", {"x", "t"}) + launch("turn", {"u", "v"}) +
           launch("copy", {"t", "u"}) + launch("join", {"u", "v", "y"}),
       0, ""},
      {t + launch("turn", {"x", "t"}) + launch("twice", {"x", "y"}) + launch("copy", {"t", "y"}), 0, ""},
      // The source is not made where it is copied, or lies in memory that others lie in.
      {t + launch("twice", {"x", "t"}) + loop(launch("copy", {"t", "y"})), 0, ""},
      {t + "  %w = alloc %t : buffer<[N]xf32, arena>\n" + launch("twice", {"x", "t"}) + launch("twice", {"t", "w"}) +
           launch("copy", {"w", "y"}),
       0, ""},
      // Copies of a memory to itself.
      {launch("twice", {"x", "y"}) + launch("copy", {"y", "y"}), 1, "launch twice x y\n"},
  };
  for (const Case& c : cases) {
    Planned planned(host(c.body));
    INFO(c.body);
    const std::string before = planned.ops();
    CHECK(planned.elide() == c.elided);
    std::string launches;
    for (std::size_t at = 0, end = 0; at < planned.ops().size(); at = end + 1) {
      const std::string ops = planned.ops();
      end = ops.find('\n', at);
      if (ops.compare(at, 6, "launch") == 0) launches += ops.substr(at, end - at + 1);
    }
    if (c.elided > 0)
      CHECK(launches == c.launches);
    else
      CHECK(planned.ops() == before);
  }
}

TEST_CASE("no transform goes beyond the gate") {
  const std::string body = alloc("t") + alloc("u") + launch("twice", {"x", "t"}) + launch("copy", {"t", "u"}) +
                           launch("copy", {"u", "y"}) + kOldState + launch("twice", {"o", "n"});
  for (const std::uint64_t limit : {0, 1}) {
    for (const auto transform : {&Planned::elide, &Planned::reorder, &Planned::share, &Planned::states}) {
      Planned planned(host(body, true));
      const std::string before = planned.parsed.text();
      const std::uint64_t changes = (planned.*transform)(RewriteGate(limit));
      CHECK(changes <= limit);
      CHECK((planned.parsed.text() == before) == (changes == 0));
    }
  }
}

TEST_CASE("launches stand where less is live, and stay where nothing is gained or where they depend on each other") {
  const std::string wide = alloc("a", "[N]x64") + alloc("b", "[N]x64") + alloc("t") + alloc("u");
  const auto reordered = [](const std::string& body, bool updates = false) {
    Planned planned(host(body, updates));
    const std::string before = planned.ops();
    const std::uint64_t regions = planned.reorder();
    CHECK((planned.ops() != before) == (regions > 0));
    std::string kernels;
    const std::string ops = planned.ops();
    for (std::size_t at = ops.find("launch "); at != std::string::npos; at = ops.find("launch ", at + 1))
      kernels += ops.substr(at + 7, ops.find('\n', at) - at - 7) + "; ";
    return regions > 0 ? kernels : "";
  };
  // Each wide buffer is used up before the next one is made.
  CHECK(reordered(wide + launch("grow", {"x", "a"}) + launch("grow", {"x", "b"}) + launch("shrink", {"a", "t"}) +
                  launch("shrink", {"b", "u"}) + launch("join", {"t", "u", "y"})) ==
        "grow x a; shrink a t; grow x b; shrink b u; join t u y; ");
  // It is so already; or the first one is needed with the second.
  CHECK(reordered(wide + launch("grow", {"x", "a"}) + launch("shrink", {"a", "t"}) + launch("grow", {"x", "b"}) +
                  launch("shrink", {"b", "u"}) + launch("join", {"t", "u", "y"}))
            .empty());
  CHECK(reordered(wide + launch("grow", {"x", "a"}) + launch("shrink", {"a", "t"}) + launch("grow", {"t", "b"}) +
                  launch("shrink", {"b", "u"}) + launch("join", {"t", "u", "y"}))
            .empty());
  // Nothing that was behind a test stands before it.
  CHECK(reordered(wide + launch("grow", {"x", "a"}) + launch("tests", {"x", "y"}) + launch("grow", {"x", "b"}) +
                  launch("shrink", {"a", "t"}) + launch("shrink", {"b", "u"}) + launch("join", {"t", "u", "y"})) ==
        "tests x y; grow x a; shrink a t; grow x b; shrink b u; join t u y; ");
  // In a region of its own, where the buffers are.
  CHECK(reordered(loop(wide + launch("grow", {"x", "a"}) + launch("grow", {"x", "b"}) + launch("shrink", {"a", "t"}) +
                       launch("shrink", {"b", "u"}) + launch("join", {"t", "u", "y"}))) ==
        "grow x a; shrink a t; grow x b; shrink b u; join t u y; ");
}

TEST_CASE("a buffer takes over the memory of one whose last reader writes it first") {
  struct Case {
    std::string body;
    std::uint64_t shared;
    std::vector<std::string> lines;  // that must be there
  };
  const std::string t = alloc("t"), u = alloc("u");
  const std::vector<Case> cases{
      {t + launch("twice", {"x", "t"}) + launch("twice", {"t", "y"}), 1, {"alloc t y\n"}},
      {t + u + launch("twice", {"x", "t"}) + launch("twice", {"t", "u"}) + launch("turn", {"u", "y"}),
       1,
       {"alloc t\n", "alloc u t\n"}},
      {t + u + launch("twice", {"x", "t"}) + launch("twice", {"t", "u"}) + launch("twice", {"u", "y"}),
       2,
       {"alloc t y\n", "alloc u y\n"}},
      {t + launch("twice", {"x", "t"}) + launch("turn", {"t", "y"}), 0, {}},
      // An argument that is given is not written over; nor what is read later.
      {launch("twice", {"x", "y"}), 0, {}},
      {t + u + launch("twice", {"x", "t"}) + launch("twice", {"t", "u"}) + launch("join", {"t", "u", "y"}),
       1,
       {"alloc t y\n", "alloc u\n"}},
      // Another size.
      {alloc("a", "[N]x64") + launch("grow", {"x", "a"}) + launch("shrink", {"a", "y"}), 0, {}},
      // Two are read, and one memory is there to hand on.
      {t + u + launch("twice", {"x", "t"}) + launch("turn", {"x", "u"}) + launch("join", {"t", "u", "y"}), 1, {}},
      // What a loop repeats is not used up in it.
      {t + launch("twice", {"x", "t"}) + loop(launch("twice", {"t", "y"})), 0, {}},
      {t + loop(u + launch("twice", {"x", "u"}) + launch("twice", {"u", "t"})) + launch("turn", {"t", "y"}), 0, {}},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    Planned planned(host(c.body));
    CHECK(planned.share() == c.shared);
    for (const std::string& line : c.lines) CHECK_THAT(planned.ops(), Contains(line));
    // All that can be handed on was.
    CHECK(planned.share() == 0);
  }
}

TEST_CASE("a new state is written over the old one where nothing reads that later and nothing fails behind it") {
  const auto states = [](const std::string& body) {
    Planned planned(host(body, true));
    const std::uint64_t count = planned.states();
    CHECK((planned.parsed.text().find("in_place = [\"s\"]") != std::string::npos) == (count == 1));
    CHECK(planned.states() == 0);
    return count;
  };
  const std::string result = launch("copy", {"x", "y"});
  CHECK(states(kOldState + launch("twice", {"o", "n"}) + result) == 1);
  CHECK(states(kOldState + launch("twice", {"o", "y"}) + launch("copy", {"x", "n"})) == 1);
  CHECK(states(result + launch("twice", {"x", "n"})) == 1);
  // Turned around, or read behind the new value.
  CHECK(states(kOldState + launch("turn", {"o", "n"}) + result) == 0);
  CHECK(states(kOldState + launch("copy", {"x", "n"}) + launch("twice", {"o", "y"})) == 0);
  // A test behind it would end a call that has lost the old value.
  CHECK(states(kOldState + launch("twice", {"o", "n"}) + launch("tests", {"x", "y"})) == 0);
  CHECK(states(kOldState + launch("tests", {"x", "y"}) + launch("twice", {"o", "n"})) == 1);
}

TEST_CASE("buffers sink to the op that touches them first, and those of nobody to the end") {
  Planned planned(host(alloc("unused") + alloc("t") + alloc("u") +
                       "  %r = buffer_view %u : buffer<1x[N]xf32, arena>\n" +
                       "  %q = buffer_view %r : buffer<[N]xf32, arena>\n" + kOldState + launch("twice", {"x", "t"}) +
                       loop(launch("twice", {"t", "q"})) + launch("join", {"u", "o", "y"})));
  CHECK(planned.sink());
  CHECK(planned.ops() ==
        "alloc t\nlaunch twice x t\nalloc u\nbuffer_view r u\nbuffer_view q r\nfor\nlaunch twice t q\ndata o\n"
        "launch join u o y\nalloc unused\n");
  CHECK_FALSE(planned.sink());
}

}  // namespace mlgc

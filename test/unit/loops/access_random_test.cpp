// What the verifier admits is sound: random nests with random bounds, guards and subscripts are run over small sizes.
// One that passes never leaves a buffer, and loops said to keep their iterations apart do.
#include <map>
#include <random>
#include <set>

#include "analysis/loop_access.h"
#include "interp/interpret_module.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "sampled.h"
#include "thread_cases.h"
#include "verify/verify.h"

using namespace mlgc;
using namespace mlgc::thread_test;

namespace {

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  std::string one_of(std::initializer_list<const char*> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }
  std::string number(int most) { return std::to_string(below(most + 1)); }

 private:
  std::mt19937 random_;
};

// A bound, an expression over the indices in sight, or a condition.
std::string bound(Draw& d, bool inner) {
  return d.one_of({"N", "N", "M", "N - 1", "N floordiv 2", "min(N, M)", "N ceildiv 4", "4", "2"}) +
         (inner && d.below(3) == 0 ? d.one_of({" - %i", " + %i"}) : "");
}
std::string subscript(Draw& d) {
  switch (d.below(6)) {
    case 0: return "%i";
    case 1: return "%j";
    case 2: return d.one_of({"%i", "%j"}) + d.one_of({" + ", " - "}) + d.number(2);
    case 3: return d.one_of({"2", "4", "3"}) + "*%i + %j";
    case 4: return d.one_of({"%i floordiv 2", "%j mod 4", "%i mod 2", "N - 1 - %i", "%i - %j", "0"});
    default: return d.one_of({"%i", "%j"}) + " + " + d.one_of({"%i", "%j"});
  }
}

struct Nest {
  std::string i_from, i_to, j_from, j_to, guard;
  std::string load, store;
};
Nest draw_nest(Draw& d) {
  Nest n;
  n.i_from = d.below(4) == 0 ? "1" : "0";
  n.i_to = bound(d, false);
  const bool tiled = d.below(3) == 0;
  const std::string size = d.one_of({"2", "3", "4"});
  n.j_from = tiled ? size + "*%i" : d.one_of({"0", "0", "1", "%i", "max(0, %i - 1)"});
  n.j_to = tiled ? "min(" + size + "*%i + " + size + ", N)" : bound(d, true);
  if (d.below(2) == 0)
    n.guard = d.one_of({"N - 1 - %i", "%i - 1", "M - 1 - %j", "%i - %j", "N - 1 - %i - %j", "N - 5"});
  n.load = subscript(d);
  n.store = subscript(d);
  return n;
}

std::string text_of(const Nest& n) {
  std::string body = "      %v = load %x[" + n.load + "]\n      store %v, %y[" + n.store + "]\n";
  if (!n.guard.empty()) body = "      %g = guard [" + n.guard + "]\n      if %g {\n" + body + "      }\n";
  return "func @f(%x: buffer<[N]xf32, argument>, %m: buffer<[M]xf32, argument>, %y: buffer<[M]xf32, argument>) {\n"
         "  for [" +
         n.i_from + ", " + n.i_to + "] (%i: index) {\n    for [" + n.j_from + ", " + n.j_to + "] (%j: index) {\n" +
         body + "    }\n  }\n  return\n}\n";
}

}  // namespace

TEST_CASE("random nests that are verified stay inside of their buffers") {
  int passed = 0, refused = 0, left = 0;
  for (std::uint32_t seed = 0; seed < 3000; seed += test::seed_step(3)) {
    Draw d(seed);
    const std::string text = text_of(draw_nest(d));
    const auto context = make_context();
    Module module = read_text(context, text);
    DiagnosticEngine diagnostics(context->locations());
    const bool sound = verify(module, diagnostics);
    (sound ? passed : refused)++;
    for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {1, 1}, {5, 3}, {4, 9}, {8, 8}}) {
      const std::vector<Tensor> inputs{Tensor::zeros(Dtype::F32, {n}), Tensor::zeros(Dtype::F32, {m}),
                                       Tensor::zeros(Dtype::F32, {m})};
      const auto made = interpret(module, "f", inputs);
      if (made) continue;
      ++left;
      if (!sound) break;
      FAIL(made.error().message() << " with N = " << n << ", M = " << m << "\n" << text);
    }
  }
  INFO(passed << " passed, " << refused << " refused, " << left << " left their buffers");
  CHECK(passed > 50);
  CHECK(left > 333);
}

TEST_CASE("iterations of random loops without a conflict touch different elements") {
  int apart = 0, together = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    Draw d(seed + 100000);
    const Nest nest = draw_nest(d);
    const std::string load = subscript(d);
    // The loaded buffer is the stored one.
    std::string text = text_of(nest);
    const std::size_t at = text.find("load %x[");
    text.replace(at, text.find(']', at) + 1 - at,
                 d.below(2) == 0 ? "load %y[" + nest.store + "]" : "load %y[" + load + "]");
    const auto context = make_context();
    Module module = read_text(context, text);
    ForRef outer;
    std::vector<OpRef> accesses;
    ForRef inner;
    OpRef guard;
    walk(module, [&](OpRef op) {
      if (const ForRef loop = ForRef::from(op); loop.valid()) (outer.valid() ? inner : outer) = loop;
      if (op.is(LoopOp::Guard)) guard = op;
      if (op.is(LoopOp::Load) || op.is(LoopOp::Store)) accesses.push_back(op);
    });
    const bool clean = !find_conflict(outer, {}).has_value();
    IndexPool& pool = context->index();
    bool meets = false;
    for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {4, 9}, {8, 8}}) {
      std::int64_t i = 0, j = 0;
      const auto value = [&, n = n, m = m](OpRef op, IndexExpr e) {
        return *pool.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
          const Atom& atom = pool.atom(id);
          if (atom.kind == AtomKind::Symbol) return pool.symbol_name(id) == "N" ? n : m;
          return op.operand(atom.number) == outer.index() ? i : j;
        });
      };
      // Which iterations touch an element, and whether one of them stores it.
      std::map<std::int64_t, std::pair<std::set<std::int64_t>, bool>> touched;
      for (i = value(outer.op(), outer.first()); i < value(outer.op(), outer.last()); ++i) {
        for (j = value(inner.op(), inner.first()); j < value(inner.op(), inner.last()); ++j) {
          if (guard.valid() && value(guard, subscripts_of(guard)[0]) < 0) continue;
          for (const OpRef op : accesses) {
            auto& [iterations, stored] = touched[value(op, subscripts_of(op)[0])];
            iterations.insert(i);
            stored = stored || op.is(LoopOp::Store);
          }
        }
      }
      for (const auto& [element, by] : touched) meets = meets || (by.second && by.first.size() > 1);
    }
    if (clean && meets) FAIL("iterations meet:\n" << text);
    (clean ? apart : together)++;
  }
  INFO(apart << " apart, " << together << " not shown");
  CHECK(apart > 200);
  CHECK(together > 500);
}

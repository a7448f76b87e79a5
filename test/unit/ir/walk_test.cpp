// Walks visit everything once in the order they name, and stand the erasure of the op they are at.
#include "ir/walk.h"

#include <string>
#include <vector>

#include "ir/clone.h"
#include "ir/structural_hash.h"
#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

// any#a { neg#b, any#c { } { neg#d } }, any#e {} {}, neg#f  in one function; names are those of the first result.
struct Tree {
  std::shared_ptr<Context> context = test::make_context();
  Module module{context};
  OpRef func;
  Tree() {
    Builder builder(module);
    const Type f32 = context->types().scalar(Dtype::F32);
    func = builder.func("f", {{f32}});
    const Value x = func.region().argument(0);
    const auto make = [&](std::string_view op, std::string_view name, RegionRef in, std::size_t regions) {
      builder.set_end(in);
      const OpRef made =
          op == "neg" ? builder.create("neg", {x}, {f32}) : builder.create("any", {}, {f32}, {}, regions);
      made.result().set_name(name);
      return made;
    };
    const OpRef a = make("any", "a", func.region(), 1);
    make("neg", "b", a.region(), 0);
    const OpRef c = make("any", "c", a.region(), 2);
    make("neg", "d", c.region(1), 0);
    make("any", "e", func.region(), 2);
    make("neg", "f", func.region(), 0);
  }
};

std::string label(OpRef op) { return op.result_count() > 0 ? std::string(op.result().name()) : std::string("func"); }

template <WalkOrder Order>
std::string order(Module& module) {
  std::string text;
  walk<Order>(module, [&](OpRef op) { text += label(op) + " "; });
  return text;
}

}  // namespace

TEST_CASE("the four orders") {
  Tree t;
  CHECK(order<WalkOrder::Pre>(t.module) == "func a b c d e f ");
  CHECK(order<WalkOrder::Post>(t.module) == "b d c a e f func ");
  CHECK(order<WalkOrder::BackwardPre>(t.module) == "func f e a c d b ");
  CHECK(order<WalkOrder::BackwardPost>(t.module) == "f e d c b a func ");
}

TEST_CASE("a walk from an op stays inside it") {
  Tree t;
  std::string text;
  walk(t.func.region().front(), [&](OpRef op) { text += label(op); });
  CHECK(text == "abcd");
  text.clear();
  walk<WalkOrder::BackwardPost>(t.func.region().front(), [&](OpRef op) { text += label(op); });
  CHECK(text == "dcba");
  Module empty(t.context);
  walk(empty, [&](OpRef) { text += "!"; });
  CHECK(text == "dcba");
}

TEST_CASE("skip leaves out what is inside, stop ends the walk") {
  Tree t;
  std::string text;
  CHECK(walk(t.module, [&](OpRef op) {
    text += label(op);
    return label(op) == "a" ? WalkResult::Skip : WalkResult::Continue;
  }));
  CHECK(text == "funcaef");
  text.clear();
  CHECK_FALSE(walk<WalkOrder::Post>(t.module, [&](OpRef op) {
    text += label(op);
    return label(op) == "c" ? WalkResult::Stop : WalkResult::Continue;
  }));
  CHECK(text == "bdc");
}

template <WalkOrder Order>
static std::string erase_and_list(std::string_view victims) {
  Tree t;
  std::string text;
  walk<Order>(t.module, [&](OpRef op) {
    text += label(op);
    if (victims.find(label(op)) != std::string_view::npos) op.erase();
  });
  CHECK(t.module.check_store().empty());
  return text;
}

TEST_CASE("the op under visit may be erased in every order") {
  CHECK(erase_and_list<WalkOrder::Pre>("a") == "funcaef");
  CHECK(erase_and_list<WalkOrder::Pre>("bcdf") == "funcabcef");
  CHECK(erase_and_list<WalkOrder::Pre>("abcdef") == "funcaef");
  CHECK(erase_and_list<WalkOrder::Post>("abcdef") == "bdcaeffunc");
  CHECK(erase_and_list<WalkOrder::BackwardPre>("abcdef") == "funcfea");
  CHECK(erase_and_list<WalkOrder::BackwardPost>("abcdef") == "fedcbafunc");
}

TEST_CASE("the root may be erased") {
  Tree t;
  const OpRef a = t.func.region().front();
  walk<WalkOrder::Post>(a, [&](OpRef op) { op.erase(); });
  CHECK(a.erased());
  const OpRef e = t.func.region().front();
  walk(e, [&](OpRef op) { op.erase(); });
  CHECK(e.erased());
  CHECK(t.module.check_store().empty());
}

TEST_CASE("a hundred thousand nested regions are walked, hashed, cloned, compacted and erased without recursion") {
  auto context = test::make_context();
  Module module(context);
  Builder builder(module);
  OpRef outer = builder.func("f", {});
  for (int depth = 0; depth < 100'000; ++depth) {
    builder.set_end(outer.region());
    outer = builder.create("any", {}, {}, {}, 1);
  }
  std::size_t count = 0;
  walk(module, [&](OpRef) { ++count; });
  walk<WalkOrder::BackwardPost>(module, [&](OpRef) { ++count; });
  CHECK(count == 200'002);
  const OpRef copy = clone_function(module.lookup("f"), module, "g");
  CHECK(structural_hash(copy, {.symbol_name = false}) == structural_hash(module.lookup("f"), {.symbol_name = false}));
  copy.erase();
  module.compact();
  CHECK(module.check_store().empty());
  module.lookup("f").erase();
  CHECK(module.op_count() == 1);
}

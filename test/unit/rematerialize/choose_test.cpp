// What is kept and what is computed again, against all choices that are possible.
#include "rematerialize/choose.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "fusion/decide_fusion.h"
#include "fusion/typical_sizes.h"
#include "ir/function_facts.h"
#include "ops/op_table.h"
#include "rematerialize/candidates.h"
#include "support_catch.h"
#include "text/parser.h"

using namespace mlgc;

namespace {

struct Program {
  std::shared_ptr<Context> context = make_context();
  std::optional<Module> module;
  explicit Program(const std::string& text) {
    DiagnosticEngine diagnostics(context->locations());
    module = parse_module(context, context->locations().add_source("f.mlir", text), diagnostics);
    REQUIRE(module.has_value());
  }
  [[nodiscard]] ForwardPart part() const { return forward_part(find_function(*module, "f"), 1); }
  [[nodiscard]] double bytes(Value value) const {
    return typical_size(context->index(), context->storage_bytes(value.type()), {});
  }
};

std::set<std::string> names(const std::vector<KeptValue>& kept) {
  std::set<std::string> out;
  for (const KeptValue& one : kept) out.insert(std::string(one.value.name()));
  return out;
}

// A chain and shortcuts of elementwise ops and row sums, read at random by backward.
std::string random_text(std::mt19937& random) {
  const std::size_t count = 2 + random() % 7;
  std::string body, backward;
  std::string sum = "%g";
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = [&] { return i == 0 ? std::string("%x") : "%v" + std::to_string(random() % i); };
    const std::string name = "%v" + std::to_string(i);
    if (random() % 3 == 0)
      body += "  " + name + " = softmax " + value() + " {dim = 1} : tensor<8x16xf32>\n";
    else if (random() % 2 == 0)
      body += "  " + name + " = add " + value() + ", " + value() + " : tensor<8x16xf32>\n";
    else
      body += "  " + name + " = tanh " + value() + " : tensor<8x16xf32>\n";
    if (random() % 2 != 0) continue;
    backward += "  %b" + std::to_string(i) + " = mul " + sum + ", " + name + " : tensor<8x16xf32>\n";
    sum = "%b" + std::to_string(i);
  }
  return "func @f(%x: tensor<8x16xf32>, %g: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {\n" + body +
         backward + "  return %v" + std::to_string(count - 1) + ", " + sum + "\n}\n";
}

// Bytes that are kept, beside results, when the ops of `again` are computed again.
double kept_bytes(const Program& program, const ForwardPart& part, const std::set<std::uint32_t>& again) {
  std::set<std::uint32_t> kept, asked;
  std::vector<Value> open(part.read.begin(), part.read.end());
  double bytes = 0;
  while (!open.empty()) {
    const Value value = open.back();
    open.pop_back();
    if (!value.is_result()) continue;
    const std::uint32_t op = part.number_of.at(value.definer().id());
    if (again.contains(op)) {
      if (asked.insert(op).second)
        for (const Value operand : value.definer().operands()) open.push_back(operand);
    } else if (kept.insert(op).second) {
      const auto results = part.function.return_op().operands();
      if (std::find(results.begin(), results.end(), value) == results.end()) bytes += program.bytes(value);
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("of all sets of ops, the one that is computed again keeps the fewest bytes") {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    const Program program(random_text(random));
    const ForwardPart part = program.part();
    for (const Recompute what : {Recompute::Cheap, Recompute::Reductions}) {
      const Recomputed chosen = choose_recomputed(part, {what, 1});
      std::set<std::uint32_t> again, possible;
      for (const OpId op : chosen.ops) again.insert(part.number_of.at(op));
      double bytes = 0;
      for (const KeptValue& kept : chosen.kept)
        if (kept.reason != KeptReason::Result) bytes += program.bytes(kept.value);
      REQUIRE(kept_bytes(program, part, again) == bytes);
      for (std::size_t op = 0; op < part.ops.size(); ++op)
        if (part.ops[op].kind <= (what == Recompute::Cheap ? RecomputeKind::Elementwise : RecomputeKind::Reduction))
          possible.insert(static_cast<std::uint32_t>(op));
      for (std::size_t mask = 0; mask < (std::size_t{1} << part.ops.size()); ++mask) {
        std::set<std::uint32_t> tried;
        for (const std::uint32_t op : possible)
          if (((mask >> op) & 1U) != 0) tried.insert(op);
        REQUIRE(bytes <= kept_bytes(program, part, tried));
      }
    }
  }
}

TEST_CASE("what each level computes again, and why the rest is kept") {
  const Program program(
      R"(func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %g: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %m = matmul %x, %w : tensor<64x64xf32>
  %t = tanh %m : tensor<64x64xf32>
  %s = softmax %t {dim = 1} : tensor<64x64xf32>
  %o = torch.call %s {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<64x64xf32>
  %r = exp %o : tensor<64x64xf32>
  %a = mul %g, %t : tensor<64x64xf32>
  %b = mul %a, %s : tensor<64x64xf32>
  %c = mul %b, %o : tensor<64x64xf32>
  return %r, %c
})");
  const ForwardPart part = program.part();
  const auto kept = [&](Recompute what) { return names(choose_recomputed(part, {what, 1}).kept); };
  CHECK(kept(Recompute::None) == std::set<std::string>{"t", "s", "o"});
  CHECK(kept(Recompute::Cheap) == std::set<std::string>{"t", "s", "o"});
  CHECK(kept(Recompute::Reductions) == std::set<std::string>{"t", "o"});
  CHECK(kept(Recompute::All) == std::set<std::string>{"o"});
  const Recomputed all = choose_recomputed(part, {Recompute::All, 1});
  REQUIRE(all.kept.size() == 1);
  CHECK(all.kept[0].reason == KeptReason::Never);
  for (const KeptValue& one : choose_recomputed(part, {Recompute::Cheap, 1}).kept)
    if (one.value.name() == "s") CHECK(one.reason == KeptReason::Level);
}

TEST_CASE("segments keep what is alive between them, and products of the last one") {
  std::string text =
      "func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %g: tensor<64x64xf32>) -> "
      "(tensor<64x64xf32>, tensor<64x64xf32>) {\n";
  std::string value = "%x", sum = "%g";
  for (int i = 0; i < 6; ++i) {
    const std::string name = "%m" + std::to_string(i);
    text += "  " + name + " = matmul " + value + ", %w : tensor<64x64xf32>\n";
    value = name;
  }
  for (int i = 5; i >= 0; --i) {
    const std::string name = "%d" + std::to_string(i);
    text += "  " + name + " = mul " + sum + ", %m" + std::to_string(i) + " : tensor<64x64xf32>\n";
    sum = name;
  }
  const Program program(text + "  return %m5, " + sum + "\n}\n");
  const ForwardPart part = program.part();
  const auto kept = [&](std::size_t segments) {
    std::set<std::string> out;
    for (const KeptValue& one : choose_recomputed(part, {Recompute::All, segments}).kept)
      out.insert(std::string(one.value.name()) + (one.reason == KeptReason::Result     ? " result"
                                                  : one.reason == KeptReason::Segment  ? " between"
                                                  : one.reason == KeptReason::LastPart ? " last"
                                                                                       : ""));
    return out;
  };
  CHECK(kept(1) == std::set<std::string>{"m5 result"});
  CHECK(kept(2) == std::set<std::string>{"m1 between", "m2 last", "m3 last", "m4 last", "m5 result"});
}

TEST_CASE("candidates are ordered by cost, differ, and begin with nothing where nothing is free") {
  const Program program(
      R"(func @f(%x: tensor<[B]x64xf32>, %w: tensor<64x64xf32>, %g: tensor<[B]x64xf32>) -> (tensor<[B]x64xf32>, tensor<[B]x64xf32>) {
  %m = matmul %x, %w : tensor<[B]x64xf32>
  %t = tanh %m : tensor<[B]x64xf32>
  %n = matmul %t, %w : tensor<[B]x64xf32>
  %a = mul %g, %n : tensor<[B]x64xf32>
  %b = mul %a, %t : tensor<[B]x64xf32>
  return %n, %b
})");
  const std::vector<RecomputeCandidate> candidates = recompute_candidates(*program.module, program.part());
  REQUIRE(candidates.size() > 1);
  CHECK(candidates[0].choice == RecomputeChoice{});
  CHECK(candidates[0].copies == 0);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    CHECK(candidates[i - 1].cost <= candidates[i].cost);
    CHECK(candidates[i].copies > 0);
  }
}

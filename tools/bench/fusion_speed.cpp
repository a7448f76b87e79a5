// Times deciding and forming fusions on generated modules, and the slope from a tenth of the size.
//
//     fusion_speed [ops [kind]]
//
// network: layers with contractions, norms, transpositions and residuals. random: each op reads recent values. wide:
// every op reads one value. moves: transpositions in a row. Prints milliseconds of CPU time and the number of kernels.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/decide_fusion.h"
#include "fusion/form_fusions.h"
#include "ir/builder.h"
#include "ops/op_table.h"

namespace {

using namespace mlgc;

// A function on square tensors, so that every op may read every value.
class Generator {
 public:
  explicit Generator(const std::shared_ptr<Context>& context) : module_(context), body_(module_) {
    type_ = context->types().tensor(Dtype::F32, {64, 64});
    const Type arguments[]{type_, type_};
    const OpRef func = body_.func("f", arguments);
    body_ = Builder(module_, func.region());
    values_ = {func.region().argument(0), func.region().argument(1)};
  }

  Value op(std::string_view name, std::vector<Value> operands) {
    AttrDict attributes;
    AttributePool& pool = module_.context().attributes();
    IndexPool& index = module_.context().index();
    if (name == "permute") {
      const IndexExpr dims[]{index.constant(1), index.constant(0)};
      attributes = body_.attrs({{"dims", pool.int_list(dims)}});
    }
    if (name == "softmax") attributes = body_.attrs({{"dim", pool.integer(index.constant(1))}});
    values_.push_back(
        body_.create(module_.context().find_op(name), operands, attributes, std::span(&type_, 1)).result());
    return values_.back();
  }
  Value first() const { return values_[0]; }
  Value last() const { return values_.back(); }
  Value weight() const { return values_[1]; }
  Value recent(std::mt19937_64& random) {
    return values_[values_.size() - 1 - random() % std::min<std::size_t>(values_.size(), 50)];
  }
  [[nodiscard]] std::size_t count() const { return values_.size() - 2; }
  Module finish() {
    body_.create("return", {last()}, {});
    return std::move(module_);
  }

 private:
  Module module_;
  Builder body_;
  Type type_;
  std::vector<Value> values_;
};

Module generate(const std::shared_ptr<Context>& context, std::string_view kind, std::size_t ops) {
  Generator g(context);
  std::mt19937_64 random(7);
  while (g.count() < ops) {
    if (kind == "network") {
      const Value in = g.last();
      const Value keys = g.op("permute", {g.op("matmul", {in, g.weight()})});
      const Value weights = g.op("softmax", {g.op("matmul", {in, keys})});
      const Value residual = g.op("add", {g.op("matmul", {weights, in}), in});
      const Value hidden = g.op("silu", {g.op("matmul", {residual, g.weight()})});
      g.op("add", {g.op("mul", {hidden, g.op("tanh", {residual})}), residual});
    } else if (kind == "random") {
      constexpr std::array kUnary{"exp", "tanh", "neg", "softmax", "permute"};
      constexpr std::array kBinary{"add", "sub", "mul", "matmul"};
      if (random() % 2 == 0)
        g.op(kUnary[random() % kUnary.size()], {g.recent(random)});
      else
        g.op(kBinary[random() % kBinary.size()], {g.recent(random), g.recent(random)});
    } else if (kind == "wide") {
      g.op(random() % 4 == 0 ? "softmax" : "exp", {g.first()});
    } else {
      g.op("permute", {g.last()});
    }
  }
  return g.finish();
}

struct Times {
  double decide = 1e9, form = 1e9;  // milliseconds
  std::size_t kernels = 0;
};

Times measure(std::string_view kind, std::size_t ops, int runs) {
  Times out;
  for (int i = 0; i < runs; ++i) {
    const std::shared_ptr<Context> context = make_context();
    Module module = generate(context, kind, ops);
    const auto since = [](std::clock_t start) {
      return 1000 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    std::clock_t start = std::clock();
    const FusionDecisions decisions = decide_fusion(module, {});
    out.decide = std::min(out.decide, since(start));
    start = std::clock();
    out.kernels = form_fusions(module, decisions, [](const FusionGroup&) { return true; });
    out.form = std::min(out.form, since(start));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  for (const std::string_view kind : {"network", "random", "wide", "moves"}) {
    if (argc > 2 && argv[2] != kind) continue;
    Times before;
    for (std::size_t ops = std::max<std::size_t>(largest / 100, 1); ops <= largest; ops *= 10) {
      const Times now = measure(kind, ops, ops < 50'000 ? 5 : 2);
      std::printf("%-8s %7zu ops: %8zu kernels, plan %9.2f ms, form %9.2f ms, %6.2f us an op",
                  std::string(kind).c_str(), ops, now.kernels, now.decide, now.form,
                  1000 * (now.decide + now.form) / static_cast<double>(ops));
      if (before.kernels > 0)
        std::printf(", slope %.2f", (now.decide + now.form) / (10 * (before.decide + before.form)));
      std::printf("\n");
      before = now;
    }
  }
}

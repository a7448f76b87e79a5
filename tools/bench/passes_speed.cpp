// Times canonicalize, cse and dce on a generated module, each alone and in one run, and the slope from a tenth of the
// size.
//
//     passes_speed [ops]
//
// The graph is the one of tools/bench/opt_scale: a live chain with neutral elements, repeated ops and dead branches.
// Prints seconds of CPU time, ops before and after, the memory of the module, and the peak of the process.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "transforms/all_passes.h"

namespace {

using namespace mlgc;

struct Entry {
  Opcode op;
  Value a, b;
};

Module generate(const std::shared_ptr<Context>& context, std::size_t count) {
  Module module(context);
  module.reserve(count + 8, count + 8, 2 * count);
  Builder top(module);
  const Type type = context->types().tensor(Dtype::F32, {4});
  const Type arguments[]{type, type};
  const OpRef func = top.func("f", arguments);
  Builder body(module, func.region());
  const auto constant = [&](float value) {
    const Attribute attribute = context->attributes().tensor(type, std::as_bytes(std::span(&value, 1)));
    return body.create("constant", {}, {type}, body.attrs({{"value", attribute}})).result();
  };
  std::vector<Value> values{func.region().argument(0), func.region().argument(1)};
  values.push_back(constant(1));
  values.push_back(constant(0));
  const Value one = values[2], zero = values[3];
  const auto op = [&](std::string_view name) { return context->find_op(name); };
  const Opcode mul = op("mul"), sub = op("sub");
  const Opcode unary[]{op("exp"), op("tanh"), op("neg")}, binary[]{op("add"), sub, mul};
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Entry> entries;
  Value live = values[1];
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = below(100);
    Value recent = values[values.size() - 1 - below(std::min<std::size_t>(values.size(), 200))];
    if (recent == one || recent == zero) recent = values[0];
    Entry entry;
    if (kind < 10) {
      entry = {mul, live, one};
    } else if (kind < 15) {
      entry = {sub, live, zero};
    } else if (kind < 30 && !entries.empty()) {
      entry = entries[entries.size() - 1 - below(std::min<std::size_t>(entries.size(), 50))];
    } else if (kind < 60) {
      entry = {unary[below(3)], kind < 45 ? recent : live, Value()};
    } else {
      entry = {binary[below(3)], live, recent};
    }
    const Value operands[]{entry.a, entry.b};
    values.push_back(
        body.create(entry.op, std::span(operands, entry.b.valid() ? 2U : 1U), {}, std::span(&type, 1)).result());
    entries.push_back(entry);
    if (below(100) < 80) live = values.back();
  }
  body.create("return", {live}, {});
  return module;
}

double time_passes(std::size_t ops, std::string_view text, bool verbose) {
  const std::shared_ptr<Context> context = make_context();
  Module module = generate(context, ops);
  const std::size_t bytes = module.memory_bytes();
  DiagnosticEngine diagnostics(context->locations());
  const Pipeline pipeline = parse_pipeline(text, all_passes()).value();
  PassManagerOptions options;
  options.verify_each = false;
  PassManager manager(*context, options);
  const std::size_t before = module.op_count();
  const std::clock_t start = std::clock();
  if (!manager.run(module, pipeline, diagnostics)) std::exit(1);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (verbose)
    std::printf("%-24s %8.3f s  %zu -> %zu ops  module %zu -> %zu MiB  peak %ld MiB\n", std::string(text).c_str(),
                seconds, before, module.op_count(), bytes >> 20, module.memory_bytes() >> 20, usage.ru_maxrss >> 10);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t ops = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  for (const std::string_view text : {"canonicalize", "cse", "dce", "canonicalize,cse,dce"}) {
    const double large = time_passes(ops, text, true);
    double small = 1e9;
    for (int i = 0; i < 3; ++i) small = std::min(small, time_passes(ops / 10, text, false));
    std::printf("%-24s slope from a tenth of the size: %.2f\n", "", large / (10 * small));
  }
}

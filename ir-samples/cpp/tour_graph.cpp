// The first graph of docs/tour.md through the public headers: built op by op, printed, interpreted with every value,
// differentiated by a pass, and made smaller by two others.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "interp/interpret_module.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "pass/pipeline.h"
#include "text/printer.h"
#include "transforms/all_passes.h"

using namespace mlgc;

namespace {

// z = 2*3 * (x + y) * sin(x), and an op whose result nothing reads.
Module build() {
  Module module(make_context());
  Context& context = module.context();
  const Type f32 = context.types().tensor(Dtype::F32, std::initializer_list<std::int64_t>{});
  Builder builder(module);
  const OpRef func = builder.func("z", std::array{f32, f32});
  builder.set_end(func.region());

  const auto named = [](Value value, std::string_view name) {
    value.set_name(name);
    return value;
  };
  const auto op = [&](std::string_view row, std::initializer_list<Value> operands, std::string_view name) {
    return named(builder.create(row, operands, {f32}).result(), name);
  };
  const auto number = [&](float value, std::string_view name) {
    const Attribute data = context.attributes().tensor(f32, Tensor::scalar(value).bytes());
    return named(builder.create("constant", {}, {f32}, builder.attrs({{"value", data}})).result(), name);
  };
  const Value x = named(func.region().argument(0), "x");
  const Value y = named(func.region().argument(1), "y");
  const Value six = op("mul", {number(2, "two"), number(3, "three")}, "six");
  const Value sum = op("add", {x, y}, "sum");
  const Value sine = op("sin", {x}, "sine");
  op("exp", {y}, "unused");
  const Value product = op("mul", {sum, sine}, "product");
  builder.create("return", {op("mul", {product, six}, "z")}, {});
  return module;
}

std::size_t ops_of(const Module& module, std::string_view function) {
  std::size_t count = 0;
  for ([[maybe_unused]] const OpRef op : find_function(module, function).body().ops()) ++count;
  return count;
}

// A pipeline in the syntax of --pass-pipeline.
void run_passes(Module& module, std::string_view pipeline) {
  DiagnosticEngine diagnostics(module.context().locations());
  PassManager manager(module.context());
  if (!manager.run(module, parse_pipeline(pipeline, all_passes()).value(), diagnostics)) {
    std::fputs(render_text(diagnostics).c_str(), stderr);
    std::exit(1);
  }
}

std::vector<double> evaluate(Module& module, std::string_view function, float x, float y, bool print_values = false) {
  InterpretOptions options;
  if (print_values)
    options.observe = [](OpRef op, std::span<const Tensor> results) {
      for (std::size_t i = 0; i < results.size(); ++i)
        std::printf("  %-7s = %-8s %.7g\n", std::string(op.result(i).name()).c_str(), std::string(op.name()).c_str(),
                    results[i].get_double(0));
    };
  const std::array inputs{Tensor::scalar(x), Tensor::scalar(y)};
  const Outputs outputs = interpret(module, function, inputs, {}, options).value();
  std::vector<double> numbers;
  for (const Tensor& result : outputs.results) numbers.push_back(result.get_double(0));
  return numbers;
}

}  // namespace

int main() {
  Module module = build();
  std::fputs(print(module).c_str(), stdout);
  const float x = 0.5F, y = 2;
  std::puts("values:");
  const double z = evaluate(module, "z", x, y, true).front();

  Module gradient = build();
  run_passes(gradient, "grad");
  const std::vector<double> results = evaluate(gradient, "z_grad", x, y);
  std::printf("z = %.7g, dz/dx = %.7g, dz/dy = %.7g\n", results[0], results[1], results[2]);

  const std::size_t before = ops_of(module, "z");
  run_passes(module, "constant-fold");
  const std::size_t folded = ops_of(module, "z");
  run_passes(module, "dce");
  std::printf("ops: %zu, after constant-fold %zu, after dce %zu\n", before, folded, ops_of(module, "z"));

  const double dx = 6 * (std::sin(x) + (x + y) * std::cos(x));
  const bool right = evaluate(module, "z", x, y).front() == z && std::abs(results[1] - dx) < 1e-5 * dx;
  std::puts(right ? "agrees with the derivative on paper" : "differs from the derivative on paper");
  return right ? 0 : 1;
}

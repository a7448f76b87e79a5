// Sorting by merging gives what the formulas of `sort` and `topk` say: every dtype, ties, NaN, both directions, rows of
// any length, along each axis.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "diag/diagnostic.h"
#include "loops/lower_module.h"
#include "random_modules.h"

namespace mlgc {
namespace {

// Few values, so that many are equal.
Tensor with_ties(Dtype dtype, const Shape& shape, std::uint64_t seed) {
  Tensor out = Tensor::zeros(dtype, shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::int64_t i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto drawn = static_cast<std::int64_t>((state >> 33) % 7);
    if (is_float(dtype))
      out.set_double(i, drawn == 6   ? std::numeric_limits<double>::quiet_NaN()
                        : drawn == 5 ? -0.0
                                     : 0.5 * static_cast<double>(drawn));
    else
      out.set_int(i, drawn);
  }
  return out;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

TEST_CASE("rows sorted by merging are what the formula says") {
  std::size_t merged = 0;
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::I8, Dtype::UI8})
    for (const std::string& op :
         {std::string("sort %x {dim = 1}"), std::string("sort %x {dim = 0, descending = true}"),
          std::string("topk %x {dim = 1, k = 1}"), std::string("topk %x {dim = -1, k = 1, largest = false}")}) {
      const std::string type(dtype_info(dtype).name);
      const bool topk = op.starts_with("topk");
      const std::string dims = topk ? "[A]x1x" : "[A]x[B]x";
      const std::string text = "func @f(%x: tensor<[A]x[B]x" + type + ">) -> (tensor<" + dims + type + ">, tensor<" +
                               dims + "i64>) where 1 <= B {\n  %v, %i = " + op + "\n  return %v, %i\n}\n";
      const std::shared_ptr<Context> context = make_context();
      DiagnosticEngine diagnostics(context->locations());
      const SourceFile& file = context->locations().add_source("sort.mlir", text);
      std::optional<Module> graph = parse_module(context, file, diagnostics, {.infer = test::infer_with_facts});
      INFO(text << render_text(diagnostics));
      REQUIRE(graph);
      Module loops = *graph;
      REQUIRE(lower_to_loops(loops, diagnostics));
      test::require_sound(loops);
      CHECK(test::ops_by_name(loops)["while"] == (topk ? 0 : 1));  // few are selected
      for (const Shape& shape :
           {Shape{0, 1}, Shape{1, 1}, Shape{3, 2}, Shape{2, 3}, Shape{4, 5}, Shape{9, 8}, Shape{5, 17}}) {
        const Tensor inputs[] = {with_ties(dtype, shape, merged)};
        const auto wanted = interpret(*graph, "f", inputs, {}), found = interpret(loops, "f", inputs, {});
        REQUIRE(wanted);
        REQUIRE(found);
        for (std::size_t i = 0; i < 2; ++i) CHECK(same(found->results[i], wanted->results[i]));
        ++merged;
      }
    }
  CHECK(merged == 7 * 4 * 7);
}

TEST_CASE("what is selected is what the formula says") {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::UI8})
    for (const int k : {2, 5, 33})
      for (const char* const largest : {"true", "false"}) {
        const std::string type(dtype_info(dtype).name), count = std::to_string(k);
        const std::string text = "func @f(%x: tensor<[A]x[B]x" + type + ">) -> (tensor<[A]x" + count + "x" + type +
                                 ">, tensor<[A]x" + count + "xi64>) where " + count +
                                 " <= B {\n  %v, %i = topk %x {dim = 1, k = " + count + ", largest = " + largest +
                                 "}\n  return %v, %i\n}\n";
        const std::shared_ptr<Context> context = make_context();
        DiagnosticEngine diagnostics(context->locations());
        const SourceFile& file = context->locations().add_source("topk.mlir", text);
        std::optional<Module> graph = parse_module(context, file, diagnostics, {.infer = test::infer_with_facts});
        INFO(text << render_text(diagnostics));
        REQUIRE(graph);
        Module loops = *graph;
        REQUIRE(lower_to_loops(loops, diagnostics));
        test::require_sound(loops);
        CHECK(test::ops_by_name(loops)["while"] == 0);
        for (const std::int64_t size : {k, k + 1, 3 * k + 2}) {
          const Tensor inputs[] = {with_ties(dtype, {3, size}, static_cast<std::uint64_t>(size + k))};
          const auto wanted = interpret(*graph, "f", inputs, {}), found = interpret(loops, "f", inputs, {});
          REQUIRE(wanted);
          REQUIRE(found);
          for (std::size_t i = 0; i < 2; ++i) CHECK(same(found->results[i], wanted->results[i]));
        }
      }
}

}  // namespace
}  // namespace mlgc

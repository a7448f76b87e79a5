// Sorting by counting, by digits, by selection and by merges gives what the formulas of `sort` and `topk` say: every
// dtype, ties, NaN, both directions, rows of any length, along each axis; running extrema likewise.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "diag/diagnostic.h"
#include "loops/lower_module.h"
#include "random_modules.h"
#include "sorted_values.h"

namespace mlgc {
namespace {

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// `@f` of a text, of one operand and two results, as it stands and as loops.
struct Lowered {
  std::shared_ptr<Context> context = make_context();
  std::optional<Module> graph;
  Module loops;

  explicit Lowered(const std::string& text, bool for_threads = false) : loops(context) {
    DiagnosticEngine diagnostics(context->locations());
    const SourceFile& file = context->locations().add_source("f.mlir", text);
    graph = parse_module(context, file, diagnostics, {.infer = test::infer_with_facts});
    INFO(render_text(diagnostics));
    REQUIRE(graph);
    loops = *graph;
    REQUIRE(lower_to_loops(loops, diagnostics, for_threads));
    test::require_sound(loops);
  }
  // The loops give the bits of the graph.
  void check(const Tensor& input) {
    const Tensor inputs[] = {input};
    const auto wanted = interpret(*graph, "f", inputs, {}), found = interpret(loops, "f", inputs, {});
    REQUIRE(wanted);
    REQUIRE(found);
    for (std::size_t i = 0; i < 2; ++i) CHECK(same(found->results[i], wanted->results[i]));
  }
};

TEST_CASE("sorted rows are what the formula says") {
  std::size_t sorted = 0;
  for (const Dtype dtype :
       {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::I32, Dtype::I16, Dtype::I8, Dtype::UI8})
    for (const std::string& op :
         {std::string("sort %x {dim = 1}"), std::string("sort %x {dim = 0, descending = true}"),
          std::string("topk %x {dim = 1, k = 1}"), std::string("topk %x {dim = -1, k = 1, largest = false}")}) {
      const std::string type(dtype_info(dtype).name);
      const bool topk = op.starts_with("topk");
      const std::string dims = topk ? "[A]x1x" : "[A]x[B]x";
      const std::string text = "func @f(%x: tensor<[A]x[B]x" + type + ">) -> (tensor<" + dims + type + ">, tensor<" +
                               dims + "i64>) where 1 <= B {\n  %v, %i = " + op + "\n  return %v, %i\n}\n";
      INFO(text);
      Lowered lowered(text);
      CHECK(test::ops_by_name(lowered.loops)["while"] ==
            (topk ? 0 : 1));  // few are selected, long rows sorted by digits
      for (const Shape& shape : {Shape{0, 1}, Shape{1, 1}, Shape{3, 2}, Shape{2, 3}, Shape{4, 5}, Shape{9, 8},
                                 Shape{5, 17}, Shape{2, 129}, Shape{193, 2}, Shape{1, 700}}) {
        lowered.check(sorted % 2 == 0 ? test::with_ties(dtype, shape, sorted)
                                      : test::of_all_sizes(dtype, shape, sorted));
        ++sorted;
      }
    }
  CHECK(sorted == 9 * 4 * 10);
}

TEST_CASE("rows of a known length are sorted as the formula says") {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I64, Dtype::I16})
    for (const int size : {1, 128, 129, 193, 4001})
      for (const char* const op :
           {"sort %x {dim = 0}", "sort %x {dim = 0, descending = true}", "topk %x {dim = 0, k = 100}"}) {
        const bool topk = op[0] == 't';
        if (topk && size < 100) continue;
        const std::string type(dtype_info(dtype).name), whole = std::to_string(size), kept = topk ? "100" : whole;
        const std::string text = "func @f(%x: tensor<" + whole + "x2x" + type + ">) -> (tensor<" + kept + "x2x" + type +
                                 ">, tensor<" + kept + "x2xi64>) {\n  %v, %i = " + op + "\n  return %v, %i\n}\n";
        INFO(text);
        Lowered lowered(text);
        for (const bool ties : {false, true}) {
          const auto seed = static_cast<std::uint64_t>(size);
          lowered.check(ties ? test::with_ties(dtype, {size, 2}, seed) : test::of_all_sizes(dtype, {size, 2}, seed));
        }
      }
}

TEST_CASE("rows that many threads sort are what the formula says") {
  for (const auto& [dtype, op] : {std::pair{Dtype::BF16, std::string("sort %x {dim = 1, descending = true}")},
                                  std::pair{Dtype::I64, std::string("sort %x {dim = 1}")},
                                  std::pair{Dtype::F32, std::string("topk %x {dim = 1, k = 3}")},
                                  std::pair{Dtype::I64, std::string("topk %x {dim = 1, k = 300, largest = false}")}}) {
    const std::string type(dtype_info(dtype).name);
    const std::string kept = op.find("300") != std::string::npos ? "300" : op.starts_with("topk") ? "3" : "[B]";
    const std::string dims = "[A]x" + kept + "x";
    const std::string text = "func @f(%x: tensor<[A]x[B]x" + type + ">) -> (tensor<" + dims + type + ">, tensor<" +
                             dims + "i64>) where " + (kept == "[B]" ? "0" : kept) + " <= B {\n  %v, %i = " + op +
                             "\n  return %v, %i\n}\n";
    INFO(text);
    Lowered lowered(text, true);
    // Around what the two smaller tiles hold; the largest tile is interpreted once.
    for (const Shape& shape : {Shape{2, 0}, Shape{0, 400}, Shape{3, 5}, Shape{1, 256}, Shape{1, 301}, Shape{1, 2049}}) {
      if (kept != "[B]" && shape[1] < std::stoll(kept)) continue;
      const auto seed = static_cast<std::uint64_t>(shape[1]);
      lowered.check(shape[1] % 2 == 0 ? test::with_ties(dtype, shape, seed) : test::of_all_sizes(dtype, shape, seed));
    }
  }
}

TEST_CASE("rows of a known length that many threads sort are what the formula says") {
  for (const Dtype dtype : {Dtype::F16, Dtype::I64})
    for (const std::string& size : {std::string("4097"), std::string("8193")})
      for (const std::string& op : {std::string("sort %x {dim = 0}"), std::string("topk %x {dim = 0, k = 5}"),
                                    std::string("topk %x {dim = 0, k = 4095}")}) {
        const std::string type(dtype_info(dtype).name);
        const std::string kept = op.starts_with("sort") ? size : op.find("4095") != std::string::npos ? "4095" : "5";
        const std::string text = "func @f(%x: tensor<" + size + "x" + type + ">) -> (tensor<" + kept + "x" + type +
                                 ">, tensor<" + kept + "xi64>) {\n  %v, %i = " + op + "\n  return %v, %i\n}\n";
        INFO(text);
        Lowered lowered(text, true);
        lowered.check(test::with_ties(dtype, {std::stoll(size)}, 1));
      }
}

TEST_CASE("running extrema along rows are what the formula says") {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::I8, Dtype::UI8})
    for (const char* const op : {"cummax", "cummin"}) {
      const std::string type = "tensor<[A]x[B]x" + std::string(dtype_info(dtype).name) + ">";
      const std::string text = "func @f(%x: " + type + ") -> (" + type + ", tensor<[A]x[B]xi64>) {\n  %v, %i = " + op +
                               " %x {dim = 1}\n  return %v, %i\n}\n";
      INFO(text);
      Lowered lowered(text);
      CHECK(test::ops_by_name(lowered.loops)["if"] == 1);
      for (const Shape& shape : {Shape{0, 3}, Shape{2, 0}, Shape{3, 1}, Shape{2, 64}, Shape{2, 65}, Shape{3, 200}})
        for (const bool ties : {false, true}) {
          const auto seed = static_cast<std::uint64_t>(shape[1]);
          lowered.check(ties ? test::with_ties(dtype, shape, seed) : test::of_all_sizes(dtype, shape, seed));
        }
    }
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
        INFO(text);
        Lowered lowered(text);
        CHECK(test::ops_by_name(lowered.loops)["while"] == 0);
        for (const std::int64_t size : {k, k + 1, 3 * k + 2}) {
          lowered.check(test::with_ties(dtype, {3, size}, static_cast<std::uint64_t>(size + k)));
        }
      }
}

}  // namespace
}  // namespace mlgc

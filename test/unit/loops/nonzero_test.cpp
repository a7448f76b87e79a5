// `nonzero` as loops gives what the graph level says: every dtype, nothing, some, everything and NaN, around the
// borders of tiles.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "diag/diagnostic.h"
#include "loops/lower_module.h"
#include "random_modules.h"

namespace mlgc {
namespace {

// One of `every` elements is there, at random.
Tensor some(Dtype dtype, const Shape& shape, std::uint64_t every, std::uint64_t seed) {
  Tensor out = Tensor::zeros(dtype, shape);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::int64_t i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const bool there = every != 0 && (state >> 33) % every == 0;
    if (is_float(dtype))
      out.set_double(i, !there ? -0.0 : (state >> 40) % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.5);
    else
      out.set_int(i, there ? 1 : 0);
  }
  return out;
}

TEST_CASE("positions are those of the graph level, around the borders of tiles") {
  std::size_t checked = 0;
  for (const Dtype dtype :
       {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16, Dtype::I64, Dtype::I8, Dtype::UI8, Dtype::I1})
    for (const std::string dims : {"[A]x[B]x", "[A]x3x[B]x"}) {
      const std::string rank = dims == "[A]x[B]x" ? "2" : "3";
      const std::string text = "func @f(%x: tensor<" + dims + std::string(dtype_info(dtype).name) +
                               ">) -> tensor<[u]x" + rank + "xi64> {\n  %p = nonzero %x : tensor<[u]x" + rank +
                               "xi64>\n  return %p\n}\n";
      const std::shared_ptr<Context> context = make_context();
      DiagnosticEngine diagnostics(context->locations());
      const SourceFile& file = context->locations().add_source("nonzero.mlir", text);
      std::optional<Module> graph = parse_module(context, file, diagnostics, {.infer = test::infer_with_facts});
      INFO(text << render_text(diagnostics));
      REQUIRE(graph);
      Module loops = *graph;
      REQUIRE(lower_to_loops(loops, diagnostics));
      test::require_sound(loops);
      for (const auto& [a, b] : {std::pair{0, 5}, {5, 0}, {1, 1}, {1, 1023}, {2, 512}, {25, 41}, {31, 67}})
        for (const std::uint64_t every : {0, 1, 2, 200}) {
          const Shape shape = rank == "2" ? Shape{a, b} : Shape{a, 3, b};
          const Tensor inputs[] = {some(dtype, shape, every, checked)};
          const auto wanted = interpret(*graph, "f", inputs, {}), found = interpret(loops, "f", inputs, {});
          REQUIRE(wanted);
          REQUIRE(found);
          const Tensor &is = found->results[0], &should = wanted->results[0];
          CHECK(is.shape() == should.shape());
          CHECK(std::ranges::equal(is.bytes(), should.bytes()));
          ++checked;
        }
    }
  CHECK(checked == 8 * 2 * 7 * 4);
}

}  // namespace
}  // namespace mlgc

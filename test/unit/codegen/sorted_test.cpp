// Sorts and running extrema with their default schedule as C++: the bits of the interpreter, for rows of each kind and
// every width of vectors.
#include "sorted_values.h"

#include "compiled.h"
#include "scheduled_kernels.h"

TEST_CASE("sorted and selected rows and running extrema agree with the interpreter bit for bit at every width") {
  struct Sort {
    Dtype dtype;
    const char *op, *kept;
  };
  constexpr Sort kSorts[] = {
      {Dtype::F32, "sort %x {dim = 1}", "[B]"},
      {Dtype::F32, "sort %x {dim = 1, descending = true}", "[B]"},
      {Dtype::F32, "topk %x {k = 3, dim = 1}", "3"},
      {Dtype::F32, "topk %x {k = 40, dim = 1, largest = false}", "40"},
      {Dtype::F32, "topk %x {k = 150, dim = 1}", "150"},
      {Dtype::F64, "sort %x {dim = 1}", "[B]"},
      {Dtype::BF16, "sort %x {dim = 1, descending = true}", "[B]"},
      {Dtype::F16, "sort %x {dim = 1}", "[B]"},
      {Dtype::I64, "sort %x {dim = 1}", "[B]"},
      {Dtype::I64, "topk %x {k = 17, dim = 1}", "17"},
      {Dtype::I8, "sort %x {dim = 1, descending = true}", "[B]"},
      {Dtype::F32, "cummax %x {dim = 1}", "[B]"},
      {Dtype::BF16, "cummin %x {dim = 1}", "[B]"},
      {Dtype::I64, "cummax %x {dim = 1}", "[B]"},
  };
  const std::shared_ptr<Context> context = make_context();
  std::string text;
  for (std::size_t k = 0; k < std::size(kSorts); ++k) {
    const std::string type(dtype_info(kSorts[k].dtype).name), kept(kSorts[k].kept);
    text += "func @f" + std::to_string(k) + "(%x: tensor<[A]x[B]x" + type + ">) -> (tensor<[A]x" + kept + "x" + type +
            ">, tensor<[A]x" + kept + "xi64>) where " + (kept == "[B]" ? "0" : kept) +
            " <= B {\n  %v, %i = " + kSorts[k].op + "\n  return %v, %i\n}\n";
  }
  int outputs = 0;
  for (const std::string_view name : {"x86-64-v4", "x86-64-v3", "x86-64-v2"}) {
    const Machine& machine = *find_machine(name);
    const auto bytes = static_cast<int>(machine.cpu().vector_bytes);
    if (!host_compiler::runs(bytes)) continue;
    Module loops = test::parse(context, text);
    const std::vector<OpRef> kernels = test::scheduled_kernels(loops, machine);
    REQUIRE(kernels.size() == std::size(kSorts));
    const CppUnit unit = unit_of(kernels, Mathematics::Library);
    const Library library(unit.text, "g++", {"-O1", "-DMLGC_ONLY=" + std::to_string(bytes)});
    for (std::size_t k = 0; k < kernels.size(); ++k)
      for (const std::int64_t length : {0, 1, 5, 17, 150, 192, 193, 700}) {
        const std::string kept(kSorts[k].kept);
        const std::int64_t count = kept == "[B]" ? length : std::stoll(kept);
        if (count > length) continue;
        for (const bool ties : {false, true}) {
          INFO(kSorts[k].op << " of " << length << " at " << bytes << " bytes");
          const auto seed = static_cast<std::uint64_t>(length);
          const Shape shape{3, length}, found{3, count};
          const std::vector<Tensor> inputs{ties ? test::with_ties(kSorts[k].dtype, shape, seed)
                                                : test::of_all_sizes(kSorts[k].dtype, shape, seed)};
          const auto expected = interpret(loops, kernels[k].symbol(), inputs);
          REQUIRE(expected);
          const Ran ran =
              run(library, *context, kernels[k], unit.functions[k], inputs,
                  {Tensor::zeros(kSorts[k].dtype, found), Tensor::zeros(Dtype::I64, found)}, {{"A", 3}, {"B", length}});
          CHECK(ran.code == 0);
          for (std::size_t i = 0; i < ran.results.size(); ++i) {
            CHECK(same_bits(ran.results[i], expected->results[i]));
            ++outputs;
          }
        }
      }
  }
  CHECK(outputs > 300);
}

// Kernels with their default schedule as C++: the bits of the interpreter, for every size and width of vectors.
#include <list>
#include <map>

#include "compiled.h"
#include "loopir/functions.h"
#include "scheduled_kernels.h"

namespace {

// What a kernel reads or writes, with the numbers that it has before the kernel runs.
std::vector<Tensor> buffers(OpRef kernel, const Sizes& sizes, bool written) {
  const IndexPool& pool = kernel.module().context().index();
  const std::vector<bool> is_written = written_arguments(kernel);
  Numbers numbers;
  std::vector<Tensor> out;
  for (const Value v : kernel.region(0).arguments()) {
    if (is_written[v.number()] != written) continue;
    Shape shape;
    for (const IndexExpr dim : v.dims())
      shape.push_back(
          *pool.evaluate(dim, [&](AtomId id) { return std::optional(sizes.at(std::string(pool.symbol_name(id)))); }));
    Tensor t = Tensor::zeros(v.dtype(), shape);
    for (std::int64_t i = 0; i < t.size() && !written; ++i) {
      const std::uint64_t n = numbers.next();
      if (is_float(v.dtype()))
        t.set_double(i, static_cast<double>(n % 8001) / 1000.0 - 4.0);
      else
        t.set_int(i, static_cast<std::int64_t>(n % (v.dtype() == Dtype::I1 ? 2 : 10)));
    }
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace

TEST_CASE(
    "scheduled kernels of each kind agree with the interpreter bit for bit, whatever vectors tiles are made for") {
  const std::shared_ptr<Context> context = make_context();
  int outputs = 0, pairs = 0;
  std::vector<test::Family> all = test::families();
  // Sums in blocks, of which the last one is shorter: their tiles are functions with such loops.
  all.push_back({"products in blocks of unlike lengths",
                 R"(func @f(%x: tensor<[B]x521xf32>, %y: tensor<33x521xf32>, %v: tensor<521x70xf32>)
    -> (tensor<[B]x70xf32>, tensor<33x70xf32>) {
  %0 = matmul %x, %v
  %1 = gelu %0
  %2 = matmul %y, %v
  return %1, %2
})",
                 {{{"B", 0}}, {{"B", 5}}, {{"B", 37}}}});
  // Of bf16 in pairs of terms, with and without one that is left, in blocks, and of numbers of terms that are not
  // known.
  all.push_back({"products of bf16 in pairs",
                 R"(func @f(%x: tensor<[B]x521xbf16>, %y: tensor<[K]x[B]xbf16>, %v: tensor<521x70xbf16>,
                 %w: tensor<23x[K]xbf16>, %u: tensor<33x600xbf16>, %t: tensor<80x600xbf16>)
    -> (tensor<[B]x70xbf16>, tensor<23x[B]xbf16>, tensor<33x80xbf16>) {
  %0 = matmul %x, %v
  %1 = matmul %w, %y
  %2 = transpose %t {dim0 = 0, dim1 = 1}
  %3 = matmul %u, %2
  return %0, %1, %3
})",
                 {{{"B", 0}, {"K", 0}}, {{"B", 5}, {"K", 1}}, {{"B", 37}, {"K", 63}}, {{"B", 40}, {"K", 300}}}});
  for (const test::Family& family : all) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Tensor>> first;  // by kernel and sizes
    for (const std::string_view name : {"x86-64-v4", "x86-64-v4-bf16", "x86-64-v3", "x86-64-v2"}) {
      const Machine& machine = *find_machine(name);
      const auto bytes = static_cast<int>(machine.cpu().vector_bytes);
      Module loops = test::parse(context, family.text);
      const std::vector<OpRef> kernels = test::scheduled_kernels(loops, machine);
      INFO(family.name << "\n" << print(loops));
      const CppUnit unit = unit_of(kernels, Mathematics::Library);
      const bool in_pairs = unit.text.find("mlgc_add_pairs") != std::string::npos;
      CHECK((!in_pairs || machine.cpu().pairs_bf16()));
      pairs += in_pairs ? 1 : 0;
      std::list<Library> libraries;
      const auto compile = [&](int vectors) {
        libraries.emplace_back(unit.text, "g++",
                               std::vector<std::string>{"-O1", "-DMLGC_ONLY=" + std::to_string(vectors)});
      };
      if (bytes != 32 && host_compiler::runs(bytes) && (!in_pairs || host_compiler::pairs_bf16())) compile(bytes);
      if (in_pairs) compile(16);  // without the instruction
      for (std::size_t k = 0; k < kernels.size(); ++k)
        for (std::size_t c = 0; c < family.sizes.size(); ++c) {
          const Sizes sizes(family.sizes[c].begin(), family.sizes[c].end());
          const std::vector<Tensor> inputs = buffers(kernels[k], sizes, false);
          const auto expected = interpret(loops, kernels[k].symbol(), inputs);
          if (expected) {
            const auto [at, is_first] = first.try_emplace({k, c}, expected->results);
            for (std::size_t i = 0; i < at->second.size(); ++i) CHECK(same_bits(expected->results[i], at->second[i]));
          }
          for (const Library& library : libraries) {
            const Ran ran =
                run(library, *context, kernels[k], unit.functions[k], inputs, buffers(kernels[k], sizes, true), sizes);
            CHECK((ran.code == 0) == expected.ok());
            if (!expected) continue;
            for (std::size_t i = 0; i < ran.results.size(); ++i) {
              CHECK(same_bits(ran.results[i], expected->results[i]));
              ++outputs;
            }
          }
        }
    }
  }
  CHECK(outputs > 60);
  CHECK(pairs == 1);
}

// How fast the reference interpreter is: the convolutions of a ResNet-18 at 224x224, batch 1, one core, each against
// the time of a plain triple loop over doubles with the same number of multiply-adds.
#include <chrono>
#include <cstdio>
#include <vector>

#include "formula/instantiate.h"
#include "interp/evaluate_formula.h"
#include "tensor/random.h"

using namespace mlgc;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Layer {
  std::int64_t channels, size, filters, kernel, stride, count;
};

// Multiply-adds of a dot product over doubles, per second.
double plain_rate() {
  std::vector<double> a(4096, 1.5), b(4096, 0.5);
  volatile double sink = 0;
  const auto start = std::chrono::steady_clock::now();
  const int rounds = 20'000;
  for (int r = 0; r < rounds; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    sink = sink + sum;
  }
  return rounds * 4096.0 / seconds_since(start);
}

}  // namespace

int main() {
  const std::vector<Layer> layers{{3, 224, 64, 7, 2, 1},   {64, 56, 64, 3, 1, 4},   {64, 56, 128, 3, 2, 1},
                                  {128, 28, 128, 3, 1, 3}, {128, 28, 256, 3, 2, 1}, {256, 14, 256, 3, 1, 3},
                                  {256, 14, 512, 3, 2, 1}, {512, 7, 512, 3, 1, 3}};
  IndexPool index;
  FormulaPool pool(index);
  const double rate = plain_rate();
  double total = 0, total_macs = 0;
  std::printf("%-28s %10s %10s %10s\n", "layer", "MMAC", "seconds", "/plain");
  for (const Layer& l : layers) {
    const std::int64_t pad = l.kernel / 2, out = (l.size + 2 * pad - l.kernel) / l.stride + 1;
    const AttrValues attrs{{{"s", index.constant(l.stride)}, {"p", index.constant(pad)}}};
    auto dims = [&](std::initializer_list<std::int64_t> d) {
      std::vector<IndexExpr> e;
      for (std::int64_t v : d) e.push_back(index.constant(v));
      return e;
    };
    auto f = instantiate_text(pool,
                              "y[n, o, h, w] = sum[c, i, j](x[n, c, h*s + i - p, w*s + j - p]?0*k[o, c, i, j]) "
                              "where h = (dim(x, 2) + 2*p - #i) // s + 1, w = (dim(x, 3) + 2*p - #j) // s + 1",
                              {{"x", true, Dtype::F32, dims({1, l.channels, l.size, l.size})},
                               {"k", true, Dtype::F32, dims({l.filters, l.channels, l.kernel, l.kernel})}},
                              attrs);
    if (!f) return std::fprintf(stderr, "%s\n", f.error().message().c_str()), 1;
    Tensor x = Tensor::zeros(Dtype::F32, {1, l.channels, l.size, l.size});
    Tensor k = Tensor::zeros(Dtype::F32, {l.filters, l.channels, l.kernel, l.kernel});
    fill_random(x, 1);
    fill_random(k, 2);
    const auto start = std::chrono::steady_clock::now();
    auto y = evaluate(pool, *f, std::vector<Tensor>{x, k});
    if (!y) return std::fprintf(stderr, "%s\n", y.error().message().c_str()), 1;
    const double seconds = seconds_since(start);
    const double macs = static_cast<double>(out * out * l.filters * l.channels * l.kernel * l.kernel);
    std::printf("%ldx %ldx%ldx%ld -> %ld, %ldx%ld/%ld %10.1f %10.3f %10.2f\n", l.count, l.channels, l.size, l.size,
                l.filters, l.kernel, l.kernel, l.stride, macs / 1e6, seconds, seconds / (macs / rate));
    total += seconds * static_cast<double>(l.count);
    total_macs += macs * static_cast<double>(l.count);
  }
  std::printf("all convolutions: %.2f s for %.0f MMAC, %.2f times a plain dot product over doubles\n", total,
              total_macs / 1e6, total / (total_macs / rate));
}

// Vector loops reduce by the tree that ops/combine.h states: held against the tree written out in C++, bit for bit.
#include "ops/combine.h"

#include <cmath>
#include <functional>

#include "interp/interpret_module.h"
#include "thread_cases.h"

using namespace mlgc;
using namespace mlgc::thread_test;

namespace {

struct Word {
  std::string word, row;
  std::function<float(float, float)> step;
  float neutral;
};

const std::vector<Word>& words() {
  const float infinity = std::numeric_limits<float>::infinity();
  static const std::vector<Word> all{
      {"add", "add", [](float a, float b) { return a + b; }, 0},
      {"mul", "mul", [](float a, float b) { return a * b; }, 1},
      {"max", "maximum", [](float a, float b) { return std::isnan(a) || a > b ? a : b; }, -infinity},
      {"min", "minimum", [](float a, float b) { return std::isnan(a) || a < b ? a : b; }, infinity}};
  return all;
}

std::string loop_text(const Word& word, int lanes, bool carried_first) {
  const std::string operands = carried_first ? "%c, %v" : "%v, %c";
  return "func @f(%x: buffer<[N]xf32, argument>, %z: buffer<f32, argument>, %y: buffer<f32, argument>) {\n"
         "  %zero = load %z[]\n"
         "  %s = for [3, N] (%i: index, %c = %zero) attributes {combine = [\"" +
         word.word + "\"], kind = \"vector\", lanes = " + std::to_string(lanes) +
         "} {\n    %v = load %x[%i]\n    %n = " + word.row + " " + operands +
         "\n    yield %n\n  }\n  store %s, %y[]\n  return\n}\n";
}

float expected(const Word& word, std::size_t lanes, bool carried_first, const std::vector<float>& x, float initial) {
  std::vector<float> acc(lanes, word.neutral);
  for (std::size_t k = 3; k < x.size(); ++k) {
    float& a = acc[(k - 3) % lanes];
    a = carried_first ? word.step(a, x[k]) : word.step(x[k], a);
  }
  for (std::size_t s = lanes / 2; s > 0; s /= 2)
    for (std::size_t l = 0; l < s; ++l) acc[l] = word.step(acc[l], acc[l + s]);
  return word.step(initial, acc[0]);
}

}  // namespace

TEST_CASE("every word combines lanes by the stated tree, for every number of lanes and of iterations") {
  int runs = 0;
  for (const Word& word : words()) {
    for (const int lanes : {2, 4, 8, 16, 32, 64}) {
      for (const bool carried_first : {true, false}) {
        const auto context = make_context();
        Module module = read_text(context, loop_text(word, lanes, carried_first));
        for (const std::int64_t n : {0, 3, 4, 5, 7, 18, 19, 20, 35, 67, 131, 200}) {
          std::vector<float> x;
          for (std::int64_t i = 0; i < n; ++i)
            x.push_back(std::sin(static_cast<float>(i * 37 + lanes)) * (i % 5 == 0 ? 1e6F : 1.5F));
          if (n > 60) x[40] = std::numeric_limits<float>::quiet_NaN();
          Tensor input = Tensor::zeros(Dtype::F32, {n});
          for (std::int64_t i = 0; i < n; ++i) input.set_double(i, x[static_cast<std::size_t>(i)]);
          const auto made = interpret(module, "f", std::vector<Tensor>{input, Tensor::scalar<float>(0.25F)});
          INFO(word.word << " lanes " << lanes << " n " << n);
          if (!made) FAIL(made.error().message());
          const Tensor wanted =
              Tensor::scalar<float>(expected(word, static_cast<std::size_t>(lanes), carried_first, x, 0.25F));
          CHECK(same_bits(made->results[0], wanted));
          ++runs;
        }
      }
    }
  }
  CHECK(runs == 4 * 6 * 2 * 12);
}

TEST_CASE("lanes take in products before these are rounded, and come together by sums") {
  for (const std::size_t lanes : {2, 8, 64}) {
    const auto context = make_context();
    Module module = read_text(
        context,
        "func @f(%x: buffer<[N]xf32, argument>, %z: buffer<f32, argument>, %y: buffer<f32, argument>) {\n"
        "  %zero = load %z[]\n"
        "  %s = for [0, N] (%i: index, %c = %zero) attributes {combine = [\"add\"], kind = \"vector\", lanes = " +
            std::to_string(lanes) +
            "} {\n    %v = load %x[%i]\n    %n = fma %v, %v, %c\n    yield %n\n  }\n"
            "  store %s, %y[]\n  return\n}\n");
    for (const std::int64_t n : {0, 1, 7, 64, 131}) {
      std::vector<float> acc(lanes, 0);
      Tensor input = Tensor::zeros(Dtype::F32, {n});
      for (std::int64_t i = 0; i < n; ++i) {
        const float x = std::sin(static_cast<float>(i * 37)) * (i % 5 == 0 ? 1e3F : 1.5F);
        input.set_double(i, x);
        float& a = acc[static_cast<std::size_t>(i) % lanes];
        a = std::fma(x, x, a);
      }
      for (std::size_t s = lanes / 2; s > 0; s /= 2)
        for (std::size_t l = 0; l < s; ++l) acc[l] += acc[l + s];
      const auto made = interpret(module, "f", std::vector<Tensor>{input, Tensor::scalar<float>(0.25F)});
      INFO("lanes " << lanes << " n " << n);
      if (!made) FAIL(made.error().message());
      CHECK(same_bits(made->results[0], Tensor::scalar<float>(0.25F + acc[0])));
    }
  }
}

TEST_CASE("neutral elements change nothing") {
  for (const Dtype dtype : {Dtype::I1, Dtype::I8, Dtype::UI8, Dtype::I16, Dtype::I32, Dtype::I64}) {
    const auto [least, most] = extreme_integers(dtype);
    for (const std::int64_t v : {least, std::int64_t{0}, std::int64_t{1}, most}) {
      for (const std::string_view word : {"add", "mul", "max", "min"}) {
        const ScalarFn fn = *combine_function(word);
        CHECK(combine_word(fn) == word);
        CHECK(scalar_fn_info(fn).integer(neutral_element(fn, dtype).integer, v) == v);
      }
    }
  }
  for (const std::int64_t v : {0, 1})
    for (const std::string_view word : {"or", "and"})
      CHECK(scalar_fn_info(*combine_function(word))
                .integer(neutral_element(*combine_function(word), Dtype::I1).integer, v) == v);
}

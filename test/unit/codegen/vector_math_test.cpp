// The mathematics of emitted code: how far it is from the true values, and that every width and compiler gives the same
// bits. `test_codegen "[arguments]"` runs through all 2^32 arguments of the functions of one f32; it takes an hour.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "codegen/cpp/unit.h"
#include "host_compiler.h"

using namespace mlgc;
using namespace mlgc::codegen;
using namespace mlgc::host_compiler;

namespace {

using Wide = long double;

struct Function {
  const char* name;
  int arguments;
  double (*near)(double, double);  // the value for f32 arguments
  Wide (*exact)(Wide, Wide);       // for f64
  double ulp_f32, ulp_f64;         // the largest error that is documented; 0: none
};

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

#define MLGC_ONE(name, f, ulp_f32, ulp_f64)                                                                       \
  {                                                                                                               \
    name, 1, [](double x, double) -> double { return f(x); }, [](Wide x, Wide) -> Wide { return f(x); }, ulp_f32, \
        ulp_f64                                                                                                   \
  }
#define MLGC_TWO(name, f, ulp_f32, ulp_f64)                                                                        \
  {                                                                                                                \
    name, 2, [](double x, double y) -> double { return f(x, y); }, [](Wide x, Wide y) -> Wide { return f(x, y); }, \
        ulp_f32, ulp_f64                                                                                           \
  }

// docs/codegen.md has the same table.
const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      MLGC_ONE("exp", std::exp, 0.9, 1.0),      MLGC_ONE("exp2", std::exp2, 1.1, 1.1),
      MLGC_ONE("expm1", std::expm1, 0.51, 1.4), MLGC_ONE("log", std::log, 0.9, 1.0),
      MLGC_ONE("log1p", std::log1p, 0.51, 1.0), MLGC_ONE("log2", std::log2, 0.51, 2.1),
      MLGC_ONE("log10", std::log10, 0.51, 2.0), MLGC_ONE("sin", std::sin, 1.6, 1.0),
      MLGC_ONE("cos", std::cos, 1.6, 1.0),      MLGC_ONE("tan", std::tan, 0.51, 2.3),
      MLGC_ONE("asin", std::asin, 0.51, 1.2),   MLGC_ONE("acos", std::acos, 0.51, 1.2),
      MLGC_ONE("atan", std::atan, 0.51, 2.1),   MLGC_ONE("sinh", std::sinh, 0.51, 2.5),
      MLGC_ONE("cosh", std::cosh, 0.51, 1.6),   MLGC_ONE("tanh", std::tanh, 1.5, 2.5),
      MLGC_ONE("asinh", std::asinh, 0.51, 2.2), MLGC_ONE("acosh", std::acosh, 0.51, 2.3),
      MLGC_ONE("atanh", std::atanh, 0.51, 2.2), MLGC_ONE("erf", std::erf, 1.3, 1.1),
      MLGC_ONE("sigmoid", sigmoid, 2.4, 2.5),   MLGC_ONE("rsqrt", 1 / std::sqrt, 1.5, 1.5),
      MLGC_ONE("sqrt", std::sqrt, 0.5, 0.5),    MLGC_ONE("floor", std::floor, 0, 0),
      MLGC_ONE("ceil", std::ceil, 0, 0),        MLGC_ONE("trunc", std::trunc, 0, 0),
      MLGC_ONE("round", std::nearbyint, 0, 0),  MLGC_TWO("atan2", std::atan2, 0.51, 2.5),
      MLGC_TWO("pow", std::pow, 0.51, 1.0),     MLGC_TWO("fmod", std::fmod, 0, 0),
  };
  return all;
}

constexpr int kBlock = 4096;

// Functions over arrays: `exp_f32_16(x, y, result)` computes a block with vectors of 16 lanes.
std::string source() {
  std::string functions_text;
  std::vector<UnitFunction> entry;
  for (const Function& f : functions())
    for (const bool wide : {false, true})
      for (const int lanes : {1, 4, 16}) {
        const std::string type = wide ? "double" : "float", dtype = wide ? "f64" : "f32", count = std::to_string(lanes);
        const std::string name = std::string(f.name) + "_" + dtype + "_" + count;
        const std::string parameters = "const " + type + "* x, const " + type + "* y, " + type + "* result";
        const auto load = [&](const std::string& from) {
          return lanes == 1 ? from + "[i]" : "mlgc_load<mlgc_vec<" + type + ", " + count + ">>(" + from + " + i)";
        };
        const std::string value = "mlgc_" + std::string(f.name) + "_" + dtype + "(" + load("x") +
                                  (f.arguments == 2 ? ", " + load("y") : "") + ")";
        functions_text += "MLGC_TARGET static int32_t " + name + "(" + parameters +
                          ") {\n  (void)y;\n  for (int i = 0; i < " + std::to_string(kBlock) + "; i += " + count +
                          ") " + (lanes == 1 ? "result[i] = " + value : "mlgc_store(result + i, " + value + ")") +
                          ";\n  return 0;\n}\n";
        entry.push_back({"int32_t", name, parameters, "x, y, result"});
      }
  return print_unit({"unit.cpp", "", functions_text, entry, "", "mlgc_prepare", ""});
}

template <class T>
using Entry = std::int32_t(const T*, const T*, T*);

// The distance of two results in units of the last place of the true one; infinity stands one place behind the largest.
template <class T>
double ulps(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : HUGE_VAL;
  if (got == 0 && rounded == 0)
    return std::signbit(got) == std::signbit(rounded) ? std::fabs(static_cast<double>(exact / Limits::denorm_min()))
                                                      : HUGE_VAL;
  if (std::isinf(got) && std::isinf(rounded)) return got == rounded ? 0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  exponent = std::isinf(rounded) ? Limits::max_exponent : std::max(exponent, Limits::min_exponent);
  const Wide value = std::isinf(got) ? std::copysign(std::ldexp(Wide{1}, Limits::max_exponent), Wide{got}) : Wide{got};
  return static_cast<double>(std::fabs(value - exact) / std::ldexp(Wide{1}, exponent - Limits::digits));
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

struct Built {
  std::string name;
  std::unique_ptr<Library> library;
};

std::vector<Built> build() {
  std::vector<Built> all;
  const std::string text = source();
  const int widths[] = {64, 32, 16};
  for (std::size_t c = 0; c < compilers().size(); ++c)
    for (std::size_t w = 0; w < std::size(widths); ++w) {
      const std::string& compiler = compilers()[c];
      const int bytes = widths[w];
      if (!runs(bytes) || !is_sampled(c, w)) continue;
      const std::string width = std::to_string(bytes);
      all.push_back(
          {compiler + " " + width,
           std::make_unique<Library>(text, compiler, std::vector<std::string>{"-O1", "-DMLGC_ONLY=" + width})});
    }
  return all;
}

// Runs one block everywhere: all equal; returns the largest error.
template <class T>
double check_block(const std::vector<Built>& built, const Function& f, const std::vector<T>& x,
                   const std::vector<T>& y) {
  const std::string stem = std::string(f.name) + (sizeof(T) == 4 ? "_f32_" : "_f64_");
  std::vector<T> first(kBlock), result(kBlock);
  built[0].library->find<Entry<T>>(stem + "16")(x.data(), y.data(), first.data());
  for (const Built& b : built)
    for (const char* lanes : {"1", "4", "16"}) {
      b.library->find<Entry<T>>(stem + lanes)(x.data(), y.data(), result.data());
      INFO(b.name << ", " << lanes << " lanes, " << stem);
      CHECK(same(first, result));
    }
  double worst = 0;
  for (int i = 0; i < kBlock; ++i) {
    const Wide exact = sizeof(T) == 4 ? Wide{f.near(x[i], y[i])} : f.exact(x[i], y[i]);
    const double error = ulps(first[i], exact);
    if (error > worst) worst = error;
    if (error > (sizeof(T) == 4 ? f.ulp_f32 : f.ulp_f64)) {
      INFO(stem << " of " << x[i] << ", " << y[i] << " is " << first[i] << ", exactly " << static_cast<double>(exact));
      CHECK(error <= (sizeof(T) == 4 ? f.ulp_f32 : f.ulp_f64));
      break;
    }
  }
  return worst;
}

// Arguments of every magnitude, near 1, near integers, and the edges of the format.
template <class T>
std::vector<T> draw(std::mt19937_64& random, int round) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all;
  if (round == 0)
    for (const T v : {T{0},
                      T{1},
                      T{0.5},
                      T{2},
                      T{10},
                      T{88.5},
                      T{709.5},
                      T{1e30},
                      Limits::infinity(),
                      Limits::quiet_NaN(),
                      Limits::denorm_min(),
                      Limits::min(),
                      Limits::max(),
                      Limits::epsilon(),
                      T{1} + Limits::epsilon(),
                      T{87},
                      T{99999.9},
                      T{100000},
                      T{1647099},
                      T{1647099.5}})
      for (const T signed_value : {v, -v}) all.push_back(signed_value);
  while (all.size() < kBlock) {
    const double unit = static_cast<double>(random()) / 18446744073709551616.0 * 2 - 1;
    switch (all.size() % 4) {
      case 0:
        all.push_back(static_cast<T>(
            std::ldexp(unit, static_cast<int>(random() % (2 * Limits::max_exponent)) - Limits::max_exponent)));
        break;
      case 1: all.push_back(static_cast<T>(std::ldexp(unit, static_cast<int>(random() % 12)))); break;
      case 2: all.push_back(static_cast<T>(1 + unit / static_cast<double>(1 + random() % 64))); break;
      default: all.push_back(static_cast<T>(std::ldexp(unit, -static_cast<int>(random() % 30))));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("mathematics of emitted code is as accurate as documented, and the same for every width and compiler") {
  const std::vector<Built> built = build();
  std::mt19937_64 random(1);
  for (const Function& f : functions())
    for (int round = 0; round < 12; ++round) {
      const std::vector<float> x = draw<float>(random, round);
      std::vector<float> y = draw<float>(random, round);
      if (round == 0) std::shuffle(y.begin(), y.end(), random);
      check_block(built, f, x, y);
      const std::vector<double> wide_x = draw<double>(random, round), wide_y = draw<double>(random, round);
      check_block(built, f, wide_x, wide_y);
    }
}

TEST_CASE("mathematics of emitted code over every f32", "[.][arguments]") {
  const std::vector<Built> built = build();
  for (const Function& f : functions()) {
    if (f.arguments != 1) continue;
    double worst = 0;
    std::vector<float> x(kBlock);
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32;) {
      for (float& v : x) {
        const auto word = static_cast<std::uint32_t>(bits++);
        std::memcpy(&v, &word, sizeof v);
      }
      worst = std::max(worst, check_block(built, f, x, x));
    }
    WARN(f.name << ": " << worst << " ulp");
  }
}

"""Functions of emitted CUDA that reach nothing but floats of 16 bits are as exact as the prelude says, but for the errors of the
device's own 2^x and 1/x (about 2 ulp and 1): against f64 over all exponents, and infinities, NaN and zeros have their values.

Usage: half_functions_test.py --prelude MATH.cuh --compiler CXX --work FOLDER
Exit codes: 0 all are, 1 something is not.
"""
import argparse
import pathlib
import subprocess
import sys

PROGRAM = r"""
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#define MLGC_INLINE static inline
%s
static int wrong = 0;
static void expect(const char* name, float x, float own, double exact, double ulp, double least) {
  const double error = std::fabs(own - exact), unit = std::ldexp(1.0, std::ilogb(std::fmax(std::fabs(exact), least)) - 23);
  if ((std::isnan(exact) && std::isnan(own)) || own == static_cast<float>(exact) || error <= ulp * unit) return;
  if (wrong++ < 20) printf("%%s of %%a is %%a, and not %%a: %%g ulp\n", name, x, own, exact, error / unit);
}
static void check(float x) {
  const double wide = x, least = 0x1p-126;
  expect("exp", x, mlgc_exp_for_halves(x), std::exp(wide), 2 + 1.3 * std::fabs(wide), least);
  expect("sigmoid", x, mlgc_sigmoid_for_halves(x), 1 / (1 + std::exp(-wide)), 4 + 1.3 * std::fabs(wide), least);
  expect("sigmoid of f32", x, mlgc_sigmoid_f32(x), 1 / (1 + std::exp(-wide)), 4, least);
  // Below -9 the squares are no longer exact enough, and the values next to nothing.
  expect("1 + erf", x, mlgc_one_plus_erf_for_halves(x), std::erfc(-wide), 128, x < -9 ? 0x1p-110 : least);
}
int main() {
  const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 100.0f, -100.0f, 1e30f, -1e30f, HUGE_VALF, -HUGE_VALF, NAN, 1e-40f, -1e-40f};
  for (const float x : special) {
    check(x);
    for (const float b : special)
      if (!(std::fabs(x) < 0x1p-126f && x != 0))
        expect("a quotient", x, mlgc_divide_for_halves(x, b), static_cast<double>(x) / b, 2, 0x1p-126);
  }
  for (int i = -1200000; i <= 1200000; ++i) check(i * 0x1.0001p-14f), check(std::ldexp(1.0f + (i & 1023) * 0x1p-10f, i %% 100));
  for (unsigned i = 0; i < 1000000; ++i) {
    const float a = std::ldexp(1.0f + (i * 7919 %% 4096) * 0x1p-12f, static_cast<int>(i %% 60) - 30);
    const float b = std::ldexp(1.0f + (i * 104729 %% 8191) * 0x1p-13f, static_cast<int>(i %% 250) - 124);
    const double exact = static_cast<double>(a) / b;
    if (exact < 0x1p127) expect("a quotient", a, mlgc_divide_for_halves(a, b), exact, 2, 0x1p-126);
  }
  printf("%%d values are wrong\n", wrong);
  return wrong != 0;
}
"""
USED = ("mlgc_exp2", "mlgc_small_exp2", "mlgc_reciprocal", "mlgc_sigmoid_f32", "mlgc_exp_for_halves", "mlgc_sigmoid_for_halves",
        "mlgc_divide_for_halves", "mlgc_one_plus_erf_for_halves")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prelude", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    pieces = {piece.split(":")[0].split("\n")[0]: piece for piece in options.prelude.read_text().split("//- ")}
    source = options.work / "half_functions.cpp"
    source.write_text(PROGRAM % "\n".join("// " + pieces[name] for name in USED))
    subprocess.run([options.compiler, "-std=c++17", "-O2", "-ffp-contract=off", "-o", options.work / "half_functions", source],
                   check=True)
    return subprocess.run([options.work / "half_functions"]).returncode


if __name__ == "__main__":
    sys.exit(main())

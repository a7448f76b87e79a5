"""The exactly rounded quotient that emitted CUDA computes with a reciprocal of f64 has the bits of `/`: special values with each
other, quotients that are next to or at midpoints of subnormal numbers, and random bits.

Usage: division_test.py --prelude MATH.cuh --compiler CXX --work FOLDER
Exit codes: 0 all agree, 1 something does not.
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
static uint64_t state = 88172645463325252u, wrong = 0, tried = 0;
static uint32_t random_bits() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<uint32_t>(state >> 16);
}
static float of_bits(uint32_t bits) {
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
static void check(float a, float b) {
  const float own = mlgc_divide_by_invariant(a, b), exact = a / b;
  ++tried;
  if (memcmp(&own, &exact, sizeof own) == 0 || (own != own && exact != exact)) return;
  if (wrong++ < 10) printf("%%a / %%a is %%a, and not %%a\n", a, b, exact, own);
}
int main() {
  const uint32_t special[] = {0, 1, 2, 3, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x3f7fffff, 0x3f800000, 0x3f800001,
                              0x3fffffff, 0x40400000, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000};
  for (const uint32_t a : special)
    for (const uint32_t b : special)
      for (uint32_t signs = 0; signs < 4; ++signs) check(of_bits(a | signs << 31), of_bits(b | (signs >> 1) << 31));
  for (int i = 0; i < 1 << 24; ++i) check(of_bits(random_bits()), of_bits(random_bits()));
  for (int i = 0; i < 1 << 24; ++i) {  // any digits, neither large nor small; divisors of ones alone, too
    const float a = std::ldexp(of_bits(0x3f800000 | random_bits() >> 9), static_cast<int>(random_bits() %% 170) - 105);
    const float b = std::ldexp(of_bits(i %% 8 == 0 ? 0x3fffffff : 0x3f800000 | random_bits() >> 9),
                               static_cast<int>(random_bits() %% 90) - 65);
    check(a, b), check(-a, b);
  }
  for (int i = 0; i < 1 << 22; ++i) {  // numbers of one binade
    check(of_bits(0x3f800000 | random_bits() >> 9), of_bits(0x3f800000 | random_bits() >> 9));
    // A midpoint of subnormal numbers, times a divisor of few digits, and its neighbours.
    const float divisor = static_cast<float>((random_bits() & 0xfff) | 1) * 0x1p+90f;
    const float quotient = static_cast<float>((random_bits() & 0xfff) * 2 + 1) * 0x1p-60f;
    const float product = quotient * divisor * 0x1p-90f;
    check(product, divisor), check(std::nextafterf(product, 1.0f), divisor), check(std::nextafterf(product, 0.0f), divisor);
  }
  printf("%%llu of %%llu quotients are wrong\n", (unsigned long long)wrong, (unsigned long long)tried);
  return wrong != 0;
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prelude", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    pieces = options.prelude.read_text().split("//- ")
    function = next(piece for piece in pieces if piece.startswith("mlgc_divide_by_invariant"))
    source = options.work / "division.cpp"
    source.write_text(PROGRAM % ("// " + function))
    subprocess.run([options.compiler, "-std=c++17", "-O2", "-ffp-contract=off", "-o", options.work / "division", source],
                   check=True)
    return subprocess.run([options.work / "division"]).returncode


if __name__ == "__main__":
    sys.exit(main())

// The one definition of "agrees". Tests, scripts and `--expect` call agrees(); none of them has a tolerance of its own.
//
// An output `x` of a float dtype is compared with the reference `j`, the interpreter's result in f64. Its error is at
// most
//
//     allowed = max(4 ulp, 2 * error of eager PyTorch on the same inputs in the same dtype)
//
// where the caller may have asked eager on neighbours of the inputs, too (neighbour.h): then its error is the largest.
// Norm-wise (default): max |x - j| over the output's finite elements, where 1 ulp is the distance between neighbours in
// the output's dtype at the magnitude max |j|. So the error is a max-norm, scaled by the output's own largest
// magnitude. Why the max-norm: a mean or a 2-norm lets one wrong element hide behind many right ones. Why the scale of
// the whole output: where terms cancel (every dot product), no algorithm is accurate relative to each single result,
// and a bound relative to an element that is nearly zero would refuse eager PyTorch itself. Element-wise
// (`elementwise_edge`, for edge values, where elements have nothing to do with each other): the same for every element
// on its own, 1 ulp at the magnitude |j|.
//
// In both: NaN agrees only with NaN and an infinity only with that infinity. A finite j that rounds to an infinity of
// the dtype agrees with it. Where eager itself is not finite and j is, its error is infinite: there x agrees when it is
// what eager is, or finite. Signs of zeros are counted, and compared only on request. Integers and booleans are equal
// or do not agree. A complex tensor is compared, in c128, by its parts, which are what it counts as elements; positions
// end in 0 for the real and 1 for the imaginary part.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace mlgc {

inline constexpr double kAllowedUlp = 4;
inline constexpr double kAllowedEagerFactor = 2;

// A subject (an op or model by name) that is held to other numbers, and why.
struct ToleranceException {
  std::string_view subject;
  double ulp;
  double eager_factor;
  std::string_view reason;
};

// All exceptions there are.
inline constexpr std::array<ToleranceException, 4> kToleranceExceptions{{
    {"PyTorch in f64", 256, 2,
     "the reference in f64 is rounded itself: where a thousand terms are added, or terms cancel, it is as wrong as the "
     "result"},
    {"exact rewrites", 0, 0, "a pass whose rewrites are of class exact or signed_zero may not alter a bit of a number"},
    {"rewrites in f64", 256, 2, "the reference of a program in f64 is rounded as the program is"},
    {"central differences", 256, 8,
     "ulp of a function's values, as rewrites in f64; the factor is of the error that extrapolation estimates, which "
     "is "
     "an estimate (check/central_difference.h)"},
}};

// The row for a subject, or null.
[[nodiscard]] const ToleranceException* find_exception(std::span<const ToleranceException> rows,
                                                       std::string_view subject);

struct CompareOptions {
  bool elementwise_edge = false;
  bool zero_signs = false;  // -0 and +0 do not agree
  double nearby_error = 0;  // eager's largest on neighbours of the inputs (neighbour.h); norm-wise only
  std::string_view subject = {};
  std::span<const ToleranceException> exceptions = kToleranceExceptions;
};

struct ErrorStatistics {
  double max = 0;
  double mean = 0;
  double median = 0;  // the lower one of an even number
};

// What agrees() found. Errors are over the elements where both sides are finite, in f64.
struct Difference {
  bool agrees = false;
  std::string reason;  // why not; empty when it agrees
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::int64_t elements = 0;
  std::int64_t unequal = 0;  // elements that are not the reference's value rounded to the dtype
  bool elementwise = false;
  ErrorStatistics absolute;
  ErrorStatistics relative;               // to max(|j|, the dtype's smallest normal number)
  double max_ulp = 0;                     // in ulp at each element's own magnitude
  double scale = 0;                       // largest finite magnitude of the reference
  double allowed = 0;                     // absolute; element-wise, at the worst element
  std::optional<double> eager_max_error;  // absolute, over elements where all three are finite; nearby, too
  bool nearby = false;                    // it is larger on a neighbour of the inputs than on them
  std::int64_t nan_mismatches = 0;
  std::int64_t inf_mismatches = 0;
  std::int64_t zero_sign_mismatches = 0;
  std::int64_t exceeding = 0;  // elements whose error is above what is allowed
  // The element furthest from agreeing; -1 when there are no elements.
  std::int64_t worst = -1;
  Shape worst_position;
  double worst_actual = 0;
  double worst_expected = 0;
};

// `reference` is f64 for float outputs, c128 for complex ones and has the output's own dtype otherwise;
// other dtypes and shapes do not agree, with a reason. `eager`, when given, has the dtype and shape of `actual`;
// otherwise it does not agree either.
[[nodiscard]] Difference agrees(const Tensor& actual, const Tensor& reference, const Tensor* eager = nullptr,
                                const CompareOptions& options = {});

// The distance between neighbours of a float dtype at a finite magnitude; never below its smallest subnormal number.
[[nodiscard]] double ulp_at(Dtype dtype, double magnitude);
// `[0, 2]`.
[[nodiscard]] std::string position_text(const Shape& position);

// A few lines for people; `name` is the output's.
[[nodiscard]] std::string render_text(const Difference& difference, std::string_view name);
// One JSON object, "version": 1; numbers that JSON cannot say are the strings "nan", "inf" and "-inf".
[[nodiscard]] std::string render_json(const Difference& difference, std::string_view name);

}  // namespace mlgc

// What agrees and what does not, at the edges of the definition.
#include "tensor/compare.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support_catch.h"
#include "tensor/neighbour.h"

using mlgc::agrees;
using mlgc::Difference;
using mlgc::Dtype;
using mlgc::Tensor;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kEpsilon = std::numeric_limits<float>::epsilon();

Tensor f32(std::initializer_list<float> values) {
  return Tensor::from_values<float>({static_cast<std::int64_t>(values.size())}, values);
}
Tensor f64(std::initializer_list<double> values) {
  return Tensor::from_values<double>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("four ulp agree and five do not") {
  CHECK(agrees(f32({1 + 4 * kEpsilon}), f64({1})).agrees);
  const Difference difference = agrees(f32({1 + 5 * kEpsilon}), f64({1}));
  CHECK_FALSE(difference.agrees);
  CHECK(difference.reason == "1 element with an error above what is allowed");
  CHECK(difference.max_ulp == 5);
  CHECK(difference.exceeding == 1);
  CHECK(agrees(Tensor::splat(Dtype::BF16, {}, 1 + 4 * 0x1p-7), Tensor::scalar<double>(1)).agrees);
  CHECK_FALSE(agrees(Tensor::splat(Dtype::BF16, {}, 1 + 5 * 0x1p-7), Tensor::scalar<double>(1)).agrees);
  CHECK(agrees(Tensor::splat(Dtype::F16, {}, 1 + 4 * 0x1p-10), Tensor::scalar<double>(1)).agrees);
  CHECK_FALSE(agrees(Tensor::splat(Dtype::F16, {}, 1 + 5 * 0x1p-10), Tensor::scalar<double>(1)).agrees);
  CHECK(agrees(f64({1 + 4 * 0x1p-52}), f64({1})).agrees);
  CHECK_FALSE(agrees(f64({1 + 5 * 0x1p-52}), f64({1})).agrees);
}

TEST_CASE("the norm is scaled by the output's largest magnitude, element-wise by each element's own") {
  const Tensor actual = f32({1, 4 * kEpsilon});
  CHECK(agrees(actual, f64({1, 0})).agrees);
  const Difference difference = agrees(actual, f64({1, 0}), nullptr, {.elementwise_edge = true});
  CHECK_FALSE(difference.agrees);
  CHECK(difference.worst == 1);
  CHECK(difference.allowed == std::ldexp(4.0, -149));
  // The smallest subnormal numbers are a unit as well.
  CHECK(agrees(f32({0x4p-149F}), f64({0}), nullptr, {.elementwise_edge = true}).agrees);
  CHECK_FALSE(agrees(f32({0x5p-149F}), f64({0}), nullptr, {.elementwise_edge = true}).agrees);
}

TEST_CASE("twice eager's error is allowed") {
  const Tensor eager = f32({1, 1 + 0x1p-10F});
  CHECK(agrees(f32({1 - 0x1p-9F, 1}), f64({1, 1}), &eager).agrees);
  CHECK_FALSE(agrees(f32({1 - 0x1.1p-9F, 1}), f64({1, 1}), &eager).agrees);
  CHECK(*agrees(eager, f64({1, 1}), &eager).eager_max_error == 0x1p-10);
  // Element-wise, eager's error at another element is no excuse.
  CHECK_FALSE(agrees(f32({1 - 0x1p-9F, 1}), f64({1, 1}), &eager, {.elementwise_edge = true}).agrees);
  CHECK(agrees(f32({1, 1 - 0x1p-9F}), f64({1, 1}), &eager, {.elementwise_edge = true}).agrees);
}

TEST_CASE("NaN and infinity match themselves only") {
  CHECK(agrees(f32({NAN, INFINITY, -INFINITY}), f64({kNan, kInf, -kInf})).agrees);
  const Difference difference = agrees(f32({1, NAN, INFINITY, -INFINITY, 1}), f64({kNan, 1, -kInf, 1, kInf}));
  CHECK(difference.nan_mismatches == 2);
  CHECK(difference.inf_mismatches == 3);
  CHECK(difference.worst == 0);
  CHECK(difference.reason ==
        "2 elements NaN on one side only, 3 elements infinite on one side only or with the other sign");
  // One mismatch among large finite values does not hide.
  CHECK_FALSE(agrees(f32({1e30F, NAN}), f64({1e30, 0})).agrees);
}

TEST_CASE("a reference beyond the dtype's range rounds to infinity") {
  CHECK(agrees(f32({INFINITY, 1}), f64({1e300, 1})).agrees);
  CHECK_FALSE(agrees(f32({-INFINITY, 1}), f64({1e300, 1})).agrees);
  // and does not widen what is allowed for the others
  CHECK_FALSE(agrees(f32({INFINITY, 2}), f64({1e300, 1})).agrees);
}

TEST_CASE("where eager overflows on the way, being like eager or finite is right") {
  const Tensor eager = f32({NAN, 1});
  CHECK(agrees(f32({NAN, 1}), f64({0.5, 1}), &eager).agrees);
  CHECK(agrees(f32({0.5, 1}), f64({0.5, 1}), &eager).agrees);
  CHECK_FALSE(agrees(f32({INFINITY, 1}), f64({0.5, 1}), &eager).agrees);
  CHECK_FALSE(agrees(f32({NAN, NAN}), f64({0.5, 1}), &eager).agrees);
  // The result itself is beyond the dtype, and eager's partial sums cancel to NaN.
  CHECK(agrees(f32({NAN, 1}), f64({1e39, 1}), &eager).agrees);
  CHECK(agrees(f32({INFINITY, 1}), f64({1e39, 1}), &eager).agrees);
  CHECK_FALSE(agrees(f32({-INFINITY, 1}), f64({1e39, 1}), &eager).agrees);
  CHECK_FALSE(agrees(f32({NAN, 1}), f64({INFINITY, 1}), &eager).agrees);
}

TEST_CASE("signs of zeros are counted and compared on request") {
  const Difference difference = agrees(f32({-0.0F}), f64({0}));
  CHECK(difference.agrees);
  CHECK(difference.zero_sign_mismatches == 1);
  CHECK(agrees(f32({-0.0F}), f64({0}), nullptr, {.zero_signs = true}).reason == "1 element zero with the other sign");
  CHECK(agrees(f32({-0.0F}), f64({-0.0}), nullptr, {.zero_signs = true}).agrees);
}

TEST_CASE("integers and booleans are equal or do not agree") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  CHECK(agrees(Tensor::scalar<std::int64_t>(kMax), Tensor::scalar<std::int64_t>(kMax)).agrees);
  const Difference difference = agrees(Tensor::from_values<std::int64_t>({1, 2}, {kMax - 1, kMax}),
                                       Tensor::from_values<std::int64_t>({1, 2}, {kMax, kMin}));
  CHECK(difference.reason == "2 elements not equal");
  CHECK(difference.worst_position == mlgc::Shape{0, 1});
  CHECK(difference.absolute.max == 0x1p64);
  CHECK(difference.absolute.median == 1);
  CHECK_FALSE(agrees(Tensor::scalar(true), Tensor::scalar(false)).agrees);
}

TEST_CASE("types that differ do not agree, with a reason") {
  CHECK(agrees(f32({1}), f64({1, 1})).reason == "the type is 1xf32, expected 2xf32");
  CHECK(agrees(f32({1}), f32({1})).reason == "the type is 1xf32, expected 1xf32 (the reference is 1xf32)");
  const Tensor eager = f64({1});
  CHECK(agrees(f32({1}), f64({1}), &eager).reason == "the type is 1xf32, but eager's is 1xf64");
}

TEST_CASE("empty outputs agree") {
  CHECK(agrees(f32({}), f64({})).agrees);
  CHECK(agrees(f32({}), f64({})).worst == -1);
  CHECK(mlgc::render_text(agrees(f32({}), f64({})), "y") ==
        "y: agrees\n  type            0xf32, 0 elements, 0 differ from the reference\n");
}

TEST_CASE("exceptions are rows with a reason") {
  for (const mlgc::ToleranceException& row : mlgc::kToleranceExceptions) CHECK(row.reason.size() > 10);
  const mlgc::ToleranceException rows[] = {{"odd", 100, 2, "its definition loses digits"}};
  CHECK(mlgc::find_exception(rows, "odd") == &rows[0]);
  CHECK(mlgc::find_exception(rows, "even") == nullptr);
  const Tensor actual = f32({1 + 90 * kEpsilon});
  CHECK(agrees(actual, f64({1}), nullptr, {.subject = "odd", .exceptions = rows}).agrees);
  CHECK_FALSE(agrees(actual, f64({1}), nullptr, {.subject = "even", .exceptions = rows}).agrees);
}

TEST_CASE("what eager is wrong by nearby counts where it is more than on the inputs themselves") {
  const Tensor actual = f32({1 + 20 * kEpsilon}), eager = f32({1});
  CHECK_FALSE(agrees(actual, f64({1}), &eager).agrees);
  CHECK_FALSE(agrees(actual, f64({1}), &eager, {.nearby_error = 9 * kEpsilon}).agrees);
  const Difference difference = agrees(actual, f64({1}), &eager, {.nearby_error = 10 * kEpsilon});
  CHECK(difference.agrees);
  CHECK(difference.nearby);
  CHECK_THAT(mlgc::render_text(difference, "y"), Catch::Contains("on inputs within an ulp"));
  const Tensor worse = f32({1 + 10 * kEpsilon});
  CHECK_FALSE(agrees(actual, f64({1}), &worse, {.nearby_error = 9 * kEpsilon}).nearby);
}

TEST_CASE("a neighbour is within an ulp, the same each time, and leaves the ends of domains alone") {
  const Tensor given = f32({0, 1, -1, HUGE_VALF, 3, -0.1F, 7e-40F, 1e30F});
  bool up = false, down = false;
  for (std::uint64_t number = 1; number <= mlgc::kNeighbours; ++number) {
    const Tensor moved = mlgc::neighbour(given, number);
    CHECK(moved == mlgc::neighbour(given, number));
    const auto x = given.data<float>(), y = moved.data<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(x[i]);
      if (i < 4) CHECK(x[i] == y[i]);
      CHECK((y[i] == x[i] || y[i] == std::nextafter(x[i], HUGE_VALF) || y[i] == std::nextafter(x[i], -HUGE_VALF)));
      up = up || y[i] > x[i];
      down = down || y[i] < x[i];
    }
  }
  CHECK((up && down));
  const Tensor integers = Tensor::from_values<std::int64_t>({2}, {5, 7});
  CHECK(mlgc::neighbour(integers, 1) == integers);
}

TEST_CASE("differences render as text and JSON") {
  const Tensor actual = Tensor::from_values<float>({2, 2}, {1, 2, 3, 4.5F});
  const Tensor reference = Tensor::from_values<double>({2, 2}, {1, 2, 3.25, 4});
  const Tensor eager = Tensor::from_values<float>({2, 2}, {1, 2, 3, 4});
  const Difference difference = agrees(actual, reference, &eager);
  CHECK(difference.agrees);
  CHECK(mlgc::render_text(difference, "y") ==
        "y: agrees\n"
        "  type            2x2xf32, 4 elements, 2 differ from the reference\n"
        "  absolute error  max 0.5, mean 0.188, median 0\n"
        "  relative error  max 0.125, mean 0.0505, median 0\n"
        "  ulp             max 1.05e+06\n"
        "  allowed         0.5 for every element; eager's largest error is 0.25\n"
        "  mismatches      NaN 0, infinity 0, sign of zero 0\n"
        "  worst element   [1, 1]: got 4.5, expected 4\n");
  const nlohmann::json json = nlohmann::json::parse(mlgc::render_json(difference, "y"));
  CHECK(json["version"] == 1);
  CHECK(json["agrees"] == true);
  CHECK(json["absolute_error"]["max"] == 0.5);
  CHECK(json["worst"]["position"] == nlohmann::json({1, 1}));
  CHECK(nlohmann::json::parse(mlgc::render_json(agrees(f32({1}), f64({kInf})), "y"))["worst"]["expected"] == "inf");
}

TEST_CASE("complex tensors agree by their parts, on the scale of both") {
  const auto c64 = [](std::initializer_list<float> parts) {
    return Tensor::from_values<float>({1, 2}, parts).as_complex();
  };
  const Tensor reference = Tensor::from_values<double>({1, 2}, {1e-3, 1}).as_complex();
  CHECK(agrees(c64({1e-3F + 3 * kEpsilon, 1}), reference).agrees);
  const Difference difference = agrees(c64({1e-3F + 5 * kEpsilon, 1}), reference);
  CHECK_FALSE(difference.agrees);
  CHECK(difference.elements == 2);
  CHECK(difference.exceeding == 1);
  CHECK(difference.worst_position == mlgc::Shape{0, 0});
  const Tensor eager = c64({1e-3F + 4 * kEpsilon, 1});
  CHECK(agrees(c64({1e-3F + 5 * kEpsilon, 1}), reference, &eager).agrees);
  CHECK(agrees(c64({1e-3F, 1}), reference.parts()).reason ==
        "the type is 1xc64, expected 1x2xc64 (the reference is 1x2xf64)");
  CHECK(mlgc::render_text(difference, "z")
            .starts_with("z: does not agree: 1 element with an error above what is "
                         "allowed\n  type            1xc64, 2 elements, 1 differ"));
}

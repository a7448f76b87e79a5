// Host tensors: shapes, storage sharing and element conversions.
#include "tensor/tensor.h"

#include <cmath>
#include <limits>

#include "support_catch.h"

using mlgc::BFloat16;
using mlgc::Dtype;
using mlgc::Half;
using mlgc::Tensor;

namespace {

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("element counts are checked") {
  CHECK(*mlgc::checked_element_count(Dtype::F32, {}) == 1);
  CHECK(*mlgc::checked_element_count(Dtype::F32, mlgc::Shape{2, 0, 3}) == 0);
  CHECK(*mlgc::checked_element_count(Dtype::I8, mlgc::Shape{kMaxInt64}) == kMaxInt64);
  CHECK(mlgc::checked_element_count(Dtype::I16, mlgc::Shape{kMaxInt64}).error() ==
        "shape 9223372036854775807xi16 has more bytes than 2^63 - 1");
  CHECK_FALSE(mlgc::checked_element_count(Dtype::F32, mlgc::Shape{0, kMaxInt64, kMaxInt64}).ok());
  CHECK(mlgc::checked_element_count(Dtype::F32, mlgc::Shape{2, -3}).error() ==
        "shape 2x-3xf32 has the negative extent -3");
  CHECK(Tensor::create(Dtype::I8, {kMaxInt64 / 2}).error().find("not enough memory for a tensor of type") == 0);
  CHECK_THROWS_AS(Tensor::zeros(Dtype::F32, {-1}), mlgc::InternalError);
}

TEST_CASE("rank 0 and empty tensors are ordinary tensors") {
  const Tensor scalar = Tensor::scalar<float>(2.5F);
  CHECK(scalar.rank() == 0);
  CHECK(scalar.size() == 1);
  CHECK(scalar.type_string() == "f32");
  CHECK(scalar.get_double(0) == 2.5);
  Tensor empty = Tensor::zeros(Dtype::I64, {3, 0});
  CHECK(empty.empty());
  CHECK(empty.bytes().empty());
  CHECK(empty.mutable_data<std::int64_t>().empty());
  CHECK(empty.strides() == mlgc::Shape{1, 1});
  CHECK(empty.cast(Dtype::F32) == Tensor::zeros(Dtype::F32, {3, 0}));
  CHECK_FALSE(empty == Tensor::zeros(Dtype::I64, {0, 3}));
  CHECK_THROWS_AS(empty.get_int(0), mlgc::InternalError);
  CHECK(Tensor().size() == 0);
}

TEST_CASE("copies share storage until they are written") {
  Tensor a = Tensor::from_values<std::int32_t>({2, 2}, {1, 2, 3, 4});
  Tensor b = a;
  CHECK(a.bytes().data() == b.bytes().data());
  b.set_int(3, 9);
  CHECK(a.get_int(3) == 4);
  CHECK(b.get_int(3) == 9);
  const std::byte* own = b.bytes().data();
  b.set_int(0, 7);
  CHECK(b.bytes().data() == own);
  CHECK(a.reshape({4}).bytes().data() == a.bytes().data());
  CHECK_THROWS_AS(a.reshape({3}), mlgc::InternalError);
  CHECK_THROWS_AS(a.data<float>(), mlgc::InternalError);
  CHECK(a.strides() == mlgc::Shape{2, 1});
}

TEST_CASE("views keep their owner alive and are copied before a write") {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const std::weak_ptr<std::vector<float>> watch = owner;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(*owner));
  {
    Tensor view = *Tensor::view(Dtype::F32, {3}, bytes, owner);
    CHECK(view.bytes().data() == bytes.data());
    owner.reset();
    CHECK_FALSE(watch.expired());
    CHECK(view.get_double(2) == 3);
    view.set_double(0, 10);
    CHECK(view.get_double(0) == 10);
    CHECK(watch.expired());
  }
  std::vector<float> local{1, 2};
  CHECK(Tensor::from_bytes(Dtype::F32, {3}, std::as_bytes(std::span(local))).error() == "3xf32 needs 12 bytes, got 8");
}

TEST_CASE("a misaligned view is copied to aligned storage") {
  auto owner = std::make_shared<std::vector<std::byte>>(13);
  (*owner)[1] = std::byte{7};
  const Tensor t = *Tensor::view(Dtype::I32, {3}, std::span<const std::byte>(*owner).subspan(1), owner);
  CHECK(t.data<std::int32_t>()[0] == 7);
}

TEST_CASE("an i1 byte other than 0 and 1 is refused") {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{1}, std::byte{2}};
  CHECK(Tensor::from_bytes(Dtype::I1, {3}, bytes).error() == "element 2 of 3xi1 is the byte 2, expected 0 or 1");
}

TEST_CASE("conversions follow PyTorch on x86-64") {
  const auto convert = [](double value, Dtype to) { return Tensor::splat(to, {}, value).get_int(0); };
  CHECK(convert(-1.9, Dtype::I32) == -1);
  CHECK(convert(300.7, Dtype::I8) == 44);
  CHECK(convert(-1.0, Dtype::UI8) == 255);
  CHECK(convert(2147483648.0, Dtype::I32) == -2147483648LL);
  CHECK(convert(-2147483648.9, Dtype::I32) == -2147483648LL);
  CHECK(convert(2147483647.9, Dtype::I32) == 2147483647LL);
  CHECK(convert(4294967301.0, Dtype::I8) == 0);
  CHECK(convert(4294967301.0, Dtype::UI8) == 5);
  CHECK(convert(kNotANumber, Dtype::I64) == kMinInt64);
  CHECK(convert(kInfinity, Dtype::I64) == kMinInt64);
  CHECK(convert(9223372036854775808.0, Dtype::I64) == kMinInt64);
  CHECK(convert(kNotANumber, Dtype::I1) == 1);
  CHECK(convert(0.25, Dtype::I1) == 1);
  CHECK(convert(-0.0, Dtype::I1) == 0);
  CHECK(Tensor::splat_int(Dtype::I16, {}, 65535).get_int(0) == -1);
  CHECK(Tensor::splat_int(Dtype::I8, {}, 200).cast(Dtype::UI8).get_int(0) == 200);
  CHECK(Tensor::splat_int(Dtype::F64, {}, kMaxInt64).get_double(0) == 9223372036854775808.0);
  CHECK(Tensor::splat(Dtype::F16, {}, 1.00048828125 + 1e-12).data<Half>()[0].bits == 0x3C00);
  CHECK(Tensor::splat(Dtype::BF16, {}, 3.0).data<BFloat16>()[0].bits == 0x4040);
  CHECK(std::isinf(Tensor::splat(Dtype::F16, {}, 65520.0).get_double(0)));
}

TEST_CASE("equality is of bytes") {
  CHECK(Tensor::scalar<double>(kNotANumber) == Tensor::scalar<double>(kNotANumber));
  CHECK_FALSE(Tensor::scalar<double>(0.0) == Tensor::scalar<double>(-0.0));
  CHECK_FALSE(Tensor::scalar<std::int8_t>(1) == Tensor::scalar<std::uint8_t>(1));
}

TEST_CASE("casting keeps shapes and shares what does not change") {
  const Tensor a = Tensor::from_values<std::int64_t>({2, 1}, {-1, 70000});
  CHECK(a.cast(Dtype::I64).bytes().data() == a.bytes().data());
  CHECK(a.cast(Dtype::I16) == Tensor::from_values<std::int16_t>({2, 1}, {-1, 4464}));
  CHECK(a.to_f64() == Tensor::from_values<double>({2, 1}, {-1, 70000}));
  CHECK(a.cast(Dtype::I1) == Tensor::from_values<bool>({2, 1}, {true, true}));
}

TEST_CASE("complex tensors are pairs of floats") {
  const Tensor real = Tensor::from_values<float>({2}, {1.5F, -2.0F});
  const Tensor complex = real.cast(Dtype::C64);
  CHECK(complex.type_string() == "2xc64");
  CHECK(complex.byte_size() == 16);
  CHECK(complex.parts() == Tensor::from_values<float>({2, 2}, {1.5F, 0.0F, -2.0F, 0.0F}));
  CHECK(complex.parts().as_complex() == complex);
  CHECK(complex.to_reference().parts() == Tensor::from_values<double>({2, 2}, {1.5, 0.0, -2.0, 0.0}));
  CHECK(complex.to_reference().cast(Dtype::C64) == complex);
  CHECK_THROWS_AS(complex.cast(Dtype::F32), mlgc::InternalError);
  CHECK_THROWS_AS(complex.get_double(0), mlgc::InternalError);
  CHECK_THROWS_AS(Tensor::zeros(Dtype::F16, {2}).as_complex(), mlgc::InternalError);
}

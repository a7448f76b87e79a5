// Tensors and numbers as text.
#include "tensor/print.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "support_catch.h"
#include "tensor/random.h"

using mlgc::BFloat16;
using mlgc::Dtype;
using mlgc::Half;
using mlgc::print_tensor;
using mlgc::Tensor;

TEST_CASE("numbers are shortest and say that they are floats") {
  CHECK(mlgc::format_number(1.0) == "1.0");
  CHECK(mlgc::format_number(-0.0F) == "-0.0");
  CHECK(mlgc::format_number(0.1F) == "0.1");
  CHECK(mlgc::format_number(0.1) == "0.1");
  CHECK(mlgc::format_number(1e-7) == "1e-07");
  CHECK(mlgc::format_number(1e20) == "1e+20");
  CHECK(mlgc::format_number(std::nan("")) == "nan");
  CHECK(mlgc::format_number(-std::nan("")) == "nan");
  CHECK(mlgc::format_number(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(mlgc::format_number(mlgc::to_half(0.1F)) == "0.1");
  CHECK(mlgc::format_number(mlgc::to_bfloat16(3.14159F)) == "3.14");
  CHECK(mlgc::format_number(Half{0x7C00}) == "inf");
}

TEST_CASE("every 16-bit float reads back from its text") {
  const auto read = [](const std::string& text) {
    float value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    if (std::isfinite(to_float(half))) wrong += mlgc::to_half(read(mlgc::format_number(half))) != half;
    const BFloat16 bfloat{static_cast<std::uint16_t>(bits)};
    if (std::isfinite(to_float(bfloat))) wrong += mlgc::to_bfloat16(read(mlgc::format_number(bfloat))) != bfloat;
  }
  CHECK(wrong == 0);
}

TEST_CASE("tensors are nested brackets with aligned columns") {
  CHECK(print_tensor(Tensor::scalar<float>(2.5F)) == "2.5");
  CHECK(print_tensor(Tensor::from_values<bool>({2}, {true, false})) == "[ true, false]");
  CHECK(print_tensor(Tensor::from_values<std::int32_t>({2, 3}, {1, -20, 3, 4, 5, 6})) ==
        "[[  1, -20,   3],\n [  4,   5,   6]]");
  CHECK(print_tensor(Tensor::from_values<std::uint8_t>({2, 2, 1}, {1, 2, 3, 200})) ==
        "[[[  1],\n  [  2]],\n\n [[  3],\n  [200]]]");
  CHECK(print_tensor(Tensor::zeros(Dtype::F32, {1000000000, 0})) == "[]");
}

TEST_CASE("complex numbers are written as in Python") {
  const Tensor parts = Tensor::from_values<float>({2, 2}, {1.0F, -2.5F, -0.0F, std::numeric_limits<float>::infinity()});
  CHECK(print_tensor(parts.as_complex()) == "[ 1.0-2.5j, -0.0+infj]");
}

TEST_CASE("large tensors are summarised") {
  Tensor tensor = Tensor::zeros(Dtype::I64, {20});
  for (std::int64_t i = 0; i < 20; ++i) tensor.set_int(i, i);
  CHECK(print_tensor(tensor, {.max_elements = 19, .edge_items = 2}) == "[ 0,  1, ..., 18, 19]");
  CHECK(print_tensor(tensor.reshape({10, 2}), {.max_elements = 19, .edge_items = 1}) ==
        "[[ 0,  1],\n ...,\n [18, 19]]");
  CHECK(print_tensor(tensor.reshape({4, 5}), {.max_elements = 19, .edge_items = 1}) ==
        "[[ 0, ...,  4],\n ...,\n [15, ..., 19]]");
  CHECK(print_tensor(tensor, {.max_elements = 20, .edge_items = 1}).find("...") == std::string::npos);
}

TEST_CASE("absurd ranks print") {
  CHECK(print_tensor(Tensor::zeros(Dtype::I8, mlgc::Shape(3, 1))) == "[[[0]]]");
  CHECK(print_tensor(Tensor::zeros(Dtype::I8, mlgc::Shape(100000, 1))) == "[0]");
}

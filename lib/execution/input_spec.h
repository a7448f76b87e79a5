// The text of an input of a function (`--input` of commands), and making tensors from it.
//
//     [NAME=][SHAPE][=VALUE]
//       NAME   an argument of the function; without it the inputs stand in the order of the arguments
//       SHAPE  8x784xf32, f32 (rank 0); may be left out where the function and sizes of symbols say it
//       VALUE  @file.npy, @file.npz:name, rand, rand:seed=1, rand:seed=1,lo=-1,hi=1, iota, a number (every element), or
//              a list of numbers with commas, blanks and brackets (nothing: zeros)
//     @file.npz   every member, by name
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

struct FromFile {
  std::string path;
  std::string member;  // of an .npz; empty: the only one, or all
  friend bool operator==(const FromFile&, const FromFile&) = default;
};
struct RandomFill {
  std::optional<std::uint64_t> seed;  // without one: the number of the argument
  // Uniform in lo … hi (hi included for integers). Without them: normal numbers, integers 0 … 9.
  std::optional<double> low, high;
  friend bool operator==(const RandomFill&, const RandomFill&) = default;
};
struct IotaFill {
  friend bool operator==(const IotaFill&, const IotaFill&) = default;
};
struct Literal {
  std::vector<std::string> numbers;  // as written; one: every element
  bool list = false;                 // brackets or separators stood there, so that `1,` is a list of one
  friend bool operator==(const Literal&, const Literal&) = default;
};

struct InputSpec {
  std::string text;  // as given
  std::string name;  // empty: by position
  std::optional<Dtype> dtype;
  std::optional<Shape> shape;  // given together with dtype
  std::variant<Literal, FromFile, RandomFill, IotaFill> value;
  // Whether it says all of the tensor's shape and dtype by itself (a file does).
  [[nodiscard]] bool is_file() const { return std::holds_alternative<FromFile>(value); }
};

// What is wrong with a spec, for a message that shows its text before.
struct SpecFault {
  SpecFault(std::string text, bool large = false) : what(std::move(text)), too_large(large) {}
  std::string what;
  bool too_large;  // the text is as it should be, but no tensor has such a size
};

// Error: what is wrong. No file is read.
[[nodiscard]] Result<InputSpec, SpecFault> parse_input_spec(std::string_view text);

// The tensor that a value other than a file stands for. `number` is the argument's, the seed where none is given.
// Precondition: checked_element_count(dtype, shape). Error: too many or too few numbers, a number outside the dtype,
// bounds that do not fit. Throws TensorTooLarge where memory does not suffice.
[[nodiscard]] Result<Tensor> make_tensor(const InputSpec& spec, Dtype dtype, const Shape& shape, std::size_t number);

}  // namespace mlgc

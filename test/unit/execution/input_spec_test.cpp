// The grammar of --input, and the tensors it makes.
#include "execution/input_spec.h"

#include "support_catch.h"
#include "tensor/random.h"

namespace mlgc {
namespace {

InputSpec parsed(std::string_view text) {
  Result<InputSpec, SpecFault> spec = parse_input_spec(text);
  INFO(text);
  REQUIRE(spec);
  return *spec;
}
std::string error_of(std::string_view text) {
  const Result<InputSpec, SpecFault> spec = parse_input_spec(text);
  INFO(text);
  REQUIRE(!spec);
  CHECK(!spec.error().too_large);
  return spec.error().what;
}

TEST_CASE("name, shape and value, each of which may be left out") {
  const InputSpec all = parsed("x=8x784xf32=rand:seed=1");
  CHECK(all.name == "x");
  CHECK(all.dtype == Dtype::F32);
  CHECK(all.shape == Shape{8, 784});
  CHECK(std::get<RandomFill>(all.value) == RandomFill{1, std::nullopt, std::nullopt});

  CHECK(parsed("x=1.5").name == "x");
  CHECK(!parsed("x=1.5").shape);
  CHECK(parsed("2x2xi32=1,2,3,4").name.empty());
  CHECK(parsed("f32=3").shape == Shape{});
  CHECK(std::get<Literal>(parsed("4x8xf32").value) == Literal{{"0"}, false});
  CHECK(std::get<Literal>(parsed("2x2xi32=[[1 2][3 4]]").value) == Literal{{"1", "2", "3", "4"}, true});
  CHECK(std::get<Literal>(parsed("-1").value) == Literal{{"-1"}, false});
  CHECK(std::get<Literal>(parsed("m=true").value) == Literal{{"true"}, false});
  CHECK(std::get<RandomFill>(parsed("rand:lo=-1,hi=1").value) == RandomFill{std::nullopt, -1.0, 1.0});
  CHECK(std::holds_alternative<IotaFill>(parsed("x=iota").value));
  CHECK(parsed("rand=iota").name == "rand");
}

TEST_CASE("files, and members of archives") {
  CHECK(std::get<FromFile>(parsed("@f.npz").value) == FromFile{"f.npz", ""});
  CHECK(std::get<FromFile>(parsed("x=@dir/f.npz:y").value) == FromFile{"dir/f.npz", "y"});
  CHECK(std::get<FromFile>(parsed("x=4xf32=@a=b.npy").value) == FromFile{"a=b.npy", ""});
}

TEST_CASE("what is outside the grammar says what is wrong") {
  CHECK(error_of("") == "it is empty");
  CHECK(error_of("x=") == "a value is missing after `=`");
  CHECK(error_of("x=4xf32=") == "a value is missing after `=`");
  CHECK(error_of("x=@") == "`@` needs the name of a file");
  CHECK(error_of("x=random") == "`random` is no value");
  CHECK(error_of("x=1,two") == "`two` is no value");
  CHECK(error_of("x=rand:sed=1") == "`rand` takes seed=, lo= and hi=, not `sed=1`");
  CHECK(error_of("x=rand:seed=1,seed=2") == "`seed` is given twice");
  CHECK(error_of("x=rand:seed=-1") == "a seed is a number from 0 to 2^64 - 1");
  CHECK(error_of("x=rand:lo=1") == "`lo` and `hi` are given together");
  CHECK(error_of("x=rand:lo=2,hi=1") == "`lo` is above `hi`");
  CHECK(error_of("x=-1x2xf32=1") == "the size -1 is negative");
}

TEST_CASE("a shape that no tensor has is told from text that is no shape") {
  const auto too_large = [](std::string_view text) {
    const Result<InputSpec, SpecFault> spec = parse_input_spec(text);
    INFO(text);
    REQUIRE(!spec);
    return spec.error().too_large;
  };
  for (const char* text : {"x=4294967296x4294967296xf32=1", "99999999999999999999xf32",
                           "x=9223372036854775807x1xi16=rand", "x=0x4611686018427387904x4xf32"})
    CHECK(too_large(text));
  for (const char* text : {"x=2x-xf32=0", "x=2xxf32", "x=2x2xf99", "x=-99999999999999999999xf32", "x=1e3xf32"})
    CHECK(!too_large(text));
}

TEST_CASE("values become tensors") {
  CHECK(*make_tensor(parsed("1.5"), Dtype::F32, {2, 2}, 0) == Tensor::splat(Dtype::F32, {2, 2}, 1.5));
  CHECK(*make_tensor(parsed("1,2,3"), Dtype::I8, {3}, 0) == Tensor::from_values<std::int8_t>({3}, {1, 2, 3}));
  CHECK(*make_tensor(parsed("true,false"), Dtype::I1, {2}, 0) == Tensor::from_values<bool>({2}, {true, false}));
  CHECK(*make_tensor(parsed("iota"), Dtype::I64, {2, 2}, 0) == Tensor::from_values<std::int64_t>({2, 2}, {0, 1, 2, 3}));
  CHECK(*make_tensor(parsed("7"), Dtype::F32, {0, 4}, 0) == Tensor::zeros(Dtype::F32, {0, 4}));
  Tensor random = Tensor::zeros(Dtype::F32, {5});
  fill_random(random, 3);
  CHECK(*make_tensor(parsed("rand:seed=3"), Dtype::F32, {5}, 0) == random);
  CHECK(*make_tensor(parsed("rand"), Dtype::F32, {5}, 3) == random);
  const Tensor uniform = *make_tensor(parsed("rand:lo=2,hi=3"), Dtype::F64, {100}, 0);
  for (std::int64_t i = 0; i < uniform.size(); ++i) CHECK((uniform.get_double(i) >= 2 && uniform.get_double(i) < 3));
}

TEST_CASE("values that do not fit say why") {
  CHECK(make_tensor(parsed("1,2,3"), Dtype::F32, {2}, 0).error() == "3 numbers for 2xf32, which has 2 elements");
  CHECK(make_tensor(parsed("300"), Dtype::I8, {2}, 0).error() == "`300` is not a value of i8");
  CHECK(make_tensor(parsed("1.5"), Dtype::I32, {}, 0).error() == "`1.5` is not a value of i32");
  CHECK(make_tensor(parsed("rand:lo=0,hi=300"), Dtype::UI8, {2}, 0).error() ==
        "the bounds of `rand` are not values of ui8");
}

}  // namespace
}  // namespace mlgc

// .npy and .npz: round trips, the forms that NumPy may write, and malformed files.
#include "tensor/npy.h"

#include <random>

#include "support/file.h"
#include "support/temporary_folder.h"
#include "support_catch.h"
#include "tensor/npz.h"
#include "tensor/samples.h"

using mlgc::Dtype;
using mlgc::SharedBytes;
using mlgc::Tensor;

namespace {

std::string npy_bytes(std::string header, std::string_view data, int version = 1) {
  std::string file("\x93NUMPY");
  file += {static_cast<char>(version), '\0'};
  if (version == 1)
    mlgc::append_little_endian(file, static_cast<std::uint16_t>(header.size()));
  else
    mlgc::append_little_endian(file, static_cast<std::uint32_t>(header.size()));
  return file.append(header).append(data);
}

mlgc::Result<Tensor> parse(std::string file, mlgc::NpyVoid2 void2 = mlgc::NpyVoid2::Refuse) {
  return mlgc::parse_npy(SharedBytes::from_string(std::move(file)), "t.npy", void2);
}

std::string error_of(const std::string& header, std::string_view data = "") {
  const mlgc::Result<Tensor> result = parse(npy_bytes(header, data));
  return result ? "no error" : result.error();
}

constexpr std::string_view kSixInts("\1\0\2\0\3\0\4\0\5\0\6\0", 12);

}  // namespace

TEST_CASE("npy: every dtype and shape is read back") {
  const mlgc::NamedTensors samples = sample_tensors(false);
  const TemporaryFolder folder;
  for (const auto& [name, tensor] : samples) {
    REQUIRE(mlgc::write_npy(folder.file("t.npy"), tensor).ok());
    const mlgc::Result<Tensor> back = mlgc::read_npy(folder.file("t.npy"));
    REQUIRE(back.ok());
    CHECK(*back == tensor);
  }
}

TEST_CASE("npy: bytes are NumPy's own") {
  CHECK(*mlgc::npy_header(Dtype::F32, mlgc::Shape{2, 3}) ==
        npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + std::string(58, ' ') + "\n", ""));
  CHECK_THAT(*mlgc::npy_header(Dtype::I1, mlgc::Shape{2}), Contains("'|b1'") && Contains("(2,)"));
  CHECK_THAT(*mlgc::npy_header(Dtype::I8, mlgc::Shape{}), Contains("()"));
}

TEST_CASE("npy: versions, orders and spellings") {
  const Tensor expected = Tensor::from_values<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string c_order = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n";
  for (const int version : {1, 2, 3}) CHECK(*parse(npy_bytes(c_order, kSixInts, version)) == expected);
  CHECK(*parse(npy_bytes("{\"shape\":(2L,3L),'fortran_order':False,'descr':'=i2'}", kSixInts)) == expected);
  CHECK(*parse(npy_bytes("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}",
                         std::string_view("\1\0\4\0\2\0\5\0\3\0\6\0", 12))) == expected);
  CHECK(*parse(npy_bytes("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}",
                         std::string_view("\0\1\0\2\0\3\0\4\0\5\0\6", 12))) == expected);
  CHECK(*parse(npy_bytes("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}",
                         std::string_view("\0\1\0\4\0\2\0\5\0\3\0\6", 12))) == expected);
  CHECK(parse(npy_bytes("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 0, 3)}", ""))->shape() ==
        mlgc::Shape{2, 0, 3});
  const Tensor cube = *parse(npy_bytes("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2, 2)}", "abcdefgh"));
  CHECK(mlgc::as_text(cube.bytes()) == "aecgbfdh");
  // The parts of a complex number are swapped, not the pair.
  const Tensor complex = *parse(npy_bytes("{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}",
                                          std::string_view("\x3F\x80\0\0\xC0\0\0\0", 8)));
  CHECK(complex.parts() == Tensor::from_values<float>({1, 2}, {1.0F, -2.0F}));
}

TEST_CASE("npy: bf16 is refused with a remedy, or read when asked") {
  CHECK(mlgc::npy_header(Dtype::BF16, mlgc::Shape{1}).error() ==
        "NumPy files cannot hold bf16: write safetensors, or cast to f32 first");
  const std::string file = npy_bytes("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", "\x80\x3F");
  CHECK(
      parse(file).error() ==
      "t.npy: byte 10: holds elements of type '<V2', which may or may not be bf16: store bf16 tensors as safetensors");
  CHECK(parse(file, mlgc::NpyVoid2::ReadAsBf16)->get_double(0) == 1.0);
  const TemporaryFolder folder;
  CHECK_FALSE(mlgc::write_npy(folder.file("t.npy"), Tensor::zeros(Dtype::BF16, {2})).ok());
  CHECK(folder.entries() == 0);
}

TEST_CASE("npy: errors say where and what") {
  CHECK(parse("PK\3\4").error() == "t.npy: byte 0: is not an .npy file: expected \"\\x93NUMPY\"");
  CHECK(parse(npy_bytes("", "", 4)).error() == "t.npy: byte 6: has format version 4, expected 1, 2 or 3");
  CHECK(error_of("[]") == "t.npy: byte 10: expected '{' in the header");
  CHECK(error_of("{'descr': [('a', '<f4')]}") ==
        "t.npy: byte 20: expected a simple type such as '<f4' (structured types are not supported) in the header");
  CHECK(error_of("{'descr': '<f4', 'descr': '<f4'}") ==
        "t.npy: byte 27: expected each of the keys 'descr', 'fortran_order' and 'shape' once in the header");
  CHECK(error_of("{'descr': '<f4', 'shape': (2, -3)}") ==
        "t.npy: byte 40: expected an extent between 0 and 2^63 - 1, or ')' in the header");
  CHECK(error_of("{'descr': '<f4', 'shape': (2)}") ==
        "t.npy: byte 40: expected the keys 'descr', 'fortran_order' and 'shape' in the header");
  CHECK(error_of("{'descr': '<c32', 'fortran_order': False, 'shape': ()}") ==
        "t.npy: byte 10: holds elements of type '<c32', expected one of b1 i1 u1 i2 i4 i8 f2 f4 f8 c8 c16 after '<', "
        "'>', '=' "
        "or '|'");
  CHECK(error_of("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}") ==
        "t.npy: byte 10: shape 9223372036854775807x2xf32 has more bytes than 2^63 - 1");
  CHECK(error_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 1000)}", "abcd") ==
        "t.npy: byte 79: expected 16000000000000 bytes of elements for 4000000000x1000xf32, found 4");
  CHECK(error_of("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\3") ==
        "t.npy: byte 65: element 1 of 2xi1 is the byte 3, expected 0 or 1");
}

TEST_CASE("npz: names and order are kept and equal tensors give equal bytes") {
  const mlgc::NamedTensors samples = sample_tensors(false);
  const TemporaryFolder folder;
  REQUIRE(mlgc::write_npz(folder.file("a.npz"), samples).ok());
  REQUIRE(mlgc::write_npz(folder.file("b.npz"), samples).ok());
  CHECK(*mlgc::read_file(folder.file("a.npz")) == *mlgc::read_file(folder.file("b.npz")));
  const mlgc::Result<mlgc::NamedTensors> back = mlgc::read_npz(folder.file("a.npz"));
  REQUIRE(back.ok());
  CHECK(*back == samples);
}

TEST_CASE("npz: a tensor that cannot be written leaves no file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  const mlgc::NamedTensors bf16{{"x", Tensor::zeros(Dtype::F32, {2})}, {"y", Tensor::zeros(Dtype::BF16, {2})}};
  CHECK(mlgc::write_npz(path, bf16).error() ==
        path + ": tensor \"y\": NumPy files cannot hold bf16: write safetensors, or cast to f32 first");
  const mlgc::NamedTensors twice{{"x", Tensor()}, {"x", Tensor()}};
  CHECK(mlgc::write_npz(path, twice).error() == path + ": two members would be called \"x.npy\"");
  CHECK(folder.entries() == 0);
}

TEST_CASE("npy and npz: every truncation is an error and no corruption is a crash") {
  const TemporaryFolder folder;
  const mlgc::NamedTensors tensors{{"a", Tensor::from_values<float>({2, 2}, {1, 2, 3, 4})},
                                   {"b", Tensor::from_values<bool>({3}, {true, false, true})}};
  REQUIRE(mlgc::write_npz(folder.file("t.npz"), tensors).ok());
  REQUIRE(mlgc::write_npy(folder.file("t.npy"), tensors[0].second).ok());
  const std::string npz = *mlgc::read_file(folder.file("t.npz"));
  const std::string npy = *mlgc::read_file(folder.file("t.npy"));
  for (std::size_t size = 0; size < npy.size(); ++size) CHECK_FALSE(parse(npy.substr(0, size)).ok());
  for (std::size_t size = 0; size < npz.size(); ++size)
    CHECK_FALSE(mlgc::parse_npz(SharedBytes::from_string(npz.substr(0, size)), "t.npz").ok());
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string garbled = round % 2 == 0 ? npy : npz;
    for (std::uint32_t flips = 1 + random() % 3; flips > 0; --flips)
      garbled[random() % garbled.size()] = static_cast<char>(random() % 256);
    if (round % 2 == 0)
      refused += !parse(garbled).ok();
    else
      refused += !mlgc::parse_npz(SharedBytes::from_string(garbled), "t.npz").ok();
  }
  CHECK(refused > 5000);
}

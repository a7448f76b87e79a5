// safetensors: round trips and every rule of the format that a file may break.
#include "tensor/safetensors.h"

#include <random>

#include "support/file.h"
#include "support/temporary_folder.h"
#include "support_catch.h"
#include "tensor/samples.h"

using mlgc::Dtype;
using mlgc::SharedBytes;
using mlgc::Tensor;

namespace {

std::string file_of(std::string_view header, std::string_view data = "") {
  std::string file;
  mlgc::append_little_endian<std::uint64_t>(file, header.size());
  return file.append(header).append(data);
}

mlgc::Result<mlgc::Safetensors> parse_safetensors(std::string file) {
  return mlgc::parse_safetensors(SharedBytes::from_string(std::move(file)), "t.safetensors");
}

std::string safetensors_error(std::string_view header, std::string_view data = "") {
  const mlgc::Result<mlgc::Safetensors> result = parse_safetensors(file_of(header, data));
  return result ? "no error" : result.error();
}

}  // namespace

TEST_CASE("safetensors: everything is read back, sorted, aligned and deterministic") {
  mlgc::NamedTensors samples = sample_tensors(true);
  const TemporaryFolder folder;
  const std::map<std::string, std::string> metadata{{"format", "pt"}, {"\xC3\xA4", "\"\n"}};
  REQUIRE(mlgc::write_safetensors(folder.file("a"), samples, metadata).ok());
  std::ranges::reverse(samples);
  REQUIRE(mlgc::write_safetensors(folder.file("b"), samples, metadata).ok());
  const std::string content = *mlgc::read_file(folder.file("a"));
  CHECK(content == *mlgc::read_file(folder.file("b")));
  CHECK((8 + mlgc::load_little_endian<std::uint64_t>(std::as_bytes(std::span(content)), 0)) % 64 == 0);
  const mlgc::Result<mlgc::Safetensors> back = mlgc::read_safetensors(folder.file("a"));
  REQUIRE(back.ok());
  std::ranges::sort(samples, {}, &mlgc::NamedTensor::first);
  CHECK(back->tensors == samples);
  CHECK(back->metadata == metadata);
  REQUIRE(back->find("3xbf16") != nullptr);
  CHECK(back->find("3xbf16")->dtype() == Dtype::BF16);
  CHECK(back->find("4xbf16") == nullptr);
}

TEST_CASE("safetensors: a layout says where data lie, and whole lines come first") {
  const mlgc::NamedTensors tensors{{"odd", Tensor::splat(Dtype::F64, {3}, 1)},
                                   {"even", Tensor::splat(Dtype::F32, {16}, 2)},
                                   {"small", Tensor::splat(Dtype::I8, {128}, 3)}};
  const mlgc::Result<mlgc::SafetensorsLayout> layout = mlgc::lay_out_safetensors(tensors);
  REQUIRE(layout.ok());
  CHECK(layout->order == std::vector<std::size_t>{1, 2, 0});
  CHECK(layout->offsets[1] == layout->start.size());
  CHECK(layout->offsets[1] % 64 == 0);
  CHECK(layout->offsets[2] == layout->offsets[1] + 64);
  CHECK(layout->offsets[0] == layout->offsets[2] + 128);
  const TemporaryFolder folder;
  REQUIRE(mlgc::write_safetensors(folder.file("a"), tensors).ok());
  const std::string content = *mlgc::read_file(folder.file("a"));
  CHECK(content.size() == layout->bytes);
  CHECK(content.starts_with(layout->start));
  for (std::size_t i = 0; i < tensors.size(); ++i)
    CHECK(content.compare(layout->offsets[i], tensors[i].second.byte_size(),
                          mlgc::as_text(tensors[i].second.bytes())) == 0);
}

TEST_CASE("safetensors: an empty file of tensors is valid") {
  CHECK(parse_safetensors(file_of("{}"))->tensors.empty());
  CHECK(parse_safetensors(file_of("{}     "))->tensors.empty());
}

TEST_CASE("safetensors: tensors are views of the file") {
  const SharedBytes file =
      SharedBytes::from_string(file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "xy"));
  const mlgc::Result<mlgc::Safetensors> result = mlgc::parse_safetensors(file, "t");
  REQUIRE(result.ok());
  CHECK(result->find("a")->bytes().data() == file.bytes.data() + file.size() - 2);
}

TEST_CASE("safetensors: errors say which tensor and what was expected") {
  CHECK(parse_safetensors("abc").error() ==
        "t.safetensors: byte 0: is not a safetensors file: expected the header's length in 8 bytes, found 3");
  CHECK(parse_safetensors(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}")).error() ==
        "t.safetensors: byte 0: is not a safetensors file: a header of 18446744073709551615 bytes does not fit (2 "
        "follow, at most 100000000 are allowed)");
  CHECK(safetensors_error(" {}") == "t.safetensors: byte 8: is not a safetensors file: the header must start with '{'");
  CHECK_THAT(safetensors_error("{\"a\":}"), StartsWith("t.safetensors: byte 13: the header is not JSON: "));
  CHECK_THAT(safetensors_error("{\"\xFF\":1}"), Contains("the header is not JSON: "));
  CHECK(safetensors_error(R"({"a":1,"a":2})") == "t.safetensors: the key \"a\" is twice in one object of the header");
  CHECK(safetensors_error(R"({"a":1})") ==
        "t.safetensors: tensor \"a\": expected an object with dtype, shape and data_offsets");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[]}})") ==
        "t.safetensors: tensor \"a\": the key \"data_offsets\" is missing");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}})") ==
        "t.safetensors: tensor \"a\": unknown key \"x\", expected dtype, shape and data_offsets");
  CHECK(safetensors_error(R"({"a":{"dtype":"F8_E5M2","shape":[],"data_offsets":[0,1]}})", "x") ==
        "t.safetensors: tensor \"a\": dtype is \"F8_E5M2\", expected one of BOOL I8 U8 I16 I32 I64 F16 BF16 F32 F64");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "xxxx") ==
        "t.safetensors: tensor \"a\": shape: expected a list of integers between 0 and 2^63 - 1");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,4]}})", "xxxx") ==
        "t.safetensors: tensor \"a\": shape 9223372036854775807x9xf32 has more bytes than 2^63 - 1");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "xxxx") ==
        "t.safetensors: tensor \"a\": 2xf32 needs 8 bytes, got 4");
  CHECK(safetensors_error(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "xxxx") ==
        "t.safetensors: tensor \"a\": data_offsets [4, 8] do not lie in the data section, which has 4 bytes");
  CHECK_THAT(safetensors_error(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "xxxx"),
             Contains("[4, 0] do not lie in the data section"));
  CHECK_THAT(safetensors_error(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1.5]}})", "xxxx"),
             Contains("data_offsets: expected two integers between 0 and 2^63 - 1"));
  CHECK(safetensors_error(R"({"__metadata__":{"a":1}})") == "t.safetensors: __metadata__: \"a\": expected a string");
}

TEST_CASE("safetensors: ranges tile the data section") {
  const auto two = [](const std::string& a, const std::string& b) {
    return safetensors_error(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
                                 R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}",
                             "wxyz");
  };
  CHECK(two("[2,4]", "[0,2]") == "no error");
  CHECK(two("[0,2]", "[1,3]") ==
        "t.safetensors: tensor \"b\": data_offsets start at 1, expected 2 (it overlaps another tensor)");
  CHECK(two("[0,2]", "[0,2]") ==
        "t.safetensors: tensor \"b\": data_offsets start at 0, expected 2 (it overlaps another tensor)");
  CHECK(safetensors_error(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xy") ==
        "t.safetensors: tensor \"a\": data_offsets start at 1, expected 0 (there is a gap before it)");
  CHECK(safetensors_error("{}", "xy") == "t.safetensors: the tensors take 0 bytes, but the data section has 2");
}

TEST_CASE("safetensors: names that cannot be written") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  const auto error = [&](const mlgc::NamedTensors& tensors) { return mlgc::write_safetensors(path, tensors).error(); };
  CHECK(error({{"__metadata__", Tensor()}}) == path + ": a tensor cannot be called __metadata__ in safetensors");
  CHECK(error({{"x", Tensor()}, {"x", Tensor()}}) == path + ": two tensors would be called \"x\"");
  CHECK(error({{"\xFF", Tensor()}}) ==
        path + ": a tensor name or a metadata text is not UTF-8, which safetensors demands");
  CHECK(folder.entries() == 0);
}

TEST_CASE("safetensors: every truncation is an error and no corruption is a crash") {
  const TemporaryFolder folder;
  const mlgc::NamedTensors tensors{{"a", Tensor::from_values<float>({2, 2}, {1, 2, 3, 4})},
                                   {"b", Tensor::from_values<bool>({3}, {true, false, true})}};
  REQUIRE(mlgc::write_safetensors(folder.file("t"), tensors).ok());
  const std::string file = *mlgc::read_file(folder.file("t"));
  for (std::size_t size = 0; size < file.size(); ++size) CHECK_FALSE(parse_safetensors(file.substr(0, size)).ok());
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string garbled = file;
    for (std::uint32_t flips = 1 + random() % 3; flips > 0; --flips)
      garbled[random() % garbled.size()] = static_cast<char>(random() % 256);
    refused += !parse_safetensors(std::move(garbled)).ok();
  }
  CHECK(refused > 5000);
}

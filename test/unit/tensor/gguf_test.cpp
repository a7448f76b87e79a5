// GGUF: what is read, block by block, and every rule of the format that a file may break.
#include "tensor/gguf.h"

#include "gguf_file.h"
#include "support_catch.h"

using gguf_test::File;
using gguf_test::number;
using mlgc::Dtype;
using mlgc::Shape;
using mlgc::SharedBytes;
using mlgc::Tensor;

namespace {

constexpr std::uint32_t kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ8_0 = 8, kQ4_K = 12, kQ6_K = 14, kBf16 = 30;

mlgc::Result<mlgc::Gguf> gguf_of(std::string bytes) {
  return mlgc::parse_gguf(SharedBytes::from_string(std::move(bytes)), "t.gguf");
}

std::string gguf_error(const std::string& bytes) {
  const mlgc::Result<mlgc::Gguf> result = gguf_of(bytes);
  return result ? "no error" : result.error();
}
std::string gguf_error(const File& file) { return gguf_error(file.bytes()); }

// One tensor of one block.
File one_block(std::uint32_t type, std::uint64_t elements, std::string data) {
  File file;
  file.tensors = {{"w", {elements}, type, 0}};
  file.data = std::move(data);
  return file;
}

std::vector<float> floats_of(const File& file) {
  const mlgc::Result<mlgc::Gguf> gguf = gguf_of(file.bytes());
  REQUIRE(gguf.ok());
  const mlgc::Result<Tensor> tensor = gguf->tensors.at(0).read();
  REQUIRE(tensor.ok());
  std::vector<float> out;
  for (std::int64_t i = 0; i < tensor->size(); ++i) out.push_back(static_cast<float>(tensor->get_double(i)));
  return out;
}

const std::string kHalf = number<std::uint16_t>(0x3800);  // 0.5
const std::string kTwo = number<std::uint16_t>(0x4000);

}  // namespace

TEST_CASE("gguf: metadata and tensors are read") {
  File file;
  file.pairs = {
      gguf_test::pair("general.architecture", 8, gguf_test::text("llama")),
      gguf_test::pair("a", 0, "\xff"),
      gguf_test::pair("b", 1, "\xff"),
      gguf_test::pair("c", 3, number<std::uint16_t>(0xfffe)),
      gguf_test::pair("d", 11, number<std::uint64_t>(~std::uint64_t{0})),
      gguf_test::pair("e", 10, number<std::uint64_t>(~std::uint64_t{0})),
      gguf_test::pair("f", 12, number<std::uint64_t>(0)),
      gguf_test::pair("g", 9,
                      number<std::uint32_t>(8) + number<std::uint64_t>(2) + gguf_test::text("x") + gguf_test::text("")),
      gguf_test::pair("h", 9, number<std::uint32_t>(4) + number<std::uint64_t>(1) + number<std::uint32_t>(9)),
      gguf_test::pair("general.alignment", 4, number<std::uint32_t>(64))};
  file.alignment = 64;
  file.tensors = {{"w", {3, 2}, kF32, 0}, {"empty", {0}, kQ8_0, 64}, {"h", {2}, kF16, 64}, {"b", {}, kBf16, 128}};
  file.data = std::string(24, '\0').replace(4, 4, number<std::uint32_t>(0x3f800000)) + std::string(40, '\0') + kHalf +
              kTwo + std::string(60, '\0') + number<std::uint16_t>(0x3fc0);
  const mlgc::Result<mlgc::Gguf> gguf = gguf_of(file.bytes());
  REQUIRE(gguf.ok());
  CHECK(gguf->strings == std::map<std::string, std::string, std::less<>>{{"general.architecture", "llama"}});
  CHECK(gguf->integers == std::map<std::string, std::int64_t, std::less<>>{
                              {"a", 255}, {"b", -1}, {"c", -2}, {"d", -1}, {"general.alignment", 64}});
  REQUIRE(gguf->tensors.size() == 4);
  CHECK(gguf->tensors[0].shape == Shape{2, 3});
  CHECK(gguf->tensors[0].read()->get_double(1) == 1.0);
  CHECK(gguf->tensors[1].read()->shape() == Shape{0});
  CHECK(gguf->find("h")->read()->dtype() == Dtype::F16);
  CHECK(gguf->find("h")->read()->get_double(1) == 2.0);
  CHECK(gguf->find("b")->read()->get_double(0) == 1.5);
  CHECK(gguf->find("none") == nullptr);
  CHECK(mlgc::gguf_type_name(gguf->tensors[1].type) == "Q8_0");
}

TEST_CASE("gguf: blocks become floats") {
  std::string eight = kHalf;
  for (int i = 0; i < 32; ++i) eight += static_cast<char>(i * 8 - 128);
  const std::vector<float> q8 = floats_of(one_block(kQ8_0, 32, eight));
  for (int i = 0; i < 32; ++i) CHECK(q8[static_cast<std::size_t>(i)] == 0.5F * static_cast<float>(i * 8 - 128));

  std::string four = kTwo;
  for (int i = 0; i < 16; ++i) four += static_cast<char>(i | ((15 - i) << 4));
  const std::vector<float> q4 = floats_of(one_block(kQ4_0, 32, four));
  for (int i = 0; i < 16; ++i) {
    CHECK(q4[static_cast<std::size_t>(i)] == 2.0F * static_cast<float>(i - 8));
    CHECK(q4[static_cast<std::size_t>(16 + i)] == 2.0F * static_cast<float>(7 - i));
  }

  // Scales 1 to 4 and 0x31 to 0x34, minima 5 to 8 and 0x25 to 0x28; all numbers are 1 and 2 by turns of groups.
  const std::string large =
      kHalf + kTwo + std::string("\xc1\xc2\xc3\xc4\x85\x86\x87\x88\x51\x62\x73\x84", 12) + std::string(128, '\x21');
  const std::vector<float> k4 = floats_of(one_block(kQ4_K, 256, large));
  const float scales[] = {1, 2, 3, 4, 0x31, 0x32, 0x33, 0x34}, minima[] = {5, 6, 7, 8, 0x25, 0x26, 0x27, 0x28};
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t group = i / 32;
    CHECK(k4[i] == 0.5F * scales[group] * (group % 2 == 0 ? 1.0F : 2.0F) - 2.0F * minima[group]);
  }

  // The low bits of groups 0 and 1 are 1, of 2 and 3 they are 2, and so on in the second half; high bits are 0, 1,
  // 2, 3.
  std::string six = std::string(128, '\x21') + std::string(64, '\xe4');
  for (int i = 0; i < 16; ++i) six += static_cast<char>(i - 8);
  const std::vector<float> k6 = floats_of(one_block(kQ6_K, 256, six + kHalf));
  for (int i = 0; i < 256; ++i) {
    const int quarter = i / 32 % 4, number = (quarter < 2 ? 1 : 2) + 16 * quarter - 32;
    CHECK(k6[static_cast<std::size_t>(i)] == 0.5F * static_cast<float>(i / 16 - 8) * static_cast<float>(number));
  }
}

TEST_CASE("gguf: what breaks a rule is refused at its byte") {
  CHECK(gguf_error("") == "t.gguf: byte 0: is not a GGUF file: it must start with `GGUF`");
  CHECK(gguf_error("GGU") == "t.gguf: byte 0: is not a GGUF file: it must start with `GGUF`");
  CHECK(gguf_error("GGUF\3") == "t.gguf: byte 4: the file ends within the version: expected 4 bytes, found 1");
  File file;
  file.version = 1;
  CHECK(gguf_error(file) == "t.gguf: byte 4: version 1, expected 2 or 3");
  file.version = 0x03000000;
  CHECK(gguf_error(file) == "t.gguf: byte 4: the file is big-endian, which is not read");
  const std::string start = "GGUF" + number<std::uint32_t>(3);
  CHECK(gguf_error(start + number<std::uint64_t>(1) + number(~std::uint64_t{0})) ==
        "t.gguf: byte 16: 18446744073709551615 metadata entries do not fit in the 0 bytes that follow");
  CHECK(gguf_error(start + number(~std::uint64_t{0} / 2) + number<std::uint64_t>(0)) ==
        "t.gguf: byte 8: 9223372036854775807 tensors do not fit in the 0 bytes that follow");

  const auto with_pairs = [](std::vector<std::string> pairs) {
    File made;
    made.pairs = std::move(pairs);
    return gguf_error(made);
  };
  const std::string padding = gguf_test::pair("padding", 12, number<std::uint64_t>(0));
  CHECK(with_pairs({gguf_test::pair("k", 13, "")}) == "t.gguf: byte 33: a value of type 13, expected 0 to 12");
  CHECK(with_pairs({number(~std::uint64_t{0}) + std::string(8, 'k')}) ==
        "t.gguf: byte 24: a key has 18446744073709551615 bytes, but 8 follow");
  CHECK(with_pairs({padding, padding}) == "t.gguf: byte 51: the key \"padding\" is twice in the metadata");
  CHECK(with_pairs({gguf_test::pair("a", 9, number<std::uint32_t>(0) + number<std::uint64_t>(9))}) ==
        "t.gguf: byte 41: 9 items do not fit in the 0 bytes that follow");
  std::string nested;
  for (int i = 0; i < 5; ++i) nested += number<std::uint32_t>(9) + number<std::uint64_t>(1);
  CHECK_THAT(with_pairs({gguf_test::pair("a", 9, nested)}), Contains("arrays are nested more than 4 deep"));
  CHECK_THAT(with_pairs({gguf_test::pair("general.alignment", 4, number<std::uint32_t>(12))}),
             Contains("general.alignment is 12, expected a multiple of 8"));
  CHECK_THAT(with_pairs({gguf_test::pair("general.alignment", 4, number<std::uint32_t>(0))}),
             Contains("general.alignment is 0, expected a multiple of 8"));
}

TEST_CASE("gguf: tensors that are not what they say are refused by name") {
  const auto with = [](std::vector<File::Entry> tensors, std::size_t bytes = 64) {
    File made;
    made.tensors = std::move(tensors);
    made.data = std::string(bytes, '\0');
    return gguf_error(made);
  };
  CHECK(with({{"w", {4}, kF32, 0}, {"v", {4}, kF32, 32}}) == "no error");
  CHECK_THAT(with({{"w", {4}, kF32, 0}, {"w", {4}, kF32, 32}}), Contains("two tensors are called \"w\""));
  CHECK(with({{"w\n", {1, 1, 1, 1, 1}, kF32, 0}}) == "t.gguf: byte 24: tensor \"w\\x0a\": 5 axes, expected at most 4");
  CHECK(with({{"w", {4}, 19, 0}}) ==
        "t.gguf: byte 24: tensor \"w\": type 19 is not read; F32, F16, BF16, Q4_0, Q8_0, Q4_K, Q6_K are");
  CHECK_THAT(with({{"w", {~std::uint64_t{0}}, kF32, 0}}), Contains("a size of 18446744073709551615"));
  CHECK_THAT(with({{"w", {std::uint64_t{1} << 40, std::uint64_t{1} << 40}, kF32, 0}}), Contains("tensor \"w\": "));
  CHECK_THAT(with({{"w", {33}, kQ8_0, 0}}), Contains("rows of 33 elements are no whole blocks of Q8_0, which have 32"));
  CHECK_THAT(with({{"w", {}, kQ8_0, 0}}), Contains("rows of 1 elements are no whole blocks of Q8_0"));
  CHECK_THAT(with({{"w", {4}, kF32, 4}}), Contains("its data start at 4, which is no multiple of 32"));
  CHECK_THAT(with({{"w", {17}, kF32, 0}}), Contains("68 bytes at 0 do not lie in the data, which have 64"));
  CHECK_THAT(with({{"w", {1}, kF32, ~std::uint64_t{31}}}), Contains("do not lie in the data, which have 64"));
  CHECK_THAT(with({{"w", {9}, kF32, 0}, {"v", {4}, kF32, 32}}),
             Contains("tensor \"v\": its data overlap those of \"w\""));
  CHECK_THAT(with({{std::string(100, 'n'), {4}, 19, 0}}), Contains(std::string(80, 'n') + "…\": type 19"));
}

TEST_CASE("gguf: a file that is cut off anywhere is refused") {
  File file;
  file.pairs = {gguf_test::pair("general.architecture", 8, gguf_test::text("llama")),
                gguf_test::pair("g", 9, number<std::uint32_t>(8) + number<std::uint64_t>(1) + gguf_test::text("x"))};
  file.tensors = {{"w", {32}, kQ8_0, 0}};
  file.data = std::string(34, '\1');
  const std::string whole = file.bytes();
  REQUIRE(gguf_error(whole) == "no error");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK_THAT(gguf_error(whole.substr(0, length)), StartsWith("t.gguf: byte "));
  }
}

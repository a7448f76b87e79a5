// SHA-256 against the values of FIPS 180-4 and of other programs.
#include "support/sha256.h"

#include "support_catch.h"

using mlgc::sha256;

TEST_CASE("sha256 of known texts") {
  CHECK(sha256(std::string_view()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256 does not depend on how the text comes") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t length : {55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U, 300U})
    for (std::size_t first = 0; first <= length; first += 5) {
      mlgc::Sha256 hash;
      hash.add(std::string_view(text).substr(0, first));
      hash.add(std::string_view(text).substr(first, length - first));
      REQUIRE(hash.finish() == sha256(std::string_view(text).substr(0, length)));
    }
}

TEST_CASE("sha256 gives the same digits with the instructions of the CPU and without") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i / 3);
  for (std::size_t length = 0; length < text.size(); length += length < 200 ? 1 : 37) {
    mlgc::Sha256 with(true), without(false);
    with.add(std::string_view(text).substr(0, length));
    without.add(std::string_view(text).substr(0, length));
    REQUIRE(with.finish() == without.finish());
  }
}

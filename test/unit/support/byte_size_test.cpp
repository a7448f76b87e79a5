// Numbers of bytes, read and written.
#include "support/byte_size.h"

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("sizes are read with a unit and without") {
  CHECK(read_byte_size("0") == 0);
  CHECK(read_byte_size("4096") == 4096);
  CHECK(read_byte_size("64KiB") == 65536);
  CHECK(read_byte_size("512MiB") == std::int64_t{512} << 20);
  CHECK(read_byte_size("4GiB") == std::int64_t{4} << 30);
  CHECK(read_byte_size("8589934591GiB") == std::int64_t{8589934591} << 30);
  for (const char* const text :
       {"", "MiB", "-1", "1.5MiB", "1 MiB", "1mib", "1MB", "1MiBs", "8589934592GiB", "9223372036854775808"}) {
    INFO(text);
    CHECK(!read_byte_size(text));
  }
}

TEST_CASE("sizes are written in the largest unit that leaves one") {
  CHECK(byte_size_text(0) == "0 bytes");
  CHECK(byte_size_text(1) == "1 byte");
  CHECK(byte_size_text(1023) == "1023 bytes");
  CHECK(byte_size_text(1024) == "1 KiB");
  CHECK(byte_size_text(1536) == "1.5 KiB");
  CHECK(byte_size_text(16777344) == "16.0 MiB");
  CHECK(byte_size_text(std::int64_t{3} << 30) == "3 GiB");
  // Rounded up to a unit it is one of that unit.
  CHECK(byte_size_text(1048575) == "1.0 MiB");
}

TEST_CASE("texts of two sizes show that they differ") {
  CHECK(byte_size_texts(65536, 1023) == std::pair<std::string, std::string>("64 KiB", "1023 bytes"));
  CHECK(byte_size_texts(1048577, 1048578) == std::pair<std::string, std::string>("1048577 bytes", "1048578 bytes"));
  CHECK(byte_size_texts(1048640, 1048576) == std::pair<std::string, std::string>("1048640 bytes", "1048576 bytes"));
  CHECK(byte_size_texts(1048575, 1048576) == std::pair<std::string, std::string>("1048575 bytes", "1048576 bytes"));
}

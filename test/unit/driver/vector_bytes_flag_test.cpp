// --vector-bytes where the CPU that runs the command has narrower vectors.
#include "driver/vector_bytes_flag.h"

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("vectors that a command cannot run are refused") {
  const VectorBytes wide{.given = 64};
  const auto refused = check_vectors_here(wide, "bench", 32);
  REQUIRE(refused.has_value());
  CHECK(refused->kind->exit == ExitCode::Unsupported);
  CHECK(refused->message() ==
        "--vector-bytes=64: `mlgc bench` runs what it compiles, and this CPU has vectors of at most 32 bytes");
  CHECK_FALSE(check_vectors_here(wide, "bench", 64));
  for (const std::int32_t any : {kAllVectors, kNativeVectors, 16})
    CHECK_FALSE(check_vectors_here({.given = any}, "bench", any == 16 ? 16 : widest_vectors()));
}

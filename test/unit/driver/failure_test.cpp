// When two failures are the same one.
#include "driver/failure.h"
#include "support_catch.h"

namespace mlgc {
namespace {

const KeepFlag kCrash = *parse_keep_flag("crash");
const KeepFlag kMismatch = *parse_keep_flag("mismatch");

TEST_CASE("names and numbers are no part of a failure, passes and ops are") {
  const auto crash = [](std::string_view message) {
    return signature_of(70, "x.mlir:3:4: error: " + std::string(message) + "\n", kCrash);
  };
  CHECK(crash("internal error in pass `cse`: a.cpp: value %3 of `add`") ==
        crash("internal error in pass `cse`: a.cpp: value %x of `add`"));
  CHECK(crash("internal error in pass `cse`: 3 uses") == crash("internal error in pass `cse`: 14 uses"));
  CHECK_FALSE(crash("internal error in pass `cse`: `add`") == crash("internal error in pass `dce`: `add`"));
  CHECK_FALSE(crash("internal error in pass `cse`: `add`") == crash("internal error in pass `cse`: `sub`"));
  CHECK_FALSE(signature_of(139, "", kCrash) == signature_of(134, "", kCrash));
}

TEST_CASE("a mismatch is the same when pass and rewrite are") {
  const auto mismatch = [](std::string_view rewrite, std::string_view number) {
    return signature_of(4,
                        "error: pass `p` changes what `@f` computes: result 0 was " + std::string(number) +
                            "\nnote: rewrite 3, `" + std::string(rewrite) + "`, is at fault: 1 of 2 in this pass\n",
                        kMismatch);
  };
  CHECK(mismatch("a", "1.5") == mismatch("a", "-0.0"));
  CHECK_FALSE(mismatch("a", "1.5") == mismatch("b", "1.5"));
}

TEST_CASE("other outcomes are no such failure") {
  CHECK_FALSE(signature_of(0, "", kCrash).has_value());
  CHECK_FALSE(signature_of(1, "error: x", kCrash).has_value());
  CHECK_FALSE(signature_of(70, "error: x", kMismatch).has_value());
  CHECK_FALSE(parse_keep_flag("fire").ok());
}

}  // namespace
}  // namespace mlgc

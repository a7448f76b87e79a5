// The one way unit tests see Catch2. Guarantees that a test written against this header compiles unchanged with
// Catch2 v2.13 (Debian 12) and v3 (Ubuntu 24.04): `Approx` and the string and number matchers below have one spelling.
// Tests include this header and never <catch2/...> itself.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#if __has_include(<catch2/catch_all.hpp>)
using Catch::Approx;
#else
using Catch::Detail::Approx;  // in v2 Catch::Approx also names a matcher of vectors, which hides the class
#endif
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;  // a regular expression over the whole text
using Catch::Matchers::StartsWith;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

// REQUIRE_THAT(text, Contains("needle")). v3 gives the name `Contains` to a matcher of ranges and calls this one
// ContainsSubstring; do not write `using namespace Catch::Matchers`, which would bring both into sight.
inline auto Contains(const std::string& needle) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(needle);
#else
  return Catch::Matchers::Contains(needle);
#endif
}

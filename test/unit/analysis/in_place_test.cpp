// Which kernels may write over what they read: shown from their text, and refused where it is not.
#include "analysis/in_place.h"

#include "parsed_module.h"

namespace mlgc {
namespace {

// A kernel that reads %a and writes %b, both N rows of 8.
bool admits(const std::string& body) {
  const test::ParsedModule module("func @k(%a: buffer<[N]x8xf32, argument>, %b: buffer<[N]x8xf32, argument>) {\n" +
                                  body + "\n  return\n}\n");
  InPlaceKernels kernels;
  return kernels.admits(module.func("k"), 0, 1);
}

std::string rows(const std::string& inside) {
  return "  for [0, N] (%i: index) attributes {kind = \"parallel\"} {\n" + inside + "  }";
}
std::string columns(const std::string& inside, const std::string& more = "") {
  return "    for [0, 8] (%j: index) " + more + "{\n" + inside + "    }\n";
}
std::string move(const std::string& from, const std::string& to, const std::string& name = "0") {
  return "      %" + name + " = load %a[" + from + "] : f32\n      store %" + name + ", %b[" + to + "]\n";
}

}  // namespace

TEST_CASE("what is read where it is written, or before, may be written over") {
  CHECK(admits(rows(columns(move("%i, %j", "%i, %j")))));
  CHECK(admits(rows(columns(move("%i, %j", "%i, %j"), "attributes {kind = \"vector\", lanes = 4} "))));
  // A row is read as a whole, then written.
  CHECK(
      admits(rows("    %z = literal {dtype = f32, value = 0.0} : f32\n"
                  "    %s = for [0, 8] (%k: index, %c = %z) {\n      %v = load %a[%i, %k] : f32\n"
                  "      %n = add %c, %v : f32\n      yield %n\n    } : f32\n" +
                  columns("      store %s, %b[%i, %j]\n"))));
  // Tiles of rows, and the rows that are left: other elements than those that were written.
  CHECK(admits("  for [0, N floordiv 2] (%t: index) {\n" +
               columns(move("2*%t, %j", "2*%t, %j") + move("2*%t + 1, %j", "2*%t + 1, %j", "1")) +
               "  }\n  for [2*(N floordiv 2), N] (%i: index) {\n" + columns(move("%i, %j", "%i, %j")) + "  }"));
}

TEST_CASE("what may be read when it was written is not written over") {
  // A neighbour, a row turned around, another row, rows that overlap.
  CHECK_FALSE(admits("  for [0, N - 1] (%i: index) {\n" + columns(move("%i, %j", "%i + 1, %j")) + "  }"));
  CHECK_FALSE(admits(rows(columns(move("%i, 7 - %j", "%i, %j")))));
  CHECK_FALSE(admits(rows(columns(move("N - 1 - %i, %j", "%i, %j")))));
  CHECK_FALSE(admits("  for [0, N - 1] (%i: index) {\n" +
                     columns(move("%i, %j", "%i, %j") + move("%i + 1, %j", "%i + 1, %j", "1")) + "  }"));
  // A second pass over what the first one wrote.
  CHECK_FALSE(admits(rows(columns(move("%i, %j", "%i, %j"))) + "\n" + rows(columns(move("%i, %j", "%i, %j")))));
  // Data say where.
  CHECK_FALSE(admits(rows("    %p = apply [%i mod 2] : i64\n" + columns(move("%p, %j", "%i, %j")))));
  // Nothing is written.
  CHECK_FALSE(admits(rows(columns("      %0 = load %a[%i, %j] : f32\n"))));
}

}  // namespace mlgc

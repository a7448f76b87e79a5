// Formula texts that are no formulas: refused with a message, never a crash. Most were found by test/fuzz/fuzz_formula.
#include "formula/instantiate.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Attempt {
  IndexPool index;
  FormulaPool pool{index};
  Result<Formula, Diagnostic> formula;

  explicit Attempt(std::string_view text) : formula(instantiate_text(pool, text, operands(), attributes())) {}
  [[nodiscard]] std::string said() const { return formula.ok() ? "nothing" : formula.error().message(); }

 private:
  std::vector<FormulaOperand> operands() {
    const IndexExpr b = index.symbol("B");
    return {{"a", true, Dtype::F32, {b, index.constant(3)}},
            {"b", true, Dtype::F32, {index.constant(3)}},
            {"i", true, Dtype::I64, {b}},
            {"z", false, Dtype::F32, {}}};
  }
  AttrValues attributes() {
    return {{{"other", index.constant(2)},
             {"size", index.symbol("S")},
             {"list", std::vector<IndexExpr>{index.constant(1), index.constant(2)}}}};
  }
};

}  // namespace

TEST_CASE("functions of an operand without an operand") {
  for (const std::string name : {"dim", "rank", "size", "has", "isfloat", "isbool", "like", "axis", "cast"}) {
    INFO(name);
    CHECK(Attempt(name + "()").said() != "nothing");
    CHECK(Attempt("a + " + name + "()").said() != "nothing");
    CHECK(Attempt("y[B..] = a[B..] + " + name + "()").said() != "nothing");
  }
}

TEST_CASE("a permutation of axes that were dropped") {
  CHECK(Attempt("y[I..!list!keep:list] = sum[I..&list](a[I..])").said() != "nothing");
  CHECK(Attempt("y[I..!list:list] = sum[I..&list](a[I..])").said() != "nothing");
}

TEST_CASE("conditions of `when` are known before ranks are") {
  CHECK(Attempt("a + when(b, b, other)").said() != "nothing");
  CHECK(Attempt("a + when(haas(b), b, other)").said() != "nothing");
  CHECK(Attempt("a + when(1.5, b, other)").said() != "nothing");
  CHECK(Attempt("a + when(z, b, other)").said() != "nothing");
}

TEST_CASE("a push has the rank of what it starts from") {
  CHECK(Attempt("y[i[n]] += a[n, 0] from zeros[4, 2] over n < 3").said() ==
        "formula: a push writes as many subscripts as its `from` has dimensions at byte 0");
  CHECK(Attempt("y[i[n], 0] += a[n, 0] from zeros[4, 2] over n < 3").said() == "nothing");
}

TEST_CASE("extents of zeros are sizes") {
  CHECK(Attempt("y[i[n], 0] += a[n, 0] from zeros[4, 2 - 3] over n < 3").said() ==
        "dimension `zeros[1]` comes out as -1");
  CHECK(Attempt("y[i[n], 0] += a[n, 0] from zeros[4, 1 > i2*7//0] over n < 3").said() ==
        "dimension `zeros[1]` comes out as a division by 0, or something that is no size");
}

TEST_CASE("what a pull reads over, its result or a reduction has") {
  CHECK(Attempt("y[I..-dim!keepdim] = argmax[J..&dim](a[I..])").said() ==
        "formula: a read has index labels that neither the result nor a reduction has at byte 0");
  CHECK(Attempt("y[] = a[n, m]").said() ==
        "formula: a read has index labels that neither the result nor a reduction has at byte 0");
}

TEST_CASE("axes of a pack that a subscript replaces say by what") {
  CHECK(Attempt("y[I..] = x[I..{axes}]").said() == "formula: expected `:` at byte 19");
}

TEST_CASE("numbers without index labels print as what they read as") {
  for (const char* text : {"size", "size*2.5", "1%0/a", "1//0/a", "9223372036854775807*2/a", "9223372036854775807*2*i",
                           "0//0/0", "-(1//0)/3", "9223372036854775807*2*2/size"}) {
    Attempt first(text);
    INFO(text);
    REQUIRE(first.said() == "nothing");
    const std::string printed = print_formula(first.pool, *first.formula);
    Attempt again(printed);
    REQUIRE(again.said() == "nothing");
    CHECK(print_formula(again.pool, *again.formula) == printed);
  }
}

TEST_CASE("nesting of formulas has a limit") {
  const auto repeated = [](const std::string& text) {
    std::string all;
    for (int i = 0; i < 100'000; ++i) all += text;
    return all;
  };
  for (const char* piece : {"(", "-", "not ", "exp(", "sum[k](", "a[", "when(has(b), ", "select(", "2*(", "x[B..&("})
    CHECK(Attempt(repeated(piece)).said() != "nothing");
}

TEST_CASE("a number that no folding reaches reads back as it was stored") {
  Attempt first("y[] = 1//0/55 < 0/0");
  REQUIRE(first.said() == "nothing");
  const std::string printed = print_formula(first.pool, *first.formula);
  Attempt again(printed);
  REQUIRE(again.said() == "nothing");
  CHECK(print_formula(again.pool, *again.formula) == printed);
}

TEST_CASE("a truth value in a subscript counts as 0 or 1") {
  Attempt first("y[n] = b[n > 1 - n] where n = 3");
  REQUIRE(first.said() == "nothing");
  const std::string printed = print_formula(first.pool, *first.formula);
  CHECK(printed == "y[n] = b[int(i64(2*n - 2 >= 0))] over n < 3");
  Attempt again(printed);
  REQUIRE(again.said() == "nothing");
  CHECK(print_formula(again.pool, *again.formula) == printed);
}

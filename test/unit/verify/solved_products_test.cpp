// What `where` says of sizes that are solved from their product, against all splits of small products.
#include "ops/solved_products.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ops/op_table.h"
#include "support_catch.h"
#include "text/parser.h"

using namespace mlgc;

namespace {

constexpr std::int64_t kMost = 200;

// A function of one tensor with B*S rows.
struct Case {
  std::shared_ptr<Context> context = make_context();
  std::optional<Module> module;

  explicit Case(const std::string& where) {
    DiagnosticEngine diagnostics(context->locations());
    const SourceFile& file = context->locations().add_source(
        "f.mlir", "func @f(%x: tensor<[B*S]xf32>) -> tensor<[B*S]xf32>" + (where.empty() ? "" : " where " + where) +
                      " {\n  return %x\n}\n");
    module = parse_module(context, file, diagnostics);
    REQUIRE(module.has_value());
  }
  [[nodiscard]] OpRef function() const { return find_function(*module, "f").op(); }
  [[nodiscard]] bool admits(std::int64_t b, std::int64_t s) const {
    const IndexPool& pool = context->index();
    for (const Constraint& constraint : constraints_of(function()))
      if (!holds(constraint, pool, [&](AtomId id) {
             return std::optional(pool.symbol_name(id) == "B" ? b : s);
           }).value())
        return false;
    return true;
  }
  // Some split of the product is admitted; one with a 0 where the product is 0.
  [[nodiscard]] bool admits(std::int64_t product) const {
    if (product == 0) {
      for (std::int64_t other = 0; other <= kMost; ++other)
        if (admits(0, other) || admits(other, 0)) return true;
      return false;
    }
    for (std::int64_t b = 1; b <= product; ++b)
      if (product % b == 0 && admits(b, product / b)) return true;
    return false;
  }
};

}  // namespace

TEST_CASE("solved products admit what some split of them admits") {
  const std::vector<std::string> alone = {"0 <= ",       "1 <= ",        "2 <= ",        "1 <= Z <= 8", "0 < ",
                                          "Z <= 4",      "Z mod 2 == 0", "Z mod 2 == 1", "Z != 0",      "Z != 1",
                                          "1 <= Z <= 1", "Z < 1",        "3*Z >= 2"};
  const auto of = [](std::string text, const std::string& size) {
    if (text.find('Z') == std::string::npos) return text + size;
    return text.replace(text.find('Z'), 1, size);
  };
  int solved = 0;
  for (std::size_t b = 0; b <= alone.size(); ++b)
    for (std::size_t s = 0; s <= alone.size(); ++s) {
      std::string where = b == 0 ? "" : of(alone[b - 1], "B");
      if (s > 0) where += (where.empty() ? "" : ", ") + of(alone[s - 1], "S");
      INFO(where);
      const Case test(where);
      const SolvedProducts products = solved_products(test.function());
      REQUIRE(products.all.size() + products.unsolved.size() / 2 == 1);
      if (products.all.empty()) continue;
      ++solved;
      for (std::int64_t product = 0; product <= kMost; ++product) {
        INFO(product);
        const bool b_is_one = test.context->index().symbol_name(products.all[0].ones.at(0)) == "B";
        CHECK(test.admits(product) == (product >= products.all[0].low));
        CHECK(test.admits(product) == (b_is_one ? test.admits(1, product) : test.admits(product, 1)));
      }
    }
  // No bound, or one of at least 0 or 1, beside each that admits 1, and both the other way round.
  CHECK(solved > 40);
}

TEST_CASE("a constraint on the product is one on each of its values") {
  const Case test("B*S <= 12, (B*S) mod 2 == 0");
  const SolvedProducts products = solved_products(test.function());
  REQUIRE(products.all.size() == 1);
  CHECK(test.context->index().print(products.all[0].product) == "B*S");
  for (const Constraint& constraint : constraints_of(test.function()))
    CHECK_FALSE(is_kept_by(products, constraint, test.context->index()));
}

// The table as a whole, and what is written about it.
#include "ops/reference.h"

#include "ops/aten_names.h"
#include "ops/op_table.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("at least 85 % of the rows that compute are formulas or composites") {
  CHECK(summarize_ops().total == op_table().size());
  CHECK(summarize_ops().formula_share() >= 0.85);
  CHECK_THAT(render_op_summary(), Contains("operators of the census with a row"));
}

TEST_CASE("operators of the census are found by name, with their counts") {
  REQUIRE(row_for_aten("aten.relu.default") != nullptr);
  CHECK(row_for_aten("aten.relu.default")->name == "relu");
  CHECK(row_for_aten("aten._fft_c2c.default") == nullptr);
  CHECK(aten_model_count("aten._fft_c2c.default") == 1);
  CHECK(aten_model_count("aten.no_such.default") == std::nullopt);
}

TEST_CASE("the reference of a row shows its formula and its example") {
  const std::string text = render_op_markdown(*find_op_def("relu"));
  CHECK_THAT(text, Contains("## relu"));
  CHECK_THAT(text, Contains("select(x <= 0, stop(select(x < 0, 0, x)), x)"));
  CHECK_THAT(text, Contains("`aten.relu.default`"));
}

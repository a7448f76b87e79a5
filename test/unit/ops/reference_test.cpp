// The table as a whole, and what is written about it.
#include "ops/reference.h"

#include "ops/aten_names.h"
#include "ops/op_table.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("at least 85 % of the rows that compute are formulas or composites") {
  const TierSummary summary = summarize_ops(op_table());
  CHECK(summary.total == op_table().size());
  CHECK(summary.formula_percent() >= 85);
  CHECK_THAT(ops_summary(op_table(), OpsFormat::Text), Contains("operators of the census have a row"));
  CHECK_THAT(ops_summary(op_table(), OpsFormat::Json), Contains("\"census\":{\"operators\":"));
}

TEST_CASE("operators of the census are found by name, with their counts") {
  REQUIRE(row_for_aten("aten.relu.default") != nullptr);
  CHECK(row_for_aten("aten.relu.default")->name == "relu");
  CHECK(row_for_aten("aten._fft_c2c.default") == nullptr);
  CHECK(aten_model_count("aten._fft_c2c.default") == 1);
  CHECK(aten_model_count("aten.no_such.default") == std::nullopt);
}

TEST_CASE("the reference of a row shows its formula and its example") {
  const OpDef* const rows[] = {find_op_def("relu")};
  for (const OpsFormat format : {OpsFormat::Text, OpsFormat::Markdown, OpsFormat::Json}) {
    const std::string text = ops_reference(rows, format, true);
    CHECK_THAT(text, Contains("relu"));
    CHECK_THAT(text, Contains("select(x <= 0, stop(select(x < 0, 0, x)), x)"));
    CHECK_THAT(text, Contains(std::string(rows[0]->example)));
    CHECK_THAT(text, Contains("aten.relu.default"));
  }
  CHECK_THAT(ops_reference(rows, OpsFormat::Markdown, true), StartsWith("## `relu`\n"));
  CHECK(ops_reference(rows, OpsFormat::Markdown, false) == "- `relu`: " + std::string(rows[0]->summary) + "\n");
}

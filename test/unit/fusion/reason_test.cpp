// docs/fusion.md has a row for each reason, with its texts.
#include "fusion/fusion_reason.h"

#include <set>
#include <string>

#include "support/file.h"
#include "support_catch.h"

namespace mlgc {
namespace {

TEST_CASE("every reason for a verdict is a row of the documentation, as reports say it") {
  const auto page = read_file(std::string(MLGC_DOCS) + "/fusion.md");
  REQUIRE(page.ok());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFusionReasonCount; ++i) {
    const auto reason = static_cast<FusionReason>(i);
    CHECK(names.insert(fusion_reason_name(reason)).second);
    CHECK_FALSE(fusion_reason_text(reason).empty());
    std::string row =
        "\n| `" + std::string(fusion_reason_name(reason)) + "` | " + std::string(fusion_reason_text(reason)) + " |";
    if (!is_fused(reason)) row += " " + std::string(fusion_reason_remedy(reason)) + " |";
    INFO(row);
    CHECK(page->find(row + "\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace mlgc

// The reasons of strategies: their ids, and their texts with arguments.
#include "schedule/match_reasons.h"

#include <set>

#include "diag/diagnostic.h"
#include "schedule/strategy.h"
#include "support_catch.h"

using namespace mlgc;
using namespace mlgc::schedule;

TEST_CASE("reasons have ids of their own, which no diagnostic has") {
  std::set<std::string_view> ids, texts;
  for (const MatchReason* reason : reason::kAll) {
    INFO(reason->id);
    CHECK(ids.insert(reason->id).second);
    CHECK(texts.insert(reason->text).second);
    CHECK(find_kind(reason->id) == nullptr);
    CHECK(reason->id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
  }
}

TEST_CASE("a match states the id of its reason, and its text with the arguments") {
  const Match short_rows = Match::no<reason::kFewRows>("12", 64);
  CHECK_FALSE(short_rows);
  CHECK_FALSE(short_rows.is_other_kind());
  CHECK(short_rows.kind() == "few-rows");
  CHECK(short_rows.text() == "12 rows are less than 64");
  const Match of_columns = Match::no(Match::other_kind<reason::kCarriesValues>(), "along %j");
  CHECK_FALSE(of_columns.is_other_kind());
  CHECK(of_columns.kind() == "carries-values");
  CHECK(of_columns.text() == "along %j it carries values");
  CHECK(Match::yes().kind().empty());
}

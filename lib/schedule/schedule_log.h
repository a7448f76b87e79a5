// What a schedule was asked for beyond the default, and what it decided, for reports and messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/location.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

// At a site: which row was taken, and what the others for such sites said of it before anything was changed.
struct Decision {
  struct Asked {
    const StrategyDef* row = nullptr;
    bool matches = false;
    std::string reason;     // why it does not match, or why one of its transforms was refused; empty: it was not needed
    std::string_view kind;  // the id of the reason (match_reasons.h), or of the diagnostic of the transform
  };
  Stage stage = Stage::Split;
  std::string loop;  // the index of the site's loop, without %
  Location at;
  const StrategyDef* taken = nullptr;  // null: none
  std::string why;                     // of the one that was taken
  std::vector<Asked> others;           // in the order of the table
};

struct ScheduleLog {
  std::vector<Decision> decisions;  // in the order in which they were made
  // Of a strategy that was asked for: at how many sites it was taken, and where and why not first.
  struct Refused {
    Location at;
    std::string loop, reason;
    bool other_kind = false;
  };
  std::size_t forced = 0;
  std::optional<Refused> refused;
};

struct ScheduleRequest {
  // Asked first at its sites; no other one is taken that would keep it from a site further inside where it matches.
  const StrategyDef* forced = nullptr;
  // One of the tiles of `forced`, which it takes; where that is not possible it does not match.
  std::optional<TileShape> tile = {};
  const StrategyDef* without = nullptr;  // not asked, whatever it matches
  const StrategyDef* slower = nullptr;   // likewise, since predictions say so: the log has what it says of its sites
  // Gets the rows that are taken where they are compared; null: not wanted.
  std::vector<const StrategyDef*>* compared = nullptr;
  // Written from nothing; null: not asked for. With it all strategies are asked at each site.
  ScheduleLog* log = nullptr;
};

}  // namespace mlgc::schedule

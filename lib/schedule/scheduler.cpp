// See scheduler.h.
#include "schedule/scheduler.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"
#include "loopir/module_machine.h"
#include "schedule/contraction.h"
#include "schedule/range_breaks.h"
#include "schedule/short_rows.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Of the loop, or of what it holds: loops that were lowered have none.
Location location_in(OpRef nest) {
  Location found = nest.location();
  walk(nest, [&](OpRef op) {
    if (found == Location()) found = op.location();
  });
  return found;
}

// Policy, the same for all machines: ops that the pieces of a nest may have beyond four times those that it had, so
// that a nest of a few ops has a piece for each end of a window.
constexpr std::size_t kOpsOfPieces = 64;
// Likewise, iterations of an innermost loop, fewer of which stay one range: a strip of 16 lanes and half of another,
// which take their places from a table.
constexpr std::int64_t kFewestSplit = 24;

std::size_t count_ops(OpRef loop) {
  std::size_t count = 0;
  walk(loop, [&](OpRef) { ++count; });
  return count;
}

// Whether branches in the loop change at iterations that are known by their numbers.
bool has_branches_at_numbers(OpRef loop) {
  const bool branches =
      !walk(loop, [](OpRef op) { return op.is(LoopOp::If) ? WalkResult::Stop : WalkResult::Continue; });
  if (!branches) return false;
  const IndexPool& pool = loop.module().context().index();
  const std::vector<IndexExpr> breaks = range_breaks(ForRef::from(loop), kMostPieces, false);
  return std::all_of(breaks.begin(), breaks.end(), [&](IndexExpr at) { return pool.as_constant(at).has_value(); });
}

bool carries_inside(OpRef loop) {
  return !walk(loop, [](OpRef op) {
    const ForRef of = ForRef::from(op);
    return of.valid() && of.carried_count() > 0 ? WalkResult::Stop : WalkResult::Continue;
  });
}

}  // namespace

Scheduler::Scheduler(MachineKind target, OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                     TransformReview* review, const ScheduleRequest& request)
    : StepTaker(func, numerics, facts, gate, review),
      target_(target),
      request_(request),
      limits_(machine_of(func.module(), MachineKind::Cpu).cpu()) {
  if (request_.log != nullptr) *request_.log = {};
}

std::vector<const StrategyDef*> Scheduler::rows_of(Stage stage) const {
  std::vector<const StrategyDef*> out;
  if (request_.forced != nullptr && request_.forced->stage == stage) out.push_back(request_.forced);
  for (const StrategyDef* row : strategies(target_))
    if (row->stage == stage && row != request_.forced && row != request_.without && row != request_.slower)
      out.push_back(row);
  return out;
}

bool Scheduler::yields_to_forced(Stage stage, const Site& site) {
  if (request_.forced == nullptr) return false;
  const StrategyDef& row = *request_.forced;
  if (row.stage < stage || (row.stage == stage && stage != Stage::Lanes)) return false;
  if (row.stage == stage && row.matches(*this, site)) return false;
  const std::vector<OpRef> around = loops_around(site.loop);
  const OpRef nest = stage == Stage::Lanes || around.empty() ? site.loop : around.back();
  std::vector<OpRef> sites{nest};
  if (row.stage == Stage::Rows || row.stage == Stage::Split || row.stage == Stage::Products) sites = sums_in(nest);
  if (row.stage == Stage::Lanes) sites = loops_of(nest);
  for (const OpRef loop : sites) {
    const LoopKind kind = ForRef::from(loop).kind();
    if ((kind != LoopKind::Serial && kind != LoopKind::Parallel) || is_kept(loop)) continue;
    const Site inside(loop, site.elements);
    const Match match = row.matches(*this, inside);
    if (match) return true;
    note_refused(inside, match);
  }
  return false;
}

void Scheduler::note_refused(const Site& site, const Match& match) {
  if (request_.log == nullptr) return;
  std::optional<ScheduleLog::Refused>& refused = request_.log->refused;
  // What it says of a site of its kind tells more.
  if (refused && (match.is_other_kind() || !refused->other_kind)) return;
  const std::vector<OpRef> around = loops_around(site.loop);
  const std::string of = around.empty() ? "" : "at " + loop_text(site.loop) + ", ";
  const OpRef nest = around.empty() ? site.loop : around.back();
  refused = {location_in(nest), std::string(ForRef::from(nest).index().name()), of + match.text(),
             match.is_other_kind()};
}

Decision Scheduler::ask_all(Stage stage, const Site& site) const {
  Decision out;
  out.stage = stage;
  out.loop = ForRef::from(site.loop).index().name();
  out.at = site.loop.location();
  std::vector<const StrategyDef*> rows = rows_of(stage);
  if (request_.slower != nullptr && request_.slower->stage == stage) rows.push_back(request_.slower);
  for (const StrategyDef* row : rows) {
    const Match match = row->matches(*this, site);
    if (match || !match.is_other_kind())
      out.others.push_back({row, static_cast<bool>(match), match.text(), match.kind()});
  }
  return out;
}

bool Scheduler::choose(Stage stage, OpRef loop, std::int64_t elements) {
  declined_.clear();
  std::optional<Site> site(std::in_place, loop, elements);
  if (yields_to_forced(stage, *site)) return false;
  std::optional<Decision> decision;
  if (request_.log != nullptr) decision = ask_all(stage, *site);
  for (const StrategyDef* row : rows_of(stage)) {
    const Match match = row->matches(*this, *site);
    if (!match) {
      if (!match.is_other_kind()) declined_ = match.text();
      if (row == request_.forced) note_refused(*site, match);
      continue;
    }
    // Its own row first: what it puts inside of the site is decided, and logged, after it.
    const std::size_t place = decision ? request_.log->decisions.size() : 0;
    std::string why = decision ? row->why(*this, *site) : std::string();
    const bool is_compared = request_.compared != nullptr && row->is_compared != nullptr && row->is_compared(*site);
    const auto applied = row->apply(*this, *site);
    if (applied) {
      note_strategy(*applied, row->name);
      if (is_compared) request_.compared->push_back(row);
      if (request_.log != nullptr && row == request_.forced) ++request_.log->forced;
      if (decision) {
        decision->taken = row;
        decision->why = std::move(why);
        std::erase_if(decision->others, [&](const Decision::Asked& asked) { return asked.row == row; });
        auto& decisions = request_.log->decisions;
        decisions.insert(decisions.begin() + static_cast<std::ptrdiff_t>(place), *std::move(decision));
      }
      return true;
    }
    declined_ = applied.error().message();
    site.emplace(loop, elements);
    if (row == request_.forced) note_refused(*site, Match::no(applied.error()));
    if (decision)
      for (Decision::Asked& asked : decision->others)
        if (asked.row == row) asked = {row, false, declined_, applied.error().kind->id};
  }
  if (decision && !decision->others.empty()) request_.log->decisions.push_back(*std::move(decision));
  return false;
}

void Scheduler::make_flat() {
  for (const OpRef nest : loops_in(func_.region(0))) {
    if (is_scheduled(nest)) continue;
    collapse_all(nest);
    (void)choose(Stage::Split, nest);
  }
}

void Scheduler::join_short_rows(OpRef nest) {
  const OpRef rows = short_rows(nest);
  if (rows.valid() &&
      take("collapse", rows, NumericsClass::Exact, counts().collapsed, [&] { return collapse(rows, Divides::Loads); }))
    whole_.push_back(rows);
}

void Scheduler::split_ranges(OpRef nest) {
  std::size_t room = 3 * count_ops(nest) + kOpsOfPieces;
  split_ranges_in(nest, room);
}

void Scheduler::split_ranges_in(OpRef loop, std::size_t& room) {
  std::vector<OpRef> pieces{loop};
  // A short innermost loop is a strip or two of lanes, which take places from a table. Masks cost more than its pieces,
  // where it is known how many iterations these have.
  const bool is_short = loops_in(loop.region(0)).empty() && extent(loop).value_or(kFewestSplit) < kFewestSplit &&
                        !has_branches_at_numbers(loop);
  const bool is_whole = std::find(whole_.begin(), whole_.end(), loop) != whole_.end();
  if (!is_short && !is_whole && !carries_inside(loop)) {
    const RegionRef region = loop.parent();
    const OpRef before = loop.previous(), behind = loop.next();
    const std::size_t ops = count_ops(loop);
    const PieceLimits most{.ops = ops + room};
    if (take("split-range", loop, NumericsClass::Exact, counts().split,
             [&] { return split_range(loop, most, facts()); })) {
      pieces.clear();
      std::size_t made = 0;
      for (OpRef op = before.valid() ? before.next() : region.front(); op != behind; op = op.next()) {
        pieces.push_back(op);
        made += count_ops(op);
      }
      room -= std::min(room, made - std::min(made, ops));
    }
  }
  for (const OpRef piece : pieces)
    for (const OpRef inner : loops_in(piece.region(0))) split_ranges_in(inner, room);
}

bool Scheduler::is_kept(OpRef loop) const { return std::find(kept_.begin(), kept_.end(), loop) != kept_.end(); }

void Scheduler::jam_later(OpRef loop, std::int64_t most) {
  for (Jam& jam : jams_)
    if (jam.loop == loop) {
      jam.most = std::min(jam.most, most);
      return;
    }
  jams_.push_back({loop, most});
}

void Scheduler::halve_jam(OpRef loop) {
  for (Jam& jam : jams_)
    if (jam.loop == loop) jam.most = std::max<std::int64_t>(1, jam.most / 2);
}

void Scheduler::jam_with_rests(OpRef loop, std::int64_t copies) {
  std::vector<std::int64_t> sizes;  // each divides the one before
  for (std::int64_t size = copies; size > 1;) {
    sizes.push_back(size);
    const std::int64_t power = size & -size;
    size = copies > kMostSingleRows ? (power < size ? power : size / 2) : 1;
  }
  // From the smallest: a larger tile is one of whole smaller ones, so that how many there are of each is a quotient of
  // the number of rows.
  std::int64_t before = 1;
  for (std::size_t n = sizes.size(); n-- > 0; before = sizes[n]) {
    const OpRef behind = loop.next();
    const std::int64_t each = sizes[n] / before;
    if (!tile_by(loop, each, Tail::Loop)) return;
    const OpRef tiles = loop.parent_op(), rest = tiles.next();
    // A single iteration is not worth a parallel loop.
    if (each == 2 && rest != behind && ForRef::from(rest).kind() == LoopKind::Parallel) serialize(rest);
    (void)jam_all(loop);
    loop = tiles;
  }
}

void Scheduler::jam_now() {
  std::vector<Jam> jams = std::exchange(jams_, {});
  const auto depth = [](const Jam& jam) { return loops_around(jam.loop).size(); };
  std::stable_sort(jams.begin(), jams.end(), [&](const Jam& a, const Jam& b) { return depth(a) > depth(b); });
  for (const auto& [loop, most] : jams) {
    const std::int64_t fit = AlongLoop{ForRef::from(loop)}.allocates ? std::min(most, kMostOfBusyRow) : most;
    const auto count = extent(loop);
    if (fit < 2 || (count && *count < 2)) continue;
    // As many in each as the number of tiles asks for.
    const std::int64_t copies = count ? ceil_div(*count, ceil_div(*count, fit)) : fit;
    // Rows that fill no tile are in one with others again, unless these are many; else they are by themselves.
    const bool few = count && (ceil_div(*count, copies) * copies - *count) * kLeastRowsOfRepeated >= *count;
    if (count == copies || (!few && tile_by(loop, copies, Tail::Overlap))) {
      (void)jam_all(loop);
    } else if (!count) {
      jam_with_rests(loop, copies);
    } else if (tile_by(loop, copies, Tail::Loop)) {
      const OpRef rest = loop.parent_op().next();
      const bool several = *count % copies > 1;
      (void)jam_all(loop);
      if (several) (void)jam_all(rest);
    }
  }
}

}  // namespace mlgc::schedule

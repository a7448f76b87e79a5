// See sorting_network.h.
//
// Keys of 2^k numbers are merged from two sorted halves: first each is compared with the one that mirrors it, and then
// with those 2^(k-2), …, 1 further. A thread has keys whose numbers differ in a few bits, and takes all steps of these
// bits at a time. Of eight neighbouring keys the next ones lie one element further than they would: so threads that
// have eight neighbours each are in different banks of shared memory.
#include "loops/sorting_network.h"

#include <algorithm>
#include <array>
#include <string>

#include "loopir/loop_ops.h"

namespace mlgc::loops {
namespace {

constexpr std::int64_t kMostLevelsOfPairs = 6, kMostLevelsOfFours = 7, kMostThreads = 1024;

}  // namespace

void set_lanes(OpRef loop, std::int64_t lanes) {
  const ForRef of = ForRef::from(loop);
  of.set_kind(LoopKind::Vector);
  of.set_lanes(lanes);
}

SortingNetwork::SortingNetwork(Context& context, LoopBuilder& ops, std::int64_t count)
    : context_(context), index_(context.index()), types_(context.types()), ops_(ops) {
  while ((std::int64_t{1} << levels_) < count) ++levels_;
  // As many threads as a warp has, and no more keys of each than that needs.
  bits_ = levels_ <= kMostLevelsOfPairs ? 1 : levels_ <= kMostLevelsOfFours ? 2 : 3;
  each_ = std::int64_t{1} << bits_;
  pitch_ = bits_ < 3 ? each_ : each_ + 1;
}

std::int64_t SortingNetwork::lanes() const { return std::min(keys() / each_, kMostThreads); }

Value SortingNetwork::view(Value scratch) {
  const std::array dims{index_.constant(keys() / each_), index_.constant(pitch_)};
  return ops_.named("buffer_view", {scratch}, types_.buffer(scratch.dtype(), dims, types_.scope(scratch.type())),
                    "by_thread");
}

std::vector<IndexExpr> SortingNetwork::place() const {
  const IndexExpr number = index_.opaque(0), each = index_.constant(each_);
  return {index_.floordiv(number, each), index_.mod(number, each)};
}

void SortingNetwork::sort(std::span<const Value> scratch) {
  round(scratch, 0, 0);
  for (std::int64_t merged = bits_ + 1; merged <= levels_; ++merged)
    for (std::int64_t low = (merged - 1) / bits_ * bits_; low >= 0; low -= bits_) round(scratch, low, merged);
}

void SortingNetwork::merge(std::span<const Value> scratch) {
  // As if halves of more keys were merged: none of these steps compares with what mirrors a key.
  for (std::int64_t low = (levels_ - 1) / bits_ * bits_; low >= 0; low -= bits_) round(scratch, low, levels_ + bits_);
}

// The steps of the bits from `low` on in which sorted halves of 2^merged keys are merged; 0: neighbouring keys of a
// thread are sorted.
void SortingNetwork::round(std::span<const Value> scratch, std::int64_t low, std::int64_t merged) {
  const std::int64_t bits = std::min(bits_, levels_ - low), each = std::int64_t{1} << bits;
  const std::int64_t apart = std::int64_t{1} << low, threads = keys() / each;
  const IndexExpr t = index_.opaque(0), unit = index_.constant(each_), distance = index_.constant(apart);
  // The keys of a thread lie `apart` from each other; of neighbouring ones each_ make a row of the scratch.
  std::vector<IndexExpr> dims{index_.constant(keys() / (each * apart)), index_.constant(each)};
  if (low > 0) dims.push_back(index_.constant(apart / each_));
  dims.back() = low > 0 ? dims.back() : index_.constant(pitch_);
  if (low > 0) dims.push_back(index_.constant(pitch_));
  std::vector<Value> views;
  for (const Value part : scratch)
    views.push_back(
        ops_.named("buffer_view", {part}, types_.buffer(part.dtype(), dims, types_.scope(part.type())), "keys"));
  const bool begins = merged > low && merged <= low + bits;  // a merge, by comparing with what mirrors a key
  const std::int64_t top = merged == 0 ? bits : std::min(bits, merged - low);
  const auto place = [&](std::int64_t s) -> std::vector<IndexExpr> {
    if (low == 0) return {t, index_.constant(s)};
    const bool mirrored = begins && ((s >> (top - 1)) & 1) != 0;
    const IndexExpr row = index_.mod(index_.floordiv(t, unit), index_.constant(apart / each_));
    const IndexExpr column = index_.mod(t, unit);
    const auto turned = [&](IndexExpr e, std::int64_t size) {
      return mirrored ? index_.sub(index_.constant(size - 1), e) : e;
    };
    return {index_.floordiv(t, distance), index_.constant(s), turned(row, apart / each_), turned(column, each_)};
  };

  const OpRef made = ops_.loop(index_.constant(0), index_.constant(threads), {}, "t", {}, false);
  const Value thread = made.region(0).argument(0);
  Held held(views.size());
  for (std::size_t part = 0; part < views.size(); ++part)
    for (std::int64_t s = 0; s < each; ++s) held[part].push_back(ops_.load_at(views[part], place(s), {thread}));
  const auto merge = [&](std::int64_t of, bool from_halves) {
    for (std::int64_t bit = of - 1; bit >= 0; --bit)
      for (std::int64_t s = 0; s < each; ++s) {
        if (((s >> bit) & 1) != 0) continue;
        const bool mirrors = from_halves && bit == of - 1;
        const std::int64_t other = mirrors ? s ^ ((std::int64_t{1} << of) - 1) : s | (std::int64_t{1} << bit);
        exchange(held, static_cast<std::size_t>(s), static_cast<std::size_t>(other));
      }
  };
  if (merged == 0)
    for (std::int64_t of = 1; of <= top; ++of) merge(of, true);
  else
    merge(top, begins);
  for (std::size_t part = 0; part < views.size(); ++part)
    for (std::int64_t s = 0; s < each; ++s)
      ops_.store_at(held[part][static_cast<std::size_t>(s)], views[part], place(s), {thread}, false);
  ops_.end(made);
  set_lanes(made, std::min(threads, kMostThreads));
}

// The lesser one of the two comes first.
void SortingNetwork::exchange(Held& held, std::size_t a, std::size_t b) {
  Value is_less = ops_.less(held[0][b], held[0][a]);
  if (held.size() > 1) {
    const Value equal = ops_.scalar("eq", {held[0][b], held[0][a]}, ops_.i1());
    const Value decided = ops_.scalar("logical_and", {equal, ops_.less(held[1][b], held[1][a])}, ops_.i1());
    is_less = ops_.scalar("logical_or", {is_less, decided}, ops_.i1());
  }
  for (std::vector<Value>& part : held) {
    const Value least = ops_.choose(is_less, part[b], part[a]);
    part[b] = ops_.choose(is_less, part[a], part[b]);
    part[a] = least;
  }
}

}  // namespace mlgc::loops

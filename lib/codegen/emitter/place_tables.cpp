#include "codegen/emitter/place_tables.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "codegen/identifiers.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer, the same for all CPUs: numbers of a table. Of i32 they take 4 KiB, a small part of any first
// cache.
constexpr std::int64_t kMostPlaces = 1024;
// What they and factors may be: sums of two of them fit in an i32, which lanes have.
constexpr std::int64_t kMostOfTable = std::int64_t{1} << 30;
// Lanes of a group that reads elements side by side: f32 in a vector of 32 bytes, which one shuffle of AVX2 permutes.
constexpr int kNear = 8;

}  // namespace

// Expressions of numbers, one index, which is an opaque atom, and what follows from it.
class OfIndex {
 public:
  // What another operand is at an index.
  using Other = std::function<std::optional<std::int64_t>(std::uint32_t operand, std::int64_t index)>;
  OfIndex(const IndexPool& pool, std::uint32_t operand, Other other)
      : pool_(pool), operand_(operand), other_(std::move(other)) {}

  // Nothing: something else stands in it, or it is large.
  [[nodiscard]] std::optional<std::int64_t> at(IndexExpr e, std::int64_t index) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      std::int64_t product = term.coefficient;
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      for (const AtomId id : factors) {
        const auto factor = at(id, index);
        if (!factor || !is_small(product)) return std::nullopt;
        product *= *factor;
      }
      if (!is_small(product)) return std::nullopt;
      sum += product;
    }
    return is_small(sum) ? std::optional(sum) : std::nullopt;
  }
  // After how many iterations the expression is what it was, but for a constant; nothing where it never is.
  [[nodiscard]] std::optional<std::int64_t> period(IndexExpr e) const {
    std::int64_t out = 1;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      if (term.factors.empty() || (term.factors.size() == 1 && is_index(term.factors[0]))) continue;
      if (term.factors.size() > 1) return std::nullopt;
      const Atom& atom = pool_.atom(term.factors[0]);
      if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return std::nullopt;
      const auto inner = period(atom.a), divisor = pool_.as_constant(atom.b);
      if (!inner || !divisor || *divisor < 1 || *divisor > kMostPlaces) return std::nullopt;
      out = std::lcm(out, *inner * *divisor);
      if (out > kMostPlaces) return std::nullopt;
    }
    return out;
  }

 private:
  static bool is_small(std::int64_t value) { return -kMostOfTable < value && value < kMostOfTable; }
  [[nodiscard]] bool is_index(AtomId id) const {
    return pool_.atom(id).kind == AtomKind::Opaque && pool_.atom(id).number == operand_;
  }
  [[nodiscard]] std::optional<std::int64_t> at(AtomId id, std::int64_t index) const {
    if (is_index(id)) return index;
    const Atom atom = pool_.atom(id);
    if (atom.kind == AtomKind::Opaque) return other_(atom.number, index);
    if (atom.kind < AtomKind::FloorDiv) return std::nullopt;
    const auto a = at(atom.a, index), b = at(atom.b, index);
    if (!a || !b) return std::nullopt;
    if (atom.kind == AtomKind::Min) return std::min(*a, *b);
    if (atom.kind == AtomKind::Max) return std::max(*a, *b);
    if (*b < 1) return std::nullopt;
    const std::int64_t quotient = *a / *b - (*a % *b < 0 ? 1 : 0);
    return atom.kind == AtomKind::FloorDiv ? quotient : *a - quotient * *b;
  }

  const IndexPool& pool_;
  std::uint32_t operand_;
  Other other_;
};

namespace {

struct Room {
  std::int64_t first = 0, last = 0;
};
// The least and the greatest that the varying part of a place may be without leaving the elements of the last axes,
// which no other index iterates over: all of them are there. Nothing where that is not known.
std::optional<Room> room_of(IndexPool& index, std::span<const IndexExpr> at, std::span<const IndexExpr> dims,
                            IndexExpr varying, const std::function<bool(AtomId)>& is_lane) {
  const auto mentions = [&](IndexExpr e, bool lanes) {
    bool found = false;
    index.for_each_atom(
        e, [&](AtomId id) { found = found || (index.atom(id).kind < AtomKind::FloorDiv && is_lane(id) == lanes); });
    return found;
  };
  std::size_t axis = at.size();
  while (axis > 0 && !mentions(at[axis - 1], false)) --axis;
  for (std::size_t d = 0; d < axis; ++d)
    if (mentions(at[d], true)) return std::nullopt;
  IndexExpr place = index.constant(0);
  std::int64_t size = 1;
  for (std::size_t d = axis; d < at.size(); ++d) {
    const auto dim = index.as_constant(dims[d]);
    if (!dim || *dim < 1 || *dim > kMostOfTable / size) return std::nullopt;
    place = index.add(index.scale(place, *dim), at[d]);
    size *= *dim;
  }
  if (place == index.overflow()) return std::nullopt;
  const auto before = index.as_constant(index.sub(place, varying));
  return before ? std::optional(Room{-*before, size - 1 - *before}) : std::nullopt;
}

// Where groups of eight lanes begin to read, and the element among `elements` from there on that each lane takes.
// Nothing is touched outside of `room`, or, where that is not known, beyond the least and the greatest of `together`
// places, which are read whenever one of them is. Nothing where a group reads from farther apart.
struct NearPlaces {
  std::int64_t elements = 0;
  std::vector<std::int64_t> first, element;
};
std::optional<NearPlaces> near_places(const std::vector<std::int64_t>& places, std::size_t together,
                                      std::int64_t elements, const std::optional<Room>& room) {
  NearPlaces out{elements, {}, {}};
  for (std::size_t strip = 0; strip < places.size(); strip += together) {
    const auto begin = places.begin() + static_cast<std::ptrdiff_t>(strip);
    const auto [low, high] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(together));
    const std::int64_t least = room ? room->first : *low, most = room ? room->last : *high;
    for (std::size_t group = strip; group < strip + together; group += kNear) {
      const auto from = places.begin() + static_cast<std::ptrdiff_t>(group);
      const std::int64_t first = std::min(*std::min_element(from, from + kNear), most - (elements - 1));
      if (first < least || *std::max_element(from, from + kNear) - first >= elements) return std::nullopt;
      out.first.push_back(first);
      for (int lane = 0; lane < kNear; ++lane) out.element.push_back(from[lane] - first);
    }
  }
  return out;
}

}  // namespace

// The place in the buffer as a sum: what is the same for all lanes, and what is not.
std::pair<IndexExpr, IndexExpr> PlaceTables::parts_of_place(OpRef op, Value buffer) {
  const std::span<const IndexExpr> subscripts = subscripts_of(op), dims = types_.dims(buffer.type());
  IndexExpr place = index_.constant(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    place = index_.add(index_.mul(place, resolved(op, dims[d])), resolved(op, subscripts[d]));
  const auto varies = [&](AtomId id) { return indices_.varies(op, index_.from_atom(id)); };
  IndexExpr uniform = index_.constant(0), varying = uniform;
  if (place == index_.overflow()) return {place, place};
  for (std::size_t i = 0; i < index_.term_count(place); ++i) {
    const Term term = index_.term(place, i);
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    IndexExpr product = index_.constant(term.coefficient);
    for (const AtomId id : factors) product = index_.mul(product, index_.from_atom(id));
    IndexExpr& part = std::any_of(factors.begin(), factors.end(), varies) ? varying : uniform;
    part = index_.add(part, product);
  }
  return {uniform, varying};
}

// Where the varying part of a place was loaded from as it is, in scratch that the strips only read: a lane's place is
// then at hand in memory, which it would be stored to. Empty where it is not.
SourceText PlaceTables::places_in_memory(OpRef op, IndexExpr varying) {
  const auto atom = index_.as_atom(varying);
  if (!atom || index_.atom(*atom).kind != AtomKind::Opaque) return {};
  const Value place = op.operand(index_.atom(*atom).number);
  const auto found = in_memory.find(place.id());
  if (found == in_memory.end() || !place.is_result()) return {};
  const Value buffer = LoadRef::from(place.definer()).buffer();
  if (!buffer.is_result() || !buffer.definer().is(LoopOp::Alloc)) return {};
  const OpRef loop = lanes_.strip->index.scope().parent_op();
  const auto uses = buffer.uses();
  const bool kept = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.owner().is(LoopOp::Load) || (use.owner().is(LoopOp::Store) && !use.owner().is_inside(loop));
  });
  return kept ? found->second : std::string();
}

// An array of numbers, declared where it is read.
SourceText PlaceTables::numbers(std::string_view type, std::string_view stem, const std::vector<std::int64_t>& values) {
  constexpr std::size_t kInLine = 24;  // numbers of a line of source, which four digits each keep within 150 columns
  const SourceText name = fresh(stem);
  SourceText text = "static const " + std::string(type) + " " + name + "[" + std::to_string(values.size()) + "] = {";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i % kInLine == 0 ? ",\n" + std::string(2 * writer_.source.depth() + 4, ' ') : ", ";
    text += std::to_string(values[i]);
  }
  line(text + "};");
  return name;
}

OfIndex PlaceTables::of_strip(OpRef op) {
  std::uint32_t operand = 0;
  while (operand < op.operand_count() && op.operand(operand) != lanes_.strip->index) ++operand;
  return {index_, operand, [this, op](std::uint32_t other, std::int64_t at) {
            return known.integer(op.operand(other), [&](Value index) -> std::optional<std::int64_t> {
              if (index == lanes_.strip->index) return at;
              const auto found = writer_.constants.find(index.id());
              return found == writer_.constants.end() ? std::nullopt : std::optional(found->second);
            });
          }};
}

// Whether the expression lies within 0 and `size` for every index of the strip's loop, each of which is looked at.
bool PlaceTables::is_known_inside(OpRef op, IndexExpr e, IndexExpr size) {
  if (!lanes_.strip) return false;
  const ForRef loop = ForRef::from(lanes_.strip->index.scope().parent_op());
  const auto first = index_.as_constant(resolved(loop.op(), loop.first())),
             last = index_.as_constant(resolved(loop.op(), loop.last())), most = index_.as_constant(resolved(op, size));
  if (!first || !last || !most || *last - *first > kMostPlaces) return false;
  const OfIndex of = of_strip(op);
  const IndexExpr at = resolved(op, e);
  for (std::int64_t i = *first; i < *last; ++i) {
    const auto place = of.at(at, i);
    if (!place || *place < 0 || *place >= *most) return false;
  }
  return true;
}

// Nothing where places follow from something else than the index of the strip, too.
std::optional<LaneAccess> PlaceTables::table_access(OpRef op, Value buffer) {
  if (!hooks_.has_tables()) return std::nullopt;
  const bool is_tail = !lanes_.mask.empty();
  if (is_tail && (lanes_.mask != lanes_.strip->mask || lanes_.strip->count.empty())) return std::nullopt;
  const OfIndex of = of_strip(op);
  const auto [uniform, varying] = parts_of_place(op, buffer);
  if (uniform == index_.overflow() || varying == index_.overflow()) return std::nullopt;

  const ForRef loop = ForRef::from(lanes_.strip->index.scope().parent_op());
  const auto first = index_.as_constant(resolved(loop.op(), loop.first())),
             last = index_.as_constant(resolved(loop.op(), loop.last()));
  if (!first) return std::nullopt;
  const std::int64_t lanes = lanes_.strip->lanes;
  std::vector<std::int64_t> places;
  const auto list = [&](std::int64_t count, std::int64_t end) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = of.at(varying, std::min(*first + i, end - 1));
      if (!at) return false;
      places.push_back(*at);
    }
    return true;
  };
  std::int64_t repeats = 0, step = 0;  // after how many iterations, and how much further then
  if (last && *last - *first <= kMostPlaces) {
    // Lanes that have no element read the last one.
    if (!list((*last - *first + lanes - 1) / lanes * lanes, *last)) return std::nullopt;
  } else {
    const auto period = of.period(varying);
    if (is_tail || !period || std::lcm(*period, lanes) > kMostPlaces) return std::nullopt;
    repeats = std::lcm(*period, lanes);
    const auto again = of.at(varying, *first + repeats);
    if (!again || !list(repeats, *first + repeats)) return std::nullopt;
    step = *again - places.front();
  }
  if (places.empty()) return std::nullopt;

  const SourceText done = *first == 0 ? lanes_.strip->base : lanes_.strip->base + " - " + std::to_string(*first);
  const SourceText in_table = repeats == 0 ? done : "(" + done + ") % " + std::to_string(repeats);
  LaneAccess out;
  const SourceText before = indices_.index(op, uniform).text;
  out.pointer = text_of(buffer).text + (before.is_number(0) ? "" : " + " + before);
  if (step != 0) out.pointer += " + (" + done + ") / " + std::to_string(repeats) + " * " + std::to_string(step);
  const auto in_strip = [&](const SourceText& table, std::int64_t each) {
    if (static_cast<std::int64_t>(places.size()) == lanes) return table;
    return table + " + (" + in_table + ")" + (each == 1 ? "" : " / " + std::to_string(each));
  };
  const std::string stem = identifier_of(buffer.name(), hooks_) + "_places";
  const std::string integers(hooks_.element_type(Dtype::I32));
  const Dtype dtype = buffer.dtype();
  // Every place of a table that does not repeat is read whenever the loop runs.
  const auto together = repeats == 0 ? places.size() : static_cast<std::size_t>(lanes);
  std::vector<IndexExpr> at, sizes;
  for (const IndexExpr e : subscripts_of(op)) at.push_back(resolved(op, e));
  for (const IndexExpr dim : types_.dims(buffer.type())) sizes.push_back(resolved(op, dim));
  const auto room = room_of(index_, at, sizes, varying, [&](AtomId id) {
    const Atom atom = index_.atom(id);
    return atom.kind == AtomKind::Opaque && text_of(op.operand(atom.number)).lanes > 1;
  });
  std::optional<NearPlaces> near;
  for (std::int64_t elements = kNear; lanes >= kNear && !near && elements <= hooks_.near_elements(dtype); elements *= 2)
    near = near_places(places, together, elements, room);
  if (!near) {
    out.kind = LaneAccess::Kind::Table;
    out.at = in_strip(numbers(integers, stem, places), 1);
    return out;
  }
  std::vector<std::int64_t> which;
  for (const std::int64_t element : near->element) which.push_back(hooks_.near_number(dtype, element));
  out.kind = near->elements == kNear ? LaneAccess::Kind::NearEight : LaneAccess::Kind::NearSixteen;
  out.count = in_strip(numbers(integers, stem, near->first), kNear);
  out.at = in_strip(numbers(hooks_.near_type(dtype), stem + "_near", which), 1);
  return out;
}

}  // namespace mlgc::codegen

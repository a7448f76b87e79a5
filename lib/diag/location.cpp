// The location table: interning, cutting at the bounds, printing.
#include "diag/location.h"

#include <algorithm>
#include <array>

#include "support/hash.h"
#include "support/result.h"

namespace mlgc {

namespace {

// Ids below are entries of the table, ids from here on are bytes of source texts.
constexpr std::uint32_t kFirstTextId = 1U << 31;

}  // namespace

LocationTable::LocationTable() : next_base_(kFirstTextId) {
  entries_.emplace_back();  // unknown
  strings_.push_back(std::make_unique<std::string>());
  string_ids_.emplace(*strings_[0], 0);
}

LocationTable::~LocationTable() = default;

SourceFile& LocationTable::add_source(std::string name, std::string text) {
  auto file = std::make_unique<SourceFile>(std::move(name), std::move(text));
  SourceFile& result = *file;
  const std::uint64_t span = std::uint64_t{result.size()} + 1;
  const std::uint64_t room = (std::uint64_t{1} << 32) - next_base_ - 1;
  // A text without room gets base 0: its positions are unknown, everything else works.
  const bool fits = span <= room;
  sources_.push_back({fits ? next_base_ : 0, std::move(file)});
  if (fits) next_base_ += static_cast<std::uint32_t>(span);
  return result;
}

Location LocationTable::position_in(const SourceFile& file, std::size_t offset) const {
  // The file asked for is nearly always the newest.
  for (auto it = sources_.rbegin(); it != sources_.rend(); ++it) {
    if (it->file.get() != &file) continue;
    if (it->base == 0 || offset > file.size()) return {};
    return Location{it->base + static_cast<std::uint32_t>(offset)};
  }
  return {};
}

std::uint32_t LocationTable::intern_string(std::string_view text) {
  if (const auto found = string_ids_.find(text); found != string_ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(strings_.size());
  strings_.push_back(std::make_unique<std::string>(text));
  string_ids_.emplace(*strings_.back(), id);
  return id;
}

Location LocationTable::intern(const Entry& wanted, std::span<const Location> list) {
  std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(wanted.kind), wanted.string);
  if (wanted.kind != LocationKind::Fused) hash = hash_mix(hash, (std::uint64_t{wanted.a} << 32) | wanted.b);
  for (const std::uint32_t s : wanted.strings) hash = hash_mix(hash, s);
  for (const Location l : list) hash = hash_mix(hash, l.id);
  const bool is_list = wanted.kind == LocationKind::Fused;
  const auto same = [&](std::uint32_t id) {
    const Entry& have = entries_[id];
    if (!is_list) return have == wanted;
    return have.kind == wanted.kind && have.b == list.size() &&
           std::equal(list.begin(), list.end(), lists_.begin() + have.a);
  };
  if (entries_.size() >= kFirstTextId) {
    const std::uint32_t id = entry_of_hash_.find(hash, same);
    return id == InternTable::kNone ? Location{} : Location{id};
  }
  const auto insert = [&] {
    Entry stored = wanted;
    if (is_list) {
      stored.a = static_cast<std::uint32_t>(lists_.size());
      stored.b = static_cast<std::uint32_t>(list.size());
      lists_.insert(lists_.end(), list.begin(), list.end());
    }
    entries_.push_back(stored);
    return static_cast<std::uint32_t>(entries_.size() - 1);
  };
  return Location{entry_of_hash_.find_or_insert(hash, same, insert)};
}

const LocationTable::Entry& LocationTable::entry(Location loc) const {
  MLGC_ASSERT(loc.id < entries_.size(), "a location of another table");
  return entries_[loc.id];
}

const LocationTable::Source* LocationTable::source_of(Location loc) const {
  if (loc.id < kFirstTextId) return nullptr;
  // Texts without room have base 0. They come after those with room only when those fill the id space, so the bases
  // that matter ascend.
  const Source* best = nullptr;
  std::size_t low = 0, high = sources_.size();
  while (low < high && sources_[high - 1].base == 0) --high;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (sources_[middle].base <= loc.id) {
      if (sources_[middle].base != 0) best = &sources_[middle];
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  MLGC_ASSERT(best != nullptr && loc.id - best->base <= best->file->size(), "a location of another table");
  return best;
}

std::uint32_t LocationTable::depth(Location loc) const { return loc.id >= kFirstTextId ? 0 : entry(loc).depth; }

Location LocationTable::position(std::string_view file, std::uint32_t line, std::uint32_t column) {
  Entry e;
  e.kind = LocationKind::Position;
  e.string = intern_string(file);
  e.a = line;
  e.b = column;
  return intern(e);
}

Location LocationTable::named(std::string_view name, Location child) {
  if (depth(child) + 1 >= kMaxLocationDepth) return child;
  Entry e;
  e.kind = LocationKind::Named;
  e.string = intern_string(name);
  e.a = child.id;
  e.depth = depth(child) + 1;
  return intern(e);
}

Location LocationTable::fused(std::span<const Location> parts) {
  std::array<Location, kMaxFused> room;
  std::size_t size = 0;
  const auto add = [&](Location loc) {
    const auto end = room.begin() + size;
    if (loc.known() && size < kMaxFused && std::find(room.begin(), end, loc) == end) room[size++] = loc;
  };
  std::uint32_t deepest = 0;
  for (const Location part : parts) {
    if (kind(part) == LocationKind::Fused) {
      const Entry& list = entry(part);
      for (std::uint32_t i = 0; i < list.b; ++i) add(lists_[list.a + i]);
    } else {
      add(part);
    }
  }
  const std::span<const Location> flat = std::span(room).first(size);
  for (const Location loc : flat) deepest = std::max(deepest, depth(loc));
  if (flat.empty()) return {};
  if (flat.size() == 1 || deepest + 1 >= kMaxLocationDepth) return flat.front();
  Entry e;
  e.kind = LocationKind::Fused;
  e.depth = deepest + 1;
  return intern(e, flat);
}

Location LocationTable::call_site(Location callee, Location caller) {
  const std::uint32_t deepest = std::max(depth(callee), depth(caller));
  if (deepest + 1 >= kMaxLocationDepth) return callee;
  Entry e;
  e.kind = LocationKind::CallSite;
  e.a = callee.id;
  e.b = caller.id;
  e.depth = deepest + 1;
  return intern(e);
}

Location LocationTable::origin(const OriginInfo& info, Location child) {
  if (depth(child) + 1 >= kMaxLocationDepth) return child;
  Entry e;
  e.kind = LocationKind::Origin;
  e.string = intern_string(info.module_path);
  e.strings[0] = intern_string(info.opcode);
  e.strings[1] = intern_string(info.target);
  e.strings[2] = intern_string(info.node);
  e.a = child.id;
  e.depth = depth(child) + 1;
  return intern(e);
}

Location LocationTable::annotated(std::string_view metadata, Location child) {
  if (depth(child) + 1 >= kMaxLocationDepth) return child;
  Entry e;
  e.kind = LocationKind::Annotated;
  e.string = intern_string(metadata);
  e.a = child.id;
  e.depth = depth(child) + 1;
  return intern(e);
}

LocationKind LocationTable::kind(Location loc) const {
  return loc.id >= kFirstTextId ? LocationKind::Position : entry(loc).kind;
}

std::optional<Position> LocationTable::as_position(Location loc) const {
  if (const Source* source = source_of(loc)) {
    const LineColumn place = source->file->line_column(loc.id - source->base);
    return Position{source->file->name(), place.line, place.column};
  }
  const Entry& e = entry(loc);
  if (e.kind != LocationKind::Position) return std::nullopt;
  return Position{*strings_[e.string], e.a, e.b};
}

std::string_view LocationTable::name(Location loc) const {
  return kind(loc) == LocationKind::Named ? std::string_view(*strings_[entry(loc).string]) : std::string_view();
}

OriginInfo LocationTable::origin_info(Location loc) const {
  if (kind(loc) != LocationKind::Origin) return {};
  const Entry& e = entry(loc);
  return {*strings_[e.string], *strings_[e.strings[0]], *strings_[e.strings[1]], *strings_[e.strings[2]]};
}

std::string_view LocationTable::metadata(Location loc) const {
  return kind(loc) == LocationKind::Annotated ? std::string_view(*strings_[entry(loc).string]) : std::string_view();
}

std::vector<Location> LocationTable::children(Location loc) const {
  switch (kind(loc)) {
    case LocationKind::Unknown:
    case LocationKind::Position: return {};
    case LocationKind::Named:
    case LocationKind::Origin:
    case LocationKind::Annotated:
      return entry(loc).a != 0 ? std::vector<Location>{Location{entry(loc).a}} : std::vector<Location>{};
    case LocationKind::CallSite: return {Location{entry(loc).a}, Location{entry(loc).b}};
    case LocationKind::Fused: {
      const auto begin = lists_.begin() + entry(loc).a;
      return {begin, begin + entry(loc).b};
    }
  }
  return {};
}

Location LocationTable::primary(Location loc) const {
  if (kind(loc) == LocationKind::Position) return loc;
  for (const Location child : children(loc))
    if (const Location found = primary(child); found.known()) return found;
  return {};
}

std::optional<Position> LocationTable::primary_position(Location loc) const { return as_position(primary(loc)); }

std::optional<LocationTable::TextPlace> LocationTable::text_place(Location loc) const {
  if (const Source* source = source_of(loc)) return TextPlace{source->file.get(), loc.id - source->base};
  const std::optional<Position> place = as_position(loc);
  if (!place) return std::nullopt;
  for (const Source& source : sources_) {
    if (source.file->name() != place->file) continue;
    if (const auto offset = source.file->offset_of({place->line, place->column}))
      return TextPlace{source.file.get(), *offset};
  }
  return std::nullopt;
}

std::string place_text(const LocationTable& table, Location loc) {
  const auto position = table.primary_position(loc);
  if (!position) return "unknown place";
  return std::string(position->file) + ":" + std::to_string(position->line) + ":" + std::to_string(position->column);
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += '\\';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void LocationTable::print_inner(std::string& out, Location loc) const {
  switch (kind(loc)) {
    case LocationKind::Unknown: out += "unknown"; return;
    case LocationKind::Position: {
      const Position place = *as_position(loc);
      append_quoted(out, place.file);
      out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
      return;
    }
    case LocationKind::Named: {
      append_quoted(out, name(loc));
      if (entry(loc).a == 0) return;
      out += '(';
      print_inner(out, Location{entry(loc).a});
      out += ')';
      return;
    }
    case LocationKind::CallSite:
      out += "callsite(";
      print_inner(out, Location{entry(loc).a});
      out += " at ";
      print_inner(out, Location{entry(loc).b});
      out += ')';
      return;
    case LocationKind::Fused:
    case LocationKind::Origin:
    case LocationKind::Annotated: {
      out += "fused";
      if (kind(loc) == LocationKind::Annotated) {
        out += '<';
        out += metadata(loc);
        out += '>';
      }
      if (kind(loc) == LocationKind::Origin) {
        const OriginInfo info = origin_info(loc);
        out += "<{";
        bool first = true;
        const auto field = [&](std::string_view key, std::string_view value) {
          if (value.empty()) return;
          if (!first) out += ", ";
          first = false;
          out += key;
          out += " = ";
          append_quoted(out, value);
        };
        field("module", info.module_path);
        field("node", info.node);
        field("opcode", info.opcode);
        field("target", info.target);
        out += "}>";
      }
      out += '[';
      std::vector<Location> inner = children(loc);
      if (inner.size() == 1 && kind(inner[0]) == LocationKind::Fused) inner = children(inner[0]);
      for (std::size_t i = 0; i < inner.size(); ++i) {
        if (i > 0) out += ", ";
        print_inner(out, inner[i]);
      }
      if (inner.empty()) out += "unknown";
      out += ']';
      return;
    }
  }
}

void LocationTable::print(std::string& out, Location loc) const {
  out += "loc(";
  print_inner(out, loc);
  out += ')';
}

std::string LocationTable::print(Location loc) const {
  std::string out;
  print(out, loc);
  return out;
}

}  // namespace mlgc

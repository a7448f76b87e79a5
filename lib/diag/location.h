// Where something comes from. A Location is an index into one LocationTable; 0 is "unknown".
//
// Guarantees
//   - Interned: two equal locations built by the functions below have the same id (positions inside a source text that
//     the table holds, from position_in(), are ids of their own: they cost no memory per position).
//   - Bounded: nesting is at most kMaxLocationDepth and a fused list at most kMaxFused long; what exceeds them is cut,
//     never refused, so combining locations in a loop cannot blow up.
//   - The table only grows; ids stay valid for its whole life. It is shared by a module and its snapshots.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/source.h"
#include "support/intern_table.h"

namespace mlgc {

struct Location {
  std::uint32_t id = 0;
  [[nodiscard]] constexpr bool known() const { return id != 0; }
  friend constexpr auto operator<=>(Location, Location) = default;
};

inline constexpr std::size_t kMaxLocationDepth = 64;
inline constexpr std::size_t kMaxFused = 16;

enum class LocationKind : std::uint8_t {
  Unknown,
  Position,   // file:line:column
  Named,      // a name, and optionally a location
  Fused,      // several locations, in the order given
  CallSite,   // callee, reached from caller
  Origin,     // what an importer knows of a node: an OriginInfo and a location
  Annotated,  // what another compiler notes of a location: an attribute in MLIR's syntax, and the location
};

// File, line and column, both counted from 1; the column counts bytes.
struct Position {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// What an importer knows of a node of the framework's graph. Empty strings stand for "not given".
struct OriginInfo {
  std::string_view module_path;  // `encoder.layers.0`
  std::string_view opcode;       // FX opcode: `call_function`
  std::string_view target;       // `aten.relu.default`
  std::string_view node;         // `relu_3`
};

class LocationTable {
 public:
  LocationTable();
  ~LocationTable();
  LocationTable(const LocationTable&) = delete;
  LocationTable& operator=(const LocationTable&) = delete;

  // Takes a text into the table. The SourceFile lives as long as the table.
  SourceFile& add_source(std::string name, std::string text);
  // The location of a byte of such a text, `offset` in 0 .. size. Costs no memory; unknown when the texts of the table
  // together exceed 2 GiB.
  [[nodiscard]] Location position_in(const SourceFile& file, std::size_t offset) const;

  // Construction. All intern.
  Location position(std::string_view file, std::uint32_t line, std::uint32_t column);
  Location named(std::string_view name, Location child = {});
  // Flattens nested lists, drops unknowns and repetitions; one remaining location is returned as it is.
  Location fused(std::span<const Location> parts);
  Location call_site(Location callee, Location caller);
  Location origin(const OriginInfo& info, Location child = {});
  Location annotated(std::string_view metadata, Location child = {});

  // Inspection. Asking for what the kind does not have gives an empty value.
  [[nodiscard]] LocationKind kind(Location loc) const;
  [[nodiscard]] std::optional<Position> as_position(Location loc) const;
  [[nodiscard]] std::string_view name(Location loc) const;
  [[nodiscard]] OriginInfo origin_info(Location loc) const;
  [[nodiscard]] std::string_view metadata(Location loc) const;
  [[nodiscard]] std::vector<Location> children(Location loc) const;
  // The first file:line:column found, depth first: what a diagnostic points at.
  [[nodiscard]] std::optional<Position> primary_position(Location loc) const;
  // The same as a location, unknown when there is none.
  [[nodiscard]] Location primary(Location loc) const;
  // The text that holds `loc` and the byte offset in it: exactly for ids of position_in(), and by file name, line and
  // column for others; nothing when the table has no such text.
  struct TextPlace {
    const SourceFile* file;
    std::size_t offset;
  };
  [[nodiscard]] std::optional<TextPlace> text_place(Location loc) const;

  // `loc("f":1:2)`, `loc("n"("f":1:2))`, `loc(fused[...])`, `loc(callsite("f":1:2 at "g":3:4))`, `loc(unknown)`. An
  // origin prints as `fused<{module = "…", node = "…", …}>[child]`, which MLIR reads too, and so does metadata.
  [[nodiscard]] std::string print(Location loc) const;
  void print(std::string& out, Location loc) const;

 private:
  struct Entry {
    LocationKind kind = LocationKind::Unknown;
    std::uint32_t depth = 0;
    std::uint32_t string = 0;              // file, name, metadata, or the first of four strings of an origin
    std::uint32_t a = 0, b = 0;            // line and column; callee and caller; child; begin and length of the list
    std::uint32_t strings[3] = {0, 0, 0};  // opcode, target, node
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  struct Source {
    std::uint32_t base;  // id of offset 0
    std::unique_ptr<SourceFile> file;
  };
  std::uint32_t intern_string(std::string_view text);
  Location intern(const Entry& wanted, std::span<const Location> list = {});
  [[nodiscard]] const Entry& entry(Location loc) const;
  [[nodiscard]] const Source* source_of(Location loc) const;
  [[nodiscard]] std::uint32_t depth(Location loc) const;
  void print_inner(std::string& out, Location loc) const;

  std::vector<Entry> entries_;
  std::vector<Location> lists_;
  InternTable entry_of_hash_;
  std::vector<std::unique_ptr<std::string>> strings_;
  std::unordered_map<std::string_view, std::uint32_t> string_ids_;
  std::vector<Source> sources_;
  std::uint32_t next_base_;
};

// `file:line:column` of primary_position(), or `unknown place`.
[[nodiscard]] std::string place_text(const LocationTable& table, Location loc);

// Appends `text` in double quotes with MLIR's escapes: `\"`, `\\`, and two upper-case hex digits for control characters
// and for bytes outside ASCII.
void append_quoted(std::string& out, std::string_view text);

}  // namespace mlgc

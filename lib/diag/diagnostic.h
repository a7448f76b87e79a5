// Diagnostics as values: a registered kind, typed arguments, a location, notes.
//
// Every message of the program is a row (DiagKind) in one of the tables kinds_<folder>.h; all_kinds() lists them. A
// message is rendered only when it is shown, from the row's template and the arguments. The number and the types of the
// arguments are checked at compile time against the templates:
//
//     inline constexpr DiagKind kUnknownOp{
//         .id = "unknown-op", .message = "unknown op `{op:text}`", .doc = "The name is in no row of the op table."};
//     diagnostics.emit(diagnose<kUnknownOp>(location, name).with_note<kDidYouMean>({}, best));
//
// Style of messages: lower case, no full stop, says what was seen, code in backticks; what to do about it is `remedy`,
// shown as a note.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "diag/location.h"

namespace mlgc {

enum class Severity : std::uint8_t { Note, Warning, Error };

// The documented exit codes of the command line.
enum class ExitCode : std::uint8_t {
  Ok = 0,
  BadInput = 1,
  BadUsage = 2,
  Unsupported = 3,
  Mismatch = 4,
  Limit = 5,
  Internal = 70,
};

// One row. `message` and `remedy` hold placeholders `{name:type}` with type text, int, real or list (of texts, shown
// joined by ", "); a name may be repeated as `{name}`. Arguments are given in the order of first appearance, message
// before remedy.
struct DiagKind {
  std::string_view id;  // kebab-case, unique
  Severity severity = Severity::Error;
  ExitCode exit = ExitCode::BadInput;
  std::string_view message;
  std::string_view remedy = "";  // shown as a note when not empty
  std::string_view doc;          // one line for the reference
};

using DiagArgument = std::variant<std::string, std::int64_t, double, std::vector<std::string>>;

namespace diag_detail {

enum class Slot : std::uint8_t { Text, Int, Real, List };
inline constexpr std::size_t kMaxSlots = 8;

struct Slots {
  std::array<std::string_view, kMaxSlots> names{};
  std::array<Slot, kMaxSlots> types{};
  std::size_t count = 0;
  bool well_formed = true;
};

constexpr void scan(std::string_view pattern, Slots& slots) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') continue;
    if (i + 1 < pattern.size() && pattern[i + 1] == '{') {
      ++i;
      continue;
    }
    const std::size_t end = pattern.find('}', i);
    if (end == std::string_view::npos) {
      slots.well_formed = false;
      return;
    }
    const std::string_view inside = pattern.substr(i + 1, end - i - 1);
    const std::size_t colon = inside.find(':');
    const std::string_view name = inside.substr(0, colon);
    bool seen = false;
    for (std::size_t s = 0; s < slots.count; ++s) seen = seen || slots.names[s] == name;
    if (colon == std::string_view::npos) {
      slots.well_formed = slots.well_formed && seen;
    } else {
      const std::string_view type = inside.substr(colon + 1);
      const bool known = type == "text" || type == "int" || type == "real" || type == "list";
      slots.well_formed = slots.well_formed && known && !seen && slots.count < kMaxSlots;
      if (!slots.well_formed) return;
      slots.names[slots.count] = name;
      slots.types[slots.count++] = type == "text"   ? Slot::Text
                                   : type == "int"  ? Slot::Int
                                   : type == "real" ? Slot::Real
                                                    : Slot::List;
    }
    i = end;
  }
}

constexpr Slots slots_of(const DiagKind& kind) {
  Slots slots;
  scan(kind.message, slots);
  scan(kind.remedy, slots);
  return slots;
}

template <class T>
constexpr bool fits(Slot slot) {
  using U = std::remove_cvref_t<T>;
  if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool> && !std::is_same_v<U, char>)
    return slot == Slot::Int;
  else if constexpr (std::is_floating_point_v<U>)
    return slot == Slot::Real;
  else if constexpr (std::is_convertible_v<U, std::string_view>)
    return slot == Slot::Text;
  else
    return slot == Slot::List && std::is_convertible_v<U, std::vector<std::string>>;
}

template <class... Args>
constexpr bool arguments_fit(const DiagKind& kind) {
  const Slots slots = slots_of(kind);
  if (!slots.well_formed || slots.count != sizeof...(Args)) return false;
  std::size_t i = 0;
  return (fits<Args>(slots.types[i++]) && ... && true);
}

template <class T>
DiagArgument argument(T&& value) {
  using U = std::remove_cvref_t<T>;
  if constexpr (std::is_integral_v<U>)
    return static_cast<std::int64_t>(value);
  else if constexpr (std::is_floating_point_v<U>)
    return static_cast<double>(value);
  else if constexpr (std::is_convertible_v<U, std::string_view>)
    return std::string(std::string_view(value));
  else
    return std::vector<std::string>(std::forward<T>(value));
}

std::string render(std::string_view pattern, const DiagKind& kind, std::span<const DiagArgument> args);

}  // namespace diag_detail

struct DiagNote {
  const DiagKind* kind = nullptr;
  std::vector<DiagArgument> args;
  Location at;
  [[nodiscard]] std::string message() const;
};

struct Diagnostic {
  const DiagKind* kind = nullptr;
  std::vector<DiagArgument> args;
  Location at;
  std::uint32_t width = 1;  // bytes to underline from `at`, within its line
  std::vector<DiagNote> notes;

  [[nodiscard]] std::string message() const;
  // Empty when the kind has none.
  [[nodiscard]] std::string remedy() const;

  template <const DiagKind& K, class... Args>
  Diagnostic&& with_note(Location where, Args&&... values) && {
    add_note<K>(where, std::forward<Args>(values)...);
    return std::move(*this);
  }
  template <const DiagKind& K, class... Args>
  void add_note(Location where, Args&&... values) {
    static_assert(K.severity == Severity::Note, "a note's kind has severity Note");
    static_assert(diag_detail::arguments_fit<Args...>(K), "the arguments do not fit the kind's placeholders");
    notes.push_back(DiagNote{&K, {diag_detail::argument(std::forward<Args>(values))...}, where});
  }
  Diagnostic&& with_width(std::size_t bytes) && {
    width = static_cast<std::uint32_t>(bytes == 0 ? 1 : bytes);
    return std::move(*this);
  }
};

// Builds a diagnostic of kind K. Integers fit `int`, floating-point numbers `real`, strings `text`, and vectors of
// strings `list`.
template <const DiagKind& K, class... Args>
[[nodiscard]] Diagnostic diagnose(Location at, Args&&... values) {
  static_assert(diag_detail::arguments_fit<Args...>(K), "the arguments do not fit the kind's placeholders");
  return Diagnostic{&K, {diag_detail::argument(std::forward<Args>(values))...}, at, 1, {}};
}

// Every registered kind, in the order of the tables. Ids are unique and templates well formed (checked at compile
// time).
[[nodiscard]] std::span<const DiagKind* const> all_kinds();
[[nodiscard]] const DiagKind* find_kind(std::string_view id);

// Collects diagnostics. Nothing is written anywhere; the caller renders what sorted() gives.
class DiagnosticEngine {
 public:
  // After `error_limit` errors further errors are counted but not kept; 0 means no limit.
  explicit DiagnosticEngine(const LocationTable& locations, std::size_t error_limit = 20)
      : locations_(&locations), error_limit_(error_limit) {}

  void emit(Diagnostic diagnostic);
  [[nodiscard]] bool has_errors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const { return errors_; }
  [[nodiscard]] std::size_t warning_count() const { return warnings_; }
  // Errors counted but not kept.
  [[nodiscard]] std::size_t suppressed() const { return suppressed_; }
  [[nodiscard]] bool at_limit() const { return error_limit_ != 0 && errors_ >= error_limit_; }
  // Ok without errors, else the highest exit code of the errors' kinds.
  [[nodiscard]] ExitCode exit_code() const { return exit_; }
  // What was collected, by file, line and column (files in order of first appearance), repetitions dropped.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;
  [[nodiscard]] const LocationTable& locations() const { return *locations_; }
  void clear();

 private:
  const LocationTable* locations_;
  std::size_t error_limit_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0, warnings_ = 0, suppressed_ = 0;
  ExitCode exit_ = ExitCode::Ok;
};

}  // namespace mlgc

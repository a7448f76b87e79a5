// Rendering of templates, and the engine that collects.
#include "diag/diagnostic.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>

#include "support/result.h"

namespace mlgc {

namespace diag_detail {

namespace {

void append(std::string& out, const DiagArgument& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    out += *text;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, *real).ptr;
    out.append(buffer, end);
  } else {
    bool first = true;
    for (const std::string& item : std::get<std::vector<std::string>>(value)) {
      if (!first) out += ", ";
      first = false;
      out += item;
    }
  }
}

}  // namespace

std::string render(std::string_view pattern, const DiagKind& kind, std::span<const DiagArgument> args) {
  const Slots slots = slots_of(kind);
  MLGC_ASSERT(slots.count == args.size(), "wrong number of arguments for a diagnostic");
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      out += pattern[i];
      continue;
    }
    if (pattern[i + 1] == '{') {
      out += pattern[i++];
      continue;
    }
    const std::size_t end = pattern.find('}', i);
    const std::string_view inside = pattern.substr(i + 1, end - i - 1);
    const std::string_view name = inside.substr(0, inside.find(':'));
    for (std::size_t s = 0; s < slots.count; ++s)
      if (slots.names[s] == name) append(out, args[s]);
    i = end;
  }
  return out;
}

}  // namespace diag_detail

std::string DiagNote::message() const { return diag_detail::render(kind->message, *kind, args); }

std::string Diagnostic::message() const { return diag_detail::render(kind->message, *kind, args); }

std::string Diagnostic::remedy() const {
  return kind->remedy.empty() ? std::string() : diag_detail::render(kind->remedy, *kind, args);
}

void DiagnosticEngine::emit(Diagnostic diagnostic) {
  if (diagnostic.kind->severity == Severity::Error) {
    exit_ = std::max(exit_, diagnostic.kind->exit);
    if (at_limit()) {
      ++errors_;
      ++suppressed_;
      return;
    }
    ++errors_;
  } else {
    ++warnings_;
    if (error_limit_ != 0 && warnings_ > error_limit_) return;
  }
  diagnostics_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticEngine::sorted() const {
  struct Key {
    std::size_t file, line, column, index;
    auto operator<=>(const Key&) const = default;
  };
  std::unordered_map<std::string_view, std::size_t> files;
  std::vector<Key> keys;
  keys.reserve(diagnostics_.size());
  for (std::size_t i = 0; i < diagnostics_.size(); ++i) {
    const std::optional<Position> place = locations_->primary_position(diagnostics_[i].at);
    // What has no position goes last: it is about the whole.
    if (!place) {
      keys.push_back({diagnostics_.size(), 0, 0, i});
    } else {
      const std::size_t file = files.emplace(place->file, files.size()).first->second;
      keys.push_back({file, place->line, place->column, i});
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Diagnostic> result;
  std::size_t group = 0;  // begin in `result` of those at the same place
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool same_place = k > 0 && std::tie(keys[k].file, keys[k].line, keys[k].column) ==
                                         std::tie(keys[k - 1].file, keys[k - 1].line, keys[k - 1].column);
    if (!same_place) group = result.size();
    const Diagnostic& next = diagnostics_[keys[k].index];
    const bool repeated = std::any_of(result.begin() + static_cast<std::ptrdiff_t>(group), result.end(),
                                      [&](const Diagnostic& d) { return d.kind == next.kind && d.args == next.args; });
    if (!repeated) result.push_back(next);
  }
  return result;
}

void DiagnosticEngine::clear() {
  diagnostics_.clear();
  errors_ = warnings_ = suppressed_ = 0;
  exit_ = ExitCode::Ok;
}

}  // namespace mlgc

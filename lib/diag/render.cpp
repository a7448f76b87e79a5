// The two renderers.
#include "diag/render.h"

#include <algorithm>

#include "diag/json_writer.h"

namespace mlgc {

namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kMagenta = "\x1b[1;35m";
constexpr std::string_view kCyan = "\x1b[1;36m";
constexpr std::string_view kGreen = "\x1b[1;32m";
constexpr std::string_view kReset = "\x1b[0m";

constexpr std::size_t kShownBytes = 160;

std::string_view severity_color(Severity severity) {
  return severity == Severity::Error ? kRed : severity == Severity::Warning ? kMagenta : kCyan;
}

// Calls visit(bytes) once per character; what is not UTF-8 comes byte by byte as `replacement`.
template <class Visit>
void for_each_character(std::string_view text, std::string_view replacement, const Visit& visit) {
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t length = 1;
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead >= 0xF0) {
      length = 4;
    } else if (lead >= 0xE0) {
      length = 3;
    } else if (lead >= 0xC0) {
      length = 2;
    }
    const std::string_view character = text.substr(i, length);
    if (character.size() == length && !first_invalid_utf8(character)) {
      visit(character);
      i += length;
    } else {
      visit(replacement);
      ++i;
    }
  }
}

void append_excerpt(std::string& out, const LocationTable& locations, Location at, std::uint32_t width,
                    const RenderOptions& options) {
  const auto place = locations.text_place(locations.primary(at));
  if (!place || place->file->text().size() != place->file->size()) return;
  const LineColumn where = place->file->line_column(place->offset);
  std::string_view line = place->file->line(where.line);
  std::size_t column = std::min<std::size_t>(where.column - 1, line.size());
  const auto continuation = [&](std::size_t i) { return (static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80U; };
  bool cut_front = false, cut_back = false;
  if (line.size() > kShownBytes) {
    std::size_t begin = column > kShownBytes / 2 ? column - kShownBytes / 2 : 0;
    while (begin > 0 && begin < column && continuation(begin)) ++begin;
    std::size_t end = std::min(line.size(), begin + kShownBytes);
    while (end < line.size() && end > column && continuation(end)) --end;
    cut_front = begin > 0;
    cut_back = end < line.size();
    line = line.substr(begin, end - begin);
    column -= begin;
  }
  std::string shown, marks;
  std::size_t offset = 0;
  bool marked = false;
  if (cut_front) {
    shown += "...";
    marks += "   ";
  }
  for_each_character(line, "?", [&](std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    const bool tab = lead == '\t';
    if (!tab && (lead < 0x20 || lead == 0x7F)) {
      shown += '?';
    } else {
      shown += character;
    }
    if (offset >= column + width) {
    } else if (offset >= column) {
      marks += marked ? '~' : '^';
      marked = true;
    } else {
      marks += tab ? '\t' : ' ';
    }
    offset += character == "?" ? 1 : character.size();
  });
  if (cut_back) shown += "...";
  if (!marked) marks += '^';
  out += "  " + shown + "\n  ";
  if (options.color) out += kGreen;
  out += marks;
  if (options.color) out += kReset;
  out += '\n';
}

void append_message(std::string& out, const LocationTable& locations, Location at, Severity severity,
                    std::string_view message, const RenderOptions& options) {
  if (options.color) out += kBold;
  if (const auto place = locations.primary_position(at)) {
    out += place->file;
    out += ':' + std::to_string(place->line) + ':' + std::to_string(place->column) + ": ";
  } else {
    out += "mlgc: ";
  }
  if (options.color) out += severity_color(severity);
  out += severity_name(severity);
  out += ": ";
  if (options.color) {
    out += kReset;
    out += kBold;
  }
  for_each_character(message, "?", [&](std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (lead < 0x20 && lead != '\n') {
      out += '?';
    } else {
      out += character;
    }
  });
  if (options.color) out += kReset;
  out += '\n';
}

void json_position(JsonWriter& out, const LocationTable& locations, Location at) {
  const auto place = locations.primary_position(at);
  if (!place) return;
  out.member("file", place->file);
  out.member("line", place->line);
  out.member("column", place->column);
}

}  // namespace

bool want_color(ColorMode mode, bool is_terminal, const char* no_color) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  return is_terminal && (no_color == nullptr || *no_color == '\0');
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "error";
}

std::string render_text(const Diagnostic& diagnostic, const LocationTable& locations, const RenderOptions& options) {
  std::string out;
  append_message(out, locations, diagnostic.at, diagnostic.kind->severity, diagnostic.message(), options);
  if (options.source_lines) append_excerpt(out, locations, diagnostic.at, diagnostic.width, options);
  for (const DiagNote& note : diagnostic.notes) {
    const Location at = locations.primary(note.at).known() ? note.at : diagnostic.at;
    append_message(out, locations, at, Severity::Note, note.message(), options);
    if (options.source_lines && note.at.known() && at == note.at && note.at != diagnostic.at)
      append_excerpt(out, locations, at, 1, options);
  }
  if (const std::string remedy = diagnostic.remedy(); !remedy.empty())
    append_message(out, locations, diagnostic.at, Severity::Note, remedy, options);
  return out;
}

std::string render_text(const DiagnosticEngine& engine, const RenderOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : engine.sorted()) out += render_text(diagnostic, engine.locations(), options);
  if (engine.suppressed() > 0)
    out += "mlgc: note: " + std::to_string(engine.suppressed()) + " more errors are not shown; see --error-limit\n";
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for_each_character(text, "\xEF\xBF\xBD", [&](std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (lead == '"' || lead == '\\') {
      out += '\\';
      out += character;
    } else if (lead == '\n') {
      out += "\\n";
    } else if (lead == '\t') {
      out += "\\t";
    } else if (lead < 0x20) {
      out += "\\u00";
      out += kDigits[lead >> 4];
      out += kDigits[lead & 15];
    } else {
      out += character;
    }
  });
  out += '"';
}

std::string render_json(const DiagnosticEngine& engine) {
  const LocationTable& locations = engine.locations();
  JsonWriter out;
  out.member("version", kDiagnosticsJsonVersion);
  out.member("errors", engine.error_count());
  out.member("warnings", engine.warning_count());
  out.member("suppressed", engine.suppressed());
  out.objects("diagnostics", engine.sorted(), [&](const Diagnostic& diagnostic) {
    out.member("kind", diagnostic.kind->id);
    out.member("severity", severity_name(diagnostic.kind->severity));
    out.member("message", diagnostic.message());
    json_position(out, locations, diagnostic.at);
    out.member("width", diagnostic.width);
    if (const std::string remedy = diagnostic.remedy(); !remedy.empty()) out.member("remedy", remedy);
    out.objects("notes", diagnostic.notes, [&](const DiagNote& note) {
      out.member("kind", note.kind->id);
      out.member("message", note.message());
      json_position(out, locations, note.at);
    });
  });
  return out.take();
}

}  // namespace mlgc

// See reference.h.
#include "diag/reference.h"
#include "diag/json_writer.h"

#include <algorithm>

#include "diag/examples.h"
#include "diag/render.h"

namespace mlgc {
namespace {

std::string severity_text(const DiagKind& kind) {
  std::string text(severity_name(kind.severity));
  if (kind.severity == Severity::Error) text += ", exit code " + std::to_string(static_cast<int>(kind.exit));
  return text;
}

// The kind's remedy, and what the example says in words.
std::string repair_text(const DiagKind& kind, const DiagExample* example) {
  std::string text = message_pattern(kind.remedy);
  if (example != nullptr && !example->repair.empty()) text += (text.empty() ? "" : ". ") + example->repair;
  return text;
}

// With the marks of a diff, where the repair changes something.
std::string diff_text(const DiagExample& example, std::string_view indent) {
  const bool marks = example.has_repair();
  std::string text;
  const auto add = [&](const ExampleLine& line, std::string_view prefix) {
    const std::string_view mark = !marks ? "" : !line.in_repaired ? "- " : !line.in_example ? "+ " : "  ";
    std::string whole = std::string(indent) + std::string(mark) + std::string(prefix) + std::string(line.text);
    whole.erase(whole.find_last_not_of(' ') + 1);
    text += whole + "\n";
  };
  for (const ExampleFile& file : example.files) {
    add({true, true, file.name}, "// ");
    for (const ExampleLine& line : file.lines) add(line, "");
    text += "\n";
  }
  for (const ExampleLine& line : example.commands) add(line, "$ ");
  return text;
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string sentence(std::string text) {
  text = capital(std::move(text));
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

void json_example(JsonWriter& out, const DiagExample& example) {
  out.objects("files", example.files, [&](const auto& file) {
    out.member("name", file.name);
    out.member("example", example_text(file.lines, false));
    out.member("repaired", example_text(file.lines, true));
  });
  out.objects("commands", example.commands, [&](const ExampleLine& line) {
    out.member("example", line.in_example ? line.text : "");
    out.member("repaired", line.in_repaired ? line.text : "");
  });
  out.member("has_repair", example.has_repair());
  out.member("needs", example.needs);
}

}  // namespace

std::string message_pattern(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("{{")) {
      text += pattern[i++];
    } else if (pattern[i] == '{') {
      const std::size_t end = pattern.find('}', i);
      const std::string_view inside = pattern.substr(i + 1, end - i - 1);
      text += "{" + std::string(inside.substr(0, inside.find(':'))) + "}";
      i = end;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string kind_text(const DiagKind& kind) {
  const DiagExample* example = find_example(kind.id);
  std::string text = std::string(kind.id) + " (" + severity_text(kind) + ")\n  " + message_pattern(kind.message) +
                     "\n\nMeaning:\n  " + std::string(kind.doc) + "\n";
  if (const std::string repair = repair_text(kind, example); !repair.empty())
    text += "\nRepair:\n  " + sentence(repair) + "\n";
  if (example != nullptr && !example->unprovoked.empty())
    text += "\nNo command shows it:\n  " + example->unprovoked + "\n";
  if (example != nullptr && !example->commands.empty())
    text += std::string("\nExample") + (example->has_repair() ? " (-) and its repair (+)" : "") + ":\n" +
            diff_text(*example, "  ");
  return text;
}

std::string kinds_list(std::span<const DiagKind* const> kinds) {
  std::size_t width = 0;
  for (const DiagKind* kind : kinds) width = std::max(width, kind->id.size());
  std::string text;
  for (const DiagKind* kind : kinds) {
    const std::string_view severity = severity_name(kind->severity);
    text += std::string(kind->id) + std::string(width + 2 - kind->id.size(), ' ') + std::string(severity) +
            std::string(9 - severity.size(), ' ') + std::string(kind->doc) + "\n";
  }
  return text;
}

std::string kinds_json(std::span<const DiagKind* const> kinds) {
  JsonWriter out(JsonWriter::Layout::Spaced);
  out.member("version", kKindsJsonVersion);
  out.objects_on_lines("kinds", kinds, 0, [&](const DiagKind* kind) {
    const DiagExample* example = find_example(kind->id);
    out.member("id", kind->id);
    out.member("severity", severity_name(kind->severity));
    out.member("exit_code", kind->severity == Severity::Error ? static_cast<int>(kind->exit) : 0);
    out.member("message", message_pattern(kind->message));
    out.member("meaning", kind->doc);
    out.member("repair", repair_text(*kind, example));
    if (example != nullptr && !example->commands.empty()) out.object("example", [&] { json_example(out, *example); });
    if (example != nullptr && !example->unprovoked.empty()) out.member("unprovoked", example->unprovoked);
  });
  return out.take();
}

std::string kinds_markdown(std::span<const DiagKind* const> kinds) {
  std::string text;
  for (const DiagKind* kind : kinds) {
    const DiagExample* example = find_example(kind->id);
    text += "\n### " + std::string(kind->id) + "\n\n" + capital(severity_text(*kind)) + ": ``" +
            message_pattern(kind->message) + "``\n\n" + std::string(kind->doc) + "\n";
    if (const std::string repair = repair_text(*kind, example); !repair.empty())
      text += "\n**Repair.** " + sentence(repair) + "\n";
    if (example != nullptr && !example->unprovoked.empty()) text += "\n" + example->unprovoked + "\n";
    if (example != nullptr && !example->commands.empty())
      text +=
          std::string("\n```") + (example->has_repair() ? "diff" : "text") + "\n" + diff_text(*example, "") + "```\n";
  }
  return text;
}

}  // namespace mlgc

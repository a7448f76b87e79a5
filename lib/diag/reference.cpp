// See reference.h.
#include "diag/reference.h"

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

void append_member(std::string& out, std::string_view name, std::string_view value, std::string_view before = ", ") {
  out += std::string(before) + "\"" + std::string(name) + "\": ";
  append_json_string(out, value);
}

void append_commands(std::string& out, const DiagExample& example) {
  out += ", \"commands\": [";
  for (std::size_t i = 0; i < example.commands.size(); ++i) {
    const ExampleLine& line = example.commands[i];
    append_member(out, "example", line.in_example ? line.text : "", i == 0 ? "{" : ", {");
    append_member(out, "repaired", line.in_repaired ? line.text : "");
    out += "}";
  }
  out += "]";
}

void append_example(std::string& out, const DiagExample& example) {
  out += ", \"example\": {\"files\": [";
  for (std::size_t i = 0; i < example.files.size(); ++i) {
    append_member(out, "name", example.files[i].name, i == 0 ? "{" : ", {");
    append_member(out, "example", example_text(example.files[i].lines, false));
    append_member(out, "repaired", example_text(example.files[i].lines, true));
    out += "}";
  }
  out += "]";
  append_commands(out, example);
  out += std::string(", \"has_repair\": ") + (example.has_repair() ? "true" : "false");
  append_member(out, "needs", example.needs);
  out += "}";
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
  std::string out = "{\"version\": " + std::to_string(kKindsJsonVersion) + ", \"kinds\": [";
  for (const DiagKind* kind : kinds) {
    const DiagExample* example = find_example(kind->id);
    append_member(out, "id", kind->id, kind == kinds.front() ? "\n{" : ",\n{");
    append_member(out, "severity", severity_name(kind->severity));
    out += ", \"exit_code\": " + std::to_string(kind->severity == Severity::Error ? static_cast<int>(kind->exit) : 0);
    append_member(out, "message", message_pattern(kind->message));
    append_member(out, "meaning", kind->doc);
    append_member(out, "repair", repair_text(*kind, example));
    if (example != nullptr && !example->commands.empty()) append_example(out, *example);
    if (example != nullptr && !example->unprovoked.empty()) append_member(out, "unprovoked", example->unprovoked);
    out += "}";
  }
  return out + "\n]}\n";
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

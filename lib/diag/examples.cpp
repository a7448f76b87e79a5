// See examples.h.
#include "diag/examples.h"

#include <algorithm>

#include "support/result.h"

namespace mlgc {
namespace {

void add_sentence(std::string& text, std::string_view more) {
  if (!text.empty()) text += ' ';
  text += more;
}

std::optional<ExampleLine> marked(std::string_view line) {
  if (line.empty()) return ExampleLine{true, true, ""};
  const std::string_view rest = line.substr(std::min<std::size_t>(2, line.size()));
  if (line.starts_with("  ")) return ExampleLine{true, true, rest};
  if (line == "-" || line.starts_with("- ")) return ExampleLine{true, false, rest};
  if (line == "+" || line.starts_with("+ ")) return ExampleLine{false, true, rest};
  return std::nullopt;
}

void read_line(std::vector<DiagExample>& examples, std::string_view line) {
  const auto after = [&](std::size_t mark) { return line.substr(std::min(mark, line.size())); };
  if (line.starts_with("# ")) {
    examples.emplace_back().id = after(2);
    return;
  }
  if (examples.empty()) return;
  DiagExample& example = examples.back();
  if (line.starts_with("$ ")) {
    example.commands.push_back({true, true, after(2)});
  } else if (line.starts_with("-$ ")) {
    example.commands.push_back({true, false, after(3)});
  } else if (line.starts_with("+$ ")) {
    example.commands.push_back({false, true, after(3)});
  } else if (line.starts_with("@ ")) {
    example.files.push_back({after(2), {}});
  } else if (line.starts_with("> ")) {
    add_sentence(example.repair, after(2));
  } else if (line.starts_with("? ")) {
    add_sentence(example.unprovoked, after(2));
  } else if (line.starts_with("! ")) {
    example.needs = after(2);
  } else if (const auto text = marked(line)) {
    // Blank lines separate entries; inside of a file they are written with two blanks.
    if (line.empty()) return;
    MLGC_ASSERT(!example.files.empty(), "a line of an example that is in no file");
    example.files.back().lines.push_back(*text);
  } else {
    MLGC_ASSERT(false, "a line of the examples of diagnostics has no mark");
  }
}

std::vector<DiagExample> read_examples() {
  std::vector<DiagExample> examples;
  for (std::string_view text : example_texts())
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(examples, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  return examples;
}

bool differs(const ExampleLine& line) { return line.in_example != line.in_repaired; }

}  // namespace

bool DiagExample::has_repair() const {
  return std::any_of(commands.begin(), commands.end(), differs) ||
         std::any_of(files.begin(), files.end(), [](const ExampleFile& file) {
           return std::any_of(file.lines.begin(), file.lines.end(), differs);
         });
}

const std::vector<DiagExample>& diag_examples() {
  static const std::vector<DiagExample> examples = read_examples();
  return examples;
}

const DiagExample* find_example(std::string_view id) {
  for (const DiagExample& example : diag_examples())
    if (example.id == id) return &example;
  return nullptr;
}

std::string example_text(const std::vector<ExampleLine>& lines, bool repaired) {
  std::string text;
  for (const ExampleLine& line : lines)
    if (repaired ? line.in_repaired : line.in_example) text += std::string(line.text) + "\n";
  return text;
}

}  // namespace mlgc

// Reading expectations out of comments and matching them.
#include "diag/expected.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "diag/kinds_driver.h"

namespace mlgc {

namespace {

struct Expectation {
  Severity severity;
  std::optional<std::uint32_t> line;  // nothing: without a position
  std::string_view kind;              // empty: any
  std::string_view message;
  std::size_t offset;  // of the comment, for reports
  bool met = false;
};

struct Reported {
  Severity severity;
  std::optional<std::uint32_t> line;
  std::string_view kind;
  std::string message;
  Location at;
  bool optional = false;  // a remedy
};

std::string_view name_of(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

bool is_directive_character(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

class Reader {
 public:
  Reader(const SourceFile& file, const LocationTable& locations, std::vector<Diagnostic>& problems)
      : file_(file), locations_(locations), problems_(problems) {}

  std::vector<Expectation> read() {
    const std::string_view text = file_.text();
    constexpr std::string_view kWord = "expected-";
    std::size_t at = 0;
    while ((at = text.find(kWord, at)) != std::string_view::npos) {
      if (in_comment(at)) {
        at = read_one(at, at + kWord.size());
      } else {
        at += kWord.size();
      }
    }
    return std::move(expectations_);
  }

 private:
  bool in_comment(std::size_t at) const {
    const std::string_view before = file_.line(file_.line_column(at).line).substr(0, file_.line_column(at).column - 1);
    return before.find("//") != std::string_view::npos;
  }

  std::size_t bad(std::size_t at, std::size_t next, std::string_view what) {
    problems_.push_back(diagnose<kBadExpectation>(locations_.position_in(file_, at), what));
    return next;
  }

  // Returns where to go on.
  std::size_t read_one(const std::size_t begin, std::size_t at) {
    const std::string_view text = file_.text();
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    std::size_t word_end = at;
    while (word_end < line_end && is_directive_character(text[word_end])) ++word_end;
    const std::string_view word = text.substr(at, word_end - at);
    Expectation expectation{};
    expectation.offset = begin;
    if (word == "error") {
      expectation.severity = Severity::Error;
    } else if (word == "warning") {
      expectation.severity = Severity::Warning;
    } else if (word == "note") {
      expectation.severity = Severity::Note;
    } else {
      return bad(begin, word_end, "`expected-" + std::string(word) + "` is not a directive");
    }
    at = word_end;
    expectation.line = file_.line_column(begin).line;
    if (at < line_end && text[at] == '@') {
      std::size_t end = ++at;
      while (end < line_end && text[end] != ' ' && text[end] != '{' && text[end] != '[') ++end;
      const std::string_view where = text.substr(at, end - at);
      int distance = 0;
      const char* first = where.data() + (where.starts_with('+') ? 1 : 0);
      const char* last = where.data() + where.size();
      if (where == "unknown") {
        expectation.line.reset();
      } else if (where.size() >= 2 && (where[0] == '+' || where[0] == '-') &&
                 std::from_chars(first, last, distance).ptr == last && std::abs(distance) < 1'000'000 &&
                 static_cast<std::int64_t>(*expectation.line) + distance >= 1) {
        expectation.line = static_cast<std::uint32_t>(static_cast<std::int64_t>(*expectation.line) + distance);
      } else {
        return bad(begin, end, "`@" + std::string(where) + "` is not a line");
      }
      at = end;
    }
    const auto skip_spaces = [&] {
      while (at < line_end && text[at] == ' ') ++at;
    };
    skip_spaces();
    if (at < line_end && text[at] == '[') {
      const std::size_t close = text.find(']', at);
      if (close == std::string_view::npos || close > line_end) return bad(begin, line_end, "`[` without `]`");
      expectation.kind = text.substr(at + 1, close - at - 1);
      if (find_kind(expectation.kind) == nullptr)
        return bad(begin, close, "no kind has the id `" + std::string(expectation.kind) + "`");
      at = close + 1;
      skip_spaces();
    }
    if (at + 2 > line_end || text.substr(at, 2) != "{{") return bad(begin, at, "no `{{` after the directive");
    std::size_t close = text.find("}}", at + 2);
    if (close == std::string_view::npos || close + 2 > line_end) return bad(begin, line_end, "no closing braces");
    while (close + 2 < line_end && text[close + 2] == '}') ++close;
    expectation.message = text.substr(at + 2, close - at - 2);
    expectations_.push_back(expectation);
    return close + 2;
  }

  const SourceFile& file_;
  const LocationTable& locations_;
  std::vector<Diagnostic>& problems_;
  std::vector<Expectation> expectations_;
};

}  // namespace

std::vector<Diagnostic> check_expected(const SourceFile& file, std::span<const Diagnostic> got,
                                       const LocationTable& locations) {
  std::vector<Diagnostic> problems;
  std::vector<Expectation> expectations = Reader(file, locations, problems).read();

  std::vector<Reported> reported;
  const auto line_of = [&](Location at) -> std::optional<std::uint32_t> {
    const auto place = locations.primary_position(at);
    return place && place->file == file.name() ? std::optional(place->line) : std::nullopt;
  };
  for (const Diagnostic& d : got) {
    reported.push_back({d.kind->severity, line_of(d.at), d.kind->id, d.message(), d.at});
    for (const DiagNote& note : d.notes) {
      const Location at = locations.primary(note.at).known() ? note.at : d.at;
      reported.push_back({Severity::Note, line_of(at), note.kind->id, note.message(), at});
    }
    if (const std::string remedy = d.remedy(); !remedy.empty())
      reported.push_back({Severity::Note, line_of(d.at), d.kind->id, remedy, d.at, true});
  }

  // Both lists sorted by line, so that matching looks at the expectations of one line only.
  std::stable_sort(expectations.begin(), expectations.end(),
                   [](const Expectation& a, const Expectation& b) { return a.line < b.line; });
  for (const Reported& r : reported) {
    auto it = std::lower_bound(expectations.begin(), expectations.end(), r.line,
                               [](const Expectation& e, const auto& line) { return e.line < line; });
    bool met = false;
    for (; it != expectations.end() && it->line == r.line && !met; ++it) {
      if (it->met || it->severity != r.severity || it->message != r.message) continue;
      if (!it->kind.empty() && it->kind != r.kind) continue;
      it->met = met = true;
    }
    if (!met && !r.optional) problems.push_back(diagnose<kUnexpectedDiagnostic>(r.at, name_of(r.severity), r.message));
  }
  for (const Expectation& e : expectations)
    if (!e.met)
      problems.push_back(diagnose<kMissingDiagnostic>(locations.position_in(file, e.offset), name_of(e.severity),
                                                      std::string(e.message)));
  std::stable_sort(problems.begin(), problems.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto x = locations.primary_position(a.at), y = locations.primary_position(b.at);
    if (!x || !y) return x.has_value() && !y.has_value();
    return std::pair(x->line, x->column) < std::pair(y->line, y->column);
  });
  return problems;
}

}  // namespace mlgc

// Cuts the files of the prelude into pieces and finds which of them a source uses.
#include "codegen/prelude.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "support/result.h"

namespace mlgc::codegen {
namespace {

constexpr std::string_view kMark = "//- ";

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Calls `visit` with each word that starts as names of the prelude do.
template <class Visit>
void for_each_name(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && in_word(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (word.substr(0, 5) == "mlgc_" || word.substr(0, 5) == "MLGC_") visit(word);
  }
}

struct Piece {
  std::string_view text;            // what is printed
  std::vector<std::size_t> needed;  // numbers of pieces in front of this one
};

struct Pieces {
  std::vector<Piece> all;
  std::unordered_map<std::string_view, std::size_t> defining;  // the piece that a name first occurs in

  explicit Pieces(PreludeFiles files) {
    for (const std::string_view file : files)
      for (std::size_t at = file.find(kMark); at != std::string_view::npos;) {
        const std::size_t next = file.find(std::string("\n") + std::string(kMark), at);
        add(file.substr(at, next == std::string_view::npos ? next : next + 1 - at));
        at = next == std::string_view::npos ? next : next + 1;
      }
  }

  void add(std::string_view piece) {
    const std::size_t number = all.size(), end = piece.find('\n');
    MLGC_ASSERT(end != std::string_view::npos, "a piece of the prelude without text");
    Piece made{piece.substr(end + 1), {}};
    for_each_name(made.text, [&](std::string_view name) {
      const auto [found, fresh] = defining.try_emplace(name, number);
      if (!fresh && found->second != number) made.needed.push_back(found->second);
    });
    all.push_back(std::move(made));
  }
};

// Files are cut once.
const Pieces& pieces(PreludeFiles files) {
  static std::map<const std::string_view*, Pieces> known;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  return known.try_emplace(files.data(), files).first->second;
}

}  // namespace

std::string print_prelude(std::string_view source, PreludeFiles files) {
  const Pieces& known = pieces(files);
  std::vector<bool> used(known.all.size(), false);
  for_each_name(source, [&](std::string_view name) {
    const auto found = known.defining.find(name);
    if (found != known.defining.end()) used[found->second] = true;
  });
  for (std::size_t i = used.size(); i-- > 0;)
    if (used[i])
      for (const std::size_t needed : known.all[i].needed) used[needed] = true;
  std::string out;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) out += known.all[i].text;
  return out;
}

}  // namespace mlgc::codegen

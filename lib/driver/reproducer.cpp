// See reproducer.h.
#include "driver/reproducer.h"

#include <cstdlib>

#include "support/file.h"
#include "support/hash.h"

namespace mlgc {
namespace {

// A copy of a longer text would double the memory of a run that most likely ends well.
constexpr std::size_t kMaxRemembered = std::size_t{1} << 20;

struct Remembered {
  std::string name, text;  // no text when it was too long to keep
};
Remembered& remembered() {
  static Remembered input;
  return input;
}

bool plain(std::string_view word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+=./,:@%") == std::string_view::npos;
}

}  // namespace

void remember_input(std::string_view name, std::string_view text) {
  remembered().name = name;
  remembered().text = text.size() <= kMaxRemembered ? text : std::string_view();
}

std::string quoted_command(std::span<const std::string> words) {
  std::string line = "mlgc";
  for (const std::string& word : words) {
    line += ' ';
    if (plain(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string write_reproducer(std::span<const std::string> words, std::string_view what) {
  const std::string command = quoted_command(words);
  std::string text = "// " + command + "\n// internal error: ";
  for (char c : what) text += c == '\n' ? ' ' : c;
  text += "\n";
  if (!remembered().name.empty()) text += "// read from " + remembered().name + "\n" + remembered().text;
  const std::string path = write_reproducer_file(text);
  return path.empty() ? command : path;
}

std::string write_reproducer_file(std::string_view text) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  constexpr std::string_view kDigits = "0123456789abcdef";
  path += "/mlgc-reproducer-";
  for (std::uint64_t hash = hash_bytes(text), i = 0; i < 16; ++i, hash >>= 4) path += kDigits[hash & 15];
  path += ".mlir";
  return write_file(path, text) ? path : std::string();
}

}  // namespace mlgc

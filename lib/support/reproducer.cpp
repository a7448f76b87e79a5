// See reproducer.h.
#include "support/reproducer.h"

#include "support/file.h"
#include "support/hash.h"
#include "support/scratch_folder.h"
#include "support/subprocess.h"

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

}  // namespace

void remember_input(std::string_view name, std::string_view text) {
  remembered().name = name;
  remembered().text = text.size() <= kMaxRemembered ? text : std::string_view();
}

std::string quoted_command(std::span<const std::string> words) {
  std::string line = "mlgc";
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

std::string write_reproducer(std::span<const std::string> words, std::string_view what) {
  const std::string command = quoted_command(words);
  std::string text = "// " + command + "\n// internal error: ";
  for (char c : what) text += c == '\n' ? ' ' : c;
  text += "\n";
  if (!remembered().name.empty()) text += "// read from " + remembered().name + "\n" + remembered().text;
  const Result<std::string> path = write_reproducer_file(text);
  return path ? *path : command;
}

Result<std::string> write_reproducer_file(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string path = temporary_folder() + "/mlgc-reproducer-";
  for (std::uint64_t hash = hash_bytes(text), i = 0; i < 16; ++i, hash >>= 4) path += kDigits[hash & 15];
  path += ".mlir";
  if (const Status<> written = write_file(path, text); !written) return Failure{written.error()};
  return path;
}

}  // namespace mlgc

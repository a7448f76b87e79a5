// See python.h.
#include "support/python.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "support/subprocess.h"

namespace mlgc {

std::string default_python() {
  if (const char* const named = std::getenv("MLGC_PYTHON"); named != nullptr && *named != '\0') return named;
  namespace files = std::filesystem;
  std::error_code error;
  std::vector<files::path> folders{files::current_path(error)};
  // <repository>/build/<preset>/tools/mlgc/mlgc
  constexpr int kDepth = 5;
  files::path folder = own_path();
  for (int i = 0; i < kDepth; ++i) folders.push_back(folder = folder.parent_path());
  for (const files::path& candidate : folders)
    if (const files::path python = candidate / ".venv/bin/python"; files::exists(python, error)) return python.string();
  return "python3";
}

}  // namespace mlgc

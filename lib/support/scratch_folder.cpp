// See scratch_folder.h.
#include "support/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mlgc {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Result<ScratchFolder> ScratchFolder::make(std::string_view prefix) { return make_in(temporary_folder(), prefix); }

Result<ScratchFolder> ScratchFolder::make_in(const std::string& parent, std::string_view prefix) {
  std::string path = parent + "/" + std::string(prefix) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return Failure{parent + ": cannot make a folder: " + std::generic_category().message(errno)};
  return ScratchFolder(std::move(path));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mlgc

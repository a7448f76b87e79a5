// See scratch_folder.h.
#include "support/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace mlgc {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Result<ScratchFolder> ScratchFolder::make(std::string_view prefix) { return make_in(temporary_folder(), prefix); }

Result<ScratchFolder> ScratchFolder::make_in(const std::string& parent, std::string_view prefix) {
  int error = 0;
  TemporaryPath folder([&] {
    std::string path = parent + "/" + std::string(prefix) + "XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return path;
    error = errno;
    return std::string();
  });
  if (folder.path().empty())
    return Failure{parent + ": cannot make a folder: " + std::generic_category().message(error)};
  return ScratchFolder(std::move(folder));
}

}  // namespace mlgc

// See new_folder.h.
#include "support/new_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace mlgc {

namespace files = std::filesystem;

Result<NewFolder> NewFolder::make(const std::string& path) {
  const files::path target(path);
  int failed = 0;
  TemporaryPath folder([&] {
    std::string made = (target.has_parent_path() ? target.parent_path().string() + "/" : "") + ".mlgc-XXXXXX";
    if (::mkdtemp(made.data()) != nullptr) return made;
    failed = errno;
    return std::string();
  });
  if (folder.path().empty()) return Failure{path + ": cannot make a folder: " + std::strerror(failed)};
  std::error_code unused;
  files::permissions(folder.path(), files::perms(0755), unused);  // as a folder that a person makes
  return NewFolder(path, std::move(folder));
}

Status<> NewFolder::put_in_place() {
  std::error_code unused;
  const bool there = files::exists(target_, unused);
  const int failed = there ? ::renameat2(AT_FDCWD, folder_.path().c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE)
                           : ::rename(folder_.path().c_str(), target_.c_str());
  if (failed != 0) return Failure{target_ + ": cannot be put in place: " + std::strerror(errno)};
  if (!there) (void)folder_.release();
  return {};
}

}  // namespace mlgc

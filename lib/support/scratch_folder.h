// A folder for files that nobody wants to keep.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/result.h"

namespace mlgc {

// Where files go that nobody named: what TMPDIR says, else /tmp.
[[nodiscard]] std::string temporary_folder();

// A new, empty folder in temporary_folder(), which only its user can read. It goes with this object, and with it
// whatever stands in it then.
class ScratchFolder {
 public:
  // The folder's name starts with `prefix`. Error: it cannot be made.
  [[nodiscard]] static Result<ScratchFolder> make(std::string_view prefix);
  // The same in another folder.
  [[nodiscard]] static Result<ScratchFolder> make_in(const std::string& parent, std::string_view prefix);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Its path; from then on it stays.
  [[nodiscard]] std::string keep() { return std::exchange(path_, {}); }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty after a move
};

}  // namespace mlgc

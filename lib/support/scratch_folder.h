// A folder for temporary files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/interruption.h"
#include "support/result.h"

namespace mlgc {

// The default place of files: what TMPDIR says, else /tmp.
[[nodiscard]] std::string temporary_folder();

// A new, empty folder in temporary_folder(), which only its user can read. It goes with this object, and with it
// whatever stands in it then; also where a signal ends the process (support/interruption.h).
class ScratchFolder {
 public:
  // The folder's name starts with `prefix`. Error: it cannot be made.
  [[nodiscard]] static Result<ScratchFolder> make(std::string_view prefix);
  // The same in another folder.
  [[nodiscard]] static Result<ScratchFolder> make_in(const std::string& parent, std::string_view prefix);

  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string file(std::string_view name) const { return path() + "/" + std::string(name); }
  // Its path; from then on it stays.
  [[nodiscard]] std::string keep() { return folder_.release(); }

 private:
  explicit ScratchFolder(TemporaryPath folder) : folder_(std::move(folder)) {}
  TemporaryPath folder_;  // none after a move
};

}  // namespace mlgc

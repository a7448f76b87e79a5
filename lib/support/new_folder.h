// A folder that appears whole: it is filled beside its place, under a hidden name, and put there by a rename.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/interruption.h"
#include "support/result.h"

namespace mlgc {

// Goes with this object, and what stands in it, unless it took its place.
class NewFolder {
 public:
  // For `path`, which need not be there. Error: it cannot be made.
  [[nodiscard]] static Result<NewFolder> make(const std::string& path);

  // The path of a file in it.
  [[nodiscard]] std::string file(std::string_view name) const { return folder_.path() + "/" + std::string(name); }
  // What stood at `path` takes this folder's name, and goes with it.
  [[nodiscard]] Status<> put_in_place();

 private:
  NewFolder(std::string target, TemporaryPath folder) : target_(std::move(target)), folder_(std::move(folder)) {}
  std::string target_;
  TemporaryPath folder_;  // none: in place
};

}  // namespace mlgc

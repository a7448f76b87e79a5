// Private to lib/codegen: comments in front of functions.
#pragma once

#include <string>

#include "ir/module.h"

namespace mlgc::codegen {

// A line of comment, whatever stands in names and files: nothing ends it early or carries it on.
[[nodiscard]] std::string commented(std::string line);
// What the function costs.
[[nodiscard]] std::string cost_comment(OpRef func);
// The user's lines that the function came from, and its text.
[[nodiscard]] std::string text_comment(OpRef func);

}  // namespace mlgc::codegen

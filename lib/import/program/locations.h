// Where a node of an exported graph comes from: the user's file and line, the module path and the node itself.
//
// Paths of the exporting machine never get in: a file below site-packages or dist-packages is cut there, any other to
// its last two components (`shop/model.py`), of which the folder is dropped when it is the root or a home of temporary
// files.
#pragma once

#include <string>
#include <string_view>

#include "diag/location.h"
#include "import/program/program.h"

namespace mlgc::program {

// The innermost frame of a stack trace that is not inside torch itself; line 0 when there is none.
struct UserFrame {
  std::string file;
  std::uint32_t line = 0;
};
[[nodiscard]] UserFrame innermost_user_frame(std::string_view stack_trace);

// `L__self__,,pkg.Net;L__self___fc,fc,torch.nn.Linear` gives `fc`: the path of the innermost module.
[[nodiscard]] std::string module_path(std::string_view module_stack);

// `torch.ops.aten.relu.default` gives `aten.relu.default`.
[[nodiscard]] std::string_view short_target(std::string_view target);

[[nodiscard]] Location location_of(const Node& node, LocationTable& locations);

}  // namespace mlgc::program

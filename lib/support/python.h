// The Python that helps this program: runs other systems beside it.
#pragma once

#include <string>

namespace mlgc {

// What MLGC_PYTHON names, else .venv here or in a folder around this program, else `python3`.
[[nodiscard]] std::string default_python();

}  // namespace mlgc

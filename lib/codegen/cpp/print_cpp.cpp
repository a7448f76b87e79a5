// Puts a file together: headers, helpers, functions.
#include "codegen/cpp/print_cpp.h"

#include "codegen/cpp/cpp_leaves.h"
#include "codegen/loop_walk.h"

namespace mlgc {

std::string print_cpp(std::span<const OpRef> functions) {
  const codegen::CppLeaves leaves;
  std::string body;
  for (const OpRef f : functions) body += "\n" + codegen::print_loop_function(f, leaves);
  const std::string helpers = codegen::cpp_helpers(body);
  return "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstring>\n"
         "#include <limits>\n#include <memory>\n#include <new>\n" +
         (helpers.empty() ? "" : "\n" + helpers) + body;
}

std::string print_cpp(OpRef function) { return print_cpp(std::span<const OpRef>(&function, 1)); }

}  // namespace mlgc

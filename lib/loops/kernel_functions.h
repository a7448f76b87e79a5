// Private to lib/loops: the loop functions that the host functions of a module launch.
//
// Guarantees
//   - Kernels that are equal but for names and locations are one function, which is launched several times.
//   - Each is named `@f.N.words` after the function that asked for it first, numbered in the order of asking.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fusion/fusion_kernel.h"
#include "ir/function.h"
#include "ir/structural_hash.h"

namespace mlgc::loops {

class KernelFunctions {
 public:
  explicit KernelFunctions(Module& module);

  // What `lower` makes for `function`, under the name that it is given, or an equal one; of the function's `where` it
  // gets what concerns its sizes. `words` for its name.
  OpRef make(const std::function<OpRef(std::string_view)>& lower, FuncRef function, std::string_view words,
             Location at);
  // What copies the tensor of such a value; one that is known is written, not read: then it has one argument.
  OpRef copy(Value of, FuncRef function, const Facts& facts);

  // Where the next ones are put: a host function stands after what it launches.
  void stand_before(OpRef host_function) { host_function_ = host_function; }
  // A symbol that the module does not have yet.
  std::string unique(std::string name);
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void constrain(OpRef kernel, FuncRef function) const;

  Module& module_;
  Context& context_;
  std::set<std::string, std::less<>> names_;
  std::unordered_map<std::string, std::size_t> numbers_;  // by function
  std::unordered_multimap<std::uint64_t, OpRef> made_;    // by hash without the name
  StructuralHasher hasher_;
  OpRef host_function_;
  std::size_t count_ = 0;
};

}  // namespace mlgc::loops

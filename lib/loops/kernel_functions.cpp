// See kernel_functions.h.
#include "loops/kernel_functions.h"

#include <algorithm>

#include "fusion/known_values.h"
#include "ir/constraint.h"
#include "loopir/functions.h"
#include "loops/lower.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

namespace {

// A name that is short enough to read.
std::string shortened(std::string words) {
  constexpr std::size_t kMost = 48;
  if (words.size() > kMost)
    words.resize(words.rfind('_', kMost) == std::string::npos ? kMost : words.rfind('_', kMost));
  return words;
}

}  // namespace

KernelFunctions::KernelFunctions(Module& module) : module_(module), context_(module.context()), hasher_(module) {
  for (const OpRef op : module.body().ops()) names_.emplace(op.symbol());
}

std::string KernelFunctions::unique(std::string name) {
  while (!names_.insert(name).second) name += "_";
  return name;
}

// What the function says of sizes that the kernel knows.
void KernelFunctions::constrain(OpRef kernel, FuncRef function) const {
  const std::vector<AtomId> symbols = symbols_of(kernel);
  Constraints known;
  for (const Constraint& constraint : function.constraints()) {
    bool all = true;
    for (const IndexExpr term : constraint.terms)
      context_.index().for_each_atom(term, [&](AtomId atom) {
        if (context_.index().atom(atom).kind == AtomKind::Symbol)
          all &= std::find(symbols.begin(), symbols.end(), atom) != symbols.end();
      });
    if (all) known.push_back(constraint);
  }
  if (!known.empty()) FuncRef(kernel).set_constraints(known);
}

OpRef KernelFunctions::make(const std::function<OpRef(std::string_view)>& lower, FuncRef function,
                            std::string_view words, Location at) {
  const std::string of(function.name());
  std::size_t& number = numbers_[of];
  const std::string name = unique(of + "." + std::to_string(number) + "." + shortened(std::string(words)));
  const OpRef made = lower(name);
  made.set_location(at);
  constrain(made, function);
  const std::uint64_t hash = hasher_.op_hash(made, {.symbol_name = false});
  const auto [first, last] = made_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (!same_structure(known->second, made)) continue;
    made.erase();
    names_.erase(name);
    return known->second;
  }
  if (host_function_.valid()) made.move_before(host_function_);
  made_.emplace(hash, made);
  ++number;
  ++count_;
  return made;
}

OpRef KernelFunctions::copy(Value of, FuncRef function, const Facts& facts) {
  FusionKernel kernel{KernelFormula(context_), {}};
  const auto known = of.is_result() ? known_value(of.definer(), formulas(context_)) : std::nullopt;
  if (known)
    kernel.formula.add_known(of, *known);
  else
    (void)kernel.formula.add_operand(of);
  const Value wanted[] = {of};
  kernel.results = kernel.formula.set_results(wanted);
  const auto lower = [&](std::string_view name) { return lower_kernel(module_, kernel, name, facts); };
  return make(lower, function, known ? "fill" : "copy", function.op().location());
}

}  // namespace mlgc::loops

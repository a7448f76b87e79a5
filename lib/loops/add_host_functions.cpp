// See add_host_functions.h.
#include "loops/add_host_functions.h"

#include <set>
#include <string>
#include <vector>

#include "diag/kinds_codegen.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loops/inline_launches.h"
#include "ops/memory_limit.h"

namespace mlgc {
namespace {

bool is_loaded(Value buffer) {
  for (const Use& use : buffer.uses())
    if (const auto load = LoadRef::from(use.owner()); load.valid() && use == load.buffer_use()) return true;
  return false;
}

void add_host_function(Module& module, OpRef kernel) {
  Context& context = module.context();
  const std::string name(kernel.symbol());
  const std::vector<bool> written = written_arguments(kernel);
  std::vector<std::size_t> order;
  for (const bool results : {false, true})
    for (std::size_t i = 0; i < written.size(); ++i)
      if (written[i] == results) order.push_back(i);
  std::string inner = name + ".kernel";
  while (module.lookup(inner).valid()) inner += "_";
  kernel.set_attr("sym_name", context.attributes().string(inner));

  std::vector<Type> types;
  std::int64_t results = 0;
  for (const std::size_t i : order) {
    types.push_back(kernel.region(0).argument(i).type());
    results += written[i] ? 1 : 0;
  }
  Builder builder(module);
  const OpRef host_function = builder.func(name, types);
  host_function.set_location(kernel.location());
  host_function.set_attr("results", context.attributes().integer(results));
  FuncRef(host_function).set_constraints(FuncRef(kernel).constraints());
  if (const auto limit = stated_memory_limit(FuncRef(kernel))) state_memory_limit(FuncRef(host_function), *limit);
  remove_memory_limit(FuncRef(kernel));
  std::vector<Value> given(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    given[order[at]] = host_function.region(0).argument(at);
    given[order[at]].set_name(kernel.region(0).argument(order[at]).name());
  }
  builder.set_end(host_function.region(0));
  builder.set_location(kernel.location());
  LaunchRef::create(builder, kernel.symbol(), given);
  builder.create(context.opcode(LoopOp::Return), {}, {}, {});
}

}  // namespace

Status<Diagnostic> add_host_functions(Module& module) {
  std::set<std::string, std::less<>> run;
  walk(module, [&](OpRef op) {
    if (op.is(LoopOp::Launch)) run.emplace(LaunchRef::from(op).callee().symbol());
  });
  std::vector<OpRef> lone;
  for (const FuncRef f : functions(module)) {
    if (!is_loop_function(f.op()) || is_host_function(f.op()) || run.contains(f.name())) continue;
    const std::vector<bool> written = written_arguments(f.op());
    for (std::size_t i = 0; i < written.size(); ++i)
      if (written[i] && is_loaded(f.body().argument(i)))
        return Failure{diagnose<kCannotEmit>(
            f.op().location(),
            "`@" + std::string(f.name()) + "`, which reads what it writes and has no host function")};
    lone.push_back(f.op());
  }
  for (const OpRef kernel : lone) add_host_function(module, kernel);
  inline_launches(module);
  return {};
}

}  // namespace mlgc

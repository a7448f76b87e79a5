// See memory_plan.h.
#include "memory/memory_plan.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/host_function_memory.h"
#include "codegen/describe_module.h"
#include "diag/kinds_codegen.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "runtime/arena_layout.h"

namespace mlgc {
namespace {

class Planner {
 public:
  Planner(const IndexPool& index, const codegen::ModelFunction& function, SymbolSizes sizes)
      : index_(index), function_(function), sizes_(std::move(sizes)) {
    for (const SolvedProduct& solved : function.products) bind_product(solved);
  }

  MemoryPlan run() {
    out_.function = function_.host_function.symbol();
    const auto size = [this](AtomId atom) { return value_of(atom); };
    for (const Constraint& constraint : FuncRef(function_.host_function).constraints())
      if (holds(constraint, index_, size) == false)
        throw diagnose<kPlanSize>({}, "`@" + out_.function + "` wants " + print(constraint, index_));
    std::vector<std::string> stages(function_.scratch.size());
    for (const codegen::ModelSymbol& symbol : function_.symbols) {
      stages[symbol.stage] = symbol.stage == 0 ? "" : symbol.name;
      if (symbol.stage == 0 || sizes_.contains(symbol.name)) out_.sizes.emplace_back(symbol.name, size_of(symbol.name));
    }
    for (const IndexExpr scratch : function_.scratch)
      if (is_known(scratch)) out_.scratch = std::max(out_.scratch, bytes(scratch));
    for (const codegen::ModelBuffer& buffer : function_.buffers) {
      const bool known = is_known(buffer.bytes);
      out_.buffers.push_back({buffer.name, known ? bytes(buffer.bytes) : 0, 0, buffer.first, buffer.last, false,
                              stages[buffer.stage], known ? "" : index_.print(buffer.bytes), buffer.at});
    }
    for (const std::string& stage : stages) place(stage);
    find_peak();
    find_least();
    return std::move(out_);
  }

 private:
  // The product may be said, or its sizes.
  void bind_product(const SolvedProduct& solved) {
    const std::string name = index_.print(solved.product);
    const auto said = sizes_.find(name);
    const auto value = said != sizes_.end() ? std::optional(said->second) : value_of(solved.product);
    if (!value) return;
    sizes_[name] = sizes_[std::string(index_.symbol_name(solved.size))] = *value;
    for (const AtomId one : solved.ones) sizes_[std::string(index_.symbol_name(one))] = 1;
  }
  [[nodiscard]] std::optional<std::int64_t> value_of(AtomId atom) const {
    const auto found = sizes_.find(index_.symbol_name(atom));
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<std::int64_t> value_of(IndexExpr e) const {
    return index_.evaluate(e, [this](AtomId atom) { return value_of(atom); });
  }
  std::int64_t size_of(const std::string& name) const {
    const auto found = sizes_.find(name);
    if (found == sizes_.end()) throw diagnose<kPlanSize>({}, "the size of `" + name + "` is not known");
    return found->second;
  }
  // Not where it depends on what a call computes, and no value was given for that.
  [[nodiscard]] bool is_known(IndexExpr e) const {
    return std::all_of(function_.symbols.begin(), function_.symbols.end(), [&](const codegen::ModelSymbol& symbol) {
      return symbol.stage == 0 || !index_.mentions(e, symbol.atom) || sizes_.contains(symbol.name);
    });
  }
  std::int64_t bytes(IndexExpr e) const {
    const auto value = value_of(e);
    if (!value || *value < 0) throw diagnose<kPlanSize>({}, "a buffer has no size in 64 bits for these sizes");
    return *value;
  }

  // As the runtime does: each stage has a piece of memory of its own.
  void place(const std::string& stage) {
    std::vector<PlannedBuffer*> members;
    std::vector<runtime::ArenaBuffer> buffers;
    for (PlannedBuffer& buffer : out_.buffers) {
      if (buffer.stage != stage) continue;
      members.push_back(&buffer);
      buffers.push_back({buffer.bytes, static_cast<mlgc_i32>(buffer.first), static_cast<mlgc_i32>(buffer.last)});
    }
    std::vector<mlgc_i64> offsets(buffers.size());
    std::vector<mlgc_i32> workspace(3 * buffers.size());
    const mlgc_i64 arena =
        runtime::layout_arena(buffers.data(), static_cast<mlgc_i32>(buffers.size()), offsets.data(), workspace.data());
    if (arena < 0 || arena > INT64_MAX - out_.arena)
      throw diagnose<kPlanSize>({}, "the buffers together have no size in 64 bits");
    out_.arena += arena;
    for (std::size_t i = 0; i < offsets.size(); ++i) members[i]->offset = offsets[i];
  }

  // The first step with the most live bytes. Sums change where a buffer begins or ends.
  void find_peak() {
    std::map<std::size_t, std::int64_t> change;
    for (const PlannedBuffer& buffer : out_.buffers) {
      change[buffer.first] += buffer.bytes;
      change[buffer.last + 1] -= buffer.bytes;
    }
    std::int64_t live = 0;
    for (const auto& [step, difference] : change) {
      live += difference;
      if (live <= out_.at_once) continue;
      out_.at_once = live;
      out_.peak_step = step;
    }
    for (PlannedBuffer& buffer : out_.buffers)
      buffer.at_peak = buffer.unknown.empty() && buffer.first <= out_.peak_step && out_.peak_step <= buffer.last;
    walk(function_.host_function, [&](OpRef op) {
      if (op == function_.host_function) return;
      std::string text(op.name());
      if (op.is(LoopOp::Launch)) text += " @" + std::string(LaunchRef::from(op).callee().symbol());
      if (out_.steps++ == out_.peak_step) out_.peak = text;
      if (const auto buffer = function_.buffer_of.find(op.id()); buffer != function_.buffer_of.end())
        text += " " + out_.buffers[buffer->second].name;
      out_.ops.push_back(std::move(text));
    });
  }

  // What one op touches is there at once, in whatever order ops stand.
  void find_least() {
    const HostFunctionMemory memory(function_.host_function);
    std::vector<std::set<std::size_t>> touched(memory.step_count());
    for (std::size_t step = 0; step < memory.step_count(); ++step) {
      const OpRef op = memory.op_at(step);
      if (const auto launch = function_.launch_of.find(op.id()); launch != function_.launch_of.end())
        if (const auto own = function_.launches[launch->second].memory) touched[step].insert(*own);
      const auto buffer = function_.buffer_of.find(op.id());
      if (!op.is(LoopOp::Alloc) || buffer == function_.buffer_of.end()) continue;
      for_each_access(op.result(),
                      [&](const Use& use) { touched[memory.steps_of(use.owner()).first].insert(buffer->second); });
    }
    for (const std::set<std::size_t>& buffers : touched) {
      std::int64_t sum = 0;
      for (const std::size_t number : buffers) sum += out_.buffers[number].bytes;
      out_.least = std::max(out_.least, sum);
    }
  }

  const IndexPool& index_;
  const codegen::ModelFunction& function_;
  SymbolSizes sizes_;
  MemoryPlan out_;
};

void check_names(const IndexPool& index, std::span<const codegen::ModelFunction> functions, const SymbolSizes& sizes) {
  for (const auto& [name, size] : sizes)
    if (std::none_of(functions.begin(), functions.end(), [&, wanted = &name](const codegen::ModelFunction& function) {
          return has_size(index, function, *wanted);
        }))
      throw diagnose<kPlanSize>({}, "no function has a size `" + name + "`");
}

Result<std::vector<MemoryPlan>, Diagnostic> plans_of(Module& module, const SymbolSizes& sizes) {
  const auto functions = codegen::describe_module(module);
  if (!functions) return Failure{functions.error()};
  std::vector<MemoryPlan> plans;
  try {
    check_names(module.context().index(), *functions, sizes);
    for (const codegen::ModelFunction& function : *functions)
      plans.push_back(Planner(module.context().index(), function, sizes).run());
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
  return plans;
}

}  // namespace

std::vector<std::int64_t> MemoryPlan::live_by_step() const {
  std::vector<std::int64_t> live(ops.size() + 1);
  for (const PlannedBuffer& buffer : buffers) {
    live[std::min(buffer.first, ops.size())] += buffer.bytes;
    live[std::min(buffer.last + 1, ops.size())] -= buffer.bytes;
  }
  for (std::size_t step = 1; step < live.size(); ++step) live[step] += live[step - 1];
  live.pop_back();
  return live;
}

bool has_size(const IndexPool& index, const codegen::ModelFunction& function, std::string_view name) {
  const auto is_wanted = [&](AtomId symbol) { return index.symbol_name(symbol) == name; };
  return std::any_of(function.symbols.begin(), function.symbols.end(),
                     [&](const codegen::ModelSymbol& symbol) { return symbol.name == name; }) ||
         std::any_of(function.products.begin(), function.products.end(), [&](const SolvedProduct& solved) {
           return is_wanted(solved.size) || std::any_of(solved.ones.begin(), solved.ones.end(), is_wanted);
         });
}

Result<MemoryPlan, Diagnostic> plan_memory(const IndexPool& index, const codegen::ModelFunction& function,
                                           const SymbolSizes& sizes) {
  try {
    return Planner(index, function, sizes).run();
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

Result<std::vector<MemoryPlan>, Diagnostic> plan_memory(Module& planned, Module* unplanned, const SymbolSizes& sizes) {
  auto plans = plans_of(planned, sizes);
  if (!plans || unplanned == nullptr) return plans;
  const auto before = plans_of(*unplanned, sizes);
  if (!before) return Failure{before.error()};
  for (MemoryPlan& plan : *plans)
    for (const MemoryPlan& other : *before)
      if (other.function == plan.function) plan.unplanned = other.arena;
  return plans;
}

std::string sizes_text(const MemoryPlan& plan) {
  std::string out;
  for (const auto& [name, size] : plan.sizes)
    out += (out.empty() ? " with " : ", ") + name + " = " + std::to_string(size);
  return out;
}

}  // namespace mlgc

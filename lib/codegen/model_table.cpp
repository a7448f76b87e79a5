// See model_table.h.
#include "codegen/model_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/host_function_memory.h"
#include "codegen/loop_cost.h"
#include "diag/kinds_codegen.h"
#include "diag/kinds_interp.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "ops/infer_structural.h"

namespace mlgc::codegen {
namespace {

std::vector<OpRef> host_functions(const Module& module) {
  std::vector<OpRef> found;
  for (const FuncRef f : functions(module))
    if (is_host_function(f.op())) found.push_back(f.op());
  return found;
}

using KernelNumbers = std::unordered_map<OpId, std::size_t>;

class HostFunctionTable {
 public:
  HostFunctionTable(OpRef host_function, const KernelNumbers& kernels, const KernelNumbers& externals,
                    std::span<const FunctionMemory> memory, const ModelData& data)
      : context_(host_function.module().context()),
        index_(context_.index()),
        types_(context_.types()),
        function_(FuncRef::from(host_function)),
        kernels_(kernels),
        externals_(externals),
        memory_(memory),
        data_(data) {
    out_.host_function = host_function;
    products_ = solved_products(host_function);
  }

  ModelFunction run() {
    values();
    symbols();
    launches();
    for (ModelBuffer& buffer : out_.buffers) {
      check_fits(buffer.bytes);
      buffer.stage = out_.stage_of(index_, buffer.bytes);
    }
    for (const IndexExpr scratch : out_.scratch) check_fits(scratch);
    lifetimes();
    return std::move(out_);
  }

 private:
  void check_fits(IndexExpr bytes) const {
    if (bytes == index_.overflow())
      throw diagnose<kCannotEmit>(out_.host_function.location(), "`@" + std::string(function_.name()) +
                                                                     "`, which wants a buffer of more than 2^63 bytes");
  }

  void values() {
    const ResultArguments results = result_arguments(out_.host_function);
    const std::vector<UpdateTarget> updates = function_.updates();
    std::vector<std::size_t> input_of(results.is_result.size());
    for (std::size_t i = 0; i < results.is_result.size(); ++i) {
      const Value v = function_.body().argument(i);
      ModelValue value{argument_name(function_, i), v.type(), i, std::nullopt, std::nullopt};
      if (!results.is_result[i]) {
        input_of[i] = out_.inputs.size();
        out_.inputs.push_back(std::move(value));
        continue;
      }
      if (i >= results.first_update) update(updates[i - results.first_update], input_of, value);
      out_.outputs.push_back(std::move(value));
    }
    // Results and new values of inputs, then new states: the table's order.
    std::stable_partition(out_.outputs.begin(), out_.outputs.end(),
                          [](const ModelValue& value) { return !value.state.has_value(); });
  }

  void update(const UpdateTarget& target, const std::vector<std::size_t>& input_of, ModelValue& value) {
    if (target.argument) {
      value.input = input_of[*target.argument];
      value.name = out_.inputs[*value.input].name;
      return;
    }
    const std::string_view symbol = context_.strings().text(target.symbol);
    value.state = data_.state_of.at(symbol);
    const auto in_place = context_.attributes().as_string_list(out_.host_function.attr("in_place"));
    value.in_place = std::find(in_place.begin(), in_place.end(), target.symbol) != in_place.end();
    value.name = "@" + std::string(symbol);
  }

  void symbols() {
    const Constraints constraints = function_.constraints();
    const std::vector<OpRef> late = late_sizes(out_.host_function);
    out_.scratch.assign(late.size() + 1, index_.constant(0));
    for (const AtomId symbol : symbols_of(out_.host_function)) {
      if (const SolvedProduct* const solved = products_.of(symbol)) {
        product(*solved, symbol);
        continue;
      }
      const auto bind =
          std::find_if(late.begin(), late.end(), [&](OpRef op) { return BindSizeRef::from(op).size() == symbol; });
      const std::size_t stage = bind == late.end() ? 0 : static_cast<std::size_t>(bind - late.begin()) + 1;
      if (stage == 0) out_.bindings.push_back(binding(symbol));
      out_.symbols.push_back({symbol, std::string(index_.symbol_name(symbol)), 0, std::nullopt, stage});
      for (const Constraint& constraint : constraints)
        if (is_range(constraint)) narrow(constraint, out_.symbols.back());
    }
    for (const Constraint& constraint : constraints) {
      for (const IndexExpr term : constraint.terms)
        index_.for_each_atom(term, [&](AtomId atom) {
          if (index_.atom(atom).kind == AtomKind::Symbol && !is_known(atom)) (void)binding(atom);
        });
      if (!is_range(constraint) && !is_kept_by(products_, constraint, index_)) out_.constraints.push_back(constraint);
    }
  }

  // One size of it stands for the product, whatever it is called in the text.
  void product(const SolvedProduct& solved, AtomId symbol) {
    if (symbol != solved.size) return;
    out_.products.push_back(solved);
    out_.bindings.push_back(binding(solved.product));
    out_.symbols.push_back({symbol, index_.print(solved.product), solved.low, std::nullopt, 0});
  }

  [[nodiscard]] bool is_known(AtomId symbol) const {
    return products_.of(symbol) != nullptr ||
           std::any_of(out_.symbols.begin(), out_.symbols.end(),
                       [&](const ModelSymbol& known) { return known.atom == symbol; });
  }

  // What a range says of its symbol.
  void narrow(const Constraint& range, ModelSymbol& symbol) const {
    const auto is_symbol = [&](IndexExpr e) { return index_.as_atom(e) == symbol.atom; };
    const auto lower = [&](std::int64_t bound) { symbol.low = std::max(symbol.low, bound); };
    const auto upper = [&](std::int64_t bound) { symbol.high = std::min(symbol.high.value_or(bound), bound); };
    for (std::size_t i = 0; i < range.relations.size(); ++i) {
      const IndexExpr a = range.terms[i], b = range.terms[i + 1];
      const auto low = index_.as_constant(a), high = index_.as_constant(b);
      if (low && is_symbol(b)) switch (range.relations[i]) {
          case Relation::Less: lower(*low + 1); break;
          case Relation::LessEqual: lower(*low); break;
          case Relation::Greater: upper(*low - 1); break;
          default: upper(*low);
        }
      if (high && is_symbol(a)) switch (range.relations[i]) {
          case Relation::Less: upper(*high - 1); break;
          case Relation::LessEqual: upper(*high); break;
          case Relation::Greater: lower(*high + 1); break;
          default: lower(*high);
        }
    }
  }

  ModelBinding binding(AtomId symbol) {
    for (const OpRef op : function_.body().ops()) {
      const auto bind = BindSizeRef::from(op);
      if (!bind.valid() || bind.size() != symbol) continue;
      const std::size_t argument = underlying_buffer(bind.buffer()).number();
      for (std::size_t i = 0; i < out_.inputs.size(); ++i)
        if (out_.inputs[i].argument == argument) return {out_.symbols.size(), i, std::nullopt, 1, 0};
    }
    return binding(index_.from_atom(symbol));
  }

  // By the first dim of an input from which the size, a symbol or a product, is solved.
  ModelBinding binding(IndexExpr size) {
    for (std::size_t i = 0; i < out_.inputs.size(); ++i) {
      const std::span<const IndexExpr> dims = types_.dims(out_.inputs[i].type);
      for (std::size_t axis = 0; axis < dims.size(); ++axis)
        if (const auto dim = affine_dim(index_, dims[axis], size))
          return {out_.symbols.size(), i, axis, dim->factor, dim->offset};
    }
    for (const UnsolvedSize& unsolved : products_.unsolved)
      if (index_.as_atom(size) == unsolved.size)
        throw diagnose<kSizeNotInferred>(out_.host_function.location(), index_.print(size), function_.name(),
                                         unsolved.reason);
    throw diagnose<kCannotEmit>(out_.host_function.location(),
                                "`@" + std::string(function_.name()) + "`: its size `" + index_.print(size) +
                                    "` cannot be inferred from the shapes of its inputs");
  }

  // One size between constants of ordinary magnitude: the symbol's own range.
  bool is_range(const Constraint& constraint) const {
    const bool ordered = std::all_of(constraint.relations.begin(), constraint.relations.end(),
                                     [](Relation r) { return r != Relation::Equal && r != Relation::NotEqual; });
    std::set<AtomId> symbols;
    for (const IndexExpr term : constraint.terms) {
      if (const auto constant = index_.as_constant(term)) {
        if (*constant == INT64_MIN || *constant == INT64_MAX) return false;
        continue;
      }
      const auto atom = index_.as_atom(term);
      if (!atom || index_.atom(*atom).kind != AtomKind::Symbol) return false;
      symbols.insert(*atom);
    }
    return ordered && symbols.size() <= 1;
  }

  // A buffer of one iteration of a loop that threads share, or of registers: as in kernels.
  [[nodiscard]] bool is_local(OpRef alloc) const {
    if (context_.types().scope(alloc.result().type()) == Scope::Register) return true;
    for (OpRef at = alloc.parent_op(); at.valid(); at = at.parent_op())
      if (const ForRef loop = ForRef::from(at); loop.valid() && loop.kind() == LoopKind::Parallel) return true;
    return false;
  }

  void launches() {
    IndexExpr own = index_.constant(0);  // scratch of such loops
    walk(out_.host_function, [&](OpRef op) {
      if (op.is(LoopOp::Alloc) && is_local(op)) {
        own = index_.add(own, bytes_in_memory(context_, op.result().type()));
      } else if (op.is(LoopOp::Alloc) && op.operand_count() == 1) {
        // In a result the memory is no piece of the arena.
        const Value memory = memory_of(op.result());
        if (memory.is_result()) out_.buffer_of[op.id()] = out_.buffer_of.at(memory.definer().id());
      } else if (op.is(LoopOp::Alloc)) {
        const Value v = op.result();
        const IndexExpr bytes = context_.storage_bytes(v.type());
        const std::string name(v.name());
        out_.buffer_of[op.id()] = out_.buffers.size();
        out_.buffers.push_back(
            {name.empty() ? "t" + std::to_string(out_.buffers.size()) : name, bytes, 0, 0, 0, op.location()});
      }
      if (op.is(LoopOp::Launch)) launch(op);
    });
    if (own != index_.constant(0)) needs_scratch(own);
  }
  void needs_scratch(IndexExpr bytes) {
    IndexExpr& largest = out_.scratch[out_.stage_of(index_, bytes)];
    largest = index_.max(largest, bytes);
  }

  void launch(OpRef op) {
    const OpRef callee = LaunchRef::from(op).callee();
    ModelLaunch launch;
    launch.name = callee.symbol();
    describe_operands(op, callee, launch);
    const CalleeSizes sizes = CalleeSizes::of_launch(op);
    for (const AtomId symbol : symbols_of(callee)) launch.sizes.push_back(sizes.in_caller(index_.from_atom(symbol)));
    if (external_op(callee).valid()) return external(op, callee, std::move(launch));
    launch.kernel = kernels_.at(callee.id());
    const LoopCost cost = loop_cost(callee);
    launch.bytes = sizes.in_caller(index_.add(cost.read_bytes, cost.written_bytes));
    if (cost.flops) launch.flops = sizes.in_caller(*cost.flops);
    const FunctionMemory& kernel = memory_[launch.kernel];
    needs_scratch(sizes.in_caller(kernel.scratch));
    const std::size_t number = out_.launches.size();
    if (kernel.takes_memory) {
      launch.memory = out_.buffers.size();
      out_.buffers.push_back({launch.name, sizes.in_caller(kernel.bytes), 0, 0, 0, op.location()});
    }
    out_.launch_of[op.id()] = number;
    out_.launches.push_back(std::move(launch));
  }

  // What it does is the target's to know; it touches its buffers.
  void external(OpRef op, OpRef callee, ModelLaunch launch) {
    launch.external = externals_.at(callee.id());
    launch.bytes = index_.constant(0);
    for (const ModelOperand& operand : launch.operands)
      launch.bytes = index_.add(launch.bytes, context_.storage_bytes(operand.type));
    out_.launch_of[op.id()] = out_.launches.size();
    out_.launches.push_back(std::move(launch));
  }

  void describe_operands(OpRef op, OpRef callee, ModelLaunch& launch) const {
    const std::vector<bool> written = written_arguments(callee);
    for (const bool last : {false, true})
      for (std::size_t i = 0; i < op.operand_count(); ++i)
        if (written[i] == last) launch.operands.push_back({std::string(op.operand(i).name()), op.operand(i).type()});
    launch.written = static_cast<std::size_t>(std::count(written.begin(), written.end(), true));
    for (OpRef around = op.parent_op(); around != out_.host_function; around = around.parent_op())
      launch.within = std::string(around.name()) + (launch.within.empty() ? "" : " > " + launch.within);
  }

  void lifetimes() {
    const HostFunctionMemory memory(out_.host_function);
    for (const auto& [op, launch] : out_.launch_of) {
      if (!out_.launches[launch].memory) continue;
      ModelBuffer& own = out_.buffers[*out_.launches[launch].memory];
      const Life life = memory.steps_of(out_.host_function.module().op(op));
      own.first = life.first;
      own.last = life.last;
    }
    std::vector<bool> known(out_.buffers.size());
    for (std::size_t step = 0; step < memory.step_count(); ++step) {
      const OpRef op = memory.op_at(step);
      const auto found = out_.buffer_of.find(op.id());
      if (found == out_.buffer_of.end()) continue;
      ModelBuffer& buffer = out_.buffers[found->second];
      const auto life = memory.life_of(op.result());
      if (!life) continue;
      buffer.first = known[found->second] ? std::min(buffer.first, life->first) : life->first;
      buffer.last = known[found->second] ? std::max(buffer.last, life->last) : life->last;
      known[found->second] = true;
    }
  }

  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FuncRef function_;
  const KernelNumbers &kernels_, &externals_;
  std::span<const FunctionMemory> memory_;
  const ModelData& data_;
  SolvedProducts products_;
  ModelFunction out_;
};

}  // namespace

std::size_t ModelFunction::stage_of(const IndexPool& index, IndexExpr e) const {
  std::size_t stage = 0;
  for (const ModelSymbol& symbol : symbols)
    if (symbol.stage > stage && index.mentions(e, symbol.atom)) stage = symbol.stage;
  return stage;
}

namespace {

// Of one of both kinds.
std::vector<OpRef> launched_functions(const Module& module, bool externals) {
  std::set<std::string_view> names;
  for (const OpRef host_function : host_functions(module))
    walk(host_function, [&](OpRef op) {
      if (op.is(LoopOp::Launch)) names.insert(LaunchRef::from(op).callee().symbol());
    });
  std::vector<OpRef> kernels;
  for (const FuncRef f : functions(module))
    if (names.contains(f.name()) && external_op(f.op()).valid() == externals) kernels.push_back(f.op());
  return kernels;
}

}  // namespace

std::vector<OpRef> launched_kernels(const Module& module) { return launched_functions(module, false); }
std::vector<OpRef> launched_externals(const Module& module) { return launched_functions(module, true); }

ModelData model_data(const Module& module) {
  std::set<std::string_view> read, updated;
  for (const OpRef host_function : host_functions(module)) {
    walk(host_function, [&](OpRef op) {
      if (const auto data = DataRef::from(op); data.valid()) read.insert(data.name());
    });
    for (const UpdateTarget& target : FuncRef::from(host_function).updates())
      if (!target.argument) updated.insert(module.context().strings().text(target.symbol));
  }
  for (const OpRef function : launched_externals(module))
    walk(function, [&](OpRef op) {
      if (op.is(GraphOp::Read)) read.insert(*module.context().attributes().as_symbol(op.attr("symbol")));
    });
  ModelData data;
  for (const OpRef op : module.body().ops()) {
    const bool state = op.is(GraphOp::State) || updated.contains(op.symbol());
    if (!state && !(op.is(GraphOp::Weight) && read.contains(op.symbol()))) continue;
    std::vector<OpRef>& list = state ? data.states : data.weights;
    (state ? data.state_of : data.weight_of)[op.symbol()] = list.size();
    list.push_back(op);
  }
  return data;
}

namespace {

// What a derived weight is computed from stays as it is for the life of the model.
void check_derived(const Module& module, const ModelData& data) {
  std::set<std::string_view> seen;
  std::vector<OpRef> open = data.weights;
  while (!open.empty()) {
    const OpRef weight = open.back();
    open.pop_back();
    if (!seen.insert(weight.symbol()).second) continue;
    walk(weight, [&](OpRef op) {
      if (!op.is(GraphOp::Read)) return;
      const std::string_view symbol = *module.context().attributes().as_symbol(op.attr("symbol"));
      if (data.state_of.contains(symbol))
        throw diagnose<kCannotEmit>(weight.location(), "the weight `@" + std::string(weight.symbol()) +
                                                           "`, which is computed once, from `@" + std::string(symbol) +
                                                           "`, which calls change");
      open.push_back(module.lookup(symbol));
    });
  }
}

}  // namespace

Result<std::vector<ModelFunction>, Diagnostic> describe_host_functions(const Module& module,
                                                                       std::span<const FunctionMemory> kernels) {
  KernelNumbers numbers, externals;
  for (const OpRef kernel : launched_kernels(module)) numbers.emplace(kernel.id(), numbers.size());
  for (const OpRef function : launched_externals(module)) externals.emplace(function.id(), externals.size());
  const ModelData data = model_data(module);
  std::vector<ModelFunction> out;
  try {
    check_derived(module, data);
    for (const OpRef host_function : host_functions(module))
      out.push_back(HostFunctionTable(host_function, numbers, externals, kernels, data).run());
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
  return out;
}

}  // namespace mlgc::codegen

// See lower_module.h.
#include "loops/lower_module.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/kinds_loops.h"
#include "fusion/fusion_kernel.h"
#include "fusion/known_values.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "loops/lower.h"
#include "ops/instantiate_op.h"
#include "ops/loop_ops.h"

namespace mlgc {

namespace {

// What is launched for an op: its kernel on the buffers of these values.
struct Launch {
  FusionKernel kernel;
  std::vector<Value> operands, results;
  std::string words;  // for its name
  Location location;
};

class FunctionLowering {
 public:
  // `names` has the symbols of the module.
  FunctionLowering(Module& module, FuncRef function, std::set<std::string, std::less<>>& names)
      : module_(module), context_(module.context()), function_(function), builder_(module), names_(&names) {}

  // The ops that have no lowering; what the others become is noted.
  std::vector<OpRef> plan() {
    std::vector<OpRef> missing;
    for (const Value v : function_.arguments())
      if (!context_.types().is_tensor(v.type())) return {function_.op()};
    for (const OpRef op : function_.body().ops()) {
      if (op.has_trait(Traits::Terminator)) continue;
      if (op.is("read") || op.is("constant") || known_value(op, formulas(context_))) continue;
      // What nobody reads is not computed.
      if (op.is("fusion") && op.result_count() == 0) continue;
      if (!plan_launch(op)) missing.push_back(op);
    }
    return missing;
  }

  void run(LoweredCounts& counts) {
    ++counts.functions;
    counts.kernels += launches_.size();
    for (Launch& launch : launches_) kernels_.push_back(make_kernel(launch));
    driver();
    counts.kernels += copies_;
  }

 private:
  bool plan_launch(OpRef op) {
    const Facts& facts = facts_.of(op);
    std::optional<FusionKernel> kernel;
    std::string words;
    if (op.is("fusion")) {
      kernel = fusion_kernel(op, facts);
      for (const OpRef inner : op.region().ops())
        if (!inner.has_trait(Traits::Terminator) && !known_value(inner, formulas(context_)))
          words += (words.empty() ? "" : "_") + std::string(inner.name());
    } else if (std::optional<Formula> formula = op_formula(op, facts)) {
      kernel = FusionKernel{KernelFormula(context_), {}};
      for (const Value v : op.operands()) (void)kernel->formula.add_operand(v);
      kernel->formula.add(op, *formula, KernelFormula::As::Computed);
      const std::vector<Value> results(op.results().begin(), op.results().end());
      kernel->results = kernel->formula.set_results(results);
      words = op.name();
    }
    if (!kernel) return false;
    // An operand that is given twice is one of the kernel.
    std::vector<Value> operands;
    for (const Value v : op.operands())
      if (op.is("fusion") || std::find(operands.begin(), operands.end(), v) == operands.end()) operands.push_back(v);
    launches_.push_back({std::move(*kernel),
                         std::move(operands),
                         {op.results().begin(), op.results().end()},
                         std::move(words),
                         op.location()});
    return true;
  }

  std::string unique(std::string name) {
    while (!names_->insert(name).second) name += "_";
    return name;
  }
  // A name that is short enough to read.
  static std::string shortened(std::string words) {
    constexpr std::size_t kMost = 48;
    if (words.size() > kMost)
      words.resize(words.rfind('_', kMost) == std::string::npos ? kMost : words.rfind('_', kMost));
    return words;
  }

  OpRef make_kernel(const Launch& launch) {
    const std::string name =
        unique(std::string(function_.name()) + "." + std::to_string(number_++) + "." + shortened(launch.words));
    const OpRef kernel = lower_kernel(module_, launch.kernel, name, facts_.of(function_.op()));
    kernel.set_location(launch.location);
    // What the function says of sizes that the kernel knows.
    const std::vector<AtomId> symbols = symbols_of(kernel);
    Constraints known;
    for (const Constraint& constraint : function_.constraints()) {
      bool all = true;
      for (const IndexExpr term : constraint.terms)
        context_.index().for_each_atom(term, [&](AtomId atom) {
          if (context_.index().atom(atom).kind == AtomKind::Symbol)
            all &= std::find(symbols.begin(), symbols.end(), atom) != symbols.end();
        });
      if (all) known.push_back(constraint);
    }
    if (!known.empty()) FuncRef(kernel).set_constraints(known);
    return kernel;
  }

  Type buffer_type(Value v, Scope scope) { return context_.types().buffer(v.dtype(), v.dims(), scope); }

  void driver() {
    const OpRef end = function_.return_op();
    std::vector<Type> types;
    for (const Value v : function_.arguments()) types.push_back(buffer_type(v, Scope::Argument));
    for (const Value v : end.operands()) types.push_back(buffer_type(v, Scope::Argument));
    // Whatever else has to be made for it stands before it.
    std::vector<Value> returned(end.operands().begin(), end.operands().end());
    std::vector<bool> direct(returned.size());
    std::unordered_set<ValueId> launched;
    for (const Launch& launch : launches_)
      for (const Value v : launch.results) launched.insert(v.id());
    // The first return of a kernel's result is the buffer that the kernel writes.
    for (std::size_t i = 0; i < returned.size(); ++i) direct[i] = launched.erase(returned[i].id()) > 0;
    // Copies of what is no result of a kernel, or a result twice; values that are known are written, not read.
    struct Copy {
      Value from;
      OpRef kernel;
      bool reads = false;
    };
    const auto copy_kernel = [&](Value v) {
      KernelFormula formula(context_);
      bool reads = true;
      if (v.is_result())
        if (const auto known = known_value(v.definer(), formulas(context_))) {
          formula.add_known(v, *known);
          reads = false;
        }
      if (reads) (void)formula.add_operand(v);
      const Value wanted[] = {v};
      std::vector<TensorId> results = formula.set_results(wanted);
      Launch launch{
          {std::move(formula), std::move(results)}, {}, {}, reads ? "copy" : "fill", function_.op().location()};
      ++copies_;
      return Copy{v, make_kernel(launch), reads};
    };
    std::vector<std::optional<Copy>> returns(returned.size());
    for (std::size_t i = 0; i < returned.size(); ++i)
      if (!direct[i]) returns[i] = copy_kernel(returned[i]);
    std::unordered_map<ValueId, Copy> filled;
    for (const Launch& launch : launches_)
      for (const Value v : launch.operands)
        if (v.is_result() && known_value(v.definer(), formulas(context_)) && !filled.contains(v.id()))
          filled.emplace(v.id(), copy_kernel(v));
    std::unordered_map<ValueId, std::string> constants;
    const auto constant_weight = [&](Value v) {
      if (!v.is_result() || !v.definer().is("constant") || known_value(v.definer(), formulas(context_)) ||
          constants.contains(v.id()))
        return;
      std::string name = unique(std::string(function_.name()) + ".constant" + std::to_string(constants.size()));
      make_constant(v, name);
      constants.emplace(v.id(), std::move(name));
    };
    for (const Launch& launch : launches_)
      for (const Value v : launch.operands) constant_weight(v);
    for (const Value v : returned) constant_weight(v);

    const std::string name(function_.name());
    const OpRef old = function_.op();
    const OpRef func = builder_.func(name + ".driver", types);
    func.set_location(old.location());
    AttrDict attrs = old.attrs();
    AttributePool& attributes = context_.attributes();
    attrs = attributes.with(attrs, context_.strings().intern("results"),
                            attributes.integer(static_cast<std::int64_t>(function_.result_count())));
    const RegionRef body = func.region(0);
    builder_.set_end(body);
    std::size_t next = 0;
    for (const Value v : function_.arguments()) {
      buffers_[v.id()] = body.argument(next);
      body.argument(next++).set_name(v.name());
    }
    std::set<std::string> taken;
    for (std::size_t i = 0; i < returned.size(); ++i) {
      const Value out = body.argument(next++);
      outputs_.push_back(out);
      if (direct[i]) buffers_[returned[i].id()] = out;
      // Named as evaluation names the function's results, but for an argument that is given back: it has its name.
      const std::string wanted(returned[i].is_result() ? returned[i].name() : std::string_view());
      out.set_name(!wanted.empty() && taken.insert(wanted).second ? wanted : "result" + std::to_string(i));
    }
    const auto data = [&](Value v, std::string_view symbol) {
      builder_.set_location(v.definer().location());
      const AttrDict of = builder_.attrs({{"symbol", attributes.symbol(symbol)}});
      const Value made = builder_.create("data", {}, {buffer_type(v, Scope::Weight)}, of).result();
      if (!v.name().empty()) made.set_name(v.name());
      buffers_[v.id()] = made;
    };
    const auto have = [&](Value v) {
      if (buffers_.contains(v.id())) return;
      if (const auto constant = constants.find(v.id()); constant != constants.end()) return data(v, constant->second);
      if (v.is_result() && v.definer().is("read")) return data(v, *attributes.as_symbol(v.definer().attr("symbol")));
      const Value made = builder_.create("alloc", {}, {buffer_type(v, Scope::Arena)}).result();
      if (!v.name().empty()) made.set_name(v.name());
      buffers_[v.id()] = made;
      if (const auto fill = filled.find(v.id()); fill != filled.end()) launch_op(fill->second.kernel, {made});
    };
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      std::vector<Value> given;
      builder_.set_location(launches_[l].location);
      for (const Value v : launches_[l].operands) {
        have(v);
        given.push_back(buffers_.at(v.id()));
      }
      for (const Value v : launches_[l].results) {
        have(v);
        given.push_back(buffers_.at(v.id()));
      }
      builder_.set_location(launches_[l].location);
      launch_op(kernels_[l], given);
    }
    builder_.set_location(old.location());
    for (std::size_t i = 0; i < returned.size(); ++i) {
      if (!returns[i]) continue;
      std::vector<Value> given;
      if (returns[i]->reads) {
        have(returned[i]);
        given.push_back(buffers_.at(returned[i].id()));
      }
      given.push_back(outputs_[i]);
      launch_op(returns[i]->kernel, given);
    }
    // The return names the new states.
    const std::vector<Value> states(outputs_.begin() + static_cast<std::ptrdiff_t>(function_.result_count()),
                                    outputs_.end());
    builder_.create(context_.find_op("return"), states, {}, {});
    old.erase();
    func.set_attrs(attrs);
  }

  void launch_op(OpRef kernel, const std::vector<Value>& given) {
    const AttrDict attrs = builder_.attrs({{"callee", context_.attributes().symbol(kernel.symbol())}});
    builder_.create(context_.find_op("launch"), given, attrs, {});
  }

  void make_constant(Value v, const std::string& name) {
    const OpRef weight = builder_.weight(name, v.type());
    const RegionRef region = weight.add_region();
    Builder inside(module_, region);
    const Value copy = clone(v.definer(), inside).result();
    const Value yielded[] = {copy};
    inside.create(context_.find_op("yield"), yielded, {}, {});
  }

  Module& module_;
  Context& context_;
  FuncRef function_;
  Builder builder_;
  std::set<std::string, std::less<>>* names_;
  FunctionFacts facts_;
  std::vector<Launch> launches_;
  std::vector<OpRef> kernels_;  // of launches_
  std::size_t number_ = 0, copies_ = 0;
  std::unordered_map<ValueId, Value> buffers_;
  std::vector<Value> outputs_;
};

}  // namespace

std::optional<LoweredCounts> lower_to_loops(Module& module, DiagnosticEngine& diagnostics) {
  std::set<std::string, std::less<>> names;
  for (const OpRef op : module.body().ops()) names.emplace(op.symbol());
  std::vector<FunctionLowering> lowerings;
  std::vector<OpRef> missing;
  for (const FuncRef function : functions(module)) {
    if (is_loop_function(function.op())) continue;
    FunctionLowering& lowering = lowerings.emplace_back(module, function, names);
    const std::vector<OpRef> of_function = lowering.plan();
    missing.insert(missing.end(), of_function.begin(), of_function.end());
  }
  for (const OpRef op : missing) diagnostics.emit(diagnose<kNotLowered>(op.location(), op.name()));
  if (!missing.empty()) return std::nullopt;
  LoweredCounts counts;
  for (FunctionLowering& lowering : lowerings) lowering.run(counts);
  return counts;
}

}  // namespace mlgc

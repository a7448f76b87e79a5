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

  // A kernel that copies what is no result of a kernel, or a result once more; a value that is known is written, not
  // read.
  struct Copy {
    OpRef kernel;
    bool reads = false;
  };
  Copy copy_kernel(Value v) {
    KernelFormula formula(context_);
    const auto known = known_of(v);
    if (known)
      formula.add_known(v, *known);
    else
      (void)formula.add_operand(v);
    const Value wanted[] = {v};
    std::vector<TensorId> results = formula.set_results(wanted);
    ++copies_;
    const Launch launch{
        {std::move(formula), std::move(results)}, {}, {}, known ? "fill" : "copy", function_.op().location()};
    return {make_kernel(launch), !known};
  }
  std::optional<ExprId> known_of(Value v) {
    return v.is_result() ? known_value(v.definer(), formulas(context_)) : std::nullopt;
  }

  // What launches need beside kernels: copies for values that are known, weights for other constants. All of it stands
  // before the driver.
  void prepare(Value v) {
    if (known_of(v)) {
      if (!fills_.contains(v.id())) fills_.emplace(v.id(), copy_kernel(v).kernel);
    } else {
      constant_weight(v);
    }
  }
  void constant_weight(Value v) {
    if (!v.is_result() || !v.definer().is("constant") || known_of(v) || constants_.contains(v.id())) return;
    const std::string name = unique(std::string(function_.name()) + ".constant" + std::to_string(constants_.size()));
    const OpRef weight = builder_.weight(name, v.type());
    Builder inside(module_, weight.add_region());
    const Value yielded[] = {clone(v.definer(), inside).result()};
    inside.create(context_.find_op("yield"), yielded, {}, {});
    constants_.emplace(v.id(), name);
  }

  void driver() {
    const OpRef old = function_.op(), end = function_.return_op();
    const std::vector<Value> returned(end.operands().begin(), end.operands().end());
    // The first return of a kernel's result is the buffer that the kernel writes.
    std::unordered_set<ValueId> launched;
    for (const Launch& launch : launches_)
      for (const Value v : launch.results) launched.insert(v.id());
    std::vector<std::optional<Copy>> copies(returned.size());
    std::vector<bool> direct(returned.size());
    for (std::size_t i = 0; i < returned.size(); ++i) {
      direct[i] = launched.erase(returned[i].id()) > 0;
      if (!direct[i]) copies[i] = copy_kernel(returned[i]);
    }
    for (const Launch& launch : launches_)
      for (const Value v : launch.operands) prepare(v);
    for (const Value v : returned) constant_weight(v);

    std::vector<Type> types;
    for (const Value v : function_.arguments()) types.push_back(buffer_type(v, Scope::Argument));
    for (const Value v : returned) types.push_back(buffer_type(v, Scope::Argument));
    const OpRef func = builder_.func(std::string(function_.name()) + ".driver", types);
    func.set_location(old.location());
    const std::vector<Value> outputs = bind_arguments(func.region(0), returned, direct);
    builder_.set_end(func.region(0));
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      const Launch& launch = launches_[l];
      std::vector<Value> given;
      for (const auto* values : {&launch.operands, &launch.results})
        for (const Value v : *values) given.push_back(buffer(v, launch.location));
      launch_op(kernels_[l], given, launch.location);
    }
    for (std::size_t i = 0; i < returned.size(); ++i) {
      if (!copies[i]) continue;
      std::vector<Value> given;
      if (copies[i]->reads) given.push_back(buffer(returned[i], old.location()));
      given.push_back(outputs[i]);
      launch_op(copies[i]->kernel, given, old.location());
    }
    // The return names the new states.
    const std::vector<Value> states(outputs.begin() + static_cast<std::ptrdiff_t>(function_.result_count()),
                                    outputs.end());
    builder_.create(context_.find_op("return"), states, {}, {});
    const AttrDict attrs =
        context_.attributes().with(old.attrs(), context_.strings().intern("results"),
                                   context_.attributes().integer(static_cast<std::int64_t>(function_.result_count())));
    old.erase();
    func.set_attrs(attrs);
  }

  // Names the driver's arguments, notes whose buffers they are, and answers those of results and new states.
  std::vector<Value> bind_arguments(RegionRef body, const std::vector<Value>& returned,
                                    const std::vector<bool>& direct) {
    std::size_t next = 0;
    for (const Value v : function_.arguments()) {
      buffers_[v.id()] = body.argument(next);
      body.argument(next++).set_name(v.name());
    }
    std::vector<Value> outputs;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < returned.size(); ++i) {
      const Value out = body.argument(next++);
      outputs.push_back(out);
      if (direct[i]) buffers_[returned[i].id()] = out;
      // Named as evaluation names the function's results, but for an argument that is given back: it has its name.
      const std::string wanted(returned[i].is_result() ? returned[i].name() : std::string_view());
      out.set_name(!wanted.empty() && taken.insert(wanted).second ? wanted : "result" + std::to_string(i));
    }
    return outputs;
  }

  // The buffer of a value, made where it is first asked for.
  Value buffer(Value v, Location location) {
    if (const auto found = buffers_.find(v.id()); found != buffers_.end()) return found->second;
    const auto constant = constants_.find(v.id());
    const bool is_data = constant != constants_.end() || (v.is_result() && v.definer().is("read"));
    AttributePool& attributes = context_.attributes();
    Value made;
    if (is_data) {
      const std::string_view symbol = constant != constants_.end() ? std::string_view(constant->second)
                                                                   : *attributes.as_symbol(v.definer().attr("symbol"));
      builder_.set_location(v.definer().location());
      const AttrDict attrs = builder_.attrs({{"symbol", attributes.symbol(symbol)}});
      made = builder_.create("data", {}, {buffer_type(v, Scope::Weight)}, attrs).result();
    } else {
      builder_.set_location(location);
      made = builder_.create("alloc", {}, {buffer_type(v, Scope::Arena)}).result();
    }
    if (!v.name().empty()) made.set_name(v.name());
    buffers_[v.id()] = made;
    if (const auto fill = fills_.find(v.id()); fill != fills_.end()) launch_op(fill->second, {made}, location);
    return made;
  }

  void launch_op(OpRef kernel, const std::vector<Value>& given, Location location) {
    builder_.set_location(location);
    AttrDict attrs = builder_.attrs({{"callee", context_.attributes().symbol(kernel.symbol())}});
    // Kernel and driver have the same symbols.
    std::vector<StringId> names;
    std::vector<IndexExpr> sizes;
    for (const AtomId symbol : symbols_without_dim(kernel)) {
      names.push_back(context_.strings().intern(context_.index().symbol_name(symbol)));
      sizes.push_back(context_.index().from_atom(symbol));
    }
    if (!names.empty()) {
      AttributePool& attributes = context_.attributes();
      attrs = attributes.with(attrs, context_.strings().intern("names"), attributes.string_list(names));
      attrs = attributes.with(attrs, context_.strings().intern("sizes"), attributes.int_list(sizes));
    }
    builder_.create(context_.find_op("launch"), given, attrs, {});
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
  std::unordered_map<ValueId, OpRef> fills_;            // kernels that write what is known
  std::unordered_map<ValueId, std::string> constants_;  // the derived weights that they are
  std::unordered_map<ValueId, Value> buffers_;
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

// One walk in program order. An op is numbered when it is entered, so that "defined before" is a comparison.
#include "verify/verify.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/kinds_machine.h"
#include "diag/kinds_ops.h"
#include "diag/kinds_verify.h"
#include "ir/constraint.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/module_machine.h"
#include "ops/instantiate_op.h"
#include "ops/memory_limit.h"
#include "ops/stated_gradient.h"
#include "verify/check_loops.h"
#include "verify/possible_sizes.h"

namespace mlgc {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, DiagnosticEngine& diagnostics, bool any_order)
      : any_order_(any_order),
        module_(module),
        context_(module.context()),
        diagnostics_(diagnostics),
        loops_(module, diagnostics),
        seen_(module.op_id_bound()) {}

  bool run() {
    const std::size_t before = diagnostics_.error_count();
    (void)check_own_attributes(module_.top());
    check_machine();
    walk(module_, [&](OpRef op) {
      check(op);
      seen_[op.id().index()] = true;
    });
    if (disordered_) return diagnostics_.error_count() == before;
    // What is stored where says nothing while the text has other errors.
    if (diagnostics_.error_count() == before)
      for (const FuncRef& func : functions(module_))
        if (is_loop_function(func.op())) loops_.check_accesses(func.op(), facts_.of(func.op()));
    if (diagnostics_.error_count() == before)
      for (const FuncRef& func : functions(module_))
        if (is_host_function(func.op())) loops_.check_plan(func.op());
    return diagnostics_.error_count() == before;
  }

  bool run_function(OpRef func) {
    const std::size_t before = diagnostics_.error_count();
    others_seen_ = true;
    walk(func, [&](OpRef op) {
      check(op);
      seen_[op.id().index()] = true;
    });
    if (diagnostics_.error_count() == before && is_loop_function(func)) loops_.check_accesses(func, facts_.of(func));
    if (diagnostics_.error_count() == before && is_host_function(func)) loops_.check_plan(func);
    return diagnostics_.error_count() == before;
  }

 private:
  template <const DiagKind& K, class... Args>
  void report(const OpRef& op, Args&&... args) {
    diagnostics_.emit(diagnose<K>(op.location(), std::forward<Args>(args)...));
  }

  void check(const OpRef& op) {
    if (op.has_trait(Traits::TopLevelOnly) != (op.parent() == module_.body())) {
      if (op.has_trait(Traits::TopLevelOnly))
        report<kNotTopLevel>(op, op.name());
      else
        report<kOutsideFunction>(op, op.name());
      return;
    }
    if (op.has_trait(Traits::Symbol) && !symbols_.insert(context_.strings().intern(op.symbol())).second)
      report<kSymbolTwice>(op, op.symbol());
    if (op.has_trait(Traits::TopLevelOnly)) item_ = op;
    check_symbols(op);
    if (op.has_trait(Traits::Terminator) && op.next().valid()) report<kOpAfterTerminator>(op, op.name());
    bool sound = check_operands_visible(op);
    sound = check_regions(op) && sound;
    if (op.is(GraphOp::Func)) {
      check_function(FuncRef(op));
      check_gradient(FuncRef(op));
      if (auto wrong = check_memory_limit(FuncRef(op))) diagnostics_.emit(*std::move(wrong));
      loops_.check_function(op);
    }
    if (op.has_trait(Traits::BindsSize)) check_new_size(op);
    if (op.attr(context_.names().where).valid()) check_constraints(op);
    note_reads(op);
    // Types of what is not sound say nothing.
    if (sound && check_types(op)) loops_.check(op, facts_.of(item_));
    if (sound && op.is(GraphOp::Weight)) check_derivation(op);
  }

  // Makes `around_` the regions around the ops of `region`, and itself. The walk has met all of them.
  void enter(const RegionRef& region) {
    std::vector<RegionRef> inner;
    RegionRef at = region;
    for (; at.valid() && !depth_of_.contains(at.id()); at = at.parent_op().parent()) inner.push_back(at);
    around_.resize(at.valid() ? depth_of_.at(at.id()) + 1 : 0);
    for (; !inner.empty(); inner.pop_back()) {
      const std::size_t depth = around_.size();
      const bool isolated = inner.back().parent_op().has_trait(Traits::IsolatedRegion);
      depth_of_.emplace(inner.back().id(), depth);
      around_.push_back({inner.back(), isolated ? depth : depth == 0 ? 0 : around_.back().isolated});
    }
  }

  // Defined in a region around the op, before it, with no isolated region between.
  bool check_operands_visible(const OpRef& op) {
    bool sound = true;
    if (op.operand_count() == 0) return sound;
    enter(op.parent());
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const Value v = op.operand(i);
      const auto scope = depth_of_.find(v.scope().id());
      const bool around =
          scope != depth_of_.end() && scope->second < around_.size() && around_[scope->second].region == v.scope();
      if (!around) {
        report<kOperandNotVisible>(op, i, op.name());
        sound = false;
      } else if (around_.back().isolated > scope->second) {
        report<kIsolatedRegion>(op, i, op.name());
        sound = false;
      } else if (scope->second + 1 < around_.size() && v.is_result() &&
                 around_[scope->second + 1].region.parent_op() == v.definer()) {
        report<kCyclicValues>(op, "operand " + std::to_string(i) + " of `" + std::string(op.name()) +
                                      "` is a result of the `" + std::string(v.definer().name()) + "` around it");
        sound = false;
      } else if (v.is_result() && !seen_[v.definer().id().index()]) {
        disordered_ = true;
        if (any_order_) continue;
        report<kOperandBeforeDefinition>(op, i, op.name());
        sound = false;
      }
    }
    return sound;
  }

  // What an op refers to stands before the item that holds the op. (That there is such a thing is the row's to say.)
  void check_symbols(const OpRef& op) {
    for (const AttrDef& attr : op.def().attrs) {
      if (attr.kind != AttributeKind::Symbol) continue;
      const auto name = context_.attributes().as_symbol(op.attr(attr.name));
      const OpRef symbol = name ? module_.lookup(*name) : OpRef();
      if (symbol.valid() && symbol != item_ && !others_seen_ && !seen_[symbol.id().index()])
        report<kSymbolBeforeDefinition>(op, *name);
    }
  }

  bool check_regions(const OpRef& op) {
    const OpDef& def = op.def();
    std::size_t least = 0;
    for (const RegionDef& region : def.regions) least += region.optional ? 0 : 1;
    if (op.region_count() < least || op.region_count() > def.regions.size()) {
      report<kRegionNumber>(op, op.name(), least, op.region_count());
      return false;
    }
    bool sound = true;
    std::size_t i = 0;
    for (const RegionRef region : op.regions()) {
      const RegionDef& wanted = def.regions[i++];
      if (wanted.terminator.empty()) continue;
      const OpRef end = region.terminator();
      if (end.valid() && end.name() == wanted.terminator) continue;
      // A loop or choice without results yields nothing, and need not say so.
      const bool nothing_to_yield = op.has_trait(Traits::CapturesRegion) && op.result_count() == 0;
      if (!end.valid() && nothing_to_yield && wanted.terminator == "yield") continue;
      report<kRegionTerminator>(op, wanted.name, op.name(), wanted.terminator);
      sound = false;
    }
    return sound;
  }

  void check_function(const FuncRef& func) {
    const OpRef end = func.return_op();
    if (!end.valid()) return;
    const std::vector<UpdateTarget> updates = func.updates();
    if (end.operand_count() < updates.size()) {
      report<kUpdateCount>(end, func.name(), updates.size(), end.operand_count());
      return;
    }
    const std::size_t first = end.operand_count() - updates.size();
    for (std::size_t i = 0; i < updates.size(); ++i) {
      Type wanted;
      std::string name;
      if (updates[i].argument) {
        name = "argument " + std::to_string(*updates[i].argument);
        if (*updates[i].argument < func.arguments().size()) wanted = func.arguments()[*updates[i].argument].type();
      } else {
        name = "@" + std::string(context_.strings().text(updates[i].symbol));
        const OpRef symbol = module_.lookup(updates[i].symbol);
        if (symbol.valid() && (symbol.is(GraphOp::State) || symbol.is(GraphOp::Weight)))
          wanted = context_.attributes().as_type(symbol.attr(context_.names().type));
      }
      const Type given = end.operand(first + i).type();
      const bool in_buffers = context_.types().kind(given) == TypeKind::Buffer;
      if (!wanted.valid())
        report<kUpdateTarget>(func.op(), func.name(), name);
      else if (in_buffers ? !same(elements(wanted), elements(given)) : !same(wanted, given))
        report<kUpdateType>(end, name, print(wanted), print(end.operand(first + i).type()));
    }
  }

  // Some sizes can satisfy what the op states of them.
  void check_constraints(const OpRef& op) {
    const Constraints constraints = constraints_of(op);
    if (!some_sizes_fit(constraints, context_.index()))
      report<kNoSizesFit>(op, mlgc::print(constraints, context_.index()));
  }

  void check_gradient(const FuncRef& func) {
    if (!func.gradient()) return;
    if (auto wrong = check_stated_gradient(func)) {
      wrong->at = func.op().location();
      diagnostics_.emit(*std::move(wrong));
    }
    if (!func.updates().empty()) report<kBesideGradient>(func.op(), func.name(), "it has `updates`");
  }

  // Floats that an item reads, itself or by a call, get no gradient from one that it states.
  void note_reads(const OpRef& op) {
    std::string read;
    if (op.is(GraphOp::Read)) {
      const Type type = op.result_count() == 1 ? op.result().type() : Type();
      const auto name = context_.attributes().as_symbol(op.attr("symbol"));
      if (name && context_.types().is_shaped(type) && is_float(context_.types().dtype(type)))
        read = "`@" + std::string(*name) + "` is read";
    } else if (op.is(GraphOp::Call)) {
      const auto name = context_.attributes().as_symbol(op.attr("callee"));
      const OpRef callee = name ? module_.lookup(*name) : OpRef();
      if (callee.valid() && reading_.contains(callee.id()))
        read = "`@" + std::string(*name) + "` reads a weight or state";
    }
    if (read.empty()) return;
    reading_.insert(item_.id());
    if (const FuncRef func = FuncRef::from(item_); func.valid() && func.gradient())
      report<kBesideGradient>(op, func.name(), read);
  }

  // A derived weight is what its region yields.
  void check_derivation(const OpRef& weight) {
    if (weight.region_count() == 0) return;
    const OpRef end = weight.region().terminator();
    const Type wanted = context_.attributes().as_type(weight.attr(context_.names().type));
    std::string given = "(";
    for (const Value v : end.operands()) given += (given.size() > 1 ? ", " : "") + print(v.type());
    if (end.operand_count() != 1 || !same(end.operand(0).type(), wanted))
      report<kRegionYield>(end, weight.def().regions[0].name, weight.name(), given + ")", "(" + print(wanted) + ")");
  }

  // Nothing before speaks of the size: no argument has it, no op binds it.
  void check_new_size(const OpRef& op) {
    OpRef function = op;
    while (!function.is(GraphOp::Func)) {
      function = function.parent_op();
      if (!function.valid()) return;
    }
    if (function.id() != sized_) {
      sized_ = function.id();
      sizes_.clear();
      for (const Value argument : FuncRef(function).arguments()) add_sizes(argument.type());
    }
    for (const Value result : op.results()) {
      if (!context_.types().is_shaped(result.type()) || context_.types().rank(result.type()) == 0) continue;
      const auto size = context_.index().as_atom(context_.types().dims(result.type())[0]);
      if (size && !sizes_.insert(*size).second) report<kSizeTwice>(op, context_.index().symbol_name(*size), op.name());
    }
  }

  void add_sizes(Type type) {
    if (!context_.types().is_shaped(type)) return;
    for (const IndexExpr dim : context_.types().dims(type))
      context_.index().for_each_atom(dim, [&](AtomId atom) { sizes_.insert(atom); });
  }

  void check_machine() {
    const auto stated = context_.attributes().as_string(module_.top().attr(kMachineAttribute));
    if (!stated) return;
    if (const Result<Machine> machine = read_machine_spec(*stated); !machine)
      diagnostics_.emit(diagnose<kUnknownMachine>(module_.top().location(), machine.error()));
  }

  // Of the module, whose types nothing is inferred from; functions have checks of their own.
  bool check_own_attributes(const OpRef& op) {
    auto values = check_attributes(context_, op.def(), op.attrs());
    if (values) return true;
    Diagnostic diagnostic = std::move(values.error());
    diagnostic.at = op.location();
    diagnostics_.emit(std::move(diagnostic));
    return false;
  }

  bool check_types(const OpRef& op) {
    const OpDef& def = op.def();
    if (def.result_count != kVariadicResults && op.result_count() != static_cast<std::size_t>(def.result_count)) {
      report<kResultNumber>(op, op.name(), def.result_count, op.result_count());
      return false;
    }
    if (op.is(GraphOp::Func) || !has_inference(def)) return true;
    auto types = infer_types(op, facts_.of(item_));
    if (!types) {
      Diagnostic diagnostic = std::move(types.error());
      diagnostic.at = op.location();
      diagnostics_.emit(std::move(diagnostic));
      return false;
    }
    if (types->size() != op.result_count()) {
      report<kResultNumber>(op, op.name(), types->size(), op.result_count());
      return false;
    }
    bool sound = true;
    for (std::size_t i = 0; i < types->size(); ++i) {
      if (same((*types)[i], op.result(i).type())) continue;
      report<kResultTypeWrong>(op, i, op.name(), print(op.result(i).type()), print((*types)[i]));
      sound = false;
    }
    return sound;
  }

  // What a tensor or the memory of one holds.
  Type elements(Type type) {
    TypePool& types = context_.types();
    return types.is_shaped(type) ? types.tensor(types.dtype(type), types.dims(type)) : type;
  }

  // Equal, given what the function says of its sizes.
  bool same(Type a, Type b) {
    if (a == b) return true;
    TypePool& types = context_.types();
    if (types.kind(a) != types.kind(b) || !types.is_shaped(a)) return false;
    if (types.rank(a) != types.rank(b) || types.with_dims(a, {}) != types.with_dims(b, {})) return false;
    for (std::size_t i = 0; i < types.rank(a); ++i)
      if (context_.index().equal(types.dims(a)[i], types.dims(b)[i], facts_.of(item_)) != Truth::Yes) return false;
    return true;
  }

  [[nodiscard]] std::string print(Type type) const { return context_.types().print(type); }

  const bool any_order_;
  const Module& module_;
  Context& context_;
  DiagnosticEngine& diagnostics_;
  LoopChecks loops_;
  std::vector<bool> seen_;    // by op: entered already
  bool disordered_ = false;   // a value is used before its definition
  bool others_seen_ = false;  // symbols that are not checked are defined in front
  std::unordered_set<StringId> symbols_;
  OpRef item_;                        // of the module, whose inside is walked
  std::unordered_set<OpId> reading_;  // items that read float weights or states
  std::unordered_set<AtomId> sizes_;  // that the function at hand has so far, if one of its ops binds one
  OpId sized_;                        // that function
  FunctionFacts facts_;
  // The region of the op at hand and those around it, from the module's body on. Looking for each operand's region from
  // the inside out would take the depth of nested regions for each op.
  struct Around {
    RegionRef region;
    std::size_t isolated;  // the depth of the innermost isolated region, this one or one around it
  };
  std::vector<Around> around_;
  std::unordered_map<RegionId, std::size_t> depth_of_;
};

}  // namespace

bool verify(const Module& module, DiagnosticEngine& diagnostics) { return Verifier(module, diagnostics, false).run(); }

bool verify_in_any_order(const Module& module, DiagnosticEngine& diagnostics) {
  return Verifier(module, diagnostics, true).run();
}

bool verify_function(OpRef func, DiagnosticEngine& diagnostics) {
  return Verifier(func.module(), diagnostics, false).run_function(func);
}

}  // namespace mlgc

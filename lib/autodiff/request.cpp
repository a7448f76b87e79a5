// See request.h.
#include "autodiff/request.h"

#include <algorithm>
#include <unordered_set>

#include "diag/kinds_grad.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/clone.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

bool is_float_tensor(const Context& context, Type type) {
  return context.types().is_tensor(type) && is_float(context.types().dtype(type));
}

// Arguments, then the weights and states that the function reads, or all of them.
std::vector<std::pair<std::string, Type>> named_values(FuncRef function, bool all) {
  const Module& module = function.op().module();
  const AttributePool& attributes = module.context().attributes();
  std::vector<std::pair<std::string, Type>> known;
  for (std::size_t i = 0; i < function.arguments().size(); ++i)
    known.emplace_back(argument_name(function, i), function.arguments()[i].type());
  std::unordered_set<std::string> read;
  walk(function.op(), [&](OpRef op) {
    if (op.is(GraphOp::Read)) read.emplace(*attributes.as_symbol(op.attr("symbol")));
  });
  for (const OpRef item : module.body().ops())
    if ((item.is(GraphOp::Weight) || item.is(GraphOp::State)) && (all || read.contains(std::string(item.symbol()))))
      known.emplace_back("@" + std::string(item.symbol()), attributes.as_type(item.attr("type")));
  return known;
}

class Resolver {
 public:
  Resolver(FuncRef function, const GradRequest& request, DiagnosticEngine& diagnostics)
      : function_(function),
        context_(function.op().module().context()),
        at_(function.op().location()),
        request_(request),
        diagnostics_(diagnostics) {}

  std::optional<GradTargets> run(ResultDefault results) {
    const bool results_once = given_once("--of", request_.of), values_once = given_once("--wrt", request_.wrt);
    const bool results_ok = choose_results(results), values_ok = choose_values();
    return results_once && values_once && results_ok && values_ok ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  template <const DiagKind& K>
  void unknown(const std::string& name, const std::vector<std::string>& known) {
    Diagnostic diagnostic = diagnose<K>(at_, name, std::string(function_.name()));
    const std::vector<std::string_view> views(known.begin(), known.end());
    if (const auto best = closest_name(name, views))
      diagnostic.add_note<kDidYouMean>({}, *best);
    else if (!known.empty())
      diagnostic.add_note<kKnownNames>({}, known);
    diagnostics_.emit(std::move(diagnostic));
  }

  bool given_once(std::string_view flag, const std::vector<std::string>& names) {
    bool ok = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) != 0) {
        diagnostics_.emit(diagnose<kNamedTwice>(at_, flag, names[i]));
        ok = false;
      }
    }
    return ok;
  }

  bool choose_results(ResultDefault otherwise) {
    std::vector<std::string> names = request_.of;
    if (names.empty() && otherwise == ResultDefault::OnlyFloat) names.emplace_back();
    bool ok = true;
    for (const std::string& name : names) {
      const auto chosen = choose_float_result(function_, name, diagnostics_);
      ok = ok && chosen;
      if (chosen) out_.of.push_back(*chosen);
    }
    if (!names.empty()) return ok;
    const std::vector<Value> results = function_.results();
    for (std::size_t i = 0; i < results.size(); ++i)
      if (is_float_tensor(context_, results[i].type())) out_.of.push_back(i);
    if (out_.of.empty()) diagnostics_.emit(diagnose<kNoFloatResult>(at_, std::string(function_.name())));
    return !out_.of.empty();
  }

  bool choose_values() {
    const std::vector<std::pair<std::string, Type>> known = named_values(function_, !request_.wrt.empty());
    std::vector<std::string> names;
    for (const auto& [name, type] : known) {
      if (!is_float_tensor(context_, type)) continue;
      names.push_back(name);
      if (request_.wrt.empty()) out_.wrt.emplace_back(name, type);
    }
    if (request_.wrt.empty() && out_.wrt.empty()) {
      diagnostics_.emit(diagnose<kNothingToDifferentiate>(at_, std::string(function_.name())));
      return false;
    }
    bool ok = true;
    for (const std::string& name : request_.wrt) {
      const auto found = std::find_if(known.begin(), known.end(), [&](const auto& item) { return item.first == name; });
      if (found == known.end()) {
        unknown<kUnknownWrt>(name, names);
        ok = false;
      } else if (!is_float_tensor(context_, found->second)) {
        diagnostics_.emit(diagnose<kWrtNotFloat>(at_, name, context_.types().print(found->second)));
        ok = false;
      } else {
        out_.wrt.push_back(*found);
      }
    }
    return ok;
  }

  FuncRef function_;
  Context& context_;
  Location at_;
  const GradRequest& request_;
  DiagnosticEngine& diagnostics_;
  GradTargets out_;
};

}  // namespace

std::optional<GradTargets> resolve_request(FuncRef function, const GradRequest& request, ResultDefault results,
                                           DiagnosticEngine& diagnostics) {
  return Resolver(function, request, diagnostics).run(results);
}

std::vector<std::string> float_values(const Module& module, FuncRef function) {
  std::vector<std::string> names;
  for (const auto& [name, type] : named_values(function, false))
    if (is_float_tensor(module.context(), type)) names.push_back(name);
  return names;
}

std::vector<std::string> names_of(const GradTargets& targets) {
  std::vector<std::string> names;
  for (const auto& [name, type] : targets.wrt) names.push_back(name);
  return names;
}

void inline_derivations(FuncRef function, std::span<const std::string> wrt) {
  Module& module = function.op().module();
  const AttributePool& attributes = module.context().attributes();
  // Weights stand in front of those that are derived from them.
  std::unordered_set<std::string_view> wanted, through;
  for (const std::string& name : wrt)
    if (name.front() == '@') wanted.insert(std::string_view(name).substr(1));
  for (const OpRef item : module.body().ops()) {
    if (!item.is(GraphOp::Weight) || item.region_count() == 0 || wanted.contains(item.symbol())) continue;
    walk(item, [&](OpRef op) {
      if (!op.is(GraphOp::Read)) return;
      const std::string_view symbol = *attributes.as_symbol(op.attr("symbol"));
      if (wanted.contains(symbol) || through.contains(symbol)) through.insert(item.symbol());
    });
  }
  for (bool again = !through.empty(); again;) {
    again = false;
    std::vector<OpRef> reads;
    walk(function.op(), [&](OpRef op) {
      if (op.is(GraphOp::Read) && through.contains(*attributes.as_symbol(op.attr("symbol")))) reads.push_back(op);
    });
    for (const OpRef read : reads) {
      const RegionRef derivation = module.lookup(*attributes.as_symbol(read.attr("symbol"))).region(0);
      Builder builder(module);
      builder.set_before(read);
      ValueMap map;
      clone_ops(derivation, builder, map, true);
      read.result().replace_all_uses_with(map.find(derivation.terminator().operand(0)));
      read.erase();
      again = true;
    }
  }
}

Value target_value(FuncRef function, const std::string& name) {
  if (name.front() != '@') {
    for (std::size_t i = 0; i < function.arguments().size(); ++i)
      if (argument_name(function, i) == name) return function.arguments()[i];
    return {};
  }
  const AttributePool& attributes = function.op().module().context().attributes();
  std::vector<OpRef> reads;
  walk(function.op(), [&](OpRef op) {
    if (op.is(GraphOp::Read) && attributes.as_symbol(op.attr("symbol")) == std::string_view(name).substr(1))
      reads.push_back(op);
  });
  if (reads.empty()) return {};
  const OpRef first = reads.front();
  if (first != function.body().front()) first.move_before(function.body().front());
  for (std::size_t i = 1; i < reads.size(); ++i) {
    reads[i].result().replace_all_uses_with(first.result());
    reads[i].erase();
  }
  return first.result();
}

bool has_computed_size(FuncRef function, Type type) {
  const Context& context = function.op().module().context();
  std::unordered_set<AtomId> bound;
  walk(function.op(), [&](OpRef op) {
    if (!op.has_trait(Traits::BindsSize)) return;
    if (const auto size = context.index().as_atom(op.result().dims()[0])) bound.insert(*size);
  });
  bool found = false;
  for (const IndexExpr dim : context.types().dims(type))
    context.index().for_each_atom(dim, [&](AtomId atom) { found = found || bound.contains(atom); });
  return found;
}

}  // namespace mlgc

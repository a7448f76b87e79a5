// See grad_function.h.
#include "autodiff/grad_function.h"

#include "autodiff/loops_as_scans.h"
#include "autodiff/op_maker.h"
#include "autodiff/reverse.h"
#include "autodiff/working_copy.h"
#include "autodiff/zero_ways.h"
#include "diag/kinds_grad.h"
#include "ir/function_facts.h"

namespace mlgc {

namespace {

// A value that a gradient is wanted of, in the new function.
struct Target {
  std::string name;  // as it was asked for
  Value value;       // invalid: the function does not read it
  Type type;
};

class GradFunction {
 public:
  GradFunction(Module& module, FuncRef function, const GradRequest& request, const GradTargets& targets,
               DiagnosticEngine& diagnostics)
      : module_(module),
        context_(module.context()),
        old_(function),
        request_(request),
        targets_(targets),
        diagnostics_(diagnostics),
        builder_(module) {}

  FuncRef run() {
    if (!check_seeds()) return {};
    const std::string name = request_.name.empty() ? std::string(old_.name()) + "_grad" : request_.name;
    new_ = working_copy(old_, module_, free_symbol(module_, name));
    if (!differentiate()) {
      new_.op().erase();
      return {};
    }
    return new_;
  }

 private:
  bool check_seeds() {
    bool ok = true;
    for (const std::size_t i : targets_.of) {
      const Type type = old_.results()[i].type();
      const std::string shown = context_.types().print(type);
      if (context_.types().rank(type) != 0 && !request_.seed) {
        diagnostics_.emit(diagnose<kResultNeedsSeed>(old_.op().location(), result_name(old_, i), shown));
        ok = false;
      } else if (request_.seed && has_computed_size(old_, type)) {
        diagnostics_.emit(diagnose<kSeedSize>(old_.op().location(), result_name(old_, i), shown));
        ok = false;
      }
    }
    return ok;
  }

  bool differentiate() {
    std::vector<Diagnostic> errors;
    inline_derivations(new_, names_of(targets_));
    FreshSizes sizes(new_.op());
    loops_as_scans(new_.op(), sizes);
    std::vector<Target> wanted;
    for (const auto& [name, type] : targets_.wrt) wanted.push_back({name, target_value(new_, name), type});
    std::vector<Value> seeds;
    std::vector<std::string> names = argument_names(new_);
    for (const std::size_t i : targets_.of) {
      seeds.push_back(request_.seed ? new_.body().add_argument(new_.results()[i].type()) : Value());
      if (request_.seed) seeds.back().set_name(free_name("g_" + result_name(old_, i), names));
    }
    std::vector<OpRef> ops;
    for (const OpRef op : new_.body().ops())
      if (op != new_.return_op()) ops.push_back(op);
    builder_.set_before(new_.return_op());
    FunctionFacts facts;
    GradientRules rules(context_, facts.of(new_.op()));
    Reverse reverse(builder_, rules, sizes, errors);
    for (const Target& target : wanted)
      if (target.value.valid()) reverse.vary(target.value);
    reverse.spread(ops);
    for (std::size_t k = 0; k < targets_.of.size(); ++k) {
      const Value result = new_.results()[targets_.of[k]];
      const Value seed = seeds[k].valid() ? seeds[k] : filled(builder_, result.type(), 1);
      if (reverse.varied(result)) reverse.contribute(result, seed);
    }
    reverse.run(ops);
    for (Diagnostic& error : errors) diagnostics_.emit(std::move(error));
    if (!errors.empty()) return false;
    builder_.set_location(old_.op().location());
    finish(wanted, rules, sizes, reverse);
    return true;
  }

  // The gradients become results in front of what is updated.
  void finish(const std::vector<Target>& wanted, GradientRules& rules, FreshSizes& sizes, Reverse& reverse) {
    const std::size_t results = new_.result_count();
    std::vector<std::string> names;
    std::vector<Value> returned = new_.results();
    for (std::size_t i = 0; i < results; ++i) names.push_back(result_name(old_, i));
    for (const Target& target : wanted) {
      Value gradient = target.value.valid() ? reverse.adjoint(target.value) : Value();
      if (!gradient.valid()) {
        warn_of_zero(target, rules, sizes);
        gradient = filled(builder_, target.type, 0);
      }
      const std::string name = free_name("d_" + target.name.substr(target.name.front() == '@' ? 1 : 0), names);
      if (gradient.name().empty()) gradient.set_name(name);
      returned.push_back(gradient);
    }
    const OpRef end = new_.return_op();
    for (std::size_t i = results; i < end.operand_count(); ++i) returned.push_back(end.operand(i));
    end.set_operands(returned);
    set_result_names(new_, names);
  }

  // Says where the way from the value to the results ends, too.
  void warn_of_zero(const Target& target, GradientRules& rules, FreshSizes& sizes) {
    std::vector<std::string> names;
    for (const std::size_t i : targets_.of) names.push_back(result_name(old_, i));
    Diagnostic warning = diagnose<kZeroGradient>(old_.op().location(), names, target.name);
    note_ends(warning, new_, {&target.value, 1}, targets_.of, rules, sizes);
    diagnostics_.emit(std::move(warning));
  }

  Module& module_;
  Context& context_;
  FuncRef old_, new_;
  const GradRequest& request_;
  const GradTargets& targets_;
  DiagnosticEngine& diagnostics_;
  Builder builder_;
};

}  // namespace

FuncRef add_grad_function(Module& module, FuncRef function, const GradRequest& request, DiagnosticEngine& diagnostics) {
  const auto targets = resolve_request(function, request, ResultDefault::OnlyFloat, diagnostics);
  return targets ? GradFunction(module, function, request, *targets, diagnostics).run() : FuncRef();
}

}  // namespace mlgc

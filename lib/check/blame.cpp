// See blame.h.
#include "check/blame.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace mlgc {
namespace {

constexpr std::size_t kMaxTraceBytes = std::size_t{1} << 28;

// What every value was, in the order of evaluation; up to a number of bytes.
struct Trace {
  std::vector<std::pair<ValueId, Tensor>> values;
  std::size_t bytes = 0;
  [[nodiscard]] InterpretOptions options() {
    return {.observe = [this](OpRef op, std::span<const Tensor> results) {
      for (std::size_t i = 0; i < results.size() && bytes < kMaxTraceBytes; ++i) {
        bytes += results[i].byte_size() + sizeof(Tensor);
        values.emplace_back(op.result(i).id(), results[i]);
      }
    }};
  }
};

class Blamer {
 public:
  Blamer(const PassedStep& passed, std::string_view function, const Draw& draw, const ReferenceRun& before,
         Numerics mode, std::optional<NumericsClass> as)
      : passed_(passed), function_(function), draw_(draw), before_(before), mode_(mode), as_(as) {}

  Blame run() {
    Blame blame;
    blame.total = passed_.last_rewrite + 1 - passed_.first_rewrite;
    if (blame.total == 0) {
      blame.reason = "the pass does not count its rewrites";
      return blame;
    }
    std::uint64_t good = 0, bad = blame.total;
    if (!is_bad(good)) {
      if (!is_bad(bad)) {
        blame.reason = "the pass does something else when it runs again";
        return blame;
      }
    } else {
      blame.reason = "the pass changes the function without counting a rewrite";
      return blame;
    }
    while (bad - good > 1) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (is_bad(middle) ? bad : good) = middle;
    }
    RewriteGate gate(bad);
    Module without = replay(good), with = replay(bad, &gate);
    blame.rewrite = gate.last();
    find_first(without, with, gate.last().numerics, blame);
    return blame;
  }

 private:
  // The module after the first `limit` rewrites of the pass. What the pass reports is dropped.
  Module replay(std::uint64_t limit, RewriteGate* gate = nullptr) {
    Module module = passed_.before;
    RewriteGate own(limit);
    DiagnosticEngine silent(module.context().locations());
    PassContext context(*passed_.step.pass, silent, mode_, gate != nullptr ? gate : &own);
    context.gate().start_pass();
    static_cast<void>(passed_.step.pass->body.run(module, passed_.step.options.get(), context));
    widest_ = context.gate().widest();
    return module;
  }

  bool is_bad(std::uint64_t limit) {
    Module module = replay(limit);
    const auto after = run_draw(module, function_, draw_);
    return !after || compare_runs(before_, *after, as_.value_or(widest_)).has_value();
  }

  void find_first(Module& without, Module& with, NumericsClass numerics, Blame& blame) {
    Trace old_trace, new_trace;
    static_cast<void>(run_draw(without, function_, draw_, old_trace.options()));
    static_cast<void>(run_draw(with, function_, draw_, new_trace.options()));
    std::unordered_map<ValueId, std::vector<const Tensor*>> then, now;
    for (const auto& [id, tensor] : old_trace.values) then[id].push_back(&tensor);
    for (const auto& [id, tensor] : new_trace.values) now[id].push_back(&tensor);
    const FuncRef function = find_function(without, function_);
    if (function.arguments().size() == draw_.inputs.size())
      for (std::size_t i = 0; i < draw_.inputs.size(); ++i)
        for (auto* values : {&then, &now}) (*values)[function.arguments()[i].id()].push_back(&draw_.inputs[i]);
    std::unordered_map<ValueId, std::size_t> seen;
    // Under signed_zero the first difference of all is wanted, to see whether it is one of a zero's sign.
    const bool zeros = numerics == NumericsClass::SignedZero;
    const NumericsClass strict = zeros ? NumericsClass::Exact : numerics;
    const auto report = [&](Value value, const Tensor& was, const Tensor& is) {
      const auto misfit = first_misfit(was, is, strict);
      if (!misfit) return false;
      blame.zero_sign_only = zeros && !first_misfit(was, is, numerics);
      blame.first = {name_of(value) + misfit->value, place_of(value), misfit->before, misfit->after};
      return true;
    };
    for (const auto& [id, was] : old_trace.values) {
      const auto found = now.find(id);
      const std::size_t occurrence = seen[id]++;
      if (found == now.end() || occurrence >= found->second.size()) continue;
      const Tensor& is = *found->second[occurrence];
      if (!first_misfit(was, is, strict)) continue;
      // What was replaced has another id now: it is found as an operand.
      const OpRef old_op = without.value(id).definer(), new_op = with.value(id).definer();
      for (std::size_t i = 0; i < std::min(old_op.operand_count(), new_op.operand_count()); ++i) {
        const auto old_values = then.find(old_op.operand(i).id());
        const auto new_values = now.find(new_op.operand(i).id());
        if (old_values == then.end() || new_values == now.end()) continue;
        if (now.contains(old_op.operand(i).id())) continue;  // still there: the op reads something else
        if (occurrence >= old_values->second.size() || occurrence >= new_values->second.size()) continue;
        if (report(old_op.operand(i), *old_values->second[occurrence], *new_values->second[occurrence])) return;
      }
      report(without.value(id), was, is);
      return;
    }
  }

  static std::optional<Misfit> first_misfit(const Tensor& was, const Tensor& is, NumericsClass numerics) {
    const Tensor wide = was.to_reference();
    return compare_tensors(was, &wide, is, numerics);
  }

  static std::string name_of(Value value) {
    if (!value.definer().valid()) return "`%" + std::string(value.name()) + "`";
    const std::string op = "`" + std::string(value.definer().name()) + "`";
    return value.name().empty() ? "that of " + op : "`%" + std::string(value.name()) + "` of " + op;
  }
  static Location place_of(Value value) { return value.definer().valid() ? value.definer().location() : Location(); }

  const PassedStep& passed_;
  std::string_view function_;
  const Draw& draw_;
  const ReferenceRun& before_;
  Numerics mode_;
  std::optional<NumericsClass> as_;
  NumericsClass widest_ = NumericsClass::Exact;  // of the last replay
};

}  // namespace

Blame find_blame(const PassedStep& passed, std::string_view function, const Draw& draw, const ReferenceRun& before,
                 Numerics mode, std::optional<NumericsClass> as) {
  return Blamer(passed, function, draw, before, mode, as).run();
}

}  // namespace mlgc

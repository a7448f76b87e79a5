// See training_step.h.
#include "autodiff/training_step.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "autodiff/grad_function.h"
#include "autodiff/named_results.h"
#include "diag/kinds_grad.h"
#include "diag/kinds_training.h"
#include "ir/function_facts.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

class TrainingStep {
 public:
  TrainingStep(Module& module, FuncRef function, const StepRequest& request, DiagnosticEngine& diagnostics)
      : module_(module),
        context_(module.context()),
        old_(function),
        request_(request),
        diagnostics_(diagnostics),
        builder_(module) {}

  FuncRef run() {
    const std::optional<std::size_t> loss = choose_float_result(old_, request_.of, diagnostics_);
    if (!loss || !check_loss(*loss) || !choose_weights() || !check_derived()) return {};
    GradRequest gradients;
    gradients.of = {result_name(old_, *loss)};
    gradients.name = free_symbol(module_, request_.name);
    for (const std::string& symbol : trained_) gradients.wrt.push_back("@" + symbol);
    new_ = add_grad_function(module_, old_, gradients, diagnostics_);
    if (!new_.valid()) return {};
    take_step();
    return new_;
  }

 private:
  // --- what was asked for

  bool check_loss(std::size_t loss) {
    const Type type = old_.results()[loss].type();
    if (context_.types().rank(type) == 0) return true;
    diagnostics_.emit(
        diagnose<kStepWithoutLoss>(old_.op().location(), result_name(old_, loss), context_.types().print(type)));
    return false;
  }

  Type type_of(OpRef symbol) const { return context_.attributes().as_type(symbol.attr(context_.names().type)); }

  // Names without @. What grad_function.h refuses of a --wrt (names that are unknown, integers) is left to it.
  bool choose_weights() {
    if (request_.wrt.empty()) {
      std::unordered_set<std::string_view> read;
      walk(old_.op(), [&](OpRef op) {
        if (op.is(GraphOp::Read)) read.insert(*context_.attributes().as_symbol(op.attr("symbol")));
      });
      for (const OpRef item : module_.body().ops())
        if (item.is(GraphOp::Weight) && !is_derived(item) && read.contains(item.symbol()) &&
            is_float(context_.types().dtype(type_of(item))))
          trained_.emplace_back(item.symbol());
      if (trained_.empty())
        diagnostics_.emit(diagnose<kNothingToTrain>(old_.op().location(), std::string(old_.name())));
      return !trained_.empty();
    }
    bool ok = true;
    for (const std::string& name : request_.wrt) ok = choose(name) && ok;
    return ok;
  }

  bool choose(const std::string& name) {
    const Location at = old_.op().location();
    if (!name.starts_with('@')) {
      for (std::size_t i = 0; i < old_.arguments().size(); ++i)
        if (argument_name(old_, i) == name) {
          diagnostics_.emit(diagnose<kTrainsArgument>(at, name));
          return false;
        }
      return unknown(name);
    }
    const std::string symbol = name.substr(1);
    const OpRef item = module_.lookup(symbol);
    if (!item.valid() || !(item.is(GraphOp::Weight) || item.is(GraphOp::State))) return unknown(name);
    for (const UpdateTarget& target : old_.updates())
      if (!target.argument && context_.strings().text(target.symbol) == symbol) {
        diagnostics_.emit(diagnose<kTrainsUpdated>(at, symbol, std::string(old_.name())));
        return false;
      }
    if (std::find(trained_.begin(), trained_.end(), symbol) == trained_.end()) trained_.push_back(symbol);
    return true;
  }

  bool unknown(const std::string& name) {
    diagnostics_.emit(diagnose<kUnknownWrt>(old_.op().location(), name, std::string(old_.name())));
    return false;
  }

  static bool is_derived(OpRef weight) { return weight.region_count() > 0 && !weight.region(0).empty(); }

  // Nothing that is computed once reads what is trained; nor is it trained itself.
  bool check_derived() {
    bool ok = true;
    const std::unordered_set<std::string> trained(trained_.begin(), trained_.end());
    for (const OpRef item : module_.body().ops()) {
      if (!item.is(GraphOp::Weight) || !is_derived(item)) continue;
      std::string at_fault = trained.contains(std::string(item.symbol())) ? std::string(item.symbol()) : "";
      walk(item, [&](OpRef op) {
        if (!op.is(GraphOp::Read) || !at_fault.empty()) return;
        std::string symbol(*context_.attributes().as_symbol(op.attr("symbol")));
        if (trained.contains(symbol)) at_fault = std::move(symbol);
      });
      if (at_fault.empty()) continue;
      diagnostics_.emit(diagnose<kTrainsDerived>(item.location(), std::string(item.symbol()), at_fault));
      ok = false;
    }
    return ok;
  }

  // --- the new function

  void take_step() {
    // What the gradients were appended to: they come after the old results, in the order of `trained_`.
    const std::size_t results = old_.result_count();
    const std::vector<Value> all = new_.results();
    std::vector<Value> gradients(all.begin() + static_cast<std::ptrdiff_t>(results), all.end());
    const OpRef end = new_.return_op();
    std::vector<Value> returned(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(results));
    for (std::size_t i = all.size(); i < end.operand_count(); ++i) returned.push_back(end.operand(i));
    std::vector<UpdateTarget> updates = new_.updates();
    for (const OpRef op : new_.body().ops())
      if (op.is(GraphOp::Read)) reads_.emplace(*context_.attributes().as_symbol(op.attr("symbol")), op.result());
    const auto replace = [&](const std::string& symbol, Value next) {
      next.set_name(symbol + "_next");
      updates.push_back({context_.strings().intern(symbol), std::nullopt});
      returned.push_back(next);
    };

    builder_.set_before(end);
    builder_.set_location(old_.op().location());
    FunctionFacts facts;
    const OpMaker ops(builder_, facts.of(new_.op()));
    const Value rate = request_.settings.learning_rate ? Value() : rate_argument();
    std::vector<std::vector<std::string>> slots;
    for (const std::string& symbol : trained_) slots.push_back(declare(symbol));
    std::string counter;
    Value step;
    if (request_.settings.optimiser->betas) {
      const OpRef last = module_.lookup(slots.back().back());
      counter = new_state(std::string(request_.settings.optimiser->name) + ".step",
                          context_.types().tensor(Dtype::I64, std::initializer_list<std::int64_t>{}), last);
      step = ops.make("add", {read(counter)}, {{"other", context_.attributes().integer(1)}});
    }
    Optimiser optimiser(request_.settings, ops, rate, step);
    std::vector<std::pair<std::string, Value>> kept;
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      const Value weight = read(trained_[i]);
      builder_.set_location(weight.definer().location());
      std::vector<Value> before;
      for (const std::string& slot : slots[i]) before.push_back(read(slot));
      const Optimiser::Updated after = optimiser.update(weight, gradients[i], before);
      replace(trained_[i], after.weight);
      for (std::size_t k = 0; k < after.slots.size(); ++k) kept.emplace_back(slots[i][k], after.slots[k]);
    }
    if (step.valid()) kept.emplace_back(counter, step);
    for (const auto& [symbol, next] : kept) replace(symbol, next);

    end.set_operands(returned);
    new_.set_updates(updates);
    set_result_names(new_, result_names(old_));
  }

  Value rate_argument() {
    std::vector<std::string> taken = argument_names(new_);
    const Value rate =
        new_.body().add_argument(context_.types().tensor(Dtype::F64, std::initializer_list<std::int64_t>{}));
    rate.set_name(free_name("lr", taken));
    return rate;
  }

  // Makes a state of the weight, and after it those that the optimiser keeps for it; gives the names of these.
  std::vector<std::string> declare(const std::string& symbol) {
    OpRef last = module_.lookup(symbol);
    const Type type = type_of(last);
    if (last.is(GraphOp::Weight)) {
      const OpRef state = module_.create(context_.opcode(GraphOp::State), {}, last.attrs(), {}, last.location());
      state.move_after(last);
      last.erase();
      last = state;
    }
    std::vector<std::string> names;
    for (const std::string_view slot : optimiser_slots(request_.settings)) {
      names.push_back(new_state(symbol + "." + std::string(slot), type, last));
      last = module_.lookup(names.back());
    }
    return names;
  }

  // A state of zeros, declared after the op `behind`.
  std::string new_state(const std::string& wanted, Type type, OpRef behind) {
    std::string name = free_symbol(module_, wanted);
    AttributePool& pool = context_.attributes();
    const Attribute zero = is_float(context_.types().dtype(type)) ? pool.real(0) : pool.integer(0);
    const AttrDict attrs =
        builder_.attrs({{"sym_name", pool.string(name)}, {"type", pool.type(type)}, {"initial", zero}});
    const OpRef state = module_.create(context_.opcode(GraphOp::State), {}, attrs, {}, behind.location());
    state.move_after(behind);
    return name;
  }

  // The value at the start of the call.
  Value read(const std::string& symbol) {
    Value& known = reads_[symbol];
    if (known.valid()) return known;
    const Type type = type_of(module_.lookup(symbol));
    const AttrDict attrs = builder_.attrs({{"symbol", context_.attributes().symbol(symbol)}});
    known = builder_.create(GraphOp::Read, {}, {type}, attrs).result();
    known.set_name(symbol);
    return known;
  }

  Module& module_;
  Context& context_;
  FuncRef old_, new_;
  const StepRequest& request_;
  DiagnosticEngine& diagnostics_;
  Builder builder_;
  std::vector<std::string> trained_;
  std::map<std::string, Value> reads_;  // of what is trained or kept, by symbol
};

}  // namespace

FuncRef add_training_step(Module& module, FuncRef function, const StepRequest& request, DiagnosticEngine& diagnostics) {
  return TrainingStep(module, function, request, diagnostics).run();
}

}  // namespace mlgc

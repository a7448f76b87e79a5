// See split_gradient.h.
#include "autodiff/split_gradient.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/backward_slice.h"
#include "autodiff/request.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "ops/op_sizes.h"

namespace mlgc {

namespace {

class Split {
 public:
  Split(FuncRef function, std::string_view name, std::size_t results, std::size_t cotangents)
      : function_(function),
        module_(function.op().module()),
        context_(module_.context()),
        name_(name),
        results_(results),
        inputs_(function.arguments().size() - cotangents) {}

  std::optional<SplitFunctions> run() {
    const OpRef end = function_.return_op();
    std::vector<Value> kept, gradients;
    const std::size_t all = function_.result_count();
    for (std::size_t i = 0; i < end.operand_count(); ++i)
      (i < results_ || i >= all ? kept : gradients).push_back(end.operand(i));
    std::vector<OpRef> roots;
    for (const OpRef op : function_.body().ops())
      if (op.result_count() == 0 && op != end) roots.push_back(op);  // checks
    forward_ = backward_slice(kept, roots);
    if (reads_cotangent(kept)) return std::nullopt;
    find_free();
    backward_ = backward_slice(gradients, {}, [this](OpRef op) { return in_backward(op); });
    for (const OpRef op : function_.body().ops())
      if (backward_.contains(op.id()))
        for (const Value value : values_read(op)) note_saved(value);
    for (const Value value : gradients) note_saved(value);
    save_sizes(gradients);
    name_saved();
    return SplitFunctions{make_forward(kept), make_backward(gradients)};
  }

 private:
  [[nodiscard]] bool reads_cotangent(const std::vector<Value>& kept) const {
    const auto is_cotangent = [this](Value value) { return value.is_argument() && value.number() >= inputs_; };
    const auto ops = function_.body().ops();
    return std::any_of(kept.begin(), kept.end(), is_cotangent) || std::any_of(ops.begin(), ops.end(), [&](OpRef op) {
             const std::vector<Value> read = forward_.contains(op.id()) ? values_read(op) : std::vector<Value>();
             return std::any_of(read.begin(), read.end(), is_cotangent);
           });
  }

  // What is made again instead of saved: what has no operands, draws, whose key is saved, and what is computed from
  // each element of these alone.
  void find_free() {
    std::unordered_set<OpId> drawn;
    for (const OpRef op : function_.body().ops()) {
      if (op.region_count() != 0) continue;
      if (op.operand_count() == 0) {
        if (!op.is(GraphOp::Read) || is_weight(op)) free_.insert(op.id());
        continue;
      }
      const bool random = op.has_trait(Traits::Random);
      if (!random && !op.has_trait(Traits::Elementwise)) continue;
      bool all_free = true, any_drawn = random;
      for (std::size_t i = 0; i < op.operand_count(); ++i) {
        const Value operand = op.operand(i);
        // A seed and an offset: little to save, whatever is generated from them.
        if (random && op.def().operands[i].name == "key") continue;
        all_free = all_free && operand.is_result() && free_.contains(operand.definer().id());
        any_drawn = any_drawn || (operand.is_result() && drawn.contains(operand.definer().id()));
      }
      if (!all_free || !any_drawn) continue;
      free_.insert(op.id());
      drawn.insert(op.id());
    }
  }

  [[nodiscard]] bool is_weight(OpRef read) const {
    return module_.lookup(*context_.attributes().as_symbol(read.attr("symbol"))).is(GraphOp::Weight);
  }

  [[nodiscard]] bool in_backward(OpRef op) const { return !forward_.contains(op.id()) || free_.contains(op.id()); }

  void note_saved(Value value) {
    const bool argument = value.is_argument();
    if (argument ? value.number() >= inputs_ : in_backward(value.definer())) return;
    if (known_.insert(value.id()).second) saved_.push_back(value);
  }

  // `saved_x`; of values without a name `saved_<number>`. No result of forward and no cotangent has the name.
  void name_saved() {
    std::vector<std::string> taken;
    for (std::size_t i = 0; i < results_; ++i) taken.push_back(result_name(function_, i));
    for (std::size_t i = inputs_; i < function_.arguments().size(); ++i) taken.push_back(argument_name(function_, i));
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      const std::string_view name = saved_[i].name();
      saved_names_.push_back(free_name("saved_" + (name.empty() ? std::to_string(i) : std::string(name)), taken));
    }
  }

  // A size that backward speaks of must be one of its arguments' own: else an argument that has it is saved too.
  void save_sizes(const std::vector<Value>& gradients) {
    std::unordered_set<AtomId> told;
    const auto tell = [&](Value value) {
      for (const IndexExpr dim : value.dims())
        if (const auto atom = context_.index().as_atom(dim)) told.insert(*atom);
    };
    for (const Value value : saved_) tell(value);
    for (std::size_t i = inputs_; i < function_.arguments().size(); ++i) tell(function_.arguments()[i]);
    const auto speak = [&](AtomId size) {
      if (told.contains(size)) return;
      for (std::size_t i = 0; i < inputs_; ++i) {
        const Value input = function_.arguments()[i];
        if (!context_.types().is_tensor(input.type())) continue;
        const auto has = [&](IndexExpr dim) { return context_.index().as_atom(dim) == size; };
        if (!std::any_of(input.dims().begin(), input.dims().end(), has)) continue;
        note_saved(input);
        tell(input);
        return;
      }
    };
    for (const Value value : gradients)
      for (const IndexExpr dim : value.dims())
        context_.index().for_each_atom(dim, [&](AtomId atom) {
          if (context_.index().atom(atom).kind == AtomKind::Symbol) speak(atom);
        });
    for (const OpRef op : function_.body().ops())
      if (backward_.contains(op.id())) walk(op, [&](OpRef inner) { for_each_size(inner, speak); });
  }

  FuncRef make_function(std::string_view suffix, const std::vector<Type>& types) {
    Builder builder(module_);
    const OpRef made = builder.func(free_symbol(module_, name_ + std::string(suffix)), types);
    made.set_location(function_.op().location());
    for (const std::string_view attribute : {"where", "numerics"})
      if (const Attribute value = function_.op().attr(attribute); value.valid()) made.set_attr(attribute, value);
    return FuncRef(made);
  }

  void finish(FuncRef made, Builder& builder, const std::vector<Value>& values, const std::vector<std::string>& names) {
    builder.set_location(function_.return_op().location());
    builder.create(context_.opcode(GraphOp::Return), values, AttrDict{}, {});
    set_result_names(made, names);
  }

  FuncRef make_forward(const std::vector<Value>& kept) {
    std::vector<Type> types;
    for (std::size_t i = 0; i < inputs_; ++i) types.push_back(function_.arguments()[i].type());
    const FuncRef made = make_function("_forward", types);
    Builder builder(module_, made.body());
    ValueMap map;
    for (std::size_t i = 0; i < inputs_; ++i) {
      made.arguments()[i].set_name(argument_name(function_, i));
      map.set(function_.arguments()[i], made.arguments()[i]);
    }
    for (const OpRef op : function_.body().ops())
      if (forward_.contains(op.id())) clone(op, builder, map);
    std::vector<Value> returned;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results_; ++i) {
      returned.push_back(map.find(kept[i]));
      names.push_back(result_name(function_, i));
    }
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      returned.push_back(map.find(saved_[i]));
      names.push_back(saved_names_[i]);
    }
    for (std::size_t i = results_; i < kept.size(); ++i) returned.push_back(map.find(kept[i]));
    finish(made, builder, returned, names);
    made.set_updates(function_.updates());
    return made;
  }

  FuncRef make_backward(const std::vector<Value>& gradients) {
    std::vector<Type> types;
    for (const Value value : saved_) types.push_back(value.type());
    for (std::size_t i = inputs_; i < function_.arguments().size(); ++i)
      types.push_back(function_.arguments()[i].type());
    const FuncRef made = make_function("_backward", types);
    Builder builder(module_, made.body());
    ValueMap map;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool is_saved = i < saved_.size();
      const std::size_t from = is_saved ? 0 : inputs_ + i - saved_.size();
      made.arguments()[i].set_name(is_saved ? saved_names_[i] : argument_name(function_, from));
      map.set(is_saved ? saved_[i] : function_.arguments()[from], made.arguments()[i]);
    }
    for (const OpRef op : function_.body().ops())
      if (backward_.contains(op.id())) clone(op, builder, map);
    std::vector<Value> returned;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      returned.push_back(map.find(gradients[i]));
      names.push_back(result_name(function_, results_ + i));
    }
    finish(made, builder, returned, names);
    return made;
  }

  FuncRef function_;
  Module& module_;
  Context& context_;
  std::string name_;
  std::size_t results_, inputs_;
  std::unordered_set<OpId> forward_, backward_;  // that the results need, and those of backward
  std::unordered_set<OpId> free_;
  std::unordered_set<ValueId> known_;
  std::vector<Value> saved_;
  std::vector<std::string> saved_names_;
};

}  // namespace

std::optional<SplitFunctions> split_gradient(FuncRef function, std::string_view name, std::size_t results,
                                             std::size_t cotangents) {
  return Split(function, name, results, cotangents).run();
}

}  // namespace mlgc

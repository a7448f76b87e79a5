// Statements as nests, and the ops that nests are made of.
#include "loops/lower.h"

#include <algorithm>
#include <bit>

#include "ir/clone.h"
#include "loopir/loop_ops.h"
#include "loops/lowering.h"
#include "ops/instantiate_op.h"

namespace mlgc {
namespace loops {

Lowering::Lowering(Module& module, const Formula& formula, const Facts& facts)
    : module_(module),
      context_(module.context()),
      index_(context_.index()),
      types_(context_.types()),
      pool_(formulas(context_)),
      formula_(formula),
      facts_(facts),
      scalars_(scalar_ops(context_)),
      builder_(module),
      next_letter_(static_cast<std::uint32_t>(formula.letter_names.size())) {}

Dtype Lowering::held(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16 ? Dtype::F32 : dtype; }

// ---------------------------------------------------------------------------------------------------- ops

Value Lowering::apply(ScalarFn fn, std::initializer_list<Value> operands, Dtype result) {
  const Opcode opcode = scalars_.find(fn);
  MLGC_ASSERT(opcode != Opcode::Invalid,
              "no row of the op table computes `" + std::string(scalar_fn_info(fn).name) + "`");
  const Type types[] = {scalar(held(result))};
  return builder_.create(opcode, std::vector<Value>(operands), {}, types).result();
}

Value Lowering::choose(Value condition, Value yes, Value no) {
  MLGC_ASSERT(scalars_.choice() != Opcode::Invalid, "no row of the op table chooses between two values");
  const Value operands[] = {condition, yes, no};
  const Type types[] = {yes.type()};
  return builder_.create(scalars_.choice(), operands, {}, types).result();
}

// 16-bit floats are held in f32, exactly: what is only moved goes back to the value that it was.
Value Lowering::unheld(Value value, Dtype to) {
  const OpRef from = value.definer();
  if (!from.valid() || value.dtype() != Dtype::F32) return {};
  if (from.is(GraphOp::Cast)) return from.operand(0).dtype() == to ? from.operand(0) : Value();
  if (!from.is(LoopOp::If) || from.result_count() != 1) return {};
  for (const RegionRef arm : from.regions()) {
    const OpRef of = arm.terminator().operand(0).definer();
    const bool is_held = of.valid() && of.is(GraphOp::Cast) && of.operand(0).dtype() == to;
    if (!is_held && !(of.valid() && LiteralRef::from(of).valid())) return {};
  }
  // A copy: others may want it in f32.
  ValueMap map;
  const OpRef made = clone(from, builder_, map);
  for (const RegionRef arm : made.regions()) {
    OpRef end = arm.terminator();
    const OpRef of = end.operand(0).definer();
    Builder at(builder_.module());
    at.set_before(end);
    end.set_operand(
        0, of.is(GraphOp::Cast) ? of.operand(0) : LiteralRef::create(at, to, LiteralRef::from(of)).op().result());
    if (of.results_unused()) of.erase();
  }
  made.result().set_type(scalar(to));
  return made.result();
}

Value Lowering::cast(Value value, Dtype to) {
  if (value.dtype() == to) return value;
  // Every type has 0 and 1: what was a truth value is one again, whatever it was in between.
  if (const OpRef from = value.definer();
      from.valid() && from.is(GraphOp::Cast) && from.operand(0).dtype() == Dtype::I1)
    return cast(from.operand(0), to);
  if (to == Dtype::F16 || to == Dtype::BF16)
    if (const Value was = unheld(value, to); was.valid()) return was;
  const AttrDict attrs = builder_.attrs({{"dtype", context_.attributes().dtype(to)}});
  return builder_.create(GraphOp::Cast, {value}, {scalar(to)}, attrs).result();
}

Value Lowering::constant(Dtype dtype, double real, std::int64_t integer) {
  return LiteralRef::create(builder_, dtype, real, integer).op().result();
}

Value Lowering::applied(IndexExpr e) {
  Values operands;
  const Attribute value = brackets(std::span(&e, 1), operands);
  return ApplyRef::create(builder_, operands, value).op().result();
}

Value Lowering::guard(std::span<const IndexExpr> conditions) {
  Values operands;
  const Attribute all = brackets(conditions, operands);
  return GuardRef::create(builder_, operands, all).holds();
}

void Lowering::check(std::span<const IndexExpr> conditions, std::string_view message) {
  Values operands;
  const Attribute all = brackets(conditions, operands);
  CheckRef::create(builder_, operands, all, message);
}

Lowering::Values Lowering::loop(AtomId letter, IndexExpr from, IndexExpr to, bool parallel, const Values& initial,
                                const Body& body) {
  Values operands;
  const IndexExpr ends[] = {from, to};
  const Attribute bounds = brackets(ends, operands);
  const std::uint32_t number = index_.atom(letter).number;
  // Letters and tensors are named apart in formulas, values are not.
  std::string name = number < formula_.letter_names.size()
                         ? formula_.letter_names[number]
                         : "i" + std::to_string(number - formula_.letter_names.size());
  while (formula_.find(name)) name += "_";
  const ForRef made = ForRef::create(builder_, std::move(operands), bounds, initial, name);
  if (parallel) made.set_kind(LoopKind::Parallel);
  Values carried;
  for (std::size_t i = 0; i < made.carried_count(); ++i) carried.push_back(made.carried(i));
  letters_[letter] = made.index();
  values_.emplace_back();
  builder_.set_end(made.body());
  const Values next = body(carried);
  builder_.create(context_.opcode(LoopOp::Yield), next, {}, {});
  values_.pop_back();
  letters_.erase(letter);
  builder_.set_after(made.op());
  return Values(made.op().results().begin(), made.op().results().end());
}

Lowering::Values Lowering::branch(Value condition, std::span<const Type> types, const std::function<Values()>& then,
                                  const std::function<Values()>& otherwise) {
  const Value operands[] = {condition};
  const OpRef op = builder_.create(context_.opcode(LoopOp::If), operands, {}, types, otherwise ? 2 : 1);
  const auto arm = [&](RegionRef region, const std::function<Values()>& body) {
    values_.emplace_back();
    builder_.set_end(region);
    const Values results = body();
    builder_.create(context_.opcode(LoopOp::Yield), results, {}, {});
    values_.pop_back();
  };
  arm(op.region(0), then);
  if (otherwise) arm(op.region(1), otherwise);
  builder_.set_after(op);
  return Values(op.results().begin(), op.results().end());
}

Lowering::Values Lowering::branch(Value condition, const Values& otherwise, const std::function<Values()>& then) {
  std::vector<Type> types;
  for (const Value v : otherwise) types.push_back(v.type());
  if (otherwise.empty()) return branch(condition, types, then, {});
  return branch(condition, types, then, [&] { return otherwise; });
}

std::vector<IndexExpr> Lowering::stored_subscripts(TensorId tensor, std::span<const IndexExpr> subscripts) const {
  std::vector<IndexExpr> out;
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    if (in_row_.empty() || in_row_[tensor.index()].empty() || !in_row_[tensor.index()][d]) out.push_back(subscripts[d]);
  return out;
}

Value Lowering::load(TensorId tensor, std::span<const IndexExpr> subscripts, bool checked) {
  Values operands{buffers_[tensor.index()]};
  const Attribute at = brackets(stored_subscripts(tensor, subscripts), operands);
  return LoadRef::create(builder_, operands, at, checked).value();
}

void Lowering::store(Value value, TensorId tensor, std::span<const IndexExpr> subscripts, bool checked) {
  Values operands{value, buffers_[tensor.index()]};
  const Attribute at = brackets(stored_subscripts(tensor, subscripts), operands);
  StoreRef::create(builder_, operands, at, checked);
}

// ---------------------------------------------------------------------------------------------------- statements

// The result starts as a copy of the base, or as zero.
void Lowering::initialise(const Statement& st) {
  const FormulaTensor& target = formula_.tensor(st.result);
  std::vector<AtomId> letters;
  std::vector<IndexExpr> at;
  for (const IndexExpr extent : target.shape) {
    const IndexExpr letter = index_.letter(next_letter_++, extent);
    letters.push_back(*index_.as_atom(letter));
    at.push_back(letter);
  }
  nest(plan_nest(letters, {}), true, {}, [&](const Values&) -> Values {
    const Value first = st.base.valid() ? load(st.base, at, false) : constant(target.dtype, 0, 0);
    store(first, st.result, at, false);
    return {};
  });
}

void Lowering::write(const Statement& st) {
  const FormulaTensor& target = formula_.tensor(st.result);
  Value value = emit(st.body);
  const bool checked = !open_bounds(st.result, st.subscripts).empty();
  if (st.write != WriteOp::Set) {
    const Value old = cast(load(st.result, st.subscripts, checked), held(target.dtype));
    value = cast(value, held(target.dtype));
    switch (st.write) {
      case WriteOp::Add: value = apply(ScalarFn::Add, {old, value}, target.dtype); break;
      case WriteOp::Mul: value = apply(ScalarFn::Mul, {old, value}, target.dtype); break;
      // The order of operands decides between equal values: what is there stays.
      case WriteOp::Max: value = apply(ScalarFn::Max, {value, old}, target.dtype); break;
      case WriteOp::Min: value = apply(ScalarFn::Min, {value, old}, target.dtype); break;
      case WriteOp::Set: break;
    }
  }
  store(cast(value, target.dtype), st.result, st.subscripts, checked && st.write == WriteOp::Set);
}

void Lowering::statement(const Statement& st) {
  if (!st.pull || st.guard.valid() || st.base.valid()) initialise(st);
  const bool never =
      st.guard.valid() && pool_.node(st.guard).kind == NodeKind::Literal && pool_.literal_integer(st.guard) == 0;
  if (never) return;
  nest(plan_nest(st.letters, st.guard), st.pull, {}, [&](const Values&) -> Values {
    write(st);
    return {};
  });
}

OpRef Lowering::declare(std::string_view name, std::span<const TensorId> arguments) {
  std::vector<Type> types;
  buffers_.resize(formula_.tensors.size());
  for (const TensorId id : arguments)
    types.push_back(types_.buffer(formula_.tensor(id).dtype, formula_.tensor(id).shape, Scope::Argument));
  const OpRef func = builder_.func(name, types);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    buffers_[arguments[i].index()] = func.region(0).argument(i);
    func.region(0).argument(i).set_name(formula_.tensor(arguments[i]).name);
  }
  builder_.set_end(func.region(0));
  values_.emplace_back();
  return func;
}

void Lowering::all_statements() {
  for (const Statement& st : formula_.statements) {
    const FormulaTensor& target = formula_.tensor(st.result);
    if (target.role == TensorRole::Temporary) {
      const Type type = types_.buffer(target.dtype, target.shape, Scope::Arena);
      Value& buffer = buffers_[st.result.index()];
      buffer = builder_.create(LoopOp::Alloc, {}, {type}).result();
      buffer.set_name(target.name);
    }
    values_.emplace_back();
    statement(st);
    values_.pop_back();
  }
}

OpRef Lowering::run(std::string_view name) {
  std::vector<TensorId> arguments;
  for (const TensorRole role : {TensorRole::Operand, TensorRole::Result})
    for (std::size_t i = 0; i < formula_.tensors.size(); ++i)
      if (formula_.tensors[i].role == role) arguments.emplace_back(i);
  const OpRef func = declare(name, arguments);
  all_statements();
  builder_.create(LoopOp::Return, {}, {});
  return func;
}

}  // namespace loops

OpRef lower_formula(Module& module, const Formula& formula, std::string_view name, const Facts& facts) {
  return loops::Lowering(module, formula, facts).run(name);
}

OpRef lower_kernel(Module& module, const FusionKernel& kernel, std::string_view name, const Facts& facts) {
  return loops::Lowering(module, kernel.formula.formula(), facts).run(name, kernel);
}

}  // namespace mlgc

// See check_loops.h.
#include "verify/check_loops.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <vector>

#include "analysis/attention_nest.h"
#include "analysis/loop_access.h"
#include "diag/kinds_interp.h"
#include "diag/kinds_loops.h"
#include "diag/kinds_ops.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "ops/infer_structural.h"

namespace mlgc {
namespace {

constexpr std::int64_t kMostUnrolled = 1024;
constexpr std::int64_t kFewestStages = 2, kMostStages = 8;
constexpr std::int64_t kMostRegisters = 4096;  // elements of one buffer

bool is_scratch(Scope scope) { return scope == Scope::Thread || scope == Scope::Register; }

// As it stands in the text; values without a name have none here either.
std::string text_of(OpRef op, IndexExpr e) {
  const IndexPool& pool = op.module().context().index();
  return pool.print(e, [&](AtomId id) {
    const std::string_view name = op.operand(pool.atom(id).number).name();
    return name.empty() ? std::string("%_") : "%" + std::string(name);
  });
}

// Whether the operands that stand in the expression are known once unrolled loops are written out.
bool is_constant_unrolled(OpRef op, IndexExpr e) {
  const IndexPool& pool = op.module().context().index();
  bool constant = true;
  pool.for_each_atom(e, [&](AtomId id) {
    const Atom& atom = pool.atom(id);
    if (atom.kind == AtomKind::Symbol) constant = false;
    if (atom.kind != AtomKind::Opaque || !constant) return;
    const Value v = op.operand(atom.number);
    if (v.is_result()) {
      constant = v.definer().is(LoopOp::Apply) && is_constant_unrolled(v.definer(), subscripts_of(v.definer())[0]);
      return;
    }
    const ForRef loop = ForRef::from(v.argument_of().parent_op());
    constant = loop.valid() && loop.index() == v && loop.kind() == LoopKind::Unrolled &&
               is_constant_unrolled(loop.op(), loop.first());
  });
  return constant;
}

// The index of a vector loop whose strips start at multiples of its lanes.
bool is_lane(OpRef op, IndexExpr e) {
  const IndexPool& pool = op.module().context().index();
  const auto atom = pool.as_atom(e);
  if (!atom || pool.atom(*atom).kind != AtomKind::Opaque) return false;
  const Value v = op.operand(pool.atom(*atom).number);
  if (v.is_result()) return false;
  const ForRef loop = ForRef::from(v.argument_of().parent_op());
  if (!loop.valid() || loop.index() != v || loop.kind() != LoopKind::Vector) return false;
  const auto first = pool.as_constant(loop.first());
  const std::int64_t lanes = loop.lanes();
  return first && lanes > 0 && *first % lanes == 0;
}

}  // namespace

OpRef LoopChecks::loop_around(OpRef op, std::initializer_list<LoopKind> kinds, RegionRef outside) const {
  for (RegionRef at = op.parent(); at.valid() && !(at == outside); at = at.parent_op().parent()) {
    const ForRef loop = ForRef::from(at.parent_op());
    if (loop.valid() && std::find(kinds.begin(), kinds.end(), loop.kind()) != kinds.end()) return loop.op();
  }
  return {};
}

void LoopChecks::check(OpRef op, const Facts& facts) {
  switch (op.loop_op()) {
    case LoopOp::For:
      if (const ForRef loop = ForRef::from(op); loop.valid()) check_loop(loop);
      return;
    case LoopOp::Alloc: return check_alloc(op, facts);
    case LoopOp::Dealloc: return check_dealloc(DeallocRef::from(op));
    case LoopOp::BufferView: return check_view(op, facts);
    case LoopOp::Load:
    case LoopOp::Store: return check_access(op, AccessRef::from(op).buffer());
    case LoopOp::TransposeInPlace: return check_transposition(TransposeInPlaceRef::from(op));
    case LoopOp::Launch: return check_launch(op, facts);
    case LoopOp::External: return check_external(op);
    case LoopOp::BindSize: return check_bind(op);
    // Types say all of these, and what holds for ops of both levels is verify.cpp's.
    case LoopOp::Scalar:
    case LoopOp::Func:
    case LoopOp::Return:
    case LoopOp::If:
    case LoopOp::While:
    case LoopOp::Condition:
    case LoopOp::Yield:
    case LoopOp::Guard:
    case LoopOp::Apply:
    case LoopOp::Literal:
    case LoopOp::Fma:
    case LoopOp::Bits:
    case LoopOp::Check:
    case LoopOp::Data: return;
  }
}

// ---------------------------------------------------------------------------------------------------- loops

void LoopChecks::check_loop(ForRef loop) {
  const OpRef op = loop.op();
  const IndexPool& pool = context_.index();
  const LoopKind kind = loop.kind();
  if (kind != LoopKind::Vector) {
    for (const std::string_view attribute : {"lanes", "per_lane", "combine"})
      if (op.attr(attribute).valid()) report<kVectorOnly>(op, attribute, loop_kind_name(kind));
  }
  if (kind == LoopKind::Vector) {
    const std::int64_t lanes = loop.lanes();
    if (lanes < 2 || lanes > kMostLanes || !std::has_single_bit(static_cast<std::uint64_t>(lanes)))
      report<kVectorLanes>(op, op.attr("lanes").valid() ? std::to_string(lanes) : "none");
    const std::int64_t per_lane = loop.per_lane();
    if (per_lane < 1 || per_lane > kMostPerLane || !std::has_single_bit(static_cast<std::uint64_t>(per_lane)))
      report<kVectorPerLane>(op, per_lane);
    check_combine(loop);
  }
  if (const auto skew = skew_of(loop); skew && (kind != LoopKind::Vector || !is_skew(pool, *skew, loop.per_lane())))
    report<kAttributeValue>(op, "bounds", "for",
                            "a third bound belongs to vector loops with `per_lane`, and is a number below that or a "
                            "remainder, such as `7*%i mod 4`");
  if (kind != LoopKind::Matrix && op.attr("stages").valid()) report<kMatrixOnly>(op, loop_kind_name(kind));
  if (kind == LoopKind::Matrix) {
    if (loop.stages() < kFewestStages || loop.stages() > kMostStages) report<kMatrixStages>(op, loop.stages());
    if (const auto cause = why_no_matrix_loop(loop)) report<kMatrixNest>(op, *cause);
  }
  if (kind == LoopKind::Parallel && loop.carried_count() > 0) report<kParallelCarries>(op, loop.carried_count());
  if (kind == LoopKind::Unrolled) {
    const IndexExpr extent = context_.index().sub(loop.last(), loop.first());
    const auto count = pool.as_constant(extent);
    if (!count || *count > kMostUnrolled) {
      report<kUnrolledExtent>(op, text_of(op, extent));
    }
  }
}

void LoopChecks::check_combine(ForRef loop) {
  const std::vector<std::string_view> words = loop.combine();
  if (words.size() != loop.carried_count()) {
    report<kCombineCount>(loop.op(), loop.carried_count(), words.size(), kCombineWords);
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto fn = combine_function(words[i]);
    if (!fn) {
      report<kCombineWord>(loop.op(), words[i], kCombineWords);
      continue;
    }
    const auto step = carried_step(loop, i);
    if (!step)
      report<kCombineForm>(loop.op(), i, words[i], step.error());
    else if (step->fn != *fn)
      report<kCombineForm>(loop.op(), i, words[i],
                           "`" + std::string(step->op.name()) + "` is " + std::string(combine_word(step->fn)));
  }
}

// ---------------------------------------------------------------------------------------------------- buffers

void LoopChecks::check_alloc(OpRef op, const Facts& facts) {
  const TypePool& types = context_.types();
  const Type type = op.result().type();
  if (types.kind(type) != TypeKind::Buffer) {
    report<kBufferStated>(op, types.print(type));
    return;
  }
  const Scope scope = types.scope(type);
  if (scope == Scope::Argument || scope == Scope::Weight) {
    report<kAllocScope>(op, scope_name(scope));
    return;
  }
  if (scope == Scope::Arena && loop_around(op, {LoopKind::Parallel}).valid()) report<kArenaInParallel>(op);
  if (op.operand_count() > 0) check_memory(op, facts);
  if (scope != Scope::Register) return;
  const auto count = types.element_count(type);
  if (!count || *count > kMostRegisters)
    report<kRegisterBuffer>(
        op, op.result().name(),
        count ? "it has " + std::to_string(*count) + " elements, more than " + std::to_string(kMostRegisters)
              : "its sizes are not constant");
}

// The same memory: dtype, scope and number of elements stay.
void LoopChecks::check_view(OpRef op, const Facts& facts) {
  TypePool& types = context_.types();
  IndexPool& index = context_.index();
  const Value viewed = BufferViewRef::from(op).of();
  const Type from = viewed.type(), to = op.result().type();
  const auto refuse = [&](const std::string& reason) {
    report<kBufferView>(op, types.print(to), types.print(from), reason);
  };
  if (types.kind(to) != TypeKind::Buffer) return refuse("it is not a buffer");
  if (types.dtype(to) != types.dtype(from)) return refuse("it has another dtype");
  if (types.scope(to) != types.scope(from)) return refuse("it has another scope");
  if (types.scope(to) == Scope::Register) return refuse("names have no order in memory");
  for (const Type type : {from, to})
    if (types.layout(type) != StringId()) return refuse("only row-major buffers are viewed");
  const IndexExpr wanted = element_count(op.result()), there = element_count(viewed);
  if (index.equal(wanted, there, facts) != Truth::Yes)
    refuse("it has " + index.print(wanted) + " elements, and there are " + index.print(there));
}

// Known by one buffer, and by nothing else.
void LoopChecks::check_bind(OpRef op) {
  const TypePool& types = context_.types();
  const AtomId size = BindSizeRef::from(op).size();
  const auto refuse = [&](const std::string& reason) {
    report<kBindSize>(op, context_.index().symbol_name(size), reason);
  };
  OpRef func = op;
  while (func.valid() && !func.is(GraphOp::Func)) func = func.parent_op();
  if (!func.valid() || !is_host_function(func)) return refuse("it is not in a function with `results = N`");
  if (const OpRef loop = loop_around(op, {LoopKind::Parallel, LoopKind::Vector}); loop.valid())
    return refuse("it is in a " + std::string(loop_kind_name(ForRef::from(loop).kind())) + " loop");
  const Value value = underlying_buffer(BindSizeRef::from(op).buffer());
  if ((value.dtype() != Dtype::I32 && value.dtype() != Dtype::I64) || types.element_count(value.type()) != 1)
    return refuse("`" + std::string(value.name()) + "` is not an i32 or i64");
  for (const Value v : func.region(0).arguments())
    if (types.is_shaped(v.type()) && !result_arguments(func).is_result[v.number()])
      for (const IndexExpr dim : v.dims())
        if (context_.index().mentions(dim, size)) return refuse("`" + std::string(v.name()) + "` has it as a dim");
  // Whoever called has to be told how large a result is.
  if (op.parent_op() != func)
    for (const Value v : func.region(0).arguments())
      if (types.is_shaped(v.type()))
        for (const IndexExpr dim : v.dims())
          if (context_.index().mentions(dim, size))
            return refuse("the result `" + std::string(v.name()) + "` has it as a dim, and its region may not run");
  OpRef first;
  walk(func, [&](OpRef other) {
    if (!first.valid() && other.is(LoopOp::BindSize) && BindSizeRef::from(other).size() == size) first = other;
  });
  if (first != op) return refuse("another one binds it already");
  if (!BindSizeRef::from(op).is_known_before()) check_uses_of_size(op, func);
}

// An op with a size that becomes known during a call comes after the op that binds it.
void LoopChecks::check_uses_of_size(OpRef bind, OpRef func) {
  const IndexPool& pool = context_.index();
  const AtomId size = BindSizeRef::from(bind).size();
  const auto has_size = [&](OpRef op) {
    const auto in_type = [&](Value v) {
      if (!context_.types().is_shaped(v.type())) return false;
      const auto dims = v.dims();
      return std::any_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return pool.mentions(dim, size); });
    };
    bool found = false;
    for (const Value v : op.operands()) found = found || in_type(v);
    for (const Value v : op.results()) found = found || in_type(v);
    for (const IndexExpr e : subscripts_of(op)) found = found || pool.mentions(e, size);
    if (op.is(LoopOp::Launch))
      for (const auto& [name, e] : LaunchRef::from(op).stated_sizes()) found = found || pool.mentions(e, size);
    return found;
  };
  const auto in_region = [&](OpRef op) {
    RegionRef at = op.parent();
    while (at.valid() && at != bind.parent()) at = at.parent_op().parent();
    return at.valid();
  };
  bool behind = false;
  walk(func, [&](OpRef op) {
    behind = behind || op == bind;
    if (op != bind && op != func && !(behind && in_region(op)) && has_size(op))
      report<kSizeNotBound>(op, pool.symbol_name(size), behind ? "in another region" : "later");
  });
}

void LoopChecks::check_access(OpRef op, Value buffer) {
  const TypePool& types = context_.types();
  const std::size_t rank = types.rank(buffer.type());
  if (subscripts_of(op).size() != rank) {
    report<kSubscriptRank>(op, op.name(), subscripts_of(op).size(), rank);
    return;
  }
  const Scope scope = types.scope(buffer.type());
  if (scope == Scope::Weight && op.is(LoopOp::Store)) report<kReadOnlyBuffer>(op, op.name(), buffer.name());
  if (is_scratch(scope) && loop_around(op, {LoopKind::Parallel}, underlying_buffer(buffer).scope()).valid())
    report<kSharedScratch>(op, buffer.name(), scope_name(scope));
  if (scope == Scope::Register) check_registers(op, buffer);
}

void LoopChecks::check_registers(OpRef op, Value buffer) {
  std::size_t axis = 0;
  for (const IndexExpr e : subscripts_of(op)) {
    if (!is_constant_unrolled(op, e) && !is_lane(op, e))
      report<kRegisterBuffer>(
          op, buffer.name(),
          "which element subscript " + std::to_string(axis) + " means is not known when code is written");
    ++axis;
  }
}

// It stands where its buffer does, so no loop or branch comes between: it happens once for each buffer.
void LoopChecks::check_transposition(TransposeInPlaceRef op) {
  const Value buffer = op.buffer();
  const auto dims = buffer.dims();
  const auto refuse = [&](std::string_view reason) { report<kTransposition>(op.op(), buffer.name(), reason); };
  if (!buffer.is_result() || !AllocRef::from(buffer.definer()).valid() ||
      context_.types().scope(buffer.type()) != Scope::Register)
    return refuse("it is not an `alloc` in scope register");
  const auto size = dims.size() == 2 && dims[0] == dims[1] ? context_.index().as_constant(dims[0]) : std::nullopt;
  if (!size || *size < 1 || !std::has_single_bit(static_cast<std::uint64_t>(*size)))
    return refuse("it is not a square of a constant size that is a power of two");
  if (!(op.op().parent() == buffer.definer().parent())) return refuse("its `alloc` is in another region");
}

// ---------------------------------------------------------------------------------------------------- accesses

void LoopChecks::check_accesses(OpRef func, const Facts& facts) {
  LoopAccess walk(context_, facts);
  check_places(func.region(0), walk, facts);
}

void LoopChecks::check_places(RegionRef region, LoopAccess& walk, const Facts& facts) {
  walk.enter(region);
  for (const OpRef op : region.ops()) {
    if (op.is(LoopOp::Load) || op.is(LoopOp::Store)) check_place(op, walk);
    if (const ForRef loop = ForRef::from(op); loop.valid()) check_conflicts(loop, facts);
    for (const RegionRef inner : op.regions()) check_places(inner, walk, facts);
    walk.pass(op);
  }
  walk.leave();
}

void LoopChecks::check_place(OpRef access, LoopAccess& walk) {
  // What is tested when it runs may be known to fail there: it may never run.
  if (AccessRef::from(access).checked()) return;
  const AccessVerdict verdict = walk.place(access);
  if (verdict.place == AccessVerdict::Place::Inside) return;
  const Value buffer = AccessRef::from(access).buffer();
  const std::string subscript = text_of(access, subscripts_of(access)[verdict.axis]);
  const std::string size = context_.index().print(buffer.dims()[verdict.axis]);
  if (verdict.place == AccessVerdict::Place::Outside)
    report<kOutOfBounds>(access, verdict.axis, buffer.name(), subscript, size);
  else
    report<kBoundsUnknown>(access, verdict.axis, buffer.name(), subscript, size);
}

void LoopChecks::check_conflicts(ForRef loop, const Facts& facts) {
  if (loop.kind() == LoopKind::Serial || loop.kind() == LoopKind::Unrolled) return;
  const auto conflict = find_conflict(loop, facts);
  if (!conflict) return;
  const std::string index = "%" + std::string(loop.index().name());
  const std::string_view buffer = StoreRef::from(conflict->store).buffer().name();
  if (conflict->certain)
    report<kRace>(conflict->store, loop_kind_name(loop.kind()), index, buffer);
  else
    report<kRaceUnknown>(conflict->store, loop_kind_name(loop.kind()), index, buffer);
}

// ---------------------------------------------------------------------------------------------------- functions

void LoopChecks::check_function(OpRef func) {
  const TypePool& types = context_.types();
  const auto arguments = func.region(0).arguments();
  for (const Value v : arguments)
    if (types.kind(v.type()) == TypeKind::Buffer && types.scope(v.type()) != Scope::Argument &&
        types.scope(v.type()) != Scope::Weight)
      report<kArgumentScope>(func, v.name(), scope_name(types.scope(v.type())));
  const bool loops = is_loop_function(func);
  const auto stated = context_.attributes().as_int64(func.attr("results"));
  const std::size_t updates = FuncRef(func).updates().size();
  if (!stated && (!loops || updates == 0)) return;
  const auto wrong = [&](const std::string& reason) {
    report<kResultArguments>(func, func.symbol(), stated.value_or(0), updates, reason);
  };
  if (!loops) return wrong("it takes no buffers");
  if (!stated) return wrong("the attribute `results` is missing");
  if (*stated < 0 || static_cast<std::uint64_t>(*stated) + updates > arguments.size())
    return wrong("it has " + std::to_string(arguments.size()) + " arguments");
  for (std::size_t i = arguments.size() - updates - static_cast<std::size_t>(*stated); i < arguments.size(); ++i)
    if (types.kind(arguments[i].type()) != TypeKind::Buffer || types.scope(arguments[i].type()) != Scope::Argument)
      return wrong("argument " + std::to_string(i) + " is " + types.print(arguments[i].type()));
  const OpRef end = func.region(0).terminator();
  if (!end.valid()) return;
  bool same = end.operand_count() == updates;
  for (std::size_t i = 0; same && i < updates; ++i) same = end.operand(i) == arguments[arguments.size() - updates + i];
  if (!same) wrong("the return names each new state, the last arguments, and nothing else");
}

bool LoopChecks::fits(Type formal, Type actual, const Facts& facts) const {
  TypePool& types = context_.types();
  if (types.kind(formal) != TypeKind::Buffer || types.kind(actual) != TypeKind::Buffer) return formal == actual;
  if (types.dtype(formal) != types.dtype(actual) || types.rank(formal) != types.rank(actual) ||
      types.layout(formal) != types.layout(actual))
    return false;
  const Scope from = types.scope(actual);
  if (is_scratch(from) || (types.scope(formal) != Scope::Argument && types.scope(formal) != from)) return false;
  for (std::size_t d = 0; d < types.rank(formal); ++d)
    if (context_.index().equal(types.dims(formal)[d], types.dims(actual)[d], facts) != Truth::Yes) return false;
  return true;
}

const LoopChecks::Callee& LoopChecks::callee_of(OpRef func) {
  const auto [at, is_new] = callees_.try_emplace(func.id());
  if (is_new) at->second = {symbols_of(func), symbols_without_dim(func), written_arguments(func)};
  return at->second;
}

void LoopChecks::check_launch(OpRef op, const Facts& facts) {
  const TypePool& types = context_.types();
  const OpRef callee = LaunchRef::from(op).callee();
  const auto formals = callee.region(0).arguments();
  check_names(op, callee, facts);
  if (callee.attr("memory_limit").valid())
    report<kAttributeValue>(callee, "memory_limit", "func", "what a kernel takes counts to the calls that launch it");
  const CalleeSizes sizes = CalleeSizes::of_launch(op);
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const Type wanted = sizes.in_caller(formals[i].type());
    if (!fits(wanted, op.operand(i).type(), facts))
      report<kLaunchBuffer>(op, i, callee.symbol(), types.print(wanted), types.print(op.operand(i).type()));
  }
  const std::vector<bool>& written = callee_of(callee).written;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    if (!written[i]) continue;
    if (types.scope(op.operand(i).type()) == Scope::Weight)
      report<kReadOnlyBuffer>(op, op.name(), op.operand(i).name());
    for (std::size_t j = 0; j < formals.size(); ++j)
      if (j != i && memory_of(op.operand(j)) == memory_of(op.operand(i)) && (j > i || !written[j]) &&
          !in_place_.admits(callee, j, i))
        report<kLaunchAlias>(op, callee.symbol(), i, j);
  }
  if (const OpRef loop = loop_around(op, {LoopKind::Parallel, LoopKind::Vector}); loop.valid())
    report<kLaunchInParallel>(op, loop_kind_name(ForRef::from(loop).kind()));
  check_constraints(op, callee, sizes, facts);
}

// A launch of its function is a call of the target: nothing stands beside it, and every result is computed there.
void LoopChecks::check_external(OpRef op) {
  const OpRef func = op.parent_op();
  const auto refuse = [&](const std::string& reason) { report<kExternal>(op, reason); };
  if (!func.valid() || !func.is(GraphOp::Func) || func.region(0).front() != op ||
      op.next() != func.region(0).terminator() || is_host_function(func))
    return refuse("it must be the only op before `return` in a function that a host function launches");
  const auto arguments = func.region(0).arguments();
  bool same = arguments.size() == op.operand_count();
  for (std::size_t i = 0; same && i < op.operand_count(); ++i) same = op.operand(i) == arguments[i];
  if (!same) return refuse("its operands are the arguments of its function, in order");
  const OpRef end = op.region(0).terminator();
  if (!end.valid()) return;
  if (end.operand_count() == 0) return refuse("it yields nothing");
  std::unordered_set<ValueId> seen;
  for (const Value v : end.operands()) {
    if (!v.is_result() || v.definer().is(GraphOp::Read) || v.definer().is(GraphOp::Constant) ||
        v.definer().is(GraphOp::Dim))
      return refuse("`" + std::string(v.name()) + "`, which it yields, is computed by none of its ops");
    if (!seen.insert(v.id()).second) return refuse("`" + std::string(v.name()) + "` is yielded twice");
  }
}

// What the launch states is the callee's, and what no buffer tells is stated.
void LoopChecks::check_names(OpRef launch, OpRef callee, const Facts& facts) {
  const std::size_t names = LaunchRef::from(launch).stated_name_count();
  const std::size_t sizes = LaunchRef::from(launch).stated_size_count();
  if (names != sizes)
    report<kLaunchNames>(launch, callee.symbol(),
                         "there are " + std::to_string(names) + " names and " + std::to_string(sizes) + " sizes");
  IndexPool& pool = context_.index();
  const std::vector<AtomId>& own = callee_of(callee).symbols;
  std::vector<AtomId> stated;
  for (const auto& [symbol, size] : LaunchRef::from(launch).stated_sizes()) {
    const std::string name(pool.symbol_name(symbol));
    if (std::find(own.begin(), own.end(), symbol) == own.end())
      report<kLaunchNames>(launch, callee.symbol(), "it has no size `" + name + "`");
    else if (std::find(stated.begin(), stated.end(), symbol) != stated.end())
      report<kLaunchNames>(launch, callee.symbol(), "`" + name + "` is named twice");
    else if (!pool.is_non_negative(size, facts))
      report<kLaunchConstraint>(launch, callee.symbol(), "0 <= " + pool.print(size));
    stated.push_back(symbol);
  }
  for (const AtomId symbol : callee_of(callee).without_dim)
    if (std::find(stated.begin(), stated.end(), symbol) == stated.end())
      report<kLaunchSize>(launch, pool.symbol_name(symbol), callee.symbol());
}

// What the function says of its sizes is stated here too, or follows.
void LoopChecks::check_constraints(OpRef launch, OpRef callee, const CalleeSizes& sizes, const Facts& facts) {
  IndexPool& pool = context_.index();
  OpRef caller = launch;
  while (caller.valid() && !caller.is(GraphOp::Func)) caller = caller.parent_op();
  const Constraints known = caller.valid() ? FuncRef(caller).constraints() : Constraints();
  for (Constraint wanted : FuncRef(callee).constraints()) {
    for (IndexExpr& term : wanted.terms) term = sizes.in_caller(term);
    if (!follows(wanted, known, facts, pool)) report<kLaunchConstraint>(launch, callee.symbol(), print(wanted, pool));
  }
}

}  // namespace mlgc

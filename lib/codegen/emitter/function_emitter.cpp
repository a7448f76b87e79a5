#include "codegen/emitter/function_emitter.h"

#include <algorithm>

#include "codegen/emitter/function_comments.h"
#include "codegen/emitter/selected_arms.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/nests.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

// Of a thread's loop: as many as overlap (GridHooks::unroll).
constexpr std::int64_t kFewIterations = 4;

bool same_memory(const FunctionMemory& a, const FunctionMemory& b) {
  return a.takes_memory == b.takes_memory && a.bytes == b.bytes && a.scratch == b.scratch;
}

}  // namespace

FunctionEmitter::FunctionEmitter(FunctionWriter& writer)
    : EmitterPart(writer),
      lanes_(writer),
      indices_(writer, lanes_),
      scalars_(writer, lanes_, own_),
      block_(writer),
      checks_(writer, block_),
      registers_(writer, lanes_, block_),
      own_(writer),
      tests_(writer, own_),
      runs_(writer, indices_),
      pieces_(writer, indices_, own_, tests_, runs_),
      accesses_(writer, lanes_, indices_, registers_, own_, tests_, pieces_, scalars_, block_),
      hints_(writer, lanes_, registers_),
      carried_(writer, lanes_),
      tiles_(writer, lanes_, indices_, registers_, accesses_, hints_),
      matrices_(writer, indices_, pieces_, block_, *this),
      outliner_(writer, lanes_, indices_, registers_, accesses_, *this),
      threads_(writer, indices_, scalars_, own_, tests_, runs_, pieces_, block_, carried_, *this),
      grids_(writer, indices_, own_, pieces_, block_, matrices_, *this),
      host_(writer, lanes_, indices_) {
  writer.reserve(writer.name);
}

PrintedFunction FunctionEmitter::run() {
  PrintedFunction out;
  const std::vector<bool> written = written_arguments(writer_.func);
  const RegionRef body = writer_.func.region(0);
  const std::vector<AtomId> symbols = symbols_of(writer_.func);
  out.name = writer_.name;
  std::vector<SourceText> all;
  const auto add = [&](const TypedName& parameter) {
    const std::string separator = all.empty() ? "" : ", ";
    out.parameters += separator + parameter.type + " " + parameter.name.str();
    out.arguments += separator + parameter.name.str();
    all.push_back(parameter.name);
  };
  for (const TypedName& context : hooks_.context()) {
    writer_.reserve(context.name.str());
    add(context);
  }
  for (const AtomId s : symbols) writer_.symbol_names[s] = fresh(index_.symbol_name(s));
  const auto parameter = [&](const std::string& type, const SourceText& name) {
    grids_.add_host_variable({type, name});
    add({type, name});
  };
  for (std::size_t i = 0; i < body.argument_count(); ++i) {
    const Value v = body.argument(i);
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, 1};
    parameter((written[i] ? "" : "const ") + std::string(hooks_.element_type(v.dtype())) + "*", name);
  }
  for (const AtomId s : symbols) parameter(std::string(hooks_.index_type()), writer_.symbol_names[s]);
  if (writer_.grid != nullptr)
    grids_.host_region(body);
  else
    region(body);
  out.memory = {writer_.memory.takes_memory, writer_.memory.bytes, writer_.memory.scratch};
  out.shared = tiles_.functions();
  MLGC_ASSERT(
      writer_.grid != nullptr || !hooks_.shares_loops() || same_memory(out.memory, function_memory(writer_.func)),
      "memory that the text does not say");
  if (writer_.memory.takes_memory) parameter("char*", SourceText::memory());
  if (accesses_.streams) line(hooks_.end_of_streams());
  line("return 0;");
  SourceBlock block = writer_.source.take();
  const Variables used = block.variables();
  std::string unused;
  for (const SourceText& name : all)
    if (!name.is_among(used)) unused += "  (void)" + name.str() + ";\n";
  const std::string status(hooks_.status_type());
  const std::string comment = cost_comment(writer_.func) + text_comment(writer_.func);
  out.text = (writer_.grid != nullptr ? comment + writer_.functions_before : writer_.functions_before + comment) +
             std::string(hooks_.function_prefix()) + status + " " + out.name + "(" + out.parameters + ") {\n" + unused +
             block.print(1) + "}\n";
  return out;
}

PrintedFunction FunctionEmitter::run_host_function() {
  PrintedFunction out;
  out.name = writer_.name;
  out.parameters = "const mlgc_call* call";
  out.arguments = "call";
  host_.begin();
  region(writer_.func.region(0));
  line(hooks_.end_host_function());
  out.has_parallel_loops = writer_.outlined_loops > 0;
  out.text = writer_.functions_before + commented("@" + std::string(writer_.func.symbol())) +
             text_comment(writer_.func) + std::string(hooks_.function_prefix()) + std::string(hooks_.status_type()) +
             " " + out.name + "(" + out.parameters + ") {\n" + writer_.source.take().print(1) + "}\n";
  return out;
}

void FunctionEmitter::region(RegionRef r) {
  for (const OpRef op : r.ops()) this->op(op);
  registers_.leave(r);
  pieces_.leave(r);
}

void FunctionEmitter::op(OpRef op) {
  if (op.region_count() == 0 && op.results_unused() && op.pure()) return;  // compilers warn of unused variables
  if (tests_.is_computed(op)) return;
  if (matrices_.has_computed(op)) return;
  if (op.region_count() > 0) registers_.write_transpositions_before(op);
  if (grids_.is_nest_of_host_function(op)) return grids_.nest_of_host_function(op);
  if (checks_.contains(op)) return grids_.check_of_host_function(op, checks_.computed_for(op));
  if (checks_.is_operand(op)) return;
  switch (op.loop_op()) {
    case LoopOp::Scalar: return scalars_.scalar(op);
    case LoopOp::Return:
    case LoopOp::Condition:
    case LoopOp::Yield: return;  // whoever prints the region reads what they give
    case LoopOp::If: return text_of(op.operand(0)).lanes > 1 ? masked_branch(op) : branch(op);
    case LoopOp::While: return block_.uniform_loop(op, [&] { while_loop(op); });
    case LoopOp::For: return loop(op);
    case LoopOp::Alloc: return allocate(op);
    case LoopOp::Dealloc: return;  // the memory plan has its place
    case LoopOp::BufferView:       // addresses are computed with the sizes of the view
      writer_.names[op.result().id()] = text_of(BufferViewRef::from(op).of());
      return;
    case LoopOp::Load: return accesses_.load(op);
    case LoopOp::Store: return tiles_.has_stored(op) ? void() : accesses_.store(op);
    case LoopOp::TransposeInPlace: return registers_.transpose_in_place(TransposeInPlaceRef::from(op));
    case LoopOp::Guard: return declare(op.result(), indices_.all_not_negative(op));
    case LoopOp::Apply: return declare(op.result(), indices_.index(op, ApplyRef::from(op).value()));
    case LoopOp::Literal:  // A call of a tile may start its sums itself.
      return scalars_.literal(LiteralRef::from(op), !tiles_.starts_tiles(op.result()));
    case LoopOp::Fma: return scalars_.fma(FmaRef::from(op));
    case LoopOp::Bits: return scalars_.bits(BitsRef::from(op));
    case LoopOp::Check: return check(CheckRef::from(op));
    case LoopOp::Data: return host_.data(op);
    case LoopOp::BindSize: return host_.bind_size(op);
    case LoopOp::Launch: return host_.launch(op);
    // All that their function does: print_segments.cpp and the runtime's table have it.
    case LoopOp::External:
    case LoopOp::Func: break;
  }
  refuse(op, "`" + std::string(op.name()) + "` inside of a function");
}

void FunctionEmitter::check(CheckRef check) {
  const ValueText holds = indices_.all_not_negative(check.op());
  const SourceText fails = hooks_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, holds.lanes, holds.text.bracketed(), "");
  scalars_.fail_if({fails, holds.lanes}, std::string(check.message()), {});
}

void FunctionEmitter::loop(OpRef op) {
  const ForRef loop = ForRef::from(op);
  MLGC_ASSERT(loop.valid(), "a `for` without bounds");
  const LoopKind kind = loop.kind();
  if (kind == LoopKind::Unrolled) return unrolled_loop(loop);
  if (kind == LoopKind::Matrix && writer_.grid != nullptr) return matrices_.nest(loop);
  if (tiles_.call(loop)) return;
  if (outliner_.outlines_nest(loop)) return outliner_.nest(loop);
  const bool inside_lanes = lanes_.strip || (block_.kernel && block_.kernel->lane);
  if (kind == LoopKind::Vector && !inside_lanes && loop.lanes() > 1)
    return writer_.grid == nullptr ? vector_loop(loop) : threads_.loop(loop);
  if (kind == LoopKind::Vector && inside_lanes && loop.carried_count() > 0)
    refuse(op, "a reduction by lanes inside of a vector loop");
  if (kind == LoopKind::Parallel && !writer_.in_body && !lanes_.strip && hooks_.shares_loops())
    return outliner_.parallel_loop(loop);
  if (lanes_.strip && indices_.is_varying(op)) return masked_loop(loop);
  block_.uniform_loop(op, [&] { serial_loop(loop); });
}

// The arguments of both regions are variables; those of the second one are the results.
void FunctionEmitter::while_loop(OpRef op) {
  if (lanes_.strip) refuse(op, "a `while` inside of a vector loop");
  const RegionRef before = op.region(0), body = op.region(1);
  std::vector<SourceText> in, out;
  std::vector<Dtype> dtypes;
  const auto variable_for = [&](Value v, const SourceText& start) {
    SourceText name = fresh(v);
    writer_.names[v.id()] = {name, 1};
    line(hooks_.unused() + hooks_.variable_type(v.dtype(), 1) + " " + name + " = " + start + ";");
    return name;
  };
  for (std::size_t i = 0; i < op.operand_count(); ++i) {
    dtypes.push_back(op.operand(i).dtype());
    in.push_back(variable_for(before.argument(i), text_of(op.operand(i)).text));
    out.push_back(variable_for(body.argument(i), in[i]));
    writer_.names[op.result(i).id()] = {out[i], 1};
  }
  const auto values = [&](RegionRef r, std::size_t skipped) {
    std::vector<ValueText> all;
    for (std::size_t i = 0; i < dtypes.size(); ++i) all.push_back(text_of(r.terminator().operand(i + skipped)));
    return all;
  };
  open("for (;;) {");
  region(before);
  carried_.assign(out, dtypes, values(before, 1));
  line("if (!" + text_of(before.terminator().operand(0)).text + ") break;");
  region(body);
  carried_.assign(in, dtypes, values(body, 0));
  close();
}

void FunctionEmitter::test_places(std::span<const OpRef> accesses) {
  for (const OpRef access : accesses)
    accesses_.test_subscripts(
        access, [&](const ValueText& outside, const std::string& message, const std::vector<SourceText>& values) {
          scalars_.fail_if(outside, message, values);
        });
}

// Of all iterations, before the first one: without a branch, so that loads of several iterations overlap. Which one
// fails is looked for where one does.
void FunctionEmitter::test_places_of_loop(ForRef loop, std::span<const OpRef> accesses, const SourceText& head) {
  const SourceText outside = fresh("outside");
  line(hooks_.variable_type(Dtype::I1, 1) + " " + outside + " = false;");
  line(std::string(writer_.grid->unroll()));
  open(head + " {");
  for (const OpRef of : tests_.computed_for(accesses, loop)) op(of);
  for (const OpRef access : accesses)
    accesses_.test_subscripts(access,
                              [&](const ValueText& condition, const std::string&, const std::vector<SourceText>&) {
                                line(outside + " |= " + condition.text + ";");
                              });
  close();
  open("if (" + outside + ") {");
  open(head + " {");
  for (const OpRef of : tests_.computed_for(accesses, loop)) op(of);
  test_places(accesses);
  close();
  close();
}

void FunctionEmitter::serial_loop(ForRef loop) {
  const SourceText from = indices_.index(loop.op(), loop.first()).text,
                   to = indices_.index(loop.op(), loop.last()).text;
  const std::vector<SourceText> carried = carried_.start_carried(loop);
  const SourceText variable = fresh_index(loop);
  writer_.names[loop.index().id()] = {variable, 1};
  const SourceText end = bound(to, variable.str() + "_end");
  const bool has_thread = block_.kernel && (block_.kernel->lane || !block_.kernel->form.block_each);
  const bool of_thread = has_thread && ThreadBlock::is_innermost(loop.op());
  const std::vector<OpRef> tested = of_thread && usual_extent(loop).value_or(kFewIterations) >= kFewIterations
                                        ? tests_.testable(loop)
                                        : std::vector<OpRef>{};
  if (!tested.empty()) test_places_of_loop(loop, tested, hooks_.loop_head(variable, from, end, 1));
  tests_.note_tested(tested);
  if (of_thread && touches_registers(loop))
    line(std::string(writer_.grid->unroll_all()));
  else if (of_thread || (block_.is_uniform() && ThreadBlock::repeats_a_round(loop)))
    line(std::string(writer_.grid->unroll()));
  if (const std::int64_t iterations = hints_.taps_of(loop); iterations > 1)
    if (const SourceText hint = hooks_.unrolled(iterations); !hint.empty()) line(hint);
  open(hooks_.loop_head(variable, from, end, 1) + " {");
  const auto replaced = hints_.name_anew(loop);
  region(loop.body());
  for (const auto& [value, before] : replaced) writer_.names[value] = before;
  tests_.forget(tested);
  carried_.carry_on(loop, carried, "");
  close();
}

// A loop whose bounds differ between lanes runs from the least to the greatest; a lane takes part in its own rounds.
void FunctionEmitter::masked_loop(ForRef loop) {
  const OpRef op = loop.op();
  const int lanes = lanes_.strip->lanes;
  const auto wide = [&](IndexExpr e) {
    return temporary(Dtype::I64, {widened(indices_.index(op, e), Dtype::I64, lanes), lanes}).text;
  };
  const SourceText from = wide(loop.first()), to = wide(loop.last()), all = lanes_.mask_or_all();
  const std::vector<SourceText> carried = carried_.start_carried(loop);
  const SourceText variable = fresh_index(loop);
  writer_.names[loop.index().id()] = {variable, 1};
  const SourceText begin = bound(hooks_.extreme(true, from, all), variable.str() + "_begin");
  const SourceText end = bound(hooks_.extreme(false, to, all), variable.str() + "_end");
  open(hooks_.loop_head(variable, begin, end, 1) + " {");
  const SourceText at = hooks_.splat(Dtype::I64, lanes, variable);
  const auto test = [&](ScalarFn fn, const SourceText& a, const SourceText& b) {
    return hooks_.call(fn, Dtype::I64, Dtype::I1, lanes, a, b);
  };
  const auto both = [&](const SourceText& a, const SourceText& b) {
    return hooks_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, a, b);
  };
  SourceText active = both(test(ScalarFn::Le, from, at), test(ScalarFn::Lt, at, to));
  if (!lanes_.mask.empty()) active = both(lanes_.mask, active);
  const SourceText outer = lanes_.mask;
  lanes_.mask = temporary(Dtype::I1, {active, lanes}).text;
  region(loop.body());
  carried_.carry_on(loop, carried, lanes_.mask);
  lanes_.mask = outer;
  close();
}

void FunctionEmitter::unrolled_loop(ForRef loop) {
  const OpRef op = loop.op();
  const auto first = index_.as_constant(resolved(op, loop.first())),
             end = index_.as_constant(resolved(op, loop.last()));
  if (!first || !end) refuse(op, "an unrolled loop whose bounds are no constants");
  if (*end - *first > 4096) refuse(op, "an unrolled loop of more than 4096 iterations");
  std::vector<ValueText> carried;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const int lanes = lanes_.lanes_of(loop.carried(i));
    carried.push_back({widened(text_of(loop.initial(i)), loop.carried(i).dtype(), lanes), lanes});
  }
  for (std::int64_t k = *first; k < *end; ++k) {
    writer_.constants[loop.index().id()] = k;
    writer_.names[loop.index().id()] = {hooks_.integer_literal(Dtype::I64, k), 1};
    for (std::size_t i = 0; i < carried.size(); ++i) writer_.names[loop.carried(i).id()] = carried[i];
    region(loop.body());
    for (std::size_t i = 0; i < carried.size(); ++i)
      carried[i].text =
          widened(text_of(loop.body().terminator().operand(i)), loop.carried(i).dtype(), carried[i].lanes);
  }
  writer_.constants.erase(loop.index().id());
  for (std::size_t i = 0; i < carried.size(); ++i) writer_.names[op.result(i).id()] = carried[i];
}

void FunctionEmitter::vector_loop(ForRef loop) {
  const OpRef op = loop.op();
  const int lanes = static_cast<int>(loop.lanes());
  if (lanes > hooks_.most_lanes())
    refuse(op, "a vector loop of more than " + std::to_string(hooks_.most_lanes()) + " lanes");
  if (loop.per_lane() > 1 && loop.carried_count() > 0)
    refuse(op, "a reduction whose lanes take several iterations at a time");
  lanes_.find_varying(loop);
  const SourceText from = indices_.index(op, loop.first()).text;
  const IndexExpr count = index_.sub(resolved(op, loop.last()), resolved(op, loop.first()));
  const auto extent = index_.as_constant(count);
  const bool whole = index_.as_constant(index_.mod(count, index_.constant(lanes))) == 0;
  const SourceText variable = fresh_index(loop);
  // One strip that is whole asks for no end.
  const SourceText end = extent == lanes ? "" : bound(indices_.index(op, loop.last()).text, variable.str() + "_end");
  const std::vector<SourceText> carried = carried_.start_lanes(loop, lanes);
  writer_.names[loop.index().id()] = {variable, lanes};
  line((extent == lanes ? hooks_.unused() + "const " : "") + std::string(hooks_.index_type()) + " " + variable + " = " +
       from + ";");
  lanes_.strip = Strip{lanes, loop.index(), variable, fresh(variable.str() + "_lanes"), {}, {}};
  if (extent == lanes) {
    open("{");
    strip(loop, carried);
    close();
  } else if (!extent || *extent >= lanes) {
    open("for (; " + variable + " + " + std::to_string(lanes) + " <= " + end + "; " + variable +
         " += " + std::to_string(lanes) + ") {");
    strip(loop, carried);
    close();
  }
  if (!whole) {
    open("if (" + variable + " < " + end + ") {");
    lanes_.strip->count = fresh(variable.str() + "_count");
    line("const " + std::string(hooks_.index_type()) + " " + lanes_.strip->count + " = " + end + " - " + variable +
         ";");
    lanes_.strip->mask = fresh(variable.str() + "_mask");
    line(hooks_.unused() + "const " + hooks_.variable_type(Dtype::I1, lanes) + " " + lanes_.strip->mask + " = " +
         hooks_.first_lanes(lanes, lanes_.strip->count) + ";");
    lanes_.mask = lanes_.strip->mask;
    strip(loop, carried);
    lanes_.mask = {};
    close();
  }
  lanes_.leave();
  combine_lanes(loop, carried, lanes);
}

// A tree over the lanes of each accumulator, and the initial value.
void FunctionEmitter::combine_lanes(ForRef loop, const std::vector<SourceText>& carried, int lanes) {
  const OpRef op = loop.op();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Dtype dtype = loop.carried(i).dtype();
    const ExprId step = CarriedValues::combination(loop, i);
    SourceText acc = carried[i];
    for (int half = lanes / 2; half >= 1; half /= 2) {
      const ValueText low = temporary(dtype, {hooks_.low_half(dtype, 2 * half, acc), half});
      const ValueText high = temporary(dtype, {hooks_.high_half(dtype, 2 * half, acc), half});
      acc = temporary(dtype, scalars_.expression(step, {low, high})).text;
    }
    declare(op.result(i), scalars_.expression(step, {text_of(loop.initial(i)), {acc, 1}}));
  }
}

// The body for one strip.
void FunctionEmitter::strip(ForRef loop, const std::vector<SourceText>& carried) {
  for (std::size_t i = 0; i < carried.size(); ++i)
    writer_.names[loop.carried(i).id()] = {carried[i], lanes_.strip->lanes};
  SourceBlock body = writer_.source.block([&] {
    region(loop.body());
    carried_.carry_on(loop, carried, lanes_.mask);
  });
  if (lanes_.strip->base_lanes.is_among(body.variables()))
    body.add_first("const " + hooks_.variable_type(Dtype::I64, lanes_.strip->lanes) + " " + lanes_.strip->base_lanes +
                   " = " + hooks_.count_up(lanes_.strip->lanes, lanes_.strip->base) + ";");
  writer_.source.append(std::move(body));
}

// What the arm gives for the variable.
SourceText FunctionEmitter::given(RegionRef arm, std::size_t i, const ValueText& to) {
  const Value v = arm.back().operand(i);
  const ValueText value = to.bits ? scalars_.as_bits(text_of(v), v.dtype()) : text_of(v);
  return widened(value, v.dtype(), to.lanes);
}

// Both arms, one after the other.
void FunctionEmitter::selected_branch(OpRef op) {
  ValueText condition = text_of(op.operand(0));
  if (!condition.text.is_word()) condition = temporary(Dtype::I1, condition);
  const SourceText outer = accesses_.only_where;
  std::vector<SourceText> given_by[2];
  for (std::size_t a = 0; a < 2; ++a) {
    const SourceText here = a == 0 ? condition.text : "!" + condition.text;
    accesses_.only_where = outer.empty() ? here : temporary(Dtype::I1, {outer + " && " + here, 1}).text;
    region(op.region(a));
    for (std::size_t i = 0; i < op.result_count(); ++i)
      given_by[a].push_back(given(op.region(a), i, {"", 1, scalars_.is_kept_as_bits(op.result(i))}));
  }
  accesses_.only_where = outer;
  for (std::size_t i = 0; i < op.result_count(); ++i)
    declare(op.result(i), {hooks_.choose(1, condition.text, given_by[0][i].as_operand(), given_by[1][i].as_operand()),
                           1, scalars_.is_kept_as_bits(op.result(i))});
}

void FunctionEmitter::branch(OpRef op) {
  // Elsewhere neighbours mostly take one arm together, and a jump saves the loads of the other one.
  const bool of_divided = block_.kernel && block_.kernel->lane && writer_.narrow.contains(block_.kernel->lane->id());
  if (of_divided && can_be_selected(writer_, op)) return selected_branch(op);
  for (const Value v : op.results()) {
    const int lanes = lanes_.lanes_of(v);
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, lanes, scalars_.is_kept_as_bits(v)};
    // A branch may be there for what it checks alone.
    line((v.has_uses() ? SourceText() : SourceText(hooks_.unused())) + type_of(v.dtype(), text_of(v)) + " " + name +
         ";");
  }
  const auto arm = [&](RegionRef r) {
    region(r);
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      const ValueText& to = text_of(op.result(i));
      line(to.text + " = " + given(r, i, to) + ";");
    }
  };
  ThreadBlock::Touched before, after;
  if (block_.kernel) before = after = block_.kernel->since_barrier;
  open("if (" + text_of(op.operand(0)).text + ") {");
  arm(op.region(0));
  if (op.region_count() > 1) {
    next("} else {");
    if (block_.kernel) std::swap(block_.kernel->since_barrier, before);
    if (block_.kernel) after.add(before);
    arm(op.region(1));
  }
  if (block_.kernel) block_.kernel->since_barrier.add(after);
  close();
}

// Lanes that take different arms: each arm runs where a lane takes it, for those lanes.
void FunctionEmitter::masked_branch(OpRef op) {
  const int lanes = lanes_.strip->lanes;
  for (const Value v : op.results()) {
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, lanes, scalars_.is_kept_as_bits(v)};
    line(type_of(v.dtype(), text_of(v)) + " " + name + " = " + std::string(hooks_.zeros()) + ";");
  }
  const SourceText condition = text_of(op.operand(0)).text, outer = lanes_.mask;
  for (std::size_t a = 0; a < op.region_count(); ++a) {
    SourceText active = a == 0 ? condition : hooks_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, lanes, condition, "");
    if (!outer.empty()) active = hooks_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, outer, active);
    lanes_.mask = temporary(Dtype::I1, {active, lanes}).text;
    open("if (" + hooks_.any(lanes_.mask) + ") {");
    region(op.region(a));
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      const ValueText& to = text_of(op.result(i));
      const SourceText value = given(op.region(a), i, to);
      line(to.text + " = " + (a == 0 ? value : hooks_.choose(lanes, lanes_.mask, value, to.text)) + ";");
    }
    close();
  }
  lanes_.mask = outer;
}

// Of scratch that is small enough for the registers of the thread that has it for itself.
std::optional<std::int64_t> FunctionEmitter::elements_of_thread(Value buffer) const {
  if (!block_.kernel || block_.kernel->form.block_each || types_.scope(buffer.type()) != Scope::Thread)
    return std::nullopt;
  IndexExpr count = index_.constant(1);
  for (const IndexExpr dim : types_.dims(buffer.type())) count = index_.mul(count, dim);
  const auto known = index_.as_constant(count);
  const auto bytes = static_cast<std::int64_t>(dtype_info(buffer.dtype()).bytes);
  return known && *known > 0 && *known * bytes <= kMostThreadScratch ? known : std::nullopt;
}

// Whether each iteration of the loop, which are few, has elements in registers of the thread: their numbers are to be
// constants.
bool FunctionEmitter::touches_registers(ForRef loop) const {
  const auto count = index_.as_constant(index_.sub(loop.last(), loop.first()));
  if (!count || *count > kMostThreadScratch) return false;
  const auto ops = loop.body().ops();
  return std::any_of(ops.begin(), ops.end(), [&](OpRef op) {
    const AccessRef access = AccessRef::from(op);
    return access.valid() && elements_of_thread(access.buffer());
  });
}

void FunctionEmitter::allocate(OpRef op) {
  const Value v = op.result();
  if (writer_.tables != nullptr && !writer_.in_body && types_.scope(v.type()) != Scope::Register)
    return host_.buffer(op);
  if (block_.kernel && own_.contains(v)) return own_.allocate(op);
  const Dtype dtype = v.dtype();
  const SourceText name = fresh(v);
  writer_.names[v.id()] = {name, 1};
  if (types_.scope(v.type()) == Scope::Register) return registers_.allocate(op, name);
  if (const auto count = elements_of_thread(v))
    return line(std::string(hooks_.element_type(dtype)) + " " + name + "[" + std::to_string(*count) + "];");
  if (lanes_.strip) refuse(op, "memory that each lane of a vector loop would need for its own");
  // An unrolled loop prints it again.
  const auto [place, is_new] =
      writer_.memory.places.try_emplace(op.id(), writer_.in_body ? writer_.memory.scratch : writer_.memory.bytes);
  if (is_new) {
    IndexExpr& total = writer_.in_body ? writer_.memory.scratch : writer_.memory.bytes;
    total = index_.add(total, bytes_in_memory(context_, v.type()));
    writer_.memory.takes_memory = writer_.memory.takes_memory || !writer_.in_body;
  }
  const std::string type(hooks_.element_type(dtype));
  const SourceText bytes =
      (writer_.in_body ? SourceText::scratch() : SourceText::memory()) + " + " + indices_.index(op, place->second).text;
  line(type + "* const " + name + " = " + hooks_.pointer_from_bytes(type + "*", bytes) + ";");
}

Result<PrintedFunction, Diagnostic> print_loop_function(OpRef func, const std::string& name,
                                                        const EmitterHooks& hooks) {
  try {
    FunctionWriter writer(func, name, hooks, nullptr);
    return FunctionEmitter(writer).run();
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

Result<PrintedFunction, Diagnostic> print_host_function(const HostFunctionTables& tables, const std::string& name,
                                                        const EmitterHooks& hooks) {
  try {
    FunctionWriter writer(tables.function.host_function, name, hooks, &tables);
    return FunctionEmitter(writer).run_host_function();
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

}  // namespace mlgc::codegen

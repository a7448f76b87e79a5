#include "codegen/emitter/thread_loops.h"

#include "codegen/emitter/function_emitter.h"
#include "codegen/emitter/narrow_indices.h"
#include "loopir/nests.h"
#include "loopir/skew.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {

// The threads of the block take the iterations in turns.
void ThreadLoops::loop(ForRef loop) {
  if (!block_.kernel)
    refuse(loop.op(), "lanes that carry values in a host function: move the loop into a loop function");
  if (const ForRef inner = lanes_of_lanes(loop); inner.valid() && block_.kernel->part == 0)
    return lanes_of_lanes_loop(loop, inner);
  if (loop.per_lane() > 1 || own_.are_in(loop) || pieces_.keeps(loop)) return piece_loop(loop);
  const OpRef op = loop.op();
  const auto lanes = static_cast<int>(loop.lanes());
  const SourceText from = indices_.index(op, loop.first()).text, to = indices_.index(op, loop.last()).text;
  const SourceText variable = fresh_index(loop);
  const SourceText end = bound(to, variable.str() + "_end"), type(hooks_.index_type()), thread(block_.thread());
  const std::vector<SourceText> carried = carried_.start_lanes(loop, 1);
  writer_.names[loop.index().id()] = {variable, 1};
  if (block_.kernel->part == 0) block_.before_touching(block_.touched(op));
  const bool innermost = ThreadBlock::is_innermost(op);
  // A loop that each thread runs once at most is a condition.
  const bool once = carried.empty() && usual_extent(loop).value_or(lanes + 1) <= lanes;
  if (innermost && !once) line(std::string(writer_.grid->unroll()));
  const SourceText some = block_.condition_of_lanes(lanes);
  const SourceText first = (from.is_number(0) ? "" : from + " + ") + thread;
  if (once) {
    line("const " + type + " " + variable + " = " + first + ";");
    open("if (" + some + variable + " < " + end + ") {");
  } else {
    open("for (" + type + " " + variable + " = " + first + "; " + some + variable + " < " + end + "; " + variable +
         " += " + std::to_string(lanes) + ") {");
  }
  block_.kernel->lane = loop.index();
  function_.region(loop.body());
  carried_.carry_on(loop, carried, "");
  close();
  block_.kernel->lane.reset();
  combine_threads(loop, carried);
}

// Lanes of lanes: threads side by side take the iterations of the inner loop, and such rows of threads those of the
// outer one.
void ThreadLoops::lanes_of_lanes_loop(ForRef loop, ForRef inner) {
  const OpRef op = loop.op();
  const SourceText from = indices_.index(op, loop.first()).text, to = indices_.index(op, loop.last()).text;
  const SourceText variable = fresh_index(loop), end = bound(to, variable.str() + "_end");
  writer_.names[loop.index().id()] = {variable, 1};
  block_.before_touching(block_.touched(op));
  const SourceText some = block_.condition_of_lanes(loop.lanes() * inner.lanes());
  line(std::string(writer_.grid->unroll()));
  open("for (" + std::string(hooks_.index_type()) + " " + variable + " = " +
       (from.is_number(0) ? SourceText() : from + " + ") + block_.thread() + " / " + std::to_string(inner.lanes()) +
       "; " + some + variable + " < " + end + "; " + variable + " += " + std::to_string(loop.lanes()) + ") {");
  block_.kernel->part = inner.lanes();
  this->loop(inner);
  block_.kernel->part = 0;
  close();
}

// Opens the loop over the pieces of a thread, or the condition that it has one; gives the number of a piece among those
// that the thread accesses by constant numbers.
SourceText ThreadLoops::open_pieces(ForRef loop, const std::string& type, const SourceText& first,
                                    const SourceText& begin, const SourceText& end) {
  const std::int64_t at_a_time = loop.lanes() * loop.per_lane();
  const std::int64_t before = skew_of(loop) ? loop.per_lane() - 1 : 0;  // iterations that pieces begin early, at most
  const SourceText some = block_.condition_of_lanes(loop.lanes());
  SourceText round = SourceText::number(0);
  const auto rounds = pieces_.rounds_of(loop);
  const bool in_registers = own_.are_in(loop), has_kept = pieces_.keep(loop);
  const bool unrolled = rounds && rounds->most > 1 && (in_registers || has_kept);
  if (unrolled) {
    round = fresh("round");
    line(std::string(writer_.grid->unroll_all()));
    open("for (int " + round + " = 0; " + round + " < " + std::to_string(rounds->most) + "; ++" + round + ") {");
    line("const " + type + " " + first + " = " + begin + " + " + round + " * " + std::to_string(at_a_time) + ";");
    // Compilers do not know how many threads there are: that all of these run all rounds but the last one.
    SourceText runs = first + " < " + end;
    if (rounds->full > 0) runs = round + " < " + std::to_string(rounds->full) + " || " + runs;
    if (rounds->full > 0 && !some.empty()) runs = "(" + runs + ")";
    open("if (" + some + runs + ") {");
  } else if (usual_extent(loop).value_or(at_a_time + 1) + before <= at_a_time) {
    line("const " + type + " " + first + " = " + begin + ";");
    open("if (" + some + first + " < " + end + ") {");
  } else {
    open("for (" + type + " " + first + " = " + begin + "; " + some + first + " < " + end + "; " + first +
         " += " + std::to_string(at_a_time) + ") {");
  }
  return round;
}

// Of pieces that begin before the loop does: the condition that all neighbours run. Where rounds are written out, only
// the first one and the last ones ask.
SourceText ThreadLoops::all_of_piece_run(ForRef loop, const SourceText& first, const SourceText& from,
                                         const SourceText& ends_in_time, const SourceText& round) {
  const SourceText begins_in_time = first + " >= " + from;
  if (round.is_number(0)) return begins_in_time + " && " + ends_in_time;
  const std::int64_t full = pieces_.rounds_of(loop)->full;
  return "(" + round + " > 0 || " + begins_in_time + ") && " +
         (full > 0 ? "(" + round + " < " + std::to_string(full) + " || " + ends_in_time + ")" : ends_in_time);
}

// A thread takes neighbouring iterations at a time: what these read and write as pieces it reads before them and writes
// after them. The last ones of the loop may be fewer, and run one by one.
void ThreadLoops::piece_loop(ForRef loop) {
  const OpRef op = loop.op();
  const std::int64_t per_lane = loop.per_lane();
  const bool narrow = counts_in_32_bits(writer_, loop);
  const std::string type = narrow ? hooks_.variable_type(Dtype::I32, 1) : std::string(hooks_.index_type());
  const std::string count = std::to_string(per_lane);
  const SourceText from = indices_.index(op, loop.first()).text, to = indices_.index(op, loop.last()).text;
  const SourceText variable = fresh_index(loop);
  const SourceText first = fresh(variable.str() + "_first"), neighbour = fresh("neighbour");
  SourceText end = bound(to, variable.str() + "_end");
  const auto extent = index_.sub(resolved(op, loop.last()), resolved(op, loop.first()));
  const auto skew = skew_of(loop);
  const bool whole = !skew && index_.as_constant(index_.mod(extent, index_.constant(per_lane))) == 0;
  const std::vector<SourceText> arrays = carried_.start_neighbours(loop);
  writer_.names[loop.index().id()] = {variable, 1};
  if (narrow) writer_.narrow.insert(loop.index().id());
  if (block_.kernel->part == 0) block_.before_touching(block_.touched(op));
  SourceText begin = (from.is_number(0) ? "" : from + " + ") + SourceText(block_.thread()) + " * " + count;
  if (skew)  // the number of a thread has no sign
    begin = begin + " - " + std::string(hooks_.index_type()) + indices_.index(op, *skew).text.bracketed();
  if (narrow) {
    begin = writer_.grid->narrow_signed(begin);
    end = writer_.grid->narrow_signed(end);
  }
  const SourceText round = open_pieces(loop, type, first, begin, end);
  block_.kernel->lane = loop.index();
  own_.enter(round, neighbour);
  // What all neighbours have in common, and then the places of each, before any of them is accessed.
  const std::vector<OpRef> common = tests_.same_in_all(loop), once = tests_.tested_once(loop);
  for (const OpRef of : common) function_.op(of);
  tests_.note_computed(common);
  function_.test_places(once);
  tests_.note_tested(once);
  const std::vector<OpRef> each = tests_.testable(loop);
  const auto of_each = [&](const SourceText& condition, const auto& emit) {
    line(std::string(writer_.grid->unroll_all()));
    open("for (int " + neighbour + " = 0; " + neighbour + " < " + count + "; ++" + neighbour + ") {");
    line(hooks_.unused() + "const " + type + " " + variable + " = " + first + " + " + neighbour + ";");
    runs_.at(neighbour);
    if (!condition.empty()) open("if (" + condition + ") {");
    emit();
    if (!condition.empty()) close();
    close();
  };
  const auto neighbours = [&](const SourceText& condition) {
    if (!each.empty())
      of_each(condition, [&] {
        for (const OpRef of : tests_.computed_for(each, loop)) function_.op(of);
        function_.test_places(each);
      });
    tests_.note_tested(each);
    of_each(condition, [&] {
      const std::vector<SourceText> carried = carried_.accumulators_of(loop, arrays, neighbour);
      function_.region(loop.body());
      carried_.carry_on(loop, carried, "");
    });
    tests_.forget(each);
  };
  const SourceText in_one_run = runs_.begin(loop, first, type);
  SourceText together = whole ? SourceText() : first + " + " + count + " <= " + end;
  SourceText runs_one = whole ? SourceText() : variable + " < " + end;
  if (skew) {
    runs_one = variable + " >= " + from + " && " + runs_one;
    together = all_of_piece_run(loop, first, from, together, round);
  }
  if (!in_one_run.empty()) together += (together.empty() ? "" : " && ") + in_one_run;
  if (!together.empty()) open("if (" + together + ") {");
  const std::vector<OpRef> guards = runs_.enter(loop, first);
  tests_.note_computed(guards);
  pieces_.read(loop, first, round, neighbour);
  neighbours("");
  runs_.at_first();
  pieces_.write(loop, first);
  runs_.leave();
  tests_.forget(guards);
  if (!together.empty()) {
    next("} else {");
    pieces_.read_part(loop, variable, round, neighbour,
                      [&](const std::function<void()>& emit) { of_each(runs_one, emit); });
    neighbours(runs_one);
    pieces_.leave_part();
    close();
  }
  close();
  if (!round.is_number(0)) close();
  for (const std::vector<OpRef>& done : {common, once}) tests_.forget(done);
  block_.kernel->lane.reset();
  combine_threads(loop, carried_.combine_neighbours(loop, arrays, scalars_));
}

// Whether the threads that run an iteration are of one warp: then shuffles combine what they carry.
bool ThreadLoops::is_within_warp() const {
  return block_.kernel->form.threads <= kWarpThreads && !block_.kernel->form.across;
}

// What the threads carried to the end, and the initial value.
void ThreadLoops::combine_threads(ForRef loop, const std::vector<SourceText>& carried) {
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const SourceText all = temporary(loop.carried(i).dtype(), {combined(loop, i, carried[i]), 1}).text;
    declare(loop.op().result(i),
            scalars_.expression(CarriedValues::combination(loop, i), {text_of(loop.initial(i)), {all, 1}}));
  }
  // Shuffles order no memory; the combine tree of a block has a barrier.
  if (!carried.empty() && !is_within_warp()) block_.kernel->since_barrier = {};
}

SourceText ThreadLoops::combined(ForRef loop, std::size_t i, const SourceText& own) {
  const Dtype dtype = loop.carried(i).dtype();
  const SourceText a = fresh("a"), b = fresh("b");
  SourceText result;
  const SourceBlock statements = writer_.source.block([&] {
    result = scalars_.expression(CarriedValues::combination(loop, i), {{a, 1}, {b, 1}}).text;
  });
  const SourceText op = writer_.grid->function_of_two(
      hooks_.variable_type(dtype, 1), a, b, statements.text(writer_.source.depth()), result.without_brackets());
  const auto lanes = static_cast<int>(loop.lanes());
  if (is_within_warp()) return writer_.grid->combine_in_group(lanes, block_.kernel->form.threads, own, op);
  block_.kernel->combines = true;
  return block_.kernel->form.across ? writer_.grid->combine_across(lanes, block_.kernel->form.groups, own, op)
                                    : writer_.grid->combine(lanes, own, op);
}

}  // namespace mlgc::codegen

// Grids: a function is code of the host that launches a kernel for each nest.
//
// Iterations of the parallel loops at the top are blocks, in which the lanes of vector loops are threads; where nothing
// inside has lanes, they are threads themselves. What stands between such nests, and nests whose bounds the host does
// not know, is run by one block. All threads of a block compute what is outside of vector loops, and the first one
// writes it; a barrier stands where threads meet what others of the block did since the last one.
#include <algorithm>
#include <ranges>

#include "analysis/loop_access.h"
#include "codegen/walk.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "ops/combine.h"

namespace mlgc::codegen {
namespace {

constexpr int kThreads = 256;                    // of a block in which each thread takes iterations of its own
constexpr int kFewestThreads = 32;               // a warp
constexpr std::int64_t kBlocksWithMemory = 256;  // that run where scratch does not fit on the chip
constexpr std::int64_t kOnAnyChip = 32768;       // bytes of scratch that fit wherever code runs

bool is_inside(OpRef op, std::span<const OpRef> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](OpRef of) { return op == of || op.is_inside(of); });
}

bool is_parallel(OpRef op) {
  const ForRef loop = ForRef::from(op);
  return loop.valid() && loop.kind() == LoopKind::Parallel;
}

// The most lanes of a loop in it; 0: none has lanes.
int most_lanes_in(std::span<const OpRef> ops) {
  std::int64_t most = 0;
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      if (const ForRef loop = ForRef::from(op); loop.valid() && loop.kind() == LoopKind::Vector)
        most = std::max(most, loop.lanes());
    });
  return static_cast<int>(most);
}

}  // namespace

// --- the host

void Walk::host_region(RegionRef r) {
  std::vector<OpRef> pending;  // one block runs them, before the next nest
  const auto flush = [&] {
    one_block(pending);
    pending.clear();
  };
  for (const OpRef op : r.ops()) {
    if (op.is(LoopOp::Yield) || op.is(LoopOp::Return)) continue;
    if (op.is(LoopOp::BufferView)) {
      one(op);
    } else if (op.is(LoopOp::Alloc) && types_.scope(op.result().type()) != Scope::Register) {
      allocate(op);
      host_names_.push_back({std::string(leaves_.element_type(op.result().dtype())) + "*", spelled(op.result()).text});
    } else if (is_parallel(op) && host_knows_bounds(op)) {
      flush();
      grid_loop(op);
    } else if (is_host_loop(op)) {
      flush();
      host_loop(ForRef::from(op));
    } else {
      pending.push_back(op);
    }
  }
  flush();
}

// Of a loop that carries nothing.
bool Walk::host_knows_bounds(OpRef loop) const {
  return std::all_of(loop.operands().begin(), loop.operands().end(),
                     [&](Value v) { return host_values_.contains(v.id()); });
}

// A loop around nests whose bounds the host knows.
bool Walk::is_host_loop(OpRef op) const {
  const ForRef loop = ForRef::from(op);
  if (!loop.valid() || loop.carried_count() > 0 || loop.kind() != LoopKind::Serial || !host_knows_bounds(op))
    return false;
  return !walk(op, [&](OpRef inner) { return is_parallel(inner) ? WalkResult::Stop : WalkResult::Continue; });
}

void Walk::host_loop(ForRef loop) {
  const SourceText from = index(loop.op(), loop.first()).text, to = index(loop.op(), loop.last()).text;
  const SourceText variable = fresh_index(loop);
  names_[loop.index().id()] = {variable, 1};
  host_values_.insert(loop.index().id());
  source_.open(leaves_.loop_head(variable, from, bound(to, variable.str() + "_end"), 1) + " {");
  host_names_.push_back({std::string(leaves_.index_type()), variable});
  host_region(loop.body());
  source_.close();
}

// --- kernels

// A scalar that each kernel may compute for itself.
bool Walk::is_portable(Value v) const {
  if (v.is_argument()) return host_values_.contains(v.id());
  const OpRef op = v.definer();
  if (op.region_count() > 0 || !op.pure() || op.is(LoopOp::Load) || op.is(LoopOp::Alloc)) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [&](Value of) { return is_portable(of); });
}

// Makes a scalar from outside of the kernel known in it.
void Walk::bring(Value v, std::span<const OpRef> inside) {
  if (types_.kind(v.type()) == TypeKind::Buffer || host_values_.contains(v.id())) return;
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  if (is_inside(home, inside) || !kernel_->brought.insert(v.id()).second) return;
  if (const auto slot = slots_.find(v.id()); slot != slots_.end())
    return declare(v, {leaves_.load(v.dtype(), slot->second + "[0]"), 1});
  for (const Value of : home.operands()) bring(of, inside);
  one(home);
}

void Walk::Touched::add(const Touched& other) {
  reads.insert(other.reads.begin(), other.reads.end());
  writes.insert(other.writes.begin(), other.writes.end());
}

// What the op and those inside of it touch of the buffers that threads of the block exchange values through.
Walk::Touched Walk::touched(OpRef op) const {
  Touched out;
  walk(op, [&](OpRef inner) {
    const bool load = inner.is(LoopOp::Load);
    if (!load && !inner.is(LoopOp::Store)) return;
    const ValueId id = underlying_buffer(inner.operand(load ? 0 : 1)).id();
    if (kernel_->exchanged.contains(id)) (load ? out.reads : out.writes).insert(id);
  });
  return out;
}

// Whether what follows meets what other threads did since the last barrier.
bool Walk::meets(const Touched& next) const {
  const Touched& done = kernel_->since_barrier;
  const auto meet = [](const std::unordered_set<ValueId>& a, const std::unordered_set<ValueId>& b) {
    return std::any_of(a.begin(), a.end(), [&](ValueId id) { return b.contains(id); });
  };
  return meet(next.reads, done.writes) || meet(next.writes, done.writes) || meet(next.writes, done.reads);
}

void Walk::barrier() {
  line(std::string(grid_->barrier()));
  kernel_->since_barrier = {};
}

// A barrier, if it needs one.
void Walk::before_touching(const Touched& next) {
  if (meets(next)) barrier();
  kernel_->since_barrier.add(next);
}

// A loop that all threads of the block run: its first iteration meets what was before it, the others what the one
// before them did, unless iterations keep apart.
void Walk::uniform_loop(OpRef op, const std::function<void()>& print) {
  if (!is_uniform()) return print();
  const ForRef loop = ForRef::from(op);
  FunctionFacts facts;
  const bool apart = loop.valid() && !find_conflict(loop, facts.of(op));
  if (apart && meets(touched(op))) barrier();  // in front of it, not in each iteration
  const Touched before = kernel_->since_barrier;
  bool allocates = false;  // memory that is the same in each iteration
  walk(op, [&](OpRef inner) { allocates = allocates || inner.is(LoopOp::Alloc); });
  if (!apart || allocates) kernel_->since_barrier.add(touched(op));
  print();
  kernel_->since_barrier.add(before);
}

// The kernel that runs these ops, and its launch for so many iterations. `print` prints what it does.
void Walk::kernel(std::span<const OpRef> ops, bool block_each, int threads, const SourceText& iterations,
                  const std::function<void()>& print) {
  Kernel made{block_each, threads, {}, {}, {}, {}};
  std::unordered_set<ValueId> read, written;
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      const bool load = op.is(LoopOp::Load);
      if (!load && !op.is(LoopOp::Store)) return;
      const Value buffer = underlying_buffer(op.operand(load ? 0 : 1));
      if (types_.scope(buffer.type()) != Scope::Register) (load ? read : written).insert(buffer.id());
    });
  std::copy_if(read.begin(), read.end(), std::inserter(made.exchanged, made.exchanged.end()),
               [&](ValueId id) { return written.contains(id); });
  kernel_ = std::move(made);
  const IndexExpr scratch = scratch_;
  scratch_ = index_.constant(0);
  in_body_ = true;
  grid_->inside_kernel(true);
  SourceBlock inside = source_.body_of_function([&] {
    for (const OpRef of : ops)
      walk(of, [&](OpRef op) {
        for (const Value v : op.operands()) bring(v, ops);
      });
    print();
  });
  grid_->inside_kernel(false);
  in_body_ = false;
  kernel_.reset();
  // What an earlier kernel of the function tested holds in this one.
  if (tested_) inside.add_first(grid_->end_after_failure());
  const Variables used = inside.variables();
  const bool can_fail = SourceText::failure().is_among(used);
  tested_ = tested_ || can_fail;

  const std::string name = unused_name(name_ + "_kernel" + std::to_string(++loops_));
  std::string parameters;
  SourceText arguments;
  const auto give = [&](const std::string& type, const std::string& parameter, const SourceText& argument) {
    parameters += (parameters.empty() ? "" : ", ") + type + " " + parameter;
    arguments += ", " + argument;
  };
  if (can_fail) give("mlgc_failure*", "failure", SourceText::failure());
  for (const auto& [type, host] : host_names_)
    if (host.is_among(used)) give(grid_->alone(type), host.str(), host);
  SourceText blocks = block_each
                          ? iterations
                          : "(" + iterations + " + " + std::to_string(threads - 1) + ") / " + std::to_string(threads);
  SourceText shared = "0";
  std::string opening;
  if (SourceText::scratch().is_among(used)) {
    const SourceText bytes = bound(index(ops[0], scratch_).text, "scratch_bytes");
    const auto known = index_.as_constant(scratch_);
    opening = block_each ? grid_->scratch_of_block() : grid_->scratch_of_thread(threads);
    if (block_each && known && *known <= kOnAnyChip) {
      give("char*", "memory_of_blocks", "nullptr");
      shared = bytes;
    } else {
      const SourceText fits = fresh("fits"), memory = index(ops[0], memory_).text;
      line("const bool " + fits + " = " + (block_each ? grid_->fits_on_chip(name, bytes) : "false") + ";");
      give("char*", "memory_of_blocks", fits + " ? nullptr : " + SourceText::memory() + " + " + memory);
      blocks = fits + " ? " + blocks + " : " +
               leaves_.minimum(1, leaves_.integer_literal(Dtype::I64, kBlocksWithMemory),
                               std::string(leaves_.index_type()) + "{" + blocks + "}");
      shared = fits + " ? " + bytes + " : 0";
      memory_ = index_.add(memory_, index_.scale(scratch_, kBlocksWithMemory * (block_each ? 1 : threads)));
      takes_memory_ = true;
    }
    give(std::string(leaves_.index_type()), "scratch_bytes", bytes);
  }
  scratch_ = scratch;
  bodies_ += grid_->kernel_head(name, threads) + "(" + parameters + ") {\n" + opening + inside.print(1) + "}\n\n";
  line(grid_->launch(name, blocks, threads, shared, arguments));
}

// What is no nest of its own; scalars that a later kernel wants and cannot compute go through memory.
void Walk::one_block(std::span<const OpRef> ops) {
  const bool idle = std::all_of(ops.begin(), ops.end(), [&](OpRef op) {
    const bool portable =
        op.pure() && std::all_of(op.results().begin(), op.results().end(), [&](Value v) { return is_portable(v); });
    return op.is(LoopOp::Alloc) || portable;
  });
  if (idle) return;
  std::vector<Value> wanted;
  for (const OpRef op : ops)
    for (const Value v : op.results()) {
      if (types_.kind(v.type()) == TypeKind::Buffer || is_portable(v)) continue;
      const auto uses = v.uses();
      if (std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return is_inside(use.owner(), ops); })) continue;
      wanted.push_back(v);
      const std::string type = std::string(leaves_.element_type(v.dtype())) + "*";
      const SourceText slot = fresh("slot");
      line(type + " const " + slot + " = reinterpret_cast<" + type + ">(" + SourceText::memory() + " + " +
           index(op, memory_).text + ");");
      memory_ = index_.add(memory_, index_.constant(64));
      takes_memory_ = true;
      host_names_.push_back({type, slot});
      slots_[v.id()] = slot;
    }
  // What only later kernels use they compute for themselves.
  std::unordered_set<OpId> needed;
  for (const OpRef op : std::views::reverse(ops)) {
    bool used = !op.pure();
    for (const Value v : op.results()) {
      used = used || std::find(wanted.begin(), wanted.end(), v) != wanted.end();
      for (const Use& use : v.uses())
        used = used || std::any_of(ops.begin(), ops.end(), [&](OpRef by) {
                 return needed.contains(by.id()) && is_inside(use.owner(), {&by, 1});
               });
    }
    if (used) needed.insert(op.id());
  }
  std::vector<OpRef> run;
  std::copy_if(ops.begin(), ops.end(), std::back_inserter(run), [&](OpRef op) { return needed.contains(op.id()); });
  kernel(run, true, std::max(most_lanes_in(run), kFewestThreads), "1", [&] {
    for (const OpRef op : run) one(op);
    for (const Value v : wanted)
      line("if (" + std::string(grid_->thread()) + " == 0) " +
           leaves_.store(v.dtype(), slots_.at(v.id()) + "[0]", spelled(v).text));
  });
}

void Walk::grid_loop(OpRef op) {
  // Parallel loops that stand alone inside of each other, as far as the host knows how often they run.
  std::vector<ForRef> chain;
  for (const OpRef loop : parallel_chain(op)) {
    if (!host_knows_bounds(loop)) break;
    chain.push_back(ForRef::from(loop));
  }
  const OpRef ops[] = {op};
  const int lanes = most_lanes_in(ops);
  const bool block_each = lanes > 1;
  const int threads = block_each ? std::max(lanes, kFewestThreads) : kThreads;
  const std::string type(leaves_.index_type());
  std::vector<SourceText> counts;
  SourceText all;
  for (const ForRef& loop : chain) {
    const std::string stem = loop.index().name().empty() ? "i" : std::string(loop.index().name());
    const SourceText count =
        index(loop.op(), index_.sub(resolved(loop.op(), loop.last()), resolved(loop.op(), loop.first()))).text;
    // A loop from 5 to 3 has none.
    const SourceText name = fresh(stem + "_count");
    line("const " + type + " " + name + " = " +
         leaves_.maximum(1, leaves_.integer_literal(Dtype::I64, 0), type + "{" + count + "}") + ";");
    host_names_.push_back({"const " + type, name});
    counts.push_back(name);
    all += (all.empty() ? "" : " * ") + name;
  }
  const SourceText total = chain.size() == 1 ? all : bound(all, "iterations");
  if (chain.size() > 1) host_names_.push_back({"const " + type, total});
  kernel(ops, block_each, threads, total, [&] {
    const SourceText at = fresh("at"), block(grid_->block()), wide = std::to_string(threads);
    const SourceText start = type + "{" + block + "}", step = type + "{" + std::string(grid_->blocks()) + "}";
    source_.open("for (" + type + " " + at + " = " +
                 (block_each ? start : start + " * " + wide + " + " + std::string(grid_->thread())) + "; " + at +
                 " < " + total + "; " + at + " += " + (block_each ? step : step + " * " + wide) + ") {");
    SourceText rest = at;
    for (std::size_t i = chain.size(); i-- > 0;) {
      const Value v = chain[i].index();
      const SourceText first = index(chain[i].op(), chain[i].first()).text;
      SourceText own = i == 0 ? rest : rest + " % " + counts[i];
      declare(v, {(first.is_number(0) ? "" : first + " + ") + own, 1});
      if (i > 1) rest = temporary(Dtype::I64, {rest + " / " + counts[i], 1}).text;
      if (i == 1) rest = rest + " / " + counts[i];
    }
    region(chain.back().body());
    // Scratch is that of the block's next iteration too.
    if (block_each && !kernel_->exchanged.empty()) line(std::string(grid_->barrier()));
    source_.close();
  });
}

// --- drivers

// A loop over elements of buffers: the host launches it.
bool Walk::is_nest_of_driver(OpRef op) const {
  if (grid_ == nullptr || tables_ == nullptr || kernel_ || !ForRef::from(op).valid() || op.result_count() > 0)
    return false;
  bool touches = false;
  const bool plain = walk(op, [&](OpRef inner) {
    touches = touches || inner.is(LoopOp::Load) || inner.is(LoopOp::Store);
    const bool of_host =
        inner.is(LoopOp::Launch) || inner.is(LoopOp::Alloc) || inner.is(LoopOp::Data) || inner.is(LoopOp::While);
    return of_host ? WalkResult::Stop : WalkResult::Continue;
  });
  return plain && touches;
}

void Walk::nest_of_driver(OpRef op) {
  host_names_.clear();
  for (const AtomId s : symbols_of(func_))
    if (const auto known = symbol_names_.find(s); known != symbol_names_.end())
      host_names_.push_back({std::string(leaves_.index_type()), known->second});
  std::unordered_set<ValueId> written, seen;
  walk(op, [&](OpRef inner) {
    if (const Value buffer = stored_buffer(inner); buffer.valid()) written.insert(buffer.id());
  });
  walk(op, [&](OpRef inner) {
    for (const Value v : inner.operands()) {
      const Value root = underlying_buffer(v);
      if (!names_.contains(v.id()) || !seen.insert(root.id()).second) continue;
      if (types_.kind(v.type()) != TypeKind::Buffer) {
        host_values_.insert(v.id());
        host_names_.push_back({leaves_.variable_type(dtype_of(v), 1), spelled(v).text});
        continue;
      }
      host_names_.push_back(
          {(written.contains(root.id()) ? "" : "const ") + std::string(leaves_.element_type(v.dtype())) + "*",
           spelled(v).text});
    }
  });
  const OpRef ops[] = {op};
  if (is_parallel(op))
    grid_loop(op);
  else
    one_block(ops);
}

// --- lanes

// Whether there are neither loops nor branches in the loop.
bool Walk::is_innermost(OpRef loop) {
  return walk(loop, [&](OpRef inner) {
    return inner != loop && inner.region_count() > 0 ? WalkResult::Stop : WalkResult::Continue;
  });
}

// Whether the loop holds one round of all threads and nothing else.
bool Walk::repeats_a_round(ForRef loop) const {
  if (loop.carried_count() > 0 || loop.body().empty()) return false;
  const OpRef only = loop.body().front();
  const ForRef round = ForRef::from(only);
  return round.valid() && round.kind() == LoopKind::Vector && only.next().valid() && only.next().is(LoopOp::Yield) &&
         usual_extent(round).value_or(round.lanes() + 1) <= round.lanes();
}

// The threads of the block take the iterations in turns.
void Walk::thread_loop(ForRef loop) {
  const OpRef op = loop.op();
  const auto lanes = static_cast<int>(loop.lanes());
  const SourceText from = index(op, loop.first()).text, to = index(op, loop.last()).text;
  const SourceText variable = fresh_index(loop);
  const SourceText end = bound(to, variable.str() + "_end"), type(leaves_.index_type()), thread(grid_->thread());
  const std::vector<SourceText> carried = start_lanes(loop, 1);
  names_[loop.index().id()] = {variable, 1};
  before_touching(touched(op));
  const bool innermost = is_innermost(op);
  // A loop that each thread runs once at most is a condition.
  const bool once = carried.empty() && usual_extent(loop).value_or(lanes + 1) <= lanes;
  if (innermost && !once) line(std::string(grid_->unroll()));
  const SourceText some = lanes < kernel_->threads ? thread + " < " + std::to_string(lanes) + " && " : "";
  const SourceText first = (from.is_number(0) ? "" : from + " + ") + thread;
  if (once) {
    line("const " + type + " " + variable + " = " + first + ";");
    source_.open("if (" + some + variable + " < " + end + ") {");
  } else {
    source_.open("for (" + type + " " + variable + " = " + first + "; " + some + variable + " < " + end + "; " +
                 variable + " += " + std::to_string(lanes) + ") {");
  }
  kernel_->lane = loop.index();
  region(loop.body());
  carry_on(loop, carried, "");
  source_.close();
  kernel_->lane.reset();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const SourceText all = temporary(loop.carried(i).dtype(), {combined(loop, i, carried[i]), 1}).text;
    declare(op.result(i), expression(step_of(loop, i), {spelled(loop.initial(i)), {all, 1}}));
  }
  if (!carried.empty()) kernel_->since_barrier = {};  // the reduction has barriers
}

SourceText Walk::combined(ForRef loop, std::size_t i, const SourceText& own) {
  const Dtype dtype = loop.carried(i).dtype();
  const SourceText a = fresh("a"), b = fresh("b");
  SourceText result;
  const SourceBlock statements = source_.block([&] { result = expression(step_of(loop, i), {{a, 1}, {b, 1}}).text; });
  return grid_->combine(static_cast<int>(loop.lanes()), own,
                        grid_->function_of_two(leaves_.variable_type(dtype, 1), a, b, statements.text(source_.depth()),
                                               result.without_brackets()));
}

}  // namespace mlgc::codegen

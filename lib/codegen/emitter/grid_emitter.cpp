#include "codegen/emitter/grid_emitter.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "codegen/emitter/function_emitter.h"
#include "codegen/emitter/narrow_indices.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer, the same for all GPUs: blocks that run where scratch does not fit in shared memory.
constexpr std::int64_t kBlocksWithMemory = 256;

bool is_inside(OpRef op, std::span<const OpRef> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](OpRef of) { return op == of || op.is_inside(of); });
}

bool is_parallel(OpRef op) {
  const ForRef loop = ForRef::from(op);
  return loop.valid() && loop.kind() == LoopKind::Parallel;
}

}  // namespace

void GridEmitter::host_region(RegionRef r) {
  std::vector<OpRef> pending;  // one block runs them, before the next nest
  std::unordered_set<OpId> early;
  const auto flush = [&](OpRef nest) {
    for (const OpRef store : stores_before(nest, pending))
      if (early.insert(store.id()).second) pending.push_back(store);
    one_block(pending);
    pending.clear();
  };
  for (const OpRef op : r.ops()) {
    if (op.is(LoopOp::Yield) || op.is(LoopOp::Return) || early.contains(op.id())) continue;
    if (op.is(LoopOp::BufferView)) {
      function_.op(op);
    } else if (op.is(LoopOp::Alloc) && types_.scope(op.result().type()) != Scope::Register) {
      function_.allocate(op);
      host_names_.push_back({std::string(hooks_.element_type(op.result().dtype())) + "*", text_of(op.result()).text});
    } else if (is_parallel(op) && host_knows_bounds(op)) {
      flush(op);
      grid_loop(op);
    } else if (is_host_loop(op)) {
      flush(op);
      host_loop(ForRef::from(op));
    } else {
      pending.push_back(op);
    }
  }
  one_block(pending);
}

// Stores after the nest, of scalars that the block computes which runs before it: the same block stores them, where
// nothing between touches the buffer.
std::vector<OpRef> GridEmitter::stores_before(OpRef nest, std::span<const OpRef> block) {
  std::vector<OpRef> out;
  for (OpRef op = nest; op.valid(); op = op.next()) {
    const StoreRef store = StoreRef::from(op);
    if (!store.valid() || op.operand_count() != 2 || !store.value().is_result() ||
        std::find(block.begin(), block.end(), store.value().definer()) == block.end())
      continue;
    const Value buffer = underlying_buffer(store.buffer());
    bool touched = false;
    for (OpRef between = nest; between != op; between = between.next())
      walk(between, [&](OpRef inner) {
        touched = touched || std::any_of(inner.operands().begin(), inner.operands().end(), [&](Value v) {
                    return types_.kind(v.type()) == TypeKind::Buffer && underlying_buffer(v) == buffer;
                  });
      });
    if (!touched && writer_.names.contains(store.buffer().id())) out.push_back(op);  // it is made before the nest
  }
  return out;
}

// Of a loop that carries nothing.
bool GridEmitter::host_knows_bounds(OpRef loop) const {
  return std::all_of(loop.operands().begin(), loop.operands().end(),
                     [&](Value v) { return host_values_.contains(v.id()); });
}

// A loop around nests whose bounds the host knows.
bool GridEmitter::is_host_loop(OpRef op) const {
  const ForRef loop = ForRef::from(op);
  if (!loop.valid() || loop.carried_count() > 0 || loop.kind() != LoopKind::Serial || !host_knows_bounds(op))
    return false;
  return !walk(op, [&](OpRef inner) { return is_parallel(inner) ? WalkResult::Stop : WalkResult::Continue; });
}

void GridEmitter::host_loop(ForRef loop) {
  const SourceText from = indices_.index(loop.op(), loop.first()).text,
                   to = indices_.index(loop.op(), loop.last()).text;
  const SourceText variable = fresh_index(loop);
  writer_.names[loop.index().id()] = {variable, 1};
  host_values_.insert(loop.index().id());
  open(hooks_.loop_head(variable, from, bound(to, variable.str() + "_end"), 1) + " {");
  host_names_.push_back({std::string(hooks_.index_type()), variable});
  host_region(loop.body());
  close();
}

// A scalar that each kernel may compute for itself.
bool GridEmitter::is_portable(Value v) const {
  if (v.is_argument()) return host_values_.contains(v.id());
  const OpRef op = v.definer();
  if (op.region_count() > 0 || !op.pure() || op.is(LoopOp::Load) || op.is(LoopOp::Alloc)) return false;
  return std::all_of(op.operands().begin(), op.operands().end(), [&](Value of) { return is_portable(of); });
}

// Makes a scalar from outside of the kernel known in it.
void GridEmitter::import_value(Value v, std::span<const OpRef> inside) {
  if (types_.kind(v.type()) == TypeKind::Buffer || host_values_.contains(v.id())) return;
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  if (is_inside(home, inside) || !block_.kernel->imported.insert(v.id()).second) return;
  const auto slot = slots_.find(v.id());
  if (slot == slots_.end())
    for (const Value of : home.operands()) import_value(of, inside);
  SourceBlock statements = writer_.source.block([&] {
    if (slot == slots_.end())
      function_.op(home);
    else
      declare(v, {hooks_.load(v.dtype(), slot->second + "[0]"), 1});
  });
  if (!statements.empty()) imports_.push_back({text_of(v).text, std::move(statements)});
}

// The body of a kernel behind the scalars that it imports, but for those that it does not use.
SourceBlock GridEmitter::behind_imports(SourceBlock body) {
  Variables used = body.variables();
  std::vector<SourceBlock> kept;
  for (Import& import : std::views::reverse(imports_)) {
    if (!import.variable.is_among(used) && !import.statements.can_return()) continue;
    add_variables(used, import.statements.variables());
    kept.push_back(std::move(import.statements));
  }
  imports_.clear();
  SourceBlock out;
  for (SourceBlock& statements : std::views::reverse(kept)) out.add(std::move(statements));
  out.add(std::move(body));
  return out;
}

// Threads exchange what they read and write.
ThreadBlock::Kernel GridEmitter::kernel_of(std::span<const OpRef> ops, const ThreadBlock::Form& form) const {
  ThreadBlock::Kernel made{form, {}, {}, {}, {}, false};
  std::unordered_set<ValueId> read, written;
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      const bool load = op.is(LoopOp::Load);
      if (!load && !op.is(LoopOp::Store)) return;
      const Value buffer = underlying_buffer(op.operand(load ? 0 : 1));
      if (types_.scope(buffer.type()) != Scope::Register && !own_.contains(buffer))
        (load ? read : written).insert(buffer.id());
    });
  std::copy_if(read.begin(), read.end(), std::inserter(made.exchanged, made.exchanged.end()),
               [&](ValueId id) { return written.contains(id); });
  return made;
}

bool GridEmitter::has_matrix_loop(std::span<const OpRef> ops) {
  bool found = false;
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      found = found || (loop.valid() && loop.kind() == LoopKind::Matrix);
    });
  return found;
}

// The kernel that runs these ops, and its launch for so many iterations; its name. `emit` prints what it does. Of a
// matrix loop whose factors the device copies: how.
std::string GridEmitter::kernel(std::span<const OpRef> ops, const ThreadBlock::Form& form, const SourceText& iterations,
                                const std::function<void()>& emit, const TensorKernel* by_device) {
  const bool block_each = form.block_each;
  const int threads = form.threads * form.groups,
            at_a_time = block_each ? form.groups : threads;  // iterations of a block
  block_.kernel = kernel_of(ops, form);
  // Two instances of what the matrix unit does would take twice the time of the compiler, and pieces are a small part.
  pieces_.start_kernel(has_matrix_loop(ops) ? std::span<const TypedName>() : host_names_);
  const IndexExpr scratch = writer_.memory.scratch;
  writer_.memory.scratch = index_.constant(0);
  writer_.in_body = true;
  writer_.grid->inside_kernel(true);
  bool counts_rounds = false;
  SourceBlock inside = writer_.source.body_of_function([&] {
    for (const OpRef of : ops)
      walk(of, [&](OpRef op) {
        if (const ForRef loop = ForRef::from(op); loop.valid() && loop.kind() == LoopKind::Matrix) matrices_.find(loop);
      });
    for (const OpRef of : ops)
      walk(of, [&](OpRef op) {
        for (const Value v : op.operands()) import_value(v, ops);
      });
    emit();
    counts_rounds = block_.kernel->combines;
  });
  inside = behind_imports(std::move(inside));
  if (by_device != nullptr) inside = tensors_.guarded(std::move(inside));
  if (counts_rounds) inside.add_first(writer_.grid->start_rounds());
  writer_.grid->inside_kernel(false);
  writer_.in_body = false;
  block_.kernel.reset();
  const std::vector<SourceText> asked = pieces_.asked();
  // What an earlier kernel of the function tested holds in this one.
  if (tested_) inside.add_first(writer_.grid->end_after_failure());
  inside.add_first(writer_.grid->begin_kernel());
  const Variables used = inside.variables();
  const bool can_fail = SourceText::failure().is_among(used);
  tested_ = tested_ || can_fail;

  const std::string name = writer_.unused_name(writer_.name + "_kernel" + std::to_string(++writer_.outlined_loops));
  const SourceText instance = asked.empty() ? SourceText(name) : writer_.grid->kernel_instance(asked, name);
  std::string parameters;
  SourceText arguments;
  const auto give = [&](const std::string& type, const std::string& parameter, const SourceText& argument) {
    parameters += (parameters.empty() ? "" : ", ") + type + " " + parameter;
    arguments += ", " + argument;
  };
  if (can_fail) give("mlgc_failure*", "failure", SourceText::failure());
  for (const auto& [type, host] : host_names_)
    if (host.is_among(used)) give(writer_.grid->alone(type), host.str(), host);
  SourceText blocks =
      at_a_time == 1 ? iterations
                     : "(" + iterations + " + " + std::to_string(at_a_time - 1) + ") / " + std::to_string(at_a_time);
  SourceText shared = "0";
  std::string opening;
  if (SourceText::scratch().is_among(used)) {
    const SourceText bytes = bound(indices_.index(ops[0], writer_.memory.scratch).text, "scratch_bytes");
    const auto known = index_.as_constant(writer_.memory.scratch);
    opening = form.groups > 1 ? writer_.grid->scratch_of_group(form.threads)
              : block_each    ? writer_.grid->scratch_of_block()
                              : writer_.grid->scratch_of_thread(threads);
    if (block_each && known && GridForms::fits_on_chip(ops, *known)) {
      if (form.groups == 1) give("char*", "memory_of_blocks", "nullptr");
      shared = form.groups > 1 ? bytes + " * " + std::to_string(form.groups) : bytes;
    } else {
      const SourceText fits = fresh("fits"), memory = indices_.index(ops[0], writer_.memory.bytes).text;
      line("const bool " + fits + " = " + (block_each ? writer_.grid->fits_on_chip(instance, bytes) : "false") + ";");
      give("char*", "memory_of_blocks", fits + " ? nullptr : " + SourceText::memory() + " + " + memory);
      blocks = fits + " ? " + blocks + " : " +
               hooks_.minimum(1, hooks_.integer_literal(Dtype::I64, kBlocksWithMemory),
                              std::string(hooks_.index_type()) + "{" + blocks + "}");
      shared = fits + " ? " + bytes + " : 0";
      writer_.memory.bytes = index_.add(
          writer_.memory.bytes, index_.scale(writer_.memory.scratch, kBlocksWithMemory * (block_each ? 1 : threads)));
      writer_.memory.takes_memory = true;
    }
    give(std::string(hooks_.index_type()), "scratch_bytes", bytes);
  }
  writer_.memory.scratch = scratch;
  if (by_device != nullptr) {
    blocks = tensors_.blocks(*by_device, iterations);
    shared = tensors_.bytes(*by_device, iterations);
  }
  writer_.functions_before += (by_device != nullptr ? tensors_.head(*by_device, name)
                                                    : writer_.grid->kernel_head(name, threads, !asked.empty())) +
                              "(" + parameters + ") {\n" + opening + inside.print(1) + "}\n\n";
  line(writer_.grid->launch(instance, blocks, threads, shared, arguments));
  return name;
}

// Kernels for the same ops, of which the host chooses one: the first of `by_device` that may run, else the one without.
void GridEmitter::kernels(std::span<const OpRef> ops, std::span<const TensorKernel> by_device,
                          const ThreadBlock::Form& form, const SourceText& iterations,
                          const std::function<void(const TensorKernel*)>& emit) {
  SourceBlock otherwise = writer_.source.block([&] { kernel(ops, form, iterations, [&] { emit(nullptr); }); });
  bool is_first = true;
  std::vector<std::pair<SourceText, SourceBlock>> choices;
  for (const TensorKernel& of : by_device) {
    tensors_.declare_maps(of);
    for (const SourceText& map : of.maps()) host_names_.push_back({std::string(tensors_.hooks().map_parameter()), map});
    const ThreadBlock::Form of_tile{true, tensors_.threads(of)};
    std::string name;
    SourceBlock launch = writer_.source.block([&] {
      name = kernel(
          ops, of_tile, iterations, [&] { emit(&of); }, &of);
    });
    choices.emplace_back(tensors_.condition(of, name, iterations), std::move(launch));
  }
  for (auto& [condition, launch] : choices) {
    const SourceText head = "if (" + condition + ") {";
    if (std::exchange(is_first, false))
      open(head);
    else
      next("} else " + head);
    writer_.source.append(std::move(launch));
  }
  next("} else {");
  writer_.source.append(std::move(otherwise));
  close();
}

// What is no nest of its own; scalars that a later kernel wants and cannot compute go through memory.
void GridEmitter::one_block(std::span<const OpRef> ops) {
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
      const std::string type = std::string(hooks_.element_type(v.dtype())) + "*";
      const SourceText slot = fresh("slot");
      line(type + " const " + slot + " = reinterpret_cast<" + type + ">(" + SourceText::memory() + " + " +
           indices_.index(op, writer_.memory.bytes).text + ");");
      writer_.memory.bytes = index_.add(writer_.memory.bytes, index_.constant(64));
      writer_.memory.takes_memory = true;
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
  kernel(run, forms_.of_one_block(run), "1", [&] {
    for (const OpRef op : run) function_.op(op);
    for (const Value v : wanted)
      line("if (" + block_.thread() + " == 0) " + hooks_.store(v.dtype(), slots_.at(v.id()) + "[0]", text_of(v).text));
  });
}

void GridEmitter::grid_loop(OpRef op) {
  // Parallel loops that stand alone inside of each other, as far as the host knows how often they run.
  std::vector<ForRef> chain;
  for (const OpRef loop : parallel_chain(op)) {
    if (!host_knows_bounds(loop)) break;
    chain.push_back(ForRef::from(loop));
  }
  const OpRef ops[] = {op};
  const ThreadBlock::Form form = forms_.of_nest(op, chain.back().op());
  const std::string type(hooks_.index_type());
  std::vector<SourceText> counts;
  std::vector<std::int64_t> extents;  // as far as all are constants
  SourceText all;
  IndexExpr iterations = index_.constant(1);
  for (const ForRef& loop : chain) {
    const std::string stem = loop.index().name().empty() ? "i" : std::string(loop.index().name());
    const IndexExpr extent = index_.sub(resolved(loop.op(), loop.last()), resolved(loop.op(), loop.first()));
    if (const auto number = index_.as_constant(extent)) {
      const std::int64_t count = std::max<std::int64_t>(*number, 0);  // a loop from 5 to 3 has none
      counts.push_back(hooks_.integer_literal(Dtype::I64, count));
      extents.push_back(count);
      iterations = index_.mul(iterations, index_.constant(count));
      all += (all.empty() ? "" : " * ") + counts.back();
      continue;
    }
    iterations = index_.mul(iterations, extent);
    const SourceText count = indices_.index(loop.op(), extent).text;
    const SourceText name = fresh(stem + "_count");
    line("const " + type + " " + name + " = " +
         hooks_.maximum(1, hooks_.integer_literal(Dtype::I64, 0), type + "{" + count + "}") + ";");
    host_names_.push_back({"const " + type, name});
    counts.push_back(name);
    all += (all.empty() ? "" : " * ") + name;
  }
  const auto known = index_.as_constant(iterations);
  const SourceText total = known               ? hooks_.integer_literal(Dtype::I64, *known)
                           : chain.size() == 1 ? all
                                               : bound(all, "iterations");
  if (chain.size() > 1 && !known) host_names_.push_back({"const " + type, total});
  const auto loop_around = [&](const std::function<void()>& nest, const TensorKernel* by_device) {
    const SourceText block(writer_.grid->block());
    const SourceText start = type + "{" + block + "}", step = type + "{" + std::string(writer_.grid->blocks()) + "}";
    // Which of a block's iterations this thread takes.
    const SourceText wide = std::to_string(form.block_each ? form.groups : form.threads),
                     which(form.groups > 1 ? block_.group() : std::string(writer_.grid->thread()));
    const bool several = !form.block_each || form.groups > 1;
    const bool alike = form.runs_alike();
    const SourceText head = fresh(alike ? "first_at" : "at");
    open("for (" + type + " " + head + " = " + (several ? start + " * " + wide + (alike ? "" : " + " + which) : start) +
         "; " + head + " < " + total + "; " + head + " += " + (several ? step + " * " + wide : step) + ") {");
    const SourceText at = alike ? fresh("at") : head;
    if (alike)
      line("const " + type + " " + at + " = " +
           hooks_.minimum(1, type + "{" + head + " + " + which + "}", type + "{" + total + " - 1}") + ";");
    // Quotients of 32 bits take a quarter of the instructions of those of 64.
    const bool narrow = known && *known <= std::numeric_limits<std::uint32_t>::max();
    SourceText rest = at;
    if (by_device != nullptr && TensorTileEmitter::from_last(*by_device)) {
      rest = fresh("from_last");
      line("const " + type + " " + rest + " = " + total + " - 1 - " + at + ";");
    }
    const auto narrowed = [&](const SourceText& integer) {
      const SourceText name = fresh("t");
      line("const " + std::string(writer_.grid->narrow_type()) + " " + name + " = " + integer + ";");
      return name;
    };
    if (narrow && chain.size() > 1) rest = narrowed(writer_.grid->narrow(rest));
    const auto count = [&](std::size_t i) { return narrow ? writer_.grid->narrow_literal(extents[i]) : counts[i]; };
    for (std::size_t i = chain.size(); i-- > 0;) {
      const Value v = chain[i].index();
      const SourceText first = indices_.index(chain[i].op(), chain[i].first()).text;
      SourceText own = i == 0 ? rest : rest + " % " + count(i);
      declare(v, {(first.is_number(0) ? "" : first + " + ") + own, 1});
      if (i > 1 && narrow) {
        rest = narrowed(rest + " / " + count(i));
      } else if (i > 1) {
        rest = temporary(Dtype::I64, {rest + " / " + counts[i], 1}).text;
      }
      if (i == 1) rest = rest + " / " + count(i);
    }
    nest();
    // Scratch is that of the block's next iteration too.
    if (by_device == nullptr && form.block_each && !block_.kernel->exchanged.empty()) line(block_.barrier_text());
    close();
  };
  const auto emit = [&](const TensorKernel* by_device) {
    if (by_device == nullptr) return loop_around([&] { function_.region(chain.back().body()); }, nullptr);
    tensors_.begin(*by_device);
    tensors_.loops(*by_device, [&](const std::function<void()>& nest) { loop_around(nest, by_device); });
  };
  if (const std::vector<TensorKernel> by_device = tensors_.find(chain); !by_device.empty())
    kernels(ops, by_device, form, total, emit);
  else
    kernel(ops, form, total, [&] { emit(nullptr); });
}

// A loop over elements of buffers: the host launches it.
bool GridEmitter::is_nest_of_host_function(OpRef op) const {
  if (writer_.grid == nullptr || writer_.tables == nullptr || block_.kernel || !ForRef::from(op).valid() ||
      op.result_count() > 0)
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

void GridEmitter::check_of_host_function(OpRef check, std::vector<OpRef> ops) {
  ops.push_back(check);
  find_host_names(ops);
  one_block(ops);
}

void GridEmitter::nest_of_host_function(OpRef op) {
  const OpRef ops[] = {op};
  find_host_names(ops);
  if (is_parallel(op))
    grid_loop(op);
  else
    one_block(ops);
}

// The variables of the host function that ops name.
void GridEmitter::find_host_names(std::span<const OpRef> ops) {
  host_names_.clear();
  for (const AtomId s : symbols_of(writer_.func))
    if (const auto known = writer_.symbol_names.find(s); known != writer_.symbol_names.end())
      host_names_.push_back({std::string(hooks_.index_type()), known->second});
  std::unordered_set<ValueId> written, seen;
  const auto each = [&](auto visit) {
    for (const OpRef op : ops) walk(op, visit);
  };
  each([&](OpRef inner) {
    if (const Value buffer = stored_buffer(inner); buffer.valid()) written.insert(buffer.id());
  });
  each([&](OpRef inner) {
    for (const Value v : inner.operands()) {
      const Value root = underlying_buffer(v);
      if (!writer_.names.contains(v.id()) || !seen.insert(root.id()).second) continue;
      if (types_.kind(v.type()) != TypeKind::Buffer) {
        host_values_.insert(v.id());
        host_names_.push_back({hooks_.variable_type(dtype_of(v), 1), text_of(v).text});
        continue;
      }
      host_names_.push_back(
          {(written.contains(root.id()) ? "" : "const ") + std::string(hooks_.element_type(v.dtype())) + "*",
           text_of(v).text});
    }
  });
}

}  // namespace mlgc::codegen

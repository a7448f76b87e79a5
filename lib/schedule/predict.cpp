// See predict.h.
#include "schedule/predict.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/loop_sizes.h"
#include "schedule/predict_gpu.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

namespace {

// What of a machine the count asks.
struct Rates {
  double vector_bytes = 0, ports = 0, latency = 0, loads = 0, stores = 0, hertz = 0;
  double line_bytes = 64;
  double cores = 1;
  struct Level {
    std::string_view from;  // where the bytes come from that this cache has no room for
    double bytes = 0;       // what it holds
    double rate = 0;        // bytes a second of one core
    double all = 0;         // of all cores; 0: as many times as there are
  };
  std::vector<Level> levels;
  double start = 0;  // seconds to give a loop to threads
};

Rates rates_of(const CpuMachine& cpu) {
  const double giga = 1e9;
  return {.vector_bytes = static_cast<double>(cpu.vector_bytes),
          .ports = static_cast<double>(cpu.fma_ports),
          .latency = static_cast<double>(cpu.fma_latency),
          .loads = static_cast<double>(cpu.load_ports),
          .stores = static_cast<double>(cpu.store_ports),
          .hertz = cpu.clock_ghz * giga,
          .line_bytes = static_cast<double>(cpu.line_bytes),
          .cores = static_cast<double>(cpu.cores),
          .levels = {{"L2", static_cast<double>(cpu.l1_bytes), cpu.l2_gbs * giga, 0},
                     {"L3", static_cast<double>(cpu.l2_bytes), cpu.l3_gbs * giga, 0},
                     {"memory", static_cast<double>(cpu.l3_bytes), cpu.memory_gbs * giga, cpu.all_memory_gbs * giga}},
          .start = cpu.cores > 1 ? cpu.region_us * 1e-6 : 0};  // one core is given nothing
}

// Cycles of a port, without the ports being counted.
struct Cycles {
  double compute = 0, loads = 0, stores = 0;
  double chain = 0;  // the least, since each addition waits for the one before

  Cycles& operator+=(const Cycles& other) {
    compute += other.compute, loads += other.loads, stores += other.stores, chain += other.chain;
    return *this;
  }
  friend Cycles operator*(const Cycles& of, double times) {
    return {of.compute * times, of.loads * times, of.stores * times, of.chain * times};
  }
};

// A loop around an access, from the outside.
struct Around {
  std::size_t loop;  // of PredictCounter::loops_
  bool varies, next;
};
struct Access {
  Value memory;
  double element_bytes, memory_bytes;
  std::vector<Around> around;
};
struct Loop {
  ForRef of;
  double count = 0;
  std::unordered_set<ValueId> varying;
};

class PredictCounter {
 public:
  PredictCounter(OpRef of, const CpuMachine& cpu, const PredictedSizes& sizes)
      : context_(of.module().context()), rates_(rates_of(cpu)), sizes_(context_.index(), sizes) {}

  Prediction run(const std::vector<OpRef>& nests) {
    Prediction out;
    double compute = 0, l1 = 0, packing = 0, tails = 0, start = 0;
    std::vector<double> bytes(rates_.levels.size(), 0);
    std::vector<double> seconds(rates_.levels.size(), 0);
    for (const OpRef nest : nests) {
      tail_ = {}, packed_ = {}, accesses_.clear(), loops_.clear(), path_.clear();
      starts_ = 0, parallel_ = 1, lanes_ = 1, in_lanes_ = false, in_threads_ = false;
      const Cycles all = op(nest);
      compute += compute_seconds(all);
      l1 += port_seconds(all);
      packing += std::max(compute_seconds(packed_), port_seconds(packed_));
      tails += compute_seconds(tail_);
      start += starts_ * rates_.start;
      out.parallel = std::max(out.parallel, parallel_);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const double moved = traffic(rates_.levels[i].bytes);
        bytes[i] += moved;
        seconds[i] += moved / rate(rates_.levels[i]);
      }
    }
    out.operations = operations_;
    out.memory_bytes = bytes.back();
    out.terms.push_back({"compute", compute});
    out.terms.push_back({"L1", l1});
    for (std::size_t i = 0; i < bytes.size(); ++i) out.terms.push_back({rates_.levels[i].from, seconds[i]});
    for (const Prediction::Term& term : out.terms) out.seconds = std::max(out.seconds, term.seconds);
    out.terms.push_back({"packing", packing});
    out.terms.push_back({"tails", tails});
    out.terms.push_back({"region", start});
    out.seconds += packing + tails + start;
    out.bound = std::max_element(out.terms.begin(), out.terms.end(), [](const auto& a, const auto& b) {
                  return a.seconds < b.seconds;
                })->name;
    out.assumed = sizes_.assumed();
    return out;
  }

 private:
  [[nodiscard]] double compute_seconds(const Cycles& of) const {
    return std::max(of.compute / rates_.ports, of.chain) / rates_.hertz;
  }
  [[nodiscard]] double port_seconds(const Cycles& of) const {
    return std::max(of.loads / rates_.loads, of.stores / rates_.stores) / rates_.hertz;
  }
  [[nodiscard]] double rate(const Rates::Level& level) const {
    return level.all > 0 ? std::min(level.all, level.rate * parallel_) : level.rate * parallel_;
  }

  // --- cycles

  Cycles region(RegionRef region) {
    Cycles sum;
    for (const OpRef inner : region.ops()) sum += op(inner);
    return sum;
  }

  Cycles op(OpRef op) {
    if (const ForRef inner = ForRef::from(op); inner.valid()) return loop(inner);
    if (AccessRef::from(op).valid()) return access(op);
    if (op.is(LoopOp::If)) {
      Cycles most;
      for (const RegionRef arm : op.regions()) {
        const Cycles of = region(arm);
        most = {std::max(most.compute, of.compute), std::max(most.loads, of.loads), std::max(most.stores, of.stores),
                std::max(most.chain, of.chain)};
      }
      return most;
    }
    if (op.region_count() > 0) {
      Cycles sum;
      for (const RegionRef part : op.regions()) sum += region(part) * sizes_.assumed_size();
      return sum;
    }
    return {.compute = slots(op)};
  }

  // Operations of one port.
  double slots(OpRef op) {
    const TypePool& types = context_.types();
    if (op.result_count() != 1 || types.kind(op.result().type()) != TypeKind::Scalar || op.operand_count() == 0)
      return 0;
    if (op.is(LoopOp::Guard) || op.is(LoopOp::Apply)) return in_lanes_ ? 0 : 1;
    const double work = static_cast<double>(work_of(op));
    operations_ += work * times_;
    // A multiply-add takes a port once.
    return (FmaRef::from(op).valid() ? 1 : work) * vectors(static_cast<double>(dtype_info(op.result().dtype()).bytes));
  }
  // What a strip of lanes takes for one operation on elements of so many bytes; truth values are as wide as what they
  // choose from.
  [[nodiscard]] double vectors(double bytes) const {
    if (!in_lanes_) return 1;
    return std::max(1.0, lanes_ * std::max(4.0, bytes) / rates_.vector_bytes);
  }

  Cycles access(OpRef op) {
    const AccessRef touched = AccessRef::from(op);
    const Value memory = underlying_buffer(touched.buffer());
    if (context_.types().scope(memory.type()) == Scope::Register) return {};
    const double bytes = static_cast<double>(dtype_info(memory.dtype()).bytes);
    Access made{memory, bytes, std::max(bytes, sizes_.size(context_.storage_bytes(memory.type()))), {}};
    bool next = false, jumps = false;
    for (const std::size_t i : path_) {
      const Loop& around = loops_[i];
      const RegionRef home = memory.scope();
      const bool inside = home == around.of.body() || home.parent_op().is_inside(around.of.op());
      const Along kind = inside ? Along::Same : along(op, around.of, around.varying);
      made.around.push_back({i, kind != Along::Same, kind == Along::Next});
      if (around.of.kind() != LoopKind::Vector) continue;
      next = kind == Along::Next;
      jumps = kind == Along::Strided || kind == Along::Scattered;
    }
    accesses_.push_back(std::move(made));
    const double cost = in_lanes_ && jumps ? lanes_ : in_lanes_ && next ? vectors(bytes) : 1;
    return op.is(LoopOp::Load) ? Cycles{.loads = cost} : Cycles{.stores = cost};
  }

  Cycles loop(ForRef of) {
    const double count = sizes_.iterations(of);
    loops_.push_back({of, count, varying_values(of)});
    path_.push_back(loops_.size() - 1);
    const bool vector = of.kind() == LoopKind::Vector && !in_lanes_;
    const bool threads = of.kind() == LoopKind::Parallel && !in_threads_;
    const bool packs = !in_packing_ && only_copies(of);
    if (vector) in_lanes_ = true, lanes_ = static_cast<double>(of.lanes());
    const bool outermost = threads && !in_threads_;
    if (threads) in_threads_ = true;
    if (packs) in_packing_ = true;
    const double old_times = std::exchange(times_, times_ * count);
    const Cycles tail_before = tail_, packed_before = packed_;
    const double starts_before = starts_;
    tail_ = {}, packed_ = {}, starts_ = 0;

    Cycles body = region(of.body());
    if (carries_step(of)) body.chain = std::max(body.chain, rates_.latency);

    double rounds = count, exact = count;
    if (vector && lanes_ > 0) {
      exact = count / lanes_;
      rounds = std::ceil(exact);
    } else if (threads) {
      parallel_ = std::max(1.0, std::min(count, rates_.cores));
      rounds = exact = std::ceil(count / rates_.cores);
    }
    tail_ = tail_ * exact;
    tail_ += body * (rounds - exact);
    packed_ = packed_ * exact;
    starts_ *= exact;
    if (outermost) starts_ += 1;
    Cycles sum = body * exact;
    if (packs) packed_ += sum, sum = {};
    tail_ += tail_before, packed_ += packed_before, starts_ += starts_before;

    if (vector) in_lanes_ = false, lanes_ = 1;
    if (outermost) in_threads_ = false;
    if (packs) in_packing_ = false;
    times_ = old_times;
    path_.pop_back();
    return sum;
  }
  // One of its carried values grows by an op of its own body: each iteration waits for the one before.
  [[nodiscard]] static bool carries_step(ForRef of) {
    for (std::size_t i = 0; i < of.carried_count(); ++i) {
      const auto step = carried_step(of, i);
      if (step && is_float(of.carried(i).dtype())) return true;
    }
    return false;
  }
  // All that it stores goes to scratch of the function, and nothing is computed.
  [[nodiscard]] static bool only_copies(ForRef of) {
    if (of.carried_count() > 0) return false;
    bool stores = false;
    const bool copies = walk(of.op(), [&](OpRef op) {
      const ForRef inner = ForRef::from(op);
      if (inner.valid() && inner.carried_count() > 0) return WalkResult::Stop;
      if (StoreRef::from(op).valid()) {
        const Value memory = underlying_buffer(StoreRef::from(op).buffer());
        if (!memory.is_result() || !memory.definer().is(LoopOp::Alloc)) return WalkResult::Stop;
        stores = true;
      }
      const LoopRole role = loop_role(op);
      const bool moves = inner.valid() || role != LoopRole::Computes || op.is(GraphOp::Cast) || op.operand_count() == 0;
      return moves || op.is(LoopOp::Load) || op.is(LoopOp::If) || op.is(LoopOp::Guard) || op.is(LoopOp::Apply)
                 ? WalkResult::Continue
                 : WalkResult::Stop;
    });
    return copies && stores;
  }

  // --- bytes

  // What an element moves. Several accesses of one buffer at one place, as those of a tile of rows, share their lines.
  [[nodiscard]] double element_bytes(const Access& access) const {
    const auto any = [&](bool Around::*what) {
      return std::any_of(access.around.begin(), access.around.end(), [&](const Around& at) { return at.*what; });
    };
    if (any(&Around::next) || !any(&Around::varies)) return access.element_bytes;
    const auto like = std::count_if(accesses_.begin(), accesses_.end(), [&](const Access& other) {
      return other.memory == access.memory && other.around.size() == access.around.size() &&
             other.around.back().loop == access.around.back().loop;
    });
    return std::max(access.element_bytes, rates_.line_bytes / static_cast<double>(like));
  }
  // The bytes that the access touches while its loops from the i-th on run once.
  [[nodiscard]] double touched(const Access& access, std::size_t from) const {
    double out = element_bytes(access);
    for (std::size_t i = from; i < access.around.size(); ++i)
      if (access.around[i].varies) out *= std::max(1.0, loops_[access.around[i].loop].count);
    return std::min(out, access.memory_bytes);
  }
  // What all accesses in a loop touch while it runs once, or, without `whole`, in one iteration; at `depth` on its
  // path.
  [[nodiscard]] double footprint(std::size_t loop, std::size_t depth, bool whole) const {
    double sum = 0;
    std::unordered_map<ValueId, double> of;
    for (const Access& access : accesses_) {
      if (depth >= access.around.size() || access.around[depth].loop != loop) continue;
      double& bytes = of[access.memory.id()];
      const double more = std::min(touched(access, whole ? depth : depth + 1), access.memory_bytes - bytes);
      bytes += more;
      sum += more;
    }
    return sum;
  }
  // The bytes that a cache of so many does not hold when they are used, of all threads together.
  [[nodiscard]] double traffic(double capacity) {
    std::map<std::pair<std::size_t, bool>, double> known;
    const auto prints = [&](std::size_t loop, std::size_t depth, bool whole) {
      const auto [at, is_new] = known.emplace(std::pair(loop, whole), 0);
      if (is_new) at->second = footprint(loop, depth, whole);
      return at->second;
    };
    double sum = 0;
    for (const Access& access : accesses_) {
      double bytes = element_bytes(access);
      for (std::size_t i = access.around.size(); i-- > 0;) {
        const Around& at = access.around[i];
        const double count = std::max(1.0, loops_[at.loop].count);
        if (prints(at.loop, i, true) <= capacity) {
          bytes = i == 0 ? 0 : touched(access, i);
        } else if (at.varies || prints(at.loop, i, false) > capacity) {
          bytes *= count;
        }
      }
      if (access.around.empty()) bytes = 0;
      sum += bytes;
    }
    return sum;
  }

  Context& context_;
  Rates rates_;
  LoopSizes sizes_;

  std::vector<Loop> loops_;
  std::vector<std::size_t> path_;  // of loops_, where the walk is
  std::vector<Access> accesses_;

  bool in_lanes_ = false, in_threads_ = false, in_packing_ = false;
  double lanes_ = 1;
  double times_ = 1;     // how often what the walk looks at runs
  double parallel_ = 1;  // cores that have an iteration
  double starts_ = 0, operations_ = 0;
  Cycles tail_, packed_;
};

}  // namespace

double Prediction::term(std::string_view name) const {
  for (const Term& term : terms)
    if (term.name == name) return term.seconds;
  return 0;
}

Prediction predict(OpRef of, const Machine& machine, const PredictedSizes& sizes) {
  std::vector<OpRef> nests;
  if (ForRef::from(of).valid())
    nests.push_back(of);
  else
    for (const OpRef op : of.region(0).ops())
      if (ForRef::from(op).valid()) nests.push_back(op);
  if (machine.kind() == MachineKind::Gpu) return predict_on_gpu(nests, machine.gpu(), sizes);
  return PredictCounter(of, machine.cpu(), sizes).run(nests);
}

}  // namespace mlgc::schedule

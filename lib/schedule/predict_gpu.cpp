// See predict_gpu.h.
#include "schedule/predict_gpu.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/attention_nest.h"
#include "analysis/factor_boxes.h"
#include "analysis/matrix_nest.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "machine/cuda_threads.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/loop_sizes.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

namespace {

constexpr double kGiga = 1e9, kTera = 1e12, kMicro = 1e-6;
// What the hardware of all of these GPUs has: bytes that an access of the second cache moves at least, of the first
// cache that a block finds again, that a multiprocessor stores in a cycle; blocks of a multiprocessor.
constexpr double kSector = 32, kFirstCache = 128 * 1024, kStoreBytes = 64, kMostResident = 32;
// Threads of a block that takes elements, and of a multiprocessor whose lanes are busy: four warps for each scheduler.
constexpr double kUsualBlock = 256, kBusyThreads = 512;
// Accesses of a thread that are under way at a time.
constexpr double kUnderWay = 5;
// Instructions: of neighbours that are not neighbours in memory, for each access; of an access to memory on the chip;
// of an element that is brought to the matrix unit one by one, and of one whose place is computed, too; of a sum on its
// way from the unit to what follows. A function takes so many times what its cost says.
constexpr double kScattered = 8, kOnChip = 8, kOneByOne = 20, kGathered = 40, kFromUnit = 12, kFunction = 2.5;
// Of a conversion from or to f64; of a place that quotients give.
constexpr double kToF64 = 8, kQuotients = 10;
// Of what threads do for scores beside the matrix unit this share is not hidden by it. A warp group, of 64 rows, keeps
// as much of the unit busy.
constexpr double kNotHidden = 0.5, kOfOneGroup = 0.65;
// Products of bf16 that make one of f32.
constexpr double kTermsOfF32 = 6;

double ceil_of(double a, double b) { return std::ceil(a / std::max(1.0, b)); }

constexpr std::string_view kFma = "fma", kMma = "mma.sync", kWgmma = "wgmma";

// Seconds, as predict.h names them.
struct GpuCost {
  Prediction::Launch launch;
  double compute = 0, matrix = 0, l2 = 0, memory = 0, tails = 0, latency = 0;
  double operations = 0, memory_bytes = 0, l2_bytes = 0;

  [[nodiscard]] double seconds() const { return std::max({compute + matrix, l2, memory}) + tails + latency; }
};

// One kernel.
class GpuKernel {
 public:
  GpuKernel(OpRef nest, const GpuMachine& gpu, LoopSizes& sizes)
      : context_(nest.module().context()), gpu_(gpu), sizes_(sizes) {
    walk(nest);
  }

  [[nodiscard]] GpuCost cost() const {
    GpuCost out;
    out.launch = shape();
    const Prediction::Launch& launch = out.launch;
    const auto sms = static_cast<double>(gpu_.multiprocessors);
    const double at_a_time = std::min(launch.blocks, launch.resident * sms);
    // The busiest multiprocessor has so many times the blocks of the average one.
    const double rounds = ceil_of(launch.blocks, sms), balance = rounds * sms / launch.blocks;
    const double on_one = std::min(rounds, launch.resident);
    const double busy = std::min(1.0, on_one * launch.threads / kBusyThreads);
    const double rate = sms * static_cast<double>(gpu_.fma_lanes) * gpu_.clock_ghz * kGiga * busy / balance;
    out.compute = instructions_ / rate;
    double under_way = at_a_time * launch.threads *
                       std::min(kUnderWay * access_bytes_, loaded_bytes_ / (launch.blocks * launch.threads));
    if (tiles_) {
      const double of_unit =
          tiles_->unit == kWgmma ? std::min(1.0, kOfOneGroup * on_one * std::max(1.0, tiles_->tall / 64)) : 1;
      out.matrix = tiles_->operations / tiles_->rate * balance / of_unit;
      // Blocks of a multiprocessor take turns: one multiplies while another one goes on with its sums.
      if (tiles_->is_attention || launch.resident > 1) out.compute *= kNotHidden;
      out.compute += slow_instructions_ / rate;
      out.tails = tiles_->tall * tiles_->wide * stored_bytes_ / (kStoreBytes * gpu_.clock_ghz * kGiga);
      under_way = at_a_time * tiles_->ring_bytes;
    }
    out.memory_bytes = memory_bytes(at_a_time);
    out.l2_bytes = l2_bytes(launch);
    out.latency = gpu_.latency_us * kMicro * (1 + combined_ / 2);
    const double reachable = std::max(kGiga, under_way / std::max(1e-9, gpu_.latency_us * kMicro));
    out.memory = out.memory_bytes / std::min(gpu_.memory_gbs * kGiga, reachable);
    out.l2 = out.l2_bytes / (gpu_.l2_gbs * kGiga * std::min(1.0, launch.blocks / sms));
    out.operations = operations_ + (tiles_ ? tiles_->operations : 0);
    return out;
  }

 private:
  // A loop around an access, from the outside.
  struct Around {
    std::size_t loop;  // of loops_
    bool varies, next;
  };
  struct Access {
    OpRef op;
    Value memory;
    double element_bytes, memory_bytes;
    bool in_pieces;  // neighbouring threads read neighbours, or all the same
    std::vector<Around> around;
  };
  struct Loop {
    ForRef of;
    double count = 0;
    std::unordered_set<ValueId> varying;
  };
  // Tiles for the matrix unit.
  struct Tiles {
    double tall = 0, wide = 0, threads = 128, resident = 2, ring_bytes = 0;
    double rate = 1;        // operations of a second, of the device
    double operations = 0;  // of all tiles
    bool is_attention = false;
    std::string_view unit = kMma;
  };

  // --- the text

  void walk(RegionRef region) {
    for (const OpRef op : region.ops()) walk(op);
  }
  void walk(OpRef op) {
    if (const ForRef inner = ForRef::from(op); inner.valid()) return loop(inner);
    if (AccessRef::from(op).valid()) return access(op);
    if (op.is(LoopOp::If)) {
      const double before = instructions_;
      double most = before;
      for (const RegionRef arm : op.regions()) {
        instructions_ = before;
        walk(arm);
        most = std::max(most, instructions_);
      }
      instructions_ = most;
      return;
    }
    if (op.region_count() > 0) {
      const double times = std::exchange(times_, times_ * sizes_.assumed_size());
      for (const RegionRef part : op.regions()) walk(part);
      times_ = times;
      return;
    }
    scalar(op);
  }

  void scalar(OpRef op) {
    const TypePool& types = context_.types();
    if (op.result_count() != 1 || types.kind(op.result().type()) != TypeKind::Scalar || op.operand_count() == 0) return;
    const double times = times_;
    if (in_product_) return;
    if (op.is(LoopOp::Guard) || op.is(LoopOp::Apply)) {
      instructions_ += times / per_lane_;
      return;
    }
    const double work = static_cast<double>(work_of(op));
    operations_ += work * times;
    const bool wide = op.result().dtype() == Dtype::F64;
    instructions_ += (FmaRef::from(op).valid()              ? 1
                      : work > 2 && (!tiles_ || lanes_ > 1) ? kFunction * work
                                                            : work) *
                     (wide ? 2 : 1) * times;
    if (op.is(GraphOp::Cast) && wide != (op.operand(0).dtype() == Dtype::F64)) instructions_ += kToF64 * times;
  }

  void access(OpRef op) {
    const AccessRef touched = AccessRef::from(op);
    const Value memory = underlying_buffer(touched.buffer());
    const Scope scope = context_.types().scope(memory.type());
    if (scope == Scope::Register) return;
    if (scope == Scope::Thread) {
      if (!in_product_) instructions_ += times_ * (tiles_ || is_in_registers(op) ? 0.5 : kOnChip);
      return;
    }
    const double bytes = static_cast<double>(dtype_info(memory.dtype()).bytes);
    Access made{op, memory, bytes, std::max(bytes, sizes_.size(context_.storage_bytes(memory.type()))), true, {}};
    Along lanes = Along::Next;  // of the loop whose iterations are neighbouring threads
    const bool by_indices = follows_from_indices(op);
    bool is_next = false;  // along a loop of a block
    for (const std::size_t i : path_) {
      const Loop& around = loops_[i];
      Along kind = along(op, around.of, around.varying);
      // Quotients and remainders of one index: neighbours, but for ends of rows.
      if (kind == Along::Scattered && by_indices) {
        if (!in_product_ && !has_lanes_) instructions_ += kQuotients * times_;
        kind = Along::Next;
      }
      is_next = is_next || (kind == Along::Next && has_lanes_ && around.of.kind() != LoopKind::Parallel);
      made.around.push_back({i, kind != Along::Same, kind == Along::Next});
      if (around.of.kind() == LoopKind::Vector || (around.of.kind() == LoopKind::Parallel && !has_lanes_)) lanes = kind;
    }
    made.in_pieces = is_next || lanes == Along::Next || lanes == Along::Same;
    if (!in_product_) {
      instructions_ += times_ * (made.in_pieces ? 1 / per_lane_ : 1 + kScattered);
      const double wide = made.in_pieces ? bytes * per_lane_ : bytes;
      access_bytes_ = std::max(access_bytes_, wide);
      loaded_bytes_ += bytes * times_;
      if (touched.is_store()) stored_bytes_ += bytes;
    }
    if (const auto slow = slow_loads_.find(op.id()); slow != slow_loads_.end()) {
      double elements = 1;
      for (const Around& at : made.around)
        if (at.varies || is_grid(at)) elements *= count_of(at);
      slow_instructions_ += slow->second * elements;
    }
    accesses_.push_back(std::move(made));
  }

  // A thread finds again what it left in scratch itself: neighbouring threads touch neighbours.
  [[nodiscard]] bool is_in_registers(OpRef op) const {
    if (!has_lanes_) return true;
    for (auto i = path_.rbegin(); i != path_.rend(); ++i)
      if (loops_[*i].of.kind() == LoopKind::Vector) return along(op, loops_[*i].of, loops_[*i].varying) == Along::Next;
    return false;
  }
  // All that its place depends on are indices of loops.
  [[nodiscard]] bool follows_from_indices(OpRef op) const {
    const AccessRef access = AccessRef::from(op);
    const IndexPool& pool = context_.index();
    bool indices = true;
    for (const IndexExpr e : access.subscripts())
      pool.for_each_atom(e, [&](AtomId id) {
        const Atom& atom = pool.atom(id);
        if (atom.kind != AtomKind::Opaque) return;
        const Value v = op.operand(atom.number);
        indices = indices && std::ranges::any_of(path_, [&](std::size_t i) { return loops_[i].of.index() == v; });
      });
    return indices;
  }

  void loop(ForRef of) {
    double count = sizes_.iterations(of);
    const bool vector = of.kind() == LoopKind::Vector, parallel = of.kind() == LoopKind::Parallel,
               matrix = of.kind() == LoopKind::Matrix;
    if (path_.empty()) has_lanes_ = any_lanes(of.op());
    loops_.push_back({of, count, varying_values(of)});
    path_.push_back(loops_.size() - 1);
    if (matrix) begin_tiles(of);
    double run = count;  // with what lanes compute for nothing
    const double old_lane = per_lane_, old_grid = grid_, old_lanes = lanes_;
    if (vector) {
      per_lane_ = static_cast<double>(std::max<std::int64_t>(1, of.per_lane()));
      const double strip = static_cast<double>(std::max<std::int64_t>(1, of.lanes())) * per_lane_;
      if (!tiles_) run = ceil_of(count, strip) * strip;
      lanes_ *= static_cast<double>(std::max<std::int64_t>(1, of.lanes()));
      block_ = std::max(block_, lanes_);
    }
    if (parallel) grid_ *= std::max(1.0, count);
    blocks_ = std::max(blocks_, grid_);
    const bool product = tiles_ && of.carried_count() > 0 && is_sum_of_products(of);
    if (vector && tiles_) instructions_ += kFromUnit * times_ * count;
    if (!vector && !parallel && !matrix && of.carried_count() > 0) ++combined_;
    const double old_times = std::exchange(times_, times_ * std::max(0.0, run));
    if (product) {
      tiles_->operations += 2 * times_ * padding();
      in_product_ = true;
    }
    if (!vector && !parallel && !tiles_) instructions_ += times_ / 2;
    walk(of.body());
    if (product) in_product_ = false;
    times_ = old_times, per_lane_ = old_lane, grid_ = old_grid, lanes_ = old_lanes;
    path_.pop_back();
  }
  [[nodiscard]] static bool any_lanes(OpRef op) {
    bool found = false;
    mlgc::walk(op, [&](OpRef inner) {
      const ForRef loop = ForRef::from(inner);
      if (!loop.valid() || (loop.kind() != LoopKind::Vector && loop.kind() != LoopKind::Matrix))
        return WalkResult::Continue;
      found = true;
      return WalkResult::Stop;
    });
    return found;
  }
  // --- the matrix unit

  void begin_tiles(ForRef rows) {
    Tiles tiles;
    tiles.rate = std::max(gpu_.mma_tflops, 1.0) * kTera;
    std::vector<ForRef> around;
    for (const std::size_t i : path_)
      if (loops_[i].of.op() != rows.op()) around.push_back(loops_[i].of);
    const auto stages = static_cast<double>(std::max<std::int64_t>(1, rows.stages()));
    tiles.is_attention = looks_like_attention(rows);
    if (tiles.is_attention) {
      if (const auto nest = attention_nest(rows)) {
        tiles.tall = static_cast<double>(nest->tile_rows);
        tiles.wide = static_cast<double>(nest->width);
        tiles.threads = 2 * tiles.tall;
        tiles.ring_bytes = stages * 2 * static_cast<double>(kAttentionKeys) * tiles.wide * 2;
        if (gpu_.wgmma_tflops > 0 && attention_boxes(*nest, around)) use_groups(tiles);
        tiles.resident = tiles.tall > 64 ? 1 : 2;
      }
    } else if (const auto nest = matrix_nest(rows)) {
      tiles.tall = static_cast<double>(nest->tile_rows);
      tiles.wide = static_cast<double>(nest->tile_columns);
      tiles.ring_bytes = stages * static_cast<double>(kBoxTerms) * 2 * (tiles.tall + tiles.wide);
      tiles.resident = nest->tile_rows * nest->tile_columns > 128 * 128 ? 1 : 2;
      const auto& [left, right, is_wide] = nest->factors;
      if (left.load.result().dtype() == Dtype::F32) {
        tiles.rate /= kTermsOfF32;
      } else if (gpu_.wgmma_tflops > 0 && nest->columns.per_lane() == kMatrixPiece && tiles.wide >= 64 &&
                 factor_boxes(*nest, around)) {
        use_groups(tiles);
      }
      for (const MatrixOperand* factor : {&left, &right}) {
        const bool pieces = factor->is_gathered ? factor->in_pieces : is_in_pieces(*factor);
        if (pieces && (!factor->is_gathered || tiles.unit == kWgmma)) continue;
        const double one = factor->is_gathered ? kGathered : kOneByOne;
        slow_loads_.emplace(factor->load.id(), pieces ? one / static_cast<double>(kMatrixPiece) : one);
      }
    }
    tiles_ = tiles;
  }
  // Lines begin at whole pieces of 16 bytes.
  [[nodiscard]] bool is_in_pieces(const MatrixOperand& factor) const {
    const auto bytes = static_cast<std::int64_t>(dtype_info(factor.load.result().dtype()).bytes);
    const auto stride = static_cast<std::int64_t>(sizes_.size(factor.stride));
    return stride * bytes % (2 * kMatrixPiece) == 0;
  }
  void use_groups(Tiles& tiles) const {
    tiles.unit = kWgmma;
    tiles.rate = gpu_.wgmma_tflops * kTera;
    tiles.threads = 128 * (1 + std::max(1.0, tiles.tall / 64));
  }
  // Rows and columns that fill up a tile compute, too.
  [[nodiscard]] double padding() const {
    double rows = 1, columns = 1;
    for (const std::size_t i : path_) {
      if (loops_[i].of.kind() == LoopKind::Matrix) rows = std::max(1.0, loops_[i].count);
      if (loops_[i].of.kind() == LoopKind::Vector) columns = std::max(1.0, loops_[i].count);
    }
    if (tiles_->is_attention || tiles_->tall == 0) return 1;
    // Few rows are the columns of a tile of 64 lines.
    return tiles_->tall / rows * std::max(tiles_->wide, columns) / columns;
  }

  // --- shape

  [[nodiscard]] Prediction::Launch shape() const {
    Prediction::Launch out;
    const double held = static_cast<double>(gpu_.threads);
    if (tiles_) {
      out.blocks = std::max(1.0, blocks_);
      out.threads = tiles_->threads;
      out.resident = std::min(tiles_->resident, std::max(1.0, std::floor(held / out.threads)));
      out.rows = tiles_->tall, out.columns = tiles_->wide, out.unit = tiles_->unit;
    } else {
      out.unit = kFma;
      const double all = blocks_ * block_;
      // Rows of few threads share a block.
      out.threads = block_ >= kWarpThreads * 4 ? block_ : std::min(kUsualBlock, std::max(1.0, all));
      out.threads = ceil_of(out.threads, kWarpThreads) * kWarpThreads;
      out.blocks = std::max(1.0, ceil_of(all, out.threads));
      out.resident = std::clamp(std::floor(held / out.threads), 1.0, kMostResident);
    }
    const double sms = static_cast<double>(gpu_.multiprocessors);
    out.waves = ceil_of(out.blocks, sms * out.resident);
    out.occupancy = std::min(1.0, std::min(out.resident, ceil_of(out.blocks, sms)) * out.threads / held);
    return out;
  }

  // --- bytes

  [[nodiscard]] double count_of(const Around& at) const { return std::max(1.0, loops_[at.loop].count); }
  // What the access touches while its loops from the i-th on run once, each element once.
  [[nodiscard]] double touched(const Access& access, std::size_t from) const {
    // Of a block's own loops, neighbours of other blocks do not count.
    const std::size_t first = has_lanes_ ? std::min(from, block_depth(access)) : 0;
    bool next = first >= access.around.size(), varies = false;
    for (std::size_t i = first; i < access.around.size(); ++i) {
      next = next || access.around[i].next;
      varies = varies || access.around[i].varies;
    }
    return elements(access, from) *
           (next || !varies ? access.element_bytes : std::max(access.element_bytes, kSector / 2));
  }
  [[nodiscard]] double elements(const Access& access, std::size_t from) const {
    double out = 1;
    for (std::size_t i = from; i < access.around.size(); ++i)
      if (access.around[i].varies) out *= count_of(access.around[i]);
    return out;
  }
  [[nodiscard]] bool is_grid(const Around& at) const { return loops_[at.loop].of.kind() == LoopKind::Parallel; }
  // The number of parallel loops, which become the grid, outside of all others around the access.
  [[nodiscard]] std::size_t block_depth(const Access& access) const {
    std::size_t depth = 0;
    while (depth < access.around.size() && is_grid(access.around[depth])) ++depth;
    return depth;
  }

  // `at_a_time`: blocks.
  [[nodiscard]] double memory_bytes(double at_a_time) const {
    struct Buffer {
      double once = 0, again = 0;
    };
    std::vector<Buffer> buffers;
    std::unordered_map<ValueId, std::size_t> numbers;  // of buffers, in the order of the text
    const double room = static_cast<double>(gpu_.l2_bytes);
    for (const Access& access : accesses_) {
      const auto [number, is_new] = numbers.try_emplace(access.memory.id(), buffers.size());
      if (is_new) buffers.emplace_back();
      Buffer& buffer = buffers[number->second];
      const double all = std::min(touched(access, 0), access.memory_bytes);
      if (!tiles_ && access.op.is(LoopOp::Load) && buffer.once + all > access.memory_bytes) {
        // The same blocks read it again, after what they read in between.
        const double between = touched(access, block_depth(access)) * at_a_time;
        if (between > room) buffer.again += buffer.once + all - access.memory_bytes;
      }
      buffer.once = std::min(access.memory_bytes, buffer.once + all);
      // An outer loop along which it stays reads it again, where L2 has no room for it.
      double inside = 1;
      for (std::size_t i = access.around.size(); i-- > 0;) {
        const Around& at = access.around[i];
        // Blocks that run at the same time share what they read.
        if (is_grid(at) && !at.varies && std::min(touched(access, i + 1), access.memory_bytes) > room)
          buffer.again += all * std::max(0.0, count_of(at) / std::max(1.0, at_a_time / inside) - 1);
        if (is_grid(at)) inside *= count_of(at);
      }
    }
    double sum = 0;
    for (const Buffer& buffer : buffers) sum += buffer.once + buffer.again;
    return sum;
  }

  [[nodiscard]] double l2_bytes(const Prediction::Launch& launch) const {
    double sum = 0;
    std::unordered_map<ValueId, double> of_block;  // what a block has read of a buffer
    for (const Access& access : accesses_) {
      const std::size_t depth = block_depth(access);
      double blocks = 1, block = 1;
      if (has_lanes_) {
        for (std::size_t i = 0; i < depth; ++i) blocks *= count_of(access.around[i]);
        block = touched(access, depth);
        if (tiles_ && in_tile_product(access)) {
          sum += blocks * elements(access, depth) * access.element_bytes;
          continue;
        }
      } else {
        // Threads of a block are neighbours along the innermost loop of the grid.
        blocks = launch.blocks;
        block = touched(access, depth);
        if (depth > 0 && access.around[depth - 1].varies)
          block *= std::min(count_of(access.around[depth - 1]), launch.threads);
        if (!access.in_pieces) block *= std::max(1.0, kSector / access.element_bytes);
      }
      if (block > kFirstCache) {
        // The loops inside whose elements the first cache holds bring them once each.
        std::size_t held = depth;
        double times = blocks;
        for (; held < access.around.size() && touched(access, held) > kFirstCache; ++held)
          times *= count_of(access.around[held]);
        sum += std::max(times * touched(access, held), blocks * block);
        continue;
      }
      double& known = of_block[access.memory.id()];
      if (access.op.is(LoopOp::Load) && known >= block) continue;
      known = std::max(known, block);
      sum += blocks * block;
    }
    return sum;
  }
  [[nodiscard]] bool in_tile_product(const Access& access) const {
    const ForRef innermost = access.around.empty() ? ForRef() : loops_[access.around.back().loop].of;
    return innermost.valid() && innermost.carried_count() > 0;
  }

  Context& context_;
  const GpuMachine& gpu_;
  LoopSizes& sizes_;

  std::vector<Loop> loops_;
  std::vector<std::size_t> path_;  // of loops_, where the walk is
  std::vector<Access> accesses_;
  std::optional<Tiles> tiles_;
  bool has_lanes_ = false, in_product_ = false;
  double times_ = 1;                            // how often what the walk looks at runs
  double per_lane_ = 1, grid_ = 1, lanes_ = 1;  // of the loops around
  double blocks_ = 1, block_ = 1;               // iterations of the grid, and threads of each
  double instructions_ = 0, operations_ = 0;    // of all threads
  double access_bytes_ = 0, stored_bytes_ = 0, loaded_bytes_ = 0;
  double combined_ = 0;                          // loops whose results threads combine before they go on
  std::unordered_map<OpId, double> slow_loads_;  // of factors, with the instructions of an element
  double slow_instructions_ = 0;
};

}  // namespace

Prediction predict_on_gpu(const std::vector<OpRef>& nests, const GpuMachine& gpu, const PredictedSizes& sizes) {
  Prediction out;
  if (nests.empty()) return out;
  LoopSizes loop_sizes(nests.front().module().context().index(), sizes);
  GpuCost all;
  for (const OpRef nest : nests) {
    const GpuCost cost = GpuKernel(nest, gpu, loop_sizes).cost();
    all.compute += cost.compute, all.matrix += cost.matrix, all.l2 += cost.l2, all.memory += cost.memory;
    all.tails += cost.tails, all.latency += cost.latency;
    out.seconds += cost.seconds() + gpu.launch_us * kMicro;
    out.operations += cost.operations, out.memory_bytes += cost.memory_bytes, out.l2_bytes += cost.l2_bytes;
    out.parallel = std::max(out.parallel, cost.launch.blocks * cost.launch.threads);
    out.launches.push_back(cost.launch);
  }
  out.terms = {{"compute", all.compute},
               {"matrix", all.matrix},
               {"L2", all.l2},
               {"memory", all.memory},
               {"tails", all.tails},
               {"latency", all.latency},
               {"launch", gpu.launch_us * kMicro * static_cast<double>(nests.size())}};
  out.bound = std::max_element(out.terms.begin(), out.terms.end(), [](const auto& a, const auto& b) {
                return a.seconds < b.seconds;
              })->name;
  out.assumed = loop_sizes.assumed();
  return out;
}

}  // namespace mlgc::schedule

// See least_memory.h.
#include "rematerialize/least_memory.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/backward_slice.h"
#include "support/saturating.h"

namespace mlgc {

namespace {

// Kernels that are tried: those with the largest footprint need what a loss is made of, not the loss.
constexpr std::size_t kTried = 8;

class LeastMemory {
 public:
  LeastMemory(FuncRef function, const SymbolSizes& sizes)
      : function_(function), context_(function.op().module().context()), sizes_(sizes) {
    for (const OpRef op : function.body().ops()) {
      number_of_.emplace(op.id(), ops_.size());
      ops_.push_back(op);
      reads_.push_back(really_read(op));
    }
  }

  std::int64_t run() {
    const OpRef end = function_.return_op();
    std::unordered_set<ValueId> returned;
    for (const Value value : end.operands()) returned.insert(memory_of(value).id());
    for (std::size_t i = 0; i < ops_.size(); ++i)
      if (ops_[i].is(GraphOp::Fusion))
        for (const Value result : ops_[i].results())
          if (!returned.contains(result.id()) && !is_alias(ops_[i])) readers_.emplace(result.id(), Readers{result, {}});
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (is_alias(ops_[i])) continue;
      for (const Value value : reads_[i])
        if (const auto found = readers_.find(memory_of(value).id()); found != readers_.end())
          found->second.ops.push_back(i);
    }
    std::int64_t least = 0;
    for (const std::size_t kernel : fullest()) least = std::max(least, alive_at(kernel));
    return least;
  }

 private:
  struct Readers {
    Value value;
    std::vector<std::size_t> ops;  // numbers, in order
  };

  // An op that a barrier waits for is not read: the kernel runs without it.
  static std::vector<Value> really_read(OpRef op) {
    if (op.is(GraphOp::OptimizationBarrier)) return {op.operand(0)};
    if (!op.is(GraphOp::Fusion)) return values_read(op);
    std::vector<Value> values;
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      const auto uses = op.region(0).argument(i).uses();
      if (std::any_of(uses.begin(), uses.end(), [](const Use& use) {
            return !use.owner().is(GraphOp::OptimizationBarrier) || use.operand_number() == 0;
          }))
        values.push_back(op.operand(i));
    }
    return values;
  }

  // Whether the result of an op lies where its operand lies.
  [[nodiscard]] bool is_alias(OpRef op) const {
    if (op.operand_count() == 0 || op.result_count() != 1) return false;
    if (op.is(GraphOp::Fusion))
      return op.region(0).front().is(GraphOp::OptimizationBarrier) &&
             op.region(0).front().next() == op.region(0).back();
    return (op.is(GraphOp::OptimizationBarrier) || op.has_trait(Traits::Movement)) &&
           context_.storage_bytes(op.result().type()) == context_.storage_bytes(op.operand(0).type());
  }
  [[nodiscard]] Value memory_of(Value value) const {
    while (value.is_result() && is_alias(value.definer())) value = value.definer().operand(0);
    return value;
  }

  [[nodiscard]] std::int64_t bytes_of(Value value) const { return bytes_at(context_, value.type(), sizes_); }

  // The kernels at which most is alive in the order of the text.
  [[nodiscard]] std::vector<std::size_t> fullest() const {
    std::vector<double> live(ops_.size() + 1);
    for (const auto& [id, readers] : readers_) {
      if (readers.ops.empty()) continue;
      const auto bytes = static_cast<double>(bytes_of(readers.value));
      live[number_of_.at(readers.value.definer().id()) + 1] += bytes;
      live[readers.ops.back() + 1] -= bytes;
    }
    std::vector<std::size_t> kernels;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      live[i + 1] += live[i];
      if (ops_[i].is(GraphOp::Fusion) && live[i] > 0) kernels.push_back(i);
    }
    std::stable_sort(kernels.begin(), kernels.end(), [&](std::size_t a, std::size_t b) { return live[a] > live[b]; });
    kernels.resize(std::min(kernels.size(), kTried));
    return kernels;
  }

  [[nodiscard]] std::int64_t alive_at(std::size_t kernel) const {
    std::vector<bool> before(ops_.size()), behind(ops_.size());
    const auto definer = [&](Value value) -> std::optional<std::size_t> {
      const auto found = value.is_result() ? number_of_.find(value.definer().id()) : number_of_.end();
      return found == number_of_.end() ? std::nullopt : std::optional(found->second);
    };
    before[kernel] = behind[kernel] = true;
    for (std::size_t i = kernel + 1; i-- > 0;)
      if (before[i])
        for (const Value value : reads_[i])
          if (const auto at = definer(value)) before[*at] = true;
    for (std::size_t i = kernel + 1; i < ops_.size(); ++i)
      for (const Value value : reads_[i])
        if (const auto at = definer(value); at && behind[*at]) behind[i] = true;
    std::map<std::int64_t, std::int64_t> alive, written_now, read_last;  // how many, by bytes
    for (const auto& [id, readers] : readers_) {
      if (!before[number_of_.at(readers.value.definer().id())] ||
          std::none_of(readers.ops.begin(), readers.ops.end(), [&](std::size_t at) { return behind[at]; }))
        continue;
      const std::int64_t bytes = bytes_of(readers.value);
      ++alive[bytes];
      if (readers.value.definer() == ops_[kernel])
        ++written_now[bytes];
      else if (std::none_of(readers.ops.begin(), readers.ops.end(),
                            [&](std::size_t at) { return behind[at] && at != kernel; }))
        ++read_last[bytes];
    }
    // What the kernel writes may lie where it reads for the last time.
    for (const auto& [bytes, count] : written_now) alive[bytes] -= std::min(count, read_last[bytes]);
    std::unordered_set<ValueId> written;
    for (const Value value : function_.return_op().operands()) {
      const Value memory = memory_of(value);
      const auto at = definer(memory);
      if (at && *at != kernel && before[*at] && memory.definer().is(GraphOp::Fusion) &&
          written.insert(memory.id()).second)
        continue;
      if (const auto same = alive.find(bytes_of(value)); same != alive.end() && same->second > 0) --same->second;
    }
    std::int64_t sum = 0;
    for (const auto& [bytes, count] : alive) sum = saturating_add(sum, saturating_mul(bytes, count));
    return sum;
  }

  FuncRef function_;
  Context& context_;
  const SymbolSizes& sizes_;
  std::vector<OpRef> ops_;
  std::vector<std::vector<Value>> reads_;  // by op
  std::unordered_map<OpId, std::size_t> number_of_;
  std::unordered_map<ValueId, Readers> readers_;  // of temporaries
};

}  // namespace

std::int64_t least_memory(FuncRef function, const SymbolSizes& sizes) { return LeastMemory(function, sizes).run(); }

}  // namespace mlgc

// Which strategy measurements chose for each kernel of a model: what `mlgc tune` writes and the pass `schedule` takes.
//
//     { "mlgc-decisions": 1, "version": "0.1.0", "machine": "x86-64-v3", "sizes": {"B": 8}, "threads": 1,
//       "kernels": [ {"kernel": "forward.0.linear", "hash": "5d3f01a2b3c4d5e6", "strategy": "dot-product-tiles",
//                     "seconds": {"default": 2.1e-05, "strategy=dot-product-tiles": 1.4e-05}} ] }
//
// Guarantees
//   - A kernel is known by the hash of its loops before they are scheduled, without names: a decision holds for each
//     kernel that has the same loops, in any model, and for no other.
//   - A file is read whole or not at all: what is not known in it is an error, never left out.
//   - The same file and module give the same bytes; nothing is measured here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "schedule/strategy.h"

namespace mlgc::schedule {

// The version of the file format that this program reads and writes.
inline constexpr std::int64_t kDecisionsFormatKnown = 1;

// How a kernel is scheduled otherwise than by default: a strategy that is asked first, or one that is not asked. Both
// null: by default.
struct StrategyChoice {
  const StrategyDef* strategy = nullptr;
  const StrategyDef* without = nullptr;
  std::optional<TileShape> tile = {};  // of `strategy`, one of its tiles

  // `default`, `strategy=NAME`, `strategy=NAME,tile=128x64`, `without=NAME`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const StrategyChoice&, const StrategyChoice&) = default;
};

// `128x64`; nothing: the text is none.
[[nodiscard]] std::string tile_text(TileShape tile);
[[nodiscard]] std::optional<TileShape> read_tile(std::string_view text);

struct KernelDecision {
  std::string kernel;      // the name that it had, for messages
  std::uint64_t hash = 0;  // kernel_hash()
  StrategyChoice choice;
  std::vector<std::pair<std::string, double>> seconds;  // by text() of each candidate, as it was measured
  Location at;                                          // in the file
};

struct Decisions {
  std::string machine;  // Machine::spec()
  std::map<std::string, std::int64_t> sizes;
  std::int64_t threads = 1;
  std::vector<KernelDecision> kernels;  // by add() alone

  // False: there is one on this hash already.
  bool add(KernelDecision kernel);
  [[nodiscard]] const KernelDecision* find(std::uint64_t hash) const;

 private:
  std::unordered_map<std::uint64_t, std::size_t> by_hash_;
};

// Of a loop function that has no schedule yet.
[[nodiscard]] std::uint64_t kernel_hash(OpRef func);
[[nodiscard]] std::string hash_text(std::uint64_t hash);  // 16 hexadecimal digits

// Nothing after an error, which was reported.
[[nodiscard]] std::optional<Decisions> read_decisions(const std::string& path, Context& context,
                                                      DiagnosticEngine& diagnostics);

// A file of decisions while the kernels of a module get their schedules.
class DecisionUse {
 public:
  // Also checks that the file is for the machine of that kind that the module states. Nothing after an error, which was
  // reported.
  [[nodiscard]] static std::optional<DecisionUse> open(const std::string& path, const Module& module, MachineKind kind,
                                                       DiagnosticEngine& diagnostics);

  // Of a kernel that has no schedule yet; null: it has none.
  const KernelDecision* take(OpRef func);
  // A decision that was on no kernel is a warning; if none was on one, an error: false.
  bool finish(DiagnosticEngine& diagnostics) const;

 private:
  Decisions file_;
  std::unordered_set<std::uint64_t> taken_;  // by hash
};

// As it is read back; ends in a line break.
[[nodiscard]] std::string decisions_text(const Decisions& decisions);

}  // namespace mlgc::schedule

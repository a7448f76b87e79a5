// See compare_engines.h.
#include "execution/compare_engines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "check/draw_inputs.h"
#include "check/peer_agreement.h"
#include "check/run_path.h"
#include "diag/kinds_torch.h"
#include "loopir/functions.h"
#include "tensor/compare.h"
#include "tensor/neighbour.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

// A value, and which time it was computed.
using ValueTime = std::pair<ValueId, std::size_t>;

struct ValueTable {
  std::vector<ValueTime> order;
  std::map<ValueTime, Tensor> at;
  explicit ValueTable(std::vector<EngineValue> values = {}) {
    std::map<ValueId, std::size_t> times;
    for (auto& [id, tensor] : values) {
      const ValueTime key{id, times[id]++};
      order.push_back(key);
      at.emplace(key, std::move(tensor));
    }
  }
  [[nodiscard]] const Tensor* find(const ValueTime& key) const {
    const auto found = at.find(key);
    return found == at.end() ? nullptr : &found->second;
  }
};

struct Parted {
  ValueTime key;
  std::size_t engine = 0;
  Difference difference;
};

constexpr const char* kOnlyFused =
    "; in a function that returns all of its values none parts, so it is where ops are fused";

std::string ulp_text(double error, double ulp) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ulp", ulp > 0 ? error / ulp : 0);
  return text.data();
}

class EngineComparison {
 public:
  EngineComparison(Module& module, const std::string& function, std::span<const OpenEngine> engines,
                   DiagnosticEngine& diagnostics)
      : module_(module), function_(function), engines_(engines), diagnostics_(diagnostics), path_(module) {
    std::vector<std::string_view> names;
    for (const OpenEngine& one : engines) names.push_back(one.def->short_name);
    for (std::size_t i = 0; i < names.size(); ++i) peers_.push_back(peer_of(i, names));
  }

  [[nodiscard]] std::uint64_t values() const { return values_; }  // of the last run

  // False after an error.
  bool run(const RunInputs& on) {
    values_ = 0;
    auto exact = trace(0, Precision::F64, on, Seen::All);
    if (!exact) {  // then no engine is asked: its loops need not end either
      diagnostics_.emit(
          diagnose<kNotCompared>(exact.error().at, function_, " with " + on.text, exact.error().message()));
      return true;
    }
    exact_ = ValueTable(*std::move(exact));
    tables_.clear();
    for (std::size_t i = 0; i < engines_.size(); ++i)
      if (!compute(i, on, Seen::Results)) return false;
    std::optional<Parted> parted = first_parted(on);
    if (!parted) return true;
    const Parted whole = *parted;
    bool has_hidden = false;
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      if (engines_[i].def->sees_all) continue;
      has_hidden = true;
      if (!compute(i, on, Seen::All)) return false;
    }
    if (has_hidden) parted = first_parted(on);
    report(parted.value_or(whole), on, !parted);
    return false;
  }

 private:
  Result<std::vector<EngineValue>, Diagnostic> trace(std::size_t engine, Precision precision, const RunInputs& on,
                                                     Seen seen) {
    const EngineCall call{module_, function_, on.inputs, on.data};
    if (precision == Precision::F64) return interpreted_values(call, {.precision = precision});
    return engines_[engine].engine->run(call, seen);
  }

  bool compute(std::size_t engine, const RunInputs& on, Seen seen) {
    auto values = trace(engine, Precision::Native, on, seen);
    if (!values) {
      diagnostics_.emit(std::move(values).error());
      return false;
    }
    tables_[engine] = ValueTable(*std::move(values));
    return true;
  }

  std::optional<Parted> first_parted(const RunInputs& on) {
    values_ = 0;
    for (const ValueTime& key : exact_.order) {
      for (std::size_t i = 0; i < engines_.size(); ++i) {
        const Tensor* const value = tables_[i].find(key);
        if (value == nullptr) continue;
        ++values_;
        Difference difference = difference_of(key, i, *value, 0);
        if (difference.agrees) continue;
        if (is_inexact(value->dtype())) difference = difference_of(key, i, *value, nearby_error(peers_[i], key, on));
        if (!difference.agrees) return Parted{key, i, std::move(difference)};
      }
    }
    return std::nullopt;
  }

  Difference difference_of(const ValueTime& key, std::size_t engine, const Tensor& value, double nearby) {
    const Tensor* peer = tables_[peers_[engine]].find(key);
    const Tensor& exact = *exact_.find(key);
    if (peer != nullptr && (peer->shape() != value.shape() || peer->dtype() != value.dtype())) peer = nullptr;
    // Where rounding decides, integers are right that another engine has too.
    if (!is_inexact(value.dtype()) && peer != nullptr && value.shape() == exact.shape()) {
      const Difference same = agrees(value, *peer);
      if (same.agrees) return same;
    }
    const bool wide = value.dtype() == Dtype::F64;
    return agrees(value, exact, peer, {.nearby_error = nearby, .subject = wide ? "rewrites in f64" : ""});
  }

  double nearby_error(std::size_t engine, const ValueTime& key, const RunInputs& on) {
    const auto [at, is_new] = nearby_.try_emplace(engine);
    if (is_new || nearby_of_ != on.text) {
      nearby_of_ = on.text;
      at->second.clear();
      for (std::uint64_t number = 1; number <= kNeighbours; ++number) {
        const RunInputs near = on.near(number);
        auto native = trace(engine, Precision::Native, near, Seen::Results);
        auto exact = trace(engine, Precision::F64, near, Seen::Results);
        if (!native || !exact) break;
        const ValueTable computed(*std::move(native)), right(*std::move(exact));
        for (const auto& [time, value] : computed.at)
          if (const Tensor* const wanted = right.find(time); wanted != nullptr && wanted->shape() == value.shape())
            at->second[time] = std::max(at->second[time], agrees(value, *wanted).absolute.max);
      }
    }
    const auto known = at->second.find(key);
    return known == at->second.end() ? 0 : known->second;
  }

  void report(const Parted& parted, const RunInputs& on, bool only_fused) {
    const Value value = module_.value(parted.key.first);
    const Difference& d = parted.difference;
    const EngineDef& engine = *engines_[parted.engine].def;
    std::string off = d.reason, allowed = "nothing";
    if (d.worst >= 0 && is_inexact(d.dtype)) {
      const double ulp = ulp_at(is_float(d.dtype) ? d.dtype : Dtype::F32, d.scale);
      if (const double error = std::abs(d.worst_actual - d.worst_expected); std::isfinite(error))
        off = ulp_text(error, ulp);
      allowed = ulp_text(d.allowed, ulp);
    }
    const OpRef op = value.definer();
    Diagnostic diagnostic =
        diagnose<kEnginesPart>(op.location(), path_.name(value), op.name(), engine.name, off, allowed);
    std::string values;
    for (std::size_t i = 0; i < engines_.size(); ++i)
      if (const Tensor* const tensor = tables_[i].find(parted.key); tensor != nullptr && d.worst >= 0)
        values += std::string(engines_[i].def->name) + " has " + element(*tensor, d.worst) + ", ";
    if (d.worst >= 0) {
      values += "f64 " + element(*exact_.find(parted.key), d.worst);
      diagnostic.add_note<kEnginesPartAt>({}, position_text(d.worst_position), values,
                                          d.exceeding + d.nan_mismatches + d.inf_mismatches, d.elements,
                                          on.text + (only_fused ? kOnlyFused : ""));
    }
    diagnostics_.emit(std::move(diagnostic));
  }

  static std::string element(const Tensor& tensor, std::int64_t at) {
    return print_element(is_complex(tensor.dtype()) ? tensor.parts() : tensor, at);
  }

  Module& module_;
  std::string function_;
  std::span<const OpenEngine> engines_;
  DiagnosticEngine& diagnostics_;
  RunPath path_;
  ValueTable exact_;
  std::map<std::size_t, ValueTable> tables_;
  std::vector<std::size_t> peers_;  // by engine: whose error counts beside 4 ulp
  std::map<std::size_t, std::map<ValueTime, double>> nearby_;
  std::string nearby_of_;
  std::uint64_t values_ = 0;
};

}  // namespace

Result<std::vector<OpenEngine>, Diagnostic> open_engines(std::span<const EngineDef* const> defs,
                                                         const EngineSettings& settings) {
  std::vector<OpenEngine> out;
  for (const EngineDef* const def : defs) {
    auto engine = def->open(settings);
    if (!engine) return Failure{std::move(engine).error()};
    out.push_back({def, *std::move(engine)});
  }
  return out;
}

std::vector<FunctionRuns> draw_runs(const Module& module, std::string_view function, std::uint64_t seed,
                                    DiagnosticEngine& diagnostics) {
  std::vector<FunctionRuns> runs;
  for (const FuncRef& one : functions(module)) {
    if (is_loop_function(one.op()) || (!function.empty() && one.name() != function)) continue;
    auto draws = draw_inputs(one, {.seed = seed, .non_finite = false});
    if (!draws) {
      diagnostics.emit(diagnose<kNotCompared>(one.op().location(), one.name(), "", draws.error()));
      continue;
    }
    FunctionRuns& of = runs.emplace_back(FunctionRuns{std::string(one.name()), {}});
    for (Draw& draw : *draws)
      if (draw.kind == DrawKind::Plain) of.runs.push_back({draw.text(), std::move(draw.inputs), std::move(draw.data)});
  }
  return runs;
}

EnginesCompared compare_engines(Module& module, std::span<const FunctionRuns> runs, std::span<const OpenEngine> engines,
                                DiagnosticEngine& diagnostics) {
  MLGC_ASSERT(engines.size() > 1, "one engine is compared with nothing");
  EnginesCompared counts;
  for (const FunctionRuns& of : runs) {
    EngineComparison comparison(module, of.function, engines, diagnostics);
    ++counts.functions;
    for (const RunInputs& on : of.runs) {
      ++counts.runs;
      const bool agree = comparison.run(on);
      counts.values += comparison.values();
      if (agree) continue;
      ++counts.parted;
      break;
    }
  }
  return counts;
}

}  // namespace mlgc

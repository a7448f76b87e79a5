// Statement by statement: binds symbols, loops over output index labels, lets the strip machine evaluate, stores.
#include "interp/evaluate_formula.h"

#include <algorithm>
#include <cmath>

#include "diag/kinds_interp.h"
#include "formula/running_reduction.h"
#include "interp/strip_compiler.h"
#include "interp/strip_machine.h"
#include "support/result.h"

namespace mlgc {

std::optional<std::int64_t> SymbolValues::find(AtomId symbol) const {
  for (const auto& [id, value] : values)
    if (id == symbol) return value;
  return std::nullopt;
}

namespace {

using strips::kStripLength;

std::string extents_text(FormulaPool& pool, const std::vector<IndexExpr>& shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + pool.index().print(shape[i]);
  return out + "]";
}

class Evaluation {
 public:
  Evaluation(FormulaPool& pool, const Formula& formula, const EvaluateOptions& options, SymbolValues symbols)
      : pool_(pool), formula_(formula), options_(options), symbols_(std::move(symbols)) {}

  std::vector<Tensor> run(std::span<const Tensor> operands) {
    bind(operands);
    tensors_.resize(formula_.tensors.size());
    for (std::size_t i = 0; i < operands.size(); ++i) tensors_[i] = to_storage(operands[i]);
    for (const Statement& st : formula_.statements) statement(st);
    std::vector<Tensor> results;
    for (TensorId id : formula_.results()) {
      const Dtype dtype = formula_.tensor(id).dtype;
      const bool in_f64 = options_.precision == Precision::F64 && is_float(dtype);
      results.push_back(to_tensor(tensors_[id.index()], in_f64 ? Dtype::F64 : dtype));
    }
    return results;
  }

 private:
  std::int64_t value(IndexExpr e) {
    const IndexPool& index = pool_.index();
    const auto v = index.evaluate(e, [&](AtomId id) {
      const std::optional<std::int64_t> known = symbols_.find(id);
      if (!known && index.atom(id).kind == AtomKind::Symbol) throw diagnose<kUnboundSymbol>({}, index.symbol_name(id));
      return known;
    });
    MLGC_ASSERT(v.has_value(), "a dim without a value: " + index.print(e));
    return *v;
  }

  // Bare symbols take the sizes of the operands; every other dim is then checked.
  void bind(std::span<const Tensor> operands) {
    IndexPool& index = pool_.index();
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const FormulaTensor& t = formula_.tensors[i];
        auto reject = [&] {
          throw diagnose<kInputShape>({}, t.name, shape_text(operands[i].shape()), extents_text(pool_, t.shape));
        };
        if (operands[i].rank() != t.shape.size()) reject();
        for (std::size_t d = 0; d < t.shape.size(); ++d) {
          const auto atom = index.as_atom(t.shape[d]);
          if (pass == 0) {
            if (atom && index.atom(*atom).kind == AtomKind::Symbol && !symbols_.find(*atom))
              symbols_.values.emplace_back(*atom, operands[i].dim(d));
            continue;
          }
          const auto expected = index.evaluate(t.shape[d], [&](AtomId id) { return symbols_.find(id); });
          if (!expected || *expected != operands[i].dim(d)) reject();
        }
      }
    }
  }

  void statement(const Statement& st) {
    const FormulaTensor& target = formula_.tensor(st.result);
    Storage& out = tensors_[st.result.index()];
    out.real = is_float(target.dtype);
    for (IndexExpr e : target.shape) out.shape.push_back(value(e));
    out.strides = row_major_strides(out.shape);
    const Tensor checked = Tensor::zeros(Dtype::I1, out.shape);  // refuses absurd sizes before anything is allocated
    const auto count = static_cast<std::size_t>(checked.size());
    if (st.base.valid()) {
      out.reals = tensors_[st.base.index()].reals;
      out.integers = tensors_[st.base.index()].integers;
    } else if (out.real) {
      out.reals.assign(count, 0.0);
    } else {
      out.integers.assign(count, 0);
    }

    // Extents by slot, for the statement's index labels and those of its reductions.
    std::vector<std::int64_t> extents(formula_.label_names.size(), 0);
    auto note = [&](AtomId l) { extents[pool_.index().atom(l).number] = value(pool_.index().atom(l).a); };
    for (AtomId l : st.labels) note(l);
    // Over nothing subscripts mean nothing: they may divide by the extent that is 0.
    for (AtomId l : st.labels)
      if (extents[pool_.index().atom(l).number] == 0) return;
    auto note_reductions = [&](ExprId e) {
      if (pool_.node(e).kind == NodeKind::Reduce)
        for (AtomId l : pool_.reduce_of(e).labels) note(l);
    };
    pool_.visit(st.body, note_reductions);
    if (st.guard.valid()) pool_.visit(st.guard, note_reductions);
    for (IndexExpr s : st.subscripts) pool_.visit(s, note_reductions);

    std::vector<std::uint32_t> outer;
    for (AtomId l : st.labels) outer.push_back(pool_.index().atom(l).number);
    const bool has_strip = !outer.empty();
    const Strip strip = has_strip ? choose_strip(st, outer, extents) : Strip{};
    const std::uint32_t inner = strip.slot;
    std::erase(outer, inner);
    const std::int64_t inner_extent = has_strip ? extents[inner] : 1;

    strips::StripCompiler compiler(pool_, symbols_, extents, strip.running);
    auto body = compiler.compile(st.body);
    auto guard = st.guard.valid() ? compiler.compile(st.guard) : nullptr;
    std::vector<std::unique_ptr<strips::IndexProgram>> subscripts;
    for (IndexExpr s : st.subscripts) subscripts.push_back(compiler.compile(s));

    strips::StripMachine machine(formula_, tensors_, extents, options_.precision == Precision::Native);
    for (;;) {
      for (std::int64_t base = 0; base < inner_extent; base += kStripLength) {
        if (has_strip) machine.position().labels[inner] = base;
        machine.position().strip_slot = inner;
        machine.position().lanes = static_cast<std::size_t>(std::min<std::int64_t>(kStripLength, inner_extent - base));
        write(st, out, machine, *body, guard.get(), subscripts);
      }
      std::size_t level = outer.size();
      while (level > 0 && ++machine.position().labels[outer[level - 1]] == extents[outer[level - 1]])
        machine.position().labels[outer[--level]] = 0;
      if (level == 0) return;
    }
  }

  // The index label whose values become lanes, and the running reductions that are carried along it.
  struct Strip {
    std::uint32_t slot = 0xFFFFFFFF;
    std::vector<ExprId> running;
  };

  // Elements of a pull are independent, so any index label will do: one that reductions run along, where the square of
  // its extent counts; else the last one, for contiguous reads, unless it is so short that the work per strip outweighs
  // the work per lane; then the last that is not, for reads near each other. A push keeps its order.
  Strip choose_strip(const Statement& st, const std::vector<std::uint32_t>& labels,
                     const std::vector<std::int64_t>& extents) {
    constexpr std::int64_t kLongEnough = 48;
    Strip best{labels.back(), {}};
    if (!st.pull) return best;
    for (const RunningReduction& running : running_reductions(pool_, st)) {
      const std::uint32_t along = pool_.index().atom(running.along).number;
      if (extents[along] < kLongEnough || (!best.running.empty() && best.slot != along)) continue;
      best.slot = along;
      best.running.push_back(running.reduce);
    }
    if (!best.running.empty()) return best;
    for (auto slot = labels.rbegin(); slot != labels.rend() && extents[best.slot] < kLongEnough; ++slot)
      if (extents[*slot] > extents[best.slot]) best.slot = *slot;
    return best;
  }

  void write(const Statement& st, Storage& out, strips::StripMachine& machine, strips::Node& body, strips::Node* guard,
             std::vector<std::unique_ptr<strips::IndexProgram>>& subscripts) {
    const std::size_t lanes = machine.position().lanes;
    strips::Mask mask;
    const std::uint8_t* use = nullptr;
    if (guard) {
      const bool u = machine.run(*guard, nullptr);
      bool any = false;
      for (std::size_t i = 0; i < lanes; ++i) {
        mask[i] = guard->integers[u ? 0 : i] != 0;
        any |= mask[i] != 0;
      }
      if (!any) return;
      use = mask.data();
    }
    const bool u = machine.run(body, use);
    if (!use && st.write == WriteOp::Set && write_evenly(st, out, machine, body, u, subscripts)) return;
    std::array<std::int64_t, kStripLength> offset{};
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      const bool us = machine.index().run(*subscripts[d], use);
      for (std::size_t i = 0; i < lanes; ++i) {
        if (use && !use[i]) continue;
        const std::int64_t s = subscripts[d]->lanes[us ? 0 : i];
        if (s < 0 || s >= out.shape[d])
          throw diagnose<kWriteOutOfRange>({}, formula_.tensor(st.result).name,
                                           machine.index().given_index(*subscripts[d], us ? 0 : i, s, out.shape[d]), d,
                                           out.shape[d]);
        offset[i] += s * out.strides[d];
      }
    }
    const Dtype dtype = formula_.tensor(st.result).dtype;
    for (std::size_t i = 0; i < lanes; ++i) {
      if (use && !use[i]) continue;
      const auto at = static_cast<std::size_t>(offset[i]);
      if (out.real) {
        put(st.write, out.reals[at], body.values[u ? 0 : i]);
        if (options_.precision == Precision::Native) out.reals[at] = round_to(dtype, out.reals[at]);
      } else {
        put(st.write, out.integers[at], body.integers[u ? 0 : i]);
        if (st.write != WriteOp::Set) out.integers[at] = wrap_to(dtype, out.integers[at]);
      }
    }
  }

  // All subscripts step evenly and stay inside: as elementwise statements do. False: not that easy.
  bool write_evenly(const Statement& st, Storage& out, strips::StripMachine& machine, const strips::Node& body,
                    bool uniform, std::vector<std::unique_ptr<strips::IndexProgram>>& subscripts) {
    const auto last_lane = static_cast<std::int64_t>(machine.position().lanes) - 1;
    std::int64_t at = 0, step = 0;
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      const auto even = machine.index().evenly(*subscripts[d]);
      if (!even) return false;
      const auto [first, slope] = *even;
      const std::int64_t last = first + slope * last_lane;
      if (std::min(first, last) < 0 || std::max(first, last) >= out.shape[d])
        return false;  // named by the general path
      at += first * out.strides[d];
      step += slope * out.strides[d];
    }
    const Dtype dtype = formula_.tensor(st.result).dtype;
    const bool round = options_.precision == Precision::Native && dtype != Dtype::F64;
    for (std::size_t i = 0; i < machine.position().lanes; ++i, at += step) {
      const auto slot = static_cast<std::size_t>(at);
      if (!out.real)
        out.integers[slot] = body.integers[uniform ? 0 : i];
      else
        out.reals[slot] = round ? round_to(dtype, body.values[uniform ? 0 : i]) : body.values[uniform ? 0 : i];
    }
    return true;
  }

  // Integers wrap around.
  static double plus(double a, double b) { return a + b; }
  static double times(double a, double b) { return a * b; }
  static std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  static std::int64_t times(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }

  static bool is_nan(double v) { return std::isnan(v); }
  static bool is_nan(std::int64_t) { return false; }

  template <class T>
  static void put(WriteOp op, T& slot, T v) {
    switch (op) {
      case WriteOp::Set: slot = v; return;
      case WriteOp::Add: slot = plus(slot, v); return;
      case WriteOp::Mul: slot = times(slot, v); return;
      case WriteOp::Max:
        if (slot < v || is_nan(v)) slot = v;
        return;
      case WriteOp::Min:
        if (v < slot || is_nan(v)) slot = v;
        return;
    }
  }

  FormulaPool& pool_;
  const Formula& formula_;
  const EvaluateOptions& options_;
  SymbolValues symbols_;
  std::vector<Storage> tensors_;
};

}  // namespace

std::string shape_text(const Shape& shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Result<std::vector<Tensor>, Diagnostic> evaluate(FormulaPool& pool, const Formula& formula,
                                                 std::span<const Tensor> operands, const EvaluateOptions& options,
                                                 const SymbolValues& symbols) {
  MLGC_ASSERT(operands.size() == formula.operand_count(), "evaluate: a wrong number of operands");
  try {
    return Evaluation(pool, formula, options, symbols).run(operands);
  } catch (Diagnostic& diagnostic) {
    return Failure{std::move(diagnostic)};
  }
}

}  // namespace mlgc

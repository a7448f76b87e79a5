// See schedule_report.h.
#include "reports/schedule_report.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <limits>

#include "analysis/in_place.h"
#include "codegen/loop_cost.h"
#include "diag/json_writer.h"
#include "inspect/roofline_plot.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/module_machine.h"
#include "schedule/default_schedule.h"
#include "schedule/predict_strategy.h"
#include "schedule/schedule_kernel.h"
#include "schedule/step_taker.h"
#include "schedule/strategy_text.h"
#include "schedule/transform_review.h"
#include "text/module_report.h"

namespace mlgc {

using namespace schedule;

namespace {

bool is_kernel(const FuncRef& function) {
  if (!is_loop_function(function.op()) || external_op(function.op()).valid()) return false;
  return walk(function.op(),
              [](OpRef op) { return loop_role(op) == LoopRole::Runs ? WalkResult::Stop : WalkResult::Continue; });
}

bool has_plain_nests(OpRef function) {
  const std::vector<OpRef> nests = loops_in(function.region(0));
  return std::any_of(nests.begin(), nests.end(), [](OpRef nest) {
    const bool noted = !walk(
        nest, [](OpRef op) { return op.attr(kStrategyAttribute).valid() ? WalkResult::Stop : WalkResult::Continue; });
    return !noted && !is_scheduled(nest);
  });
}

void schedule_one(OpRef function, const ScheduleReportOptions& options, TransformReview& review,
                  const ScheduleRequest& request) {
  RewriteGate gate;
  (void)schedule_kernel(function, options.target->kind(), options.numerics, gate, review, request);
}

// Strategies that matched and were not taken, in the order of the table.
std::vector<const StrategyDef*> alternatives(const std::vector<Decision>& decisions, const TargetDef& target) {
  std::vector<const StrategyDef*> out;
  for (const StrategyDef* row : strategies(target.kind())) {
    const bool matched = std::any_of(decisions.begin(), decisions.end(), [&](const Decision& decision) {
      return std::any_of(decision.others.begin(), decision.others.end(),
                         [&](const Decision::Asked& asked) { return asked.row == row && asked.matches; });
    });
    if (matched) out.push_back(row);
  }
  return out;
}

std::string count_digits(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
  return buffer.data();
}

// A loop of the scheduled text.
struct LoopLine {
  OpRef loop;
  std::size_t depth;
};
std::vector<LoopLine> loops_of_kernel(OpRef function) {
  std::vector<LoopLine> out;
  walk(function, [&](OpRef op) {
    if (!ForRef::from(op).valid()) return;
    std::size_t depth = 0;
    for (OpRef at = op.parent_op(); at.valid(); at = at.parent_op()) depth += ForRef::from(at).valid() ? 1 : 0;
    out.push_back({op, depth});
  });
  return out;
}
std::string_view note_of(OpRef loop, std::string_view name) {
  const AttributePool& attributes = loop.module().context().attributes();
  return attributes.as_string(loop.attr(name)).value_or(std::string_view());
}

class Report : ModuleReport {
 public:
  Report(const Module& module, const ScheduleReport& report) : ModuleReport(module), report_(report) {}

  std::string text() {
    std::string out;
    for (const KernelSchedule& kernel : report_.kernels) out += (out.empty() ? "" : "\n") + kernel_text(kernel);
    return out.empty() ? "no kernels\n" : out + plot();
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kScheduleJsonVersion);
    out.member("target", report_.target->name);
    out.member("machine", report_.machine->spec());
    out.member("assumed", static_cast<std::size_t>(report_.assumed));
    out.objects("kernels", report_.kernels, [&](const KernelSchedule& kernel) { kernel_json(out, kernel); });
    return out.take();
  }

 private:
  // What measured kernels reach, and were predicted to reach, under the machine's roof.
  [[nodiscard]] std::string plot() const {
    std::vector<RooflinePoint> points;
    std::string legend;
    for (const KernelSchedule& kernel : report_.kernels) {
      const double operations = kernel.predicted.operations, bytes = kernel.bytes;
      if (!kernel.measured || operations == 0) continue;
      const double intensity = bytes > 0 ? operations / bytes : std::numeric_limits<double>::infinity();
      const double predicted = operations / kernel.predicted.seconds / 1e9,
                   measured = operations / *kernel.measured / 1e9;
      const char mark = roofline_mark(points.size() / 2);
      const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(mark)));
      points.push_back({intensity, predicted, mark});
      points.push_back({intensity, measured, capital});
      legend += std::string("   ") + mark + " predicted " + short_number(predicted) + ", " + capital + " measured " +
                short_number(measured) + " GFLOP/s: @" + std::string(kernel.function.name()) + "\n";
    }
    if (points.empty() || report_.machine->kind() == MachineKind::Gpu) return "";
    const std::int64_t cores = report_.machine->cpu().cores;
    const std::string threads = counted(report_.threads, "thread");
    return "\nunder the roof of " + threads + ":\n" + roofline_plot(roof_of_threads(), points) + legend +
           "   predicted for " + counted(static_cast<std::size_t>(cores), "core") + ", measured with " + threads + "\n";
  }
  // Of as many cores as threads were timed.
  [[nodiscard]] Roof roof_of_threads() const {
    Machine machine = *report_.machine;
    CpuMachine& cpu = std::get<CpuMachine>(machine.numbers);
    cpu.cores = std::min(cpu.cores, static_cast<std::int64_t>(report_.threads));
    if (cpu.cores == 1) cpu.all_memory_gbs = cpu.memory_gbs;
    return roof_of(machine);
  }

  std::string kernel_text(const KernelSchedule& kernel) {
    const Prediction& predicted = kernel.predicted;
    std::string out = "@" + std::string(kernel.function.name()) + ": " + seconds_text(predicted.seconds) + " on " +
                      report_.machine->spec() + ", bound by " + std::string(predicted.bound) +
                      (kernel.measured ? "; measured " + seconds_text(*kernel.measured) : "") + "\n";
    std::size_t nest = 0;
    for (const LoopLine& line : loops_of_kernel(kernel.function.op())) {
      const bool alone = line.depth > 0 || kernel.nests.empty();
      out += loop_line(line, alone ? nullptr : &kernel.nests[nest++]);
    }
    if (kernel.recorded) out += "  it had this schedule already\n";
    for (const Decision& decision : kernel.decisions) out += decision_text(kernel, decision);
    for (const std::string& refused : kernel.refused) out += "  undone: " + refused + "\n";
    out += "  predicted:";
    for (const Prediction::Term& term : predicted.terms)
      out +=
          (&term == &predicted.terms.front() ? " " : ", ") + std::string(term.name) + " " + seconds_text(term.seconds);
    out += "; " + count_digits(predicted.operations) + " operations, " + count_digits(predicted.memory_bytes) +
           " bytes of memory, " +
           (report_.machine->kind() == MachineKind::Gpu ? count_digits(predicted.l2_bytes) + " of L2, " : "") +
           count_digits(predicted.parallel) + (report_.machine->kind() == MachineKind::Gpu ? " thread" : " core") +
           (predicted.parallel == 1 ? "" : "s") + "\n";
    for (const Prediction::Launch& launch : predicted.launches) out += launch_text(launch);
    if (!predicted.assumed.empty()) {
      out += "  supposed:";
      for (const std::string& name : predicted.assumed)
        out += (name == predicted.assumed.front() ? " " : ", ") + name + "=" + std::to_string(report_.assumed);
      out += "\n";
    }
    return out;
  }

  // How a nest runs on a GPU.
  static std::string launch_text(const Prediction::Launch& launch) {
    const std::string tile = count_digits(launch.rows) + " by " + count_digits(launch.columns);
    return "  runs as: " + counted(static_cast<std::size_t>(launch.blocks), "block") + " of " +
           count_digits(launch.threads) + " threads" + (launch.rows > 0 ? ", tiles of " + tile : std::string()) +
           " by " + std::string(launch.unit) + "; " + count_digits(launch.resident) + " a multiprocessor, " +
           counted(static_cast<std::size_t>(launch.waves), "wave") + ", occupancy " +
           count_digits(100 * launch.occupancy) + " %\n";
  }

  // `predicted`: of the nest that begins with the loop.
  static std::string loop_line(const LoopLine& line, const Prediction* predicted) {
    const ForRef of = ForRef::from(line.loop);
    std::string out = "  " + std::string(2 * line.depth, ' ') + loop_text(line.loop) + ": " + count_text(line.loop);
    if (of.kind() == LoopKind::Vector)
      out += " in " + std::to_string(of.lanes()) + " lanes" +
             (of.per_lane() > 1 ? ", " + std::to_string(of.per_lane()) + " at a time" : "");
    else if (of.kind() != LoopKind::Serial)
      out += ", " + std::string(loop_kind_name(of.kind()));
    if (const auto name = note_of(line.loop, kStrategyAttribute); !name.empty()) out += "  [" + std::string(name) + "]";
    if (const auto why = note_of(line.loop, "schedule.serial"); !why.empty())
      out += "  (no lanes: " + std::string(why) + ")";
    if (predicted != nullptr)
      out += "  " + seconds_text(predicted->seconds) + ", bound by " + std::string(predicted->bound);
    return out + "\n";
  }

  static std::string decision_text(const KernelSchedule& kernel, const Decision& decision) {
    std::string out = "  " + (decision.taken != nullptr ? std::string(decision.taken->name)
                                                        : "no " + std::string(stage_name(decision.stage)));
    out += " at %" + decision.loop + (decision.taken != nullptr ? ": " + decision.why : std::string()) + "\n";
    for (const Decision::Asked& asked : decision.others) {
      out += "    " + std::string(asked.row->name);
      if (!asked.matches) {
        out += " does not apply: " + asked.reason + "\n";
        continue;
      }
      const auto with = std::find_if(kernel.seconds_with.begin(), kernel.seconds_with.end(),
                                     [&](const auto& of) { return of.first == asked.row->name; });
      out += " would apply" +
             (with == kernel.seconds_with.end() ? "" : ": the kernel would take " + seconds_text(with->second)) + "\n";
    }
    return out;
  }

  void kernel_json(JsonWriter& out, const KernelSchedule& kernel) {
    const Prediction& predicted = kernel.predicted;
    out.member("function", kernel.function.name());
    number(out, "seconds", predicted.seconds);
    if (kernel.measured) number(out, "measured", *kernel.measured);
    out.member("bound", predicted.bound);
    out.objects("terms", predicted.terms, [&](const Prediction::Term& term) {
      out.member("name", term.name);
      number(out, "seconds", term.seconds);
    });
    number(out, "operations", predicted.operations);
    number(out, "memory_bytes", predicted.memory_bytes);
    number(out, "parallel", predicted.parallel);
    if (report_.machine->kind() == MachineKind::Gpu) {
      number(out, "l2_bytes", predicted.l2_bytes);
      out.objects("launches", predicted.launches, [&](const Prediction::Launch& launch) {
        number(out, "blocks", launch.blocks);
        number(out, "threads", launch.threads);
        number(out, "resident", launch.resident);
        number(out, "waves", launch.waves);
        number(out, "occupancy", launch.occupancy);
        out.member("unit", launch.unit);
        if (launch.rows > 0) number(out, "tile_rows", launch.rows), number(out, "tile_columns", launch.columns);
      });
    }
    out.objects("supposed", predicted.assumed, [&](const std::string& name) { out.member("size", name); });
    out.member("recorded", kernel.recorded);
    std::size_t nest = 0;
    out.objects("loops", loops_of_kernel(kernel.function.op()), [&](const LoopLine& line) {
      const ForRef of = ForRef::from(line.loop);
      out.member("loop", of.index().name());
      out.member("depth", line.depth);
      out.member("kind", loop_kind_name(of.kind()));
      out.member("iterations", count_text(line.loop));
      if (of.kind() == LoopKind::Vector) {
        out.member("lanes", of.lanes());
        if (of.per_lane() > 1) out.member("per_lane", of.per_lane());
      }
      if (const auto name = note_of(line.loop, kStrategyAttribute); !name.empty()) out.member("strategy", name);
      if (const auto why = note_of(line.loop, "schedule.serial"); !why.empty()) out.member("serial", why);
      if (line.depth > 0 || kernel.nests.empty()) return;
      number(out, "seconds", kernel.nests[nest].seconds);
      out.member("bound", kernel.nests[nest++].bound);
    });
    out.objects("decisions", kernel.decisions, [&](const Decision& decision) {
      out.member("stage", stage_name(decision.stage));
      out.member("loop", decision.loop);
      if (decision.taken != nullptr) {
        out.member("strategy", decision.taken->name);
        out.member("why", decision.why);
        out.member("numerics", numerics_class_name(decision.taken->numerics));
      }
      out.objects("others", decision.others, [&](const Decision::Asked& asked) {
        out.member("strategy", asked.row->name);
        out.member("matches", asked.matches);
        if (!asked.reason.empty()) out.member("reason", asked.reason);
        if (!asked.kind.empty()) out.member("kind", asked.kind);
        for (const auto& [name, seconds] : kernel.seconds_with)
          if (asked.matches && name == asked.row->name) number(out, "seconds", seconds);
      });
    });
    out.objects("undone", kernel.refused, [&](const std::string& text) { out.member("step", text); });
  }
  static void number(JsonWriter& out, std::string_view name, double value) { out.number(name, number_text(value)); }

  const ScheduleReport& report_;
};

// Each once, which is the least that the function can move. 0 where a size is not known.
double bytes_of_arguments(OpRef function, const PredictedSizes& sizes) {
  const IndexPool& index = function.module().context().index();
  const codegen::LoopCost cost = codegen::loop_cost(function);
  double bytes = 0;
  for (const IndexExpr part : {cost.read_bytes, cost.written_bytes}) {
    const auto value = index.evaluate(part, [&](AtomId id) -> std::optional<std::int64_t> {
      if (index.atom(id).kind != AtomKind::Symbol) return std::nullopt;
      const auto known = sizes.known.find(index.symbol_name(id));
      return known != sizes.known.end() ? known->second : sizes.assumed;
    });
    if (!value) return 0;
    bytes += static_cast<double>(*value);
  }
  return bytes;
}

}  // namespace

void add_measured(ScheduleReport& report, const std::map<std::string, double>& seconds, std::size_t threads) {
  report.threads = threads;
  for (KernelSchedule& kernel : report.kernels)
    if (const auto at = seconds.find(std::string(kernel.function.name())); at != seconds.end())
      kernel.measured = at->second;
}

bool has_loop_functions(const Module& module) {
  return std::ranges::any_of(functions(module), [](const FuncRef& f) { return is_loop_function(f.op()); });
}

std::vector<FuncRef> kernels_of(const Module& module) {
  std::vector<FuncRef> out;
  for (const FuncRef& function : functions(module))
    if (is_kernel(function)) out.push_back(function);
  return out;
}

std::string seconds_text(double seconds) {
  std::array<char, 64> buffer{};
  const bool micro = seconds < 1e-3;
  std::snprintf(buffer.data(), buffer.size(), "%.3g %s", seconds * (micro ? 1e6 : 1e3), micro ? "us" : "ms");
  return buffer.data();
}

ScheduleReport schedule_and_report(Module& module, const Machine& machine, const ScheduleReportOptions& options) {
  ScheduleReport out;
  out.machine = &machine;
  out.target = options.target;
  out.assumed = options.sizes.assumed;
  for (const FuncRef& function : kernels_of(module)) {
    if (!options.function.empty() && function.name() != options.function) continue;
    KernelSchedule kernel;
    kernel.function = function;
    kernel.recorded = !has_plain_nests(function.op());
    if (!kernel.recorded) {
      Module scratch(module.shared_context());
      state_machine(scratch, machine);
      const OpRef before = clone_function(function.op(), scratch, function.name());
      ScheduleLog log;
      TransformReview review;
      const KernelDecision* decision = options.decisions != nullptr ? options.decisions->take(before) : nullptr;
      const StrategyChoice choice = decision != nullptr ? decision->choice : StrategyChoice();
      schedule_one(function.op(), options, review,
                   {.forced = choice.strategy, .tile = choice.tile, .without = choice.without, .log = &log});
      for (const auto& refusal : review.refusals()) kernel.refused.push_back(refusal.text);
      kernel.decisions = std::move(log.decisions);
      for (const StrategyDef* row : alternatives(kernel.decisions, *options.target))
        if (const auto with =
                predict_strategy(before, options.target->kind(), options.numerics, row, machine, options.sizes))
          kernel.seconds_with.emplace_back(row->name, with->seconds);
    }
    kernel.predicted = predict(function.op(), machine, options.sizes);
    kernel.bytes = bytes_of_arguments(function.op(), options.sizes);
    std::vector<OpRef> nests;
    for (const LoopLine& line : loops_of_kernel(function.op()))
      if (line.depth == 0) nests.push_back(line.loop);
    if (nests.size() > 1)
      for (const OpRef nest : nests) kernel.nests.push_back(predict(nest, machine, options.sizes));
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

std::string schedule_text(const Module& module, const ScheduleReport& report) { return Report(module, report).text(); }
std::string schedule_json(const Module& module, const ScheduleReport& report) { return Report(module, report).json(); }

}  // namespace mlgc

// See check_compiled.h.
#include "compile/check_compiled.h"

#include <set>
#include <utility>
#include <vector>

#include "check/compare_runs.h"
#include "check/draw_inputs.h"
#include "compile/run_emitted.h"
#include "diag/kinds_check.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "ops/stated_gradient.h"

namespace mlgc {
namespace {

// The module with one function and what it calls. No function there states its gradient, which is another function.
Module with_only(const Module& module, std::string_view name) {
  Module one = module;
  std::set<std::string_view> wanted{name};
  std::vector<FuncRef> all = functions(one);
  // A callee stands before its callers.
  for (auto function = all.rbegin(); function != all.rend(); ++function) {
    if (!wanted.contains(function->name())) continue;
    walk(function->op(), [&](OpRef op) {
      if (op.is(GraphOp::Call)) wanted.insert(*one.context().attributes().as_symbol(op.attr("callee")));
    });
  }
  for (auto function = all.rbegin(); function != all.rend(); ++function) {
    if (wanted.contains(function->name()))
      remove_stated_gradient(*function);
    else
      function->op().erase();
  }
  return one;
}

class CompiledChecker {
 public:
  CompiledChecker(const CheckCompiledOptions& options, const std::string& note, CheckCompiledCounts& counts,
                  DiagnosticEngine& diagnostics)
      : options_(options), note_(note), counts_(counts), diagnostics_(diagnostics) {}

  // `graph` says what inputs the function takes, `loops` is what is compiled.
  void run(const FuncRef& graph, Module& loops) {
    auto draws = draw_inputs(graph, {.seed = options_.seed, .non_finite = options_.non_finite});
    if (!draws) {
      ++counts_.not_lowered["(no inputs were found)"];
      return;
    }
    for (Draw& draw : *draws) fill_states(loops, draw.data);
    const std::string name(graph.name());
    EmitOptions emit;
    emit.mathematics = Mathematics::Library;
    Result<EmittedModel, Diagnostic> emitted = emit_model(loops, draws->front().data, emit);
    if (!emitted) return diagnostics_.emit(std::move(emitted).error());
    auto unit = compile_emitted(*emitted, options_.compile, diagnostics_);
    if (!unit) return diagnostics_.emit(std::move(unit).error());
    auto object = SharedObject::open(unit->path, emitted->source.symbol);
    if (!object) return diagnostics_.emit(std::move(object).error());
    ++counts_.functions;
    for (const Draw& draw : *draws)
      if (!run_draw(loops, *object, find_function(loops, name), draw)) return;
  }

 private:
  // A model has all states of the module, a draw those that the function reads.
  static void fill_states(const Module& module, ModuleData& data) {
    const Context& context = module.context();
    for (const OpRef state : codegen::model_data(module).states) {
      const Type type = context.attributes().as_type(state.attr("type"));
      Shape shape;
      for (const IndexExpr dim : context.types().dims(type)) shape.push_back(*context.index().as_constant(dim));
      data.try_emplace(std::string(state.symbol()), Tensor::zeros(context.types().dtype(type), shape));
    }
  }

  // False when it makes no sense to go on.
  bool run_draw(Module& loops, const SharedObject& object, FuncRef function, const Draw& draw) {
    // Each draw has weights of its own.
    Result<NamedTensors, Diagnostic> tensors = model_tensors(loops, draw.data);
    if (!tensors) {  // a derived weight that fails on these: for the interpreter too
      ++counts_.refused;
      return true;
    }
    SharedBytes weights;
    if (!tensors->empty()) weights = *weights_in_memory(*tensors);
    auto model = Model::load(object, weights, {.vector_bytes = options_.compile.vector_bytes});
    if (!model) return diagnostics_.emit(std::move(model).error()), false;
    const auto wanted = interpret(loops, function.name(), draw.inputs, draw.data);
    for (const std::int32_t threads : {1, 2}) {
      auto context = ModelContext::make(*model, {.threads = threads, .measure_arena = true});
      if (!context) return diagnostics_.emit(std::move(context).error()), false;
      const std::string name(function.name());
      const std::int32_t number = model->abi().find_function(model->program(), name.c_str());
      auto outputs = run_model(*model, *context, number, draw.inputs);
      ++counts_.runs;
      const mlgc_memory memory = context->memory();
      if (memory.arena_touched > memory.arena_planned)
        return differs(function, draw, threads, "the arena", std::to_string(memory.arena_planned) + " bytes",
                       std::to_string(memory.arena_touched) + " bytes");
      if (!outputs || !wanted) {
        ++counts_.refused;
        if (outputs.ok() == wanted.ok()) continue;
        return differs(function, draw, threads, "the run", wanted ? "done" : "refused: " + wanted.error().message(),
                       outputs ? "done" : "refused: " + outputs.error().message());
      }
      order_updates(function, *outputs);
      const auto misfit = compare_runs({*wanted, std::nullopt}, *outputs, NumericsClass::Exact);
      if (misfit) return differs(function, draw, threads, misfit->value, misfit->before, misfit->after);
    }
    return true;
  }

  bool differs(const FuncRef& function, const Draw& draw, std::int32_t threads, const std::string& value,
               const std::string& wanted, const std::string& got) {
    ++counts_.differ;
    diagnostics_.emit(diagnose<kCompiledDiffers>(function.op().location(), function.name(), draw.text(), threads, value,
                                                 got, wanted, note_));
    return false;
  }

  const CheckCompiledOptions& options_;
  const std::string& note_;
  CheckCompiledCounts& counts_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace

std::string CheckCompiledCounts::text() const {
  std::string out = "compiled: " + std::to_string(functions) + " functions, " + std::to_string(runs) + " runs, " +
                    std::to_string(differ) + " differ, " + std::to_string(refused) + " refused by both\n";
  if (!not_lowered.empty()) out += "not compiled:\n";
  for (const auto& [what, count] : not_lowered) out += "  " + std::to_string(count) + "  " + what + "\n";
  return out;
}

void check_compiled(const Module& module, const CheckCompiledOptions& options, const std::string& note,
                    const std::function<std::optional<std::string>(Module&)>& lower, CheckCompiledCounts& counts,
                    DiagnosticEngine& diagnostics) {
  for (const FuncRef& function : functions(module)) {
    if (is_loop_function(function.op())) continue;
    Module loops = with_only(module, function.name());
    if (const std::optional<std::string> missing = lower(loops))
      ++counts.not_lowered[*missing];
    else
      CompiledChecker(options, note, counts, diagnostics).run(function, loops);
  }
}

}  // namespace mlgc

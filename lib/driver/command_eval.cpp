// mlgc eval: evaluates a function of a module on given or random inputs.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "aten/run_torch_call.h"
#include "aten/torch_backend.h"
#include "compile/run_emitted.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "driver/bind_arguments.h"
#include "driver/emit_flags.h"
#include "driver/fallback_flag.h"
#include "driver/input_type_flag.h"
#include "driver/load.h"
#include "driver/log.h"
#include "driver/module_data.h"
#include "driver/output_flag.h"
#include "driver/pass_flags.h"
#include "driver/print_values.h"
#include "driver/vector_bytes_flag.h"
#include "import/import_model.h"
#include "interp/function_results.h"
#include "interp/interpret_module.h"
#include "loopir/functions.h"
#include "ops/op_table.h"
#include "ops/torch_call.h"
#include "pass/pass_manager.h"
#include "support/activity.h"
#include "tensor/compare.h"
#include "tensor/neighbour.h"
#include "tensor/safetensors.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kEvalExamples =
    "  mlgc eval mlp.mlir --input=x=8x784xf32=rand:seed=1              prints the results\n"
    "  mlgc eval mlp.mlir --input=@in.npz --output=@out.npz           arguments and results by name\n"
    "  mlgc eval mlp.mlir --dim=B=4 --random-inputs=1 --random-weights=1\n"
    "  mlgc eval model.pt2 --input=@in.npz --output=@out.npz\n"
    "  mlgc eval mlp.mlir --input=@in.npz --expect=@ref.npz           differences; exit code 4 when they do not agree\n"
    "  mlgc eval model.pt2 --input=@in.npz --backend=torch            the same, op by op in PyTorch\n"
    "  mlgc eval model.pt2 --input=@in.npz --backend=cpp -O2          the same, compiled\n"
    "  mlgc eval mlp.mlir --input=@in.npz --compare=torch,cpp         what the back ends say; exit code 4 when they "
    "do not agree\n"
    "  mlgc eval step.mlir --input=@in.npz --backend=torch,cpp        the same of these two\n"
    "  mlgc eval mlp.mlir --input=@in.npz --print-values=%h,%y        what these values are, and then the results\n"
    "  mlgc eval -O2 model.pt2 --input=@in.npz --expect=@ref.npz      what passes make of it; also --pass-pipeline\n"
    "  mlgc eval f.mlir --function=f --input=2x2xf32=1,2,3,4 --input=1.5\n"
    "Inputs: [NAME=][SHAPE][=VALUE] with VALUE @file.npy, @file.npz:name, rand, rand:seed=1,lo=-1,hi=1, iota, a "
    "number\n"
    "for every element, or numbers with commas. Without NAME inputs stand in the order of the arguments.\n";

constexpr std::uint64_t kPrintedIterations = 10, kMostTrips = std::uint64_t{1} << 62U;

enum class Backend : std::uint8_t { Interp, Torch, Cpp };
constexpr std::array<std::pair<std::string_view, Backend>, 3> kBackends{
    {{"interp", Backend::Interp}, {"torch", Backend::Torch}, {"cpp", Backend::Cpp}}};

std::string_view name_of(Backend backend) { return kBackends[static_cast<std::size_t>(backend)].first; }
std::optional<Backend> backend_named(std::string_view name) {
  const auto* const found = std::ranges::find(kBackends, name, [](const auto& known) { return known.first; });
  return found == kBackends.end() ? std::nullopt : std::optional(found->second);
}

struct EvalFlags {
  std::string input, function, expect;
  std::vector<std::string> outputs, dims, backend_names, compare_names, externals;
  FallbackFlags fallback;
  InputTypeFlags input_types;
  Backend backend = Backend::Interp;
  LevelFlags level;            // of --backend=cpp
  VectorBytesFlag vectors;     // of --backend=cpp
  bool prints_values = false;  // --print-values was said
  std::vector<std::string> value_names;
  std::optional<std::uint64_t> printed_iterations, max_trips;
  std::vector<Backend> others;  // that are compared with it
  bool compares = false;        // --compare was said
  ArgumentFlags arguments;
  DataFlags data;
  std::string saved_inputs;
  Precision precision = Precision::Native;
  ReportFormat format = ReportFormat::Text;
  std::optional<std::string> pipeline;
  Words pass_flags;
};

// Names of the results, or of a loop function's result arguments.
std::vector<std::string> names_of_results(const FuncRef& function) {
  std::vector<std::string> names;
  if (is_loop_function(function.op())) {
    const ResultArguments results = result_arguments(function.op());
    for (std::size_t i = 0; i < results.first_update; ++i)
      if (results.is_result[i]) names.push_back(argument_name(function, i));
  } else {
    for (std::size_t i = 0; i < function.result_count(); ++i) names.push_back(result_name(function, i));
  }
  return names;
}

struct Given {
  std::vector<Tensor> inputs;
  ModuleData data;
};
Given neighbour_of(const std::vector<Tensor>& inputs, const ModuleData& data, std::uint64_t number) {
  Given out;
  for (const Tensor& tensor : inputs) out.inputs.push_back(neighbour(tensor, number));
  for (const auto& [name, tensor] : data) out.data.emplace(name, neighbour(tensor, number));
  return out;
}

using Evaluate = std::function<std::optional<NamedTensors>(Backend, Precision, std::uint64_t number)>;

// What a back end is wrong by at most on neighbours of the inputs, as far as the function takes them.
void find_nearby_errors(const Evaluate& evaluate, Backend backend, std::vector<double>& errors) {
  for (std::uint64_t number = 1; number <= kNeighbours; ++number) {
    const auto native = evaluate(backend, Precision::Native, number);
    const auto judge = evaluate(Backend::Interp, Precision::Judge, number);
    if (!native || !judge) return;
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] = std::max(errors[i], agrees((*native)[i].second, (*judge)[i].second).absolute.max);
  }
}

class Evaluation {
 public:
  Evaluation(const Console& console, const EvalFlags& flags)
      : console_(console), flags_(flags), context_(make_context()), diagnostics_(context_->locations(), 20) {}

  ExitCode run() {
    if (!flags_.externals.empty()) {
      Result<Externals, Diagnostic> externals = Externals::load(flags_.externals, "eval");
      if (!externals) return console_.report(std::move(externals).error());
      externals_ = *std::move(externals);
    }
    if (flags_.backend == Backend::Torch || std::ranges::count(flags_.others, Backend::Torch) != 0) {
      const auto plugin = TorchPlugin::load();
      if (!plugin) return console_.report(plugin.error());
      torch_.emplace(**plugin);
    }
    Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags_.pass_flags, flags_.pipeline, context_->locations());
    if (!pipeline) return console_.report(context_->locations(), std::move(pipeline).error());
    std::optional<Module> module = load();
    if (!module) return console_.report(diagnostics_);
    if (const ExitCode wrong = write_fallback_report(console_, flags_.fallback, fallback_); wrong != ExitCode::Ok)
      return wrong;
    const FuncRef function = choose_function(*module, flags_.function, diagnostics_);
    if (!function.valid()) return console_.report(diagnostics_);
    const auto inputs = bind_arguments(function, flags_.arguments, diagnostics_);
    const FunctionRanges ranges =
        inputs && inputs->sizes && flags_.data.random_seed ? value_ranges(function, *inputs->sizes) : FunctionRanges();
    const auto data = load_data(*module, flags_.data, imported_weights_, ranges, diagnostics_);
    if (!inputs || !data || !save_inputs(function, inputs->tensors, *data)) return console_.report(diagnostics_);
    // Names and data are those of the module as it was given: passes may drop and rename what does not matter to them.
    const std::string name(function.name());
    const std::vector<std::string> names = names_of_results(function);
    if (!PassManager(*context_, {.verify = verify}).run(*module, *pipeline, diagnostics_))
      return console_.report(diagnostics_);
    std::optional<ValuePrinter> printer;
    if (flags_.prints_values) {
      if (is_loop_function(find_function(*module, name).op()))
        return console_.report(diagnose<kBadFlag>(
            {}, "--print-values: `@" + name + "` is at the loop level, whose values are memory", "eval"));
      auto made = ValuePrinter::make(
          *module, flags_.value_names,
          {flags_.format, static_cast<std::int64_t>(flags_.printed_iterations.value_or(kPrintedIterations))});
      if (!made) return console_.report(std::move(made).error());
      printer = *std::move(made);
    }
    const Activity evaluating("evaluating", "@" + name);
    // What is PyTorch's in every back end: its calls in the run that is shown.
    std::map<std::string, std::uint64_t> not_judged;
    // At the inputs, or at a neighbour of them.
    const Evaluate evaluate = [&](Backend backend, Precision precision,
                                  std::uint64_t number) -> std::optional<NamedTensors> {
      const Given moved = number == 0 ? Given() : neighbour_of(inputs->tensors, *data, number);
      const std::vector<Tensor>& tensors = number == 0 ? inputs->tensors : moved.inputs;
      const ModuleData& given_data = number == 0 ? *data : moved.data;
      if (backend == Backend::Cpp) {
        std::optional<Outputs> outputs = run_compiled(*module, name, tensors, given_data);
        return outputs ? std::optional(name_outputs(names, *std::move(outputs))) : std::nullopt;
      }
      InterpretOptions options = backend == Backend::Torch ? torch_->options() : InterpretOptions();
      options.precision = precision;
      options.max_trips = max_trips();
      if (backend == Backend::Interp) options.torch_call = torch_calls();
      const bool is_shown = backend == flags_.backend && precision == flags_.precision && number == 0;
      if (is_shown && printer) printer->watch(options);
      if (options.torch_call) {
        options.torch_call = [&, run = std::move(options.torch_call)](const TorchCallRun& call) {
          if (is_shown) ++not_judged[std::string(torch_target(call.op))];
          return run(call);
        };
      }
      Result<Outputs, Diagnostic> outputs = interpret(*module, name, tensors, given_data, options);
      if (outputs) log_info("evaluated @" + name);
      if (outputs) return name_outputs(names, *std::move(outputs));
      diagnostics_.emit(std::move(outputs).error());
      return std::nullopt;
    };
    const std::optional<NamedTensors> outputs = evaluate(flags_.backend, flags_.precision, 0);
    if (printer)
      if (const Status<> written = printer->finish(); !written)
        return console_.report(diagnose<kCannotWrite>({}, written.error()));
    if (!outputs) return console_.report(diagnostics_);
    std::vector<BackendOutputs> compared;
    for (const Backend other : flags_.others) {
      auto theirs = evaluate(other, Precision::Native, 0);
      if (!theirs) return console_.report(diagnostics_);
      compared.push_back({name_of(other), *std::move(theirs)});
    }
    if (torch_)
      if (auto note = torch_->note()) diagnostics_.emit(*std::move(note));
    if (const ExitCode warned = console_.report(diagnostics_); warned != ExitCode::Ok) return warned;
    const ExitCode written = write_outputs(console_, flags_.outputs, name, *outputs);
    if (written != ExitCode::Ok || (flags_.expect.empty() && compared.empty())) return written;
    const bool given_native = flags_.precision == Precision::Native;
    const std::optional<NamedTensors> native = given_native ? outputs : evaluate(flags_.backend, Precision::Native, 0);
    if (!native) return console_.report(diagnostics_);
    const auto judge = [&] { return given_native ? evaluate(Backend::Interp, Precision::Judge, 0) : outputs; };
    std::map<std::string_view, std::vector<double>> known;
    const NearbyErrors nearby = [&](std::string_view backend) {
      const auto [errors, is_new] = known.try_emplace(backend, native->size());
      if (is_new) find_nearby_errors(evaluate, *backend_named(backend), errors->second);
      return errors->second;
    };
    if (!compared.empty()) {
      const Activity judging("judging what the back ends computed");
      const std::optional<NamedTensors> judged = judge();
      if (!judged) return console_.report(diagnostics_);
      compared.insert(compared.begin(), {name_of(flags_.backend), *native});
      return compare_backends(console_, compared, *judged, nearby, not_judged, flags_.format);
    }
    const Activity judging("comparing with", flags_.expect);
    const std::optional<ExitCode> expected =
        compare_outputs(console_, flags_.expect, {name_of(flags_.backend), *native}, judge, nearby, flags_.format);
    return expected ? *expected : console_.report(diagnostics_);
  }

 private:
  // Loops need not end on made-up numbers.
  [[nodiscard]] std::int64_t max_trips() const {
    if (flags_.max_trips) return static_cast<std::int64_t>(*flags_.max_trips);
    return flags_.arguments.random_seed ? kMadeUpTrips : InterpretOptions().max_trips;
  }

  std::optional<Module> load() {
    const ImportOptions options{
        .fallback = flags_.fallback.mode, .input_types = flags_.input_types.types, .where = flags_.input_types.where};
    std::optional<LoadedModel> model = load_model(context_, flags_.input, options, diagnostics_);
    if (!model) {
      if (is_model_file(flags_.input)) (void)write_refused_report(console_, flags_.fallback, flags_.input, options);
      return std::nullopt;
    }
    fallback_ = std::move(model->fallback);
    imported_weights_ = std::move(model->weights);
    return std::move(model->module);
  }

  // Of --save-inputs. False: an error was reported.
  bool save_inputs(const FuncRef& function, const std::vector<Tensor>& inputs, const ModuleData& data) {
    if (flags_.saved_inputs.empty()) return true;
    NamedTensors all;
    for (std::size_t i = 0; i < inputs.size(); ++i) all.emplace_back(argument_name(function, i), inputs[i]);
    for (const auto& [name, tensor] : data) all.emplace_back("@" + name, tensor);
    const Status<> written = write_safetensors(flags_.saved_inputs, all);
    if (!written) diagnostics_.emit(diagnose<kCannotWrite>({}, written.error()));
    return written.ok();
  }

  // As C++, compiled by way of the cache.
  std::optional<Outputs> run_compiled(const Module& module, std::string_view name, std::span<const Tensor> inputs,
                                      const ModuleData& data) {
    Module lowered = module;
    state_vectors(flags_.vectors, lowered);
    std::optional<EmittedModel> emitted = lower_and_emit(lowered, data, {.level = flags_.level}, diagnostics_);
    if (!emitted) return std::nullopt;
    CompileOptions options;
    options.vector_bytes = flags_.vectors.bytes();
    options.externals = externals_;
    Result<Outputs, Diagnostic> outputs = run_emitted(*emitted, options, name, inputs, diagnostics_);
    if (!outputs) {
      diagnostics_.emit(std::move(outputs).error());
      return std::nullopt;
    }
    order_updates(find_function(module, name), *outputs);
    return *std::move(outputs);
  }

  const Console& console_;
  const EvalFlags& flags_;
  std::shared_ptr<Context> context_;
  DiagnosticEngine diagnostics_;
  NamedTensors imported_weights_;
  FallbackLedger fallback_;
  std::optional<TorchBackend> torch_;
  Externals externals_;
};

// Which back ends, and what does not go with them.
std::optional<ExitCode> read_backends(const Console& console, EvalFlags& flags) {
  std::vector<Backend> computing, compared;
  for (const auto& [flag, names, found] : {std::tuple("--backend", &flags.backend_names, &computing),
                                           std::tuple("--compare", &flags.compare_names, &compared)})
    for (const std::string& name : *names) {
      const std::optional<Backend> backend = backend_named(name);
      if (!backend)
        return console.report(
            diagnose<kBadFlag>({}, std::string(flag) + ": `" + name + "` is none of interp|torch|cpp", "eval"));
      found->push_back(*backend);
    }
  if (!computing.empty()) flags.backend = computing.front();
  compared.insert(compared.begin(), computing.begin(), computing.end());
  for (const Backend backend : compared)
    if (backend != flags.backend && std::ranges::count(flags.others, backend) == 0) flags.others.push_back(backend);
  const std::string name(name_of(flags.backend));
  const bool compiles = flags.backend == Backend::Cpp || std::ranges::count(flags.others, Backend::Cpp) != 0;
  for (const auto& [flag, given] : {std::pair("--memory-format", !flags.level.memory_format.empty()),
                                    std::pair("--vector-bytes", flags.vectors.given.has_value())})
    if (given && !compiles)
      return console.report(
          diagnose<kBadFlag>({}, std::string(flag) + ": nothing is compiled without --backend=cpp", "eval"));
  if (auto wrong = check_vectors_here(flags.vectors, "eval")) return console.report(*std::move(wrong));
  if (flags.prints_values && flags.backend == Backend::Cpp)
    return console.report(diagnose<kFlagConflict>({}, "--backend=cpp", "--print-values"));
  if (flags.compares && flags.others.empty())
    return console.report(diagnose<kBadFlag>({}, "--compare: the results are those of `" + name + "` already", "eval"));
  if (!flags.others.empty() && !flags.expect.empty())
    return console.report(diagnose<kFlagConflict>({}, "several back ends", "--expect"));
  if (flags.backend != Backend::Interp && flags.precision == Precision::Judge)
    return console.report(diagnose<kFlagConflict>({}, "--backend=" + name, "--precision=judge"));
  return std::nullopt;
}

// The parts of flags that CLI11 does not take apart.
std::optional<ExitCode> read_flags(const Console& console, EvalFlags& flags) {
  if (auto wrong = read_dim_flags(flags.dims, "eval", flags.arguments.dims)) return console.report(*std::move(wrong));
  if (flags.data.random_seed && !flags.data.weights.empty())
    return console.report(diagnose<kFlagConflict>({}, "--weights", "--random-weights"));
  for (const auto& [flag, value] : {std::pair{"--expect", &flags.expect}, std::pair{"--states", &flags.data.states}}) {
    if (value->empty()) continue;
    if (!value->starts_with('@'))
      return console.report(
          diagnose<kBadFlag>({}, std::string(flag) + ": write @ before the name of the file", "eval"));
    value->erase(0, 1);
  }
  if (flags.fallback.mode != Fallback::Error && !is_model_file(flags.input))
    return console.report(diagnose<kBadFlag>({}, "--fallback: `" + flags.input + "` is no model file", "eval"));
  if (const auto wrong = read_input_types(flags.input_types, "eval")) return console.report(*wrong);
  if (!flags.input_types.given.empty() && !is_model_file(flags.input))
    return console.report(diagnose<kBadFlag>({}, "--input-type: `" + flags.input + "` is no model file", "eval"));
  if (flags.max_trips.value_or(0) > kMostTrips || flags.printed_iterations.value_or(0) > kMostTrips)
    return console.report(diagnose<kBadFlag>({}, "--max-trips, --print-iterations: too large", "eval"));
  const bool only_values = flags.prints_values && flags.format == ReportFormat::Json;
  if (flags.outputs.empty() && flags.expect.empty() && flags.others.empty() && !only_values)
    flags.outputs.emplace_back("-");
  const std::size_t slash = flags.input.rfind('/');
  flags.data.folder = slash == std::string::npos ? "" : flags.input.substr(0, slash);
  return std::nullopt;
}

}  // namespace

ExitCode run_eval(const Words& words) {
  Arguments arguments("eval", "Evaluates a function of a module: interpreted, by PyTorch, or compiled.", kEvalExamples);
  EvalFlags flags;
  flags.input = "-";
  arguments.add_positional("module", flags.input, "FILE",
                           "Text of a module, or a model file; - or nothing: standard input");
  arguments.add_value("--function", flags.function, "NAME", "Which function (default: the only one, forward or main)");
  arguments.add_list("--input", flags.arguments.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all; repeatable");
  arguments.add_value("--random-inputs", flags.arguments.random_seed, "SEED",
                      "Random values for arguments without --input; integers that index something lie within it");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE", "The size of a symbol, for values that are made up; repeatable");
  arguments.add_value("--weights", flags.data.weights, "FILE",
                      "The weights, instead of the file that the module names");
  arguments.add_value("--random-weights", flags.data.random_seed, "SEED", "Made-up weights");
  arguments.add_value("--save-inputs", flags.saved_inputs, "FILE",
                      "Write what the run starts from as .safetensors: inputs by name, weights and states as @NAME");
  arguments.add_value("--states", flags.data.states, "@FILE.npz",
                      "States to start from: what --output wrote of a call");
  arguments.add_list("-o,--output", flags.outputs, "TARGET",
                     "Where it is written: results go to -, @file.npz, NAME=@file.npy; repeatable");
  arguments.add_value("--expect", flags.expect, "@FILE.npz",
                      "Compare the results with a reference, by name or as result0, result1, …");
  arguments.add_format_flag(flags.format, "--format", "How the report is written: differences and values");
  arguments.add_comma_list("--print-values", flags.value_names, "%VALUE,...",
                           "Print the arguments and the result of each op when it has run, or these values alone, also "
                           "in loops and in functions that are called");
  arguments.value_is_optional("--print-values", [](const std::string& word) { return word.starts_with('%'); });
  arguments.add_value("--print-iterations", flags.printed_iterations, "N",
                      "With --print-values: of each loop the first N iterations; 0: all (default: 10)");
  arguments.needs("--print-iterations", "--print-values");
  arguments.add_value("--max-trips", flags.max_trips, "N",
                      "How often a `while` may run (default: 1000000000; with --random-inputs 1048576)");
  arguments.add_choice<Precision>("--precision", flags.precision,
                                  {{"native", Precision::Native}, {"judge", Precision::Judge}},
                                  "Round each op to its dtype, or compute in f64");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, run first; passes and levels are flags too");
  add_pass_flags(arguments, flags.pass_flags);
  arguments.add_comma_list("--backend", flags.backend_names, "BACKEND,...",
                           "What computes: interp, the interpreter; torch, PyTorch the ops that it has; cpp, emitted "
                           "C++, compiled. Several are compared");
  arguments.add_comma_list("--compare", flags.compare_names, "BACKEND,...",
                           "Compute with these back ends too and compare all of them");
  arguments.value_is_optional(
      "--compare", [](const std::string& word) { return backend_named(word.substr(0, word.find(','))).has_value(); });
  arguments.add_list("--external", flags.externals, "NAME=FILE.so",
                     "What computes the segments of an external target, with --backend=cpp; repeatable");
  arguments.excludes("--compare", "--expect");
  add_memory_format_flag(arguments, flags.level);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels, with --backend=cpp: of so many bytes, of this CPU's, or of all three "
                        "widths, as mlgc compile");
  add_input_type_flag(arguments, flags.input_types);
  add_fallback_flags(arguments, flags.fallback);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  flags.compares = arguments.is_given("--compare");
  flags.prints_values = arguments.is_given("--print-values");
  if (const auto over = read_backends(arguments.console(), flags)) return *over;
  if (arguments.is_given("--format") && flags.expect.empty() && flags.others.empty() && !flags.prints_values)
    return arguments.console().report(
        diagnose<kBadFlag>({}, "--format requires --expect, --compare or --print-values", "eval"));
  if (const auto over = read_flags(arguments.console(), flags)) return *over;
  return Evaluation(arguments.console(), flags).run();
}

}  // namespace mlgc

// mlgc eval: evaluates a function of a module on given or random inputs.
#include <algorithm>
#include <map>
#include <memory>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/device_flag.h"
#include "driver/dim_flag.h"
#include "driver/emit_flags.h"
#include "driver/fallback_flag.h"
#include "driver/input_flags.h"
#include "driver/input_type_flag.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/output_flag.h"
#include "driver/pass_flags.h"
#include "driver/vector_bytes_flag.h"
#include "execution/bind_arguments.h"
#include "execution/engines.h"
#include "execution/module_data.h"
#include "execution/run_inputs.h"
#include "execution/value_printer.h"
#include "import/import_model.h"
#include "interp/function_results.h"
#include "interp/interpret_module.h"
#include "loopir/functions.h"
#include "ops/op_table.h"
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
    "  mlgc eval model.pt2 --input=@in.npz --backend=cuda -O2         the same, by nvcc, on a GPU\n"
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

bool runs_on_gpu(const EngineDef* def) { return def->target != nullptr && def->target->kind() != MachineKind::Cpu; }

// What --backend names: an engine that gives all that a call does.
const EngineDef* backend_named(std::string_view name) {
  for (const EngineDef& def : engines())
    if (def.gives_updates && def.short_name == name) return &def;
  return nullptr;
}
std::string backend_names() {
  std::string names;
  for (const EngineDef& def : engines())
    if (def.gives_updates) names += (names.empty() ? "" : "|") + std::string(def.short_name);
  return names;
}
// The default, and the reference for the others.
const EngineDef& interpreter() { return engines().front(); }

struct EvalFlags {
  std::string input, function, expect;
  std::vector<std::string> outputs, dims, backend_names, compare_names, externals;
  FallbackFlags fallback;
  InputTypeFlags input_types;
  const EngineDef* backend = &interpreter();
  LevelOptions level;          // of --backend=cpp
  VectorBytes vectors;         // of --backend=cpp
  DeviceFlag device;           // of --backend=cuda
  bool prints_values = false;  // --print-values was said
  std::vector<std::string> value_names;
  std::optional<std::uint64_t> printed_iterations, max_trips;
  std::vector<const EngineDef*> others;  // that are compared with it
  bool compares = false;                 // --compare was said
  ArgumentOptions arguments = flag_arguments();
  DataOptions data;
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

class Evaluation {
 public:
  Evaluation(const Console& console, const EvalFlags& flags)
      : console_(console), flags_(flags), context_(make_context()), diagnostics_(context_->locations(), 20) {}

  ExitCode run() {
    if (const auto failed = open_backends()) return *failed;
    Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags_.pass_flags, flags_.pipeline, context_->locations());
    if (!pipeline) return console_.report(context_->locations(), std::move(pipeline).error());
    module_ = load();
    if (!module_) return console_.report(diagnostics_);
    if (const ExitCode wrong = write_fallback_report(console_, flags_.fallback, fallback_); wrong != ExitCode::Ok)
      return wrong;
    if (!bind() || !PassManager(*context_, {.verify = verify}).run(*module_, *pipeline, diagnostics_))
      return console_.report(diagnostics_);
    if (flags_.prints_values)
      if (auto wrong = make_printer()) return console_.report(*std::move(wrong));
    const Activity evaluating("evaluating", "@" + name_);
    const std::optional<NamedTensors> outputs = evaluate(*flags_.backend, flags_.precision, 0);
    if (printer_)
      if (const Status<> written = printer_->finish(); !written)
        return console_.report(diagnose<kCannotWrite>({}, written.error()));
    if (!outputs) return console_.report(diagnostics_);
    std::vector<EngineOutputs> compared;
    for (const EngineDef* const other : flags_.others) {
      auto theirs = evaluate(*other, Precision::Native, 0);
      if (!theirs) return console_.report(diagnostics_);
      compared.push_back({other->short_name, *std::move(theirs)});
    }
    for (const auto& [def, engine] : engines_)
      if (auto note = engine->note()) diagnostics_.emit(*std::move(note));
    if (const ExitCode warned = console_.report(diagnostics_); warned != ExitCode::Ok) return warned;
    const ExitCode written = write_outputs(console_, flags_.outputs, name_, *outputs);
    if (written != ExitCode::Ok || (flags_.expect.empty() && compared.empty())) return written;
    return compare(*outputs, std::move(compared));
  }

 private:
  // Nothing, or the exit code of what was reported.
  std::optional<ExitCode> open_backends() {
    EngineSettings settings{
        .level = flags_.level, .vectors = flags_.vectors, .externals = {}, .device = flags_.device.number};
    if (!flags_.externals.empty()) {
      Result<Externals, Diagnostic> externals = Externals::load(flags_.externals, "eval");
      if (!externals) return console_.report(std::move(externals).error());
      settings.externals = *std::move(externals);
    }
    std::vector<const EngineDef*> used{&interpreter(), flags_.backend};
    used.insert(used.end(), flags_.others.begin(), flags_.others.end());
    for (const EngineDef* const def : used) {
      if (engines_.contains(def)) continue;
      auto engine = def->open(settings);
      if (!engine) return console_.report(std::move(engine).error());
      engines_.emplace(def, *std::move(engine));
    }
    return std::nullopt;
  }

  // The function, its inputs and its data: those of the module as it was given, since passes may drop and rename what
  // does not matter to them. False: an error was reported.
  bool bind() {
    const FuncRef function = choose_function(*module_, flags_.function, diagnostics_);
    if (!function.valid()) return false;
    auto inputs = bind_arguments(function, flags_.arguments, diagnostics_);
    const FunctionRanges ranges =
        inputs && inputs->sizes && flags_.data.random_seed ? value_ranges(function, *inputs->sizes) : FunctionRanges();
    auto data = load_data(*module_, flags_.data, imported_weights_, ranges, diagnostics_);
    if (!inputs || !data || !save_inputs(function, inputs->tensors, *data)) return false;
    name_ = function.name();
    names_ = names_of_results(function);
    given_ = {"", std::move(inputs->tensors), *std::move(data)};
    return true;
  }

  std::optional<Diagnostic> make_printer() {
    if (is_loop_function(find_function(*module_, name_).op()))
      return diagnose<kBadFlag>({}, "--print-values: `@" + name_ + "` is at the loop level, whose values are memory",
                                "eval");
    ValuePrinterOptions options;
    options.json = flags_.format == ReportFormat::Json;
    options.iterations = static_cast<std::int64_t>(flags_.printed_iterations.value_or(kPrintedIterations));
    options.more = " (--print-iterations)";
    options.write = [](std::string_view text) { return write_product("-", text); };
    auto made = ValuePrinter::make(*module_, flags_.value_names, options);
    if (!made) return std::move(made).error();
    printer_ = *std::move(made);
    return std::nullopt;
  }

  // At the inputs, or at a neighbour of them. Nothing when an error was reported.
  std::optional<NamedTensors> evaluate(const EngineDef& backend, Precision precision, std::uint64_t number) {
    const RunInputs moved = number == 0 ? RunInputs() : given_.near(number);
    const RunInputs& on = number == 0 ? given_ : moved;
    EngineRunOptions options{.precision = precision, .max_trips = max_trips()};
    if (&backend == flags_.backend && precision == flags_.precision && number == 0) {  // the run that is shown
      options.torch_calls = &not_checked_;
      if (printer_) options.watch = [this](InterpretOptions& run) { printer_->watch(run); };
    }
    auto outputs = engines_.at(&backend)->evaluate({*module_, name_, on.inputs, on.data}, options, diagnostics_);
    return outputs ? std::optional(name_outputs(names_, *std::move(outputs))) : std::nullopt;
  }

  // What a back end is wrong by at most on neighbours of the inputs, as far as the function takes them.
  void find_nearby_errors(const EngineDef& backend, std::vector<double>& errors) {
    for (std::uint64_t number = 1; number <= kNeighbours; ++number) {
      const auto native = evaluate(backend, Precision::Native, number);
      const auto reference = evaluate(interpreter(), Precision::F64, number);
      if (!native || !reference) return;
      for (std::size_t i = 0; i < errors.size(); ++i)
        errors[i] = std::max(errors[i], agrees((*native)[i].second, (*reference)[i].second).absolute.max);
    }
  }

  // The outputs with those of other back ends, or with a file.
  ExitCode compare(const NamedTensors& outputs, std::vector<EngineOutputs> compared) {
    const bool given_native = flags_.precision == Precision::Native;
    const std::optional<NamedTensors> native = given_native ? outputs : evaluate(*flags_.backend, Precision::Native, 0);
    if (!native) return console_.report(diagnostics_);
    const auto reference = [&] { return given_native ? evaluate(interpreter(), Precision::F64, 0) : outputs; };
    std::map<std::string_view, std::vector<double>> known;
    const NearbyErrors nearby = [&](std::string_view backend) {
      const auto [errors, is_new] = known.try_emplace(backend, native->size());
      if (is_new) find_nearby_errors(*backend_named(backend), errors->second);
      return errors->second;
    };
    if (!compared.empty()) {
      const Activity comparing("checking what the back ends computed");
      const std::optional<NamedTensors> expected = reference();
      if (!expected) return console_.report(diagnostics_);
      compared.insert(compared.begin(), {flags_.backend->short_name, *native});
      return compare_backends(console_, compared, *expected, nearby, not_checked_, flags_.format);
    }
    const Activity comparing("comparing with", flags_.expect);
    const std::optional<ExitCode> expected = compare_outputs(
        console_, flags_.expect, {flags_.backend->short_name, *native}, reference, nearby, flags_.format);
    return expected ? *expected : console_.report(diagnostics_);
  }

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
      if (is_model_file(flags_.input))
        (void)write_refused_report(console_, flags_.fallback, std::span(&flags_.input, 1), options);
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

  const Console& console_;
  const EvalFlags& flags_;
  std::shared_ptr<Context> context_;
  DiagnosticEngine diagnostics_;
  NamedTensors imported_weights_;
  FallbackLedger fallback_;
  std::map<const EngineDef*, std::unique_ptr<Engine>> engines_;  // those that are used; the interpreter always is
  std::optional<Module> module_;
  std::string name_;                // of the function
  std::vector<std::string> names_;  // of its results
  RunInputs given_;
  std::optional<ValuePrinter> printer_;
  // What is PyTorch's in every back end: its calls in the run that is shown.
  std::map<std::string, std::uint64_t> not_checked_;
};

// Which back ends, and what does not go with them.
std::optional<ExitCode> read_backends(const Console& console, EvalFlags& flags) {
  std::vector<const EngineDef*> computing, compared;
  for (const auto& [flag, names, found] : {std::tuple("--backend", &flags.backend_names, &computing),
                                           std::tuple("--compare", &flags.compare_names, &compared)})
    for (const std::string& name : *names) {
      const EngineDef* const backend = backend_named(name);
      if (backend == nullptr)
        return console.report(
            diagnose<kBadFlag>({}, std::string(flag) + ": `" + name + "` is none of " + backend_names(), "eval"));
      found->push_back(backend);
    }
  if (!computing.empty()) flags.backend = computing.front();
  compared.insert(compared.begin(), computing.begin(), computing.end());
  for (const EngineDef* const backend : compared)
    if (backend != flags.backend && std::ranges::count(flags.others, backend) == 0) flags.others.push_back(backend);
  const std::string name(flags.backend->short_name);
  const auto compiled = [](const EngineDef* def) { return !def->interprets && !runs_on_gpu(def); };
  const bool compiles = compiled(flags.backend) || std::ranges::any_of(flags.others, compiled);
  for (const auto& [flag, given] : {std::pair("--memory-format", !flags.level.memory_format.empty()),
                                    std::pair("--vector-bytes", flags.vectors.given.has_value())})
    if (given && !compiles)
      return console.report(
          diagnose<kBadFlag>({}, std::string(flag) + ": nothing is compiled without --backend=cpp", "eval"));
  if (auto wrong = check_vectors_here(flags.vectors, "eval")) return console.report(*std::move(wrong));
  if (auto wrong = read_device_flag(flags.device, "eval")) return console.report(*std::move(wrong));
  if (flags.device.kind == MLGC_CUDA && !runs_on_gpu(flags.backend) && std::ranges::none_of(flags.others, runs_on_gpu))
    return console.report(diagnose<kBadFlag>({}, "--device: nothing runs there without --backend=cuda", "eval"));
  if (flags.prints_values && !flags.backend->interprets)
    return console.report(diagnose<kFlagConflict>({}, "--backend=" + name, "--print-values"));
  if (flags.compares && flags.others.empty())
    return console.report(diagnose<kBadFlag>({}, "--compare: the results are those of `" + name + "` already", "eval"));
  if (!flags.others.empty() && !flags.expect.empty())
    return console.report(diagnose<kFlagConflict>({}, "several back ends", "--expect"));
  if (flags.backend != &interpreter() && flags.precision == Precision::F64)
    return console.report(diagnose<kFlagConflict>({}, "--backend=" + name, "--precision=f64"));
  return std::nullopt;
}

// The parts of flags that CLI11 does not split.
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
  add_module_argument(arguments, flags.input);
  add_function_flag(arguments, flags.function);
  arguments.add_list("--input", flags.arguments.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all; repeatable");
  arguments.add_value("--random-inputs", flags.arguments.random_seed, "SEED",
                      "Random values for arguments without --input; integers that index something lie within it");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE", "The size of a symbol, for values that are made up; repeatable");
  add_weight_flags(arguments, flags.data);
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
                                  {{"native", Precision::Native}, {"f64", Precision::F64}},
                                  "Round each op to its dtype, or compute in f64");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, run first; passes and levels are flags too");
  add_pass_flags(arguments, flags.pass_flags);
  arguments.add_comma_list("--backend", flags.backend_names, "BACKEND,...",
                           "What computes: interp, the interpreter; torch, PyTorch the ops that it has; cpp, emitted "
                           "C++, compiled; cuda, emitted CUDA, on a GPU. Several are compared");
  arguments.add_comma_list("--compare", flags.compare_names, "BACKEND,...",
                           "Compute with these back ends too and compare all of them");
  arguments.value_is_optional(
      "--compare", [](const std::string& word) { return backend_named(word.substr(0, word.find(','))) != nullptr; });
  arguments.add_list("--external", flags.externals, "NAME=FILE.so",
                     "What computes the segments of an external target, with --backend=cpp; repeatable");
  arguments.excludes("--compare", "--expect");
  add_memory_format_flag(arguments, flags.level);
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels, with --backend=cpp: of so many bytes, of this CPU's, or of all three "
                        "widths, as mlgc compile");
  add_device_flag(arguments, flags.device,
                  "Where it runs, with --backend=cuda: cuda or cuda:N, a GPU (default: cuda:0)");
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

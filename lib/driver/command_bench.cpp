// mlgc bench: measures a model as compiled C++ beside the interpreter and other systems.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <thread>

#include "artifact/artifact.h"
#include "bench/configuration.h"
#include "bench/launch_probe.h"
#include "bench/peer.h"
#include "bench/report.h"
#include "codegen/cuda/target.h"
#include "compile/compile_model.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "driver/compiler_flags.h"
#include "driver/device_flag.h"
#include "driver/dim_flag.h"
#include "driver/emit_flags.h"
#include "driver/input_flags.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/timing_flags.h"
#include "execution/bind_arguments.h"
#include "import/model_formats.h"
#include "interp/function_results.h"
#include "interp/interpret_module.h"
#include "ops/op_table.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/python.h"
#include "support/scratch_folder.h"
#include "transforms/level_parts.h"
#include "transforms/levels.h"

namespace mlgc {
namespace {

constexpr std::string_view kBenchExamples =
    "  mlgc bench model.pt2 --backends=cpp,eager,inductor --dim=B=1,8,64 --threads=1,2\n"
    "  mlgc bench model.pt2 --backends=cpp,cpp-ctypes,onnxruntime --format=json > report.json\n"
    "  mlgc bench model.pt2 --ablate=fusion,layout,schedule --dim=B=8       what each is worth: with it and without\n"
    "  mlgc bench model.mlir --backends=cpp,interp --random-weights=1 --dim=B=64 --plot=times.svg\n"
    "  mlgc bench model.pt2 --backends=cuda,eager,inductor --device=cuda:0  on a GPU: the model by nvcc, and PyTorch\n"
    "Backends: cpp (compiled, called with memory of the caller), cuda (the same on a GPU), interp,\n"
    "cpp-ctypes (cpp, called from Python), eager, torchscript, aot_eager, inductor, onnxruntime, openvino. Each of "
    "the\n"
    "last seven is a Python process of its own.\n";

struct BenchFlags {
  EmitFlags emit;
  CompilerFlags compilers;
  std::string function, python, plot, min_time = "0.3";
  std::vector<std::string> backends{"cpp", "eager"}, threads{"1"}, dims;
  std::vector<std::string> inputs, ablated;
  std::size_t seed = 1;
  ReportFormat format = ReportFormat::Text;

  // What the texts above mean.
  bool named = false;  // --backends was given
  std::vector<std::int32_t> thread_counts;
  std::vector<std::vector<SizeBinding>> choices{{}};  // of sizes
  double seconds = 0;
  DeviceFlag device;
  bool copy_weights = false;
  std::string_view compiled = bench::kCompiled;  // what the compiled model is called
  std::string compiler;                          // of its source; empty: the usual one
};

using Clock = std::chrono::steady_clock;

// Since the time before, which becomes now.
double lap(Clock::time_point& before) {
  const auto now = Clock::now();
  return std::chrono::duration<double>(now - std::exchange(before, now)).count();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t comma = 0; comma != std::string_view::npos; text.remove_prefix(comma + 1)) {
    comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
  return parts;
}

// `--dim=B=1,8 --dim=S=16,32`: four choices, each with one size for B and one for S.
std::optional<Diagnostic> read_choices(BenchFlags& flags) {
  for (const std::string& text : flags.dims) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    std::vector<std::vector<SizeBinding>> longer;
    for (const std::vector<SizeBinding>& choice : flags.choices)
      for (const std::string& size : split(std::string_view(text).substr(std::min(equals + 1, text.size())))) {
        std::vector<std::string> texts;
        for (const SizeBinding& dim : choice) texts.push_back(dim.name + "=" + std::to_string(dim.size));
        texts.push_back(equals == text.size() ? text : name + "=" + size);
        std::vector<SizeBinding> dims;
        if (auto wrong = read_dim_flags(texts, "bench", dims)) return wrong;
        longer.push_back(std::move(dims));
      }
    flags.choices = std::move(longer);
  }
  return std::nullopt;
}

// --ablate: each of these parts is left out by itself, and all of them together.
std::optional<Diagnostic> read_ablated(BenchFlags& flags) {
  std::vector<std::string_view> names;
  for (const LevelPart& part : level_parts()) names.push_back(part.name);
  for (const std::string& name : flags.ablated) {
    if (find_level_part(name) == nullptr) {
      Diagnostic diagnostic = diagnose<kBadFlag>({}, "--ablate: there is no `" + name + "` to leave out", "bench");
      if (const auto best = closest_name(name, names))
        diagnostic.add_note<kDidYouMean>({}, *best);
      else
        diagnostic.add_note<kKnownNames>({}, std::vector<std::string>(names.begin(), names.end()));
      return diagnostic;
    }
    if (std::ranges::count(flags.ablated, name) != 1)
      return diagnose<kBadFlag>({}, "--ablate: `" + name + "` is given twice", "bench");
  }
  if (flags.ablated.empty()) return std::nullopt;
  if (!flags.named) flags.backends = {std::string(bench::kCompiled)};
  if (std::ranges::count(flags.backends, bench::kCompiled) == 0)
    return diagnose<kBadFlag>({}, "--ablate: nothing is compiled without the back end `cpp`", "bench");
  const bool scheduled = std::ranges::count(flags.ablated, "schedule") == 0;
  if (!flags.emit.level.decisions.empty() && !scheduled)
    return diagnose<kFlagConflict>({}, "--ablate=schedule", "--decisions");
  return std::nullopt;
}

// --device, and the back end that says it: what is compiled, and for what.
std::optional<Diagnostic> read_device(BenchFlags& flags) {
  if (auto wrong = read_device_flag(flags.device, "bench")) return wrong;
  const bool has_gpu = std::ranges::count(flags.backends, bench::kCompiledForGpu) != 0;
  if (!has_gpu && flags.device.kind != MLGC_CUDA) return std::nullopt;
  if (has_gpu && flags.device.text == "cpu") return diagnose<kFlagConflict>({}, "--backends=cuda", "--device=cpu");
  flags.device.kind = MLGC_CUDA;
  flags.compiled = bench::kCompiledForGpu;
  flags.emit.emit.target = &kCudaTarget;
  flags.emit.emit.arch = "native";
  if (!flags.named) flags.backends = {std::string(bench::kCompiledForGpu), "eager"};
  if (std::ranges::count(flags.backends, bench::kCompiled) != 0)
    return diagnose<kBadFlag>({}, "--backends: `cpp` runs on the CPU; on a GPU it is `cuda`", "bench");
  return std::nullopt;
}

std::optional<Diagnostic> read_flags(BenchFlags& flags) {
  const auto wrong = [](const std::string& what) { return diagnose<kBadFlag>({}, what, "bench"); };
  if (auto bad = read_device(flags)) return bad;
  const std::string device = flags.device.kind == MLGC_CUDA ? "--device=cuda" : "--device=cpu";
  if (auto bad = read_compiler_flags(flags.compilers, *flags.emit.emit.target, device, flags.compiler)) return bad;
  if (auto bad = read_ablated(flags)) return bad;
  for (const std::string& backend : flags.backends) {
    const bool known =
        backend == flags.compiled || backend == bench::kInterpreter || std::ranges::count(bench::kPeers, backend) != 0;
    if (!known) return wrong("--backends: `" + backend + "` is no backend");
    if (std::ranges::count(flags.backends, backend) != 1) return wrong("--backends: `" + backend + "` is given twice");
  }
  if (std::ranges::count(flags.backends, bench::kPeers[0]) != 0 &&
      std::ranges::count(flags.backends, bench::kCompiled) == 0)
    return wrong("--backends: `cpp-ctypes` calls what `cpp` compiles: give both");
  for (const std::string& text : flags.threads) {
    std::int32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > kMostTimedThreads)
      return wrong("--threads: `" + text + "` is not a number of threads");
    flags.thread_counts.push_back(count);
  }
  if (auto bad = read_min_time(flags.min_time, "bench", flags.seconds)) return bad;
  if (auto bad = read_choices(flags)) return bad;
  if (flags.python.empty()) flags.python = default_python();
  if (flags.emit.vectors.given && std::ranges::count(flags.backends, bench::kCompiled) == 0)
    return wrong("--vector-bytes: nothing is compiled without the back end `cpp`");
  if (auto bad = check_vectors_here(flags.emit.vectors, "bench")) return bad;
  return read_emit_flags(flags.emit, "bench");
}

std::string cpu_name() {
  const Result<std::string> text = read_file("/proc/cpuinfo");
  if (!text) return "unknown CPU";
  const std::size_t start = text->find("model name");
  const std::size_t colon = text->find(':', start);
  if (start == std::string::npos || colon == std::string::npos) return "unknown CPU";
  return text->substr(colon + 2, text->find('\n', colon) - colon - 2);
}

class Bench {
 public:
  Bench(const Console& console, const BenchFlags& flags)
      : console_(console), flags_(flags), context_(make_context()), diagnostics_(context_->locations(), 20) {}

  ExitCode run() {
    Result<ScratchFolder> folder = ScratchFolder::make("mlgc-bench-");
    if (!folder) return console_.report(diagnose<kCannotWrite>({}, folder.error()));
    auto now = Clock::now();
    ModuleData data;
    std::optional<Module> module = load_from_flags(flags_.emit, context_, &data, diagnostics_);
    import_ = lap(now);
    if (!module) return console_.report(diagnostics_);
    const FuncRef function = choose_function(*module, flags_.function, diagnostics_);
    if (!function.valid()) return console_.report(diagnostics_);
    // Inputs first: what is wrong with them needs no compiler.
    std::vector<bench::ConfigurationTask> tasks;
    for (const std::vector<SizeBinding>& choice : flags_.choices) {
      std::optional<bench::ConfigurationTask> task = task_of(*module, data, function, choice, folder->path());
      if (!task) return console_.report(diagnostics_);
      tasks.push_back(*std::move(task));
    }
    bench::BenchReport report;
    report.model = flags_.emit.input;
    report.function = function.name();
    report.numerics = numerics_name(flags_.emit.numerics);
    report.version = MLGC_VERSION;
    report.cpu = cpu_name() + (on_gpu() ? ", on cuda:" + std::to_string(flags_.device.number) : "");
    report.cores = std::thread::hardware_concurrency();
    if (std::ranges::count(flags_.backends, flags_.compiled) != 0 && !compile(*module, data, *folder, report))
      return console_.report(diagnostics_);
    std::optional<bench::LimitProbe> probe;
    if (!on_gpu()) {
      auto made = bench::LimitProbe::make(flags_.compiler, diagnostics_);
      if (!made) return console_.report(std::move(made).error());
      probe = *std::move(made);
    }
    Activity measuring("measuring", report.model);
    measuring.does(tasks.size() * flags_.thread_counts.size(), "configuration");
    for (bench::ConfigurationTask& task : tasks)
      for (const std::int32_t threads : flags_.thread_counts) {
        task.threads = threads;
        task.artifact = artifact_;
        task.symbol = symbol_;
        task.compile_seconds = report.compile ? report.compile->total() : 0;
        task.variants = variants_;
        task.launch_probe = launch_probe_;
        measuring.next();
        auto measured = bench::measure_configuration(task, probe ? &*probe : nullptr);
        if (!measured) return console_.report(std::move(measured).error());
        report.configurations.push_back(*std::move(measured));
      }
    if (const ExitCode warned = console_.report(diagnostics_); warned != ExitCode::Ok) return warned;
    return write(report);
  }

 private:
  std::optional<bench::ConfigurationTask> task_of(const Module& module, const ModuleData& data, FuncRef function,
                                                  const std::vector<SizeBinding>& choice, const std::string& folder) {
    ArgumentOptions arguments = flag_arguments();
    arguments.inputs = flags_.inputs;
    arguments.dims = choice;
    arguments.random_seed = flags_.seed;
    auto inputs = bind_arguments(function, arguments, diagnostics_);
    if (!inputs) return std::nullopt;
    bench::ConfigurationTask task;
    for (const SizeBinding& dim : choice) task.sizes.emplace_back(dim.name, dim.size);
    for (std::size_t i = 0; i < inputs->tensors.size(); ++i)
      task.inputs.emplace_back(argument_name(function, i), inputs->tensors[i]);
    task.backends = flags_.backends;
    task.compiled = flags_.compiled;
    task.device = flags_.device.number;
    task.copy_weights = flags_.copy_weights;
    task.function = function.name();
    const auto copy = std::make_shared<Module>(module);  // passes change the other one
    task.interpret = [copy, &data, name = task.function, tensors = inputs->tensors] {
      auto outputs = interpret(*copy, name, tensors, data);
      return outputs ? Result<std::vector<Tensor>>(std::move(outputs->results))
                     : Result<std::vector<Tensor>>(Failure{outputs.error().message()});
    };
    task.interpret_prepare = import_;
    if (model_format_of(flags_.emit.input) == &exported_format()) task.model_file = flags_.emit.input;
    task.python = flags_.python;
    task.folder = folder;
    task.measure.seconds = flags_.seconds;
    return task;
  }

  // The model, and where parts are left out, in each of these ways too.
  bool compile(Module& module, const ModuleData& data, const ScratchFolder& folder, bench::BenchReport& report) {
    bench::CompileTimes times;
    times.import = import_;
    auto now = Clock::now();
    if (!run_flag_passes(module, flags_.emit, diagnostics_)) return false;
    times.passes = lap(now);
    std::vector<std::vector<std::string>> ways;
    for (const std::string& part : flags_.ablated) ways.push_back({part});
    if (flags_.ablated.size() > 1) ways.push_back(flags_.ablated);
    for (const std::vector<std::string>& without : ways) {
      bench::CompileTimes taken = times;
      LevelOptions level = flags_.emit.level;
      level.without = without;
      const std::string name = std::string(bench::kCompiled) + " without " +
                               (without.size() == 1   ? without.front()
                                : without.size() == 2 ? "both"
                                                      : "all " + std::to_string(without.size()));
      const std::string path = folder.file("without" + std::to_string(variants_.size()) + ".mlgcx");
      Module copy(module);
      if (!compile_to(path, copy, data, level, taken, nullptr)) return false;
      variants_.push_back({name, path, taken.total()});
    }
    if (!ways.empty() && !compile_launch_probe(folder)) return false;
    artifact_ = folder.file("model.mlgcx");
    if (!compile_to(artifact_, module, data, flags_.emit.level, times, &report)) return false;
    report.compile = times;
    return true;
  }

  bool compile_launch_probe(const ScratchFolder& folder) {
    launch_probe_ = folder.file("launches.mlgcx");
    const SourceFile& file = context_->locations().add_source("launches.mlir", bench::launch_probe_text());
    std::optional<Module> module = load_module(context_, file, diagnostics_);
    MLGC_ASSERT(module.has_value(), "a probe that is no module");
    state_vectors(flags_.emit.vectors, *module);
    LevelOptions level;
    level.without = {"fusion"};
    bench::CompileTimes times;
    return compile_to(launch_probe_, *module, {}, level, times, nullptr);
  }

  // Lowers the module and writes what is compiled of it; the report, where there is one, gets how.
  bool compile_to(const std::string& path, Module& module, const ModuleData& data, const LevelOptions& level,
                  bench::CompileTimes& times, bench::BenchReport* report) {
    auto now = Clock::now();
    if (!lower_for(*flags_.emit.emit.target, module, flags_.emit.numerics, diagnostics_, level)) return false;
    times.lowering = lap(now);
    auto emitted = emit_model(module, data, flags_.emit.emit);
    if (!emitted) return failed(std::move(emitted).error());
    times.emission = lap(now);
    CompileOptions options;
    options.compiler = flags_.compiler;
    options.vector_bytes = flags_.emit.vectors.bytes();
    options.use_cache = false;
    auto unit = compile_emitted(*emitted, options, diagnostics_);
    if (!unit) return failed(std::move(unit).error());
    times.host_compiler = lap(now);
    ArtifactRequest request;
    request.unit = &*unit;
    request.symbol = emitted->source.symbol;
    request.numerics = numerics_name(flags_.emit.numerics);
    request.weights = emitted->weights;
    if (Status<Diagnostic> written = write_artifact(path, request); !written) return failed(written.error());
    now = Clock::now();
    auto files = open_artifact(path);
    if (!files) return failed(std::move(files).error());
    auto loaded = Model::load(*files, {.device = flags_.device.number});
    if (!loaded) return failed(std::move(loaded).error());
    times.load = lap(now);
    if (report == nullptr) return true;
    symbol_ = request.symbol;
    report->vector_bytes = loaded->abi().vector_bytes(loaded->program());
    report->host_compiler = unit->compiler;
    return true;
  }

  [[nodiscard]] bool on_gpu() const { return flags_.device.kind == MLGC_CUDA; }

  bool failed(Diagnostic diagnostic) {
    diagnostics_.emit(std::move(diagnostic));
    return false;
  }

  ExitCode write(const bench::BenchReport& report) {
    const bool json = flags_.format == ReportFormat::Json;
    Status<> written = write_product("-", json ? bench::report_json(report) : bench::report_text(report));
    if (written && !flags_.plot.empty()) written = write_product(flags_.plot, bench::report_plot(report));
    if (!written) return console_.report(diagnose<kCannotWrite>({}, written.error()));
    std::vector<std::string> missing;
    for (const bench::Configuration& configuration : report.configurations)
      for (const bench::BackendRow& row : configuration.rows)
        if (!row.measured && std::ranges::count(missing, row.name) == 0) missing.push_back(row.name);
    // Those that are there by default may be missing: they were not asked for.
    if (missing.empty() || !flags_.named) return ExitCode::Ok;
    return console_.report(diagnose<kBackendsNotRun>({}, std::move(missing)));
  }

  const Console& console_;
  const BenchFlags& flags_;
  std::shared_ptr<Context> context_;
  DiagnosticEngine diagnostics_;
  double import_ = 0;
  std::string artifact_, symbol_, launch_probe_;
  std::vector<bench::CompiledVariant> variants_;
};

}  // namespace

ExitCode run_bench(const Words& words) {
  Arguments arguments("bench", "Measures a model: compiled, interpreted, and in other systems, side by side.",
                      kBenchExamples);
  BenchFlags flags;
  add_emit_flags(arguments, flags.emit);
  add_level_flags(arguments, flags.emit.level);
  flags.emit.vectors.fallback = kNativeVectors;
  add_vector_bytes_flag(arguments, flags.emit.vectors,
                        "The vectors of kernels, of cpp and cpp-ctypes: of so many bytes, of this CPU's, or of all "
                        "three widths, as mlgc compile");
  add_function_flag(arguments, flags.function);
  arguments.add_comma_list("--backends", flags.backends, "NAME,...", "What to measure (default: cpp,eager)");
  std::string parts;
  for (const LevelPart& part : level_parts())
    parts += (parts.empty() ? "" : "; ") + std::string(part.name) + ": " + std::string(part.summary);
  arguments.add_comma_list("--ablate", flags.ablated, "PART,...",
                           "Also measure the model compiled without each of these, and without all (" + parts + ")");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE,...",
                     "The size of a symbol, or several: one measurement for each; repeatable: for each combination");
  arguments.add_comma_list("--threads", flags.threads, "N,...",
                           "Threads that compute, one measurement for each number (default: 1)");
  arguments.add_list("--input", flags.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all; the others are random; repeatable");
  arguments.add_value("--seed", flags.seed, "N", "Of what is random: inputs (default: 1)");
  arguments.add_value("--min-time", flags.min_time, "SECONDS", "How long is timed: each back end (default: 0.3)");
  add_compiler_flags(arguments, flags.compilers);
  arguments.add_value("--python", flags.python, "COMMAND",
                      "The Python that has the other systems (default: MLGC_PYTHON, .venv, python3)");
  arguments.add_value("--plot", flags.plot, "FILE.svg", "Also draw the times");
  arguments.add_flag("--copy-weights", flags.copy_weights,
                     "Copy weights into huge pages, those of compiled models, as with mlgc run --copy-weights");
  add_device_flag(arguments, flags.device,
                  "Where it runs: cpu (default), or cuda or cuda:N, a GPU, where cpp is called cuda");
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  flags.named = arguments.is_given("--backends");
  if (auto wrong = read_flags(flags)) return console.report(*std::move(wrong));
  return Bench(console, flags).run();
}

}  // namespace mlgc

// mlgc run: runs a compiled model on given or random inputs.
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "artifact/model.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/device_flag.h"
#include "driver/input_flags.h"
#include "driver/load.h"
#include "driver/log.h"
#include "driver/output_flag.h"
#include "driver/vector_bytes_flag.h"
#include "execution/bind_arguments.h"
#include "interp/function_results.h"
#include "ops/op_table.h"
#include "support/activity.h"
#include "tensor/npz.h"

namespace mlgc {
namespace {

constexpr std::string_view kRunExamples =
    "  mlgc run model.mlgcx --list                                    what it is, what it takes, and its program\n"
    "  mlgc run model.mlgcx --input=x=@x.npy --output=y=@y.npy\n"
    "  mlgc run model.mlgcx --input=@in.npz --output=@out.npz --threads=2\n"
    "  mlgc run model.mlgcx --dim=B=8 --random-inputs=1 --log=ops     each kernel with its time\n"
    "  mlgc run model.mlgcx --input=@in.npz --external=accel=./libaccel.so\n"
    "  mlgc run model.mlgcx --input=@in.npz --device=cuda:1           of --target=cuda, on the second GPU\n"
    "  mlgc run step.mlgcx --states=@out.npz --input=@in.npz --output=@out.npz\n"
    "Inputs: [NAME=][SHAPE][=VALUE], as for mlgc eval. Running a model is running a program: it holds machine code.\n";

struct RunFlags : InputFlags {
  std::string path;
  std::vector<std::string> outputs, externals;
  std::size_t threads = 0;
  std::optional<std::uint64_t> memory_limit;
  VectorBytes vectors{.given = {}, .fallback = kAllVectors};
  DeviceFlag device;
  bool list = false, memory = false, log_ops = false, copy_weights = false;
  ReportFormat format = ReportFormat::Text;
};

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

// `func @f(%x: T) -> (y: T) where … updates (@s)`.
std::string signature_text(const ManifestFunction& function) {
  std::vector<std::string> inputs;
  std::vector<std::string> results;
  std::vector<std::string> updates;
  for (const ManifestValue& input : function.inputs) inputs.push_back("%" + input.name + ": " + input.type());
  for (const ManifestValue& output : function.outputs)
    if (output.updates.empty())
      results.push_back(output.name + ": " + output.type());
    else
      updates.push_back((output.updates.starts_with('@') ? "" : "%") + output.updates);
  std::string text = "func @" + function.name + "(" + listed(inputs) + ") -> (" + listed(results) + ")";
  if (!function.where().empty()) text += " where " + function.where();
  if (!updates.empty()) text += " updates (" + listed(updates) + ")";
  return text;
}

// `x: [B]x8xf32, w: 8x8xf32 -> y: [B]x8xf32`.
std::string operands_text(const ManifestLaunch& launch) {
  std::vector<std::string> read;
  std::vector<std::string> written;
  for (std::size_t i = 0; i < launch.operands.size(); ++i) {
    const ManifestValue& value = launch.operands[i];
    std::string text = value.name.empty() ? "" : value.name + ": ";
    for (const std::string& dim : value.dims) text += dim + "x";
    text += dtype_info(value.dtype).name;
    (i + launch.written < launch.operands.size() ? read : written).push_back(std::move(text));
  }
  return listed(read) + (read.empty() ? "-> " : " -> ") + listed(written);
}

// The launches in the order of the program. Where external targets compute some, what they do not take is fallback.
std::string program_text(const ManifestFunction& function) {
  const auto is_external = [](const ManifestLaunch& launch) { return !launch.target.empty(); };
  const auto externals = std::ranges::count_if(function.launches, is_external);
  std::string text;
  for (std::size_t i = 0; i < function.launches.size(); ++i) {
    const ManifestLaunch& launch = function.launches[i];
    text += "  " + std::to_string(i) + " ";
    if (!launch.within.empty()) text += "in " + launch.within + ": ";
    text += is_external(launch) ? "external " + launch.target : externals > 0 ? "kernel (fallback)" : "kernel";
    text += " @" + launch.name;
    if (!launch.operands.empty()) text += "  " + operands_text(launch);
    if (!launch.ops.empty()) text += "  [" + listed(launch.ops) + "]";
    text += "\n";
  }
  if (externals > 0)
    text += "  " + std::to_string(function.launches.size()) + " launches: " + std::to_string(externals) +
            " of external targets, " +
            std::to_string(static_cast<std::ptrdiff_t>(function.launches.size()) - externals) +
            " kernels that no target takes\n";
  return text;
}

std::string list_text(const Manifest& manifest) {
  std::string text = manifest.name + ": " + manifest.target + " for " + manifest.architecture;
  if (!manifest.cpu_features.empty()) text += " with " + listed(manifest.cpu_features);
  text += ", numerics " + manifest.numerics + "\n";
  text += "compiled by mlgc " + manifest.mlgc + " with " + manifest.compiler + "\n  " + manifest.flags + "\n";
  for (const ManifestFile& file : manifest.files) text += file.name + ": " + std::to_string(file.bytes) + " bytes\n";
  for (const ManifestValue& state : manifest.states) text += "state @" + state.name + ": " + state.type() + "\n";
  if (!manifest.externals.empty()) text += "external targets: " + listed(manifest.externals) + "\n";
  for (const ManifestFunction& function : manifest.functions)
    text += signature_text(function) + "\n" + program_text(function);
  return text;
}

// The signatures as a module: what inputs a function takes is then checked and made up as for any other.
std::optional<Module> signature_module(const std::shared_ptr<Context>& context, const ArtifactFiles& files,
                                       DiagnosticEngine& diagnostics) {
  std::string text = "module {\n";
  for (const ManifestFunction& function : files.manifest.functions) {
    std::vector<std::string> inputs;
    for (const ManifestValue& input : function.inputs) inputs.push_back("%" + input.name + ": " + input.type());
    text += "func @" + function.name + "(" + listed(inputs) + ")";
    if (!function.where().empty()) text += " where " + function.where();
    text += " {\nreturn\n}\n";
  }
  text += "}\n";
  const SourceFile& source = context->locations().add_source(files.path + "/manifest.json", std::move(text));
  return load_module(context, source, diagnostics, {.verify = false});
}

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

void log_launch(const mlgc_launch_event& event) {
  const double nanoseconds = std::max(1.0, static_cast<double>(event.nanoseconds));
  std::string text = "mlgc: @" + std::string(event.function) + " " + std::to_string(event.number) + " " + event.kernel +
                     (event.target != nullptr ? " by " + std::string(event.target) : "") + ": " +
                     decimal(nanoseconds / 1000, 1) + " us";
  const auto add = [&](std::int64_t count, const std::string& unit, const std::string& rate) {
    if (count >= 0)
      text += ", " + std::to_string(count) + " " + unit + " (" + decimal(static_cast<double>(count) / nanoseconds, 2) +
              " " + rate + ")";
  };
  add(event.bytes, "bytes", "GB/s");
  add(event.flops, "FLOP", "GFLOP/s");
  for (std::int32_t i = 0; i < event.operand_count; ++i) {
    const mlgc_tensor& tensor = event.operands[i];
    const bool first_written = i == event.operand_count - event.written_count;
    text += i == 0 ? (first_written ? "; -> " : "; ") : first_written ? " -> " : ", ";
    for (std::int32_t axis = 0; axis < tensor.rank; ++axis) text += std::to_string(tensor.sizes[axis]) + "x";
    text += dtype_info(static_cast<Dtype>(tensor.dtype)).name;
  }
  write_talk(text + "\n");
}

void report_memory(const mlgc_memory& memory, bool copied) {
  const auto bytes = [](std::int64_t count) { return std::to_string(count) + " bytes"; };
  write_talk("mlgc: temporaries: " + bytes(memory.arena_planned) + " planned, " + bytes(memory.arena_touched) +
             " touched; scratch " + bytes(memory.scratch_held) + ", states " + bytes(memory.states) + ", outputs " +
             bytes(memory.pool_held) + ", weights " + bytes(memory.weights) + (copied ? " copied\n" : " mapped\n"));
}

class Run {
 public:
  Run(const Console& console, const RunFlags& flags)
      : console_(console), flags_(flags), context_(make_context()), diagnostics_(context_->locations(), 20) {}

  ExitCode run() {
    Result<ArtifactFiles, Diagnostic> files = open_artifact(flags_.path);
    if (!files) return console_.report(std::move(files).error());
    log_info("opened " + flags_.path);
    if (flags_.list) {
      const bool json = flags_.format == ReportFormat::Json;
      const Status<> written = write_product("-", json ? print_manifest(files->manifest) : list_text(files->manifest));
      return written ? ExitCode::Ok : console_.report(diagnose<kCannotWrite>({}, written.error()));
    }
    if (auto wrong = check_device(files->manifest)) return console_.report(*std::move(wrong));
    const std::optional<Module> module = signature_module(context_, *files, diagnostics_);
    if (!module) return console_.report(diagnostics_);
    const FuncRef function = choose_function(*module, flags_.function, diagnostics_);
    if (!function.valid()) return console_.report(diagnostics_);
    const auto inputs = bind_arguments(function, flags_.arguments, diagnostics_);
    if (!inputs) return console_.report(diagnostics_);
    if (const ExitCode warned = console_.report(diagnostics_); warned != ExitCode::Ok) return warned;

    Result<Externals, Diagnostic> externals = Externals::load(flags_.externals, "run");
    if (!externals) return console_.report(std::move(externals).error());
    Result<Model, Diagnostic> model =
        Model::load(*files, {flags_.vectors.bytes(), flags_.device.number, *std::move(externals), flags_.copy_weights});
    if (!model) return console_.report(std::move(model).error());
    ModelContextOptions options;
    options.threads =
        static_cast<std::int32_t>(std::min<std::size_t>(flags_.threads, std::numeric_limits<std::int32_t>::max()));
    options.measure_arena = flags_.memory;
    options.memory_limit = static_cast<std::int64_t>(
        std::min<std::uint64_t>(flags_.memory_limit.value_or(0), std::numeric_limits<std::int64_t>::max()));
    if (flags_.log_ops) options.log = log_launch;
    Result<ModelContext, Diagnostic> context = ModelContext::make(*model, options);
    if (!context) return console_.report(std::move(context).error());
    log_info("loaded @" + std::string(function.name()));
    if (const ExitCode wrong = set_states(files->manifest, *context); wrong != ExitCode::Ok) return wrong;
    const std::string name(function.name());
    const auto number =
        static_cast<std::size_t>(std::ranges::find(files->manifest.functions, name, &ManifestFunction::name) -
                                 files->manifest.functions.begin());
    const Activity running("running", "@" + name);
    Result<std::vector<Tensor>, Diagnostic> results = context->run(static_cast<std::int32_t>(number), inputs->tensors);
    if (!results) return console_.report(std::move(results).error());
    log_info("ran @" + name);
    if (flags_.memory) report_memory(context->memory(), flags_.copy_weights);
    return write_outputs(
        console_, flags_.outputs, name,
        named_results(files->manifest, files->manifest.functions[number], *std::move(results), *context));
  }

 private:
  // What was said of devices and does not fit the model.
  [[nodiscard]] std::optional<Diagnostic> check_device(const Manifest& manifest) const {
    const std::int32_t kind = manifest.target == "cuda" ? MLGC_CUDA : MLGC_CPU;
    if (!flags_.device.text.empty() && flags_.device.kind != kind)
      return diagnose<kOtherDevice>({}, flags_.device.text, flags_.path,
                                    kind == MLGC_CUDA ? "GPUs (--target=cuda)" : "the CPU (--target=cpp)");
    if (kind != MLGC_CPU && flags_.vectors.given)
      return diagnose<kFlagConflict>({}, "--vector-bytes", "a model for GPUs");
    return std::nullopt;
  }

  // From the file that an earlier call wrote; every other state starts as the model says.
  ExitCode set_states(const Manifest& manifest, ModelContext& context) {
    if (flags_.states.empty()) return ExitCode::Ok;
    const Result<NamedTensors> file = read_npz(flags_.states);
    if (!file) return console_.report(diagnose<kCannotRead>({}, file.error()));
    bool any = false;
    for (std::size_t i = 0; i < manifest.states.size(); ++i)
      for (const auto& [name, tensor] : *file) {
        if (name != "@" + manifest.states[i].name) continue;
        any = true;
        if (Status<Diagnostic> status = context.set_state(static_cast<std::int32_t>(i), tensor); !status)
          return console_.report(status.error());
      }
    return any ? ExitCode::Ok : console_.report(diagnose<kNoSuchState>({}, flags_.states));
  }

  static NamedTensors named_results(const Manifest& manifest, const ManifestFunction& function,
                                    std::vector<Tensor> results, const ModelContext& context) {
    Outputs outputs;
    std::vector<std::string> names;
    std::size_t next = 0;
    for (const ManifestValue& output : function.outputs) {
      if (output.updates.starts_with('@')) {
        const auto state = std::ranges::find(manifest.states, output.updates.substr(1), &ManifestValue::name);
        outputs.updates.emplace_back(output.updates,
                                     context.state(static_cast<std::int32_t>(state - manifest.states.begin())));
      } else if (!output.updates.empty()) {
        outputs.updates.emplace_back("%" + output.updates, std::move(results[next++]));
      } else {
        names.push_back(output.name);
        outputs.results.push_back(std::move(results[next++]));
      }
    }
    return name_outputs(names, std::move(outputs));
  }

  const Console& console_;
  const RunFlags& flags_;
  std::shared_ptr<Context> context_;
  DiagnosticEngine diagnostics_;
};

}  // namespace

ExitCode run_run(const Words& words) {
  Arguments arguments("run", "Runs a compiled model.", kRunExamples);
  RunFlags flags;
  arguments.add_positional("model", flags.path, "MODEL", "What mlgc compile wrote: a folder or a file", true);
  add_input_flags(arguments, flags);
  arguments.add_list("-o,--output", flags.outputs, "TARGET",
                     "Where it is written: results go to -, @file.npz, NAME=@file.npy; repeatable");
  arguments.add_list("--external", flags.externals, "NAME=FILE.so",
                     "What computes the segments of an external target; repeatable");
  arguments.add_value("--threads", flags.threads, "N", "Threads that compute (default: one for each core)");
  arguments.add_value("--memory-limit", flags.memory_limit, "BYTES",
                      "What the temporaries of a call may take, as 64MiB, with scratch and outputs; a call that takes "
                      "more is refused (exit code 5)");
  add_vector_bytes_flag(arguments, flags.vectors,
                        "The vectors of kernels: of so many bytes, of this CPU's, or of all widths that the model has: "
                        "the widest that run here");
  add_device_flag(arguments, flags.device,
                  "Where it runs: cpu, cuda or cuda:N, as the model was compiled for (default: cuda:0 of GPUs)");
  arguments.add_flag("--copy-weights", flags.copy_weights,
                     "Copy weights into huge pages, where the system has some, instead of mapping their file: large "
                     "ones are then read faster");
  arguments.add_flag("--memory", flags.memory, "Say what the call took of memory, on standard error");
  arguments.add_flag("--list", flags.list, "Describe the model instead of running it");
  arguments.add_format_flag(flags.format, "--format", "How the report is written: that of --list");
  arguments.needs("--format", "--list");
  arguments.add_diagnostic_flags(&flags.log_ops);
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = read_input_flags(flags, "run")) return console.report(*std::move(wrong));
  if (auto wrong = read_device_flag(flags.device, "run")) return console.report(*std::move(wrong));
  if (flags.outputs.empty()) flags.outputs.emplace_back("-");
  return Run(console, flags).run();
}

}  // namespace mlgc

// See emit_flags.h.
#include "driver/emit_flags.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "diag/kinds_codegen.h"
#include "diag/kinds_driver.h"
#include "driver/dim_flag.h"
#include "driver/load.h"
#include "driver/machine_flag.h"
#include "driver/model_flags.h"
#include "driver/pass_flags.h"
#include "driver/target_flag.h"
#include "import/link_models.h"
#include "ir/structural_hash.h"
#include "loopir/functions.h"
#include "loopir/module_machine.h"
#include "memory/memory_limits.h"
#include "ops/op_sizes.h"
#include "schedule/channels_last.h"
#include "support/byte_size.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/sha256.h"
#include "transforms/levels.h"

namespace mlgc {

void add_emit_flags(Arguments& arguments, EmitFlags& flags, bool several) {
  if (several)
    arguments.add_positional("module", flags.inputs, "FILE...",
                             "Text of a module, or a model file; - or nothing: standard input. Several become one: "
                             "functions are called after their files, equal weights and states are shared");
  else
    add_module_argument(arguments, flags.input);
  add_weight_flags(arguments, flags.data);
  add_input_type_flag(arguments, flags.input_types);
  add_numerics_flag(arguments, flags.numerics);
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT",
                      "Passes, run first, instead of -O2; passes and levels are flags too");
  add_pass_flags(arguments, flags.pass_flags);
  add_machine_flag(arguments, flags.machine);
}

void add_target_flags(Arguments& arguments, EmitFlags& flags) {
  add_target_flag(arguments, flags.emit.target);
  arguments.add_value("--arch", flags.arch, "NAME",
                      "With --target=cuda, the GPU that it is for: sm_90, sm_90a, or native, those of this machine");
}

void add_memory_format_flag(Arguments& arguments, LevelOptions& flags) {
  std::vector<std::pair<std::string_view, std::string>> names;
  for (const std::string_view name : kMemoryFormatNames) names.emplace_back(name, name);
  arguments.add_choice<std::string>(
      "--memory-format", flags.memory_format, names,
      "How what lies between convolutions is laid out: contiguous (NCHW, the default), channels_last (NHWC), or "
      "auto: whichever is predicted to take less. Inputs and results stay as they are");
}

void add_level_flags(Arguments& arguments, LevelOptions& flags) {
  arguments.add_value("--decisions", flags.decisions, "FILE",
                      "What mlgc tune measured: the strategies of single kernels");
  add_memory_format_flag(arguments, flags);
}

void add_limit_flags(Arguments& arguments, EmitFlags& flags) {
  arguments.add_value("--memory-limit", flags.limit_text, "BYTES",
                      "What the temporaries of a call may take, as 64MiB; a plan that takes more is refused (exit code "
                      "5). Symbols count with --dim, or the upper ends of their ranges");
  arguments.add_list("--dim", flags.limit_dims, "NAME=SIZE", "The size of a symbol, with --memory-limit; repeatable");
  arguments.needs("--dim", "--memory-limit");
}

Result<std::int64_t, Diagnostic> read_limit(const std::string& text, const std::string& command) {
  if (const auto bytes = read_byte_size(text)) return *bytes;
  return Failure{diagnose<kBadFlag>({}, "--memory-limit: `" + text + "` is not a number of bytes, as 64MiB", command)};
}

std::optional<Diagnostic> read_emit_flags(EmitFlags& flags, const std::string& command) {
  if (flags.data.random_seed && !flags.data.weights.empty())
    return diagnose<kFlagConflict>({}, "--weights", "--random-weights");
  if (!flags.inputs.empty()) flags.input = flags.inputs.front();
  if (auto wrong = find_equal_names(flags.inputs)) return wrong;
  if (auto wrong = read_input_types(flags.input_types, command)) return wrong;
  const TargetDef& target = *flags.emit.target;
  if (flags.arch && target.arch.empty())
    return diagnose<kBadFlag>({}, "--arch: --target=" + std::string(target.name) + " has no such flag", command);
  if (flags.arch && !target.takes_arch(*flags.arch))
    return diagnose<kBadFlag>({}, "--arch: `" + *flags.arch + "` is none, as `" + std::string(target.arch) + "` is",
                              command);
  if (flags.arch) flags.emit.arch = *flags.arch;
  if (target.kind() != MachineKind::Cpu) flags.vectors.fallback = kAllVectors;  // it has none
  if (target.kind() != MachineKind::Cpu)
    for (const auto& [name, given] : {std::pair("--memory-format", !flags.level.memory_format.empty()),
                                      std::pair("--vector-bytes", flags.vectors.given.has_value())})
      if (given) return diagnose<kFlagConflict>({}, name, "--target=" + std::string(target.name));
  if (!flags.limit_text.empty()) {
    auto bytes = read_limit(flags.limit_text, command);
    if (!bytes) return std::move(bytes).error();
    std::vector<SizeBinding> dims;
    if (auto wrong = read_dim_flags(flags.limit_dims, command, dims)) return wrong;
    flags.limit = MemoryLimit{*bytes, {}};
    for (const SizeBinding& dim : dims) flags.limit->sizes[dim.name] = dim.size;
  }
  if (!flags.input_types.given.empty() && flags.inputs.size() > 1)
    return diagnose<kBadFlag>({}, "--input-type: which of the models is meant is not said", command);
  if (!flags.input_types.given.empty() && !is_model_file(flags.input))
    return diagnose<kBadFlag>({}, "--input-type: `" + flags.input + "` is no model file", command);
  return std::nullopt;
}

namespace {

// On each function that is called, but for sizes that only others speak of. False: an error was reported, of a size
// that none has.
bool state_limits(const Module& module, const MemoryLimit& limit, DiagnosticEngine& diagnostics) {
  const auto launched = launches_by_kernel(module);
  std::set<std::string> known;
  for (const FuncRef& function : functions(module)) known.merge(size_names(function));
  for (const auto& [name, size] : limit.sizes)
    if (!known.contains(name)) diagnostics.emit(diagnose<kPlanSize>({}, "no function has a size `" + name + "`"));
  if (diagnostics.has_errors()) return false;
  for (const FuncRef& function : functions(module))
    if (!launched.contains(function.op().id())) state_own_limit(function, limit);
  return true;
}

std::optional<ModelToLink> load_one(const std::string& path, const EmitFlags& flags,
                                    const std::shared_ptr<Context>& context, bool with_data,
                                    DiagnosticEngine& diagnostics) {
  const ImportOptions options{.input_types = flags.input_types.types, .where = flags.input_types.where};
  std::optional<LoadedModel> model = load_model(context, path, options, diagnostics);
  if (!model) return std::nullopt;
  ModelToLink loaded{path, model_name(path), std::move(model->module), {}};
  if (with_data) {
    DataOptions data = flags.data;
    data.folder = std::filesystem::path(path).parent_path().string();
    auto read = load_data(loaded.module, data, std::move(model->weights), {}, diagnostics);
    if (!read) return std::nullopt;
    loaded.data = *std::move(read);
  }
  // A module without a name is called after its file.
  const OpRef top = loaded.module.top();
  if (top.symbol().empty() && path != "-") top.set_attr("sym_name", context->attributes().string(loaded.name));
  return loaded;
}

}  // namespace

std::optional<Module> load_from_flags(const EmitFlags& flags, const std::shared_ptr<Context>& context, ModuleData* data,
                                      DiagnosticEngine& diagnostics) {
  const std::vector<std::string> inputs = flags.inputs.empty() ? std::vector{flags.input} : flags.inputs;
  std::vector<ModelToLink> models;
  for (const std::string& path : inputs) {
    std::optional<ModelToLink> loaded = load_one(path, flags, context, data != nullptr, diagnostics);
    if (!loaded) return std::nullopt;
    models.push_back(*std::move(loaded));
  }
  ModelToLink model = link_models(std::move(models), diagnostics);
  if (data != nullptr) *data = std::move(model.data);
  if (flags.limit && !state_limits(model.module, *flags.limit, diagnostics)) return std::nullopt;
  state_vectors(flags.vectors, model.module);
  if (!state_machine_flag(flags.machine, model.module, diagnostics)) return std::nullopt;
  return std::move(model.module);
}

bool run_flag_passes(Module& module, const EmitFlags& flags, DiagnosticEngine& diagnostics,
                     std::vector<AppliedRewrite>* log) {
  const RunPassesOptions options{flags.numerics, log};
  if (flags.pass_flags.empty() && !flags.pipeline) return optimise(module, diagnostics, options);
  const auto passes = make_pipeline(flags.pass_flags, flags.pipeline, module.context().locations());
  if (passes) return run_passes(module, *passes, diagnostics, options);
  diagnostics.emit(passes.error());
  return false;
}

namespace {

bool lower_from_flags(Module& module, const EmitFlags& flags, DiagnosticEngine& diagnostics) {
  return run_flag_passes(module, flags, diagnostics) &&
         lower_for(*flags.emit.target, module, flags.numerics, diagnostics, flags.level);
}

}  // namespace

std::optional<Module> lower_from_flags(const EmitFlags& flags, const std::shared_ptr<Context>& context,
                                       ModuleData* data, DiagnosticEngine& diagnostics) {
  std::optional<Module> module = load_from_flags(flags, context, data, diagnostics);
  if (!module || !lower_from_flags(*module, flags, diagnostics)) return std::nullopt;
  return module;
}

namespace {

std::string joined(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() || word.empty() ? "" : " ") + word;
  return out;
}

// What the emitted source follows from, for who asks why it is another one than before: the model as it was read, and
// what flags say where they say something.
std::map<std::string, std::string> made_of(const Module& loaded, const EmitFlags& flags) {
  constexpr std::size_t kHashDigits = 16;  // of 64 bits
  std::uint64_t hash = 0;
  StructuralHasher hasher(loaded);
  for (const OpRef item : loaded.body().ops()) hash = hash_mix(hash, hasher.op_hash(item));
  std::array<char, kHashDigits + 1> model{};
  std::snprintf(model.data(), model.size(), "%016llx", static_cast<unsigned long long>(hash));
  const auto machine = stated_machine(loaded);
  std::string passes = joined(flags.pass_flags);
  if (flags.pipeline) passes += (passes.empty() ? "" : " ") + *flags.pipeline;
  const std::int32_t vectors = flags.vectors.bytes();
  std::map<std::string, std::string> out{{"mlgc", MLGC_VERSION},
                                         {"model", model.data()},
                                         {"numerics", std::string(numerics_name(flags.numerics))},
                                         {"passes", passes.empty() ? "-O2" : passes},
                                         {"target", std::string(flags.emit.target->name)}};
  const auto add = [&](const char* part, const std::string& text) {
    if (!text.empty()) out[part] = text;
  };
  if (flags.emit.target->kind() == MachineKind::Cpu)
    add("vectors", vectors == 0 ? "all" : std::to_string(vectors));
  else
    add("arch", flags.emit.arch.empty() ? std::string(flags.emit.target->arch) : flags.emit.arch);
  if (machine) add("machine", machine->spec());
  add("memory-format", flags.level.memory_format);
  add("memory-limit", joined({flags.limit_text, joined(flags.limit_dims)}));
  add("input-types", joined({joined(flags.input_types.given), joined(flags.input_types.where)}));
  std::vector<std::string> files = rule_files_of(flags.pass_flags);
  if (!flags.level.decisions.empty()) files.push_back(flags.level.decisions);
  for (const std::string& file : files)
    if (const Result<std::string> text = read_file(file)) out["file " + file] = sha256(*text).substr(0, kHashDigits);
  return out;
}

}  // namespace

std::optional<EmittedModel> emit_from_flags(const EmitFlags& flags, const std::shared_ptr<Context>& context,
                                            DiagnosticEngine& diagnostics) {
  ModuleData data;
  std::optional<Module> module = load_from_flags(flags, context, &data, diagnostics);
  if (!module) return std::nullopt;
  std::map<std::string, std::string> parts = made_of(*module, flags);
  if (!lower_from_flags(*module, flags, diagnostics)) return std::nullopt;
  std::optional<EmittedModel> emitted = emit_lowered(*module, data, flags.emit, diagnostics);
  if (emitted) emitted->made_of = std::move(parts);
  return emitted;
}

}  // namespace mlgc

// mlgc export: a model in a notation that other programs read.
#include <filesystem>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/fallback_flag.h"
#include "driver/input_type_flag.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/pass_flags.h"
#include "execution/module_data.h"
#include "export/notation.h"
#include "export/side_by_side.h"
#include "interp/function_results.h"
#include "pass/pass_manager.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "tensor/safetensors.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kExportExamples =
    "  mlgc export model.pt2 --to=fx-code -o model.py      writes model.py and model.safetensors\n"
    "  mlgc export mlp.mlir --to=fx-code                   prints the Python alone\n"
    "  mlgc export mlp.mlir --to=fx-code --random-weights=1 -o mlp.py   with made-up weights\n"
    "  mlgc export mlp.mlir -O1 --to=fx-code               what passes leave\n"
    "  mlgc export model.pt2 --to=onnx -o model.onnx       runs in ONNX Runtime\n"
    "  mlgc export model.pt2 --to=all -o folder            every notation, as files\n"
    "  mlgc export model.pt2 --to=all --side-by-side       how many operators each has, and what stands for each op\n"
    "Notations:\n";

struct ExportFlags {
  std::string input = "-", function, to, output = "-";
  bool side_by_side = false, external_data = false;
  DataOptions data;
  InputTypeFlags input_types;
  FallbackFlags fallback;
  std::optional<std::string> pipeline;
  Words pass_flags;
  std::vector<std::string> dims;
};

std::string examples() {
  std::string out(kExportExamples);
  for (const Notation& notation : notations())
    out += "  " + std::string(notation.name) + std::string(14 - notation.name.size(), ' ') +
           std::string(notation.summary) + "\n";
  return out;
}

// The module has a file of weights, or the command was told where they come from.
bool has_data(const Module& module, const ExportFlags& flags, const NamedTensors& imported) {
  return !imported.empty() || !flags.data.weights.empty() || flags.data.random_seed ||
         module.top().attr("weights").valid();
}

std::string data_file_of(const std::string& output) { return output + ".data"; }

// The text and what stands beside it; the text last, so that it never is there without its weights.
Status<> write_files(const std::string& output, const Exported& exported, const NamedTensors& tensors) {
  if (output == "-") return write_product(output, exported.text);
  Result<AtomicFile> text = AtomicFile::open(output);
  if (!text) return Failure{text.error()};
  if (Status<> written = text->write(exported.text); !written) return written;
  if (!tensors.empty()) {
    const std::string path = std::filesystem::path(output).replace_extension(".safetensors").string();
    if (Status<> written = write_safetensors(path, tensors); !written) return written;
  }
  if (!exported.data.empty())
    if (Status<> written = write_product(data_file_of(output), exported.data); !written) return written;
  return text->commit();
}

// Files of protocol buffers have less than 2 GiB; what is no weight has room in the rest.
constexpr std::size_t kMostBytesInside = std::size_t{2000} << 20U;

bool needs_data_file(const ExportFlags& flags, const Notation& notation, const NamedTensors& tensors) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.byte_size();
  return notation.data_file && flags.output != "-" && (flags.external_data || bytes > kMostBytesInside);
}

// A copy of the module goes through the passes that the notation needs. Nothing: they failed, and said so.
std::optional<Result<Exported, Diagnostic>> exported_as(const Notation& notation, const Module& source,
                                                        const std::string& function, const NamedTensors& tensors,
                                                        const std::string& data_file, DiagnosticEngine& diagnostics) {
  Module module(source);
  if (!notation.passes.empty() && !run_pipeline(module, notation.passes, diagnostics)) return std::nullopt;
  const bool has_data = notation.weights != ExportedWeights::None && !tensors.empty();
  return notation.write({module, find_function(module, function), has_data ? &tensors : nullptr, data_file});
}

// What stands in a .safetensors file beside the text.
NamedTensors data_beside(const Notation& notation, const Exported& exported, const NamedTensors& tensors) {
  NamedTensors out;
  if (notation.weights == ExportedWeights::Beside) out = tensors;
  out.insert(out.end(), exported.constants.begin(), exported.constants.end());
  return out;
}

void write_one(const ExportFlags& flags, const Notation& notation, const Module& module, const std::string& function,
               const NamedTensors& tensors, DiagnosticEngine& diagnostics) {
  const std::string data_file = needs_data_file(flags, notation, tensors)
                                    ? std::filesystem::path(data_file_of(flags.output)).filename().string()
                                    : "";
  const auto exported = exported_as(notation, module, function, tensors, data_file, diagnostics);
  if (!exported) return;
  if (!*exported) return diagnostics.emit(exported->error());
  const NamedTensors beside = data_beside(notation, **exported, tensors);
  if (const Status<> written = write_files(flags.output, **exported, beside); !written) {
    diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  }
}

// Every notation: a folder of files, a table of them. One that cannot say the graph is a line of the table.
void write_all(const ExportFlags& flags, const Module& module, const std::string& function, const NamedTensors& tensors,
               DiagnosticEngine& diagnostics) {
  const std::string stem = std::filesystem::path(flags.input == "-" ? "model" : flags.input).stem().string();
  std::vector<WrittenNotation> written;
  for (const Notation& notation : notations()) {
    const std::string data_file =
        needs_data_file(flags, notation, tensors) ? data_file_of(stem + std::string(notation.ending)) : "";
    auto exported = exported_as(notation, module, function, tensors, data_file, diagnostics);
    written.push_back({&notation, std::nullopt, ""});
    if (!exported) return;
    if (*exported)
      written.back().exported = **std::move(exported);
    else
      written.back().refusal = exported->error().message();
  }
  if (flags.output != "-") {
    Result<NewFolder> folder = NewFolder::make(flags.output);
    Status<> done = folder ? Status<>() : Status<>(Failure{folder.error()});
    for (const WrittenNotation& one : written)
      if (done && one.exported)
        done = write_files(folder->file(stem + std::string(one.notation->ending)), *one.exported,
                           data_beside(*one.notation, *one.exported, tensors));
    if (done) done = folder->put_in_place();
    if (!done) return diagnostics.emit(diagnose<kCannotWrite>({}, done.error()));
  }
  if (!flags.side_by_side) return;
  const Status<> printed = write_product("-", side_by_side(module, find_function(module, function), written));
  if (!printed) diagnostics.emit(diagnose<kCannotWrite>({}, printed.error()));
}

ExitCode run(const Console& console, const ExportFlags& flags, const Notation* notation) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), pipeline.error());
  if (auto wrong = specialize_first(*pipeline, flags.dims, "export")) return console.report(*std::move(wrong));
  const ImportOptions options{
      .fallback = flags.fallback.mode, .input_types = flags.input_types.types, .where = flags.input_types.where};
  std::optional<LoadedModel> model = load_model(context, flags.input, options, diagnostics);
  if (!model) return console.report(diagnostics);
  Module& module = model->module;
  const FuncRef function = choose_function(module, flags.function, diagnostics);
  if (!function.valid()) return console.report(diagnostics);
  const std::string name(function.name());
  NamedTensors tensors;
  const bool needs_data = notation == nullptr
                              ? flags.output != "-"
                              : notation->weights == ExportedWeights::Inside ||
                                    (notation->weights == ExportedWeights::Beside && flags.output != "-");
  if (needs_data && has_data(module, flags, model->weights)) {
    const auto data = load_data(module, flags.data, model->weights, {}, diagnostics);
    if (!data) return console.report(diagnostics);
    tensors.assign(data->begin(), data->end());
  }
  if (!PassManager(*context, {.verify = verify}).run(module, *pipeline, diagnostics))
    return console.report(diagnostics);
  if (notation == nullptr)
    write_all(flags, module, name, tensors, diagnostics);
  else
    write_one(flags, *notation, module, name, tensors, diagnostics);
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_export(const Words& words) {
  Arguments arguments("export", "Writes a model in a notation that other programs read.", examples());
  ExportFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("--to", flags.to, "NOTATION", "Which one, or all of them, side by side; they are listed below");
  arguments.add_value("-o,--output", flags.output, "FILE",
                      "Where it is written, weights beside it as .safetensors, for all a folder; - is standard output, "
                      "without weights");
  arguments.add_flag("--side-by-side", flags.side_by_side,
                     "With --to=all: print how many operators each notation has, and what stands for each op");
  arguments.add_flag("--external-data", flags.external_data,
                     "With --to=onnx: large weights in FILE.data beside; beyond 2 GB they always are");
  add_function_flag(arguments, flags.function);
  add_weight_flags(arguments, flags.data);
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, run first; passes and levels are flags too");
  add_pass_flags(arguments, flags.pass_flags, false);
  arguments.add_list(
      "--dim", flags.dims, "NAME=SIZE",
      "The size of a symbol: it takes its place before all passes, by the pass specialize-dims; repeatable");
  add_input_type_flag(arguments, flags.input_types);
  add_fallback_flags(arguments, flags.fallback);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (const auto wrong = read_input_types(flags.input_types, "export")) return console.report(*wrong);
  if (flags.to.empty()) return console.report(diagnose<kBadFlag>({}, "--to is missing", "export"));
  const Notation* notation = nullptr;
  if (flags.to == "all") {
    if (flags.output == "-" && !flags.side_by_side)
      return console.report(diagnose<kBadFlag>({}, "--to=all needs --side-by-side, or a folder: -o FOLDER", "export"));
  } else {
    if (flags.side_by_side) return console.report(diagnose<kBadFlag>({}, "--side-by-side needs --to=all", "export"));
    const auto found = find_notation(flags.to);
    if (!found) return console.report(found.error());
    notation = *found;
  }
  if (flags.external_data && ((notation != nullptr && !notation->data_file) || flags.output == "-"))
    return console.report(diagnose<kBadFlag>({}, "--external-data needs --to=onnx and a file: -o FILE", "export"));
  const std::size_t slash = flags.input.rfind('/');
  flags.data.folder = slash == std::string::npos ? "" : flags.input.substr(0, slash);
  return run(console, flags, notation);
}

}  // namespace mlgc

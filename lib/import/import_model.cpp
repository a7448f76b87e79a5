// From a model file to a module or to files; see import_model.h.
#include "import/import_model.h"

#include <algorithm>
#include <filesystem>

#include "diag/kinds_import.h"
#include "import/model_formats.h"
#include "support/activity.h"
#include "support/byte_size.h"
#include "support/file.h"
#include "tensor/safetensors.h"
#include "text/printer.h"

namespace mlgc {

namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code missing;
  return std::filesystem::equivalent(a, b, missing);
}

}  // namespace

bool is_model_file(std::string_view path) { return model_format_of(path) != nullptr; }

std::optional<ImportedModel> import_model(const std::shared_ptr<Context>& context, const std::string& path,
                                          const ImportOptions& options, DiagnosticEngine& engine) {
  const Activity importing("importing", path);
  // A file without a suffix that says what it is: that of torch.export says so itself.
  const ModelFormat* const named = model_format_of(path);
  const ModelFormat& format = named != nullptr ? *named : exported_format();
  if (options.input_types.empty() || !format.states_types) return format.read(context, path, options, engine);
  engine.emit(diagnose<kInputTypesRecorded>(context->locations().position(path, 1, 1)));
  return std::nullopt;
}

namespace {

std::filesystem::path weights_path(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".safetensors");
}

}  // namespace

ImportOptions named_after(ImportOptions options, const std::string& path, const std::string& output) {
  const bool to_stdout = output == "-";
  std::filesystem::path name = std::filesystem::path(to_stdout ? path : output).stem();
  if (name.extension() == ".fx") name = name.stem();
  options.module_name = name.string();
  if (!to_stdout) options.weights_file = weights_path(output).filename().string();
  return options;
}

void note_weights_left_out(const ImportedModel& imported, const std::string& path, DiagnosticEngine& engine) {
  note_weights_left_out(imported, std::span(&path, 1), engine);
}

void note_weights_left_out(const ImportedModel& imported, std::span<const std::string> paths,
                           DiagnosticEngine& engine) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : imported.weights) bytes += static_cast<std::int64_t>(tensor.bytes().size());
  const std::string name = named_after({}, paths.front(), "-").module_name;
  std::string files;
  for (const std::string& path : paths) files += (files.empty() ? "" : " ") + path;
  if (!imported.weights.empty())
    engine.emit(diagnose<kWeightsNotWritten>({}, static_cast<std::int64_t>(imported.weights.size()),
                                             byte_size_text(bytes), files, name));
}

bool write_imported(const ImportedModel& imported, const std::string& path, const std::string& output,
                    DiagnosticEngine& engine) {
  return write_imported(imported, std::span(&path, 1), output, engine);
}

bool write_imported(const ImportedModel& imported, std::span<const std::string> paths, const std::string& output,
                    DiagnosticEngine& engine) {
  const bool to_stdout = output == "-";
  const Location at = imported.module.context().locations().position(paths.front(), 1, 1);
  const auto written = [&](const Status<>& status, const std::string& target) {
    if (!status) engine.emit(diagnose<kImportWrite>(at, target, status.error()));
    return status.ok();
  };
  const std::string weights = weights_path(output).string();
  std::vector<std::string> targets{output};
  if (!imported.weights.empty()) targets.push_back(weights);
  for (const std::string& target : targets) {
    const auto read = [&](const std::string& path) { return same_file(target, path); };
    if (to_stdout || (std::ranges::none_of(paths, read) && !read(imported.mapped_from))) continue;
    engine.emit(diagnose<kImportReplaces>(at, target));
    return false;
  }
  if (!to_stdout && !imported.weights.empty() && !written(write_safetensors(weights, imported.weights), weights))
    return false;
  if (!written(write_file(output, print(imported.module, {.form = TextForm::Pretty, .locations = true})), output))
    return false;
  if (to_stdout) note_weights_left_out(imported, paths, engine);
  return true;
}

std::optional<FallbackLedger> import_model_file(const std::string& path, const std::string& output,
                                                const ImportOptions& options, DiagnosticEngine& engine,
                                                const std::shared_ptr<Context>& context) {
  std::optional<ImportedModel> imported = import_model(context, path, named_after(options, path, output), engine);
  if (!imported || !write_imported(*imported, path, output, engine)) return std::nullopt;
  return std::move(imported->fallback);
}

}  // namespace mlgc

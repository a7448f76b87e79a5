// See load.h.
#include "driver/load.h"

#include <utility>

#include "diag/kinds_driver.h"
#include "driver/file_kind.h"
#include "driver/log.h"
#include "import/import_model.h"
#include "pass/statistics.h"
#include "support/file.h"
#include "support/reproducer.h"
#include "text/printer.h"

namespace mlgc {
Result<NamedText, Diagnostic> read_text(const std::string& path) {
  if (path != "-")
    if (std::optional<Diagnostic> other = find_other_kind(path)) return Failure{*std::move(other)};
  Result<std::string> text = read_file(path, kMaxTextBytes);
  if (!text) return Failure{diagnose<kCannotRead>({}, text.error())};
  if (path == "-")
    if (std::optional<Diagnostic> other = find_other_kind("<stdin>", *text)) return Failure{*std::move(other)};
  NamedText read{path == "-" ? "<stdin>" : path, *std::move(text)};
  remember_input(read.name, read.text);
  log_info("read " + read.name + ": " + std::to_string(read.text.size()) + " bytes");
  return read;
}

std::optional<NamedText> read_program(const std::shared_ptr<Context>& context, const std::string& path,
                                      DiagnosticEngine& diagnostics) {
  if (is_model_file(path)) {
    const std::optional<ImportedModel> model = import_model(context, path, named_after({}, path, "-"), diagnostics);
    if (!model) return std::nullopt;
    log_info("imported " + path);
    note_weights_left_out(*model, path, diagnostics);
    return NamedText{path, print(model->module, {.locations = true})};
  }
  Result<NamedText, Diagnostic> read = read_text(path);
  if (!read) {
    diagnostics.emit(std::move(read).error());
    return std::nullopt;
  }
  return *std::move(read);
}

std::optional<LoadedModel> load_model(const std::shared_ptr<Context>& context, const std::string& path,
                                      const ImportOptions& options, DiagnosticEngine& diagnostics) {
  if (is_model_file(path)) {
    if (std::optional<Diagnostic> other = find_other_than_model(path)) {
      diagnostics.emit(*std::move(other));
      return std::nullopt;
    }
    std::optional<ImportedModel> model = import_model(context, path, options, diagnostics);
    if (!model) return std::nullopt;
    log_info("imported " + path + ": " + std::to_string(count_all(model->module)) + " ops, " +
             std::to_string(model->weights.size()) + " tensors");
    return LoadedModel{std::move(model->module), std::move(model->weights), std::move(model->fallback)};
  }
  std::optional<NamedText> read = read_program(context, path, diagnostics);
  if (!read) return std::nullopt;
  std::optional<Module> module =
      load_module(context, context->locations().add_source(std::move(read->name), std::move(read->text)), diagnostics);
  return module ? std::optional(LoadedModel{*std::move(module), {}, {}}) : std::nullopt;
}

std::optional<Module> load_input(const std::shared_ptr<Context>& context, const std::string& path,
                                 DiagnosticEngine& diagnostics) {
  std::optional<LoadedModel> model = load_model(context, path, {}, diagnostics);
  return model ? std::optional(std::move(model->module)) : std::nullopt;
}

}  // namespace mlgc

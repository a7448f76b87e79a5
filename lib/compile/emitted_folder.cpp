// See emitted_folder.h.
#include "compile/emitted_folder.h"

#include <filesystem>
#include <fstream>

#include "artifact/artifact.h"
#include "artifact/runtime_source.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

// An older folder of this kind, an empty one, or nothing.
bool may_replace(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return true;
  if (!std::filesystem::is_directory(folder, error)) return false;
  if (std::filesystem::is_empty(folder, error)) return true;
  std::string head(kModelHeaderBegins.size(), ' ');
  std::ifstream(folder + "/model.h").read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kModelHeaderBegins && std::filesystem::exists(folder + "/CMakeLists.txt", error);
}

EmittedFolder folder_of(const EmittedModel& model) {
  EmittedFolder folder{model.name, model.arch, model.vector_bytes, {}, !model.weights.empty()};
  for (const EmittedFile& file : model.source.sources) folder.sources.push_back(file.name);
  return folder;
}

}  // namespace

Status<Diagnostic> write_emitted(const std::string& folder, const EmittedModel& model) {
  std::string target = folder;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  if (!may_replace(target)) return Failure{diagnose<kEmittedInTheWay>({}, target)};
  Result<NewFolder> made = NewFolder::make(target);
  if (!made) return Failure{diagnose<kCannotWrite>({}, made.error())};
  const std::vector<EmittedFile> build = model.target->build_files(folder_of(model));
  std::vector<SourceText> all;
  for (const EmittedFile& file : build) all.push_back({file.name, file.text});
  for (const EmittedFile& file : model.source.sources) all.push_back({file.name, file.text});
  all.push_back({model.source.header.name, model.source.header.text});
  if (model.target->runtime) {
    std::error_code error;
    std::filesystem::create_directory(made->file("runtime"), error);
    const std::span<const SourceText> runtime = runtime_source();
    all.insert(all.end(), runtime.begin(), runtime.end());
  }
  Status<> status;
  for (const SourceText& file : all)
    if (status) status = write_file(made->file(file.name), file.text);
  if (status && !model.weights.empty()) status = write_safetensors(made->file(kWeightsName), model.weights);
  if (status) status = made->put_in_place();
  return status ? Status<Diagnostic>() : Status<Diagnostic>(Failure{diagnose<kCannotWrite>({}, status.error())});
}

}  // namespace mlgc

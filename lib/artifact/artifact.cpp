// See artifact.h.
#include "artifact/artifact.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "artifact/shared_object.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "runtime/weights_header.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "support/parts.h"
#include "support/scratch_folder.h"
#include "support/sha256.h"
#include "support/zip.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

namespace files = std::filesystem;

Failure<Diagnostic> cannot_write(const std::string& what) { return Failure{diagnose<kCannotWrite>({}, what)}; }

// Whether a file is empty, or begins as a model in a single file does, whose first member is the manifest: so does one
// that was cut off, which is no archive any more.
bool begins_as_model(const std::string& path) {
  const Result<SharedBytes> bytes = map_file(path);
  if (!bytes) return false;
  if (bytes->size() == 0) return true;
  constexpr std::string_view kSignature = "PK\3\4";
  constexpr std::size_t kNameLength = 26, kName = 30;  // of a zip archive's member
  const std::string_view text = as_text(bytes->bytes);
  return text.starts_with(kSignature) && text.size() > kNameLength + 1 &&
         static_cast<std::size_t>(text[kNameLength]) == kManifestName.size() && text[kNameLength + 1] == 0 &&
         text.substr(kName).starts_with(kManifestName);
}

// A device or pipe, which can be written and not replaced. What it would give to a reader is no file.
bool is_stream(const std::string& path) {
  std::error_code error;
  return files::is_other(path, error);
}

// Whether something may be replaced: nothing, a model, or (for a single file) an archive that is a model.
bool may_replace(const std::string& path) {
  std::error_code error;
  if (!files::exists(path, error)) return true;
  if (files::is_directory(path, error))
    return files::exists(path + "/" + std::string(kManifestName), error) || files::is_empty(path, error);
  const Result<ZipReader> archive = ZipReader::open(path);
  return archive ? archive->find(kManifestName) != nullptr : begins_as_model(path);
}

Result<Manifest, Diagnostic> make_manifest(const std::string& path, const ArtifactRequest& request,
                                           const SharedBytes& code, const std::string& weights_file) {
  Result<SharedObject, Diagnostic> object = SharedObject::open(request.unit->path, request.symbol);
  if (!object) return Failure{std::move(object).error()};
  Manifest manifest;
  describe_unit(*object->unit(), manifest);
  manifest.unit = request.symbol;
  manifest.architecture = this_architecture();
  manifest.numerics = request.numerics;
  manifest.compiler = request.unit->compiler;
  for (const std::string& flag : request.unit->flags) manifest.flags += (manifest.flags.empty() ? "" : " ") + flag;
  manifest.files.push_back({std::string(kSharedObjectName), code.size(), sha256(code.bytes)});
  if (!request.weights.empty()) {
    const Result<SharedBytes> weights = map_file(weights_file);
    if (!weights) return cannot_write(path + ": " + weights.error());
    MLGC_ASSERT(static_cast<std::int64_t>(weights->size()) == object->unit()->weights_file_bytes,
                "the weights of " + manifest.name + " are not laid out as its unit says");
    manifest.files.push_back({std::string(kWeightsName), weights->size(), sha256(weights->bytes)});
  }
  return manifest;
}

// One member of a model.
Result<SharedBytes, Diagnostic> check_file(const std::string& path, const ManifestFile& file, Result<SharedBytes> bytes,
                                           bool check_hash) {
  if (!bytes) return Failure{diagnose<kArtifactFile>({}, path, file.name, "cannot be read: " + bytes.error())};
  if (bytes->size() != file.bytes)
    return Failure{diagnose<kArtifactFile>(
        {}, path, file.name,
        "has " + std::to_string(bytes->size()) + " bytes, manifest.json says " + std::to_string(file.bytes))};
  if (check_hash && sha256(bytes->bytes) != file.sha256)
    return Failure{diagnose<kArtifactFile>({}, path, file.name, "has another hash than manifest.json says")};
  return *std::move(bytes);
}

struct CpuFeature {
  std::string_view name;
  bool (*here)();
};
#if defined(__x86_64__)
#define MLGC_FEATURE(name)                                 \
  CpuFeature {                                             \
    name, [] { return __builtin_cpu_supports(name) != 0; } \
  }
constexpr std::array kFeatures{MLGC_FEATURE("sse4.2"),    MLGC_FEATURE("avx"),      MLGC_FEATURE("avx2"),
                               MLGC_FEATURE("fma"),       MLGC_FEATURE("bmi"),      MLGC_FEATURE("bmi2"),
                               MLGC_FEATURE("popcnt"),    MLGC_FEATURE("avx512f"),  MLGC_FEATURE("avx512bw"),
                               MLGC_FEATURE("avx512dq"),  MLGC_FEATURE("avx512vl"), MLGC_FEATURE("avx512cd"),
                               MLGC_FEATURE("avx512bf16")};
#undef MLGC_FEATURE
#else
constexpr std::array<CpuFeature, 0> kFeatures{};
#endif

}  // namespace

std::vector<std::string> missing_cpu_features(std::span<const std::string> wanted) {
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    bool here = false;
    for (const CpuFeature& feature : kFeatures) here = here || (feature.name == name && feature.here());
    if (!here) missing.push_back(name);
  }
  return missing;
}

Result<WeightsTable> lay_out_weights(std::span<const NamedTensor> tensors) {
  const Result<SafetensorsLayout> layout = lay_out_safetensors(tensors);
  if (!layout) return Failure{layout.error()};
  WeightsTable table;
  if (tensors.empty()) return table;
  table.offsets.assign(layout->offsets.begin(), layout->offsets.end());
  table.file_bytes = static_cast<std::int64_t>(layout->bytes);
  table.header_bytes = static_cast<std::int64_t>(layout->start.size());
  table.header_hash = runtime::hash_weights_header(layout->start.data(), table.header_bytes);
  return table;
}

Result<SharedBytes> weights_in_memory(std::span<const NamedTensor> tensors) {
  const Result<SafetensorsLayout> layout = lay_out_safetensors(tensors);
  if (!layout) return Failure{layout.error()};
  const std::size_t room = (layout->bytes + ZipWriter::kAlignment - 1) / ZipWriter::kAlignment * ZipWriter::kAlignment;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(ZipWriter::kAlignment, room));
  if (memory == nullptr) return Failure{"no memory for " + std::to_string(layout->bytes) + " bytes of weights"};
  const std::shared_ptr<const void> owner(memory, [](const void* p) { std::free(const_cast<void*>(p)); });
  std::memcpy(memory, layout->start.data(), layout->start.size());
  constexpr std::size_t kLeast = std::size_t{4} << 20U;
  for_each_part(parts_of(layout->bytes, kLeast), [&](std::size_t, Part part) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::span<const std::byte> bytes = tensors[i].second.bytes();
      const std::size_t at = layout->offsets[i], begin = std::max(part.begin, at),
                        end = std::min(part.end, at + bytes.size());
      if (begin < end) std::memcpy(memory + begin, bytes.data() + (begin - at), end - begin);
    }
  });
  return SharedBytes{{memory, layout->bytes}, owner};
}

Status<Diagnostic> write_artifact(const std::string& path, const ArtifactRequest& request) {
  std::string target = path;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  const bool stream = request.single_file && is_stream(target);
  if (!stream && (is_stream(target) || !may_replace(target))) return Failure{diagnose<kArtifactInTheWay>({}, target)};
  Result<NewFolder> made = NewFolder::make(stream ? temporary_folder() + "/model" : target);
  if (!made) return cannot_write(made.error());
  NewFolder& folder = *made;
  const Result<SharedBytes> code = map_file(request.unit->path);
  if (!code) return cannot_write(code.error());
  const std::string weights = folder.file(kWeightsName);
  if (!request.weights.empty())
    if (const Status<> written = write_safetensors(weights, request.weights); !written)
      return cannot_write(written.error());
  Result<Manifest, Diagnostic> manifest = make_manifest(target, request, *code, weights);
  if (!manifest) return Failure{std::move(manifest).error()};
  const std::string text = print_manifest(*manifest);

  if (request.single_file) {
    Result<ZipWriter> zip = ZipWriter::create(target);
    if (!zip) return cannot_write(zip.error());
    Status<> status = zip->add(kManifestName, std::as_bytes(std::span(text)));
    if (status) status = zip->add(kSharedObjectName, code->bytes);
    if (status && !request.weights.empty()) {
      const Result<SharedBytes> bytes = map_file(weights);
      status = bytes ? zip->add(kWeightsName, bytes->bytes) : Status<>(Failure{bytes.error()});
    }
    if (status) status = zip->finish();
    return status ? Status<Diagnostic>() : cannot_write(status.error());
  }
  if (const Status<> written = write_file(folder.file(kSharedObjectName), as_text(code->bytes)); !written)
    return cannot_write(written.error());
  if (const Status<> written = write_file(folder.file(kManifestName), text); !written)
    return cannot_write(written.error());
  if (!files::is_directory(target) && files::exists(target)) {
    std::error_code error;
    files::remove(target, error);  // a model in a single file
  }
  const Status<> moved = folder.put_in_place();
  return moved ? Status<Diagnostic>() : cannot_write(moved.error());
}

Result<ArtifactFiles, Diagnostic> open_artifact(const std::string& path) {
  ArtifactFiles opened;
  opened.path = path;
  std::error_code error;
  const bool folder = files::is_directory(path, error);
  std::optional<ZipReader> archive;
  SharedBytes archive_bytes;
  Result<std::string> text = Failure{std::string()};
  if (folder) {
    text = read_file(path + "/" + std::string(kManifestName));
    if (!text) return Failure{diagnose<kNoArtifact>({}, path, text.error())};
  } else {
    Result<SharedBytes> mapped = map_file(path);
    if (!mapped) return Failure{diagnose<kCannotRead>({}, mapped.error())};
    archive_bytes = *mapped;
    Result<ZipReader> parsed = ZipReader::parse(archive_bytes, path);
    if (!parsed) return Failure{diagnose<kNoArtifact>({}, path, parsed.error())};
    archive = *std::move(parsed);
    const ZipMember* const member = archive->find(kManifestName);
    if (member == nullptr) return Failure{diagnose<kNoArtifact>({}, path, "it has no manifest.json")};
    const Result<SharedBytes> bytes = archive->read(*member);
    if (!bytes) return Failure{diagnose<kNoArtifact>({}, path, bytes.error())};
    text = std::string(as_text(bytes->bytes));
  }
  Result<Manifest, Diagnostic> manifest = parse_manifest(*text, path);
  if (!manifest) return Failure{std::move(manifest).error()};
  opened.manifest = *std::move(manifest);
  if (std::vector<std::string> missing = missing_cpu_features(opened.manifest.cpu_features); !missing.empty())
    return Failure{diagnose<kArtifactCpu>({}, path, std::move(missing))};

  for (const auto& [name, bytes, hashed] :
       {std::tuple{kSharedObjectName, &opened.code, true}, std::tuple{kWeightsName, &opened.weights, false}}) {
    const ManifestFile* const file = opened.manifest.file(name);
    if (file == nullptr && name == kWeightsName) continue;
    if (file == nullptr) return Failure{diagnose<kManifestField>({}, path, "files", "has no " + std::string(name))};
    Result<SharedBytes> content = Failure{std::string("there is none")};
    if (folder) {
      content = map_file(path + "/" + file->name);
    } else if (const ZipMember* const member = archive->find(name)) {
      // In place: the checksum of an archive would read all of the weights.
      if (member->deflated || member->offset % ZipWriter::kAlignment != 0)
        content = Failure{std::string("it is not stored, aligned to 64 bytes")};
      else
        content = archive_bytes.slice(member->offset, member->stored_size);
    }
    Result<SharedBytes, Diagnostic> checked = check_file(path, *file, std::move(content), hashed);
    if (!checked) return Failure{std::move(checked).error()};
    *bytes = *std::move(checked);
  }
  if (folder) opened.shared_object = path + "/" + std::string(kSharedObjectName);
  return opened;
}

}  // namespace mlgc

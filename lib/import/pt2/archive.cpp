// Members of the archive and the layout of weights; see archive.h.
#include "import/pt2/archive.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "diag/kinds_import.h"
#include "import/program/dtypes.h"
#include "import/program/json.h"
#include "text/size_name.h"

namespace mlgc {

using program::Json;
using program::JsonReader;
using program::Place;
using program::WeightView;

namespace {

// Deflated members are unusual (torch stores them); this bounds what a small file can make us hold.
constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<Pt2Archive> Pt2Archive::open(const std::string& path, std::string_view model, LocationTable& locations,
                                           DiagnosticEngine& engine) {
  const Location at = locations.position(path, 1, 1);
  const Result<SharedBytes> file = map_file(path);
  if (!file) {
    engine.emit(diagnose<kModelUnreadable>(at, file.error()));
    return std::nullopt;
  }
  Result<ZipReader> zip = ZipReader::parse(*file, path, kMaxInflatedBytes);
  if (!zip) {
    engine.emit(diagnose<kNotAnArchive>(at, zip.error()));
    return std::nullopt;
  }
  Pt2Archive archive(std::move(zip).value(), at);
  if (!archive.read_versions(engine) || !archive.choose_model(model, engine) || !archive.read_size_names(engine))
    return std::nullopt;
  const std::string stem = archive.model_;
  const std::string data = archive.root_ + "data/";
  if (!archive.read_config(data + "weights/" + stem + "_weights_config.json", data + "weights/", archive.weights_,
                           engine) ||
      !archive.read_config(data + "constants/" + stem + "_constants_config.json", data + "constants/",
                           archive.constants_, engine))
    return std::nullopt;
  return archive;
}

std::optional<SharedBytes> Pt2Archive::read(const std::string& member, DiagnosticEngine& engine) const {
  const ZipMember* found = zip_.find(member);
  if (found == nullptr) {
    engine.emit(diagnose<kArchiveMemberMissing>(location_, member));
    return std::nullopt;
  }
  Result<SharedBytes> bytes = zip_.read(*found);
  if (!bytes) {
    engine.emit(diagnose<kArchiveMember>(location_, member, bytes.error()));
    return std::nullopt;
  }
  return std::move(bytes).value();
}

// The root is the folder of the member `archive_format`; it keeps the name that the file had when it was written.
bool Pt2Archive::read_versions(DiagnosticEngine& engine) {
  constexpr std::string_view kFormat = "archive_format";
  for (const ZipMember& member : zip_.members()) {
    if (!member.name.ends_with(kFormat)) continue;
    const std::string_view root = std::string_view(member.name).substr(0, member.name.size() - kFormat.size());
    if (root.ends_with('/') && root.find('/') == root.size() - 1) root_ = root;
  }
  if (root_.empty()) {
    engine.emit(diagnose<kArchiveFormat>(location_));
    return false;
  }
  struct Expected {
    const char* member;
    std::string_view value;
    bool required;
  };
  constexpr std::array kExpected{Expected{"archive_format", "pt2", true}, Expected{"archive_version", "0", true},
                                 Expected{"byteorder", "little", false}};
  for (const Expected& expected : kExpected) {
    if (!expected.required && zip_.find(root_ + expected.member) == nullptr) continue;
    const std::optional<SharedBytes> bytes = read(root_ + expected.member, engine);
    if (!bytes) return false;
    const std::string_view found = trimmed(as_text(bytes->bytes).substr(0, 64));
    if (found == expected.value) continue;
    engine.emit(diagnose<kArchiveVersion>(location_, expected.member, found, expected.value));
    return false;
  }
  return true;
}

bool Pt2Archive::choose_model(std::string_view wanted, DiagnosticEngine& engine) {
  const std::string folder = root_ + "models/";
  constexpr std::string_view kSuffix = ".json";
  std::vector<std::string> names;
  for (const ZipMember& member : zip_.members()) {
    if (!member.name.starts_with(folder) || !member.name.ends_with(kSuffix)) continue;
    names.push_back(member.name.substr(folder.size(), member.name.size() - folder.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) {
    engine.emit(diagnose<kArchiveNoModel>(location_, folder));
    return false;
  }
  if (wanted.empty() && names.size() == 1) wanted = names.front();
  if (wanted.empty()) wanted = "model";
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    engine.emit(diagnose<kModelChoice>(location_, wanted, std::move(names)));
    return false;
  }
  model_ = wanted;
  json_member_ = folder + model_ + std::string(kSuffix);
  std::optional<SharedBytes> bytes = read(json_member_, engine);
  if (!bytes) return false;
  json_ = std::move(*bytes);
  return true;
}

// torch.export keeps no names of dynamic sizes: an exporter that knows them writes this extra file, an object of names
// by symbols. What no size can be called here is left out.
bool Pt2Archive::read_size_names(DiagnosticEngine& engine) {
  const std::string member = root_ + "extra/size_names.json";
  if (zip_.find(member) == nullptr) return true;
  const std::optional<SharedBytes> bytes = read(member, engine);
  if (!bytes) return false;
  const std::optional<Json> document = program::parse_json(bytes->bytes, member, location_, engine);
  if (!document) return false;
  JsonReader reader;
  const Place top(member);
  std::set<std::string> taken;
  for (const auto& [symbol, value] : reader.object(*document, top).items()) {
    const Place place(symbol, &top);
    std::string name = reader.text(value, place);
    if (reader.ok() && !taken.insert(name).second) reader.fail(place, "another name than that of another size");
    if (is_size_name(name)) size_names_.emplace(symbol, std::move(name));
  }
  if (reader.ok()) return true;
  engine.emit(diagnose<kModelStructure>(location_, reader.error_place(), reader.error_expected()));
  return false;
}

bool Pt2Archive::read_config(const std::string& member, const std::string& folder, Config& config,
                             DiagnosticEngine& engine) {
  if (zip_.find(member) == nullptr) return true;  // a model without weights may come without a config
  const std::optional<SharedBytes> bytes = read(member, engine);
  if (!bytes) return false;
  const std::optional<Json> document = program::parse_json(bytes->bytes, member, location_, engine);
  if (!document) return false;
  JsonReader reader;
  const Place top(member);
  const Json& entries = reader.object(reader.require(*document, "config", top), Place("config", &top));
  for (const auto& [name, entry] : entries.items()) {
    const Place place(name, &top);
    const Json& pickled = JsonReader::find(entry, "use_pickle");
    if (pickled.is_boolean() && pickled.get<bool>()) {
      engine.emit(diagnose<kPickledWeight>(location_, name));
      return false;
    }
    const Json& meta = reader.require(entry, "tensor_meta", place);
    if (meta.is_null() && JsonReader::find(entry, "path_name").is_null()) break;
    WeightView weight;
    weight.storage = folder + reader.text(reader.require(entry, "path_name", place), place);
    const std::int64_t number = reader.integer(reader.require(meta, "dtype", place), place);
    for (const Json& size : reader.array(reader.require(meta, "sizes", place), place))
      weight.shape.push_back(reader.constant_size(size, place));
    for (const Json& stride : reader.array(reader.require(meta, "strides", place), place))
      weight.strides.push_back(reader.constant_size(stride, place));
    weight.offset = reader.constant_size(reader.require(meta, "storage_offset", place), place);
    if (!reader.ok()) break;
    const std::optional<Dtype> dtype = program::dtype_of_number(number);
    if (!dtype) {
      engine.emit(diagnose<kUnsupportedDtype>(location_, name, program::dtype_number_name(number)));
      return false;
    }
    weight.dtype = *dtype;
    config.emplace(name, std::move(weight));
  }
  if (reader.ok()) return true;
  engine.emit(diagnose<kModelStructure>(location_, reader.error_place(), reader.error_expected()));
  return false;
}

const WeightView* Pt2Archive::find_weight(std::string_view name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? nullptr : &found->second;
}

const WeightView* Pt2Archive::find_constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : &found->second;
}

std::optional<SharedBytes> Pt2Archive::storage(const WeightView& weight, DiagnosticEngine& engine) const {
  return read(weight.storage, engine);
}

}  // namespace mlgc

// Members of the archive and the layout of weights; see archive.h.
#include "import/pt2/archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "diag/kinds_import.h"
#include "import/pt2/json.h"

namespace mlgc {

using pt2::Json;
using pt2::JsonReader;
using pt2::Place;

namespace {

// Deflated members are unusual (torch stores them); this bounds what a small file can make us hold.
constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 30;
// A view may repeat elements (stride 0, overlapping windows), but not without limit.
constexpr std::int64_t kMaxExpansion = 64;

struct DtypeNumber {
  std::int64_t number;
  std::string_view torch_name;
  std::optional<Dtype> dtype;
};
constexpr std::array kDtypeNumbers{DtypeNumber{1, "uint8", Dtype::UI8},
                                   DtypeNumber{2, "int8", Dtype::I8},
                                   DtypeNumber{3, "int16", Dtype::I16},
                                   DtypeNumber{4, "int32", Dtype::I32},
                                   DtypeNumber{5, "int64", Dtype::I64},
                                   DtypeNumber{6, "float16", Dtype::F16},
                                   DtypeNumber{7, "float32", Dtype::F32},
                                   DtypeNumber{8, "float64", Dtype::F64},
                                   DtypeNumber{9, "complex32", std::nullopt},
                                   DtypeNumber{10, "complex64", std::nullopt},
                                   DtypeNumber{11, "complex128", std::nullopt},
                                   DtypeNumber{12, "bool", Dtype::I1},
                                   DtypeNumber{13, "bfloat16", Dtype::BF16},
                                   DtypeNumber{28, "uint16", std::nullopt},
                                   DtypeNumber{29, "float8_e4m3fn", std::nullopt},
                                   DtypeNumber{30, "float8_e5m2", std::nullopt},
                                   DtypeNumber{31, "float8_e4m3fnuz", std::nullopt},
                                   DtypeNumber{32, "float8_e5m2fnuz", std::nullopt},
                                   DtypeNumber{33, "float8_e8m0fnu", std::nullopt},
                                   DtypeNumber{34, "uint32", std::nullopt},
                                   DtypeNumber{35, "uint64", std::nullopt}};

const DtypeNumber* find_number(std::int64_t number) {
  const auto found = std::find_if(kDtypeNumbers.begin(), kDtypeNumbers.end(),
                                  [number](const DtypeNumber& row) { return row.number == number; });
  return found == kDtypeNumbers.end() ? nullptr : &*found;
}

bool contiguous(const Pt2Weight& weight) {
  std::int64_t expected = 1;
  for (std::size_t i = weight.shape.size(); i-- > 0;) {
    if (weight.shape[i] != 1 && weight.strides[i] != expected) return false;
    expected *= weight.shape[i];
  }
  return true;
}

// Elements of the storage that a non-empty weight reaches: one more than its largest index; nothing when that leaves 64
// bits.
std::optional<std::int64_t> reach(const Pt2Weight& weight) {
  std::int64_t last = weight.offset;
  for (std::size_t i = 0; i < weight.shape.size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(weight.shape[i] - 1, weight.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  std::int64_t count = 0;
  if (__builtin_add_overflow(last, 1, &count)) return std::nullopt;
  return count;
}

void gather_strided(const Pt2Weight& weight, std::span<const std::byte> storage, std::span<std::byte> out) {
  const std::size_t width = dtype_info(weight.dtype).bytes;
  const std::size_t rank = weight.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::vector<std::int64_t> strides = weight.strides;
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (weight.shape[axis] == 1) strides[axis] = 0;  // never stepped along, so reach() does not bound it
  std::int64_t at = weight.offset;
  for (std::size_t byte = 0; byte < out.size(); byte += width) {
    std::memcpy(out.data() + byte, storage.data() + static_cast<std::size_t>(at) * width, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < weight.shape[axis]) break;
      at -= strides[axis] * weight.shape[axis];
      index[axis] = 0;
    }
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<Dtype> pt2_dtype(std::int64_t number) {
  const DtypeNumber* row = find_number(number);
  return row == nullptr ? std::nullopt : row->dtype;
}

std::string pt2_dtype_name(std::int64_t number) {
  const DtypeNumber* row = find_number(number);
  return row == nullptr ? "number " + std::to_string(number) : std::string(row->torch_name);
}

std::optional<Pt2Archive> Pt2Archive::open(const std::string& path, std::string_view model, LocationTable& locations,
                                           DiagnosticEngine& engine) {
  const Location at = locations.position(path, 1, 1);
  const Result<SharedBytes> file = map_file(path);
  if (!file) {
    engine.emit(diagnose<kNotAnArchive>(at, file.error()));
    return std::nullopt;
  }
  Result<ZipReader> zip = ZipReader::parse(*file, path, kMaxInflatedBytes);
  if (!zip) {
    engine.emit(diagnose<kNotAnArchive>(at, zip.error()));
    return std::nullopt;
  }
  Pt2Archive archive(std::move(zip).value(), at);
  if (!archive.read_versions(engine) || !archive.choose_model(model, engine)) return std::nullopt;
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
    engine.emit(diagnose<kArchiveMember>(location_, member, "not in the archive"));
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
    engine.emit(diagnose<kNotAnArchive>(location_, "no member ends in `/archive_format`"));
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
    engine.emit(diagnose<kArchiveMember>(location_, folder, "holds no exported program"));
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

bool Pt2Archive::read_config(const std::string& member, const std::string& folder, Config& config,
                             DiagnosticEngine& engine) {
  if (zip_.find(member) == nullptr) return true;  // a model without weights may come without a config
  const std::optional<SharedBytes> bytes = read(member, engine);
  if (!bytes) return false;
  const std::optional<Json> document = pt2::parse_json(bytes->bytes, member, location_, engine);
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
    Pt2Weight weight;
    weight.member = folder + reader.text(reader.require(entry, "path_name", place), place);
    const std::int64_t number = reader.integer(reader.require(meta, "dtype", place), place);
    for (const Json& size : reader.array(reader.require(meta, "sizes", place), place))
      weight.shape.push_back(reader.constant_size(size, place));
    for (const Json& stride : reader.array(reader.require(meta, "strides", place), place))
      weight.strides.push_back(reader.constant_size(stride, place));
    weight.offset = reader.constant_size(reader.require(meta, "storage_offset", place), place);
    if (!reader.ok()) break;
    const std::optional<Dtype> dtype = pt2_dtype(number);
    if (!dtype) {
      engine.emit(diagnose<kUnsupportedDtype>(location_, name, pt2_dtype_name(number)));
      return false;
    }
    weight.dtype = *dtype;
    config.emplace(name, std::move(weight));
  }
  if (reader.ok()) return true;
  engine.emit(diagnose<kModelStructure>(location_, reader.error_place(), reader.error_expected()));
  return false;
}

const Pt2Weight* Pt2Archive::find_weight(std::string_view name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? nullptr : &found->second;
}

const Pt2Weight* Pt2Archive::find_constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : &found->second;
}

Pt2Archive::Loaded Pt2Archive::load(const Pt2Weight& weight, std::string_view name, DiagnosticEngine& engine) const {
  const auto fail = [&](const std::string& reason) {
    engine.emit(diagnose<kWeightData>(location_, name, reason));
    return Loaded{std::nullopt, true};
  };
  const auto negative = [](std::int64_t value) { return value < 0; };
  if (weight.strides.size() != weight.shape.size()) return fail("sizes and strides differ in number");
  if (weight.offset < 0 || std::any_of(weight.strides.begin(), weight.strides.end(), negative))
    return fail("a negative offset or stride");
  const Result<std::int64_t> count = checked_element_count(weight.dtype, weight.shape);
  if (!count) return fail(count.error());
  const std::optional<SharedBytes> bytes = read(weight.member, engine);
  if (!bytes) return {std::nullopt, true};
  if (*count > 0 && bytes->size() == 0) return {};
  const std::size_t width = dtype_info(weight.dtype).bytes;
  const std::int64_t stored = static_cast<std::int64_t>(bytes->size() / width);
  if (*count > 0) {
    const std::optional<std::int64_t> reached = reach(weight);
    if (!reached || *reached > stored)
      return fail("it reaches beyond the " + std::to_string(bytes->size()) + " bytes of `" + weight.member + "`");
  }
  const auto result = [&](Result<Tensor> tensor) {
    if (!tensor) return fail(tensor.error());
    return Loaded{std::move(tensor).value(), false};
  };
  if (*count == 0) return result(Tensor::create(weight.dtype, weight.shape));
  if (contiguous(weight)) {
    const std::size_t begin = static_cast<std::size_t>(weight.offset) * width;
    return result(Tensor::view(weight.dtype, weight.shape,
                               bytes->bytes.subspan(begin, static_cast<std::size_t>(*count) * width), bytes->owner));
  }
  if (*count / kMaxExpansion > stored) return fail("a view repeats elements more than 64 times");
  std::vector<std::byte> elements(static_cast<std::size_t>(*count) * width);
  gather_strided(weight, bytes->bytes, elements);
  return result(Tensor::from_bytes(weight.dtype, weight.shape, elements));
}

}  // namespace mlgc

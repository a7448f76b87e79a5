// The safetensors format, after its specification. The JSON library stays private to this file.
#include "tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "support/file.h"

namespace mlgc {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kTensorAlignment = 64;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation

// In the order of Dtype.
constexpr std::array<std::string_view, kDtypeCount> kTypeNames{"BOOL", "I8",   "U8",  "I16", "I32", "I64",
                                                               "F16",  "BF16", "F32", "F64", "C64", "C128"};

std::string json_text(std::string_view text) {
  return Json(std::string(text.substr(0, 200))).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Finds a key that is twice in one object. The parser's own callback would do, but takes quadratic time.
class KeyWatch final : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] const std::optional<std::string>& twice() const { return twice_; }

  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second && !twice_) twice_ = name;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::optional<std::string> twice_;
};

// Parses JSON in which no object has a key twice.
Result<Json> parse_json(std::string_view text, const std::string& where, std::size_t offset) {
  try {
    Json json = Json::parse(text);
    KeyWatch watch;
    Json::sax_parse(text, &watch);
    if (watch.twice())
      return Failure{where + ": the key " + json_text(*watch.twice()) + " is twice in one object of the header"};
    return json;
  } catch (const Json::exception& error) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t at = offset + (parse_error != nullptr && parse_error->byte > 0 ? parse_error->byte - 1 : 0);
    std::string_view reason = error.what();
    if (const std::size_t colon = reason.find(": "); colon != std::string_view::npos) reason.remove_prefix(colon + 2);
    return Failure{where + ": byte " + std::to_string(at) + ": the header is not JSON: " + std::string(reason)};
  }
}

// A list of non-negative integers, as shapes and offsets are.
std::optional<Shape> integers(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  Shape result;
  for (const Json& item : json) {
    if (!item.is_number_unsigned() ||
        item.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    result.push_back(item.get<std::int64_t>());
  }
  return result;
}

struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::string name;
};

Result<NamedTensor> parse_tensor(const std::string& name, const Json& entry, const SharedBytes& data,
                                 const std::string& file_name, std::vector<Range>& ranges) {
  const auto fail = [&](const std::string& message) {
    return Failure{file_name + ": tensor " + json_text(name) + ": " + message};
  };
  if (!entry.is_object()) return fail("expected an object with dtype, shape and data_offsets");
  for (const auto& [key, value] : entry.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return fail("unknown key " + json_text(key) + ", expected dtype, shape and data_offsets");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!entry.contains(key)) return fail(std::string("the key \"") + key + "\" is missing");
  const Json& type = entry["dtype"];
  const auto known =
      type.is_string() ? std::ranges::find(kTypeNames, type.get_ref<const std::string&>()) : kTypeNames.end();
  if (known == kTypeNames.end())
    return fail("dtype is " + json_text(type.is_string() ? type.get<std::string>() : type.type_name()) +
                ", expected one of BOOL I8 U8 I16 I32 I64 F16 BF16 F32 F64");
  const auto dtype = static_cast<Dtype>(known - kTypeNames.begin());
  std::optional<Shape> shape = integers(entry["shape"]);
  if (!shape) return fail("shape: expected a list of integers between 0 and 2^63 - 1");
  const std::optional<Shape> offsets = integers(entry["data_offsets"]);
  if (!offsets || offsets->size() != 2) return fail("data_offsets: expected two integers between 0 and 2^63 - 1");
  const auto [begin, end] = std::pair((*offsets)[0], (*offsets)[1]);
  if (begin > end || static_cast<std::uint64_t>(end) > data.size())
    return fail("data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) +
                "] do not lie in the data section, which has " + std::to_string(data.size()) + " bytes");
  ranges.push_back({begin, end, name});
  const SharedBytes bytes = data.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  Result<Tensor> tensor = Tensor::view(dtype, *std::move(shape), bytes.bytes, bytes.owner);
  if (!tensor) return fail(tensor.error());
  return NamedTensor(name, std::move(tensor).value());
}

// The ranges tile [0, size) in some order.
Status<> check_tiling(std::vector<Range>& ranges, std::size_t size, const std::string& file_name) {
  std::ranges::sort(ranges, {}, [](const Range& r) { return std::tie(r.begin, r.end, r.name); });
  std::int64_t position = 0;
  for (const Range& range : ranges) {
    if (range.begin != position)
      return Failure{file_name + ": tensor " + json_text(range.name) + ": data_offsets start at " +
                     std::to_string(range.begin) + ", expected " + std::to_string(position) +
                     (range.begin < position ? " (it overlaps another tensor)" : " (there is a gap before it)")};
    position = range.end;
  }
  if (static_cast<std::size_t>(position) != size)
    return Failure{file_name + ": the tensors take " + std::to_string(position) + " bytes, but the data section has " +
                   std::to_string(size)};
  return {};
}

}  // namespace

const Tensor* Safetensors::find(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(tensors, name, {}, [](const NamedTensor& t) { return std::string_view(t.first); });
  return found != tensors.end() && found->first == name ? &found->second : nullptr;
}

Result<Safetensors> parse_safetensors(const SharedBytes& file, const std::string& name) {
  if (file.size() < 8)
    return Failure{name + ": byte 0: is not a safetensors file: expected the header's length in 8 bytes, found " +
                   std::to_string(file.size())};
  const auto header_size = load_little_endian<std::uint64_t>(file.bytes, 0);
  if (header_size > kMaxHeaderBytes || header_size > file.size() - 8)
    return Failure{name + ": byte 0: is not a safetensors file: a header of " + std::to_string(header_size) +
                   " bytes does not fit (" + std::to_string(file.size() - 8) + " follow, at most " +
                   std::to_string(kMaxHeaderBytes) + " are allowed)"};
  const std::string_view text = as_text(file.bytes.subspan(8, header_size));
  if (!text.starts_with('{'))
    return Failure{name + ": byte 8: is not a safetensors file: the header must start with '{'"};
  const Result<Json> header = parse_json(text, name, 8);
  if (!header) return Failure{header.error()};
  const SharedBytes data = file.slice(8 + header_size, file.size() - 8 - header_size);

  Safetensors result;
  std::vector<Range> ranges;
  for (const auto& [key, entry] : header->items()) {  // sorted by key
    if (key == kMetadata) {
      if (!entry.is_object()) return Failure{name + ": __metadata__: expected an object of strings"};
      for (const auto& [word, value] : entry.items()) {
        if (!value.is_string()) return Failure{name + ": __metadata__: " + json_text(word) + ": expected a string"};
        result.metadata.emplace(word, value.get<std::string>());
      }
      continue;
    }
    Result<NamedTensor> tensor = parse_tensor(key, entry, data, name, ranges);
    if (!tensor) return Failure{tensor.error()};
    result.tensors.push_back(std::move(tensor).value());
  }
  if (Status<> status = check_tiling(ranges, data.size(), name); !status) return Failure{status.error()};
  return result;
}

Result<Safetensors> read_safetensors(const std::string& path) {
  const Result<SharedBytes> file = map_file(path);
  if (!file) return Failure{file.error()};
  return parse_safetensors(*file, path);
}

Result<SafetensorsLayout> lay_out_safetensors(std::span<const NamedTensor> tensors,
                                              const std::map<std::string, std::string>& metadata) {
  SafetensorsLayout layout;
  layout.order.resize(tensors.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  std::ranges::sort(layout.order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      const Tensor& tensor = tensors[i].second;
      const bool uneven = tensor.byte_size() % kTensorAlignment != 0;
      return std::tuple(uneven, -static_cast<std::ptrdiff_t>(dtype_info(tensor.dtype()).bytes),
                        std::string_view(tensors[i].first));
    };
    return key(a) < key(b);
  });
  Json header = Json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  std::size_t offset = 0;
  layout.offsets.resize(tensors.size());
  for (const std::size_t number : layout.order) {
    const auto& [name, value] = tensors[number];
    if (name == kMetadata) return Failure{std::string("a tensor cannot be called __metadata__ in safetensors")};
    if (header.contains(name)) return Failure{"two tensors would be called " + json_text(name)};
    header[name] = {{"dtype", kTypeNames[static_cast<std::size_t>(value.dtype())]},
                    {"shape", value.shape()},
                    {"data_offsets", {offset, offset + value.byte_size()}}};
    layout.offsets[number] = offset;
    offset += value.byte_size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    return Failure{std::string("a tensor name or a metadata text is not UTF-8, which safetensors demands")};
  }
  text.append((kTensorAlignment - (8 + text.size()) % kTensorAlignment) % kTensorAlignment, ' ');
  append_little_endian<std::uint64_t>(layout.start, text.size());
  layout.start += text;
  for (std::uint64_t& from_data : layout.offsets) from_data += layout.start.size();
  layout.bytes = layout.start.size() + offset;
  return layout;
}

Status<> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                           const std::map<std::string, std::string>& metadata) {
  const Result<SafetensorsLayout> layout = lay_out_safetensors(tensors, metadata);
  if (!layout) return Failure{path + ": " + layout.error()};
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return Failure{file.error()};
  if (Status<> status = file->write(layout->start); !status) return status;
  for (const std::size_t number : layout->order)
    if (Status<> status = file->write(tensors[number].second.bytes()); !status) return status;
  return file->commit();
}

}  // namespace mlgc

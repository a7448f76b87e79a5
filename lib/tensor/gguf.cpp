// Header, metadata and table of tensors, versions 2 and 3; see gguf.h. Blocks are read in gguf_blocks.cpp.
#include "tensor/gguf.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "support/file.h"
#include "tensor/gguf_blocks.h"

namespace mlgc {
namespace {

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::uint32_t kOldest = 2, kNewest = 3;
constexpr std::uint32_t kMaxRank = 4;  // of ggml
constexpr std::uint64_t kDefaultAlignment = 32, kMaxAlignment = std::uint64_t{1} << 20;
constexpr int kMaxArrayDepth = 4;
constexpr std::size_t kShown = 80;  // characters of a name in a message
// The least bytes of an entry: the length of its name, and what follows.
constexpr std::uint64_t kLeastPair = 8 + 4 + 1, kLeastTensor = 8 + 4 + 4 + 8;

// Types of metadata.
enum Value : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, Array, U64, I64, F64, kValues };
constexpr std::uint64_t kValueBytes[kValues] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};  // at least

std::string shown_name(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\')
      out += c;
    else
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
  }
  return out + (text.size() > kShown ? "…\"" : "\"");
}

// Reads forwards. After the first failure every function answers with zeros.
class Reader {
 public:
  Reader(const SharedBytes& file, const std::string& name) : file_(file), name_(name) {}

  Result<Gguf> run() {
    const auto [tensors, pairs] = header();
    for (std::uint64_t i = 0; ok() && i < pairs; ++i) pair();
    const std::uint64_t alignment = alignment_of_data();
    for (std::uint64_t i = 0; ok() && i < tensors; ++i) tensor(alignment);
    if (ok()) place(alignment);
    if (!ok()) return Failure{std::move(*error_)};
    return std::move(gguf_);
  }

 private:
  struct Range {
    std::uint64_t begin = 0, size = 0, entry = 0;  // in the data section; where it is stated
  };

  [[nodiscard]] bool ok() const { return !error_; }
  [[nodiscard]] std::uint64_t left() const { return file_.size() - at_; }

  void fail(std::uint64_t at, const std::string& what) {
    if (!error_) error_ = name_ + ": byte " + std::to_string(at) + ": " + what;
  }
  void fail_tensor(std::uint64_t at, std::string_view tensor, const std::string& what) {
    fail(at, "tensor " + shown_name(tensor) + ": " + what);
  }

  bool has(std::uint64_t bytes, std::string_view what) {
    if (ok() && left() < bytes)
      fail(at_, "the file ends within " + std::string(what) + ": expected " + std::to_string(bytes) + " bytes, found " +
                    std::to_string(left()));
    return ok();
  }
  template <class T>
  T number(std::string_view what) {
    if (!has(sizeof(T), what)) return 0;
    const T value = load_little_endian<T>(file_.bytes, at_);
    at_ += sizeof(T);
    return value;
  }
  std::string_view text(std::string_view what) {
    const std::uint64_t start = at_, length = number<std::uint64_t>(what);
    if (ok() && length > left())
      fail(start,
           std::string(what) + " has " + std::to_string(length) + " bytes, but " + std::to_string(left()) + " follow");
    if (!ok()) return {};
    at_ += length;
    return as_text(file_.bytes.subspan(at_ - length, length));
  }
  // A number of entries that the rest of the file can hold.
  std::uint64_t count(std::string_view what, std::uint64_t least) {
    const std::uint64_t start = at_, value = number<std::uint64_t>(what);
    if (ok() && value > left() / least)
      fail(start, std::to_string(value) + " " + std::string(what) + " do not fit in the " + std::to_string(left()) +
                      " bytes that follow");
    return ok() ? value : 0;
  }

  std::pair<std::uint64_t, std::uint64_t> header() {
    if (!as_text(file_.bytes.first(std::min<std::size_t>(file_.size(), kGgufMagic.size()))).starts_with(kGgufMagic))
      fail(0, "is not a GGUF file: it must start with `GGUF`");
    at_ = ok() ? kGgufMagic.size() : 0;
    const auto version = number<std::uint32_t>("the version");
    if (ok() && (version < kOldest || version > kNewest))
      fail(4, (version & 0xffffU) == 0 ? std::string("the file is big-endian, which is not read")
                                       : "version " + std::to_string(version) + ", expected 2 or 3");
    const std::uint64_t start = at_, tensors = number<std::uint64_t>("the number of tensors");
    const std::uint64_t pairs = count("metadata entries", kLeastPair);
    if (ok() && tensors > left() / kLeastTensor)
      fail(start,
           std::to_string(tensors) + " tensors do not fit in the " + std::to_string(left()) + " bytes that follow");
    return {tensors, pairs};
  }

  std::uint32_t value_type() {
    const std::uint64_t start = at_;
    const auto type = number<std::uint32_t>("the type of a value");
    if (ok() && type >= kValues) fail(start, "a value of type " + std::to_string(type) + ", expected 0 to 12");
    return ok() ? type : 0;
  }

  void pair() {
    const std::uint64_t start = at_;
    const std::string key(text("a key"));
    if (ok() && !gguf_.keys.insert(key).second) fail(start, "the key " + shown_name(key) + " is twice in the metadata");
    const std::uint32_t type = value_type();
    if (!ok()) return;
    switch (type) {
      case U8: gguf_.integers.emplace(key, number<std::uint8_t>("a value")); break;
      case I8: gguf_.integers.emplace(key, static_cast<std::int8_t>(number<std::uint8_t>("a value"))); break;
      case U16: gguf_.integers.emplace(key, number<std::uint16_t>("a value")); break;
      case I16: gguf_.integers.emplace(key, static_cast<std::int16_t>(number<std::uint16_t>("a value"))); break;
      case U32: gguf_.integers.emplace(key, number<std::uint32_t>("a value")); break;
      case I32: gguf_.integers.emplace(key, static_cast<std::int32_t>(number<std::uint32_t>("a value"))); break;
      case U64:
        if (const auto value = number<std::uint64_t>("a value"); value >> 63U == 0)
          gguf_.integers.emplace(key, static_cast<std::int64_t>(value));
        break;
      case I64: gguf_.integers.emplace(key, static_cast<std::int64_t>(number<std::uint64_t>("a value"))); break;
      case Text: gguf_.strings.emplace(key, text("a text")); break;
      default: skip(type, 0);
    }
  }

  void skip(std::uint32_t type, int depth) {
    if (type == Text) {
      (void)text("a text");
    } else if (type != Array) {
      if (has(kValueBytes[type], "a value")) at_ += kValueBytes[type];
    } else if (depth == kMaxArrayDepth) {
      fail(at_, "arrays are nested more than " + std::to_string(kMaxArrayDepth) + " deep");
    } else {
      const std::uint32_t item = value_type();
      const std::uint64_t items = count("items", kValueBytes[item]);
      if (item != Text && item != Array)
        at_ += items * kValueBytes[item];
      else
        for (std::uint64_t i = 0; ok() && i < items; ++i) skip(item, depth + 1);
    }
  }

  std::uint64_t alignment_of_data() {
    const auto stated = gguf_.integers.find("general.alignment");
    if (stated == gguf_.integers.end()) return kDefaultAlignment;
    const std::int64_t value = stated->second;
    if (value <= 0 || value % 8 != 0 || static_cast<std::uint64_t>(value) > kMaxAlignment) {
      fail(at_, "general.alignment is " + std::to_string(value) + ", expected a multiple of 8 up to " +
                    std::to_string(kMaxAlignment));
      return kDefaultAlignment;
    }
    return static_cast<std::uint64_t>(value);
  }

  void tensor(std::uint64_t alignment) {
    const std::uint64_t start = at_;
    GgufTensor tensor;
    tensor.name = text("the name of a tensor");
    if (ok() && !names_.insert(tensor.name).second) fail(start, "two tensors are called " + shown_name(tensor.name));
    const auto rank = number<std::uint32_t>("the rank of a tensor");
    if (ok() && rank > kMaxRank)
      fail_tensor(start, tensor.name, std::to_string(rank) + " axes, expected at most " + std::to_string(kMaxRank));
    for (std::uint32_t i = 0; ok() && i < rank; ++i) {
      const auto size = number<std::uint64_t>("the shape of a tensor");
      if (size >> 63U != 0) fail_tensor(start, tensor.name, "a size of " + std::to_string(size));
      tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(size));
    }
    const auto number_of_type = number<std::uint32_t>("the type of a tensor");
    const auto offset = number<std::uint64_t>("the offset of a tensor");
    if (!ok()) return;
    const GgufBlock* const block = find_gguf_block(number_of_type);
    if (block == nullptr)
      return fail_tensor(start, tensor.name,
                         "type " + std::to_string(number_of_type) + " is not read; " + gguf_types_text() + " are");
    tensor.type = block->type;
    // In f32, which is the largest that it is read as.
    const Result<std::int64_t> elements = checked_element_count(Dtype::F32, tensor.shape);
    if (!elements) return fail_tensor(start, tensor.name, elements.error());
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % block->elements != 0)
      return fail_tensor(start, tensor.name,
                         "rows of " + std::to_string(row) + " elements are no whole blocks of " +
                             std::string(block->name) + ", which have " + std::to_string(block->elements));
    if (offset % alignment != 0)
      return fail_tensor(
          start, tensor.name,
          "its data start at " + std::to_string(offset) + ", which is no multiple of " + std::to_string(alignment));
    ranges_.push_back({offset, static_cast<std::uint64_t>(*elements / block->elements * block->bytes), start});
    gguf_.tensors.push_back(std::move(tensor));
  }

  // Gives each tensor its bytes of the data section.
  void place(std::uint64_t alignment) {
    const std::uint64_t section = std::min<std::uint64_t>((at_ + alignment - 1) / alignment * alignment, file_.size());
    const std::uint64_t bytes = file_.size() - section;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      GgufTensor& tensor = gguf_.tensors[i];
      const auto [begin, size, entry] = ranges_[i];
      if (size > bytes || begin > bytes - size)
        return fail_tensor(entry, tensor.name,
                           std::to_string(size) + " bytes at " + std::to_string(begin) +
                               " do not lie in the data, which have " + std::to_string(bytes));
      tensor.data = file_.slice(section + begin, size);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      if (ranges_[i].size != 0) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(ranges_[i].begin, i); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Range& before = ranges_[order[i - 1]];
      if (before.begin + before.size > ranges_[order[i]].begin)
        return fail_tensor(ranges_[order[i]].entry, gguf_.tensors[order[i]].name,
                           "its data overlap those of " + shown_name(gguf_.tensors[order[i - 1]].name));
    }
  }

  const SharedBytes& file_;
  const std::string& name_;
  std::uint64_t at_ = 0;
  std::optional<std::string> error_;
  std::set<std::string> names_;
  std::vector<Range> ranges_;  // of gguf_.tensors
  Gguf gguf_;
};

}  // namespace

std::string_view gguf_type_name(GgufType type) { return find_gguf_block(static_cast<std::uint32_t>(type))->name; }

Result<Tensor> GgufTensor::read() const {
  const GgufBlock& block = *find_gguf_block(static_cast<std::uint32_t>(type));
  if (block.dequantise == nullptr) return Tensor::view(block.dtype, shape, data.bytes, data.owner);
  Result<Tensor> tensor = Tensor::create(Dtype::F32, shape);
  if (!tensor) return tensor;
  float* out = tensor->mutable_data<float>().data();
  for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(block.bytes), out += block.elements)
    block.dequantise(data.bytes.data() + at, out);
  return tensor;
}

const GgufTensor* Gguf::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

Result<Gguf> parse_gguf(const SharedBytes& file, const std::string& name) { return Reader(file, name).run(); }

Result<Gguf> read_gguf(const std::string& path) {
  const Result<SharedBytes> file = map_file(path);
  if (!file) return Failure{file.error()};
  return parse_gguf(*file, path);
}

}  // namespace mlgc

// The .npy format, after NEP 1 and numpy.lib.format.
#include "tensor/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "support/file.h"

namespace mlgc {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kDataAlignment = 64;
static_assert(std::endian::native == std::endian::little, "tensors are stored in host order, files in little endian");

struct TypeCode {
  std::string_view code;  // as in `descr`, after the byte order
  Dtype dtype;
};
constexpr std::array<TypeCode, 11> kTypeCodes{{{"b1", Dtype::I1},
                                               {"i1", Dtype::I8},
                                               {"u1", Dtype::UI8},
                                               {"i2", Dtype::I16},
                                               {"i4", Dtype::I32},
                                               {"i8", Dtype::I64},
                                               {"f2", Dtype::F16},
                                               {"f4", Dtype::F32},
                                               {"f8", Dtype::F64},
                                               {"c8", Dtype::C64},
                                               {"c16", Dtype::C128}}};

std::string known_types() {
  std::string text;
  for (const TypeCode& code : kTypeCodes) text += " " + std::string(code.code);
  return text;
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// Reads the Python literal `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, keys in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // The position in the text where parsing stopped, and what was expected there.
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const std::string& expected() const { return expected_; }

  [[nodiscard]] std::optional<Header> run() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    if (!take('{')) return fail("'{'");
    while (!take('}')) {
      skip_space();
      const std::size_t start = position_;
      const std::optional<std::string> key = string();
      if (!key) return fail("a key in quotes or '}'");
      if (!take(':')) return fail("':'");
      bool* seen = *key == "descr"           ? &has_descr
                   : *key == "fortran_order" ? &has_order
                   : *key == "shape"         ? &has_shape
                                             : nullptr;
      if (seen == nullptr || std::exchange(*seen, true)) {
        position_ = start;
        return fail("each of the keys 'descr', 'fortran_order' and 'shape' once");
      }
      if (seen == &has_descr) {
        std::optional<std::string> descr = string();
        if (!descr) return fail("a simple type such as '<f4' (structured types are not supported)");
        header.descr = *std::move(descr);
      } else if (seen == &has_order) {
        if (!boolean(header.fortran_order)) return fail("True or False");
      } else if (!shape(header.shape)) {
        return std::nullopt;
      }
      if (take(',')) continue;
      if (!take('}')) return fail("',' or '}'");
      break;
    }
    skip_space();
    if (position_ != text_.size()) return fail("nothing after '}'");
    if (!has_descr || !has_order || !has_shape) return fail("the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  std::nullopt_t fail(std::string expected) {
    if (expected_.empty()) expected_ = std::move(expected);
    return std::nullopt;
  }
  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  bool take(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  std::optional<std::string> string() {
    skip_space();
    if (position_ >= text_.size() || (text_[position_] != '\'' && text_[position_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[position_], position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return result;
  }
  bool boolean(bool& value) {
    value = take_word("True");
    return value || take_word("False");
  }
  bool shape(Shape& result) {
    bool open = take('(');
    if (!open) fail("'('");
    while (open && !take(')')) {
      skip_space();
      std::int64_t extent = 0;
      const char* begin = text_.data() + position_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0) return fail("an extent between 0 and 2^63 - 1, or ')'"), false;
      position_ += static_cast<std::size_t>(end - begin);
      take('L');  // Python 2 wrote long integers with it
      result.push_back(extent);
      if (take(',')) continue;
      if (!take(')')) return fail("',' or ')'"), false;
      break;
    }
    return open;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string expected_;
};

// A printable form of bytes from a file.
std::string visible(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 60)) result += c >= 0x20 && c < 0x7F ? c : '?';
  return result;
}

std::vector<std::byte> swapped(std::span<const std::byte> bytes, std::size_t element) {
  std::vector<std::byte> result(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i + element <= result.size(); i += element)
    std::reverse(result.begin() + static_cast<std::ptrdiff_t>(i),
                 result.begin() + static_cast<std::ptrdiff_t>(i + element));
  return result;
}

// `source` holds the elements of `shape` with the first index running fastest; the result has the last one fastest.
std::vector<std::byte> from_fortran_order(std::span<const std::byte> source, const Shape& shape, std::size_t element) {
  std::vector<std::byte> result(source.size());
  std::vector<std::size_t> stride(shape.size());
  std::size_t step = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    stride[d] = step;
    step *= static_cast<std::size_t>(shape[d]);
  }
  Shape index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += element) {
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), element,
                result.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

// What the header says, checked against the size of the file.
struct Layout {
  Header header;
  char order = '=';
  Dtype dtype = Dtype::F32;
  std::size_t data_start = 0, data_size = 0;
};

Failure<std::string> fault(const std::string& name, std::size_t offset, const std::string& message) {
  return Failure{name + ": byte " + std::to_string(offset) + ": " + message};
}

// Of a file of `size` bytes that begins with `start`.
Result<Layout> read_layout(std::span<const std::byte> start, std::uint64_t size, const std::string& name,
                           NpyVoid2 void2) {
  const auto fail = [&](std::size_t offset, const std::string& message) { return fault(name, offset, message); };
  const std::string_view text = as_text(start);
  if (!text.starts_with(kMagic)) return fail(0, "is not an .npy file: expected \"\\x93NUMPY\"");
  if (text.size() < 10) return fail(text.size(), "the file ends in its header");
  const int major = std::to_integer<int>(start[6]);
  if (major < 1 || major > 3) return fail(6, "has format version " + std::to_string(major) + ", expected 1, 2 or 3");
  const std::size_t header_start = major == 1 ? 10 : 12;
  if (text.size() < header_start) return fail(text.size(), "the file ends in its header");
  const std::size_t header_size =
      major == 1 ? load_little_endian<std::uint16_t>(start, 8) : load_little_endian<std::uint32_t>(start, 8);
  if (header_size > size - header_start)
    return fail(8, "the header has " + std::to_string(header_size) + " bytes, but only " +
                       std::to_string(size - header_start) + " follow");
  if (header_size > text.size() - header_start)
    return fail(8, "the header has " + std::to_string(header_size) + " bytes, more than the " +
                       std::to_string(text.size() - header_start) + " that are read of a member that is deflated");
  HeaderParser parser(text.substr(header_start, header_size));
  std::optional<Header> header = parser.run();
  if (!header) return fail(header_start + parser.position(), "expected " + parser.expected() + " in the header");

  const char order = header->descr.empty() ? '?' : header->descr.front();
  const std::string_view code = header->descr.empty() ? "" : std::string_view(header->descr).substr(1);
  const auto known = std::ranges::find(kTypeCodes, code, &TypeCode::code);
  std::optional<Dtype> dtype;
  if (known != kTypeCodes.end()) dtype = known->dtype;
  if (code == "V2") {
    if (void2 == NpyVoid2::Refuse)
      return fail(header_start, "holds elements of type '" + header->descr +
                                    "', which may or may not be bf16: store bf16 tensors as safetensors");
    dtype = Dtype::BF16;
  }
  if (!dtype || std::string_view("<>=|").find(order) == std::string_view::npos)
    return fail(header_start, "holds elements of type '" + visible(header->descr) + "', expected one of" +
                                  known_types() + " after '<', '>', '=' or '|'");
  const Result<std::int64_t> count = checked_element_count(*dtype, header->shape);
  if (!count) return fail(header_start, count.error());
  const std::size_t element = dtype_info(*dtype).bytes;
  const std::size_t data_start = header_start + header_size;
  const std::size_t wanted = static_cast<std::size_t>(*count) * element;
  if (size - data_start != wanted)
    return fail(data_start, "expected " + std::to_string(wanted) + " bytes of elements for " +
                                to_string(*dtype, header->shape) + ", found " + std::to_string(size - data_start));
  return Layout{*std::move(header), order, *dtype, data_start, wanted};
}

}  // namespace

Status<> check_npy_start(std::span<const std::byte> start, std::uint64_t size, const std::string& name,
                         NpyVoid2 void2) {
  const Result<Layout> layout = read_layout(start, size, name, void2);
  return layout ? Status<>() : Failure{layout.error()};
}

Result<Tensor> parse_npy(const SharedBytes& file, const std::string& name, NpyVoid2 void2) {
  Result<Layout> layout = read_layout(file.bytes, file.size(), name, void2);
  if (!layout) return Failure{layout.error()};
  Header& header = layout->header;
  const Dtype dtype = layout->dtype;
  const std::size_t element = dtype_info(dtype).bytes;
  const SharedBytes data = file.slice(layout->data_start, layout->data_size);
  const bool swap = layout->order == '>' && element > 1;
  const bool transpose = header.fortran_order && header.shape.size() > 1;
  Result<Tensor> result = Failure{std::string()};
  if (swap || transpose) {
    std::vector<std::byte> moved = swap ? swapped(data.bytes, is_complex(dtype) ? element / 2 : element)
                                        : std::vector<std::byte>(data.bytes.begin(), data.bytes.end());
    if (transpose) moved = from_fortran_order(moved, header.shape, element);
    result = Tensor::from_bytes(dtype, std::move(header.shape), moved);
  } else {
    result = Tensor::view(dtype, std::move(header.shape), data.bytes, data.owner);
  }
  if (!result) return fault(name, layout->data_start, result.error());
  return result;
}

Result<Tensor> read_npy(const std::string& path, NpyVoid2 void2) {
  const Result<SharedBytes> file = map_file(path);
  if (!file) return Failure{file.error()};
  return parse_npy(*file, path, void2);
}

Result<std::string> npy_header(Dtype dtype, std::span<const std::int64_t> shape) {
  const auto type = std::ranges::find(kTypeCodes, dtype, &TypeCode::dtype);
  if (type == kTypeCodes.end())
    return Failure{"NumPy files cannot hold " + std::string(dtype_info(dtype).name) +
                   ": write safetensors, or cast to f32 first"};
  std::string dictionary = "{'descr': '";
  dictionary += dtype_info(dtype).bytes == 1 ? '|' : '<';
  dictionary.append(type->code).append("', 'fortran_order': False, 'shape': (");
  for (std::size_t i = 0; i < shape.size(); ++i)
    dictionary += (i == 0 ? "" : " ") + std::to_string(shape[i]) + (i + 1 < shape.size() || i == 0 ? "," : "");
  dictionary += "), }";
  // A rank that does not fit into the 16-bit length of version 1 takes version 2.
  const bool long_header = dictionary.size() + kDataAlignment > 0xFFFF;
  const std::size_t start = long_header ? 12 : 10;
  const std::size_t total = (start + dictionary.size() + 1 + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  dictionary.resize(total - start - 1, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += {static_cast<char>(long_header ? 2 : 1), '\0'};
  if (long_header)
    append_little_endian(header, static_cast<std::uint32_t>(dictionary.size()));
  else
    append_little_endian(header, static_cast<std::uint16_t>(dictionary.size()));
  return header + dictionary;
}

Status<> write_npy(const std::string& path, const Tensor& tensor) {
  const Result<std::string> header = npy_header(tensor.dtype(), tensor.shape());
  if (!header) return Failure{path + ": " + header.error()};
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return Failure{file.error()};
  if (Status<> status = file->write(*header); !status) return status;
  if (Status<> status = file->write(tensor.bytes()); !status) return status;
  return file->commit();
}

}  // namespace mlgc

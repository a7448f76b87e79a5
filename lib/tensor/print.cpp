// Text of tensors and numbers.
#include "tensor/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

namespace mlgc {
namespace {

constexpr std::size_t kMaxPrintedRank = 1000;
constexpr std::int64_t kGap = -1;  // stands for the elements that are left out

// "1" -> "1.0"; digits with a point or an exponent, and nan and inf, stay.
std::string as_float(std::string text) {
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "nan";
  char buffer[64];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return as_float(std::string(buffer, result.ptr));
}

// For formats that std::to_chars does not know: the fewest digits that read back to the same bits.
template <class Narrow>
std::string shortest_narrow(float value, Narrow narrow) {
  if (!std::isfinite(value)) return shortest(value);
  char buffer[64];
  for (int digits = 1;; ++digits) {
    const std::to_chars_result result =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
    float back = 0;
    std::from_chars(buffer, result.ptr, back);
    // Nine digits identify every f32, hence also what is narrower.
    if (narrow(back) == narrow(value) || digits == 9) return as_float(std::string(buffer, result.ptr));
  }
}

class Printer {
 public:
  Printer(const Tensor& tensor, const TensorPrintOptions& options)
      : tensor_(tensor), shape_(tensor.shape()), summarise_(tensor.size() > options.max_elements), options_(options) {
    if (shape_.size() > kMaxPrintedRank) shape_ = {tensor.size()};
  }

  std::string run() {
    walk(
        0, 0, [&](std::int64_t i) { width_ = std::max(width_, print_element(tensor_, i).size()); }, nullptr);
    std::string text;
    walk(
        0, 0,
        [&](std::int64_t i) {
          const std::string element = print_element(tensor_, i);
          text.append(width_ - element.size(), ' ').append(element);
        },
        &text);
    return text;
  }

 private:
  // What is shown of dimension `d`, in order.
  [[nodiscard]] std::vector<std::int64_t> shown(std::size_t d) const {
    const std::int64_t extent = shape_[d];
    const std::int64_t edge = std::max<std::int64_t>(options_.edge_items, 1);
    std::vector<std::int64_t> indices;
    if (summarise_ && edge < extent - edge) {
      for (std::int64_t i = 0; i < edge; ++i) indices.push_back(i);
      indices.push_back(kGap);
      for (std::int64_t i = extent - edge; i < extent; ++i) indices.push_back(i);
    } else {
      for (std::int64_t i = 0; i < extent; ++i) indices.push_back(i);
    }
    return indices;
  }

  // Calls `leaf` for each element shown below dimension `d`, writing brackets and separators to `text` unless null.
  template <class Leaf>
  void walk(std::size_t d, std::int64_t offset, const Leaf& leaf, std::string* text) const {
    if (d == shape_.size()) {
      leaf(offset);
      return;
    }
    const bool innermost = d + 1 == shape_.size();
    if (text != nullptr) *text += '[';
    bool first = true;
    for (const std::int64_t i : shown(d)) {
      if (text != nullptr && !first) {
        if (innermost)
          *text += ", ";
        else
          text->append(",").append(shape_.size() - d - 1, '\n').append(d + 1, ' ');
      }
      first = false;
      if (i != kGap)
        walk(d + 1, offset * shape_[d] + i, leaf, text);
      else if (text != nullptr)
        *text += "...";
    }
    if (text != nullptr) *text += ']';
  }

  const Tensor& tensor_;
  Shape shape_;
  bool summarise_;
  TensorPrintOptions options_;
  std::size_t width_ = 0;
};

}  // namespace

std::string format_number(double value) { return shortest(value); }
std::string format_number(float value) { return shortest(value); }
std::string format_number(Half value) {
  return shortest_narrow(to_float(value), [](float v) { return to_half(v); });
}
std::string format_number(BFloat16 value) {
  return shortest_narrow(to_float(value), [](float v) { return to_bfloat16(v); });
}

std::string print_element(const Tensor& tensor, std::int64_t i) {
  MLGC_ASSERT(i >= 0 && i < tensor.size(), "element " + std::to_string(i) + " of " + tensor.type_string());
  if (is_complex(tensor.dtype())) {
    const Tensor parts = tensor.parts();
    const std::string imaginary = print_element(parts, 2 * i + 1);
    return print_element(parts, 2 * i) + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
  }
  return visit_dtype(tensor.dtype(), [&]<class T>() -> std::string {
    const T value = tensor.data<T>()[static_cast<std::size_t>(i)];
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_integral_v<T>)
      return std::to_string(value);
    else
      return format_number(value);
  });
}

std::string print_tensor(const Tensor& tensor, const TensorPrintOptions& options) {
  return tensor.empty() ? "[]" : Printer(tensor, options).run();
}

}  // namespace mlgc

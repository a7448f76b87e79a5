// See input_spec.h.
#include "execution/input_spec.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "tensor/random.h"

namespace mlgc {
namespace {

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// `8x4xf32` or `f32`; nothing when the text is no type at all.
using ParsedShape = Result<std::pair<Dtype, Shape>, SpecFault>;
std::optional<ParsedShape> parse_shape(std::string_view text) {
  const std::size_t last = text.rfind('x');
  const std::string_view element = last == std::string_view::npos ? text : text.substr(last + 1);
  const std::optional<Dtype> dtype = parse_dtype(element);
  if (!dtype) return std::nullopt;
  Shape shape;
  std::string_view rest = last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('x');
    const std::string_view digits = rest.substr(0, end);
    const auto extent = number<std::int64_t>(digits);
    if (!extent) {
      if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
      return ParsedShape(
          Failure{SpecFault{"the size `" + std::string(digits) + "` is larger than any: at most 2^63 - 1", true}});
    }
    if (*extent < 0) return ParsedShape(Failure{"the size " + std::to_string(*extent) + " is negative"});
    shape.push_back(*extent);
    rest.remove_prefix(end + 1);
  }
  if (const auto count = checked_element_count(*dtype, shape); !count)
    return ParsedShape(Failure{SpecFault{count.error(), true}});
  return ParsedShape(std::pair{*dtype, shape});
}

bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$.";
  return !text.empty() && kLetters.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$.-0123456789") ==
             std::string_view::npos;
}

bool is_literal(std::string_view item) {
  return item == "true" || item == "false" || number<double>(item) || number<std::int64_t>(item);
}

Result<RandomFill> parse_random(std::string_view options) {
  RandomFill fill;
  while (!options.empty()) {
    const std::string_view item = options.substr(0, options.find(','));
    options.remove_prefix(std::min(options.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    if ((key == "seed" && fill.seed) || (key == "lo" && fill.low) || (key == "hi" && fill.high))
      return Failure{"`" + std::string(key) + "` is given twice"};
    if (key == "seed") {
      fill.seed = number<std::uint64_t>(value);
      if (!fill.seed) return Failure{"a seed is a number from 0 to 2^64 - 1"};
    } else if (key == "lo" || key == "hi") {
      const auto bound = number<double>(value);
      if (!bound || !std::isfinite(*bound)) return Failure{"`" + std::string(key) + "` is a number"};
      (key == "lo" ? fill.low : fill.high) = *bound;
    } else {
      return Failure{"`rand` takes seed=, lo= and hi=, not `" + std::string(item) + "`"};
    }
  }
  if (fill.low.has_value() != fill.high.has_value()) return Failure<std::string>{"`lo` and `hi` are given together"};
  if (fill.low && *fill.low > *fill.high) return Failure<std::string>{"`lo` is above `hi`"};
  return fill;
}

Status<> parse_value(InputSpec& spec, std::string_view text) {
  if (text.starts_with('@')) {
    FromFile file{std::string(text.substr(1)), ""};
    if (const std::size_t colon = file.path.rfind(".npz:"); colon != std::string::npos) {
      file.member = file.path.substr(colon + 5);
      file.path.resize(colon + 4);
    }
    if (file.path.empty()) return Failure<std::string>{"`@` needs the name of a file"};
    spec.value = std::move(file);
    return {};
  }
  if (text == "iota") {
    spec.value = IotaFill{};
    return {};
  }
  if (text == "rand" || text.starts_with("rand:")) {
    Result<RandomFill> fill = parse_random(text.substr(std::min<std::size_t>(text.size(), 5)));
    if (!fill) return Failure{fill.error()};
    spec.value = *fill;
    return {};
  }
  Literal literal;
  literal.list = text.find_first_of(", []") != std::string_view::npos;
  while (true) {
    const std::size_t begin = text.find_first_not_of(", []");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string_view item = text.substr(0, text.find_first_of(", []"));
    if (!is_literal(item)) return Failure{"`" + std::string(item) + "` is no value"};
    literal.numbers.emplace_back(item);
    text.remove_prefix(item.size());
  }
  if (literal.numbers.empty() && !literal.list) return Failure<std::string>{"the value is empty"};
  spec.value = std::move(literal);
  return {};
}

// Into element `i`; false when the dtype has no such value.
bool set_number(Tensor& tensor, std::int64_t i, std::string_view text) {
  const Dtype dtype = tensor.dtype();
  if (text == "true" || text == "false") {
    tensor.set_int(i, text == "true" ? 1 : 0);
    return true;
  }
  if (is_float(dtype)) {
    const auto value = number<double>(text);
    if (value) tensor.set_double(i, *value);
    return value.has_value();
  }
  const auto value = number<std::int64_t>(text);
  if (!value) return false;
  tensor.set_int(i, *value);
  return tensor.get_int(i) == *value;
}

void fill_uniform(Tensor& tensor, std::uint64_t seed, double low, double high) {
  PhiloxStream stream(seed);
  const bool integers = !is_float(tensor.dtype());
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (integers)
      tensor.set_int(i, stream.next_int(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
    else
      tensor.set_double(i, low + (high - low) * uniform_f64(stream.next_u64()));
  }
}

}  // namespace

Result<InputSpec, SpecFault> parse_input_spec(std::string_view text) {
  InputSpec spec;
  spec.text = std::string(text);
  std::string_view rest = text;
  const auto part = [&rest] { return rest.substr(0, rest.find('=')); };
  const auto drop = [&rest](std::string_view taken) { rest.remove_prefix(std::min(rest.size(), taken.size() + 1)); };
  bool named = false, typed = false;
  if (const std::string_view name = part(); name.size() < rest.size() && is_name(name) && !parse_shape(name)) {
    spec.name = std::string(name);
    drop(name);
    named = true;
  }
  if (const std::string_view shape = part(); !shape.empty()) {
    if (auto parsed = parse_shape(shape)) {
      if (!*parsed) return Failure{parsed->error()};
      spec.dtype = (*parsed)->first;
      spec.shape = (*parsed)->second;
      typed = true;
      if (shape.size() == rest.size()) {
        spec.value = Literal{{"0"}, false};
        return spec;
      }
      drop(shape);
    }
  }
  if (rest.empty()) return Failure<std::string>{named || typed ? "a value is missing after `=`" : "it is empty"};
  const Status<> value = parse_value(spec, rest);
  if (!value) return Failure{value.error()};
  return spec;
}

Result<Tensor> make_tensor(const InputSpec& spec, Dtype dtype, const Shape& shape, std::size_t number) {
  if (is_complex(dtype)) {
    // Numbers that are given are real ones; random ones have both parts.
    const bool drawn = std::holds_alternative<RandomFill>(spec.value);
    Shape given = shape;
    if (drawn) given.push_back(2);
    const Result<Tensor> parts = make_tensor(spec, part_dtype(dtype), given, number);
    if (!parts) return parts;
    return drawn ? parts->as_complex() : parts->cast(dtype);
  }
  Result<Tensor> made = Tensor::zeros(dtype, shape);
  Tensor& tensor = *made;
  if (const auto* literal = std::get_if<Literal>(&spec.value)) {
    const std::vector<std::string>& numbers = literal->numbers;
    const bool splat = numbers.size() == 1 && !literal->list;
    if (!splat && static_cast<std::int64_t>(numbers.size()) != tensor.size())
      return Failure{std::to_string(numbers.size()) + " numbers for " + tensor.type_string() + ", which has " +
                     std::to_string(tensor.size()) + " elements"};
    if (splat && !tensor.empty()) {
      if (!set_number(tensor, 0, numbers[0]))
        return Failure{"`" + numbers[0] + "` is not a value of " + std::string(dtype_info(dtype).name)};
      return is_float(dtype) ? Tensor::splat(dtype, shape, tensor.get_double(0))
                             : Tensor::splat_int(dtype, shape, tensor.get_int(0));
    }
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      if (!splat && !set_number(tensor, i, numbers[static_cast<std::size_t>(i)]))
        return Failure{"`" + numbers[static_cast<std::size_t>(i)] + "` is not a value of " +
                       std::string(dtype_info(dtype).name)};
    return made;
  }
  if (std::holds_alternative<IotaFill>(spec.value)) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set_int(i, i);
    return made;
  }
  const auto* fill = std::get_if<RandomFill>(&spec.value);
  MLGC_ASSERT(fill != nullptr, "make_tensor: the value is a file");
  const std::uint64_t seed = fill->seed.value_or(number);
  if (!fill->low) {
    fill_random(tensor, seed);
    return made;
  }
  if (!is_float(dtype)) {
    // Both bounds must be values of the dtype; 2^63 is the first double beyond int64.
    for (const double bound : {*fill->low, *fill->high}) {
      const bool fits = std::nearbyint(bound) == bound && std::abs(bound) < 0x1p63;
      Tensor probe = Tensor::zeros(dtype, {});
      if (fits) probe.set_int(0, static_cast<std::int64_t>(bound));
      if (!fits || probe.get_double(0) != bound)
        return Failure{"the bounds of `rand` are not values of " + std::string(dtype_info(dtype).name)};
    }
  }
  fill_uniform(tensor, seed, *fill->low, *fill->high);
  return made;
}

}  // namespace mlgc

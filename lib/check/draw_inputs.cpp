// Sizes by a bounded search, values from counter-based random numbers.
#include "check/draw_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ir/walk.h"
#include "loopir/functions.h"
#include "tensor/random.h"

namespace mlgc {
namespace {

enum class SizeStyle : std::uint8_t { Smallest, One, Odd, Larger };
constexpr std::array kStyles{SizeStyle::Smallest, SizeStyle::One, SizeStyle::Odd, SizeStyle::Larger};
constexpr int kMaxSteps = 200'000;
constexpr std::int64_t kCandidates = 64;  // beyond a symbol's lower bound

// Finds values of symbols under which every constraint holds and no dim is negative.
class SizeSearch {
 public:
  explicit SizeSearch(const FuncRef& function)
      : index_(function.op().module().context().index()), constraints_(function.constraints()) {
    const TypePool& types = function.op().module().context().types();
    facts_ = to_facts(constraints_, index_);
    for (const Value argument : function.arguments()) {
      if (!types.is_shaped(argument.type())) continue;
      for (const IndexExpr dim : types.dims(argument.type())) {
        add(dim);
        dims_.push_back(dim);
      }
    }
    for (const Constraint& constraint : constraints_)
      for (const IndexExpr term : constraint.terms) add(term);
  }

  [[nodiscard]] bool no_symbols() const { return symbols_.empty(); }

  // Values of the symbols that the function names, in order of appearance; nothing when none were found.
  std::optional<SymbolValues> find(SizeStyle style) {
    values_ = {};
    steps_ = 0;
    if (!choose(0, style)) return std::nullopt;
    SymbolValues found;
    for (const AtomId symbol : symbols_) found.values.emplace_back(symbol, *value(symbol));
    return found;
  }

 private:
  // Symbols that a constraint defines by others are not chosen.
  void add(IndexExpr e) {
    index_.for_each_atom(e, [&](AtomId atom) {
      if (index_.atom(atom).kind != AtomKind::Symbol || contains(symbols_, atom)) return;
      symbols_.push_back(atom);
      if (const auto definition = facts_.definition(atom))
        index_.for_each_atom(*definition, [&](AtomId part) {
          if (index_.atom(part).kind == AtomKind::Symbol && !contains(free_, part)) free_.push_back(part);
        });
      else if (!contains(free_, atom))
        free_.push_back(atom);
    });
  }
  static bool contains(const std::vector<AtomId>& list, AtomId atom) {
    return std::find(list.begin(), list.end(), atom) != list.end();
  }

  [[nodiscard]] std::optional<std::int64_t> value(AtomId atom) const {
    if (const auto chosen = values_.find(atom)) return chosen;
    const auto definition = facts_.definition(atom);
    if (!definition) return std::nullopt;
    return index_.evaluate(*definition, [&](AtomId part) { return values_.find(part); });
  }

  [[nodiscard]] bool possible() const {
    const auto value_of = [&](AtomId atom) { return value(atom); };
    for (const AtomId symbol : symbols_)
      if (value(symbol).value_or(0) < 0) return false;
    for (const Constraint& constraint : constraints_)
      if (!holds(constraint, index_, value_of).value_or(true)) return false;
    return std::all_of(dims_.begin(), dims_.end(),
                       [&](IndexExpr dim) { return index_.evaluate(dim, value_of).value_or(0) >= 0; });
  }

  bool choose(std::size_t at, SizeStyle style) {
    if (at == free_.size()) return true;
    for (const std::int64_t candidate : candidates(free_[at], at, style)) {
      if (++steps_ > kMaxSteps) return false;
      values_.values.emplace_back(free_[at], candidate);
      if (possible() && choose(at + 1, style)) return true;
      values_.values.pop_back();
    }
    return false;
  }

  [[nodiscard]] std::vector<std::int64_t> candidates(AtomId symbol, std::size_t at, SizeStyle style) const {
    const std::int64_t low = std::max<std::int64_t>(0, facts_.lower(symbol).value_or(0));
    const std::int64_t high = facts_.upper(symbol).value_or(std::numeric_limits<std::int64_t>::max());
    std::vector<std::int64_t> out;
    const auto offer = [&](std::int64_t value) {
      if (value >= low && value <= high && std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    };
    constexpr std::array<std::int64_t, 6> kOdd{3, 5, 7, 9, 11, 13}, kLarger{12, 10, 9, 16, 11, 14};
    if (style == SizeStyle::One) offer(1);
    for (std::size_t i = 0; i < kOdd.size(); ++i) {
      if (style == SizeStyle::Odd) offer(kOdd[(at + i) % kOdd.size()]);
      if (style == SizeStyle::Larger) offer(kLarger[(at + i) % kLarger.size()]);
    }
    if (style == SizeStyle::Larger) offer(low <= high - 8 ? low + 8 : high);
    for (std::int64_t value = low; value <= high && value < low + kCandidates; ++value) offer(value);
    return out;
  }

  IndexPool& index_;
  Constraints constraints_;
  Facts facts_;
  std::vector<AtomId> symbols_, free_;
  std::vector<IndexExpr> dims_;
  SymbolValues values_;
  int steps_ = 0;
};

std::optional<Shape> shape_of(const Context& context, Type type, const SymbolValues& symbols) {
  Shape shape;
  if (!context.types().is_shaped(type)) return shape;
  for (const IndexExpr dim : context.types().dims(type)) {
    const auto extent = context.index().evaluate(dim, [&](AtomId atom) { return symbols.find(atom); });
    if (!extent || *extent < 0) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

constexpr std::array<double, 5> kFewValues{0.0, -0.0, 1.0, -1.0, 2.0};
constexpr std::array<double, 3> kNonFinite{std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity()};

// Edge values of a dtype, all exact in it.
std::array<double, 8> edge_values(Dtype dtype) {
  double smallest = std::numeric_limits<float>::denorm_min(), normal = std::numeric_limits<float>::min(),
         largest = std::numeric_limits<float>::max();
  if (dtype == Dtype::F64) {
    smallest = std::numeric_limits<double>::denorm_min();
    normal = std::numeric_limits<double>::min();
    largest = std::numeric_limits<double>::max();
  } else if (dtype == Dtype::F16) {
    smallest = 0x1p-24;
    normal = 0x1p-14;
    largest = 65504;
  } else if (dtype == Dtype::BF16) {
    smallest = 0x1p-133;
    largest = 0x1.FEp127;
  }
  return {0.0, -0.0, 1.0, -1.0, smallest, -normal, largest / 2, -largest / 2};
}

bool is_unsigned(Dtype dtype) { return dtype == Dtype::UI8; }

// Uniform in the range; what the range leaves open depends on the kind.
void draw_integers(Tensor& tensor, const ValueRange& range, DrawKind kind, PhiloxStream& stream, std::int64_t largest) {
  const bool open_low = range.low == std::numeric_limits<std::int64_t>::min();
  const bool open_high = range.high == std::numeric_limits<std::int64_t>::max();
  const bool edges = kind == DrawKind::Edges && open_low && open_high && largest > 1;
  const bool few = kind == DrawKind::FewValues || kind == DrawKind::NonFinite;
  std::int64_t low = range.low, high = range.high;
  if (open_low) low = edges && !is_unsigned(tensor.dtype()) ? -4 : 0;
  if (open_high) high = std::max(low, few ? std::min<std::int64_t>(largest, low + 1) : largest);
  low = std::min(low, high);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (edges && stream.next_int(0, 7) == 0) {
      // Wrapped into the dtype these are its largest and its least value.
      const int bits = static_cast<int>(dtype_info(tensor.dtype()).bytes) * 8 - (is_unsigned(tensor.dtype()) ? 0 : 1);
      const auto top = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
      tensor.set_int(i, stream.next_int(0, 1) == 0 ? top : is_unsigned(tensor.dtype()) ? 0 : -top - 1);
    } else {
      tensor.set_int(i, stream.next_int(low, high));
    }
  }
}

template <std::size_t N>
double one_of(const std::array<double, N>& values, PhiloxStream& stream) {
  return values[static_cast<std::size_t>(stream.next_int(0, static_cast<std::int64_t>(N) - 1))];
}

Tensor draw_tensor(Dtype dtype, const Shape& shape, const ValueRange& range, DrawKind kind, std::uint64_t seed,
                   std::int64_t largest_integer) {
  Tensor tensor = Tensor::zeros(dtype, shape);
  PhiloxStream stream(seed);
  if (dtype == Dtype::I1) {
    fill_random(tensor, seed);
  } else if (!is_float(dtype)) {
    draw_integers(tensor, range, kind, stream, largest_integer);
  } else {
    const std::array<double, 8> edges = edge_values(dtype);
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      double value = range.not_negative ? 0.5 + uniform_f64(stream.next_u64()) : stream.next_normal();
      const bool quarter = stream.next_int(0, 3) == 0;
      if (kind == DrawKind::Edges && quarter) value = one_of(edges, stream);
      if (kind == DrawKind::FewValues || kind == DrawKind::NonFinite) value = one_of(kFewValues, stream);
      if (kind == DrawKind::NonFinite && quarter) value = one_of(kNonFinite, stream);
      tensor.set_double(i, range.not_negative ? std::abs(value) : value);
    }
  }
  return tensor;
}

// The weights without derivation and the states in which these symbols occur.
std::set<std::string> data_behind(const Module& module, const FunctionRanges& ranges) {
  const AttributePool& attributes = module.context().attributes();
  std::vector<std::string> open;
  for (const auto& [symbol, range] : ranges.symbols) open.push_back(symbol);
  std::set<std::string> seen(open.begin(), open.end()), data;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const OpRef op = module.lookup(name);
    if (!op.valid()) continue;
    if (op.region_count() == 0 || op.region(0).empty()) {
      data.insert(name);
      continue;
    }
    walk(op, [&](OpRef inner) {
      if (!inner.is(GraphOp::Read)) return;
      const auto symbol = attributes.as_symbol(inner.attr("symbol"));
      if (symbol && seen.insert(std::string(*symbol)).second) open.emplace_back(*symbol);
    });
  }
  return data;
}

// One tensor for each argument that interpret() wants, and the data.
class Drawer {
 public:
  Drawer(const FuncRef& function, const DrawOptions& options)
      : function_(function), module_(function.op().module()), context_(module_.context()), options_(options) {}

  Result<std::vector<Draw>> run() {
    const auto sizes = options_.sizes ? Result<std::vector<SymbolValues>>(*options_.sizes) : draw_sizes(function_);
    if (!sizes) return Failure{sizes.error()};
    std::vector<Draw> draws;
    std::string refused;
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      const FunctionRanges ranges = value_ranges(function_, (*sizes)[i]);
      // Plain values where sizes are large enough to tell elements apart.
      const bool last = i + 1 == sizes->size(), before_last = i + 2 == sizes->size();
      std::vector<DrawKind> kinds;
      if (last || before_last) kinds.push_back(DrawKind::Plain);
      kinds.push_back(DrawKind::Edges);
      if (last || before_last) kinds.push_back(DrawKind::FewValues);
      if ((last || before_last) && options_.non_finite) kinds.push_back(DrawKind::NonFinite);
      for (const DrawKind kind : kinds) {
        Result<Draw> draw = one((*sizes)[i], ranges, kind, draws.size());
        if (draw)
          draws.push_back(*std::move(draw));
        else
          refused = draw.error();
      }
    }
    if (draws.empty()) return Failure{refused};
    return draws;
  }

 private:
  Result<Draw> one(const SymbolValues& sizes, const FunctionRanges& ranges, DrawKind kind, std::size_t number) {
    Draw draw{sizes_text(function_, sizes), kind, sizes, {}, {}};
    const std::uint64_t seed = options_.seed * 1'000'003 + number * 1009;
    std::int64_t elements = 0;
    const auto room_for = [&](Type type, std::string_view what) -> Result<Shape> {
      const std::optional<Shape> shape = shape_of(context_, type, sizes);
      if (!shape) return Failure{std::string(what) + " has sizes without a value: " + context_.types().print(type)};
      const Dtype dtype = context_.types().is_shaped(type) ? context_.types().dtype(type) : Dtype::I64;
      const auto count = checked_element_count(dtype, *shape);
      if (!count || *count > options_.max_elements - elements)
        return Failure{"its inputs and weights hold more than " + std::to_string(options_.max_elements) + " elements"};
      elements += *count;
      return *shape;
    };
    const std::vector<bool> written =
        is_loop_function(function_.op()) ? result_arguments(function_.op()).is_result : std::vector<bool>();
    const auto arguments = function_.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i < written.size() && written[i]) continue;
      const Type type = arguments[i].type();
      const Result<Shape> shape = room_for(type, "argument " + std::to_string(i));
      if (!shape) return Failure{shape.error()};
      const Dtype dtype = context_.types().is_shaped(type) ? context_.types().dtype(type) : Dtype::I64;
      draw.inputs.push_back(draw_tensor(dtype, *shape, ranges.arguments[i], kind, seed + i, options_.largest_integer));
    }
    std::uint64_t weight_seed = options_.seed;
    for (const std::string& name : data_behind(module_, ranges)) {
      const Type type = context_.attributes().as_type(module_.lookup(name).attr(context_.names().type));
      const Result<Shape> shape = room_for(type, "`@" + name + "`");
      if (!shape) return Failure{shape.error()};
      const auto range = ranges.symbols.find(name);
      const auto& [known, fresh] = weights_.try_emplace(name);
      Weight& weight = known->second;
      const ValueRange wanted = range == ranges.symbols.end() ? ValueRange() : range->second;
      if (fresh || weight.range != wanted)
        weight = {wanted, draw_weight(context_.types().dtype(type), *shape, weight_seed, wanted)};
      ++weight_seed;
      draw.data.emplace(name, weight.tensor);
    }
    return draw;
  }

  FuncRef function_;
  Module& module_;
  Context& context_;
  DrawOptions options_;
  // Large, and the same in every draw but for what sizes ask of them.
  struct Weight {
    ValueRange range;
    Tensor tensor;
  };
  std::map<std::string, Weight, std::less<>> weights_;
};

}  // namespace

std::string sizes_text(const FuncRef& function, const SymbolValues& symbols) {
  const IndexPool& index = function.op().module().context().index();
  std::string text;
  for (const auto& [symbol, size] : symbols.values) {
    if (!text.empty()) text += ", ";
    text += std::string(index.symbol_name(symbol)) + " = " + std::to_string(size);
  }
  return text;
}

std::string Draw::text() const {
  std::string text = sizes;
  if (!text.empty()) text += ", ";
  constexpr std::array<std::string_view, 4> kKinds{"plain values", "values with edges", "few values",
                                                   "values that are not finite"};
  return text + std::string(kKinds[static_cast<std::size_t>(kind)]);
}

Result<std::vector<SymbolValues>> draw_sizes(const FuncRef& function) {
  SizeSearch search(function);
  if (search.no_symbols()) return std::vector<SymbolValues>{SymbolValues{}};
  std::vector<SymbolValues> found;
  for (const SizeStyle style : kStyles) {
    std::optional<SymbolValues> sizes = search.find(style);
    if (!sizes) continue;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const SymbolValues& other) { return other.values == sizes->values; });
    if (!known) found.push_back(*std::move(sizes));
  }
  if (found.empty()) return Failure<std::string>{"no sizes that satisfy its `where` clause were found"};
  return found;
}

Result<std::vector<Draw>> draw_inputs(const FuncRef& function, const DrawOptions& options) {
  return Drawer(function, options).run();
}

Tensor draw_argument(Dtype dtype, const Shape& shape, const ValueRange& range, std::uint64_t seed) {
  return draw_tensor(dtype, shape, range, DrawKind::Plain, seed, DrawOptions{}.largest_integer);
}

Tensor draw_weight(Dtype dtype, const Shape& shape, std::uint64_t seed, const ValueRange& range) {
  Tensor tensor = Tensor::zeros(dtype, shape);
  if (!is_float(dtype)) return draw_argument(dtype, shape, range, seed);
  PhiloxStream stream(seed);
  const bool matrix = shape.size() >= 2 && !range.not_negative;
  const double slice = matrix && shape[0] > 0 ? static_cast<double>(tensor.size()) / static_cast<double>(shape[0]) : 1;
  const double scale = slice > 0 ? 1 / std::sqrt(slice) : 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.set_double(i, matrix ? stream.next_normal() * scale : 0.5 + uniform_f64(stream.next_u64()));
  return tensor;
}

}  // namespace mlgc

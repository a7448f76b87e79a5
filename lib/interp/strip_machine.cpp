// Evaluates compiled expressions over strips.
#include <algorithm>
#include <cmath>
#include <limits>

#include "diag/kinds_interp.h"
#include "interp/strip_machine.h"
#include "support/result.h"

namespace mlgc::strips {
namespace {

bool active(const std::uint8_t* mask, std::size_t lane) { return !mask || mask[lane]; }

bool is_argument(Reduction kind) { return kind == Reduction::ArgMax || kind == Reduction::ArgMin; }
bool is_extremum(Reduction kind) { return is_argument(kind) || kind == Reduction::Max || kind == Reduction::Min; }
bool is_largest(Reduction kind) { return kind == Reduction::Max || kind == Reduction::ArgMax; }

template <std::size_t N>
void start(Reduction kind, Accumulators<N>& into, std::size_t lane) {
  into.reals[lane] = kind == Reduction::Prod ? 1.0 : 0.0;
  into.integers[lane] = kind == Reduction::Prod || kind == Reduction::All ? 1 : 0;
  into.where[lane] = 0;
  into.seen[lane] = 0;
}

// Takes in the body's value in a lane of the strip, which stands at `position` of what is reduced.
template <std::size_t N>
void fold(Reduction kind, const Node& body, std::size_t from, std::int64_t position, Accumulators<N>& into,
          std::size_t lane) {
  double& real = into.reals[lane];
  std::int64_t& integer = into.integers[lane];
  if (is_extremum(kind)) {
    const bool largest = is_largest(kind);
    bool better = !into.seen[lane];
    if (!better && body.real) {
      // NaN is the extremum of everything; the first one wins, as does the first of equal values.
      const double v = body.values[from];
      better = !std::isnan(real) && (std::isnan(v) || (largest ? v > real : v < real));
    } else if (!better) {
      const std::int64_t v = body.integers[from];
      better = largest ? v > integer : v < integer;
    }
    into.seen[lane] = 1;
    if (!better) return;
    if (body.real)
      real = body.values[from];
    else
      integer = body.integers[from];
    into.where[lane] = position;
    return;
  }
  switch (kind) {
    case Reduction::Sum:
      if (body.real)
        real += body.values[from];
      else
        integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(integer) +
                                            static_cast<std::uint64_t>(body.integers[from]));
      break;
    case Reduction::Prod:
      if (body.real)
        real *= body.values[from];
      else
        integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(integer) *
                                            static_cast<std::uint64_t>(body.integers[from]));
      break;
    case Reduction::Any: integer |= body.integers[from] != 0; break;
    default: integer &= body.integers[from] != 0;
  }
}

// The value of a reduction for a lane of its node, not rounded yet: extrema of nothing are the neutral elements.
template <std::size_t N>
void put_reduced(Node& node, std::size_t lane, const Accumulators<N>& from, std::size_t accumulator) {
  const Reduction kind = node.reduction;
  const bool none = is_extremum(kind) && !from.seen[accumulator], largest = is_largest(kind);
  if (is_argument(kind)) {
    node.integers[lane] = from.where[accumulator];
  } else if (node.children[0]->real) {
    node.reals[lane] = none ? (largest ? -1 : 1) * std::numeric_limits<double>::infinity() : from.reals[accumulator];
  } else {
    node.integers[lane] = !none     ? from.integers[accumulator]
                          : largest ? std::numeric_limits<std::int64_t>::min()
                                    : std::numeric_limits<std::int64_t>::max();
  }
}

}  // namespace

StripMachine::StripMachine(const Formula& formula, std::vector<Storage>& tensors, std::vector<std::int64_t> extents,
                           bool round)
    : formula_(formula), tensors_(tensors), extents_(std::move(extents)), round_(round) {
  at_.labels.resize(formula.label_names.size());
}

bool StripMachine::run(Node& node, const std::uint8_t* mask) {
  // Only lane 0 of a uniform node is computed. At least one lane is active, or the node would not be evaluated.
  if (!at_.varies(node.labels)) mask = nullptr;
  node.values = node.reals.data();
  return evaluate(node, mask);
}

bool StripMachine::evaluate(Node& node, const std::uint8_t* mask) {
  switch (node.kind) {
    case NodeKind::Literal:
      if (node.real)
        node.reals[0] = round_ && node.type != Dtype::F64 ? static_cast<float>(node.literal_real) : node.literal_real;
      else
        node.integers[0] = node.literal_integer;
      return true;
    case NodeKind::Index: {
      const bool uniform = index_.run(*node.index, mask);
      std::copy_n(node.index->lanes.begin(), uniform ? 1 : at_.lanes, node.integers.begin());
      return uniform;
    }
    case NodeKind::Read: return read(node, mask);
    case NodeKind::Call:
      return node.fn == ScalarFn::And || node.fn == ScalarFn::Or ? logical(node, mask) : call(node, mask);
    case NodeKind::Select: return select(node, mask);
    case NodeKind::Reduce: return reduce(node, mask);
    case NodeKind::Stop:
    case NodeKind::Cast: break;
  }
  Node& child = *node.children[0];
  const bool uniform = run(child, mask);
  const std::size_t width = uniform ? 1 : at_.lanes;
  const bool child_real = child.real && child.kind != NodeKind::Index;
  for (std::size_t i = 0; i < width; ++i) {
    if (node.real) {
      node.reals[i] = child_real ? child.values[i] : static_cast<double>(child.integers[i]);
    } else if (child_real) {
      // What does not fit is unspecified, but the same on every machine: see convert_element().
      node.integers[i] = real_to_integer(node.type, child.values[i]);
    } else {
      node.integers[i] = wrap_to(node.type, child.integers[i]);
    }
  }
  if (round_ && node.kind == NodeKind::Cast && node.real) {
    for (std::size_t i = 0; i < width; ++i) {
      if (node.type == Dtype::F16) node.reals[i] = to_float(to_half(static_cast<float>(node.reals[i])));
      if (node.type == Dtype::BF16) node.reals[i] = to_float(to_bfloat16(static_cast<float>(node.reals[i])));
    }
  }
  finish(node, width);
  return uniform;
}

// 16-bit floats are computed in f32 and rounded where they are stored.
void StripMachine::finish(Node& node, std::size_t width) const {
  if (!node.real) {
    if (node.type != Dtype::I64)
      for (std::size_t i = 0; i < width; ++i) node.integers[i] = wrap_to(node.type, node.integers[i]);
  } else if (round_ && node.type != Dtype::F64) {
    for (std::size_t i = 0; i < width; ++i) node.reals[i] = static_cast<float>(node.reals[i]);
  }
}

bool StripMachine::read(Node& node, const std::uint8_t* mask) {
  const bool uniform = !at_.varies(node.labels);
  const std::size_t width = uniform ? 1 : at_.lanes;
  if (!mask && node.real && read_straight(node, width)) return uniform;
  for (auto& sub : node.subscripts) index_.run(*sub, mask);
  read_any(node, mask, width);
  return uniform;
}

// All subscripts step evenly: the lanes inside the tensor are one interval, which is copied, or pointed at when it is
// contiguous and whole. False: not that easy.
bool StripMachine::read_straight(Node& node, std::size_t width) {
  const Storage& t = tensors_[node.tensor];
  std::int64_t base = 0, step = 0;
  std::int64_t low = 0, high = static_cast<std::int64_t>(width);  // lanes inside
  for (std::size_t d = 0; d < node.subscripts.size(); ++d) {
    const auto even = index_.evenly(*node.subscripts[d]);
    if (!even) return false;
    const auto [first, slope] = *even;
    const std::int64_t size = t.shape[d];
    base += first * t.strides[d];
    step += slope * t.strides[d];
    if (slope == 0) {
      if (first < 0 || first >= size) high = low;
    } else if (slope > 0) {
      if (first < 0) low = std::max(low, (-first + slope - 1) / slope);
      const std::int64_t room = size - 1 - first;
      high = std::min(high, room < 0 ? 0 : room / slope + 1);
    } else {
      const std::int64_t down = -slope;
      if (first >= size) low = std::max(low, (first - size + down) / down);
      high = std::min(high, first < 0 ? 0 : first / down + 1);
    }
  }
  high = std::max(high, low);
  const bool whole = low == 0 && high == static_cast<std::int64_t>(width);
  if (!whole && node.children.empty()) return false;  // out of range: the general path names the place
  const double* data = t.reals.data() + base;
  if (whole && (step == 1 || width == 1)) {
    node.values = data;
    return true;
  }
  if (!whole) {
    Node& fill = *node.children[0];
    const bool fill_uniform = run(fill, nullptr);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(width); ++i)
      if (i < low || i >= high) node.reals[static_cast<std::size_t>(i)] = fill.values[fill_uniform ? 0 : i];
  }
  double* out = node.reals.data();
  for (std::int64_t i = low; i < high; ++i) out[i] = data[i * step];
  return true;
}

bool StripMachine::read_any(Node& node, const std::uint8_t* mask, std::size_t width) {
  const Storage& t = tensors_[node.tensor];
  std::array<std::int64_t, kStripLength> offset;
  Mask inside;
  bool all_inside = true;
  std::fill_n(offset.begin(), width, 0);
  if (!node.children.empty()) std::fill_n(inside.begin(), width, std::uint8_t{1});
  for (std::size_t d = 0; d < node.subscripts.size(); ++d) {
    IndexProgram& sub = *node.subscripts[d];
    const bool still = width == 1 || !at_.varies(sub.labels);
    const std::int64_t size = t.shape[d], stride = t.strides[d];
    for (std::size_t i = 0; i < width; ++i) {
      const std::int64_t s = sub.lanes[still ? 0 : i];
      if (static_cast<std::uint64_t>(s) < static_cast<std::uint64_t>(size)) {
        offset[i] += s * stride;
      } else if (!node.children.empty()) {
        inside[i] = 0;
        all_inside = false;
      } else if (active(mask, i)) {
        throw diagnose<kReadOutOfRange>({}, formula_.tensors[node.tensor].name,
                                        index_.given_index(sub, still ? 0 : i, s, size), d, size);
      } else {
        offset[i] = std::numeric_limits<std::int64_t>::min() / 2;  // excluded by the mask: never read
      }
    }
  }
  bool fill_uniform = true;
  if (!all_inside) fill_uniform = run(*node.children[0], mask);
  const Node* fill = node.children.empty() ? nullptr : node.children[0].get();
  for (std::size_t i = 0; i < width; ++i) {
    const bool skip = !active(mask, i);
    const bool filled = !skip && !all_inside && !inside[i];
    const std::size_t from = fill_uniform ? 0 : i;
    if (node.real)
      node.reals[i] = skip ? 0 : filled ? fill->values[from] : t.reals[static_cast<std::size_t>(offset[i])];
    else
      node.integers[i] = skip ? 0 : filled ? fill->integers[from] : t.integers[static_cast<std::size_t>(offset[i])];
  }
  return true;
}

bool StripMachine::call(Node& node, const std::uint8_t* mask) {
  const ScalarFnInfo& info = scalar_fn_info(node.fn);
  Node& a = *node.children[0];
  Node* b = node.children.size() > 1 ? node.children[1].get() : nullptr;
  const bool ua = run(a, mask), ub = b ? run(*b, mask) : true;
  const bool uniform = ua && ub;
  const std::size_t width = uniform ? 1 : at_.lanes;
  const std::size_t sa = ua ? 0 : 1, sb = ub ? 0 : 1;
  if (a.real) {
    const double* x = a.values;
    const double* y = b ? b->values : x;
    if (!node.real) {
      for (std::size_t i = 0; i < width; ++i) node.integers[i] = info.real(x[i * sa], y[i * sb]) != 0;
      return uniform;
    }
    double* out = node.reals.data();
    // The arithmetic of inner products is written out; everything else goes through the table.
    switch (node.fn) {
      case ScalarFn::Mul:
        for (std::size_t i = 0; i < width; ++i) out[i] = x[i * sa] * y[i * sb];
        break;
      case ScalarFn::Add:
        for (std::size_t i = 0; i < width; ++i) out[i] = x[i * sa] + y[i * sb];
        break;
      case ScalarFn::Sub:
        for (std::size_t i = 0; i < width; ++i) out[i] = x[i * sa] - y[i * sb];
        break;
      default:
        for (std::size_t i = 0; i < width; ++i) out[i] = info.real(x[i * sa], b ? y[i * sb] : 0.0);
    }
  } else {
    const std::int64_t* x = a.integers.data();
    const std::int64_t* y = b ? b->integers.data() : x;
    const bool divides = node.fn == ScalarFn::FloorDiv || node.fn == ScalarFn::Mod || node.fn == ScalarFn::Fmod;
    for (std::size_t i = 0; i < width; ++i) {
      const std::int64_t divisor = b ? y[i * sb] : 0;
      if (divides && divisor == 0) {
        if (active(mask, i)) throw diagnose<kDivisionByZero>({}, info.name);
        node.integers[i] = 0;
        continue;
      }
      node.integers[i] = info.integer(x[i * sa], divisor);
    }
  }
  finish(node, width);
  return uniform;
}

bool StripMachine::logical(Node& node, const std::uint8_t* mask) {
  Node &a = *node.children[0], &b = *node.children[1];
  const bool is_or = node.fn == ScalarFn::Or;
  const bool ua = run(a, mask);
  if (ua && (a.integers[0] != 0) == is_or) {
    node.integers[0] = is_or;
    return true;
  }
  if (ua) {
    const bool ub = run(b, mask);
    std::copy_n(b.integers.begin(), ub ? 1 : at_.lanes, node.integers.begin());
    return ub;
  }
  Mask needed;
  bool any = false;
  for (std::size_t i = 0; i < at_.lanes; ++i) {
    needed[i] = active(mask, i) && (a.integers[i] != 0) != is_or;
    any |= needed[i] != 0;
  }
  bool ub = true;
  if (any) ub = run(b, needed.data());
  for (std::size_t i = 0; i < at_.lanes; ++i) node.integers[i] = needed[i] ? b.integers[ub ? 0 : i] != 0 : is_or;
  return false;
}

bool StripMachine::select(Node& node, const std::uint8_t* mask) {
  Node& c = *node.children[0];
  const bool uc = run(c, mask);
  auto take = [&](Node& from, bool uniform, std::size_t lane) {
    if (node.real)
      node.reals[lane] = from.values[uniform ? 0 : lane];
    else
      node.integers[lane] = from.integers[uniform ? 0 : lane];
  };
  if (uc) {
    Node& side = *node.children[c.integers[0] != 0 ? 1 : 2];
    const bool u = run(side, mask);
    for (std::size_t i = 0; i < (u ? 1 : at_.lanes); ++i) take(side, u, i);
    return u;
  }
  Mask yes, no;
  bool any_yes = false, any_no = false;
  for (std::size_t i = 0; i < at_.lanes; ++i) {
    yes[i] = active(mask, i) && c.integers[i] != 0;
    no[i] = active(mask, i) && c.integers[i] == 0;
    any_yes |= yes[i] != 0;
    any_no |= no[i] != 0;
  }
  Node &a = *node.children[1], &b = *node.children[2];
  if (any_yes) {
    const bool u = run(a, any_no ? yes.data() : mask);
    for (std::size_t i = 0; i < at_.lanes; ++i)
      if (yes[i]) take(a, u, i);
  }
  if (any_no) {
    const bool u = run(b, any_yes ? no.data() : mask);
    for (std::size_t i = 0; i < at_.lanes; ++i)
      if (no[i]) take(b, u, i);
  }
  return false;
}

bool StripMachine::reduce(Node& node, const std::uint8_t* mask) {
  bool uniform = !at_.varies(node.labels);
  if (node.running) {
    run_along(node);
    return uniform;
  }
  const std::size_t width = uniform ? 1 : at_.lanes;
  if (!uniform) {
    reduce_into(node, mask, width);
    return false;
  }
  // Nothing here depends on the strip: one value, computed along the innermost reduced index label instead. A masked
  // uniform value is needed by at least one active lane, so the mask is dropped.
  const std::size_t saved_lanes = at_.lanes;
  const std::uint32_t saved_slot = at_.strip_slot;
  const std::int64_t saved_label = saved_slot < at_.labels.size() ? at_.labels[saved_slot] : 0;
  at_.lanes = 1;
  reduce_into(node, nullptr, 1);
  at_.lanes = saved_lanes;
  at_.strip_slot = saved_slot;
  if (saved_slot < at_.labels.size()) at_.labels[saved_slot] = saved_label;
  return true;
}

std::pair<std::int64_t, std::int64_t> StripMachine::loop_range(Node& node, std::size_t level) {
  const std::uint32_t slot = node.reduced[level];
  std::int64_t from = 0, to = extents_[slot];
  for (auto& bound : node.bounds) {
    IndexProgram& e = *bound;
    if (!e.linear[slot] || e.slope[slot] == 0) continue;
    const bool along = slot == at_.strip_slot;
    if (!along && at_.varies(e.labels)) continue;  // differs between lanes
    bool known = true;
    for (std::size_t inside = level + 1; inside < node.reduced.size(); ++inside)
      known &= !e.labels[node.reduced[inside]];
    if (!known) continue;
    at_.labels[slot] = 0;
    const std::int64_t at_zero = index_.first_lane(e), slope = e.slope[slot];
    if (slope > 0)
      from = std::max(from, -floor_div(at_zero, slope));
    else
      to = std::min(to, floor_div(at_zero, -slope) + 1);
  }
  return {from, to};
}

// acc += a * b without a pass through the product's own lanes: inner products are most of what the reference
// interpreter computes. The rounding of the product is kept. False: the body is something else.
bool StripMachine::accumulate_products(Node& body, double* acc, std::size_t width) {
  if (body.kind != NodeKind::Call || body.fn != ScalarFn::Mul) return false;
  Node &a = *body.children[0], &b = *body.children[1];
  const bool ua = run(a, nullptr), ub = run(b, nullptr);
  const double *x = a.values, *y = b.values;
  const bool round = round_ && body.type != Dtype::F64;
  auto add = [&](auto product) {
    if (round)
      for (std::size_t i = 0; i < width; ++i) acc[i] += static_cast<double>(static_cast<float>(product(i)));
    else
      for (std::size_t i = 0; i < width; ++i) acc[i] += product(i);
  };
  if (ua && ub) {
    const double p = x[0] * y[0];
    add([p](std::size_t) { return p; });
  } else if (ua) {
    const double k = x[0];
    add([k, y](std::size_t i) { return k * y[i]; });
  } else if (ub) {
    const double k = y[0];
    add([k, x](std::size_t i) { return x[i] * k; });
  } else {
    add([x, y](std::size_t i) { return x[i] * y[i]; });
  }
  return true;
}

// Accumulates over all values of the reduced index labels. With width 1 the innermost index label becomes the strip and
// its lanes are folded in order; otherwise each lane has an accumulator of its own.
void StripMachine::reduce_into(Node& node, const std::uint8_t* mask, std::size_t width) {
  Node& body = *node.children[0];
  Node* guard = node.children.size() > 1 ? node.children[1].get() : nullptr;
  const Reduction kind = node.reduction;
  const bool argument = is_argument(kind);
  const bool real = body.real;

  Accumulators<kStripLength> acc;
  for (std::size_t i = 0; i < width; ++i) start(kind, acc, i);

  bool empty = false;
  for (std::uint32_t slot : node.reduced) empty |= extents_[slot] == 0;
  const bool along = width == 1 && !node.reduced.empty();
  const std::uint32_t inner = along ? node.reduced.back() : 0;
  const std::size_t outer = node.reduced.size() - (along ? 1 : 0);
  if (along) at_.strip_slot = inner;
  Mask combined;
  auto step = [&](std::size_t count) {
    // `count` lanes of the strip; under `along` they all belong to accumulator 0.
    std::int64_t position = 0;
    if (argument)
      for (std::uint32_t slot : node.reduced) position = position * extents_[slot] + at_.labels[slot];
    const std::uint8_t* use = along ? nullptr : mask;
    if (guard) {
      const bool ug = run(*guard, use);
      if (ug && guard->integers[0] == 0) return;
      if (!ug) {
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
          combined[i] = active(use, i) && guard->integers[i] != 0;
          any |= combined[i] != 0;
        }
        if (!any) return;
        use = combined.data();
      }
    }
    if (!use && !along && kind == Reduction::Sum && real) {
      if (accumulate_products(body, acc.reals.data(), count)) return;
      const bool u = run(body, nullptr);
      for (std::size_t i = 0; i < count; ++i) acc.reals[i] += body.values[u ? 0 : i];
      return;
    }
    const bool u = run(body, use);
    for (std::size_t i = 0; i < count; ++i) {
      if (!active(use, i)) continue;
      fold(kind, body, u ? 0 : i, along ? position + static_cast<std::int64_t>(i) : position, acc, along ? 0 : i);
    }
  };
  auto loop = [&](auto& self, std::size_t level) -> void {
    if (level == node.reduced.size()) return step(width);
    const std::uint32_t slot = node.reduced[level];
    const auto [from, to] = loop_range(node, level);
    if (level < outer) {
      for (std::int64_t v = from; v < to; ++v) {
        at_.labels[slot] = v;
        self(self, level + 1);
      }
      return;
    }
    for (std::int64_t base = from; base < to; base += static_cast<std::int64_t>(kStripLength)) {
      at_.labels[slot] = base;
      at_.lanes = static_cast<std::size_t>(std::min<std::int64_t>(kStripLength, to - base));
      step(at_.lanes);
    }
  };
  if (!empty) loop(loop, 0);
  if (empty && node.refuses_nothing) throw diagnose<kEmptyExtremum>({}, reduction_name(kind));
  for (std::size_t i = 0; i < width; ++i) put_reduced(node, i, acc, i);
  finish(node, width);
}

// Each lane takes what the lanes and strips before it have come to, and its own element.
void StripMachine::run_along(Node& node) {
  Node& body = *node.children[0];
  const std::uint32_t along = at_.strip_slot, over = node.reduced[0];
  if (at_.labels[along] == 0) start(node.reduction, node.before, 0);
  at_.strip_slot = over;
  at_.labels[over] = at_.labels[along];
  const bool uniform = run(body, nullptr);
  at_.strip_slot = along;
  for (std::size_t i = 0; i < at_.lanes; ++i) {
    fold(node.reduction, body, uniform ? 0 : i, 0, node.before, 0);
    put_reduced(node, i, node.before, 0);
  }
  finish(node, at_.lanes);
}

}  // namespace mlgc::strips

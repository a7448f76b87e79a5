// See sorted.h.
#include "interp/sorted.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "interp/storage.h"

namespace mlgc {
namespace {

bool less(double a, double b) { return a < b || (!std::isnan(a) && std::isnan(b)); }
bool less(std::int64_t a, std::int64_t b) { return a < b; }

// Elements `first`, `first + step` and so on, in order: `places` of them.
template <class T>
void order_line(const std::vector<T>& elements, std::size_t first, std::size_t step, bool descending,
                std::vector<std::size_t>& places) {
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto at = [&](std::size_t place) { return elements[first + place * step]; };
  if (descending)
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return less(at(b), at(a)); });
  else
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return less(at(a), at(b)); });
}

}  // namespace

std::vector<Tensor> sorted(const Tensor& x, const SortRequest& request, Dtype values) {
  const Storage from = to_storage(x);
  Shape shape = x.shape();
  const auto length = static_cast<std::size_t>(shape[request.axis]);
  shape[request.axis] = request.kept;
  Storage out, where;
  out.real = from.real;
  out.dtype = values;
  where.dtype = Dtype::I64;
  out.shape = where.shape = shape;
  out.strides = where.strides = row_major_strides(shape);
  const auto count = static_cast<std::size_t>(Tensor::zeros(Dtype::I1, shape).size());  // refuses absurd sizes
  if (out.real)
    out.reals.assign(count, 0.0);
  else
    out.integers.assign(count, 0);
  where.integers.assign(count, 0);

  const auto kept = static_cast<std::size_t>(request.kept);
  const auto step = static_cast<std::size_t>(from.strides[request.axis]);
  const std::size_t lines = length == 0 ? 0 : static_cast<std::size_t>(from.count()) / length;
  std::vector<std::size_t> places(length);
  for (std::size_t line = 0; line < lines; ++line) {
    // `step` lines lie in each other, as columns do.
    const std::size_t first = line / step * step * length + line % step;
    const std::size_t target = line / step * step * kept + line % step;
    if (from.real)
      order_line(from.reals, first, step, request.descending, places);
    else
      order_line(from.integers, first, step, request.descending, places);
    for (std::size_t i = 0; i < std::min(kept, length); ++i) {
      if (out.real)
        out.reals[target + i * step] = from.reals[first + places[i] * step];
      else
        out.integers[target + i * step] = from.integers[first + places[i] * step];
      where.integers[target + i * step] = static_cast<std::int64_t>(places[i]);
    }
  }
  return {to_tensor(out, values), to_tensor(where, Dtype::I64)};
}

}  // namespace mlgc

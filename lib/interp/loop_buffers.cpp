// See loop_buffers.h.
#include "interp/loop_buffers.h"

#include <utility>

#include "diag/kinds_interp.h"

namespace mlgc::loop_program {

void BufferTable::name(Value v, std::uint32_t buffer, const std::vector<std::int64_t>& shape) {
  places_[v.id()] = {buffer, static_cast<std::uint32_t>(views_.size())};
  views_.push_back({std::string(v.name()), shape, row_major_strides(shape)});
}

void BufferTable::add(Value v, const std::vector<std::int64_t>& shape) {
  add_unsized(v);
  unsized_.pop_back();
  buffers_.back().shape = views_.back().shape = shape;
  buffers_.back().strides = views_.back().strides = row_major_strides(shape);
}

void BufferTable::add_unsized(Value v) {
  name(v, static_cast<std::uint32_t>(buffers_.size()), {});
  Storage& storage = buffers_.emplace_back();
  storage.dtype = v.dtype();
  storage.real = is_float(storage.dtype);
  unsized_.push_back(v);
}

void BufferTable::add_view(Value v, Value of, const std::vector<std::int64_t>& shape, Location at) {
  const Place there = place(of, at);
  if (*checked_element_count(v.dtype(), shape) != *checked_element_count(of.dtype(), views_[there.view].shape))
    throw diagnose<kNotAtLoopLevel>(at, "a `buffer_view` with another number of elements than its buffer");
  name(v, there.buffer, shape);
}

void BufferTable::set_contents(Value v, Storage contents) {
  Storage& buffer = buffers_[places_.at(v.id()).buffer];
  contents.dtype = buffer.dtype;
  buffer = std::move(contents);
}

std::vector<std::uint32_t> BufferTable::add_known_sizes(const Sizes& sizes, Location at) {
  std::vector<std::uint32_t> sized;
  std::vector<Value> left;
  for (const Value v : unsized_) {
    if (sizes.is_late(v)) {
      left.push_back(v);
      continue;
    }
    const Place place = places_.at(v.id());
    Storage& storage = buffers_[place.buffer];
    storage.shape = sizes.shape_of(v, at);
    storage.strides = row_major_strides(storage.shape);
    views_[place.view] = {std::string(v.name()), storage.shape, storage.strides};
    sized.push_back(place.buffer);
  }
  unsized_ = std::move(left);
  return sized;
}

BufferTable::Place BufferTable::place(Value v, Location at) const {
  const auto found = places_.find(v.id());
  if (found == places_.end())
    throw diagnose<kNotAtLoopLevel>(at, "a buffer that is no argument, `alloc`, `data` or `buffer_view`");
  return found->second;
}

BufferTable BufferTable::without_contents() const {
  BufferTable out;
  out.views_ = views_;
  out.places_ = places_;
  out.unsized_ = unsized_;
  for (const Storage& buffer : buffers_) {
    Storage& described = out.buffers_.emplace_back();
    described.dtype = buffer.dtype;
    described.real = buffer.real;
    described.shape = buffer.shape;
    described.strides = buffer.strides;
  }
  return out;
}

void BufferTable::move_to(Program& program) {
  program.buffers = std::move(buffers_);
  program.views = std::move(views_);
}

}  // namespace mlgc::loop_program

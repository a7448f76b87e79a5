// Private to lib/interp: the buffers of a program that is compiled.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interp/loop_program.h"
#include "interp/loop_sizes.h"

namespace mlgc::loop_program {

// The buffers of a program and which value of the text names which of them, by what sizes.
class BufferTable {
 public:
  struct Place {
    std::uint32_t buffer, view;
  };

  void add(Value v, const std::vector<std::int64_t>& shape);
  // An argument whose sizes become known during the run.
  void add_unsized(Value v);
  // `v` names the buffer of `of`, with other sizes.
  void add_view(Value v, Value of, const std::vector<std::int64_t>& shape, Location at);
  // The contents of a buffer that was added.
  void set_contents(Value v, Storage contents);
  // Gives their sizes to the unsized arguments that have one now; returns their numbers.
  [[nodiscard]] std::vector<std::uint32_t> add_known_sizes(const Sizes& sizes, Location at);

  [[nodiscard]] Place place(Value v, Location at) const;
  [[nodiscard]] const std::vector<std::int64_t>& shape(Place place) const { return views_[place.view].shape; }
  [[nodiscard]] bool is_real(Place place) const { return buffers_[place.buffer].real; }
  [[nodiscard]] std::size_t size() const { return buffers_.size(); }

  // The same buffers without contents: those of a program that goes on where this one ends.
  [[nodiscard]] BufferTable without_contents() const;
  // Ends the table: the buffers and views are the program's.
  void move_to(Program& program);

 private:
  void name(Value v, std::uint32_t buffer, const std::vector<std::int64_t>& shape);

  std::vector<Storage> buffers_;
  std::vector<View> views_;
  std::unordered_map<ValueId, Place> places_;
  std::vector<Value> unsized_;
};

}  // namespace mlgc::loop_program

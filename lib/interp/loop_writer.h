// Private to lib/interp: a register program while it is written.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/loop_program.h"

namespace mlgc::loop_program {

using RegisterId = std::uint32_t;

// The instructions of a program in order, with their registers, those of the text's values, and the tables that
// instructions refer to.
class ProgramWriter {
 public:
  explicit ProgramWriter(std::int64_t max_trips) { program_.max_trips = max_trips; }

  // The op whose instructions follow.
  void set_location(Location at) { at_ = at; }
  [[nodiscard]] Location location() const { return at_; }

  RegisterId new_register() { return integer_constant(0); }
  RegisterId new_registers(std::size_t count);  // consecutive: the first one
  RegisterId integer_constant(std::int64_t value);
  RegisterId real_constant(double value);

  // The value's register: what was bound, or else a new one.
  RegisterId reg(Value v);
  [[nodiscard]] bool has(Value v) const { return registers_.contains(v.id()); }
  void bind(Value v, RegisterId to) { registers_[v.id()] = to; }

  // Returns the instruction's number, for land().
  std::size_t emit(Code code, std::uint32_t a, std::uint32_t b, std::uint32_t c, Dtype type = Dtype::I64,
                   ScalarFn fn = ScalarFn::Add);
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }
  // A jump goes to what follows.
  void land(std::size_t jump) { program_.code[jump].c = here(); }

  // Moves all at once: what is overwritten and still needed is saved.
  void move(const std::vector<RegisterId>& to, std::vector<RegisterId> from);
  RegisterId affine(AffineForm form);
  void access(Code code, RegisterId value, Access access);
  void check(RegisterId holds, std::string message);
  void launch(Launch launch);
  void external(External external);
  void rest(Program::Rest rest, RegisterId size);

  // A program without instructions over the same registers: it goes on where this one ends.
  [[nodiscard]] ProgramWriter continuation() const;
  // Completes the loop program, whose buffers are still to be given.
  [[nodiscard]] Program finish();

 private:
  template <class T>
  static std::uint32_t append(std::vector<T>& table, T entry) {
    table.push_back(std::move(entry));
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  Program program_;
  std::unordered_map<ValueId, RegisterId> registers_;
  Location at_;
};

}  // namespace mlgc::loop_program

// Numbers of a loop function that are known while code is written: what follows from indices alone, also by way of
// scratch.
//
// Guarantees
//   - Sound: the number is what the emitted code and the interpreter compute, bit for bit. Functions that are not
//     rounded correctly everywhere are not evaluated.
//   - Scratch is looked through where one store fills it, in loops whose indices are its subscripts, or in tiles of
//     them, of constant numbers of iterations, in front of the load.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "formula/formula.h"
#include "ir/module.h"
#include "loopir/loop_ops.h"

namespace mlgc {

class KnownNumbers {
 public:
  // What an index is; nothing: it is not known.
  using Indices = std::function<std::optional<std::int64_t>(Value index)>;

  explicit KnownNumbers(Context& context);

  // An integer of up to 31 bits, or nothing.
  [[nodiscard]] std::optional<std::int64_t> integer(Value v, const Indices& indices);

 private:
  struct Number {
    Dtype dtype = Dtype::I64;
    double real = 0;           // of floats
    std::int64_t integer = 0;  // of integers and bool
  };
  // The op that fills the scratch that a load reads, and the loops around it: by axis of the scratch, and over tiles.
  struct Filled {
    OpRef store;
    std::vector<ForRef> loops, tiles;
  };

  std::optional<Number> number(Value v, const Indices& indices, int depth);
  std::optional<Number> expression(ExprId e, std::span<const Number> operands) const;
  std::optional<Number> call(ScalarFn fn, Dtype type, std::span<const Number> args) const;
  [[nodiscard]] static std::optional<Number> cast(const Number& of, Dtype to);
  [[nodiscard]] static std::optional<Number> rounded(Dtype dtype, double value);
  [[nodiscard]] static std::optional<Number> whole(Dtype dtype, std::int64_t value);
  [[nodiscard]] bool reaches(ForRef loop, std::span<const ForRef> tiles, std::int64_t place) const;
  const std::optional<Filled>& filled(OpRef load);
  [[nodiscard]] std::optional<Filled> find_filled(OpRef load) const;

  Context* context_;
  std::unordered_map<OpId, std::optional<Filled>> filled_;  // by load
  std::unordered_map<OpId, std::optional<ExprId>> scalars_;
};

}  // namespace mlgc

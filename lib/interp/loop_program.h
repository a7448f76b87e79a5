// Private to lib/interp: a loop function as a register program for known sizes, and the machine that runs it.
//
// Registers hold doubles or 64-bit integers (indices, integers, i1). A value of the text has one register for the whole
// run; region arguments of a loop are registers that its back edge moves into. A vector loop runs its iterations in
// order; each carried value has a register for each lane, combined as ops/combine.h says. A launch runs the
// program of its callee, compiled for the sizes at hand; where a size becomes known, what follows is compiled then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "interp/storage.h"
#include "ir/module.h"
#include "ops/index_from_end.h"

namespace mlgc::loop_program {

union Register {
  double real;
  std::int64_t integer;
};

enum class Code : std::uint8_t {
  Move,         // a = b
  Jump,         // to c
  JumpIfZero,   // to c when b is 0
  JumpIfAtEnd,  // to c when a >= b
  Next,         // ++a, to c while a < b
  Real,         // a = fn(b, c), rounded to type
  Fma,          // a = b*c + a, rounded once to f32
  RealBits,     // a = the bits of b as f32, or f64 where type is I64
  RealTest,     // a = fn(b, c) as i1
  Integer,      // a = fn(b, c), wrapped to type
  Divide,       // likewise, where c may be 0
  Round,        // a = b rounded to type
  Wrap,         // a = b wrapped to type
  ToReal,       // a = b rounded to type
  ToInteger,    // a = b converted to type
  Affine,       // a = affine b
  FloorDiv,     // a = b floordiv c, for indices
  Mod,          // a = b mod c
  Min,          // a = min(b, c)
  Max,          // a = max(b, c)
  NotNegative,  // a = a and 0 <= b
  LoadReal,     // a = access b
  LoadInteger,
  StoreReal,  // access b = a
  StoreInteger,
  LoadLane,   // a = register c + b
  StoreLane,  // register c + b = a
  NextLane,   // ++a, 0 when it is c
  Transpose,  // swaps the axes of buffer a, a square
  Clear,      // zeroes buffer a
  Resize,     // buffer a, an argument, has the sizes of this program, and is zero
  Rest,       // what follows in the region, a, for the size that is b
  Launch,     // launch a
  External,   // external a
  Trip,       // fails when ++a is more than the program's max_trips
  Check,      // fails with message b unless a
  Stop,
};

struct Instruction {
  Code code;
  ScalarFn fn = ScalarFn::Add;
  Dtype type = Dtype::I64;
  std::uint32_t a = 0, b = 0, c = 0;
};

// constant + sum of coefficient * register
struct AffineForm {
  struct Term {
    std::int64_t coefficient;
    std::uint32_t from;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
};

struct Access {
  std::uint32_t buffer;
  std::uint32_t view;  // sizes that the subscripts are for
  std::vector<AffineForm> subscripts;
  std::vector<bool> from_end;  // of each subscript: counts_from_end()
  Location at;
};

// A buffer as the text names it; of a `buffer_view` other sizes than those of its memory.
struct View {
  std::string name;
  std::vector<std::int64_t> shape, strides;
};

struct Program;

struct Launch {
  std::shared_ptr<const Program> program;
  std::vector<std::uint32_t> buffers;  // its arguments, by number here
};

// A region of the graph level, on some of the buffers: it writes those that it does not read.
struct External {
  std::function<void(std::span<Storage* const>)> run;
  std::vector<std::uint32_t> buffers;
};

struct Program {
  // What stands after a size that becomes known during the run, compiled for its value: a program over the same
  // registers and buffers, with more of both.
  using Rest = std::function<Program(std::int64_t)>;

  std::vector<Instruction> code;
  std::vector<Location> where;  // of each instruction's op
  std::vector<Register> initial;
  std::vector<AffineForm> affine;
  std::vector<Access> accesses;
  std::vector<std::string> messages;
  std::vector<Storage> buffers;  // arguments first, without contents; what `data` names has its contents
  std::size_t arguments = 0;     // of a rest: the buffers that are there
  std::size_t shared = 0;        // of a rest: the first registers, which are those of the program that it belongs to
  std::int64_t max_trips = 0;
  std::vector<View> views;
  std::vector<Launch> launches;
  std::vector<External> externals;
  std::vector<Rest> rests;
};

using SymbolValue = std::function<std::optional<std::int64_t>(AtomId)>;

// What a program is compiled for.
struct Setting {
  SymbolValue symbols;
  bool round = true;                        // every op is rounded to its dtype; otherwise floats stay in f64
  std::int64_t max_trips = 1'000'000'000;   // of one `while`
  std::function<Storage(OpRef)> data = {};  // the memory that a `data` op names
  // Evaluates an `external` on the buffers of its operands.
  std::function<void(OpRef, const SymbolValue&, std::span<Storage* const>)> external = {};
};

// Compiles the body of a loop function, and the functions that it launches. Throws a Diagnostic for what the loop level
// does not have, or a size that is negative or absurd.
[[nodiscard]] Program compile(OpRef func, const Setting& setting);

// Runs it on arguments that have their contents; one buffer may stand for several that are only read. Throws a
// Diagnostic for an error of the program.
void run(const Program& program, std::span<Storage* const> arguments, bool round);

}  // namespace mlgc::loop_program

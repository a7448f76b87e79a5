// Runs register programs.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "diag/kinds_interp.h"
#include "interp/loop_program.h"

namespace mlgc::loop_program {
namespace {

// Runs a program on as many buffers as it has arguments.
void run_with(const Program& program, std::span<Storage* const> given, bool round, std::vector<Register>& registers);

void zero(Storage& buffer) {
  const auto count = static_cast<std::size_t>(buffer.count());
  if (buffer.real)
    buffer.reals.assign(count, 0.0);
  else
    buffer.integers.assign(count, 0);
}

// Of a square in row-major order.
template <class T>
void transpose(std::vector<T>& elements, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(elements[i * size + j], elements[j * size + i]);
}
void transpose(Storage& square) {
  const auto size = static_cast<std::size_t>(square.shape[0]);
  if (square.real)
    transpose(square.reals, size);
  else
    transpose(square.integers, size);
}

// Of f32, or of f64 as an i64; of each NaN those of one.
std::int64_t real_bits(Dtype type, double v) {
  if (std::isnan(v)) v = std::numeric_limits<double>::quiet_NaN();
  if (type == Dtype::I64) return std::bit_cast<std::int64_t>(v);
  return std::bit_cast<std::int32_t>(static_cast<float>(v));
}

// Executes a program's instructions on registers and buffers.
class RegisterMachine {
 public:
  RegisterMachine(const Program& program, std::vector<Storage*> buffers, bool round, std::vector<Register>& registers)
      : program_(program), buffers_(std::move(buffers)), round_(round), r_(registers) {}

  void run() {
    for (std::size_t pc = 0;; ++pc) {
      const Instruction& i = program_.code[pc];
      switch (i.code) {
        case Code::Move: r_[i.a] = r_[i.b]; break;
        case Code::Jump: pc = i.c - std::size_t{1}; break;
        case Code::JumpIfZero:
          if (r_[i.b].integer == 0) pc = i.c - std::size_t{1};
          break;
        case Code::JumpIfAtEnd:
          if (r_[i.a].integer >= r_[i.b].integer) pc = i.c - std::size_t{1};
          break;
        case Code::Next:
          if (++r_[i.a].integer < r_[i.b].integer) pc = i.c - std::size_t{1};
          break;
        case Code::Real: real(i); break;
        case Code::Fma:
          r_[i.a].real = round_ ? std::fma(static_cast<float>(r_[i.b].real), static_cast<float>(r_[i.c].real),
                                           static_cast<float>(r_[i.a].real))
                                : std::fma(r_[i.b].real, r_[i.c].real, r_[i.a].real);
          break;
        case Code::RealBits: r_[i.a].integer = real_bits(i.type, r_[i.b].real); break;
        case Code::RealTest: r_[i.a].integer = scalar_fn_info(i.fn).real(r_[i.b].real, r_[i.c].real) != 0; break;
        case Code::Divide:
          if (r_[i.c].integer == 0) throw diagnose<kDivisionByZero>(program_.where[pc], scalar_fn_info(i.fn).name);
          [[fallthrough]];
        case Code::Integer:
          r_[i.a].integer = wrap_to(i.type, scalar_fn_info(i.fn).integer(r_[i.b].integer, r_[i.c].integer));
          break;
        case Code::Round: r_[i.a].real = round_ ? round_to(i.type, r_[i.b].real) : r_[i.b].real; break;
        case Code::Wrap: r_[i.a].integer = wrap_to(i.type, r_[i.b].integer); break;
        case Code::ToReal: {
          const auto v = static_cast<double>(r_[i.b].integer);
          r_[i.a].real = round_ ? round_to(i.type, v) : v;
          break;
        }
        case Code::ToInteger: r_[i.a].integer = real_to_integer(i.type, r_[i.b].real); break;
        case Code::Affine: r_[i.a].integer = value(program_.affine[i.b]); break;
        case Code::FloorDiv:
        case Code::Mod: {
          const std::int64_t a = r_[i.b].integer, b = r_[i.c].integer;
          if (b <= 0) throw diagnose<kDivisionByZero>(program_.where[pc], i.code == Code::Mod ? "mod" : "floordiv");
          const std::int64_t rest = a % b < 0 ? a % b + b : a % b;
          r_[i.a].integer = i.code == Code::Mod ? rest : (a - rest) / b;
          break;
        }
        case Code::Min: r_[i.a].integer = std::min(r_[i.b].integer, r_[i.c].integer); break;
        case Code::Max: r_[i.a].integer = std::max(r_[i.b].integer, r_[i.c].integer); break;
        case Code::NotNegative:
          if (r_[i.b].integer < 0) r_[i.a].integer = 0;
          break;
        case Code::LoadReal: {
          const Access& access = program_.accesses[i.b];
          r_[i.a].real = buffers_[access.buffer]->reals[place(access, false)];
          break;
        }
        case Code::LoadInteger: {
          const Access& access = program_.accesses[i.b];
          r_[i.a].integer = buffers_[access.buffer]->integers[place(access, false)];
          break;
        }
        case Code::StoreReal: {
          const Access& access = program_.accesses[i.b];
          Storage& buffer = *buffers_[access.buffer];
          buffer.reals[place(access, true)] = round_ ? round_to(buffer.dtype, r_[i.a].real) : r_[i.a].real;
          break;
        }
        case Code::StoreInteger: {
          const Access& access = program_.accesses[i.b];
          Storage& buffer = *buffers_[access.buffer];
          buffer.integers[place(access, true)] = wrap_to(buffer.dtype, r_[i.a].integer);
          break;
        }
        case Code::LoadLane: r_[i.a] = r_[i.c + static_cast<std::size_t>(r_[i.b].integer)]; break;
        case Code::StoreLane: r_[i.c + static_cast<std::size_t>(r_[i.b].integer)] = r_[i.a]; break;
        case Code::NextLane:
          if (++r_[i.a].integer == i.c) r_[i.a].integer = 0;
          break;
        case Code::Transpose:
        case Code::Clear:
        case Code::Resize: memory(i); break;
        case Code::Launch: launch(program_.launches[i.a]); break;
        case Code::External: external(program_.externals[i.a]); break;
        case Code::Rest: rest(program_.rests[i.a], r_[i.b].integer, program_.where[pc]); break;
        case Code::Trip:
          if (++r_[i.a].integer > program_.max_trips)
            throw diagnose<kTooManyTrips>(program_.where[pc], program_.max_trips);
          break;
        case Code::Check:
          if (r_[i.a].integer == 0) throw diagnose<kCheckFailed>(program_.where[pc], program_.messages[i.b]);
          break;
        case Code::Stop: return;
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t value(const AffineForm& form) const {
    std::int64_t v = form.constant;
    for (const AffineForm::Term& t : form.terms) v += t.coefficient * r_[t.from].integer;
    return v;
  }

  // The place of an element, after testing every subscript.
  std::size_t place(const Access& access, bool writes) const {
    const View& view = program_.views[access.view];
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
      const std::int64_t s = value(access.subscripts[d]);
      if (static_cast<std::uint64_t>(s) >= static_cast<std::uint64_t>(view.shape[d])) {
        const std::int64_t given = s < 0 && access.from_end[d] ? s - view.shape[d] : s;
        if (writes) throw diagnose<kWriteOutOfRange>(access.at, view.name, given, d, view.shape[d]);
        throw diagnose<kReadOutOfRange>(access.at, view.name, given, d, view.shape[d]);
      }
      offset += s * view.strides[d];
    }
    return static_cast<std::size_t>(offset);
  }

  // 16-bit floats are computed in f32 and rounded by casts and stores.
  [[nodiscard]] double computed(Dtype type, double v) const {
    return round_ && type != Dtype::F64 ? static_cast<float>(v) : v;
  }

  // Of a whole buffer.
  void memory(const Instruction& i) {
    Storage& buffer = *buffers_[i.a];
    if (i.code == Code::Transpose) return transpose(buffer);
    if (i.code == Code::Resize) buffer = program_.buffers[i.a];
    zero(buffer);
  }

  void launch(const Launch& launch) {
    std::vector<Storage*> arguments;
    for (const std::uint32_t b : launch.buffers) arguments.push_back(buffers_[b]);
    loop_program::run(*launch.program, arguments, round_);
  }

  void external(const External& external) {
    std::vector<Storage*> operands;
    for (const std::uint32_t b : external.buffers) operands.push_back(buffers_[b]);
    external.run(operands);
  }

  // The program that follows is compiled for the size, and goes on with the registers that it shares.
  void rest(const Program::Rest& compile, std::int64_t size, Location at) {
    if (size < 0) throw diagnose<kNegativeSize>(at, "bind_size", size);
    const Program rest = compile(size);
    std::vector<Register> registers = rest.initial;
    std::copy_n(r_.begin(), rest.shared, registers.begin());
    run_with(rest, std::span(buffers_).first(rest.arguments), round_, registers);
    std::copy_n(registers.begin(), rest.shared, r_.begin());
  }

  void real(const Instruction& i) {
    const double b = r_[i.b].real, c = r_[i.c].real;
    double v = 0;
    // The arithmetic of inner products is written out; everything else goes through the table.
    switch (i.fn) {
      case ScalarFn::Add: v = b + c; break;
      case ScalarFn::Sub: v = b - c; break;
      case ScalarFn::Mul: v = b * c; break;
      default: v = scalar_fn_info(i.fn).real(b, c);
    }
    r_[i.a].real = computed(i.type, v);
  }

  const Program& program_;
  std::vector<Storage*> buffers_;
  bool round_;
  std::vector<Register>& r_;
};

void run_with(const Program& program, std::span<Storage* const> given, bool round, std::vector<Register>& registers) {
  std::vector<Storage> own(program.buffers.begin() + static_cast<std::ptrdiff_t>(program.arguments),
                           program.buffers.end());
  std::vector<Storage*> buffers(given.begin(), given.end());
  for (Storage& buffer : own) buffers.push_back(&buffer);
  RegisterMachine(program, std::move(buffers), round, registers).run();
}

}  // namespace

void run(const Program& program, std::span<Storage* const> arguments, bool round) {
  std::vector<Register> registers = program.initial;
  run_with(program, arguments, round, registers);
}

}  // namespace mlgc::loop_program

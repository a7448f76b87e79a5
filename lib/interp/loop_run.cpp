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

struct Machine {
  const Program& program;
  std::vector<Storage*> buffers;
  bool round;
  std::vector<Register>& r;

  [[nodiscard]] std::int64_t value(const AffineForm& form) const {
    std::int64_t v = form.constant;
    for (const AffineForm::Term& t : form.terms) v += t.coefficient * r[t.from].integer;
    return v;
  }

  // The place of an element, after testing every subscript.
  std::size_t place(const Access& access, bool writes) const {
    const View& view = program.views[access.view];
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
    return round && type != Dtype::F64 ? static_cast<float>(v) : v;
  }

  void run() {
    for (std::size_t pc = 0;; ++pc) {
      const Instruction& i = program.code[pc];
      switch (i.code) {
        case Code::Move: r[i.a] = r[i.b]; break;
        case Code::Jump: pc = i.c - std::size_t{1}; break;
        case Code::JumpIfZero:
          if (r[i.b].integer == 0) pc = i.c - std::size_t{1};
          break;
        case Code::JumpIfAtEnd:
          if (r[i.a].integer >= r[i.b].integer) pc = i.c - std::size_t{1};
          break;
        case Code::Next:
          if (++r[i.a].integer < r[i.b].integer) pc = i.c - std::size_t{1};
          break;
        case Code::Real: real(i); break;
        case Code::Fma:
          r[i.a].real = round ? std::fma(static_cast<float>(r[i.b].real), static_cast<float>(r[i.c].real),
                                         static_cast<float>(r[i.a].real))
                              : std::fma(r[i.b].real, r[i.c].real, r[i.a].real);
          break;
        case Code::RealBits: r[i.a].integer = real_bits(i.type, r[i.b].real); break;
        case Code::RealTest: r[i.a].integer = scalar_fn_info(i.fn).real(r[i.b].real, r[i.c].real) != 0; break;
        case Code::Divide:
          if (r[i.c].integer == 0) throw diagnose<kDivisionByZero>(program.where[pc], scalar_fn_info(i.fn).name);
          [[fallthrough]];
        case Code::Integer:
          r[i.a].integer = wrap_to(i.type, scalar_fn_info(i.fn).integer(r[i.b].integer, r[i.c].integer));
          break;
        case Code::Round: r[i.a].real = round ? round_to(i.type, r[i.b].real) : r[i.b].real; break;
        case Code::Wrap: r[i.a].integer = wrap_to(i.type, r[i.b].integer); break;
        case Code::ToReal: {
          const auto v = static_cast<double>(r[i.b].integer);
          r[i.a].real = round ? round_to(i.type, v) : v;
          break;
        }
        case Code::ToInteger: r[i.a].integer = real_to_integer(i.type, r[i.b].real); break;
        case Code::Affine: r[i.a].integer = value(program.affine[i.b]); break;
        case Code::FloorDiv:
        case Code::Mod: {
          const std::int64_t a = r[i.b].integer, b = r[i.c].integer;
          if (b <= 0) throw diagnose<kDivisionByZero>(program.where[pc], i.code == Code::Mod ? "mod" : "floordiv");
          const std::int64_t rest = a % b < 0 ? a % b + b : a % b;
          r[i.a].integer = i.code == Code::Mod ? rest : (a - rest) / b;
          break;
        }
        case Code::Min: r[i.a].integer = std::min(r[i.b].integer, r[i.c].integer); break;
        case Code::Max: r[i.a].integer = std::max(r[i.b].integer, r[i.c].integer); break;
        case Code::NotNegative:
          if (r[i.b].integer < 0) r[i.a].integer = 0;
          break;
        case Code::LoadReal: {
          const Access& access = program.accesses[i.b];
          r[i.a].real = buffers[access.buffer]->reals[place(access, false)];
          break;
        }
        case Code::LoadInteger: {
          const Access& access = program.accesses[i.b];
          r[i.a].integer = buffers[access.buffer]->integers[place(access, false)];
          break;
        }
        case Code::StoreReal: {
          const Access& access = program.accesses[i.b];
          Storage& buffer = *buffers[access.buffer];
          const double v = r[i.a].real;
          buffer.reals[place(access, true)] = round ? round_to(buffer.dtype, v) : v;
          break;
        }
        case Code::StoreInteger: {
          const Access& access = program.accesses[i.b];
          Storage& buffer = *buffers[access.buffer];
          buffer.integers[place(access, true)] = wrap_to(buffer.dtype, r[i.a].integer);
          break;
        }
        case Code::LoadLane: r[i.a] = r[i.c + static_cast<std::size_t>(r[i.b].integer)]; break;
        case Code::StoreLane: r[i.c + static_cast<std::size_t>(r[i.b].integer)] = r[i.a]; break;
        case Code::NextLane:
          if (++r[i.a].integer == i.c) r[i.a].integer = 0;
          break;
        case Code::Launch: {
          const Launch& launch = program.launches[i.a];
          std::vector<Storage*> arguments;
          for (const std::uint32_t b : launch.buffers) arguments.push_back(buffers[b]);
          loop_program::run(*launch.program, arguments, round);
          break;
        }
        case Code::External: {
          const External& external = program.externals[i.a];
          std::vector<Storage*> operands;
          for (const std::uint32_t b : external.buffers) operands.push_back(buffers[b]);
          external.run(operands);
          break;
        }
        case Code::Transpose: transpose(*buffers[i.a]); break;
        case Code::Clear: zero(*buffers[i.a]); break;
        case Code::Resize: {
          *buffers[i.a] = program.buffers[i.a];
          zero(*buffers[i.a]);
          break;
        }
        case Code::Rest: {
          const std::int64_t size = r[i.b].integer;
          if (size < 0) throw diagnose<kNegativeSize>(program.where[pc], "bind_size", size);
          const Program rest = program.rests[i.a](size);
          std::vector<Register> registers = rest.initial;
          std::copy_n(r.begin(), rest.shared, registers.begin());
          run_with(rest, std::span(buffers).first(rest.arguments), round, registers);
          std::copy_n(registers.begin(), rest.shared, r.begin());
          break;
        }
        case Code::Trip:
          if (++r[i.a].integer > program.max_trips) throw diagnose<kTooManyTrips>(program.where[pc], program.max_trips);
          break;
        case Code::Check:
          if (r[i.a].integer == 0) throw diagnose<kCheckFailed>(program.where[pc], program.messages[i.b]);
          break;
        case Code::Stop: return;
      }
    }
  }

  void real(const Instruction& i) {
    const double b = r[i.b].real, c = r[i.c].real;
    double v = 0;
    // The arithmetic of inner products is spelled out; everything else goes through the table.
    switch (i.fn) {
      case ScalarFn::Add: v = b + c; break;
      case ScalarFn::Sub: v = b - c; break;
      case ScalarFn::Mul: v = b * c; break;
      default: v = scalar_fn_info(i.fn).real(b, c);
    }
    r[i.a].real = computed(i.type, v);
  }
};

void run_with(const Program& program, std::span<Storage* const> given, bool round, std::vector<Register>& registers) {
  std::vector<Storage> own(program.buffers.begin() + static_cast<std::ptrdiff_t>(program.arguments),
                           program.buffers.end());
  std::vector<Storage*> buffers(given.begin(), given.end());
  for (Storage& buffer : own) buffers.push_back(&buffer);
  Machine{program, std::move(buffers), round, registers}.run();
}

}  // namespace

void run(const Program& program, std::span<Storage* const> arguments, bool round) {
  std::vector<Register> registers = program.initial;
  run_with(program, arguments, round, registers);
}

}  // namespace mlgc::loop_program

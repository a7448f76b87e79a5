// See loop_writer.h.
#include "interp/loop_writer.h"

namespace mlgc::loop_program {

RegisterId ProgramWriter::new_registers(std::size_t count) {
  const auto first = static_cast<RegisterId>(program_.initial.size());
  program_.initial.resize(program_.initial.size() + count, Register{.integer = 0});
  return first;
}

RegisterId ProgramWriter::integer_constant(std::int64_t value) {
  return append(program_.initial, Register{.integer = value});
}

RegisterId ProgramWriter::real_constant(double value) { return append(program_.initial, Register{.real = value}); }

RegisterId ProgramWriter::reg(Value v) {
  const auto [it, fresh] = registers_.try_emplace(v.id(), 0);
  if (fresh) it->second = new_register();
  return it->second;
}

std::size_t ProgramWriter::emit(Code code, std::uint32_t a, std::uint32_t b, std::uint32_t c, Dtype type, ScalarFn fn) {
  program_.code.push_back({code, fn, type, a, b, c});
  program_.where.push_back(at_);
  return program_.code.size() - 1;
}

void ProgramWriter::move(const std::vector<RegisterId>& to, std::vector<RegisterId> from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t j = i + 1; j < from.size(); ++j) {
      if (from[j] != to[i] || from[i] == to[i]) continue;
      const RegisterId saved = new_register();
      emit(Code::Move, saved, from[j], 0);
      from[j] = saved;
    }
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != from[i]) emit(Code::Move, to[i], from[i], 0);
}

RegisterId ProgramWriter::affine(AffineForm form) {
  const RegisterId result = new_register();
  emit(Code::Affine, result, append(program_.affine, std::move(form)), 0);
  return result;
}

void ProgramWriter::access(Code code, RegisterId value, Access access) {
  emit(code, value, append(program_.accesses, std::move(access)), 0);
}

void ProgramWriter::check(RegisterId holds, std::string message) {
  emit(Code::Check, holds, append(program_.messages, std::move(message)), 0);
}

void ProgramWriter::launch(Launch launch) { emit(Code::Launch, append(program_.launches, std::move(launch)), 0, 0); }

void ProgramWriter::external(External external) {
  emit(Code::External, append(program_.externals, std::move(external)), 0, 0);
}

void ProgramWriter::rest(Program::Rest rest, RegisterId size) {
  emit(Code::Rest, append(program_.rests, std::move(rest)), size, 0);
}

ProgramWriter ProgramWriter::continuation() const {
  ProgramWriter out(program_.max_trips);
  out.program_.initial = program_.initial;
  out.program_.shared = program_.initial.size();
  out.registers_ = registers_;
  out.at_ = at_;
  return out;
}

Program ProgramWriter::finish() {
  emit(Code::Stop, 0, 0, 0);
  return std::move(program_);
}

}  // namespace mlgc::loop_program

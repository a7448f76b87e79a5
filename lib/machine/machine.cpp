// Fields of machines, and what texts say of them.
#include "machine/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "diag/suggest.h"

namespace mlgc {
namespace {

constexpr double kCount = 1e6, kBytes = 1e12, kRate = 1e6;

constexpr MachineField kCpuFields[] = {
    {"vector_bytes", "bytes", "of a vector", &CpuMachine::vector_bytes, 16, 64, true},
    {"vector_registers", "", "vectors that registers hold", &CpuMachine::vector_registers, 8, 1024},
    {"fma_ports", "", "multiply-adds of whole vectors that begin in a cycle", &CpuMachine::fma_ports, 1, 64},
    {"fma_latency", "cycles", "until the result of one can be used", &CpuMachine::fma_latency, 1, 64},
    {"load_ports", "", "loads of whole vectors in a cycle", &CpuMachine::load_ports, 1, 64},
    {"store_ports", "", "stores of whole vectors in a cycle", &CpuMachine::store_ports, 1, 64},
    {"bf16_terms", "", "products of bf16 that an instruction adds to each sum; 1: as f32", &CpuMachine::bf16_terms, 1,
     2},
    {"clock_ghz", "GHz", "of a core that computes on vectors", &CpuMachine::clock_ghz, 0.01, 100},
    {"cores", "", "that share a loop", &CpuMachine::cores, 1, kCount},
    {"line_bytes", "bytes", "of a cache line", &CpuMachine::line_bytes, 16, 4096, true},
    {"l1_bytes", "bytes", "of a core's first cache", &CpuMachine::l1_bytes, 1024, kBytes},
    {"l1_ways", "lines", "of a set of the first cache", &CpuMachine::l1_ways, 1, kCount},
    {"l2_bytes", "bytes", "of a core's second cache", &CpuMachine::l2_bytes, 1024, kBytes},
    {"l3_bytes", "bytes", "of the last cache, of all cores", &CpuMachine::l3_bytes, 1024, kBytes},
    {"l2_gbs", "GB/s", "from the second cache to a core", &CpuMachine::l2_gbs, 0.01, kRate},
    {"l3_gbs", "GB/s", "from the last cache to a core", &CpuMachine::l3_gbs, 0.01, kRate},
    {"memory_gbs", "GB/s", "from memory to a core", &CpuMachine::memory_gbs, 0.01, kRate},
    {"all_memory_gbs", "GB/s", "from memory to all cores", &CpuMachine::all_memory_gbs, 0.01, kRate},
    {"region_us", "us", "to give a loop to threads and to wait for them", &CpuMachine::region_us, 0, kRate},
};

constexpr MachineField kGpuFields[] = {
    {"multiprocessors", "", "of the device", &GpuMachine::multiprocessors, 1, kCount},
    {"threads", "", "that a multiprocessor holds", &GpuMachine::threads, 32, kCount},
    {"registers", "", "of 32 bits, of a multiprocessor", &GpuMachine::registers, 1024, 1e9},
    {"shared_bytes", "bytes", "of shared memory for a block, at most", &GpuMachine::shared_bytes, 1024, kBytes},
    {"busy_threads", "", "fewer leave parts of the device without work", &GpuMachine::busy_threads, 32, 1e9},
    {"clock_ghz", "GHz", "of multiprocessors", &GpuMachine::clock_ghz, 0.01, 100},
    {"fma_lanes", "", "multiply-adds of f32 that a multiprocessor begins in a cycle", &GpuMachine::fma_lanes, 1,
     kCount},
    {"mma_tflops", "TFLOP/s", "of 16-bit products by warps, mma.sync; 0: none", &GpuMachine::mma_tflops, 0, kRate},
    {"wgmma_tflops", "TFLOP/s", "of 16-bit products by four warps, wgmma; 0: none", &GpuMachine::wgmma_tflops, 0,
     kRate},
    {"l2_bytes", "bytes", "of the cache of all multiprocessors", &GpuMachine::l2_bytes, 1024, kBytes},
    {"l2_gbs", "GB/s", "from that cache", &GpuMachine::l2_gbs, 0.01, kRate},
    {"memory_gbs", "GB/s", "from the device's memory", &GpuMachine::memory_gbs, 0.01, kRate},
    {"latency_us", "us", "until what a block loads first is there", &GpuMachine::latency_us, 0, kRate},
    {"launch_us", "us", "to start a kernel", &GpuMachine::launch_us, 0, kRate},
};

template <class Numbers>
double value_of(const Numbers& numbers, const MachineField::Place& place) {
  if (const auto* whole = std::get_if<std::int64_t Numbers::*>(&place)) return static_cast<double>(numbers.**whole);
  return numbers.*std::get<double Numbers::*>(place);
}
template <class Numbers>
void put(Numbers& numbers, const MachineField::Place& place, double value) {
  if (const auto* whole = std::get_if<std::int64_t Numbers::*>(&place))
    numbers.** whole = static_cast<std::int64_t>(value);
  else
    numbers.*std::get<double Numbers::*>(place) = value;
}

// The shortest text that reads as the number again.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto format = std::abs(value) < 1e16 ? std::chars_format::fixed : std::chars_format::general;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return end.ec == std::errc() ? std::string(buffer.data(), end.ptr) : std::to_string(value);
}

std::string or_nearest(std::string text, std::string_view name, std::span<const std::string_view> known) {
  if (const auto nearest = closest_name(name, known)) return text + "; did you mean `" + std::string(*nearest) + "`?";
  text += ", expected one of ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(known[i]);
  return text;
}

}  // namespace

std::int64_t CpuMachine::l1_stride() const {
  const std::int64_t way = std::max(line_bytes, l1_bytes / l1_ways);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(way)));
}

std::string_view machine_kind_name(MachineKind kind) { return kind == MachineKind::Cpu ? "cpu" : "gpu"; }

double MachineField::of(const Machine& machine) const {
  return machine.kind() == MachineKind::Cpu ? value_of(machine.cpu(), place) : value_of(machine.gpu(), place);
}

Status<> MachineField::set(Machine& machine, double value) const {
  const auto refused = [&](const std::string& why) { return Failure{"`" + std::string(name) + "` must be " + why}; };
  if (std::isnan(value)) return refused("a number");
  if (is_whole() && value != std::floor(value)) return refused("a whole number");
  if (value < least) return refused("at least " + number_text(least));
  if (value > most) return refused("at most " + number_text(most));
  if (power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(value))) return refused("a power of two");
  if (machine.kind() == MachineKind::Cpu)
    put(std::get<CpuMachine>(machine.numbers), place, value);
  else
    put(std::get<GpuMachine>(machine.numbers), place, value);
  return {};
}

std::string MachineField::text(const Machine& machine) const { return number_text(of(machine)); }

std::span<const MachineField> machine_fields(MachineKind kind) {
  return kind == MachineKind::Cpu ? std::span<const MachineField>(kCpuFields)
                                  : std::span<const MachineField>(kGpuFields);
}

const MachineField* find_machine_field(MachineKind kind, std::string_view name) {
  for (const MachineField& field : machine_fields(kind))
    if (field.name == name) return &field;
  return nullptr;
}

std::string Machine::spec() const {
  const Machine* from = find_machine(base);
  MLGC_ASSERT(from != nullptr, "a machine without a base");
  std::string out = base;
  for (const MachineField& field : machine_fields(kind()))
    if (field.of(*this) != field.of(*from)) out += "," + std::string(field.name) + "=" + field.text(*this);
  return out;
}

const Machine* find_machine(std::string_view name) {
  for (const Machine& machine : machines())
    if (machine.name == name) return &machine;
  return nullptr;
}

const Machine& default_machine(MachineKind kind) {
  const Machine* found = find_machine(kind == MachineKind::Cpu ? "x86-64-v4" : "h200");
  MLGC_ASSERT(found != nullptr && found->kind() == kind, "a default machine that is not built in");
  return *found;
}

Result<Machine> read_machine_spec(std::string_view text) {
  bool more = true;
  const auto next = [&] {
    const std::size_t end = std::min(text.find(','), text.size());
    more = end < text.size();
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
  };
  const std::string_view name = next();
  const Machine* from = find_machine(name);
  if (from == nullptr) {
    std::vector<std::string_view> names;
    for (const Machine& machine : machines()) names.push_back(machine.name);
    return Failure{or_nearest("there is no machine `" + std::string(name) + "`", name, names)};
  }
  Machine machine = *from;
  while (more) {
    const std::string_view part = next();
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, sign), value = part.substr(std::min(sign + 1, part.size()));
    const MachineField* field = find_machine_field(machine.kind(), key);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const MachineField& known : machine_fields(machine.kind())) names.push_back(known.name);
      return Failure{or_nearest("a machine of kind `" + std::string(machine_kind_name(machine.kind())) +
                                    "` has no number `" + std::string(key) + "`",
                                key, names)};
    }
    double number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size())
      return Failure{"`" + std::string(part) + "`: expected `" + std::string(key) + "=` and a number"};
    if (const Status<> set = field->set(machine, number); !set) return Failure{set.error()};
  }
  return machine;
}

}  // namespace mlgc

// What a program is compiled for, in numbers: a CPU or a GPU as the compiler sees it.
//
// Guarantees
//   - Compiling reads a machine and never the one that it runs on: the same input and the same machine give the same
//     bytes.
//   - A machine chooses tiles, packing, the order of loops and what threads share. It never chooses the order in which
//     a sum is added (schedule/reduction_order.h), so results have the same bits on every machine.
//   - A built-in machine is a file of lib/machine/machines in the format of `--machine=FILE` (machine_file.h).
//   - Numbers are inside of the bounds of their fields (machine_fields()): no lane count of 0, no negative cache.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "support/result.h"

namespace mlgc {

enum class MachineKind : std::uint8_t { Cpu, Gpu };
[[nodiscard]] std::string_view machine_kind_name(MachineKind kind);  // `cpu`, `gpu`

// Rates are 10^9 a second and of one core where the name does not say otherwise.
struct CpuMachine {
  std::int64_t vector_bytes = 0;      // 16, 32 or 64
  std::int64_t vector_registers = 0;  // that a program names
  std::int64_t fma_ports = 0;         // multiply-adds of whole vectors that begin in a cycle
  std::int64_t fma_latency = 0;       // cycles until the result of one can be used
  std::int64_t load_ports = 0;        // loads of whole vectors in a cycle
  std::int64_t store_ports = 0;
  std::int64_t bf16_terms = 0;  // products of bf16 that one instruction adds to each f32 of a vector; 1: there is none
  double clock_ghz = 0;
  std::int64_t cores = 0;
  std::int64_t line_bytes = 0;              // of a cache line
  std::int64_t l1_bytes = 0, l2_bytes = 0;  // of a core
  std::int64_t l1_ways = 0;                 // lines of the first cache whose addresses ask for one place
  std::int64_t l3_bytes = 0;                // of all cores
  double l2_gbs = 0, l3_gbs = 0;            // GB/s of one core
  double memory_gbs = 0;                    // GB/s of one core
  double all_memory_gbs = 0;                // of all cores together
  double region_us = 0;                     // to give a loop to threads and to wait for them

  // Products of bf16 go by pairs of terms.
  [[nodiscard]] bool pairs_bf16() const { return bf16_terms == 2; }
  // Addresses at this distance share one set of the first cache: the size of one way, which is a power of two since
  // bits of the address choose the set.
  [[nodiscard]] std::int64_t l1_stride() const;
};

struct GpuMachine {
  std::int64_t multiprocessors = 0;
  std::int64_t threads = 0;       // that a multiprocessor holds
  std::int64_t registers = 0;     // of 32 bits, of a multiprocessor
  std::int64_t shared_bytes = 0;  // of a block, at most
  std::int64_t busy_threads = 0;  // with fewer, parts of the device have nothing to do
  double clock_ghz = 0;
  std::int64_t fma_lanes = 0;  // multiply-adds of f32 that a multiprocessor begins in a cycle
  // 10^12 operations a second of products of 16 bits that are added in f32: by a warp from registers (mma.sync), and by
  // four warps from shared memory (wgmma; 0: the GPU has none).
  double mma_tflops = 0, wgmma_tflops = 0;
  std::int64_t l2_bytes = 0;
  double l2_gbs = 0, memory_gbs = 0;  // of the device
  double latency_us = 0;              // until what a block loads first is there
  double launch_us = 0;
};

struct Machine {
  std::string name;     // of a built-in machine, or what its file says
  std::string summary;  // one sentence
  std::string base;     // the built-in machine of its kind that spec() counts from; of one of these itself
  std::variant<CpuMachine, GpuMachine> numbers;

  [[nodiscard]] MachineKind kind() const { return static_cast<MachineKind>(numbers.index()); }
  // Precondition: of that kind.
  [[nodiscard]] const CpuMachine& cpu() const { return std::get<CpuMachine>(numbers); }
  [[nodiscard]] const GpuMachine& gpu() const { return std::get<GpuMachine>(numbers); }

  // What read_machine_spec() reads: the base, and the numbers that differ from it: `x86-64-v3,cores=16`.
  [[nodiscard]] std::string spec() const;
};

// A number of machines of one kind.
struct MachineField {
  using Place =
      std::variant<std::int64_t CpuMachine::*, double CpuMachine::*, std::int64_t GpuMachine::*, double GpuMachine::*>;
  std::string_view name, unit, summary;
  Place place;
  double least = 0, most = 0;
  bool power_of_two = false;

  [[nodiscard]] bool is_whole() const { return place.index() % 2 == 0; }
  [[nodiscard]] double of(const Machine& machine) const;
  // Error: why it may not have the value: `at least 1`, `a whole number`, `a power of two`. Nothing is changed then.
  [[nodiscard]] Status<> set(Machine& machine, double value) const;
  // The value as files and spec() spell it.
  [[nodiscard]] std::string text(const Machine& machine) const;
};
// In the order in which reports list them.
[[nodiscard]] std::span<const MachineField> machine_fields(MachineKind kind);
[[nodiscard]] const MachineField* find_machine_field(MachineKind kind, std::string_view name);

// CPUs first, each from the plainest on. They live as long as the program.
[[nodiscard]] std::span<const Machine> machines();
[[nodiscard]] const Machine* find_machine(std::string_view name);

// A built-in machine, with other numbers where the text says so: `h200`, `x86-64-v3,cores=16,l2_bytes=2097152`. Error:
// what is wrong, and what may stand there.
[[nodiscard]] Result<Machine> read_machine_spec(std::string_view text);

// The default target: x86-64-v4, h200.
[[nodiscard]] const Machine& default_machine(MachineKind kind);

}  // namespace mlgc

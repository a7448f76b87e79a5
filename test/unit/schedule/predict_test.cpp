// What is predicted of small kernels is what is counted by hand.
#include "schedule/predict.h"
#include "parsed_module.h"

namespace mlgc::schedule {
namespace {

using Catch::Matchers::WithinRel;

// One operation, load or store a cycle, 1 GHz, vectors of 64 bytes; 10 bytes a nanosecond from the second cache on.
Machine slow() {
  Machine machine{.name = "slow", .summary = "", .base = "", .numbers = CpuMachine{}};
  auto& cpu = std::get<CpuMachine>(machine.numbers);
  cpu.vector_bytes = 64, cpu.vector_registers = 32;
  cpu.fma_ports = cpu.load_ports = cpu.store_ports = 1;
  cpu.fma_latency = 4, cpu.clock_ghz = 1, cpu.cores = 2, cpu.line_bytes = 64;
  cpu.l1_bytes = 1024, cpu.l2_bytes = 4096, cpu.l3_bytes = 1 << 20;
  cpu.l2_gbs = 10, cpu.l3_gbs = 5, cpu.memory_gbs = 1, cpu.all_memory_gbs = 2, cpu.region_us = 3;
  return machine;
}

Prediction predicted(std::string_view text, const Machine& machine, const PredictedSizes& sizes = {}) {
  const test::ParsedModule parsed(text);
  return predict(parsed.func("k"), machine, sizes);
}

constexpr double kNano = 1e-9;

TEST_CASE("elements that stay near are bound by operations, with lanes or without") {
  const auto text = [](std::string_view attributes) {
    return "func @k(%x: buffer<64xf32, argument>, %y: buffer<64xf32, argument>) {\n"
           "  for [0, 64] (%i: index) " +
           std::string(attributes) +
           "{\n"
           "    %0 = load %x[%i] : f32\n"
           "    %1 = add %0, %0 : f32\n"
           "    %2 = mul %1, %0 : f32\n"
           "    store %2, %y[%i]\n"
           "  }\n"
           "  return\n"
           "}\n";
  };
  const Prediction scalar = predicted(text(""), slow());
  CHECK_THAT(scalar.term("compute"), WithinRel(128 * kNano));
  CHECK_THAT(scalar.term("L1"), WithinRel(64 * kNano));
  CHECK(scalar.term("L2") == 0);
  CHECK_THAT(scalar.seconds, WithinRel(128 * kNano));
  CHECK(scalar.bound == "compute");
  CHECK(scalar.operations == 128);
  CHECK(scalar.term("region") == 0);
  // 16 floats a vector.
  const Prediction lanes = predicted(text("attributes {kind = \"vector\", lanes = 32} "), slow());
  CHECK_THAT(lanes.term("compute"), WithinRel(8 * kNano));
  CHECK_THAT(lanes.term("L1"), WithinRel(4 * kNano));
  CHECK(lanes.term("tails") == 0);
}

TEST_CASE("lanes of the last strip that have no element are a tail") {
  const Prediction of = predicted(
      "func @k(%x: buffer<40xf32, argument>) {\n"
      "  for [0, 40] (%i: index) attributes {kind = \"vector\", lanes = 32} {\n"
      "    %0 = load %x[%i] : f32\n"
      "    %1 = add %0, %0 : f32\n"
      "    store %1, %x[%i]\n"
      "  }\n"
      "  return\n"
      "}\n",
      slow());
  CHECK_THAT(of.term("compute"), WithinRel(2.5 * kNano));
  CHECK_THAT(of.term("tails"), WithinRel(1.5 * kNano));
}

TEST_CASE("a sum waits for each addition, and parallel iterations cost a region") {
  const Prediction of = predicted(
      "func @k(%x: buffer<3x8xf32, argument>, %y: buffer<3xf32, argument>) {\n"
      "  %0 = literal {dtype = f32, value = 0.0} : f32\n"
      "  for [0, 3] (%i: index) attributes {kind = \"parallel\"} {\n"
      "    %1 = for [0, 8] (%j: index, %2 = %0) {\n"
      "      %3 = load %x[%i, %j] : f32\n"
      "      %4 = add %2, %3 : f32\n"
      "      yield %4\n"
      "    } : f32\n"
      "    store %1, %y[%i]\n"
      "  }\n"
      "  return\n"
      "}\n",
      slow());
  // Two rounds of the two cores, 8 additions of 4 cycles each.
  CHECK_THAT(of.term("compute"), WithinRel(64 * kNano));
  CHECK_THAT(of.term("region"), WithinRel(3e-6));
  CHECK(of.bound == "region");
  CHECK(of.parallel == 2);
}

TEST_CASE("what a cache has no room for comes from the next one, and the bound follows the machine") {
  constexpr std::string_view kText =
      "func @k(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {\n"
      "  for [0, 4] (%r: index) {\n"
      "    for [0, N] (%i: index) attributes {kind = \"vector\", lanes = 16} {\n"
      "      %0 = load %x[%i] : f32\n"
      "      %1 = add %0, %0 : f32\n"
      "      store %1, %y[%i]\n"
      "    }\n"
      "    yield\n"
      "  }\n"
      "  return\n"
      "}\n";
  // 2 buffers of 1024 bytes each are more than the first cache, and less than the second.
  const Prediction near = predicted(kText, slow());
  CHECK(near.assumed == std::vector<std::string>{"N"});
  CHECK_THAT(near.term("L2"), WithinRel(4 * 2048 / 10 * kNano, 0.001));
  CHECK(near.term("L3") == 0);
  CHECK(near.bound == "L2");
  PredictedSizes sizes;
  sizes.known["N"] = 1 << 20;
  const Prediction far = predicted(kText, slow(), sizes);
  CHECK(far.assumed.empty());
  CHECK_THAT(far.term("memory"), WithinRel(4.0 * (8 << 20) * kNano));
  CHECK(far.memory_bytes == 4.0 * (8 << 20));
  CHECK(far.bound == "memory");
  Machine wide = slow();
  auto& cpu = std::get<CpuMachine>(wide.numbers);
  cpu.l2_gbs = cpu.l3_gbs = cpu.memory_gbs = cpu.all_memory_gbs = 1000;
  CHECK(predicted(kText, wide, sizes).bound == "compute");
}

TEST_CASE("loops that copy into scratch are packing") {
  const Prediction of = predicted(
      "func @k(%x: buffer<32xf32, argument>, %y: buffer<32xf32, argument>) {\n"
      "  %p = alloc : buffer<32xf32, arena>\n"
      "  for [0, 32] (%i: index) {\n"
      "    %0 = load %x[%i] : f32\n"
      "    store %0, %p[%i]\n"
      "  }\n"
      "  for [0, 32] (%j: index) {\n"
      "    %0 = load %p[%j] : f32\n"
      "    %1 = add %0, %0 : f32\n"
      "    store %1, %y[%j]\n"
      "  }\n"
      "  return\n"
      "}\n",
      slow());
  CHECK_THAT(of.term("packing"), WithinRel(32 * kNano));
  CHECK_THAT(of.term("compute"), WithinRel(32 * kNano));
}

TEST_CASE("a device with few threads has the rest of it idle, and each nest is a launch") {
  const Machine* machine = find_machine("h200");
  REQUIRE(machine != nullptr);
  constexpr std::string_view kText =
      "func @k(%x: buffer<[N]x64xf32, argument>) {\n"
      "  for [0, N] (%i: index) attributes {kind = \"parallel\"} {\n"
      "    for [0, 64] (%j: index) attributes {kind = \"vector\", lanes = 64} {\n"
      "      %0 = load %x[%i, %j] : f32\n"
      "      %1 = exp %0 : f32\n"
      "      store %1, %x[%i, %j]\n"
      "    }\n"
      "    yield\n"
      "  }\n"
      "  return\n"
      "}\n";
  PredictedSizes few, many;
  few.known["N"] = machine->gpu().busy_threads / 64 / 4;
  many.known["N"] = machine->gpu().busy_threads / 64;
  const Prediction small = predicted(kText, *machine, few), large = predicted(kText, *machine, many);
  // A quarter of the elements on a quarter of the device.
  CHECK_THAT(small.term("compute"), WithinRel(large.term("compute")));
  CHECK(small.parallel * 4 == large.parallel);
  CHECK_THAT(small.term("launch"), WithinRel(machine->gpu().launch_us * 1e-6));
}

// Rows and columns of tiles of a product of 4096 by 4096 by 512.
std::string product_text(std::string_view dtype, std::int64_t rows, std::int64_t columns) {
  const auto replaced = [](std::string text, std::string_view what, const std::string& with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
      text.replace(at, what.size(), with);
    return text;
  };
  std::string text =
      "func @k(%x: buffer<4096x512xT, argument>, %w: buffer<4096x512xT, argument>, %y: buffer<4096x4096xf32, "
      "argument>) "
      "{\n"
      "  for [0, 4096 floordiv ROWS] (%i_o: index) attributes {kind = \"parallel\"} {\n"
      "    for [0, 4096 floordiv COLUMNS] (%j_o: index) attributes {kind = \"parallel\"} {\n"
      "      for [ROWS*%i_o, ROWS*%i_o + ROWS] (%i: index) attributes {kind = \"matrix\", stages = 4} {\n"
      "        for [COLUMNS*%j_o, COLUMNS*%j_o + COLUMNS] (%j: index) attributes {kind = \"vector\", lanes = LANES, "
      "per_lane = 8} {\n"
      "          %0 = literal {dtype = f32, value = 0.0} : f32\n"
      "          %1 = for [0, 512] (%k: index, %2 = %0) {\n";
  if (dtype == "f32")
    text +=
        "            %3 = load %x[%i, %k] : f32\n"
        "            %5 = load %w[%j, %k] : f32\n"
        "            %7 = fma %3, %5, %2 : f32\n";
  else
    text +=
        "            %3 = load %x[%i, %k] : T\n"
        "            %4 = cast %3 {dtype = f32} : f32\n"
        "            %5 = load %w[%j, %k] : T\n"
        "            %6 = cast %5 {dtype = f32} : f32\n"
        "            %7 = fma %4, %6, %2 : f32\n";
  text +=
      "            yield %7\n"
      "          } : f32\n"
      "          store %1, %y[%i, %j]\n"
      "          yield\n"
      "        }\n"
      "        yield\n"
      "      }\n"
      "      yield\n"
      "    }\n"
      "    yield\n"
      "  }\n"
      "  return\n"
      "}\n";
  text = replaced(std::move(text), "LANES", std::to_string(columns / 8));
  text = replaced(std::move(text), "ROWS", std::to_string(rows));
  text = replaced(std::move(text), "COLUMNS", std::to_string(columns));
  text = replaced(std::move(text), "xT,", "x" + std::string(dtype) + ",");
  return replaced(std::move(text), ": T\n", ": " + std::string(dtype) + "\n");
}

TEST_CASE("tiles of the matrix unit take what its rate says, on the multiprocessor that has most of them") {
  const GpuMachine& h200 = find_machine("h200")->gpu();
  const double operations = 2.0 * 4096 * 4096 * 512;
  const Prediction tall = predicted(product_text("bf16", 128, 256), *find_machine("h200"));
  REQUIRE(tall.launches.size() == 1);
  CHECK(tall.launches[0].unit == "wgmma");
  CHECK(tall.launches[0].blocks == 512);
  CHECK(tall.launches[0].rows == 128);
  CHECK(tall.launches[0].columns == 256);
  // 512 tiles on 132 multiprocessors are four rounds.
  CHECK_THAT(tall.term("matrix"), WithinRel(operations / (h200.wgmma_tflops * 1e12) * 4 * 132 / 512));
  CHECK(tall.memory_bytes == 2 * 4096 * 512 * 2 + 4096.0 * 4096 * 4);
  // Each tile asks for its rows and columns.
  CHECK(tall.l2_bytes == 512 * (128 + 256) * 512 * 2 + 4096.0 * 4096 * 4);
  CHECK(tall.seconds < 60e-6);

  const Prediction wide = predicted(product_text("f32", 64, 128), *find_machine("h200"));
  CHECK(wide.launches[0].unit == "mma.sync");
  CHECK_THAT(wide.term("matrix"), WithinRel(6 * operations / (h200.mma_tflops * 1e12) * 16 * 132 / 2048));

  const Prediction older = predicted(product_text("bf16", 128, 256), *find_machine("a100"));
  CHECK(older.launches[0].unit == "mma.sync");
  CHECK(older.seconds > tall.seconds);
}

TEST_CASE("few threads do not reach the bandwidth of a device") {
  constexpr std::string_view kText =
      "func @k(%x: buffer<[N]x4096xf32, argument>, %y: buffer<[N]x4096xf32, argument>) {\n"
      "  for [0, N] (%i: index) attributes {kind = \"parallel\"} {\n"
      "    for [0, 4096] (%j: index) attributes {kind = \"vector\", lanes = 256, per_lane = 4} {\n"
      "      %0 = load %x[%i, %j] : f32\n"
      "      store %0, %y[%i, %j]\n"
      "    }\n"
      "    yield\n"
      "  }\n"
      "  return\n"
      "}\n";
  const Machine& h200 = *find_machine("h200");
  PredictedSizes few, many;
  few.known["N"] = 8;
  many.known["N"] = 8192;
  const Prediction slow = predicted(kText, h200, few), fast = predicted(kText, h200, many);
  CHECK(fast.memory_bytes == 2.0 * 8192 * 4096 * 4);
  CHECK_THAT(fast.term("memory"), WithinRel(fast.memory_bytes / (h200.gpu().memory_gbs * 1e9)));
  CHECK(slow.term("memory") > 4 * slow.memory_bytes / (h200.gpu().memory_gbs * 1e9));
  CHECK(fast.launches[0].waves > 1);
  CHECK(slow.launches[0].waves == 1);
}

}  // namespace
}  // namespace mlgc::schedule

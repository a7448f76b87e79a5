// Machines: what texts and files say of them, and what they may not say.
#include "machine/machine.h"

#include <limits>
#include <set>

#include "machine/machine_file.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

// What reading the file says: the machine, or the first error as `line:column: message`, and the id of its kind.
struct FileResult {
  std::optional<Machine> machine;
  std::string error, kind;
};
FileResult read_file_text(const std::string& text) {
  LocationTable locations;
  DiagnosticEngine diagnostics(locations);
  FileResult out;
  out.machine = read_machine_file(locations.add_source("m.json", text), diagnostics);
  if (out.machine) return out;
  const Diagnostic first = diagnostics.sorted().front();
  const auto at = locations.primary_position(first.at);
  REQUIRE(at);
  out.kind = first.kind->id;
  out.error = std::to_string(at->line) + ":" + std::to_string(at->column) + ": " + first.message();
  return out;
}

}  // namespace

TEST_CASE("each built-in machine is whole, has a name of its own and reads back from its file and its text") {
  std::set<std::string> names;
  for (const Machine& machine : machines()) {
    INFO(machine.name);
    CHECK(names.insert(machine.name).second);
    CHECK(machine.spec() == machine.name);
    CHECK(!machine.summary.empty());
    const FileResult again = read_file_text(machine_file_text(machine));
    REQUIRE(again.machine);
    CHECK(machine_file_text(*again.machine) == machine_file_text(machine));
    for (const MachineField& field : machine_fields(machine.kind())) {
      INFO(field.name);
      Machine copy = machine;
      CHECK(field.set(copy, field.of(machine)).ok());
    }
  }
  CHECK(default_machine(MachineKind::Cpu).kind() == MachineKind::Cpu);
  CHECK(default_machine(MachineKind::Gpu).kind() == MachineKind::Gpu);
}

TEST_CASE("a text says a machine and the numbers that differ from it") {
  const Result<Machine> machine = read_machine_spec("x86-64-v3,cores=16,l2_gbs=12.5");
  REQUIRE(machine);
  CHECK(machine->cpu().cores == 16);
  CHECK(machine->cpu().l2_gbs == 12.5);
  CHECK(machine->cpu().vector_bytes == 32);
  CHECK(machine->spec() == "x86-64-v3,cores=16,l2_gbs=12.5");
  // In the order of the fields, whatever the order in which they were said; what equals the base is not repeated.
  CHECK(read_machine_spec("x86-64-v3,l2_gbs=12.5,cores=16")->spec() == machine->spec());
  CHECK(read_machine_spec("x86-64-v3,vector_bytes=32")->spec() == "x86-64-v3");
}

TEST_CASE("numbers of each field end at its bounds") {
  for (const MachineKind kind : {MachineKind::Cpu, MachineKind::Gpu})
    for (const MachineField& field : machine_fields(kind)) {
      INFO(field.name);
      Machine machine = default_machine(kind);
      const std::string before = machine.spec();
      CHECK(!field.set(machine, field.least - 1).ok());
      CHECK(!field.set(machine, field.most * 2).ok());
      CHECK(!field.set(machine, -1).ok());
      CHECK(!field.set(machine, std::numeric_limits<double>::quiet_NaN()).ok());
      CHECK(!field.set(machine, std::numeric_limits<double>::infinity()).ok());
      if (field.is_whole()) CHECK(!field.set(machine, field.least + 0.5).ok());
      CHECK(machine.spec() == before);
      CHECK(field.set(machine, field.least).ok());
      CHECK(field.set(machine, field.most).ok());
      CHECK(find_machine_field(kind, field.name) == &field);
    }
}

TEST_CASE("what a text gets wrong is said with what may stand there") {
  const auto error = [](std::string_view text) { return read_machine_spec(text).error(); };
  CHECK(error("x86-64-v5") == "there is no machine `x86-64-v5`; did you mean `x86-64-v2`?");
  CHECK(error("") ==
        "there is no machine ``, expected one of x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-bf16, a100, h100, h200");
  CHECK(error("h200,vector_bytes=64")
            .starts_with("a machine of kind `gpu` has no number `vector_bytes`, expected one of"));
  CHECK(error("x86-64-v4,coers=2") == "a machine of kind `cpu` has no number `coers`; did you mean `cores`?");
  CHECK(error("x86-64-v4,vector_bytes=0") == "`vector_bytes` must be at least 16");
  CHECK(error("x86-64-v4,vector_bytes=48") == "`vector_bytes` must be a power of two");
  CHECK(error("x86-64-v4,l2_bytes=-1") == "`l2_bytes` must be at least 1024");
  CHECK(error("x86-64-v4,cores=1.5") == "`cores` must be a whole number");
  CHECK(error("x86-64-v4,cores=nan") == "`cores` must be a number");
  CHECK(error("x86-64-v4,cores=1e300") == "`cores` must be at most 1000000");
  CHECK(error("x86-64-v4,cores") == "`cores`: expected `cores=` and a number");
  CHECK(error("x86-64-v4,cores=2x") == "`cores=2x`: expected `cores=` and a number");
  CHECK(error("x86-64-v4,").starts_with("a machine of kind `cpu` has no number ``"));
  CHECK(error("x86-64-v4,,") ==
        "a machine of kind `cpu` has no number ``, expected one of vector_bytes, "
        "vector_registers, fma_ports, fma_latency, load_ports, store_ports, bf16_terms, clock_ghz, "
        "cores, "
        "line_bytes, l1_bytes, l1_ways, l2_bytes, l3_bytes, l2_gbs, l3_gbs, memory_gbs, all_memory_gbs, "
        "region_us");
}

TEST_CASE("lines meet a way of the first cache apart, a power of two") {
  const auto stride = [](std::string_view text) { return read_machine_spec(text).value().cpu().l1_stride(); };
  CHECK(stride("x86-64-v2") == 4096);
  CHECK(stride("x86-64-v3") == 4096);
  CHECK(stride("x86-64-v4") == 4096);
  CHECK(stride("x86-64-v4,l1_bytes=32768") == 4096);
  CHECK(stride("x86-64-v4,l1_bytes=131072,l1_ways=8") == 16384);
  CHECK(stride("x86-64-v4,l1_ways=1000000") == 64);
}

TEST_CASE("a file takes what it does not say from its base") {
  const FileResult read =
      read_file_text(R"({"mlgc-machine": 1, "name": "box", "base": "x86-64-v4", "cores": 64, "l3_bytes": 268435456})");
  REQUIRE(read.machine);
  CHECK(read.machine->name == "box");
  CHECK(read.machine->spec() == "x86-64-v4,cores=64,l3_bytes=268435456");
}

TEST_CASE("errors of a file have kinds of their own") {
  const auto kind = [](const std::string& text) { return read_file_text(text).kind; };
  CHECK(kind("{") == "json-syntax");
  CHECK(kind(R"({"mlgc-machine": true})") == "machine-value");
  CHECK(kind(R"({"mlgc-machine": 1, "name": "b", "base": "x86-64-v4", "cores": 0})") == "machine-number");
  CHECK(kind(R"({"mlgc-machine": 1, "name": "b", "base": "x86-64"})") == "unknown-machine");
}

TEST_CASE("errors of a file stand where they are made") {
  const auto error = [](const std::string& text) { return read_file_text(text).error; };
  CHECK(error("[]") == "1:1: `the file` is an array, expected an object");
  CHECK(error("{}") == "1:1: the machine file has no member `mlgc-machine`");
  CHECK(error(R"({"mlgc-machine": 2})") == "1:18: version 2 of the format of machine files is not known");
  CHECK(error(R"({"mlgc-machine": 1, "name": ""})") == "1:29: `name` is a string, expected a text that is not empty");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b"})") == "1:1: the machine file has no member `kind`");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "kind": "tpu"})") ==
        "1:42: `kind` is `tpu`, expected `cpu` or `gpu`");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "kind": "cpu"})") ==
        "1:1: the machine file has no member `vector_bytes`");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "base": "i386"})").starts_with("1:42: there is no machine `i386`"));
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "base": "h200", "kind": "cpu"})") ==
        "1:58: `kind` is `cpu`, and `h200` is of kind `gpu`");
  CHECK(error("{\"mlgc-machine\": 1, \"name\": \"b\", \"base\": \"x86-64-v4\",\n \"lanes\": 0}") ==
        "2:2: a machine of kind `cpu` has no number `lanes`");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "base": "x86-64-v4", "cores": "two"})") ==
        "1:64: `cores` is a string, expected a number");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "base": "x86-64-v4", "vector_bytes": 0})") ==
        "1:71: `vector_bytes` must be at least 16");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "base": "x86-64-v4", "l2_bytes": -4})") ==
        "1:67: `l2_bytes` must be at least 1024");
  CHECK(error(R"({"mlgc-machine": 1, "name": "b", "name": "c"})").starts_with("1:34: expected"));
}

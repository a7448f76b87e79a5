// mlgc explain target: what models can be compiled for, and a machine as the compiler sees it. --measure says what this
// one can do.
#include <algorithm>
#include <array>
#include <cstdio>

#include "bench/measure_machine.h"
#include "codegen/target.h"
#include "diag/json_writer.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/log.h"
#include "driver/machine_flag.h"
#include "execution/vectors.h"
#include "machine/machine_file.h"
#include "ops/op_table.h"
#include "support/activity.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainTargetExamples =
    "  mlgc explain target                                      targets, and the machines that are built in\n"
    "  mlgc explain target --machine=x86-64-v4                  its numbers\n"
    "  mlgc explain target --machine=h200 --format=json         the same as a file for --machine, to start from\n"
    "  mlgc explain target --measure -o this.json               this computer, measured; takes some seconds\n"
    "  mlgc emit model.pt2 --machine=this.json -o out/          what it is for\n"
    "Compiling reads a machine and measures nothing, so that the same input gives the same bytes. A machine chooses "
    "tiles,\n"
    "packing and the order of loops; results have the same bits on all. docs/machines.md describes the numbers.\n";

std::string in_column(std::string_view text, std::size_t width) {
  std::string out(text);
  out.append(out.size() < width ? width - out.size() : 1, ' ');
  return out;
}

std::string list_text() {
  std::string out = "Targets:\n";
  for (const TargetDef* target : targets())
    out += "  " + in_column(target->name, 12) + std::string(target->summary) + "; printed from the level `" +
           std::string(target->level) + "`, for " + std::string(target->machine) + " where nothing else is said\n";
  out += "\nMachines:\n";
  for (const Machine& machine : machines())
    out +=
        "  " + in_column(machine.name, 12) + in_column(machine_kind_name(machine.kind()), 5) + machine.summary + "\n";
  return out + "\nThe vectors of the CPU that runs this are those of " + host_machine().name + " (--machine=native).\n";
}

std::string list_json() {
  JsonWriter out(JsonWriter::Layout::Spaced);
  out.new_line(2);
  out.member("version", 1);
  out.new_line(2);
  out.objects_on_lines("targets", targets(), 4, [&](const TargetDef* target) {
    out.member("name", target->name);
    out.member("level", target->level);
    out.member("machine", target->machine);
  });
  out.new_line(2);
  out.objects_on_lines("machines", machines(), 4, [&](const Machine& machine) {
    out.member("name", machine.name);
    out.member("kind", machine_kind_name(machine.kind()));
  });
  out.new_line(2);
  out.member("native", host_machine().name);
  out.new_line(0);
  return out.take();
}

std::string machine_text(const Machine& machine) {
  std::string out = machine.name + ": " + machine.summary + "\n";
  if (machine.summary.empty()) out = machine.name + "\n";
  for (const MachineField& field : machine_fields(machine.kind()))
    out += "  " + in_column(field.name, 18) + in_column(field.text(machine) + " " + std::string(field.unit), 20) +
           std::string(field.summary) + "\n";
  return out + "As text, in a module or for --machine: " + machine.spec() + "\n";
}

}  // namespace

ExitCode run_explain_target(const Words& words) {
  Arguments arguments("explain target", "Says what models can be compiled for, and shows a machine in numbers.",
                      kExplainTargetExamples);
  std::string machine_name, output = "-", host_compiler;
  bool measure = false;
  ReportFormat format = ReportFormat::Text;
  add_machine_flag(arguments, machine_name);
  arguments.add_flag(
      "--measure", measure,
      "Measure: rates, caches and cores of this computer; what cannot be measured is that of --machine, or of native");
  arguments.add_value("--host-compiler", host_compiler, "COMMAND",
                      "The C++ compiler (default: CXX, g++ or clang++), with --measure");
  arguments.needs("--host-compiler", "--measure");
  arguments.add_value("-o,--output", output, "FILE", "Where it is written (default: standard output)");
  arguments.add_format_flag(format, "--format",
                            "How the report is written; with --measure always as a file for --machine");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::string text;
  if (!machine_name.empty() || measure) {
    std::optional<Machine> machine =
        read_machine_flag(machine_name.empty() ? "native" : machine_name, *context, diagnostics);
    if (!machine) return console.report(diagnostics);
    if (measure) {
      if (machine->kind() != MachineKind::Cpu)
        return console.report(diagnose<kBadFlag>(
            {}, "--measure: it measures this CPU, and `" + machine_name + "` is a GPU", "explain target"));
      const Activity measuring("measuring this machine");
      auto measured = bench::measure_machine(*machine, host_compiler, diagnostics);
      if (!measured) return console.report(context->locations(), std::move(measured).error());
      machine = *std::move(measured);
    }
    text = measure || format == ReportFormat::Json ? machine_file_text(*machine) : machine_text(*machine);
  } else {
    text = format == ReportFormat::Json ? list_json() : list_text();
  }
  if (const Status<> written = write_product(output, text); !written)
    diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc

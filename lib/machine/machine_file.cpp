// See machine_file.h.
#include "machine/machine_file.h"

#include <vector>

#include "diag/json_writer.h"
#include "diag/kinds_machine.h"
#include "diag/kinds_text.h"
#include "diag/located_json.h"
#include "diag/suggest.h"

namespace mlgc {
namespace {

class Reader {
 public:
  Reader(const SourceFile& file, DiagnosticEngine& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  std::optional<Machine> run() {
    const std::optional<JsonNode> root = parse_located_json(file_, diagnostics_);
    if (!root) return std::nullopt;
    const JsonObject* members = root->as<JsonObject>();
    if (members == nullptr) return fail_value(*root, "the file", "an object");
    const JsonNode* version = root->find("mlgc-machine");
    if (version == nullptr) return fail_missing(*root, "mlgc-machine");
    const auto* known = version->as<std::int64_t>();
    if (known == nullptr) return fail_value(*version, "mlgc-machine", "a whole number");
    if (*known != kMachineFormat) {
      diagnostics_.emit(diagnose<kMachineVersion>(at(version->begin), *known, kMachineFormat));
      return std::nullopt;
    }
    Machine machine;
    if (!text(*root, "name", true, machine.name) || !text(*root, "summary", false, machine.summary))
      return std::nullopt;
    std::string kind;
    if (!text(*root, "base", false, machine.base) || !text(*root, "kind", machine.base.empty(), kind))
      return std::nullopt;
    if (!start(*root, kind, machine)) return std::nullopt;
    for (const JsonMember& member : *members)
      if (!take(member, machine)) return std::nullopt;
    for (const MachineField& field : machine_fields(machine.kind()))
      if (machine.base.empty() && root->find(field.name) == nullptr) return fail_missing(*root, field.name);
    return machine;
  }

 private:
  [[nodiscard]] Location at(std::size_t offset) const { return diagnostics_.locations().position_in(file_, offset); }
  std::nullopt_t fail_value(const JsonNode& node, std::string_view name, std::string_view expected) {
    diagnostics_.emit(diagnose<kMachineValue>(
        at(node.begin), name, "is " + std::string(json_kind(node)) + ", expected " + std::string(expected)));
    return std::nullopt;
  }
  std::nullopt_t fail_missing(const JsonNode& root, std::string_view name) {
    diagnostics_.emit(diagnose<kMachineMember>(at(root.begin), name));
    return std::nullopt;
  }

  bool text(const JsonNode& root, std::string_view name, bool required, std::string& out) {
    const JsonNode* node = root.find(name);
    if (node == nullptr) {
      if (required) fail_missing(root, name);
      return !required;
    }
    const auto* value = node->as<std::string>();
    if (value == nullptr || value->empty()) {
      fail_value(*node, name, "a text that is not empty");
      return false;
    }
    out = *value;
    return true;
  }

  // The numbers of the base, or none of the kind that the file says.
  bool start(const JsonNode& root, const std::string& kind, Machine& machine) {
    if (machine.base.empty()) {
      if (kind == machine_kind_name(MachineKind::Cpu)) {
        machine.numbers = CpuMachine{};
      } else if (kind == machine_kind_name(MachineKind::Gpu)) {
        machine.numbers = GpuMachine{};
      } else {
        diagnostics_.emit(diagnose<kMachineValue>(at(root.find("kind")->begin), "kind",
                                                  "is `" + kind + "`, expected `cpu` or `gpu`"));
        return false;
      }
      return true;
    }
    const Machine* base = find_machine(machine.base);
    if (base == nullptr) {
      diagnostics_.emit(
          diagnose<kUnknownMachine>(at(root.find("base")->begin), read_machine_spec(machine.base).error()));
      return false;
    }
    machine.numbers = base->numbers;
    if (kind.empty() || kind == machine_kind_name(base->kind())) return true;
    diagnostics_.emit(diagnose<kMachineValue>(at(root.find("kind")->begin), "kind",
                                              "is `" + kind + "`, and `" + machine.base + "` is of kind `" +
                                                  std::string(machine_kind_name(base->kind())) + "`"));
    return false;
  }

  bool take(const JsonMember& member, Machine& machine) {
    for (const std::string_view name : {"mlgc-machine", "name", "summary", "base", "kind"})
      if (member.name == name) return true;
    const MachineField* field = find_machine_field(machine.kind(), member.name);
    if (field == nullptr) {
      Diagnostic unknown =
          diagnose<kMachineUnknownMember>(at(member.begin), machine_kind_name(machine.kind()), member.name);
      std::vector<std::string_view> names;
      for (const MachineField& known : machine_fields(machine.kind())) names.push_back(known.name);
      if (const auto nearest = closest_name(member.name, names)) unknown.add_note<kDidYouMean>({}, *nearest);
      diagnostics_.emit(std::move(unknown));
      return false;
    }
    double value = 0;
    if (const auto* whole = member.node.as<std::int64_t>()) {
      value = static_cast<double>(*whole);
    } else if (const auto* real = member.node.as<double>()) {
      value = *real;
    } else {
      fail_value(member.node, member.name, "a number");
      return false;
    }
    const Status<> set = field->set(machine, value);
    if (!set) diagnostics_.emit(diagnose<kMachineNumber>(at(member.node.begin), set.error()));
    return set.ok();
  }

  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
};

}  // namespace

std::optional<Machine> read_machine_file(const SourceFile& file, DiagnosticEngine& diagnostics) {
  return Reader(file, diagnostics).run();
}

std::string machine_file_text(const Machine& machine) {
  JsonWriter out(JsonWriter::Layout::Spaced);
  const auto member = [&](std::string_view name, std::string_view text) {
    out.new_line(2);
    out.member(name, text);
  };
  out.new_line(2);
  out.member("mlgc-machine", kMachineFormat);
  member("name", machine.name);
  if (!machine.base.empty()) member("base", machine.base);
  if (!machine.summary.empty()) member("summary", machine.summary);
  member("kind", machine_kind_name(machine.kind()));
  for (const MachineField& field : machine_fields(machine.kind())) {
    out.new_line(2);
    out.number(field.name, field.text(machine));
  }
  out.new_line(0);
  return out.take();
}

}  // namespace mlgc

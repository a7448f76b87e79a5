// See decisions.h.
#include "schedule/decisions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "diag/json_writer.h"
#include "diag/kinds_decisions.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/located_json.h"
#include "diag/suggest.h"
#include "ir/structural_hash.h"
#include "loopir/module_machine.h"
#include "support/file.h"

namespace mlgc::schedule {
namespace {

constexpr std::size_t kHashDigits = 16;  // of 64 bits, in hexadecimal

class Reader {
 public:
  Reader(const SourceFile& file, DiagnosticEngine& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  std::optional<Decisions> run() {
    const std::optional<JsonNode> root = parse_located_json(file_, diagnostics_);
    if (!root) return std::nullopt;
    if (root->as<JsonObject>() == nullptr) return fail(*root, "the file", "an object");
    const JsonNode* format = member(*root, "mlgc-decisions");
    if (format == nullptr) return std::nullopt;
    const auto* known = format->as<std::int64_t>();
    if (known == nullptr) return fail(*format, "mlgc-decisions", "a whole number");
    if (*known != kDecisionsFormatKnown) {
      diagnostics_.emit(diagnose<kDecisionsFormat>(at(format->begin), *known, kDecisionsFormatKnown));
      return std::nullopt;
    }
    const JsonNode* version = member(*root, "version");
    if (version == nullptr) return std::nullopt;
    if (const auto* text = version->as<std::string>(); text == nullptr || *text != MLGC_VERSION) {
      if (text == nullptr) return fail(*version, "version", "a text");
      diagnostics_.emit(diagnose<kDecisionsVersion>(at(version->begin), *text, MLGC_VERSION));
      return std::nullopt;
    }
    if (!only(*root, "the file", {"mlgc-decisions", "version", "machine", "sizes", "threads", "kernels"}))
      return std::nullopt;
    const JsonNode *machine = member(*root, "machine"), *sizes = member(*root, "sizes"),
                   *threads = member(*root, "threads"), *kernels = member(*root, "kernels");
    if (machine == nullptr || sizes == nullptr || threads == nullptr || kernels == nullptr) return std::nullopt;
    Decisions out;
    const auto* name = machine->as<std::string>();
    if (name == nullptr) return fail(*machine, "machine", "a text");
    out.machine = *name;
    if (const Result<Machine> read = read_machine_spec(*name)) kind_ = read->kind();
    const auto* count = threads->as<std::int64_t>();
    if (count == nullptr || *count < 1) return fail(*threads, "threads", "a whole number from 1 on");
    out.threads = *count;
    const auto* object = sizes->as<JsonObject>();
    if (object == nullptr) return fail(*sizes, "sizes", "an object");
    for (const JsonMember& size : *object) {
      const auto* value = size.node.as<std::int64_t>();
      if (value == nullptr || *value < 0) return fail(size.node, size.name, "a whole number from 0 on");
      out.sizes[size.name] = *value;
    }
    const auto* list = kernels->as<JsonArray>();
    if (list == nullptr) return fail(*kernels, "kernels", "an array");
    for (const JsonNode& node : *list)
      if (!read_kernel(node, out)) return std::nullopt;
    return out;
  }

 private:
  [[nodiscard]] Location at(std::size_t offset) const { return diagnostics_.locations().position_in(file_, offset); }
  std::nullopt_t problem(const JsonNode& node, std::string_view name, std::string text) {
    diagnostics_.emit(diagnose<kDecisionsValue>(at(node.begin), name, std::move(text)));
    return std::nullopt;
  }
  std::nullopt_t fail(const JsonNode& node, std::string_view name, std::string_view expected) {
    return problem(node, name, "is " + std::string(json_kind(node)) + ", expected " + std::string(expected));
  }
  // Null after an error.
  const JsonNode* member(const JsonNode& object, std::string_view name) {
    const JsonNode* found = object.find(name);
    if (found == nullptr) (void)problem(object, name, "is missing");
    return found;
  }
  bool only(const JsonNode& object, std::string_view what, std::initializer_list<std::string_view> names) {
    for (const JsonMember& m : *object.as<JsonObject>()) {
      if (std::find(names.begin(), names.end(), m.name) != names.end()) continue;
      Diagnostic unknown = diagnose<kDecisionsValue>(at(m.begin), m.name, "is no member of " + std::string(what));
      if (const auto nearest = closest_name(m.name, std::vector(names))) unknown.add_note<kDidYouMean>({}, *nearest);
      diagnostics_.emit(std::move(unknown));
      return false;
    }
    return true;
  }

  bool read_kernel(const JsonNode& node, Decisions& out) {
    if (node.as<JsonObject>() == nullptr) return fail(node, "kernels", "objects"), false;
    if (!only(node, "a kernel", {"kernel", "hash", "strategy", "tile", "without", "seconds"})) return false;
    const JsonNode *name = member(node, "kernel"), *hash = name == nullptr ? nullptr : member(node, "hash");
    if (hash == nullptr) return false;
    KernelDecision kernel;
    kernel.at = at(node.begin);
    const auto* text = name->as<std::string>();
    if (text == nullptr) return fail(*name, "kernel", "a text"), false;
    kernel.kernel = *text;
    const auto* digits = hash->as<std::string>();
    if (digits == nullptr) return fail(*hash, "hash", "a text of 16 hexadecimal digits"), false;
    const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), kernel.hash, 16);
    if (error != std::errc{} || end != digits->data() + digits->size() || digits->size() != kHashDigits)
      return problem(*hash, "hash", "is `" + *digits + "`, expected 16 hexadecimal digits"), false;
    if (!read_strategy(node, "strategy", kernel.choice.strategy) ||
        !read_strategy(node, "without", kernel.choice.without) || !read_tile_of(node, kernel.choice))
      return false;
    if (kernel.choice.strategy != nullptr && kernel.choice.without != nullptr)
      return problem(node, "without", "is given with `strategy`: a decision is one of them"), false;
    if (const JsonNode* seconds = node.find("seconds")) {
      const auto* object = seconds->as<JsonObject>();
      if (object == nullptr) return fail(*seconds, "seconds", "an object"), false;
      for (const JsonMember& m : *object) {
        const auto* real = m.node.as<double>();
        const auto* whole = m.node.as<std::int64_t>();
        if (real == nullptr && whole == nullptr) return fail(m.node, m.name, "a number"), false;
        kernel.seconds.emplace_back(m.name, real != nullptr ? *real : static_cast<double>(*whole));
      }
    }
    return out.add(std::move(kernel)) || (problem(*hash, "hash", "is given twice"), false);
  }

  bool read_strategy(const JsonNode& kernel, std::string_view name, const StrategyDef*& out) {
    const JsonNode* node = kernel.find(name);
    if (node == nullptr) return true;
    const auto* text = node->as<std::string>();
    if (text == nullptr) return fail(*node, name, "the name of a strategy"), false;
    out = find_strategy(kind_, *text);
    if (out != nullptr) return true;
    Diagnostic unknown = diagnose<kDecisionsValue>(at(node->begin), name, "is `" + *text + "`, which is no strategy");
    std::vector<std::string_view> names;
    for (const StrategyDef* row : strategies(kind_)) names.push_back(row->name);
    if (const auto nearest = closest_name(*text, names)) unknown.add_note<kDidYouMean>({}, *nearest);
    diagnostics_.emit(std::move(unknown));
    return false;
  }

  bool read_tile_of(const JsonNode& kernel, StrategyChoice& choice) {
    const JsonNode* node = kernel.find("tile");
    if (node == nullptr) return true;
    const auto* text = node->as<std::string>();
    if (text == nullptr) return fail(*node, "tile", "a text, as `128x64`"), false;
    choice.tile = read_tile(*text);
    const auto has = [&](const StrategyDef& row) { return std::ranges::count(row.tiles, *choice.tile) > 0; };
    if (choice.tile && choice.strategy != nullptr && has(*choice.strategy)) return true;
    return problem(*node, "tile", "is `" + *text + "`, which is no tile of the decision's `strategy`"), false;
  }

  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  MachineKind kind_ = MachineKind::Cpu;  // whose strategies the file names
};

std::string formatted(const char* format, auto value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

}  // namespace

std::string StrategyChoice::text() const {
  if (strategy != nullptr)
    return "strategy=" + std::string(strategy->name) + (tile ? ",tile=" + tile_text(*tile) : std::string());
  return without != nullptr ? "without=" + std::string(without->name) : "default";
}

std::string tile_text(TileShape tile) { return std::to_string(tile.rows) + "x" + std::to_string(tile.columns); }

std::optional<TileShape> read_tile(std::string_view text) {
  TileShape out;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, out.rows);
  if (rows.ec != std::errc() || rows.ptr == end || *rows.ptr != 'x') return std::nullopt;
  const auto columns = std::from_chars(rows.ptr + 1, end, out.columns);
  return columns.ec == std::errc() && columns.ptr == end ? std::optional(out) : std::nullopt;
}

bool Decisions::add(KernelDecision kernel) {
  if (!by_hash_.emplace(kernel.hash, kernels.size()).second) return false;
  kernels.push_back(std::move(kernel));
  return true;
}
const KernelDecision* Decisions::find(std::uint64_t hash) const {
  const auto found = by_hash_.find(hash);
  return found == by_hash_.end() ? nullptr : &kernels[found->second];
}

std::uint64_t kernel_hash(OpRef func) { return structural_hash(func, {.symbol_name = false}); }

std::string hash_text(std::uint64_t hash) { return formatted("%016llx", static_cast<unsigned long long>(hash)); }

std::optional<Decisions> read_decisions(const std::string& path, Context& context, DiagnosticEngine& diagnostics) {
  Result<std::string> text = read_file(path);
  if (!text) {
    diagnostics.emit(diagnose<kCannotRead>({}, text.error()));
    return std::nullopt;
  }
  return Reader(context.locations().add_source(path, *std::move(text)), diagnostics).run();
}

std::optional<DecisionUse> DecisionUse::open(const std::string& path, const Module& module, MachineKind kind,
                                             DiagnosticEngine& diagnostics) {
  auto file = read_decisions(path, module.context(), diagnostics);
  if (!file) return std::nullopt;
  const std::string machine = machine_of(module, kind).spec();
  if (file->machine != machine) {
    diagnostics.emit(diagnose<kDecisionsMachine>({}, file->machine, machine));
    return std::nullopt;
  }
  DecisionUse use;
  use.file_ = *std::move(file);
  return use;
}

const KernelDecision* DecisionUse::take(OpRef func) {
  const KernelDecision* found = file_.find(kernel_hash(func));
  if (found != nullptr) taken_.insert(found->hash);
  return found;
}

bool DecisionUse::finish(DiagnosticEngine& diagnostics) const {
  const auto& kernels = file_.kernels;
  if (!kernels.empty() && taken_.empty()) {
    diagnostics.emit(diagnose<kDecisionsOfOtherModel>(kernels.front().at, static_cast<std::int64_t>(kernels.size())));
    return false;
  }
  for (const KernelDecision& kernel : kernels)
    if (!taken_.contains(kernel.hash))
      diagnostics.emit(diagnose<kDecisionsStale>(kernel.at, kernel.kernel, hash_text(kernel.hash)));
  return true;
}

std::string decisions_text(const Decisions& decisions) {
  JsonWriter out(JsonWriter::Layout::Spaced);
  out.new_line(2);
  out.member("mlgc-decisions", kDecisionsFormatKnown);
  out.new_line(2);
  out.member("version", MLGC_VERSION);
  out.new_line(2);
  out.member("machine", decisions.machine);
  out.new_line(2);
  out.object("sizes", [&] {
    for (const auto& [name, size] : decisions.sizes) out.member(name, size);
  });
  out.new_line(2);
  out.member("threads", decisions.threads);
  out.new_line(2);
  out.objects_on_lines("kernels", decisions.kernels, 4, [&](const KernelDecision& kernel) {
    out.member("kernel", kernel.kernel);
    out.member("hash", hash_text(kernel.hash));
    if (kernel.choice.strategy != nullptr) out.member("strategy", kernel.choice.strategy->name);
    if (kernel.choice.tile) out.member("tile", tile_text(*kernel.choice.tile));
    if (kernel.choice.without != nullptr) out.member("without", kernel.choice.without->name);
    out.new_line(5);
    out.object("seconds", [&] {
      for (const auto& [name, seconds] : kernel.seconds) out.number(name, formatted("%.4g", seconds));
    });
  });
  out.new_line(0);
  return out.take();
}

}  // namespace mlgc::schedule

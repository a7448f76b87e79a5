// Classes of ops, counting, and the two forms of the report.
#include "pass/statistics.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "diag/json_writer.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

std::uint64_t total(const OpCounts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

std::array<std::uint64_t, kOpClassNames.size()> by_class(const OpCounts& counts, const Context& context) {
  std::array<std::uint64_t, kOpClassNames.size()> sums{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0) sums[static_cast<std::size_t>(op_class(context.def(static_cast<Opcode>(i))))] += counts[i];
  return sums;
}

std::string_view result_name(PassResult result) {
  switch (result) {
    case PassResult::Unchanged: return "unchanged";
    case PassResult::Changed: return "changed";
    case PassResult::Failed: break;
  }
  return "failed";
}

std::string right(std::uint64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

std::string difference(std::uint64_t before, std::uint64_t after) {
  if (after == before) return "";
  return after > before ? "  (+" + std::to_string(after - before) + ")" : "  (-" + std::to_string(before - after) + ")";
}

void change(std::string& out, std::string_view name, std::uint64_t before, std::uint64_t after) {
  std::string label(name);
  label.resize(std::max<std::size_t>(label.size(), 22), ' ');
  out += "    " + label + right(before, 9) + " ->" + right(after, 9) + difference(before, after) + "\n";
}

void json_change(JsonWriter& out, std::string_view name, std::uint64_t before, std::uint64_t after) {
  out.object(name, [&] {
    out.member("before", before);
    out.member("after", after);
  });
}

void json_counts(JsonWriter& out, std::string_view name, const std::vector<NamedCount>& counts) {
  out.object(name, [&] {
    for (const NamedCount& count : counts) out.member(count.name, count.count);
  });
}

}  // namespace

OpClass op_class(const OpDef& def) {
  if (has(def.traits, Traits::Symbol)) {
    // Data of the module: what calls may replace, or, where the row has a derivation, what they may not.
    const bool data =
        std::ranges::any_of(def.attrs, [](const AttrDef& attr) { return attr.kind == AttributeKind::Type; });
    if (data && def.result_count == 0 && has(def.traits, Traits::TopLevelOnly) &&
        std::ranges::all_of(def.regions, &RegionDef::optional))
      return def.regions.empty() ? OpClass::Memory : OpClass::Data;
  }
  if (!def.regions.empty() || has(def.traits, Traits::Terminator)) return OpClass::Control;
  const Effects memory = def.effects & (Effects::Reads | Effects::Writes | Effects::Allocates);
  if (has(def.traits, Traits::Constant) || has(def.traits, Traits::Symbol)) return OpClass::Data;
  if (memory != Effects::None) return OpClass::Memory;
  for (const AttrDef& attr : def.attrs)
    if (attr.kind == AttributeKind::Symbol) return def.operands.empty() ? OpClass::Data : OpClass::Control;
  // Positions that are made of sizes alone.
  if (def.tier == Tier::Structural && def.operands.empty() && def.dtype.kind == DtypeRuleKind::Position)
    return OpClass::Shape;
  return has(def.traits, Traits::Movement) ? OpClass::Shape : OpClass::Compute;
}

OpCounts count_ops(const Module& module) {
  OpCounts counts(module.context().ops().size());
  walk(module, [&](OpRef op) { ++counts[static_cast<std::size_t>(op.opcode())]; });
  return counts;
}

std::uint64_t count_all(const Module& module) { return module.op_count() - 1; }

namespace {

// What a pass did, where it did something.
std::string pass_text(const PassStatistics& pass, const Context& context) {
  std::string out = pass.pass + ": " + std::string(result_name(pass.result)) + "\n";
  if (pass.result != PassResult::Unchanged) {
    change(out, "ops", total(pass.before), total(pass.after));
    const auto classes_before = by_class(pass.before, context), classes_after = by_class(pass.after, context);
    for (std::size_t i = 0; i < kOpClassNames.size(); ++i)
      if (classes_before[i] != classes_after[i])
        change(out, "  " + std::string(kOpClassNames[i]), classes_before[i], classes_after[i]);
    for (std::size_t i = 0; i < pass.before.size(); ++i)
      if (pass.before[i] != pass.after[i])
        change(out, "    " + std::string(context.def(static_cast<Opcode>(i)).name), pass.before[i], pass.after[i]);
  }
  for (const NamedCount& counter : pass.counters)
    if (counter.count != 0) out += "    " + counter.name + ": " + std::to_string(counter.count) + "\n";
  for (const NamedCount& rule : pass.rules) out += "    rule " + rule.name + ": " + std::to_string(rule.count) + "\n";
  return out;
}

// `  compute 5: linear 3, relu 2`, in the order of how many there are.
std::string module_text(const OpCounts& counts, const Context& context) {
  std::string out = "module: " + std::to_string(total(counts)) + " ops\n";
  const auto classes = by_class(counts, context);
  for (std::size_t c = 0; c < kOpClassNames.size(); ++c) {
    if (classes[c] == 0) continue;
    std::vector<std::pair<std::uint32_t, std::string_view>> ops;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const OpDef& def = context.def(static_cast<Opcode>(i));
      if (counts[i] != 0 && op_class(def) == static_cast<OpClass>(c)) ops.emplace_back(counts[i], def.name);
    }
    std::ranges::stable_sort(ops, std::greater(), &std::pair<std::uint32_t, std::string_view>::first);
    out += "  " + std::string(kOpClassNames[c]) + " " + std::to_string(classes[c]) + ":";
    for (std::size_t i = 0; i < ops.size(); ++i)
      out += (i == 0 ? " " : ", ") + std::string(ops[i].second) + " " + std::to_string(ops[i].first);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string statistics_text(const Statistics& statistics, const Context& context) {
  std::string out, unchanged;
  for (const PassStatistics& pass : statistics.passes) {
    const bool counted = std::ranges::any_of(pass.counters, [](const NamedCount& c) { return c.count != 0; });
    if (pass.result != PassResult::Unchanged || counted)
      out += pass_text(pass, context);
    else
      unchanged += (unchanged.empty() ? "unchanged: " : ", ") + pass.pass;
  }
  if (!unchanged.empty()) out += unchanged + "\n";
  return out + module_text(statistics.module, context);
}

std::string statistics_json(const Statistics& statistics, const Context& context) {
  JsonWriter out;
  out.member("version", 1);
  out.objects("passes", statistics.passes, [&](const PassStatistics& pass) {
    out.member("pass", pass.pass);
    out.member("result", result_name(pass.result));
    json_change(out, "ops", total(pass.before), total(pass.after));
    out.object("classes", [&] {
      const auto before = by_class(pass.before, context), after = by_class(pass.after, context);
      for (std::size_t i = 0; i < kOpClassNames.size(); ++i) json_change(out, kOpClassNames[i], before[i], after[i]);
    });
    out.object("opcodes", [&] {
      for (std::size_t i = 0; i < pass.before.size(); ++i)
        if (pass.before[i] != 0 || pass.after[i] != 0)
          json_change(out, context.def(static_cast<Opcode>(i)).name, pass.before[i], pass.after[i]);
    });
    json_counts(out, "counters", pass.counters);
    json_counts(out, "rules", pass.rules);
  });
  out.object("module", [&] {
    out.member("ops", total(statistics.module));
    out.object("classes", [&] {
      const auto classes = by_class(statistics.module, context);
      for (std::size_t i = 0; i < kOpClassNames.size(); ++i) out.member(kOpClassNames[i], classes[i]);
    });
    out.object("opcodes", [&] {
      for (std::size_t i = 0; i < statistics.module.size(); ++i)
        if (statistics.module[i] != 0) out.member(context.def(static_cast<Opcode>(i)).name, statistics.module[i]);
    });
  });
  return out.take();
}

}  // namespace mlgc

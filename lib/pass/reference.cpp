// The reference of passes in three forms.
#include "pass/reference.h"

#include <algorithm>

#include "diag/json_writer.h"
#include "pass/order.h"

namespace mlgc {

namespace {

std::string default_of(const PassDef& pass, const PassOption& option) {
  return option.print(pass.body.make_options().get());
}

std::string text(std::span<const PassDef* const> passes) {
  std::size_t width = 0;
  for (const PassDef* pass : passes) width = std::max(width, pass->name.size());
  std::string out;
  for (const PassDef* pass : passes) {
    out +=
        std::string(pass->name) + std::string(width + 2 - pass->name.size(), ' ') + std::string(pass->summary) + "\n";
    for (const PassOption& option : pass->options)
      out += std::string(width + 4, ' ') + std::string(option.name) + "=" + default_of(*pass, option) + "  " +
             std::string(option.help) + "\n";
  }
  return out;
}

std::string markdown(std::span<const PassDef* const> passes) {
  std::string out = "# Passes\n";
  for (const PassDef* pass : passes) {
    out += "\n## `" + std::string(pass->name) + "`\n\n" + std::string(pass->summary) + "\n";
    if (!pass->description.empty()) out += "\n" + std::string(pass->description) + "\n";
    out += "\nRuns at: " + stages_text(pass->needs) + ".";
    if (pass->makes != Stages::None) out += " Leaves the module at: " + stages_text(pass->makes) + ".";
    out += "\n";
    if (!pass->options.empty()) out += "\n| option | type | default | |\n|---|---|---|---|\n";
    for (const PassOption& option : pass->options)
      out += "| `" + std::string(option.name) + "` | " + std::string(option.type) + " | `" + default_of(*pass, option) +
             "` | " + std::string(option.help) + " |\n";
    if (!pass->counters.empty()) out += "\n| statistic | |\n|---|---|\n";
    for (const PassCounter& counter : pass->counters)
      out += "| `" + std::string(counter.name) + "` | " + std::string(counter.summary) + " |\n";
    for (const OrderFact& fact : order_facts()) {
      const std::string_view strength = fact.strength == OrderStrength::Required ? "must" : "should";
      if (fact.later == pass->name)
        out += "\nIt " + std::string(strength) + " come after `" + std::string(fact.earlier) + "`, because " +
               std::string(fact.reason) + ".\n";
      if (fact.earlier == pass->name)
        out += "\nIt " + std::string(strength) + " come before `" + std::string(fact.later) + "`, because " +
               std::string(fact.reason) + ".\n";
    }
    if (pass->example.before.empty()) continue;
    out += "\nBefore:\n\n```mlir\n" + std::string(pass->example.before) + "\n```\n\nAfter `" + std::string(pass->name);
    if (!pass->example.options.empty()) out += "{" + std::string(pass->example.options) + "}";
    out += "`:\n\n```mlir\n" + std::string(pass->example.after) + "\n```\n";
  }
  return out;
}

std::string json(std::span<const PassDef* const> passes) {
  JsonWriter out;
  out.member("version", 1);
  out.objects("passes", passes, [&](const PassDef* pass) {
    out.member("name", pass->name);
    out.member("summary", pass->summary);
    out.member("description", pass->description);
    out.objects("options", pass->options, [&](const PassOption& option) {
      out.member("name", option.name);
      out.member("type", option.type);
      out.member("default", default_of(*pass, option));
      out.member("help", option.help);
    });
    out.objects("counters", pass->counters, [&](const PassCounter& counter) {
      out.member("name", counter.name);
      out.member("summary", counter.summary);
    });
    out.member("needs", stages_text(pass->needs));
    out.member("makes", stages_text(pass->makes));
    std::vector<OrderFact> order;
    for (const OrderFact& fact : order_facts())
      if (fact.earlier == pass->name || fact.later == pass->name) order.push_back(fact);
    out.objects("order", order, [&](const OrderFact& fact) {
      out.member("earlier", fact.earlier);
      out.member("later", fact.later);
      out.member("strength", fact.strength == OrderStrength::Required ? "required" : "advised");
      out.member("reason", fact.reason);
    });
    out.object("example", [&] {
      out.member("before", pass->example.before);
      out.member("after", pass->example.after);
      out.member("options", pass->example.options);
    });
  });
  return out.take();
}

}  // namespace

std::string passes_reference(std::span<const PassDef* const> passes, ReferenceFormat format) {
  switch (format) {
    case ReferenceFormat::Text: return text(passes);
    case ReferenceFormat::Markdown: return markdown(passes);
    case ReferenceFormat::Json: break;
  }
  return json(passes);
}

}  // namespace mlgc

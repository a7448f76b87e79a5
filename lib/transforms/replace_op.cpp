// replace-op: puts one op in the place of another of the same signature.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diag/kinds_pass.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/constraint.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "text/parser.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct ReplaceOpOptions {
  std::string from, to, attributes, function;
};

constexpr std::array kReplaceOpOptions{
    pass_option<&ReplaceOpOptions::from>("from", "the op to replace"),
    pass_option<&ReplaceOpOptions::to>("to",
                                       "the op to put in its place; its operands and result types must be the same"),
    pass_option<&ReplaceOpOptions::attributes>("attributes",
                                               "attributes of the new ops, `{name = value, ...}`; those of the "
                                               "old ops are dropped"),
    pass_option<&ReplaceOpOptions::function>("function", "only in this function; empty: everywhere"),
};
constexpr std::array kReplaceOpCounters{PassCounter{"ops-replaced", "ops that became another op"}};

// Nothing after reporting.
std::optional<Opcode> find_op(PassContext& context, Context& ir, std::string_view option, std::string_view name) {
  const Opcode opcode = ir.find_op(name);
  if (opcode != Opcode::Invalid) {
    if (ir.def(opcode).regions.empty() && !has(ir.def(opcode).traits, Traits::Terminator)) return opcode;
    reject_option(context, option, "`" + std::string(name) + "` is part of the program's structure");
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const OpDef* def : ir.ops()) names.push_back(def->name);
  Diagnostic diagnostic =
      diagnose<kBadPassOption>({}, option, context.pass().name,
                               name.empty() ? "an op must be named" : "there is no op `" + std::string(name) + "`");
  if (const auto best = closest_name(name, names)) diagnostic.add_note<kDidYouMean>({}, *best);
  context.diagnostics().emit(std::move(diagnostic));
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Up to the next comma outside quotes and brackets.
std::string_view next_entry(std::string_view& rest) {
  int depth = 0;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (c == '[' || c == '{' || c == '(' || c == '<') ++depth;
      if (c == ']' || c == '}' || c == ')' || c == '>') --depth;
      if (c == ',' && depth == 0) break;
    }
  }
  const std::string_view entry = rest.substr(0, std::min(at, rest.size()));
  rest.remove_prefix(std::min(rest.size(), at + 1));
  return trim(entry);
}

// `{name = value, …}` or the same without braces; nothing after reporting.
std::optional<AttrDict> read_attributes(PassContext& context, Context& ir, const OpDef& def, std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);
  std::vector<NamedAttribute> entries;
  while (!trim(text).empty()) {
    const std::string_view entry = next_entry(text);
    const std::size_t equals = entry.find('=');
    const std::string_view name = trim(entry.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) {
      reject_option(context, "attributes", "expected `name = value`, found `" + std::string(entry) + "`");
      return std::nullopt;
    }
    const auto row = std::find_if(def.attrs.begin(), def.attrs.end(), [&](const AttrDef& a) { return a.name == name; });
    const AttributeKind wanted = row == def.attrs.end() ? AttributeKind::None : row->kind;
    const SourceFile& file =
        ir.locations().add_source("<replace-op attributes>", std::string(trim(entry.substr(equals + 1))));
    const auto value = parse_attribute(ir, file, context.diagnostics(), wanted);
    if (!value) return std::nullopt;
    entries.push_back({ir.strings().intern(name), *value});
  }
  const AttrDict attrs = ir.attributes().dict(entries);
  if (const auto checked = check_attributes(ir, def, attrs); !checked) {
    context.diagnostics().emit(checked.error());
    return std::nullopt;
  }
  return attrs;
}

std::string misfit(const TypePool& types, std::span<const Type> made, std::span<const Type> wanted) {
  for (std::size_t i = 0; i < std::min(made.size(), wanted.size()); ++i)
    if (made[i] != wanted[i])
      return "result " + std::to_string(i) + " is " + types.print(made[i]) + ", not " + types.print(wanted[i]);
  return "it has " + std::to_string(made.size()) + " results, not " + std::to_string(wanted.size());
}

PassResult run(Module& module, const ReplaceOpOptions& options, PassContext& context) {
  Context& ir = module.context();
  const auto from = find_op(context, ir, "from", options.from);
  const auto to = from ? find_op(context, ir, "to", options.to) : std::nullopt;
  if (!to) return PassResult::Failed;
  const auto attrs = read_attributes(context, ir, ir.def(*to), options.attributes);
  if (!attrs) return PassResult::Failed;
  const OpRef root = options.function.empty() ? module.top() : module.lookup(options.function);
  if (!root.valid()) {
    reject_option(context, "function", "there is no `@" + options.function + "`");
    return PassResult::Failed;
  }
  std::uint64_t replaced = 0, refused = 0;
  Facts facts;
  walk(root, [&](OpRef op) {
    if (op.is(GraphOp::Func)) facts = to_facts(constraints_of(op), ir.index());
    if (!op.is(*from) || (*from == *to && op.attrs() == *attrs)) return;
    std::vector<Type> results;
    for (const Value v : op.results()) results.push_back(v.type());
    if (!context.gate().open()) return;
    const std::vector<Value> values(op.operands().begin(), op.operands().end());
    // Inference asks for the place of some ops, so the new one is put there first.
    const OpRef made = module.create(*to, values, *attrs, results, op.location());
    made.move_before(op);
    if (has_inference(ir.def(*to))) {
      const auto inferred = infer_types(made, facts);
      if (!inferred || *inferred != results) {
        ++refused;
        context.diagnostics().emit(
            diagnose<kReplaceOpMisfit>(op.location(), options.to, options.from,
                                       inferred ? misfit(ir.types(), *inferred, results) : inferred.error().message()));
        made.erase();
        return;
      }
    }
    for (std::size_t i = 0; i < results.size(); ++i) op.result(i).replace_all_uses_with(made.result(i));
    context.gate().record("replace-op", op.location());
    op.erase();
    ++replaced;
  });
  context.count("ops-replaced") = replaced;
  return refused > 0 ? PassResult::Failed : PassContext::changed_if(replaced > 0);
}

}  // namespace

constexpr PassDef kReplaceOpPass{
    .name = "replace-op",
    .summary = "Puts one op in the place of another.",
    .description =
        "Operands, result types and locations stay; attributes are the given ones. An op in whose place the "
        "new one does not fit is an error that points at it.",
    .options = kReplaceOpOptions,
    .counters = kReplaceOpCounters,
    .changes_results = "it puts another op in the place of what was there, as asked",
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relu %x : tensor<4xf32>
  return %0
})",
                .after = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = leaky_relu %x {negative_slope = 0.2} : tensor<4xf32>
  return %0
})",
                .options = "from=relu to=leaky_relu attributes={negative_slope = 0.2}"},
    .body = pass_body<ReplaceOpOptions, run>(),
};

}  // namespace mlgc

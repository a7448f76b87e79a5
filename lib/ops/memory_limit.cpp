// See memory_limit.h.
#include "ops/memory_limit.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/kinds_ops.h"
#include "ir/function_facts.h"

namespace mlgc {

namespace {

constexpr std::string_view kLimit = "memory_limit", kSizes = "memory_limit_sizes";

}  // namespace

std::optional<std::pair<std::string, std::int64_t>> read_symbol_size(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  const std::string_view number = text.substr(equals + 1);
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), size);
  if (error != std::errc{} || end != number.data() + number.size() || size < 0) return std::nullopt;
  return std::pair(std::string(text.substr(0, equals)), size);
}

std::optional<MemoryLimit> stated_memory_limit(FuncRef function) {
  Context& context = function.op().module().context();
  const auto bytes = context.attributes().as_int64(function.op().attr(kLimit));
  if (!bytes) return std::nullopt;
  MemoryLimit limit{*bytes, {}};
  for (const StringId text : context.attributes().as_string_list(function.op().attr(kSizes)))
    if (auto size = read_symbol_size(context.strings().text(text))) limit.sizes.insert(*std::move(size));
  return limit;
}

void state_memory_limit(FuncRef function, const MemoryLimit& limit) {
  Context& context = function.op().module().context();
  remove_memory_limit(function);
  function.op().set_attr(kLimit, context.attributes().integer(limit.bytes));
  std::vector<StringId> texts;
  for (const auto& [name, size] : limit.sizes)
    texts.push_back(context.strings().intern(name + "=" + std::to_string(size)));
  if (!texts.empty()) function.op().set_attr(kSizes, context.attributes().string_list(texts));
}

void remove_memory_limit(FuncRef function) {
  function.op().remove_attr(kLimit);
  function.op().remove_attr(kSizes);
}

std::optional<Diagnostic> check_memory_limit(FuncRef function) {
  const OpRef op = function.op();
  Context& context = op.module().context();
  const auto wrong = [&](std::string_view attribute, const std::string& reason) {
    return diagnose<kAttributeValue>(op.location(), std::string(attribute), "func", reason);
  };
  const Attribute limit = op.attr(kLimit), sizes = op.attr(kSizes);
  if (sizes.valid() && !limit.valid()) return wrong(kSizes, "it says sizes for a `memory_limit`, and there is none");
  if (!limit.valid()) return std::nullopt;
  if (context.attributes().as_int64(limit).value_or(-1) < 0)
    return wrong(kLimit, "it is a number of bytes, as 67108864 is");
  if (sizes.valid() && context.attributes().kind(sizes) != AttributeKind::StringList)
    return wrong(kSizes, "it is a list of sizes, as [\"B=64\"] is");
  SymbolSizes seen;
  for (const StringId id : context.attributes().as_string_list(sizes)) {
    const std::string text(context.strings().text(id));
    auto size = read_symbol_size(text);
    if (!size) return wrong(kSizes, "`" + text + "` is no size, as \"B=64\" is");
    if (const std::string name = size->first; !seen.insert(*std::move(size)).second)
      return wrong(kSizes, "the size of `" + name + "` is said twice");
  }
  return std::nullopt;
}

SymbolSizes largest_sizes(FuncRef function, SymbolSizes said) {
  const IndexPool& index = function.op().module().context().index();
  const TypePool& types = function.op().module().context().types();
  const Facts facts = FunctionFacts().of(function.op());
  for (const Value argument : function.arguments()) {
    if (!types.is_shaped(argument.type())) continue;
    for (const IndexExpr dim : argument.dims()) {
      const auto atom = index.as_atom(dim);
      if (!atom || index.atom(*atom).kind != AtomKind::Symbol) continue;
      // A multiple of a number is that number times another symbol, which has the bounds.
      const auto definition = facts.definition(*atom);
      const auto upper =
          definition ? index.evaluate(*definition, [&](AtomId of) { return facts.upper(of); }) : facts.upper(*atom);
      if (upper) said.try_emplace(std::string(index.symbol_name(*atom)), *upper);
    }
  }
  return said;
}

std::int64_t bytes_at(Context& context, Type type, const SymbolSizes& sizes) {
  bool known = true;
  const auto bytes =
      context.index().evaluate(context.storage_bytes(type), [&](AtomId atom) -> std::optional<std::int64_t> {
        const auto found = sizes.find(context.index().symbol_name(atom));
        known = known && found != sizes.end();
        return found == sizes.end() ? std::nullopt : std::optional(found->second);
      });
  return bytes.value_or(known ? INT64_MAX : 0);
}

}  // namespace mlgc

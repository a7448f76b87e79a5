// See torch_call.h.
#include "ops/torch_call.h"

#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "diag/kinds_ops.h"
#include "ops/instantiate_op.h"
#include "ops/row_check.h"

namespace mlgc {
namespace {

// `namespace::name` or `namespace::name.overload`.
bool is_schema_name(std::string_view text) {
  const std::size_t colons = text.find("::");
  if (colons == std::string_view::npos || !row_check::is_word(text.substr(0, colons))) return false;
  const std::string_view name = text.substr(colons + 2);
  const std::size_t dot = name.find('.');
  return row_check::is_word(name.substr(0, dot)) &&
         (dot == std::string_view::npos || row_check::is_word(name.substr(dot + 1)));
}

bool is_argument(const Context& context, Attribute a) {
  const AttributePool& pool = context.attributes();
  switch (pool.kind(a)) {
    case AttributeKind::Bool:
    case AttributeKind::Int:
    case AttributeKind::IntList:
    case AttributeKind::Float:
    case AttributeKind::FloatList:
    case AttributeKind::BoolList:
    case AttributeKind::String:
    case AttributeKind::Dtype: return true;
    case AttributeKind::Type: return context.types().kind(pool.as_type(a)) == TypeKind::None;
    default: return false;
  }
}

Failure<Diagnostic> wrong(std::string_view attribute, std::string_view reason) {
  return Failure{diagnose<kAttributeValue>({}, attribute, "torch.call", reason)};
}

}  // namespace

std::optional<TorchParameter> read_torch_parameter(std::string_view text) {
  const std::size_t bracket = text.find('[');
  TorchParameter out{text.substr(0, bracket), std::nullopt};
  if (!row_check::is_word(out.name)) return std::nullopt;
  if (bracket == std::string_view::npos) return out;
  std::size_t item = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + bracket + 1, last, item);
  constexpr std::size_t kMostItems = 1U << 16;
  if (error != std::errc() || last - end != 1 || *end != ']' || item >= kMostItems) return std::nullopt;
  out.item = item;
  return out;
}

std::string_view torch_target(OpRef call) {
  return call.module().context().attributes().as_string(call.attr("target")).value_or("");
}

InferredTypes infer_torch_call(const InferContext& in) {
  const Context& context = in.context();
  const AttributePool& pool = context.attributes();
  if (const std::string_view target = *pool.as_string(in.attr("target")); !is_schema_name(target))
    return wrong("target", "`" + std::string(target) + "` is no schema name such as `aten::add.Tensor`");
  const Attribute given = in.attr("arguments");
  const std::span<const Attribute> arguments = given.valid() ? pool.as_array(given) : std::span<const Attribute>();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!is_argument(context, arguments[i]))
      return wrong("arguments", "item " + std::to_string(i) +
                                    " is not a number, bool, string, dtype, list of numbers or bools, nor `none`");
  const Attribute named = in.attr("parameters");
  const std::span<const StringId> parameters = named.valid() ? pool.as_string_list(named) : std::span<const StringId>();
  if (parameters.size() != in.operands().size() + arguments.size())
    return wrong("parameters", "it names " + std::to_string(parameters.size()) + ", and there are " +
                                   std::to_string(in.operands().size()) + " operands and " +
                                   std::to_string(arguments.size()) + " arguments");
  std::set<std::string_view> whole, items, texts;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string_view text = context.strings().text(parameters[i]);
    const auto parameter = read_torch_parameter(text);
    if (!parameter || (parameter->item && i >= in.operands().size()))
      return wrong("parameters", "`" + std::string(text) + "` is no name of a parameter");
    (parameter->item ? items : whole).insert(parameter->name);
    if (!texts.insert(text).second || (items.contains(parameter->name) && whole.contains(parameter->name)))
      return wrong("parameters", "`" + std::string(parameter->name) + "` is given twice");
  }
  if (in.stated().empty()) return Failure{diagnose<kTypesNotStated>({}, "torch.call")};
  for (const Type type : in.stated())
    if (!context.types().is_tensor(type))
      return Failure{diagnose<kResultNotTensor>({}, "torch.call", context.types().print(type))};
  return std::vector<Type>(in.stated().begin(), in.stated().end());
}

}  // namespace mlgc

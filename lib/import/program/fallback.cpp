// See fallback.h.
#include "import/program/fallback.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "diag/kinds_import.h"
#include "diag/kinds_import_calls.h"
#include "import/program/convert.h"
#include "import/program/dtypes.h"
#include "import/program/locations.h"
#include "ops/instantiate_op.h"

namespace mlgc {

std::uint64_t FallbackLedger::calls() const {
  std::uint64_t sum = 0;
  for (const auto& [key, entry] : entries) sum += entry.calls;
  return sum;
}

void FallbackLedger::add(const FallbackLedger& other, IndexPool& index) {
  operators += other.operators;
  for (const auto& [key, entry] : other.entries) {
    Entry& own = entries[key];
    own.bytes = own.calls == 0 ? entry.bytes : index.add(own.bytes, entry.bytes);
    own.text = index.print(own.bytes);
    own.calls += entry.calls;
  }
}

namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

std::string render_text(const FallbackLedger& ledger) {
  if (ledger.entries.empty()) return "no call of PyTorch among " + counted(ledger.operators, "operator") + "\n";
  std::string out = counted(ledger.calls(), "call") + " of PyTorch among " + counted(ledger.operators, "operator") +
                    " (" + percent(ledger.calls(), ledger.operators) + ")\n";
  for (const auto& [key, entry] : ledger.entries) {
    const auto& [target, reason, detail] = key;
    out += target + ": " + counted(entry.calls, "call") + " (" + percent(entry.calls, ledger.operators) + "), " +
           reason + (detail.empty() ? "" : " (" + detail + ")") + ", " + entry.text +
           " bytes in and out, FLOPs unknown\n";
  }
  return out;
}

std::string render_json(const FallbackLedger& ledger) {
  nlohmann::ordered_json json{{"version", 1}, {"operators", ledger.operators}, {"calls", ledger.calls()}};
  json["entries"] = nlohmann::ordered_json::array();
  for (const auto& [key, entry] : ledger.entries) {
    const auto& [target, reason, detail] = key;
    json["entries"].push_back({{"operator", target},
                               {"reason", reason},
                               {"detail", detail},
                               {"calls", entry.calls},
                               {"share", static_cast<double>(entry.calls) / static_cast<double>(ledger.operators)},
                               {"bytes", entry.text},
                               {"flops", nullptr}});
  }
  return json.dump(2) + "\n";
}

Diagnostic fallback_warning(const FallbackLedger& ledger, Location model) {
  std::vector<std::string> listed;
  for (const auto& [key, entry] : ledger.entries)
    listed.push_back(std::get<0>(key) + " (" + counted(entry.calls, "call") + ", " + std::get<1>(key) + ")");
  return diagnose<kFallbackCalls>(model, static_cast<std::int64_t>(ledger.calls()),
                                  static_cast<std::int64_t>(ledger.operators), std::move(listed));
}

namespace program {
namespace {

using Kind = Argument::Kind;

// Operators that draw random numbers whenever they run, by PyTorch's own tag.
constexpr std::array kDraws = std::to_array<std::string_view>({
#include "import/program/aten_draws.inc"
});
static_assert(std::ranges::is_sorted(kDraws));

// `add` of `torch.ops.aten.add.Tensor`; empty where the target is no such path.
std::string_view operator_name(const Node& node) {
  const std::string_view target = short_target(node.target);
  const std::size_t dot = target.find('.');
  return dot == std::string_view::npos ? "" : target.substr(dot + 1, target.find('.', dot + 1) - dot - 1);
}

class CallMaker {
 public:
  CallMaker(GraphScope& scope, const Node& node) : scope_(scope), node_(node), pool_(scope.context().attributes()) {}

  std::optional<Diagnostic> make(Location location) {
    if (std::optional<Diagnostic> why = why_no_call(node_)) fail(*std::move(why));
    for (const NamedArgument& input : node_.inputs) add(input);
    for (const Argument& output : node_.outputs) {
      if (!output.is(Kind::Tensor) && !output.is(Kind::Tensors)) refuse<kNoCallResultKind>();
      for (const std::string& name : output.names) add_result(name);
    }
    if (types_.empty()) refuse<kNoCallResult>();
    if (problem_) return problem_;
    GraphScope& scope = scope_;
    scope.builder.set_location(location);
    const OpRef op = scope.builder.create(scope.context().opcode(GraphOp::TorchCall), operands_, attributes(), types_);
    for (const Value operand : operands_) count(operand.type());
    for (const Type type : types_) count(type);
    if (const auto checked = infer_types(op, scope.facts()); !checked) return checked.error();
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!scope.define(names_[i], op.result(i)))
        return diagnose<kModelStructure>({}, node_.name, "the name `" + names_[i] + "` to be defined once");
    return std::nullopt;
  }

  [[nodiscard]] IndexExpr bytes() const { return bytes_; }

 private:
  void fail(Diagnostic diagnostic) {
    if (!problem_) problem_ = std::move(diagnostic);
  }
  template <const DiagKind& K, class... Args>
  void refuse(Args&&... args) {
    fail(diagnose<K>({}, short_target(node_.target), std::forward<Args>(args)...));
  }

  void add(const NamedArgument& input) {
    const Argument& value = input.value;
    switch (value.kind) {
      case Kind::Tensor: return add_operand(value.names[0], input.name);
      case Kind::Tensors:
        if (!value.names.empty() && value.names.back().empty()) return refuse<kNoCallListEnd>(input.name);
        for (std::size_t i = 0; i < value.names.size(); ++i)
          if (!value.names[i].empty()) add_operand(value.names[i], input.name + "[" + std::to_string(i) + "]");
        if (value.names.empty()) add_argument(input.name, pool_.int_list(std::span<const std::int64_t>()));
        return;
      case Kind::None: return add_argument(input.name, pool_.type(Type()));
      case Kind::Float:
      case Kind::Bool:
        if (!value.constant_number()) return refuse<kNoCallDataArgument>(input.name);
        return add_argument(input.name,
                            value.is(Kind::Float) ? pool_.real(value.reals[0]) : pool_.boolean(value.flags[0]));
      case Kind::Int: return add_argument(input.name, pool_.integer(integer(value.ints[0])));
      case Kind::Ints: {
        std::vector<IndexExpr> items;
        for (const IntArg& item : value.ints) items.push_back(integer(item));
        return add_argument(input.name, pool_.int_list(std::span<const IndexExpr>(items)));
      }
      case Kind::Complex:
      case Kind::Floats: return add_argument(input.name, pool_.float_list(value.reals));
      case Kind::Bools: {
        const auto items = std::make_unique<bool[]>(value.flags.size());
        std::copy(value.flags.begin(), value.flags.end(), items.get());
        return add_argument(input.name, pool_.bool_list({items.get(), value.flags.size()}));
      }
      case Kind::String: return add_argument(input.name, pool_.string(value.text));
      case Kind::Dtype: {
        const auto dtype = dtype_of_number(value.ints[0].value);
        if (!dtype) return refuse<kNoCallArgumentDtype>(input.name, dtype_number_name(value.ints[0].value));
        return add_argument(input.name, pool_.dtype(*dtype));
      }
      // Where and how the result lies in memory, not what it is: the plug-in computes on the CPU.
      case Kind::Layout:
      case Kind::MemoryFormat:
      case Kind::Device: return;
      case Kind::Graph: return refuse<kNoCallArgumentForm>(input.name, "a graph");
      case Kind::Other: return refuse<kNoCallArgumentForm>(input.name, "of the form `" + value.text + "`");
    }
  }

  IndexExpr integer(const IntArg& value) {
    const Result<IndexExpr> expr = scope_.integer(value);
    if (expr) return *expr;
    fail(diagnose<kSizeExpression>({}, value.name, expr.error()));
    return scope_.context().index().constant(0);
  }

  void add_operand(const std::string& name, std::string parameter) {
    const Value value = scope_.find(name);
    if (!value.valid())
      return fail(diagnose<kModelStructure>({}, node_.name, "`" + name + "` to be defined before its use"));
    operands_.push_back(value);
    of_operands_.push_back(std::move(parameter));
  }
  void add_argument(const std::string& name, Attribute value) {
    arguments_.push_back(value);
    of_arguments_.push_back(name);
  }

  void add_result(const std::string& name) {
    const Graph& graph = scope_.graph();
    const auto found = graph.tensors.find(name);
    if (found != graph.tensors.end())
      for (const Size& size : found->second.sizes)
        if (size.expression.find("'u") != std::string::npos) return refuse<kNoCallDataSize>();
    const Result<Type, Diagnostic> type = scope_.recorded_type(name);
    if (!type) return fail(type.error());
    types_.push_back(*type);
    names_.push_back(name);
  }

  AttrDict attributes() {
    StringPool& strings = scope_.context().strings();
    std::vector<StringId> parameters;
    for (const auto* names : {&of_operands_, &of_arguments_})
      for (const std::string& name : *names) parameters.push_back(strings.intern(name));
    std::vector<NamedAttribute> all{{strings.intern("target"), pool_.string(schema_name(short_target(node_.target)))}};
    if (!parameters.empty()) all.push_back({strings.intern("parameters"), pool_.string_list(parameters)});
    if (!arguments_.empty()) all.push_back({strings.intern("arguments"), pool_.array(arguments_)});
    return pool_.dict(all);
  }

  void count(Type type) {
    IndexPool& index = scope_.context().index();
    const IndexExpr size = scope_.context().storage_bytes(type);
    bytes_ = counted_ ? index.add(bytes_, size) : size;
    counted_ = true;
  }

  GraphScope& scope_;
  const Node& node_;
  AttributePool& pool_;
  std::vector<Value> operands_;
  std::vector<std::string> of_operands_, of_arguments_;  // parameters
  std::vector<Attribute> arguments_;
  std::vector<Type> types_;
  std::vector<std::string> names_;  // of the results
  IndexExpr bytes_;
  bool counted_ = false;
  std::optional<Diagnostic> problem_;
};

}  // namespace

std::string schema_name(std::string_view target) {
  std::string out(target);
  if (const std::size_t dot = out.find('.'); dot != std::string::npos) out.replace(dot, 1, "::");
  constexpr std::string_view kDefault = ".default";
  if (out.ends_with(kDefault)) out.resize(out.size() - kDefault.size());
  return out;
}

bool draws_numbers(const Node& node) {
  return std::ranges::binary_search(kDraws, operator_name(node)) ||
         std::ranges::any_of(node.inputs, [](const NamedArgument& input) {
           return input.name == "generator" ||
                  ((input.name == "dropout_p" || input.name == "dropout") && input.value.is(Kind::Float) &&
                   (!input.value.constant_number() || input.value.reals[0] > 0));
         });
}

std::optional<Diagnostic> why_no_call(const Node& node) {
  const std::string_view target = short_target(node.target);
  const std::string_view name = operator_name(node);
  if (!node.target.starts_with("torch.ops.") || target.starts_with("higher_order.") || name.empty())
    return diagnose<kNoCallOperator>({}, target);
  if (is_in_place(name)) return diagnose<kNoCallInPlace>({}, target);
  for (const NamedArgument& input : node.inputs) {
    if (input.name == "out") return diagnose<kNoCallInPlace>({}, target);
    const bool statistics = name == "instance_norm" && input.name == "use_input_stats";
    const bool training = name == "batch_norm" && input.name == "training";
    if ((statistics || training) && input.value.is(Kind::Bool) && input.value.flags[0])
      return diagnose<kNoCallStatistics>({}, target);
  }
  if (draws_numbers(node)) return diagnose<kNoCallRandom>({}, target);
  return std::nullopt;
}

std::string no_call_reason(const Diagnostic& refused) {
  const std::string begin = diag_detail::render(kNoCallPrefix, *refused.kind, refused.args);
  const std::string message = refused.message();
  MLGC_ASSERT(message.starts_with(begin), "a reason of another kind");
  return message.substr(begin.size());
}

std::optional<Diagnostic> convert_to_call(GraphScope& scope, const Node& node, Location location,
                                          std::string_view reason, std::string detail, FallbackLedger& ledger) {
  CallMaker maker(scope, node);
  if (auto problem = maker.make(location)) return problem;
  IndexPool& index = scope.context().index();
  FallbackLedger::Entry& entry =
      ledger.entries[{std::string(short_target(node.target)), std::string(reason), std::move(detail)}];
  entry.bytes = entry.calls == 0 ? maker.bytes() : index.add(entry.bytes, maker.bytes());
  entry.text = index.print(entry.bytes);
  ++entry.calls;
  return std::nullopt;
}

}  // namespace program
}  // namespace mlgc

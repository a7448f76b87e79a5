// Defs of the prelude, run on values; see executor.h and prelude_syntax.h.
#include <algorithm>
#include <cmath>

#include "import/fx/executor.h"
#include "import/fx/prelude.h"
#include "import/program/dtypes.h"
#include "import/python/dtypes.h"

namespace mlgc::fx {

namespace {

using Kind = Expression::Kind;

constexpr int kMaxDepth = 64;

// `torch.nn.functional.relu` of an expression that spells it; empty for any other.
std::string dotted(const Expression& expression) {
  if (expression.kind == Kind::Name) return expression.text;
  if (expression.kind != Kind::Attribute) return "";
  const std::string left = dotted(expression.items[0]);
  return left.empty() ? "" : left + "." + expression.text;
}

}  // namespace

struct Executor::Frame {
  const Function& function;
  bool last;  // whether what it returns is what the node gives
  std::map<std::string, PythonValue, std::less<>> variables;
  PythonValue returned{None()};
};

Executor::Given Executor::call_def(const Function& function, Arguments arguments) {
  if (depth_ == kMaxDepth) return refuse("modules inside of each other, " + std::to_string(kMaxDepth) + " deep");
  Frame frame{function, std::exchange(last_, false), {}, {None()}};
  std::size_t next = 0;
  bool by_name_only = false;
  for (const Function::Parameter& parameter : function.parameters) {
    if (parameter.rest) {
      auto rest = std::make_shared<std::vector<PythonValue>>(
          arguments.positional.begin() + static_cast<std::ptrdiff_t>(std::min(next, arguments.positional.size())),
          arguments.positional.end());
      next = arguments.positional.size();
      frame.variables.emplace(parameter.name, PythonValue{Tuple{rest}});
      by_name_only = true;
      continue;
    }
    std::optional<PythonValue> value = arguments.take(parameter.name);
    if (!value && !by_name_only && next < arguments.positional.size()) value = arguments.positional[next++];
    if (!value && parameter.has_default) value = evaluate(frame, parameter.fallback);
    if (!value) return refuse("its argument `" + parameter.name + "` is missing");
    frame.variables.emplace(parameter.name, *std::move(value));
  }
  if (next != arguments.positional.size())
    return refuse("it has " + std::to_string(arguments.positional.size() - next) + " arguments too many");
  if (!arguments.keywords.empty()) return refuse("it has no argument `" + arguments.keywords[0].first + "`");
  ++depth_;
  const Went went = run_block(frame, function.body);
  --depth_;
  if (went == Went::Failed) return std::nullopt;
  return frame.returned;
}

Executor::Went Executor::run_block(Frame& frame, std::span<const Statement> block) {
  for (const Statement& statement : block)
    if (const Went went = run_statement(frame, statement); went != Went::On) return went;
  return Went::On;
}

Executor::Went Executor::run_statement(Frame& frame, const Statement& statement) {
  if (statement.kind == Statement::Kind::Raise) {
    refuse(statement.value.text);
    return Went::Failed;
  }
  Given value = evaluate(frame, statement.value, frame.last && statement.kind == Statement::Kind::Return);
  if (!value) return Went::Failed;
  switch (statement.kind) {
    case Statement::Kind::Return: frame.returned = *std::move(value); return Went::Returned;
    case Statement::Kind::If: {
      const std::optional<bool> taken = truth(*value);
      if (!taken) return Went::Failed;
      return run_block(frame, *taken ? statement.body : statement.otherwise);
    }
    case Statement::Kind::For: {
      const std::vector<PythonValue>* const items = value->items();
      if (items == nullptr) return refuse("a loop over " + python::kind_name(*value)), Went::Failed;
      for (const PythonValue& item : *items) {
        frame.variables.insert_or_assign(statement.names[0], item);
        if (const Went went = run_block(frame, statement.body); went != Went::On) return went;
      }
      return Went::On;
    }
    case Statement::Kind::Assign: break;
    case Statement::Kind::Raise: return Went::Failed;
  }
  if (statement.names.size() == 1) {
    frame.variables.insert_or_assign(statement.names[0], *std::move(value));
    return Went::On;
  }
  const std::vector<PythonValue>* const items = value->items();
  if (items == nullptr || items->size() != statement.names.size())
    return refuse(python::kind_name(*value) + " is taken apart into " + std::to_string(statement.names.size()) +
                  " values"),
           Went::Failed;
  for (std::size_t i = 0; i < items->size(); ++i) frame.variables.insert_or_assign(statement.names[i], (*items)[i]);
  return Went::On;
}

Executor::Given Executor::evaluate(Frame& frame, const Expression& expression, bool last) {
  const auto all = [&]() -> std::optional<std::vector<PythonValue>> {
    std::vector<PythonValue> values;
    for (const Expression& item : expression.items) {
      Given value = evaluate(frame, item);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  };
  switch (expression.kind) {
    case Kind::None: return PythonValue{None()};
    case Kind::True: return PythonValue{true};
    case Kind::False: return PythonValue{false};
    case Kind::Int: return PythonValue{index().constant(expression.integer)};
    case Kind::Float: return PythonValue{expression.real};
    case Kind::String: return PythonValue{expression.text};
    case Kind::Name: {
      const auto found = frame.variables.find(expression.text);
      if (found != frame.variables.end()) return found->second;
      if (expression.text == "_infinity") return PythonValue{HUGE_VAL};
      throw InternalError("prelude: no name " + expression.text + " in " + frame.function.name);
    }
    case Kind::Attribute: {
      const std::string name = dotted(expression);
      if (name.starts_with("torch.") && !frame.variables.contains("torch")) {
        const std::optional<Dtype> dtype = program::dtype_of_name(expression.text);
        if (!dtype) throw InternalError("prelude: " + name + " is no element type");
        return PythonValue{TorchConstant{TorchConstant::Kind::Dtype, python::c10_number(*dtype)}};
      }
      const Given object = evaluate(frame, expression.items[0]);
      return object ? get_attribute(*object, expression.text) : std::nullopt;
    }
    case Kind::Call: return evaluate_call(frame, expression, last);
    case Kind::Subscript: {
      const auto values = all();
      return values ? call_function("operator.getitem", {*values, {}}) : std::nullopt;
    }
    case Kind::Operator: {
      const auto values = all();
      return values ? call_function("operator." + expression.text, {*values, {}}) : std::nullopt;
    }
    case Kind::Slice:
    case Kind::List:
    case Kind::Tuple: {
      auto values = all();
      if (!values) return std::nullopt;
      auto items = std::make_shared<std::vector<PythonValue>>(*std::move(values));
      if (expression.kind == Kind::Slice) return PythonValue{Slice{items}};
      if (expression.kind == Kind::List) return PythonValue{List{items, depth()}};
      return PythonValue{Tuple{items}};
    }
    case Kind::Not:
    case Kind::And:
    case Kind::Or: {
      Given first = evaluate(frame, expression.items[0]);
      const std::optional<bool> known = first ? truth(*first) : std::nullopt;
      if (!known) return std::nullopt;
      if (expression.kind == Kind::Not) return PythonValue{!*known};
      if (*known == (expression.kind == Kind::Or)) return first;
      return evaluate(frame, expression.items[1]);
    }
    case Kind::Conditional: {
      const Given condition = evaluate(frame, expression.items[0]);
      const std::optional<bool> taken = condition ? truth(*condition) : std::nullopt;
      return taken ? evaluate(frame, expression.items[*taken ? 1 : 2], last) : std::nullopt;
    }
  }
  return std::nullopt;
}

// A function by its dotted name, a method of what an expression gives, or a module.
Executor::Given Executor::evaluate_call(Frame& frame, const Expression& expression, bool last) {
  const Expression& callee = expression.items[0];
  Arguments arguments;
  const std::size_t positional = expression.items.size() - 1 - expression.keywords.size();
  for (std::size_t i = 1; i < expression.items.size(); ++i) {
    Given value = evaluate(frame, expression.items[i]);
    if (!value) return std::nullopt;
    if (i <= positional)
      arguments.positional.push_back(*std::move(value));
    else
      arguments.keywords.emplace_back(expression.keywords[i - 1 - positional], *std::move(value));
  }
  const std::string name = dotted(callee);
  const std::string root = name.substr(0, name.find('.'));
  last_ = last;
  if (!name.empty() && !frame.variables.contains(root)) return call_function(name, std::move(arguments));
  last_ = false;
  const bool attribute = callee.kind == Kind::Attribute;
  const Given object = evaluate(frame, attribute ? callee.items[0] : callee);
  if (!object) return std::nullopt;
  const Object* const module = object->as<Object>();
  last_ = last;
  if (module == nullptr && attribute) {
    arguments.positional.insert(arguments.positional.begin(), *object);
    return call_method(callee.text, std::move(arguments));
  }
  const Given called = attribute ? get_attribute(*object, callee.text) : object;
  if (!called) return std::nullopt;
  if (const Object* inner = called->as<Object>()) return call_module(inner->path, std::move(arguments));
  return refuse(python::kind_name(*called) + " is called");
}

}  // namespace mlgc::fx

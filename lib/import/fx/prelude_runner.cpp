// See prelude_runner.h.
#include "import/fx/prelude_runner.h"

#include <algorithm>
#include <cmath>

#include "diag/kinds_import.h"
#include "import/program/dtypes.h"
#include "import/python/dtypes.h"

namespace mlgc::fx {

namespace {

using Kind = Expression::Kind;

constexpr int kMaxDepth = 64;

// `torch.nn.functional.relu` of an expression with that text; empty for any other.
std::string dotted(const Expression& expression) {
  if (expression.kind == Kind::Name) return expression.text;
  if (expression.kind != Kind::Attribute) return "";
  const std::string left = dotted(expression.items[0]);
  return left.empty() ? "" : left + "." + expression.text;
}

}  // namespace

struct PreludeRunner::Frame {
  const Function& function;
  bool last;  // whether what it returns is what the node gives
  std::map<std::string, PythonValue, std::less<>> variables;
  PythonValue returned{None()};
};

Given PreludeRunner::call(const Function& function, Arguments arguments) {
  if (depth_ == kMaxDepth)
    return place_.refuse<kImportLimit>(depth_ + 1, "calls of definitions in each other", kMaxDepth);
  Frame frame{function, place_.sites.take_last(), {}, {None()}};
  if (!bind(frame, std::move(arguments))) return std::nullopt;
  ++depth_;
  const Went went = run_block(frame, function.body);
  --depth_;
  if (went == Went::Failed) return std::nullopt;
  return frame.returned;
}

// The arguments as variables. False after a diagnostic.
bool PreludeRunner::bind(Frame& frame, Arguments arguments) {
  std::size_t next = 0;
  bool by_name_only = false;
  for (const Function::Parameter& parameter : frame.function.parameters) {
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
    if (!value) return place_.refuse<kArgumentMissing>(parameter.name), false;
    frame.variables.emplace(parameter.name, *std::move(value));
  }
  if (next != arguments.positional.size())
    return place_.refuse<kArgumentCount>(next, arguments.positional.size()), false;
  if (!arguments.keywords.empty()) return place_.refuse<kUnknownArgument>(arguments.keywords[0].first), false;
  return true;
}

PreludeRunner::Went PreludeRunner::run_block(Frame& frame, std::span<const Statement> block) {
  for (const Statement& statement : block)
    if (const Went went = run_statement(frame, statement); went != Went::On) return went;
  return Went::On;
}

PreludeRunner::Went PreludeRunner::run_statement(Frame& frame, const Statement& statement) {
  if (statement.kind == Statement::Kind::Raise) {
    place_.refuse<kLayerOption>(statement.value.text);
    return Went::Failed;
  }
  Given value = evaluate(frame, statement.value, frame.last && statement.kind == Statement::Kind::Return);
  if (!value) return Went::Failed;
  switch (statement.kind) {
    case Statement::Kind::Return: frame.returned = *std::move(value); return Went::Returned;
    case Statement::Kind::If: {
      const std::optional<bool> taken = truth(place_, *value);
      if (!taken) return Went::Failed;
      return run_block(frame, *taken ? statement.body : statement.otherwise);
    }
    case Statement::Kind::For: return run_for(frame, statement, *value);
    case Statement::Kind::Assign: return assign(frame, statement, *std::move(value));
    case Statement::Kind::Raise: break;
  }
  return Went::Failed;
}

PreludeRunner::Went PreludeRunner::run_for(Frame& frame, const Statement& statement, const PythonValue& over) {
  const std::vector<PythonValue>* const items = over.items();
  if (items == nullptr)
    return place_.refuse<kArgumentKind>("what a loop iterates over", python::kind_name(over), "a list"), Went::Failed;
  for (const PythonValue& item : *items) {
    frame.variables.insert_or_assign(statement.names[0], item);
    if (const Went went = run_block(frame, statement.body); went != Went::On) return went;
  }
  return Went::On;
}

PreludeRunner::Went PreludeRunner::assign(Frame& frame, const Statement& statement, PythonValue value) {
  if (statement.names.size() == 1) {
    frame.variables.insert_or_assign(statement.names[0], std::move(value));
    return Went::On;
  }
  const std::vector<PythonValue>* const items = value.items();
  if (items == nullptr)
    return place_.refuse<kArgumentKind>("what is unpacked", python::kind_name(value), "a tuple"), Went::Failed;
  if (items->size() != statement.names.size())
    return place_.refuse<kCountsDiffer>(items->size(), "items", statement.names.size(), "names"), Went::Failed;
  for (std::size_t i = 0; i < items->size(); ++i) frame.variables.insert_or_assign(statement.names[i], (*items)[i]);
  return Went::On;
}

Given PreludeRunner::evaluate(Frame& frame, const Expression& expression, bool last) {
  switch (expression.kind) {
    case Kind::None: return PythonValue{None()};
    case Kind::True: return PythonValue{true};
    case Kind::False: return PythonValue{false};
    case Kind::Int: return PythonValue{place_.index().constant(expression.integer)};
    case Kind::Float: return PythonValue{expression.real};
    case Kind::String: return PythonValue{expression.text};
    case Kind::Name: {
      const auto found = frame.variables.find(expression.text);
      if (found != frame.variables.end()) return found->second;
      if (expression.text == "_infinity") return PythonValue{HUGE_VAL};
      throw InternalError("prelude: no name " + expression.text + " in " + frame.function.name);
    }
    case Kind::Attribute: return evaluate_attribute(frame, expression);
    case Kind::Call: return evaluate_call(frame, expression, last);
    case Kind::Subscript: {
      const auto values = evaluate_all(frame, expression.items);
      return values ? callables_.call_function("operator.getitem", {*values, {}}) : std::nullopt;
    }
    case Kind::Operator: {
      const auto values = evaluate_all(frame, expression.items);
      return values ? callables_.call_function("operator." + expression.text, {*values, {}}) : std::nullopt;
    }
    case Kind::Slice:
    case Kind::List:
    case Kind::Tuple: {
      auto values = evaluate_all(frame, expression.items);
      if (!values) return std::nullopt;
      auto items = std::make_shared<std::vector<PythonValue>>(*std::move(values));
      if (expression.kind == Kind::Slice) return PythonValue{Slice{items}};
      if (expression.kind == Kind::List) return PythonValue{List{items, place_.builder.depth()}};
      return PythonValue{Tuple{items}};
    }
    case Kind::Not:
    case Kind::And:
    case Kind::Or:
    case Kind::Conditional: return evaluate_choice(frame, expression, last);
  }
  return std::nullopt;
}

std::optional<std::vector<PythonValue>> PreludeRunner::evaluate_all(Frame& frame,
                                                                    std::span<const Expression> expressions) {
  std::vector<PythonValue> values;
  for (const Expression& item : expressions) {
    Given value = evaluate(frame, item);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

Given PreludeRunner::evaluate_attribute(Frame& frame, const Expression& expression) {
  const std::string name = dotted(expression);
  if (name.starts_with("torch.") && !frame.variables.contains("torch")) {
    const std::optional<Dtype> dtype = program::dtype_of_name(expression.text);
    if (!dtype) throw InternalError("prelude: " + name + " is no element type");
    return PythonValue{TorchConstant{TorchConstant::Kind::Dtype, python::c10_number(*dtype)}};
  }
  const Given object = evaluate(frame, expression.items[0]);
  return object ? callables_.attribute(*object, expression.text) : std::nullopt;
}

// Of what is evaluated only in part: `not`, `and`, `or` and `if … else`.
Given PreludeRunner::evaluate_choice(Frame& frame, const Expression& expression, bool last) {
  Given first = evaluate(frame, expression.items[0]);
  const std::optional<bool> known = first ? truth(place_, *first) : std::nullopt;
  if (!known) return std::nullopt;
  if (expression.kind == Kind::Conditional) return evaluate(frame, expression.items[*known ? 1 : 2], last);
  if (expression.kind == Kind::Not) return PythonValue{!*known};
  if (*known == (expression.kind == Kind::Or)) return first;
  return evaluate(frame, expression.items[1]);
}

// A function by its dotted name, a method of what an expression gives, or a module.
Given PreludeRunner::evaluate_call(Frame& frame, const Expression& expression, bool last) {
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
  place_.sites.set_last(last);
  if (!name.empty() && !frame.variables.contains(root)) return callables_.call_function(name, std::move(arguments));
  place_.sites.set_last(false);
  const bool attribute = callee.kind == Kind::Attribute;
  const Given object = evaluate(frame, attribute ? callee.items[0] : callee);
  if (!object) return std::nullopt;
  const Object* const module = object->as<Object>();
  place_.sites.set_last(last);
  if (module == nullptr && attribute) {
    arguments.positional.insert(arguments.positional.begin(), *object);
    return callables_.call_method(callee.text, std::move(arguments));
  }
  const Given called = attribute ? callables_.attribute(*object, callee.text) : object;
  if (!called) return std::nullopt;
  if (const Object* inner = called->as<Object>()) return callables_.call_module(inner->path, std::move(arguments));
  return place_.refuse<kArgumentKind>("what is called", python::kind_name(*called), "a function or a module");
}

}  // namespace mlgc::fx

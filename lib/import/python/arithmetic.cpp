// Arithmetic on numbers: what is known is computed as Python does, sizes stay expressions, and what depends on data
// becomes ops on tensors of rank 0; see python_operators.h.
#include <array>
#include <cmath>
#include <optional>

#include "import/python/python_operators.h"

namespace mlgc::python {

namespace {

enum class Domain : std::uint8_t { Number, Real, Truth, Comparison };
struct Operator {
  std::string_view name, row;
  std::size_t operands;
  Domain domain = Domain::Number;  // of operands
};
constexpr std::array kOperators{
    Operator{"add", "add", 2},
    Operator{"sub", "sub", 2},
    Operator{"mul", "mul", 2},
    Operator{"floordiv", "floor_divide", 2},
    Operator{"floor_divide", "floor_divide", 2},
    Operator{"remainder", "remainder", 2},
    Operator{"neg", "neg", 1},
    Operator{"min", "minimum", 2},
    Operator{"max", "maximum", 2},
    Operator{"pow", "pow", 2},
    Operator{"div", "div", 2, Domain::Real},
    Operator{"sqrt", "sqrt", 1, Domain::Real},
    Operator{"eq", "eq", 2, Domain::Comparison},
    Operator{"ne", "ne", 2, Domain::Comparison},
    Operator{"lt", "lt", 2, Domain::Comparison},
    Operator{"le", "le", 2, Domain::Comparison},
    Operator{"gt", "gt", 2, Domain::Comparison},
    Operator{"ge", "ge", 2, Domain::Comparison},
    Operator{"__and__", "logical_and", 2, Domain::Truth},
    Operator{"__or__", "logical_or", 2, Domain::Truth},
    Operator{"__not__", "logical_not", 1, Domain::Truth},
};

const Operator* find(std::string_view name) {
  for (const Operator& row : kOperators)
    if (row.name == name) return &row;
  return nullptr;
}

PythonValue truth(Truth answer) { return answer == Truth::Unknown ? PythonValue() : PythonValue{answer == Truth::Yes}; }
Truth negated(Truth answer) {
  return answer == Truth::Unknown ? answer : answer == Truth::Yes ? Truth::No : Truth::Yes;
}

// Of integers; Undefined where the result is no expression.
PythonValue of_integers(IndexPool& pool, const Facts& facts, std::string_view name, IndexExpr a, IndexExpr b) {
  if (name == "add") return {pool.add(a, b)};
  if (name == "sub") return {pool.sub(a, b)};
  if (name == "mul") return {pool.mul(a, b)};
  if (name == "neg") return {pool.scale(a, -1)};
  if (name == "min") return {pool.min(a, b)};
  if (name == "max") return {pool.max(a, b)};
  if (name == "eq") return truth(pool.equal(a, b, facts));
  if (name == "ne") return truth(negated(pool.equal(a, b, facts)));
  if (name == "lt") return truth(pool.less(a, b, facts));
  if (name == "gt") return truth(pool.less(b, a, facts));
  if (name == "le") return truth(negated(pool.less(b, a, facts)));
  if (name == "ge") return truth(negated(pool.less(a, b, facts)));
  // An expression divides by what is more than 0.
  if (!pool.is_non_negative(pool.sub(b, pool.constant(1)), facts)) return {};
  if (name == "floordiv" || name == "floor_divide") return {pool.floordiv(a, b)};
  if (name == "remainder") return {pool.mod(a, b)};
  return {};
}

PythonValue of_reals(std::string_view name, double a, double b) {
  if (name == "add") return {a + b};
  if (name == "sub") return {a - b};
  if (name == "mul") return {a * b};
  if (name == "neg") return {-a};
  if (name == "min") return {b < a ? b : a};
  if (name == "max") return {a < b ? b : a};
  if (name == "pow") return {std::pow(a, b)};
  if (name == "div" && b != 0) return {a / b};
  if (name == "sqrt" && a >= 0) return {std::sqrt(a)};
  if (name == "floordiv" && b != 0) return {std::floor(a / b)};
  if (name == "eq") return {a == b};
  if (name == "ne") return {a != b};
  if (name == "lt") return {a < b};
  if (name == "le") return {a <= b};
  if (name == "gt") return {a > b};
  if (name == "ge") return {a >= b};
  return {};
}

std::optional<double> real_of(IndexPool& pool, const PythonValue& value) {
  if (const double* real = value.as<double>()) return *real;
  if (const bool* flag = value.as<bool>()) return *flag ? 1 : 0;
  if (const IndexExpr* number = value.as<IndexExpr>())
    if (const auto constant = pool.as_constant(*number)) return static_cast<double>(*constant);
  return std::nullopt;
}

std::optional<IndexExpr> integer_of(IndexPool& pool, const PythonValue& value) {
  if (const IndexExpr* number = value.as<IndexExpr>()) return *number;
  if (const bool* flag = value.as<bool>()) return pool.constant(*flag ? 1 : 0);
  return std::nullopt;
}

// Undefined where it cannot be said.
PythonValue known_result(FunctionBuilder& builder, const Operator& row, std::span<const PythonValue> operands) {
  IndexPool& pool = builder.index();
  const PythonValue& a = operands[0];
  const PythonValue& b = operands.back();
  if (row.domain == Domain::Truth) {
    const bool *x = a.as<bool>(), *y = b.as<bool>();
    if (row.name == "__not__") return x == nullptr ? PythonValue() : PythonValue{!*x};
    const bool decides = row.name == "__or__";  // by itself, whatever the other one is
    if ((x != nullptr && *x == decides) || (y != nullptr && *y == decides)) return {decides};
    return x != nullptr && y != nullptr ? PythonValue{!decides} : PythonValue();
  }
  const auto m = integer_of(pool, a), n = integer_of(pool, b);
  if (m && n && row.domain != Domain::Real)
    if (PythonValue result = of_integers(pool, builder.scope().facts(), row.name, *m, *n); !result.is<Undefined>())
      return result;
  const auto x = real_of(pool, a), y = real_of(pool, b);
  if (!x || !y) return {};
  const bool integral = m && n && row.domain == Domain::Number;
  PythonValue result = of_reals(row.name, *x, *y);
  const double* const real = result.as<double>();
  if (!integral || real == nullptr) return result;
  // What is left of integers: powers, and divisions by what is less than 0.
  const bool exact = std::abs(*real) < 9007199254740992.0 && *real == std::floor(*real);
  return exact ? PythonValue{pool.constant(static_cast<std::int64_t>(*real))} : PythonValue();
}

}  // namespace

Computation compute(FunctionBuilder& builder, const Node& node, std::string_view name,
                    std::span<const PythonValue> operands) {
  const Operator* const row = find(name);
  if (row == nullptr || operands.size() != row->operands) return {};
  if (PythonValue result = known_result(builder, *row, operands); !result.is<Undefined>())
    return {true, std::move(result)};
  std::vector<Value> values;
  bool real = row->domain == Domain::Real;
  for (const PythonValue& operand : operands) {
    values.push_back(builder.number_value(node, operand));
    if (!values.back().valid()) return {true, {}};
    real = real || values.back().dtype() == Dtype::F64;
  }
  const Dtype dtype = row->domain == Domain::Truth ? Dtype::I1 : real ? Dtype::F64 : Dtype::I64;
  for (Value& value : values) {
    if (value.dtype() == dtype) continue;
    const std::array one{value};
    value = builder.emit(node, "cast", one, {{"dtype", builder.context().attributes().dtype(dtype)}});
    if (!value.valid()) return {true, {}};
  }
  const Value result = builder.emit(node, row->row, values);
  return {true, result.valid() ? PythonValue{Computed{result}} : PythonValue()};
}

}  // namespace mlgc::python

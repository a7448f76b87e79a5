// The textbook expression graph z = (x + y) * sin(x) through the public headers: built op by op, printed, evaluated,
// and differentiated in reverse through the formulas of its rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formula/differentiate.h"
#include "interp/evaluate_formula.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "text/printer.h"

using namespace mlgc;

namespace {

using Values = std::map<ValueId, double>;

// z = (x + y) * sin(x), in f64.
Module build() {
  Module module(make_context());
  Builder builder(module);
  const Type f64 = module.context().types().tensor(Dtype::F64, std::initializer_list<std::int64_t>{});
  const OpRef func = builder.func("z", std::array{f64, f64});
  builder.set_end(func.region());
  const Value x = func.region().argument(0);
  const Value y = func.region().argument(1);
  x.set_name("x");
  y.set_name("y");
  const Value sum = builder.create("add", {x, y}, {f64}).result();
  const Value sine = builder.create("sin", {x}, {f64}).result();
  const Value z = builder.create("mul", {sum, sine}, {f64}).result();
  sum.set_name("sum");
  sine.set_name("sine");
  z.set_name("z");
  builder.create("return", {z}, {});
  return module;
}

Formula formula_of(OpRef op) {
  std::vector<Type> types;
  for (const Value operand : op.operands()) types.push_back(operand.type());
  return *instantiate_op(op.module().context(), op.opcode(), types, op.attrs());
}

std::vector<double> run(Context& context, const Formula& formula, const std::vector<double>& inputs) {
  std::vector<Tensor> operands;
  for (const double input : inputs) operands.push_back(Tensor::scalar(input));
  // A row's absent optional operands stay in its formula and are never read.
  operands.resize(std::max(operands.size(), formula.operand_count()), Tensor::scalar(0.0));
  const std::vector<Tensor> results = evaluate(formulas(context), formula, operands, {Precision::F64}).value();
  std::vector<double> numbers;
  for (const Tensor& result : results) numbers.push_back(result.get_double(0));
  return numbers;
}

// Every op after its operands.
void forward(const FuncRef& function, Values& values) {
  for (const OpRef op : function.body().ops()) {
    if (op.result_count() == 0) continue;
    std::vector<double> inputs;
    for (const Value operand : op.operands()) inputs.push_back(values.at(operand.id()));
    values[op.result().id()] = run(op.module().context(), formula_of(op), inputs).front();
  }
}

// Every op before its operands: each adds to the adjoints of what it reads, so that both uses of x count.
Values backward(const FuncRef& function, const Values& values) {
  Context& context = function.op().module().context();
  Values adjoints;
  adjoints[function.results().front().id()] = 1;
  std::vector<OpRef> ops;
  for (const OpRef op : function.body().ops())
    if (op.result_count() > 0) ops.push_back(op);
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const Formula formula = formula_of(*op);
    std::vector<TensorId> wanted;
    std::vector<double> inputs;
    for (std::size_t i = 0; i < op->operand_count(); ++i) {
      wanted.emplace_back(static_cast<std::uint32_t>(i));
      inputs.push_back(values.at(op->operand(i).id()));
    }
    inputs.resize(formula.operand_count());
    inputs.push_back(adjoints[op->result().id()]);
    const std::vector<double> parts = run(context, gradient(formulas(context), formula, wanted), inputs);
    for (std::size_t i = 0; i < op->operand_count(); ++i) adjoints[op->operand(i).id()] += parts[i];
  }
  return adjoints;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-15 * std::abs(b); }

}  // namespace

int main() {
  const Module module = build();
  std::fputs(print(module).c_str(), stdout);

  const FuncRef function = find_function(module, "z");
  const double x = 0.5, y = 2;
  Values values{{function.arguments()[0].id(), x}, {function.arguments()[1].id(), y}};
  forward(function, values);
  const Values adjoints = backward(function, values);

  for (const OpRef op : function.body().ops())
    for (const Value result : op.results())
      std::printf("%-6s = %.16g   adjoint %.16g\n", std::string(result.name()).c_str(), values.at(result.id()),
                  adjoints.at(result.id()));
  const double z = values.at(function.results().front().id());
  const double dx = adjoints.at(function.arguments()[0].id());
  const double dy = adjoints.at(function.arguments()[1].id());
  std::printf("z(%g, %g) = %.16g, dz/dx = %.16g, dz/dy = %.16g\n", x, y, z, dx, dy);

  const bool right =
      close(z, (x + y) * std::sin(x)) && close(dx, std::sin(x) + (x + y) * std::cos(x)) && close(dy, std::sin(x));
  std::puts(right ? "agrees with the derivatives on paper" : "differs from the derivatives on paper");
  return right ? 0 : 1;
}

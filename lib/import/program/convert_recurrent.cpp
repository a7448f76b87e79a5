// Recurrent layers as `scan` over time, and their cells alone: one for each layer and direction, with the product of
// the whole sequence and the weights of its inputs in front of it.
#include <array>
#include <optional>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

// The tensors of one layer and direction, as ATen lists them.
struct Cell {
  Value to_input, to_hidden, input_bias, hidden_bias, projection;  // those that are not there are invalid
};

using Step = std::vector<Value> (*)(NodeScope& scope, Value gates, std::span<const Value> state, const Cell& cell);

Value linear(NodeScope& scope, Value x, Value weight, Value bias) {
  return bias.valid() ? scope.emit_one("linear", {x, weight, bias}) : scope.emit_one("linear", {x, weight});
}

// Part `i` of `count` equal ones of the last axis.
Value part(NodeScope& scope, Value x, std::int64_t i, std::int64_t count) {
  if (scope.failed()) return {};
  IndexPool& pool = scope.context().index();
  AttributePool& attributes = scope.context().attributes();
  const IndexExpr size = pool.floordiv(x.dims().back(), pool.constant(count));
  return scope.emit_one("slice", {x},
                        {{"dim", attributes.integer(static_cast<std::int64_t>(x.rank()) - 1)},
                         {"start", attributes.integer(pool.scale(size, i))},
                         {"end", attributes.integer(pool.scale(size, i + 1))}});
}

// Input, forget, cell and output gate. The state is the hidden one and the cell's.
std::vector<Value> lstm_step(NodeScope& scope, Value gates, std::span<const Value> state, const Cell& cell) {
  const Value all = scope.emit_one("add", {gates, linear(scope, state[0], cell.to_hidden, cell.hidden_bias)});
  const Value input = scope.emit_one("sigmoid", {part(scope, all, 0, 4)});
  const Value forget = scope.emit_one("sigmoid", {part(scope, all, 1, 4)});
  const Value candidate = scope.emit_one("tanh", {part(scope, all, 2, 4)});
  const Value output = scope.emit_one("sigmoid", {part(scope, all, 3, 4)});
  const Value kept = scope.emit_one("mul", {forget, state[1]});
  const Value next = scope.emit_one("add", {kept, scope.emit_one("mul", {input, candidate})});
  Value hidden = scope.emit_one("mul", {output, scope.emit_one("tanh", {next})});
  if (cell.projection.valid()) hidden = linear(scope, hidden, cell.projection, {});
  return {hidden, next};
}

// Reset, update and new gate; the reset gate is applied after the product with the weights.
std::vector<Value> gru_step(NodeScope& scope, Value gates, std::span<const Value> state, const Cell& cell) {
  const Value own = linear(scope, state[0], cell.to_hidden, cell.hidden_bias);
  const auto both = [&](std::int64_t i) {
    return scope.emit_one("add", {part(scope, gates, i, 3), part(scope, own, i, 3)});
  };
  const Value reset = scope.emit_one("sigmoid", {both(0)});
  const Value update = scope.emit_one("sigmoid", {both(1)});
  const Value remembered = scope.emit_one("mul", {reset, part(scope, own, 2, 3)});
  const Value fresh = scope.emit_one("tanh", {scope.emit_one("add", {part(scope, gates, 2, 3), remembered})});
  const Value difference = scope.emit_one("sub", {state[0], fresh});
  return {scope.emit_one("add", {scope.emit_one("mul", {difference, update}), fresh})};
}

std::vector<Value> plain_step(NodeScope& scope, Value gates, std::span<const Value> state, const Cell& cell) {
  const Value sum = scope.emit_one("add", {gates, linear(scope, state[0], cell.to_hidden, cell.hidden_bias)});
  return {scope.emit_one(scope.target().starts_with("aten.rnn_relu") ? "relu" : "tanh", {sum})};
}

class Recurrence {
 public:
  Recurrence(NodeScope& scope, Step step, std::size_t states)
      : scope_(scope), attributes_(scope.context().attributes()), step_(step), states_(states) {}

  void run() {
    const bool reversed_too = scope_.flag("bidirectional"), batch_first = scope_.flag("batch_first");
    const std::int64_t layers = scope_.constant("num_layers");
    if (scope_.flag("train") && scope_.real("dropout") != 0)
      return scope_.refuse<kTrainingMode>("it drops out between its layers");
    Value x = scope_.tensor("input");
    const std::vector<Value> initial = states_ == 1 ? std::vector{scope_.tensor("hx")} : scope_.tensors("hx");
    const std::vector<Value> params = scope_.tensors("params");
    if (scope_.failed()) return;
    if (x.rank() != 3) return scope_.refuse<kOperandAxes>("its input", x.rank(), "time, batch and features");
    if (initial.size() != states_) return scope_.refuse<kCountsDiffer>(initial.size(), "states", states_, "of a cell");
    for (const Value& state : initial)
      if (state.rank() != 3) return scope_.refuse<kOperandAxes>("a state", state.rank(), "layers, batch and features");
    const std::size_t directions = reversed_too ? 2 : 1;
    const std::size_t cells = layers > 0 ? static_cast<std::size_t>(layers) * directions : 0;
    if (cells == 0 || params.size() % cells != 0)
      return scope_.refuse<kCountsDiffer>(params.size(), "weights", cells, "layers in each direction");
    if (batch_first) x = swapped(x);
    for (std::size_t layer = 0; layer < cells / directions; ++layer) {
      std::vector<Value> outputs;
      for (std::size_t direction = 0; direction < directions; ++direction) {
        const std::size_t number = layer * directions + direction;
        const std::optional<Cell> cell = cell_of(params, number, params.size() / cells);
        if (!cell) return scope_.refuse<kCountsDiffer>(params.size(), "weights", cells, "layers in each direction");
        outputs.push_back(run_cell(x, initial, number, *cell, direction == 1));
        if (scope_.failed()) return;
      }
      x = outputs.size() == 1 ? outputs[0] : scope_.emit_one("cat", {outputs[0], outputs[1]}, {{"dim", integer(2)}});
    }
    if (batch_first) x = swapped(x);
    if (scope_.failed()) return;
    scope_.result(0, x);
    for (std::size_t i = 0; i < states_; ++i) {
      const OpRef all = scope_.emit("stack", finals_[i], {{"dim", integer(0)}});
      if (all.valid()) scope_.result(i + 1, all.result());
    }
  }

 private:
  [[nodiscard]] Attribute integer(std::int64_t value) { return attributes_.integer(value); }
  Value swapped(Value x) { return scope_.emit_one("transpose", {x}, {{"dim0", integer(0)}, {"dim1", integer(1)}}); }
  Value backwards(Value x) {
    return scope_.emit_one("flip", {x}, {{"dims", attributes_.int_list(std::array{std::int64_t{0}})}});
  }

  std::optional<Cell> cell_of(std::span<const Value> params, std::size_t number, std::size_t count) {
    const bool biased = scope_.flag("has_biases");
    const std::size_t least = biased ? 4 : 2;
    if (count != least && (states_ != 2 || count != least + 1)) return std::nullopt;
    const auto at = [&](std::size_t i) { return params[number * count + i]; };
    Cell cell{at(0), at(1), {}, {}, {}};
    if (biased) cell.input_bias = at(2), cell.hidden_bias = at(3);
    if (count > least) cell.projection = at(least);
    return cell;
  }

  // What it gives at each step; its last states go to finals_.
  Value run_cell(Value x, std::span<const Value> initial, std::size_t number, const Cell& cell, bool reversed) {
    Value gates = linear(scope_, x, cell.to_input, cell.input_bias);
    if (reversed) gates = backwards(gates);
    std::vector<Value> operands;
    for (const Value& state : initial)
      operands.push_back(scope_.emit_one("select", {state},
                                         {{"dim", integer(0)}, {"index", integer(static_cast<std::int64_t>(number))}}));
    operands.push_back(gates);
    if (scope_.failed()) return {};
    GraphScope& outer = scope_.graph();
    Context& context = scope_.context();
    outer.builder.set_location(scope_.location());
    const OpRef op =
        outer.builder.create(context.opcode(GraphOp::Scan), operands,
                             outer.builder.attrs({{"carried", integer(static_cast<std::int64_t>(states_))}}), {}, 1);
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Type type = operands[i].type();
      const Type one = context.types().tensor(operands[i].dtype(), operands[i].dims().subspan(1));
      arguments.push_back(op.region(0).add_argument(i < states_ ? type : one));
    }
    GraphScope inner(outer, outer.graph(), op.region(0), true);
    NodeScope step(inner, scope_.node(), scope_.target(), scope_.location(), {});
    std::vector<Value> next = step_(step, arguments.back(), std::span(arguments).first(states_), cell);
    if (step.failed()) return scope_.give_up(), Value();
    next.push_back(next[0]);
    inner.builder.set_location({});
    inner.builder.create(context.opcode(GraphOp::Yield), next, {}, {});
    Result<std::vector<Type>, Diagnostic> types = infer_types(op, outer.facts());
    if (!types) return scope_.refuse<kOperandsRefused>(types.error().message()), Value();
    op.add_results(*types);
    for (std::size_t i = 0; i < states_; ++i) finals_[i].push_back(op.result(i));
    const Value all = op.result(states_);
    return reversed ? backwards(all) : all;
  }

  NodeScope& scope_;
  AttributePool& attributes_;
  Step step_;
  std::size_t states_;  // that one cell carries
  std::array<std::vector<Value>, 2> finals_;
};

void convert_lstm(NodeScope& scope) { Recurrence(scope, lstm_step, 2).run(); }
void convert_gru(NodeScope& scope) { Recurrence(scope, gru_step, 1).run(); }
void convert_plain(NodeScope& scope) { Recurrence(scope, plain_step, 1).run(); }

// One step of a cell.
void convert_cell(NodeScope& scope, Step step, std::size_t states) {
  const Value x = scope.tensor("input");
  const std::vector<Value> state = states == 1 ? std::vector{scope.tensor("hx")} : scope.tensors("hx");
  const Cell cell{scope.tensor("w_ih"), scope.tensor("w_hh"), scope.tensor("b_ih"), scope.tensor("b_hh"), {}};
  if (scope.failed()) return;
  if (state.size() != states) return scope.refuse<kCountsDiffer>(state.size(), "states", states, "of a cell");
  const std::vector<Value> next = step(scope, linear(scope, x, cell.to_input, cell.input_bias), state, cell);
  for (std::size_t i = 0; i < next.size() && !scope.failed(); ++i) scope.result(i, next[i]);
}
void convert_lstm_cell(NodeScope& scope) { convert_cell(scope, lstm_step, 2); }
void convert_gru_cell(NodeScope& scope) { convert_cell(scope, gru_step, 1); }
void convert_plain_cell(NodeScope& scope) { convert_cell(scope, plain_step, 1); }

constexpr std::array kRecurrentConverters{
    Converter{"aten.lstm.input", convert_lstm},
    Converter{"aten.gru.input", convert_gru},
    Converter{"aten.rnn_tanh.input", convert_plain},
    Converter{"aten.rnn_relu.input", convert_plain},
    Converter{"aten.lstm_cell.default", convert_lstm_cell},
    Converter{"aten.gru_cell.default", convert_gru_cell},
    Converter{"aten.rnn_tanh_cell.default", convert_plain_cell},
    Converter{"aten.rnn_relu_cell.default", convert_plain_cell},
};

}  // namespace

std::span<const Converter> recurrent_converters() { return kRecurrentConverters; }

}  // namespace mlgc::program

// Reads the texts of expansions.cpp and builds what they say.
//
//     text     [ 'wide:' ] results                                     with `wide` 16-bit floats are computed with as
//     f32 and
//                                                                      rounded once, as ATen does inside of one
//                                                                      operator
//     results  choice (';' choice)*                                    one for each result of the operator
//     choice   argument '?' choice ':' choice | sum                    by what is given and neither false nor 0
//     sum      term (('+' | '-') term)*
//     term     factor (('*' | '/') factor)*
//     factor   '-' factor | '(' choice ')' | number | inf | argument
//              | row '(' choice, … ')' [ '{' attribute = value, … '}' ] [ '.' number of the result ]
//              | reduced '(' choice ')'                                what the argument `reduction` makes of a loss
//              | broadcast '(' choice ',' choice ')'                   the first, in the shape of both together
//              | flat '(' choice ')'                                   its elements in row-major order
//              | positions '(' choice ')'                              row-major positions in its shape
//              | shaped '(' choice ')'                                 its elements in the recorded shape
//              | blank '(' ')'                                         zeros of the recorded type
//              | random '(' [ 'wide' ] row [ '{' … '}' ] ')'           random numbers in the recorded shape and type,
//                                                                      which is of at least 32 bits with `wide`
//
// An argument is one of the operator's schema. A value is an argument, which is left out where the call leaves it out,
// or a literal as in the text form. A number with a point is a float. Arithmetic on numbers alone is done here.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

Argument whole(std::int64_t value) {
  Argument number;
  number.kind = Kind::Int;
  number.ints.push_back({"", value});
  return number;
}

Argument real(double value) {
  Argument number;
  number.kind = Kind::Float;
  number.reals.push_back(value);
  return number;
}

double value_of(const Argument& number) {
  if (number.is(Kind::Float)) return number.reals[0];
  if (number.is(Kind::Bool)) return number.flags[0] ? 1 : 0;
  return static_cast<double>(number.ints[0].value);
}

class Expander {
 public:
  Expander(NodeScope& scope, std::string_view text) : scope_(scope), rest_(text) {}

  void run() {
    constexpr std::string_view kWide = "wide:";
    if (rest_.starts_with(kWide)) {
      wide_ = true;
      rest_.remove_prefix(kWide.size());
      skip_spaces();
    }
    for (std::size_t i = 0;; ++i) {
      result_ = i;
      const RowOperand result = choice();
      if (scope_.failed()) return;
      if (scope_.used(i)) define(i, result);
      if (scope_.failed() || !take(';')) break;
    }
    MLGC_ASSERT(scope_.failed() || rest_.empty(), wrong("more than an expression"));
  }

 private:
  [[nodiscard]] std::string wrong(const std::string& what) const {
    return "the expansion of " + std::string(scope_.target()) + ": " + what + " at `" + std::string(rest_) + "`";
  }

  void define(std::size_t i, const RowOperand& result) {
    const Type type = scope_.recorded(i);
    if (scope_.failed()) return;
    const TypePool& types = scope_.context().types();
    Value value = result.number ? scope_.scalar(types.dtype(type), *result.number)
                                : scope_.cast(result.tensor, types.dtype(type));
    // Scalars that got an axis for an op along one.
    if (!scope_.failed() && types.rank(type) == 0 && value.rank() == 1)
      value = scope_.emit_one("view", {value}, {{"shape", scope_.context().attributes().int_list(types.dims(type))}});
    if (!scope_.failed()) scope_.result(i, value);
  }

  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    skip_spaces();
    return true;
  }
  void expect(char c) {
    const bool taken = take(c);
    MLGC_ASSERT(taken, wrong(std::string("no ") + c));
  }
  std::string_view take_name() {
    std::size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '_'))
      ++end;
    MLGC_ASSERT(end > 0, wrong("no name"));
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_spaces();
    return name;
  }

  RowOperand choice() {
    const std::string_view start = rest_;
    if (!rest_.empty() && std::isalpha(static_cast<unsigned char>(rest_[0])) != 0) {
      const std::string_view name = take_name();
      if (take('?')) {
        const Argument& given = scope_.argument(name);
        const bool first = !given.none() && !(given.constant_number() && value_of(given) == 0);
        const RowOperand yes = skipping(!first);
        expect(':');
        const RowOperand no = skipping(first);
        return first ? yes : no;
      }
      rest_ = start;
    }
    return sum();
  }

  // A choice of which nothing is built when it is not taken.
  RowOperand skipping(bool skip) {
    const bool before = std::exchange(skipping_, skipping_ || skip);
    RowOperand value = choice();
    skipping_ = before;
    return value;
  }

  RowOperand sum() {
    RowOperand value = term();
    for (;;) {
      if (take('+'))
        value = combined("add", value, term());
      else if (take('-'))
        value = combined("sub", value, term());
      else
        return value;
    }
  }

  RowOperand term() {
    RowOperand value = factor();
    for (;;) {
      if (take('*'))
        value = combined("mul", value, factor());
      else if (take('/'))
        value = combined("div", value, factor());
      else
        return value;
    }
  }

  RowOperand factor() {
    if (take('-')) {
      const RowOperand value = factor();
      return value.number ? combined("sub", {{}, whole(0)}, value) : call("neg", {value}, {});
    }
    if (take('(')) {
      RowOperand value = choice();
      expect(')');
      return value;
    }
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) != 0) return {{}, take_number()};
    const std::string_view name = take_name();
    if (name == "inf") return {{}, real(std::numeric_limits<double>::infinity())};
    if (!take('(')) return argument(name);
    if (name == "random") return random_numbers();
    std::vector<RowOperand> operands;
    while (!take(')')) {
      operands.push_back(choice());
      take(',');
    }
    if (name == "reduced") return reduced(operands.at(0));
    if (name == "broadcast") return broadcast(operands.at(0).tensor, operands.at(1).tensor);
    if (name == "flat" || name == "positions" || name == "shaped" || name == "blank")
      return reshaped(name, operands.empty() ? Value() : operands[0].tensor);
    const OpDef& def = row(name);
    const NodeScope::Attrs attrs = take('{') ? attributes(def) : NodeScope::Attrs{};
    std::size_t result = 0;
    if (take('.')) result = static_cast<std::size_t>(take_number().ints.at(0).value);
    return call(name, operands, attrs, result);
  }

  RowOperand reduced(const RowOperand& loss) {
    const std::int64_t reduction = scope_.constant("reduction");
    return reduction == 0 ? loss : call(reduction == 1 ? "mean" : "sum", {loss}, {});
  }

  RowOperand broadcast(Value x, Value other) {
    if (scope_.failed() || skipping_) return {};
    std::vector<IndexExpr> dims(other.dims().begin(), other.dims().end());
    if (x.rank() > dims.size())
      dims.insert(dims.begin(), x.dims().begin(), x.dims().end() - static_cast<std::ptrdiff_t>(other.rank()));
    for (std::size_t i = 0; i < x.rank(); ++i) {
      const IndexExpr dim = x.dims()[i];
      if (scope_.context().index().as_constant(dim) != 1) dims[dims.size() - x.rank() + i] = dim;
    }
    const Attribute size = scope_.context().attributes().int_list(dims);
    return {std::ranges::equal(dims, x.dims()) ? x : scope_.emit_one("expand", {x}, {{"size", size}}), {}};
  }

  // 16-bit floats have too few values for a logarithm of them.
  RowOperand random_numbers() {
    is_random_ = true;
    std::string_view name = take_name();
    const bool wide = name == "wide";
    if (wide) name = take_name();
    const OpDef& def = row(name);
    NodeScope::Attrs attrs = take('{') ? attributes(def) : NodeScope::Attrs{};
    expect(')');
    if (scope_.failed() || skipping_) return {};
    const Type type = scope_.recorded(result_);
    if (scope_.failed()) return {};
    OpChain chain(scope_);
    const auto dims = scope_.context().types().dims(type);
    const Dtype recorded = scope_.context().types().dtype(type);
    const bool narrow = !is_float(recorded) || (wide && recorded != Dtype::F64);
    attrs.emplace_back("size", chain.sizes(dims));
    if (find_attribute(def, "dtype") != nullptr)
      attrs.emplace_back("dtype", scope_.context().attributes().dtype(narrow ? Dtype::F32 : recorded));
    const Value key = scope_.next_key(chain.count(dims));
    return {chain.call(name, {key}, attrs), {}};
  }

  RowOperand reshaped(std::string_view how, Value x) {
    if (scope_.failed() || skipping_) return {};
    OpChain chain(scope_);
    if (how == "flat") return {chain.flat(x), {}};
    if (how == "positions") return {chain.positions(x.dims()), {}};
    const Type type = scope_.recorded(result_);
    if (scope_.failed()) return {};
    const TypePool& types = scope_.context().types();
    if (how == "shaped") return {chain.view(x, types.dims(type)), {}};
    return {chain.full(types.dims(type), std::int64_t{0}, types.dtype(type)), {}};
  }

  Argument take_number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    MLGC_ASSERT(error == std::errc(), wrong("no number"));
    const std::string_view digits = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
    rest_.remove_prefix(digits.size());
    skip_spaces();
    return digits.find_first_of(".e") == std::string_view::npos ? whole(static_cast<std::int64_t>(value)) : real(value);
  }

  RowOperand argument(std::string_view name) {
    const Argument& given = scope_.argument(name);
    if (given.is(Kind::Tensor)) return {widened(scope_.tensor(name)), {}};
    if (given.none() && !skipping_) scope_.refuse<kArgumentMissing>(name);
    // ATen converts a number to the element type that it computes in: a float where they are random.
    if (given.is(Kind::Float) && given.constant_number() && !is_random_ && !scope_.failed()) {
      const Dtype dtype = scope_.context().types().dtype(scope_.recorded(0));
      if (!is_float(dtype) && dtype != Dtype::I1) return {{}, whole(static_cast<std::int64_t>(given.reals[0]))};
    }
    return {{}, given};
  }

  Value widened(Value x) {
    if (!wide_ || skipping_ || scope_.failed() || !is_float(x.dtype()) || dtype_info(x.dtype()).bytes != 2) return x;
    Value& wide = wider_[x.id()];
    if (!wide.valid()) wide = scope_.cast(x, Dtype::F32);
    return wide;
  }

  [[nodiscard]] const OpDef& row(std::string_view name) const {
    const Opcode opcode = scope_.context().find_op(name);
    MLGC_ASSERT(opcode != Opcode::Invalid, wrong("no row " + std::string(name)));
    return scope_.context().def(opcode);
  }

  NodeScope::Attrs attributes(const OpDef& def) {
    NodeScope::Attrs attrs;
    while (!take('}')) {
      const AttrDef* const attr = find_attribute(def, take_name());
      MLGC_ASSERT(attr != nullptr, wrong("no attribute of " + std::string(def.name)));
      expect('=');
      std::size_t end = rest_.starts_with('[') ? rest_.find(']') + 1 : rest_.find_first_of(",}");
      end = std::min(end, rest_.size());
      if (const std::optional<Attribute> value = attribute(def, *attr, rest_.substr(0, end)))
        attrs.emplace_back(attr->name, *value);
      rest_.remove_prefix(end);
      take(',');
    }
    return attrs;
  }

  std::optional<Attribute> attribute(const OpDef& def, const AttrDef& attr, std::string_view text) {
    for (const BoundArgument& argument : scope_.arguments())
      if (argument.name == text) return skipping_ ? std::nullopt : row_attribute(scope_, def, argument, attr);
    const std::optional<Attribute> literal = read_attribute_text(scope_.context(), text, attr.kind);
    MLGC_ASSERT(literal.has_value(), wrong("no value of " + std::string(attr.name)));
    return literal;
  }

  RowOperand combined(std::string_view op, const RowOperand& a, const RowOperand& b) {
    if (a.number && b.number && a.number->constant_number() && b.number->constant_number()) {
      const double x = value_of(*a.number), y = value_of(*b.number);
      const double value = op == "add" ? x + y : op == "sub" ? x - y : op == "mul" ? x * y : x / y;
      const bool ints = !a.number->is(Kind::Float) && !b.number->is(Kind::Float) && op != "div";
      return {{}, ints ? whole(static_cast<std::int64_t>(value)) : real(value)};
    }
    if (op == "mul" && is_one(a)) return b;
    if (op == "mul" && is_one(b)) return a;
    return call(op, {a, b}, {});
  }

  static bool is_one(const RowOperand& x) {
    return x.number && x.number->is(Kind::Int) && x.number->constant_number() && value_of(*x.number) == 1;
  }

  RowOperand call(std::string_view name, std::vector<RowOperand> operands, const NodeScope::Attrs& attrs,
                  std::size_t result = 0) {
    if (scope_.failed() || skipping_) return {};
    const OpRef op = emit_row(scope_, row(name), operands, attrs);
    return {op.valid() ? op.result(result) : Value(), {}};
  }

  NodeScope& scope_;
  std::string_view rest_;
  std::size_t result_ = 0;  // that is being made
  bool skipping_ = false;   // inside a choice that is not taken
  bool is_random_ = false;  // random numbers were generated
  bool wide_ = false;
  std::unordered_map<ValueId, Value> wider_;  // 16-bit floats as f32
};

}  // namespace

void convert_by_expansion(NodeScope& scope, std::string_view text) { Expander(scope, text).run(); }

}  // namespace mlgc::program

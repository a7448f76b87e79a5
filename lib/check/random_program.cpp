// See random_program.h.
#include "check/random_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/draw_op.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

constexpr int kOpAttempts = 16;
constexpr std::size_t kMaxDepth = 2, kMaxResults = 6;
constexpr std::int64_t kMaxElements = 4096;  // of one value, where every symbol is kTypicalSize
constexpr std::int64_t kTypicalSize = 7;

// Values that an op may use at some place.
using Values = std::vector<Value>;

// An op before it is made. An operand that is no value yet is made when the op is.
struct DrawnOp {
  AttrDict attrs = {};
  std::vector<Type> operands = {};
  std::vector<Value> values = {};  // by operand; invalid: to be made
  std::vector<Type> results = {};
};

class ProgramDrawing {
 public:
  ProgramDrawing(const std::shared_ptr<Context>& context, const RandomProgramOptions& options)
      : context_(*context),
        types_(context->types()),
        module_(context),
        builder_(module_),
        drawing_(*context, options.seed) {
    for (const OpDef* def : context_.ops())
      if (has_formula(*def) && has_inference(*def) && def->name != "compute" && !has(def->traits, Traits::Terminator))
        rows_.push_back(def);
  }

  Module draw(std::size_t ops) {
    if (drawing_.chance(50)) function("g", ops / 3 + 1);
    const Sizes of_callee{symbols_, drawing_.palette(), drawing_.shape(), drawing_.dtype()};
    function("f", ops);
    if (callee_.valid() && drawing_.chance(60)) state_gradient(of_callee, ops / 3 + 1);
    return std::move(module_);
  }

 private:
  // --- functions

  void function(std::string_view name, std::size_t ops) {
    const OpRef func = builder_.func(name, {});
    callable_ = name == "g";
    function_ = FuncRef::from(func);
    builder_.set_end(function_.body());
    start();
    Values values;
    draw_arguments(values);
    std::optional<Value> state;
    if (name == "f" && drawing_.chance(40)) state = draw_state(values);
    fill(values, ops, 0);
    finish(values, state);
    if (name == "g") callee_ = function_;
    builder_.set_end(module_.body());
  }

  // What the drawing of a function chooses from.
  struct Sizes {
    std::vector<IndexExpr> symbols, palette, shape;
    Dtype dtype;
  };

  // For @g, where it has a use for one, a gradient that is not the one of its body, and says so: what calls @g goes
  // back by a call of it.
  void state_gradient(const Sizes& sizes, std::size_t ops) {
    const auto is_float_tensor = [&](Value v) { return is_float(types_.dtype(v.type())); };
    bool reads = false;
    walk(callee_.op(), [&](OpRef op) { reads = reads || op.is(GraphOp::Read); });
    if (reads || std::ranges::none_of(callee_.arguments(), is_float_tensor) ||
        std::ranges::none_of(callee_.results(), is_float_tensor))
      return;
    const FuncRef of = std::exchange(callee_, FuncRef());
    symbols_ = sizes.symbols;
    drawing_.set_sizes(sizes.palette, sizes.shape);
    drawing_.set_dtype(sizes.dtype);
    function_ = FuncRef::from(builder_.func("g_gradient", {}));
    builder_.set_end(function_.body());
    Values values, gradients;
    for (const Value v : of.arguments()) add_value(values, function_.body().add_argument(v.type()));
    for (const Value v : of.results())
      if (is_float_tensor(v)) add_value(values, function_.body().add_argument(v.type()));
    has_all_arguments_ = true;
    fill(values, ops, 0);
    for (const Value v : of.arguments())
      if (is_float_tensor(v)) gradients.push_back(any_of(values, v.type()));
    builder_.create(context_.opcode(GraphOp::Return), gradients, {}, {});
    AttributePool& attributes = context_.attributes();
    of.op().set_attr("gradient", attributes.symbol("g_gradient"));
    of.op().set_attr("surrogate", attributes.boolean(true));
    function_.op().move_before(of.op());
  }

  void start() {
    IndexPool& index = context_.index();
    std::vector<IndexExpr> all;
    for (const std::int64_t size : {1, 2, 3, 4, 5}) all.push_back(index.constant(size));
    symbols_.clear();
    for (const std::string_view name : {"A", "B"})
      if (drawing_.chance(45)) symbols_.push_back(index.symbol(name));
    std::vector<IndexExpr> palette = symbols_, shape;
    for (std::int64_t i = drawing_.between(2, 3); i > 0; --i) palette.push_back(drawing_.pick(all));
    for (std::int64_t i = drawing_.chance(10) ? 0 : drawing_.between(1, 4); i > 0; --i)
      shape.push_back(drawing_.pick(palette));
    drawing_.set_sizes(std::move(palette), std::move(shape));
    drawing_.set_dtype(drawing_.chance(50) ? Dtype::F32 : drawing_.any_dtype());
  }

  // The first argument shows every symbol.
  void draw_arguments(Values& values) {
    std::vector<IndexExpr> dims = symbols_;
    while (dims.size() < drawing_.shape().size()) dims.push_back(drawing_.pick(drawing_.palette()));
    drawing_.shuffle(dims);
    add_value(values, function_.body().add_argument(types_.tensor(drawing_.dtype(), dims)));
    for (std::int64_t i = drawing_.between(1, 2); i > 0; --i) {
      const Dtype dtype = drawing_.chance(70) ? drawing_.dtype() : drawing_.any_dtype();
      add_value(values, function_.body().add_argument(types_.tensor(dtype, drawing_.shape())));
    }
  }

  Value draw_state(Values& values) {
    const Type type = static_type();
    declare(builder_.state("s", type));
    add_value(values, read("s", type));
    return values.back();
  }

  Type static_type() {
    std::vector<IndexExpr> dims = drawing_.shape();
    for (IndexExpr& d : dims)
      if (!context_.index().as_constant(d)) d = context_.index().constant(drawing_.between(1, 4));
    return types_.tensor(drawing_.dtype(), dims);
  }

  // Results are values that nothing uses, the last ones first, and the new state.
  void finish(const Values& values, std::optional<Value> state) {
    Values results;
    for (auto v = values.rbegin(); v != values.rend() && results.size() < kMaxResults; ++v)
      if (!v->has_uses() && !v->is_argument() && !(callable_ && depends_on_data(v->type()))) results.push_back(*v);
    if (results.empty()) results.push_back(function_.body().argument(0));
    std::vector<UpdateTarget> updates;
    if (state)
      for (auto v = values.rbegin(); v != values.rend() && updates.empty(); ++v)
        if (v->type() == state->type() && *v != *state) {
          results.push_back(*v);
          updates.push_back({context_.strings().intern("s"), std::nullopt});
        }
    builder_.create(context_.opcode(GraphOp::Return), results, {}, {});
    if (!updates.empty()) function_.set_updates(updates);
  }

  // A caller could not tell the sizes of such a result.
  bool depends_on_data(Type type) {
    bool found = false;
    for (const IndexExpr d : types_.dims(type))
      context_.index().for_each_atom(d, [&](AtomId atom) {
        found |= std::ranges::find(symbols_, context_.index().from_atom(atom)) == symbols_.end();
      });
    return found;
  }

  // --- regions

  void fill(Values& values, std::size_t ops, std::size_t depth) {
    for (std::size_t i = 0; i < ops; ++i) {
      const std::int64_t roll = drawing_.below(depth < kMaxDepth ? 100 : 80);
      if (roll < 78)
        draw_row(values);
      else if (roll < 80)
        draw_nonzero(values);
      else if (roll < 86)
        draw_if(values, depth);
      else if (roll < 90)
        draw_scan(values, depth);
      else if (roll < 93)
        draw_while(values, depth);
      else if (roll < 96)
        draw_for(values, depth);
      else
        draw_call(values);
    }
  }

  // A value of `values`, of late ones most often.
  Value any(const Values& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t from = drawing_.chance(60) ? std::max<std::int64_t>(0, count - 5) : 0;
    return values[static_cast<std::size_t>(drawing_.between(from, count - 1))];
  }
  Value any_of(const Values& values, Type type) {
    Values fitting;
    for (const Value v : values)
      if (v.type() == type) fitting.push_back(v);
    return fitting.empty() ? Value() : any(fitting);
  }

  Values any_some(const Values& values, std::int64_t least, std::int64_t most) {
    Values out;
    for (std::int64_t i = drawing_.between(least, most); i > 0; --i) out.push_back(any(values));
    return out;
  }
  static std::vector<Type> types_of(const Values& values) {
    std::vector<Type> out;
    for (const Value v : values) out.push_back(v.type());
    return out;
  }

  // What a region sees beside its own arguments, then these.
  Values inside(const Values& values, RegionRef region, std::span<const Type> arguments) {
    Values out = values;
    for (const Type type : arguments) add_value(out, region.add_argument(type));
    return out;
  }

  // Ends the region with a value of each type.
  void yield(const Values& values, std::span<const Type> types, GraphOp terminator = GraphOp::Yield,
             std::span<const Value> first = {}) {
    Values given(first.begin(), first.end());
    for (const Type type : types) given.push_back(any_of(values, type));
    create(terminator, given, {});
  }

  void draw_if(Values& values, std::size_t depth) {
    const Value condition = operand(values, types_.tensor(Dtype::I1, std::span<const IndexExpr>()));
    if (!condition.valid()) return;
    const std::vector<Type> results = types_of(any_some(values, 1, 2));
    const OpRef op = create(GraphOp::If, {condition}, results, {}, 2);
    for (const std::size_t i : {0U, 1U}) {
      builder_.set_end(op.region(i));
      Values seen = values;
      fill(seen, static_cast<std::size_t>(drawing_.between(0, 3)), depth + 1);
      yield(seen, results);
    }
    leave(op, values);
  }

  void draw_scan(Values& values, std::size_t depth) {
    Values sequences;
    for (const Value v : values)
      if (v.rank() > 0) sequences.push_back(v);
    if (sequences.empty()) return;
    const Value sequence = any(sequences);
    const Values initial = any_some(values, 1, 2);
    Values operands = initial;
    operands.push_back(sequence);
    const auto dims = types_.dims(sequence.type());
    const Type slice = types_.tensor(types_.dtype(sequence.type()), dims.subspan(1));
    std::vector<Type> arguments = types_of(initial), yielded = arguments, results = arguments;
    arguments.push_back(slice);
    // One value more is stacked.
    yielded.push_back(drawing_.chance(50) ? slice : any(initial).type());
    std::vector<IndexExpr> stacked{dims[0]};
    const auto rest = types_.dims(yielded.back());
    stacked.insert(stacked.end(), rest.begin(), rest.end());
    results.push_back(types_.tensor(types_.dtype(yielded.back()), stacked));
    if (too_large(results.back())) return;
    std::vector<NamedAttribute> attrs{
        named("carried", context_.attributes().integer(static_cast<std::int64_t>(initial.size())))};
    if (drawing_.chance(30)) attrs.push_back(named("reverse", context_.attributes().boolean(true)));
    const OpRef op = create(GraphOp::Scan, operands, results, attrs, 1);
    loop_body(op, 0, values, arguments, yielded, depth);
    leave(op, values);
  }

  void loop_body(OpRef op, std::size_t region, const Values& values, std::span<const Type> arguments,
                 std::span<const Type> yielded, std::size_t depth) {
    builder_.set_end(op.region(region));
    Values seen = inside(values, op.region(region), arguments);
    fill(seen, static_cast<std::size_t>(drawing_.between(0, 3)), depth + 1);
    yield(seen, yielded);
  }

  // Counts to 0, 1 or 3.
  void draw_while(Values& values, std::size_t depth) {
    const Type counter = types_.tensor(Dtype::I64, std::span<const IndexExpr>());
    Values initial{constant(context_.attributes().tensor(Tensor::scalar<std::int64_t>(0)), counter)};
    for (const Value v : any_some(values, 1, 2)) initial.push_back(v);
    const std::vector<Type> carried = types_of(initial);
    const OpRef op = create(GraphOp::While, initial, carried, {}, 2);
    const auto step = [&](RegionRef region, std::string_view row, std::int64_t number, Type type) {
      const AttrDict attrs = builder_.attrs({{"other", context_.attributes().integer(number)}});
      return builder_.create(row, {region.argument(0)}, {type}, attrs).result();
    };
    const Type truth = types_.tensor(Dtype::I1, std::span<const IndexExpr>());
    for (const std::size_t i : {0U, 1U}) {
      builder_.set_end(op.region(i));
      Values seen = inside(values, op.region(i), carried);
      const std::int64_t turns = std::array<std::int64_t, 3>{0, 1, 3}[static_cast<std::size_t>(drawing_.below(3))];
      const Value head = i == 0 ? step(op.region(0), "lt", turns, truth) : step(op.region(1), "add", 1, counter);
      fill(seen, static_cast<std::size_t>(drawing_.between(0, 2)), depth + 1);
      Values first{head};
      if (i == 0) first.push_back(op.region(0).argument(0));  // the count goes on as it is
      yield(seen, std::span(carried).subspan(1), i == 0 ? GraphOp::Condition : GraphOp::Yield, first);
    }
    leave(op, values);
  }

  void draw_for(Values& values, std::size_t depth) {
    const Values initial = any_some(values, 1, 2);
    const std::vector<Type> carried = types_of(initial);
    const std::array bounds{context_.index().constant(drawing_.below(2)), context_.index().constant(drawing_.below(4))};
    const OpRef op =
        create(GraphOp::For, initial, carried, {named("bounds", context_.attributes().subscripts(bounds))}, 1);
    op.region(0).add_argument(types_.index());
    loop_body(op, 0, values, carried, carried, depth);
    leave(op, values);
  }

  void draw_call(Values& values) {
    if (!callee_.valid()) return;
    Values arguments;
    for (const Value parameter : callee_.arguments()) {
      arguments.push_back(operand(values, parameter.type()));
      if (!arguments.back().valid()) return;
    }
    leave(create(GraphOp::Call, arguments, types_of(callee_.results()),
                 {named("callee", context_.attributes().symbol(callee_.name()))}),
          values);
  }

  // Continues after the op, with its results.
  void leave(OpRef op, Values& values) {
    builder_.set_after(op);
    for (const Value result : op.results()) add_value(values, result);
  }

  // --- ops by their rows

  void draw_row(Values& values) {
    const OpDef& def = *drawing_.pick(rows_);
    for (int attempt = 0; attempt < kOpAttempts; ++attempt) {
      auto op = drawing_.chance(50) ? like_example(def, values) : freely(def, values);
      if (!op || !admitted(def, *op)) continue;
      Values operands;
      bool all = true;
      for (std::size_t i = 0; i < op->operands.size() && all; ++i) {
        operands.push_back(op->values[i].valid() ? op->values[i]
                           : class_of(def, i) == ElementClass::Position && drawing_.chance(90)
                               ? position(op->operands[i])
                               : operand(values, op->operands[i]));
        all = operands.back().valid();
      }
      if (!all) continue;
      leave(builder_.create(context_.opcode(def), operands, op->attrs, op->results), values);
      return;
    }
  }

  // Fills in the types of the results.
  bool admitted(const OpDef& def, DrawnOp& op) {
    auto results = infer_types(context_, context_.opcode(def), op.operands, op.attrs);
    if (!results || results->empty()) return false;
    op.results = *std::move(results);
    return std::ranges::none_of(op.results, [&](Type type) { return too_large(type); });
  }

  // Beyond kMaxElements, of too high a rank, or with a size that may be negative.
  bool too_large(Type type) {
    if (!types_.is_shaped(type) || types_.rank(type) > 6) return true;
    std::int64_t elements = 1;
    for (const IndexExpr d : types_.dims(type)) {
      const auto size = context_.index().evaluate(d, [](AtomId) { return std::optional(kTypicalSize); });
      if (!size || *size < 0 || !context_.index().is_non_negative(d)) return true;
      elements *= *size;
      if (elements > kMaxElements) return true;
    }
    return false;
  }

  static bool fits(Dtype dtype, ElementClass elements) {
    switch (elements) {
      case ElementClass::Float: return is_float(dtype);
      case ElementClass::Integer: return is_integer(dtype);
      case ElementClass::Number: return is_integer(dtype) || is_float(dtype);
      case ElementClass::Bool: return dtype == Dtype::I1;
      case ElementClass::IntOrBool: return !is_float(dtype);
      case ElementClass::Position: return false;  // what is computed may lie outside
      default: return true;
    }
  }

  // The row's example with other sizes and another dtype: those of a value that is there and has the rank of one of its
  // operands. Equal sizes stay equal.
  std::optional<DrawnOp> like_example(const OpDef& def, const Values& values) {
    const Example* const example = drawing_.example_of(def);
    if (example == nullptr) return std::nullopt;
    const auto& given = example->operands;
    std::map<std::int64_t, IndexExpr> sizes;
    std::optional<std::pair<Dtype, Dtype>> dtype;  // of the example, and for it
    std::size_t anchor = given.size();
    Value anchored;
    if (!given.empty()) {
      const auto at = static_cast<std::size_t>(drawing_.below(static_cast<std::int64_t>(given.size())));
      const Value candidate = any(values);
      if (given[at] && fits(types_.dtype(candidate.type()), class_of(def, at)) &&
          unify(given[at]->shape(), types_.dims(candidate.type()), sizes)) {
        anchor = at;
        anchored = candidate;
        dtype = std::pair(given[at]->dtype(), types_.dtype(candidate.type()));
      }
    }
    if (!dtype && !given.empty() && given[0]) dtype = std::pair(given[0]->dtype(), drawing_.dtype());
    DrawnOp op;
    for (std::size_t i = 0; i < given.size(); ++i) {
      op.values.push_back(i == anchor ? anchored : Value());
      if (!given[i]) {
        op.operands.emplace_back();
        continue;
      }
      std::vector<IndexExpr> dims;
      for (const std::int64_t size : given[i]->shape()) {
        auto [known, fresh] = sizes.try_emplace(size, context_.index().constant(size));
        if (fresh && drawing_.chance(35)) known->second = drawing_.pick(drawing_.palette());
        dims.push_back(known->second);
      }
      Dtype element = given[i]->dtype();
      if (dtype && element == dtype->first) element = dtype->second;
      if (!fits(element, class_of(def, i)) && class_of(def, i) != ElementClass::Position) element = given[i]->dtype();
      op.operands.push_back(types_.tensor(element, dims));
    }
    op.attrs = vary(def, example->attrs);
    while (!op.operands.empty() && !op.operands.back().valid()) {
      op.operands.pop_back();
      op.values.pop_back();
    }
    return op;
  }

  static ElementClass class_of(const OpDef& def, std::size_t i) {
    return def.operands[std::min(i, def.operands.size() - 1)].elements;
  }

  static bool unify(const Shape& shape, std::span<const IndexExpr> dims, std::map<std::int64_t, IndexExpr>& sizes) {
    if (shape.size() != dims.size()) return false;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (const auto [known, fresh] = sizes.try_emplace(shape[i], dims[i]); !fresh && known->second != dims[i])
        return false;
    return true;
  }

  // The example's attributes; some sampled anew, some left out, some added.
  AttrDict vary(const OpDef& def, AttrDict attrs) {
    std::vector<NamedAttribute> out;
    for (const AttrDef& row : def.attrs) {
      const Attribute stated = context_.attributes().get(attrs, row.name);
      if (stated.valid() ? drawing_.chance(20) : row.instead_of.empty() && drawing_.chance(15)) {
        if (stated.valid() && !row.required && drawing_.chance(50)) continue;
        add_drawn(row, out);
      } else if (stated.valid()) {
        out.push_back(named(row.name, stated));
      }
    }
    return context_.attributes().dict(out);
  }

  void add_drawn(const AttrDef& row, std::vector<NamedAttribute>& out) {
    if (row.kind == AttributeKind::Symbol || row.kind == AttributeKind::Tensor || row.kind == AttributeKind::Type ||
        row.kind == AttributeKind::Array || row.kind == AttributeKind::Subscripts)
      return;
    if (const auto attribute = make_attribute(context_, drawing_.draw_attribute(row), row.kind))
      out.push_back(named(row.name, *attribute));
  }

  // Operands from what is there, of types that go together as elementwise ops want it or of none that do.
  std::optional<DrawnOp> freely(const OpDef& def, const Values& values) {
    DrawnOp op;
    std::vector<NamedAttribute> attrs;
    const Value near = any(values);  // the first operand, where it fits
    drawing_.set_beside(near.type());
    for (const AttrDef& row : def.attrs)
      if (row.required || (row.instead_of.empty() && drawing_.chance(25))) add_drawn(row, attrs);
    drawing_.set_beside({});
    Type first;
    for (std::size_t i = 0; i < def.operands.size(); ++i) {
      const OperandDef& row = def.operands[i];
      const auto instead = std::ranges::find(def.attrs, row.name, &AttrDef::instead_of);
      if (instead != def.attrs.end() && drawing_.chance(35)) {
        add_drawn(*instead, attrs);
        break;
      }
      if (row.optional && instead == def.attrs.end() && drawing_.chance(50)) break;
      const std::int64_t count = row.variadic ? drawing_.between(1, 3) : 1;
      for (std::int64_t n = 0; n < count; ++n) {
        Value value;
        Type type;
        if (!first.valid()) {
          value = near;
          type = value.type();
          if (!fits(types_.dtype(type), row.elements)) value = Value();
        } else {
          type = drawing_.chance(60) ? first : beside(first);
        }
        if (!fits(types_.dtype(type), row.elements)) type = types_.with_dtype(type, drawing_.dtype_for(row.elements));
        if (!first.valid()) first = type;
        op.operands.push_back(type);
        op.values.push_back(value);
      }
    }
    op.attrs = context_.attributes().dict(attrs);
    return op;
  }

  // A type that may broadcast with it, or another rank altogether.
  Type beside(Type type) {
    const auto given = types_.dims(type);
    std::vector<IndexExpr> dims(given.begin(), given.end());
    if (drawing_.chance(50)) {
      for (IndexExpr& d : dims)
        if (drawing_.chance(40)) d = context_.index().constant(1);
      if (!dims.empty() && drawing_.chance(40)) dims.erase(dims.begin());
    } else {
      dims.clear();
      for (std::int64_t i = drawing_.below(4); i > 0; --i) dims.push_back(drawing_.pick(drawing_.palette()));
    }
    return types_.tensor(types_.dtype(type), dims);
  }

  void draw_nonzero(Values& values) {
    const Value x = any(values);
    const std::string name = "u" + std::to_string(next_size_++);
    const std::array dims{context_.index().symbol(name),
                          context_.index().constant(static_cast<std::int64_t>(x.rank()))};
    if (x.rank() == 0) return;
    const std::array results{types_.tensor(Dtype::I64, dims)};
    leave(create(GraphOp::Nonzero, {x}, results), values);
  }

  // --- values

  void add_value(Values& values, Value value) {
    if (types_.is_shaped(value.type())) values.push_back(value);
  }

  // A value of the type: one that is there, a cast of one, or a new one. Invalid when there can be none.
  Value operand(const Values& values, Type type) {
    if (const Value there = any_of(values, type); there.valid() && drawing_.chance(85)) return there;
    if (const Value other = of_another_dtype(values, type); other.valid() && drawing_.chance(40)) {
      return create_one(GraphOp::Cast, {other}, type,
                        {named("dtype", context_.attributes().dtype(types_.dtype(type)))});
    }
    const bool fixed = types_.is_static(type);
    if (fixed && !has_all_arguments_ && drawing_.chance(12)) return weight(type);
    if (fixed && (has_all_arguments_ || drawing_.chance(12))) return constant(drawing_.draw_constant(type), type);
    return argument(type);
  }

  // Subscripts, which must be in bounds. Callers that generate inputs ensure it for arguments.
  Value position(Type type) {
    if (drawing_.chance(50))
      for (const Value v : function_.arguments())
        if (v.type() == type) return v;
    return argument(type);
  }

  Value argument(Type type) {
    if (has_all_arguments_) return {};
    for (const IndexExpr d : types_.dims(type))
      if (!context_.index().as_constant(d) && std::ranges::find(symbols_, d) == symbols_.end()) return {};
    return function_.body().add_argument(type);
  }

  Value of_another_dtype(const Values& values, Type type) {
    Values fitting;
    for (const Value v : values)
      if (v.type() != type && std::ranges::equal(types_.dims(v.type()), types_.dims(type))) fitting.push_back(v);
    return fitting.empty() ? Value() : any(fitting);
  }

  Value weight(Type type) {
    const std::string name = "w" + std::to_string(next_weight_++);
    declare(builder_.weight(name, type));
    return read(name, type);
  }
  // Symbols stand in front of the functions that read them.
  void declare(OpRef item) { item.move_before(module_.body().front()); }
  Value read(std::string_view name, Type type) {
    return create_one(GraphOp::Read, {}, type, {named("symbol", context_.attributes().symbol(name))});
  }
  Value constant(Attribute value, Type type) {
    return create_one(GraphOp::Constant, {}, type, {named("value", value)});
  }

  NamedAttribute named(std::string_view name, Attribute value) { return {context_.strings().intern(name), value}; }
  OpRef create(GraphOp known, const Values& operands, std::span<const Type> results,
               const std::vector<NamedAttribute>& attrs = {}, std::size_t regions = 0) {
    return builder_.create(context_.opcode(known), operands, context_.attributes().dict(attrs), results, regions);
  }
  Value create_one(GraphOp known, const Values& operands, Type result, const std::vector<NamedAttribute>& attrs) {
    return create(known, operands, std::span(&result, 1), attrs).result();
  }

  Context& context_;
  TypePool& types_;
  Module module_;
  Builder builder_;
  OpDrawing drawing_;
  std::vector<const OpDef*> rows_;
  std::size_t next_weight_ = 0, next_size_ = 0;
  FuncRef function_, callee_;
  bool callable_ = false;           // function_ may be called
  bool has_all_arguments_ = false;  // function_ gets no further ones, and reads no weights
  std::vector<IndexExpr> symbols_;
};

}  // namespace

Module draw_program(const std::shared_ptr<Context>& context, const RandomProgramOptions& options) {
  return ProgramDrawing(context, options).draw(options.ops);
}

}  // namespace mlgc

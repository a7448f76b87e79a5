// Runs graph functions op by op, and hands loop functions to their register programs.
#include "interp/interpret_module.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "diag/kinds_interp.h"
#include "interp/bind_symbols.h"
#include "interp/loop_program.h"
#include "interp/sorted.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "ops/instantiate_op.h"
#include "ops/torch_call.h"
#include "tensor/too_large.h"

namespace mlgc {
namespace {

// A text has at most kMaxNesting levels; with calls there may be more.
constexpr std::size_t kMaxDepth = 2000;

class Interpreter {
 public:
  Interpreter(Module& module, const ModuleData& data, const InterpretOptions& options)
      : module_(module), context_(module.context()), types_(context_.types()), data_(data), options_(options) {}

  Outputs run(FuncRef func, std::span<const Tensor> inputs) {
    return is_loop_function(func.op()) ? run_loops(func, inputs) : run_graph(func, inputs);
  }
  Tensor data_of(OpRef symbol) { return symbol_value(symbol.symbol(), symbol); }

 private:
  using Tensors = std::vector<Tensor>;
  // The values of one call of a function.
  struct Frame {
    SymbolValues symbols;
    std::unordered_map<ValueId, Tensor> values;
  };

  [[nodiscard]] bool in_f64() const { return options_.precision == Precision::F64; }
  [[nodiscard]] Tensor kept(const Tensor& t) const { return in_f64() ? t.to_reference() : t; }

  Outputs run_graph(FuncRef func, std::span<const Tensor> inputs) {
    const auto range = func.arguments();
    const std::vector<Value> arguments(range.begin(), range.end());
    Frame frame{bind_arguments(func, arguments, inputs, in_f64()), {}};
    for (std::size_t i = 0; i < inputs.size(); ++i) frame.values[arguments[i].id()] = kept(inputs[i]);
    Tensors values = region(func.body(), frame);
    Outputs out;
    const std::vector<UpdateTarget> updates = func.updates();
    const std::size_t results = values.size() - updates.size();
    for (std::size_t i = 0; i < updates.size(); ++i)
      out.updates.emplace_back(update_name(updates[i], arguments), std::move(values[results + i]));
    values.resize(results);
    out.results = std::move(values);
    return out;
  }

  // Sizes that are values of inputs, where nothing has to run first.
  void bind_values(FuncRef func, const std::vector<Value>& given, std::span<const Tensor> inputs,
                   SymbolValues& symbols) const {
    for (const OpRef op : func.body().ops()) {
      if (!op.is(LoopOp::BindSize) || !BindSizeRef::from(op).is_known_before()) continue;
      const auto input = std::find(given.begin(), given.end(), underlying_buffer(op.operand(0)));
      MLGC_ASSERT(input != given.end(), "a size is the value of what is no input");
      const std::int64_t size = inputs[static_cast<std::size_t>(input - given.begin())].get_int(0);
      if (size < 0) throw diagnose<kNegativeSize>(op.location(), op.name(), size);
      symbols.values.emplace_back(BindSizeRef::from(op).size(), size);
    }
    check_constraints(func.constraints(), context_.index(), symbols, func.op().location());
  }

  Outputs run_loops(FuncRef func, std::span<const Tensor> inputs) {
    const ResultArguments results = result_arguments(func.op());
    const auto range = func.arguments();
    const std::vector<Value> all(range.begin(), range.end());
    const bool in_place = inputs.size() == all.size();
    std::vector<Value> given;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (in_place || !results.is_result[i]) given.push_back(all[i]);
    SymbolValues symbols = bind_arguments(func, given, inputs, in_f64());
    bind_values(func, given, inputs, symbols);
    const auto data = [&](OpRef op) {
      const auto symbol = context_.attributes().as_symbol(op.attr("symbol"));
      return to_storage(symbol_value(symbol ? *symbol : "", op));
    };
    const loop_program::Program program = loop_program::compile(
        func.op(), {.symbols = [&](AtomId id) { return symbols.find(id); },
                    .round = !in_f64(),
                    .max_trips = options_.max_trips,
                    .data = data,
                    .external = [&](OpRef op, const auto& sizes,
                                    std::span<Storage* const> memory) { run_external(op, sizes, memory); }});
    std::vector<Storage> buffers(program.buffers.begin(),
                                 program.buffers.begin() + static_cast<std::ptrdiff_t>(program.arguments));
    for (std::size_t i = 0, next = 0; i < all.size(); ++i) {
      if (in_place || !results.is_result[i]) {
        const Dtype dtype = buffers[i].dtype;
        buffers[i] = to_storage(inputs[next++]);
        buffers[i].dtype = dtype;
      } else if (buffers[i].real) {
        buffers[i].reals.assign(static_cast<std::size_t>(buffers[i].count()), 0.0);
      } else {
        buffers[i].integers.assign(static_cast<std::size_t>(buffers[i].count()), 0);
      }
    }
    // A state that is written in place is there as it was.
    walk(func.op(), [&](OpRef op) {
      if (!op.is(LoopOp::Data)) return;
      const Value memory = written_over(op);
      if (!memory.valid()) return;
      const Dtype dtype = buffers[memory.number()].dtype;
      buffers[memory.number()] = data(op);
      buffers[memory.number()].dtype = dtype;
    });
    std::vector<Storage*> arguments;
    for (Storage& buffer : buffers) arguments.push_back(&buffer);
    loop_program::run(program, arguments, !in_f64());
    Outputs out;
    const std::vector<UpdateTarget> updates = func.updates();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!results.is_result[i]) continue;
      Tensor value = to_tensor(buffers[i], in_f64() && buffers[i].real ? Dtype::F64 : buffers[i].dtype);
      if (i < results.first_update)
        out.results.push_back(std::move(value));
      else
        out.updates.emplace_back(update_name(updates[i - results.first_update], all), std::move(value));
    }
    return out;
  }

  // The target's ops as this interpreter knows them.
  void run_external(OpRef op, const loop_program::SymbolValue& sizes, std::span<Storage* const> buffers) {
    Frame frame;
    for (const AtomId symbol : symbols_of(op.parent_op()))
      if (const auto size = sizes(symbol)) frame.symbols.values.emplace_back(symbol, *size);
    const auto type_of = [&](const Storage& buffer) { return in_f64() && buffer.real ? Dtype::F64 : buffer.dtype; };
    const std::size_t read = ExternalRef::from(op).read_count();
    Tensors arguments;
    for (const Storage* const buffer : buffers.first(read)) arguments.push_back(to_tensor(*buffer, type_of(*buffer)));
    const Tensors results = region_with(op.region(0), arguments, frame);
    for (std::size_t i = 0; i < results.size(); ++i) {
      Storage& into = *buffers[read + i];
      const Dtype dtype = into.dtype;
      into = to_storage(results[i]);
      into.dtype = dtype;
    }
  }

  // `@symbol` or `%argument`.
  [[nodiscard]] std::string update_name(const UpdateTarget& target, const std::vector<Value>& arguments) const {
    return target.argument ? "%" + std::string(arguments[*target.argument].name())
                           : "@" + std::string(context_.strings().text(target.symbol));
  }

  template <class Body>
  static auto within_memory(std::string_view what, Location at, const Body& body) {
    try {
      return body();
    } catch (const TensorTooLarge& error) {
      throw diagnose<kTooLarge>(at, what, std::string_view(error.what()));
    } catch (const std::bad_alloc&) {
      throw diagnose<kTooLarge>(at, what, "not enough memory for what it computes");
    }
  }

  // One region is entered inside of another.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    std::size_t& depth_;
  };

  // --- regions
  Tensors region(RegionRef r, Frame& frame) {
    const Level level(depth_);
    if (depth_ > kMaxDepth) throw diagnose<kTooDeep>(r.parent_op().location(), kMaxDepth);
    if (options_.enter) {
      Tensors arguments;
      for (const Value argument : r.arguments()) arguments.push_back(value(argument, frame));
      options_.enter(r, arguments);
    }
    for (const OpRef op : r.ops()) {
      if (op.has_trait(Traits::Terminator)) return operands(op, frame);
      const Tensors results = within_memory(op.name(), op.location(), [&] { return one(op, frame); });
      MLGC_ASSERT(results.size() == op.result_count(), "an op gave another number of results than it has");
      if (options_.observe) options_.observe(op, results);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const Type type = op.result(i).type();
        if (types_.is_shaped(type)) {
          if (op.has_trait(Traits::BindsSize)) forget(types_.dims(type)[0], frame.symbols);
          bind_dims(context_, type, results[i].shape(), frame.symbols);
          if (!shape_fits(context_, type, results[i].shape(), frame.symbols))
            throw diagnose<kResultShape>(op.location(), i, op.name(), shape_text(results[i].shape()),
                                         types_.print(type));
        }
        frame.values[op.result(i).id()] = results[i];
      }
      if (op.has_trait(Traits::BindsSize))
        check_constraints(constraints_of(op), context_.index(), frame.symbols, op.location());
    }
    return {};
  }

  // In a loop the size gets a value each time.
  void forget(IndexExpr size, SymbolValues& symbols) const {
    const auto symbol = context_.index().as_atom(size);
    std::erase_if(symbols.values, [&](const auto& known) { return known.first == symbol; });
  }

  Tensors region_with(RegionRef r, std::span<const Tensor> arguments, Frame& frame) {
    for (std::size_t i = 0; i < arguments.size(); ++i) frame.values[r.argument(i).id()] = arguments[i];
    return region(r, frame);
  }

  Tensor value(Value v, const Frame& frame) const {
    const auto found = frame.values.find(v.id());
    MLGC_ASSERT(found != frame.values.end(), "a value is used before it is computed");
    return found->second;
  }
  Tensors operands(OpRef op, const Frame& frame) const {
    Tensors out;
    for (const Value v : op.operands()) out.push_back(value(v, frame));
    return out;
  }

  // --- ops
  Tensors one(OpRef op, Frame& frame) {
    if (has_formula(op.def())) return formula(op, frame);
    if (op.is(GraphOp::Constant)) {
      auto tensor = context_.attributes().to_host(op.attr("value"));
      if (tensor) return {kept(*tensor)};
      // A splat over symbolic sizes.
      const auto shape = shape_of(context_, op.result().type(), frame.symbols);
      MLGC_ASSERT(shape.has_value(), "a constant whose size has no value");
      const TensorConstant& splat = context_.attributes().as_tensor(op.attr("value"));
      auto element = Tensor::from_bytes(types_.dtype(splat.type), {}, splat.bytes);
      MLGC_ASSERT(element.ok(), "a constant that is no element");
      const Dtype dtype = element->dtype();
      return {kept(is_float(dtype) ? Tensor::splat(dtype, *shape, element->get_double(0))
                                   : Tensor::splat_int(dtype, *shape, element->get_int(0)))};
    }
    if (op.is(GraphOp::Read)) {
      const auto symbol = context_.attributes().as_symbol(op.attr("symbol"));
      return {symbol_value(symbol ? *symbol : "", op)};
    }
    if (op.is(GraphOp::Dim)) return {Tensor::scalar<std::int64_t>(index_value(*int_of(op, "value"), op, frame))};
    if (op.is(LoopOp::Apply)) return {Tensor::scalar<std::int64_t>(index_value(subscripts_of(op)[0], op, frame))};
    if (op.is(LoopOp::Guard)) return {Tensor::scalar<bool>(holds(op, frame))};
    if (op.is(LoopOp::Check)) {
      if (!holds(op, frame))
        throw diagnose<kCheckFailed>(op.location(), *context_.attributes().as_string(op.attr("message")));
      return {};
    }
    if (op.is(GraphOp::Nonzero)) return {positions(value(op.operand(0), frame))};
    if (op.is(GraphOp::Range)) return {range(value(op.operand(0), frame), op)};
    if (op.is(GraphOp::Call)) return call(op, frame);
    if (op.is(GraphOp::If)) {
      const bool taken = value(op.operand(0), frame).get_int(0) != 0;
      if (!taken && op.region_count() < 2) return {};
      return region(op.region(taken ? 0 : 1), frame);
    }
    if (op.is(GraphOp::While)) return repeat_while(op, frame);
    if (op.is(GraphOp::For)) return repeat_for(op, frame);
    if (op.is(GraphOp::Scan)) return scan(op, frame);
    if (op.is(GraphOp::Fusion) || op.is(GraphOp::Segment)) {
      const Tensors arguments = operands(op, frame);
      return region_with(op.region(0), arguments, frame);
    }
    if (op.is(GraphOp::TorchCall)) return torch_call(op, frame);
    throw diagnose<kNotEvaluated>(op.location(), op.name());
  }

  Tensors torch_call(OpRef op, const Frame& frame) {
    if (!options_.torch_call) throw diagnose<kNeedsTorch>(op.location(), torch_target(op));
    const Tensors inputs = operands(op, frame);
    OpResults results =
        options_.torch_call({op, inputs, options_.precision, [&](IndexExpr e) { return index_value(e, op, frame); }});
    if (results) return std::move(*results);
    if (!results.error().at.known()) results.error().at = op.location();
    throw results.error();
  }

  [[nodiscard]] std::optional<IndexExpr> int_of(OpRef op, std::string_view name) const {
    return context_.attributes().as_int(op.attr(name));
  }

  std::int64_t index_value(IndexExpr e, OpRef op, const Frame& frame) const {
    const IndexPool& pool = context_.index();
    const auto result = pool.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
      if (pool.atom(id).kind == AtomKind::Opaque) return value(op.operand(pool.atom(id).number), frame).get_int(0);
      if (const auto known = frame.symbols.find(id)) return known;
      throw diagnose<kUnboundSymbol>(op.location(), pool.symbol_name(id));
    });
    if (!result) throw diagnose<kDivisionByZero>(op.location(), "floordiv");
    return *result;
  }

  // Whether each expression in the brackets is at least 0.
  bool holds(OpRef op, const Frame& frame) const {
    for (const IndexExpr e : subscripts_of(op))
      if (index_value(e, op, frame) < 0) return false;
    return true;
  }

  static Tensor range(const Tensor& end, OpRef op) {
    const std::int64_t count = end.get_int(0);
    if (count < 0) throw diagnose<kNegativeSize>(op.location(), "range", count);
    Tensor out = Tensor::zeros(Dtype::I64, {count});
    for (std::int64_t i = 0; i < count; ++i) out.set_int(i, i);
    return out;
  }

  // Of the elements that are not zero (NaN is not), in row-major order, one row each.
  static Tensor positions(const Tensor& x) {
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < x.size(); ++i)
      if (is_float(x.dtype()) ? x.get_double(i) != 0 : x.get_int(i) != 0) found.push_back(i);
    const std::size_t rank = x.shape().size();
    Tensor out = Tensor::zeros(Dtype::I64, {static_cast<std::int64_t>(found.size()), static_cast<std::int64_t>(rank)});
    for (std::size_t n = 0; n < found.size(); ++n) {
      std::int64_t rest = found[n];
      for (std::size_t d = rank; d-- > 0; rest /= x.dim(d))
        out.set_int(static_cast<std::int64_t>(n * rank + d), rest % x.dim(d));
    }
    return out;
  }

  Tensors formula(OpRef op, Frame& frame) {
    std::vector<Type> types;
    for (const Value v : op.operands())
      types.push_back(types_.kind(v.type()) == TypeKind::Index ? types_.tensor(Dtype::I64, std::span<const IndexExpr>())
                                                               : v.type());
    const auto located = [&](Diagnostic& d) {
      if (!d.at.known()) d.at = op.location();
      return d;
    };
    auto ground = instantiate_op(context_, op.opcode(), types, op.attrs(), facts_.of(op));
    if (!ground) throw located(ground.error());
    const Tensors inputs = operands(op, frame);
    OpResults results = options_.around ? run_around(op, *ground, inputs, frame)
                                        : evaluate_ground(op, *ground, inputs, options_.precision, frame);
    if (!results) throw located(results.error());
    return std::move(*results);
  }

  OpResults run_around(OpRef op, const Formula& ground, const Tensors& inputs, const Frame& frame) {
    const auto in = [&](Precision precision) {
      Tensors operands = inputs;
      if (precision == Precision::F64)
        for (Tensor& operand : operands) operand = operand.to_reference();
      return evaluate_ground(op, ground, std::move(operands), precision, frame);
    };
    return options_.around({op, inputs, ground_attributes(op, frame), &frame.symbols, in},
                           [&] { return in(options_.precision); });
  }

  // Trailing optional operands that are not there keep their place, as the scalars that their row declares.
  OpResults evaluate_ground(OpRef op, const Formula& ground, Tensors inputs, Precision precision, const Frame& frame) {
    if (op.is(GraphOp::Sort) || op.is(GraphOp::Topk))
      if (auto sorted = sort_elements(op, ground, inputs[0], precision, frame)) return *std::move(sorted);
    for (std::size_t i = inputs.size(); i < ground.operand_count(); ++i)
      inputs.push_back(Tensor::zeros(ground.tensors[i].dtype, {}));
    return evaluate(formulas(context_), ground, inputs, {precision}, frame.symbols);
  }

  // What the formulas of `sort` and `topk` say by counting, for each element, those that come before it. Nothing where
  // the formula has more to say: of a scalar, or of a size that cannot be.
  std::optional<Tensors> sort_elements(OpRef op, const Formula& ground, const Tensor& x, Precision precision,
                                       const Frame& frame) {
    if (x.rank() == 0) return std::nullopt;
    const AttrValues attributes = ground_attributes(op, frame);
    const auto number = [&](std::string_view name) {
      return *context_.index().as_constant(std::get<IndexExpr>(*attributes.find(name)));
    };
    const auto rank = static_cast<std::int64_t>(x.rank());
    const bool topk = op.is(GraphOp::Topk);
    SortRequest request;
    request.axis = static_cast<std::size_t>((number("dim") + rank) % rank);
    request.descending = std::get<bool>(*attributes.find(topk ? "largest" : "descending"));
    request.kept = topk ? number("k") : x.dim(request.axis);
    if (request.kept < 0) return std::nullopt;
    const Dtype dtype = ground.tensor(ground.results()[0]).dtype;
    return sorted(x, request, precision == Precision::F64 && is_float(dtype) ? Dtype::F64 : dtype);
  }

  // Sizes in attributes as they are in this run.
  AttrValues ground_attributes(OpRef op, const Frame& frame) {
    auto found = check_attributes(context_, op.def(), op.attrs());
    if (!found) throw found.error();
    const auto ground = [&](IndexExpr& e) { e = context_.index().constant(index_value(e, op, frame)); };
    for (auto& [name, value] : found->values) {
      if (auto* const e = std::get_if<IndexExpr>(&value)) ground(*e);
      if (auto* const list = std::get_if<std::vector<IndexExpr>>(&value))
        for (IndexExpr& e : *list) ground(e);
    }
    return std::move(*found);
  }

  // A weight or state; derived weights are computed when first read, each once.
  Tensor symbol_value(std::string_view name, OpRef reader) {
    if (const auto known = derived_.find(name); known != derived_.end()) return known->second;
    const OpRef op = module_.lookup(name);
    // What is given under the name of a derived weight was another weight's, which a pass removed.
    if (op.valid() && op.region_count() != 0 && !op.region(0).empty()) {
      derive(op);
      return derived_.find(name)->second;
    }
    if (const auto given = data_.find(name); given != data_.end()) return kept(given->second);
    throw diagnose<kNoData>(reader.location(), name);
  }

  // First the derived weights that it reads, however long the chain of these is.
  void derive(OpRef weight) {
    struct Open {
      OpRef weight;
      bool inputs_done = false;
    };
    std::vector<Open> open{{weight}};
    while (!open.empty()) {
      const OpRef at = open.back().weight;
      if (derived_.contains(at.symbol())) {
        open.pop_back();
      } else if (!open.back().inputs_done) {
        open.back().inputs_done = true;
        walk(at, [&](OpRef op) {
          const auto name = op.is(GraphOp::Read) ? context_.attributes().as_symbol(op.attr("symbol")) : std::nullopt;
          if (!name) return;
          const OpRef input = module_.lookup(*name);
          if (input.valid() && input.region_count() != 0 && !input.region(0).empty()) open.push_back({input});
        });
      } else {
        Frame frame;
        Tensors values = region(at.region(0), frame);
        MLGC_ASSERT(values.size() == 1, "a derived weight yields one value");
        derived_.emplace(at.symbol(), std::move(values[0]));
        open.pop_back();
      }
    }
  }

  Tensors call(OpRef op, Frame& frame) {
    const auto callee = context_.attributes().as_symbol(op.attr("callee"));
    const FuncRef func = find_function(module_, callee ? *callee : "");
    if (!func.valid()) throw diagnose<kNoFunction>(op.location(), callee ? *callee : "");
    const Tensors inputs = operands(op, frame);
    const auto compute = [&] {
      Outputs out = run(func, inputs);
      for (auto& update : out.updates) out.results.push_back(std::move(update.second));
      out.results.resize(op.result_count());
      return OpResults(std::move(out.results));
    };
    OpResults results = options_.around_call ? options_.around_call(op, inputs, compute) : compute();
    if (!results) throw results.error();
    return std::move(*results);
  }

  Tensors repeat_while(OpRef op, Frame& frame) {
    Tensors carried = operands(op, frame);
    for (std::int64_t trip = 0;; ++trip) {
      Tensors values = region_with(op.region(0), carried, frame);
      MLGC_ASSERT(!values.empty(), "the first region of `while` ends in `condition`");
      const bool again = values[0].get_int(0) != 0;
      values.erase(values.begin());
      if (!again) return values;
      if (trip >= options_.max_trips) throw diagnose<kTooManyTrips>(op.location(), options_.max_trips);
      carried = region_with(op.region(1), values, frame);
    }
  }

  Tensors repeat_for(OpRef op, Frame& frame) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid()) throw diagnose<kNotEvaluated>(op.location(), op.name());
    const std::int64_t last = index_value(loop.last(), op, frame);
    Tensors carried;
    for (std::size_t i = 0; i < loop.carried_count(); ++i) carried.push_back(value(loop.initial(i), frame));
    for (std::int64_t i = index_value(loop.first(), op, frame); i < last; ++i) {
      Tensors arguments{Tensor::scalar<std::int64_t>(i)};
      arguments.insert(arguments.end(), carried.begin(), carried.end());
      carried = region_with(loop.body(), arguments, frame);
    }
    return carried;
  }

  // Element i along axis 0.
  static Tensor slice(const Tensor& from, std::int64_t i) {
    Shape shape(from.shape().begin() + 1, from.shape().end());
    Tensor out = Tensor::zeros(from.dtype(), std::move(shape));
    if (out.byte_size() != 0)
      std::memcpy(out.mutable_bytes().data(), from.bytes().data() + static_cast<std::size_t>(i) * out.byte_size(),
                  out.byte_size());
    return out;
  }

  Tensors scan(OpRef op, Frame& frame) {
    const auto count = context_.attributes().as_int64(op.attr("carried"));
    const bool reverse = context_.attributes().as_bool(op.attr("reverse")).value_or(false);
    Tensors all = operands(op, frame);
    if (!count || *count < 0 || static_cast<std::size_t>(*count) > all.size())
      throw diagnose<kNotEvaluated>(op.location(), op.name());
    const auto carried_count = static_cast<std::size_t>(*count);
    Tensors carried(all.begin(), all.begin() + *count);
    const Tensors sequences(all.begin() + *count, all.end());
    std::int64_t length = sequences.empty() ? 0 : sequences[0].dim(0);
    for (const Tensor& s : sequences)
      if (s.dim(0) != length)
        throw diagnose<kInputShape>(op.location(), "scan", shape_text(s.shape()), shape_text(sequences[0].shape()));
    Tensors stacked;
    for (std::size_t i = carried_count; i < op.result_count(); ++i) {
      const Type type = op.result(i).type();
      const auto shape = shape_of(context_, type, frame.symbols);
      if (!shape || shape->empty() || (*shape)[0] != length)
        throw diagnose<kResultShape>(op.location(), i, op.name(), std::to_string(length), types_.print(type));
      const bool wide = in_f64() && is_float(types_.dtype(type));
      stacked.push_back(Tensor::zeros(wide ? Dtype::F64 : types_.dtype(type), *shape));
    }
    for (std::int64_t step = 0; step < length; ++step) {
      const std::int64_t i = reverse ? length - 1 - step : step;
      Tensors arguments = carried;
      for (const Tensor& s : sequences) arguments.push_back(slice(s, i));
      const Tensors values = region_with(op.region(0), arguments, frame);
      MLGC_ASSERT(values.size() == op.result_count(), "`scan` yields its results");
      carried.assign(values.begin(), values.begin() + *count);
      for (std::size_t k = 0; k < stacked.size(); ++k) {
        const Tensor& part = values[carried_count + k];
        if (part.byte_size() != 0)
          std::memcpy(stacked[k].mutable_bytes().data() + static_cast<std::size_t>(i) * part.byte_size(),
                      part.bytes().data(), part.byte_size());
      }
    }
    carried.insert(carried.end(), stacked.begin(), stacked.end());
    return carried;
  }

  Module& module_;
  Context& context_;
  TypePool& types_;
  const ModuleData& data_;
  const InterpretOptions& options_;
  std::map<std::string, Tensor, std::less<>> derived_;
  FunctionFacts facts_;
  std::size_t depth_ = 0;  // of regions that are being evaluated
};

}  // namespace

Result<std::vector<Tensor>, Diagnostic> evaluate_data(Module& module, std::span<const OpRef> symbols,
                                                      const ModuleData& data, const InterpretOptions& options) {
  try {
    Interpreter interpreter(module, data, options);
    std::vector<Tensor> values;
    for (const OpRef symbol : symbols) values.push_back(interpreter.data_of(symbol));
    return values;
  } catch (Diagnostic& diagnostic) {
    return Failure{std::move(diagnostic)};
  }
}

Result<Outputs, Diagnostic> interpret(Module& module, std::string_view function, std::span<const Tensor> inputs,
                                      const ModuleData& data, const InterpretOptions& options) {
  const FuncRef func = find_function(module, function);
  if (!func.valid()) return Failure{diagnose<kNoFunction>({}, function)};
  try {
    return Interpreter(module, data, options).run(func, inputs);
  } catch (Diagnostic& diagnostic) {
    return Failure{std::move(diagnostic)};
  }
}

}  // namespace mlgc

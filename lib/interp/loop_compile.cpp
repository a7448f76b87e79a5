// Compiles loop functions to register programs. Symbols are replaced by their values first.
#include <memory>
#include <string>
#include <utility>

#include "diag/kinds_interp.h"
#include "interp/bind_symbols.h"
#include "interp/loop_buffers.h"
#include "interp/loop_expressions.h"
#include "interp/loop_sizes.h"
#include "interp/loop_writer.h"
#include "ir/function.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "ops/index_from_end.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc::loop_program {
namespace {

// Writes the ops of one function's body: control flow, and what each op is in registers and buffers.
class LoopCompiler {
 public:
  LoopCompiler(OpRef func, const Setting& setting)
      : func_(func),
        context_(func.module().context()),
        types_(context_.types()),
        setting_(setting),
        sizes_(func, setting.symbols),
        code_(setting.max_trips) {}

  Program run() {
    code_.set_location(func_.location());
    for (const Value v : func_.region(0).arguments()) {
      if (types_.kind(v.type()) != TypeKind::Buffer) throw diagnose<kLoopArgument>(at(), types_.print(v.type()));
      if (sizes_.is_late(v))
        buffers_.add_unsized(v);
      else
        buffers_.add(v, sizes_.shape_of(v, at()));
    }
    arguments_ = buffers_.size();
    region(func_.region(0));
    return finish();
  }

 private:
  // What is left of the function where a size becomes known: over the same registers and buffers.
  [[nodiscard]] LoopCompiler continuation() const {
    LoopCompiler out(func_, setting_);
    out.sizes_ = sizes_;
    out.buffers_ = buffers_.without_contents();
    out.code_ = code_.continuation();
    out.arguments_ = buffers_.size();
    return out;
  }

  [[nodiscard]] Location at() const { return code_.location(); }
  Program finish() {
    Program program = code_.finish();
    program.arguments = arguments_;
    buffers_.move_to(program);
    return program;
  }

  RegisterId index_register(OpRef op, IndexExpr e) { return IndexWriter(op, sizes_, code_).value(e); }
  RegisterId expression(ExprId e, const std::vector<RegisterId>& operands) {
    return ScalarWriter(formulas(context_), sizes_, setting_.round, code_).value(e, operands);
  }
  void add_view(Value v, Value of) { buffers_.add_view(v, of, sizes_.shape_of(v, at()), at()); }

  void region(RegionRef r) {
    if (!r.empty()) ops_from(r.front());
  }
  void ops_from(OpRef first) {
    for (OpRef op = first; op.valid(); op = op.next()) {
      code_.set_location(op.location());
      if (op.is(LoopOp::BindSize) && !sizes_.knows(BindSizeRef::from(op).size()))
        return bind_size(BindSizeRef::from(op));
      one(op);
    }
  }

  // What follows is compiled when the size is known. What the region yields is where this program expects it.
  void bind_size(BindSizeRef bind) {
    const RegisterId size = code_.new_register();
    const BufferTable::Place place = buffers_.place(bind.buffer(), at());
    Access access{place.buffer, place.view, {}, {}, at()};
    access.subscripts.assign(buffers_.shape(place).size(), AffineForm());
    access.from_end.assign(access.subscripts.size(), false);
    code_.access(Code::LoadInteger, size, std::move(access));
    std::vector<std::pair<Value, RegisterId>> yields;
    const OpRef op = bind.op();
    if (const OpRef last = op.parent().terminator(); last.valid())
      for (const Value v : last.operands())
        if (types_.kind(v.type()) != TypeKind::Buffer && !code_.has(v)) yields.emplace_back(v, code_.reg(v));
    code_.rest(
        [rest = std::make_shared<const LoopCompiler>(continuation()), op, yields](std::int64_t value) {
          LoopCompiler compiler = *rest;
          return compiler.rest_after(BindSizeRef::from(op), value, yields);
        },
        size);
  }
  Program rest_after(BindSizeRef bind, std::int64_t value, const std::vector<std::pair<Value, RegisterId>>& yields) {
    const OpRef op = bind.op();
    code_.set_location(op.location());
    sizes_.learn(bind.size(), value, at());
    for (const std::uint32_t buffer : buffers_.add_known_sizes(sizes_, at())) code_.emit(Code::Resize, buffer, 0, 0);
    if (op.next().valid()) ops_from(op.next());
    for (const auto& [v, expected] : yields)
      if (code_.reg(v) != expected) code_.emit(Code::Move, expected, code_.reg(v), 0);
    return finish();
  }
  std::vector<RegisterId> yielded(RegionRef r) {
    std::vector<RegisterId> out;
    const OpRef last = r.empty() ? OpRef() : r.back();
    if (last.valid() && last.is(LoopOp::Yield))
      for (const Value v : last.operands()) out.push_back(code_.reg(v));
    return out;
  }

  void one(OpRef op) {
    switch (op.loop_op()) {
      case LoopOp::Scalar: return scalar(op);
      case LoopOp::Return:
      case LoopOp::Condition:
      case LoopOp::Yield: return;  // whoever runs the region reads what they give
      case LoopOp::If: return branch(op);
      case LoopOp::While: return repeat(op);
      case LoopOp::For: return loop(op);
      case LoopOp::Alloc: return allocate(AllocRef::from(op));
      case LoopOp::Dealloc: return;  // the verifier says that nothing touches the buffer any more
      case LoopOp::BufferView: return add_view(op.result(), BufferViewRef::from(op).of());
      case LoopOp::Load:
      case LoopOp::Store: return touch(AccessRef::from(op));
      case LoopOp::TransposeInPlace:
        code_.emit(Code::Transpose, buffers_.place(TransposeInPlaceRef::from(op).buffer(), at()).buffer, 0, 0);
        return;
      case LoopOp::Guard: return all_not_negative(op, code_.reg(op.result()));
      case LoopOp::Apply: code_.bind(op.result(), index_register(op, ApplyRef::from(op).value())); return;
      case LoopOp::Literal: return literal(LiteralRef::from(op));
      case LoopOp::Fma: return fma(FmaRef::from(op));
      case LoopOp::Bits: return bits(BitsRef::from(op));
      case LoopOp::Check: return check(CheckRef::from(op));
      case LoopOp::Data: return data(DataRef::from(op));
      case LoopOp::BindSize: return;  // the size was known before
      case LoopOp::Launch: return launch(LaunchRef::from(op));
      case LoopOp::External: return external(op);
      case LoopOp::Func: break;
    }
    throw diagnose<kNotAtLoopLevel>(at(), "`" + std::string(op.name()) + "`");
  }

  void touch(AccessRef touched) {
    const OpRef op = touched.op();
    const RegisterId value = code_.reg(touched.value());
    const BufferTable::Place place = buffers_.place(touched.buffer(), at());
    Access access{place.buffer, place.view, {}, {}, op.location()};
    for (const IndexExpr e : subscripts_of(op)) access.subscripts.push_back(IndexWriter(op, sizes_, code_).affine(e));
    const std::size_t rank = buffers_.shape(place).size();
    if (access.subscripts.size() != rank)
      throw diagnose<kSubscriptRank>(at(), op.name(), access.subscripts.size(), rank);
    for (std::size_t d = 0; d < rank; ++d) access.from_end.push_back(counts_from_end(op, touched.buffer(), d));
    const bool real = buffers_.is_real(place);
    const Code load = real ? Code::LoadReal : Code::LoadInteger, store = real ? Code::StoreReal : Code::StoreInteger;
    code_.access(touched.is_store() ? store : load, value, std::move(access));
  }

  void all_not_negative(OpRef op, RegisterId result) {
    code_.emit(Code::Move, result, code_.integer_constant(1), 0);
    for (const IndexExpr e : subscripts_of(op)) code_.emit(Code::NotNegative, result, index_register(op, e), 0);
  }
  void check(CheckRef check) {
    const RegisterId holds = code_.new_register();
    all_not_negative(check.op(), holds);
    code_.check(holds, std::string(check.message()));
  }

  void allocate(AllocRef alloc) {
    if (alloc.memory().valid()) return add_view(alloc.buffer(), alloc.memory());
    buffers_.add(alloc.buffer(), sizes_.shape_of(alloc.buffer(), at()));
    code_.emit(Code::Clear, buffers_.place(alloc.buffer(), at()).buffer, 0, 0);
  }

  void data(DataRef data) {
    // The run has put the old value there.
    if (const Value memory = written_over(data.op()); memory.valid()) return add_view(data.buffer(), memory);
    if (!setting_.data) throw diagnose<kNotAtLoopLevel>(at(), "`data` without a module's data");
    const std::vector<std::int64_t> shape = sizes_.shape_of(data.buffer(), at());
    buffers_.add(data.buffer(), shape);
    Storage contents = setting_.data(data.op());
    if (contents.shape != shape)
      throw diagnose<kInputShape>(at(), "@" + std::string(data.name()), shape_text(contents.shape),
                                  types_.print(data.buffer().type()));
    buffers_.set_contents(data.buffer(), std::move(contents));
  }

  void literal(LiteralRef literal) {
    const Dtype dtype = literal.dtype();
    const auto real = literal.real();
    const auto integer = literal.integer();
    if (!real && !integer) throw diagnose<kNotAtLoopLevel>(at(), "a literal without a constant value");
    const double value = real ? *real : static_cast<double>(*integer);
    const RegisterId constant =
        is_float(dtype) ? code_.real_constant(setting_.round ? round_to(dtype, value) : value)
                        : code_.integer_constant(real ? real_to_integer(dtype, value) : wrap_to(dtype, *integer));
    code_.bind(literal.op().result(), constant);
  }

  void external(OpRef op) {
    if (!setting_.external) throw diagnose<kNotAtLoopLevel>(at(), "`external` without what evaluates it");
    External made;
    made.run = [op, evaluate = setting_.external, symbols = sizes_.symbols()](std::span<Storage* const> buffers) {
      evaluate(op, symbols, buffers);
    };
    for (const Value v : op.operands()) made.buffers.push_back(buffers_.place(v, at()).buffer);
    code_.external(std::move(made));
  }

  // The callee's symbols are what the launch states, then what the shapes of the buffers make them.
  void launch(LaunchRef op) {
    const OpRef callee = op.callee();
    if (!callee.valid() || !callee.is(LoopOp::Func))
      throw diagnose<kNotAtLoopLevel>(at(), "a launch of no loop function");
    const auto formals = callee.region(0).arguments();
    Launch launch;
    SymbolValues sizes;
    std::vector<std::vector<std::int64_t>> shapes;
    for (const auto& [symbol, size] : op.stated_sizes()) sizes.values.emplace_back(symbol, sizes_.size(size, at()));
    for (std::size_t i = 0; i < formals.size(); ++i) {
      const BufferTable::Place place = buffers_.place(op.buffers()[i], at());
      launch.buffers.push_back(place.buffer);
      shapes.push_back(buffers_.shape(place));
      bind_dims(context_, formals[i].type(), shapes[i], sizes);
    }
    for (std::size_t i = 0; i < formals.size(); ++i) {
      if (!shape_fits(context_, formals[i].type(), shapes[i], sizes))
        throw diagnose<kInputShape>(at(), formals[i].name(), shape_text(shapes[i]), types_.print(formals[i].type()));
    }
    check_constraints(FuncRef(callee).constraints(), context_.index(), sizes, at());
    Setting setting = setting_;
    setting.symbols = [sizes](AtomId id) { return sizes.find(id); };
    launch.program = std::make_shared<const Program>(compile(callee, setting));
    code_.launch(std::move(launch));
  }

  // The lanes of a carried value: each starts neutral, sees every N-th iteration, and they are combined pairwise.
  struct Lanes {
    RegisterId first = 0;
    ExprId step;  // over both operands
  };
  Lanes make_lanes(ForRef loop, std::size_t c, std::int64_t count) {
    const auto step = carried_step(loop, c);
    if (!step) throw diagnose<kNotAtLoopLevel>(at(), "a vector loop that does not reduce what it carries");
    const Dtype dtype = loop.carried(c).dtype();
    const NeutralElement neutral = neutral_element(step->fn, dtype);
    const RegisterId start =
        is_float(dtype) ? code_.real_constant(neutral.real) : code_.integer_constant(neutral.integer);
    const Lanes lanes{code_.new_registers(static_cast<std::size_t>(count)), step->combination};
    for (std::int64_t l = 0; l < count; ++l) code_.emit(Code::Move, lanes.first + static_cast<RegisterId>(l), start, 0);
    return lanes;
  }
  // The accumulators of a lane stand one after the other, and are numbered after those of all lanes before them: number
  // e*lanes + l is that of neighbour e in lane l. So those of a lane are combined first, then the lanes.
  void combine_lanes(const Lanes& lanes, std::int64_t count, std::int64_t per_lane) {
    const auto place = [&](std::int64_t number) {
      const std::int64_t lane = number % (count / per_lane), neighbour = number / (count / per_lane);
      return lanes.first + static_cast<RegisterId>(lane * per_lane + neighbour);
    };
    for (std::int64_t half = count / 2; half > 0; half /= 2)
      for (std::int64_t l = 0; l < half; ++l)
        code_.emit(Code::Move, place(l), expression(lanes.step, {place(l), place(l + half)}), 0);
  }

  void vector_loop(ForRef loop) {
    const OpRef op = loop.op();
    const std::int64_t per_lane = loop.per_lane(), count = loop.lanes() * per_lane;
    if (count < 1) throw diagnose<kNotAtLoopLevel>(at(), "a vector loop without lanes");
    const RegisterId i = code_.reg(loop.index()), end = code_.new_register(), lane = code_.new_register();
    code_.emit(Code::Move, end, index_register(op, loop.last()), 0);
    code_.emit(Code::Move, i, index_register(op, loop.first()), 0);
    const auto skew = skew_of(loop);
    code_.emit(Code::Move, lane, skew ? index_register(op, *skew) : code_.integer_constant(0), 0);
    std::vector<Lanes> lanes;
    for (std::size_t c = 0; c < loop.carried_count(); ++c) lanes.push_back(make_lanes(loop, c, count));
    const std::size_t skip = code_.emit(Code::JumpIfAtEnd, i, end, 0);
    const RegisterId top = code_.here();
    for (std::size_t c = 0; c < lanes.size(); ++c)
      code_.emit(Code::LoadLane, code_.reg(loop.carried(c)), lane, lanes[c].first);
    region(loop.body());
    const std::vector<RegisterId> next = yielded(loop.body());
    for (std::size_t c = 0; c < lanes.size(); ++c) code_.emit(Code::StoreLane, next[c], lane, lanes[c].first);
    code_.emit(Code::NextLane, lane, 0, static_cast<RegisterId>(count));
    code_.emit(Code::Next, i, end, top);
    code_.land(skip);
    for (std::size_t c = 0; c < lanes.size(); ++c) {
      combine_lanes(lanes[c], count, per_lane);
      code_.bind(op.result(c), expression(lanes[c].step, {code_.reg(loop.initial(c)), lanes[c].first}));
    }
  }

  void loop(OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid()) throw diagnose<kNotAtLoopLevel>(at(), "a `for` without bounds");
    if (loop.kind() == LoopKind::Vector && loop.carried_count() > 0) return vector_loop(loop);
    const RegisterId i = code_.reg(loop.index()), end = code_.new_register();
    code_.emit(Code::Move, end, index_register(op, loop.last()), 0);
    code_.emit(Code::Move, i, index_register(op, loop.first()), 0);
    std::vector<RegisterId> carried, initial;
    for (std::size_t c = 0; c < loop.carried_count(); ++c) {
      carried.push_back(code_.reg(loop.carried(c)));
      initial.push_back(code_.reg(loop.initial(c)));
    }
    code_.move(carried, initial);
    const std::size_t skip = code_.emit(Code::JumpIfAtEnd, i, end, 0);
    const RegisterId top = code_.here();
    region(loop.body());
    const std::vector<RegisterId> next = yielded(loop.body());
    if (next.size() != carried.size() || op.result_count() != carried.size())
      throw diagnose<kNotAtLoopLevel>(op.location(), "a `for` that does not yield what it carries");
    code_.move(carried, next);
    code_.emit(Code::Next, i, end, top);
    code_.land(skip);
    for (std::size_t c = 0; c < carried.size(); ++c) {
      // The carried registers change when an outer loop comes back here, results do not have to outlive that.
      code_.bind(op.result(c), carried[c]);
    }
  }

  // The arguments of the second region are the results.
  void repeat(OpRef op) {
    const RegionRef before = op.region(0), body = op.region(1);
    const OpRef condition = before.terminator();
    if (!condition.valid() || condition.operand_count() != op.operand_count() + 1)
      throw diagnose<kNotAtLoopLevel>(at(), "a `while` that does not say whether to go on");
    std::vector<RegisterId> initial, in, passed, out;
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      initial.push_back(code_.reg(op.operand(i)));
      in.push_back(code_.reg(before.argument(i)));
      out.push_back(code_.reg(body.argument(i)));
      code_.bind(op.result(i), out.back());
    }
    const RegisterId trips = code_.new_register();
    code_.emit(Code::Move, trips, code_.integer_constant(0), 0);
    code_.move(in, initial);
    const RegisterId top = code_.here();
    region(before);
    for (std::size_t i = 0; i < op.operand_count(); ++i) passed.push_back(code_.reg(condition.operand(i + 1)));
    code_.move(out, passed);
    const std::size_t leave = code_.emit(Code::JumpIfZero, 0, code_.reg(condition.operand(0)), 0);
    code_.set_location(op.location());
    code_.emit(Code::Trip, trips, 0, 0);
    region(body);
    const std::vector<RegisterId> next = yielded(body);
    if (next.size() != in.size())
      throw diagnose<kNotAtLoopLevel>(op.location(), "a `while` that does not yield what it carries");
    code_.move(in, next);
    code_.emit(Code::Jump, 0, 0, top);
    code_.land(leave);
  }

  void branch(OpRef op) {
    std::vector<RegisterId> results;
    for (const Value v : op.results()) results.push_back(code_.reg(v));
    const std::size_t to_else = code_.emit(Code::JumpIfZero, 0, code_.reg(op.operand(0)), 0);
    const auto arm = [&](RegionRef r) {
      region(r);
      const std::vector<RegisterId> values = yielded(r);
      if (values.size() != results.size())
        throw diagnose<kNotAtLoopLevel>(op.location(), "an `if` that does not yield its results");
      code_.move(results, values);
    };
    arm(op.region(0));
    if (op.region_count() < 2) {
      code_.land(to_else);
      return;
    }
    const std::size_t to_end = code_.emit(Code::Jump, 0, 0, 0);
    code_.land(to_else);
    arm(op.region(1));
    code_.land(to_end);
  }

  void scalar(OpRef op) {
    std::vector<Type> types;
    std::vector<RegisterId> operands;
    for (const Value v : op.operands()) {
      types.push_back(types_.kind(v.type()) == TypeKind::Index ? types_.scalar(Dtype::I64) : v.type());
      if (types_.kind(types.back()) != TypeKind::Scalar)
        throw diagnose<kNotAtLoopLevel>(at(), "`" + std::string(op.name()) + "` on " + types_.print(v.type()));
      operands.push_back(code_.reg(v));
    }
    auto value = scalar_value(context_, op.opcode(), types, op.attrs());
    if (!value) {
      Diagnostic d = std::move(value.error());
      d.at = at();
      throw d;
    }
    if (!*value || op.result_count() != 1) throw diagnose<kNotAtLoopLevel>(at(), "`" + std::string(op.name()) + "`");
    code_.bind(op.result(), expression(**value, operands));
  }

  void fma(FmaRef op) {
    const RegisterId result = code_.new_register();
    code_.bind(op.op().result(), result);
    code_.emit(Code::Move, result, code_.reg(op.addend()), 0);
    code_.emit(Code::Fma, result, code_.reg(op.left()), code_.reg(op.right()));
  }

  void bits(BitsRef op) {
    const RegisterId result = code_.new_register();
    code_.bind(op.op().result(), result);
    code_.emit(Code::RealBits, result, code_.reg(op.of()), 0, op.op().result().dtype());
  }

  OpRef func_;
  Context& context_;
  TypePool& types_;
  Setting setting_;
  Sizes sizes_;
  BufferTable buffers_;
  ProgramWriter code_;
  std::size_t arguments_ = 0;  // the first buffers, which are there when the program starts
};

}  // namespace

Program compile(OpRef func, const Setting& setting) { return LoopCompiler(func, setting).run(); }

}  // namespace mlgc::loop_program

// Compiles loop functions to register programs. Symbols are replaced by their values first.
#include <algorithm>

#include "diag/kinds_interp.h"
#include "interp/bind_symbols.h"
#include "interp/loop_program.h"
#include "ir/function.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "ops/index_from_end.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc::loop_program {
namespace {

class Compiler {
 public:
  Compiler(OpRef func, const Setting& setting)
      : func_(func),
        context_(func.module().context()),
        index_(context_.index()),
        types_(context_.types()),
        pool_(formulas(context_)),
        setting_(setting),
        round_(setting.round) {}

  Program run() {
    at_ = func_.location();
    program_.max_trips = setting_.max_trips;
    for (const Value v : func_.region(0).arguments()) {
      if (types_.kind(v.type()) != TypeKind::Buffer) throw diagnose<kLoopArgument>(at_, types_.print(v.type()));
      if (is_sized_late(v))
        add_unsized(v);
      else
        add_buffer(v);
    }
    program_.arguments = program_.buffers.size();
    region(func_.region(0));
    emit(Code::Stop, 0, 0, 0);
    return std::move(program_);
  }

 private:
  // --- code
  std::uint32_t new_register() {
    program_.initial.push_back(Register{.integer = 0});
    return static_cast<std::uint32_t>(program_.initial.size() - 1);
  }
  std::uint32_t integer_constant(std::int64_t value) {
    program_.initial.push_back(Register{.integer = value});
    return static_cast<std::uint32_t>(program_.initial.size() - 1);
  }
  std::uint32_t real_constant(double value) {
    program_.initial.push_back(Register{.real = value});
    return static_cast<std::uint32_t>(program_.initial.size() - 1);
  }
  std::size_t emit(Code code, std::uint32_t a, std::uint32_t b, std::uint32_t c, Dtype type = Dtype::I64,
                   ScalarFn fn = ScalarFn::Add) {
    program_.code.push_back({code, fn, type, a, b, c});
    program_.where.push_back(at_);
    return program_.code.size() - 1;
  }
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }
  void land(std::size_t jump) { program_.code[jump].c = here(); }

  std::uint32_t reg(Value v) {
    const auto [it, fresh] = registers_.try_emplace(v.id(), 0);
    if (fresh) it->second = new_register();
    return it->second;
  }
  void move(const std::vector<std::uint32_t>& to, std::vector<std::uint32_t> from) {
    // All at once: what is overwritten and still needed is saved.
    for (std::size_t i = 0; i < to.size(); ++i) {
      for (std::size_t j = i + 1; j < from.size(); ++j) {
        if (from[j] != to[i] || from[i] == to[i]) continue;
        const std::uint32_t saved = new_register();
        emit(Code::Move, saved, from[j], 0);
        from[j] = saved;
      }
    }
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to[i] != from[i]) emit(Code::Move, to[i], from[i], 0);
  }

  // --- buffers
  struct Place {
    std::uint32_t buffer, view;
  };
  std::vector<std::int64_t> shape_of(Value v) {
    std::vector<std::int64_t> shape;
    for (const IndexExpr dim : types_.dims(v.type())) {
      const auto size = index_.evaluate(dim, setting_.symbols);
      if (!size || *size < 0)
        throw diagnose<kBufferSize>(at_, index_.print(dim), size ? std::to_string(*size) : "without a value");
      shape.push_back(*size);
    }
    if (!checked_element_count(v.dtype(), shape)) throw diagnose<kBufferSize>(at_, types_.print(v.type()), "too large");
    return shape;
  }
  // A result whose sizes become known during the run.
  bool is_sized_late(Value v) const {
    const std::vector<OpRef> late = late_sizes(func_);
    const auto dims = v.dims();
    return std::any_of(late.begin(), late.end(), [&](OpRef bind) {
      return !setting_.symbols(BindSizeRef::from(bind).size()) &&
             std::any_of(dims.begin(), dims.end(),
                         [&](IndexExpr dim) { return index_.mentions(dim, BindSizeRef::from(bind).size()); });
    });
  }
  void add_unsized(Value v) {
    Storage storage;
    storage.dtype = v.dtype();
    storage.real = is_float(storage.dtype);
    name_buffer(v, static_cast<std::uint32_t>(program_.buffers.size()), {});
    program_.buffers.push_back(std::move(storage));
    unsized_.push_back(v);
  }
  // Those whose sizes are known now.
  void resize_arguments() {
    std::vector<Value> left;
    for (const Value v : unsized_) {
      if (is_sized_late(v)) {
        left.push_back(v);
        continue;
      }
      const Place place = buffers_.at(v.id());
      Storage& storage = program_.buffers[place.buffer];
      storage.shape = shape_of(v);
      storage.strides = row_major_strides(storage.shape);
      program_.views[place.view] = {std::string(v.name()), storage.shape, storage.strides};
      emit(Code::Resize, place.buffer, 0, 0);
    }
    unsized_ = std::move(left);
  }
  void name_buffer(Value v, std::uint32_t buffer, const std::vector<std::int64_t>& shape) {
    buffers_[v.id()] = {buffer, static_cast<std::uint32_t>(program_.views.size())};
    program_.views.push_back({std::string(v.name()), shape, row_major_strides(shape)});
  }
  void add_buffer(Value v) {
    Storage storage;
    storage.dtype = v.dtype();
    storage.real = is_float(storage.dtype);
    storage.shape = shape_of(v);
    storage.strides = row_major_strides(storage.shape);
    name_buffer(v, static_cast<std::uint32_t>(program_.buffers.size()), storage.shape);
    program_.buffers.push_back(std::move(storage));
  }
  void add_view(Value v, Value of) {
    const Place place = buffer(of);
    const std::vector<std::int64_t> shape = shape_of(v);
    if (*checked_element_count(v.dtype(), shape) !=
        *checked_element_count(of.dtype(), program_.views[place.view].shape))
      throw diagnose<kNotAtLoopLevel>(at_, "a `buffer_view` with another number of elements than its buffer");
    name_buffer(v, place.buffer, shape);
  }
  Place buffer(Value v) const {
    const auto found = buffers_.find(v.id());
    if (found == buffers_.end())
      throw diagnose<kNotAtLoopLevel>(at_, "a buffer that is no argument, `alloc`, `data` or `buffer_view`");
    return found->second;
  }

  // --- index expressions
  AffineForm affine(OpRef op, IndexExpr e) {
    e = index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (index_.atom(id).kind != AtomKind::Symbol) return std::nullopt;
      const auto value = setting_.symbols(id);
      if (!value) throw diagnose<kUnboundSymbol>(at_, index_.symbol_name(id));
      return index_.constant(*value);
    });
    if (e == index_.overflow()) {
      // Too large, or a division by a size that is 0: an error where it is reached, which it may never be.
      program_.messages.emplace_back("an index expression has no value: it is too large, or divides by 0");
      emit(Code::Check, integer_constant(0), static_cast<std::uint32_t>(program_.messages.size() - 1), 0);
      return {};
    }
    AffineForm form;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      if (term.factors.empty()) {
        form.constant = term.coefficient;
        continue;
      }
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      const std::int64_t coefficient = term.coefficient;
      std::uint32_t product = atom(op, factors[0]);
      for (std::size_t f = 1; f < factors.size(); ++f) {
        const std::uint32_t next = new_register();
        emit(Code::Integer, next, product, atom(op, factors[f]), Dtype::I64, ScalarFn::Mul);
        product = next;
      }
      form.terms.push_back({coefficient, product});
    }
    return form;
  }
  std::uint32_t atom(OpRef op, AtomId id) {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::Opaque) return reg(op.operand(atom.number));
    const std::uint32_t a = index_register(op, atom.a), b = index_register(op, atom.b);
    const std::uint32_t result = new_register();
    const Code code = atom.kind == AtomKind::FloorDiv ? Code::FloorDiv
                      : atom.kind == AtomKind::Mod    ? Code::Mod
                      : atom.kind == AtomKind::Min    ? Code::Min
                                                      : Code::Max;
    emit(code, result, a, b);
    return result;
  }
  std::uint32_t index_register(OpRef op, IndexExpr e) {
    AffineForm form = affine(op, e);
    if (form.terms.empty()) return integer_constant(form.constant);
    if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].coefficient == 1) return form.terms[0].from;
    const std::uint32_t result = new_register();
    program_.affine.push_back(std::move(form));
    emit(Code::Affine, result, static_cast<std::uint32_t>(program_.affine.size() - 1), 0);
    return result;
  }
  std::uint32_t access(OpRef op, Value of) {
    const Place place = buffer(of);
    Access access{place.buffer, place.view, {}, {}, op.location()};
    for (const IndexExpr e : subscripts_of(op)) access.subscripts.push_back(affine(op, e));
    if (access.subscripts.size() != program_.views[place.view].shape.size())
      throw diagnose<kSubscriptRank>(at_, op.name(), access.subscripts.size(), program_.views[place.view].shape.size());
    for (std::size_t d = 0; d < access.subscripts.size(); ++d) access.from_end.push_back(counts_from_end(op, of, d));
    program_.accesses.push_back(std::move(access));
    return static_cast<std::uint32_t>(program_.accesses.size() - 1);
  }

  // --- scalar expressions
  std::uint32_t expression(ExprId e, const std::vector<std::uint32_t>& operands) {
    const ExprNode node = pool_.node(e);
    const bool real = is_float(node.type);
    switch (node.kind) {
      case NodeKind::Literal:
        if (!real) return integer_constant(pool_.literal_integer(e));
        return real_constant(round_ && node.type != Dtype::F64 ? static_cast<float>(pool_.literal_real(e))
                                                               : pool_.literal_real(e));
      case NodeKind::Read: return operands[pool_.read_of(e).tensor.index()];
      case NodeKind::Index: {
        const auto value = index_.evaluate(pool_.index_of(e), setting_.symbols);
        MLGC_ASSERT(value.has_value(), "a scalar formula with a letter");
        return integer_constant(*value);
      }
      default: break;
    }
    const std::vector<ExprId> args = pool_.arguments(e);
    if (node.kind == NodeKind::Select) {
      // Only the side that is taken is computed.
      const std::uint32_t condition = expression(args[0], operands), result = new_register();
      const std::size_t to_else = emit(Code::JumpIfZero, 0, condition, 0);
      emit(Code::Move, result, expression(args[1], operands), 0);
      const std::size_t to_end = emit(Code::Jump, 0, 0, 0);
      land(to_else);
      emit(Code::Move, result, expression(args[2], operands), 0);
      land(to_end);
      return result;
    }
    const std::uint32_t a = expression(args[0], operands);
    if (node.kind == NodeKind::Stop) return a;
    const bool from_real = is_float(pool_.type(args[0])) && pool_.node(args[0]).kind != NodeKind::Index;
    const std::uint32_t result = new_register();
    if (node.kind == NodeKind::Cast) {
      emit(real ? (from_real ? Code::Round : Code::ToReal) : (from_real ? Code::ToInteger : Code::Wrap), result, a, 0,
           node.type);
      return result;
    }
    const std::uint32_t b = args.size() > 1 ? expression(args[1], operands) : a;
    const ScalarFn fn = pool_.fn(e);
    const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
    if (from_real)
      emit(real ? Code::Real : Code::RealTest, result, a, b, node.type, fn);
    else
      emit(divides ? Code::Divide : Code::Integer, result, a, b, node.type, fn);
    return result;
  }

  void scalar(OpRef op) {
    std::vector<Type> types;
    std::vector<std::uint32_t> operands;
    for (const Value v : op.operands()) {
      types.push_back(types_.kind(v.type()) == TypeKind::Index ? types_.scalar(Dtype::I64) : v.type());
      if (types_.kind(types.back()) != TypeKind::Scalar)
        throw diagnose<kNotAtLoopLevel>(at_, "`" + std::string(op.name()) + "` on " + types_.print(v.type()));
      operands.push_back(reg(v));
    }
    auto value = scalar_value(context_, op.opcode(), types, op.attrs());
    if (!value) {
      Diagnostic d = std::move(value.error());
      d.at = at_;
      throw d;
    }
    if (!*value || op.result_count() != 1) throw diagnose<kNotAtLoopLevel>(at_, "`" + std::string(op.name()) + "`");
    registers_[op.result().id()] = expression(**value, operands);
  }

  void fma(FmaRef op) {
    const std::uint32_t result = registers_[op.op().result().id()] = new_register();
    emit(Code::Move, result, reg(op.addend()), 0);
    emit(Code::Fma, result, reg(op.left()), reg(op.right()));
  }

  void bits(BitsRef op) {
    const std::uint32_t result = registers_[op.op().result().id()] = new_register();
    emit(Code::RealBits, result, reg(op.of()), 0, op.op().result().dtype());
  }

  // --- ops
  void region(RegionRef r) {
    if (!r.empty()) ops_from(r.front());
  }
  void ops_from(OpRef first) {
    for (OpRef op = first; op.valid(); op = op.next()) {
      at_ = op.location();
      if (op.is(LoopOp::BindSize) && !setting_.symbols(BindSizeRef::from(op).size())) return bind(op);
      one(op);
    }
  }

  // What follows is compiled when the size is known. What the region yields is where this program expects it.
  void bind(OpRef op) {
    const std::uint32_t size = new_register();
    const Place place = buffer(BindSizeRef::from(op).buffer());
    Access access{place.buffer, place.view, {}, {}, at_};
    access.subscripts.assign(program_.views[place.view].shape.size(), AffineForm());
    access.from_end.assign(access.subscripts.size(), false);
    program_.accesses.push_back(std::move(access));
    emit(Code::LoadInteger, size, static_cast<std::uint32_t>(program_.accesses.size() - 1), 0);
    std::vector<std::pair<Value, std::uint32_t>> yields;
    if (const OpRef last = op.parent().terminator(); last.valid())
      for (const Value v : last.operands())
        if (types_.kind(v.type()) != TypeKind::Buffer && !registers_.contains(v.id())) yields.emplace_back(v, reg(v));
    auto rest = std::make_shared<Compiler>(*this);
    rest->begin_rest();
    program_.rests.emplace_back([rest = std::move(rest), op, yields](std::int64_t value) {
      Compiler compiler = *rest;
      return compiler.rest_behind(op, value, yields);
    });
    emit(Code::Rest, static_cast<std::uint32_t>(program_.rests.size() - 1), size, 0);
  }
  // Registers and buffers stay, the contents of buffers are those of the run.
  void begin_rest() {
    Program rest;
    rest.initial = program_.initial;
    rest.views = program_.views;
    rest.max_trips = program_.max_trips;
    rest.arguments = program_.buffers.size();
    rest.shared = program_.initial.size();
    for (const Storage& buffer : program_.buffers) {
      Storage& described = rest.buffers.emplace_back();
      described.dtype = buffer.dtype;
      described.real = buffer.real;
      described.shape = buffer.shape;
      described.strides = buffer.strides;
    }
    program_ = std::move(rest);
  }
  Program rest_behind(OpRef bind, std::int64_t value, const std::vector<std::pair<Value, std::uint32_t>>& yields) {
    at_ = bind.location();
    setting_.symbols = [before = setting_.symbols, size = BindSizeRef::from(bind).size(), value](AtomId id) {
      return id == size ? std::optional(value) : before(id);
    };
    SymbolValues known;
    for (const AtomId symbol : symbols_of(func_))
      if (const auto is = setting_.symbols(symbol)) known.values.emplace_back(symbol, *is);
    check_constraints(FuncRef(func_).constraints(), index_, known, at_);
    resize_arguments();
    if (bind.next().valid()) ops_from(bind.next());
    for (const auto& [v, expected] : yields)
      if (reg(v) != expected) emit(Code::Move, expected, reg(v), 0);
    emit(Code::Stop, 0, 0, 0);
    return std::move(program_);
  }
  std::vector<std::uint32_t> yielded(RegionRef r) {
    std::vector<std::uint32_t> out;
    const OpRef last = r.empty() ? OpRef() : r.back();
    if (last.valid() && last.is(LoopOp::Yield))
      for (const Value v : last.operands()) out.push_back(reg(v));
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
        emit(Code::Transpose, buffer(TransposeInPlaceRef::from(op).buffer()).buffer, 0, 0);
        return;
      case LoopOp::Guard: return all_not_negative(op, reg(op.result()));
      case LoopOp::Apply: registers_[op.result().id()] = index_register(op, ApplyRef::from(op).value()); return;
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
    throw diagnose<kNotAtLoopLevel>(at_, "`" + std::string(op.name()) + "`");
  }

  void touch(AccessRef touched) {
    const std::uint32_t a = reg(touched.value());
    const std::uint32_t b = access(touched.op(), touched.buffer());
    const bool real = program_.buffers[program_.accesses[b].buffer].real;
    const Code load = real ? Code::LoadReal : Code::LoadInteger, store = real ? Code::StoreReal : Code::StoreInteger;
    emit(touched.is_store() ? store : load, a, b, 0);
  }

  void all_not_negative(OpRef op, std::uint32_t result) {
    emit(Code::Move, result, integer_constant(1), 0);
    for (const IndexExpr e : subscripts_of(op)) emit(Code::NotNegative, result, index_register(op, e), 0);
  }
  void check(CheckRef check) {
    const std::uint32_t holds = new_register();
    all_not_negative(check.op(), holds);
    program_.messages.emplace_back(check.message());
    emit(Code::Check, holds, static_cast<std::uint32_t>(program_.messages.size() - 1), 0);
  }

  void allocate(AllocRef alloc) {
    if (alloc.memory().valid()) return add_view(alloc.buffer(), alloc.memory());
    add_buffer(alloc.buffer());
    emit(Code::Clear, buffers_[alloc.buffer().id()].buffer, 0, 0);
  }

  void data(DataRef data) {
    // The run has put the old value there.
    if (const Value memory = written_over(data.op()); memory.valid()) return add_view(data.buffer(), memory);
    if (!setting_.data) throw diagnose<kNotAtLoopLevel>(at_, "`data` without a module's data");
    add_buffer(data.buffer());
    Storage& buffer = program_.buffers.back();
    Storage contents = setting_.data(data.op());
    contents.dtype = buffer.dtype;
    if (contents.shape != buffer.shape)
      throw diagnose<kInputShape>(at_, "@" + std::string(data.name()), shape_text(contents.shape),
                                  types_.print(data.buffer().type()));
    buffer = std::move(contents);
  }

  void literal(LiteralRef literal) {
    const Dtype dtype = literal.dtype();
    const auto real = literal.real();
    const auto integer = literal.integer();
    if (!real && !integer) throw diagnose<kNotAtLoopLevel>(at_, "a literal without a constant value");
    const double value = real ? *real : static_cast<double>(*integer);
    registers_[literal.op().result().id()] = is_float(dtype) ? real_constant(round_ ? round_to(dtype, value) : value)
                                             : real          ? integer_constant(real_to_integer(dtype, value))
                                                             : integer_constant(wrap_to(dtype, *integer));
  }

  void external(OpRef op) {
    if (!setting_.external) throw diagnose<kNotAtLoopLevel>(at_, "`external` without what evaluates it");
    External made;
    made.run = [op, evaluate = setting_.external, symbols = setting_.symbols](std::span<Storage* const> buffers) {
      evaluate(op, symbols, buffers);
    };
    for (const Value v : op.operands()) made.buffers.push_back(buffer(v).buffer);
    program_.externals.push_back(std::move(made));
    emit(Code::External, static_cast<std::uint32_t>(program_.externals.size() - 1), 0, 0);
  }

  // The callee's symbols are what the launch states, then what the shapes of the buffers make them.
  void launch(LaunchRef op) {
    const OpRef callee = op.callee();
    if (!callee.valid() || !callee.is(LoopOp::Func))
      throw diagnose<kNotAtLoopLevel>(at_, "a launch of no loop function");
    const auto formals = callee.region(0).arguments();
    Launch launch;
    SymbolValues sizes;
    std::vector<std::vector<std::int64_t>> shapes;
    for (const auto& [symbol, size] : op.stated_sizes()) {
      const auto value = index_.evaluate(size, setting_.symbols);
      if (!value || *value < 0)
        throw diagnose<kBufferSize>(at_, index_.print(size), value ? std::to_string(*value) : "without a value");
      sizes.values.emplace_back(symbol, *value);
    }
    for (std::size_t i = 0; i < formals.size(); ++i) {
      const Place place = buffer(op.buffers()[i]);
      launch.buffers.push_back(place.buffer);
      shapes.push_back(program_.views[place.view].shape);
      bind_dims(context_, formals[i].type(), shapes[i], sizes);
    }
    for (std::size_t i = 0; i < formals.size(); ++i) {
      if (!shape_fits(context_, formals[i].type(), shapes[i], sizes))
        throw diagnose<kInputShape>(at_, formals[i].name(), shape_text(shapes[i]), types_.print(formals[i].type()));
    }
    check_constraints(FuncRef(callee).constraints(), index_, sizes, at_);
    Setting setting = setting_;
    setting.symbols = [sizes](AtomId id) { return sizes.find(id); };
    launch.program = std::make_shared<const Program>(compile(callee, setting));
    program_.launches.push_back(std::move(launch));
    emit(Code::Launch, static_cast<std::uint32_t>(program_.launches.size() - 1), 0, 0);
  }

  // The lanes of a carried value: each starts neutral, sees every N-th iteration, and they come together pairwise.
  struct Lanes {
    std::uint32_t first = 0;  // register
    ExprId step;              // over both operands
  };
  Lanes make_lanes(ForRef loop, std::size_t c, std::int64_t count) {
    const auto step = carried_step(loop, c);
    if (!step) throw diagnose<kNotAtLoopLevel>(at_, "a vector loop that does not reduce what it carries");
    const Dtype dtype = loop.carried(c).dtype();
    const NeutralElement neutral = neutral_element(step->fn, dtype);
    const std::uint32_t start = is_float(dtype) ? real_constant(neutral.real) : integer_constant(neutral.integer);
    Lanes lanes{static_cast<std::uint32_t>(program_.initial.size()), step->combination};
    for (std::int64_t l = 0; l < count; ++l) (void)new_register();
    for (std::int64_t l = 0; l < count; ++l) emit(Code::Move, lanes.first + static_cast<std::uint32_t>(l), start, 0);
    return lanes;
  }
  // The accumulators of a lane stand one after the other, and are numbered after those of all lanes before them: number
  // e*lanes + l is that of neighbour e in lane l. So those of a lane come together first, then the lanes.
  void combine_lanes(const Lanes& lanes, std::int64_t count, std::int64_t per_lane) {
    const auto place = [&](std::int64_t number) {
      const std::int64_t lane = number % (count / per_lane), neighbour = number / (count / per_lane);
      return lanes.first + static_cast<std::uint32_t>(lane * per_lane + neighbour);
    };
    for (std::int64_t half = count / 2; half > 0; half /= 2)
      for (std::int64_t l = 0; l < half; ++l)
        emit(Code::Move, place(l), expression(lanes.step, {place(l), place(l + half)}), 0);
  }

  void vector_loop(ForRef loop) {
    const OpRef op = loop.op();
    const std::int64_t per_lane = loop.per_lane(), count = loop.lanes() * per_lane;
    if (count < 1) throw diagnose<kNotAtLoopLevel>(at_, "a vector loop without lanes");
    const std::uint32_t i = reg(loop.index()), end = new_register(), lane = new_register();
    emit(Code::Move, end, index_register(op, loop.last()), 0);
    emit(Code::Move, i, index_register(op, loop.first()), 0);
    emit(Code::Move, lane, integer_constant(0), 0);
    std::vector<Lanes> lanes;
    for (std::size_t c = 0; c < loop.carried_count(); ++c) lanes.push_back(make_lanes(loop, c, count));
    const std::size_t skip = emit(Code::JumpIfAtEnd, i, end, 0);
    const std::uint32_t top = here();
    for (std::size_t c = 0; c < lanes.size(); ++c) emit(Code::LoadLane, reg(loop.carried(c)), lane, lanes[c].first);
    region(loop.body());
    const std::vector<std::uint32_t> next = yielded(loop.body());
    for (std::size_t c = 0; c < lanes.size(); ++c) emit(Code::StoreLane, next[c], lane, lanes[c].first);
    emit(Code::NextLane, lane, 0, static_cast<std::uint32_t>(count));
    emit(Code::Next, i, end, top);
    land(skip);
    for (std::size_t c = 0; c < lanes.size(); ++c) {
      combine_lanes(lanes[c], count, per_lane);
      registers_[op.result(c).id()] = expression(lanes[c].step, {reg(loop.initial(c)), lanes[c].first});
    }
  }

  void loop(OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid()) throw diagnose<kNotAtLoopLevel>(at_, "a `for` without bounds");
    if (loop.kind() == LoopKind::Vector && loop.carried_count() > 0) return vector_loop(loop);
    const std::uint32_t i = reg(loop.index()), end = new_register();
    emit(Code::Move, end, index_register(op, loop.last()), 0);
    emit(Code::Move, i, index_register(op, loop.first()), 0);
    std::vector<std::uint32_t> carried, initial;
    for (std::size_t c = 0; c < loop.carried_count(); ++c) {
      carried.push_back(reg(loop.carried(c)));
      initial.push_back(reg(loop.initial(c)));
    }
    move(carried, initial);
    const std::size_t skip = emit(Code::JumpIfAtEnd, i, end, 0);
    const std::uint32_t top = here();
    region(loop.body());
    const std::vector<std::uint32_t> next = yielded(loop.body());
    if (next.size() != carried.size() || op.result_count() != carried.size())
      throw diagnose<kNotAtLoopLevel>(op.location(), "a `for` that does not yield what it carries");
    move(carried, next);
    emit(Code::Next, i, end, top);
    land(skip);
    for (std::size_t c = 0; c < carried.size(); ++c) {
      // The carried registers change when an outer loop comes back here, results do not have to outlive that.
      registers_[op.result(c).id()] = carried[c];
    }
  }

  // The arguments of the second region are the results.
  void repeat(OpRef op) {
    const RegionRef before = op.region(0), body = op.region(1);
    const OpRef condition = before.terminator();
    if (!condition.valid() || condition.operand_count() != op.operand_count() + 1)
      throw diagnose<kNotAtLoopLevel>(at_, "a `while` that does not say whether to go on");
    std::vector<std::uint32_t> initial, in, passed, out;
    for (std::size_t i = 0; i < op.operand_count(); ++i) {
      initial.push_back(reg(op.operand(i)));
      in.push_back(reg(before.argument(i)));
      out.push_back(reg(body.argument(i)));
      registers_[op.result(i).id()] = out.back();
    }
    const std::uint32_t trips = new_register();
    emit(Code::Move, trips, integer_constant(0), 0);
    move(in, initial);
    const std::uint32_t top = here();
    region(before);
    for (std::size_t i = 0; i < op.operand_count(); ++i) passed.push_back(reg(condition.operand(i + 1)));
    move(out, passed);
    const std::size_t leave = emit(Code::JumpIfZero, 0, reg(condition.operand(0)), 0);
    at_ = op.location();
    emit(Code::Trip, trips, 0, 0);
    region(body);
    const std::vector<std::uint32_t> next = yielded(body);
    if (next.size() != in.size())
      throw diagnose<kNotAtLoopLevel>(op.location(), "a `while` that does not yield what it carries");
    move(in, next);
    emit(Code::Jump, 0, 0, top);
    land(leave);
  }

  void branch(OpRef op) {
    std::vector<std::uint32_t> results;
    for (const Value v : op.results()) results.push_back(reg(v));
    const std::size_t to_else = emit(Code::JumpIfZero, 0, reg(op.operand(0)), 0);
    const auto arm = [&](RegionRef r) {
      region(r);
      const std::vector<std::uint32_t> values = yielded(r);
      if (values.size() != results.size())
        throw diagnose<kNotAtLoopLevel>(op.location(), "an `if` that does not yield its results");
      move(results, values);
    };
    arm(op.region(0));
    if (op.region_count() < 2) {
      land(to_else);
      return;
    }
    const std::size_t to_end = emit(Code::Jump, 0, 0, 0);
    land(to_else);
    arm(op.region(1));
    land(to_end);
  }

  OpRef func_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& pool_;
  Setting setting_;
  bool round_;
  Program program_;
  std::unordered_map<ValueId, std::uint32_t> registers_;
  std::unordered_map<ValueId, Place> buffers_;
  std::vector<Value> unsized_;  // arguments whose sizes are not known yet
  Location at_;
};

}  // namespace

Program compile(OpRef func, const Setting& setting) { return Compiler(func, setting).run(); }

}  // namespace mlgc::loop_program

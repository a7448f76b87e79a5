// Functions, names and nests.
#include "codegen/loop_walk.h"

#include <algorithm>

#include "codegen/loop_cost.h"
#include "codegen/walk.h"
#include "diag/kinds_codegen.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"
#include "text/printer.h"

namespace mlgc::codegen {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
OpRef last(RegionRef r) { return r.empty() ? OpRef() : r.back(); }
bool same_memory(const FunctionMemory& a, const FunctionMemory& b) {
  return a.takes_memory == b.takes_memory && a.bytes == b.bytes && a.scratch == b.scratch;
}

}  // namespace

std::string underscored(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (!is_letter_or_digit(c)) c = '_';
  return out;
}

std::string identifier_of(std::string_view symbol, const Leaves& leaves) {
  std::string out = underscored(symbol);
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '_') out = "v" + out;
  if (leaves.is_reserved(out)) out += "_";
  return out;
}

Walk::Walk(OpRef func, std::string name, const Leaves& leaves)
    : func_(func),
      name_(std::move(name)),
      leaves_(leaves),
      context_(func.module().context()),
      index_(context_.index()),
      types_(context_.types()),
      pool_(formulas(context_)),
      memory_(index_.constant(0)),
      scratch_(index_.constant(0)),
      known_(context_),
      grid_(leaves.grid()) {}

PrintedFunction Walk::run() {
  PrintedFunction out;
  const std::vector<bool> written = written_arguments(func_);
  const RegionRef body = func_.region(0);
  const std::vector<AtomId> symbols = symbols_of(func_);
  out.name = name_;
  used_.insert(out.name);
  std::vector<SourceText> all;
  const auto add = [&](const TypedName& parameter) {
    const std::string separator = all.empty() ? "" : ", ";
    out.parameters += separator + parameter.type + " " + parameter.name.str();
    out.arguments += separator + parameter.name.str();
    all.push_back(parameter.name);
  };
  for (const TypedName& context : leaves_.context()) {
    used_.insert(context.name.str());
    add(context);
  }
  for (const AtomId s : symbols) symbol_names_[s] = fresh(index_.symbol_name(s));
  const auto parameter = [&](const std::string& type, const SourceText& name) {
    host_names_.push_back({type, name});
    add(host_names_.back());
  };
  for (std::size_t i = 0; i < body.argument_count(); ++i) {
    const Value v = body.argument(i);
    const SourceText name = fresh(v);
    names_[v.id()] = {name, 1};
    parameter((written[i] ? "" : "const ") + std::string(leaves_.element_type(v.dtype())) + "*", name);
  }
  for (const AtomId s : symbols) parameter(std::string(leaves_.index_type()), symbol_names_[s]);
  if (grid_ != nullptr)
    host_region(body);
  else
    region(body);
  out.memory = {takes_memory_, memory_, scratch_};
  out.shared = shared_;
  MLGC_ASSERT(grid_ != nullptr || !leaves_.shares_loops() || same_memory(out.memory, function_memory(func_)),
              "memory that the text does not say");
  if (takes_memory_) parameter("char*", SourceText::memory());
  if (streams_) line(leaves_.end_of_streams());
  line("return 0;");
  SourceBlock block = source_.take();
  const Variables used = block.variables();
  std::string unused;
  for (const SourceText& name : all)
    if (!name.is_among(used)) unused += "  (void)" + name.str() + ";\n";
  const std::string status(leaves_.status_type());
  const std::string comment = head_comment();
  out.text = (grid_ != nullptr ? comment + bodies_ : bodies_ + comment) + std::string(leaves_.function_prefix()) +
             status + " " + out.name + "(" + out.parameters + ") {\n" + unused + block.print(1) + "}\n";
  return out;
}

// --- text

// A line of comment, whatever stands in names and files: nothing ends it early or carries it on.
std::string Walk::commented(std::string line) {
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  if (line.ends_with('\\')) line += '.';
  return "// " + line + "\n";
}

// What the function costs, and the rest.
std::string Walk::head_comment() const {
  return commented("@" + std::string(func_.symbol()) + ": " + loop_cost(func_).print(index_)) + text_comment();
}

// The user's lines that the function came from, and its text.
std::string Walk::text_comment() const {
  std::string out;
  std::vector<std::string> places;
  std::size_t more = 0;
  walk(func_, [&](OpRef op) {
    const auto position = context_.locations().primary_position(op.location());
    if (!position) return;
    const std::string place = std::string(position->file) + ":" + std::to_string(position->line);
    if (std::find(places.begin(), places.end(), place) != places.end()) return;
    places.size() < 8 ? places.push_back(place) : static_cast<void>(++more);
  });
  for (std::size_t i = 0; i < places.size(); ++i) out += (i == 0 ? "from " : ", ") + places[i];
  if (!places.empty()) out = commented(out + (more > 0 ? " and more" : ""));
  const std::string printed = print(func_);
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    out += commented("  " + printed.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string Walk::sanitized(std::string_view name) const { return identifier_of(name, leaves_); }

std::string Walk::unused_name(std::string_view wanted) {
  const std::string stem = sanitized(wanted);
  std::string name = stem;
  for (int n = 2; !used_.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
  return name;
}

SourceText Walk::variable(std::string name) {
  return SourceText::variable(std::move(name), static_cast<VariableId>(next_variable_++));
}

SourceText Walk::fresh(Value v) {
  return v.name().empty() ? fresh("v" + std::to_string(next_value_++)) : fresh(v.name());
}

const Spelled& Walk::spelled(Value v) const {
  const auto found = names_.find(v.id());
  MLGC_ASSERT(found != names_.end(), "a value without a name");
  return found->second;
}

Dtype Walk::dtype_of(Value v) const {
  return types_.kind(v.type()) == TypeKind::Index ? Dtype::I64 : types_.dtype(v.type());
}

SourceText Walk::widened(const Spelled& value, Dtype dtype, int lanes) {
  if (value.lanes == lanes) return value.text;
  if (value.bits) return leaves_.splat_bits(lanes, value.text);
  return leaves_.splat(dtype, lanes, value.text);
}

Spelled Walk::temporary(Dtype dtype, const Spelled& value) {
  const SourceText name = fresh("t" + std::to_string(next_temporary_++));
  line("const " + leaves_.variable_type(dtype, value.lanes) + " " + name + " = " + value.text.without_brackets() + ";");
  return {name, value.lanes};
}

void Walk::declare(Value v, const Spelled& value) {
  const SourceText name = fresh(v);
  names_[v.id()] = {name, value.lanes, value.bits};
  line("const " + type_of(dtype_of(v), value) + " " + name + " = " + value.text.without_brackets() + ";");
}

void Walk::refuse(OpRef op, const std::string& what) const { throw diagnose<kCannotEmit>(op.location(), what); }

// --- ops

void Walk::region(RegionRef r) {
  for (const OpRef op : r.ops()) one(op);
  std::erase_if(transpositions_, [&](Value buffer) { return buffer.scope() == r; });  // out of scope from here on
}

void Walk::one(OpRef op) {
  if (op.region_count() == 0 && op.results_unused() && op.pure()) return;  // compilers complain of what nobody reads
  if (op.region_count() > 0 && !is_straight(op)) write_transpositions_for(op);
  if (is_nest_of_driver(op)) return nest_of_driver(op);
  switch (op.loop_op()) {
    case LoopOp::Scalar: return scalar(op);
    case LoopOp::Return:
    case LoopOp::Condition:
    case LoopOp::Yield: return;  // whoever prints the region reads what they give
    case LoopOp::If: return spelled(op.operand(0)).lanes > 1 ? masked_branch(op) : branch(op);
    case LoopOp::While: return uniform_loop(op, [&] { while_loop(op); });
    case LoopOp::For: return loop(op);
    case LoopOp::Alloc: return allocate(op);
    case LoopOp::BufferView:  // addresses are computed with the sizes of the view
      names_[op.result().id()] = spelled(BufferViewRef::from(op).of());
      return;
    case LoopOp::Load: return load(op);
    case LoopOp::Store: return stored_by_tile_.erase(op.id()) > 0 ? void() : store(op);
    case LoopOp::TransposeInPlace: return transpose_in_place(TransposeInPlaceRef::from(op));
    case LoopOp::Guard: return declare(op.result(), all_not_negative(op));
    case LoopOp::Apply: return declare(op.result(), index(op, ApplyRef::from(op).value()));
    case LoopOp::Literal: return literal(LiteralRef::from(op));
    case LoopOp::Fma: return fma(FmaRef::from(op));
    case LoopOp::Bits: return bits(BitsRef::from(op));
    case LoopOp::Check: return check(CheckRef::from(op));
    case LoopOp::Data: return data(op);
    case LoopOp::BindSize: return bind_size(op);
    case LoopOp::Launch: return launch(op);
    // All that their function does: print_segments.cpp and the runtime's table have it.
    case LoopOp::External:
    case LoopOp::Func: break;
  }
  refuse(op, "`" + std::string(op.name()) + "` inside of a function");
}

void Walk::check(CheckRef check) {
  const Spelled holds = all_not_negative(check.op());
  const SourceText fails = leaves_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, holds.lanes, holds.text.bracketed(), "");
  fail_if({fails, holds.lanes}, std::string(check.message()), {});
}

void Walk::literal(LiteralRef literal) {
  const Dtype dtype = literal.dtype();
  const std::int64_t integer = literal.integer().value_or(0);
  const double value = literal.real().value_or(static_cast<double>(integer));
  halves_.insert_or_assign(literal.op().result().id(), halves_of(dtype, value));
  const Spelled number{is_float(dtype) ? leaves_.real_literal(dtype, value) : leaves_.integer_literal(dtype, integer),
                       1};
  if (starts_tiles(literal.op().result()))
    names_[literal.op().result().id()] = number;  // a call may start them itself
  else
    declare(literal.op().result(), number);
}

// Whether an access to the buffer runs along the axis with the index of a vector loop of as many lanes.
bool Walk::has_lanes_along(Value buffer, std::size_t axis, std::int64_t lanes) const {
  for (const Use& use : buffer.uses()) {
    const std::span<const IndexExpr> subscripts = subscripts_of(use.owner());
    if (axis >= subscripts.size()) continue;
    const auto id = index_.as_atom(subscripts[axis]);
    if (!id || index_.atom(*id).kind != AtomKind::Opaque) continue;
    const Value at = use.owner().operand(index_.atom(*id).number);
    if (!at.is_argument()) continue;
    const ForRef loop = ForRef::from(at.argument_of().parent_op());
    if (loop.valid() && loop.kind() == LoopKind::Vector && loop.lanes() == lanes) return true;
  }
  return false;
}

void Walk::allocate(OpRef op) {
  const Value v = op.result();
  if (tables_ != nullptr && !in_body_ && types_.scope(v.type()) != Scope::Register) return planned_buffer(op);
  const Dtype dtype = v.dtype();
  const SourceText name = fresh(v);
  names_[v.id()] = {name, 1};
  const std::span<const IndexExpr> dims = types_.dims(v.type());
  if (types_.scope(v.type()) == Scope::Register) {
    Named named;
    std::vector<std::string> all{name.str()};
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto size = index_.as_constant(resolved(op, dims[d]));
      if (!size) refuse(op, "a register buffer whose size is no constant");
      // An axis that the index of a vector loop runs along is one vector.
      if (!named.vector_axis && has_lanes_along(v, d, *size)) {
        named.vector_axis = d;
        named.lanes = grid_ == nullptr ? static_cast<int>(*size) : 1;
        named.sizes.push_back(1);
        continue;
      }
      named.sizes.push_back(*size);
      std::vector<std::string> next;
      for (const std::string& stem : all)
        for (std::int64_t i = 0; i < *size; ++i) next.push_back(stem + "_" + std::to_string(i));
      all = std::move(next);
      if (all.size() > 1024) refuse(op, "a register buffer of more than 1024 elements");
    }
    if (strip_ && !named.vector_axis && varying_.contains(v.id())) named.lanes = strip_->lanes;
    for (const std::string& element : all) {
      used_.insert(element);
      named.elements.push_back(variable(element));
      line(leaves_.unused() + leaves_.variable_type(dtype, named.lanes) + " " + named.elements.back() + " = " +
           SourceText(leaves_.zeros()) + ";");
    }
    named_[v.id()] = std::move(named);
    return;
  }
  if (strip_) refuse(op, "memory that each lane of a vector loop would need for its own");
  // An unrolled loop prints it again.
  const auto [place, is_new] = places_.try_emplace(op.id(), in_body_ ? scratch_ : memory_);
  if (is_new) {
    IndexExpr& total = in_body_ ? scratch_ : memory_;
    total = index_.add(total, bytes_in_memory(context_, v.type()));
    takes_memory_ = takes_memory_ || !in_body_;
  }
  const std::string type(leaves_.element_type(dtype));
  const SourceText bytes =
      (in_body_ ? SourceText::scratch() : SourceText::memory()) + " + " + index(op, place->second).text;
  line(type + "* const " + name + " = " + leaves_.pointer_from_bytes(type + "*", bytes) + ";");
}

// --- loops

void Walk::loop(OpRef op) {
  const ForRef loop = ForRef::from(op);
  MLGC_ASSERT(loop.valid(), "a `for` without bounds");
  const LoopKind kind = loop.kind();
  if (kind == LoopKind::Unrolled) return unrolled_loop(loop);
  if (shared_tile(loop)) return;
  if (stands_apart(loop)) return nest_apart(loop);
  const bool inside_lanes = strip_ || (kernel_ && kernel_->lane);
  if (kind == LoopKind::Vector && !inside_lanes && loop.lanes() > 1)
    return grid_ == nullptr ? vector_loop(loop) : thread_loop(loop);
  if (kind == LoopKind::Vector && inside_lanes && loop.carried_count() > 0)
    refuse(op, "a reduction by lanes inside of a vector loop");
  if (kind == LoopKind::Parallel && !in_body_ && !strip_ && leaves_.shares_loops()) return parallel_loop(loop);
  if (strip_ && is_varying(op)) return masked_loop(loop);
  uniform_loop(op, [&] { serial_loop(loop); });
}

// All at once: what is overwritten and still needed is saved.
void Walk::carry_on(ForRef loop, const std::vector<SourceText>& carried, const SourceText& mask) {
  std::vector<Spelled> next;
  std::vector<Dtype> dtypes;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    dtypes.push_back(loop.carried(i).dtype());
    const int lanes = spelled(loop.carried(i)).lanes;
    SourceText value = widened(spelled(last(loop.body()).operand(i)), dtypes[i], lanes);
    if (!mask.empty() && lanes > 1) value = leaves_.choose(lanes, mask, value, carried[i]);
    next.push_back({value, lanes});
  }
  assign(carried, dtypes, std::move(next));
}

// All at once: what would be overwritten first is saved.
void Walk::assign(const std::vector<SourceText>& to, const std::vector<Dtype>& dtypes, std::vector<Spelled> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (values[i].text != to[i] && values[i].text.mentions(to[j]) && values[j].text != to[j]) {
        values[i] = temporary(dtypes[i], values[i]);
        break;
      }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].text != to[i]) line(to[i] + " = " + values[i].text + ";");
}

// The arguments of both regions are variables; those of the second one are the results.
void Walk::while_loop(OpRef op) {
  if (strip_) refuse(op, "a `while` inside of a vector loop");
  const RegionRef before = op.region(0), body = op.region(1);
  std::vector<SourceText> in, out;
  std::vector<Dtype> dtypes;
  const auto variable_for = [&](Value v, const SourceText& start) {
    SourceText name = fresh(v);
    names_[v.id()] = {name, 1};
    line(leaves_.unused() + leaves_.variable_type(v.dtype(), 1) + " " + name + " = " + start + ";");
    return name;
  };
  for (std::size_t i = 0; i < op.operand_count(); ++i) {
    dtypes.push_back(op.operand(i).dtype());
    in.push_back(variable_for(before.argument(i), spelled(op.operand(i)).text));
    out.push_back(variable_for(body.argument(i), in[i]));
    names_[op.result(i).id()] = {out[i], 1};
  }
  const auto values = [&](RegionRef r, std::size_t skipped) {
    std::vector<Spelled> all;
    for (std::size_t i = 0; i < dtypes.size(); ++i) all.push_back(spelled(last(r).operand(i + skipped)));
    return all;
  };
  source_.open("for (;;) {");
  region(before);
  assign(out, dtypes, values(before, 1));
  line("if (!" + spelled(last(before).operand(0)).text + ") break;");
  region(body);
  assign(in, dtypes, values(body, 0));
  source_.close();
}

std::vector<SourceText> Walk::start_carried(ForRef loop) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const Value v = loop.carried(i);
    const Dtype dtype = v.dtype();
    const int lanes = strip_ && varying_.contains(v.id()) ? strip_->lanes : 1;
    const SourceText initial = widened(spelled(loop.initial(i)), dtype, lanes);
    const SourceText name = fresh(v);
    names_[v.id()] = {name, lanes};
    names_[loop.op().result(i).id()] = {name, lanes};
    line(leaves_.variable_type(dtype, lanes) + " " + name + " = " + initial + ";");
    out.push_back(name);
  }
  return out;
}

SourceText Walk::bound(const SourceText& value, std::string_view stem) {
  if (!value.empty() && value.is_word()) return value;
  SourceText name = fresh(stem);
  line("const " + std::string(leaves_.index_type()) + " " + name + " = " + value.without_brackets() + ";");
  return name;
}

void Walk::serial_loop(ForRef loop) {
  const SourceText from = index(loop.op(), loop.first()).text, to = index(loop.op(), loop.last()).text;
  const std::vector<SourceText> carried = start_carried(loop);
  const SourceText variable = fresh_index(loop);
  names_[loop.index().id()] = {variable, 1};
  const SourceText end = bound(to, variable.str() + "_end");
  const bool of_thread = kernel_ && kernel_->lane && is_innermost(loop.op());
  if (of_thread || (is_uniform() && repeats_a_round(loop))) line(std::string(grid_->unroll()));
  if (const std::int64_t iterations = taps_of(loop); iterations > 1)
    if (const SourceText hint = leaves_.unrolled(iterations); !hint.empty()) line(hint);
  source_.open(leaves_.loop_head(variable, from, end, 1) + " {");
  const auto replaced = name_anew(loop);
  region(loop.body());
  for (const auto& [value, before] : replaced) names_[value] = before;
  carry_on(loop, carried, "");
  source_.close();
}

// A loop whose bounds differ between lanes runs from the least to the greatest; a lane takes part in its own rounds.
void Walk::masked_loop(ForRef loop) {
  const OpRef op = loop.op();
  const int lanes = strip_->lanes;
  const auto wide = [&](IndexExpr e) {
    return temporary(Dtype::I64, {widened(index(op, e), Dtype::I64, lanes), lanes}).text;
  };
  const SourceText from = wide(loop.first()), to = wide(loop.last()), all = mask_or_all();
  const std::vector<SourceText> carried = start_carried(loop);
  const SourceText variable = fresh_index(loop);
  names_[loop.index().id()] = {variable, 1};
  const SourceText begin = bound(leaves_.extreme(true, from, all), variable.str() + "_begin");
  const SourceText end = bound(leaves_.extreme(false, to, all), variable.str() + "_end");
  source_.open(leaves_.loop_head(variable, begin, end, 1) + " {");
  const SourceText at = leaves_.splat(Dtype::I64, lanes, variable);
  const auto test = [&](ScalarFn fn, const SourceText& a, const SourceText& b) {
    return leaves_.call(fn, Dtype::I64, Dtype::I1, lanes, a, b);
  };
  const auto both = [&](const SourceText& a, const SourceText& b) {
    return leaves_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, a, b);
  };
  SourceText active = both(test(ScalarFn::Le, from, at), test(ScalarFn::Lt, at, to));
  if (!mask_.empty()) active = both(mask_, active);
  const SourceText outer = mask_;
  mask_ = temporary(Dtype::I1, {active, lanes}).text;
  region(loop.body());
  carry_on(loop, carried, mask_);
  mask_ = outer;
  source_.close();
}

void Walk::unrolled_loop(ForRef loop) {
  const OpRef op = loop.op();
  const auto first = index_.as_constant(resolved(op, loop.first())),
             end = index_.as_constant(resolved(op, loop.last()));
  if (!first || !end) refuse(op, "an unrolled loop whose bounds are no constants");
  if (*end - *first > 4096) refuse(op, "an unrolled loop of more than 4096 iterations");
  std::vector<Spelled> carried;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const int lanes = strip_ && varying_.contains(loop.carried(i).id()) ? strip_->lanes : 1;
    carried.push_back({widened(spelled(loop.initial(i)), loop.carried(i).dtype(), lanes), lanes});
  }
  for (std::int64_t k = *first; k < *end; ++k) {
    constants_[loop.index().id()] = k;
    names_[loop.index().id()] = {leaves_.integer_literal(Dtype::I64, k), 1};
    for (std::size_t i = 0; i < carried.size(); ++i) names_[loop.carried(i).id()] = carried[i];
    region(loop.body());
    for (std::size_t i = 0; i < carried.size(); ++i)
      carried[i].text = widened(spelled(last(loop.body()).operand(i)), loop.carried(i).dtype(), carried[i].lanes);
  }
  constants_.erase(loop.index().id());
  for (std::size_t i = 0; i < carried.size(); ++i) names_[op.result(i).id()] = carried[i];
}

void Walk::vector_loop(ForRef loop) {
  const OpRef op = loop.op();
  const int lanes = static_cast<int>(loop.lanes());
  if (lanes > leaves_.most_lanes())
    refuse(op, "a vector loop of more than " + std::to_string(leaves_.most_lanes()) + " lanes");
  find_varying(loop);
  const SourceText from = index(op, loop.first()).text;
  const IndexExpr count = index_.sub(resolved(op, loop.last()), resolved(op, loop.first()));
  const auto extent = index_.as_constant(count);
  const bool whole = index_.as_constant(index_.mod(count, index_.constant(lanes))) == 0;
  const SourceText variable = fresh_index(loop);
  // One strip that is whole asks for no end.
  const SourceText end = extent == lanes ? "" : bound(index(op, loop.last()).text, variable.str() + "_end");
  const std::vector<SourceText> carried = start_lanes(loop, lanes);
  names_[loop.index().id()] = {variable, lanes};
  line((extent == lanes ? leaves_.unused() + "const " : "") + std::string(leaves_.index_type()) + " " + variable +
       " = " + from + ";");
  strip_ = Strip{lanes, loop.index(), variable, fresh(variable.str() + "_lanes"), {}, {}};
  if (extent == lanes) {
    source_.open("{");
    strip(loop, carried);
    source_.close();
  } else if (!extent || *extent >= lanes) {
    source_.open("for (; " + variable + " + " + std::to_string(lanes) + " <= " + end + "; " + variable +
                 " += " + std::to_string(lanes) + ") {");
    strip(loop, carried);
    source_.close();
  }
  if (!whole) {
    source_.open("if (" + variable + " < " + end + ") {");
    strip_->count = fresh(variable.str() + "_count");
    line("const " + std::string(leaves_.index_type()) + " " + strip_->count + " = " + end + " - " + variable + ";");
    strip_->mask = fresh(variable.str() + "_mask");
    line(leaves_.unused() + "const " + leaves_.variable_type(Dtype::I1, lanes) + " " + strip_->mask + " = " +
         leaves_.first_lanes(lanes, strip_->count) + ";");
    mask_ = strip_->mask;
    strip(loop, carried);
    mask_ = {};
    source_.close();
  }
  strip_.reset();
  varying_.clear();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Dtype dtype = loop.carried(i).dtype();
    const ExprId step = step_of(loop, i);
    SourceText acc = carried[i];
    for (int half = lanes / 2; half >= 1; half /= 2) {
      const Spelled low = temporary(dtype, {leaves_.low_half(dtype, 2 * half, acc), half});
      const Spelled high = temporary(dtype, {leaves_.high_half(dtype, 2 * half, acc), half});
      acc = temporary(dtype, expression(step, {low, high})).text;
    }
    declare(op.result(i), expression(step, {spelled(loop.initial(i)), {acc, 1}}));
  }
}

// The accumulators of a loop that reduces by lanes, each of which starts neutral.
std::vector<SourceText> Walk::start_lanes(ForRef loop, int lanes) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const Value v = loop.carried(i);
    const auto step = carried_step(loop, i);
    if (!step) refuse(loop.op(), "a vector loop that does not reduce what it carries");
    const NeutralElement neutral = neutral_element(step->fn, v.dtype());
    const Spelled start{is_float(v.dtype()) ? leaves_.real_literal(v.dtype(), neutral.real)
                                            : leaves_.integer_literal(v.dtype(), neutral.integer),
                        1};
    const SourceText name = fresh(v);
    names_[v.id()] = {name, lanes};
    line(leaves_.variable_type(v.dtype(), lanes) + " " + name + " = " + widened(start, v.dtype(), lanes) + ";");
    out.push_back(name);
  }
  return out;
}

// What brings two of them together, over two operands.
ExprId Walk::step_of(ForRef loop, std::size_t i) {
  const auto step = carried_step(loop, i);
  MLGC_ASSERT(step.ok(), "a vector loop that does not reduce what it carries");
  return step->combination;
}

// The body for one strip.
void Walk::strip(ForRef loop, const std::vector<SourceText>& carried) {
  for (std::size_t i = 0; i < carried.size(); ++i) names_[loop.carried(i).id()] = {carried[i], strip_->lanes};
  SourceBlock body = source_.block([&] {
    region(loop.body());
    carry_on(loop, carried, mask_);
  });
  if (strip_->base_lanes.is_among(body.variables()))
    body.add_first("const " + leaves_.variable_type(Dtype::I64, strip_->lanes) + " " + strip_->base_lanes + " = " +
                   leaves_.count_up(strip_->lanes, strip_->base) + ";");
  source_.append(std::move(body));
}

// Which values inside of the loop differ between its iterations: to a fixed point, since inner loops carry values.
void Walk::find_varying(ForRef vector_loop) {
  varying_.clear();
  varying_.insert(vector_loop.index().id());
  for (std::size_t i = 0; i < vector_loop.carried_count(); ++i) varying_.insert(vector_loop.carried(i).id());
  while (mark(vector_loop.body())) {
  }
}

bool Walk::mark(RegionRef r) {
  bool changed = false;
  const auto add = [&](Value v) { changed = varying_.insert(v.id()).second || changed; };
  const auto varies = [&](Value v) { return varying_.contains(v.id()); };
  for (const OpRef op : r.ops()) {
    bool any = false;
    for (const Value v : op.operands()) any = any || varies(v);
    if (const auto store = StoreRef::from(op);
        store.valid() && any && types_.scope(store.buffer().type()) == Scope::Register)
      add(store.buffer());
    if (op.is(LoopOp::For)) {
      const ForRef loop = ForRef::from(op);
      bool bounds = false;
      for (std::size_t i = 0; i + loop.carried_count() < op.operand_count(); ++i)
        bounds = bounds || varies(op.operand(i));
      for (std::size_t i = 0; i < loop.carried_count(); ++i) {
        const Value next = last(loop.body()).operand(i);
        if (!bounds && !varies(loop.initial(i)) && !varies(next)) continue;
        add(loop.carried(i));
        add(op.result(i));
      }
      changed = mark(loop.body()) || changed;
      continue;
    }
    if (op.is(LoopOp::If)) {
      for (std::size_t a = 0; a < op.region_count(); ++a) changed = mark(op.region(a)) || changed;
      for (std::size_t i = 0; i < op.result_count(); ++i) {
        bool value = varies(op.operand(0));
        for (std::size_t a = 0; a < op.region_count(); ++a) value = value || varies(last(op.region(a)).operand(i));
        if (value) add(op.result(i));
      }
      continue;
    }
    if (any)
      for (const Value v : op.results()) add(v);
  }
  return changed;
}

Result<PrintedFunction, Diagnostic> print_loop_function(OpRef func, const std::string& name, const Leaves& leaves) {
  try {
    return Walk(func, name, leaves).run();
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

}  // namespace mlgc::codegen

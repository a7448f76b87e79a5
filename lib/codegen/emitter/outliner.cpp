#include "codegen/emitter/outliner.h"

#include <algorithm>
#include <functional>

#include "codegen/emitter/function_emitter.h"
#include "codegen/loop_cost.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/nests.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer, the same for all machines: scalar operations of one op from which on its function has
// constants that compilers keep in registers.
constexpr std::int64_t kFewestOperations = 8;

// The op is a vector loop that holds a register tile, or holds one: a loop that carries several vector accumulators.
bool has_tile(OpRef op) {
  return !walk(op, [&](OpRef inner) {
    const ForRef loop = ForRef::from(inner);
    if (!loop.valid() || loop.kind() == LoopKind::Vector || loop.carried_count() < kFewestAccumulators)
      return WalkResult::Continue;
    for (OpRef at = inner; at != op;) {
      at = at.parent_op();
      if (const ForRef around = ForRef::from(at); around.valid() && around.kind() == LoopKind::Vector)
        return WalkResult::Stop;
    }
    return WalkResult::Continue;
  });
}

// How many operations the op is, without what stands in its regions. A square's transposition counts with the loads and
// stores that it is for.
std::int64_t operations_of(OpRef op) {
  if (FmaRef::from(op).valid()) return 2;
  return TransposeInPlaceRef::from(op).valid() ? 0 : 1;
}

// Iterations that are worth a thread's while: some thousand innermost ones. Extents that are not known count as 64.
std::int64_t grain(ForRef loop) {
  std::int64_t work = 1;
  const std::function<void(RegionRef, std::int64_t)> add = [&](RegionRef r, std::int64_t times) {
    for (const OpRef op : r.ops()) {
      if (!op.is(LoopOp::For)) {
        work += times * operations_of(op);
        for (std::size_t a = 0; a < op.region_count(); ++a) add(op.region(a), times);
        continue;
      }
      const ForRef inner = ForRef::from(op);
      const std::int64_t extent = usual_extent(inner).value_or(64);
      add(inner.body(), std::min<std::int64_t>(times * std::max<std::int64_t>(extent, 1), 1 << 20));
    }
  };
  add(loop.body(), 1);
  return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(work, 1));
}

}  // namespace

// Whether what is printed of the op names registers around it, which no function can be given.
bool Outliner::names_registers_around(OpRef op) const {
  const auto is_around = [&](Value v) {
    const ValueId buffer = underlying_buffer(v).id();
    return writer_.names.contains(buffer) && registers_.contains(underlying_buffer(v));
  };
  return !walk(op, [&](OpRef inner) {
    const auto operands = inner.operands();
    return std::any_of(operands.begin(), operands.end(), is_around) ? WalkResult::Stop : WalkResult::Continue;
  });
}

// Variables around the op that what is printed of it may name.
std::vector<TypedName> Outliner::variables_around(OpRef op) const {
  std::vector<TypedName> outside{{"const mlgc_runtime*", SourceText::runtime()}};
  std::unordered_set<ValueId> seen;
  const std::vector<bool> written = written_arguments(writer_.func);
  walk(op, [&](OpRef inner) {
    for (const Value operand : inner.operands()) {
      const Value v = underlying_buffer(operand);
      if (!writer_.names.contains(v.id()) || !seen.insert(v.id()).second || writer_.constants.contains(v.id()))
        continue;
      if (registers_.contains(v)) continue;
      if (types_.kind(v.type()) != TypeKind::Buffer) {
        outside.push_back({type_of(dtype_of(v), text_of(v)), text_of(v).text});
        continue;
      }
      const bool constant = v.is_argument() && v.argument_of() == writer_.func.region(0) && !written[v.number()];
      outside.push_back(
          {(constant ? "const " : "") + std::string(hooks_.element_type(v.dtype())) + "*", text_of(v).text});
    }
  });
  for (const AtomId s : symbols_of(writer_.func))
    outside.push_back({std::string(hooks_.index_type()), writer_.symbol_names.at(s)});
  return outside;
}

// A function over a range of iterations, which the runtime calls, and what it needs from around it in a struct.
void Outliner::parallel_loop(ForRef loop) {
  const OpRef op = loop.op();
  const std::string stem = writer_.unused_name(writer_.name + "_loop" + std::to_string(++writer_.outlined_loops));
  const SourceText first = indices_.index(op, loop.first()).text;
  const IndexExpr count = index_.sub(resolved(op, loop.last()), resolved(op, loop.first()));
  const SourceText number = indices_.index(op, count).text;

  if (names_registers_around(op)) refuse(op, "a register buffer of around a parallel loop inside of it");
  const auto outside = variables_around(op);
  writer_.in_body = true;
  parallel_loop_ = op;
  const bool streams = std::exchange(accesses_.streams, false);
  const SourceBlock inside = writer_.source.body_of_function([&] {
    const SourceText variable = fresh_index(loop);
    writer_.names[loop.index().id()] = {variable, 1};
    const SourceText start = first.is_number(0) ? "" : first + " + ";
    open(hooks_.loop_head(variable, start + "begin", start + "end", 1) + " {");
    function_.region(loop.body());
    close();
    if (accesses_.streams) line(hooks_.end_of_streams());
    line("return 0;");
  });
  accesses_.streams = streams;
  writer_.in_body = false;
  parallel_loop_ = {};

  const Variables used = inside.variables();
  std::string fields, locals;
  std::vector<SourceText> values;
  for (const auto& [type, name] : outside) {
    if (!name.is_among(used)) continue;
    fields += "  " + type + " " + name.str() + ";\n";
    locals += "  const auto " + name.str() + " = loop->" + name.str() + ";\n";
    values.push_back(name);
  }
  const std::string status(hooks_.status_type()), index_type(hooks_.index_type());
  writer_.functions_before += "struct " + stem + " {\n" + fields + "};\n" + std::string(hooks_.function_prefix()) +
                              status + " " + stem + "_range(void* argument, " + index_type + " begin, " + index_type +
                              " end, void* memory_of_range) {\n";
  if (fields.empty()) {
    writer_.functions_before += "  (void)argument;\n";
  } else {
    writer_.functions_before += "  const auto* loop = static_cast<const " + stem + "*>(argument);\n" + locals;
  }
  writer_.functions_before += SourceText::scratch().is_among(used)
                                  ? "  char* const scratch = static_cast<char*>(memory_of_range);\n"
                                  : "  (void)memory_of_range;\n";
  writer_.functions_before += inside.print(1) + "}\n\n";
  const SourceText runtime = SourceText::runtime();
  open("{");
  line(stem + " loop = {" + comma_separated(values) + "};");
  line("const " + status + " failed = " + runtime + "->parallel_for(" + runtime + ", " + number + ", " +
       std::to_string(grain(loop)) + ", " + stem + "_range, &loop);");
  line(SourceText("if (failed != 0) return failed;").returning());
  close();
}

// A loop nest beside a register tile, with an op of many operations. Compilers keep the constants of these, a
// polynomial's coefficients among them, in registers all through a function; the register pressure then spills
// accumulators of the tile in its innermost loop.
bool Outliner::outlines_nest(ForRef loop) {
  if (writer_.grid != nullptr || writer_.tables != nullptr || lanes_.strip || in_nest_ || loop.carried_count() > 0)
    return false;
  OpRef function = loop.op().parent_op();
  while (function != writer_.func && function != parallel_loop_) function = function.parent_op();
  const auto [known, is_new] = has_tile_.try_emplace(function.id(), false);
  if (is_new) known->second = has_tile(function);
  if (!known->second || has_tile(loop.op()) || names_registers_around(loop.op())) return false;
  std::int64_t operations = 0;
  walk(loop.op(), [&](OpRef op) { operations = std::max(operations, float_operations(op)); });
  return operations >= kFewestOperations;
}

void Outliner::nest(ForRef loop) {
  const OpRef op = loop.op();
  const std::string function = writer_.unused_name(writer_.name + "_nest" + std::to_string(++nests_));
  auto variables = variables_around(op);
  for (const SourceText& memory : {SourceText::scratch(), SourceText::memory()}) variables.push_back({"char*", memory});
  in_nest_ = true;
  const SourceBlock inside = writer_.source.body_of_function([&] { function_.loop(op); });
  in_nest_ = false;
  const Variables used = inside.variables();
  std::string parameters;
  std::vector<SourceText> arguments;
  for (const auto& [type, name] : variables) {
    if (!name.is_among(used)) continue;
    parameters += (parameters.empty() ? "" : ", ") + type + " " + name.str();
    arguments.push_back(name);
  }
  const bool can_fail = inside.can_return();
  writer_.functions_before += std::string(hooks_.apart_prefix()) +
                              (can_fail ? std::string(hooks_.status_type()) : "void") + " " + function + "(" +
                              parameters + ") {\n" + inside.print(1) + (can_fail ? "  return 0;\n" : "") + "}\n\n";
  line(can_fail ? hooks_.call_or_return(function, comma_separated(arguments))
                : function + "(" + comma_separated(arguments) + ");");
}

}  // namespace mlgc::codegen

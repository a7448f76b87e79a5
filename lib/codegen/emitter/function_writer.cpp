#include "codegen/emitter/function_writer.h"

#include "codegen/identifiers.h"
#include "diag/kinds_codegen.h"

namespace mlgc::codegen {
FunctionWriter::FunctionWriter(OpRef of, std::string printed, const EmitterHooks& back_end,
                               const HostFunctionTables* host)
    : func(of),
      name(std::move(printed)),
      hooks(back_end),
      grid(back_end.grid()),
      tables(host),
      context(of.module().context()),
      memory{context.index().constant(0), context.index().constant(0)} {}

std::string FunctionWriter::unused_name(std::string_view wanted) {
  const std::string stem = identifier_of(wanted, hooks);
  std::string out = stem;
  for (int n = 2; !used_.insert(out).second; ++n) out = stem + "_" + std::to_string(n);
  return out;
}

SourceText FunctionWriter::variable(std::string taken) {
  return SourceText::variable(std::move(taken), static_cast<VariableId>(next_variable_++));
}

SourceText FunctionWriter::fresh(Value v) {
  return v.name().empty() ? fresh("v" + std::to_string(next_value_++)) : fresh(v.name());
}

const ValueText& FunctionWriter::text_of(Value v) const {
  const auto found = names.find(v.id());
  MLGC_ASSERT(found != names.end(), "a value without a name");
  return found->second;
}

Dtype FunctionWriter::dtype_of(Value v) const {
  return context.types().kind(v.type()) == TypeKind::Index ? Dtype::I64 : context.types().dtype(v.type());
}

SourceText FunctionWriter::widened(const ValueText& value, Dtype dtype, int lanes) const {
  if (value.lanes == lanes) return value.text;
  if (value.bits) return hooks.splat_bits(lanes, value.text);
  return hooks.splat(dtype, lanes, value.text);
}

ValueText FunctionWriter::temporary(Dtype dtype, const ValueText& value) {
  const SourceText variable = fresh("t" + std::to_string(next_temporary_++));
  line("const " + hooks.variable_type(dtype, value.lanes) + " " + variable + " = " + value.text.without_brackets() +
       ";");
  return {variable, value.lanes};
}

void FunctionWriter::declare(Value v, const ValueText& value) {
  const SourceText variable = fresh(v);
  names[v.id()] = {variable, value.lanes, value.bits};
  line("const " + type_of(dtype_of(v), value) + " " + variable + " = " + value.text.without_brackets() + ";");
}

void FunctionWriter::refuse(OpRef op, const std::string& what) { throw diagnose<kCannotEmit>(op.location(), what); }

SourceText FunctionWriter::bound(const SourceText& value, std::string_view stem) {
  if (!value.empty() && value.is_word()) return value;
  SourceText variable = fresh(stem);
  line("const " + std::string(hooks.index_type()) + " " + variable + " = " + value.without_brackets() + ";");
  return variable;
}

// Indices of unrolled loops become numbers.
IndexExpr FunctionWriter::resolved(OpRef op, IndexExpr e) const {
  IndexPool& index = context.index();
  if (constants.empty()) return e;
  return index.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index.atom(id);
    if (atom.kind != AtomKind::Opaque) return std::nullopt;
    const auto found = constants.find(op.operand(atom.number).id());
    if (found == constants.end()) return std::nullopt;
    return index.constant(found->second);
  });
}

std::string FunctionWriter::type_of(Dtype dtype, const ValueText& value) const {
  return value.bits ? hooks.bits_type(value.lanes) : hooks.variable_type(dtype, value.lanes);
}

}  // namespace mlgc::codegen

// Private to lib/codegen: what the emitters of one function share. Its names, its statements, and the texts of values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/emitter/source_block.h"
#include "codegen/emitter_hooks.h"
#include "codegen/model_table.h"
#include "ir/function_facts.h"
#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"

namespace mlgc::codegen {

// A value as text: a scalar, or, where it differs between the iterations of the vector loop around it, a vector.
struct ValueText {
  SourceText text;
  int lanes = 1;
  bool bits = false;     // of a 16-bit float: as it lies in memory (scalar_emitter.h)
  bool element = false;  // no variable, but an element in its place
};

// The memory that a function asks its caller for, in bytes.
struct RequiredMemory {
  IndexExpr bytes;    // of the whole function
  IndexExpr scratch;  // of each thread, or of each block of a kernel
  bool takes_memory = false;
  std::unordered_map<OpId, IndexExpr> places = {};  // of each `alloc`
};

// While a piece is printed whose iterations have one quotient (piece_runs.h): `(index + added) floordiv divisor`, and
// the remainder of the iteration that is printed.
struct QuotientRun {
  ValueId index;
  std::int64_t added, divisor;
  SourceText quotient, remainder;
};

class FunctionWriter {
 public:
  // `tables`: those of a host function; null: a function over buffers.
  FunctionWriter(OpRef func, std::string name, const EmitterHooks& hooks, const HostFunctionTables* tables);

  const OpRef func;
  const std::string name;  // as printed
  const EmitterHooks& hooks;
  const GridHooks* const grid;  // null: lanes are those of vectors
  const HostFunctionTables* const tables;
  Context& context;
  FunctionFacts facts;

  SourceBuilder source;
  std::string functions_before;  // functions in front of this one
  std::size_t outlined_loops = 0;
  bool in_body = false;  // of a loop that threads share, or of a kernel: memory is scratch
  RequiredMemory memory;

  std::unordered_map<ValueId, ValueText> names;
  std::unordered_map<ValueId, std::int64_t> constants;  // indices of unrolled loops
  std::unordered_map<AtomId, SourceText> symbol_names;
  std::vector<QuotientRun> runs;
  std::unordered_set<ValueId> narrow;      // indices whose variables have 32 bits (narrow_indices.h)
  std::unordered_set<OpId> rounded_later;  // stores into pieces of numbers, which are rounded as they are written

  void line(SourceText text) { source.line(std::move(text)); }
  // Names that nothing else in the function has, of the wanted stem.
  void reserve(const std::string& name) { used_.insert(name); }
  std::string unused_name(std::string_view wanted);
  // A new variable of a name that is taken already.
  SourceText variable(std::string name);
  SourceText fresh(std::string_view wanted) { return variable(unused_name(wanted)); }
  SourceText fresh(Value v);
  static std::string_view index_name(ForRef loop) { return loop.index().name().empty() ? "i" : loop.index().name(); }
  SourceText fresh_index(ForRef loop) { return fresh(index_name(loop)); }

  [[nodiscard]] const ValueText& text_of(Value v) const;
  [[nodiscard]] Dtype dtype_of(Value v) const;
  // The type of a variable that holds the value.
  [[nodiscard]] std::string type_of(Dtype dtype, const ValueText& value) const;
  [[nodiscard]] SourceText widened(const ValueText& value, Dtype dtype, int lanes) const;
  // A variable that holds the text; the same as the name of a value; a word that stands for a number.
  ValueText temporary(Dtype dtype, const ValueText& value);
  void declare(Value v, const ValueText& value);
  SourceText bound(const SourceText& value, std::string_view stem);
  // With the indices of unrolled loops as numbers.
  [[nodiscard]] IndexExpr resolved(OpRef op, IndexExpr e) const;
  // Error: the text may say this, and no function of C is made of it.
  [[noreturn]] static void refuse(OpRef op, const std::string& what);

 private:
  std::set<std::string> used_;
  std::uint32_t next_variable_ = static_cast<std::uint32_t>(VariableId::FirstOfFunction);
  std::size_t next_value_ = 0, next_temporary_ = 0;
};

// What each emitter of a function uses all the time.
class EmitterPart {
 protected:
  explicit EmitterPart(FunctionWriter& writer)
      : writer_(writer),
        hooks_(writer.hooks),
        context_(writer.context),
        index_(writer.context.index()),
        types_(writer.context.types()),
        formulas_(formulas(writer.context)) {}

  void line(SourceText text) { writer_.source.line(std::move(text)); }
  void open(SourceText head) { writer_.source.open(std::move(head)); }
  void next(SourceText head) { writer_.source.next(std::move(head)); }
  void close() { writer_.source.close(); }
  SourceText fresh(std::string_view wanted) { return writer_.fresh(wanted); }
  SourceText fresh(Value v) { return writer_.fresh(v); }
  SourceText fresh_index(ForRef loop) { return writer_.fresh_index(loop); }
  [[nodiscard]] const ValueText& text_of(Value v) const { return writer_.text_of(v); }
  [[nodiscard]] Dtype dtype_of(Value v) const { return writer_.dtype_of(v); }
  [[nodiscard]] std::string type_of(Dtype dtype, const ValueText& value) const { return writer_.type_of(dtype, value); }
  [[nodiscard]] SourceText widened(const ValueText& value, Dtype dtype, int lanes) const {
    return writer_.widened(value, dtype, lanes);
  }
  ValueText temporary(Dtype dtype, const ValueText& value) { return writer_.temporary(dtype, value); }
  void declare(Value v, const ValueText& value) { writer_.declare(v, value); }
  SourceText bound(const SourceText& value, std::string_view stem) { return writer_.bound(value, stem); }
  [[nodiscard]] IndexExpr resolved(OpRef op, IndexExpr e) const { return writer_.resolved(op, e); }
  [[noreturn]] static void refuse(OpRef op, const std::string& what) { FunctionWriter::refuse(op, what); }

  FunctionWriter& writer_;
  const EmitterHooks& hooks_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& formulas_;
};

}  // namespace mlgc::codegen

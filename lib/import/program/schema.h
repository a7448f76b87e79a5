// Schemas of ATen operators: names, kinds and defaults of arguments, which an exported program leaves out.
//
// The table is generated (scripts/generate-aten-schemas), so no torch is needed to import.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/program/program.h"
#include "support/result.h"

namespace mlgc::program {

struct SchemaRow {
  std::string_view target;  // `aten.relu.default`
  std::string_view schema;  // as torch prints it, without the name: `(Tensor self) -> Tensor`
};
// Sorted by target.
[[nodiscard]] std::span<const SchemaRow> schema_table();

struct SchemaArgument {
  enum class Kind {
    Tensor,
    TensorList,
    Int,
    IntList,
    Float,
    FloatList,
    Bool,
    BoolList,
    Number,
    String,
    Dtype,
    Layout,
    MemoryFormat,
    Device,
    Other
  };
  std::string_view name;
  Kind kind = Kind::Other;
  std::size_t length = 0;  // of `int[2]`, else 0
  bool optional = false;
  bool has_default = false;
  Argument fallback;
};

struct Schema {
  std::vector<SchemaArgument> arguments;
};

// An argument of a call, from the call or from the schema.
struct BoundArgument {
  std::string_view name;
  SchemaArgument::Kind kind = SchemaArgument::Kind::Other;
  Argument value;
  bool neutral = false;  // the value is the schema's default
  // A tensor, or a number that stands where a tensor may.
  [[nodiscard]] bool is_data() const {
    return kind == SchemaArgument::Kind::Tensor || kind == SchemaArgument::Kind::TensorList ||
           kind == SchemaArgument::Kind::Number;
  }
};

// Null for an unknown operator.
[[nodiscard]] const SchemaRow* find_schema_row(std::string_view target);

// Whether an operator of this name (`add_`, without namespace and overload) changes its first operand by ATen's
// convention; `__and__` is Python's.
[[nodiscard]] bool is_in_place(std::string_view name);

// Nothing for an unknown operator. InternalError when a row of the table cannot be read (a test reads all).
[[nodiscard]] std::optional<Schema> find_schema(std::string_view target);

// Arguments in the order of the schema, fallbacks filled in and brought to the schema's kind: an integer stands for a
// list of equal ones, an empty list of no known kind for an empty list of the right one. Error: what does not fit, as a
// diagnostic about `target` without a location.
[[nodiscard]] Result<std::vector<BoundArgument>, Diagnostic> bind_arguments(const Schema& schema,
                                                                            std::string_view target,
                                                                            std::span<const NamedArgument> given);

}  // namespace mlgc::program

// --input-type and --where: the types of inputs of a model whose file does not say them, and bounds of their sizes.
//
//     --input-type=NAME=TYPE   2x3xf32, [B]x4xi64, f32 (rank 0)
//     --where=CONSTRAINTS      as in the text form: 1 <= B <= 64, B mod 8 == 0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/arguments.h"

namespace mlgc {

struct InputTypeFlags {
  std::vector<std::string> given;
  std::vector<std::pair<std::string, std::string>> types;  // name and type
  std::vector<std::string> where;
};
void add_input_type_flag(Arguments& arguments, InputTypeFlags& flags);

// Fills `types` from `given`. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_input_types(InputTypeFlags& flags, const std::string& command);

}  // namespace mlgc

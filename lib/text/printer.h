// The printer of the text form, pretty and generic (plain MLIR, read by mlir-opt --allow-unregistered-dialect).
//
// Guarantees
//   - What is printed reads back: print(parse(print(m))) == print(m), and parse(print(m)) has the structural hash of m.
//   - The same module prints the same bytes in every process. Names of values are kept; where two clash, a number is
//     appended to the later one. Values without a name are numbered. Attributes are sorted by name. Floats are the
//     shortest digits that read back as the same value, NaNs and infinities are bits.
//   - What the pretty form cannot say of an op (a row's region that is missing, …) is printed in the generic form
//   there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace mlgc {

enum class TextForm : std::uint8_t { Pretty, Generic };

struct PrintOptions {
  TextForm form = TextForm::Pretty;
  bool locations = false;
};

[[nodiscard]] std::string print(const Module& module, const PrintOptions& options = {});
// Appends.
void print(std::string& out, const Module& module, const PrintOptions& options = {});
// One op with its regions; values from outside are shown by the names they have, or as `%?`.
[[nodiscard]] std::string print(OpRef op, const PrintOptions& options = {});

// What values, of ops and of regions, are called where the module prints in the pretty form, without the %, in the
// order of the text. Functions number their values alike: a name may be there several times.
[[nodiscard]] std::vector<std::pair<std::string, Value>> printed_names(const Module& module);

[[nodiscard]] std::string print_type(Type type, const Context& context, TextForm form = TextForm::Pretty);
// `wanted` is what the row asks for at the place where the text will stand, as in parse_attribute().
[[nodiscard]] std::string print_attribute(Attribute attribute, const Context& context,
                                          AttributeKind wanted = AttributeKind::None, TextForm form = TextForm::Pretty);

}  // namespace mlgc

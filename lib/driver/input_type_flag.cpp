// See input_type_flag.h.
#include "driver/input_type_flag.h"

#include <algorithm>

#include "diag/kinds_driver.h"

namespace mlgc {

void add_input_type_flag(Arguments& arguments, InputTypeFlags& flags) {
  arguments.add_list("--input-type", flags.given, "NAME=TYPE",
                     "The type of an input of a TorchScript file: 2x3xf32, [B]x4xi64; repeatable");
  arguments.add_list("--where", flags.where, "CONSTRAINTS",
                     "Bounds of sizes in --input-type: 1 <= B <= 64, B mod 8 == 0; repeatable");
  arguments.needs("--where", "--input-type");
}

std::optional<Diagnostic> read_input_types(InputTypeFlags& flags, const std::string& command) {
  for (const std::string& text : flags.given) {
    const std::size_t equals = text.find('=');
    const auto wrong = [&](const std::string& why) {
      return diagnose<kBadFlag>({}, "--input-type=" + text + ": " + why, command);
    };
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return wrong("it must be NAME=TYPE, as in x=2x3xf32");
    const std::string name = text.substr(0, equals);
    const auto same = [&](const auto& entry) { return entry.first == name; };
    if (std::any_of(flags.types.begin(), flags.types.end(), same)) return wrong("the type is given twice");
    flags.types.emplace_back(name, text.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace mlgc

// Flags that several commands have in the same words: which model, which function of it, its weights, how it is
// compiled.
#pragma once

#include <string>
#include <vector>

#include "driver/arguments.h"
#include "execution/module_data.h"
#include "ops/numerics.h"

namespace mlgc {

// A text of a module or a model file.
void add_module_argument(Arguments& arguments, std::string& input);
// --function; left out, it is the only one, or the one of a usual name.
void add_function_flag(Arguments& arguments, std::string& function);
// --of, --wrt
void add_derivative_flags(Arguments& arguments, std::vector<std::string>& of, std::vector<std::string>& wrt);
// --weights, --random-weights
void add_weight_flags(Arguments& arguments, DataOptions& data);
// --numerics
void add_numerics_flag(Arguments& arguments, Numerics& numerics,
                       const std::string& help = "What may change the rounding of floats");
// --host-compiler
void add_host_compiler_flag(Arguments& arguments, std::string& command);

}  // namespace mlgc

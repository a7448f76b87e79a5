// From an exported program and its weights to a module.
//
// The function is called `forward`; its arguments are the program's tensor inputs in order, its results the tensor
// outputs in order. Parameters and buffers that the graph uses are weights of the module by their fully qualified
// names; those that it replaces are states, paired with their new values by `updates`. Tensors that the program calls
// by several names are kept once; their location lists all names. Sizes that are dynamic become symbols (B, B1, … for
// leading sizes of inputs, S, S1, … for others) with the recorded ranges as `where` constraints.
//
// A model that generates random numbers gets one more argument, the last: the key (tensor<2xi64>: seed and offset) from
// which they follow. Each operator uses a range of its own after the offset. There is no hidden generator, so
// the numbers are not PyTorch's; a note says by how much to move the offset on for fresh ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "import/program/fallback.h"
#include "import/program/program.h"
#include "import/program/weights.h"
#include "ir/module.h"
#include "tensor/npz.h"

namespace mlgc {

struct ImportOptions {
  std::string model = {};         // which model of an archive that holds several; empty: the only one, or `model`
  std::string module_name = {};   // symbol of the module; empty: none
  std::string weights_file = {};  // what the module says its weights are in; empty: nothing
  Fallback fallback = Fallback::Error;
  // Of inputs, by name: `2x3xf32`, `[B]x4xi64`. For formats that do not record them.
  std::vector<std::pair<std::string, std::string>> input_types = {};
  std::vector<std::string> where = {};  // bounds of sizes in input_types: `1 <= B <= 64, B mod 8 == 0`
};

struct ImportedModel {
  Module module;
  NamedTensors weights;  // by symbol, in the order of the module; those without data are left out
  FallbackLedger fallback = {};
  std::string mapped_from = {};  // path of the file they are mapped from, where that is not the model's own
};

namespace program {

// Every error goes to the engine, notes and warnings too; nothing comes back after an error. Time is linear in the
// program for each of the bounds of sizes that are tried: one for most programs, at most some k log n where k of n
// sizes have to stay higher than others.
[[nodiscard]] std::optional<ImportedModel> import_program(const std::shared_ptr<Context>& context,
                                                          const Program& program, const WeightSource& weights,
                                                          const ImportOptions& options, DiagnosticEngine& engine);

}  // namespace program
}  // namespace mlgc

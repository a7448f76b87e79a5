// Examples of diagnostics: what provokes each kind, and the repair. They stand in lib/diag/examples/<table>.txt, in the
// order of the kinds, and are embedded when the build is configured; test/commands/diagnostics_test.py runs them.
//
//     # unknown-op                                a kind
//     @ wrong.mlir                                a file; its lines follow, with two columns in front of each
//       func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
//     -   %y = reluu %x                           in the example alone
//     +   %y = relu %x                            in the repaired example alone
//         return %y
//       }
//     $ mlgc opt wrong.mlir                       a command; `-$` and `+$` stand in one of both alone
//     > The repair in words, where neither the lines nor the kind's remedy say it.
//     ! torch                                     what the example needs: torch, faults
//     ? Why no command provokes it: the test that does, test/unit/….
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc {

struct ExampleLine {
  bool in_example = true, in_repaired = true;
  std::string_view text;
};

struct ExampleFile {
  std::string_view name;
  std::vector<ExampleLine> lines;
};

struct DiagExample {
  std::string_view id;
  std::vector<ExampleFile> files;
  std::vector<ExampleLine> commands;
  std::string repair, unprovoked;
  std::string_view needs;

  // Whether a line of a file or a command is another one after the repair.
  [[nodiscard]] bool has_repair() const;
};

// In the order of the files. Lines are those of the embedded texts.
[[nodiscard]] const std::vector<DiagExample>& diag_examples();
// Null without one.
[[nodiscard]] const DiagExample* find_example(std::string_view id);

// The lines of one side, each with its end.
[[nodiscard]] std::string example_text(const std::vector<ExampleLine>& lines, bool repaired);

// The embedded texts.
[[nodiscard]] std::vector<std::string_view> example_texts();

}  // namespace mlgc

// Printed C++ is compiled and run: it gives the interpreter's bits for every formula of the thread.
#include "compiled.h"

TEST_CASE("printed C++ of six formulas and their gradients agrees with the interpreter and the judge") {
  const auto context = make_context();
  Module module(context);
  std::vector<Program> programs;
  for (const Case& c : cases()) {
    const Formula formula = formula_of(*context, c);
    programs.push_back({&c, formula, lower_formula(module, formula, c.name)});
    for (const bool invert : {true, false}) {
      const Formula derived = gradient_of(*context, formula, invert);
      const std::string name = std::string(c.name) + (invert ? "_grad" : "_pushes");
      programs.push_back({&c, derived, lower_formula(module, derived, name)});
    }
  }
  // The text is what is compiled.
  Module read = read_text(context, print(module));
  CHECK(check_programs(read, programs, "g++", {"-O1", "-DMLGC_ONLY=16"}) > 150);
}

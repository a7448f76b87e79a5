// Printed C++ is compiled and run: it gives the interpreter's bits for every formula of the thread.
#include <fstream>
#include <iterator>
#include <regex>

#include "compiled.h"

TEST_CASE("printed C++ of six formulas and their gradients agrees with the interpreter and the reference in f64") {
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

// Emitted files do not include the runtime's header: they say the same of it.
TEST_CASE("what emitted code says of the runtime is what the runtime's header says") {
  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    REQUIRE(file.good());
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  // The text from `from` to `to`, in the words of <cstdint>, without comments and with single spaces.
  const auto declaration = [](std::string text, const std::string& from, const std::string& to) {
    text = std::regex_replace(text, std::regex(R"(/\*[^*]*\*+([^/*][^*]*\*+)*/)"), " ");
    text = std::regex_replace(text, std::regex("mlgc_i(32|64)"), "int$1_t");
    const std::size_t begin = text.find(from);
    REQUIRE(begin != std::string::npos);
    const std::size_t end = text.find(to, begin);
    REQUIRE(end != std::string::npos);
    return std::regex_replace(text.substr(begin, end - begin), std::regex(R"(\s+)"), " ");
  };
  const auto context = make_context();
  const Module module = read_text(context, R"(func @f(%x: buffer<f32, argument>, %y: buffer<f32, argument>) {
  %0 = load %x[]
  store %0, %y[]
  return
})");
  const OpRef functions[] = {module.lookup("f")};
  const auto unit = print_cpp(functions);
  REQUIRE(unit);
  const std::string header = read(MLGC_DOCS "/../lib/runtime/unit.h");
  for (const auto& [from, to] : {std::pair("struct mlgc_runtime {", "};"), std::pair("int32_t mlgc_body(", ";")})
    CHECK(declaration(unit->text, from, to) == declaration(header, from, to));
}

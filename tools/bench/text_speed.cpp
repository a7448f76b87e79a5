// Parses and prints a generated function of N elementwise ops (default 1,000,000) and reports seconds and memory:
//     text_speed [N]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "text/parser.h"
#include "text/printer.h"

namespace {

using namespace mlgc;

constexpr OpDef kModule{.name = "module", .summary = "", .result_count = 0, .regions = {{"body"}}};
constexpr OpDef kFunc{.name = "func",
                      .summary = "",
                      .attrs = {{"sym_name", AttributeKind::String}},
                      .result_count = 0,
                      .regions = {{"body", "return"}},
                      .traits = Traits::Symbol | Traits::IsolatedRegion};
constexpr OpDef kReturn{.name = "return",
                        .summary = "",
                        .operands = {{"values", ElementClass::Value, true}},
                        .result_count = 0,
                        .traits = Traits::Terminator};
constexpr OpDef kAdd{.name = "add", .summary = "", .operands = {{"a"}, {"b"}}};
constexpr OpDef kRelu{.name = "relu", .summary = "", .operands = {{"x"}}};
constexpr const OpDef* kRows[] = {&kModule, &kFunc, &kReturn, &kAdd, &kRelu};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  std::string text =
      "module {\n  func @f(%x: tensor<[B]x784xf32>) -> tensor<[B]x784xf32> {\n    %0 = relu %x : "
      "tensor<[B]x784xf32>\n";
  for (long i = 1; i < count; ++i) {
    const std::string before = "%" + std::to_string(i - 1);
    text += "    %" + std::to_string(i) + (i % 3 == 0 ? " = relu " + before : " = add " + before + ", %x") +
            " : tensor<[B]x784xf32>\n";
  }
  text += "    return %" + std::to_string(count - 1) + "\n  }\n}\n";

  const auto context = std::make_shared<Context>(kRows);
  const SourceFile& file = context->locations().add_source("generated", std::move(text));
  DiagnosticEngine diagnostics(context->locations());
  const double before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  const std::optional<Module> module = parse_module(context, file, diagnostics);
  const auto parsed = std::chrono::steady_clock::now();
  if (!module) return 1;
  const double after = peak_megabytes();
  const std::string out = print(*module);
  const auto printed = std::chrono::steady_clock::now();
  const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  const double held = static_cast<double>(module->memory_bytes()) / (1024 * 1024);
  std::printf("%ld ops, %.1f MB of text: parse %.3f s, print %.3f s, same text: %s\n", count,
              static_cast<double>(file.size()) / (1024 * 1024), seconds(start, parsed), seconds(parsed, printed),
              out == file.text() ? "yes" : "no");
  std::printf("memory: module %.1f MB, beside it %.1f MB (%.0f bytes an op)\n", held, after - before - held,
              (after - before - held) * 1024 * 1024 / static_cast<double>(count));
  return out == file.text() ? 0 : 1;
}

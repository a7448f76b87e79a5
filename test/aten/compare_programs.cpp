// compare_programs: imports exported programs one after the other, evaluates each with the interpreter and holds it
// against PyTorch's results.
//
// Reads lines `MODEL.pt2<TAB>CASE.npz` from standard input. The arrays of a case are in0, in1, … (inputs), and for each
// result eager0, eager1, … (PyTorch's) and judge0, judge1, … (PyTorch's in f64 where the result is a float). What
// agrees is agrees() of lib/tensor. An array `extreme` says that what PyTorch itself makes of values that overflow on
// the way is not counted as a difference; if it is not 0, that they are compared element by element, with the signs of
// zeros.
//
// Prints one JSON object a line, flushed, so that a reader knows on which program this one ended:
// {"outcome", "kind", "target", "detail", "call"}. Outcomes: "agrees", "fallback" (refused, and agrees when what mlgc
// does not have becomes calls of PyTorch), "differs", "refused" (by the import), "fails" (by the interpreter),
// "internal error". Of a refused program `call` says why it is none with such calls either. `kind` is the diagnostic's;
// `target` the operator that the diagnostic points at, or empty. A program that takes longer than LIMIT_SECONDS ends
// this one by SIGPROF. Exit code 0, or 2 for bad usage or a case that cannot be read.
#include <sys/time.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "aten/run_torch_call.h"
#include "diag/render.h"
#include "import/pt2/import_pt2.h"
#include "interp/interpret_module.h"
#include "ops/op_table.h"
#include "tensor/compare.h"
#include "tensor/npz.h"
#include "tensor/print.h"
#include "verify/verify.h"

namespace {

using namespace mlgc;
using nlohmann::json;

constexpr const char* kUsage =
    "usage: compare_programs [LIMIT_SECONDS] < LIST\n\n"
    "Imports and evaluates the programs of LIST, lines `MODEL.pt2<TAB>CASE.npz`, and compares them with the results "
    "of\n"
    "PyTorch in the case. One JSON object a line is printed. The head of test/aten/compare_programs.cpp describes "
    "both;\n"
    "scripts/op-coverage writes and reads them. A program may take LIMIT_SECONDS (default 60).\n";

struct UnreadableCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Outcome {
  std::string word;
  std::string kind = {};
  std::string target = {};
  std::string detail = {};
  std::string call = {};
};

Outcome of_diagnostic(const std::string& word, const Diagnostic& diagnostic, const LocationTable& locations) {
  Outcome out{word, std::string(diagnostic.kind->id), {}, diagnostic.message()};
  if (locations.kind(diagnostic.at) == LocationKind::Origin) out.target = locations.origin_info(diagnostic.at).target;
  return out;
}

Outcome first_error(const DiagnosticEngine& engine) {
  for (const Diagnostic& diagnostic : engine.sorted())
    if (diagnostic.kind->severity == Severity::Error) return of_diagnostic("refused", diagnostic, engine.locations());
  return {"internal error", {}, {}, "no module and no error"};
}

// The judge's number where PyTorch's own is not finite and mine is that too, where it overflows on the way to what is
// finite in f64 (what it then is depends on the order of the terms), and where both are the same zero.
Tensor but_for_overflow(const Tensor& mine, const Tensor& judge, const Tensor& eager) {
  Tensor result = mine;
  if (!is_float(mine.dtype()) || mine.dtype() != eager.dtype() || mine.shape() != eager.shape()) return result;
  for (std::int64_t i = 0; i < mine.size(); ++i) {
    const double x = mine.get_double(i), e = eager.get_double(i), j = judge.get_double(i);
    const bool both_nan = std::isnan(x) && std::isnan(e);
    const bool same = both_nan || (x == e && std::signbit(x) == std::signbit(e));
    if ((same && (e == 0 || !std::isfinite(e))) || (!std::isfinite(e) && std::isfinite(j))) result.set_double(i, j);
  }
  return result;
}

// The element furthest from agreeing, with what it is computed from where that has one place.
std::string worst(const Difference& difference, const Tensor& eager, std::span<const Tensor> inputs) {
  if (difference.worst < 0) return "";
  std::string text = " (at " + position_text(difference.worst_position) + ": " +
                     format_number(difference.worst_actual) + ", PyTorch " + print_element(eager, difference.worst) +
                     ", in f64 " + format_number(difference.worst_expected);
  for (std::size_t i = 0; i < inputs.size() && difference.elementwise; ++i)
    if (inputs[i].shape() == difference.shape)
      text += (i == 0 ? ", of " : ", ") + print_element(inputs[i], difference.worst);
  return text + ")";
}

Outcome compare(const std::string& model_path, const std::string& case_path, Fallback fallback) {
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  ImportOptions import_options;
  import_options.fallback = fallback;
  std::optional<ImportedModel> model = import_pt2(context, model_path, import_options, engine);
  if (!model || !verify(model->module, engine)) return first_error(engine);
  const Result<NamedTensors> read = read_npz(case_path, NpyVoid2::ReadAsBf16);
  if (!read) throw UnreadableCase(read.error());
  const std::map<std::string, Tensor> arrays(read->begin(), read->end());
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; arrays.contains("in" + std::to_string(i)); ++i)
    inputs.push_back(arrays.at("in" + std::to_string(i)));
  const ModuleData data(model->weights.begin(), model->weights.end());
  InterpretOptions interpret_options;
  interpret_options.torch_call = torch_calls();
  const Result<Outputs, Diagnostic> outputs = interpret(model->module, "forward", inputs, data, interpret_options);
  if (!outputs) return of_diagnostic("fails", outputs.error(), context->locations());
  std::size_t expected = 0;
  while (arrays.contains("eager" + std::to_string(expected))) ++expected;
  if (outputs->results.size() != expected)
    return {
        "differs", {}, {}, std::to_string(outputs->results.size()) + " results instead of " + std::to_string(expected)};
  const bool extreme = arrays.contains("extreme");
  const bool elementwise = extreme && arrays.at("extreme").get_int(0) != 0;
  for (std::size_t i = 0; i < expected; ++i) {
    const std::string number = std::to_string(i);
    const Tensor& eager = arrays.at("eager" + number);
    const Tensor mine =
        extreme ? but_for_overflow(outputs->results[i], arrays.at("judge" + number), eager) : outputs->results[i];
    const Difference difference = agrees(mine, arrays.at("judge" + number), &eager,
                                         {.elementwise_edge = elementwise,
                                          .zero_signs = elementwise,
                                          .subject = mine.dtype() == Dtype::F64 ? "PyTorch in f64" : ""});
    if (!difference.agrees)
      return {"differs", {}, {}, "result " + number + ": " + difference.reason + worst(difference, eager, inputs)};
  }
  return {"agrees"};
}

// What is refused is tried again with calls of PyTorch.
Outcome compare(const std::string& model_path, const std::string& case_path) {
  Outcome outcome = compare(model_path, case_path, Fallback::Error);
  if (outcome.word != "refused") return outcome;
  const Outcome called = compare(model_path, case_path, Fallback::Allow);
  if (called.word == "agrees")
    outcome.word = "fallback";
  else
    outcome.call = called.detail;
  return outcome;
}

void print_outcome(const std::string& line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string::npos) throw UnreadableCase(line + ": no tab");
  Outcome outcome;
  try {
    outcome = compare(line.substr(0, tab), line.substr(tab + 1));
  } catch (const InternalError& error) {
    outcome = {"internal error", {}, {}, error.what()};
  }
  std::cout << json{{"outcome", outcome.word},
                    {"kind", outcome.kind},
                    {"target", outcome.target},
                    {"detail", outcome.detail},
                    {"call", outcome.call}}
                   .dump(-1, ' ', true, json::error_handler_t::replace)
            << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "60";
  if (word == "--help" || word == "-h") return std::fputs(kUsage, stdout), 0;
  const bool number = !word.empty() && word.size() < 6 && word.find_first_not_of("0123456789") == std::string::npos;
  if (argc > 2 || !number) return std::fputs(kUsage, stderr), 2;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      const itimerval limit{{0, 0}, {std::stol(word), 0}};  // of processor time
      setitimer(ITIMER_PROF, &limit, nullptr);
      print_outcome(line);
    }
  } catch (const UnreadableCase& error) {
    std::cerr << "compare_programs: " << error.what() << "\n";
    return 2;
  }
  return 0;
}

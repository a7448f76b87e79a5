// check_import MODEL.pt2 CASE.npz: imports a model, reads its text back, evaluates it and holds every result against
// PyTorch's (see make_models.py for the arrays). Exit code 0 when all agree.
#include <iostream>
#include <map>

#include "diag/render.h"
#include "import/pt2/import_pt2.h"
#include "interp/interpret_module.h"
#include "ir/structural_hash.h"
#include "ops/op_table.h"
#include "tensor/compare.h"
#include "tensor/npz.h"
#include "text/parser.h"
#include "text/printer.h"

using namespace mlgc;

namespace {

int fail(const std::string& what) {
  std::cerr << "error: " << what << "\n";
  return 1;
}

// The text of the module reads back as the same module.
bool reads_back(const ImportedModel& model, const std::string& text) {
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  const SourceFile& file = context->locations().add_source("printed", text);
  const std::optional<Module> again = parse_module(context, file, engine);
  if (!again) std::cerr << render_text(engine);
  return again && print(*again, {.form = TextForm::Pretty, .locations = true}) == text &&
         structural_hash(*again) == structural_hash(model.module);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: check_import MODEL.pt2 CASE.npz");
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  std::optional<ImportedModel> model = import_pt2(context, argv[1], {}, engine);
  std::cerr << render_text(engine);
  if (!model) return 1;
  std::cout << print(model->module);
  if (!reads_back(*model, print(model->module, {.form = TextForm::Pretty, .locations = true})))
    return fail("the text does not read back");
  const Result<NamedTensors> arrays = read_npz(argv[2]);
  if (!arrays) return fail(arrays.error());
  std::map<std::string, Tensor> named(arrays->begin(), arrays->end());
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; named.count("in" + std::to_string(i)) != 0; ++i)
    inputs.push_back(named.at("in" + std::to_string(i)));
  const ModuleData data(model->weights.begin(), model->weights.end());
  const Result<Outputs, Diagnostic> outputs = interpret(model->module, "forward", inputs, data);
  if (!outputs) return fail(outputs.error().message());
  // PyTorch's array has the results first, then the new states.
  std::vector<Tensor> results = outputs->results;
  for (const auto& [target, value] : outputs->updates) results.push_back(value);
  bool all_agree = true;
  std::size_t i = 0;
  for (; i < results.size() && named.count("eager" + std::to_string(i)) != 0; ++i) {
    const std::string number = std::to_string(i);
    const Difference difference = agrees(results[i], named.at("judge" + number), &named.at("eager" + number));
    std::cout << render_text(difference, "result " + number);
    all_agree = all_agree && difference.agrees;
  }
  if (i != results.size() || named.count("eager" + std::to_string(i)) != 0)
    return fail(std::to_string(results.size()) + " results, PyTorch has another number");
  return all_agree ? 0 : 1;
}

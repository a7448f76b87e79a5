// Any bytes as FX JSON: a module that prints and reads back, or errors, and a listing or errors. Beside the graph
// stands a sound file of weights that holds `w`, three f32.
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "fuzz_support.h"
#include "import/fx/import_fx.h"
#include "tensor/safetensors.h"
#include "text/printer.h"

namespace mlgc::fuzz {
namespace {

// In memory where the system has such a folder: every run writes the graph anew.
std::string scratch_folder() {
  const std::string folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  const NamedTensors weights{{"w", Tensor::zeros(Dtype::F32, {3})}};
  expect(write_safetensors(folder + "/mlgc-fuzz-fx.safetensors", weights).ok(), "the weights can be written", folder);
  return folder;
}

void check_fx(std::string_view input) {
  static const std::string path = scratch_folder() + "/mlgc-fuzz-" + std::to_string(getpid()) + ".fx.json";
  std::ofstream(path, std::ios::binary) << input;
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  const auto model = import_fx(context, path, {}, engine);
  expect(model.has_value() != engine.has_errors(), "a module or errors", render_text(engine));
  (void)render_json(engine);
  DiagnosticEngine of_listing(context->locations());
  const auto listing = fx_listing(*context, path, of_listing);
  expect(listing.has_value() != of_listing.has_errors(), "a listing or errors", render_text(of_listing));
  unlink(path.c_str());
  if (!model) return;
  expect(listing.has_value(), "what is imported can be listed");
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) {
    const std::string printed = print(model->module, {form, true});
    const Reading again(printed);
    expect(again.module.has_value(), "what is imported reads back", printed + again.errors());
    expect(print(*again.module, {form, true}) == printed, "print(parse(print(m))) == print(m)", printed);
  }
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_fx(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

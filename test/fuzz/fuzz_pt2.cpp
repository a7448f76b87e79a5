// Any bytes as a .pt2 file: a module that prints and reads back, or errors. An input that starts as a zip archive is
// the file itself; any other is the model's JSON and, behind a line `----`, that of its weights, in an archive whose
// remaining members are sound. (Checksums would otherwise stop nearly every mutation at the first member.)
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "fuzz_support.h"
#include "import/pt2/import_pt2.h"
#include "support/zip.h"
#include "text/printer.h"

namespace mlgc::fuzz {
namespace {

// In memory where the system has such a folder: every run writes it anew.
std::string scratch_file() {
  const std::string name = "mlgc-fuzz-" + std::to_string(getpid()) + ".pt2";
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm/" + name : "/tmp/" + name;
}

void write_archive(const std::string& path, std::string_view model, std::string_view weights) {
  auto zip = ZipWriter::create(path);
  expect(zip.ok(), "the scratch file can be written", path);
  const auto add = [&](const char* name, std::string_view content) {
    expect(zip->add(std::string("m/") + name, std::as_bytes(std::span<const char>(content))).ok(), "a member is added");
  };
  add("archive_format", "pt2");
  add("archive_version", "0");
  add("byteorder", "little");
  add("models/model.json", model);
  add("data/weights/model_weights_config.json", weights);
  add("data/constants/model_constants_config.json", R"({"config":{}})");
  for (const char* name : {"data/weights/weight_0", "data/weights/weight_1", "data/weights/weight_2"})
    add(name, std::string(24, '\1'));
  expect(zip->finish().ok(), "the archive is written");
}

void check_import(const std::string& path) {
  const auto context = make_context();
  DiagnosticEngine engine(context->locations());
  const auto model = import_pt2(context, path, {}, engine);
  expect(model.has_value() != engine.has_errors(), "a module or errors", render_text(engine));
  (void)render_json(engine);
  if (!model) return;
  for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) {
    const std::string printed = print(model->module, {form, true});
    const Reading again(printed);
    expect(again.module.has_value(), "what is imported reads back", printed + again.errors());
    expect(print(*again.module, {form, true}) == printed, "print(parse(print(m))) == print(m)", printed);
  }
}

void check_pt2(std::string_view input) {
  static const std::string path = scratch_file();
  if (input.starts_with("PK")) {
    std::ofstream(path, std::ios::binary) << input;
  } else {
    constexpr std::string_view kSeparator = "\n----\n";
    const std::size_t cut = input.find(kSeparator);
    write_archive(path, input.substr(0, cut),
                  cut == std::string_view::npos ? R"({"config":{}})" : input.substr(cut + kSeparator.size()));
  }
  check_import(path);
  unlink(path.c_str());
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_pt2(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

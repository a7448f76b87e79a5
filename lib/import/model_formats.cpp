#include "import/model_formats.h"

#include <algorithm>
#include <array>

#include "import/fx/import_fx.h"
#include "import/pt2/import_pt2.h"
#include "import/torchscript/import_torchscript.h"

namespace mlgc {
namespace {

constexpr std::array kModelFormats{
    ModelFormat{.name = "torch.export", .suffix = ".pt2", .file = ".pt2 of torch.export", .read = import_pt2},
    ModelFormat{.name = "TorchScript",
                .suffix = ".pt",
                .file = ".pt of TorchScript",
                .states_types = false,
                .read = import_torchscript},
    // A graph states types, and is imported again for others.
    ModelFormat{.name = "torch.fx", .suffix = ".json", .file = "FX JSON", .states_types = false, .read = import_fx},
};

}  // namespace

std::span<const ModelFormat> model_formats() { return kModelFormats; }

const ModelFormat& exported_format() { return kModelFormats.front(); }

const ModelFormat& model_format(std::string_view name) {
  const auto found = std::ranges::find(kModelFormats, name, &ModelFormat::name);
  MLGC_ASSERT(found != kModelFormats.end(), "there is no such format");
  return *found;
}

const ModelFormat* model_format_of(std::string_view path) {
  const auto found =
      std::ranges::find_if(kModelFormats, [&](const ModelFormat& row) { return path.ends_with(row.suffix); });
  return found == kModelFormats.end() ? nullptr : &*found;
}

std::string model_files_text() {
  std::string out;
  for (const ModelFormat& format : kModelFormats)
    out += std::string(out.empty() ? "" : &format == &kModelFormats.back() ? ", or " : ", ") + std::string(format.file);
  return out;
}

}  // namespace mlgc

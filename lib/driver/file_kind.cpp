// See file_kind.h.
#include "driver/file_kind.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "artifact/artifact.h"
#include "diag/kinds_driver.h"
#include "import/model_formats.h"
#include "support/zip.h"

namespace mlgc {
namespace {

// `%` stands for the path, `^` for it without its extension, `$` for the kinds of model files; `&` for the name of the
// format of models, `#` for its suffix.
struct Kind {
  std::string_view what, remedy;
  const ModelFormat* format = nullptr;  // of a model; null: that of torch.export
};
constexpr std::string_view kImport = "`mlgc import % -o ^.mlir` turns it into text";
constexpr Kind kCompiled{"a compiled model", "`mlgc run %` runs it; other commands take the model that it is made of"};
constexpr Kind kModel{"a model of &", kImport};
constexpr Kind kRenamed{"a model of & under another name", "call it ^#: formats are told apart by the end of the name"};
constexpr Kind kCheckpoint{"a file of torch.save, which holds tensors or Python objects and no graph",
                           "export the model: scripts/export, or torch.export.save(torch.export.export(model, inputs), "
                           "\"^#\")"};
constexpr Kind kArrays{"an archive of NumPy arrays", "inputs go with a module: `--input=@%`"};
constexpr Kind kArray{"a NumPy array", "inputs go with a module: `--input=NAME=@%`"};
constexpr Kind kWeights{"a file of weights", "weights go with a module: `--weights=%`"};
constexpr Kind kOnnx{"a model of ONNX, which mlgc does not read",
                     "export the PyTorch model that it is made of: scripts/export"};
constexpr Kind kLibrary{"a shared object", "`mlgc run` takes the folder that holds it"};
constexpr Kind kZip{"a zip archive of an unknown kind", "models are files of these kinds: $"};
constexpr Kind kRules{"a file of rewrite rules",
                      "`mlgc rules --check %` checks it; `--rules=%` applies it to a module"};
constexpr Kind kRegistry{"a registry of a target", "it goes with a module: `--registry=%`"};
constexpr Kind kFolder{"a folder", "give the file of a module or a model"};
constexpr Kind kBinary{"not a text", "give the text of a module, or a model: $"};

constexpr std::size_t kHead = 4096;

// A model of that format, which importers expect under its own suffix.
Kind kind_of_model(std::string_view format, std::string_view path) {
  const ModelFormat& row = model_format(format);
  Kind kind = path.ends_with(row.suffix) ? kModel : kRenamed;
  kind.format = &row;
  return kind;
}

bool has_extension(std::string_view path, std::string_view extension) { return path.ends_with(extension); }

Kind kind_of_archive(const std::string& path, const ZipReader& zip) {
  bool arrays = !zip.members().empty(), program = false, code = false, pickle = false;
  for (const ZipMember& member : zip.members()) {
    const std::string_view name = member.name;
    arrays = arrays && name.ends_with(".npy");
    program = program || (name.find("models/") != std::string_view::npos && name.ends_with(".json")) ||
              name.ends_with("serialized_exported_program.json");
    code = code || name.find("/code/") != std::string_view::npos;
    pickle = pickle || name.ends_with("data.pkl");
  }
  if (zip.find(kManifestName) != nullptr) return kCompiled;
  if (arrays) return kArrays;
  if (program) return kind_of_model(exported_format().name, path);
  if (code) return kind_of_model("TorchScript", path);
  return pickle ? kCheckpoint : kZip;
}

// The first word of what is no comment.
std::string_view first_word(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    if (!text.starts_with("//") && !text.starts_with('#')) break;
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

// Of torch.fx, whatever it is called: nothing but an object of JSON.
Kind graph() { return {"a graph of &", kImport, &model_format("torch.fx")}; }

// Of a file without members.
std::optional<Kind> kind_of_bytes(std::string_view path, std::string_view head) {
  if (head.starts_with("\x93NUMPY")) return kArray;
  if (head.starts_with("GGUF")) return kWeights;
  if (head.starts_with("\x7f"
                       "ELF"))
    return kLibrary;
  if (head.starts_with("\x80\x02") || head.starts_with("\x80\x03") || head.starts_with("\x80\x04")) return kCheckpoint;
  if (has_extension(path, ".onnx")) return kOnnx;
  constexpr std::size_t kLengthBytes = 8;
  if (head.size() > kLengthBytes && head[kLengthBytes] == '{' && head[kLengthBytes - 1] == 0) return kWeights;
  const auto stray = [](char c) {
    return (c >= 0 && c < ' ' && std::string_view("\t\n\v\f\r\x1b").find(c) == std::string_view::npos) || c == 0;
  };
  if (std::any_of(head.begin(), head.end(), stray)) return kBinary;
  const std::string_view word = first_word(head);
  // An object of JSON begins with a name; other braces are text that the parser refuses at its place.
  const auto start = static_cast<std::size_t>(word.data() - head.data());
  if (word.starts_with('{') && first_word(head.substr(start + 1)).starts_with('"'))
    return head.find("\"mlgc-registry\"") != std::string_view::npos ? kRegistry : graph();
  if (word == "set" || word == "rule") return kRules;
  return std::nullopt;
}

std::string filled_in(std::string_view text, const std::string& path, const Kind& kind) {
  const ModelFormat& format = kind.format != nullptr ? *kind.format : exported_format();
  std::string out;
  for (const char c : text)
    out += c == '%'   ? path
           : c == '^' ? std::filesystem::path(path).replace_extension().string()
           : c == '$' ? model_files_text()
           : c == '&' ? std::string(format.name)
           : c == '#' ? std::string(format.suffix)
                      : std::string(1, c);
  return out;
}

Diagnostic described(const std::string& path, const Kind& kind, std::string_view wanted) {
  return diagnose<kOtherKindOfFile>({}, path, filled_in(kind.what, path, kind), wanted,
                                    filled_in(kind.remedy, path, kind));
}

// By the first bytes; nothing: a text, or what cannot be looked at.
std::optional<Kind> kind_of_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) return std::nullopt;
  if (std::filesystem::is_directory(status))
    return std::filesystem::exists(path + "/" + std::string(kManifestName), error) ? kCompiled : kFolder;
  if (!std::filesystem::is_regular_file(status)) return std::nullopt;  // what a pipe gives is gone when it is read
  std::array<char, kHead> head;
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view read(head.data(), static_cast<std::size_t>(file.gcount()));
  if (!read.starts_with("PK\x03\x04")) return kind_of_bytes(path, read);
  const Result<ZipReader> zip = ZipReader::open(path);
  return zip ? kind_of_archive(path, *zip) : kZip;
}

constexpr std::string_view kText = "the text of a module";

}  // namespace

std::optional<Diagnostic> find_other_kind(const std::string& path) {
  const std::optional<Kind> kind = kind_of_file(path);
  return kind ? std::optional(described(path, *kind, kText)) : std::nullopt;
}

std::optional<Diagnostic> find_other_kind(const std::string& name, std::string_view content) {
  const std::optional<Kind> kind =
      content.starts_with("PK\x03\x04") ? std::optional(kZip) : kind_of_bytes(name, content.substr(0, kHead));
  return kind ? std::optional(described(name, *kind, kText)) : std::nullopt;
}

std::optional<Diagnostic> find_other_than_model(const std::string& path) {
  const std::optional<Kind> kind = kind_of_file(path);
  // What is damaged or unknown the importers describe; a file of torch.export they read under any name.
  constexpr std::array kOthers{&kCompiled, &kCheckpoint, &kArrays, &kArray,   &kWeights,
                               &kOnnx,     &kLibrary,    &kRules,  &kRegistry};
  const bool renamed = kind && kind->what == kRenamed.what && kind->format != &exported_format();
  for (const Kind* other : kOthers)
    if (kind && (renamed || kind->what == other->what)) return described(path, *kind, "a model");
  if (kind || !has_extension(path, ".mlir")) return std::nullopt;
  return described(path, {kText, "other commands take it as it is: `mlgc opt %`"}, "a model");
}

}  // namespace mlgc

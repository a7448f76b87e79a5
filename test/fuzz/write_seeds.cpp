// Writes what the fuzz targets start from, derived from the op table so that a new row is fuzzed without further work:
//
//     write_seeds <folder>      <folder>/<target>/<seed> and <folder>/<target>.dict
//
// The same table gives the same bytes.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "ops/example.h"
#include "ops/op_table.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_functions.h"
#include "support/zip.h"
#include "tensor/npz.h"
#include "tensor/safetensors.h"

namespace mlgc::fuzz {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  if (!out.flush()) {
    std::fprintf(stderr, "write_seeds: cannot write %s\n", path.c_str());
    std::exit(1);
  }
}

void require(const Status<>& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "write_seeds: %s\n", status.error().c_str());
  std::exit(1);
}

// `func @f(%a: T, …) { %r = op %a, … {attributes}  return %r }` with the operand types of the row's example.
std::string module_of(Context& context, const OpDef& def) {
  const auto example = parse_example(context, def.example);
  if (!example) return "";
  std::string parameters, operands;
  for (std::size_t i = 0; i < example.value().operands.size(); ++i) {
    const auto& operand = example.value().operands[i];
    if (!operand) return "";
    const std::string name = "%a" + std::to_string(i);
    const std::string separator = i == 0 ? "" : ", ";
    parameters += separator + name + ": tensor<" + operand->type_string() + ">";
    operands += separator + name;
  }
  std::string attributes;
  const std::string text(def.example);
  if (const std::size_t open = text.find('{'); open != std::string::npos)
    attributes = " " + text.substr(open, text.find('}', open) + 1 - open);
  return "func @f(" + parameters + ") {\n  %r = " + std::string(def.name) + " " + operands + attributes +
         "\n  return %r\n}\n";
}

constexpr std::string_view kFormulas[] = {
    "a + alpha*b",
    "y[B.., m, n] = sum[k](a[B.., m, k]*b[B.., k, n])",
    "y[n, o, h, w] = sum[c, p, q](x[n, (o // (#o // groups))*#c + c, h*stride.0 + p*dilation.0 - padding.0, "
    "w*stride.1 + q*dilation.1 - padding.1]?0*w[o, c, p, q]) + weight[o] "
    "where h = (dim(x, 2) + 2*padding.0 - dilation.0*(#p - 1) - 1) // stride.0 + 1, "
    "w = (dim(x, 3) + 2*padding.1 - dilation.1*(#q - 1) - 1) // stride.1 + 1",
    "m[I..!axis] = stop(max[I..&axis](a[I..])); e[I..] = exp(a[I..] - m[I..!axis]); "
    "s[I..!axis] = sum[I..&axis](e[I..]); y[I..] = e[I..] / s[I..!axis]",
    "y[n, k] = b[i[n, k], 0]",
    "y[i[n, k], 0] += a[n, k, 0] from zeros[4, 2] over n < 3, k < 5",
    "select(isfloat(a), when(has(b), a // b, other), cast(a, dtype))",
    "y[n, o] = argmax[k](a[n, o, k]) where k < 2",
};

void write_text_seeds(const fs::path& folder) {
  const auto context = make_context();
  std::set<std::string> words{"module",  "func",    "updates",   "where",  "attributes", "weights",    "loc",
                              "tensor<", "buffer<", "vector<",   "dense<", "index",      "floordiv",   "ceildiv",
                              "mod",     "min(",    "max(",      "[B]",    "-> ",        "^bb0(",      "\"func\"(",
                              "fused[",  "<{",      "}>",        "x",      " = ",        "// -----\n", "0x7FC00000",
                              "-inf",    "nan",     "callsite(", " at ",   "%0",         "#1"};
  for (const DtypeInfo& info : kDtypes) words.insert(std::string(info.name));
  for (const OpDef* def : op_table()) {
    words.insert(std::string(def->name));
    for (const AttrDef& attr : def->attrs) words.insert(std::string(attr.name) + " = ");
    if (const std::string text = module_of(*context, *def); !text.empty())
      write(folder / "fuzz_text" / (std::string(def->name) + ".mlir"), text);
    if (!def->formula.empty())
      write(folder / "fuzz_formula" / (std::string(def->name) + ".txt"), "0" + std::string(def->formula));
  }
  for (std::size_t i = 0; i < std::size(kFormulas); ++i)
    write(folder / "fuzz_formula" / ("formula" + std::to_string(i) + ".txt"), "0" + std::string(kFormulas[i]));

  const auto dictionary = [](const std::set<std::string>& entries) {
    std::string text;
    for (const std::string& word : entries) {
      text += '"';
      for (const char c : word) {
        if (c == '\n') {
          text += "\\x0A";
          continue;
        }
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
      text += "\"\n";
    }
    return text;
  };
  write(folder / "fuzz_text.dict", dictionary(words));
  write(folder / "fuzz_formula.dict",
        dictionary(
            {"sum[",  "prod[", "max[", "min[",     "any[",     "all[", "argmax[", "argmin[", "select(",     "stop(",
             "cast(", "when(", "has(", "like(",    "isfloat(", "dim(", " where ", " over ",  "from zeros[", "I..",
             "!axis", "&axis", "#k",   "?0",       "x[",       "a[",   "b[",      "i[",      "; ",          "//",
             "%",     " += ",  "max=", "stride.0", "axes",     "map(", "reverse", "rank("}));
}

// Each set of the built-in rules, and the words of the notation; names of ops are in the dictionary of texts too.
void write_rule_seeds(const fs::path& folder) {
  std::set<std::string> words{"set ", "phase ",      "simplify",   "once",    "grow",        "rule ", " : ",
                              " => ", "numerics ",   "exact",      "unequal", "reassociate", " in ",  "where ",
                              " if ", "fusion",      "splat(",     "[*]",     "#",           "@",     "!(",
                              "*(",   "?",           " and ",      " or ",    "not ",        " div ", "[0]",
                              "-0",   "elementwise", "commutative"};
  for (const RuleFunction& function : rule_functions()) words.insert(std::string(function.name) + "(");
  for (const char* name : {"add", "mul", "neg", "relu", "linear", "transpose", "view", "where", "cast", "softmax"})
    words.insert(name);
  for (const BuiltinRules& file : builtin_rules()) {
    std::size_t number = 0;
    for (std::size_t at = file.text.find("\nset "); at != std::string_view::npos;) {
      const std::size_t next = file.text.find("\nset ", at + 1);
      write(folder / "fuzz_rules" / (std::string(file.name) + std::to_string(number++) + ".rules"),
            std::string(file.text.substr(at + 1, next - at - 1)).substr(0, 4000));
      at = next;
    }
  }
  std::string text;
  for (const std::string& word : words) text += '"' + word + "\"\n";
  write(folder / "fuzz_rules.dict", text);
}

// A pair of metadata, a tensor of floats and one of a block.
std::string gguf_seed() {
  std::string out = "GGUF";
  const auto number = [&](auto value) { append_little_endian(out, value); };
  const auto text = [&](std::string_view content) {
    number(std::uint64_t{content.size()});
    out += content;
  };
  number(std::uint32_t{3});
  number(std::uint64_t{2});
  number(std::uint64_t{1});
  text("general.alignment");
  number(std::uint32_t{4});
  number(std::uint32_t{32});
  for (const auto& [name, type, size, offset] : {std::tuple("a", 0U, 8ULL, 0ULL), std::tuple("b", 8U, 32ULL, 32ULL)}) {
    text(name);
    number(std::uint32_t{1});
    number(std::uint64_t{size});
    number(std::uint32_t{type});
    number(std::uint64_t{offset});
  }
  out.resize((out.size() + 31) / 32 * 32 + 32 + 34, '\1');
  return out;
}

void write_archive_seeds(const fs::path& folder) {
  const fs::path archives = folder / "fuzz_archives";
  const NamedTensors tensors{{"a", Tensor::from_values<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                             {"b", Tensor::splat_int(Dtype::I1, {2, 0, 1}, 1)},
                             {"c.d", Tensor::splat(Dtype::F64, {}, 0.5)}};
  for (const auto& [name, tensor] : tensors) require(write_npy((archives / (name + ".npy")).string(), tensor));
  require(write_npz((archives / "stored.npz").string(), tensors));
  require(write_safetensors((archives / "three.safetensors").string(), tensors, {{"format", "pt"}}));
  write(archives / "two.gguf", gguf_seed());
  auto zip = ZipWriter::create((archives / "zip64.zip").string(), ZipWriter::Zip64::Always);
  if (!zip) return require(Status<>(Failure{zip.error()}));
  require(zip.value().add("x/y.txt", std::as_bytes(std::span<const char>("hello", 5))));
  require(zip.value().finish());
  write(folder / "fuzz_archives.dict",
        "\"PK\\x01\\x02\"\n\"PK\\x03\\x04\"\n\"PK\\x05\\x06\"\n\"PK\\x06\\x06\"\n\"PK\\x06\\x07\"\n"
        "\"\\x93NUMPY\"\n\"'descr': '<f4'\"\n\"'fortran_order': True\"\n\"'shape': (2, 3), \"\n"
        "\"|b1\"\n\">i8\"\n\"\\\"dtype\\\":\\\"F32\\\"\"\n\"\\\"shape\\\":[2,3]\"\n\"\\\"data_offsets\\\":[0,24]\"\n"
        "\"__metadata__\"\n\"GGUF\\x03\"\n\"BF16\"\n\"../\"\n");
}

}  // namespace
}  // namespace mlgc::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_seeds <folder>\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const char* target : {"fuzz_text", "fuzz_formula", "fuzz_archives", "fuzz_rules"})
    std::filesystem::create_directories(folder / target);
  mlgc::fuzz::write_text_seeds(folder);
  mlgc::fuzz::write_rule_seeds(folder);
  mlgc::fuzz::write_archive_seeds(folder);
  return 0;
}

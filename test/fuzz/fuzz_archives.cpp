// Any bytes as a tensor file: every reader gives tensors whose bytes can all be touched, or an error that names the
// file. What a reader gives can be printed.
#include <cstdint>

#include "fuzz_support.h"
#include "support/zip.h"
#include "tensor/gguf.h"
#include "tensor/npy.h"
#include "tensor/npz.h"
#include "tensor/print.h"
#include "tensor/safetensors.h"

namespace mlgc::fuzz {
namespace {

constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 24;

template <class T>
bool read(const Result<T>& result) {
  if (!result) expect(result.error().find("input.bin") != std::string::npos, "an error names the file", result.error());
  return result.ok();
}

void touch(std::span<const std::byte> bytes) {
  volatile unsigned sum = 0;
  for (const std::byte b : bytes) sum = sum + std::to_integer<unsigned>(b);
}

void touch(const Tensor& tensor) {
  touch(tensor.bytes());
  expect(!print_tensor(tensor).empty(), "a tensor prints");
}

void check_archives(const std::string& content) {
  const std::string name = "input.bin";
  const SharedBytes bytes = SharedBytes::from_string(content);
  if (const auto zip = ZipReader::parse(bytes, name, kMaxInflatedBytes); read(zip)) {
    for (const ZipMember& member : zip.value().members()) {
      expect(zip.value().find(member.name) != nullptr, "a member is found by its name", member.name);
      if (const auto inflated = zip.value().read(member); read(inflated)) {
        expect(inflated.value().size() == member.size, "a member has its declared size", member.name);
        touch(inflated.value().bytes);
      }
    }
  }
  for (const NpyVoid2 void2 : {NpyVoid2::Refuse, NpyVoid2::ReadAsBf16}) {
    if (const auto tensor = parse_npy(bytes, name, void2); read(tensor)) touch(tensor.value());
    if (const auto tensors = parse_npz(bytes, name, void2); read(tensors))
      for (const auto& [key, tensor] : tensors.value()) touch(tensor);
  }
  if (const auto file = parse_safetensors(bytes, name); read(file)) {
    for (const auto& [key, tensor] : file.value().tensors) {
      expect(file.value().find(key) != nullptr, "a tensor is found by its name", key);
      touch(tensor);
    }
  }
  if (const auto file = parse_gguf(bytes, name); read(file)) {
    for (const GgufTensor& tensor : file.value().tensors) {
      expect(file.value().find(tensor.name) != nullptr, "a tensor is found by its name", tensor.name);
      if (const auto values = tensor.read()) touch(values.value());
    }
  }
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mlgc::fuzz::check_archives(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

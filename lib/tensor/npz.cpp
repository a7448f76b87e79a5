// .npz on top of the zip and .npy readers and writers.
#include "tensor/npz.h"

#include <string_view>

#include "support/file.h"
#include "support/zip.h"

namespace mlgc {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::uint64_t kLongestStart = 1 << 20;  // of a deflated member, with its header

}  // namespace

Result<NamedTensors> parse_npz(const SharedBytes& file, const std::string& name, NpyVoid2 void2) {
  const Result<ZipReader> archive = ZipReader::parse(file, name);
  if (!archive) return Failure{archive.error()};
  NamedTensors tensors;
  for (const ZipMember& member : archive->members()) {
    const std::string where = name + ": member \"" + member.name + "\"";
    if (!member.name.ends_with(kSuffix)) return Failure{where + ": expected a name that ends in .npy"};
    if (member.deflated) {
      // What is not as large as its header says is refused before it is inflated.
      const Result<SharedBytes> start = archive->read_start(member, kLongestStart);
      if (!start) return Failure{start.error()};
      if (const Status<> fits = check_npy_start(start->bytes, member.size, where, void2); !fits)
        return Failure{fits.error()};
    }
    const Result<SharedBytes> content = archive->read(member);
    if (!content) return Failure{content.error()};
    Result<Tensor> tensor = parse_npy(*content, where, void2);
    if (!tensor) return Failure{tensor.error()};
    tensors.emplace_back(member.name.substr(0, member.name.size() - kSuffix.size()), std::move(tensor).value());
  }
  return tensors;
}

Result<NamedTensors> read_npz(const std::string& path, NpyVoid2 void2) {
  const Result<SharedBytes> file = map_file(path);
  if (!file) return Failure{file.error()};
  return parse_npz(*file, path, void2);
}

Status<> write_npz(const std::string& path, std::span<const NamedTensor> tensors) {
  Result<ZipWriter> archive = ZipWriter::create(path);
  if (!archive) return Failure{archive.error()};
  for (const auto& [name, tensor] : tensors) {
    const Result<std::string> header = npy_header(tensor.dtype(), tensor.shape());
    if (!header) return Failure{path + ": tensor \"" + name + "\": " + header.error()};
    const std::span<const std::byte> pieces[] = {std::as_bytes(std::span<const char>(*header)), tensor.bytes()};
    if (Status<> status = archive->add(name + std::string(kSuffix), pieces); !status) return status;
  }
  return archive->finish();
}

}  // namespace mlgc

// convert_tensors IN OUT: reads .npz or .safetensors, writes .npz or .safetensors. The program under test of
// tensor_files_test.py.
#include <cstdio>
#include <string>

#include "tensor/npz.h"
#include "tensor/safetensors.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string in = argv[1];
  const std::string out = argv[2];
  const auto load = [&]() -> mlgc::Result<mlgc::NamedTensors> {
    if (in.ends_with(".npz")) return mlgc::read_npz(in);
    mlgc::Result<mlgc::Safetensors> file = mlgc::read_safetensors(in);
    if (!file) return mlgc::Failure{file.error()};
    return std::move(file->tensors);
  };
  const mlgc::Result<mlgc::NamedTensors> tensors = load();
  if (!tensors) {
    std::fprintf(stderr, "error: %s\n", tensors.error().c_str());
    return 1;
  }
  const mlgc::Status<> status =
      out.ends_with(".npz") ? mlgc::write_npz(out, *tensors) : mlgc::write_safetensors(out, *tensors);
  if (!status) {
    std::fprintf(stderr, "error: %s\n", status.error().c_str());
    return 1;
  }
  return 0;
}

// NumPy's .npy: one tensor a file. Reads versions 1, 2 and 3, both element orders and both byte orders; writes version
// 1 in C order, little endian, with the elements at a multiple of 64 bytes. Errors name the file, the byte offset and
// what was expected there.
#pragma once

#include <span>
#include <string>

#include "support/bytes.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

// NumPy has no bfloat16; ml_dtypes stores it as two-byte "void" elements, which could be anything. They are read as
// bf16 only when the caller says that they are.
enum class NpyVoid2 { Refuse, ReadAsBf16 };

// `name` stands for the file in messages. The tensor views `file` where no byte has to move.
[[nodiscard]] Result<Tensor> parse_npy(const SharedBytes& file, const std::string& name,
                                       NpyVoid2 void2 = NpyVoid2::Refuse);
// Whether the first bytes of a file of `size` bytes, header and all, are those of a tensor of that size.
[[nodiscard]] Status<> check_npy_start(std::span<const std::byte> start, std::uint64_t size, const std::string& name,
                                       NpyVoid2 void2 = NpyVoid2::Refuse);
[[nodiscard]] Result<Tensor> read_npy(const std::string& path, NpyVoid2 void2 = NpyVoid2::Refuse);

// The bytes before the elements. Error: bf16, with the remedy.
[[nodiscard]] Result<std::string> npy_header(Dtype dtype, std::span<const std::int64_t> shape);
// "-" writes to standard output.
[[nodiscard]] Status<> write_npy(const std::string& path, const Tensor& tensor);

}  // namespace mlgc

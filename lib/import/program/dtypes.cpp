// The table of torch.export's element types; see dtypes.h.
#include "import/program/dtypes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mlgc::program {

namespace {

struct DtypeNumber {
  std::int64_t number;
  std::string_view torch_name;
  std::optional<Dtype> dtype;
};
constexpr std::array kDtypeNumbers{DtypeNumber{1, "uint8", Dtype::UI8},
                                   DtypeNumber{2, "int8", Dtype::I8},
                                   DtypeNumber{3, "int16", Dtype::I16},
                                   DtypeNumber{4, "int32", Dtype::I32},
                                   DtypeNumber{5, "int64", Dtype::I64},
                                   DtypeNumber{6, "float16", Dtype::F16},
                                   DtypeNumber{7, "float32", Dtype::F32},
                                   DtypeNumber{8, "float64", Dtype::F64},
                                   DtypeNumber{9, "complex32", std::nullopt},
                                   DtypeNumber{10, "complex64", Dtype::C64},
                                   DtypeNumber{11, "complex128", Dtype::C128},
                                   DtypeNumber{12, "bool", Dtype::I1},
                                   DtypeNumber{13, "bfloat16", Dtype::BF16},
                                   DtypeNumber{28, "uint16", std::nullopt},
                                   DtypeNumber{29, "float8_e4m3fn", std::nullopt},
                                   DtypeNumber{30, "float8_e5m2", std::nullopt},
                                   DtypeNumber{31, "float8_e4m3fnuz", std::nullopt},
                                   DtypeNumber{32, "float8_e5m2fnuz", std::nullopt},
                                   DtypeNumber{33, "float8_e8m0fnu", std::nullopt},
                                   DtypeNumber{34, "uint32", std::nullopt},
                                   DtypeNumber{35, "uint64", std::nullopt}};

const DtypeNumber* find_number(std::int64_t number) {
  const auto found = std::find_if(kDtypeNumbers.begin(), kDtypeNumbers.end(),
                                  [number](const DtypeNumber& row) { return row.number == number; });
  return found == kDtypeNumbers.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Dtype> dtype_of_number(std::int64_t number) {
  const DtypeNumber* row = find_number(number);
  return row == nullptr ? std::nullopt : row->dtype;
}

std::optional<Dtype> dtype_of_name(std::string_view torch_name) {
  for (const DtypeNumber& row : kDtypeNumbers)
    if (row.torch_name == torch_name) return row.dtype;
  return std::nullopt;
}

std::string dtype_number_name(std::int64_t number) {
  const DtypeNumber* row = find_number(number);
  return row == nullptr ? "number " + std::to_string(number) : std::string(row->torch_name);
}

}  // namespace mlgc::program

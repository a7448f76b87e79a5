// Attention's products of factors in registers, for tests: the functions that
// lib/codegen/cuda/prelude/attention_wgmma.cuh has as instructions, beside those of tensor.h. A thread's registers are
// read when it gives them; the sums are noise until it waits.
#pragma once

namespace emulated {

// Pairs of 16 terms of the 16 rows of a warp, as a thread of it sees them: of its two rows.
struct OwnRows {
  double rows[2][16];
};
template <class T>
OwnRows own_rows(const uint32_t (&left)[4], int line) {
  const auto given = exchange(std::array<uint32_t, 4>{left[0], left[1], left[2], left[3]}, line);
  const unsigned int lane = threadIdx.x % 32;
  OwnRows out;
  for (unsigned int low = 0; low < 2; ++low)
    for (unsigned int k = 0; k < 16; ++k)
      out.rows[low][k] =
          half_value(given[lane / 4 * 4 + k % 8 / 2][k / 8 * 2 + low] >> k % 2 * 16 & 0xffffu, T::kExponentBits);
  return out;
}

}  // namespace emulated

template <class T, int kColumns>
void mlgc_add_products_of_registers(float (&sums)[kColumns / 2], const uint32_t (&left)[4], const char* right,
                                    int goes_on, int line = __builtin_LINE()) {
  const emulated::OwnRows rows = emulated::own_rows<T>(left, line);
  emulated::Unfinished& own = emulated::unfinished()[emulated::block().now];
  emulated::Products products = {sums, nullptr, right, kColumns, T::kExponentBits, true, false, goes_on != 0};
  products.given.assign(&rows.rows[0][0], &rows.rows[0][0] + 32);
  own.hide(products);
  own.groups.back().push_back(products);
}

template <int kLeft>
void mlgc_give_registers() {}
template <int kAll>
void mlgc_take_registers() {}

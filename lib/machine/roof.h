// The roof of a machine: the most that a kernel can do in a second by what it computes and by what it moves.
//
// Source: Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model", 2009.
#pragma once

#include "machine/machine.h"

namespace mlgc {

struct Roof {
  double gflops = 0;      // 10^9 operations of f32 a second; a multiply-add counts as two
  double memory_gbs = 0;  // 10^9 bytes a second from memory

  // Operations a byte from which on operations bound a kernel, and below which bytes do.
  [[nodiscard]] double ridge() const { return memory_gbs > 0 ? gflops / memory_gbs : 0; }
  // Seconds at least.
  [[nodiscard]] double seconds(double operations, double bytes) const;
};

// Of all cores, or of the device.
[[nodiscard]] Roof roof_of(const Machine& machine);

}  // namespace mlgc

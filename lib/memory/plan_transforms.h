// The plan of a host function: what it copies, in which order it launches, which of its buffers lie in one memory,
// which states are written in place. Each step changes the text and nothing that the host function computes.
//
// Guarantees
//   - What is decided stands in the text, and the verifier shows it again (docs/loops.md).
//   - Each single change passes the gate before it is made; the text is valid after each of them.
//   - Equal host functions get equal plans.
#pragma once

#include <cstdint>

#include "analysis/in_place.h"
#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

// Has a kernel write where what it computes is copied to: the copy goes, and so does the buffer that it was copied
// from. That is so where no op in between accesses the target, but for a launch that may work in place. Copies of a
// memory to itself go too. Returns how many.
std::uint64_t elide_copies(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate);

// Has kernels read what a buffer is a copy of, where nothing writes that afterwards, and nothing else the copy. The
// copy goes, and so does its buffer. Returns how many.
std::uint64_t read_through_copies(OpRef host_function, RewriteGate& gate);

// Puts the launches of each region in an order in which the arena is smaller, if one is found. At the sizes that are
// tried, 1, 16 and 256 for every symbol, it is nowhere larger. Returns how many regions changed.
std::uint64_t reorder_launches(OpRef host_function, RewriteGate& gate);

// Lets buffers lie in the memory of a buffer whose last reader writes them first, or in that of a result. Returns how
// many.
std::uint64_t share_memory(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate);

// Has new states be written over the old ones. Returns how many.
std::uint64_t write_states_in_place(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate);

// Puts each `alloc`, `data` and `buffer_view` of a host function in front of the first op that touches it, so that the
// text shows where lives begin. True when something moved.
bool sink_buffers(OpRef host_function);

}  // namespace mlgc

/* The hash by which a unit knows its weights file: of what stands before the data, so of names, dtypes, sizes and
 * places, and not of values. Plain FNV-1a of 64 bits. */
#ifndef MLGC_RUNTIME_WEIGHTS_HEADER_H
#define MLGC_RUNTIME_WEIGHTS_HEADER_H

#include <cstdint>

#include "runtime/mlgc.h"

namespace mlgc::runtime {

inline std::uint64_t hash_weights_header(const char* header, mlgc_i64 bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (mlgc_i64 i = 0; i < bytes; ++i) hash = (hash ^ static_cast<unsigned char>(header[i])) * 0x100000001b3ULL;
  return hash;
}

}  // namespace mlgc::runtime

#endif

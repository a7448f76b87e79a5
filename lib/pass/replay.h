// Reproducers that can be replayed: the program before the pass that failed, under a head of comments that says how to
// run it again.
//
//     // mlgc-reproducer: 1
//     // version: 0.1.0
//     // pipeline: canonicalize,cse
//     // numerics: like-eager
//     // verify-each: numeric
//     // verify-seed: 0
//     // verify-limit: 67108864
//     // verify-finite: false
//     // command: mlgc opt model.mlir --inline --canonicalize --cse --verify-each=numeric
//     // failure: pass `canonicalize` changes what `@f` computes: result 0 [2] was 1.0 and is 0.0
//     module …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "support/result.h"

namespace mlgc {

enum class VerifyEach : std::uint8_t { Off, Structure, Numeric };

struct VerifyEachOptions {
  VerifyEach each = VerifyEach::Structure;
  std::uint64_t seed = 0;
  std::uint64_t limit = std::uint64_t{1} << 26;  // index tuples of one run
  bool finite = false;
};

struct ReproducerHead {
  std::string pipeline;
  Numerics numerics = Numerics::LikeEager;
  VerifyEachOptions verify;
  std::string command, failure;  // for people
};

[[nodiscard]] std::string reproducer_text(const ReproducerHead& head, const Module& module);

// The head of such a text. Errors are located in the file: what is missing or damaged, or another version of mlgc.
[[nodiscard]] Result<ReproducerHead, Diagnostic> read_reproducer(const SourceFile& file, const LocationTable& table);

}  // namespace mlgc

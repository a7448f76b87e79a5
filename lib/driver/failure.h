// What a failing command says, cut down to what makes it the same failure: for the reducer, which must not slip from
// one bug to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace mlgc {

// --keep=: which failure stays.
struct KeepFlag {
  enum class Kind : unsigned char { Crash, Mismatch, Error } kind = Kind::Crash;
  std::string error;  // id of a diagnostic kind
};
// `crash`, `mismatch` or `error:KIND`. Error: what is wrong.
[[nodiscard]] Result<KeepFlag> parse_keep_flag(std::string_view text);

// Two runs fail alike when these are equal. `pass`, `rewrite` and `message` come from the first error that the output
// shows, as text or as JSON (--diagnostics=json); names of values and functions, numbers and paths are no part of them.
struct FailureSignature {
  std::string how;      // `signal 11`, `exit 70`; `mismatch`; the id of a kind
  std::string pass;     // that the message names
  std::string rewrite;  // that is at fault
  std::string message;  // of a crash or an error; empty for a mismatch, whose numbers are its own
  [[nodiscard]] std::string text() const;
  friend bool operator==(const FailureSignature&, const FailureSignature&) = default;
};

// Nothing when the run does not fail in that way: crash is a signal or exit code 70, mismatch exit code 4, an error any
// other exit code but 0 with that kind in the output.
[[nodiscard]] std::optional<FailureSignature> signature_of(int exit_code, std::string_view output,
                                                           const KeepFlag& keep);

}  // namespace mlgc

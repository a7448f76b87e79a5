// Other systems that run the same model: each is a process of its own (scripts/bench_peers.py), so that pools of
// threads do not spin against each other, and waits while the others are timed.
//
// Guarantees
//   - Whatever a peer does (it cannot be imported, refuses the model, crashes, writes to its standard output) is a
//   reason
//     in words, never a failure of the command.
//   - No process outlives its object.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "support/result.h"

namespace mlgc::bench {

// The text of scripts/bench_peers.py, which the program carries.
[[nodiscard]] std::string_view peer_script();

// The peers that the script knows, in the order in which help shows them.
inline constexpr std::string_view kPeers[] = {"cpp-ctypes", "eager",       "torchscript", "aot_eager",
                                              "inductor",   "onnxruntime", "openvino"};

// What a peer is given.
struct PeerTask {
  std::string backend;  // one of kPeers
  std::string python;   // the interpreter: a path, or a name that PATH has
  std::int32_t threads = 1;
  std::string device = "cpu";    // as PyTorch writes it
  std::string model;             // the .pt2 file
  std::string artifact;          // of cpp-ctypes: the folder that mlgc compile writes
  std::string symbol, function;  // of cpp-ctypes: what gives the unit's table, and what to call
  std::size_t outputs = 0;       // of cpp-ctypes: how many there are
  std::string inputs;            // an .npz, by name, in the order of the function
  std::string results;           // an .npz that it writes: result0, result1, ...
  std::string folder;            // for the script, its log and caches; exists
};

class Peer {
 public:
  // Starts the process, has it prepare the model and call it once. Error: the reason.
  [[nodiscard]] static Result<Peer> start(const PeerTask& task);

  [[nodiscard]] const std::string& version() const { return version_; }
  // From the file to something that can be called, without the time to import the system itself.
  [[nodiscard]] double prepare_seconds() const { return prepare_; }
  [[nodiscard]] double first_call_seconds() const { return first_call_; }
  [[nodiscard]] Result<Block> run(std::int64_t calls);

 private:
  class Process;
  std::unique_ptr<Process, void (*)(Process*)> process_{nullptr, nullptr};
  std::string version_;
  double prepare_ = 0, first_call_ = 0;
};

}  // namespace mlgc::bench

// Processes of peers, which a shell script stands for.
#include "bench/peer.h"

#include "support/scratch_folder.h"
#include "support_catch.h"

namespace mlgc::bench {
namespace {

struct Started {
  Result<ScratchFolder> folder = ScratchFolder::make("mlgc-test-");
  PeerTask task;
  explicit Started(std::string backend, std::string python = std::string(MLGC_TEST_DATA) + "/fake_peer") {
    REQUIRE(folder.ok());
    task.backend = std::move(backend);
    task.python = std::move(python);
    task.folder = folder->path();
  }
  std::string reason() const {
    const auto peer = Peer::start(task);
    return peer ? "it started" : peer.error();
  }
};

}  // namespace

TEST_CASE("a peer prepares, then runs blocks of calls") {
  const Started started("answers");
  auto peer = Peer::start(started.task);
  REQUIRE(peer.ok());
  CHECK(peer->version() == "fake 1");
  CHECK(peer->prepare_seconds() == 0.5);
  CHECK(peer->first_call_seconds() == 0.25);
  const auto block = peer->run(7);
  REQUIRE(block.ok());
  CHECK(block->seconds == 0.125);
  CHECK(block->involuntary_switches == 2);
  CHECK(block->page_faults == 14);
  const auto gone = peer->run(8);
  REQUIRE_FALSE(gone.ok());
  CHECK(gone.error() == "its process ended");
}

TEST_CASE("a peer that does not run says why") {
  CHECK(Started("refuses").reason() == "ImportError: no such system");
  CHECK(Started("dies").reason() == "its process ended: out of luck");
  CHECK(Started("garbage").reason() == "it answered something else than JSON");
  CHECK(Started("none", "/no/such/python").reason() ==
        "cannot run `/no/such/python`: No such file or directory: name a Python that has the system with --python, or "
        "leave this backend out");
}

}  // namespace mlgc::bench

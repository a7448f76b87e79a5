// See peer.h. Messages are lines of JSON over one socket, which is the process's standard input and output.
#include "bench/peer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/file.h"
#include "support/subprocess.h"

namespace mlgc::bench {
namespace {

using Json = nlohmann::json;

// The last line of a text that says something.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

class Peer::Process {
 public:
  // sleeps: it is stopped while no request is pending. A pool of threads looks for more work, in onnxruntime without
  // end, on the processors that other systems are measured on.
  Process(pid_t child, int socket, std::string log, bool sleeps)
      : child_(child), socket_(socket), log_(std::move(log)), sleeps_(sleeps) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  // It ends by itself when the socket is closed.
  ~Process() {
    wake();
    close(socket_);
    (void)wait_for_process(child_);
  }

  // Error: the reason that the peer gives, or that it is gone.
  Result<Json> ask(const Json& question) {
    wake();
    Result<Json> answer = talk(question);
    if (sleeps_) kill(-child_, SIGSTOP);
    return answer;
  }

 private:
  void wake() const { kill(-child_, SIGCONT); }

  Result<Json> talk(const Json& question) {
    const std::string line = question.dump() + "\n";
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t now = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return Failure{gone()};
      sent += static_cast<std::size_t>(now);
    }
    std::array<char, 4096> buffer;
    std::size_t end = 0;
    while ((end = received_.find('\n')) == std::string::npos) {
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Failure{gone()};
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const Json answer = Json::parse(received_.substr(0, end), nullptr, false);
    received_.erase(0, end + 1);
    if (!answer.is_object()) return Failure{std::string("it answered something else than JSON")};
    if (const auto reason = answer.find("reason"); reason != answer.end() && reason->is_string())
      return Failure{reason->get<std::string>()};
    return answer;
  }

  [[nodiscard]] std::string gone() const {
    const Result<std::string> log = read_file(log_);
    const std::string words = log ? last_line(*log) : "";
    return words.empty() ? "its process ended" : "its process ended: " + words;
  }

  pid_t child_;
  int socket_;
  std::string log_, received_;
  bool sleeps_;
};

Result<Peer> Peer::start(const PeerTask& task) {
  const std::string script = task.folder + "/bench_peers.py", log = task.folder + "/" + task.backend + ".log";
  if (const Status<> written = write_file(script, peer_script()); !written) return Failure{written.error()};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Failure{std::string("no socket: ") + std::strerror(errno)};
  const int errors = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const Result<pid_t> child = start_process(
      {task.python, script, task.backend, std::to_string(task.threads), task.folder}, {ends[1], ends[1], errors});
  close(errors);
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return Failure{child.error() + ": name a Python that has the system with --python, or leave this backend out"};
  }
  Peer peer;
  peer.process_ = {new Process(*child, ends[0], log, task.threads > 1), [](Process* process) { delete process; }};
  const Result<Json> ready = peer.process_->ask({{"do", "prepare"},
                                                 {"model", task.model},
                                                 {"device", task.device},
                                                 {"artifact", task.artifact},
                                                 {"symbol", task.symbol},
                                                 {"function", task.function},
                                                 {"outputs", task.outputs},
                                                 {"inputs", task.inputs},
                                                 {"results", task.results}});
  if (!ready) return Failure{ready.error()};
  peer.version_ = ready->value("version", "");
  peer.prepare_ = ready->value("prepare_seconds", 0.0);
  peer.first_call_ = ready->value("first_call_seconds", 0.0);
  return peer;
}

Result<Block> Peer::run(std::int64_t calls) {
  const Result<Json> answer = process_->ask({{"do", "block"}, {"calls", calls}});
  if (!answer) return Failure{answer.error()};
  return Block{answer->value("seconds", 0.0), answer->value("involuntary_switches", std::int64_t{0}),
               answer->value("page_faults", std::int64_t{0})};
}

}  // namespace mlgc::bench

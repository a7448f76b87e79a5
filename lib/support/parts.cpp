#include "support/parts.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "support/thread.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostParts = 16;  // more do not get more out of memory

}  // namespace

std::vector<Part> parts_of(std::size_t count, std::size_t least) {
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostParts);
  const std::size_t number = count == 0 ? 0 : std::clamp<std::size_t>(count / least, 1, cores);
  std::vector<Part> parts;
  for (std::size_t i = 0, begin = 0; i < number; ++i) {
    const std::size_t end = begin + (count - begin) / (number - i);
    parts.push_back({begin, end});
    begin = end;
  }
  return parts;
}

void for_each_part(std::span<const Part> parts, const std::function<void(std::size_t, Part)>& body) {
  std::vector<std::thread> threads;
  std::size_t started = 1;  // the first part is this thread's
  try {
    for (; started < parts.size(); ++started)
      threads.push_back(start_thread([&body, parts, i = started] { body(i, parts[i]); }));
  } catch (const std::system_error&) {
    // This thread does the others.
  }
  if (!parts.empty()) body(0, parts[0]);
  for (; started < parts.size(); ++started) body(started, parts[started]);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace mlgc

// See activity.h.
#include "support/activity.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>

namespace mlgc {
namespace {

thread_local Activity* innermost = nullptr;
// Of the activity that an exception ended first; empty when it is over.
thread_local std::array<char, 256> ended{};

// Of the watched thread. Only it writes, others read, so it reads without the lock.
std::mutex watch_mutex;
Activity* watched = nullptr;
Activity* first_around = nullptr;
thread_local bool is_watched = false;

void show_innermost() {
  if (!is_watched) return;
  const std::lock_guard lock(watch_mutex);
  watched = innermost;
}

}  // namespace

Activity::Activity(std::string_view doing, std::string_view what)
    : exceptions_(std::uncaught_exceptions()), outer_(innermost) {
  std::size_t size = 0;
  const auto append = [&](std::string_view part) {
    const std::size_t count = std::min(part.size(), text_.size() - 1 - size);
    // A name may hold what would break the line.
    std::transform(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count), text_.begin() + size,
                   [](char c) { return c >= 0 && c < 0x20 ? '?' : c; });
    size += count;
  };
  append(doing);
  if (!what.empty()) append(" ");
  append(what);
  text_[size] = '\0';
  innermost = this;
  ended[0] = '\0';
  show_innermost();
}

Activity::~Activity() {
  const bool unwinding = std::uncaught_exceptions() > exceptions_;
  if (!unwinding)
    ended[0] = '\0';
  else if (ended[0] == '\0')
    std::memcpy(ended.data(), text_.data(), ended.size());
  innermost = outer_;
  show_innermost();
}

void Activity::does(std::size_t things, std::string_view noun) {
  const std::lock_guard lock(watch_mutex);
  noun_ = noun;
  begun_ = 0;
  things_ = things;
}

const char* current_activity() {
  if (ended[0] != '\0') return ended.data();
  return innermost == nullptr ? "" : innermost->text();
}

void watch_activities() {
  is_watched = true;
  const std::lock_guard lock(watch_mutex);
  watched = first_around = innermost;
}

std::string watched_activities() {
  const std::lock_guard lock(watch_mutex);
  std::string out;
  for (const Activity* at = watched; at != nullptr && at != first_around; at = at->outer_) {
    const std::size_t things = at->things_, begun = std::min<std::size_t>(at->begun_, things);
    if (at != watched && begun == 0) continue;
    std::string text = at->text();
    if (begun > 0)
      text += (at->noun_.empty() ? "" : ", " + std::string(at->noun_)) + " " + std::to_string(begun) + " of " +
              std::to_string(things);
    out = out.empty() ? text : text + ": " + out;
  }
  return out;
}

}  // namespace mlgc

// See activity.h.
#include "support/activity.h"

#include <algorithm>
#include <cstring>
#include <exception>

namespace mlgc {
namespace {

thread_local Activity* innermost = nullptr;
// Of the activity that an exception ended first; empty when it is over.
thread_local std::array<char, 256> ended{};

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
}

Activity::~Activity() {
  const bool unwinding = std::uncaught_exceptions() > exceptions_;
  if (!unwinding)
    ended[0] = '\0';
  else if (ended[0] == '\0')
    std::memcpy(ended.data(), text_.data(), ended.size());
  innermost = outer_;
}

const char* current_activity() {
  if (ended[0] != '\0') return ended.data();
  return innermost == nullptr ? "" : innermost->text();
}

}  // namespace mlgc

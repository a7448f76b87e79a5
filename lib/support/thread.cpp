#include "support/thread.h"

#include <string>
#include <utility>

#include "support/activity.h"
#include "support/stack_overflow.h"

namespace mlgc {

std::thread start_thread(std::function<void()> body) {
  return std::thread([body = std::move(body), doing = std::string(current_activity())] {
    const WatchedStack watched;
    const Activity here(doing);
    body();
  });
}

}  // namespace mlgc

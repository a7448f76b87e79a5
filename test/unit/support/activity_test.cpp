// The phrase for what the process is doing, while it does it and after an exception.
#include "support/activity.h"

#include <new>
#include <string>
#include <thread>

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("the innermost activity counts") {
  CHECK(std::string(current_activity()).empty());
  {
    const Activity outer("reading", "a.mlir");
    CHECK(current_activity() == std::string("reading a.mlir"));
    {
      const Activity inner("parsing");
      CHECK(current_activity() == std::string("parsing"));
    }
    CHECK(current_activity() == std::string("reading a.mlir"));
  }
  CHECK(std::string(current_activity()).empty());
}

TEST_CASE("an exception leaves the innermost activity that it ended") {
  const Activity outer("running");
  try {
    const Activity middle("reading", "a.npz");
    const Activity inner("inflating");
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    CHECK(current_activity() == std::string("inflating"));
  }
  { const Activity next("printing"); }
  CHECK(current_activity() == std::string("running"));
}

TEST_CASE("a long phrase is cut, and one line stays one line") {
  const Activity reading("reading", "a\nb" + std::string(1000, 'x'));
  const std::string text = current_activity();
  CHECK(text.starts_with("reading a?bxxx"));
  CHECK(text.size() == 255);
}

TEST_CASE("another thread sees the innermost activity and those around it that count") {
  const Activity before("running");
  watch_activities();
  const auto seen = [] {
    std::string text;
    std::thread([&] { text = watched_activities(); }).join();
    return text;
  };
  CHECK(seen().empty());
  {
    Activity tuning("compiling version");
    tuning.does(2);
    CHECK(seen() == "compiling version");
    tuning.next();
    const Activity quiet("generating");
    Activity compiling("compiling", "`mlp`");
    compiling.does(3, "unit");
    std::thread([&] { compiling.next(); }).join();
    CHECK(seen() == "compiling version 1 of 2: compiling `mlp`, unit 1 of 3");
    std::thread([] { const Activity elsewhere("reading"); }).join();
    for (int i = 0; i < 4; ++i) compiling.next();
    CHECK(seen() == "compiling version 1 of 2: compiling `mlp`, unit 3 of 3");
  }
  CHECK(seen().empty());
}

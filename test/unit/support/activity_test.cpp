// The phrase for what the process is doing, while it does it and after an exception.
#include "support/activity.h"

#include <new>
#include <string>

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

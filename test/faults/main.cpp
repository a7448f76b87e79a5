// The driver with passes that are wrong: each fault is a pass of its own.
#include "driver/driver.h"
#include "faults/faults.h"
#include "ir/function.h"
#include "pass/pass.h"
#include "transforms/all_passes.h"

namespace mlgc::test {
namespace {

// What no pass may leave: a value is used before it is defined.
PassResult misplace(Module& module, const NoPassOptions& /*options*/, PassContext& /*context*/) {
  for (const FuncRef function : functions(module)) {
    const OpRef first = function.body().front();
    if (!first.valid() || first.has_trait(Traits::Terminator)) continue;
    first.move_before(function.body().back());
    return PassResult::Changed;
  }
  return PassResult::Unchanged;
}

constexpr PassDef kMisplacePass{.name = "fault-misplaced",
                                .summary = "the first op of a function comes last",
                                .body = pass_body<NoPassOptions, misplace>()};

}  // namespace
}  // namespace mlgc::test

int main(int argc, char** argv) {
  for (const mlgc::PassDef* pass : mlgc::test::faulty_passes()) mlgc::add_pass(*pass);
  mlgc::add_pass(mlgc::test::kMisplacePass);
  return static_cast<int>(mlgc::run_driver(argc, argv));
}

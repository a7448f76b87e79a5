// Passes that do what tests of the manager need.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ir_test_ops.h"
#include "pass/pass_manager.h"

namespace mlgc::test {

struct CountOptions {
  std::int64_t limit = 12;
  bool deep = false;
  double ratio = 0.5;
  std::string name;
  std::vector<std::string> list;
};
inline constexpr std::array kCountOptions{
    pass_option<&CountOptions::limit>("limit", "at most"), pass_option<&CountOptions::deep>("deep", "inside too"),
    pass_option<&CountOptions::ratio>("ratio", "a part"),  pass_option<&CountOptions::name>("name", "of what"),
    pass_option<&CountOptions::list>("list", "several"),
};
inline constexpr std::array kCountCounters{PassCounter{"ops", "ops that were counted"}};

inline PassResult count(Module& module, const CountOptions&, PassContext& context) {
  context.count("ops") = module.op_count();
  return PassResult::Unchanged;
}
// Adds an empty function.
inline PassResult touch(Module& module, const NoPassOptions&, PassContext&) {
  Builder builder(module);
  Builder body(module, builder.func("touched" + std::to_string(module.op_count()), {}).region());
  body.create("return", {}, {});
  return PassResult::Changed;
}
inline PassResult boast(Module&, const NoPassOptions&, PassContext&) { return PassResult::Changed; }
inline PassResult hide(Module& module, const NoPassOptions& options, PassContext& context) {
  touch(module, options, context);
  return PassResult::Unchanged;
}
inline PassResult crash(Module&, const NoPassOptions&, PassContext&) { throw InternalError("it crashed"); }
// Erases everything, so that the manager compacts.
inline PassResult clear(Module& module, const NoPassOptions&, PassContext&) {
  while (!module.body().empty()) module.body().front().erase();
  return PassResult::Changed;
}

inline constexpr PassDef kCountPass{.name = "count",
                                    .summary = "Counts ops.",
                                    .options = kCountOptions,
                                    .counters = kCountCounters,
                                    .body = pass_body<CountOptions, count>()};
inline constexpr PassDef kRenamePass{
    .name = "rename", .summary = "Works on graphs.", .needs = Stages::Graph, .body = pass_body<NoPassOptions, boast>()};
inline constexpr PassDef kLowerPass{.name = "lower",
                                    .summary = "Makes loops.",
                                    .needs = Stages::Graph,
                                    .makes = Stages::Loops,
                                    .body = pass_body<NoPassOptions, touch>()};
inline constexpr PassDef kTouchPass{
    .name = "touch", .summary = "Adds a function.", .body = pass_body<NoPassOptions, touch>()};
inline constexpr PassDef kBoastPass{
    .name = "boast", .summary = "Claims a change.", .body = pass_body<NoPassOptions, boast>()};
inline constexpr PassDef kHidePass{
    .name = "hide", .summary = "Denies a change.", .body = pass_body<NoPassOptions, hide>()};
inline constexpr PassDef kCrashPass{
    .name = "crash", .summary = "Breaks an invariant.", .body = pass_body<NoPassOptions, crash>()};
inline constexpr PassDef kClearPass{
    .name = "clear", .summary = "Erases all.", .body = pass_body<NoPassOptions, clear>()};

inline constexpr std::array<const PassDef*, 8> kPasses{&kCountPass, &kRenamePass, &kLowerPass, &kTouchPass,
                                                       &kBoastPass, &kHidePass,   &kCrashPass, &kClearPass};

}  // namespace mlgc::test

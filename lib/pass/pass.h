// One row of the table of passes: every fact about a pass. From the row come pipeline text, flags, help, the reference
// page, the self-test, timing and statistics.
//
//     struct DceOptions { bool keep_asserts = true; };
//     constexpr PassOption kOptions[]{pass_option<&DceOptions::keep_asserts>("keep-asserts", "leave checks in place")};
//     constexpr PassCounter kCounters[]{{"ops-removed", "ops without uses"}};
//     PassResult run(Module& module, const DceOptions& options, PassContext& context);
//     constexpr PassDef kDce{.name = "dce", .summary = "Removes ops without uses.", .options = kOptions,
//                            .counters = kCounters, .example = {…}, .body = pass_body<DceOptions, run>()};
//
// Laws of a pass
//   - It leaves a module that verifies, or emits an error and answers Failed.
//   - It answers Unchanged exactly when the module's structural hash is what it was.
//   - It asks may_rewrite() before each single change, and makes none after a no.
//   - Its time is linear in the module; its result depends on the module and the options only.
//   - It does not compact: the manager does, between passes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/module.h"
#include "pass/pass_context.h"
#include "support/result.h"

namespace mlgc {

// The levels of the program, as a set.
enum class Stages : std::uint8_t { None = 0, Graph = 1, Fused = 2, Loops = 4, Plan = 8, Any = 15 };
constexpr Stages operator|(Stages a, Stages b) {
  return static_cast<Stages>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr Stages operator&(Stages a, Stages b) {
  return static_cast<Stages>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
// `graph, fused`; `any`; `none`.
[[nodiscard]] std::string stages_text(Stages stages);

// One option: a member of the pass's options struct. Text forms: `true`, `false`; a number; text as it is; a list of
// texts joined by commas.
struct PassOption {
  std::string_view name;
  std::string_view type;  // bool | int | real | text | list
  std::string_view help;
  // Sets the member from text. Error: what was expected instead.
  Status<> (*set)(void* options, std::string_view text) = nullptr;
  std::string (*print)(const void* options) = nullptr;
};

struct PassCounter {
  std::string_view name;
  std::string_view summary;
};

// A program before and after the pass, as text of a module's body, run as a test.
struct PassExample {
  std::string_view before;
  std::string_view after;
  std::string_view options = "";  // as between the braces of pipeline text
};

// The typed part of a row, called through untyped functions.
struct PassBody {
  std::shared_ptr<void> (*make_options)() = nullptr;
  std::shared_ptr<void> (*copy_options)(const void* options) = nullptr;
  PassResult (*run)(Module&, const void* options, PassContext&) = nullptr;
};

struct PassDef {
  std::string_view name;     // kebab-case
  std::string_view summary;  // one sentence
  std::string_view description = "";
  std::span<const PassOption> options = {};
  std::span<const PassCounter> counters = {};
  Stages needs = Stages::Any;   // where it may run
  Stages makes = Stages::None;  // where the module is afterwards; None: where it was
  // As the first pass it takes a module whose values are used before their definition.
  bool takes_any_order = false;
  // Empty: every function computes what it computed, up to the numerics classes of the rewrites that the pass counts.
  // Else why not: the numeric checker skips such a pass.
  std::string_view changes_results = "";
  PassExample example = {};
  PassBody body = {};
};

// Null when no pass has the name.
[[nodiscard]] const PassDef* find_pass(std::span<const PassDef* const> passes, std::string_view name);

namespace pass_detail {

template <class M>
struct Member;
template <class S, class T>
struct Member<T S::*> {
  using Struct = S;
  using Type = T;
};

Status<> read_option(bool& value, std::string_view text);
Status<> read_option(std::int64_t& value, std::string_view text);
Status<> read_option(double& value, std::string_view text);
Status<> read_option(std::string& value, std::string_view text);
Status<> read_option(std::vector<std::string>& value, std::string_view text);
std::string print_option(bool value);
std::string print_option(std::int64_t value);
std::string print_option(double value);
std::string print_option(const std::string& value);
std::string print_option(const std::vector<std::string>& value);

template <class T>
constexpr std::string_view option_type() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int";
  if constexpr (std::is_same_v<T, double>) return "real";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  return "list";
}

}  // namespace pass_detail

namespace pass_detail {

// `Struct` is a parameter of its own because g++ 12 gives functions external linkage when their only tie to an unnamed
// namespace is a pointer to a member: options of one name in two passes would share their functions.
template <class Struct, auto M>
struct OptionAccess {
  using Type = typename Member<decltype(M)>::Type;
  static Status<> set(void* options, std::string_view text) {
    return read_option(static_cast<Struct*>(options)->*M, text);
  }
  static std::string print(const void* options) { return print_option(static_cast<const Struct*>(options)->*M); }
};

}  // namespace pass_detail

// The member's initial value is the option's default.
template <auto M>
constexpr PassOption pass_option(std::string_view name, std::string_view help) {
  using Access = pass_detail::OptionAccess<typename pass_detail::Member<decltype(M)>::Struct, M>;
  return {.name = name,
          .type = pass_detail::option_type<typename Access::Type>(),
          .help = help,
          .set = Access::set,
          .print = Access::print};
}

struct NoPassOptions {};

template <class Options, PassResult (*Run)(Module&, const Options&, PassContext&)>
constexpr PassBody pass_body() {
  return {.make_options = []() -> std::shared_ptr<void> { return std::make_shared<Options>(); },
          .copy_options = [](const void* o) -> std::shared_ptr<void> {
            return std::make_shared<Options>(*static_cast<const Options*>(o));
          },
          .run = [](Module& m, const void* o, PassContext& cx) { return Run(m, *static_cast<const Options*>(o), cx); }};
}

}  // namespace mlgc

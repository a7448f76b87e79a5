// A small op table, so that tests of the store do not depend on lib/ops, and a dump that names no ids.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/builder.h"
#include "ir/context.h"
#include "ir/module.h"

namespace mlgc::test {

inline constexpr OpDef kModule{.name = "module",
                               .graph_op = GraphOp::Module,
                               .summary = "the module",
                               .result_count = 0,
                               .regions = {{.name = "body"}},
                               .traits = Traits::IsolatedRegion};
inline constexpr OpDef kFunc{.name = "func",
                             .graph_op = GraphOp::Func,
                             .loop_op = LoopOp::Func,
                             .summary = "a function",
                             .result_count = 0,
                             .regions = {{.name = "body", .terminator = "return"}},
                             .traits = Traits::IsolatedRegion | Traits::Symbol | Traits::TopLevelOnly};
inline constexpr OpDef kWeight{.name = "weight",
                               .graph_op = GraphOp::Weight,
                               .summary = "a constant",
                               .result_count = 0,
                               .traits = Traits::Symbol | Traits::TopLevelOnly};
inline constexpr OpDef kState{.name = "state",
                              .graph_op = GraphOp::State,
                              .summary = "a variable",
                              .result_count = 0,
                              .traits = Traits::Symbol | Traits::TopLevelOnly};
inline constexpr OpDef kReturn{.name = "return",
                               .graph_op = GraphOp::Return,
                               .summary = "ends a function",
                               .operands = {{.name = "values", .variadic = true}},
                               .result_count = 0,
                               .traits = Traits::Terminator};
inline constexpr OpDef kAdd{.name = "add",
                            .graph_op = GraphOp::Add,
                            .summary = "two operands",
                            .operands = {{.name = "a"}, {.name = "b"}},
                            .traits = Traits::Commutative};
inline constexpr OpDef kNeg{.name = "neg", .summary = "one operand", .operands = {{.name = "x"}}};
inline constexpr OpDef kAny{.name = "any",
                            .summary = "any operands, results and regions",
                            .operands = {{.name = "x", .variadic = true}},
                            .result_count = kVariadicResults,
                            .traits = Traits::CapturesRegion};
inline constexpr OpDef kStore{.name = "store",
                              .summary = "an effect",
                              .operands = {{.name = "x"}},
                              .result_count = 0,
                              .effects = Effects::Writes};
inline constexpr const OpDef* kRows[]{&kModule, &kFunc, &kWeight, &kState, &kReturn, &kAdd, &kNeg, &kAny, &kStore};

inline std::shared_ptr<Context> make_context() { return std::make_shared<Context>(kRows); }

// The program with values numbered in order of appearance, so that it does not show ids; serials are shown.
class Dumper {
 public:
  explicit Dumper(const Module& module) : types_(module.context().types()) { region(module.body()); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void value(Value v, bool type) {
    const std::size_t number = numbers_.try_emplace(v.id(), numbers_.size()).first->second;
    text_ += " " + std::to_string(number) + (type ? ":" + types_.print(v.type()) : "");
  }
  void region(RegionRef r) {
    text_ += " {";
    for (const Value v : r.arguments()) value(v, true);
    for (const OpRef op : r.ops()) {
      text_ += "\n" + std::string(op.name()) + "#" + std::to_string(op.serial()) + " " + std::string(op.symbol());
      for (const Value v : op.operands()) value(v, false);
      text_ += " ->";
      for (const Value v : op.results()) value(v, true);
      for (const RegionRef inner : op.regions()) region(inner);
    }
    text_ += "}";
  }
  const TypePool& types_;
  std::map<ValueId, std::size_t> numbers_;
  std::string text_;
};
inline std::string dump(const Module& module) { return Dumper(module).text(); }

}  // namespace mlgc::test

// Which values the names of a text stand for, also where a value is used before its definition.
//
// Such a use is an operand that stands for the value until its definition is met, a result of an op of its own that
// stands nowhere. Text in order comes there with nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/topological_order.h"
#include "text/cursor.h"
#include "text/scope.h"

namespace mlgc::text {

class ValueResolver {
 public:
  // `any_order`: the definitions of an item may follow their uses.
  ValueResolver(Cursor& in, Context& context, Module& module, bool any_order)
      : in_(in), context_(context), module_(module), any_order_(any_order) {}

  // Scopes. enter() gives what leave() takes.
  [[nodiscard]] std::uint32_t enter(bool isolated);
  void leave(std::uint32_t outer);
  // The region at hand is that of an item, whose uses end with it.
  [[nodiscard]] bool in_item() const { return region_forward_ == 0 && scope_.depth() == kItemDepth; }

  // The op being parsed, by where its text begins.
  void begin_op(std::uint32_t offset) { op_begin_ = offset; }
  [[nodiscard]] std::uint32_t op_begin() const { return op_begin_; }

  // Looks a value up. For one without a definition so far something stands in. One whose definition failed comes back
  // invalid with true: the op at hand is then parsed but not made.
  bool resolve(const Token& token, Value& out);
  bool define(const Token& token, ValueId first, std::uint32_t count);

  // Names of the results of the ops at hand, by how many there were before.
  [[nodiscard]] std::size_t result_names() const { return result_names_.size(); }
  void drop_result_names(std::size_t first_name) { result_names_.resize(first_name); }
  bool parse_result_names();  // %a, %b:2 =
  [[nodiscard]] std::size_t count_results(std::size_t first_name) const;
  bool define_results(OpRef op, std::size_t first_name);
  // The names of an op that was not made: their uses are not reported again.
  void define_failed(std::size_t first_name);

  // Values used before their definition, of the item at hand.
  [[nodiscard]] bool any_awaited() const { return !forward_.empty(); }
  // Whether one of them gets no value.
  [[nodiscard]] bool failed() const { return forward_failed_; }
  void fail() { forward_failed_ = true; }
  // Of what was awaited since the region at hand began, which sees nothing outside of itself, the rest does not exist.
  void report_undefined();
  // `op_at`: ops by where their text begins.
  void report_early_uses(OpRef item, const TopologicalOrder& order,
                         const std::unordered_map<std::uint32_t, OpRef>& op_at) const;
  void forget_awaited();

 private:
  static constexpr std::uint32_t kNotAwaited = 0xFFFFFFFF;
  static constexpr std::size_t kItemDepth = 2;  // of the scope of an item's own region
  struct ResultName {
    Token token;
    std::uint32_t count;
  };
  struct ForwardValue {
    enum class State : std::uint8_t { Open, Defined, Failed };
    NameKey key;
    std::uint32_t index;           // among the results of a pack
    Value stand_in;                // untyped, until the definition is met
    std::uint32_t outer;           // in forward_: a value of the same name that a region around this one awaits
    std::uint32_t definition = 0;  // offset
    OpRef defined_by = {};
    State state = State::Open;
  };
  struct EarlyUse {
    Token token;
    std::uint32_t value;  // in forward_
    std::uint32_t op_begin;
  };

  bool name_key(const Token& token, NameKey& key, std::uint32_t& index);
  Value await(NameKey key, std::uint32_t index, const Token& token);
  void define_awaited(NameKey key, const Token& token, ValueId first, std::uint32_t count);
  [[nodiscard]] std::string spelled(Value value) const;

  Cursor& in_;
  Context& context_;
  Module& module_;
  bool any_order_;
  NameScope scope_;
  std::vector<ResultName> result_names_;
  std::uint32_t op_begin_ = 0;
  // Of the item at hand; all empty where its text is in order.
  std::vector<ForwardValue> forward_;
  std::unordered_map<std::uint64_t, std::uint32_t> awaited_;  // by name and index: the innermost in forward_
  std::vector<EarlyUse> early_uses_;
  std::uint32_t region_forward_ = 0;  // first in forward_ of the region at hand
  bool forward_failed_ = false;
};

}  // namespace mlgc::text

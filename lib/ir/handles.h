// Views of a module's ops, values, regions and uses: a module pointer and a 32-bit id, passed by value.
//
// Guarantees
//   - A handle stays valid until its op is erased or the module is compacted; debug builds throw InternalError on the
//     use of a handle that outlived either. A handle taken from a const Module must not be used to change it.
//   - Ranges are cheap views too. Those over operands, results, arguments and regions have size() and operator[]; what
//     they show is what the module holds at that moment, so they may not be walked while it is changed (walk.h may).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "diag/location.h"
#include "ir/attribute.h"
#include "ir/context.h"
#include "ir/known_ops.h"
#include "ir/op_def.h"
#include "ir/type.h"
#include "support/id.h"

namespace mlgc {

class Module;
class OpRef;
class RegionRef;
class Use;
class Value;

using OpId = Id<struct OpTag>;
using ValueId = Id<struct ValueTag>;
using RegionId = Id<struct RegionTag>;
using UseId = Id<struct UseTag>;  // an operand slot

// The module and, in debug builds, its generation: see Module::compact().
class HandleBase {
 public:
  [[nodiscard]] Module& module() const { return *module_; }

 protected:
  HandleBase() = default;
  explicit HandleBase(Module* module);
  void check() const;  // in debug builds throws InternalError when the module was compacted since
  Module* module_ = nullptr;
#ifndef NDEBUG
  std::uint32_t generation_ = 0;
#endif
};

// A view of `size` handles; Get(module, first, i) makes the i-th.
template <class Handle, Handle (*Get)(Module*, std::uint32_t, std::uint32_t)>
class HandleRange {
 public:
  HandleRange(Module* module, std::uint32_t first, std::uint32_t size) : module_(module), first_(first), size_(size) {}
  class Iterator {
   public:
    using value_type = Handle;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const Handle*;
    using reference = Handle;
    Iterator() = default;
    Iterator(Module* module, std::uint32_t first, std::uint32_t i) : module_(module), first_(first), i_(i) {}
    Handle operator*() const { return Get(module_, first_, i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++i_;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

   private:
    Module* module_ = nullptr;
    std::uint32_t first_ = 0, i_ = 0;
  };
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Precondition: i < size().
  Handle operator[](std::size_t i) const { return Get(module_, first_, static_cast<std::uint32_t>(i)); }
  [[nodiscard]] Handle front() const { return (*this)[0]; }
  [[nodiscard]] Handle back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] Iterator begin() const { return {module_, first_, 0}; }
  [[nodiscard]] Iterator end() const { return {module_, first_, size_}; }

 private:
  Module* module_;
  std::uint32_t first_, size_;
};

// A view of a chain; Next(handle) is the following one, an invalid handle ends it.
template <class Handle, Handle (*Next)(const Handle&)>
class HandleChain {
 public:
  explicit HandleChain(Handle first) : first_(first) {}
  class Iterator {
   public:
    using value_type = Handle;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const Handle*;
    using reference = Handle;
    Iterator() = default;
    explicit Iterator(Handle at) : at_(at) {}
    Handle operator*() const { return at_; }
    Iterator& operator++() {
      at_ = Next(at_);
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      at_ = Next(at_);
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    Handle at_;
  };
  [[nodiscard]] bool empty() const { return !first_.valid(); }
  [[nodiscard]] Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] Iterator end() const { return Iterator(); }

 private:
  Handle first_;
};

namespace handle_detail {
Value operand_at(Module* module, std::uint32_t first, std::uint32_t i);
Value result_at(Module* module, std::uint32_t first, std::uint32_t i);
Value argument_at(Module* module, std::uint32_t first, std::uint32_t i);
Use next_use(const Use& use);
OpRef next_op(const OpRef& op);
RegionRef next_region(const RegionRef& region);
}  // namespace handle_detail

// One operand of one op: a slot that holds a value.
class Use : public HandleBase {
 public:
  Use() = default;
  Use(Module* module, UseId id) : HandleBase(module), id_(id) {}
  [[nodiscard]] bool valid() const { return id_.valid(); }
  [[nodiscard]] UseId id() const { return id_; }
  [[nodiscard]] Value value() const;
  [[nodiscard]] OpRef owner() const;
  [[nodiscard]] std::size_t operand_number() const;
  void set(Value value) const;
  friend bool operator==(const Use& a, const Use& b) {
    return a.id_ == b.id_ && (!a.valid() || a.module_ == b.module_);
  }

 private:
  UseId id_;
};

// The result of an op or the argument of a region.
class Value : public HandleBase {
 public:
  Value() = default;
  Value(Module* module, ValueId id) : HandleBase(module), id_(id) {}
  [[nodiscard]] bool valid() const { return id_.valid(); }
  [[nodiscard]] ValueId id() const { return id_; }
  [[nodiscard]] Type type() const;
  void set_type(Type type) const;
  // Precondition of the next three: the type is shaped.
  [[nodiscard]] Dtype dtype() const;
  [[nodiscard]] std::span<const IndexExpr> dims() const;
  [[nodiscard]] std::size_t rank() const;

  [[nodiscard]] bool is_result() const;
  [[nodiscard]] bool is_argument() const { return !is_result(); }
  // The op that defines it; an invalid handle for an argument.
  [[nodiscard]] OpRef definer() const;
  // The region whose argument it is; an invalid handle for a result.
  [[nodiscard]] RegionRef argument_of() const;
  // The region in which it is visible: that of its op, or the one whose argument it is.
  [[nodiscard]] RegionRef scope() const;
  [[nodiscard]] std::size_t number() const;  // among the results, or the arguments

  // In the order of the program right after compaction, else in an order that depends on the edits only.
  using Uses = HandleChain<Use, handle_detail::next_use>;
  [[nodiscard]] Uses uses() const;
  [[nodiscard]] bool has_uses() const;
  [[nodiscard]] bool has_one_use() const;
  // Linear in the number of uses.
  [[nodiscard]] std::size_t use_count() const;
  // The ops that use it, each once, in the order of uses().
  [[nodiscard]] std::vector<OpRef> users() const;
  // Every use of this value becomes a use of `other`, which takes over the name when it has none. Both values may be
  // the same.
  void replace_all_uses_with(Value other) const;
  // The same for all uses but those by `except`: for an op that wraps this value. The name stays.
  void replace_all_uses_except(Value other, OpRef except) const;

  // Name in the text form, without %; an invalid id when it has none.
  [[nodiscard]] StringId name_id() const;
  [[nodiscard]] std::string_view name() const;  // empty when it has none
  void set_name(std::string_view name) const;
  void set_name(StringId name) const;

  friend bool operator==(const Value& a, const Value& b) {
    return a.id_ == b.id_ && (!a.valid() || a.module_ == b.module_);
  }

 private:
  ValueId id_;
};

class OpRef : public HandleBase {
 public:
  OpRef() = default;
  OpRef(Module* module, OpId id) : HandleBase(module), id_(id) {}
  [[nodiscard]] bool valid() const { return id_.valid(); }
  [[nodiscard]] OpId id() const { return id_; }
  // Stays the same through compaction and in every snapshot; never given out twice in a module.
  [[nodiscard]] std::uint32_t serial() const;

  [[nodiscard]] Opcode opcode() const;
  [[nodiscard]] bool is(Opcode opcode) const { return this->opcode() == opcode; }
  [[nodiscard]] bool is(const OpDef& def) const { return &this->def() == &def; }
  [[nodiscard]] bool is(GraphOp op) const { return def().graph_op == op; }
  [[nodiscard]] bool is(LoopOp op) const { return def().loop_op == op; }
  [[nodiscard]] const OpDef& def() const;
  [[nodiscard]] LoopOp loop_op() const { return def().loop_op; }
  [[nodiscard]] std::string_view name() const { return def().name; }
  [[nodiscard]] bool has_trait(Traits trait) const { return has(def().traits, trait); }
  // Of the row alone, and together with everything inside the op's regions (a walk over them).
  [[nodiscard]] Effects own_effects() const { return def().effects; }
  [[nodiscard]] Effects effects() const;
  [[nodiscard]] bool pure() const { return effects() == Effects::None; }

  [[nodiscard]] Location location() const;
  void set_location(Location location) const;

  // Operands.
  using Operands = HandleRange<Value, handle_detail::operand_at>;
  [[nodiscard]] Operands operands() const;
  [[nodiscard]] std::size_t operand_count() const;
  // Precondition: i < operand_count().
  [[nodiscard]] Value operand(std::size_t i) const;
  [[nodiscard]] Use operand_use(std::size_t i) const;
  void set_operand(std::size_t i, Value value) const;
  // Another number of operands: the slots move when it grows.
  void set_operands(std::span<const Value> values) const;

  // Results.
  using Results = HandleRange<Value, handle_detail::result_at>;
  [[nodiscard]] Results results() const;
  [[nodiscard]] std::size_t result_count() const;
  [[nodiscard]] Value result(std::size_t i = 0) const;
  [[nodiscard]] bool results_unused() const;
  // Gives results to an op that has none yet (for a reader, which sees types after regions).
  void add_results(std::span<const Type> types) const;
  // Precondition: as many values as results.
  void replace_all_uses_with(std::span<const Value> values) const;

  // Attributes.
  [[nodiscard]] AttrDict attrs() const;
  void set_attrs(AttrDict attrs) const;
  // No attribute when the name is not there.
  [[nodiscard]] Attribute attr(std::string_view name) const;
  [[nodiscard]] Attribute attr(StringId name) const;
  void set_attr(std::string_view name, Attribute value) const;
  void remove_attr(std::string_view name) const;
  // sym_name without @; empty when it has none.
  [[nodiscard]] std::string_view symbol() const;

  // Regions.
  using Regions = HandleChain<RegionRef, handle_detail::next_region>;
  [[nodiscard]] Regions regions() const;
  [[nodiscard]] std::size_t region_count() const;
  [[nodiscard]] RegionRef region(std::size_t i = 0) const;
  RegionRef add_region() const;  // appends an empty one; at most 255

  // Place. parent() and parent_op() are invalid for a detached op, parent_op() for the module op.
  [[nodiscard]] RegionRef parent() const;
  [[nodiscard]] OpRef parent_op() const;
  [[nodiscard]] OpRef next() const;
  [[nodiscard]] OpRef previous() const;
  // This op stands inside one of `ancestor`'s regions, at any depth, or is it.
  [[nodiscard]] bool is_inside(OpRef ancestor) const;
  void move_before(OpRef other) const;
  void move_after(OpRef other) const;
  void move_to_end(RegionRef region) const;
  void detach() const;
  // Deletes the op and everything in its regions. Precondition (InternalError): no result is used.
  void erase() const;
  [[nodiscard]] bool erased() const;

  friend bool operator==(const OpRef& a, const OpRef& b) {
    return a.id_ == b.id_ && (!a.valid() || a.module_ == b.module_);
  }

 private:
  OpId id_;
};

// A region: arguments and a list of ops.
class RegionRef : public HandleBase {
 public:
  RegionRef() = default;
  RegionRef(Module* module, RegionId id) : HandleBase(module), id_(id) {}
  [[nodiscard]] bool valid() const { return id_.valid(); }
  [[nodiscard]] RegionId id() const { return id_; }
  [[nodiscard]] OpRef parent_op() const;
  [[nodiscard]] std::size_t number() const;  // among the regions of parent_op()
  [[nodiscard]] RegionRef next() const;      // the following region of parent_op()

  using Ops = HandleChain<OpRef, handle_detail::next_op>;
  [[nodiscard]] Ops ops() const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] OpRef front() const;
  [[nodiscard]] OpRef back() const;
  // The last op when its row says that it ends a region, else an invalid handle.
  [[nodiscard]] OpRef terminator() const;

  using Arguments = HandleRange<Value, handle_detail::argument_at>;
  [[nodiscard]] Arguments arguments() const;
  [[nodiscard]] std::size_t argument_count() const;
  [[nodiscard]] Value argument(std::size_t i) const;
  Value add_argument(Type type) const;
  // Precondition (InternalError): it has no uses. The following arguments move up.
  void erase_argument(std::size_t i) const;

  // Moves all ops of this region before `other` (in another region), in their order.
  void splice_before(OpRef other) const;
  // Moves all ops of this region to the end of `region`.
  void splice_to_end(RegionRef region) const;
  // Moves this region, arguments and all, to be the last one of `op`, which must not stand inside it.
  void move_to(OpRef op) const;

  friend bool operator==(const RegionRef& a, const RegionRef& b) {
    return a.id_ == b.id_ && (!a.valid() || a.module_ == b.module_);
  }

 private:
  RegionId id_;
};

}  // namespace mlgc

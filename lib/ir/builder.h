// Creates ops at an insertion point. Result types are given; a layer above infers them.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace mlgc {

class Builder {
 public:
  // Inserts at the end of the module's body until told otherwise.
  explicit Builder(Module& module) : module_(&module), region_(module.body()) {}
  Builder(Module& module, RegionRef region) : module_(&module), region_(region) {}

  [[nodiscard]] Module& module() const { return *module_; }
  [[nodiscard]] Context& context() const { return module_->context(); }

  // Insertion point. New ops are inserted in the order of their creation.
  void set_before(OpRef op);
  void set_after(OpRef op);
  void set_start(RegionRef region);
  void set_end(RegionRef region);
  [[nodiscard]] RegionRef region() const { return region_; }
  [[nodiscard]] OpRef before() const { return before_; }  // invalid: the end of region()

  // The location that new ops get.
  void set_location(Location location) { location_ = location; }
  [[nodiscard]] Location location() const { return location_; }

  OpRef create(Opcode opcode, std::span<const Value> operands, AttrDict attrs, std::span<const Type> results,
               std::size_t regions = 0);
  OpRef create(std::string_view name, std::initializer_list<Value> operands, std::initializer_list<Type> results,
               AttrDict attrs = {}, std::size_t regions = 0);  // InternalError when no row has the name
  OpRef create(GraphOp op, std::initializer_list<Value> operands, std::initializer_list<Type> results,
               AttrDict attrs = {}, std::size_t regions = 0);
  OpRef create(LoopOp op, std::initializer_list<Value> operands, std::initializer_list<Type> results,
               AttrDict attrs = {}, std::size_t regions = 0);
  // Puts a detached op at the insertion point.
  OpRef insert(OpRef op);

  // A dictionary from pairs.
  struct NamedValue {
    std::string_view name;
    Attribute value;
  };
  [[nodiscard]] AttrDict attrs(std::initializer_list<NamedValue> entries) const;

  // Module-level items, put at the end of the module's body whatever the insertion point. A function's region has the
  // arguments and no ops yet.
  OpRef func(std::string_view name, std::span<const Type> arguments);
  OpRef weight(std::string_view name, Type type);
  OpRef state(std::string_view name, Type type);

 private:
  OpRef item(Opcode opcode, std::string_view name, Type type, std::size_t regions);
  Module* module_;
  RegionRef region_;
  OpRef before_;
  Location location_;
};

}  // namespace mlgc

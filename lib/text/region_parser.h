// Reads the ops of a region one after the other, and goes on after one with errors.
#pragma once

#include <span>

#include "ir/module.h"
#include "text/data_parser.h"
#include "text/op_finisher.h"
#include "text/op_text.h"
#include "text/value_resolver.h"

namespace mlgc::text {

class GenericOpParser;
class ItemParser;
class OpParser;

class RegionParser {
 public:
  RegionParser(DataParser& data, Module& module, ValueResolver& values, OpFinisher& finisher, OpParser& ops,
               GenericOpParser& generic_ops, ItemParser& items)
      : in_(data.cursor()),
        module_(module),
        resources_(data.resources()),
        aliases_(data.aliases()),
        values_(values),
        finisher_(finisher),
        ops_(ops),
        generic_ops_(generic_ops),
        items_(items) {}

  // The whole text, as items of the module.
  void parse_text();
  // Ops up to `}`, which is taken. Arguments are defined in a scope of their own.
  bool parse_region(RegionRef region, std::span<const RegionArgument> arguments, bool isolated, const Token& open);
  void parse_ops(RegionRef region, bool top_level);
  // A function starts inside another: everything is closed.
  [[nodiscard]] bool unwinding() const { return unwinding_; }

 private:
  bool parse_op(RegionRef region);

  Cursor& in_;
  Module& module_;
  ResourceSections& resources_;
  AliasTable& aliases_;
  ValueResolver& values_;
  OpFinisher& finisher_;
  OpParser& ops_;
  GenericOpParser& generic_ops_;
  ItemParser& items_;
  bool unwinding_ = false;
};

}  // namespace mlgc::text

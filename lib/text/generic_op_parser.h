// Reads ops in MLIR's generic form:
//     results = "mlgc.name"(operands) <{properties}> ({regions}) {attributes} : (types) -> types loc(…)
// Modules and functions are MLIR's own ops there, which says what we say otherwise; dotted attributes carry the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/module.h"
#include "text/data_parser.h"
#include "text/op_finisher.h"
#include "text/op_text.h"
#include "text/value_resolver.h"

namespace mlgc::text {

class ItemParser;
class OpParser;
class RegionParser;

class GenericOpParser {
 public:
  GenericOpParser(DataParser& data, Context& context, Module& module, ValueResolver& values, OpFinisher& finisher,
                  OpParser& ops, ItemParser& items, RegionParser& regions)
      : in_(data.cursor()),
        context_(context),
        module_(module),
        types_(data.types()),
        attributes_(data.attributes()),
        locations_(data.locations()),
        values_(values),
        finisher_(finisher),
        ops_(ops),
        items_(items),
        regions_(regions) {}

  bool parse_generic(RegionRef region, std::size_t first_name);

 private:
  // Attributes that were read before the region in front of them.
  struct Ahead {
    std::size_t begin = 0;  // offset; 0: there are none
    bool ok = false;
    std::vector<NamedAttribute> attributes;
    Type function_type;
    Cursor::Place after;
  };
  // What an op keeps while its regions are parsed. There is one for each of kMaxNesting levels, so what comes before
  // and after the regions is parsed in functions of its own: their temporaries are not on the stack at every level.
  struct GenericOp {
    OpText op;
    OpRef made;
    std::vector<Value> operands;
    std::vector<NamedAttribute> properties;
    std::optional<Ahead> ahead;
    std::size_t errors = 0;  // before it
    bool has_block = false;  // its last region starts with a label
  };
  bool parse_block_label(std::vector<RegionArgument>& out);
  bool parse_generic_regions(GenericOp& generic);
  bool parse_generic_head(RegionRef region, GenericOp& generic);
  bool parse_generic_tail(GenericOp& generic);
  void read_attributes_ahead(OpText& op, OpRef made, Ahead& ahead);
  bool convert_generic_attributes(OpText& op, Type& function_type);
  bool parse_where(Attribute list, Attribute& where);

  Cursor& in_;
  Context& context_;
  Module& module_;
  TypeParser& types_;
  AttributeParser& attributes_;
  LocationParser& locations_;
  ValueResolver& values_;
  OpFinisher& finisher_;
  OpParser& ops_;
  ItemParser& items_;
  RegionParser& regions_;
};

}  // namespace mlgc::text

// Reads ops in the pretty form: `results = name operands [subscripts] {attributes} regions : types where … loc(…)`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "text/data_parser.h"
#include "text/op_finisher.h"
#include "text/op_text.h"
#include "text/value_resolver.h"

namespace mlgc::text {

class RegionParser;

class OpParser {
 public:
  OpParser(DataParser& data, Context& context, Module& module, ValueResolver& values, OpFinisher& finisher,
           RegionParser& regions)
      : in_(data.cursor()),
        context_(context),
        module_(module),
        exprs_(data.exprs()),
        types_(data.types()),
        attributes_(data.attributes()),
        locations_(data.locations()),
        values_(values),
        finisher_(finisher),
        regions_(regions) {}

  bool parse_pretty(RegionRef region, std::size_t first_name);
  // Reports a name that no op has.
  bool find_op(OpText& op, std::string_view name);
  bool check_operand_count(const OpText& op, std::size_t count);
  bool parse_argument_list(std::vector<RegionArgument>& out);  // ( %a: T, … )

 private:
  bool parse_operands(OpText& op);
  bool parse_subscripts(OpText& op);
  bool parse_initializers(OpText& op, std::vector<RegionArgument>& arguments);
  bool parse_regions(OpText& op, OpRef made, std::vector<RegionArgument>& arguments);
  bool parse_tail(OpText& op);  // : types where … loc

  Cursor& in_;
  Context& context_;
  Module& module_;
  ExprParser& exprs_;
  TypeParser& types_;
  AttributeParser& attributes_;
  LocationParser& locations_;
  ValueResolver& values_;
  OpFinisher& finisher_;
  RegionParser& regions_;
  std::vector<Value> operands_;  // of the op at hand
};

}  // namespace mlgc::text

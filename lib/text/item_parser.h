// Reads the items of a module in the pretty form (module, func, weight and state), and keeps what they define.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/function.h"
#include "ir/module.h"
#include "text/data_parser.h"
#include "text/op_finisher.h"
#include "text/op_text.h"
#include "text/value_resolver.h"

namespace mlgc::text {

class OpParser;
class RegionParser;

class ItemParser {
 public:
  ItemParser(DataParser& data, Context& context, Module& module, ValueResolver& values, OpFinisher& finisher,
             OpParser& ops, RegionParser& regions)
      : in_(data.cursor()),
        context_(context),
        module_(module),
        exprs_(data.exprs()),
        types_(data.types()),
        attributes_(data.attributes()),
        locations_(data.locations()),
        values_(values),
        finisher_(finisher),
        ops_(ops),
        regions_(regions) {}

  bool parse_module_op(RegionRef region);
  bool parse_func(RegionRef region);
  bool parse_weight(RegionRef region);

  // Of the generic form too. A text has one module, and nothing after it.
  bool begin_module(const Token& name);
  void close_module() { module_closed_ = true; }
  [[nodiscard]] bool module_closed() const { return module_closed_; }
  // Functions, weights and states stand in the module, and have names of their own.
  bool place_symbol(RegionRef region, const Token& name);
  bool define_symbol(const Token& token, std::string_view symbol);

 private:
  // What a function says before its body.
  struct Signature {
    Token word, name;
    std::vector<RegionArgument> arguments;
    std::vector<Type> types;
    bool types_given = false;
    std::vector<UpdateTarget> targets;
    std::vector<Token> updates;  // the new values
  };
  bool parse_signature(RegionRef region, Signature& out, OpRef& made);
  bool parse_body(const Signature& signature, OpRef made, const Token& open);
  bool parse_updates(Signature& signature);
  bool check_return(FuncRef func, const Signature& signature);
  void check_updates(FuncRef func, const Signature& signature, std::span<const Value> states, const Token& close);

  Cursor& in_;
  Context& context_;
  Module& module_;
  ExprParser& exprs_;
  TypeParser& types_;
  AttributeParser& attributes_;
  LocationParser& locations_;
  ValueResolver& values_;
  OpFinisher& finisher_;
  OpParser& ops_;
  RegionParser& regions_;
  std::unordered_map<StringId, Token> symbols_;  // where they were defined
  bool module_seen_ = false;
  bool module_closed_ = false;
};

}  // namespace mlgc::text

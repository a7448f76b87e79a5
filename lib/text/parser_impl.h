// The parser's state, shared by its parts: parser.cpp (tokens, errors, regions), parse_expr.cpp, parse_type.cpp,
// parse_attribute.cpp, parse_dense.cpp, parse_location.cpp, parse_mlir*.cpp (attributes of MLIR), parse_alias.cpp,
// parse_resources.cpp (metadata sections), parse_op.cpp (pretty ops), parse_forward.cpp (values used before their
// definition), parse_module.cpp (module, func, weight, state) and parse_generic.cpp.
//
// Functions that parse return false after reporting an error; the token at fault is then the current one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/kinds_text.h"
#include "ir/constraint.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/module.h"
#include "ir/topological_order.h"
#include "text/lexer.h"
#include "text/mlir_type.h"
#include "text/parser.h"
#include "text/scope.h"

namespace mlgc::text {

class Parser {
 public:
  Parser(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics, const ParseOptions& options);

  std::optional<Module> run(const std::shared_ptr<Context>& context);

  bool parse_type(Type& out);
  bool parse_whole_expr(IndexExpr& out) { return parse_expr(out, nullptr); }
  bool parse_attribute(AttributeKind wanted, Attribute& out);
  bool parse_constraints(Attribute& out);
  void read_generic(bool generic) { mlir_ = generic; }
  // The text holds no more.
  bool expect_end();

 private:
  // --- tokens and errors (parser.cpp)
  void advance() { tok_ = lexer_.next(); }
  [[nodiscard]] bool at(Tok kind) const { return tok_.kind == kind; }
  [[nodiscard]] std::string_view text() const { return lexer_.text(tok_); }
  [[nodiscard]] bool at_word(std::string_view word) const { return at(Tok::Name) && text() == word; }
  [[nodiscard]] Location location(const Token& token) const { return location(token.begin); }
  [[nodiscard]] Location location(std::size_t offset) const {
    return base_ == 0 ? Location() : Location{base_ + static_cast<std::uint32_t>(offset)};
  }
  bool take(Tok kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  // Takes a token of that kind or reports that it is missing; `where` says in what: "after the operands".
  bool expect(Tok kind, std::string_view where);
  bool expect_greater(std::string_view where);  // `>`, also the first half of `>=`
  bool unexpected(std::string_view wanted);     // reports the current token; returns false
  template <const DiagKind& K, class... Args>
  bool error(const Token& token, Args&&... args) {
    diagnostics_.emit(diagnose<K>(location(token), std::forward<Args>(args)...).with_width(token.end - token.begin));
    return false;
  }
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > parser_.deepest_) parser_.deepest_ = parser_.depth_;
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    [[nodiscard]] bool ok();  // reports when too deep

   private:
    Parser& parser_;
  };
  bool check_bytes();
  // Nothing more is parsed, and nothing said of what is then missing.
  void give_up() {
    gave_up_ = true;
    lexer_.seek(lexer_.end());
    advance();
  }
  [[nodiscard]] bool first_on_line(const Token& token) const { return indentation(token.begin).has_value(); }
  void report_unclosed(const Token& open);
  // Where a token stands in its line; nothing when something stands before it.
  [[nodiscard]] std::optional<std::size_t> indentation(std::size_t offset) const;
  void synchronize(std::size_t op_begin);
  // Parses a part of the text (the inside of a string) with `parse`, and comes back.
  template <class Parse>
  bool parse_inside(const Token& string, const Parse& parse);

  // --- expressions (parse_expr.cpp)
  struct SubscriptOperands {
    std::vector<Value>* operands;
    std::size_t first;  // operands before it are not subscripts
    bool poisoned = false;
  };
  struct ExprState {
    SubscriptOperands* values;  // where `%i` is allowed
    std::size_t operators = 0;
    bool operand_numbers = false;  // `%1` is operand 1 of the op that holds the attribute
  };
  bool parse_expr(IndexExpr& out, SubscriptOperands* values);
  bool parse_sum(IndexExpr& out, ExprState& state);
  bool parse_product(IndexExpr& out, ExprState& state);
  bool parse_factor(IndexExpr& out, ExprState& state);
  bool parse_primary(IndexExpr& out, ExprState& state);
  bool count_operator(const Token& token, ExprState& state);
  bool checked(const Token& token, IndexExpr value, IndexExpr& out);
  bool parse_constraint(Constraint& out);
  // A decimal or hexadecimal number below 2^64.
  bool parse_magnitude(const Token& token, std::uint64_t& out);
  bool parse_int64(const Token& token, bool negative, std::int64_t& out);

  // --- types (parse_type.cpp)
  static constexpr std::uint32_t kAnonymousDim = 0xFFFFFFFF;
  bool parse_shape(std::vector<IndexExpr>& dims, Dtype& dtype, bool& anonymous);
  bool parse_tensor(const Token& word, Type& out);
  bool parse_vector(const Token& word, Type& out);
  bool parse_buffer(Type& out);
  bool parse_memref(const Token& word, Type& out);
  bool parse_dim_names(const Token& word, std::vector<IndexExpr>& dims);
  bool check_named(const Token& word, const std::vector<IndexExpr>& dims);
  bool check_dim(const Token& token, IndexExpr dim);
  bool parse_type_list(std::vector<Type>& out);     // T {, T}
  bool parse_result_types(std::vector<Type>& out);  // T or ( [T {, T}] )
  bool parse_dtype(Dtype& out);
  bool check_real(const Token& word, std::string_view what, Dtype dtype);

  // --- attributes (parse_attribute.cpp, parse_dense.cpp, parse_location.cpp)
  bool parse_number(AttributeKind wanted, bool bracketed, Attribute& out);
  [[nodiscard]] bool at_special_number() const;
  bool parse_special_number(Dtype dtype, std::uint64_t& bits);
  bool parse_special_attribute(AttributeKind wanted, Attribute& out);
  bool parse_typed_number(AttributeKind wanted, Attribute& out);
  bool parse_list(AttributeKind wanted, Attribute& out);
  bool parse_item(AttributeKind wanted, Attribute& out);
  bool parse_keyword_attribute(AttributeKind wanted, Attribute& out, bool& known);
  bool parse_typed_array(Attribute& out);
  bool parse_escape(Attribute& out);
  bool make_list(AttributeKind wanted, const std::vector<Attribute>& items, Attribute& out);
  // { key = value, … }, appended to attributes_; the keys are checked against `def` when given.
  bool parse_dict(const OpDef* def, bool generic);
  bool parse_entries(const OpDef* def, bool generic);
  bool check_key(const OpDef* def, const Token& token, std::string_view key);
  bool parse_dense(Attribute& out);
  bool parse_elements(std::span<const IndexExpr> dims, Dtype dtype, std::vector<std::byte>& bytes, bool& splat);
  bool parse_element(Dtype dtype, std::vector<std::byte>& bytes);
  bool parse_hex_bytes(const Token& token, Type type, std::vector<std::byte>& bytes);
  bool parse_location(Location& out);  // loc( … )
  [[nodiscard]] bool at_origin() const;
  bool parse_origin(std::span<std::string> fields);
  bool parse_location_inner(Location& out);
  bool parse_optional_location(Location& out) { return !at_word("loc") || parse_location(out); }
  bool parse_symbol(std::string& out);
  bool parse_string(std::string& out);

  // --- attributes of MLIR (parse_mlir.cpp, parse_mlir_type.cpp, parse_mlir_number.cpp): mlir_… append what they read
  bool parse_mlir_attribute(Attribute& out);
  Attribute own_attribute(const SourceFile& file, std::size_t begin, std::size_t end, std::string_view text);
  bool mlir_text(std::string& out);
  bool mlir_keyword(std::string& out);
  bool mlir_hash(std::string& out);
  bool mlir_balanced(std::string& out);
  bool mlir_key(std::string& key);
  bool mlir_dict(std::string& out);
  bool mlir_array(std::string& out);
  struct AfterElements {
    Lexer lexer;
    Token next;
  };
  bool mlir_constant_type(std::string& out, MlirType& type, AfterElements& after);
  bool mlir_element(std::string& out, const MlirType& type);
  bool mlir_elements(std::string& out, std::span<const std::int64_t> dims, const MlirType& element, bool top);
  // Of a static shape; saturated, since no text has so many bytes.
  [[nodiscard]] static std::uint64_t element_count(const MlirType& type);
  bool mlir_hex_elements(std::string& out, const MlirType& type);
  bool mlir_dense(std::string& out);
  bool mlir_sparse(std::string& out);
  bool mlir_strided(std::string& out);
  bool mlir_location(std::string& out);
  bool mlir_type(std::string& out, MlirType& info);
  bool mlir_type_list(std::string& out);
  bool mlir_shape(std::string& out, MlirType& info);
  bool mlir_memref_rest(std::string& out);
  bool mlir_other_type(std::string& out, MlirType& info);
  bool mlir_number(std::string& out, Attribute* own);
  bool mlir_literal(const Token& first, const Token& digits, bool negative, const MlirType& type, std::string& out,
                    Attribute* own);
  struct AffineName {
    std::string_view name;
    bool symbol;
  };
  bool affine_names(std::string& out, std::vector<AffineName>& names);
  bool affine_expr(std::string& out, const std::vector<AffineName>& names, bool& symbolic);
  bool affine_factor(std::string& out, const std::vector<AffineName>& names, bool& symbolic);
  bool mlir_affine_map(std::string& out);
  bool mlir_affine_set(std::string& out);

  // --- metadata sections (parse_resources.cpp)
  template <class ParseEntry>
  bool parse_metadata_map(const ParseEntry& parse_entry);
  bool parse_metadata_value();
  bool parse_metadata_section();
  void find_resources();
  void skip_metadata_section();
  bool resource_bytes(const Token& use, const std::string& key, std::vector<std::byte>& bytes);
  bool parse_resource_handle(Token& use, std::string& key);
  bool parse_dense_resource(Attribute& out);
  bool mlir_dense_resource(std::string& out);

  // --- aliases (parse_alias.cpp)
  struct Alias {
    enum class State : std::uint8_t { Unread, Reading, Done, Wrong };
    Token name;
    std::size_t body = 0;  // offset of what it stands for
    std::size_t end = 0;   // behind that
    State state = State::Unread;
    bool is_location = false;
    Location location;
    Attribute attribute;  // where one was asked for
    MlirType type;
    Type value_type;  // where one was asked for
    std::string text;
    std::size_t depth = 0;  // of its nesting
  };
  void find_aliases();
  Alias* find_alias(const Token& name);
  bool use_alias(const Token& use, Alias& alias);
  bool parse_alias();
  template <class Parse>
  bool parse_at(std::size_t offset, const Parse& parse);  // and comes back

  // --- values and regions (parser.cpp)
  struct ResultName {
    Token token;
    std::uint32_t count;
  };
  struct RegionArgument {
    Token name;                 // kind End: no name
    Type type;                  // invalid: that of an operand whose type is not known yet
    std::uint32_t operand = 0;  // the operand that initialises it
  };
  bool name_key(const Token& token, NameKey& key, std::uint32_t& index);
  // Looks a value up. For one without a definition so far something stands in (await()). One whose definition failed
  // comes back invalid with true: the op at hand is then parsed but not made.
  bool resolve(const Token& token, Value& out);
  bool define(const Token& token, ValueId first, std::uint32_t count);
  void define_failed(std::size_t first_name);
  bool define_results(OpRef op, std::size_t first_name);
  // Ops up to `}`, which is taken. Arguments are defined in a scope of their own.
  bool parse_region(RegionRef region, std::span<const RegionArgument> arguments, bool isolated, const Token& open);
  void parse_ops(RegionRef region, bool top_level);
  bool parse_op(RegionRef region);
  bool parse_result_names();  // %a, %b:2 =
  bool skip_block(const Token& open);

  // --- ops (parse_op.cpp, parse_module.cpp, parse_generic.cpp)
  struct OpText {
    const OpDef* def = nullptr;
    Opcode opcode = Opcode::Invalid;
    Token name;
    std::size_t first_name = 0;    // in result_names_
    std::size_t result_names = 0;  // number of results that the names stand for
    bool poisoned = false;         // an operand has no value: parse, but make no op
    bool types_given = false;
    std::size_t first_deferred = 0;  // in deferred_
    std::vector<Type> types;
    Location location;
    Attribute where;
    [[nodiscard]] bool is(GraphOp known) const { return def->graph_op == known; }  // Precondition: the op was found
  };
  bool parse_pretty(RegionRef region, std::size_t first_name);
  bool parse_operands(OpText& op);
  bool parse_subscripts(OpText& op);
  bool parse_initializers(OpText& op, std::vector<RegionArgument>& arguments);
  bool parse_regions(OpText& op, OpRef made, std::vector<RegionArgument>& arguments);
  bool parse_argument_list(std::vector<RegionArgument>& out);  // ( %a: T, … )
  bool parse_tail(OpText& op);                                 // : types where … loc
  // `operand_types`: as a generic op states them.
  bool finish_op(OpText& op, OpRef made, std::span<const Type> operand_types = {});
  bool check_operand_types(const OpText& op, OpRef made, std::span<const Type> operand_types);
  bool check_result_count(const OpText& op, std::span<const Type> types);
  bool check_types(const OpText& op, OpRef made, std::vector<Type>& inferred);
  bool same_type(Type a, Type b);
  bool check_operand_count(const OpText& op, std::size_t count);
  bool find_op(OpText& op, std::string_view name);
  std::size_t count_results(std::size_t first_name) const;

  // --- values used before their definition (parse_forward.cpp)
  static constexpr std::uint32_t kNotAwaited = 0xFFFFFFFF;
  static constexpr std::size_t kItemDepth = 2;  // of the scope of an item's own region
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
  struct DeferredOp {
    OpText op;
    OpRef made;
    std::vector<Type> operand_types;
    std::uint32_t begin;
  };
  Value await(NameKey key, std::uint32_t index, const Token& token);
  void define_awaited(NameKey key, const Token& token, ValueId first, std::uint32_t count);
  void report_undefined(std::size_t first);
  [[nodiscard]] bool is_early(const OpText& op, OpRef made) const;
  bool defer_op(OpText& op, OpRef made, std::span<const Type> operand_types);
  bool finish_deferred(const DeferredOp& deferred);
  void finish_deferred_ops(OpRef item, const TopologicalOrder& order);
  [[nodiscard]] std::string spelled(Value value) const;
  void report_early_uses(OpRef item, const TopologicalOrder& order);
  void finish_item(OpRef item);

  bool parse_module_op(RegionRef region);
  bool parse_func(RegionRef region);
  bool parse_updates(std::vector<UpdateTarget>& targets, std::vector<Token>& values,
                     std::span<const RegionArgument> arguments);
  bool parse_weight(RegionRef region);
  bool check_return(FuncRef func, bool types_given, std::span<const Type> types, std::span<const Token> updates,
                    const Token& name);
  bool place_symbol(RegionRef region, const Token& name);
  bool define_symbol(const Token& token, std::string_view symbol);

  bool parse_generic(RegionRef region, std::size_t first_name);
  // Attributes that were read before the region in front of them.
  struct Ahead {
    explicit Ahead(const Lexer& at) : lexer(at) {}
    std::size_t begin = 0;  // offset; 0: there are none
    bool ok = false;
    std::vector<NamedAttribute> attributes;
    Type function_type;
    Lexer lexer;  // behind them
    Token next;
  };
  void read_attributes_ahead(OpText& op, OpRef made, Ahead& ahead);
  // What an op keeps while its regions are parsed. There is one for each of kMaxNesting levels, so what comes before
  // and behind the regions is parsed in functions of its own: their temporaries are not on the stack at every level.
  struct GenericOp {
    OpText op;
    OpRef made;
    std::vector<Value> operands;
    std::vector<NamedAttribute> properties;
    std::optional<Ahead> ahead;
    std::size_t errors = 0;  // before it
    bool has_block = false;  // its last region starts with a label
  };
  bool parse_generic_regions(GenericOp& generic);
  bool parse_generic_head(RegionRef region, GenericOp& generic);
  bool parse_generic_tail(GenericOp& generic);
  bool parse_block_label(std::vector<RegionArgument>& out);
  // The op that a name of the generic form stands for: `mlgc.relu`, `func.func`.
  static std::string_view short_name(std::string_view name);
  // `mlgc.key` is how MLIR's own ops carry our attribute `key`.
  static std::string_view plain_key(const OpDef& def, std::string_view key);
  bool convert_generic_attributes(OpText& op, Type& function_type);

  Context& context_;
  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  const ParseOptions& options_;
  Lexer lexer_;
  Token tok_;
  std::uint32_t base_ = 0;  // location id of offset 0; 0: the location table had no room
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;  // the largest depth_ so far
  bool mlir_ = false;        // between the braces of a generic op: what no row asks for is an attribute of MLIR
  std::unordered_map<std::string_view, Alias> aliases_;
  bool aliases_found_ = false;
  std::size_t alias_uses_ = 0;
  std::unordered_map<std::string, Token> resources_;           // values, by key
  std::unordered_map<std::size_t, std::size_t> section_ends_;  // of metadata sections, by where they begin
  bool resources_found_ = false;
  std::optional<Module> module_;
  NameScope scope_;
  std::vector<ResultName> result_names_;
  std::vector<Value> operands_;
  std::vector<NamedAttribute> attributes_;
  // Of the item at hand; all empty where its text is in order.
  std::vector<ForwardValue> forward_;
  std::unordered_map<std::uint64_t, std::uint32_t> awaited_;  // by name and index: the innermost in forward_
  std::vector<EarlyUse> early_uses_;
  std::vector<DeferredOp> deferred_;
  std::unordered_map<ValueId, std::uint32_t> untyped_arguments_;  // region arguments to operand numbers
  std::uint32_t region_forward_ = 0;                              // first in forward_ of the region at hand
  bool forward_failed_ = false;                                   // one of forward_ gets no value
  std::unordered_map<StringId, Token> symbols_;                   // where they were defined
  std::uint32_t op_begin_ = 0;                                    // offset of the op being parsed
  bool unwinding_ = false;                                        // a function starts inside another: close everything
  bool gave_up_ = false;
  bool module_seen_ = false;
  bool module_closed_ = false;
  OpRef function_;       // whose body is being parsed
  FunctionFacts facts_;  // of function_
  std::string scratch_;

  // Recently read tensor types by their text: most of a program repeats few types.
  struct CachedType {
    std::string_view text;
    Type type;
  };
  std::array<CachedType, 256> type_cache_{};
};

template <class Parse>
bool Parser::parse_at(std::size_t offset, const Parse& parse) {
  const Token resume = tok_;
  const Lexer outer = lexer_;
  lexer_ = Lexer(file_.text(), offset, std::min(options_.end, file_.text().size()));
  advance();
  const bool ok = parse();
  if (gave_up_) return false;
  lexer_ = outer;
  tok_ = resume;
  return ok;
}

template <class Parse>
bool Parser::parse_inside(const Token& string, const Parse& parse) {
  // Strings that hold expressions have no escapes, so their inside is a part of the text like any other.
  const Token resume = tok_;
  const Lexer outer = lexer_;
  lexer_ = Lexer(file_.text(), string.begin + 1, string.end - 1);
  advance();
  const bool ok = parse() && expect_end();
  lexer_ = outer;
  tok_ = resume;
  return ok;
}

}  // namespace mlgc::text

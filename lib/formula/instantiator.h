// The instantiation of one formula text, shared by the files instantiate*.cpp and private to them.
//
// A statement is instantiated in a fixed order: ranks of packs, extents of letters and packs (instantiate_extents.cpp),
// then typed expressions over letters whose extents are known (instantiate_expressions.cpp). Every user-caused error is
// thrown as Refused and caught at the entry points in instantiate.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/kinds_ops.h"
#include "formula/instantiate.h"

namespace mlgc::instantiation {

// What refuse() throws and the entry points turn into a Failure: it leaves no public function.
struct Refused {
  Diagnostic diagnostic;
};

template <const DiagKind& K, class... Args>
[[noreturn]] void refuse(Args&&... args) {
  throw Refused{diagnose<K>({}, std::forward<Args>(args)...)};
}

// Where an extent came from, for the message when another place disagrees.
struct Place {
  std::string text;
};

struct Extent {
  IndexExpr size;
  Place place;
  bool unit = false;  // only dims of size 1 say so
};

struct Pack {
  // An operand without the first axes of the pack: another one has to say how long they are.
  struct Shorter {
    std::string operand;
    std::size_t rank, expected;
  };
  std::optional<std::size_t> rank;
  std::vector<std::optional<Extent>> extents;
  std::vector<Shorter> shorter;
};

// What `_` and the one-argument `dim` mean inside `{d: e}`.
struct MapContext {
  IndexExpr letter;
  std::size_t position = 0;  // axis within the pack
  std::size_t ordinal = 0;   // place of the axis in the axis list
  std::size_t offset = 0;    // first dim of the pack in the operand being read
  std::size_t rank = 0;      // of the pack
};

// One dim of an operand under a pack: which pack axis it is, or a unit dim, and its map if any.
struct PackDim {
  std::optional<std::size_t> axis;  // nothing: a unit dim
  const PackOperator* map = nullptr;
  std::size_t ordinal = 0;
  bool whole = true;  // a bare subscript: binds the extent
};

// A letter: its name, and the reduction that declares it.
struct LetterKey {
  std::string name;
  std::uint32_t scope;  // the Reduce node, or kStatement
  auto operator<=>(const LetterKey&) const = default;
};

// The scope of letters that no reduction declares.
inline constexpr std::uint32_t kStatement = 0xFFFFFFFF;

class Instantiator {
 public:
  Instantiator(FormulaPool& pool, const FormulaSyntax& syntax, const std::vector<FormulaOperand>& operands,
               const AttrValues& attributes, const std::vector<std::string>& results, const Facts& facts)
      : pool_(pool), index_(pool.index()), syntax_(syntax), attributes_(attributes), results_(results), facts_(facts) {
    for (const FormulaOperand& o : operands) {
      // Absent operands keep their place, so that operand numbers are those of the op.
      if (!o.present) absent_.push_back(o.name);
      add_tensor({o.name, TensorRole::Operand, o.dtype, o.shape});
    }
  }

  // Every statement, in order. Runs once; throws Refused.
  Formula run();
  // A scalar expression in which every name is given.
  ExprId scalar(const std::vector<std::pair<std::string_view, ExprId>>& names);

 private:
  [[noreturn]] void bad(const SyntaxNode& node, std::string_view message) const {
    refuse<kFormulaSyntax>(message, static_cast<std::int64_t>(node.column));
  }
  [[nodiscard]] const SyntaxNode& at(SyntaxId id) const { return syntax_[id]; }
  [[nodiscard]] bool is_absent(std::string_view name) const {
    return std::find(absent_.begin(), absent_.end(), name) != absent_.end();
  }
  // By name, which Formula::find() looks for one after the other: an op may have any number of operands.
  [[nodiscard]] std::optional<TensorId> find_tensor(std::string_view name) const {
    const auto found = tensors_.find(std::string(name));
    return found == tensors_.end() ? std::nullopt : std::optional(found->second);
  }
  TensorId add_tensor(FormulaTensor tensor) {
    std::string name = tensor.name;
    const TensorId added = formula_.add_tensor(std::move(tensor));
    tensors_.emplace(std::move(name), added);
    return added;
  }
  [[nodiscard]] IndexExpr number(std::int64_t v) { return index_.constant(v); }
  static Place place_of(std::string_view operand, std::size_t dim) {
    return {"operand `" + std::string(operand) + "`, axis " + std::to_string(dim)};
  }
  static bool is_constant(std::string_view name) {
    return name == "pi" || name == "inf" || name == "nan" || name == "true" || name == "false" || name == "_";
  }
  static bool can_broadcast(const SyntaxNode& sub) { return sub.pack.empty(); }

  // Ranks, packs and extents: instantiate_extents.cpp.

  [[nodiscard]] std::string show(IndexExpr e) const;
  [[nodiscard]] std::string letter_name(AtomId id) const;
  // Gives the slot a size, or refuses one that is not known to equal what it has.
  void merge(std::optional<Extent>& slot, IndexExpr size, Place place, const std::string& letter);
  // The integers of an attribute; one integer is a list of one.
  std::vector<IndexExpr> int_list(const std::string& name);
  // Axes as positions 0 .. rank-1.
  std::vector<std::size_t> axes(const std::string& text, std::size_t rank, bool permutation = false);
  // Dims of an operand that `node` (a Pack) covers when its pack has rank r; nothing when it depends on more.
  std::size_t covered(const SyntaxNode& node, std::size_t r);
  bool flag(const std::string& name) const;
  // Calls `visit(node)` for every present read in the statement that is not on a static side not taken.
  void for_each_read(SyntaxId root, const std::function<void(const SyntaxNode&)>& visit);
  [[nodiscard]] std::optional<TensorId> tensor_of(const SyntaxNode& n) const;
  void find_ranks(const SyntaxStatement& st);
  // The place that a push writes to, as if it were read from the operand that the result starts as: a bare subscript
  // binds there as well.
  [[nodiscard]] std::optional<SyntaxNode> target_in_base(const SyntaxStatement& st) const;
  Pack& pack(const SyntaxNode& node);
  std::vector<PackDim> pack_dims(const SyntaxNode& node, std::size_t rank);
  [[nodiscard]] LetterKey key_of(const std::string& name) const;
  [[nodiscard]] bool is_letter(const SyntaxNode& n) const;
  // In the ground form, which names its letters after `over`, every other name is a symbol.
  [[nodiscard]] bool is_symbol(const std::string& name) const;
  void bind_extents(SyntaxId root);
  void bind_read(const SyntaxNode& n);
  std::size_t singles_after(const SyntaxNode& n, std::size_t i, std::size_t count);
  // Axes that only size-1 dims speak of have extent 1.
  void close_units();
  void bind_where(const SyntaxStatement& st);
  void check_extent(const std::string& letter, IndexExpr size);
  // Functions whose argument is an operand, not its elements.
  static bool names_operand(std::string_view function);
  // Bare operands take part in binding the pack `B`.
  void bind_bare_operands(SyntaxId root, bool ranks);

  // Expressions: instantiate_expressions.cpp.

  bool static_condition(SyntaxId id);
  IndexExpr as_index(ExprId e, const SyntaxNode& node);
  AtomId letter_atom(const LetterKey& key, const SyntaxNode& node);
  AtomId make_letter(const LetterKey& key, IndexExpr extent);
  // The letter of an axis of a pack: the innermost reduction over that axis, else the statement's own.
  AtomId pack_letter(const std::string& name, std::size_t axis);
  std::vector<IndexExpr> subscripts_of(const std::vector<SyntaxId>& list, std::size_t count,
                                       const std::vector<IndexExpr>* shape);
  ExprId build_read(const SyntaxNode& n);
  ExprId build_name(const SyntaxNode& n);
  ExprId build_read_elementwise(const SyntaxNode& n);
  ExprId build_extent(const SyntaxNode& n);
  // `linear(B..)`: the row-major position of the letters of a pack.
  ExprId build_linear(const SyntaxNode& n);
  // min and max of sizes, decided where the facts of the function decide it.
  std::optional<ExprId> decided_extremum(const std::string& name, const std::vector<ExprId>& args);
  // The operand that argument i of a call names.
  const FormulaTensor& operand_of(const SyntaxNode& n, std::size_t i);
  // `axis(d, x)`: the axis d of x, counted from the front.
  ExprId build_axis(const SyntaxNode& n);
  ExprId build_dim(const SyntaxNode& n);
  ExprId apply(ScalarFn fn, std::span<const ExprId> args, std::string_view name);
  ExprId build_operator(const SyntaxNode& n);
  ExprId build_call(const SyntaxNode& n);
  ExprId build_reduce(SyntaxId id);
  ExprId build(SyntaxId id);

  // Statements: instantiate.cpp.

  void statement(const SyntaxStatement& st, std::size_t number_of_statement);
  // Whether index arithmetic below the expression left 64 bits.
  [[nodiscard]] bool overflows(ExprId root) const;
  [[nodiscard]] bool bound_by_reduction(const std::string& name) const;
  static void add_letter(std::vector<AtomId>& list, AtomId l);
  std::vector<IndexExpr> push_shape(const SyntaxStatement& st, Statement& out);

  FormulaPool& pool_;
  IndexPool& index_;
  const FormulaSyntax& syntax_;
  const AttrValues& attributes_;
  const std::vector<std::string>& results_;
  const Facts& facts_;
  std::vector<std::string> absent_;
  Formula formula_;
  std::unordered_map<std::string, TensorId> tensors_;  // those of the formula, by name
  const std::vector<std::pair<std::string_view, ExprId>>* names_ = nullptr;
  const std::vector<std::pair<std::string, SyntaxId>>* ground_ = nullptr;
  bool ground_form_ = false;

  // Of the statement being instantiated.
  std::map<std::string, Pack> packs_;
  std::map<std::string, std::vector<bool>> unit_seen_;
  std::vector<std::string> fixed_rank_, list_rank_;
  std::map<LetterKey, std::optional<Extent>> letters_;
  std::map<LetterKey, AtomId> atoms_;
  std::vector<SyntaxId> scopes_;
  MapContext map_;
  bool in_map_ = false;
};

}  // namespace mlgc::instantiation

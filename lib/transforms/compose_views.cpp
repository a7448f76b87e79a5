// compose-views: a chain of ops that only move elements becomes one op where one op moves them the same way.
//
// What a chain does is the composition of the subscripts in the formulas of its ops: y[i, j] = x[f(i, j)]. A single op
// is proposed from the form of f, and taken only when its own formula has the same subscripts and its inferred type is
// that of y; so proposals need not be right, and every op that moves the elements of one operand takes part. In this
// f is canonical, a reshape there and back cancels over any number of transposes between.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kComposeViewsCounters{
    PassCounter{"chains-composed", "ops that read further up, past the ops of a chain"},
    PassCounter{"chains-cancelled", "ops that give what their chain started with"},
};

class Composer {
 public:
  Composer(Module& module, PassContext& context)
      : context_(module.context()), index_(context_.index()), pass_(context), module_(module) {}

  bool run() {
    bool changed = false;
    walk(module_, [&](OpRef op) { changed = compose(op) || changed; });
    return changed;
  }

 private:
  // Element [l0, l1, …] of a value is element [at] of `source`; label n is subscript n of the value. Nearest first.
  struct Origin {
    Value source;
    std::vector<IndexExpr> at;
    bool row_major = false;  // elements keep their order
  };
  static constexpr std::size_t kLongest = 8;  // ops that a chain is followed over

  struct Proposal {
    std::string_view op;
    AttrDict attrs;
  };

  bool compose(OpRef op) {
    if (!moves_one_operand(op)) return false;
    auto own = subscripts(op.opcode(), op.operand(0).type(), op.attrs(), op);
    if (!own) return false;
    const Value x = op.operand(0), y = op.result();
    std::vector<Origin> origins{{x, *std::move(own)}};
    origins[0].row_major = keeps_order(origins[0], y);
    if (const auto known = origins_.find(x.id()); known != origins_.end())
      for (const Origin& origin : known->second) {
        if (origins.size() == kLongest) break;
        auto further = follow(origin, origins[0], y, op);
        if (!further) break;
        origins.push_back(*std::move(further));
      }
    for (std::size_t i = origins.size(); i-- > 0;) {
      const Origin& origin = origins[i];
      if (origin.source.type() == y.type() && origin.at == labels(y.dims())) {
        if (!pass_.may_rewrite("cancel-views", op.location())) break;
        y.replace_all_uses_with(origin.source);
        remove(op);
        ++pass_.count("chains-cancelled");
        return true;
      }
      if (i == 0) break;  // that is the op as it stands
      const auto found = single_op(origin, y, op);
      if (!found) continue;
      if (!pass_.may_rewrite("compose-views", op.location())) break;
      replace(op, origin.source, *found);
      origins.erase(origins.begin(), origins.begin() + static_cast<std::ptrdiff_t>(i));
      ++pass_.count("chains-composed");
      origins_[replaced_.id()] = std::move(origins);
      return true;
    }
    origins_[y.id()] = std::move(origins);
    return false;
  }

  [[nodiscard]] bool moves_one_operand(OpRef op) const {
    const TypePool& types = context_.types();
    return op.has_trait(Traits::Movement) && op.operand_count() == 1 && op.result_count() == 1 &&
           op.own_effects() == Effects::None && has_formula(op.def()) && types.is_tensor(op.operand(0).type()) &&
           types.is_tensor(op.result().type());
  }

  std::vector<IndexExpr> labels(std::span<const IndexExpr> dims) {
    std::vector<IndexExpr> out;
    for (std::size_t i = 0; i < dims.size(); ++i)
      out.push_back(index_.index_label(static_cast<std::uint32_t>(i), dims[i]));
    return out;
  }

  // Where an op reads its operand, over the index labels of its result; nothing when it does more than that.
  std::optional<std::vector<IndexExpr>> subscripts(Opcode opcode, Type operand, AttrDict attrs, OpRef place) {
    const auto formula = instantiate_op(context_, opcode, std::span(&operand, 1), attrs, facts_.of(place));
    if (!formula || formula->statements.size() != 1) return std::nullopt;
    const Statement& statement = formula->statements[0];
    const FormulaPool& pool = formulas(context_);
    if (statement.write != WriteOp::Set || !statement.pull || statement.guard.valid() || statement.base.valid())
      return std::nullopt;
    if (pool.node(statement.body).kind != NodeKind::Read) return std::nullopt;
    const ReadParts read = pool.read_of(statement.body);
    if (read.fill.valid() || read.tensor.index() != 0) return std::nullopt;
    const std::vector<IndexExpr>& dims = formula->tensor(statement.result).shape;
    const std::vector<IndexExpr> result = labels(dims);
    std::unordered_map<AtomId, IndexExpr> numbered;
    for (std::size_t i = 0; i < statement.subscripts.size(); ++i)
      if (const auto label = index_.as_atom(statement.subscripts[i])) numbered.emplace(*label, result[i]);
    std::vector<IndexExpr> out;
    for (const IndexExpr e : read.subscripts) {
      bool known = e != index_.overflow();
      index_.for_each_atom(e, [&](AtomId atom) {
        const AtomKind kind = index_.atom(atom).kind;
        known = known && kind != AtomKind::Opaque && (kind != AtomKind::IndexLabel || numbered.contains(atom));
      });
      if (!known) return std::nullopt;
      out.push_back(index_.substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
        const auto found = numbered.find(atom);
        return found == numbered.end() ? std::nullopt : std::optional(found->second);
      }));
    }
    return out;
  }

  // `outer` over the index labels of a value that is itself read at `inner`.
  std::optional<std::vector<IndexExpr>> composed(const std::vector<IndexExpr>& outer,
                                                 const std::vector<IndexExpr>& inner) {
    std::vector<IndexExpr> out;
    for (const IndexExpr e : outer) {
      out.push_back(index_.substitute(e, [&](AtomId atom) -> std::optional<IndexExpr> {
        if (index_.atom(atom).kind != AtomKind::IndexLabel) return std::nullopt;
        return inner[index_.atom(atom).number];
      }));
      if (out.back() == index_.overflow()) return std::nullopt;
    }
    return out;
  }

  // `y` from the origin of what it is read from. Order that each part keeps is kept by both, whether or not the
  // composition shows it: then the subscripts are those of the reshape.
  std::optional<Origin> follow(const Origin& origin, const Origin& own, Value y, OpRef place) {
    if (origin.row_major && own.row_major) {
      auto at = subscripts(context_.find_op("view"), origin.source.type(), reshape_to(y), place);
      if (at) return Origin{origin.source, *std::move(at), true};
    }
    auto at = composed(origin.at, own.at);
    if (!at) return std::nullopt;
    Origin further{origin.source, *std::move(at)};
    further.row_major = keeps_order(further, y);
    return further;
  }

  bool keeps_order(const Origin& origin, Value y) {
    const auto flat = [&](std::span<const IndexExpr> at, std::span<const IndexExpr> dims) {
      IndexExpr sum = index_.constant(0);
      for (std::size_t i = 0; i < dims.size(); ++i) sum = index_.add(index_.mul(sum, dims[i]), at[i]);
      return sum;
    };
    const IndexExpr before = flat(origin.at, origin.source.dims());
    return before != index_.overflow() && before == flat(labels(y.dims()), y.dims());
  }

  // --- the op that does what a chain does
  std::optional<Proposal> single_op(const Origin& origin, Value y, OpRef place) {
    for (const auto propose : {&Composer::view, &Composer::permute, &Composer::expand, &Composer::slice}) {
      const auto proposal = (this->*propose)(origin, y);
      if (!proposal) continue;
      const Opcode opcode = context_.find_op(proposal->op);
      const Type operand = origin.source.type();
      const auto types = infer_types(context_, opcode, std::span(&operand, 1), proposal->attrs, facts_.of(place));
      if (!types || types->size() != 1 || (*types)[0] != y.type()) continue;
      if (const auto at = subscripts(opcode, operand, proposal->attrs, place); at && *at == origin.at) return proposal;
    }
    return std::nullopt;
  }

  AttrDict attrs(std::initializer_list<Builder::NamedValue> entries) const { return Builder(module_).attrs(entries); }

  AttrDict reshape_to(Value y) const { return attrs({{"shape", context_.attributes().int_list(y.dims())}}); }

  std::optional<Proposal> view(const Origin& origin, Value y) {
    return origin.row_major ? std::optional(Proposal{"view", reshape_to(y)}) : std::nullopt;
  }

  // Each axis is one of the source's; axes of size 1 have no index label and take the remaining ones, in order.
  std::optional<Proposal> permute(const Origin& origin, Value y) {
    const std::vector<IndexExpr> own = labels(y.dims());
    if (origin.at.size() != own.size()) return std::nullopt;
    std::vector<std::int64_t> axes;
    std::vector<bool> taken(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::size_t from = 0;
      while (from < own.size() &&
             (taken[from] || origin.at[from] != own[i] || origin.source.dims()[from] != y.dims()[i]))
        ++from;
      if (from == own.size()) return std::nullopt;
      taken[from] = true;
      axes.push_back(static_cast<std::int64_t>(from));
    }
    return Proposal{"permute", attrs({{"dims", context_.attributes().int_list(axes)}})};
  }

  std::optional<Proposal> expand(const Origin& origin, Value y) {
    if (origin.at.size() > y.rank()) return std::nullopt;
    return Proposal{"expand", attrs({{"size", context_.attributes().int_list(y.dims())}})};
  }

  // The place depends on where in the result it is read for: no attribute can say that.
  [[nodiscard]] bool has_label(IndexExpr at) const {
    bool found = false;
    index_.for_each_atom(at, [&](AtomId atom) { found |= index_.atom(atom).kind == AtomKind::IndexLabel; });
    return found;
  }

  // One axis is read at other places than its own, at a distance of `step`; or at one place, and is gone.
  std::optional<Proposal> slice(const Origin& origin, Value y) {
    const std::size_t rank = origin.at.size();
    const bool dropped = y.rank() + 1 == rank;
    if (y.rank() != rank && !dropped) return std::nullopt;
    const std::vector<IndexExpr> own = labels(y.dims());
    std::size_t axis = 0;
    while (axis < own.size() && origin.at[axis] == own[axis]) ++axis;
    if (axis == rank) return std::nullopt;
    AttributePool& attributes = context_.attributes();
    const Builder::NamedValue dim{"dim", attributes.integer(static_cast<std::int64_t>(axis))};
    if (dropped) {
      if (has_label(origin.at[axis])) return std::nullopt;
      return Proposal{"select", attrs({dim, {"index", attributes.integer(origin.at[axis])}})};
    }
    const auto label = index_.as_atom(own[axis]);
    if (!label) return std::nullopt;
    const auto at = [&](std::int64_t value) {
      return index_.substitute(origin.at[axis], [&](AtomId atom) {
        return atom == *label ? std::optional(index_.constant(value)) : std::nullopt;
      });
    };
    const IndexExpr start = at(0);
    const auto step = index_.as_constant(index_.sub(at(1), start));
    if (!step || *step < 1 || has_label(start)) return std::nullopt;
    const IndexExpr end = index_.add(start, index_.scale(y.dims()[axis], *step));
    const Builder::NamedValue first{"start", attributes.integer(start)}, last{"end", attributes.integer(end)};
    if (*step == 1) return Proposal{"slice", attrs({dim, first, last})};
    return Proposal{"slice", attrs({dim, first, last, {"step", attributes.integer(*step)}})};
  }

  void replace(OpRef op, Value source, const Proposal& proposal) {
    const Type type = op.result().type();
    const OpRef made = module_.create(context_.find_op(proposal.op), std::span(&source, 1), proposal.attrs,
                                      std::span(&type, 1), op.location());
    made.move_before(op);
    op.result().replace_all_uses_with(made.result());
    remove(op);
    replaced_ = made.result();
  }

  // The op, and what it was the last reader of further up its chain. No origin of a value that is still read names
  // those: a chain goes through operands.
  void remove(OpRef op) {
    while (op.valid() && op.results_unused() && moves_one_operand(op)) {
      const OpRef above = op.operand(0).definer();
      origins_.erase(op.result().id());
      op.erase();
      op = above;
    }
  }

  Context& context_;
  IndexPool& index_;
  PassContext& pass_;
  Module& module_;
  FunctionFacts facts_;
  Value replaced_;
  std::unordered_map<ValueId, std::vector<Origin>> origins_;
};

PassResult run_compose_views(Module& module, const NoPassOptions&, PassContext& context) {
  return PassContext::changed_if(Composer(module, context).run());
}

}  // namespace

constexpr PassDef kComposeViewsPass{
    .name = "compose-views",
    .summary = "Makes one op of a chain of ops that only move elements, or none.",
    .description =
        "A chain composes its subscripts. Where the composition is one `view`, `permute`, `expand`, `slice` or "
        "`select` of the first value, the last op becomes that one. Where it is the identity, the last value is the "
        "first one. Each new op is compared with the chain by its own formula. Chains are followed over 8 ops; longer "
        "ones become shorter step by step. Ops in the middle of a chain without other uses are removed.",
    .counters = kComposeViewsCounters,
    .needs = Stages::Graph,
    .example = {.before = R"(func @f(%x: tensor<[B]x4x6xf32>) -> tensor<[B]x24xf32> {
  %0 = permute %x {dims = [0, 2, 1]} : tensor<[B]x6x4xf32>
  %1 = view %0 {shape = [B, 2, 3, 4]} : tensor<[B]x2x3x4xf32>
  %2 = permute %1 {dims = [0, 3, 1, 2]} : tensor<[B]x4x2x3xf32>
  %3 = view %2 {shape = [B, 24]} : tensor<[B]x24xf32>
  return %3
})",
                .after = R"(func @f(%x: tensor<[B]x4x6xf32>) -> tensor<[B]x24xf32> {
  %0 = view %x {shape = [B, 24]} : tensor<[B]x24xf32>
  return %0
})"},
    .body = pass_body<NoPassOptions, run_compose_views>(),
};

}  // namespace mlgc

// derive-weights: what depends on weights and constants only is computed once, when the weights are loaded, and not in
// each call: it becomes the region of a derived weight, which the function reads instead.
//
// Three walks over each function, linear in its ops. Forward: which ops can move. Backward, so that every user comes
// before what it uses: which derived weight computes an op. Forward again: the derived weights are built and read.
//
// An op belongs to the derived weight of all its users; where users belong to several, or one stays in the function,
// the op becomes a derived weight of its own, which the others read. So no op is copied or computed twice, and time
// stays linear.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/clone.h"
#include "ir/function.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct DeriveWeightsOptions {
  double max_growth = 1;
};

constexpr std::array kDeriveWeightsOptions{
    pass_option<&DeriveWeightsOptions::max_growth>(
        "max-growth",
        "derive only what takes at most that many bytes for each byte of the weights "
        "it is computed from"),
};
constexpr std::array kDeriveWeightsCounters{
    PassCounter{"weights-derived", "derived weights that were made"},
    PassCounter{"weights-shared", "values that a derived weight of the same content gives"},
    PassCounter{"ops-moved", "ops that moved out of functions"},
    PassCounter{"too-large", "values left in the function because of max-growth"},
    PassCounter{"may-fail", "ops on weights left in the function because they may fail"},
};

// Weights that a value is computed from, and their bytes. Beyond kExact weights a weight that is met twice may count
// twice, but never do all together count for more than the module has.
struct Inputs {
  static constexpr std::size_t kExact = 16;
  std::vector<OpId> weights;  // in the order of ids
  double bytes = 0;
  bool exact = true;
};

enum class Role : std::uint8_t {
  Stays,  // depends on more than weights, or may not move
  Leaf,   // a constant, or an op without operands: copied wherever it is used
  Read,   // of a weight that no function updates
  Moves,  // computes from weights and leaves
};

class Deriver {
 public:
  Deriver(Module& module, const DeriveWeightsOptions& options, PassContext& context)
      : module_(module),
        context_(module.context()),
        options_(options),
        pass_(context),
        hasher_(module),
        read_(context_.opcode(GraphOp::Read)),
        yield_(context_.opcode(GraphOp::Yield)),
        symbol_(context_.strings().intern("symbol")) {}

  bool run() {
    for (const OpRef op : module_.body().ops())
      if (op.is(GraphOp::Weight)) all_bytes_ += bytes_of(op).value_or(0);
    for (const FuncRef function : functions(module_))
      for (const UpdateTarget& update : function.updates())
        if (!update.argument) updated_.insert(update.symbol);
    facts_.resize(module_.op_id_bound());
    for (OpRef op = module_.body().front(); op.valid(); op = op.next()) {
      // Only what stands before a function can be read in it.
      if (op.is(GraphOp::Weight) && op.region_count() != 0) derived_[content_hash(op)].push_back(op.id());
      if (op.is(GraphOp::Func)) derive(FuncRef(op));
    }
    return changed_;
  }

 private:
  struct Fact {
    Role role = Role::Stays;
    bool kept = false;       // Moves, but stays in the function too: a user that stays needs it, and it is too large
    bool candidate = false;  // may have lost its last reader
    OpId group;              // Moves: the op whose derived weight computes it
    std::uint32_t inputs = 0;
  };

  Fact& fact(OpRef op) { return facts_[op.id().index()]; }

  void derive(FuncRef function) {
    bool any = false;
    walk(function.op(), [&](OpRef op) {
      fact(op).role = role_of(op);
      any = any || fact(op).role == Role::Moves;
    });
    if (!any) return;
    walk<WalkOrder::BackwardPost>(function.op(), [&](OpRef op) {
      if (fact(op).role == Role::Moves) choose_group(op);
    });
    build(function);
    walk<WalkOrder::BackwardPost>(function.op(), [&](OpRef op) {
      if (is_new(op) || !fact(op).candidate || !op.results_unused()) return;
      for (const Value operand : op.operands())
        if (!is_new(operand.definer())) fact(operand.definer()).candidate = true;
      op.erase();
    });
  }
  [[nodiscard]] bool is_new(OpRef op) const { return op.id().index() >= facts_.size(); }

  // --- forward: what can move
  Role role_of(OpRef op) {
    if (op.region_count() != 0 || op.result_count() == 0) return Role::Stays;
    for (const Value result : op.results())
      if (!bytes_of(result.type())) return Role::Stays;
    if (op.is(read_)) return read_role(op);
    if (op.has_trait(Traits::Constant)) return Role::Leaf;
    if (!has_formula(op.def()) || op.has_trait(Traits::Random) || mentions_sizes(op)) return Role::Stays;
    Inputs inputs;
    for (const Value operand : op.operands()) {
      const OpRef definer = operand.definer();
      if (!definer.valid() || fact(definer).role == Role::Stays) return Role::Stays;
      if (fact(definer).role != Role::Leaf) join(inputs, inputs_[fact(definer).inputs]);
    }
    if (op.own_effects() != Effects::None) {
      if (!inputs.weights.empty()) ++pass_.count("may-fail");
      return Role::Stays;
    }
    if (op.operand_count() == 0) return Role::Leaf;
    if (inputs.weights.empty()) return Role::Stays;  // constants alone: constant-fold has seen it and left it
    remember(op, std::move(inputs));
    return Role::Moves;
  }

  Role read_role(OpRef op) {
    const auto name = context_.attributes().as_symbol(op.attr(symbol_));
    const OpRef weight = name ? module_.lookup(*name) : OpRef();
    if (!weight.valid() || !weight.is(GraphOp::Weight)) return Role::Stays;
    if (updated_.contains(context_.strings().intern(*name))) return Role::Stays;
    remember(op, {{weight.id()}, *bytes_of(op.result().type()), true});
    return Role::Read;
  }

  void remember(OpRef op, Inputs inputs) {
    fact(op).inputs = static_cast<std::uint32_t>(inputs_.size());
    inputs_.push_back(std::move(inputs));
  }

  void join(Inputs& into, const Inputs& other) {
    if (into.weights == other.weights && into.exact && other.exact) return;
    std::vector<OpId> all;
    const auto before = [](OpId a, OpId b) { return a.index() < b.index(); };
    std::set_union(into.weights.begin(), into.weights.end(), other.weights.begin(), other.weights.end(),
                   std::back_inserter(all), before);
    into.exact = into.exact && other.exact && all.size() <= Inputs::kExact;
    if (into.exact) {
      into.bytes = 0;
      for (const OpId weight : all)
        into.bytes += bytes_of(context_.attributes().as_type(module_.op(weight).attr(context_.names().type))).value();
    } else {
      into.bytes = std::min(into.bytes + other.bytes, all_bytes_);
    }
    if (all.size() > Inputs::kExact) all.resize(Inputs::kExact);
    into.weights = std::move(all);
  }

  // Nothing where the size is not known, or beyond counting.
  [[nodiscard]] std::optional<double> bytes_of(Type type) const {
    const TypePool& types = context_.types();
    if (!types.is_tensor(type) || !types.is_static(type)) return std::nullopt;
    const auto count = types.element_count(type);
    if (!count) return std::nullopt;
    return static_cast<double>(*count) * static_cast<double>(dtype_info(types.dtype(type)).bytes);
  }

  [[nodiscard]] std::optional<double> bytes_of(OpRef weight) const {
    return bytes_of(context_.attributes().as_type(weight.attr(context_.names().type)));
  }

  // An attribute speaks of a size of the function, or is text of which that is not known.
  bool mentions_sizes(OpRef op) {
    for (const AttrDef& attr : op.def().attrs)
      if (attr.kind == AttributeKind::String && attr.choices.empty() && op.attr(attr.name).valid()) return true;
    const auto [it, added] = symbolic_.try_emplace(op.attrs().id, false);
    if (!added) return it->second;
    const AttributePool& attributes = context_.attributes();
    const auto symbolic = [&](IndexExpr e) { return !context_.index().as_constant(e); };
    std::vector<Attribute> open;
    for (const NamedAttribute& entry : attributes.entries(op.attrs())) open.push_back(entry.value);
    while (!open.empty() && !it->second) {
      const Attribute at = open.back();
      open.pop_back();
      for (const Attribute item : attributes.as_array(at)) open.push_back(item);
      if (const auto e = attributes.as_int(at); e && symbolic(*e)) it->second = true;
      const auto list = attributes.as_int_list(at);
      if (std::any_of(list.begin(), list.end(), symbolic)) it->second = true;
      if (const Type type = attributes.as_type(at); type.valid() && !bytes_of(type)) it->second = true;
    }
    return it->second;
  }

  // --- backward: which derived weight computes an op
  void choose_group(OpRef op) {
    Fact& own = fact(op);
    bool read_outside = false, shared = false;
    double bytes = 0;
    for (const Value result : op.results()) {
      const bool outside = read_by_function(result);
      for (const Use use : result.uses()) {
        const OpId group = fact(use.owner()).group;
        if (!group.valid()) continue;
        shared = shared || (own.group.valid() && own.group != group);
        own.group = group;
      }
      if (outside) bytes += bytes_of(result.type()).value();
      read_outside = read_outside || outside;
    }
    if (shared) own.group = op.id();
    if (!read_outside) return;
    const bool fits = bytes <= options_.max_growth * inputs_[own.inputs].bytes;
    if (!fits) ++pass_.count("too-large");
    own.kept = !fits || !pass_.may_rewrite("derive-weight", op.location());
    if (!own.kept) own.group = op.id();
  }

  bool read_by_function(Value value) {
    for (const Use use : value.uses())
      if (const Fact& user = fact(use.owner()); user.role != Role::Moves || user.kept) return true;
    return false;
  }

  // --- forward: the derived weights
  struct Symbol {
    std::string name;
    std::string base;  // the weight after which it is named
  };

  void build(FuncRef function) {
    std::unordered_map<OpId, std::vector<OpRef>> members;
    std::vector<OpRef> roots;
    walk(function.op(), [&](OpRef op) {
      const OpId group = fact(op).group;
      if (!group.valid()) return;
      members[group].push_back(op);
      if (group == op.id()) roots.push_back(op);
      if (fact(op).kept) return;
      fact(op).candidate = true;
      ++pass_.count("ops-moved");
    });
    std::vector<std::pair<Value, Value>> replacements;
    for (const OpRef root : roots) {
      for (const Value result : root.results()) {
        if (!read_elsewhere(result)) continue;
        const Symbol symbol = derived_weight(result, members[root.id()], function);
        symbols_.emplace(result.id(), symbol);
        if (fact(root).kept || !read_by_function(result)) continue;
        Builder builder(module_, root.parent());
        builder.set_before(root);
        replacements.emplace_back(result, read(builder, symbol.name, result.type(), root.location()));
      }
    }
    for (const auto& [result, value] : replacements) result.replace_all_uses_with(value);
    changed_ = changed_ || !roots.empty();
  }

  // Some reader is not computed by the derived weight that computes the value.
  bool read_elsewhere(Value value) {
    const OpId own = value.definer().id();
    if (read_by_function(value)) return true;
    for (const Use use : value.uses())
      if (const OpId group = fact(use.owner()).group; group.valid() && group != own) return true;
    return false;
  }

  // One that gives the value, made before the function or found there.
  Symbol derived_weight(Value result, const std::vector<OpRef>& members, FuncRef function) {
    const OpRef root = result.definer();
    const NamedAttribute type{context_.names().type, context_.attributes().type(result.type())};
    const OpRef weight = module_.create(context_.opcode(GraphOp::Weight), {},
                                        context_.attributes().dict(std::span(&type, 1)), {}, root.location(), 1);
    Builder builder(module_, weight.region());
    ValueMap map;
    std::string base;
    for (const OpRef op : members) {
      for (const Value operand : op.operands()) {
        if (map.find(operand).valid()) continue;
        const OpRef definer = operand.definer();
        if (const auto known = symbols_.find(operand.id()); known != symbols_.end()) {
          if (base.empty()) base = known->second.base;
          map.set(operand, read(builder, known->second.name, operand.type(), definer.location()));
        } else {
          if (base.empty() && fact(definer).role == Role::Read)
            base = base_of(*context_.attributes().as_symbol(definer.attr(symbol_)));
          clone(definer, builder, map);
        }
      }
      clone(op, builder, map);
    }
    builder.set_location(root.location());
    builder.create(yield_, std::array{map.find(result)}, {}, {});

    std::vector<OpId>& alike = derived_[content_hash(weight)];
    for (const OpId id : alike) {
      const OpRef other = module_.op(id);
      if (!same_content(other, weight)) continue;
      weight.erase();
      ++pass_.count("weights-shared");
      return {std::string(other.symbol()), base_of(other.symbol())};
    }
    alike.push_back(weight.id());
    Symbol symbol{unique_name(base + "." + std::string(named_after(root))), base};
    bases_.emplace(symbol.name, base);
    weight.set_attr("sym_name", context_.attributes().string(symbol.name));
    weight.move_before(function.op());
    ++pass_.count("weights-derived");
    return symbol;
  }

  Value read(Builder& builder, std::string_view name, Type type, Location location) {
    const NamedAttribute entry{symbol_, context_.attributes().symbol(name)};
    builder.set_location(location);
    return builder.create(read_, {}, context_.attributes().dict(std::span(&entry, 1)), std::span(&type, 1)).result();
  }

  // --- names
  // The last op that is more than a change of dtype.
  std::string_view named_after(OpRef root) {
    OpRef op = root;
    while (op.is(GraphOp::Cast) && fact(op.operand(0).definer()).group == root.id()) op = op.operand(0).definer();
    return op.name();
  }
  [[nodiscard]] std::string base_of(std::string_view weight) const {
    const auto known = bases_.find(std::string(weight));
    return known == bases_.end() ? std::string(weight) : known->second;
  }
  std::string unique_name(const std::string& stem) {
    std::string name = stem;
    while (module_.lookup(name).valid()) name = stem + "." + std::to_string(++taken_[stem]);
    return name;
  }

  // --- content
  std::uint64_t content_hash(OpRef weight) { return hasher_.op_hash(weight, {.symbol_name = false}); }

  // Of derived weights with equal hashes, names aside.
  bool same_content(OpRef a, OpRef b) {
    AttributePool& attributes = context_.attributes();
    const StringId sym_name = context_.names().sym_name;
    if (attributes.without(a.attrs(), sym_name) != attributes.without(b.attrs(), sym_name)) return false;
    std::unordered_map<ValueId, ValueId> to;  // from values of a to values of b
    OpRef x = a.region().front(), y = b.region().front();
    for (; x.valid() && y.valid(); x = x.next(), y = y.next()) {
      if (x.opcode() != y.opcode() || x.attrs() != y.attrs() || x.region_count() + y.region_count() != 0) return false;
      if (x.operand_count() != y.operand_count() || x.result_count() != y.result_count()) return false;
      for (std::size_t i = 0; i < x.operand_count(); ++i)
        if (to[x.operand(i).id()] != y.operand(i).id()) return false;
      for (std::size_t i = 0; i < x.result_count(); ++i) {
        if (x.result(i).type() != y.result(i).type()) return false;
        to[x.result(i).id()] = y.result(i).id();
      }
    }
    return !x.valid() && !y.valid();
  }

  Module& module_;
  Context& context_;
  const DeriveWeightsOptions& options_;
  PassContext& pass_;
  StructuralHasher hasher_;
  Opcode read_, yield_;
  StringId symbol_;
  double all_bytes_ = 0;
  bool changed_ = false;
  std::unordered_set<StringId> updated_;                          // weights and states that some function replaces
  std::unordered_map<std::uint64_t, std::vector<OpId>> derived_;  // by hash of content, those before the function
  std::unordered_map<std::uint32_t, bool> symbolic_;              // dictionaries of attributes that speak of sizes
  std::unordered_map<std::string, std::string> bases_;            // of the derived weights made here
  std::unordered_map<std::string, std::size_t> taken_;            // numbers given to names of one stem
  std::vector<Fact> facts_;                                       // by op, of those that were there before
  std::vector<Inputs> inputs_;
  std::unordered_map<ValueId, Symbol> symbols_;  // derived weights by what they give
};

PassResult run(Module& module, const DeriveWeightsOptions& options, PassContext& context) {
  if (!(options.max_growth >= 0)) {
    reject_option(context, "max-growth", "must be at least 0");
    return PassResult::Failed;
  }
  return PassContext::changed_if(Deriver(module, options, context).run());
}

}  // namespace

constexpr PassDef kDeriveWeightsPass{
    .name = "derive-weights",
    .summary = "Moves what depends on weights only out of functions, into derived weights.",
    .description =
        "A derived weight is computed once, when the weights are loaded, by the ops that the function would have run "
        "in each call. They keep their dtypes: what is computed in f64 and rounded at the end stays so. Ops move when "
        "they read only weights, constants and each other. They must not generate random numbers, fail, have regions, "
        "or have symbolic sizes. States do not move, nor weights that some function of the module updates. Constants "
        "alone are left to `constant-fold`. Movement (a transpose) moves like any other op. A value that takes more "
        "memory than the weights it is computed from (see `max-growth`), such as an expand, stays; its operands move. "
        "Ops on which several derived weights depend become one that these read. Their size does not matter, since no "
        "function reads them. Equal derived weights become one, in all functions and with those that the module has. "
        "Names are those of the first weight and of the op: `@fc.weight.transpose`. Weights stay; "
        "`dce{dead-symbols=true}` removes unused ones.",
    .options = kDeriveWeightsOptions,
    .counters = kDeriveWeightsCounters,
    .needs = Stages::Graph,
    .example = {.before = R"(weight @fc.weight : tensor<3x4xf32>
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x3xf32> {
  %w = read @fc.weight : tensor<3x4xf32>
  %t = transpose %w {dim0 = 0, dim1 = 1} : tensor<4x3xf32>
  %y = matmul %x, %t : tensor<[B]x3xf32>
  return %y
})",
                .after = R"(weight @fc.weight : tensor<3x4xf32>
weight @fc.weight.transpose : tensor<4x3xf32> = {
  %w = read @fc.weight : tensor<3x4xf32>
  %t = transpose %w {dim0 = 0, dim1 = 1} : tensor<4x3xf32>
  yield %t
}
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x3xf32> {
  %t = read @fc.weight.transpose : tensor<4x3xf32>
  %y = matmul %x, %t : tensor<[B]x3xf32>
  return %y
})"},
    .body = pass_body<DeriveWeightsOptions, run>(),
};

}  // namespace mlgc

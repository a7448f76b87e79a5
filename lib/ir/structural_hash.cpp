// Content hashes of expressions, types and attributes, memoised by id, and a walk that feeds one running hash.
#include "ir/structural_hash.h"

#include <bit>
#include <string_view>
#include <unordered_map>

#include "ir/walk.h"
#include "support/hash.h"

namespace mlgc {
namespace {

// Marks that keep different structures with equal parts apart.
constexpr std::uint64_t kRegion = 0xA1, kRegionEnd = 0xA2, kOutside = 0xA3, kInside = 0xA4;

template <class T>
std::uint64_t& memo(std::vector<std::uint64_t>& table, T handle) {
  if (handle.id >= table.size()) table.resize(handle.id + handle.id / 2 + 1);
  return table[handle.id];
}

// 0 means "not known yet" in the memo tables.
std::uint64_t nonzero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return hash_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::uint64_t StructuralHasher::string_hash(StringId id) const {
  return id.valid() ? hash_bytes(module_->context().strings().text(id)) : 0;
}

std::uint64_t StructuralHasher::atom_hash(AtomId id) {
  const Atom atom = module_->context().index().atom(id);
  const std::uint64_t kind = hash_mix(0, static_cast<std::uint64_t>(atom.kind));
  switch (atom.kind) {
    case AtomKind::Symbol: return hash_mix(kind, hash_bytes(module_->context().index().symbol_name(id)));
    case AtomKind::IndexLabel: return hash_mix(hash_mix(kind, atom.number), expr_hash(atom.a));
    case AtomKind::Opaque: return hash_mix(kind, atom.number);
    case AtomKind::FloorDiv:
    case AtomKind::Mod: return hash_mix(hash_mix(kind, expr_hash(atom.a)), expr_hash(atom.b));
    // The order of the two sides may follow ids, so it must not count.
    case AtomKind::Min:
    case AtomKind::Max: return hash_mix(kind, expr_hash(atom.a) + expr_hash(atom.b));
  }
  throw InternalError("not a kind of atom");
}

std::uint64_t StructuralHasher::expr_hash(IndexExpr e) {
  if (const std::uint64_t known = memo(exprs_, e)) return known;
  const IndexPool& pool = module_->context().index();
  std::uint64_t sum = pool.term_count(e);
  if (e == pool.overflow()) sum = ~std::uint64_t{0};
  // Sums over terms and factors: independent of the order in which the pool keeps them.
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    std::uint64_t factors = term.factors.size();
    for (const AtomId factor : term.factors) factors += atom_hash(factor);
    sum += hash_mix(static_cast<std::uint64_t>(term.coefficient), factors);
  }
  return memo(exprs_, e) = nonzero(hash_mix(0, sum));
}

std::uint64_t StructuralHasher::type_hash(Type type) {
  if (const std::uint64_t known = memo(types_, type)) return known;
  const TypePool& pool = module_->context().types();
  std::uint64_t h = hash_mix(static_cast<std::uint64_t>(pool.kind(type)), static_cast<std::uint64_t>(pool.dtype(type)));
  h = hash_mix(h, static_cast<std::uint64_t>(pool.scope(type)));
  h = hash_mix(h, string_hash(pool.layout(type)));
  h = hash_mix(h, pool.dims(type).size());
  for (const IndexExpr dim : pool.dims(type)) h = hash_mix(h, expr_hash(dim));
  h = hash_mix(h, pool.params(type).size());
  for (const Type param : pool.params(type)) h = hash_mix(h, type_hash(param));
  h = hash_mix(h, pool.results(type).size());
  for (const Type result : pool.results(type)) h = hash_mix(h, type_hash(result));
  return memo(types_, type) = nonzero(h);
}

std::uint64_t StructuralHasher::attribute_hash(Attribute a) {
  if (const std::uint64_t known = memo(attributes_, a)) return known;
  const AttributePool& pool = module_->context().attributes();
  std::uint64_t h = hash_mix(0, static_cast<std::uint64_t>(pool.kind(a)));
  switch (pool.kind(a)) {
    case AttributeKind::None: break;
    case AttributeKind::Bool: h = hash_mix(h, *pool.as_bool(a) ? 1 : 0); break;
    case AttributeKind::Int: h = hash_mix(h, expr_hash(*pool.as_int(a))); break;
    case AttributeKind::Float: h = hash_mix(h, std::bit_cast<std::uint64_t>(*pool.as_float(a))); break;
    case AttributeKind::String: h = hash_mix(h, hash_bytes(*pool.as_string(a))); break;
    case AttributeKind::Symbol: h = hash_mix(h, hash_bytes(*pool.as_symbol(a))); break;
    case AttributeKind::Type: h = hash_mix(h, type_hash(pool.as_type(a))); break;
    case AttributeKind::Dtype: h = hash_mix(h, static_cast<std::uint64_t>(*pool.as_dtype(a))); break;
    case AttributeKind::IntList:
    case AttributeKind::Subscripts:
      for (const IndexExpr e : pool.as_int_list(a)) h = hash_mix(h, expr_hash(e));
      h = hash_mix(h, pool.as_int_list(a).size());
      break;
    case AttributeKind::FloatList:
      for (const double d : pool.as_float_list(a)) h = hash_mix(h, std::bit_cast<std::uint64_t>(d));
      h = hash_mix(h, pool.as_float_list(a).size());
      break;
    case AttributeKind::BoolList:
      for (const bool b : pool.as_bool_list(a)) h = hash_mix(h, b ? 1 : 0);
      h = hash_mix(h, pool.as_bool_list(a).size());
      break;
    case AttributeKind::StringList:
      for (const StringId s : pool.as_string_list(a)) h = hash_mix(h, string_hash(s));
      h = hash_mix(h, pool.as_string_list(a).size());
      break;
    case AttributeKind::Array:
      for (const Attribute item : pool.as_array(a)) h = hash_mix(h, attribute_hash(item));
      h = hash_mix(h, pool.as_array(a).size());
      break;
    case AttributeKind::Tensor: {
      const TensorConstant& constant = pool.as_tensor(a);
      h = hash_mix(hash_mix(h, type_hash(constant.type)), constant.splat ? 1 : 0);
      h = hash_mix(h, hash_of(constant.bytes));
      break;
    }
  }
  return memo(attributes_, a) = nonzero(h);
}

std::uint64_t StructuralHasher::dict_hash(AttrDict dict) {
  if (const std::uint64_t known = memo(dicts_, dict)) return known;
  std::uint64_t h = 0;
  for (const NamedAttribute& entry : module_->context().attributes().entries(dict))
    h = hash_mix(hash_mix(h, string_hash(entry.name)), attribute_hash(entry.value));
  return memo(dicts_, dict) = nonzero(h);
}

std::uint64_t StructuralHasher::row_hash(OpRef op, std::uint64_t attrs) {
  std::uint64_t h = hash_mix(hash_bytes(op.name()), attrs);
  h = hash_mix(h, op.operand_count());
  for (const Value operand : op.operands()) {
    std::uint32_t& number = numbers_[operand.id().index()];
    if (number >= base_) {
      h = hash_mix(h, hash_mix(kInside, number - base_));
    } else {
      number = next_++;
      h = hash_mix(h, hash_mix(kOutside, type_hash(operand.type())));
    }
  }
  h = hash_mix(h, op.result_count());
  for (const Value result : op.results()) {
    numbers_[result.id().index()] = next_++;
    h = hash_mix(h, type_hash(result.type()));
  }
  return hash_mix(h, op.region_count());
}

std::uint64_t StructuralHasher::op_hash(OpRef root, HashOptions options) {
  MLGC_ASSERT(&root.module().context() == &module_->context(), "an op of another context");
  // Numbers only grow, so what an earlier root left behind is told by being below base_.
  if (next_ > (1U << 30)) {
    numbers_.clear();
    next_ = 1;
  }
  numbers_.resize(root.module().value_id_bound());
  base_ = next_;

  std::uint64_t attrs = 0;
  if (options.symbol_name) {
    attrs = dict_hash(root.attrs());
  } else {
    const StringId sym_name = module_->context().names().sym_name;
    for (const NamedAttribute& entry : module_->context().attributes().entries(root.attrs()))
      if (entry.name != sym_name)
        attrs = hash_mix(hash_mix(attrs, string_hash(entry.name)), attribute_hash(entry.value));
  }

  std::uint64_t h = row_hash(root, attrs);
  OpRef at = root;
  while (true) {
    // `at` was just hashed; down into its first region, or up until something follows.
    RegionRef region = at.region_count() > 0 ? at.region(0) : RegionRef();
    while (true) {
      if (region.valid()) {
        h = hash_mix(hash_mix(h, kRegion), region.argument_count());
        for (const Value argument : region.arguments()) {
          numbers_[argument.id().index()] = next_++;
          h = hash_mix(h, type_hash(argument.type()));
        }
        if (!region.empty()) {
          at = region.front();
          break;
        }
        h = hash_mix(h, kRegionEnd);
        at = region.parent_op();
        region = region.next();
        continue;
      }
      if (at == root) return h;
      if (at.next().valid()) {
        at = at.next();
        break;
      }
      h = hash_mix(h, kRegionEnd);
      region = at.parent().next();
      at = at.parent_op();
    }
    h = hash_mix(h, row_hash(at, dict_hash(at.attrs())));
  }
}

std::uint64_t StructuralHasher::module_hash() { return op_hash(module_->top()); }

std::uint64_t structural_hash(const Module& module) { return StructuralHasher(module).module_hash(); }

std::uint64_t structural_hash(OpRef op, HashOptions options) {
  return StructuralHasher(op.module()).op_hash(op, options);
}

bool same_structure(OpRef a, OpRef b) {
  std::vector<OpRef> left, right;
  walk(a, [&](OpRef op) { left.push_back(op); });
  walk(b, [&](OpRef op) { right.push_back(op); });
  if (left.size() != right.size()) return false;
  AttributePool& attributes = a.module().context().attributes();
  const StringId name = a.module().context().strings().intern("sym_name");
  std::unordered_map<ValueId, ValueId> same;  // of b, by those of a
  for (std::size_t i = 0; i < left.size(); ++i) {
    const OpRef x = left[i], y = right[i];
    const bool root = i == 0;
    if (x.opcode() != y.opcode() || x.operand_count() != y.operand_count() || x.result_count() != y.result_count() ||
        x.region_count() != y.region_count() ||
        (root ? attributes.without(x.attrs(), name) != attributes.without(y.attrs(), name) : x.attrs() != y.attrs()))
      return false;
    for (std::size_t v = 0; v < x.operand_count(); ++v) {
      const auto inside = same.find(x.operand(v).id());
      if ((inside == same.end() ? x.operand(v).id() : inside->second) != y.operand(v).id()) return false;
    }
    const auto define = [&](Value of_x, Value of_y) {
      same[of_x.id()] = of_y.id();
      return of_x.type() == of_y.type();
    };
    for (std::size_t v = 0; v < x.result_count(); ++v)
      if (!define(x.result(v), y.result(v))) return false;
    for (std::size_t r = 0; r < x.region_count(); ++r) {
      const RegionRef in_x = x.region(r), in_y = y.region(r);
      if (in_x.argument_count() != in_y.argument_count()) return false;
      for (std::size_t v = 0; v < in_x.argument_count(); ++v)
        if (!define(in_x.argument(v), in_y.argument(v))) return false;
      // Equal numbers of ops in each region and equal regions of each op are equal nesting.
      auto op_x = in_x.empty() ? OpRef() : in_x.front(), op_y = in_y.empty() ? OpRef() : in_y.front();
      while (op_x.valid() && op_y.valid()) {
        op_x = op_x.next();
        op_y = op_y.next();
      }
      if (op_x.valid() != op_y.valid()) return false;
    }
  }
  return true;
}

}  // namespace mlgc

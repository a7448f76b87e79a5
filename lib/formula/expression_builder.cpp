// See expression_builder.h.
#include "formula/expression_builder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "support/result.h"

namespace mlgc::instantiation {

bool ExpressionBuilder::static_condition(SyntaxId id) {
  const ExprId e = build(id);
  if (!e.valid() || pool_.node(e).kind != NodeKind::Literal || is_float(pool_.type(e)))
    bad(scope_.at(id), "the condition of `when` is not static");
  return pool_.literal_integer(e) != 0;
}

IndexExpr ExpressionBuilder::as_index(ExprId e, const SyntaxNode& node) {
  if (!e.valid()) bad(node, "an absent operand stands in a subscript");
  const ExprNode& n = pool_.node(e);
  if (n.kind == NodeKind::Index) return pool_.index_of(e);
  if (is_float(n.type)) bad(node, "a subscript must be an integer");
  if (n.kind == NodeKind::Literal) return index_.constant(pool_.literal_integer(e));
  if (n.kind == NodeKind::Cast && n.type == Dtype::I64) {
    const ExprId inner = pool_.arguments(e)[0];
    if (pool_.node(inner).kind == NodeKind::Index) return pool_.index_of(inner);
  }
  // Of literals alone, and not folded: it left 64 bits.
  if (n.kind == NodeKind::Call && n.weak) {
    const std::vector<ExprId> args = pool_.arguments(e);
    const auto literal = [&](ExprId a) { return pool_.node(a).kind == NodeKind::Literal; };
    if (std::all_of(args.begin(), args.end(), literal)) return index_.overflow();
  }
  // A truth value counts as 0 or 1.
  return index_.opaque(n.type == Dtype::I1 ? pool_.cast(e, Dtype::I64).value : e.value);
}

IndexExpr ExpressionBuilder::mapped_index(SyntaxId id, const MapContext& map, const SyntaxNode& node) {
  const std::optional<MapContext> around = std::exchange(map_, map);
  const IndexExpr index = as_index(build(id), node);
  map_ = around;
  return index;
}

AtomId ExpressionBuilder::label_atom(const LabelKey& key, const SyntaxNode& node) {
  if (const auto found = atoms_.find(key); found != atoms_.end()) return found->second;
  const auto extent = axes_.label_extent(key);
  if (!extent) bad(node, "the extent of index label `" + key.name + "` is not given by any read or `where`");
  const AtomId atom = scope_.formula().fresh_label(index_, key.name, *extent);
  atoms_.emplace(key, atom);
  return atom;
}

AtomId ExpressionBuilder::pack_label(const std::string& name, std::size_t axis) {
  const LabelKey key{name + ".." + std::to_string(axis), axes_.reduction_over(name, axis)};
  if (const auto found = atoms_.find(key); found != atoms_.end()) return found->second;
  const Pack& pack = axes_.pack_named(name);
  const auto& extent = pack.extents[axis];
  if (!extent && !pack.shorter.empty()) {
    const Pack::Shorter& operand = pack.shorter.front();
    refuse<kRankMismatch>(operand.operand, static_cast<std::int64_t>(operand.rank), std::to_string(operand.expected));
  }
  if (!extent)
    refuse<kFormulaSyntax>("the extent of axis " + std::to_string(axis) + " of pack `" + name + "` is not given", 0);
  std::string label(1, static_cast<char>(std::tolower(static_cast<unsigned char>(name[0]))));
  const AtomId atom = scope_.formula().fresh_label(index_, label + std::to_string(axis), extent->size);
  atoms_.emplace(key, atom);
  return atom;
}

std::vector<IndexExpr> ExpressionBuilder::subscripts_of(const std::vector<SyntaxId>& list, std::size_t count,
                                                        const std::vector<IndexExpr>* shape) {
  std::vector<IndexExpr> subs;
  for (std::size_t i = 0; i < count; ++i) {
    const SyntaxNode& sub = scope_.at(list[i]);
    if (sub.kind != SyntaxKind::Pack) {
      subs.push_back(as_index(build(list[i]), sub));
      continue;
    }
    Pack& p = axes_.pack(sub);
    const auto dims = axes_.pack_dims(sub, *p.rank);
    std::size_t skipped = 0;
    const std::size_t offset = subs.size();
    if (shape) {
      const std::size_t rest = axes_.covered(list, i + 1, count);
      skipped = dims.size() - (shape->size() - offset - rest);
    }
    for (std::size_t k = skipped; k < dims.size(); ++k) {
      const PackDim& d = dims[k];
      if (!d.axis) {
        subs.push_back(index_.constant(0));
        continue;
      }
      // A size-1 dim under a larger axis is read at 0.
      const std::size_t dim = offset + k - skipped;
      if (shape && d.whole && index_.as_constant((*shape)[dim]) == 1) {
        subs.push_back(index_.constant(0));
        continue;
      }
      const IndexExpr label = index_.from_atom(pack_label(sub.text, *d.axis));
      if (!d.map) {
        subs.push_back(label);
        continue;
      }
      subs.push_back(mapped_index(d.map->map, {label, *d.axis, d.ordinal, offset, *p.rank}, sub));
    }
  }
  return subs;
}

ExprId ExpressionBuilder::build_read(const SyntaxNode& n) {
  const auto tensor = scope_.tensor_of(n);
  if (!tensor) return {};
  const FormulaTensor t = scope_.formula().tensor(*tensor);
  const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
  const auto subs = subscripts_of(n.children, count, &t.shape);
  if (subs.size() != t.shape.size())
    refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()), std::to_string(subs.size()));
  ExprId fill;
  if (n.has_fill) {
    bool inside = true;
    for (std::size_t d = 0; d < subs.size(); ++d)
      inside = inside && index_.is_non_negative(subs[d], scope_.facts()) &&
               index_.is_non_negative(index_.sub(index_.sub(t.shape[d], index_.constant(1)), subs[d]), scope_.facts());
    if (!inside) {
      fill = build(n.children.back());
      if (!pool_.node(fill).weak && pool_.type(fill) != t.dtype) fill = pool_.cast(fill, t.dtype);
      fill = pool_.coerce(fill, t.dtype);
    }
  }
  return pool_.read(t.dtype, *tensor, subs, fill);
}

ExprId ExpressionBuilder::build_name(const SyntaxNode& n) {
  if (given_)
    for (const auto& [name, e] : *given_)
      if (name == n.text) return e;
  if (n.text == "_" && map_) return pool_.index_value(map_->label);
  if (n.text == "pi") return pool_.real(std::numbers::pi);
  if (n.text == "inf") return pool_.real(std::numeric_limits<double>::infinity());
  if (n.text == "nan") return pool_.real(std::numeric_limits<double>::quiet_NaN());
  if (n.text == "true" || n.text == "false") return pool_.boolean(n.text == "true");
  // `stride.0` is an element of a list attribute.
  std::string name = n.text;
  std::optional<std::size_t> element;
  if (const auto dot = name.find('.'); dot != std::string::npos) {
    element = static_cast<std::size_t>(std::strtoull(name.c_str() + dot + 1, nullptr, 10));
    name.resize(dot);
  }
  if (const AttrValue* value = scope_.attribute(name)) return build_attribute(n, name, *value, element);
  if (scope_.find_tensor(n.text)) {
    // A bare operand stands for its elementwise read.
    if (scope_.is_absent(n.text)) return {};
    return build_read_elementwise(n);
  }
  if (axes_.is_symbol(n.text)) return pool_.index_value(index_.symbol(n.text));
  const LabelKey key = axes_.key_of(n.text);
  return pool_.index_value(index_.from_atom(label_atom(key, n)));
}

ExprId ExpressionBuilder::build_attribute(const SyntaxNode& n, const std::string& name, const AttrValue& value,
                                          std::optional<std::size_t> element) {
  if (const auto* b = std::get_if<bool>(&value)) return pool_.boolean(*b);
  if (const auto* i = std::get_if<IndexExpr>(&value)) return pool_.index_value(*i);
  if (const auto* d = std::get_if<double>(&value)) return pool_.real(*d);
  if (const auto* list = std::get_if<std::vector<IndexExpr>>(&value)) {
    const std::size_t i = element ? *element : map_ ? map_->ordinal : 0;
    if (!element && !map_) bad(n, "attribute `" + name + "` is a list");
    if (list->size() == 1 && !element) return pool_.index_value(list->front());
    if (i >= list->size())
      refuse<kListLength>(name, static_cast<std::int64_t>(list->size()), static_cast<std::int64_t>(i + 1));
    return pool_.index_value((*list)[i]);
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&value); reals && element && *element < reals->size())
    return pool_.real((*reals)[*element]);
  bad(n, "attribute `" + name + "` is not a number");
}

ExprId ExpressionBuilder::build_read_elementwise(const SyntaxNode& n) {
  const FormulaTensor t = scope_.formula().tensor(*scope_.find_tensor(n.text));
  Pack& p = axes_.pack_named("B");
  // Conditions of `when` are looked at before there are ranks.
  if (!p.rank || *p.rank < t.shape.size()) bad(n, "the elements of `" + n.text + "` are not known here");
  const std::size_t skipped = *p.rank - t.shape.size();
  std::vector<IndexExpr> subs;
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    subs.push_back(index_.as_constant(t.shape[d]) == 1 ? index_.constant(0)
                                                       : index_.from_atom(pack_label("B", d + skipped)));
  return pool_.read(t.dtype, *scope_.find_tensor(n.text), subs);
}

ExprId ExpressionBuilder::build_extent(const SyntaxNode& n) {
  if (axes_.has_rank(n.text)) {
    const Pack& pack = axes_.pack_named(n.text);
    IndexExpr product = index_.constant(1);
    for (const PackDim& d : axes_.pack_dims(n, *pack.rank))
      if (d.axis) product = index_.mul(product, pack.extents[*d.axis]->size);
    return pool_.index_value(product);
  }
  const auto extent = axes_.extent_named(n.text);
  if (!extent) bad(n, "`#" + n.text + "`: the index label has no extent");
  return pool_.index_value(*extent);
}

ExprId ExpressionBuilder::build_linear(const SyntaxNode& n) {
  const SyntaxNode& sub = scope_.at(n.children[0]);
  if (sub.kind != SyntaxKind::Pack) bad(n, "`linear` takes a pack");
  IndexExpr position = index_.constant(0);
  for (const PackDim& d : axes_.pack_dims(sub, *axes_.pack(sub).rank)) {
    if (!d.axis) continue;
    const IndexExpr label = index_.from_atom(pack_label(sub.text, *d.axis));
    position = index_.add(index_.mul(position, axes_.pack_named(sub.text).extents[*d.axis]->size), label);
  }
  return pool_.index_value(position);
}

std::optional<ExprId> ExpressionBuilder::decided_extremum(const std::string& name, const std::vector<ExprId>& args) {
  if ((name != "min" && name != "max") || args.size() != 2 || scope_.facts().empty()) return std::nullopt;
  for (ExprId a : args)
    if (pool_.node(a).kind != NodeKind::Index && !(pool_.node(a).kind == NodeKind::Literal && pool_.node(a).weak))
      return std::nullopt;
  if (is_float(pool_.type(args[0])) || is_float(pool_.type(args[1]))) return std::nullopt;
  const SyntaxNode none;
  const IndexExpr a = as_index(args[0], none), b = as_index(args[1], none);
  const bool wants_less = name == "min";
  if (index_.is_non_negative(index_.sub(b, a), scope_.facts())) return wants_less ? args[0] : args[1];
  if (index_.is_non_negative(index_.sub(a, b), scope_.facts())) return wants_less ? args[1] : args[0];
  return std::nullopt;
}

ExprId ExpressionBuilder::build_axis(const SyntaxNode& n) {
  const auto rank = static_cast<std::int64_t>(scope_.operand_of(n, 1).shape.size());
  const auto axis = index_.as_constant(as_index(build(n.children[0]), n));
  if (!axis) bad(n, "the axis is not a constant");
  if (*axis < -rank || *axis >= rank) refuse<kAxisOutOfRange>(*axis, scope_.at(n.children[0]).text, rank);
  return pool_.integer(*axis < 0 ? *axis + rank : *axis);
}

ExprId ExpressionBuilder::build_dim(const SyntaxNode& n) {
  const auto& shape = scope_.operand_of(n, 0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t d = 0;
  if (n.children.size() == 2) {
    const auto c = index_.as_constant(as_index(build(n.children[1]), n));
    if (!c) bad(n, "the axis of `dim` is not a constant");
    d = *c < 0 ? *c + rank : *c;
  } else if (map_) {
    d = static_cast<std::int64_t>(map_->offset + map_->position);
  } else {
    bad(n, "`dim` needs an axis here");
  }
  if (d < 0 || d >= rank) refuse<kAxisOutOfRange>(d, "dim", rank);
  return pool_.index_value(shape[static_cast<std::size_t>(d)]);
}

ExprId ExpressionBuilder::apply(ScalarFn fn, std::span<const ExprId> args, std::string_view name) {
  if (!pool_.call_type(fn, args)) {
    auto text = [&](ExprId e) { return dtype_info(pool_.type(e)).name; };
    if (args.size() == 2 && !pool_.common_type(args[0], args[1]))
      refuse<kDtypeMismatch>(name, text(args[0]), text(args[1]));
    refuse<kDtypeUnsupported>(name, text(args[0]));
  }
  return pool_.call(fn, args);
}

ExprId ExpressionBuilder::build_operator(const SyntaxNode& n) {
  std::vector<ExprId> args;
  for (SyntaxId c : n.children) args.push_back(build(c));
  // What is absent vanishes.
  if (args.size() == 2 && !args[0].valid()) return args[1];
  if (args.size() == 2 && !args[1].valid()) return args[0];
  if (!args[0].valid()) return {};
  if (n.text == ">" || n.text == ">=") {
    std::swap(args[0], args[1]);
    return apply(n.text == ">" ? ScalarFn::Lt : ScalarFn::Le, args, n.text);
  }
  if (n.text == "ceildiv") return pool_.index_value(index_.ceildiv(as_index(args[0], n), as_index(args[1], n)));
  const auto fn = find_scalar_fn(n.text, args.size());
  if (!fn) bad(n, "unknown operator `" + n.text + "`");
  return apply(*fn, args, n.text);
}

ExprId ExpressionBuilder::build_call(const SyntaxNode& n) {
  auto need = [&](std::size_t count) {
    if (n.children.size() != count) bad(n, "`" + n.text + "` takes " + std::to_string(count) + " arguments");
  };
  if (n.text == "dim") return build_dim(n);
  if (n.text == "has") {
    need(1);
    const std::string& name = scope_.at(n.children[0]).text;
    return pool_.boolean(scope_.attribute(name) || (scope_.find_tensor(name).has_value() && !scope_.is_absent(name)));
  }
  if (n.text == "isfloat" || n.text == "isbool") {
    need(1);
    const Dtype type = scope_.operand_of(n, 0).dtype;
    return pool_.boolean(n.text == "isfloat" ? is_float(type) : type == Dtype::I1);
  }
  if (n.text == "headroom") {
    // headroom(x): by how many bits every number of x's integer dtype may be shifted to the left in i64.
    need(1);
    const Dtype type = scope_.operand_of(n, 0).dtype;
    return pool_.integer(64 - 8 * static_cast<std::int64_t>(dtype_info(type).bytes) - (type == Dtype::UI8 ? 1 : 0));
  }
  if (n.text == "rank") {
    need(1);
    return pool_.integer(static_cast<std::int64_t>(scope_.operand_of(n, 0).shape.size()));
  }
  if (n.text == "size") {
    // size(x): the number of elements of x.
    need(1);
    IndexExpr product = index_.constant(1);
    for (IndexExpr d : scope_.operand_of(n, 0).shape) product = index_.mul(product, d);
    return pool_.index_value(product);
  }
  if (n.text == "axis") {
    need(2);
    return build_axis(n);
  }
  if (n.text == "linear") {
    need(1);
    return build_linear(n);
  }
  if (n.text == "when") {
    need(3);
    return build(static_condition(n.children[0]) ? n.children[1] : n.children[2]);
  }
  if (n.text == "cast") {
    need(2);
    const AttrValue* v = scope_.attribute(scope_.at(n.children[1]).text);
    const Dtype* d = v ? std::get_if<Dtype>(v) : nullptr;
    if (!d) bad(n, "`cast` needs a dtype attribute");
    return pool_.cast(build(n.children[0]), *d);
  }
  if (n.text == "like" && n.children.size() == 2 && scope_.at(n.children[1]).kind == SyntaxKind::Name) {
    const ExprId value = build(n.children[0]);
    return value.valid() ? pool_.cast(value, scope_.operand_of(n, 1).dtype) : value;
  }
  std::vector<ExprId> args;
  for (SyntaxId c : n.children) args.push_back(build(c));
  for (ExprId a : args)
    if (!a.valid()) return {};
  if (n.text == "select") {
    need(3);
    if (pool_.type(args[0]) != Dtype::I1) refuse<kDtypeUnsupported>("select", dtype_info(pool_.type(args[0])).name);
    if (!pool_.common_type(args[1], args[2]))
      refuse<kDtypeMismatch>("select", dtype_info(pool_.type(args[1])).name, dtype_info(pool_.type(args[2])).name);
    return pool_.select(args[0], args[1], args[2]);
  }
  if (n.text == "stop") {
    need(1);
    return pool_.stop(args[0]);
  }
  if (n.text == "int") {
    need(1);
    return pool_.node(args[0]).weak && !is_float(pool_.type(args[0])) ? args[0] : pool_.cast(args[0], Dtype::I64);
  }
  if (n.text == "real") {
    need(1);
    return pool_.node(args[0]).weak ? pool_.weak_real(args[0]) : args[0];
  }
  if (n.text == "wide") {
    // wide(e): 16-bit floats as f32, so that what an op keeps between its statements is not rounded to 16 bits.
    need(1);
    const Dtype type = pool_.type(args[0]);
    return type == Dtype::F16 || type == Dtype::BF16 ? pool_.cast(args[0], Dtype::F32) : args[0];
  }
  if (n.text == "like") {
    // like(e, x): e converted to the dtype of x; an operand that stands there by its name is not read.
    need(2);
    return pool_.cast(args[0], pool_.type(args[1]));
  }
  if (auto d = parse_dtype(n.text); d && !is_complex(*d)) {
    need(1);
    return pool_.cast(args[0], *d);
  }
  if (const auto decided = decided_extremum(n.text, args)) return *decided;
  const auto fn = find_scalar_fn(n.text, args.size());
  if (!fn) bad(n, "unknown function `" + n.text + "` of " + std::to_string(args.size()) + " arguments");
  return apply(*fn, args, n.text);
}

ExprId ExpressionBuilder::build_reduce(SyntaxId id) {
  const SyntaxNode& n = scope_.at(id);
  static constexpr Reduction kAll[] = {Reduction::Sum, Reduction::Prod, Reduction::Max,    Reduction::Min,
                                       Reduction::Any, Reduction::All,  Reduction::ArgMax, Reduction::ArgMin};
  Reduction reduction = Reduction::Sum;
  for (Reduction r : kAll)
    if (reduction_name(r) == n.text) reduction = r;
  axes_.enter(id);
  std::vector<AtomId> labels;
  for (SyntaxId l : n.labels) {
    const SyntaxNode& label = scope_.at(l);
    if (label.kind == SyntaxKind::Pack) {
      for (const PackDim& d : axes_.pack_dims(label, *axes_.pack(label).rank))
        if (d.axis) labels.push_back(pack_label(label.text, *d.axis));
    } else if (label.kind == SyntaxKind::Name) {
      labels.push_back(label_atom({label.text, id.value}, label));
    } else {
      bad(label, "a reduction is over index labels and packs");
    }
  }
  const ExprId guard = n.has_guard ? build(n.children[1]) : ExprId();
  ExprId body = build(n.children[0]);
  axes_.leave();
  if (!body.valid()) return {};
  if (guard.valid() && pool_.type(guard) != Dtype::I1)
    refuse<kDtypeUnsupported>(n.text, dtype_info(pool_.type(guard)).name);
  if ((reduction == Reduction::Max || reduction == Reduction::Min) && labels.empty()) return body;
  return pool_.reduce(reduction, labels, guard, body);
}

ExprId ExpressionBuilder::build(SyntaxId id) {
  const SyntaxNode& n = scope_.at(id);
  switch (n.kind) {
    case SyntaxKind::Integer: {
      errno = 0;
      const long long v = std::strtoll(n.text.c_str(), nullptr, 10);
      if (errno != 0) bad(n, "the number leaves 64 bits");
      return pool_.integer(v);
    }
    case SyntaxKind::Real: return pool_.real(std::strtod(n.text.c_str(), nullptr));
    case SyntaxKind::Name: return build_name(n);
    case SyntaxKind::Call: return build_call(n);
    case SyntaxKind::Operator: return build_operator(n);
    case SyntaxKind::Read: return build_read(n);
    case SyntaxKind::Reduce: return build_reduce(id);
    case SyntaxKind::Extent: return build_extent(n);
    case SyntaxKind::Pack: bad(n, "a pack stands only in subscripts");
  }
  throw InternalError("unknown syntax node");
}

}  // namespace mlgc::instantiation

// See torch_types.h.
#include "import/python/torch_types.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "diag/kinds_import_calls.h"
#include "import/program/dtypes.h"
#include "import/program/fallback.h"
#include "import/program/locations.h"

namespace mlgc::python {

namespace {

using ArgumentKind = program::Argument::Kind;
using Shapes = std::vector<std::optional<TensorShape>>;

// More of them would be asked at more than 2 ** kMostSymbols choices.
constexpr std::size_t kMostSymbols = 4;
// Where the choices start from which sizes are computed: the operator may need its operands to have some size.
constexpr std::array<std::int64_t, 4> kStarts{3, 11, 40, 150};
// Choices that sizes are checked against: small ones, and odd, even and large ones in other orders for each symbol.
constexpr std::array<std::int64_t, 9> kProbes{1, 2, 5, 8, 17, 30, 64, 101, 33};
constexpr std::size_t kLeastProbes = 3;

class Asking {
 public:
  Asking(const TorchPlugin& plugin, const AtenOp& op, program::GraphScope& scope, const program::Node& node)
      : plugin_(plugin), op_(op), scope_(scope), node_(node), pool_(scope.context().index()) {}

  Result<std::vector<Type>, Diagnostic> run() {
    if (op_.has(MLGC_TORCH_SIZES_FROM_DATA)) return Failure{reason<kNoCallDataSize>()};
    for (const program::NamedArgument& input : node_.inputs) prepare(input);
    if (wrong_) return Failure{*wrong_};
    if (symbols_.size() > kMostSymbols) return Failure{reason<kNoCallManySymbols>(symbols_.size(), kMostSymbols)};
    const std::size_t corners = std::size_t{1} << symbols_.size();
    for (const std::int64_t start : kStarts) {
      std::vector<Shapes> at_corner;
      for (std::size_t corner = 0; corner < corners; ++corner) {
        std::vector<std::int64_t> sizes(symbols_.size(), start);
        for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += (corner >> i & 1) != 0 ? 1 : 0;
        std::optional<Shapes> shapes = ask(sizes);
        if (!shapes) break;
        at_corner.push_back(std::move(*shapes));
      }
      if (at_corner.size() < corners) continue;
      if (!symbols_.empty()) probe();
      std::vector<Type> types = fit(at_corner, start);
      if (!wrong_) return types;
      return Failure{*wrong_};
    }
    MLGC_ASSERT(refused_.has_value(), "no choice of sizes was tried");
    return Failure{*refused_};
  }

 private:
  template <const DiagKind& K, class... Args>
  Diagnostic reason(Args&&... args) const {
    return diagnose<K>({}, program::short_target(node_.target), std::forward<Args>(args)...);
  }

  void prepare(const program::NamedArgument& input) {
    const program::Argument& value = input.value;
    const bool tensors = value.is(ArgumentKind::Tensor) || value.is(ArgumentKind::Tensors);
    for (const std::string& name : value.names) {
      if (!tensors) fail(reason<kNoCallDataArgument>(input.name));
      if (!tensors || name.empty()) continue;
      for (const IndexExpr dim : scope_.find(name).dims()) {
        add_symbols(dim);
        if (std::find(dims_.begin(), dims_.end(), dim) == dims_.end()) dims_.push_back(dim);
      }
    }
    for (const program::IntArg& item : value.ints) {
      if (const Result<IndexExpr> integer = scope_.integer(item))
        add_symbols(*integer);
      else
        fail(reason<kNoCallDataArgument>(input.name));
    }
  }

  void add_symbols(IndexExpr e) {
    pool_.for_each_atom(e, [&](AtomId atom) {
      if (pool_.atom(atom).kind != AtomKind::Symbol) return;
      if (std::find(symbols_.begin(), symbols_.end(), atom) == symbols_.end()) symbols_.push_back(atom);
    });
  }

  // What the operator gives where the symbols are `sizes`. Nothing when it refuses; `refused_` says why.
  std::optional<Shapes> ask(std::span<const std::int64_t> sizes) {
    const auto number = [&](IndexExpr e) { return value_at(e, sizes); };
    std::vector<AtenArgument> arguments;
    for (const program::NamedArgument& input : node_.inputs) {
      std::optional<AtenValue> value = value_of(input, number);
      if (!value && refused_) return std::nullopt;
      if (value) arguments.push_back({input.name, std::move(*value)});
    }
    Result<Shapes> shapes = plugin_.infer(op_, arguments);
    if (shapes) return std::move(*shapes);
    refused_ = reason<kNoCallRefused>(shapes.error().substr(0, shapes.error().find('\n')));
    return std::nullopt;
  }

  template <class Number>
  std::optional<TensorShape> shape_of(const std::string& name, const Number& number) {
    const Value tensor = scope_.find(name);
    TensorShape shape{tensor.dtype(), {}};
    for (const IndexExpr dim : tensor.dims()) {
      const std::optional<std::int64_t> size = number(dim);
      if (!size || *size < 0) {
        refused_ = reason<kNoCallValueUnknown>("a size of its operands");
        return std::nullopt;
      }
      shape.sizes.push_back(*size);
    }
    return shape;
  }

  // Nothing for what says only where the result lies, and when `refused_` says so.
  template <class Number>
  std::optional<AtenValue> value_of(const program::NamedArgument& input, const Number& number) {
    const program::Argument& value = input.value;
    refused_.reset();
    switch (value.kind) {
      case ArgumentKind::None: return AtenValue();
      case ArgumentKind::Tensor: {
        auto shape = shape_of(value.names[0], number);
        return shape ? std::optional<AtenValue>(std::move(*shape)) : std::nullopt;
      }
      case ArgumentKind::Tensors: {
        Shapes items;
        for (const std::string& name : value.names) {
          items.push_back(name.empty() ? std::nullopt : shape_of(name, number));
          if (refused_) return std::nullopt;
        }
        return items;
      }
      case ArgumentKind::Int:
      case ArgumentKind::Ints: {
        std::vector<std::int64_t> items;
        for (const program::IntArg& item : value.ints) {
          const std::optional<std::int64_t> known = number(*scope_.integer(item));
          if (!known) refused_ = reason<kNoCallValueUnknown>("argument `" + input.name + "`");
          items.push_back(known.value_or(0));
        }
        if (refused_) return std::nullopt;
        return value.is(ArgumentKind::Int) ? AtenValue(items[0]) : AtenValue(std::move(items));
      }
      case ArgumentKind::Float: return value.reals.at(0);
      case ArgumentKind::Complex:
      case ArgumentKind::Floats: return value.reals;
      case ArgumentKind::Bool: return value.flags.at(0);
      case ArgumentKind::Bools: return value.flags;
      case ArgumentKind::String: return value.text;
      case ArgumentKind::Dtype:
        if (const auto dtype = program::dtype_of_number(value.ints[0].value)) return *dtype;
        refused_ = reason<kNoCallArgumentDtype>(input.name, program::dtype_number_name(value.ints[0].value));
        return std::nullopt;
      case ArgumentKind::Layout:
      case ArgumentKind::MemoryFormat:
      case ArgumentKind::Device: return std::nullopt;
      case ArgumentKind::Graph:
      case ArgumentKind::Other: break;
    }
    refused_ = reason<kNoCallArgumentForm>(
        input.name, value.is(ArgumentKind::Graph) ? "a graph" : "of the form `" + value.text + "`");
    return std::nullopt;
  }

  // What the operator gives at the choices that sizes are checked against.
  void probe() {
    std::optional<Diagnostic> refused;
    for (std::size_t round = 0; round < kProbes.size(); ++round) {
      std::vector<std::int64_t> sizes;
      for (std::size_t i = 0; i < symbols_.size(); ++i)
        sizes.push_back(kProbes[(round + i * (2 + round % 3)) % kProbes.size()]);
      std::optional<Shapes> shapes = ask(sizes);
      // A call of sizes that the operator refuses is an error anyway.
      if (shapes)
        probes_.emplace_back(std::move(sizes), std::move(*shapes));
      else
        refused = refused_;
    }
    if (probes_.size() < kLeastProbes)
      fail(reason<kNoCallSizesRefused>(probes_.size(), kProbes.size(), program::no_call_reason(*refused)));
  }

  // The types that are right at the corners of the unit cube at `start` and at all probes.
  std::vector<Type> fit(const std::vector<Shapes>& at_corner, std::int64_t start) {
    std::vector<Type> types;
    const Shapes& first = at_corner[0];
    if (!std::all_of(first.begin(), first.end(), [](const auto& shape) { return shape.has_value(); }))
      fail(reason<kNoCallUndefinedResult>());
    const auto other = [&](const Shapes& shapes) { return !alike(shapes, first); };
    if (std::any_of(at_corner.begin(), at_corner.end(), other) ||
        std::any_of(probes_.begin(), probes_.end(), [&](const auto& probe) { return other(probe.second); }))
      fail(reason<kNoCallResultForm>());
    for (std::size_t result = 0; !wrong_ && result < first.size(); ++result) {
      std::vector<IndexExpr> dims;
      for (std::size_t axis = 0; axis < first[result]->sizes.size(); ++axis) {
        std::vector<std::int64_t> sizes;
        for (const Shapes& shapes : at_corner) sizes.push_back(shapes[result]->sizes[axis]);
        const std::optional<IndexExpr> dim = size_through(sizes, start, result, axis);
        if (!dim) fail(reason<kNoCallResultSize>(axis, result));
        dims.push_back(dim.value_or(IndexExpr()));
      }
      types.push_back(scope_.context().types().tensor(first[result]->dtype, dims));
    }
    return types;
  }

  // The polynomial, linear in each symbol, through the sizes at the corners; or the smaller or larger of two sizes of
  // operands. Nothing when none of them is right at all probes.
  std::optional<IndexExpr> size_through(std::vector<std::int64_t> at_corner, std::int64_t start, std::size_t result,
                                        std::size_t axis) {
    const auto right = [&](IndexExpr e) {
      return std::all_of(probes_.begin(), probes_.end(), [&](const auto& probe) {
        return value_at(e, probe.first) == probe.second[result]->sizes[axis];
      });
    };
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      for (std::size_t corner = 0; corner < at_corner.size(); ++corner)
        if ((corner >> i & 1) != 0) at_corner[corner] -= at_corner[corner ^ (std::size_t{1} << i)];
    if (const IndexExpr e = newton(at_corner, start); right(e)) return e;
    for (const IndexExpr a : dims_)
      for (const IndexExpr b : dims_)
        for (const IndexExpr e : {pool_.min(a, b), pool_.max(a, b)})
          if (right(e)) return e;
    return std::nullopt;
  }

  std::optional<std::int64_t> value_at(IndexExpr e, std::span<const std::int64_t> sizes) const {
    return pool_.evaluate(e, [&](AtomId atom) -> std::optional<std::int64_t> {
      const auto at = std::find(symbols_.begin(), symbols_.end(), atom);
      return at == symbols_.end() ? std::nullopt
                                  : std::optional(sizes[static_cast<std::size_t>(at - symbols_.begin())]);
    });
  }

  // The sum over all sets of symbols of a forward difference times the product of (symbol - start).
  IndexExpr newton(const std::vector<std::int64_t>& difference, std::int64_t start) {
    IndexExpr sum = pool_.constant(0);
    for (std::size_t set = 0; set < difference.size(); ++set) {
      IndexExpr product = pool_.constant(difference[set]);
      for (std::size_t i = 0; i < symbols_.size(); ++i)
        if ((set >> i & 1) != 0)
          product = pool_.mul(product, pool_.sub(pool_.symbol(pool_.symbol_name(symbols_[i])), pool_.constant(start)));
      sum = pool_.add(sum, product);
    }
    return sum;
  }

  static bool alike(const Shapes& a, const Shapes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.has_value() == y.has_value() && (!x || (x->dtype == y->dtype && x->sizes.size() == y->sizes.size()));
    });
  }

  void fail(Diagnostic reason) {
    if (!wrong_) wrong_ = std::move(reason);
  }

  const TorchPlugin& plugin_;
  const AtenOp& op_;
  program::GraphScope& scope_;
  const program::Node& node_;
  IndexPool& pool_;
  std::vector<AtomId> symbols_;
  std::vector<IndexExpr> dims_;                                       // of operands
  std::vector<std::pair<std::vector<std::int64_t>, Shapes>> probes_;  // sizes of the symbols, and what it gives there
  std::optional<Diagnostic> wrong_, refused_;
};

}  // namespace

Result<std::vector<Type>, Diagnostic> torch_result_types(const TorchPlugin& plugin, const AtenOp& op,
                                                         program::GraphScope& scope, const program::Node& node) {
  return Asking(plugin, op, scope, node).run();
}

}  // namespace mlgc::python

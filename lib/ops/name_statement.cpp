// See name_statement.h.
#include "ops/name_statement.h"

#include <algorithm>
#include <string>
#include <utility>

#include "formula/formula_parts.h"
#include "formula/running_reduction.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"

namespace mlgc {

namespace {

// A read whose subscripts are index labels, or 0.
struct PlainRead {
  TensorId tensor;
  std::vector<std::optional<AtomId>> labels;  // nothing: 0
};

class Naming {
 public:
  Naming(Context& context, const Formula& formula, const Statement& statement)
      : context_(context), pool_(formulas(context)), formula_(formula), statement_(statement) {}

  std::optional<NamedStatement> run() {
    if (!statement_.pull || statement_.guard.valid() || statement_.write != WriteOp::Set) return std::nullopt;
    if (auto found = copied()) return found;
    if (auto found = elementwise()) return found;
    if (auto found = expanded()) return found;
    if (auto found = permuted()) return found;
    if (auto found = flipped()) return found;
    if (auto found = viewed()) return found;
    if (auto found = running()) return found;
    if (auto found = summed()) return found;
    return contracted();
  }

 private:
  // --- the shape of the statement

  [[nodiscard]] std::optional<PlainRead> plain_read(ExprId e) const {
    if (pool_.node(e).kind != NodeKind::Read) return std::nullopt;
    const ReadParts parts = pool_.read_of(e);
    if (parts.fill.valid()) return std::nullopt;
    PlainRead read{parts.tensor, {}};
    for (const IndexExpr subscript : parts.subscripts) {
      const auto label = label_of(subscript);
      if (!label && pool_.index().as_constant(subscript) != 0) return std::nullopt;
      read.labels.push_back(label);
    }
    return read;
  }
  [[nodiscard]] std::optional<AtomId> label_of(IndexExpr e) const {
    const auto atom = pool_.index().as_atom(e);
    return atom && pool_.index().atom(*atom).kind == AtomKind::IndexLabel ? atom : std::nullopt;
  }
  // The index labels of the result's dims; nothing for a dim of size 1 that has none.
  [[nodiscard]] std::vector<std::optional<AtomId>> result_labels() const {
    std::vector<std::optional<AtomId>> out;
    for (const IndexExpr subscript : statement_.subscripts) out.push_back(label_of(subscript));
    return out;
  }

  // --- acceptance

  [[nodiscard]] Type type_of(TensorId tensor) const {
    return context_.types().tensor(formula_.tensor(tensor).dtype, formula_.tensor(tensor).shape);
  }

  [[nodiscard]] bool is_one(AtomId label) const { return pool_.index().as_constant(pool_.index().atom(label).a) == 1; }

  // The statement's text over `operands` in their order, its index labels named by their place in it. What is read at a
  // label of extent 1 is read at 0.
  [[nodiscard]] std::string normal_text(const Formula& formula, const Statement& statement,
                                        const std::vector<TensorId>& operands) const {
    Formula copy;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      FormulaTensor tensor = formula.tensor(operands[i]);
      tensor.name = "x" + std::to_string(i);
      copy.add_tensor(std::move(tensor));
    }
    FormulaTensor result = formula.tensor(statement.result);
    result.name = "y";
    FormulaPool::Rewrite rewrite;
    bool known = true;
    rewrite.reads = [&](ExprId read, const ReadParts& parts) {
      const auto at = std::find(operands.begin(), operands.end(), parts.tensor);
      known = known && at != operands.end();
      const TensorId tensor =
          at == operands.end() ? parts.tensor : TensorId(static_cast<std::size_t>(at - operands.begin()));
      std::vector<IndexExpr> subscripts = parts.subscripts;
      for (IndexExpr& subscript : subscripts)
        if (const auto label = label_of(subscript); label && is_one(*label)) subscript = pool_.index().constant(0);
      return pool_.read(pool_.type(read), tensor, subscripts, parts.fill);
    };
    Statement moved = statement;
    moved.body = pool_.rewrite(statement.body, rewrite);
    if (!known) return {};
    moved.result = copy.add_tensor(std::move(result));
    copy.label_names.assign(formula.label_names.size(), "unused");
    std::size_t next = 0;
    const auto call = [&](AtomId label) {
      copy.label_names[pool_.index().atom(label).number] = "l" + std::to_string(next++);
    };
    for (const AtomId label : moved.labels) call(label);
    pool_.visit(moved.body, [&](ExprId e) {
      if (pool_.node(e).kind == NodeKind::Reduce)
        for (const AtomId label : pool_.reduce_of(e).labels) call(label);
    });
    return print_statement(pool_, copy, moved);
  }

  [[nodiscard]] std::optional<NamedStatement> accepted(Opcode opcode, std::vector<TensorId> operands,
                                                       AttrDict attrs) const {
    if (opcode == Opcode::Invalid) return std::nullopt;
    std::vector<Type> types;
    for (const TensorId operand : operands) types.push_back(type_of(operand));
    const Result<Formula, Diagnostic> candidate = instantiate_op(context_, opcode, types, attrs);
    if (!candidate || candidate->statements.size() != 1) return std::nullopt;
    const FormulaTensor& result = candidate->tensor(candidate->statements[0].result);
    const FormulaTensor& wanted = formula_.tensor(statement_.result);
    if (result.dtype != wanted.dtype || result.shape != wanted.shape) return std::nullopt;
    // An operand that is given twice is read under one number here and under two there.
    std::vector<TensorId> numbers;
    for (std::size_t i = 0; i < operands.size(); ++i) numbers.emplace_back(i);
    Formula merged = *candidate;
    Statement statement = merged.statements[0];
    FormulaPool::Rewrite same;
    same.reads = [&](ExprId read, const ReadParts& parts) {
      const auto first = std::find(operands.begin(), operands.end(), operands[parts.tensor.index()]);
      return pool_.read(pool_.type(read), TensorId(static_cast<std::size_t>(first - operands.begin())),
                        parts.subscripts, parts.fill);
    };
    statement.body = pool_.rewrite(statement.body, same);
    const std::string here = normal_text(formula_, statement_, operands);
    if (here.empty() || here != normal_text(merged, statement, numbers)) return std::nullopt;
    return NamedStatement{opcode, attrs, std::move(operands)};
  }

  [[nodiscard]] AttrDict attrs(std::initializer_list<std::pair<std::string_view, Attribute>> entries) const {
    std::vector<NamedAttribute> named;
    for (const auto& [name, value] : entries) named.push_back({context_.strings().intern(name), value});
    return context_.attributes().dict(named);
  }

  // --- proposals

  // y[i, j] = x[i, j]
  [[nodiscard]] std::optional<NamedStatement> copied() const {
    const auto read = plain_read(statement_.body);
    if (!read || read->labels != result_labels() || type_of(read->tensor) != type_of(statement_.result))
      return std::nullopt;
    return NamedStatement{Opcode::Invalid, {}, {read->tensor}};
  }

  // A function of reads, with a number as second operand in some rows.
  [[nodiscard]] std::optional<NamedStatement> elementwise() const {
    const ExprId body = statement_.body;
    const NodeKind kind = pool_.node(body).kind;
    if (kind != NodeKind::Call && kind != NodeKind::Select) return std::nullopt;
    const Opcode opcode =
        kind == NodeKind::Select ? scalar_ops(context_).choice() : scalar_ops(context_).find(pool_.fn(body));
    std::vector<TensorId> operands;
    std::optional<ExprId> number;
    for (const ExprId argument : pool_.arguments(body)) {
      if (const auto read = plain_read(argument)) {
        if (number) return std::nullopt;
        operands.push_back(read->tensor);
      } else if (pool_.node(argument).kind == NodeKind::Literal && !number && !operands.empty() &&
                 is_float(pool_.type(argument))) {
        number = argument;
      } else {
        return std::nullopt;
      }
    }
    if (!number) return accepted(opcode, std::move(operands), {});
    const double value = pool_.literal_real(*number);
    return accepted(opcode, std::move(operands), attrs({{"other", context_.attributes().real(value)}}));
  }

  // y[i, j] = x[j]
  [[nodiscard]] std::optional<NamedStatement> expanded() const {
    const auto read = plain_read(statement_.body);
    if (!read) return std::nullopt;
    return accepted(context_.find_op("expand"), {read->tensor},
                    attrs({{"size", context_.attributes().int_list(formula_.tensor(statement_.result).shape)}}));
  }

  // y[j, i] = x[i, j]
  [[nodiscard]] std::optional<NamedStatement> permuted() const {
    const auto read = plain_read(statement_.body);
    const auto labels = result_labels();
    if (!read || read->labels.size() != labels.size()) return std::nullopt;
    std::vector<std::int64_t> dims;
    for (const auto& label : labels) {
      const auto at = std::find(read->labels.begin(), read->labels.end(), label);
      if (!label || at == read->labels.end()) return std::nullopt;
      dims.push_back(at - read->labels.begin());
    }
    return accepted(context_.opcode(GraphOp::Permute), {read->tensor},
                    attrs({{"dims", context_.attributes().int_list(dims)}}));
  }

  // y[i] = x[i floordiv 4, i mod 4], and back
  [[nodiscard]] std::optional<NamedStatement> viewed() const {
    if (pool_.node(statement_.body).kind != NodeKind::Read) return std::nullopt;
    const TensorId tensor = pool_.read_of(statement_.body).tensor;
    return accepted(context_.find_op("view"), {tensor},
                    attrs({{"shape", context_.attributes().int_list(formula_.tensor(statement_.result).shape)}}));
  }

  // y[i, j] = x[N - 1 - i, j]
  [[nodiscard]] std::optional<NamedStatement> flipped() const {
    if (pool_.node(statement_.body).kind != NodeKind::Read) return std::nullopt;
    const ReadParts parts = pool_.read_of(statement_.body);
    if (parts.subscripts.size() != statement_.subscripts.size()) return std::nullopt;
    std::vector<std::int64_t> dims;
    for (std::size_t d = 0; d < parts.subscripts.size(); ++d)
      if (parts.subscripts[d] != statement_.subscripts[d]) dims.push_back(static_cast<std::int64_t>(d));
    return accepted(context_.find_op("flip"), {parts.tensor}, attrs({{"dims", context_.attributes().int_list(dims)}}));
  }

  // y[i, j] = sum[k | k <= i](x[k, j])
  [[nodiscard]] std::optional<NamedStatement> running() const {
    if (running_reductions(pool_, statement_).size() != 1) return std::nullopt;
    if (pool_.node(statement_.body).kind != NodeKind::Reduce) return std::nullopt;
    const ReduceParts parts = pool_.reduce_of(statement_.body);
    const auto read = plain_read(parts.body);
    if (!read || parts.reduction != Reduction::Sum) return std::nullopt;
    const auto at = std::find(read->labels.begin(), read->labels.end(), parts.labels[0]);
    return accepted(context_.find_op("cumsum"), {read->tensor},
                    attrs({{"dim", context_.attributes().integer(at - read->labels.begin())}}));
  }

  // y[i] = sum[j](x[i, j])
  [[nodiscard]] std::optional<NamedStatement> summed() const {
    if (pool_.node(statement_.body).kind != NodeKind::Reduce) return std::nullopt;
    const ReduceParts parts = pool_.reduce_of(statement_.body);
    const auto read = plain_read(parts.body);
    if (parts.reduction != Reduction::Sum || parts.guard.valid() || !read) return std::nullopt;
    std::vector<std::int64_t> dims;
    for (std::size_t d = 0; d < read->labels.size(); ++d)
      if (read->labels[d] &&
          std::find(parts.labels.begin(), parts.labels.end(), *read->labels[d]) != parts.labels.end())
        dims.push_back(static_cast<std::int64_t>(d));
    const bool keep = !dims.empty() && statement_.subscripts.size() == read->labels.size();
    const Attribute list = context_.attributes().int_list(dims);
    return accepted(
        context_.find_op("sum"), {read->tensor},
        keep ? attrs({{"dim", list}, {"keepdim", context_.attributes().boolean(true)}}) : attrs({{"dim", list}}));
  }

  // Where `read` has 0 it gets the index label of extent 1 that `other` has in that dim.
  void name_ones(PlainRead& read, const PlainRead& other) const {
    for (std::size_t d = 0; d < std::min(read.labels.size(), other.labels.size()); ++d)
      if (!read.labels[d] && other.labels[d] && is_one(*other.labels[d])) read.labels[d] = other.labels[d];
  }

  // y[m, n] = sum[k](a[m, k]*b[k, n]), and the same with index labels in any order.
  [[nodiscard]] std::optional<NamedStatement> contracted() const {
    if (pool_.node(statement_.body).kind != NodeKind::Reduce) return std::nullopt;
    const ReduceParts parts = pool_.reduce_of(statement_.body);
    if (parts.reduction != Reduction::Sum || parts.guard.valid() || pool_.node(parts.body).kind != NodeKind::Call ||
        pool_.fn(parts.body) != ScalarFn::Mul)
      return std::nullopt;
    const auto arguments = pool_.arguments(parts.body);
    auto a = plain_read(arguments[0]), b = plain_read(arguments[1]);
    if (!a || !b) return std::nullopt;
    name_ones(*a, *b);
    name_ones(*b, *a);
    if (auto product = accepted(context_.find_op("matmul"), {a->tensor, b->tensor}, {})) return product;
    // Index labels in the order of their appearance.
    std::vector<AtomId> known;
    std::string equation;
    const auto add = [&](const std::vector<std::optional<AtomId>>& labels) {
      for (const auto& label : labels) {
        if (!label) return false;
        const auto at = std::find(known.begin(), known.end(), *label);
        equation += static_cast<char>('a' + (at - known.begin()));
        if (at == known.end()) known.push_back(*label);
      }
      return known.size() <= 26;
    };
    if (!add(a->labels)) return std::nullopt;
    equation += ',';
    if (!add(b->labels)) return std::nullopt;
    equation += "->";
    if (!add(result_labels())) return std::nullopt;
    return accepted(context_.find_op("einsum"), {a->tensor, b->tensor},
                    attrs({{"equation", context_.attributes().string(equation)}}));
  }

  Context& context_;
  FormulaPool& pool_;
  const Formula& formula_;
  const Statement& statement_;
};

}  // namespace

std::optional<NamedStatement> name_statement(Context& context, const Formula& formula, const Statement& statement) {
  return Naming(context, formula, statement).run();
}

}  // namespace mlgc

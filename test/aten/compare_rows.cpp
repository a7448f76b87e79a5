// compare_rows CASES TENSORS: evaluates op rows, their derived gradients and the gradients of those, and holds them
// against results of PyTorch.
//
// CASES has one JSON object a line, TENSORS (.safetensors) the tensors that they name:
//
//     {"id": "12", "row": "softmax", "attributes": "{dim = 1}", "operands": ["12.x0", null],
//      "results": [{"judge": "12.j0", "eager": "12.e0"}, null], "edge": true}
//     {"id": "13", "row": "softmax", "attributes": "{dim = 1}", "operands": ["13.x0"],
//      "cotangents": ["13.c0"], "gradients": ["13.d0"], "edge": false}
//     {"id": "14", "row": "softmax", "attributes": "{dim = 1}", "operands": ["13.x0"],
//      "cotangents": ["13.c0"], "directions": ["14.u0"], "gradients": ["14.d0", "14.d1"], "edge": false}
//
// `null` is an operand that is absent, or a result or gradient that is not compared. A case with `gradients` has one
// for each operand, in f64, and one cotangent for each float result. With `directions`, one for each operand that is
// differentiated, the case is of the second order (second_order.h): gradients of operands, then of cotangents; a
// cotangent may be null. What agrees is agrees() of lib/tensor; "edge" compares element by element, and signs of zero
// (of values, not of gradients). "eager" may be null too.
//
// Prints one JSON object a case: {"id", "outcome", "detail"}. Outcomes: "agrees", "differs", "refused" (by a
// diagnostic), "not admitted" (the row does not take operands of this class), "internal error". Exit code 0, or 2 for
// cases that cannot be read.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "diag/kinds_ops.h"
#include "formula/differentiate.h"
#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "ops/row_gradient.h"
#include "second_order.h"
#include "tensor/compare.h"
#include "tensor/safetensors.h"

namespace {

using namespace mlgc;
using nlohmann::json;

constexpr const char* kUsage =
    "usage: compare_rows CASES TENSORS\n\n"
    "Evaluates op rows and their derived gradients on TENSORS (.safetensors) and compares them with the results of\n"
    "PyTorch in the same file. CASES has one JSON object a line; one JSON object a case is printed. The head of\n"
    "test/aten/compare_rows.cpp describes both; scripts/compare-aten writes and reads them.\n";

struct Outcome {
  std::string word;
  std::string detail;
};

std::string position_text(const Difference& d) {
  std::string out;
  for (std::int64_t i : d.worst_position) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return "[" + out + "]";
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Where and by how much two tensors differ; empty when they agree.
std::string difference_text(const std::string& name, const Difference& d) {
  if (d.agrees) return {};
  std::string out = name + ": " + d.reason;
  if (d.worst >= 0)
    out += " (at " + position_text(d) + ": " + number(d.worst_actual) + ", PyTorch " + number(d.worst_expected) + ")";
  return out;
}

bool is_zero(const Tensor& t) {
  for (std::int64_t i = 0; i < t.size(); ++i)
    if (t.get_double(i) != 0) return false;
  return true;
}

void add(Tensor& to, const Tensor& part) {
  for (std::int64_t i = 0; i < to.size(); ++i)
    to.mutable_data<double>()[static_cast<std::size_t>(i)] += part.get_double(i);
}

class Case {
 public:
  Case(const std::shared_ptr<Context>& context, const Safetensors& tensors, const json& text)
      : shared_(context), context_(*context), tensors_(tensors), text_(text) {}

  Outcome run() {
    const std::string row = text_.at("row");
    const Opcode opcode = context_.find_op(row);
    if (opcode == Opcode::Invalid) throw std::runtime_error("no row `" + row + "`");
    const OpDef& def = context_.def(opcode);
    auto attrs = parse_example_attributes(context_, def, text_.at("attributes").get<std::string>());
    if (!attrs) throw std::runtime_error("row `" + row + "`: " + attrs.error());
    read_operands();
    if (auto problem = check_operands(context_, def, types_))
      return {problem->kind == &kOperandClass ? "not admitted" : "refused", problem->message()};
    auto formula = instantiate_op(context_, opcode, types_, *attrs);
    if (!formula) return {"refused", formula.error().message()};
    if (text_.contains("directions")) return compare_second_order(opcode, *attrs, *formula);
    while (operands_.size() < formula->operand_count()) operands_.push_back(Tensor::zeros(Dtype::F32, {}));
    return text_.contains("gradients") ? compare_gradients(opcode, *attrs, *formula) : compare_values(*formula);
  }

 private:
  const Tensor& tensor(const json& name) const {
    const Tensor* found = tensors_.find(name.get<std::string>());
    if (!found) throw std::runtime_error("no tensor `" + name.get<std::string>() + "`");
    return *found;
  }

  // In f64 PyTorch's own result is the judge, though it is no better than what it judges.
  CompareOptions options(Dtype dtype) const {
    return {.elementwise_edge = text_.at("edge"),
            .zero_signs = text_.at("edge") && !text_.contains("gradients"),
            .subject = dtype == Dtype::F64 ? "PyTorch in f64" : ""};
  }

  void read_operands() {
    for (const json& name : text_.at("operands")) {
      if (name.is_null()) {
        types_.emplace_back();
        operands_.push_back(Tensor::zeros(Dtype::F32, {}));
        continue;
      }
      operands_.push_back(tensor(name));
      std::vector<IndexExpr> dims;
      for (std::int64_t d : operands_.back().shape()) dims.push_back(context_.index().constant(d));
      types_.push_back(context_.types().tensor(operands_.back().dtype(), dims));
    }
  }

  Outcome compare_values(const Formula& formula) {
    auto results = evaluate(formulas(context_), formula, operands_);
    if (!results) return {"refused", results.error().message()};

    const json& wanted = text_.at("results");
    if (results->size() != wanted.size())
      return {"differs", std::to_string(results->size()) + " results, PyTorch " + std::to_string(wanted.size())};
    const std::vector<TensorId> names = formula.results();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].is_null()) continue;
      const Tensor* eager = wanted[i].at("eager").is_null() ? nullptr : &tensor(wanted[i].at("eager"));
      const Difference d = agrees((*results)[i], tensor(wanted[i].at("judge")), eager, options((*results)[i].dtype()));
      if (!d.agrees) return {"differs", difference_text(formula.tensor(names[i]).name, d)};
    }
    return {"agrees", ""};
  }

  Outcome compare_gradients(Opcode opcode, AttrDict attrs, const Formula& formula) {
    FormulaPool& pool = formulas(context_);
    const json& wanted = text_.at("gradients");
    const std::vector<TensorId> able = differentiable_operands(pool, formula);
    std::vector<TensorId> asked;
    for (TensorId id : able)
      if (id.index() < wanted.size() && !wanted[id.index()].is_null()) asked.push_back(id);
    std::vector<Tensor> found(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (!wanted[i].is_null()) found[i] = Tensor::zeros(Dtype::F64, operands_[i].shape());
    if (!asked.empty()) {
      const auto forward = evaluate(pool, formula, operands_, {.precision = Precision::F64});
      if (!forward) return {"refused", forward.error().message()};
      // What sends something back: the float results, together; or one by one, and summed, where a row states what it
      // sends back of one alone.
      std::vector<std::size_t> all, to;
      for (std::size_t i = 0; i < forward->size(); ++i)
        if (is_float(formula.tensor(formula.results()[i]).dtype)) all.push_back(i);
      for (const TensorId id : asked) to.push_back(id.index());
      const bool apart = context_.def(opcode).hooks.gradient != nullptr;
      for (std::size_t k = 0; k < (apart ? all.size() : 1); ++k) {
        // PyTorch gives no gradient of a result whose cotangent is 0.
        if (k > 0 && is_zero(tensor(text_.at("cotangents")[k]))) continue;
        const std::span<const std::size_t> from = apart ? std::span<const std::size_t>(all).subspan(k, 1) : all;
        const RowGradient backward = row_gradient(context_, opcode, types_, attrs, {}, from, to);
        std::vector<Tensor> inputs = operands_;
        for (const std::size_t i : from) inputs.push_back((*forward)[i]);
        for (std::size_t i = 0; i < from.size(); ++i) inputs.push_back(tensor(text_.at("cotangents")[k + i]));
        for (const std::size_t i : backward.others) inputs.push_back((*forward)[i]);
        auto results = evaluate(pool, backward.formula, inputs, {.precision = Precision::F64});
        if (!results) return {"refused", results.error().message()};
        for (std::size_t i = 0; i < asked.size(); ++i) add(found[asked[i].index()], (*results)[i]);
      }
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      names.push_back("gradient of " + formula.tensor(TensorId(static_cast<std::uint32_t>(i))).name);
    return compare_found(found, names);
  }

  Outcome compare_second_order(Opcode opcode, AttrDict attrs, const Formula& formula) {
    const auto named = [&](const char* list) {
      std::vector<std::optional<Tensor>> out;
      for (const json& name : text_.at(list))
        out.push_back(name.is_null() ? std::nullopt : std::optional(tensor(name)));
      return out;
    };
    OpUse op{opcode, attrs, types_, operands_};
    while (!op.types.empty() && !op.types.back().valid()) {
      op.types.pop_back();
      op.operands.pop_back();
    }
    const std::vector<std::optional<Tensor>> directions = named("directions"), given = named("cotangents");
    std::vector<std::string> names;
    std::vector<Tensor> found;
    const auto expect = [&](const std::string& by, const std::optional<Tensor>& like) {
      names.push_back("second derivative by " + by);
      found.push_back(like ? Tensor::zeros(Dtype::F64, like->shape()) : Tensor());
    };
    for (std::size_t i = 0; i < directions.size(); ++i)
      expect(formula.tensor(TensorId(static_cast<std::uint32_t>(i))).name, directions[i]);
    std::vector<std::optional<Tensor>> cotangents;  // one for each result
    std::vector<std::size_t> floats;
    for (const TensorId id : formula.results()) {
      const bool floating = is_float(formula.tensor(id).dtype);
      cotangents.push_back(floating ? given.at(floats.size()) : std::nullopt);
      if (!floating) continue;
      floats.push_back(cotangents.size() - 1);
      expect("the cotangent of " + formula.tensor(id).name, cotangents.back());
    }
    // As for gradients: one result at a time where a row states what it sends back of one alone.
    const bool apart = context_.def(opcode).hooks.gradient != nullptr;
    for (std::size_t k = 0; k < (apart ? floats.size() : 1); ++k) {
      std::vector<std::optional<Tensor>> some = cotangents;
      for (const std::size_t i : floats)
        if (apart && i != floats[k]) some[i].reset();
      if (std::ranges::none_of(some, [](const auto& c) { return c.has_value(); })) continue;
      const auto parts = second_order(shared_, op, directions, some);
      if (!parts) return {"refused", parts.error().message()};
      const auto take = [&](std::size_t from, std::size_t to) {
        if ((*parts)[from]) add(found[to], *(*parts)[from]);
      };
      for (std::size_t i = 0; i < directions.size(); ++i) take(i, i);
      for (std::size_t i = 0; i < floats.size(); ++i) take(directions.size() + floats[i], directions.size() + i);
    }
    return compare_found(found, names);
  }

  // Gradients, against those of PyTorch.
  Outcome compare_found(const std::vector<Tensor>& found, const std::vector<std::string>& names) const {
    const json& wanted = text_.at("gradients");
    if (wanted.size() != found.size())
      throw std::runtime_error(std::to_string(wanted.size()) + " gradients, expected " + std::to_string(found.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].is_null()) continue;
      const Difference d = agrees(found[i], tensor(wanted[i]), nullptr, options(Dtype::F64));
      if (!d.agrees) return {"differs", difference_text(names[i], d)};
    }
    return {"agrees", ""};
  }

  const std::shared_ptr<Context>& shared_;
  Context& context_;
  const Safetensors& tensors_;
  const json& text_;
  std::vector<Type> types_;
  std::vector<Tensor> operands_;
};

// An internal error is the fault of the row, not of the case: the other cases are still compared.
Outcome run(const std::shared_ptr<Context>& context, const Safetensors& tensors, const json& text) {
  try {
    return Case(context, tensors, text).run();
  } catch (const InternalError& error) {
    return {"internal error", error.what()};
  }
}

int compare(const std::string& cases, const std::string& file) {
  const Result<Safetensors> tensors = read_safetensors(file);
  if (!tensors) return std::fprintf(stderr, "error: %s\n", tensors.error().c_str()), 2;
  std::ifstream lines(cases);
  if (!lines) return std::fprintf(stderr, "error: cannot read %s\n", cases.c_str()), 2;
  const auto context = make_context();
  std::size_t line = 0;
  for (std::string text; std::getline(lines, text);) {
    ++line;
    try {
      const json object = json::parse(text);
      const Outcome outcome = run(context, *tensors, object);
      const json out{{"id", object.at("id")}, {"outcome", outcome.word}, {"detail", outcome.detail}};
      std::printf("%s\n", out.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    } catch (const std::exception& wrong) {
      return std::fprintf(stderr, "error: %s:%zu: %s\n", cases.c_str(), line, wrong.what()), 2;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (std::ranges::any_of(words, [](const std::string& w) { return w == "--help" || w == "-h"; }))
    return std::fputs(kUsage, stdout), 0;
  if (words.size() != 2) return std::fputs(kUsage, stderr), 2;
  return compare(words[0], words[1]);
}

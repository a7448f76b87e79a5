// Runs a TorchScript program on values of which only a part is known: what depends on tensors' elements becomes ops of
// the function that is built, everything else is computed here.
//
// Guarantees
//   - Python values, and what is made of sizes, are computed exactly; sizes that are symbols are index expressions.
//   - A branch whose condition is known is followed, any other becomes `if`. A loop whose steps are known is unrolled
//   up
//     to kMaxUnrolled nodes; from where that is not so it becomes `while`.
//   - Every ATen operator is a node that goes through the conversion of exported programs.
//   - Operators that change a tensor in place give it a new value, and what it is a view of too. Other views of the
//   same
//     memory are made again when they are next read; where that cannot be, the read is an error.
//   - Every error is at the line of the program that it is about, with that line in a note.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "import/program/convert.h"
#include "import/python/program.h"
#include "import/python/python_value.h"
#include "import/python/result_types.h"

namespace mlgc::python {

// Nodes that the steps of one loop may come to before it becomes `while`.
inline constexpr std::size_t kMaxUnrolled = 4096;

// Where the values of constant tensors and attributes come from.
class TensorSource {
 public:
  TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;
  virtual ~TensorSource() = default;
  // The tensor under a path of the model (`fc.weight`); of a constant of the program the path is empty. It is defined
  // at the start of the function. Error: why it cannot be used.
  [[nodiscard]] virtual Result<Tensor> find(std::size_t number, const std::string& path) = 0;
};

class Interpreter {
 public:
  using Node = python::Node;

  // `file` is where an error points to that no line of the program is known for.
  Interpreter(const Program& program, program::GraphScope& scope, TensorSource& tensors, Location file);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  virtual ~Interpreter() = default;

  void set(std::uint32_t value, PythonValue to) { values_[value] = std::move(to); }
  [[nodiscard]] const PythonValue& get(std::uint32_t value) const { return values_[value]; }
  // `owner` is the module that holds it as its attribute `path`; null for a constant of the program.
  [[nodiscard]] PythonValue constant(const Constant& constant, const Object* owner = nullptr,
                                     const std::string& path = "");
  // What may become a call of PyTorch: by default nothing.
  void set_fallback(Fallback fallback) { fallback_ = fallback; }
  // The whole program. False after a diagnostic.
  [[nodiscard]] virtual bool run_program() { return run(program_.body); }
  // Whether every operator that ran is known, or may be a call. Otherwise a diagnostic lists all that are not.
  [[nodiscard]] bool all_known();
  // The calls of PyTorch, those that may not be too.
  [[nodiscard]] const FallbackLedger& ledger() const { return ledger_; }

  // A tensor of its own memory.
  [[nodiscard]] Tensor new_tensor(Value value) const;
  // The attributes that hold tensors, by path, with what they are now.
  [[nodiscard]] const std::map<std::string, PythonValue>& attributes() const { return attributes_; }

  // --- For operators: see python_operators.h. `node` is the one that runs; what gives a Value or a bool is invalid or
  // false after a diagnostic.
  [[nodiscard]] program::GraphScope& scope() const { return *region_->scope; }
  [[nodiscard]] IndexPool& index() const { return scope().context().index(); }
  bool fail(const Node& node, const std::string& reason);
  [[nodiscard]] Value emit(const Node& node, std::string_view op, std::span<const Value> operands,
                           const program::NodeScope::Attrs& attrs = {});
  // A number as a value of rank 0: i64, f64 or i1.
  [[nodiscard]] Value number_value(const Node& node, const PythonValue& number);
  [[nodiscard]] Value tensor_value(const Node& node, const Tensor& tensor);
  // Whether a list or dict of that depth may be changed here: not from inside a branch or loop that may not run.
  [[nodiscard]] bool may_change(const Node& node, std::size_t depth);
  [[nodiscard]] std::size_t depth() const { return region_->depth; }
  [[nodiscard]] std::string_view type_of(std::uint32_t value) const { return program_.values[value].type; }

 protected:
  [[nodiscard]] bool run(const Node& node);
  [[nodiscard]] bool run(const Block& block);
  // Where a node comes from, and how messages call it.
  [[nodiscard]] virtual Location location(const Node& node) const;
  [[nodiscard]] virtual std::string spelling(const Node& node) const { return node.kind; }
  [[nodiscard]] bool known_operator(std::string_view target) const { return converter_.known(target); }
  virtual void report(const Node& node, Diagnostic diagnostic);
  // `tensor` has another value from now on. False after a diagnostic.
  bool change(const Node& node, const Tensor& tensor, Value value);
  // Of a value that no node of the script's own body speaks of.
  void set_used(std::uint32_t value, bool used) { used_[value] = used; }
  // What was recorded of the results of a call, which is asked for where neither inference nor a rule says it.
  [[nodiscard]] virtual std::vector<Type> recorded_types(const Node& /*node*/) { return {}; }
  [[nodiscard]] bool depends_on_data(IndexExpr size) const;
  [[nodiscard]] TensorSource& tensors() const { return tensors_; }
  void keep_attribute(const std::string& path, const PythonValue& value) { attributes_.insert_or_assign(path, value); }

 private:
  // A region of the function while it is filled.
  struct Region {
    program::GraphScope* scope;
    Region* parent;
    std::size_t depth;
    // What tensors and memories from outside were before they were touched in here.
    struct Saved {
      Value value;
      int version = 0;
      std::optional<IndexExpr> number;
      bool changed = false;  // in place, and not only made again
    };
    std::map<Tensor, Saved> tensors;
    std::map<std::shared_ptr<Memory>, std::pair<int, const Node*>> memories;
    std::vector<Tensor> changed;  // those that are no views, in the order of their first change
  };
  class In;  // a region for as long as it lives

  bool run_known(const Node& node, std::string_view kind, bool& done);
  bool get_attribute(const Node& node);
  bool set_attribute(const Node& node);
  bool unpack(const Node& node);
  [[nodiscard]] std::string tensor_path(std::int64_t number, const Object* owner, const std::string& place) const;

  // control.cpp
  bool run_if(const Node& node);
  bool undecided_if(const Node& node, Value condition);
  bool run_loop(const Node& node);
  [[nodiscard]] bool steps_apart(const Block& body, std::span<const Tensor> arguments, const Region& region) const;
  [[nodiscard]] bool reads_any(const Block& block, const Region& region) const;
  bool emit_while(const Node& node, const PythonValue& first, const PythonValue& go_on,
                  std::vector<PythonValue> carried);
  struct Merge;

  // call.cpp
  // A call on its way to a node.
  struct Call {
    const Node& node;
    std::string base;    // `add` of `aten::add_.Tensor`
    std::string target;  // `aten.add.Tensor`
    std::vector<PythonValue> operands;
    Tensor changed;  // in place
    program::Node made;
    CallArguments arguments;
    std::vector<std::string> results;  // names
    bool list = false;                 // whether they are the items of one list
  };
  bool call(const Node& node);
  [[nodiscard]] std::string fresh_symbol() const;
  bool select(const Node& node);
  bool respell(const Node& node, std::string& target, std::vector<PythonValue>& operands);
  bool bind_operands(Call& call, std::span<const program::SchemaArgument> parameters);
  bool state_results(Call& call, std::span<const Type> types);
  bool convert(const Node& node, const program::Node& made, std::optional<Diagnostic>& form);
  bool give_results(const Call& call);
  bool state_torch_types(const Call& call) const;
  bool fall_back(Call& call, const std::optional<Diagnostic>& form = std::nullopt);
  void unknown(const Call& call, const std::string& why);

  // views.cpp, beside change()
  void save(const Tensor& tensor, bool changed);
  void save(const std::shared_ptr<Memory>& memory);
  void touch(const Node& node, const std::shared_ptr<Memory>& memory);
  [[nodiscard]] Value view_again(const Node& node, const Tensor& tensor);
  [[nodiscard]] Value whole_of(const Node& node, const Tensor& view, Value value);
  [[nodiscard]] Value convert_view(const Node& node, program::Node made, std::span<const Type> types,
                                   std::size_t output);
  void make_view(const Call& call, const Tensor& first, const Tensor& made, std::size_t output) const;
  static void link(const std::shared_ptr<Memory>& a, const std::shared_ptr<Memory>& b);

  [[nodiscard]] bool known_numbers(const Node& node, std::string_view base);
  [[nodiscard]] bool argument_of(const Node& node, const PythonValue& value, program::SchemaArgument::Kind kind,
                                 program::Argument& out);
  [[nodiscard]] std::string name_value(Value value) const;
  [[nodiscard]] std::string result_name(std::uint32_t value, std::string_view op, bool used);

  [[nodiscard]] program::Node described(const Node& node, std::string target) const;
  void count_uses(const Block& block);

  const Program& program_;
  TensorSource& tensors_;
  Location file_;
  program::NodeConverter converter_;
  Region root_;
  Region* region_;
  std::vector<PythonValue> values_;  // by number
  std::vector<bool> used_;           // by number
  std::map<std::string, PythonValue> attributes_;
  std::map<std::string, int, std::less<>> names_;              // how often a name was given
  std::set<std::string, std::less<>> symbols_, data_symbols_;  // of sizes of inputs; of sizes that depend on data
  struct Unknown {
    int calls = 0;
    std::size_t number = 0;  // in the order of the first calls
    Location at;             // of the first one
    std::string line, why;   // its line; why it can be no call of PyTorch either
  };
  Fallback fallback_ = Fallback::Error;
  FallbackLedger ledger_;
  std::map<std::string, Unknown> unknown_;  // by operator
};

}  // namespace mlgc::python

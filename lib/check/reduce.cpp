// Chunks of edits of halving size, over and over until a round changes nothing.
#include "check/reduce.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/builder.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "pass/statistics.h"
#include "support/hash.h"
#include "tensor/tensor.h"
#include "text/printer.h"

namespace mlgc {
namespace {

// Tries what was not tried before, up to the limit.
class Tester {
 public:
  explicit Tester(const ReduceOptions& options) : options_(options) {}
  bool operator()(const std::string& text) {
    if (done() || !tried_.insert(hash_bytes(text)).second) return false;
    ++tests_;
    return options_.test(text);
  }
  [[nodiscard]] bool done() const { return tests_ >= options_.max_tests; }
  [[nodiscard]] std::size_t tests() const { return tests_; }

 private:
  const ReduceOptions& options_;
  std::set<std::uint64_t> tried_;
  std::size_t tests_ = 0;
};

// Calls `apply` with ranges of 0 … count-1 of halving length; `apply` answers whether the edits of the range were kept.
bool in_chunks(std::size_t count, const std::function<bool(std::size_t first, std::size_t last)>& apply) {
  bool any = false;
  for (std::size_t length = count; length > 0; length /= 2)
    for (std::size_t first = 0; first < count; first += length)
      any = apply(first, std::min(count, first + length)) || any;
  return any;
}

// A value that can stand for another one: an operand of its op, then what is visible there, then a constant.
Value stand_in(Value value) {
  const OpRef op = value.definer();
  for (const Value operand : op.operands())
    if (operand.type() == value.type()) return operand;
  for (OpRef at = op; at.valid();) {
    for (OpRef before = at.previous(); before.valid(); before = before.previous())
      for (const Value result : before.results())
        if (result.type() == value.type()) return result;
    for (const Value argument : at.parent().arguments())
      if (argument.type() == value.type()) return argument;
    const OpRef parent = at.parent_op();
    if (!parent.valid() || parent.has_trait(Traits::IsolatedRegion)) break;
    at = parent;
  }
  Context& context = op.module().context();
  if (!context.types().is_tensor(value.type())) return {};
  const Tensor one = Tensor::splat(context.types().dtype(value.type()), {}, 1);
  Builder builder(op.module(), op.parent());
  builder.set_before(op);
  builder.set_location(op.location());
  const AttrDict attrs = builder.attrs({{"value", context.attributes().tensor(value.type(), one.bytes())}});
  return builder.create(GraphOp::Constant, {}, {value.type()}, attrs).result();
}

bool remove_op(OpRef op) {
  if (op.has_trait(Traits::Terminator)) return false;
  for (const Value result : op.results()) {
    if (result.uses().empty()) continue;
    const Value other = stand_in(result);
    if (!other.valid()) return false;
    result.replace_all_uses_with(other);
  }
  op.erase();
  return true;
}

bool take_arm(OpRef op, std::size_t arm) {
  if (!op.is(GraphOp::If) || op.region_count() <= arm || op.region(arm).empty()) return false;
  const OpRef end = op.region(arm).terminator();
  const std::vector<Value> values(end.operands().begin(), end.operands().end());
  end.erase();
  op.region(arm).splice_before(op);
  op.replace_all_uses_with(values);
  op.erase();
  return true;
}

bool make_splat(OpRef op) {
  AttributePool& attributes = op.module().context().attributes();
  if (!op.is(GraphOp::Constant) || attributes.as_tensor(op.attr("value")).splat) return false;
  const Tensor one = Tensor::splat(op.result().dtype(), {}, 1);
  op.set_attr("value", attributes.tensor(op.result().type(), one.bytes()));
  return true;
}

bool remove_result(OpRef op, std::size_t i) {
  const FuncRef function = FuncRef::from(op);
  const OpRef end = function.return_op();
  if (!end.valid() || i >= end.operand_count()) return false;
  std::vector<Value> values(end.operands().begin(), end.operands().end());
  std::vector<UpdateTarget> updates = function.updates();
  const std::size_t results = values.size() - updates.size();
  if (i >= results) {
    updates.erase(updates.begin() + static_cast<std::ptrdiff_t>(i - results));
    function.set_updates(updates);
  }
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
  end.set_operands(values);
  return true;
}

class ModuleReducer {
 public:
  ModuleReducer(const Module& module, const ReduceOptions& options)
      : options_(options), tester_(options), module_(module), text_(print(module)) {}

  Reduced run() {
    for (bool changed = true; changed && !tester_.done();) {
      changed = functions();
      changed = simplifications() || changed;
      changed = ops() || changed;
      changed = results() || changed;
      changed = arguments() || changed;
      changed = attributes() || changed;
      changed = sizes() || changed;
    }
    return {text_, tester_.tests(), tester_.done()};
  }

 private:
  // Keeps the candidate when its text reads back and still fails.
  bool keep(const std::string& text) {
    if (text == text_) return false;
    std::optional<Module> read = options_.read(text);
    if (!read) return false;
    if (!tester_(text)) return false;
    module_ = *std::move(read);
    text_ = text;
    if (options_.progress) options_.progress(count_all(module_), tester_.tests());
    return true;
  }

  // The `n`-th op in program order, for n from `first` on, is edited: from the last to the first, so that what reads a
  // value goes before what defines it. Ops are counted in the module as it is.
  bool edit_ops(const std::function<bool(OpRef)>& edit, const std::function<bool(OpRef)>& wanted) {
    bool any = false;
    const auto list = [&] {
      std::vector<OpId> ids;
      walk(module_, [&](OpRef op) {
        if (wanted(op)) ids.push_back(op.id());
      });
      std::reverse(ids.begin(), ids.end());
      return ids;
    };
    for (std::size_t length = list().size(); length > 0; length /= 2)
      for (std::size_t first = 0; !tester_.done();) {
        const std::vector<OpId> ids = list();
        if (first >= ids.size()) break;
        Module candidate = module_;
        bool edited = false;
        for (std::size_t i = first; i < std::min(ids.size(), first + length); ++i)
          if (!candidate.op(ids[i]).erased()) edited = edit(candidate.op(ids[i])) || edited;
        if (edited && keep(print(candidate)))
          any = true;
        else
          first += length;
      }
    return any;
  }

  bool functions() {
    return edit_ops(
        [](OpRef op) {
          op.erase();
          return true;
        },
        [](OpRef op) { return op.has_trait(Traits::Symbol); });
  }

  bool simplifications() {
    bool any = false;
    for (const PassDef* pass : options_.simplify) {
      Module candidate = module_;
      DiagnosticEngine silent(candidate.context().locations());
      PassContext context(*pass, silent, Numerics::Exact);
      const auto pass_options = pass->body.make_options();
      if (pass->body.run(candidate, pass_options.get(), context) == PassResult::Changed)
        any = keep(print(candidate)) || any;
    }
    return any;
  }

  bool ops() {
    const auto inner = [](OpRef op) { return !op.has_trait(Traits::Symbol) && !op.has_trait(Traits::Terminator); };
    bool any = edit_ops(remove_op, inner);
    for (const std::size_t arm : {0, 1})
      any = edit_ops([arm](OpRef op) { return take_arm(op, arm); }, [](OpRef op) { return op.is(GraphOp::If); }) || any;
    return edit_ops(make_splat, [](OpRef op) { return op.is(GraphOp::Constant); }) || any;
  }

  bool results() {
    std::size_t most = 0;
    for (const FuncRef& function : mlgc::functions(module_))
      if (function.return_op().valid()) most = std::max(most, function.return_op().operand_count());
    bool any = false;
    for (std::size_t i = most; i-- > 0;)
      any = edit_ops([i](OpRef op) { return remove_result(op, i); },
                     [](OpRef op) { return FuncRef::from(op).valid(); }) ||
            any;
    return any;
  }

  bool arguments() {
    return edit_ops(
        [](OpRef op) {
          const RegionRef body = FuncRef(op).body();
          bool edited = false;
          for (std::size_t i = body.argument_count(); i-- > 0;) {
            if (!body.argument(i).uses().empty()) continue;
            body.erase_argument(i);
            edited = true;
          }
          return edited;
        },
        [](OpRef op) { return FuncRef::from(op).valid(); });
  }

  bool attributes() {
    bool any = false;
    std::set<std::string> names;
    walk(module_, [&](OpRef op) {
      for (const NamedAttribute& entry : module_.context().attributes().entries(op.attrs()))
        names.insert(std::string(module_.context().strings().text(entry.name)));
    });
    for (const std::string& name : names)
      any = edit_ops(
                [&](OpRef op) {
                  op.remove_attr(name);
                  return true;
                },
                [&](OpRef op) { return !op.has_trait(Traits::Symbol) && op.attr(name).valid(); }) ||
            any;
    return any;
  }

  // One number in the brackets of types becomes 1, 2 or half of itself, everywhere.
  bool sizes() {
    std::set<std::string> numbers;
    for_each_size(text_, [&](std::size_t at, std::size_t length) { numbers.insert(text_.substr(at, length)); });
    bool any = false;
    for (const std::string& number : numbers) {
      if (number.size() > 9) continue;
      const int was = std::stoi(number);
      for (const int is : {1, 2, was / 2}) {
        if (is >= was || is < 1) continue;
        std::string text;
        std::size_t copied = 0;
        for_each_size(text_, [&](std::size_t at, std::size_t length) {
          if (text_.compare(at, length, number) != 0 || length != number.size()) return;
          text += text_.substr(copied, at - copied) + std::to_string(is);
          copied = at + length;
        });
        text += text_.substr(copied);
        if (keep(text)) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  // Numbers between `tensor<` and the element type.
  static void for_each_size(const std::string& text, const std::function<void(std::size_t, std::size_t)>& visit) {
    constexpr std::string_view kStart = "tensor<";
    for (std::size_t at = text.find(kStart); at != std::string::npos; at = text.find(kStart, at)) {
      at += kStart.size();
      while (at < text.size() && text[at] != '>') {
        std::size_t end = at;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        if (end > at && end < text.size() && text[end] == 'x') visit(at, end - at);
        at = text.find_first_of("x>", end);
        if (at == std::string::npos) return;
        if (text[at] == 'x') ++at;
      }
    }
  }

  const ReduceOptions& options_;
  Tester tester_;
  Module module_;
  std::string text_;
};

}  // namespace

Reduced reduce_module(const Module& module, const ReduceOptions& options) {
  return ModuleReducer(module, options).run();
}

Reduced reduce_lines(const std::string& text, const ReduceOptions& options) {
  Tester tester(options);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += part;
    return out;
  };
  for (bool changed = true; changed && !tester.done();) {
    changed = in_chunks(lines.size(), [&](std::size_t first, std::size_t last) {
      if (first >= lines.size()) return false;
      std::vector<std::string> candidate(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
      candidate.insert(candidate.end(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(last, lines.size())),
                       lines.end());
      if (!tester(joined(candidate))) return false;
      lines = std::move(candidate);
      if (options.progress) options.progress(lines.size(), tester.tests());
      return true;
    });
  }
  return {joined(lines), tester.tests(), tester.done()};
}

}  // namespace mlgc

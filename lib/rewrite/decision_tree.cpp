// Building and walking decision trees.
#include "rewrite/decision_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "rewrite/rule_functions.h"

namespace mlgc {

namespace {

// Beside opcodes: nothing stands in the operand's place, or no op defines it.
constexpr std::uint64_t kAbsent = 0x1'0000, kArgument = 0x1'0001;
// Rules without a test are copied into every case; a tree that grew beyond this stops asking. Sound, and never seen.
constexpr std::size_t kMaxNodes = 1U << 16;
// An op that has answered so many questions as some rule wants is left to the matcher: few ops do, and the trees of
// rules with many forms would grow large over what is deeper.
constexpr int kMostAnswers = 4;

std::uint64_t key_of(double number) { return std::bit_cast<std::uint64_t>(number); }

}  // namespace

struct DecisionTreeBuilder {
  using Path = DecisionTree::Path;
  using Entry = DecisionTree::Entry;
  using Test = DecisionTree::Test;
  // What has been asked on the way to a node.
  using Asked = std::vector<std::pair<Test, Path>>;

  const Context& context;
  Opcode root;
  DecisionTree& tree;
  std::map<Path, std::uint32_t> paths = {};
  std::uint64_t constant_key = 0;

  // The pattern at a path; null when the form asks nothing there.
  static const RulePattern* at(const RulePattern* form, const Path& path) {
    for (const std::uint8_t operand : path) {
      if (form == nullptr || form->form != RulePattern::Form::Op || form->chain || operand >= form->operands.size())
        return nullptr;
      form = &form->operands[operand];
    }
    return form;
  }

  // The cases of a test that an entry may match, each once; nothing when the test says nothing about it.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> cases_for(const Entry& entry, Test test,
                                                                    const Path& path) const {
    const RulePattern* pattern = at(entry.form, path);
    if (pattern == nullptr) return std::nullopt;
    const bool number = pattern->form == RulePattern::Form::Literal || pattern->form == RulePattern::Form::Number;
    if (test == Test::Number) {
      if (pattern->form != RulePattern::Form::Literal) return std::nullopt;
      std::vector<std::uint64_t> keys{key_of(pattern->literal)};
      if (pattern->literal == 0 && std::signbit(pattern->literal)) keys.push_back(key_of(0.0));  // of integers
      return keys;
    }
    if (number) return std::vector<std::uint64_t>{constant_key, kAbsent};
    if (pattern->form != RulePattern::Form::Op) return std::nullopt;
    // The same op as the root.
    if (pattern->same_as != kNoSlot && pattern->same_as == entry.form->slot)
      return std::vector<std::uint64_t>{static_cast<std::uint64_t>(root)};
    std::vector<std::uint64_t> keys;
    for (const Opcode opcode : pattern->opcodes) keys.push_back(static_cast<std::uint64_t>(opcode));
    return keys;
  }

  // The first test below `pattern` that has not been asked.
  static std::optional<std::pair<Test, Path>> open_test(const RulePattern& pattern, Path& path, const Asked& asked) {
    if (pattern.chain) return std::nullopt;
    for (std::size_t i = 0; i < pattern.operands.size() && i < 256; ++i) {
      const RulePattern& operand = pattern.operands[i];
      path.push_back(static_cast<std::uint8_t>(i));
      const auto is_asked = [&](Test test) {
        return std::any_of(asked.begin(), asked.end(),
                           [&](const auto& one) { return one.first == test && one.second == path; });
      };
      const bool number = operand.form == RulePattern::Form::Literal || operand.form == RulePattern::Form::Number;
      if ((operand.form == RulePattern::Form::Op || number) && !is_asked(Test::Op)) return std::pair(Test::Op, path);
      if (operand.form == RulePattern::Form::Literal && !is_asked(Test::Number)) return std::pair(Test::Number, path);
      if (operand.form == RulePattern::Form::Op)
        if (auto found = open_test(operand, path, asked)) return found;
      path.pop_back();
    }
    return std::nullopt;
  }

  std::uint32_t leaf(const std::vector<Entry>& entries) {
    DecisionTree::Node node;
    node.begin = static_cast<std::uint32_t>(tree.candidates_.size());
    for (const Entry& entry : entries) tree.candidates_.push_back(entry.candidate);
    node.end = static_cast<std::uint32_t>(tree.candidates_.size());
    tree.nodes_.push_back(node);
    return static_cast<std::uint32_t>(tree.nodes_.size() - 1);
  }

  std::uint32_t build(const std::vector<Entry>& entries, Asked& asked, int answers) {
    std::optional<std::pair<Test, Path>> test;
    for (const Entry& entry : entries) {
      Path path;
      if (answers == kMostAnswers) break;
      if (entry.form != nullptr) test = open_test(*entry.form, path, asked);
      if (test) break;
    }
    if (!test || tree.nodes_.size() > kMaxNodes) return leaf(entries);
    const Path path = test->second;
    const auto number = static_cast<std::uint32_t>(tree.nodes_.size());
    tree.nodes_.emplace_back();
    const auto [known, fresh] = paths.emplace(path, static_cast<std::uint32_t>(tree.paths_.size()));
    if (fresh) tree.paths_.push_back(path);

    // Entries by the cases that they survive, in their order; those without a test survive all.
    std::map<std::uint64_t, std::vector<Entry>> cases_of;
    for (const Entry& entry : entries)
      if (const auto keys = cases_for(entry, test->first, path))
        for (const std::uint64_t key : *keys) cases_of.try_emplace(key);
    std::vector<Entry> others;
    for (const Entry& entry : entries) {
      if (const auto keys = cases_for(entry, test->first, path)) {
        for (const std::uint64_t key : *keys) cases_of[key].push_back(entry);
        continue;
      }
      for (auto& [key, list] : cases_of) list.push_back(entry);
      others.push_back(entry);
    }
    asked.push_back(*test);
    std::vector<DecisionTree::Case> cases;
    for (const auto& [key, list] : cases_of) cases.push_back({key, build(list, asked, answers + 1)});
    const std::uint32_t other = build(others, asked, answers);
    asked.pop_back();
    DecisionTree::Node& node = tree.nodes_[number];
    node.test = test->first;
    node.path = known->second;
    node.begin = static_cast<std::uint32_t>(tree.cases_.size());
    tree.cases_.insert(tree.cases_.end(), cases.begin(), cases.end());
    node.end = static_cast<std::uint32_t>(tree.cases_.size());
    node.other = other;
    return number;
  }
};

DecisionTree::DecisionTree(const Context& context, Opcode root, std::span<const Entry> entries) {
  if (entries.empty()) return;
  DecisionTreeBuilder builder{context, root, *this};
  builder.constant_key = static_cast<std::uint64_t>(context.opcode(GraphOp::Constant));
  DecisionTreeBuilder::Asked asked;
  builder.build({entries.begin(), entries.end()}, asked, 0);
}

std::span<const DecisionTree::Candidate> DecisionTree::candidates(OpRef root) const {
  if (nodes_.empty()) return {};
  Context& context = root.module().context();
  const Node* node = nodes_.data();
  while (node->test != Test::None) {
    const Path& path = paths_[node->path];
    OpRef owner = root;
    for (std::size_t i = 0; owner.valid() && i + 1 < path.size(); ++i) {
      const Value value = path[i] < owner.operand_count() ? owner.operand(path[i]) : Value();
      owner = value.valid() ? value.definer() : OpRef();
    }
    std::uint64_t key = kAbsent;
    bool known = owner.valid();
    if (known && node->test == Test::Op) {
      const Value value = path.back() < owner.operand_count() ? owner.operand(path.back()) : Value();
      const OpRef definer = value.valid() ? value.definer() : OpRef();
      key = !value.valid() ? kAbsent : definer.valid() ? static_cast<std::uint64_t>(definer.opcode()) : kArgument;
    } else if (known) {
      const auto number = operand_number(context, owner, path.back());
      const auto real = number ? as_double(context.index(), *number) : std::nullopt;
      known = real.has_value();
      if (known) key = key_of(*real);
    }
    std::uint32_t next = node->other;
    if (known) {
      const auto begin = cases_.begin() + node->begin, end = cases_.begin() + node->end;
      const auto found = std::lower_bound(begin, end, key, [](const Case& c, std::uint64_t k) { return c.key < k; });
      if (found != end && found->key == key) next = found->node;
    }
    node = &nodes_[next];
  }
  return std::span(candidates_).subspan(node->begin, node->end - node->begin);
}

}  // namespace mlgc

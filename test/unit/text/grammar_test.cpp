// The grammar of docs/ir.md and the parser agree: sentences drawn from the page have no syntax errors.
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// A node of a rule: alternatives, a sequence, an optional or repeated part, a terminal, or the name of another rule.
struct Node {
  enum Kind { Choice, Sequence, Optional, Repeat, Terminal, Rule } kind;
  std::string text;
  std::vector<Node> parts;
};

class Grammar {
 public:
  explicit Grammar(const std::string& text) : text_(text) {
    while (skip(), at_ < text_.size()) {
      const std::string name = word();
      expect('=');
      rules_[name] = choice();
      expect(';');
    }
  }
  [[nodiscard]] const std::map<std::string, Node>& rules() const { return rules_; }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    INFO("grammar at: " << text_.substr(at_, 60));
    REQUIRE(take(c));
  }
  std::string word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  Node choice() {
    Node node{Node::Choice, "", {sequence()}};
    while (take('|')) node.parts.push_back(sequence());
    return node;
  }
  Node sequence() {
    Node node{Node::Sequence, "", {}};
    while (true) {
      skip();
      REQUIRE(at_ < text_.size());
      const char c = text_[at_];
      if (c == '|' || c == ';' || c == ')' || c == ']' || c == '}') return node;
      if (take('"')) {
        const std::size_t end = text_.find('"', at_);
        node.parts.push_back({Node::Terminal, text_.substr(at_, end - at_), {}});
        at_ = end + 1;
      } else if (take('(')) {
        node.parts.push_back(choice());
        expect(')');
      } else if (take('[')) {
        node.parts.push_back({Node::Optional, "", {choice()}});
        expect(']');
      } else if (take('{')) {
        node.parts.push_back({Node::Repeat, "", {choice()}});
        expect('}');
      } else {
        node.parts.push_back({Node::Rule, word(), {}});
        REQUIRE_FALSE(node.parts.back().text.empty());
      }
    }
  }
  std::string text_;
  std::size_t at_ = 0;
  std::map<std::string, Node> rules_;
};

const std::map<std::string, std::vector<std::string>>& tokens() {
  static const std::map<std::string, std::vector<std::string>> table{
      {"value", {"%a", "%b", "%c.d", "%0", "%17", "%_x"}},
      {"use", {"%a", "%b", "%0", "%p#1"}},
      {"symbol", {"@w", "@fc0.weight", "@\"odd name\""}},
      {"string", {"\"text\"", "\"\"", "\"a\\22b\\n\\\\\""}},
      {"integer", {"0", "1", "42", "7"}},
      {"float", {"1.5", "0.0", "2.", "1.0e-5", "3e8"}},
      {"name", {"slope", "i", "user.note", "f"}},
      {"block", {"^bb0", "^entry"}},
      {"op_name", {"relu", "add", "misc", "slice", "dim", "read", "call", "load", "store", "return", "yield", "topk"}},
      {"generic_name", {"\"mlgc.relu\"", "\"mlgc.misc\"", "\"mlgc.if\"", "\"mlgc.while\"", "\"func.return\""}},
      {"dtype", {"f32", "i64", "bf16", "ui8", "i1"}},
      {"scope", {"arena", "weight", "register"}},
      {"size", {"B", "S", "H_1"}},
      {"int_text", {"\"B\"", "\"2*S + 1\"", "\"3\""}},
      {"type_text", {"\"vector<[B]xf32>\"", "\"f32\""}},
      {"splat_text", {"\"dense<0.5> : tensor<[B]xf32>\""}},
      {"mlir_text", {"\"unit\"", "\"5 : i8\"", "\"affine_map<(d0) -> (d0 + 1)>\""}},
      {"hex_string", {"\"0x00FF\"", "\"0x0000803F\""}},
  };
  return table;
}

class Writer {
 public:
  Writer(const Grammar& grammar, unsigned seed) : grammar_(grammar), random_(seed) {}

  std::string sentence() {
    budget_ = 400;
    out_.clear();
    write({Node::Rule, "file", {}}, 0);
    return out_;
  }
  [[nodiscard]] const std::set<std::string>& used() const { return used_; }

 private:
  bool likely(int depth) { return budget_ > 0 && depth < 40 && random_() % 2 == 0; }
  // The fewest rules that have to be entered to get to tokens, so that choices end when the sentence is long enough.
  int cost(const Node& node) {
    int total = 0;
    switch (node.kind) {
      case Node::Terminal:
      case Node::Optional:
      case Node::Repeat: return 0;
      case Node::Sequence:
        for (const Node& part : node.parts) total = std::max(total, cost(part));
        return total;
      case Node::Choice:
        total = 1000;
        for (const Node& part : node.parts) total = std::min(total, cost(part));
        return total;
      case Node::Rule: {
        if (tokens().contains(node.text)) return 0;
        const auto [it, inserted] = costs_.emplace(node.text, 500);
        if (inserted) it->second = 1 + cost(grammar_.rules().at(node.text));
        return costs_[node.text];
      }
    }
    return 0;
  }
  void write(const Node& node, int depth) {
    switch (node.kind) {
      case Node::Terminal:
        out_ += node.text + " ";
        --budget_;
        return;
      case Node::Sequence:
        for (const Node& part : node.parts) write(part, depth);
        return;
      case Node::Optional:
        if (likely(depth)) write(node.parts[0], depth + 1);
        return;
      case Node::Repeat:
        for (int i = 0; i < 4 && likely(depth); ++i) write(node.parts[0], depth + 1);
        return;
      case Node::Choice: {
        const Node* part = &node.parts[random_() % node.parts.size()];
        if (budget_ <= 0 || depth >= 40)
          for (const Node& other : node.parts)
            if (cost(other) < cost(*part)) part = &other;
        write(*part, depth + 1);
        return;
      }
      case Node::Rule: {
        used_.insert(node.text);
        if (const auto token = tokens().find(node.text); token != tokens().end()) {
          out_ += token->second[random_() % token->second.size()] + " ";
          --budget_;
          return;
        }
        INFO("rule " << node.text);
        REQUIRE(grammar_.rules().contains(node.text));
        write(grammar_.rules().at(node.text), depth + 1);
      }
    }
  }
  const Grammar& grammar_;
  std::mt19937 random_;
  std::string out_;
  int budget_ = 0;
  std::set<std::string> used_;
  std::map<std::string, int> costs_;
};

std::string grammar_of(const std::string& path) {
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file.good());
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::string mark = "```ebnf\n";
  const std::size_t begin = text.find(mark);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + mark.size(), text.find("```", begin + mark.size()) - begin - mark.size());
}

}  // namespace

TEST_CASE("sentences of the documented grammar have no syntax errors") {
  const Grammar grammar(grammar_of(std::string(MLGC_DOCS) + "/ir.md"));
  const std::set<std::string> syntax{"unexpected-token",
                                     "unexpected-character",
                                     "unterminated-string",
                                     "bad-number",
                                     "bad-value-name",
                                     "unclosed-brace",
                                     "unmatched-brace",
                                     "attribute-without-value",
                                     "bad-escape",
                                     "reserved-word",
                                     "symbolic-without-brackets",
                                     "several-blocks",
                                     "nesting-too-deep",
                                     "unknown-op",
                                     "item-in-region",
                                     "unknown-type",
                                     "unknown-element-type",
                                     "unknown-attribute-kind"};
  Writer writer(grammar, 11);
  std::size_t accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = writer.sentence();
    const Parsed parsed(text, false, 0);
    if (parsed.module.has_value()) ++accepted;
    for (const Diagnostic& d : parsed.diagnostics.sorted()) {
      if (!syntax.contains(std::string(d.kind->id))) continue;
      INFO(text << "\n" << render_text(d, parsed.context->locations()));
      REQUIRE_FALSE(syntax.contains(std::string(d.kind->id)));
    }
  }
  // Not all are nonsense, and every rule and token was used.
  CHECK(accepted > 100);
  for (const auto& [name, rule] : grammar.rules())
    if (name != "file") CHECK(writer.used().contains(name));
  for (const auto& [name, spellings] : tokens()) CHECK(writer.used().contains(name));
}

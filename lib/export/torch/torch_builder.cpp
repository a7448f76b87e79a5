// See torch_builder.h.
#include "export/torch/torch_builder.h"

#include <algorithm>

namespace mlgc {
namespace {

constexpr std::string_view kKeywords[] = {
    "False",  "None",     "True", "and",    "as",   "assert",  "async",  "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "finally", "from",   "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",   "return", "try",    "while", "with",   "yield"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

PythonNames::PythonNames(std::initializer_list<std::string_view> taken) : taken_(taken.begin(), taken.end()) {
  taken_.insert(std::begin(kKeywords), std::end(kKeywords));
}

std::string PythonNames::fresh(std::string_view wanted) {
  std::string base(wanted);
  std::ranges::replace_if(
      base, [](char c) { return !is_letter(c) && !is_digit(c); }, '_');
  if (base.empty() || !is_letter(base[0])) base.insert(0, "v");
  std::string name = base;
  for (int n = 1; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

std::vector<std::string> TorchBuilder::written(std::size_t first) const {
  std::vector<std::string> out;
  for (std::size_t i = first; i < nodes_->size(); ++i) {
    const TorchNode& node = (*nodes_)[i];
    switch (node.kind) {
      case TorchNodeKind::Call: out.push_back(node.target); break;
      case TorchNodeKind::Read: out.emplace_back("get_attr"); break;
      case TorchNodeKind::Constant: out.emplace_back("constant"); break;
      case TorchNodeKind::Method: out.push_back("call " + node.target); break;
      case TorchNodeKind::Size: break;  // of the function, not of an op
      case TorchNodeKind::If: out.emplace_back("if"); break;
      case TorchNodeKind::While: out.emplace_back("while"); break;
      case TorchNodeKind::Scan: out.emplace_back("for"); break;
    }
  }
  return out;
}

}  // namespace mlgc

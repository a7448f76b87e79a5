#include "codegen/emitter/source_text.h"

#include <algorithm>
#include <iterator>

#include "support/result.h"

namespace mlgc::codegen {

void add_variables(Variables& to, const Variables& from) {
  if (from.empty()) return;
  if (to.empty()) {
    to = from;
    return;
  }
  Variables all;
  all.reserve(to.size() + from.size());
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(all));
  to = std::move(all);
}

SourceText SourceText::number(std::int64_t value) {
  SourceText out(std::to_string(value));
  out.number_ = value;
  if (value >= 0) out.form_ = Form::Word;
  return out;
}

SourceText SourceText::variable(std::string name, VariableId id) {
  SourceText out(std::move(name));
  out.variables_ = {id};
  out.form_ = Form::Word;
  return out;
}

bool SourceText::is_among(const Variables& variables) const {
  MLGC_ASSERT(variables_.size() == 1, "not a variable");
  return std::binary_search(variables.begin(), variables.end(), variables_[0]);
}

SourceText SourceText::bracketed() const {
  SourceText out = "(" + *this + ")";
  out.form_ = Form::Bracketed;
  return out;
}

SourceText SourceText::without_brackets() const {
  if (form_ != Form::Bracketed) return *this;
  SourceText out = *this;
  out.text_ = text_.substr(1, text_.size() - 2);
  out.form_ = Form::Other;
  return out;
}

SourceText SourceText::naming(const Variables& variables) const {
  SourceText out = *this;
  add_variables(out.variables_, variables);
  return out;
}

SourceText SourceText::returning() const {
  SourceText out = *this;
  out.returns_ = true;
  return out;
}

SourceText& SourceText::operator+=(const SourceText& more) {
  if (more.empty()) return *this;
  if (empty()) return *this = more;
  text_ += more.text_;
  add_variables(variables_, more.variables_);
  number_.reset();
  form_ = Form::Other;
  returns_ = returns_ || more.returns_;
  return *this;
}

SourceText comma_separated(const std::vector<SourceText>& items) {
  SourceText out;
  for (const SourceText& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

}  // namespace mlgc::codegen

#include "codegen/emitter/source_block.h"

#include <iterator>

#include "support/result.h"

namespace mlgc::codegen {
namespace {

void add_variables_of(const std::vector<SourceStatement>& statements, Variables& out) {
  for (const SourceStatement& statement : statements) {
    add_variables(out, statement.line.variables());
    for (const SourceStatement::Part& part : statement.parts) {
      add_variables(out, part.head.variables());
      add_variables_of(part.statements, out);
    }
  }
}

bool can_return(const std::vector<SourceStatement>& statements) {
  for (const SourceStatement& statement : statements) {
    if (statement.line.can_return()) return true;
    for (const SourceStatement::Part& part : statement.parts)
      if (part.head.can_return() || can_return(part.statements)) return true;
  }
  return false;
}

void print_line(const SourceText& text, std::size_t depth, std::string& out) {
  out.append(2 * depth, ' ').append(text.str()) += '\n';
}

void print(const std::vector<SourceStatement>& statements, std::size_t depth, std::string& out) {
  for (const SourceStatement& statement : statements) {
    for (const SourceStatement::Part& part : statement.parts) {
      print_line(part.head, depth, out);
      print(part.statements, depth + 1, out);
    }
    print_line(statement.line, depth, out);
  }
}

}  // namespace

void SourceBlock::add(SourceBlock more) {
  statements_.insert(statements_.end(), std::make_move_iterator(more.statements_.begin()),
                     std::make_move_iterator(more.statements_.end()));
}

Variables SourceBlock::variables() const {
  Variables out;
  add_variables_of(statements_, out);
  return out;
}

bool SourceBlock::can_return() const { return codegen::can_return(statements_); }

std::string SourceBlock::print(std::size_t depth) const {
  std::string out;
  codegen::print(statements_, depth, out);
  return out;
}

SourceText SourceBlock::text(std::size_t depth) const { return SourceText(print(depth)).naming(variables()); }

void SourceBuilder::line(SourceText text) { frames_.back().statements.add({std::move(text)}); }

void SourceBuilder::open(SourceText head) {
  const std::size_t inside = depth() + 1;
  frames_.push_back({{{std::move(head), {}}}, {}, inside});
}

void SourceBuilder::next(SourceText head) {
  Frame& frame = frames_.back();
  MLGC_ASSERT(!frame.parts.empty(), "no block is open");
  frame.parts.back().statements = std::move(frame.statements).statements();
  frame.statements = {};
  frame.parts.push_back({std::move(head), {}});
}

void SourceBuilder::close(SourceText line) {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  MLGC_ASSERT(!frame.parts.empty() && !frames_.empty(), "no block is open");
  frame.parts.back().statements = std::move(frame.statements).statements();
  frames_.back().statements.add({std::move(line), std::move(frame.parts)});
}

SourceBlock SourceBuilder::pop() {
  MLGC_ASSERT(frames_.size() > 1 && frames_.back().parts.empty(), "a block is still open");
  SourceBlock out = std::move(frames_.back().statements);
  frames_.pop_back();
  return out;
}

SourceBlock SourceBuilder::take() {
  MLGC_ASSERT(frames_.size() == 1, "a block is still open");
  return std::exchange(frames_.back().statements, {});
}

}  // namespace mlgc::codegen

// Private to lib/codegen: statements as a tree, and how one is built.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/emitter/source_text.h"

namespace mlgc::codegen {

class SourceBlock;

// A line, or blocks with a line before each and one after the last: `if (a) {`, …, `} else {`, …, `}`.
struct SourceStatement {
  struct Part {
    SourceText head;
    std::vector<SourceStatement> statements;
  };
  SourceText line;  // of a statement with parts: the last line
  std::vector<Part> parts = {};
};

class SourceBlock {
 public:
  [[nodiscard]] bool empty() const { return statements_.empty(); }
  void add(SourceStatement statement) { statements_.push_back(std::move(statement)); }
  void add_first(SourceText line) { statements_.insert(statements_.begin(), SourceStatement{std::move(line)}); }
  void add(SourceBlock more);

  // The variables that occur in it.
  [[nodiscard]] Variables variables() const;
  // Whether a statement of it can return from the function.
  [[nodiscard]] bool can_return() const;
  // Two spaces for each level of depth.
  [[nodiscard]] std::string print(std::size_t depth) const;
  // The same as a piece of a longer text.
  [[nodiscard]] SourceText text(std::size_t depth) const;
  [[nodiscard]] std::vector<SourceStatement> statements() && { return std::move(statements_); }

 private:
  std::vector<SourceStatement> statements_;
};

// Appends statements where a cursor is.
class SourceBuilder {
 public:
  SourceBuilder() : frames_(1) {}

  void line(SourceText text);
  // A line that begins a block; one that ends it and begins the next of the same statement; one that ends it.
  void open(SourceText head);
  void next(SourceText head);
  void close(SourceText line = "}");

  // What `build` appends, in a block of its own: as the body of a function, or where the cursor is.
  template <class Build>
  SourceBlock body_of_function(const Build& build) {
    frames_.push_back({{}, {}, 1});
    build();
    return pop();
  }
  template <class Build>
  SourceBlock block(const Build& build) {
    frames_.push_back({{}, {}, depth()});
    build();
    return pop();
  }
  void append(SourceBlock block) { frames_.back().statements.add(std::move(block)); }

  // Of the next line.
  [[nodiscard]] std::size_t depth() const { return frames_.back().depth; }
  // All that was appended. Precondition: no block is open.
  SourceBlock take();

 private:
  struct Frame {
    std::vector<SourceStatement::Part> parts;  // blocks of the statement that ended; the head of the one that is open
    SourceBlock statements;
    std::size_t depth = 1;
  };
  SourceBlock pop();
  std::vector<Frame> frames_;
};

}  // namespace mlgc::codegen

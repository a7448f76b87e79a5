// Reads examples.
#include "ops/example.h"

#include <cctype>
#include <charconv>
#include <limits>

#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

constexpr int kMaxExampleDepth = 32;

class Reader {
 public:
  Reader(Context& context, std::string_view text) : context_(context), text_(text) {}

  Example example() {
    Example out;
    out.op = word();
    const Opcode opcode = context_.find_op(out.op);
    if (opcode == Opcode::Invalid) fail("no op `" + std::string(out.op) + "`");
    expect("(");
    if (!accept(")")) {
      do {
        if (accept("_"))
          out.operands.emplace_back();
        else
          out.operands.emplace_back(value());
      } while (accept(","));
      expect(")");
    }
    out.attrs = attributes(context_.def(opcode));
    expect("==");
    do out.results.push_back(value());
    while (accept(","));
    end();
    return out;
  }

  AttrDict attributes(const OpDef& def) {
    std::vector<NamedAttribute> entries;
    if (!accept("{")) return {};
    while (!accept("}")) {
      const std::string_view name = word();
      expect("=");
      AttributeKind kind = AttributeKind::None;
      for (const AttrDef& attr : def.attrs)
        if (attr.name == name) kind = attr.kind;
      skip();
      const std::size_t begin = at_;
      int depth = 0;
      bool quoted = false;
      for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (depth == 0 && (c == ',' || c == '}')) break;
        if (c == '[') ++depth;
        if (c == ']') --depth;
      }
      const auto read = read_attribute_text(context_, text_.substr(begin, at_ - begin), kind);
      if (!read) fail("a value of attribute `" + std::string(name) + "` that does not read");
      entries.push_back({context_.strings().intern(name), *read});
      accept(",");
    }
    return context_.attributes().dict(entries);
  }

  void end() {
    skip();
    if (at_ < text_.size()) fail("more text than expected");
  }

  struct Failed {
    std::string message;
  };

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Failed{message + " at byte " + std::to_string(at_) + " of `" + std::string(text_) + "`"};
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) fail("expected `" + std::string(sign) + "`");
  }
  std::string_view word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (begin == at_) fail("expected a name");
    return text_.substr(begin, at_ - begin);
  }

  struct Elements {
    Shape shape;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    bool point = false, truth = false;
  };

  void element(Elements& out) {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.' ||
                                  text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    const std::string_view item = text_.substr(begin, at_ - begin);
    std::int64_t integer = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), integer);
    const auto real = read_attribute_text(context_, item, AttributeKind::Float);
    if (item == "true" || item == "false") {
      out.truth = true;
      out.integers.push_back(item == "true");
      out.reals.push_back(item == "true");
    } else if (error == std::errc() && stop == item.data() + item.size()) {
      out.integers.push_back(integer);
      out.reals.push_back(static_cast<double>(integer));
    } else if (real && context_.attributes().kind(*real) == AttributeKind::Float) {
      out.point = true;
      out.integers.push_back(0);
      out.reals.push_back(*context_.attributes().as_float(*real));
    } else {
      at_ = begin;
      fail("expected a number");
    }
  }

  void elements(Elements& out, std::size_t depth) {
    if (depth > kMaxExampleDepth) fail("nested too deeply");
    if (!accept("[")) {
      if (out.shape.size() != depth && !out.reals.empty()) fail("rows of different depth");
      return element(out);
    }
    std::int64_t count = 0;
    const bool first = out.shape.size() == depth;
    if (first) out.shape.push_back(0);
    if (!accept("]")) {
      do {
        elements(out, depth + 1);
        ++count;
      } while (accept(","));
      expect("]");
    }
    if (first) out.shape[depth] = count;
    if (out.shape[depth] != count) fail("rows of different length");
  }

  Tensor value() {
    Elements found;
    elements(found, 0);
    Dtype dtype = found.truth ? Dtype::I1 : found.point ? Dtype::F32 : Dtype::I64;
    if (accept(":")) {
      const auto named = parse_dtype(word());
      if (!named) fail("no such dtype");
      dtype = *named;
    }
    Tensor t = Tensor::zeros(dtype, found.shape);
    for (std::size_t i = 0; i < found.reals.size(); ++i) {
      if (is_float(dtype))
        t.set_double(static_cast<std::int64_t>(i), found.reals[i]);
      else
        t.set_int(static_cast<std::int64_t>(i), found.integers[i]);
    }
    return t;
  }

  Context& context_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Example> parse_example(Context& context, std::string_view text) {
  try {
    return Reader(context, text).example();
  } catch (const Reader::Failed& failed) {
    return Failure{failed.message};
  }
}

Result<AttrDict> parse_example_attributes(Context& context, const OpDef& def, std::string_view text) {
  try {
    Reader reader(context, text);
    const AttrDict attrs = reader.attributes(def);
    reader.end();
    return attrs;
  } catch (const Reader::Failed& failed) {
    return Failure{failed.message};
  }
}

}  // namespace mlgc

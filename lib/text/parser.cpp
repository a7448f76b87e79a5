// Whole texts: a module, or a piece of one kind.
#include "text/parser.h"

#include <algorithm>

#include "text/data_parser.h"
#include "text/generic_op_parser.h"
#include "text/item_parser.h"
#include "text/op_finisher.h"
#include "text/op_parser.h"
#include "text/region_parser.h"
#include "text/value_resolver.h"

namespace mlgc {

namespace text {

namespace {

// The parsers of the ops of a text, each of which is given what it calls.
class ModuleParser {
 public:
  ModuleParser(DataParser& data, Context& context, Module& module, const ParseOptions& options)
      : values_(data.cursor(), context, module, options.any_order),
        finisher_(data.cursor(), context, module, values_, options),
        ops_(data, context, module, values_, finisher_, regions_),
        generic_ops_(data, context, module, values_, finisher_, ops_, items_, regions_),
        items_(data, context, module, values_, finisher_, ops_, regions_),
        regions_(data, module, values_, finisher_, ops_, generic_ops_, items_) {}
  ModuleParser(const ModuleParser&) = delete;
  ModuleParser& operator=(const ModuleParser&) = delete;

  void run() { regions_.parse_text(); }

 private:
  ValueResolver values_;
  OpFinisher finisher_;
  OpParser ops_;
  GenericOpParser generic_ops_;
  ItemParser items_;
  RegionParser regions_;
};

}  // namespace

}  // namespace text

std::optional<Module> parse_module(const std::shared_ptr<Context>& context, const SourceFile& file,
                                   DiagnosticEngine& diagnostics, const ParseOptions& options) {
  const std::size_t errors = diagnostics.error_count();
  text::DataParser data(*context, file, diagnostics, options);
  if (diagnostics.error_count() > errors) return std::nullopt;
  std::optional<Module> module(std::in_place, context);
  // Printed programs have about one op and 1.2 values in 40 bytes; the tables grow when that is too little.
  text::Cursor& in = data.cursor();
  const std::size_t guess = (in.end() - in.characters().offset()) / 64;
  module->reserve(guess, guess, guess + guess / 2);
  module->top().set_location(in.location(in.token()));
  text::ModuleParser(data, *context, *module, options).run();
  if (diagnostics.error_count() > errors) return std::nullopt;
  return module;
}

namespace {

// Runs `parse` on a parser of the whole text.
template <class T, class Parse>
std::optional<T> parse_piece(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics,
                             const Parse& parse) {
  const std::size_t errors = diagnostics.error_count();
  const ParseOptions options;
  text::DataParser parser(context, file, diagnostics, options);
  T result{};
  if (diagnostics.error_count() > errors || !parse(parser, result) || !parser.cursor().expect_end())
    return std::nullopt;
  return result;
}

}  // namespace

std::optional<Type> parse_type(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<Type>(context, file, diagnostics,
                           [](text::DataParser& p, Type& out) { return p.types().parse_type(out); });
}

std::optional<IndexExpr> parse_index_expr(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<IndexExpr>(context, file, diagnostics,
                                [](text::DataParser& p, IndexExpr& out) { return p.exprs().parse_expr(out); });
}

std::optional<Attribute> parse_attribute(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics,
                                         AttributeKind wanted, bool generic) {
  return parse_piece<Attribute>(context, file, diagnostics, [&](text::DataParser& p, Attribute& out) {
    p.attributes().read_generic(generic);
    return p.attributes().parse_attribute(wanted, out);
  });
}

std::optional<Attribute> parse_constraints(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return parse_piece<Attribute>(context, file, diagnostics,
                                [](text::DataParser& p, Attribute& out) { return p.exprs().parse_constraints(out); });
}

std::vector<TextRange> split_input(std::string_view text) {
  constexpr std::string_view kMark = "// -----";
  std::vector<TextRange> parts;
  std::size_t begin = 0, line = 0;
  while (line < text.size()) {
    const std::size_t newline = text.find('\n', line);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
    const std::string_view content = text.substr(line, end - line);
    if (content.starts_with(kMark) && content.find_first_not_of(" \t\r-", 2) == std::string_view::npos) {
      parts.push_back({begin, line});
      begin = std::min(end + 1, text.size());
    }
    line = end + 1;
  }
  parts.push_back({begin, text.size()});
  return parts;
}

}  // namespace mlgc

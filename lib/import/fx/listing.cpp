// See listing.h. The layout is that of the package tabulate, which FX prints with.
#include "import/fx/listing.h"

#include <algorithm>
#include <array>
#include <span>

namespace mlgc::fx {

namespace {

using LiteralKind = Literal::Kind;

// As Python quotes a string: in single quotes unless only those are inside.
std::string as_python_quotes(std::string_view text) {
  const bool single = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = single ? '"' : '\'';
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (byte < 0x20 || byte == 0x7f)
      out += "\\x", out += kDigits[byte / 16], out += kDigits[byte % 16];
    else
      out += c;
  }
  return out + quote;
}

std::string joined(std::span<const Literal> items) {
  std::string out;
  for (const Literal& item : items) out += (out.empty() ? "" : ", ") + python_text(item);
  return out;
}

std::string tuple_text(std::span<const Literal> items) {
  return "(" + joined(items) + (items.size() == 1 ? ",)" : ")");
}

// `1+2j`, `1j` where the real part is 0 and positive.
std::string complex_text(std::string real, std::string imaginary) {
  const auto short_form = [](std::string& text) {
    if (text.ends_with(".0")) text.erase(text.size() - 2);
  };
  short_form(real);
  short_form(imaginary);
  if (real == "0") return imaginary + "j";
  return "(" + real + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j)";
}

// Characters, not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string line(const ListingRow& cells, const std::array<std::size_t, 5>& widths) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += "  ";
    out += cells[i];
    out.append(widths[i] - width(cells[i]), ' ');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

}  // namespace

std::string python_text(const Literal& value) {
  switch (value.kind) {
    case LiteralKind::None: return "None";
    case LiteralKind::Bool: return value.integer != 0 ? "True" : "False";
    case LiteralKind::Int: return std::to_string(value.integer);
    case LiteralKind::Float:
    case LiteralKind::Node: return value.text;
    case LiteralKind::String: return as_python_quotes(value.text);
    case LiteralKind::List: return "[" + joined(value.items) + "]";
    case LiteralKind::Tuple: return tuple_text(value.items);
    case LiteralKind::Slice: return "slice(" + joined(value.items) + ")";
    case LiteralKind::Ellipsis: return "Ellipsis";
    case LiteralKind::Dtype:
    case LiteralKind::Layout:
    case LiteralKind::MemoryFormat: return "torch." + value.text;
    case LiteralKind::Graph: return "<graph of " + std::to_string(value.graph->nodes.size()) + " nodes>";
    case LiteralKind::Complex: return complex_text(value.items[0].text, value.items[1].text);
    case LiteralKind::Device: {
      const std::size_t colon = value.text.find(':');
      return "device(type='" + value.text.substr(0, colon) + "'" +
             (colon == std::string::npos ? "" : ", index=" + value.text.substr(colon + 1)) + ")";
    }
    case LiteralKind::Dict: {
      std::string out;
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2)
        out += (out.empty() ? "" : ", ") + python_text(value.items[i]) + ": " + python_text(value.items[i + 1]);
      return "{" + out + "}";
    }
  }
  return "";
}

std::string listing_table(const std::vector<ListingRow>& rows) {
  const ListingRow header{"opcode", "name", "target", "args", "kwargs"};
  std::array<std::size_t, 5> widths{};
  ListingRow rule;
  for (std::size_t i = 0; i < header.size(); ++i) {
    // A column is at least two wider than its header.
    widths[i] = header[i].size() + 2;
    for (const ListingRow& row : rows) widths[i] = std::max(widths[i], width(row[i]));
    rule[i].assign(widths[i], '-');
  }
  std::string out = line(header, widths) + line(rule, widths);
  for (const ListingRow& row : rows) out += line(row, widths);
  return out;
}

std::string listing(const Graph& graph) {
  std::vector<ListingRow> rows;
  for (const Node& node : graph.nodes) {
    Literal keywords{LiteralKind::Dict, 0, 0, "", {}};
    for (const auto& [name, value] : node.keywords) {
      keywords.items.push_back({LiteralKind::String, 0, 0, name, {}});
      keywords.items.push_back(value);
    }
    rows.push_back({std::string(opcode_name(node.opcode)), node.name, node.printed.empty() ? node.target : node.printed,
                    tuple_text(node.arguments), python_text(keywords)});
  }
  return listing_table(rows);
}

}  // namespace mlgc::fx

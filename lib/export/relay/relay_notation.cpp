// See relay_notation.h: lines, inputs and outputs, sizes, control flow.
#include "export/relay/relay_notation.h"

#include <algorithm>
#include <utility>

#include "diag/json_writer.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

std::string torch_dtype(Dtype dtype) { return std::string(dtype_info(dtype).torch_name); }

// The ids that a text refers to.
void for_each_reference(const std::string& text, const std::function<void(std::size_t)>& visit) {
  for (std::size_t at = text.find('\x01'); at != std::string::npos; at = text.find('\x01', at + 1))
    visit(std::stoul(text.substr(at + 1)));
}

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += "  " + text.substr(at, end - at) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

}  // namespace

// Lines.
std::string RelayNotation::reference(std::size_t id) { return '\x01' + std::to_string(id) + '\x02'; }

std::size_t RelayNotation::make(std::string_view name) {
  names_.emplace_back();
  if (!name.empty()) {
    std::string base(name);
    std::ranges::replace_if(
        base, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '_');
    names_.back() = base;
    for (int n = 1; !taken_.insert(names_.back()).second; ++n) names_.back() = base + "_" + std::to_string(n);
  }
  return names_.size() - 1;
}

TensorValue RelayNotation::let(std::string text, Dtype dtype, std::vector<IndexExpr> shape) {
  const std::size_t id = make();
  scopes_.back().push_back({id, type_text(dtype, shape), std::move(text)});
  return {reference(id), dtype, std::move(shape)};
}

TensorValues RelayNotation::let_tuple(std::string text, std::span<const TensorValue> results) {
  const std::size_t id = make();
  scopes_.back().push_back({id, types_of(results), std::move(text)});
  TensorValues out(results.begin(), results.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].name = reference(id) + "." + std::to_string(i);
  return out;
}

TensorValue RelayNotation::operation(std::string_view name, std::span<const TensorValue> operands,
                                     std::string_view attributes, Dtype dtype, std::vector<IndexExpr> shape) {
  wrote(name);
  std::string text(name);
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "(" : ", ") + operands[i].name;
  if (!attributes.empty()) text += (operands.empty() ? "(" : ", ") + std::string(attributes);
  return let(text + ")", dtype, std::move(shape));
}

TensorValue RelayNotation::of_tuple(std::string_view name, std::span<const TensorValue> operands,
                                    std::string_view attributes, Dtype dtype, std::vector<IndexExpr> shape) {
  const TensorValue all{tuple(operands), dtype, {}};
  return operation(name, {all}, attributes, dtype, std::move(shape));
}

TensorValues RelayNotation::items(std::string_view name, std::span<const TensorValue> operands,
                                  std::string_view attributes, std::span<const TensorValue> results) {
  wrote(name);
  std::string text(name);
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "(" : ", ") + operands[i].name;
  return let_tuple(text + ", " + std::string(attributes) + ")", results);
}

std::string RelayNotation::tuple(std::span<const TensorValue> values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + values[i].name;
  return "(" + out + (values.size() == 1 ? ",)" : ")");
}

std::string RelayNotation::type_text(Dtype dtype, const std::vector<IndexExpr>& shape) const {
  if (shape.empty()) return torch_dtype(dtype);
  std::string out;
  for (const IndexExpr dim : shape) {
    const auto size = index().as_constant(dim);
    out += (out.empty() ? "" : ", ") + (size ? std::to_string(*size) : std::string("?"));
  }
  return "Tensor[(" + out + (shape.size() == 1 ? ",)" : ")") + ", " + torch_dtype(dtype) + "]";
}
std::string RelayNotation::types_of(std::span<const TensorValue> values) const {
  std::string out;
  for (const TensorValue& value : values) out += (out.empty() ? "" : ", ") + type_of(value);
  return "(" + out + (values.size() == 1 ? ",)" : ")");
}

std::string RelayNotation::list(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (const std::int64_t number : numbers) out += (out.empty() ? "" : ", ") + std::to_string(number);
  return "[" + out + "]";
}

// Without lines that nothing reads.
std::string RelayNotation::lines_text(std::vector<Line> lines, const std::string& result) const {
  std::set<std::size_t> read;
  const auto note = [&](std::size_t id) { read.insert(id); };
  for_each_reference(result, note);
  std::vector<std::string> kept;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (!read.contains(lines[i].id)) continue;
    for_each_reference(lines[i].text, note);
    const std::string type = lines[i].type.empty() ? "" : ": " + lines[i].type;
    kept.push_back("let " + reference(lines[i].id) + type + " = " + lines[i].text + ";\n");
  }
  std::string out;
  for (std::size_t i = kept.size(); i-- > 0;) out += kept[i];
  return out + result + "\n";
}

std::string RelayNotation::block_text(const std::function<std::string()>& body) {
  scopes_.emplace_back();
  std::string result;
  try {
    result = body();
  } catch (...) {
    scopes_.pop_back();
    throw;
  }
  std::vector<Line> lines = std::move(scopes_.back());
  scopes_.pop_back();
  return "{\n" + indented(lines_text(std::move(lines), result)) + "}";
}

std::string RelayNotation::finish() {
  std::string result = outputs_.size() == 1 ? outputs_[0] : "";
  for (std::size_t i = 0; i < outputs_.size() && outputs_.size() != 1; ++i)
    result += (i == 0 ? "(" : ", ") + outputs_[i];
  if (outputs_.size() != 1) result += outputs_.empty() ? "()" : ")";
  std::string types = output_types_.size() == 1 ? output_types_[0] : "(";
  for (std::size_t i = 0; i < output_types_.size() && outputs_.size() != 1; ++i)
    types += (i == 0 ? "" : ", ") + output_types_[i];
  if (outputs_.size() != 1) types += ")";
  std::string raw = "#[version = \"0.0.5\"]\n";
  for (std::size_t i = 0; i < output_names_.size(); ++i)
    raw += "// result " + std::to_string(i) + ": " + output_names_[i] + "\n";
  raw += "def @main(";
  for (std::size_t i = 0; i < inputs_.size(); ++i) raw += (i == 0 ? "" : ", ") + inputs_[i];
  raw += ") -> " + types + " {\n" + indented(lines_text(std::move(scopes_.back()), result)) + "}\n";
  if (!constants_.empty()) {
    JsonWriter metadata(JsonWriter::Layout::Spaced);
    metadata.objects_on_lines("relay.Constant", constants_, 2, [&](const Constant& constant) {
      metadata.member("dtype", constant.dtype);
      metadata.numbers("shape", constant.shape);
      metadata.numbers("data", constant.data);
    });
    raw += "\n#[metadata]\n" + metadata.take();
  }
  // Names.
  std::string out;
  std::map<std::size_t, std::string> numbers;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '\x01') {
      out += raw[at];
      continue;
    }
    const std::size_t id = std::stoul(raw.substr(at + 1));
    at = raw.find('\x02', at);
    const auto number =
        names_[id].empty() ? numbers.try_emplace(id, std::to_string(numbers.size())).first->second : names_[id];
    out += "%" + number;
  }
  return out;
}

// Inputs and outputs.
TensorValue RelayNotation::named(const TensorValue& value, std::string_view wanted) {
  if (!value.name.starts_with('\x01') || !value.name.ends_with('\x02'))
    return named(let(value.name, value.dtype, value.shape), wanted);
  const std::size_t id = std::stoul(value.name.substr(1));
  if (!names_[id].empty()) return value;
  const std::size_t fresh = make(wanted);
  names_[id] = names_[fresh];
  return value;
}

TensorValue RelayNotation::input(std::string_view name, Type type, GraphInputRole /*role*/) {
  const TypePool& types = context_.types();
  const std::span<const IndexExpr> dims = types.dims(type);
  TensorValue out{reference(make(name)), types.dtype(type), {dims.begin(), dims.end()}};
  inputs_.push_back(out.name + ": " + type_of(out));
  return out;
}

void RelayNotation::output(std::string_view name, const TensorValue& value) {
  outputs_.push_back(value.name);
  output_types_.push_back(type_of(value));
  output_names_.emplace_back(name);
}

TensorValue RelayNotation::constant_value(const TensorConstant& data) {
  const TypePool& types = context_.types();
  const Dtype dtype = types.dtype(data.type);
  if (is_complex(dtype)) throw NoForm{"complex numbers"};
  const std::span<const IndexExpr> dims = types.dims(data.type);
  TensorValue out{"", dtype, {dims.begin(), dims.end()}};
  Shape shape;
  for (const IndexExpr dim : dims) shape.push_back(*index().as_constant(dim));
  const Tensor tensor = Tensor::from_bytes(dtype, shape, data.bytes).value();
  if (shape.empty()) {
    const TensorNumber number = is_float(dtype) ? TensorNumber(std::stod(print_element(tensor, 0)))
                                : dtype == Dtype::I1
                                    ? TensorNumber(print_element(tensor, 0) == "true")
                                    : TensorNumber(index().constant(std::stoll(print_element(tensor, 0))));
    return {literal(number, dtype), dtype, {}};
  }
  Constant constant{std::string(torch_dtype(dtype)), shape, {}};
  for (std::int64_t i = 0; i < tensor.size(); ++i) constant.data.push_back(print_element(tensor, i));
  out.name = "meta[relay.Constant][" + std::to_string(constants_.size()) + "]";
  constants_.push_back(std::move(constant));
  return let(out.name, dtype, out.shape);
}

// Sizes.
void RelayNotation::bind_size(AtomId size, const TensorValue& value, std::size_t axis, AffineDim affine) {
  size_sources_.emplace(size, SizeSource{value, axis, affine});
}

std::optional<std::vector<std::int64_t>> RelayNotation::constants(const std::vector<IndexExpr>& shape) const {
  std::vector<std::int64_t> out;
  for (const IndexExpr dim : shape) {
    const auto size = index().as_constant(dim);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

TensorValue RelayNotation::size_value(IndexExpr size) {
  const IndexPool& pool = index();
  if (const auto value = pool.as_constant(size)) return {std::to_string(*value) + "i64", Dtype::I64, {}};
  const auto combined = [&](std::string_view name, const TensorValue& a, const TensorValue& b) {
    return operation(name, {a, b}, "", Dtype::I64, {});
  };
  std::optional<TensorValue> sum;
  for (std::size_t i = 0; i < pool.term_count(size); ++i) {
    const Term term = pool.term(size, i);
    std::optional<TensorValue> product;
    if (term.coefficient != 1 || term.factors.empty())
      product = TensorValue{std::to_string(term.coefficient) + "i64", Dtype::I64, {}};
    for (const AtomId factor : std::vector<AtomId>(term.factors.begin(), term.factors.end())) {
      const Atom atom = pool.atom(factor);
      const auto both = [&](std::string_view name) {
        const TensorValue a = size_value(atom.a);
        return combined(name, a, size_value(atom.b));
      };
      TensorValue value;
      switch (atom.kind) {
        case AtomKind::Symbol: {
          const auto found = size_sources_.find(factor);
          if (found == size_sources_.end()) throw NoForm{"its shape depends on data"};
          const auto& [of, axis, affine] = found->second;
          const IndexExpr rank = index().constant(static_cast<std::int64_t>(of.shape.size()));
          const TensorValue shape = operation("shape_of", {of}, "dtype=\"int64\"", Dtype::I64, {rank});
          value = operation("take", {shape, {std::to_string(axis) + "i64", Dtype::I64, {}}}, "axis=0", Dtype::I64, {});
          if (affine.offset != 0)
            value = combined("subtract", value, {std::to_string(affine.offset) + "i64", Dtype::I64, {}});
          if (affine.factor != 1)
            value = combined("floor_divide", value, {std::to_string(affine.factor) + "i64", Dtype::I64, {}});
          break;
        }
        case AtomKind::FloorDiv: value = both("floor_divide"); break;
        case AtomKind::Mod: value = both("floor_mod"); break;
        case AtomKind::Min: value = both("minimum"); break;
        case AtomKind::Max: value = both("maximum"); break;
        case AtomKind::IndexLabel:
        case AtomKind::Opaque: throw NoForm{"its shape depends on data"};
      }
      product = product ? combined("multiply", *product, value) : value;
    }
    sum = sum ? combined("add", *sum, *product) : *product;
  }
  return *sum;
}

TensorValue RelayNotation::size_list(const std::vector<IndexExpr>& shape) {
  TensorValues sizes;
  for (const IndexExpr size : shape) sizes.push_back(size_value(size));
  return of_tuple("stack", sizes, "axis=0", Dtype::I64, {index().constant(static_cast<std::int64_t>(shape.size()))});
}

TensorValue RelayNotation::range(const TensorValue& end, IndexExpr extent) {
  const TensorValue zero{"0i64", Dtype::I64, {}}, one{"1i64", Dtype::I64, {}};
  return operation("arange", {zero, end, one}, "dtype=\"int64\"", Dtype::I64, {extent});
}

TensorValue RelayNotation::nonzero(const TensorValue& value, IndexExpr count) {
  return operation("argwhere", {value}, "", Dtype::I64,
                   {count, index().constant(static_cast<std::int64_t>(value.shape.size()))});
}

// Control flow. A loop is a function that calls itself.
TensorValues RelayNotation::branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                                   std::span<const TensorValue> results) {
  const auto block = [&](const Block& body) {
    return block_text([&] {
      const TensorValues made = body({});
      return made.size() == 1 ? made[0].name : tuple(made);
    });
  };
  wrote("if");
  std::string text = "if (" + condition.name + ") " + block(then);
  text += " else " + block(otherwise);
  if (results.size() == 1) return {let(std::move(text), results[0].dtype, results[0].shape)};
  return let_tuple(std::move(text), results);
}

TensorValues RelayNotation::recursion(
    std::span<const TensorValue> initial,
    const std::function<std::string(const TensorValues&, const std::string& self)>& body,
    std::span<const TensorValue> results) {
  const std::size_t self = make("loop");
  TensorValues arguments(initial.begin(), initial.end());
  std::string head = "fn (";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].name = reference(make());
    head += (i == 0 ? "" : ", ") + arguments[i].name + ": " + type_of(arguments[i]);
  }
  wrote("fn");
  const std::string text =
      head + ") -> " + types_of(results) + " " + block_text([&] { return body(arguments, reference(self)); });
  scopes_.back().push_back({self, "", text});
  const std::string call = tuple(initial);
  return let_tuple(reference(self) + (initial.size() == 1 ? "(" + initial[0].name + ")" : call), results);
}

TensorValues RelayNotation::loop(std::span<const TensorValue> initial, const Block& condition, const Block& body) {
  const auto call = [](const std::string& self, const TensorValues& values) {
    std::string out = self + "(";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + values[i].name;
    return out + ")";
  };
  const auto turn = [&](const TensorValues& given, const std::string& self) {
    TensorValues taken = condition(given);
    const std::string go = taken[0].name;
    taken.erase(taken.begin());
    const std::string again = block_text([&] { return call(self, body(taken)); });
    return "if (" + go + ") " + again + " else {\n  " + tuple(taken) + "\n}";
  };
  return recursion(initial, turn, initial);
}

// Results grow by a slice in each turn.
TensorValues RelayNotation::scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences,
                                 bool reverse, const Block& body, std::span<const TensorValue> results) {
  const TensorValue zero{"0i64", Dtype::I64, {}}, one{"1i64", Dtype::I64, {}};
  const TensorValue length = sequences.empty() ? zero : size_value(sequences[0].shape[0]);
  TensorValues state{zero}, types{zero};
  state.insert(state.end(), carried.begin(), carried.end());
  types.insert(types.end(), results.begin(), results.end());
  for (std::size_t i = carried.size(); i < results.size(); ++i) {
    std::vector<IndexExpr> shape = results[i].shape;
    shape[0] = index().constant(0);
    state.push_back(filled(is_float(results[i].dtype) ? TensorNumber(0.0) : TensorNumber(index().constant(0)),
                           results[i].dtype, shape));
    // It grows.
    state.back().shape[0] = results[i].shape[0];
  }
  const auto turn = [&](const TensorValues& given, const std::string& self) {
    const TensorValue go = operation("less", {given[0], length}, "", Dtype::I1, {});
    const std::string again = block_text([&] {
      TensorValue at = given[0];
      if (reverse)
        at = operation("subtract", {operation("subtract", {length, one}, "", Dtype::I64, {}), at}, "", Dtype::I64, {});
      TensorValues taken(given.begin() + 1, given.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
      for (const TensorValue& sequence : sequences)
        taken.push_back(operation("take", {sequence, at}, "axis=0", sequence.dtype,
                                  {sequence.shape.begin() + 1, sequence.shape.end()}));
      const TensorValues made = body(taken);
      std::string text = self + "(" + operation("add", {given[0], one}, "", Dtype::I64, {}).name;
      for (std::size_t i = 0; i < made.size(); ++i) {
        TensorValue next = made[i];
        if (i >= carried.size()) {
          std::vector<IndexExpr> shape = made[i].shape;
          shape.insert(shape.begin(), index().constant(1));
          const TensorValue row = operation("expand_dims", {made[i]}, "axis=0", made[i].dtype, shape);
          const TensorValue parts[] = {reverse ? row : given[1 + i], reverse ? given[1 + i] : row};
          next = of_tuple("concatenate", parts, "axis=0", row.dtype, given[1 + i].shape);
        }
        text += ", " + next.name;
      }
      return text + ")";
    });
    return "if (" + go.name + ") " + again + " else {\n  " + tuple(given) + "\n}";
  };
  TensorValues out = recursion(state, turn, types);
  out.erase(out.begin());
  return out;
}

}  // namespace mlgc

// See module_data.h.
#include "execution/module_data.h"

#include <algorithm>
#include <set>
#include <span>

#include "check/draw_inputs.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_tensor.h"
#include "execution/gguf_weights.h"
#include "support/log.h"
#include "tensor/npz.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

Result<NamedTensors> read_weights(const std::string& path) {
  if (path.ends_with(".npz")) return read_npz(path);
  Result<Safetensors> file = read_safetensors(path);
  if (!file) return Failure{file.error()};
  return std::move(file->tensors);
}

constexpr std::string_view kGgufSuffix = ".gguf";
constexpr std::size_t kShownNames = 6;

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) out += (i == 0 ? "" : ", ") + names[i];
  return out + (names.size() > kShownNames ? ", and " + std::to_string(names.size() - kShownNames) + " more" : "");
}

// Puts the tensors of a GGUF file into the place of those of the same names, in the types of the weights.
bool take_gguf(const std::string& path, std::span<const OpRef> symbols, NamedTensors& tensors,
               DiagnosticEngine& diagnostics) {
  std::map<std::string, Dtype, std::less<>> wanted;
  std::set<std::string, std::less<>> names;
  for (const OpRef op : symbols) {
    const Context& context = op.module().context();
    const Type type = context.attributes().as_type(op.attr(context.names().type));
    if (!op.is(GraphOp::Weight) || !context.types().is_shaped(type)) continue;
    wanted.emplace(op.symbol(), context.types().dtype(type));
    names.emplace(op.symbol());
  }
  Result<GgufWeights> read = read_gguf_weights(path, names);
  if (!read) {
    diagnostics.emit(diagnose<kCannotRead>({}, read.error()));
    return false;
  }
  if (read->tensors.empty() && !names.empty()) {
    diagnostics.emit(diagnose<kGgufWithoutWeights>({}, path));
    return false;
  }
  for (auto& [name, tensor] : read->tensors) {
    names.erase(name);
    const Dtype dtype = wanted.find(name)->second;
    const bool floats = is_float(dtype) && is_float(tensor.dtype());
    Tensor value = floats ? tensor.cast(dtype) : std::move(tensor);
    const auto own = std::ranges::find(tensors, name, &NamedTensor::first);
    if (own != tensors.end())
      own->second = std::move(value);
    else
      tensors.emplace_back(name, std::move(value));
  }
  if (!names.empty())
    diagnostics.emit(diagnose<kGgufPartly>({}, static_cast<std::int64_t>(wanted.size() - names.size()),
                                           static_cast<std::int64_t>(wanted.size()), path,
                                           listed(std::vector<std::string>(names.begin(), names.end()))));
  if (!read->left.empty()) diagnostics.emit(diagnose<kGgufTensorsLeft>({}, path, listed(read->left)));
  return true;
}

std::vector<OpRef> data_symbols(const Module& module) {
  std::vector<OpRef> symbols;
  for (const OpRef op : module.body().ops())
    if (op.is(GraphOp::State) || (op.is(GraphOp::Weight) && (op.region_count() == 0 || op.region(0).empty())))
      symbols.push_back(op);
  return symbols;
}

std::optional<Shape> static_shape(const TypePool& types, const IndexPool& index, Type type) {
  if (!types.is_shaped(type)) return std::nullopt;
  Shape shape;
  for (const IndexExpr dim : types.dims(type)) {
    const auto extent = index.as_constant(dim);
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

// The tensor that a state says it starts with, in a shape that is known.
std::optional<Tensor> initial_value(const Context& context, OpRef state, Type type, const Shape& shape) {
  const AttributePool& attributes = context.attributes();
  const Attribute value = state.attr("initial");
  const Dtype dtype = context.types().dtype(type);
  if (const auto whole = attributes.as_int64(value)) return Tensor::splat_int(dtype, shape, *whole);
  if (const auto flag = attributes.as_bool(value)) return Tensor::splat_int(dtype, shape, *flag ? 1 : 0);
  if (const auto real = attributes.as_float(value)) return Tensor::splat(dtype, shape, *real);
  return std::nullopt;
}

}  // namespace

std::optional<ModuleData> load_data(const Module& module, const DataOptions& options, NamedTensors tensors,
                                    const FunctionRanges& ranges, DiagnosticEngine& diagnostics) {
  ModuleData data;
  const std::vector<OpRef> symbols = data_symbols(module);
  if (symbols.empty() && options.states.empty()) return data;
  const Context& context = module.context();
  const AttributePool& attributes = context.attributes();

  const bool gguf = options.weights.ends_with(kGgufSuffix) && !options.random_seed;
  std::string path = gguf ? "" : options.weights;
  if (const auto named = attributes.as_string(module.top().attr(context.names().weights)); path.empty() && named) {
    path = std::string(*named);
    if (!path.starts_with('/') && !options.folder.empty()) path = options.folder + "/" + path;
  }
  if (!options.random_seed && !path.empty()) {
    Result<NamedTensors> read = read_weights(path);
    if (!read) {
      diagnostics.emit(diagnose<kCannotRead>({}, read.error()));
      return std::nullopt;
    }
    tensors = *std::move(read);
    log_info("read " + path + ": " + std::to_string(tensors.size()) + " tensors");
  }
  if (gguf && !take_gguf(options.weights, symbols, tensors, diagnostics)) return std::nullopt;
  std::map<std::string_view, const Tensor*> by_name;
  for (const auto& [name, tensor] : tensors) by_name.emplace(name, &tensor);
  NamedTensors states;
  if (!options.states.empty()) {
    Result<NamedTensors> read = read_npz(options.states);
    if (!read) {
      diagnostics.emit(diagnose<kCannotRead>({}, read.error()));
      return std::nullopt;
    }
    states = *std::move(read);
  }
  std::map<std::string_view, const Tensor*> started;
  for (const auto& [name, tensor] : states) started.emplace(name, &tensor);
  bool continues = options.states.empty();

  std::uint64_t number = 0;
  for (const OpRef op : symbols) {
    const std::string name(op.symbol());
    const Type type = attributes.as_type(op.attr(context.names().type));
    const std::optional<Shape> shape = static_shape(context.types(), context.index(), type);
    const std::string wanted = context.types().print(type);
    const auto fits = [&](const Tensor& tensor) {
      return shape && tensor.shape() == *shape && tensor.dtype() == context.types().dtype(type);
    };
    const auto state = op.is(GraphOp::State) ? started.find("@" + name) : started.end();
    if (state != started.end()) {
      continues = true;
      if (fits(*state->second))
        data.emplace(name, *state->second);
      else
        diagnostics.emit(diagnose<kWeightMismatch>(op.location(), name, wanted, state->second->type_string()));
      continue;
    }
    const auto found = by_name.find(name);
    if (std::optional<Tensor> initial = shape ? initial_value(context, op, type, *shape) : std::nullopt;
        initial && (options.random_seed || found == by_name.end())) {
      data.emplace(name, *std::move(initial));
      continue;
    }
    if (options.random_seed && shape) {
      log_debug("made up @" + name + ": " + wanted);
      const auto range = ranges.symbols.find(name);
      data.emplace(name, draw_weight(context.types().dtype(type), *shape, *options.random_seed + number++,
                                     range == ranges.symbols.end() ? ValueRange() : range->second));
      continue;
    }
    if (path.empty() && tensors.empty()) {
      diagnostics.emit(diagnose<kNoWeights>(op.location(), name));
      continue;
    }
    if (found == by_name.end()) {
      diagnostics.emit(diagnose<kWeightMissing>(op.location(), name, gguf ? options.weights : path));
    } else if (!fits(*found->second)) {
      diagnostics.emit(diagnose<kWeightMismatch>(op.location(), name, wanted, found->second->type_string()));
    } else {
      data.emplace(name, *found->second);
    }
  }
  if (!continues) diagnostics.emit(diagnose<kNoSuchState>({}, options.states));
  if (diagnostics.has_errors()) return std::nullopt;
  return data;
}

std::optional<BoundRun> bind_run(const FuncRef& function, const ArgumentOptions& arguments, const DataOptions& data,
                                 NamedTensors weights, DiagnosticEngine& diagnostics) {
  auto inputs = bind_arguments(function, arguments, diagnostics);
  if (!inputs) return std::nullopt;
  const FunctionRanges ranges =
      inputs->sizes && data.random_seed ? value_ranges(function, *inputs->sizes) : FunctionRanges();
  auto values = load_data(function.op().module(), data, std::move(weights), ranges, diagnostics);
  if (!values) return std::nullopt;
  return BoundRun{std::move(inputs->tensors), *std::move(values)};
}

}  // namespace mlgc

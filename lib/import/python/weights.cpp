// See weights.h.
#include "import/python/weights.h"

#include <algorithm>

#include "diag/kinds_import.h"

namespace mlgc::python {

namespace {

// Tensors of the program (not of the module) up to this many elements stand in the text.
constexpr std::int64_t kMaxInlined = 16;

}  // namespace

Storages::Storages(std::shared_ptr<const Program> program, Location location)
    : program_(std::move(program)), location_(location) {
  std::map<const void*, std::string> names;
  for (const TensorData& tensor : program_->tensors) {
    if (!tensor.dtype) {
      views_.emplace_back();
      continue;
    }
    // Storages without bytes are not one.
    const std::string fresh = "storage " + std::to_string(storages_.size());
    const std::string name =
        tensor.storage.data() == nullptr ? fresh : names.emplace(tensor.storage.data(), fresh).first->second;
    storages_.emplace(name, SharedBytes{tensor.storage, program_});
    views_.emplace_back(program::WeightView{name, *tensor.dtype, tensor.sizes, tensor.strides, tensor.offset});
  }
}

const program::WeightView* Storages::view(std::size_t number) const {
  return views_[number] ? &*views_[number] : nullptr;
}

// Tensors are found by their numbers.
const program::WeightView* Storages::find_weight(std::string_view /*name*/) const { return nullptr; }
const program::WeightView* Storages::find_constant(std::string_view /*name*/) const { return nullptr; }

std::optional<SharedBytes> Storages::storage(const program::WeightView& weight, DiagnosticEngine& /*engine*/) const {
  return storages_.at(weight.storage);
}

OpRef Weights::put_first(OpRef op) {
  if (last_.valid())
    op.move_after(last_);
  else if (function_.region().front() != op)
    op.move_before(function_.region().front());
  last_ = op;
  return op;
}

// An integer of rank 0 stays a number, for as long as no op asks for it.
Result<Value> Weights::inline_constant(const program::WeightView& view, std::optional<IndexExpr>& number) {
  DiagnosticEngine heard(scope_.context().locations());
  const program::LoadedWeight loaded = program::load_weight(storages_, view, "constant", heard);
  if (!loaded.tensor) return Failure{std::string("sizes and strides that do not fit its bytes")};
  const mlgc::Tensor& data = *loaded.tensor;
  if (view.shape.empty() && view.dtype == Dtype::I64) {
    number = scope_.context().index().constant(data.get_int(0));
    return Value();
  }
  const std::array attrs{
      NamedAttribute{scope_.context().strings().intern("value"), scope_.context().attributes().tensor(data)}};
  std::vector<IndexExpr> dims;
  for (const std::int64_t size : view.shape) dims.push_back(scope_.context().index().constant(size));
  const std::array types{scope_.context().types().tensor(view.dtype, dims)};
  Builder builder(scope_.builder.module(), function_.region());
  return put_first(builder.create(scope_.context().opcode(GraphOp::Constant), {},
                                  scope_.context().attributes().dict(attrs), types))
      .result();
}

Result<Tensor> Weights::find(std::size_t number, const std::string& path) {
  const program::WeightView* const view = storages_.view(number);
  if (view == nullptr) return Failure{"the " + program_.tensors[number].dtype_name};
  const auto [known, fresh] = entry_of_.emplace(*view, entries_.size());
  if (!fresh) {
    Entry& entry = entries_[known->second];
    if (!path.empty() && std::find(entry.names.begin(), entry.names.end(), path) == entry.names.end())
      entry.names.push_back(path);
    return entry.tensor;
  }
  std::int64_t count = 1;
  for (const std::int64_t size : view->shape) count *= size;
  Entry entry;
  entry.view = view;
  entry.inlined = path.empty() && count <= kMaxInlined;
  entry.tensor = std::make_shared<TensorVariable>();
  if (entry.inlined) {
    const Result<Value> value = inline_constant(*view, entry.tensor->number);
    if (!value) return Failure{value.error()};
    entry.initial = *value;
  } else {
    entry.names.push_back(path.empty() ? "constant" + std::to_string(entries_.size()) : path);
    std::vector<IndexExpr> dims;
    for (const std::int64_t size : view->shape) dims.push_back(scope_.context().index().constant(size));
    const std::array types{scope_.context().types().tensor(view->dtype, dims)};
    Builder builder(scope_.builder.module(), function_.region());
    entry.item = builder.weight(entry.names[0], types[0]);
    entry.item.move_before(function_);
    const AttrDict attrs = builder.attrs({{"symbol", scope_.context().attributes().symbol(entry.names[0])}});
    entry.initial = put_first(builder.create(scope_.context().opcode(GraphOp::Read), {}, attrs, types)).result();
    entry.initial.set_name(program::identifier(entry.names[0]));
  }
  entry.tensor->value = entry.initial;
  std::shared_ptr<Memory>& memory = memory_of_[view->storage];
  if (memory == nullptr) {
    memory = std::make_shared<Memory>();
    memory->outside = true;
    memory->owner = entry.tensor.get();
  }
  entry.tensor->memory = memory;
  entry.tensor->version = memory->version;
  entries_.push_back(entry);
  return entry.tensor;
}

void Weights::make_state(std::size_t number) {
  Entry& entry = entries_[number];
  Builder builder(scope_.builder.module(), function_.region());
  const Type type = entry.initial.type();
  entry.item.erase();
  entry.item = builder.state(entry.names[0], type);
  entry.item.move_before(function_);
}

bool Weights::load(NamedTensors& tensors, DiagnosticEngine& engine) const {
  for (const Entry& entry : entries_) {
    if (entry.inlined) continue;
    program::LoadedWeight loaded = program::load_weight(storages_, *entry.view, entry.names[0], engine);
    if (loaded.failed) return false;
    if (loaded.tensor) tensors.emplace_back(entry.names[0], std::move(*loaded.tensor));
  }
  return true;
}

}  // namespace mlgc::python

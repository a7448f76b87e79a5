// See bind_arguments.h.
#include "execution/bind_arguments.h"

#include <algorithm>
#include <map>

#include "check/draw_inputs.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "loopir/functions.h"
#include "ops/solved_products.h"
#include "tensor/npy.h"
#include "tensor/npz.h"
#include "tensor/too_large.h"

namespace mlgc {
namespace {

// How Python writes it.
std::string numpy_type(Dtype dtype) {
  if (dtype == Dtype::I1) return "numpy.bool_";  // numpy.bool is newer
  return (dtype == Dtype::BF16 ? "ml_dtypes." : "numpy.") + std::string(dtype_info(dtype).torch_name);
}

class Binder {
 public:
  Binder(const FuncRef& function, const ArgumentOptions& options, DiagnosticEngine& diagnostics)
      : function_(function),
        options_(options),
        diagnostics_(diagnostics),
        context_(function.op().module().context()),
        slots_(function.arguments().size()),
        written_(is_loop_function(function.op()) ? result_arguments(function.op()).is_result
                                                 : std::vector<bool>(slots_.size(), false)) {}

  void bind_dim(const SizeBinding& dim) {
    const std::vector<std::string> names = size_names();
    if (std::find(names.begin(), names.end(), dim.name) == names.end()) {
      Diagnostic diagnostic = diagnose<kUnknownDim>({}, options_.before_dim + dim.name + "=" + std::to_string(dim.size),
                                                    function_.name(), dim.name);
      add_names(diagnostic, dim.name, names);
      emit(std::move(diagnostic));
      return;
    }
    sizes_.emplace(*context_.index().as_atom(context_.index().symbol(dim.name)), dim.size);
  }

  // Puts a value where it belongs; an archive fills every argument that has one of its names.
  bool place(const std::string& text) {
    Result<InputSpec, SpecFault> spec = parse_input_spec(text);
    if (!spec && spec.error().too_large)
      return emit(diagnose<kSizeTooLarge>({}, "`" + options_.before_input + text + "`: " + spec.error().what));
    if (!spec) return bad(text, spec.error().what);
    if (const auto* file = std::get_if<FromFile>(&spec->value)) {
      if (file->path.ends_with(".npz")) {
        Result<NamedTensors> members = read_npz(file->path, NpyVoid2::ReadAsBf16);
        if (!members) return emit(diagnose<kCannotRead>({}, members.error()));
        return place_members(*spec, *file, *members);
      }
      Result<Tensor> tensor = read_npy(file->path, NpyVoid2::ReadAsBf16);
      if (!tensor) return emit(diagnose<kCannotRead>({}, tensor.error()));
      return fill(*spec, *std::move(tensor));
    }
    const std::optional<std::size_t> slot = slot_of(*spec);
    if (!slot) return false;
    slots_[*slot].spec = *std::move(spec);
    return true;
  }

  void fill_the_rest(std::uint64_t seed) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].tensor || slots_[i].spec || written_[i]) continue;
      InputSpec spec;
      spec.text = "rand";
      spec.value = RandomFill{seed + i, std::nullopt, std::nullopt};
      slots_[i].spec = std::move(spec);
      slots_[i].seed = seed + i;
    }
  }

  std::optional<ArgumentValues> finish() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      if (slot.tensor) learn(i, slot.tensor->dtype(), slot.tensor->shape());
      if (slot.spec && slot.spec->shape) learn(i, *slot.spec->dtype, *slot.spec->shape);
    }
    learn_products();
    if (diagnostics_.has_errors()) return std::nullopt;
    bool starts_given = false;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      starts_given = starts_given || (written_[i] && (slots_[i].tensor || slots_[i].spec));
    ArgumentValues made;
    if (size_names().size() <= sizes_.size()) made.sizes = SymbolValues{{sizes_.begin(), sizes_.end()}};
    const bool made_up = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.seed; });
    if (made_up && made.sizes) ranges_ = value_ranges(function_, *made.sizes).arguments;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (!written_[i] || starts_given) make(i, made.tensors);
    if (diagnostics_.has_errors()) return std::nullopt;
    return made;
  }

 private:
  // What an archive has, and what the function takes.
  struct Sides {
    std::string file, members, arguments;
  };
  struct Slot {
    std::optional<InputSpec> spec;
    std::optional<Tensor> tensor;
    std::optional<std::uint64_t> seed;  // the value is to be made up, as the function wants it
    std::optional<Sides> in_order;      // the value is the member of an archive with other names
  };

  bool emit(Diagnostic diagnostic) {
    diagnostics_.emit(std::move(diagnostic));
    return false;
  }
  bool bad(const std::string& text, const std::string& what) {
    return emit(diagnose<kBadInputFlag>({}, options_.before_input + text, what));
  }
  [[nodiscard]] Type type_of(std::size_t i) const { return function_.arguments()[i].type(); }
  [[nodiscard]] std::string type_text(std::size_t i) const { return context_.types().print(type_of(i)); }

  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (argument_name(function_, i) == name) return i;
    return std::nullopt;
  }

  // The argument a spec is for, taken from then on; reports when there is none.
  std::optional<std::size_t> slot_of(const InputSpec& spec) {
    if (spec.name.empty()) {
      while (next_ < slots_.size() && (slots_[next_].spec || slots_[next_].tensor)) ++next_;
      if (next_ < slots_.size()) return next_++;
      bad(spec.text, "the function has only " + std::to_string(slots_.size()) + " arguments");
      return std::nullopt;
    }
    const std::optional<std::size_t> slot = find(spec.name);
    if (!slot) {
      unknown(spec.name);
      return std::nullopt;
    }
    if (slots_[*slot].spec || slots_[*slot].tensor) {
      emit(diagnose<kInputGivenTwice>({}, spec.name));
      return std::nullopt;
    }
    return slot;
  }

  void note_sides(Diagnostic& diagnostic, const Sides& sides) const {
    diagnostic.add_note<kInputsByOrder>({}, sides.file, sides.members, function_.name(), sides.arguments);
  }

  // What may have been meant: the nearest name, else all there are.
  static void add_names(Diagnostic& diagnostic, const std::string& name, const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const auto best = closest_name(name, views))
      diagnostic.add_note<kDidYouMean>({}, *best);
    else if (!names.empty())
      diagnostic.add_note<kKnownNames>({}, names);
  }

  void unknown(const std::string& name) {
    Diagnostic diagnostic = diagnose<kUnknownInput>({}, function_.name(), name);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < slots_.size(); ++i) names.push_back(argument_name(function_, i));
    add_names(diagnostic, name, names);
    emit(std::move(diagnostic));
  }

  // The symbols in the types of the arguments, in order of appearance.
  [[nodiscard]] std::vector<std::string> size_names() const {
    std::vector<std::string> names;
    const IndexPool& pool = context_.index();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!context_.types().is_shaped(type_of(i))) continue;
      for (const IndexExpr dim : context_.types().dims(type_of(i)))
        pool.for_each_atom(dim, [&](AtomId atom) {
          if (pool.atom(atom).kind != AtomKind::Symbol) return;
          std::string name(pool.symbol_name(atom));
          if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
        });
    }
    return names;
  }

  bool fill(const InputSpec& spec, Tensor tensor) {
    const std::optional<std::size_t> slot = slot_of(spec);
    if (!slot) return false;
    if (spec.shape && (*spec.dtype != tensor.dtype() || *spec.shape != tensor.shape()))
      return emit(diagnose<kInputMismatch>({}, argument_name(function_, *slot), to_string(*spec.dtype, *spec.shape),
                                           tensor.type_string()));
    slots_[*slot].tensor = std::move(tensor);
    return true;
  }

  bool place_members(const InputSpec& spec, const FromFile& file, NamedTensors& members) {
    if (!file.member.empty() || !spec.name.empty()) {
      const std::string& wanted = file.member.empty() ? spec.name : file.member;
      for (auto& [name, tensor] : members)
        if (name == wanted) return fill(spec, std::move(tensor));
      return bad(spec.text, "the archive has no member `" + wanted + "`");
    }
    const bool by_name =
        std::ranges::any_of(members, [&](const auto& member) { return find(member.first).has_value(); });
    if (!by_name) return place_in_order(spec, file, members);
    std::vector<Diagnostic> unused;
    for (auto& [name, tensor] : members) {
      if (!find(name)) {
        unused.push_back(diagnose<kUnusedMember>({}, file.path, name, function_.name()));
        continue;
      }
      InputSpec named = spec;
      named.name = name;
      if (!fill(named, std::move(tensor))) return false;
    }
    for (Diagnostic& warning : unused) emit(std::move(warning));
    return true;
  }

  // None of the members has the name of an argument: as `numpy.savez(file, x, y)` writes them.
  bool place_in_order(const InputSpec& spec, const FromFile& file, NamedTensors& members) {
    std::vector<std::size_t> open;
    std::vector<std::string> wanted, given;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (written_[i] || slots_[i].spec || slots_[i].tensor) continue;
      open.push_back(i);
      wanted.push_back("`" + argument_name(function_, i) + "` (" + type_text(i) + ")");
    }
    for (const auto& [name, tensor] : members) given.push_back("`" + name + "` (" + tensor.type_string() + ")");
    const auto listed = [](const std::vector<std::string>& items) {
      std::string text;
      for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
      return text.empty() ? "nothing" : text;
    };
    const Sides sides{file.path, listed(given), listed(wanted)};
    if (members.empty() || members.size() > open.size()) {
      Diagnostic diagnostic =
          diagnose<kBadInputFlag>({}, options_.before_input + spec.text,
                                  "no member has the name of an argument, and there are " +
                                      std::string(members.empty() ? "none" : "too many") + " to be taken in order");
      note_sides(diagnostic, sides);
      return emit(std::move(diagnostic));
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      slots_[open[i]].tensor = std::move(members[i].second);
      slots_[open[i]].in_order = sides;
    }
    return true;
  }

  // Takes the sizes of symbols from a shape; reports what does not fit the argument's type.
  void learn(std::size_t i, Dtype dtype, const Shape& shape) {
    const Type type = type_of(i);
    const TypePool& types = context_.types();
    bool fits = types.is_shaped(type) && types.dtype(type) == dtype && types.rank(type) == shape.size();
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
      const IndexExpr dim = types.dims(type)[axis];
      const auto atom = context_.index().as_atom(dim);
      if (atom)
        fits = sizes_.emplace(*atom, shape[axis]).first->second == shape[axis];
      else if (const auto known = context_.index().as_constant(dim))
        fits = *known == shape[axis];
    }
    if (fits) return;
    Diagnostic diagnostic =
        diagnose<kInputMismatch>({}, argument_name(function_, i), type_text(i), to_string(dtype, shape));
    for (const auto& [atom, size] : sizes_)
      diagnostic.add_note<kSizeIsKnown>({}, context_.index().symbol_name(atom), size);
    if (slots_[i].tensor && types.is_shaped(type) && types.dtype(type) != dtype && types.rank(type) == shape.size())
      diagnostic.add_note<kArrayType>({}, argument_name(function_, i), numpy_type(types.dtype(type)));
    if (slots_[i].in_order) note_sides(diagnostic, *slots_[i].in_order);
    emit(std::move(diagnostic));
  }

  // The shape that is given for an argument; null: none is.
  static const Shape* given_shape(const Slot& slot) {
    if (slot.tensor) return &slot.tensor->shape();
    return slot.spec && slot.spec->shape ? &*slot.spec->shape : nullptr;
  }

  // Sizes that are solved from their product in a given shape.
  void learn_products() {
    if (size_names().size() <= sizes_.size()) return;
    for (const SolvedProduct& solved : solved_products(function_.op()).all) {
      const bool known = sizes_.contains(solved.size) || std::any_of(solved.ones.begin(), solved.ones.end(),
                                                                     [&](AtomId one) { return sizes_.contains(one); });
      const std::optional<std::int64_t> size = known ? std::nullopt : solved_size(solved.product);
      if (!size) continue;
      sizes_.emplace(solved.size, *size);
      for (const AtomId one : solved.ones) sizes_.emplace(one, 1);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> solved_size(IndexExpr product) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Shape* const shape = given_shape(slots_[i]);
      if (shape == nullptr || !context_.types().is_shaped(type_of(i))) continue;
      const std::span<const IndexExpr> dims = context_.types().dims(type_of(i));
      for (std::size_t axis = 0; axis < std::min(dims.size(), shape->size()); ++axis)
        if (const auto dim = affine_dim(context_.index(), dims[axis], product))
          if (const auto size = dim->size_for((*shape)[axis])) return size;
    }
    return std::nullopt;
  }

  void make(std::size_t i, std::vector<Tensor>& tensors) {
    Slot& slot = slots_[i];
    if (slot.tensor) {
      tensors.push_back(*std::move(slot.tensor));
      return;
    }
    if (!slot.spec) {
      emit(diagnose<kMissingInput>({}, argument_name(function_, i), type_text(i)));
      return;
    }
    const Type type = type_of(i);
    const TypePool& types = context_.types();
    Shape shape;
    if (slot.spec->shape) {
      shape = *slot.spec->shape;
    } else if (types.is_shaped(type)) {
      for (const IndexExpr dim : types.dims(type)) {
        bool known = true, divides = false;
        const auto size = context_.index().evaluate(dim, [&](AtomId atom) -> std::optional<std::int64_t> {
          const auto found = sizes_.find(atom);
          known = known && found != sizes_.end();
          return found == sizes_.end() ? std::nullopt : std::optional(found->second);
        });
        context_.index().for_each_atom(dim, [&](AtomId atom) {
          const AtomKind kind = context_.index().atom(atom).kind;
          divides = divides || kind == AtomKind::FloorDiv || kind == AtomKind::Mod;
        });
        if (!size && known && !divides) {
          emit(diagnose<kSizeTooLarge>({}, "the size [" + context_.index().print(dim) + "] of `" +
                                               argument_name(function_, i) + "` is larger than any: at most 2^63 - 1"));
          return;
        }
        if (!size) {
          emit(diagnose<kUnboundDim>({}, argument_name(function_, i), type_text(i)));
          return;
        }
        shape.push_back(*size);
      }
    }
    const Dtype dtype = types.is_shaped(type) ? types.dtype(type) : Dtype::I64;
    if (const auto count = checked_element_count(dtype, shape); !count) {
      emit(diagnose<kSizeTooLarge>({}, "`" + argument_name(function_, i) + "`: " + count.error()));
      return;
    }
    try {
      if (slot.seed && i < ranges_.size() && !ranges_[i].any()) {
        tensors.push_back(draw_argument(dtype, shape, ranges_[i], *slot.seed));
        return;
      }
      Result<Tensor> made = make_tensor(*slot.spec, dtype, shape, i);
      if (made)
        tensors.push_back(*std::move(made));
      else
        bad(slot.spec->text, made.error());
    } catch (const TensorTooLarge&) {
      emit(diagnose<kOutOfMemory>({}, "`" + argument_name(function_, i) + "`, " + to_string(dtype, shape)));
    }
  }

  FuncRef function_;
  const ArgumentOptions& options_;
  DiagnosticEngine& diagnostics_;
  Context& context_;
  std::vector<Slot> slots_;
  std::vector<bool> written_;  // arguments that are results: of a loop function
  std::size_t next_ = 0;
  std::map<AtomId, std::int64_t> sizes_;
  std::vector<ValueRange> ranges_;  // of the arguments' elements; empty when they are not needed
};

}  // namespace

std::optional<ArgumentValues> bind_arguments(const FuncRef& function, const ArgumentOptions& options,
                                             DiagnosticEngine& diagnostics) {
  Binder binder(function, options, diagnostics);
  for (const SizeBinding& dim : options.dims) binder.bind_dim(dim);
  bool placed = !diagnostics.has_errors();
  for (const std::string& input : options.inputs) placed = binder.place(input) && placed;
  if (!placed) return std::nullopt;
  if (options.random_seed) binder.fill_the_rest(*options.random_seed);
  return binder.finish();
}

}  // namespace mlgc

// See recorded.h.
#include "import/fx/recorded.h"

#include "diag/kinds_import.h"

namespace mlgc::fx {

bool RecordedValues::check(const Recorded& recorded, const PythonValue& value) const {
  if (recorded.kind == Recorded::Kind::Nothing || value.is<python::Undefined>()) return true;
  const bool tensor_expected = recorded.kind == Recorded::Kind::Tensor;
  const bool several_expected = recorded.kind == Recorded::Kind::Several;
  const std::vector<PythonValue>* const items = value.items();
  const bool same_kind = tensor_expected    ? value.is<Tensor>()
                         : several_expected ? items != nullptr && items->size() == recorded.parts.size()
                                            : value.number();
  if (!same_kind) {
    const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " item" : " items"); };
    place_.builder.report(place_.node(), diagnose<kRecordedType>(
                                             place_.sites.location(place_.node()), place_.sites.spelling(place_.node()),
                                             items != nullptr ? count(items->size()) : python::kind_name(value),
                                             tensor_expected    ? "a tensor"
                                             : several_expected ? count(recorded.parts.size())
                                                                : "a number"));
    return false;
  }
  if (several_expected) {
    for (std::size_t i = 0; i < items->size(); ++i)
      if (!check(recorded.parts[i], (*items)[i])) return false;
    return true;
  }
  const Tensor* const tensor = value.as<Tensor>();
  if (!tensor_expected || !(*tensor)->value.valid()) return true;
  return check_tensor(recorded, (*tensor)->value);
}

bool RecordedValues::check_tensor(const Recorded& recorded, mlgc::Value made) const {
  const Result<Type> type = types_.tensor(recorded);
  if (!type) return place_.builder.refuse<kUnsupportedArgument>(place_.node(), "meta", type.error(), "a type of mlgc");
  const TypePool& types = place_.builder.context().types();
  const Facts& facts = place_.builder.scope().facts();
  const auto ours = made.dims(), theirs = types.dims(*type);
  bool same = made.dtype() == types.dtype(*type) && ours.size() == theirs.size();
  for (std::size_t axis = 0; same && types_.comparable() && axis < ours.size(); ++axis)
    same = place_.index().equal(ours[axis], theirs[axis], facts) == Truth::Yes || sizes_.depends_on_data(ours[axis]);
  if (!same)
    place_.builder.report(place_.node(), diagnose<kRecordedType>(place_.sites.location(place_.node()),
                                                                 place_.sites.spelling(place_.node()),
                                                                 types.print(made.type()), types.print(*type)));
  return same;
}

PythonValue RecordedValues::as_size(const Recorded& recorded, PythonValue value) const {
  const bool size = recorded.kind == Recorded::Kind::Int && !recorded.sizes.empty();
  if (!size || !value.is<Computed>() || !types_.comparable()) return value;
  const std::optional<IndexExpr> known = types_.size(recorded.sizes.front());
  return known ? PythonValue{*known} : value;
}

PythonValue RecordedValues::stand_in(const Recorded& recorded) const {
  switch (recorded.kind) {
    case Recorded::Kind::Nothing: break;
    case Recorded::Kind::Tensor:
      if (const Result<Type> type = types_.tensor(recorded))
        return {tensors_.create(place_.builder.scope().builder.region().add_argument(*type))};
      break;
    case Recorded::Kind::Int:
    case Recorded::Kind::Float:
    case Recorded::Kind::Bool: {
      const Dtype dtype = recorded.kind == Recorded::Kind::Int     ? Dtype::I64
                          : recorded.kind == Recorded::Kind::Float ? Dtype::F64
                                                                   : Dtype::I1;
      return {Computed{
          place_.builder.scope().builder.region().add_argument(place_.builder.context().types().tensor(dtype, {}))}};
    }
    case Recorded::Kind::Several: {
      auto items = std::make_shared<std::vector<PythonValue>>();
      for (const Recorded& part : recorded.parts) items->push_back(stand_in(part));
      return {Tuple{items}};
    }
  }
  return {Foreign{"a value of an unknown type"}};
}

}  // namespace mlgc::fx

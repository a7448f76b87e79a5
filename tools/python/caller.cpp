// `mlgc._caller`: calls a function of a compiled model on tensors of torch.
//
// A call takes the addresses of its inputs by Tensor.data_ptr(), makes its outputs by torch's own allocator, and runs
// without the interpreter's lock. Neither LibTorch nor more than Python's stable ABI is needed: what is asked of
// tensors is asked through functions of torch that the constructor is given.
//
// On a device, a call runs on torch's current stream: each stream has contexts of its own, since their temporaries and
// failures are ordered by it. Temporaries are tensors, too, that are given up when the call has queued its work:
// torch's allocator gives their memory to none but later work of the stream.
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <pthread.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "openmp_threads.h"
#include "runtime/mlgc.h"

namespace {

// A reference that is given up at the end of its scope.
struct Release {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Release>;

Object share(PyObject* object) {
  Py_XINCREF(object);
  return Object(object);
}

// Counts forks that this process came out of: threads of a context remain in the parent.
std::uint64_t forks = 0;
void count_fork() {
  ++forks;
  mlgc::python::give_up_openmp();
}

// What an output has for memory when it has no elements.
alignas(64) unsigned char no_elements[64];

struct Abi {
  decltype(&mlgc_run) run;
  decltype(&mlgc_error) error;
  decltype(&mlgc_release) release;
  decltype(&mlgc_context_destroy) destroy_context;
  decltype(&mlgc_context_synchronize) synchronize;
};

// Where a function computes, and what torch says of it. Null on the CPU: `stream`, `exchange`, `copy`.
struct Place {
  mlgc_i32 kind, index;   // kind: enum mlgc_device_kind
  Object name, expected;  // an attribute of tensors that lie there, and its value
  Object stream;          // stream(index): the address of the current one
  Object exchange;        // exchange(index): makes that device current, and gives the one before; null: there is one
  Object copy;            // copy(tensor, address, bytes): queues a copy of memory of the device into a tensor
  Object bytes_dtype;     // of tensors that are temporaries
};

// How the memory of an input is found.
enum class Taken {
  kContiguous,  // as it lies, where it is contiguous
  kStrided,     // as it lies, where it has the strides that are expected
  kArranged     // what `arrange` makes of it
};

struct Input {
  Taken taken;
  Object strides;      // of kStrided
  Object arrange;      // gives a contiguous tensor of the sizes that the function takes
  Object torch_dtype;  // looked at by checked calls
  mlgc_size element_bytes;
  mlgc_i32 rank;
};

struct Output {
  Object torch_dtype;
  Object empty_arguments;         // sizes, strides, dtype, where sizes are fixed
  std::vector<Py_ssize_t> order;  // axes of the tensor, from the slowest; empty: row-major
  mlgc_size element_bytes;
  mlgc_i32 rank;
};

struct Function;

// A context, and descriptions of tensors for it: what one call at a time uses.
struct Frame {
  const Function* function;
  void* stream;  // of the context; null: the default one, or none
  mlgc_context* context;
  std::vector<Object> temporaries;              // of the call that runs
  Object error_type, error_value, error_trace;  // why torch had no memory for one
  std::vector<mlgc_tensor> inputs, outputs;
  std::vector<mlgc_i64> sizes;  // of inputs, then outputs
};

struct Symbol {
  std::size_t input;
  Py_ssize_t axis;
};

struct Function {
  Abi abi;
  Place place;
  mlgc_i32 number;
  bool checked;  // dtypes, devices and sizes are looked at in each call
  bool dynamic;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Symbol> symbols;
  Object sizes;  // from values of symbols to sizes of outputs as the function gives them; null: fixed, or `late`
  bool late;     // only a call can tell the sizes of outputs
  Object make_context, failure, refuse, data_ptr, is_contiguous, stride, empty_strided, shape_name, dtype_name;
  std::vector<mlgc_tensor> input_model, output_model;
  std::vector<mlgc_i64> size_model;
  std::vector<std::unique_ptr<Frame>> idle;
  std::uint64_t owner;  // of `idle`: the value of `forks`
};

struct FunctionObject {
  PyObject_HEAD Function* function;
};

// A frame that goes back to the idle ones, whatever becomes of the call: a call that is refused leaves its context
// whole.
class Borrowed {
 public:
  Borrowed(Function& function, std::unique_ptr<Frame> frame) : function_(function), frame_(std::move(frame)) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (!frame_) return;
    frame_->temporaries.clear();
    function_.idle.push_back(std::move(frame_));
  }
  Frame* operator->() const { return frame_.get(); }
  explicit operator bool() const { return frame_ != nullptr; }

 private:
  Function& function_;
  std::unique_ptr<Frame> frame_;
};

void point_at_sizes(std::vector<mlgc_tensor>& tensors, mlgc_i64*& at) {
  for (mlgc_tensor& tensor : tensors) {
    tensor.sizes = at;
    at += tensor.rank;
  }
}

// The device of the function is torch's current one as long as this lives. False: an exception is set.
class OnDevice {
 public:
  explicit OnDevice(const Place& place) : place_(place) {
    if (place.exchange) previous_.reset(PyObject_CallFunction(place.exchange.get(), "i", place.index));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (!previous_) return;
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    Object(PyObject_CallFunctionObjArgs(place_.exchange.get(), previous_.get(), nullptr));
    PyErr_Restore(type, value, trace);  // what the call raised comes before
  }
  explicit operator bool() const { return !place_.exchange || previous_; }

 private:
  const Place& place_;
  Object previous_;
};

// Null: an exception is set.
std::unique_ptr<Frame> new_frame(Function& function, void* stream) {
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  frame->stream = stream;
  const Object own(PyLong_FromVoidPtr(frame.get()));
  const Object on(PyLong_FromVoidPtr(stream));
  if (!own || !on) return nullptr;
  const Object address(PyObject_CallFunctionObjArgs(function.make_context.get(), on.get(), own.get(), nullptr));
  if (!address) return nullptr;
  void* const context = PyLong_AsVoidPtr(address.get());
  if (context == nullptr) return nullptr;
  frame->context = static_cast<mlgc_context*>(context);
  frame->inputs = function.input_model;
  frame->outputs = function.output_model;
  frame->sizes = function.size_model;
  mlgc_i64* at = frame->sizes.data();
  point_at_sizes(frame->inputs, at);
  point_at_sizes(frame->outputs, at);
  return frame;
}

// One of the current stream.
std::unique_ptr<Frame> take_frame(Function& function) {
  if (function.owner != forks) {
    for (std::unique_ptr<Frame>& frame : function.idle)
      static_cast<void>(frame.release());  // to end them would wait for their threads
    function.idle.clear();
    function.owner = forks;
  }
  void* stream = nullptr;
  if (function.place.stream) {
    const Object address(PyObject_CallFunction(function.place.stream.get(), "i", function.place.index));
    if (!address) return nullptr;
    stream = PyLong_AsVoidPtr(address.get());
    if (stream == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  }
  for (auto at = function.idle.rbegin(); at != function.idle.rend(); ++at) {
    if ((*at)->stream != stream) continue;
    std::unique_ptr<Frame> frame = std::move(*at);
    function.idle.erase(std::next(at).base());
    return frame;
  }
  return new_frame(function, stream);
}

PyObject* call_with(const Object& callable, PyObject* operand) {
  return PyObject_CallFunctionObjArgs(callable.get(), operand, nullptr);
}

bool pointer_of(const Function& function, PyObject* tensor, void*& data) {
  const Object address(call_with(function.data_ptr, tensor));
  if (!address) return false;
  data = PyLong_AsVoidPtr(address.get());
  if (data == nullptr) {
    if (PyErr_Occurred() != nullptr) return false;
    data = no_elements;
  }
  return true;
}

// Calls refuse(number of the input, tensor), which raises.
bool refuse(const Function& function, std::size_t number, PyObject* tensor) {
  const Object position(PyLong_FromSize_t(number));
  if (position) Object(PyObject_CallFunctionObjArgs(function.refuse.get(), position.get(), tensor, nullptr));
  if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "an argument does not fit");
  return false;
}

bool has(PyObject* tensor, const Object& name, PyObject* value) {
  const Object found(PyObject_GetAttr(tensor, name.get()));
  const bool equal = found && PyObject_RichCompareBool(found.get(), value, Py_EQ) == 1;
  PyErr_Clear();  // no tensor: refused
  return equal;
}

// The tensor whose memory is passed: the one given, or a copy. Null: an exception is set.
Object in_place_or_arranged(const Function& function, const Input& input, PyObject* tensor) {
  if (input.taken == Taken::kContiguous) {
    const Object lies(call_with(function.is_contiguous, tensor));
    if (!lies) return nullptr;
    if (lies.get() == Py_True) return share(tensor);
  } else if (input.taken == Taken::kStrided) {
    const Object strides(call_with(function.stride, tensor));
    if (!strides) return nullptr;
    const int equal = PyObject_RichCompareBool(strides.get(), input.strides.get(), Py_EQ);
    if (equal < 0) return nullptr;
    if (equal == 1) return share(tensor);
  }
  return Object(call_with(input.arrange, tensor));
}

// Sizes out of a tuple of ints; false with an exception, or without one where the rank differs.
bool read_sizes(PyObject* tuple, mlgc_tensor& tensor, mlgc_size element_bytes) {
  if (PyTuple_Size(tuple) != tensor.rank) return false;
  mlgc_i64* const sizes = const_cast<mlgc_i64*>(tensor.sizes);
  mlgc_size bytes = element_bytes;
  for (Py_ssize_t axis = 0; axis < tensor.rank; ++axis) {
    sizes[axis] = PyLong_AsLongLong(PyTuple_GetItem(tuple, axis));
    if (sizes[axis] == -1 && PyErr_Occurred() != nullptr) return false;
    bytes *= static_cast<mlgc_size>(sizes[axis]);
  }
  tensor.bytes = bytes;
  return true;
}

// Describes the inputs in `frame`, and keeps what is read alive in `held`.
bool take_inputs(const Function& function, PyObject* given, Frame& frame, std::vector<Object>& held) {
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    const Input& input = function.inputs[i];
    PyObject* const tensor = PyList_GetItem(given, static_cast<Py_ssize_t>(i));
    if (tensor == nullptr) return false;
    if (function.checked && (!has(tensor, function.dtype_name, input.torch_dtype.get()) ||
                             !has(tensor, function.place.name, function.place.expected.get()))) {
      return refuse(function, i, tensor);
    }
    held.push_back(in_place_or_arranged(function, input, tensor));
    if (!held.back() || !pointer_of(function, held.back().get(), frame.inputs[i].data)) return false;
    if (function.checked || function.dynamic) {
      const Object shape(PyObject_GetAttr(held.back().get(), function.shape_name.get()));
      if (!shape) return false;
      if (!read_sizes(shape.get(), frame.inputs[i], input.element_bytes)) {
        return PyErr_Occurred() == nullptr && refuse(function, i, tensor);
      }
    }
  }
  return true;
}

// The arguments of empty_strided() for sizes as the function gives them.
Object empty_arguments(const Output& output, const mlgc_i64* stored) {
  const auto rank = static_cast<Py_ssize_t>(output.rank);
  const Object sizes(PyTuple_New(rank));
  const Object strides(PyTuple_New(rank));
  if (!sizes || !strides) return nullptr;
  long long stride = 1;
  for (Py_ssize_t i = rank - 1; i >= 0; --i) {
    const Py_ssize_t axis = output.order.empty() ? i : output.order[static_cast<std::size_t>(i)];
    PyTuple_SetItem(sizes.get(), axis, PyLong_FromLongLong(stored[i]));
    PyTuple_SetItem(strides.get(), axis, PyLong_FromLongLong(stride));
    if (stored[i] > 1) stride *= stored[i];
  }
  return Object(PyTuple_Pack(3, sizes.get(), strides.get(), output.torch_dtype.get()));
}

// Sizes of outputs from those of the symbols.
bool find_output_sizes(const Function& function, Frame& frame) {
  const Object arguments(PyTuple_New(static_cast<Py_ssize_t>(function.symbols.size())));
  if (!arguments) return false;
  for (std::size_t i = 0; i < function.symbols.size(); ++i) {
    const Symbol& symbol = function.symbols[i];
    PyTuple_SetItem(arguments.get(), static_cast<Py_ssize_t>(i),
                    PyLong_FromLongLong(frame.inputs[symbol.input].sizes[symbol.axis]));
  }
  const Object found(PyObject_Call(function.sizes.get(), arguments.get(), nullptr));
  if (!found) return false;
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    PyObject* const sizes = PyTuple_GetItem(found.get(), static_cast<Py_ssize_t>(i));
    if (sizes == nullptr || !read_sizes(sizes, frame.outputs[i], function.outputs[i].element_bytes)) return false;
  }
  return true;
}

// New tensors for all outputs, in `results`.
bool make_outputs(const Function& function, Frame& frame, PyObject* results) {
  if (function.sizes && !find_output_sizes(function, frame)) return false;
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    const Output& output = function.outputs[i];
    const Object arguments =
        function.sizes ? empty_arguments(output, frame.outputs[i].sizes) : share(output.empty_arguments.get());
    if (!arguments) return false;
    PyObject* const tensor = PyObject_Call(function.empty_strided.get(), arguments.get(), nullptr);
    if (tensor == nullptr || PyList_SetItem(results, static_cast<Py_ssize_t>(i), tensor) != 0) return false;
    if (!pointer_of(function, tensor, frame.outputs[i].data)) return false;
  }
  return true;
}

// Copies outputs whose sizes the call has found out of memory that the context lent.
bool copy_late_outputs(const Function& function, Frame& frame, PyObject* results) {
  for (std::size_t i = 0; i < function.outputs.size(); ++i) {
    mlgc_tensor& found = frame.outputs[i];
    const Object arguments = empty_arguments(function.outputs[i], found.sizes);
    if (!arguments) return false;
    PyObject* const tensor = PyObject_Call(function.empty_strided.get(), arguments.get(), nullptr);
    void* data = nullptr;
    if (tensor == nullptr || PyList_SetItem(results, static_cast<Py_ssize_t>(i), tensor) != 0) return false;
    if (!pointer_of(function, tensor, data)) return false;
    if (found.bytes == 0) continue;
    if (!function.place.copy) {
      std::memcpy(data, found.data, found.bytes);
    } else if (!Object(
                   PyObject_CallFunction(function.place.copy.get(), "OKn", tensor,
                                         static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(found.data)),
                                         static_cast<Py_ssize_t>(found.bytes)))) {
      return false;
    }
  }
  return true;
}

// Memory for temporaries of the call of a frame (mlgc_context_options.allocate).
void* allocate(void* data, mlgc_i64 bytes, void*) {
  Frame& frame = *static_cast<Frame*>(data);
  const Function& function = *frame.function;
  const PyGILState_STATE lock = PyGILState_Ensure();
  void* found = nullptr;
  try {
    frame.temporaries.reserve(frame.temporaries.size() + 1);
    Object tensor(PyObject_CallFunction(function.empty_strided.get(), "(L)(i)O", static_cast<long long>(bytes), 1,
                                        function.place.bytes_dtype.get()));
    if (tensor && pointer_of(function, tensor.get(), found)) frame.temporaries.push_back(std::move(tensor));
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (type != nullptr) {
    frame.error_type.reset(type);
    frame.error_value.reset(value);
    frame.error_trace.reset(trace);
    found = nullptr;
  }
  PyGILState_Release(lock);
  return found;
}

// The frame gives up its tensors when the call is over: not here, where the interpreter's lock is another's.
void give_back(void*, void*, void*) {}

bool raise_failure(const Function& function, Frame& frame, mlgc_i32 status) {
  if (frame.error_type) {
    PyErr_Restore(frame.error_type.release(), frame.error_value.release(), frame.error_trace.release());
    return false;
  }
  const Object message(PyUnicode_DecodeUTF8(function.abi.error(frame.context),
                                            static_cast<Py_ssize_t>(std::strlen(function.abi.error(frame.context))),
                                            "replace"));
  const Object number(PyLong_FromLong(status));
  if (!message || !number) return false;
  const Object error(PyObject_CallFunctionObjArgs(function.failure.get(), message.get(), number.get(), nullptr));
  if (error) PyErr_SetObject(function.failure.get(), error.get());
  return false;
}

bool run(const Function& function, Frame& frame) {
  mlgc_i32 status = MLGC_OK;
  PyThreadState* const state = PyEval_SaveThread();
  status =
      function.abi.run(frame.context, function.number, frame.inputs.data(), static_cast<mlgc_i32>(frame.inputs.size()),
                       frame.outputs.data(), static_cast<mlgc_i32>(frame.outputs.size()));
  PyEval_RestoreThread(state);
  return status == MLGC_OK || raise_failure(function, frame, status);
}

bool run_late(const Function& function, Frame& frame, PyObject* results) {
  std::vector<const mlgc_i64*> sizes;
  for (mlgc_tensor& output : frame.outputs) {
    sizes.push_back(output.sizes);
    output.data = nullptr;
    output.bytes = 0;
  }
  const bool done = run(function, frame) && copy_late_outputs(function, frame, results);
  for (std::size_t i = 0; i < frame.outputs.size(); ++i) {
    if (frame.outputs[i].data != nullptr) function.abi.release(frame.context, frame.outputs[i].data);
    frame.outputs[i].sizes = sizes[i];  // the call let them point into the context
  }
  return done;
}

PyObject* call(PyObject* self, PyObject* given) {
  Function& function = *reinterpret_cast<FunctionObject*>(self)->function;
  if (PyList_Check(given) == 0 || PyList_Size(given) != static_cast<Py_ssize_t>(function.inputs.size())) {
    return PyErr_Format(PyExc_TypeError, "one list of %zu tensors is taken", function.inputs.size());
  }
  try {
    const OnDevice device(function.place);
    if (!device) return nullptr;
    const Borrowed frame(function, take_frame(function));
    if (!frame) return nullptr;
    Object results(PyList_New(static_cast<Py_ssize_t>(function.outputs.size())));
    std::vector<Object> held;
    held.reserve(function.inputs.size());
    if (!results || !take_inputs(function, given, *frame.operator->(), held)) return nullptr;
    const bool done = function.late ? run_late(function, *frame.operator->(), results.get())
                                    : make_outputs(function, *frame.operator->(), results.get()) &&
                                          run(function, *frame.operator->());
    return done ? results.release() : nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

// Waits for all that idle contexts queued. False: an exception is set, of the first failure that no call has reported.
bool synchronize(Function& function) {
  const OnDevice device(function.place);
  if (!device) return false;
  std::vector<std::unique_ptr<Frame>> frames;
  if (function.owner == forks) frames.swap(function.idle);
  bool good = true;
  for (const std::unique_ptr<Frame>& frame : frames) {
    PyThreadState* const state = PyEval_SaveThread();
    const mlgc_i32 status = function.abi.synchronize(frame->context);
    PyEval_RestoreThread(state);
    if (status != MLGC_OK && good) good = raise_failure(function, *frame, status);
  }
  for (std::unique_ptr<Frame>& frame : frames) function.idle.push_back(std::move(frame));
  return good;
}

PyObject* synchronize_method(PyObject* self, PyObject*) {
  try {
    if (!synchronize(*reinterpret_cast<FunctionObject*>(self)->function)) return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  return share(Py_None).release();
}

// --- Construction, from what mlgc/artifact.py says.

// Describes one value for all frames: its sizes are appended to `sizes`, 0 where they are known in a call.
bool describe(PyObject* sizes, mlgc_i32 dtype, mlgc_size element_bytes, const Place& place,
              std::vector<mlgc_tensor>& tensors, std::vector<mlgc_i64>& all) {
  mlgc_tensor tensor = {};
  tensor.struct_size = sizeof(mlgc_tensor);
  tensor.dtype = dtype;
  tensor.device = place.kind;
  tensor.device_id = place.index;
  tensor.rank = static_cast<mlgc_i32>(PyTuple_Size(sizes));
  tensor.bytes = element_bytes;
  for (Py_ssize_t axis = 0; axis < tensor.rank; ++axis) {
    all.push_back(PyLong_AsLongLong(PyTuple_GetItem(sizes, axis)));
    if (PyErr_Occurred() != nullptr) return false;
    tensor.bytes *= static_cast<mlgc_size>(all.back());
  }
  tensors.push_back(tensor);
  return true;
}

bool add_input(Function& function, PyObject* described) {
  int dtype = 0;
  int taken = 0;
  Py_ssize_t element_bytes = 0;
  PyObject *sizes = nullptr, *strides = nullptr, *arrange = nullptr, *torch_dtype = nullptr;
  if (PyArg_ParseTuple(described, "inO!iOOO", &dtype, &element_bytes, &PyTuple_Type, &sizes, &taken, &strides, &arrange,
                       &torch_dtype) == 0) {
    return false;
  }
  function.inputs.push_back({static_cast<Taken>(taken), share(strides), share(arrange), share(torch_dtype),
                             static_cast<mlgc_size>(element_bytes), static_cast<mlgc_i32>(PyTuple_Size(sizes))});
  return describe(sizes, dtype, static_cast<mlgc_size>(element_bytes), function.place, function.input_model,
                  function.size_model);
}

bool add_output(Function& function, PyObject* described) {
  int dtype = 0;
  Py_ssize_t element_bytes = 0;
  PyObject *sizes = nullptr, *order = nullptr, *torch_dtype = nullptr;
  if (PyArg_ParseTuple(described, "inO!O!O", &dtype, &element_bytes, &PyTuple_Type, &sizes, &PyTuple_Type, &order,
                       &torch_dtype) == 0) {
    return false;
  }
  Output output = {share(torch_dtype),
                   nullptr,
                   {},
                   static_cast<mlgc_size>(element_bytes),
                   static_cast<mlgc_i32>(PyTuple_Size(sizes))};
  for (Py_ssize_t i = 0; i < PyTuple_Size(order); ++i) {
    output.order.push_back(PyLong_AsSsize_t(PyTuple_GetItem(order, i)));
    if (output.order.back() < 0 || output.order.back() >= output.rank) {
      PyErr_SetString(PyExc_ValueError, "an axis out of range");
      return false;
    }
  }
  if (!describe(sizes, dtype, output.element_bytes, function.place, function.output_model, function.size_model))
    return false;
  output.empty_arguments =
      empty_arguments(output, &function.size_model[function.size_model.size() - static_cast<std::size_t>(output.rank)]);
  if (!output.empty_arguments) return false;
  function.outputs.push_back(std::move(output));
  return true;
}

template <class Add>
bool each(PyObject* list, Add add) {
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    if (!add(PyList_GetItem(list, i))) return false;
  }
  return true;
}

bool add_symbol(Function& function, PyObject* place) {
  Py_ssize_t input = 0, axis = 0;
  if (PyArg_ParseTuple(place, "nn", &input, &axis) == 0) return false;
  const auto count = static_cast<Py_ssize_t>(function.inputs.size());
  if (input < 0 || input >= count || axis < 0 || axis >= function.inputs[static_cast<std::size_t>(input)].rank) {
    PyErr_SetString(PyExc_ValueError, "a symbol without a place");
    return false;
  }
  function.symbols.push_back({static_cast<std::size_t>(input), axis});
  return true;
}

Object unless_none(PyObject* object) { return object == Py_None ? nullptr : share(object); }

bool read_place(PyObject* described, Place& place) {
  PyObject *name = nullptr, *expected = nullptr, *stream = nullptr, *exchange = nullptr, *copy = nullptr,
           *bytes_dtype = nullptr;
  if (PyArg_ParseTuple(described, "iiOOOOOO", &place.kind, &place.index, &name, &expected, &stream, &exchange, &copy,
                       &bytes_dtype) == 0) {
    return false;
  }
  place.name = share(name);
  place.expected = share(expected);
  place.stream = unless_none(stream);
  place.exchange = unless_none(exchange);
  place.copy = unless_none(copy);
  place.bytes_dtype = share(bytes_dtype);
  return true;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static const char* const kNames[] = {"abi",   "place", "number",  "make_context", "inputs",  "outputs", "symbols",
                                       "sizes", "late",  "checked", "refuse",       "failure", "torch",   nullptr};
  auto function = std::make_unique<Function>();
  unsigned long long run = 0, error = 0, release = 0, destroy = 0, synchronize = 0;
  int late = 0, checked = 0;
  PyObject *place = nullptr, *make_context = nullptr, *inputs = nullptr, *outputs = nullptr, *symbols = nullptr,
           *sizes = nullptr, *refuse = nullptr, *failure = nullptr, *data_ptr = nullptr, *is_contiguous = nullptr,
           *stride = nullptr, *empty_strided = nullptr;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "(KKKKK)O!iOO!O!O!OppOO(OOOO)", const_cast<char**>(kNames), &run,
                                  &error, &release, &destroy, &synchronize, &PyTuple_Type, &place, &function->number,
                                  &make_context, &PyList_Type, &inputs, &PyList_Type, &outputs, &PyList_Type, &symbols,
                                  &sizes, &late, &checked, &refuse, &failure, &data_ptr, &is_contiguous, &stride,
                                  &empty_strided) == 0 ||
      !read_place(place, function->place)) {
    return nullptr;
  }
  function->abi = {reinterpret_cast<decltype(Abi::run)>(run), reinterpret_cast<decltype(Abi::error)>(error),
                   reinterpret_cast<decltype(Abi::release)>(release),
                   reinterpret_cast<decltype(Abi::destroy_context)>(destroy),
                   reinterpret_cast<decltype(Abi::synchronize)>(synchronize)};
  function->late = late != 0;
  function->checked = checked != 0;
  function->make_context = share(make_context);
  if (sizes != Py_None) function->sizes = share(sizes);
  function->refuse = share(refuse);
  function->failure = share(failure);
  function->data_ptr = share(data_ptr);
  function->is_contiguous = share(is_contiguous);
  function->stride = share(stride);
  function->empty_strided = share(empty_strided);
  function->shape_name.reset(PyUnicode_InternFromString("shape"));
  function->dtype_name.reset(PyUnicode_InternFromString("dtype"));
  function->owner = forks;
  if (!each(inputs, [&](PyObject* item) { return add_input(*function, item); }) ||
      !each(outputs, [&](PyObject* item) { return add_output(*function, item); }) ||
      !each(symbols, [&](PyObject* item) { return add_symbol(*function, item); })) {
    return nullptr;
  }
  function->dynamic = !function->symbols.empty() || function->late;
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* const made = allocate(type, 0);
  if (made != nullptr) reinterpret_cast<FunctionObject*>(made)->function = function.release();
  return made;
}

void destroy(PyObject* self) {
  const std::unique_ptr<Function> function(reinterpret_cast<FunctionObject*>(self)->function);
  if (function->owner == forks) {
    for (const std::unique_ptr<Frame>& frame : function->idle) function->abi.destroy_context(frame->context);
  }
  PyTypeObject* const type = Py_TYPE(self);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"call", call, METH_O,
     "call(tensors, /)\n--\n\nRuns the function on a list of its inputs and returns a list of new tensors, its "
     "outputs. Any thread; the interpreter's lock is given up meanwhile."},
    {"synchronize", synchronize_method, METH_NOARGS,
     "synchronize()\n--\n\nWaits for the device, and raises the first failure of earlier calls that none has "
     "reported."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("One function of a compiled model; mlgc/program.py makes it.")},
                       {0, nullptr}};

PyType_Spec function_type = {"mlgc._caller.Function", sizeof(FunctionObject), 0, Py_TPFLAGS_DEFAULT, slots};

PyObject* openmp_threads(PyObject*, PyObject* arguments) {
  unsigned long long parallel = 0, thread_number = 0;
  if (PyArg_ParseTuple(arguments, "KK", &parallel, &thread_number) == 0) return nullptr;
  using mlgc::python::OpenMp;
  if (forks != 0) return PyLong_FromLong(0);
  mlgc::python::set_openmp({reinterpret_cast<decltype(OpenMp::parallel)>(parallel),
                            reinterpret_cast<decltype(OpenMp::thread_number)>(thread_number)});
  return PyLong_FromVoidPtr(reinterpret_cast<void*>(mlgc::python::openmp_parallel_for));
}

PyObject* allocator(PyObject*, PyObject*) {
  const Object take(PyLong_FromVoidPtr(reinterpret_cast<void*>(allocate)));
  const Object give(PyLong_FromVoidPtr(reinterpret_cast<void*>(give_back)));
  return take && give ? PyTuple_Pack(2, take.get(), give.get()) : nullptr;
}

PyMethodDef functions[] = {
    {"openmp_threads", openmp_threads, METH_VARARGS,
     "openmp_threads(parallel, thread_number, /)\n--\n\nThe address of an mlgc_parallel_for on "
     "the threads of an OpenMP "
     "runtime, whose GOMP_parallel and omp_get_thread_num are given; 0 in a child of fork."},
    {"allocator", allocator, METH_NOARGS,
     "allocator()\n--\n\nThe addresses of `allocate` and `give_back` of contexts that are made for "
     "a frame, which is their data."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT,
                      "_caller",
                      "Calls functions of compiled models.",
                      -1,
                      functions,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};

}  // namespace

extern "C" MLGC_API PyObject* PyInit__caller() {
  if (pthread_atfork(nullptr, nullptr, count_fork) != 0) return PyErr_NoMemory();
  Object made(PyModule_Create(&module));
  const Object type(PyType_FromSpec(&function_type));
  if (!made || !type || PyModule_AddObjectRef(made.get(), "Function", type.get()) != 0) return nullptr;
  return made.release();
}

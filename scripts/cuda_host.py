"""Models that `mlgc emit --target=cuda` wrote, from Python with ctypes: the C ABI of lib/runtime/mlgc.h and the part of the
CUDA runtime library that a host needs. What scripts/cuda-run, cuda-bench and cuda-check share.

Guarantee: needs nvcc to build a model and nothing but the standard library to call it (numpy in call()); memory of the device is given as
addresses, so that numpy's and PyTorch's arrays are called alike.
"""
import ctypes
import json
import re
import subprocess
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_void_p

CUDA = 1
TO_DEVICE, TO_HOST = 1, 2
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "uint16", "float32", "float64"]  # bf16 as its bits


class Tensor(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dtype", c_int32), ("device", c_int32),
                ("device_id", c_int32), ("rank", c_int32), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("bytes", c_size_t)]


class Dim(Structure):
    _fields_ = [("text", c_char_p), ("constant", c_int64)]


class Value(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int32), ("rank", c_int32), ("dims", POINTER(Dim)),
                ("alignment", c_int32), ("input", c_int32), ("in_place", c_int32)]


class Symbol(Structure):
    _fields_ = [("name", c_char_p), ("low", c_int64), ("high", c_int64)]


class Signature(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("input_count", c_int32), ("output_count", c_int32),
                ("symbol_count", c_int32), ("constraint_count", c_int32), ("inputs", POINTER(Value)),
                ("outputs", POINTER(Value)), ("symbols", POINTER(Symbol)), ("constraints", POINTER(c_char_p))]


class State(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("rank", c_int32),
                ("sizes", POINTER(c_int64)), ("bytes", c_size_t)]


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int32), ("measure_arena", c_int32), ("parallel_for", c_void_p),
                ("parallel_data", c_void_p), ("stream", c_void_p), ("log", c_void_p), ("log_data", c_void_p),
                ("memory_limit", c_int64)]


class Graphs(Structure):
    _fields_ = [("struct_size", c_size_t)] + [(name, c_int64) for name in (
        "replayed", "instantiated", "updated", "reinstantiated", "launched", "captured", "held", "updated_nodes")]


class Device:
    """The runtime library of the toolkit, for memory and events."""

    def __init__(self):
        for name in ("libcudart.so", "/usr/local/cuda/lib64/libcudart.so", "libcudart.so.13", "libcudart.so.12"):
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise OSError("libcudart.so is not found")
        count = c_int32()
        if self.library.cudaGetDeviceCount(byref(count)) != 0 or count.value == 0:
            raise OSError("there is no CUDA device")

    def check(self, status):
        if status != 0:
            self.library.cudaGetErrorString.restype = c_char_p
            raise RuntimeError(self.library.cudaGetErrorString(status).decode())

    def allocate(self, size):
        data = c_void_p()
        self.check(self.library.cudaMalloc(byref(data), c_size_t(max(size, 1))))
        return data.value

    def put(self, to, host, size):
        self.check(self.library.cudaMemcpy(c_void_p(to), c_void_p(host), c_size_t(size), TO_DEVICE))

    def get(self, host, data, size):
        self.check(self.library.cudaMemcpy(c_void_p(host), c_void_p(data), c_size_t(size), TO_HOST))

    def release(self, data):
        self.check(self.library.cudaFree(c_void_p(data)))

    def wait(self):
        self.check(self.library.cudaDeviceSynchronize())

    def milliseconds(self, call, repeat):
        """Each of `repeat` calls, by events around it."""
        begin, end, times = c_void_p(), c_void_p(), []
        for event in (begin, end):
            self.check(self.library.cudaEventCreate(byref(event)))
        for _ in range(repeat):
            self.check(self.library.cudaEventRecord(begin, None))
            call()
            self.check(self.library.cudaEventRecord(end, None))
            self.check(self.library.cudaEventSynchronize(end))
            time = c_float()
            self.check(self.library.cudaEventElapsedTime(byref(time), begin, end))
            times.append(time.value)
        return times


class Refused(RuntimeError):
    """What the runtime says, with its status (enum mlgc_status)."""
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Model:
    """A folder that `mlgc emit` wrote and build() built, or one that `mlgc compile` wrote, with one context, which
    queues its work on `stream`."""

    def __init__(self, folder, stream=None, log=None):
        if (folder / "manifest.json").exists():
            symbol, file = json.loads((folder / "manifest.json").read_text())["unit"], "model.so"
        else:
            symbol = re.search(r"(mlgc_unit_\w+)\(void\)", (folder / "model.h").read_text()).group(1)
            file = f"lib{symbol.removeprefix('mlgc_unit_')}.so"
        self.library = library = ctypes.CDLL(str(folder.resolve() / file))
        library.mlgc_error.restype = c_char_p
        library.mlgc_function_signature.restype = POINTER(Signature)
        library.mlgc_program_destroy.restype = None
        unit = getattr(library, symbol)
        unit.restype = c_void_p
        error = ctypes.create_string_buffer(512)
        self.program, self.context = c_void_p(), c_void_p()
        if status := library.mlgc_program_create(c_void_p(unit()), None, byref(self.program), error, c_size_t(512)):
            raise Refused(status, error.value.decode())
        options = ContextOptions(ctypes.sizeof(ContextOptions), stream=stream, log=log)
        if status := library.mlgc_context_create(self.program, byref(options), byref(self.context), error, c_size_t(512)):
            raise Refused(status, error.value.decode())

    def function(self, name):
        if name is None:
            known = [self.library.mlgc_find_function(self.program, word) for word in (b"forward", b"main")]
            return max(known + [0])
        number = self.library.mlgc_find_function(self.program, name.encode())
        if number < 0:
            raise RuntimeError(f"there is no function {name}")
        return number

    def signature(self, function):
        return self.library.mlgc_function_signature(self.program, function).contents

    def prepare(self, function, inputs, outputs=None):
        """A call without arguments, and the descriptions that it fills. `inputs` are (address, shape, bytes); `outputs`
        too, or None: memory of the context, until it is released."""
        signature = self.signature(function)

        def described(values, given):
            tensors = (Tensor * max(1, len(given)))()
            for tensor, value, one in zip(tensors, values, given):
                tensor.struct_size = ctypes.sizeof(Tensor)
                if one is None:
                    continue
                address, shape, size = one
                sizes = (c_int64 * max(1, len(shape)))(*shape)
                kept.append(sizes)
                tensor.data, tensor.dtype, tensor.device = address, value.dtype, CUDA
                tensor.rank, tensor.sizes, tensor.bytes = len(shape), sizes, size
            return tensors

        kept = []
        count = signature.output_count
        given = described(signature.inputs, inputs)
        results = described(signature.outputs, outputs or [None] * count)

        def run(kept=kept):
            if status := self.library.mlgc_run(self.context, function, given, len(inputs), results, count):
                raise Refused(status, self.library.mlgc_error(self.context).decode())

        return run, results[:count]

    def states(self):
        """Of each its name, dtype, shape, and a function that copies it to memory of the host."""
        for number in range(self.library.mlgc_state_count(self.program)):
            info = State(ctypes.sizeof(State))
            self.library.mlgc_state(self.program, number, byref(info))

            def read(host, size, number=number):
                if status := self.library.mlgc_state_read(self.context, number, c_void_p(host), c_size_t(size)):
                    raise Refused(status, self.library.mlgc_error(self.context).decode())

            yield info.name.decode(), info.dtype, info.sizes[:info.rank], read

    def graphs(self):
        """How calls ran, by name (mlgc_graphs)."""
        counts = Graphs(ctypes.sizeof(Graphs))
        self.library.mlgc_context_graphs(self.context, byref(counts))
        return {name: getattr(counts, name) for name, _ in Graphs._fields_[1:]}

    def release(self, data):
        self.library.mlgc_release(self.context, c_void_p(data))

    def synchronize(self):
        """Waits for the calls before, and raises what a kernel of theirs refused."""
        if status := self.library.mlgc_context_synchronize(self.context):
            raise Refused(status, self.library.mlgc_error(self.context).decode())

    def close(self):
        status = self.library.mlgc_context_destroy(self.context)
        self.library.mlgc_program_destroy(self.program)
        if status:
            raise Refused(status, "a call failed, and nothing has asked for it")


def call(device, model, function, arrays, repeat=0):
    """The results of a call with numpy arrays, and the times of `repeat` further calls in milliseconds."""
    import numpy

    arrays = [numpy.array(array, order="C") for array in arrays]
    given = []
    for array in arrays:
        given.append((device.allocate(array.nbytes), array.shape, array.nbytes))
        device.put(given[-1][0], array.ctypes.data, array.nbytes)
    run, outputs = model.prepare(function, given)
    try:
        run()
        model.synchronize()
        results = []
        for out in outputs:
            results.append(numpy.empty(out.sizes[:out.rank], DTYPES[out.dtype]))
            device.get(results[-1].ctypes.data, out.data, out.bytes)
        return results, device.milliseconds(run, repeat)
    finally:
        for out in outputs:
            model.release(out.data)
        for data, _, _ in given:
            device.release(data)


def build(folder, arch):
    name = re.search(r"mlgc_unit_(\w+)\(void\)", (folder / "model.h").read_text()).group(1)
    runtime = sorted(str(file.relative_to(folder)) for file in (folder / "runtime").glob("*.cpp"))
    command = ["nvcc", "-O3", "-std=c++17", f"-arch={arch}", "--fmad=false", "-Xcompiler", "-fPIC", "-shared", "-I.",
               "model.cu", *runtime, "-o", f"lib{name}.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr or done.stdout

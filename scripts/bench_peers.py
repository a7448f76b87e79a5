#!/usr/bin/env python3
"""Runs a model in another system for `mlgc bench`, which starts one process for each and speaks to it.

    bench_peers.py BACKEND THREADS FOLDER

BACKEND is one of BACKENDS below. Questions come as lines of JSON on standard input, each is answered by one line on standard output:

    {"do": "prepare", "model": "m.pt2", "inputs": "in.npz", "results": "out.npz", …}
        reads the model, makes what the system makes of it, calls it once
        {"version": …, "prepare_seconds": …, "first_call_seconds": …}
    {"do": "block", "calls": 10}
        one call that is not timed, then so many that are
        {"seconds": …, "involuntary_switches": …, "page_faults": …}

or {"reason": …}, when it cannot. In the repository, `bench_peers.py --train` measures training steps: scripts/bench_training.py.

Caches that systems keep on disk go to FOLDER, which is new: preparing is from nothing.
"""
import ctypes
import gc
import json
import os
import resource
import sys
import time
import warnings


def exported(request):
    """The program of a .pt2 file, and its inputs as torch tensors, in its order."""
    import torch

    torch.set_grad_enabled(False)
    program = torch.export.load(request["model"])
    device = request.get("device", "cpu")
    if device != "cpu":
        from torch.export.passes import move_to_device_pass

        program = move_to_device_pass(program, device)
    names = [name for name in program.graph_signature.user_inputs if isinstance(name, str)]
    given = arrays(request)
    missing = [name for name in names if name not in given]
    if missing or len(names) != len(program.graph_signature.user_inputs):
        raise ValueError(f"the inputs {', '.join(missing) or 'that are no tensors'} are not known")
    leaves = [tensor_of(torch, given[name]).to(device) for name in names]
    args, kwargs = torch.utils._pytree.tree_unflatten(leaves, program.call_spec.in_spec)
    if kwargs:
        raise ValueError("the model takes inputs by name")
    return program, args


def tensor_of(torch, array):
    """bf16, of which numpy has none, is two bytes (mlgc.agreement)."""
    return torch.from_numpy(array.view("int16")).view(torch.bfloat16) if array.dtype.kind == "V" else torch.from_numpy(array)


def arrays(request):
    import numpy

    with numpy.load(request["inputs"]) as file:
        return {name: file[name] for name in file.files}


def of_torch(change):
    def prepare(request, threads):
        import torch

        torch.set_num_threads(threads)
        start = time.perf_counter()
        program, args = exported(request)
        if program.graph_signature.backward_signature is None:
            changed = change(torch, program.module(), args)
            return start, lambda: changed(*args), version_of(torch, request)
        given, written = flat_inputs(torch, program, args)  # ExportedProgram.module() cannot return gradients
        changed = change(torch, program.graph_module, given)
        return start, lambda: writing(changed(*given), written), version_of(torch, request)

    return prepare


def flat_inputs(torch, program, args):
    """What the graph takes, weights and inputs in a row, and the buffers that its first results are new values of."""
    signature = program.graph_signature
    kinds, outputs = torch.export.graph_signature.InputKind, torch.export.graph_signature.OutputKind
    inputs, given, places = iter(torch.utils._pytree.tree_leaves(args)), [], {}
    for spec in signature.input_specs:
        held = program.state_dict if spec.target in program.state_dict else program.constants
        given.append(next(inputs) if spec.kind == kinds.USER_INPUT else held[spec.target])
        places[spec.arg.name if spec.kind == kinds.USER_INPUT else spec.target] = given[-1]
    results = (outputs.USER_OUTPUT, outputs.LOSS_OUTPUT, outputs.GRADIENT_TO_PARAMETER, outputs.GRADIENT_TO_USER_INPUT)
    return given, [places[spec.target] for spec in signature.output_specs if spec.kind not in results]


def version_of(torch, request):
    device = request.get("device", "cpu")
    return f"torch {torch.__version__}" + ("" if device == "cpu" else f", {torch.cuda.get_device_name(device)}")


def writing(found, written):
    """The results of a call, after new values of buffers were copied into these."""
    for place, value in zip(written, found):
        place.copy_(value)
    return found[len(written):]


def prepare_eager(request, threads):
    """The graph's operators one by one, called with weights and inputs in a row: ExportedProgram.module() takes 0.2 ms more for
    trees and guards, which no model in PyTorch does."""
    import torch

    torch.set_num_threads(threads)
    start = time.perf_counter()
    program, args = exported(request)
    given, written = flat_inputs(torch, program, args)
    forward = program.graph_module.forward
    return start, lambda: writing(forward(*given), written), version_of(torch, request)


def compiled(backend):
    return of_torch(lambda torch, module, args: torch.compile(module, backend=backend, dynamic=False))


def on_cpu(prepare):
    """Of a system that is measured on the CPU alone."""
    def prepared(request, threads):
        if request.get("device", "cpu") != "cpu":
            raise ValueError(f"it is not measured on {request['device']}: leave it out, or measure on the CPU")
        return prepare(request, threads)

    return prepared


@on_cpu
def prepare_onnxruntime(request, threads):
    import numpy
    import onnxruntime
    import torch

    start = time.perf_counter()
    program, args = exported(request)
    path = os.path.join(sys.argv[3], "model.onnx")
    torch.onnx.export(program, args, path, dynamo=True, verbose=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    inputs = [numpy.ascontiguousarray(value.numpy()) for value in args]
    for spec, value in zip(session.get_inputs(), inputs, strict=True):
        binding.bind_cpu_input(spec.name, value)
    for spec in session.get_outputs():
        binding.bind_output(spec.name)
    session.run_with_iobinding(binding)
    outputs = [value.numpy() for value in binding.get_outputs()]  # then its memory is ours, and used again
    for spec, value in zip(session.get_outputs(), outputs, strict=True):
        binding.bind_output(spec.name, "cpu", 0, value.dtype, value.shape, value.ctypes.data)

    def call():
        session.run_with_iobinding(binding)
        return outputs

    call.inputs = inputs  # they live as long as it does
    return start, call, f"onnxruntime {onnxruntime.__version__}"


@on_cpu
def prepare_openvino(request, threads):
    import numpy
    import openvino
    import torch  # noqa: F401, its import is not timed

    start = time.perf_counter()
    program, args = exported(request)
    model = openvino.convert_model(program)
    core = openvino.Core()
    # Left alone it may compute in bf16.
    hints = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    infer = core.compile_model(model, "CPU", hints).create_infer_request()
    inputs = [numpy.ascontiguousarray(value.numpy()) for value in args]
    for number, value in enumerate(inputs):
        infer.set_input_tensor(number, openvino.Tensor(value, shared_memory=True))
    outputs = [infer.get_output_tensor(number) for number in range(len(model.outputs))]

    def call():
        infer.infer()
        return [output.data for output in outputs]

    call.inputs = inputs  # they live as long as it does
    return start, call, f"openvino {openvino.__version__.split('-')[0]}"


class Tensor(ctypes.Structure):
    """mlgc_tensor of lib/runtime/mlgc.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int32),
                ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_size_t)]


class ContextOptions(ctypes.Structure):
    """The first fields of mlgc_context_options."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_int32)]


DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "V2", "float32", "float64"]


def prepare_ctypes(request, threads):
    """The model that mlgc compiled, called from Python: descriptions are made once, outputs are numpy's."""
    import numpy

    given = arrays(request)  # in the order of the function
    start = time.perf_counter()
    library = ctypes.CDLL(os.path.join(request["artifact"], "model.so"))
    unit = getattr(library, request["symbol"])
    unit.restype = ctypes.c_void_p
    library.mlgc_error.restype = ctypes.c_char_p
    error = ctypes.create_string_buffer(512)
    program, context = ctypes.c_void_p(), ctypes.c_void_p()

    def check(status, message):
        if status != 0:
            raise RuntimeError(message.decode())

    check(library.mlgc_program_create(ctypes.c_void_p(unit()), None, ctypes.byref(program), error, ctypes.c_size_t(512)),
          error.value)
    options = ContextOptions(ctypes.sizeof(ContextOptions), threads)
    check(library.mlgc_context_create(program, ctypes.byref(options), ctypes.byref(context), error,
                                      ctypes.c_size_t(512)), error.value)
    function = library.mlgc_find_function(program, request["function"].encode())
    library.mlgc_run.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p,
                                 ctypes.c_int32]

    library.mlgc_release.argtypes = [ctypes.c_void_p, ctypes.c_void_p]

    def described(array):
        sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        name = "V2" if array.dtype.kind == "V" else array.dtype.name
        return Tensor(ctypes.sizeof(Tensor), array.ctypes.data, DTYPES.index(name), 0, 0, array.ndim, sizes,
                      None, array.nbytes)

    def aligned(shape, dtype):
        count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
        memory = numpy.empty(count + 64, numpy.uint8)
        first = -memory.ctypes.data % 64
        return memory[first:first + count].view(dtype).reshape(shape)

    values = []
    for array in given.values():
        values.append(aligned(array.shape, array.dtype))
        values[-1][...] = array
    inputs = (Tensor * len(values))(*map(described, values))
    count = request["outputs"]
    outputs = (Tensor * count)(*(Tensor(ctypes.sizeof(Tensor)) for _ in range(count)))
    check(library.mlgc_output_shapes(context, function, inputs, len(values), outputs, count), library.mlgc_error(context))
    shapes = [tuple(outputs[i].sizes[:outputs[i].rank]) for i in range(count)]
    lent = [i for i in range(count) if min(shapes[i], default=0) < 0]  # only a call tells the size
    results = [None if i in lent else aligned(shapes[i], DTYPES[outputs[i].dtype]) for i in range(count)]
    targets = (Tensor * count)(*(Tensor(ctypes.sizeof(Tensor)) if i in lent else described(results[i])
                                 for i in range(count)))
    words = (context, function, ctypes.byref(inputs), len(values), ctypes.byref(targets), count)
    run = library.mlgc_run

    def call():
        for i in lent:
            if targets[i].data:
                library.mlgc_release(context, targets[i].data)
            targets[i] = Tensor(ctypes.sizeof(Tensor))
        if run(*words) != 0:
            raise RuntimeError(library.mlgc_error(context).decode())
        for i in lent:
            shape = tuple(targets[i].sizes[:targets[i].rank])
            data = (ctypes.c_char * targets[i].bytes).from_address(targets[i].data)
            results[i] = numpy.frombuffer(data, DTYPES[targets[i].dtype]).reshape(shape)
        return results

    call.memory = (library, values, inputs, targets)  # lives as long as it does
    return start, call, f"mlgc by ctypes, Python {sys.version.split()[0]}"


BACKENDS = {
    "cpp-ctypes": prepare_ctypes,
    "eager": prepare_eager,
    "torchscript": of_torch(lambda torch, module, args: torch.jit.freeze(torch.jit.trace(module, args).eval())),
    "aot_eager": compiled("aot_eager"),
    "inductor": compiled("inductor"),
    "onnxruntime": prepare_onnxruntime,
    "openvino": prepare_openvino,
}


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [] if value is None else [value]


def save(path, results):
    import numpy

    def array(value):
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            value = value.float() if str(value.dtype) == "torch.bfloat16" else value
        return numpy.asarray(value)

    numpy.savez(path, **{f"result{number}": array(value) for number, value in enumerate(leaves(results))})


def reason_of(error):
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.split(".")[0]
        return (f"{sys.executable} has no `{package}`: install it there with `-m pip install {package}`, name another "
                "Python with --python, or leave this backend out")
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def waiting(device):
    if device == "cpu":
        return lambda: None
    import torch

    return lambda: torch.cuda.synchronize(device)


def timed(call, calls, wait=lambda: None):
    """Calls queue what a GPU does; `wait` ends when that is done."""
    call()
    wait()
    gc.disable()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    for _ in range(calls):
        call()
    wait()
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    gc.enable()
    return {"seconds": seconds, "involuntary_switches": after.ru_nivcsw - before.ru_nivcsw,
            "page_faults": after.ru_minflt - before.ru_minflt}


def main():
    if sys.argv[1:2] == ["--train"]:
        import repository_python

        repository_python.use()
        import bench_training

        return bench_training.main(sys.argv[2:])
    if len(sys.argv) != 4 or sys.argv[1] not in BACKENDS or not sys.argv[2].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    backend, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    # What libraries print is no answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, f"inductor-{os.getpid()}")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    warnings.filterwarnings("ignore")
    call = wait = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                start, call, version = BACKENDS[backend](request, threads)
                wait = waiting(request.get("device", "cpu"))
                prepared = time.perf_counter()
                results = call()
                wait()
                first = time.perf_counter() - prepared
                save(request["results"], results)
                answer = {"version": version, "prepare_seconds": prepared - start, "first_call_seconds": first}
            else:
                answer = timed(call, request["calls"], wait)
        except Exception as error:  # whatever a system throws is its row's reason
            answer = {"reason": reason_of(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

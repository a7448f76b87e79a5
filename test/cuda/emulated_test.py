"""Emitted CUDA runs, on the host (emulated/cuda_runtime.h): the samples and the programs of this folder, each function at
several sizes, with the threads of a block in three orders, against the interpreter by `mlgc eval --expect`. What the
interpreter refuses must fail here too. Then barriers and shuffles are taken out of emitted units, which must be noticed.

Usage: emulated_test.py --mlgc MLGC --samples FOLDER --work FOLDER [--planted] [PROGRAM.mlir...]
Exit codes: 0 all agree (of --planted: all is noticed), 1 something does not, 77 no numpy.
"""
import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import cuda_host  # noqa: E402
import emulated_nvcc  # noqa: E402

# Samples that are refused as CUDA.
REFUSED = {"segments"}
# Orders of threads, how much memory a block has on the chip, the little that it has last making scratch go elsewhere, and
# how many blocks there are, which take iterations in turns.
RUNS = [("forward", 232448, 1000000), ("backward", 232448, 1), ("7", 64, 2)]
NUMPY = ["V2" if name == "uint16" else name for name in cuda_host.DTYPES]  # bf16 as `mlgc eval` reads it
# What units have whose results depend on which of two kernels runs, so on memory on the chip.
KERNELS_OF_OTHER_BITS = "mlgc_tensor_attention"
CHOICE_OF_KERNELS = "mlgc_runs_tensor_tile("
# Functions that leave elements of their results as they were.
PARTLY_WRITTEN = {"some"}
SIZES = (5, 1, 0, 67)  # of all symbols; the last where it is the only one


def draw(signature, sizes):
    """Inputs, integers being 0 or 1."""
    random = np.random.default_rng(1)
    # A symbol may be a product, whose other sizes are 1: `B*S`.
    sizes = {word: size if i == 0 else 1 for name, size in sizes.items() for i, word in enumerate(name.split("*"))}
    for value in signature.inputs[:signature.input_count]:
        shape = [dim.constant if dim.constant >= 0 else eval(dim.text.decode(), {}, sizes)
                 for dim in value.dims[:value.rank]]
        dtype = cuda_host.DTYPES[value.dtype]
        numbers = random.standard_normal(shape, dtype="float32")
        if dtype == "uint16":  # bf16: the upper half of f32
            yield (np.asarray(numbers).view("uint32") >> 16).astype("uint16").view("V2")
        else:
            yield np.asarray(numbers.astype(dtype) if dtype.startswith("float") else random.integers(0, 2, shape).astype(dtype))


def call(folder, function, arrays):
    """Results and new states by name, or the error."""
    model = cuda_host.Model(folder)  # a context of its own: states are as at first
    given = [(array.ctypes.data, array.shape, array.nbytes) for array in arrays]
    run, outputs = model.prepare(function, given)
    try:
        run()
        model.synchronize()
        results = {}
        for i, out in enumerate(outputs):
            array = results[f"result{i}"] = np.empty(out.sizes[:out.rank], NUMPY[out.dtype])
            ctypes.memmove(array.ctypes.data, out.data, array.nbytes)
        for name, dtype, shape, read in model.states():
            array = results[f"@{name}"] = np.empty(shape, NUMPY[dtype])
            read(array.ctypes.data, array.nbytes)
        return results, None
    except RuntimeError as error:
        return None, str(error)
    finally:
        for out in outputs:
            model.release(out.data)
        model.close()


def moved(array):
    """A copy whose elements are aligned, but not to 16 bytes: kernels have an instance for such inputs."""
    storage = np.empty(array.nbytes + 16 + array.itemsize, "uint8")
    start = -storage.ctypes.data % 16 + array.itemsize
    copy = storage[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def faults_of_call(options, source, folder, model, number, sizes):
    """What is wrong with one function at one size."""
    signature = model.signature(number)
    name = signature.name.decode()
    at = f"{name} at {', '.join(f'{symbol}={size}' for symbol, size in sizes.items()) or 'its size'}"
    arrays = list(draw(signature, sizes))
    command = [options.mlgc, "eval", source, "--random-weights=1", f"--function={name}"]
    if arrays:
        names = [value.name.decode() for value in signature.inputs[:signature.input_count]]
        np.savez(options.work / "in.npz", **dict(zip(names, arrays)))
        command.append(f"--input=@{options.work / 'in.npz'}")
    found = []
    text = (folder / "model.cu").read_text()
    for order, chip, blocks in RUNS:
        os.environ |= {"MLGC_EMULATED_ORDER": order, "MLGC_EMULATED_CHIP_BYTES": str(chip), "MLGC_EMULATED_BLOCKS": str(blocks)}
        # Where another kernel runs as memory is short, its copies are of aligned inputs: others are tested by other units.
        is_moved = chip != RUNS[0][1] and CHOICE_OF_KERNELS not in text
        found.append(call(folder, number, [moved(array) if is_moved else array.copy() for array in arrays]))
    results, error = found[0]
    allowed = [results]
    for (order, chip, _), (others, other_error) in zip(RUNS[1:], found[1:]):
        if error != other_error:
            yield f"{at}: {error or 'nothing'} with threads forward, {other_error or 'nothing'} with order {order}"
        elif results and any(results[key].tobytes() != others[key].tobytes() for key in results):
            if chip != RUNS[0][1] and KERNELS_OF_OTHER_BITS in text:
                allowed.append(others)
            else:
                yield f"{at}: other results with order {order} than with threads forward"
    if results is None:
        if "waits at line" in error or subprocess.run(command, capture_output=True).returncode == 0:
            yield f"{at}: {error}"
        return
    for results in allowed:
        np.savez(options.work / "out.npz", **results)
        done = subprocess.run([*command, f"--expect=@{options.work / 'out.npz'}"], capture_output=True, text=True)
        if done.returncode != 0:
            yield f"{at}: exit code {done.returncode}: {done.stdout}{done.stderr}"


def build(options, folder):
    """The unit with memory on the chip behind it, and the runtime, which is the same for all."""
    name = re.search(r"mlgc_unit_(\w+)\(void\)", (folder / "model.h").read_text()).group(1)
    (folder / "emulated.cpp").write_text(emulated_nvcc.unit_text(folder / "model.cu"))
    done = subprocess.run([options.compiler, "-include", options.runtime / "emulation.h", *emulated_nvcc.FLAGS, "-shared", "-I.",
                           "emulated.cpp", *sorted((options.runtime).glob("*.o")), "-o", f"lib{name}.so"],
                          cwd=folder, capture_output=True, text=True)
    return f"does not build: {done.stderr}" if done.returncode else None


def emit(options, source, folder):
    done = subprocess.run([options.mlgc, "emit", source, "--random-weights=1", "--target=cuda", "-o", folder],
                          capture_output=True, text=True)
    return f"is not emitted: {done.stderr}" if done.returncode else None


def faults_of_unit(options, source, folder):
    if wrong := build(options, folder):
        yield wrong
    else:
        yield from faults_of_built(options, source, folder)


def faults_of_built(options, source, folder):
    model = cuda_host.Model(folder)
    for number in range(model.library.mlgc_function_count(model.program)):
        signature = model.signature(number)
        if signature.name.decode() in PARTLY_WRITTEN:
            continue
        symbols = [signature.symbols[i].name.decode() for i in range(signature.symbol_count)]
        for size in SIZES[:1] if not symbols else SIZES if len(symbols) == 1 else SIZES[:-1]:
            yield from faults_of_call(options, source, folder, model, number, dict.fromkeys(symbols, size))


def faults(options, source):
    folder = options.work / source.stem
    wrong = emit(options, source, folder)
    if source.stem in REFUSED:
        return [] if wrong else ["is not refused as it should be"]
    return [wrong] if wrong else list(faults_of_unit(options, source, folder))


# What --planted changes, and how many of its barriers go unnoticed: where only the first thread's sums are stored, which reads
# before it writes; and barriers of a warp after shuffles, at which the emulation has its threads meet, and at the end of its turn;
# two of the kernel that runs where memory on the chip is short, which is one of the orders; of scans those at the end of an
# iteration: what the next one writes first, the same thread has read, or all have before an earlier barrier.
PLANTED = {"rows": 5, "transpose_tiles": 0, "matrix_ring": 0, "tensor_ring": 2, "scans": 5}
# What is planted in an emitted unit, beside the lack of each of its barriers.
BENT = [("a shuffle from one lane too far", "(0xffffffffu, value, distance, kThreads)", "(0xffffffffu, value, distance + 1, kThreads)"),
        ("a shuffle that lane 3 leaves out", "half /= 2) own[0] =", "half /= 2) if (threadIdx.x != 3) own[0] ="),
        ("a barrier that thread 0 leaves out", "  __syncthreads();", "  if (threadIdx.x > 0) __syncthreads();"),
        ("a thread that does not wait for earlier kernels", "  cudaGridDependencySynchronize();",
         "  if (threadIdx.x > 0) cudaGridDependencySynchronize();"),
        ("a part that is multiplied before it is there", "mlgc_wait_for_groups<kStages - 2>", "mlgc_wait_for_groups<kStages - 1>"),
        ("a part in the place of the one that is multiplied", "copy_part(memory + next", "copy_part(memory + now"),
        ("a part that is multiplied before the device has copied it", "mlgc_wait_for_parity(ring.barriers + ring.stage, ring.parity);", ""),
        ("a part in a place that is not empty", "mlgc_wait_for_parity(full + ring.stages, ring.parity ^ 1);", ""),
        ("a place that is said to be empty while it is multiplied", "mlgc_wait_for_products<1>", "mlgc_wait_for_products<2>"),
        ("sums that are read before they are there", "mlgc_wait_for_products<0>();", ""),
        ("sums of a part that are read before all threads have put them", "    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);\n    return",
         "    return"),
        ("sums that are put where others are still read", "    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);", ""),
        ("phases that wait for more bytes than come", "kStageBytes);", "kStageBytes + 16);"),
        ("a number that cannot be fetched", "sizeof value, cudaMemcpyDeviceToHost, stream);",
         "sizeof value, cudaMemcpyDeviceToHost, stream) == cudaSuccess ? cudaErrorInvalidValue : cudaSuccess;")]


def is_noticed(options, source, folder, line):
    """Whether the built unit is wrong without the barrier of a line; in a process of its own, which leaves nothing behind."""
    process = os.fork()
    if process == 0:
        code = 2
        try:
            os.environ["MLGC_EMULATED_LACKS"] = str(line)
            code = int(any(faults_of_built(options, source, folder)))
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code not in (0, 1):
        raise RuntimeError(f"without the barrier of line {line} the test ends with code {code}")
    return code == 1


def planted(options, source):
    """What is wrong if other changes than known ones go unnoticed."""
    folder = options.work / source.stem
    if wrong := emit(options, source, folder):
        yield wrong
        return
    text = (folder / "model.cu").read_text()
    if wrong := build(options, folder):
        yield wrong
        return
    missed, count = [], 0
    for match in re.finditer(r"__sync(threads|warp)\(.*\);", text):
        line = text.count("\n", 0, match.start()) + 1
        count += 1
        if not is_noticed(options, source, folder, line):
            missed.append(f"the lack of the barrier in line {line}")
    for what, wanted, instead in BENT:
        if wanted not in text:
            continue
        folder = options.work / f"{source.stem}{count}"  # a library of the same path would not be loaded again
        count += 1
        emit(options, source, folder)
        (folder / "model.cu").write_text(text.replace(wanted, instead, 1))
        if not any(faults_of_unit(options, source, folder)):
            missed.append(what)
    if not count or len(missed) != PLANTED[source.stem] or any("barrier in" not in what for what in missed):
        yield f"of {count} changes these are not noticed: {', '.join(missed)}"


def build_runtime(options):
    """Compiled once: it is the same in every folder. So is the emulation, as a precompiled header."""
    options.runtime.mkdir(parents=True, exist_ok=True)
    if wrong := emit(options, options.programs[0], options.runtime):
        return wrong
    (options.runtime / "emulation.h").write_text("#include <cuda_runtime.h>\n")
    files = sorted(file.resolve() for file in (options.runtime / "runtime").glob("*.cpp"))
    for words in (["-std=c++17", "-O1", "-fPIC", "-c", "-I.", *files],
                  [*emulated_nvcc.FLAGS, "-x", "c++-header", "emulation.h", "-o", "emulation.h.gch"]):
        done = subprocess.run([options.compiler, *words], cwd=options.runtime, capture_output=True, text=True)
        if done.returncode:
            return done.stderr
    return None


def each_alone(options):
    """A process for each program: one that crashes takes no other with it."""
    def run(source):
        words = [sys.executable, __file__, "--one", *(["--planted"] if options.planted else []),
                 f"--mlgc={options.mlgc}", f"--samples={options.samples}", f"--work={options.work / source.stem}",
                 f"--compiler={options.compiler}", source]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.stdout + (f"exit code {done.returncode}: {done.stderr}" if done.returncode else "")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return zip(options.programs, pool.map(run, options.programs))


def main():
    parser = argparse.ArgumentParser()
    for name in ("mlgc", "samples", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    options.runtime = (options.work.parent if options.one else options.work) / "runtime"
    if options.one:
        for line in planted(options, options.programs[0]) if options.planted else faults(options, options.programs[0]):
            print(line)
        return 0
    if options.planted and not options.programs:
        options.programs = [HERE / f"{name}.mlir" for name in PLANTED]
    options.programs = options.programs or sorted(options.samples.glob("*.mlir")) + sorted(HERE.glob("*.mlir"))
    if wrong := build_runtime(options):
        print(f"the runtime does not build: {wrong}")
        return 1
    wrong = 0
    for source, said in each_alone(options):
        wrong += bool(said)
        if said:
            print(f"{source.stem}: {said}")
    print(f"{len(options.programs) - wrong} of {len(options.programs)} programs are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

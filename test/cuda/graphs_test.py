"""Calls as graphs, in the emulation (emulated/cuda_runtime.h): when a context captures, updates and instantiates graphs or launches
one as it is, by its own counts (mlgc_context_graphs) and by what the device was asked for; results in each case; when a failure of a
kernel is reported; what a stream that the host captures makes of calls; several contexts, and threads that share one.

Usage: graphs_test.py --mlgc MLGC --work FOLDER [--compiler CXX]
Exit codes: 0 all is right, 1 something is not, 77 no numpy.
"""
import argparse
import ctypes
import os
import pathlib
import sys
import threading

import emulated_test
from emulated_test import cuda_host, np

CHAIN, PICKED, COUNTED, DECIDED, SUMMED, TESTED = range(6)
BAD_INPUT, BAD_USAGE, LIMIT, DEVICE = 1, 2, 5, 71
OF_SHAPE, HELD = 4, 16  # graphs that a context keeps, of a shape and in all
LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Host:
    """Calls a model with arrays that it keeps, and knows what the results must be."""

    def __init__(self, folder, stream=None, log=None):
        self.model = cuda_host.Model(folder, stream, log)
        self.library = self.model.library
        for name in ("emulated_stream_create", "emulated_end_capture"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.emulated_count.restype = ctypes.c_long
        self.arrays = {}
        self.total, self.total_before = np.empty(4, "float32"), np.empty(4, "float32")
        for _, _, _, read in self.model.states():
            read(self.total.ctypes.data, self.total.nbytes)

    def count(self, what):
        return self.library.emulated_count(what.encode())

    def given(self, rows, turn):
        """Inputs and outputs of so many rows; each turn has memory of its own, and other values than the one before."""
        if (rows, turn) not in self.arrays:
            values = np.random.default_rng(rows + 100 * turn).standard_normal((rows, 4), dtype="float32")
            self.arrays[rows, turn] = (values, np.full((rows, 4), np.nan, "float32"))
        return self.arrays[rows, turn]

    def queue(self, function, rows, turn=0, index=0, go=True):
        """A call, whose input it returns; raises what the runtime refuses."""
        x, y = self.given(rows, turn)
        x += 1  # a graph reads what is there when it is launched
        places, decision = np.array([index] * rows), np.array(go)
        self.arrays[function] = places, decision  # a captured call reads them later
        inputs = [x] + ([places] if function in (PICKED, SUMMED, TESTED) else [decision] if function == DECIDED else [])
        outputs = [self.total_before if function == COUNTED else y]
        run, _ = self.model.prepare(function, [described(a) for a in inputs], [described(a) for a in outputs])
        run()
        return x, places

    def call(self, function, rows, turn=0, index=0, go=True):
        """What is wrong with the result; raises what the runtime refuses."""
        x, places = self.queue(function, rows, turn, index, go)
        if function == COUNTED:
            before, self.total = self.total, self.total + x.sum(0)
            return [] if np.allclose(self.total_before, before, rtol=1e-4, atol=1e-4) else ["a wrong total"]
        if function == SUMMED:
            self.total = self.total + x[places].sum(0)
        return self.faults(function, rows, turn, index, go)

    def faults(self, function, rows, turn=0, index=0, go=True):
        x, y = self.given(rows, turn)
        powers = np.exp(x - x.max(1, keepdims=True, initial=-np.inf))
        soft = powers / powers.sum(1, keepdims=True)
        running = soft.cumsum(0, dtype="float64")
        right = {CHAIN: running + running.sum(0), PICKED: (x + x.sum(0))[[index % max(rows, 1)] * rows], SUMMED: x[[index % max(rows, 1)] * rows],
                 DECIDED: soft if go else np.sort(x, 0), TESTED: soft}
        good = np.allclose(y, right[function], rtol=1e-4, atol=1e-4)
        return [] if good else [f"a wrong result of function {function} of {rows} rows"]

    def refused(self, status, text, function, rows, **other):
        """What is wrong, unless the call is refused like that."""
        try:
            self.call(function, rows, **other)
        except cuda_host.Refused as error:
            return [] if (error.status, text in str(error)) == (status, True) else [f"{error.status}: {error}"]
        return [f"the call is not refused with `{text}`"]


def described(array):
    return array.ctypes.data, array.shape, array.nbytes


def counted(host, action, **expected):
    """What is wrong after an action that changes the counts so, and no others."""
    before = host.model.graphs()
    found = action()
    changes = {name: count - before[name] for name, count in host.model.graphs().items() if count != before[name]}
    return found + ([] if changes == expected else [f"the counts change by {changes}, not {expected}"])


def same_call(host):
    yield from counted(host, lambda: host.call(CHAIN, 5), instantiated=1, held=1)
    asked = {what: host.count(what) for what in ("kernels", "captures", "copies", "waits", "graph launches")}
    yield from counted(host, lambda: host.call(CHAIN, 5), replayed=1)
    changes = {what: host.count(what) - before for what, before in asked.items() if host.count(what) != before}
    if changes != {"graph launches": 1}:
        yield f"the same call once more asks the device for {changes}"
    if host.count("overlapping kernels") != host.count("kernels"):
        yield "a kernel of a graph does not overlap"


def pointers(host):
    for turn in range(OF_SHAPE):
        yield from counted(host, lambda: host.call(CHAIN, 6, turn), instantiated=1, held=1)
    for turn in range(OF_SHAPE):
        yield from counted(host, lambda: host.call(CHAIN, 6, turn), replayed=1)
    # One more takes the place of the first, which then takes that of the second. Nothing is captured for that, and of the
    # kernels only those are set that read the input or write the output.
    for turn in (OF_SHAPE, 0):
        captures, nodes = host.count("captures"), host.count("node updates")
        yield from counted(host, lambda: host.call(CHAIN, 6, turn), updated=1, updated_nodes=3)
        if (host.count("captures"), host.count("node updates")) != (captures, nodes + 3):
            yield f"an update captures {host.count('captures') - captures} calls and sets {host.count('node updates') - nodes} nodes"
    for turn in (2, 3, OF_SHAPE, 0):
        yield from counted(host, lambda: host.call(CHAIN, 6, turn), replayed=1)


def shapes(host):
    host.call(CHAIN, 100)  # temporaries of all sizes fit from now on
    for rows in range(20, 20 + HELD - 1):
        yield from counted(host, lambda: host.call(CHAIN, rows), instantiated=1, held=1)
    yield from counted(host, lambda: host.call(CHAIN, 50), updated=1, updated_nodes=12)  # in the place of 100, the oldest
    for rows in range(20, 20 + HELD - 1):
        yield from counted(host, lambda: host.call(CHAIN, rows), replayed=1)
    yield from counted(host, lambda: host.call(CHAIN, 100), updated=1, updated_nodes=12)
    yield from counted(host, lambda: host.call(CHAIN, 0), reinstantiated=1)  # of no rows some kernels are not launched
    os.environ["MLGC_EMULATED_FAILS"] = "update"
    yield from counted(host, lambda: host.call(CHAIN, 7), reinstantiated=1)
    os.environ["MLGC_EMULATED_FAILS"] = "instantiate"
    yield from counted(host, lambda: host.refused(DEVICE, "invalid argument", PICKED, 4), held=-1)
    os.environ["MLGC_EMULATED_FAILS"] = ""
    yield from counted(host, lambda: host.call(CHAIN, 8), instantiated=1, held=1)


def larger_memory(host):
    """Temporaries that move, as larger ones are asked for."""
    host.call(CHAIN, 3)
    host.call(CHAIN, 20000)
    yield from counted(host, lambda: host.call(CHAIN, 3), instantiated=1, held=1)
    yield from counted(host, lambda: host.call(CHAIN, 3), replayed=1)


def fails(host, **other):
    """Queues a call that fails on the device."""
    host.queue(PICKED, 5, index=9, **other)


def reported(action):
    """What is wrong, unless it raises what fails() queued."""
    try:
        action()
    except cuda_host.Refused as error:
        good = error.status == BAD_INPUT and str(error).startswith("`picked`: reading ") and str(error).endswith(
            "at index 9 of axis 0, which has size 5")
        return [] if good else [f"{error.status}: {error}"]
    return ["nothing is reported"]


def failures(host):
    """Each is reported once: by the next call, by waiting, or by reading a state; and a call of it waits for nothing."""
    host.call(PICKED, 5)
    waits = host.count("waits")
    host.call(PICKED, 5)
    if host.count("waits") != waits:
        yield "a call that may fail waits for the device"
    for action in (lambda: host.call(PICKED, 5, index=4), lambda: host.call(CHAIN, 5), host.model.synchronize,
                   lambda: host.call(COUNTED, 5), lambda: calls_read(host)):
        fails(host)
        yield from reported(action)
        host.model.synchronize()
    # The first of several is what is reported, and what was refused because of it has changed nothing.
    fails(host)
    yield from counted(host, lambda: reported(lambda: host.call(CHAIN, 5)))
    yield from host.call(COUNTED, 5)
    yield from host.call(PICKED, 5, index=4)
    host.model.synchronize()


def calls_read(host):
    for _, _, _, read in host.model.states():
        read(host.total.ctypes.data, host.total.nbytes)


def tested_values(host):
    """A value that the host function tests: a kernel does."""
    waits = host.count("waits")
    yield from counted(host, lambda: host.call(TESTED, 5, index=7), instantiated=1, held=1)
    yield from host.call(TESTED, 5, index=8)
    if host.count("waits") != waits:
        yield "a call that tests a value waits for the device"
    try:
        host.model.synchronize()
        yield "a value that fails a test is not reported"
    except cuda_host.Refused as error:
        if (error.status, str(error)) != (BAD_INPUT, "`tested`: a place of 8 or more"):
            yield f"{error.status}: {error}"
    yield from host.call(TESTED, 5, index=7)
    host.model.synchronize()


def replaced_states(host):
    """A function that replaces states reports its own failure, and leaves them as they were."""
    yield from host.call(SUMMED, 5)
    yield from host.refused(BAD_INPUT, "at index 7 of axis 0, which has size 5", SUMMED, 5, index=7)
    kept = host.total.copy()
    calls_read(host)
    if not np.allclose(kept, host.total, rtol=1e-4, atol=1e-4):
        yield "a call that failed replaced a state"
    yield from host.call(SUMMED, 5, index=2)
    yield from host.call(COUNTED, 5)
    host.model.synchronize()


def states(host):
    """Two blocks of memory are written in turns: two graphs."""
    for expected in ({"instantiated": 1, "held": 1}, {"instantiated": 1, "held": 1}, {"replayed": 1}, {"replayed": 1}):
        yield from counted(host, lambda: host.call(COUNTED, 5), **expected)


def decisions(host):
    for go in (True, False, True):
        yield from counted(host, lambda: host.call(DECIDED, 5, go=go), launched=1)


def listener(folder):
    """Kernels are timed one by one."""
    names = []
    log = LOG(lambda data, event: names.append(event))
    host = Host(folder, log=ctypes.cast(log, ctypes.c_void_p))
    for _ in range(2):
        yield from counted(host, lambda: host.call(CHAIN, 5), launched=1)
    if not names:
        yield "nothing is logged"
    stream = host.library.emulated_stream_create()
    timed = Host(folder, stream, ctypes.cast(log, ctypes.c_void_p))
    host.library.emulated_begin_capture(ctypes.c_void_p(stream))
    yield from timed.refused(BAD_USAGE, "the context times launches", CHAIN, 5)
    host.library.emulated_exec_destroy(ctypes.c_void_p(host.library.emulated_end_capture(ctypes.c_void_p(stream))))
    timed.model.close()
    host.library.emulated_stream_destroy(ctypes.c_void_p(stream))
    host.model.close()


def captured_by_host(folder):
    other = Host(folder)
    library = other.library
    stream = library.emulated_stream_create()
    host = Host(folder, stream)
    host.call(CHAIN, 5)
    host.call(PICKED, 5)
    pointer = ctypes.c_void_p
    library.emulated_begin_capture(pointer(stream))
    run = lambda: [] if host.call(CHAIN, 9) else ["a captured call computes at once"]
    yield from counted(host, run, launched=1, captured=1)
    fails(host, turn=1)
    yield from host.refused(BAD_USAGE, "it replaces states", COUNTED, 5)
    yield from host.refused(BAD_USAGE, "it decides by values that it computes", DECIDED, 5)
    try:
        for name, dtype, shape, read in host.model.states():
            read(np.empty(shape, "float32").ctypes.data, 16)
        yield "a state is read while the stream is captured"
    except cuda_host.Refused as error:
        if error.status != BAD_USAGE or "waits for the device" not in str(error):
            yield str(error)
    graph = library.emulated_end_capture(pointer(stream))
    if not graph:
        yield "the capture of the host fails"
        return
    # Memory of the captured call stays where it is when a later call takes more.
    host.call(CHAIN, 30000)
    for _ in range(2):
        host.given(9, 0)[0][:] += 1
        library.emulated_launch(pointer(graph))
        yield from host.faults(CHAIN, 9)
        yield from reported(host.model.synchronize)
    yield from counted(host, lambda: host.call(CHAIN, 30000), replayed=1)
    library.emulated_launch(pointer(graph))
    yield from reported(lambda: host.call(CHAIN, 30000))
    library.emulated_exec_destroy(pointer(graph))
    host.model.close()
    other.model.close()
    library.emulated_stream_destroy(pointer(stream))


def made_while_captured(folder):
    """A context for a stream that the host captures: refused here, since the program has states."""
    other = Host(folder)
    library = other.library
    stream = library.emulated_stream_create()
    library.emulated_begin_capture(ctypes.c_void_p(stream))
    try:
        Host(folder, stream)
        yield "a context with states is made while its stream is captured"
    except cuda_host.Refused as error:
        if error.status != BAD_USAGE or "which has states, cannot be made while its stream is captured" not in str(error):
            yield f"{error.status}: {error}"
    graph = library.emulated_end_capture(ctypes.c_void_p(stream))
    if not graph:
        yield "the capture of the host fails"
    library.emulated_exec_destroy(ctypes.c_void_p(graph))
    other.model.close()
    library.emulated_stream_destroy(ctypes.c_void_p(stream))


def failing_contexts(folder):
    """What fails in one context is no matter of another one, and is not lost with its own."""
    first, second = Host(folder), Host(folder)
    fails(first)
    yield from second.call(PICKED, 5)
    second.model.synchronize()
    fails(second)
    yield from reported(first.model.synchronize)
    yield from first.call(PICKED, 5)
    yield from reported(second.model.synchronize)
    first.model.close()
    fails(second)
    try:
        second.model.close()
        yield "the end of a context does not report a failure"
    except cuda_host.Refused as error:
        if error.status != BAD_INPUT:
            yield f"the end of a context reports {error.status}"


def two_contexts(folder):
    first, second = Host(folder), Host(folder)
    for host in (first, second):
        yield from counted(host, lambda: host.call(CHAIN, 5), instantiated=1, held=1)
    for host in (first, second):
        yield from counted(host, lambda: host.call(CHAIN, 5), replayed=1)
    first.model.close()
    yield from second.call(CHAIN, 5)
    second.model.close()


def two_threads(folder):
    """A call on a context in use, while another call has come as far as its first kernel."""
    begun, done = threading.Event(), threading.Event()

    def wait(data, event):
        begun.set()
        done.wait(30)

    log = LOG(wait)
    host = Host(folder, log=ctypes.cast(log, ctypes.c_void_p))
    found = []
    thread = threading.Thread(target=lambda: found.extend(host.call(CHAIN, 5)))
    thread.start()
    begun.wait(30)
    yield from host.refused(BAD_USAGE, "the context is in use by another call", CHAIN, 5, turn=1)
    if host.library.mlgc_states_reset(host.model.context) != BAD_USAGE:
        yield "states are reset while a call runs"
    done.set()
    thread.join()
    yield from found
    yield from host.call(CHAIN, 5, turn=1)
    host.model.close()


def faults(folder):
    for case in (same_call, pointers, shapes, failures, tested_values, replaced_states, states, decisions, larger_memory):
        host = Host(folder)
        for line in case(host):
            yield f"{case.__name__}: {line}"
        host.model.close()
    for case in (listener, captured_by_host, made_while_captured, failing_contexts, two_contexts, two_threads):
        for line in case(folder):
            yield f"{case.__name__}: {line}"
    for what in ("graphs", "executable graphs", "streams", "pinned", "blocks"):
        if host.count(f"{what} held"):
            yield f"{host.count(f'{what} held')} {what} are not released"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mlgc", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.runtime = options.work / "runtime"
    options.programs = [emulated_test.HERE / "graphs.mlir"]
    folder = options.work / "graphs"
    wrong = emulated_test.build_runtime(options) or emulated_test.emit(options, options.programs[0], folder) or \
        emulated_test.build(options, folder)
    found = [wrong] if wrong else list(faults(folder))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

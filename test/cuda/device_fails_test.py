"""What a device refuses, planted in the emulation (emulated/cuda_runtime.h), ends calls of an emitted unit with the status that
says so: no memory, no device, a kernel that it has no code for, a launch, a copy. A wrong index stays bad input, and states stay as
they were.

Usage: device_fails_test.py --mlgc MLGC --work FOLDER [--compiler CXX]
Exit codes: 0 all is said, 1 something is not, 77 no numpy.
"""
import argparse
import os
import pathlib
import sys

import emulated_test
from emulated_test import cuda_host, np

BAD_INPUT, UNSUPPORTED, LIMIT, DEVICE = 1, 3, 5, 71
#What is planted while a model is made or called, and the status and text that follow.
MADE = [("device", UNSUPPORTED, "`device_fails` cannot run on device 0: no CUDA-capable device is detected"),
        ("copy", DEVICE, "weight `w`, 16 bytes, cannot be put on the device: invalid argument")]
CALLED = [("memory", 65536, 0, LIMIT, "bytes for temporaries of `forward`: out of memory"),
          ("device", 65536, 0, UNSUPPORTED, "bytes for temporaries of `forward`: no CUDA-capable device is detected"),
          ("image", 3, 0, UNSUPPORTED, "`forward`: no kernel image is available for execution on the device"),
          ("launch", 3, 0, DEVICE, "`forward`: too many resources requested for launch"),
          ("copy", 3, 0, DEVICE, "`forward`: invalid argument"),
          ("", 3, 7, BAD_INPUT, "`forward`: reading `"),
          ("", 3, 2, 0, "")]


def said(planted, action):
    """The status and text of what an action raises."""
    os.environ["MLGC_EMULATED_FAILS"] = planted
    try:
        action()
        return 0, ""
    except cuda_host.Refused as error:
        return error.status, str(error)
    finally:
        os.environ["MLGC_EMULATED_FAILS"] = ""


def call(model, rows, index):
    arrays = [np.ones((rows, 4), "float32"), np.array([index]), np.array(True)]
    run, outputs = model.prepare(0, [(array.ctypes.data, array.shape, array.nbytes) for array in arrays])
    run()
    for out in outputs:
        model.release(out.data)


def calls_counted(model):
    counted = np.zeros((), "int64")
    for _, _, _, read in model.states():
        read(counted.ctypes.data, counted.nbytes)
    return int(counted)


def faults(folder):
    for planted, status, text in MADE:
        found = said(planted, lambda: cuda_host.Model(folder))
        if found != (status, text):
            yield f"made with `{planted}` planted: {found}"
    model = cuda_host.Model(folder)
    before = calls_counted(model)
    for planted, rows, index, status, text in CALLED:
        counted = calls_counted(model)
        found = said(planted, lambda: call(model, rows, index))
        if found[0] != status or text not in found[1]:
            yield f"{rows} rows with `{planted}` planted: {found}"
        if calls_counted(model) != counted + (status == 0):
            yield f"{rows} rows with `{planted}` planted: the state is not as it was"
    if calls_counted(model) != before + 1:
        yield "the call that nothing was planted in did not count"
    model.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mlgc", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.runtime = options.work / "runtime"
    options.programs = [emulated_test.HERE / "device_fails.mlir"]
    folder = options.work / "device_fails"
    wrong = emulated_test.build_runtime(options) or emulated_test.emit(options, options.programs[0], folder) or \
        emulated_test.build(options, folder)
    found = [wrong] if wrong else list(faults(folder))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

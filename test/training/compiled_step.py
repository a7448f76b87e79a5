"""A compiled training step, run from Python with ctypes and numpy alone; the structures are those of
lib/runtime/mlgc.h, as the sample ir-samples/hosts/run_model.py has them."""
import ctypes
import pathlib
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ir-samples" / "hosts"))
from run_model import Tensor, checked  # noqa: E402

DTYPES = {np.dtype(np.int64): 5, np.dtype(np.float32): 8, np.dtype(np.float64): 9}


class StateInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("rank", c_int32),
                ("sizes", POINTER(c_int64)), ("bytes", c_size_t)]


def tensor_of(array):
    sizes = (c_int64 * array.ndim)(*array.shape)
    return Tensor(ctypes.sizeof(Tensor), array.ctypes.data, DTYPES[array.dtype], 0, 0, array.ndim, sizes, None,
                  array.nbytes)


class CompiledStep:
    """The first function of the model in `folder`, of the unit `name`, and the states of one context."""

    def __init__(self, folder, name):
        self.library = ctypes.CDLL(f"{folder}/model.so")
        self.library.mlgc_error.restype = c_char_p
        for function in ("mlgc_program_destroy", "mlgc_context_destroy"):
            getattr(self.library, function).restype = None
        unit = getattr(self.library, f"mlgc_unit_{name}")
        unit.restype = c_void_p
        error = ctypes.create_string_buffer(512)
        self.program, self.context = c_void_p(), c_void_p()
        checked(self.library.mlgc_program_create(c_void_p(unit()), None, byref(self.program), error, c_size_t(512)),
                error.value)
        checked(self.library.mlgc_context_create(self.program, None, byref(self.context), error, c_size_t(512)),
                error.value)

    def run(self, inputs, outputs):
        """Writes to the arrays of `outputs`."""
        given = (Tensor * len(inputs))(*map(tensor_of, inputs))
        written = (Tensor * len(outputs))(*map(tensor_of, outputs))
        checked(self.library.mlgc_run(self.context, 0, given, len(inputs), written, len(outputs)),
                self.library.mlgc_error(self.context))

    def states(self):
        """Copies of all states, by name."""
        found, dtypes = {}, {number: dtype for dtype, number in DTYPES.items()}
        for i in range(self.library.mlgc_state_count(self.program)):
            info = StateInfo(ctypes.sizeof(StateInfo))
            checked(self.library.mlgc_state(self.program, i, byref(info)), b"no such state")
            array = np.empty([info.sizes[k] for k in range(info.rank)], dtypes[info.dtype])
            checked(self.library.mlgc_state_read(self.context, i, c_void_p(array.ctypes.data), c_size_t(array.nbytes)),
                    self.library.mlgc_error(self.context))
            found[info.name.decode()] = array
        return found

    def close(self):
        self.library.mlgc_context_destroy(self.context)
        self.library.mlgc_program_destroy(self.program)

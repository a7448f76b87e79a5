"""A compiled training step, run from Python with ctypes and numpy alone; the structures are those of
lib/runtime/mlgc.h, as the sample ir-samples/hosts/run_model.py has them."""
import ctypes
import pathlib
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ir-samples" / "hosts"))
from run_model import Model, Tensor, checked  # noqa: E402

DTYPES = {np.dtype(np.int64): 5, np.dtype(np.float32): 8, np.dtype(np.float64): 9}


class StateInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("rank", c_int32),
                ("sizes", POINTER(c_int64)), ("bytes", c_size_t)]


def tensor_of(array):
    sizes = (c_int64 * array.ndim)(*array.shape)
    return Tensor(ctypes.sizeof(Tensor), array.ctypes.data, DTYPES[array.dtype], 0, 0, array.ndim, sizes, None,
                  array.nbytes)


class CompiledStep(Model):
    """The first function of the model in a folder, and the states of one context."""

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

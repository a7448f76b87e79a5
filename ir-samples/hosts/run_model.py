"""Runs a compiled model from Python with ctypes alone: python3 run_model.py model.mlgcx

The structures are those of lib/runtime/mlgc.h. Outputs are lent by the context and copied here; a program that calls
often brings its own memory (numpy's, by array.ctypes.data) and keeps the descriptions.
"""
import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_void_p

F32, CPU = 8, 0


class Tensor(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dtype", c_int32), ("device", c_int32),
                ("device_id", c_int32), ("rank", c_int32), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("bytes", c_size_t)]


def checked(status, message):
    if status != 0:
        raise RuntimeError(f"{message.decode()} (status {status})")


class Model:
    def __init__(self, folder, name):
        self.library = ctypes.CDLL(f"{folder}/model.so")
        for function in ("mlgc_program_name", "mlgc_error"):
            getattr(self.library, function).restype = c_char_p
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

    def run(self, function, rows, outputs):
        """Rows of floats in, `outputs` flat lists of floats out."""
        number = self.library.mlgc_find_function(self.program, function.encode())
        flat = [value for row in rows for value in row]
        data, sizes = (c_float * len(flat))(*flat), (c_int64 * 2)(len(rows), len(rows[0]))
        given = Tensor(ctypes.sizeof(Tensor), ctypes.cast(data, c_void_p), F32, CPU, 0, 2, sizes, None,
                       ctypes.sizeof(data))
        results = (Tensor * outputs)(*(Tensor(ctypes.sizeof(Tensor)) for _ in range(outputs)))
        checked(self.library.mlgc_run(self.context, number, byref(given), 1, results, outputs),
                self.library.mlgc_error(self.context))
        values = []
        for result in results:
            count = result.bytes // ctypes.sizeof(c_float)
            values.append(list((c_float * count).from_address(result.data)))
            self.library.mlgc_release(self.context, c_void_p(result.data))
        return values

    def close(self):
        self.library.mlgc_context_destroy(self.context)
        self.library.mlgc_program_destroy(self.program)


def main():
    model = Model(sys.argv[1] if len(sys.argv) > 1 else "model.mlgcx", "sample")
    print(model.library.mlgc_program_name(model.program).decode())
    print(model.run("forward", [[1, -1, 1, 1], [2, 2, 2, -2]], outputs=2))
    try:
        model.run("forward", [[1, 2, 3]], outputs=2)
    except RuntimeError as error:
        print(error)
    model.close()


if __name__ == "__main__":
    main()

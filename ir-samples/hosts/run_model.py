#!/usr/bin/env python3
"""Runs a compiled model from Python with ctypes alone.

    run_model.py MODEL.mlgcx [FUNCTION] [SIZE=N ...]

MODEL.mlgcx is a folder that `mlgc compile` wrote: any one, since its manifest names the unit and says what functions take.
Inputs are made up here: 0, 1, 2, … in turns, in the sizes that are given (2 where they are not). The structures are those of
lib/runtime/mlgc.h. Outputs are lent by the context and copied; a program that calls often brings its own memory (numpy's, by
array.ctypes.data) and keeps the descriptions.
"""
import ctypes
import itertools
import json
import math
import pathlib
import struct
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p

CPU = 0
# enum mlgc_dtype, and how Python's struct writes an element.
DTYPES = {"i1": (0, "?"), "i8": (1, "b"), "ui8": (2, "B"), "i16": (3, "h"), "i32": (4, "i"), "i64": (5, "q"),
          "f16": (6, "e"), "bf16": (7, "H"), "f32": (8, "f"), "f64": (9, "d")}


class Tensor(Structure):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dtype", c_int32), ("device", c_int32),
                ("device_id", c_int32), ("rank", c_int32), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("bytes", c_size_t)]


def checked(status, message):
    if status != 0:
        raise RuntimeError(f"{message.decode()} (status {status})")


def extents(value, sizes):
    """Of an input or output of the manifest: numbers, and expressions over sizes in brackets."""
    names = {"__builtins__": {}, "max": max, "min": min}
    return [eval(dim.strip("[]").replace("floordiv", "//").replace("mod", "%"), names, sizes) for dim in value["dims"]]


def packed(dtype, numbers):
    if dtype == "bf16":  # the upper half of a f32
        numbers = [struct.unpack("<HH", struct.pack("<f", number))[1] for number in numbers]
    return struct.pack(f"{len(numbers)}{DTYPES[dtype][1]}", *numbers)


def unpacked(dtype, data):
    letter = DTYPES[dtype][1]
    numbers = struct.unpack(f"{len(data) // struct.calcsize(letter)}{letter}", data)
    if dtype == "bf16":
        numbers = [struct.unpack("<f", struct.pack("<HH", 0, number))[0] for number in numbers]
    return list(numbers)


def outputs_of(function):
    """What a call gives; what replaces a state stays in the context."""
    return [value for value in function["outputs"] if not value.get("updates", "").startswith("@")]


class Model:
    def __init__(self, folder):
        self.manifest = json.loads(pathlib.Path(folder, "manifest.json").read_text(encoding="utf-8"))
        self.functions = {function["name"]: function for function in self.manifest["functions"]}
        self.library = ctypes.CDLL(str(pathlib.Path(folder, "model.so").resolve()))
        self.library.mlgc_error.restype = c_char_p
        for function in ("mlgc_program_destroy", "mlgc_context_destroy"):
            getattr(self.library, function).restype = None
        unit = getattr(self.library, self.manifest["unit"])
        unit.restype = c_void_p
        error = ctypes.create_string_buffer(512)
        self.program, self.context = c_void_p(), c_void_p()
        checked(self.library.mlgc_program_create(c_void_p(unit()), None, byref(self.program), error, c_size_t(512)),
                error.value)
        checked(self.library.mlgc_context_create(self.program, None, byref(self.context), error, c_size_t(512)),
                error.value)

    def run(self, name, inputs):
        """Inputs are pairs of sizes and flat lists of numbers, in the order of the function; so are the results."""
        function = self.functions[name]
        given, memory = (Tensor * len(inputs))(), []
        for tensor, (shape, numbers), value in zip(given, inputs, function["inputs"], strict=True):
            content = packed(value["dtype"], numbers)
            data = ctypes.create_string_buffer(content)
            sizes = (c_int64 * len(shape))(*shape)
            memory.append((data, sizes))
            tensor.__init__(ctypes.sizeof(Tensor), ctypes.cast(data, c_void_p), DTYPES[value["dtype"]][0], CPU, 0, len(shape),
                            sizes, None, len(content))
        outputs = outputs_of(function)
        results = (Tensor * len(outputs))(*(Tensor(ctypes.sizeof(Tensor)) for _ in outputs))
        number = self.library.mlgc_find_function(self.program, name.encode())
        checked(self.library.mlgc_run(self.context, number, given, len(inputs), results, len(outputs)),
                self.library.mlgc_error(self.context))
        values = []
        for result, value in zip(results, outputs, strict=True):
            numbers = unpacked(value["dtype"], ctypes.string_at(result.data, result.bytes))
            values.append((list(result.sizes[:result.rank]), numbers))
            self.library.mlgc_release(self.context, c_void_p(result.data))
        return values

    def close(self):
        self.library.mlgc_context_destroy(self.context)
        self.library.mlgc_program_destroy(self.program)


def made_up(value, sizes):
    shape = extents(value, sizes)
    period = 3 if value["dtype"].startswith("f") else 2  # whole numbers may be positions
    return shape, list(itertools.islice(itertools.cycle(range(period)), math.prod(shape)))


def text_of(name, value, shape, numbers):
    shown = ", ".join(f"{number:.6g}" for number in numbers[:8]) + (", …" if len(numbers) > 8 else "")
    return f"{name}: {'x'.join(map(str, [*shape, value['dtype']]))} = [{shown}]"


def main():
    words = sys.argv[1:]
    if not words or words[0].startswith("-"):
        print(__doc__)
        return 0 if words[:1] in (["--help"], ["-h"]) else 2
    model = Model(words[0])
    name = next((word for word in words[1:] if "=" not in word), next(iter(model.functions)))
    if name not in model.functions:
        print(f"{words[0]} has no function {name}; it has {', '.join(model.functions)}", file=sys.stderr)
        return 1
    function = model.functions[name]
    sizes = {symbol["name"]: max(2, symbol["low"]) for symbol in function["symbols"]}
    sizes.update((word.split("=")[0], int(word.split("=")[1])) for word in words[1:] if "=" in word)
    inputs = [made_up(value, sizes) for value in function["inputs"]]
    for value, (shape, numbers) in zip(function["inputs"], inputs, strict=True):
        print(text_of(value["name"], value, shape, numbers))
    try:
        results = model.run(name, inputs)
    except RuntimeError as error:
        print(f"{words[0]}: {error}", file=sys.stderr)
        return 1
    finally:
        model.close()
    for value, (shape, numbers) in zip(outputs_of(function), results, strict=True):
        print(text_of(value["name"], value, shape, numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes archives of arrays without names to the folder that is named."""
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
a, b = numpy.array([1, 2], "f4"), numpy.array([10, 20], "f4")
numpy.savez(folder / "order.npz", a, b)
numpy.savez(folder / "one.npz", a)
numpy.savez(folder / "three.npz", a, b, b)
numpy.savez(folder / "wide.npz", a, b.astype("f8"))

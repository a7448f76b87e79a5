"""Writes an .npz whose only member has 256 MiB behind the header of one number."""
import io
import sys
import zipfile

import numpy

header = io.BytesIO()
numpy.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": ()})
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
    member.write(header.getvalue())
    for _ in range(256):
        member.write(bytes(1 << 20))

"""Writes the GGUF files of gguf.test into the current folder."""

import pathlib
import struct

F32, Q8_0 = 0, 8


def text(content):
    return struct.pack("<Q", len(content)) + content.encode()


def pair(key, value):
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return text(key) + struct.pack(f"<IIQ{len(value)}I", 9, 4, len(value), *value)
    return text(key) + struct.pack("<II", 4, value)


def write(name, metadata, tensors, cut=0):
    """tensors: (name, sizes, type, bytes), 32 bytes apart."""
    head, data = b"", b""
    for tensor, sizes, kind, content in tensors:
        head += text(tensor) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(data))
        data += content + bytes(-len(content) % 32)
    pairs = b"".join(pair(key, value) for key, value in metadata.items())
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + pairs + head
    whole = start + bytes(-len(start) % 32) + data
    pathlib.Path(name).write_bytes(whole[: len(whole) - cut])


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


block = struct.pack("<e32b", 1.0, *range(32))
query = ("blk.0.attn_q.bias", [8], F32, floats(*range(8)))
embedding = ("token_embd.weight", [4], F32, floats(1, 2, 3, 4))
llama = {"general.architecture": "llama", "llama.attention.head_count": 2}
write("own.gguf", {}, [("w", [32], Q8_0, block)])
write("short.gguf", {}, [("w", [32], Q8_0, block)], cut=31)
write("llama.gguf", llama, [query, embedding])
write("heads.gguf", llama | {"llama.attention.head_count": 3}, [query, embedding])
write("part.gguf", llama, [query, ("blk.0.ffn_up.weight", [1], F32, floats(1))])
write("by_layer.gguf", llama | {"llama.attention.head_count_kv": [2]}, [("blk.0.attn_k.bias", [8], F32, floats(*range(8)))])
write("twice.gguf", llama, [query, embedding, ("model.embed_tokens.weight", [4], F32, floats(9, 9, 9, 9))])

"""The driver's op table (`mlgc ops --format=json`) as signatures of Python: one op, one place, and that is there."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import math
import struct
from collections.abc import Sequence
from typing import Any

from mlgc import driver
from mlgc.errors import UsageError

VERSION = 1  # of the table that this reads


@dataclasses.dataclass(frozen=True)
class Operand:
    """An operand of a row."""

    name: str
    elements: str  # what it accepts
    variadic: bool
    optional: bool


@dataclasses.dataclass(frozen=True)
class Attribute:
    """kind: as the driver names it. instead_of: the operand that this number stands for."""

    name: str
    kind: str
    required: bool
    default: str
    choices: str
    instead_of: str
    summary: str


@dataclasses.dataclass(frozen=True)
class Op:
    """A row. results: how many; None: it depends."""

    name: str
    summary: str
    tier: str
    formula: str
    operands: tuple[Operand, ...]
    attributes: tuple[Attribute, ...]
    results: int | None
    result_names: tuple[str, ...]
    traits: tuple[str, ...]
    example: str
    no_gradient: str
    regions: int

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """Operands, then attributes by keyword, then `name` of the result and `types` that are stated."""
        parameter, kinds = inspect.Parameter, inspect.Parameter
        made = []
        for operand in self.operands:
            kind = kinds.VAR_POSITIONAL if operand.variadic else kinds.POSITIONAL_OR_KEYWORD
            numbered = any(attribute.instead_of == operand.name for attribute in self.attributes)
            annotation = "Value | float" if numbered else "Value"
            made.append(parameter(operand.name, kind, annotation=annotation, default=None if operand.optional else parameter.empty))
        taken = {operand.name for operand in self.operands}
        for attribute in self.attributes:
            if attribute.name not in taken:
                default = parameter.empty if attribute.required else _shown(attribute)
                made.append(parameter(attribute.name, kinds.KEYWORD_ONLY, annotation=_ANNOTATIONS.get(attribute.kind, "Any"), default=default))
        made += [parameter(name, kinds.KEYWORD_ONLY, annotation=annotation, default=None)
                 for name, annotation in (("name", "str | None"), ("types", "str | Sequence[str] | None")) if name not in taken]
        return inspect.Signature(made, return_annotation="Value" if self.results == 1 else "tuple[Value, ...]")

    @functools.cached_property
    def documentation(self) -> str:
        """As a docstring: what it computes, operands, attributes, results, an example."""
        lines = [self.summary, ""]
        if self.formula:
            lines += [f"Formula: {self.formula}", ""]
        for operand in self.operands:
            count = "any number of " if operand.variadic else "optional, " if operand.optional else ""
            lines.append(f"{operand.name}: {count}{operand.elements}")
        for attribute in self.attributes:
            if attribute.instead_of:
                lines.append(f"{attribute.instead_of}: or a number")
                continue
            default = f", default {attribute.default}" if attribute.default else "" if attribute.required else ", optional"
            choices = f", one of {attribute.choices}" if attribute.choices else ""
            lines.append(f"{attribute.name}: {attribute.kind}{default}{choices}{': ' + attribute.summary if attribute.summary else ''}")
        if self.result_names:
            lines.append(f"Returns ({', '.join(self.result_names)}).")
        if "binds a size" in self.traits:
            lines.append('types: the type of the result, with a new name for the size that depends on data: "tensor<[N]x2xi64>"')
        if self.no_gradient:
            lines.append(f"No gradient: {self.no_gradient}")
        return "\n".join([*lines, "", f"Example: {self.example}"])


_ANNOTATIONS = {"boolean": "bool", "integer": "int | str", "real": "float", "number": "float", "list of integers": "Sequence[int | str]",
                "list of reals": "Sequence[float]", "list of strings": "Sequence[str]", "string": "str", "dtype": "str"}


def _shown(attribute: Attribute) -> Any:
    """A default as Python writes it; a default that is another attribute, or none, is None."""
    text = {"true": "True", "false": "False"}.get(attribute.default, attribute.default)
    if attribute.kind == "dtype":
        return text or None
    try:
        return json.loads(attribute.default) if attribute.default else None
    except ValueError:
        return None


@functools.lru_cache(maxsize=4)
def _table(identity: str) -> dict[str, Op]:
    record = driver.run_json(["ops", "--format=json"])
    if record["version"] != VERSION:
        raise UsageError(f"the op table of {driver.find()} has version {record['version']}; this package reads {VERSION}")
    made = {}
    for row in record["ops"]:
        made[row["name"]] = Op(row["name"], row["summary"], row["tier"], row["formula"],
                               tuple(Operand(entry["name"], entry["elements"], entry["variadic"], entry["optional"]) for entry in row["operands"]),
                               tuple(Attribute(**entry) for entry in row["attributes"]), row["results"] if row["results"] >= 0 else None,
                               tuple(row["result_names"]), tuple(row["traits"]), row["example"], row["no_gradient"], len(row["regions"]))
    return made


def table() -> dict[str, Op]:
    """All rows by name, in their order, of the driver that is found now."""
    return _table(driver.identity())


def computing() -> dict[str, Op]:
    """Those that compute tensors from tensors: no functions, regions, loops over buffers, or names with a dot."""
    return {name: op for name, op in table().items() if op.tier != "structural" and not op.regions and name.isidentifier()}


# --- values as the text form writes them

_BITS = {"f16": ("<e", "<H", 4), "f32": ("<f", "<I", 8), "f64": ("<d", "<Q", 16)}


def float_text(value: float, dtype: str = "f64") -> str:
    """A float; NaN and infinities as the bits of a dtype."""
    if math.isfinite(value):
        text = repr(float(value))
        return text if "." in text or "e" in text else text + ".0"
    if dtype == "bf16":
        return f"0x{struct.unpack('<I', struct.pack('<f', value))[0] >> 16:04X}"
    layout, word, digits = _BITS[dtype]
    return f"0x{struct.unpack(word, struct.pack(layout, value))[0]:0{digits}X}"


def string_text(value: str) -> str:
    """In quotes."""
    return json.dumps(value, ensure_ascii=False)


def dtype_text(value: Any) -> str:
    """`f32` of "f32", torch.float32 or numpy.float32. UsageError: it is none of the text form's."""
    names = {"bool": "i1", "int8": "i8", "uint8": "ui8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16", "bfloat16": "bf16",
             "float32": "f32", "float64": "f64"}
    text = (value if isinstance(value, str) else getattr(value, "__name__", str(value))).removeprefix("torch.")
    found = names.get(text, text)
    if found not in names.values():
        raise UsageError(f"there is no element type {value!r}; there are {', '.join(names.values())}")
    return found


def _one_integer(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} is neither an integer nor an expression over sizes, such as \"S - 1\"")
    return str(value.__index__())


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    number = float(value)
    return float_text(number) if math.isfinite(number) else f"{float_text(number)} : f64"


def attribute_text(attribute: Attribute, value: Any) -> str:
    """A value of an attribute as the text form writes it. TypeError: it is nothing of the attribute's kind."""
    listed: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    kind = attribute.kind
    try:
        if kind == "boolean":
            return "true" if value else "false"
        if kind == "integer":
            text = _one_integer(value)
            return f"[{text}]" if isinstance(value, str) else text
        if kind in ("real", "number"):
            return _number(value)
        if kind == "list of integers":
            return "[" + ", ".join(map(_one_integer, listed)) + "]"
        if kind == "list of reals":
            return "[" + ", ".join(float_text(float(item)) for item in listed) + "]"
        if kind == "list of strings":
            return "[" + ", ".join(map(string_text, listed)) + "]"
        if kind == "dtype":
            return dtype_text(value)
        if kind == "string":
            return string_text(str(value))
    except (TypeError, ValueError) as error:
        raise TypeError(f"{attribute.name}: {error}") from None
    raise TypeError(f"{attribute.name}: a {kind} cannot be given from Python")

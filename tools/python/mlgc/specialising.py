"""Sizes that a captured graph fixes without saying so: specialised, each with a guard.

A layer behind a flattened picture asks for `8*(s0//4)*(s1//4) == 392`. Few sizes satisfy such an equation, and nothing that the
driver can use follows from it while they vary, so an operator that needs it would run in PyTorch. Here its sizes become what they are
in the call that is captured; Dynamo captures again where another call has others.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy
import torch
from torch.utils._sympy import functions as torch_sympy


def specialise(inputs: Sequence[Any]) -> list[str]:
    """Fixes the sizes of these inputs that an equation of the trace leaves few values. What was fixed, and why, as texts."""
    sizes: dict[sympy.Symbol, torch.SymInt] = {}
    environments: dict[int, Any] = {}
    for size in _sizes(inputs):
        environments[id(size.node.shape_env)] = size.node.shape_env
        if size.node.expr.is_Symbol:
            sizes.setdefault(size.node.expr, size)
    found = []
    for environment in environments.values():
        for guard in list(environment.guards):
            relation = guard.expr
            if not isinstance(relation, sympy.Eq) or not _leaves_few(relation):
                continue
            # An equation before may have fixed some.
            for symbol in sorted(relation.free_symbols & sizes.keys(), key=str):
                if isinstance(sizes[symbol].node.expr, sympy.Symbol):
                    found.append(f"{symbol} is {int(sizes[symbol])}: {relation.lhs} == {relation.rhs}")
    return found


def _sizes(inputs: Iterable[Any]) -> Iterable[torch.SymInt]:
    for value in inputs:
        for size in value.shape if isinstance(value, torch.Tensor) else [value]:
            if isinstance(size, torch.SymInt):
                yield size


def _leaves_few(relation: sympy.Eq) -> bool:
    """Whether one side is a number, and the other grows with each of its sizes and is not linear: from a linear one the driver
    infers what it needs."""
    sides = sorted(relation.args, key=lambda side: not side.is_Integer)
    return bool(sides[0].is_Integer) and int(sides[0]) > 0 and _grows(sides[1]) and not _linear(sides[1])


def _grows(expr: sympy.Expr) -> bool:
    """Whether it is unbounded in each of its sizes, which are not negative. Its factors are not 0 where it is a positive number."""
    if expr.is_Symbol or (expr.is_Integer and int(expr) > 0):
        return True
    if isinstance(expr, sympy.Add):
        return all(part.is_Integer or _grows(part) for part in expr.args)
    if isinstance(expr, sympy.Mul):
        return all(map(_grows, expr.args))
    if isinstance(expr, sympy.Pow):
        return expr.exp.is_Integer and int(expr.exp) > 0 and _grows(expr.base)
    return isinstance(expr, torch_sympy.FloorDiv) and expr.args[1].is_Integer and int(expr.args[1]) > 0 and _grows(expr.args[0])


def _linear(expr: sympy.Expr) -> bool:
    return all(expr.coeff(symbol).is_Integer for symbol in expr.free_symbols) and not (
        expr - sum(expr.coeff(symbol) * symbol for symbol in expr.free_symbols)).free_symbols

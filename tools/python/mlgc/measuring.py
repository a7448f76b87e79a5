"""Times of several systems side by side: rounds of short blocks, and what can be said of them (docs/benchmarking.md).

No torch here, and no clock: who runs a block says how long it took.
"""
from __future__ import annotations

import dataclasses
import gc
import math
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

BLOCK_SECONDS, LEAST_ROUNDS, MOST_ROUNDS, LEAST_UNDISTURBED = 0.01, 7, 400, 5


@dataclasses.dataclass(frozen=True)
class Block:
    """`calls` calls in a row. Seconds of all of them; disturbed: the system took the core away meanwhile."""

    seconds: float
    calls: int
    disturbed: bool

    @property
    def per_call(self) -> float:
        """Seconds."""
        return self.seconds / self.calls


class System(Protocol):
    """What is measured: runs one call that is not timed, then `calls` that are."""

    def block(self, calls: int) -> Block: ...


def timed(call: Callable[[], Any], calls: int) -> Block:
    """A block in this process, without the garbage collector."""
    call()
    gc.disable()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    begun = time.perf_counter()
    for _ in range(calls):
        call()
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    gc.enable()
    return Block(seconds, calls, after > before)


def rounds(systems: Sequence[System], seconds: float, block_seconds: float = BLOCK_SECONDS) -> list[list[Block]]:
    """Blocks by system: in each round one of every system, beginning with another one each time, until each was timed for `seconds`.
    Blocks have as many calls as `block_seconds` hold.

    Whatever a system's block() raises.
    """
    once = [system.block(1).per_call for system in systems]
    calls = [max(1, round(block_seconds / max(duration, 1e-7))) for duration in once]
    found: list[list[Block]] = [[] for _ in systems]
    for number in range(MOST_ROUNDS):
        if number >= LEAST_ROUNDS and all(sum(block.seconds for block in blocks) >= seconds for blocks in found):
            break
        for place in range(len(systems)):
            turn = (number + place) % len(systems)
            found[turn].append(systems[turn].block(calls[turn]))
    return found


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Low and high end of what holds the true median with 95 % probability, by order statistics (lib/bench/statistics.cpp), and
    the probability that it has, which is less where there are few values."""
    ordered, n = sorted(values), len(values)

    def below(k: int) -> float:
        return sum(math.comb(n, i) for i in range(k)) / float(2**n)

    k = 0
    while 2 * (k + 1) < n and 1 - 2 * below(k + 2) >= 0.95:
        k += 1
    return ordered[k], ordered[n - 1 - k], 1 - 2 * below(k + 1)


def undisturbed(rows: Sequence[Sequence[Block]]) -> list[Sequence[Block]]:
    """Rounds in which no block was disturbed; all of them, where fewer than five others are left."""
    kept = [row for row in rows if not any(block.disturbed for block in row)]
    return kept if len(kept) >= LEAST_UNDISTURBED else list(rows)


def summary(blocks: Sequence[Block]) -> dict[str, Any]:
    """Seconds of a call: `median` with `low` and `high` end of its interval, `least`; and how many rounds that is of."""
    own = [row[0].per_call for row in undisturbed([(block,) for block in blocks])]
    low, high, coverage = interval(own)
    disturbed = sum(block.disturbed for block in blocks)
    return {"median": statistics.median(own), "low": low, "high": high, "coverage": coverage, "least": min(own), "rounds": len(own),
            "calls_per_round": blocks[0].calls, "disturbed": disturbed, "disturbed_used": disturbed > 0 and len(own) == len(blocks)}


def ratio(blocks: Sequence[Block], baseline: Sequence[Block]) -> dict[str, Any]:
    """Time over the baseline's, by rounds: below 1 it is the faster one."""
    found = [own.per_call / other.per_call for own, other in undisturbed(list(zip(blocks, baseline, strict=True)))]
    low, high, coverage = interval(found)
    return {"median": statistics.median(found), "low": low, "high": high, "coverage": coverage, "rounds": len(found)}


def break_even(first: float, steady: float, baseline_first: float, baseline_steady: float, faster: bool | None) -> dict[str, Any]:
    """From which call on all calls together have taken no longer than the baseline's. Seconds of the first call and of a later one.

    faster: whether a later call takes less time; None: the measurement does not tell. `pays_off`: "always", "never", "from-call",
    "until-call" (only so long), each of the latter with `calls`, or "unclear".
    """
    debt = first - baseline_first
    if faster is None:
        return {"pays_off": "unclear"}
    if not faster:
        if debt > 0:
            return {"pays_off": "never"}
        return {"pays_off": "until-call", "calls": 1 + math.floor(-debt / max(steady - baseline_steady, 1e-12))}
    if debt <= 0:
        return {"pays_off": "always"}
    return {"pays_off": "from-call", "calls": 1 + math.ceil(debt / max(baseline_steady - steady, 1e-12))}


def break_even_text(found: dict[str, Any]) -> str:
    """For a table: `at once`, `after 12 calls`, `for 12 calls`, `never`, `unclear`."""
    calls = f"{found.get('calls', 0):,}"
    payoff = str(found["pays_off"])
    return {"always": "at once", "from-call": f"after {calls} calls", "until-call": f"for {calls} calls"}.get(payoff, payoff)


def time_text(seconds: float) -> str:
    """Three digits and a unit: `1.31 s`, `4.98 ms`, `748 us`."""
    unit, factor = next(((unit, factor) for unit, factor in (("s", 1.0), ("ms", 1e3)) if seconds * factor >= 1), ("us", 1e6))
    amount = seconds * factor
    return f"{amount:.0f} {unit}" if amount >= 100 else f"{amount:.3g} {unit}"

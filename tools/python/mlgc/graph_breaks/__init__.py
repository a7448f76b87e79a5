"""Graph breaks: where torch.compile leaves the graph, why, what to write instead, and the source repaired where that is mechanical.

    print(mlgc.breaks(f, x))
    python -m mlgc breaks model.py:f --inputs=2x3xf32
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlgc import driver
from mlgc.graph_breaks.repair import Repair, Repairer, explain
from mlgc.graph_breaks.report import Report
from mlgc.graph_breaks.subject import Subject, disagreement

__all__ = ["Report", "breaks"]


def breaks(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Report:
    """Calls a function or module under torch.compile and explains each break of the graph.

    It is called several times, with copies of the arguments and of the module; what else it changes, it changes in each call. What it
    prints is kept back. Repairs are tried by running the changed code in place of the functions in this process, which get their own code
    back. Dynamo's caches are emptied. Nothing is written: Report.write() does that.

    DriverNotFound: there is nothing to compile with. UsageError: it cannot be called with these arguments, or the call raises in eager.
    """
    driver.find()
    subject = Subject(function, args, kwargs)
    eager = subject.eager()
    before, outcome = subject.observe("mlgc")
    if not before.pieces and not before.breaks:  # Dynamo has left it alone: what it says when it must not
        strict, _ = subject.observe("eager", fullgraph=True)
        before.breaks += strict.breaks
        for raw in before.breaks:
            raw.place = raw.place or subject.place
    findings = [explain(raw, subject) for raw in before.breaks]
    if eager is None:
        for finding in findings:
            finding.declined = "eager compiles this part too, and fails at it, so that there is no result to compare with"
        return Report(subject, before, Repair(findings, [], {}, left=findings), "", "")
    made = Repairer(subject, eager).run(findings)
    exact = subject.exact()
    agreed = disagreement(outcome, eager, exact) if outcome is not None else f"it raises {type(before.error).__name__}: {before.error}"
    repaired = ""
    if made.after is not None:
        repaired = (disagreement(made.outcome, eager, exact) if made.outcome is not None else
                    f"it raises {type(made.after.error).__name__}: {made.after.error}")
    return Report(subject, before, made, agreed, repaired)

"""What scripts/op-coverage --gradients found: the last section of docs/coverage.md."""

import collections

import coverage_report as report

OUTCOMES = (*report.COMPARED, "not compared", "not differentiable", "not exportable")
TITLE = "## Gradients"
HEAD = f"""{TITLE}

`scripts/op-coverage --gradients` makes programs of gradients of the same samples in f64, as training runs them: the inputs
are a sample's tensors and a random cotangent for every result that has a gradient, the results are those results and what
PyTorch's autograd sends back to every input of which the sample says that it is to be differentiated. The graph is recorded
below autograd and decomposed, so forward and backward are operators of core ATen where they have a decomposition; attention
takes the `MATH` kernel, as a training export has to. The judge is autograd in f64 on the operator itself. These are the
gradients of PyTorch's graphs. The gradients that mlgc derives are held against autograd row by row, by
`scripts/compare-aten`. This section is written by

    .venv/bin/python scripts/op-coverage --gradients --programs build/release/test/aten/compare_programs \\
        --markdown docs/coverage.md

with {{key}} of an operator at most.

"""

OUTCOME_TEXT = """
`not differentiable` are samples without a result that has a gradient, or with a derivative that PyTorch does not have.
The other outcomes are those of the values.
"""

SHARE_TEXT = """
Share over census overloads and named composites: {agree} of {count} samples agree ({share}). These are the samples whose
results come from overloads of the census alone, however they are differentiated, and the samples of the composites listed
at the end. Of the {training} overloads that the census finds only in training graphs (`t` below), {met} are met here and
{whole} of them agree on all of their samples.
"""

COMPOSITES_TEXT = """
### Named composites

One row an operator of `op_db`.
"""


def section(records, key):
    overloads, models, training = report.by_overload(records), report.census(), report.training_census()
    lines = [HEAD.format(key=key).rstrip(), ""]
    lines += report.table(["samples", *OUTCOMES, "agree of compared"],
                          [(sum(row), *row, part) for _, _, row, part in report.totals(records, OUTCOMES)])
    lines += [OUTCOME_TEXT.rstrip(), share_text(records, overloads, models, training).rstrip(), ""]
    lines += report.table(["what of the share does not agree", "samples", "reason"], left_rows(records, set(models)))
    lines += ["", "### Overloads", ""]
    rows = []
    for (_, name), row in sorted(overloads.items()):
        rows.append([*report.overload_row(name, row, ["f64"], models)])
        rows[-1][1] = f"{rows[-1][1]} t" if name in training else rows[-1][1]
    lines += report.table(["overload", "models", "f64", "share", "what does not agree"], rows)
    lines += [COMPOSITES_TEXT.rstrip(), ""]
    lines += report.table(["operator", "f64", "share", "what does not agree"], composite_rows(records))
    lines += ["", "### What is not differentiable or not exported", ""]
    lines += report.table(["operators of op_db", "samples", "reason"],
                          [*report.refusals(records, "not differentiable"), *report.refusals(records)])
    return "\n".join(lines) + "\n"


# Differences that are understood, by operator.
UNDERSTOOD = {
    "nn.functional.normalize": "along an axis of one element the gradient is 0 and both sides are what rounding leaves of "
                               "terms that cancel",
}
COMPLEX = {"aten.view_as_real.default", "aten.view_as_complex.default", "aten.complex.default"}


def left_rows(records, census):
    """What of the named samples does not agree, by reason, most samples first."""
    found = collections.defaultdict(list)
    for r in records:
        if r["blamed"] and is_named(r, census):
            note = "complex numbers come in only as calls of PyTorch" if COMPLEX.intersection(r["overloads"]) else (
                f"{r['outcome']}: {r['detail']}")
            found[f"{note}; {UNDERSTOOD[r['op']]}" if r["op"] in UNDERSTOOD else note].append(r["op"])
    for reason, ops in sorted(found.items(), key=lambda x: (-len(x[1]), x[0])):
        yield ", ".join(f"`{op}`" for op in sorted(set(ops))), len(ops), reason


def is_named(record, census):
    forward = record["forward"]
    return bool(report.COMPOSITES.match(record["op"]) or (forward and census.issuperset(forward)))


def compared(records):
    counted = [r for r in records if r["outcome"] in report.COMPARED]
    return sum(r["outcome"] == "agrees" for r in counted), len(counted)


def share_text(records, overloads, models, training):
    agree, count = compared([r for r in records if is_named(r, set(models))])
    rows = {name: row.compared("f64") for (_, name), row in overloads.items() if name in training}
    met = [name for name, (_, n) in rows.items() if n]
    return SHARE_TEXT.format(agree=agree, count=count, share=report.share(agree, count), training=len(training),
                             met=len(met), whole=sum(rows[name][0] == rows[name][1] for name in met))


def composite_rows(records):
    by_op = collections.defaultdict(list)
    for r in records:
        if report.COMPOSITES.match(r["op"]):
            by_op[r["op"]].append(r)
    for op, own in sorted(by_op.items()):
        agree, count = compared(own)
        reasons = collections.Counter(f"{r['outcome']}: {r['detail']}" for r in own if r["blamed"])
        yield f"`{op}`", f"{agree}/{count}", report.share(agree, count), report.reasons_text(reasons)


def summary(records):
    agree, count = compared([r for r in records if is_named(r, set(report.census()))])
    return (report.summary(records, OUTCOMES) + "\nof census overloads and named composites: "
            f"{agree} of {count} samples agree ({report.share(agree, count)})")


def replace_section(page, text):
    """The page with its section of gradients replaced, or added behind the rest."""
    return page.partition("\n" + TITLE)[0].rstrip("\n") + "\n" + (text and "\n" + text)


def section_of(page):
    """The section that a page holds, or nothing."""
    return "".join(page.partition("\n" + TITLE)[1:]).lstrip("\n")

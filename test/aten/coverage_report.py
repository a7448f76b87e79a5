"""What scripts/op-coverage found, as tables by ATen overload."""

import collections
import pathlib
import re

OUTCOMES = ("agrees", "fallback", "refused", "fails", "differs", "crash", "internal error", "not compared", "not exportable")
COMPARED = OUTCOMES[:7]
CENSUS = pathlib.Path(__file__).resolve().parents[2] / "lib" / "ops" / "aten_names.cpp"
MOST_REASONS = 2  # of an overload, in the table
# The composites that importers are measured by, as operators of op_db.
COMPOSITES = re.compile(
    r"(linalg\.)?vector_norm$|einsum$|__getitem__|index_put|scatter|gather$|sort$|topk$|cumsum$|(log_)?softmax|"
    r"nn\.functional\.(linear$|conv\w*|batch_norm|layer_norm|group_norm|instance_norm|rms_norm|gelu|silu|embedding|"
    r"embedding_bag|grid_sample|scaled_dot_product_attention|interpolate\.|upsample|pad\.|cross_entropy|nll_loss|"
    r"(adaptive_)?(avg|max)_pool\dd|unfold|fold)")

HEAD = """# Coverage of PyTorch's operators

`scripts/op-coverage` takes the samples that PyTorch's own tests use of every operator (`op_db`), makes a program of each
(its tensors are inputs), exports it at two levels, imports it with mlgc, evaluates it with the interpreter and compares
with PyTorch. What agrees is defined in `lib/tensor/compare.h`: the judge is PyTorch in f64, and a float result may be as
wrong as 4 ulp or twice what PyTorch is in the dtype itself. Level `export` is what `run_decompositions({})` gives, `core`
what `run_decompositions()` gives. This page is written by

    .venv/bin/python scripts/op-coverage --programs build/release/test/aten/compare_programs --markdown docs/coverage.md

"""

OUTCOME_TEXT = """
A sample `agrees`, agrees when the operators that mlgc does not have become calls of PyTorch (`fallback`,
`--fallback=allow`), is `refused` by the import with a located reason, with such calls too, `fails` in the interpreter,
`differs`, ends the process (`crash`) or breaks an invariant (`internal error`). `not compared` are samples that draw
random numbers (mlgc's follow from a key and are not PyTorch's) and those whose result is memory as it was found. `not
exportable` are samples that torch.export refuses; the reasons stand at the end.
"""

OVERLOAD_TEXT = """
One row an overload that stands in a program, with the samples that agree of those that are compared. A sample with several
overloads counts for each; one that is refused because of one of them counts for that one and is left out of the others.
`models` is the number of architectures of the census (`mlgc ops --summary`) that hold the operator at the core level.
"""


def totals(records, outcomes=OUTCOMES):
    count = collections.Counter((r["level"], r["dtype"], r["outcome"]) for r in records)
    for level, dtype in dict.fromkeys((r["level"], r["dtype"]) for r in sorted(records, key=lambda r: r["level"])):
        row = [count[level, dtype, outcome] for outcome in outcomes]
        judged = sum(row[:len(COMPARED)])
        yield level, dtype, row, share(row[0], judged) + (f", {share(sum(row[:2]), judged)} with calls" if row[1] else "")


def share(part, whole):
    if not whole:
        return "-"
    return "100 %" if part == whole else f"{min(100*part/whole, 99.9):.1f} %"


class Overload:
    def __init__(self):
        self.outcomes = collections.Counter()  # by dtype and outcome
        self.reasons = collections.Counter()

    def compared(self, *dtypes):
        agree = sum(self.outcomes[d, "agrees"] for d in dtypes)
        return agree, sum(self.outcomes[d, o] for d in dtypes for o in COMPARED)


def by_overload(records):
    """By level and overload."""
    table = collections.defaultdict(Overload)
    for r in records:
        for name in r["overloads"]:
            row = table[r["level"], name]
            if not r["blamed"] or name in r["blamed"]:
                row.outcomes[r["dtype"], r["outcome"]] += 1
            if name in r["blamed"]:
                row.reasons[reason_of(r, name)] += 1
    return table


def reason_of(record, overload):
    known = record["kind"] != "unknown-operators"
    text = record["detail"].replace(f"`{overload}`: ", "") if known else "the operator is not known"
    call = f"; as a call: {record['call']}" if record["call"] and record["call"] != record["detail"] else ""
    return f"{record['outcome']}: {text}{call}"


def summary(records, outcomes=OUTCOMES):
    lines = [f"{'level':<9}{'dtype':<6}" + "".join(f"{o:>{len(o) + 2}}" for o in outcomes) + "   agree of compared"]
    for level, dtype, row, part in totals(records, outcomes):
        lines.append(f"{level:<9}{dtype:<6}" + "".join(f"{n:>{len(o) + 2}}" for o, n in zip(outcomes, row)) + f"   {part}")
    return "\n".join(lines)


def census():
    return {name: int(count) for name, count in re.findall(r'\{"([\w.]+)", (\d+)\}', CENSUS.read_text())}


def training_census():
    """What the census finds only in training graphs."""
    rest = CENSUS.read_text().partition("// Of training graphs alone.")[2].partition("};")[0]
    return set(re.findall(r'\{"([\w.]+)", \d+\}', rest))


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|"*len(head)
    for row in rows:
        yield "| " + " | ".join(cell(str(x)) for x in row) + " |"


def markdown(records, key):
    dtypes = list(dict.fromkeys(r["dtype"] for r in records))
    overloads, models = by_overload(records), census()
    lines = [HEAD + f"with {key} of an operator in a dtype at most.", "", "## Totals", ""]
    lines += table(["level", "dtype", *OUTCOMES, "agree of compared"],
                   [(level, dtype, *row, part) for level, dtype, row, part in totals(records)])
    lines += [OUTCOME_TEXT.rstrip(), "", *named_shares(records, overloads, models)]
    lines += ["", "## Overloads", OVERLOAD_TEXT.rstrip()]
    for level in dict.fromkeys(level for level, _ in sorted(overloads)):
        lines += ["", f"### Level `{level}`", "", whole_overloads(overloads, level, models), ""]
        rows = []
        for (of, name), row in sorted(overloads.items()):
            if of == level:
                rows.append(overload_row(name, row, dtypes, models))
        lines += table(["overload", "models", *dtypes, "share", "what does not agree"], rows)
    lines += ["", "## What torch.export refuses", ""]
    lines += table(["operators of op_db", "samples", "reason"], refusals(records))
    return "\n".join(lines) + "\n"


def named_shares(records, overloads, models):
    """What the census's overloads and the named composites come to, a line each; then what is left of them."""
    rows = {name: row for (level, name), row in overloads.items() if level == "core" and name in models}
    census = [row.compared(*{d for d, _ in row.outcomes}) for row in rows.values()]
    agree, count = (sum(part) for part in zip(*census, strict=True)) if census else (0, 0)
    named = [r for r in records if r["level"] == "export" and COMPOSITES.match(r["op"]) and r["outcome"] in COMPARED]
    whole = sum(r["outcome"] == "agrees" for r in named)
    yield f"- Core overloads of the census: {agree} of {count} samples agree ({share(agree, count)})."
    yield (f"- Composites that importers are measured by, at level `export`: {whole} of {len(named)} samples of "
           f"{len({r['op'] for r in named})} operators agree ({share(whole, len(named))}).")
    left = collections.Counter(f"`{r['op']}` at level `{r['level']}`: {reason_of(r, '')}" for r in records
                               if r in named and r["outcome"] != "agrees" or r["level"] == "core" and models.keys() & r["blamed"])
    if left:
        yield from ["", "What of these does not agree:", ""]
        yield from table(["samples", "operator of op_db"], [(n, text) for text, n in left.most_common()])


def whole_overloads(overloads, level, models):
    compared = {name: row.compared(*{d for d, _ in row.outcomes}) for (of, name), row in overloads.items() if of == level}
    whole = [name for name, (agree, count) in compared.items() if agree == count and count]
    some = [name for name, (_, count) in compared.items() if count]
    known = [name for name in some if name in models]
    text = f"{len(whole)} of {len(some)} overloads agree on all of their samples"
    if level == "core":
        text += f"; of the {len(known)} among them that the census counts, {len(set(known) & set(whole))}"
    return text + "."


def overload_row(name, row, dtypes, models):
    parts = [row.compared(dtype) for dtype in dtypes]
    agree, count = row.compared(*dtypes)
    shown = reasons_text(row.reasons)
    return (f"`{name}`", models.get(name, ""), *(f"{a}/{n}" if n else "" for a, n in parts), share(agree, count), shown)


def reasons_text(counted):
    """The most frequent reasons."""
    reasons = [f"{n} {text}" for text, n in sorted(counted.items(), key=lambda x: (-x[1], x[0]))]
    return "; ".join(reasons[:MOST_REASONS]) + ("; …" if len(reasons) > MOST_REASONS else "")


def refusals(records, outcome="not exportable"):
    """What torch.export refuses, by reason, most samples first."""
    found = collections.defaultdict(lambda: [set(), 0])
    for r in records:
        if r["outcome"] == outcome:
            entry = found[re.sub(r"\d+", "N", r["detail"])]
            entry[0].add(r["op"])
            entry[1] += 1
    for reason, (ops, count) in sorted(found.items(), key=lambda x: (-x[1][1], x[0])):
        names = sorted(ops)
        yield ", ".join(f"`{n}`" for n in names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else ""), count, reason

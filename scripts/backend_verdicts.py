"""What scripts/backend-coverage, scripts/backend-models and scripts/zoo share: outcomes of cases run through `torch.compile(backend="mlgc")`.

    compiled            no node of it ran in PyTorch
    fallback            some did, with the reason of each
    not captured        Dynamo made no graph of all of it: a graph break, with its reason
    differs             a result does not agree (lib/tensor/compare.h)
    failed              an exception that eager does not raise
    nothing to compute  its results are views of its inputs
    not compared        eager refuses it, or PyTorch does not bring it to any compiler
"""
import collections
import contextlib
import io
import json
import re

OUTCOMES = ("compiled", "fallback", "not captured", "differs", "failed", "nothing to compute", "not compared")
OUT_OF_COUNT = ("not compared", "nothing to compute")


@contextlib.contextmanager
def capture_watched():
    """Gives a list that holds, afterwards, Dynamo's reasons for graph breaks inside."""
    from torch._dynamo import utils

    reasons = []
    utils.counters.clear()
    try:
        yield reasons
    finally:
        found = [text.strip().partition("\n")[0] for text in utils.counters["graph_break"]]
        # Optimisers ask for one around their step, which is captured behind it.
        reasons += [text for text in found if "torch._dynamo.graph_break()" not in text]
        frames = utils.counters["frames"]
        if not found and frames["total"] > frames["ok"]:
            reasons.append("Dynamo skips the function")


def verdict(results, eager, exact, records, breaks, drawn=False):
    """The outcome, of results, what the ledger has of them, and what capture_watched() gave. `exact` is computed in f64, `eager` in
    the case's own dtypes; of results that are drawn only shapes count."""
    import agreement
    import numpy
    from mlgc import driver

    if len(results) != len(eager) or any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(results, eager)):
        return {"outcome": "differs", "reason": "other shapes or dtypes than eager"}
    results, exact, eager = ([part for x in values for part in plain_parts(x)] for values in (results, exact, eager))
    comparable = [] if drawn else [i for i, x in enumerate(results) if str(x.dtype).removeprefix("torch.") in agreement.TYPES]
    array = lambda x: numpy.ascontiguousarray(x.resolve_neg().numpy())
    judged = [exact[i] if not results[i].is_floating_point() else exact[i].double() for i in comparable]
    found = agreement.differences(driver.find(), [array(results[i]) for i in comparable], [array(x) for x in judged],
                                  [array(eager[i]) for i in comparable])
    if found:
        return {"outcome": "differs", "reason": "; ".join(f"{comparable[i]}: {text}" for i, text in found.items())}
    if breaks or not records:
        return {"outcome": "not captured", "reason": breaks[0] if breaks else "Dynamo gives the backend no graph"}
    outside = [entry for record in records for entry in record.outside if entry["target"] != "operator.getitem"]
    if outside:
        return {"outcome": "fallback", "outside": [f"{entry['target']}: {entry['reason']}" for entry in outside]}
    return {"outcome": "compiled" if any(record.segments for record in records) else "nothing to compute"}


def first_line(error):
    """An exception as one line without a path."""
    lines = str(error).strip().splitlines() or [""]
    text = re.sub(r"/\S*/", "", lines[0])
    return f"{type(error).__name__}: {text[:200]}".rstrip(": ")


def plain_parts(x):
    """A tensor as dense ones of real numbers: a complex one as its two parts."""
    x = x.detach().to_dense().clone()  # a copy is no ZeroTensor
    return [x.resolve_conj().real, x.resolve_conj().imag] if x.is_complex() else [x]


class Log:
    """Records of cases, in a file of a JSON line each where there is one. What the file holds already counts as done, so a run goes on
    where another has stopped, and runs with other seeds add to it."""

    def __init__(self, path, again=""):
        """`again`: records whose outcome matches are forgotten, so that their cases run anew; empty: none."""
        self.records = []
        self._path = path
        if path is not None and path.exists():
            read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            self.records = [record for record in read if not (again and re.search(again, record["outcome"]))]
            if len(self.records) != len(read):
                path.write_text("".join(json.dumps(record) + "\n" for record in self.records), encoding="utf-8")

    def add(self, records):
        self.records += records
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(record) + "\n" for record in records))


# What a reason of a fallback or a graph break belongs to, first match.
_CLASSES = [
    ("complex numbers", r"complex|_fft_|view_as_real|conj|stft|angle"),
    ("linear algebra", r"linalg|cholesky|lu_unpack|\blu\b|geqrf|ormqr|householder|triangular_solve|\bsvd|\beig|\bqr|lstsq|pinverse|logdet|\bdet\b|inverse"),
    ("sizes that depend on data", r"only a run can tell|data.dependent|[Dd]ynamic shape operator|DataDependent|Unbacked|unbacked|\.item\(\)"),
    ("sparse tensors", r"sparse|layout"),
]


def class_of(record):
    """What a record that is not compiled belongs to; "other" where no class is known."""
    text = "; ".join(record.get("outside", [])) + record.get("reason", "") + " " + record.get("op", "")
    return next((name for name, pattern in _CLASSES if re.search(pattern, text)), "other")


def report(found, key, groups, name, differences):
    """Totals of records by their member `key`, in the order of `groups`; reasons of fallbacks and graph breaks by how often, all of
    them with `differences`; then what differs or failed, by the text that `name` gives."""
    lines = []
    for group in groups:
        counted = [entry for entry in found if entry[key] == group and entry["outcome"] not in OUT_OF_COUNT]
        counts = collections.Counter(entry["outcome"] for entry in counted)
        if not counted:
            continue
        left_out = [entry for entry in counted if entry["outcome"] in ("fallback", "not captured") and
                    class_of(entry) in ("complex numbers", "linear algebra")]
        line = f"{group:17} {len(counted):5} samples: {percent(counts['compiled'], len(counted))} compiled"
        if left_out:
            line += f" ({percent(counts['compiled'], len(counted) - len(left_out))} without complex numbers and linear algebra)"
        lines.append(line + ", " + ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    lost = [entry for entry in found if entry["outcome"] in ("fallback", "not captured")]
    lines += ["", "not compiled as a whole, by what it takes:"]
    lines += [f"{count:5}  {text}" for text, count in collections.Counter(map(class_of, lost)).most_common()]
    reasons = collections.Counter(reason for entry in lost for reason in dict.fromkeys(entry.get("outside", [f"not captured: {entry.get('reason')}"])))
    lines += ["", "why, by samples:"] + [f"{count:5}  {reason}" for reason, count in reasons.most_common(None if differences else 25)]
    bad = [entry for entry in found if entry["outcome"] in ("differs", "failed")]
    lines += [""] + [f"{entry['outcome']}: {name(entry)}: {entry.get('reason', '')}" for entry in bad]
    return "\n".join(lines)


def percent(part, whole):
    return f"{100 * part / whole if whole else 100:.1f} %"


def warm_up():
    """Loads in this process what the first compilation of each kind loads: processes forked from it need not."""
    import torch
    from mlgc.backend import mlgc_backend

    torch.set_num_threads(1)
    with contextlib.redirect_stderr(io.StringIO()):
        for dynamic in (False, True):
            x = torch.ones(3, requires_grad=True)
            torch.compile(lambda x: (x * 2).sum(), backend=mlgc_backend, dynamic=dynamic)(x).backward()
    torch._dynamo.reset()

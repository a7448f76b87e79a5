"""What scripts/backend-coverage and scripts/backend-models share: outcomes of cases run through `torch.compile(backend="mlgc")`.

    compiled      no node of it ran in PyTorch
    fallback      some did, with the reason of each
    not captured  Dynamo made no graph of it (a graph break, an operator that it runs itself)
    differs       a result does not agree (lib/tensor/compare.h)
    failed        an exception that eager does not raise
"""
import collections


def verdict(results, eager, exact, records, drawn=False):
    """The outcome, of results and what the ledger has of them. `exact` is computed in f64, `eager` in the case's own dtypes; of
    results that are drawn only shapes count."""
    import agreement
    import numpy
    from mlgc import driver

    if len(results) != len(eager) or any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(results, eager)):
        return {"outcome": "differs", "reason": "other shapes or dtypes than eager"}
    comparable = [] if drawn else [i for i, x in enumerate(results) if str(x.dtype).removeprefix("torch.") in agreement.TYPES]
    array = lambda x: numpy.ascontiguousarray(x.detach().to_dense().resolve_conj().resolve_neg().numpy())
    judged = [exact[i] if not results[i].is_floating_point() else exact[i].to_dense().double() for i in comparable]
    found = agreement.differences(driver.find(), [array(results[i]) for i in comparable], [array(x) for x in judged],
                                  [array(eager[i]) for i in comparable])
    if found:
        return {"outcome": "differs", "reason": "; ".join(f"{comparable[i]}: {text}" for i, text in found.items())}
    outside = [entry for record in records for entry in record.outside if entry["target"] != "operator.getitem"]
    if outside:
        return {"outcome": "fallback", "outside": [f"{entry['target']}: {entry['reason']}" for entry in outside]}
    return {"outcome": "compiled" if any(record.segments for record in records) else "not captured" if not records else "nothing to compute"}


def report(found, key, groups, name, differences):
    """Totals of records by their member `key`, in the order of `groups`; reasons of fallbacks by how often, all of them with `differences`;
    then what differs or failed, by the text that `name` gives."""
    lines = []
    for group in groups:
        counted = [entry for entry in found if entry[key] == group and entry["outcome"] not in ("not compared", "nothing to compute")]
        counts = collections.Counter(entry["outcome"] for entry in counted)
        if counted:
            share = 100 * counts["compiled"] / len(counted)
            lines.append(f"{group:17} {len(counted):5} samples: {share:5.1f} % compiled, " +
                         ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    reasons = collections.Counter(reason for entry in found for reason in dict.fromkeys(entry.get("outside", [])))
    lines += ["", "what ran in PyTorch, by samples:"] + [f"{count:5}  {reason}" for reason, count in reasons.most_common(None if differences else 25)]
    bad = [entry for entry in found if entry["outcome"] in ("differs", "failed", "not captured")]
    lines += [""] + [f"{entry['outcome']}: {name(entry)}: {entry.get('reason', '')}" for entry in bad]
    return "\n".join(lines)

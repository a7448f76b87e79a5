"""Holds a report of `mlgc bench --format=json` (standard input) to its fields and types, and these to the documentation."""
import json
import pathlib
import sys

NUMBER = (int, float)
INTERVAL = {"median": NUMBER, "low": NUMBER, "high": NUMBER, "coverage": NUMBER, "rounds": int}
ROW = {"name": str, "version": str, "prepare": NUMBER, "first_call": NUMBER, "median": NUMBER, "least": NUMBER, "rounds": int,
       "calls_per_round": int, "disturbed": int, "disturbed_used": bool, "page_faults": NUMBER}
COMPARED = {"ratio": INTERVAL, "difference": NUMBER, "break_even": {"pays_off": str, "calls": int}}
KERNEL = {"number": int, "name": str, "function": str, "time": NUMBER, "bytes": int, "flops": int, "limit": NUMBER,
          "limited_by": str}
LIMITS = {"bandwidth": [{"bytes": int, "copy": NUMBER, "triad": NUMBER}], "read": NUMBER, "small_page_read": NUMBER,
          "flops": NUMBER, "page_fault": NUMBER}
COMPILE = {"host_compiler_name": str, "vector_bytes": int, "import": NUMBER, "passes": NUMBER, "lowering": NUMBER, "emission": NUMBER,
           "host_compiler": NUMBER, "load": NUMBER, "total": NUMBER}
CONFIGURATION = {"sizes": {"B": int}, "threads": int, "limits": LIMITS, "warm_start": NUMBER, "backends": list,
                 "kernels": [KERNEL]}
REPORT = {"model": str, "function": str, "mlgc": str, "numerics": str, "cpu": str, "cores": int, "compile": COMPILE,
          "configurations": [CONFIGURATION], "advice": [str]}
names = set()


def hold(value, shape, place):
    if isinstance(shape, dict):
        assert isinstance(value, dict) and value.keys() == shape.keys(), f"{place}: {sorted(value)}, not {sorted(shape)}"
        for name, inner in shape.items():
            names.add(name)
            hold(value[name], inner, f"{place}.{name}")
    elif isinstance(shape, list):
        for item in value:
            hold(item, shape[0], f"{place}[]")
    else:
        assert isinstance(value, shape), f"{place}: {value!r}"


report = json.load(sys.stdin)
hold(report, REPORT, "report")
for configuration in report["configurations"]:
    first, second, refused = configuration["backends"]
    hold(first, ROW, "baseline")
    hold(second, ROW | COMPARED, "row")
    hold(refused, {"name": str, "reason": str}, "refused")
    assert configuration["kernels"] and configuration["limits"]["bandwidth"]
    assert second["ratio"]["low"] <= second["ratio"]["median"] <= second["ratio"]["high"]
    backends = " ".join(row["name"] for row in configuration["backends"])
print(f"{len(report['configurations'])} configurations, backends {backends}")
documentation = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
missing = [name for name in sorted(names - {"B"}) if f"`{name}`" not in documentation]
print(f"not documented: {missing}" if missing else "every field is there and documented")

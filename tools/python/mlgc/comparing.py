"""Backends of torch.compile side by side on a model: are results equal, what does the first call cost, what a later one, and when has
compiling paid off.

    mlgc.compare_backends("package.module:make", sweep={"batch": [1, 8, 64]})
    python -m mlgc compare-backends package.module:make --sweep=batch=1,8,64

Each backend is a process of its own (comparison_peer.py), so that its first call is cold. docs/python.md says what the figures mean.
"""
from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mlgc import agreement, comparison_report, driver, measuring
from mlgc.comparison_report import Comparison
from mlgc.errors import Error, UsageError

BASELINE = "eager"
BACKENDS = ("eager", "aot_eager", "inductor", "mlgc")
EXIT_REFUSED, EXIT_DIFFERS = 3, 4  # of mlgc: unsupported, numeric mismatch


class PeerFailed(Exception):
    """A backend's process said why it cannot, or ended. `usage`: it is the fault of the arguments."""

    def __init__(self, reason: str, usage: bool = False) -> None:
        super().__init__(reason)
        self.usage = usage


class _Process:
    """One backend. Answers within `timeout` seconds, or is ended."""

    def __init__(self, backend: str, threads: int, folder: pathlib.Path, caches: pathlib.Path, timeout: float) -> None:
        self.name, self._timeout = backend, timeout
        self._log = open(folder / "log", "w+", encoding="utf-8", errors="replace")
        package = str(pathlib.Path(__file__).resolve().parents[1])
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads), "PYTHONPATH": os.pathsep.join(paths),
                                    "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"), "MLGC_CACHE": str(caches / "mlgc")}
        environment.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        self._process = subprocess.Popen([sys.executable, "-m", "mlgc.comparison_peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._log, text=True, encoding="utf-8", env=environment)

    def ask(self, **question: Any) -> dict[str, Any]:
        """Its answer. PeerFailed: it has none."""
        assert self._process.stdin is not None and self._process.stdout is not None
        late = threading.Timer(self._timeout, self._process.kill)
        late.start()
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            ended = late.finished.is_set()
            late.cancel()
        if not line:
            raise PeerFailed(f"no answer in {self._timeout:g} s" if ended else self._end())
        answer: dict[str, Any] = json.loads(line)
        if "reason" in answer:
            raise PeerFailed(answer["reason"], answer.get("usage", False))
        return answer

    def _end(self) -> str:
        code = self._process.wait()
        self._log.seek(0)
        said = [line.strip() for line in self._log if line.strip()]
        how = f"it ended with signal {-code}" if code < 0 else f"it ended with code {code}"
        return f"{how}: {said[-1]}" if said else how

    def block(self, calls: int) -> measuring.Block:
        answer = self.ask(do="block", calls=calls)
        return measuring.Block(answer["seconds"], calls, answer["disturbed"])

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class _Task:
    """What is asked for, and where things lie meanwhile."""

    def __init__(self, spec: str, backends: Sequence[str], settings: dict[str, Any], folder: pathlib.Path,
                 progress: Callable[[str], None]) -> None:
        self.spec, self.backends, self.settings, self.folder, self.progress = spec, backends, settings, folder, progress
        self._number = 0

    def place(self) -> pathlib.Path:
        """A new folder."""
        self._number += 1
        made = self.folder / str(self._number)
        made.mkdir()
        return made

    @contextlib.contextmanager
    def started(self, backend: str, sizes: dict[str, Any], threads: int, caches: pathlib.Path | None = None,
                reference: bool = False) -> Iterator[tuple[_Process, dict[str, Any], pathlib.Path]]:
        """A process that has called the model once, what it says of that, and the file of its results. PeerFailed."""
        place = self.place()
        process = _Process(backend, threads, place, caches or place, self.settings["timeout"])
        try:
            results = place / "results.npz"
            answer = process.ask(do="prepare", make=self.spec, sizes=sizes, backend=backend, threads=threads, results=str(results),
                                 reference=reference, training=self.settings["training"], dynamic=self.settings["dynamic"])
            yield process, answer, results
        finally:
            process.close()


def _configuration(task: _Task, sizes: dict[str, Any], threads: int) -> dict[str, Any]:
    """One entry of `configurations`: every backend with these sizes and so many threads."""
    where = ", ".join([*(f"{name}={value}" for name, value in sizes.items()), f"{threads} thread{'s'[:threads > 1]}"])
    rows: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        running: list[tuple[dict[str, Any], _Process, pathlib.Path]] = []
        for backend in task.backends:
            row: dict[str, Any] = {"name": backend}
            rows.append(row)
            try:
                caches = task.place()
                if task.settings["warm_cache"] and backend != BASELINE:
                    task.progress(f"{where}: {backend}: filling its cache")
                    with task.started(backend, sizes, threads, caches):
                        pass
                task.progress(f"{where}: {backend}: first call")
                process, answer, results = stack.enter_context(task.started(backend, sizes, threads, caches, backend == BASELINE))
            except PeerFailed as error:
                if backend == BASELINE:
                    raise UsageError(f"{task.spec} does not run in eager PyTorch: {error}") from None
                row["reason"] = str(error)
                continue
            row |= answer
            running.append((row, process, results))
        task.progress(f"{where}: comparing results")
        for row, _, results in running:
            _judge(row, results, running[0][2])
        _measure(task, where, running)
    return {"sizes": sizes, "threads": threads, "backends": rows}


def _judge(row: dict[str, Any], results: pathlib.Path, reference: pathlib.Path) -> None:
    """Whether results agree with those of eager, and their largest difference from them, of the largest magnitude."""
    import numpy

    with numpy.load(results) as own, numpy.load(reference) as base:
        names = [str(name) for name in own["names"]]
        eager = [base[f"result{i}"] for i in range(len(base["names"]))]
        values = [own[f"result{i}"] for i in range(len(names))]
        judged = "exact0" in base.files or not eager
        exact = [base[f"exact{i}"] if judged else _widened(value) for i, value in enumerate(eager)]
        worst = [base[f"eager{i}"] if judged else value for i, value in enumerate(eager)]
    wrong = {}
    if [str(name) for name in names] != [str(name) for name in _names(reference)]:
        wrong["results"] = f"{len(values)} results, eager has {len(eager)}"
    else:
        alike = [i for i, value in enumerate(values) if value.shape == eager[i].shape and value.dtype == eager[i].dtype]
        wrong = {names[i]: f"{agreement.TYPES.get(str(values[i].dtype), values[i].dtype)}{list(values[i].shape)}, eager has "
                           f"{agreement.TYPES.get(str(eager[i].dtype), eager[i].dtype)}{list(eager[i].shape)}"
                 for i in range(len(values)) if i not in alike}
        known = [i for i in alike if str(values[i].dtype) in agreement.TYPES]
        row["not_compared"] = [names[i] for i in alike if i not in known]
        chosen = [[side[i] for i in known] for side in (values, exact, worst)]
        verdicts = agreement.differences(driver.find(), chosen[0], chosen[1], chosen[2])
        wrong |= {names[known[number]]: verdict for number, verdict in verdicts.items()}
        row["difference"] = max([_difference(_widened(values[i]), _widened(eager[i])) for i in known], default=0.0)
    row["agrees"], row["disagreements"] = not wrong, wrong


def _names(path: pathlib.Path) -> list[str]:
    import numpy

    with numpy.load(path) as file:
        return [str(name) for name in file["names"]]


def _widened(array: Any) -> Any:
    """In f64 where it is of floats; bf16 comes as the upper two bytes of f32."""
    import numpy

    if array.dtype.kind == "V":
        return (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


def _difference(value: Any, eager: Any) -> float:
    import numpy

    if value.size == 0:
        return 0.0
    value, eager = value.astype(numpy.float64), eager.astype(numpy.float64)
    finite = numpy.isfinite(value) & numpy.isfinite(eager)
    largest = float(numpy.max(numpy.abs(eager), where=finite, initial=0.0))
    return float(numpy.max(numpy.abs(value - eager), where=finite, initial=0.0)) / (largest or 1.0)


def _measure(task: _Task, where: str, running: Sequence[tuple[dict[str, Any], _Process, pathlib.Path]]) -> None:
    """Steady state. A backend that fails in a later call drops out with its reason."""
    left = list(running)
    while left:
        task.progress(f"{where}: measuring {', '.join(row['name'] for row, _, _ in left)}")
        failed: list[dict[str, Any]] = []
        systems = [_Reporting(process, row, failed) for row, process, _ in left]
        try:
            blocks = measuring.rounds(systems, task.settings["seconds"])
        except PeerFailed as error:
            failed[0]["reason"] = f"in a later call: {error}"
            left = [entry for entry in left if entry[0] is not failed[0]]
            continue
        base = left[0][0]
        for (row, _, _), own in zip(left, blocks):
            row |= measuring.summary(own)
            if row is not base and base["name"] == BASELINE:
                row["ratio"] = measuring.ratio(own, blocks[0])
                low, high = row["ratio"]["low"], row["ratio"]["high"]
                faster = True if high < 1 else False if low > 1 else None
                row["break_even"] = measuring.break_even(row["first_call"], row["median"], base["first_call"], base["median"], faster)
        return


class _Reporting:
    """A process whose failure names its row."""

    def __init__(self, process: _Process, row: dict[str, Any], failed: list[dict[str, Any]]) -> None:
        self._process, self._row, self._failed = process, row, failed

    def block(self, calls: int) -> measuring.Block:
        try:
            return self._process.block(calls)
        except PeerFailed:
            self._failed.append(self._row)
            raise


def _sweep(task: _Task, backend: str, points: Sequence[dict[str, Any]], threads: int) -> dict[str, Any]:
    """One entry of `sweeps`: one process that is called with one size after another, as a server is."""
    made: dict[str, Any] = {"name": backend, "threads": threads, "points": []}
    try:
        task.progress(f"one process for all sizes: {backend}: {points[0]}")
        with task.started(backend, points[0], threads) as (process, answer, _):
            for number, sizes in enumerate(points):
                if number > 0:
                    task.progress(f"one process for all sizes: {backend}: {sizes}")
                    answer = process.ask(do="point", sizes=sizes)
                made["points"].append({"sizes": sizes, "first_call": answer["first_call"]})
            made |= {name: answer[name] for name in ("graphs", "graph_breaks", "recompilations")}
    except PeerFailed as error:
        made["reason"] = str(error)
    return made


def _points(sweep: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    for name, values in sweep.items():
        if not values:
            raise UsageError(f"sweep: {name} has no values")
    return [dict(zip(sweep, values)) for values in itertools.product(*sweep.values())]


def _spec_of(make: str | Callable[..., Any], folder: pathlib.Path) -> str:
    """By which another process finds a function. UsageError: it cannot."""
    if isinstance(make, str):
        return make
    name, home = getattr(make, "__qualname__", ""), getattr(make, "__module__", "")
    if name.isidentifier():
        if home != "__main__" and importlib.util.find_spec(home) is not None:
            return f"{home}:{name}"
        main = getattr(sys.modules["__main__"], "__file__", None)
        guarded = main is not None and "__main__" in pathlib.Path(main).read_text(encoding="utf-8")
        if home == "__main__" and guarded:  # else importing the file would run all of it again
            return f"{pathlib.Path(str(main)).resolve()}:{name}"
    try:
        import cloudpickle
    except ImportError:
        raise UsageError(f"{name or make} is defined where another process cannot import it: put it into a module and give 'module:{name}', or "
                         "install cloudpickle (pip install cloudpickle)") from None
    path = folder / "make.pickle"
    path.write_bytes(cloudpickle.dumps(make))
    return f"{path}:"


def compare_backends(make: str | Callable[..., Any], backends: Sequence[str] = BACKENDS, sweep: Mapping[str, Sequence[Any]] | None = None, *,
                     training: bool = False, threads: int | Sequence[int] = 1, dynamic: bool = False, warm_cache: bool = False,
                     seconds: float = 0.3, timeout: float = 600, progress: Callable[[str], None] | None = None) -> Comparison:
    """Compares backends of torch.compile on a model, each in processes of its own.

    make: a function, or "package.module:name" or "file.py:name" of one. It takes the names of `sweep` as keywords and returns (model or
        function, inputs), the inputs a tensor, a tuple of arguments or a dict of keywords. It is called in each process, after
        torch.manual_seed(0).
    backends: names that torch.compile knows, "module:function", or "eager", which is no compiler at all: the baseline, measured always.
    sweep: values by name; each combination is measured.
    training: a step of forward and backward, instead of a call without gradients.
    threads: of PyTorch and of compiled code; each number is measured.
    dynamic: torch.compile(dynamic=True), one graph for all sizes.
    warm_cache: compilers find what another process has left in their caches on disk. Without, these are empty.
    seconds: that each backend is timed for, at least. timeout: seconds that it may take for an answer.
    progress: is told what happens, in a line.

    UsageError: make() cannot be found, or does not run in eager PyTorch. DriverNotFound. A backend that fails is a row of the report with its reason.
    """
    driver.find()  # it says what agrees
    names = list(dict.fromkeys([BASELINE, *backends]))
    counts = [threads] if isinstance(threads, int) else list(threads)
    if not counts or any(not isinstance(count, int) or count < 1 for count in counts):
        raise UsageError(f"threads is {threads!r}; it is a number from 1 on, or several")
    settings = {"training": training, "dynamic": dynamic, "warm_cache": warm_cache, "seconds": seconds, "timeout": timeout}
    points = _points(sweep or {})
    with tempfile.TemporaryDirectory(prefix="mlgc-") as made:
        folder = pathlib.Path(made)
        spec = _spec_of(make, folder)
        task = _Task(spec, names, settings, folder, progress or (lambda text: None))
        configurations = [_configuration(task, sizes, count) for sizes, count in itertools.product(points, counts)]
        ran = [row["name"] for row in configurations[0]["backends"] if row["name"] != BASELINE and "reason" not in row]
        sweeps = [_sweep(task, name, points, counts[0]) for name in ran if len(points) > 1]
        shown = spec if isinstance(make, str) else getattr(make, "__qualname__", "make")
    return Comparison({"version": 1, "make": shown, "baseline": BASELINE, **comparison_report.machine(), **settings,
                       "configurations": configurations, "sweeps": sweeps})


def exit_code(report: Comparison) -> int:
    """0; 4: results of a backend do not agree with eager's; 3: one did not run."""
    rows = [row for configuration in report.records for row in configuration["backends"]]
    if any(not row.get("agrees", True) for row in rows):
        return EXIT_DIFFERS
    return EXIT_REFUSED if any("reason" in row for row in rows) else 0


# --- the command


def _listed(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _swept(text: str) -> tuple[str, list[Any]]:
    name, equals, values = text.partition("=")
    if not equals or not name.isidentifier() or not _listed(values):
        raise argparse.ArgumentTypeError(f"{text!r} is no sweep; write batch=1,8,64")
    return name, [_value(word) for word in _listed(values)]


def _value(word: str) -> Any:
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mlgc compare-backends", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compares backends of torch.compile on a model: results, first call, later calls, break-even, graphs and recompilations.",
        epilog="make() returns (model or function, inputs) and takes the swept names as keywords. eager is always measured: others are compared\n"
               "with it.\n\nExit codes: 0 ok, 1 no plot or report could be written, 2 bad usage, 3 a backend did not run, 4 results of one do not\n"
               "agree with eager's.")
    parser.add_argument("make", help="package.module:make or file.py:make")
    parser.add_argument("--backends", type=_listed, default=list(BACKENDS), metavar="NAME,…",
                        help=f"names that torch.compile knows, or module:function (default: {','.join(BACKENDS)})")
    parser.add_argument("--sweep", type=_swept, action="append", default=[], metavar="NAME=VALUE,…", help="keywords of make(); repeatable")
    parser.add_argument("--training", action="store_true", help="measure forward and backward, and compare gradients, too")
    parser.add_argument("--threads", type=_listed, default=["1"], metavar="N,…")
    parser.add_argument("--dynamic", action="store_true", help="torch.compile(dynamic=True)")
    parser.add_argument("--warm-cache", action="store_true", help="compilers find what another process has left in their caches")
    parser.add_argument("--min-time", type=float, default=0.3, metavar="SECONDS", help="that each backend is timed for, at least (default 0.3)")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="that a backend may take for an answer (default 600)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE", help="draw times of calls to a .svg or .png file, too")
    return parser


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A line on a terminal, which goes when it is over; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return

    def show(text: str) -> None:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
        print(f"\r\033[K{text[:max(width - 1, 1)]}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    """`python -m mlgc compare-backends`."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if not all(word.isdigit() for word in options.threads):
            raise UsageError(f"--threads={','.join(options.threads)}: write numbers, such as 1,2")
        if options.plot is not None:
            comparison_report.check_plot(options.plot)
        with _progress() as progress:
            report = compare_backends(options.make, options.backends, dict(options.sweep), training=options.training,
                                      threads=[int(word) for word in options.threads], dynamic=options.dynamic,
                                      warm_cache=options.warm_cache, seconds=options.min_time, timeout=options.timeout, progress=progress)
    except Error as error:
        print(f"mlgc: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    print(report.json() if options.format == "json" else report, end="")
    if options.plot is not None:
        try:
            report.plot(options.plot)
        except OSError as error:
            print(f"mlgc: error: {options.plot}: {error.strerror}", file=sys.stderr)
            return 1
    return exit_code(report)

"""The processes that scripts/sweep calls: one for each system and number of threads, kept from workload to workload.

One that does not answer in time, or dies, is ended, the workload's row gets the reason, and the next workload starts another one.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import shlex
import signal
import subprocess
import sys
import time
from typing import Any

import agreement  # noqa: F401, finds the package
from mlgc.measuring import Block

# Memory that results of eager had is used again by the next call instead of going back to the system: page faults are
# not what is measured. glibc takes no more than 32 MiB for the second.
HEAP = {"MALLOC_TRIM_THRESHOLD_": str(1 << 33), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
MOST_MODELS = 60  # of a process: what it loaded stays in its memory


class Lost(Exception):
    """A system that hangs, died or threw; `system` is its name."""

    def __init__(self, system: str, reason: str):
        super().__init__(reason)
        self.system, self.reason = system, reason


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run(command: list[str], limit: float, **more: Any) -> tuple[int, str, str]:
    """Exit code, output and errors. TimeoutExpired, after ending all of it. In a process group of its own, but in this session: the
    share of the processor that the session has holds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0, **more)
    try:
        out, err = process.communicate(timeout=limit)
    except BaseException:
        end(process)
        raise
    return process.returncode, out, err


def ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


class Peer:
    def __init__(self, name: str, backend: str, threads: int, folder: pathlib.Path, limit: float, command: str | None = None):
        self.name, self.threads, self.limit = name, threads, limit
        self.folder = folder / f"{name}.{threads}"
        self.folder.mkdir()
        script = pathlib.Path(__file__).with_name("bench_peers.py")
        self.command = [*(shlex.split(command) if command else [sys.executable, str(script)]), backend, str(threads), str(self.folder)]
        self.log = self.folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        self.models, self.rest = 0, b""

    def start(self) -> None:
        self.models, self.rest = 0, b""
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, process_group=0,
                                            env=dict(os.environ, **HEAP))

    def close(self) -> None:
        if self.process is not None:
            end(self.process)
            self.process = None

    def signal(self, number: signal.Signals) -> None:
        """To the process and what it started."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def lost(self, reason: str) -> Lost:
        self.close()
        return Lost(self.name, reason)

    def line(self) -> bytes | None:
        """The next line of its output; None where it ends before. TimeoutError."""
        assert self.process is not None and self.process.stdout is not None
        until = time.monotonic() + self.limit
        while b"\n" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                return None
            self.rest += got
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def send(self, **question: Any) -> None:
        """Asks without waiting: receive() gives the answer. Lost: it cannot be asked."""
        if self.process is None or (question["do"] == "prepare" and self.models >= MOST_MODELS):
            self.close()
            try:
                self.start()
            except OSError as error:
                raise Lost(self.name, f"cannot run {self.command[0]}: {error.strerror}") from error
        assert self.process is not None and self.process.stdin is not None
        self.signal(signal.SIGCONT)
        self.models += question["do"] == "prepare"
        with contextlib.suppress(BrokenPipeError):  # receive() says how it ended
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Its answer to what was sent last. Lost: it has none."""
        try:
            line = self.line()
        except TimeoutError:
            raise self.lost(f"no answer in {self.limit:g} s") from None
        if line is None:
            assert self.process is not None
            try:
                code = self.process.wait(self.limit)
            except subprocess.TimeoutExpired:
                raise self.lost("it closed its output") from None
            words = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise self.lost(f"it ended with {ending(code)}" + (f": {words[-1][:200]}" if words else ""))
        try:
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError
        except ValueError:
            raise self.lost(f"its answer is no object of JSON: {line[:80]!r}") from None
        # Threads of a pool look for more work, without end in onnxruntime, on the processors that the next system is measured on.
        if self.threads > 1:
            self.signal(signal.SIGSTOP)
        if "reason" in answer:
            raise Lost(self.name, str(answer["reason"])[:300])
        return answer

    def block(self, calls: int) -> Block:
        self.send(do="block", calls=calls)
        answer = self.receive()
        return Block(answer["seconds"], calls, answer["involuntary_switches"] > 0)

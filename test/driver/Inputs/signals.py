"""Sends signals to commands while their host compiler runs, and looks for what they leave behind."""
import os
import pathlib
import signal
import subprocess
import sys
import time

folder, mlgc, sample = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]

# Answers --version; for anything else it starts a process, says which in a file, and goes on for long.
compiler = folder / "slow-compiler"
compiler.write_text(f"""#!/bin/sh
if [ "$1" = --version ]; then echo slow 1.0; exit 0; fi
sleep 300 &
echo $! > {folder}/started.tmp && mv {folder}/started.tmp {folder}/started
wait
""")
compiler.chmod(0o755)


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def alive(process):
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
        return status.rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def check(name, arguments, number):
    temporary, out = folder / f"tmp-{name}-{number}", folder / f"out-{name}-{number}"
    temporary.mkdir()
    out.mkdir()
    started = folder / "started"
    started.unlink(missing_ok=True)
    environment = dict(os.environ, TMPDIR=str(temporary), CXX=str(compiler), MLGC_CACHE="off")
    # Whoever runs tests in the background may ignore SIGINT, and children would too.
    restore = lambda: signal.signal(number, signal.SIG_DFL)  # noqa: E731
    command = subprocess.Popen([mlgc, *arguments(out)], env=environment, preexec_fn=restore, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert wait_for(lambda: started.exists() or command.poll() is not None), command.communicate()[0]
    assert started.exists(), command.communicate()[0]
    child = int(started.read_text())
    command.send_signal(number)
    output = command.communicate(timeout=60)[0]
    assert command.returncode == -number, (name, number, command.returncode, output)
    assert output == b"", (name, number, output)
    left = sorted(str(path) for place in (temporary, out) for path in place.rglob("*"))
    assert not left, (name, number, left)
    assert wait_for(lambda: not alive(child), 5), (name, number, "the compiler's child goes on")


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    check("compile", lambda out: ["compile", sample, "-o", str(out / "model.mlgcx")], number)
check("eval", lambda out: ["eval", sample, "--input=a=2", "--backend=cpp"], signal.SIGTERM)
check("bench", lambda out: ["bench", sample, "--input=a=2", "--backends=cpp"], signal.SIGINT)

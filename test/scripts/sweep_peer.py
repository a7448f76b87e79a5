"""A peer for sweep_test.py: scripts/bench_peers.py that misbehaves. sweep_peer.py MODE BACKEND THREADS FOLDER."""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import bench_peers  # noqa: E402

mode = sys.argv.pop(1)
started = pathlib.Path(sys.argv[3]) / "started"
first = not started.exists()
started.touch()
if mode == "hangs":
    time.sleep(1000)
if mode == "dies" or (mode == "dies-once" and first):
    sys.stdin.readline()
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(3)
if mode == "babbles":
    print("hello", flush=True)
if mode == "wrong":
    save = bench_peers.save
    bench_peers.save = lambda path, results: save(path, [value + 1 for value in bench_peers.leaves(results)])
sys.exit(bench_peers.main())

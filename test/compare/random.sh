#!/usr/bin/env bash
# 200 random programs through all passes, beside PyTorch; the first 80 compiled too, all where MLGC_TEST_ALL is set.
# Usage: random.sh MLGC
set -euo pipefail

seed=${MLGC_TEST_SEED:-0}
compiled=80
if [[ -n ${MLGC_TEST_ALL:-} ]]; then compiled=200; fi
"$1" compare --random="$compiled" --seed="$seed" -O2 --backend=cpp
if ((compiled < 200)); then "$1" compare --random=$((200 - compiled)) --seed=$((seed + compiled)) -O2; fi

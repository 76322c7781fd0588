#!/usr/bin/env python3
"""What a part of a study costs, and one that is killed: python3 bench/shards.py CLACK [PARTS]

Native, one thread. The bouncing sphere (4,096 scenes) as one run and as PARTS (64) parts, which are merged, in turn:
medians of 5, s. Then W1 (data/dropped_sphere.yaml, 262,144 scenes) as PARTS parts, each killed (SIGKILL) up to three
times after a random time and put in the queue again (--continue): the merged file has to be that of one run, bit by
bit. Needs h5py.
"""
import glob
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from same_bits import differences

CLACK, PARTS = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 64
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
ALONE = ["-d", "native", "--threads", "1", "-q"]
W1 = ["run", os.path.join(DATA, "dropped_sphere.yaml"), *ALONE, "--set", "design={monte_carlo: {samples: 262144}}"]
KILLS_MOST = 3


def timed(*words):
    begun = time.perf_counter()
    subprocess.run([CLACK, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def bench_parts():
    run = ["run", os.path.join(DATA, "bouncing_sphere.yaml"), *ALONE, "--overwrite"]
    names = [f"{i}.h5" for i in range(1, PARTS + 1)]
    whole, parts, merges = [], [], []
    for _ in range(5):
        whole.append(timed(*run, "-o", "whole.h5"))
        parts.append(sum(timed(*run, "--shard", f"{i}/{PARTS}", "-o", name) for i, name in enumerate(names, 1)))
        merges.append(timed("merge", *names, "-o", "merged.h5", "--overwrite"))
    one, all_parts, merge = map(statistics.median, (whole, parts, merges))
    more = 1e3 * (all_parts - one) / PARTS
    print(f"one run {one:.2f} s; {PARTS} parts {all_parts:.2f} s, {more:.0f} ms more for each; merging {merge:.2f} s")


def part_with_kills(part, name, longest_s, draw):
    """Run a part until it ends. Returns how often it was killed, and how often something had been kept by then."""
    words = [CLACK, *W1, "--shard", f"{part}/{PARTS}", "--batch", "512", "--checkpoint", "0", "--continue", "-o", name]
    kills = kept = 0
    while True:
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(draw.uniform(0, longest_s) if kills < KILLS_MOST else None)
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
        if process.returncode == 0:
            return kills, kept
        if process.returncode != -signal.SIGKILL:
            sys.exit(f"{' '.join(words)}: {process.returncode}")
        kept += len(glob.glob(f"{name}.parts/*.h5")) > 0


def bench_kills():
    draw = random.Random(1)
    names = [f"w{i}.h5" for i in range(1, PARTS + 1)]
    whole = timed(*W1, "-o", "all.h5")
    longest_s = 3 * whole / PARTS + 0.1
    begun = time.perf_counter()
    told = [part_with_kills(i, name, longest_s, draw) for i, name in enumerate(names, 1)]
    took = time.perf_counter() - begun
    merge = timed("merge", *names, "-o", "w_merged.h5")
    wrong, count = differences("all.h5", "w_merged.h5")
    print(f"W1, 262,144 scenes: one run {whole:.2f} s; {PARTS} parts killed {sum(kills for kills, _ in told)} times, "
          f"{sum(kept for _, kept in told)} of these with scenes kept: {took:.2f} s; merging {merge:.2f} s; of {count} "
          f"datasets {len(wrong)} differ")
    return 1 if wrong else 0


def main():
    bench_parts()
    return bench_kills()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        sys.exit(main())

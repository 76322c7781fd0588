#!/usr/bin/env python3
"""What a part of a study costs: python3 bench/shards.py CLACK [PARTS]

The bouncing sphere (4,096 scenes, native, one thread) as one run and as PARTS (64) parts, which are merged, in turn:
medians of 5, s.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

CLACK, PARTS = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 64
STUDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "bouncing_sphere.yaml")


def timed(*words):
    begun = time.perf_counter()
    subprocess.run([CLACK, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main():
    run = ["run", STUDY, "-d", "native", "--threads", "1", "-q", "--overwrite"]
    names = [f"{i}.h5" for i in range(1, PARTS + 1)]
    whole, parts, merges = [], [], []
    for _ in range(5):
        whole.append(timed(*run, "-o", "whole.h5"))
        parts.append(sum(timed(*run, "--shard", f"{i}/{PARTS}", "-o", name) for i, name in enumerate(names, 1)))
        merges.append(timed("merge", *names, "-o", "merged.h5", "--overwrite"))
    one, all_parts, merge = map(statistics.median, (whole, parts, merges))
    more = 1e3 * (all_parts - one) / PARTS
    print(f"one run {one:.2f} s; {PARTS} parts {all_parts:.2f} s, {more:.0f} ms more for each; merging {merge:.2f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        main()

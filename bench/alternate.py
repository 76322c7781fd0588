#!/usr/bin/env python3
"""Is one build of clack as fast as another? Workloads run by both in turn, on one core: ratios of processor time.

usage: alternate.py OLD NEW [--pairs N] [--workloads W1,W2,..] [-o FILE]

OLD, NEW: programs `clack`. Each pair runs OLD and NEW once, in an order that changes from pair to pair; the ratio is
NEW's time over OLD's. Written: the median of the ratios, a 95 % interval of their mean (Student's t on logarithms),
force evaluations of each scene, which tell more work from slower work. Needs Python alone.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile

SCENES = {"W1": 10000, "W2": 10, "W3": 100, "W4": 10, "W5": 10, "die": 100}
# Student's t, 97.5 %, by degrees of freedom; between two of them the one of fewer degrees.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 7: 2.36, 9: 2.26, 14: 2.14, 19: 2.09, 29: 2.05, 59: 2.00}


def measure(program, workload):
    """Processor seconds and evaluations of a scene, by the number of scenes of a point."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        words = [program, "bench", workload, "-d", "native", "--threads", "1", "-n", str(SCENES[workload]),
                 "--time", "0.5"]
        done = subprocess.run(words + ["-o", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{program}: {done.stderr}")
        points = json.load(open(file.name))["workloads"][0]["points"]
    return {p["scenes"]: (p["cpu_s"] / p["scenes"], p["evaluations_per_scene"]) for p in points}


def interval(ratios):
    """95 % interval of the geometric mean."""
    logs = [math.log(r) for r in ratios]
    if len(logs) < 2:
        return math.nan, math.nan
    t = STUDENT[max(k for k in STUDENT if k <= len(logs) - 1)]
    mean, half = statistics.fmean(logs), t * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean - half), math.exp(mean + half)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--workloads", default=",".join(SCENES))
    parser.add_argument("-o", "--output")
    given = parser.parse_args()
    lines = [f"Time of NEW over OLD, {given.pairs} pairs in turn, one core.",
             "", "| | old, ms a scene | ratio: median | 95 % | evaluations, old | new |", "|---|--:|--:|---|--:|--:|"]
    for workload in given.workloads.split(","):
        old, new = [], []
        for pair in range(given.pairs):
            order = (0, 1) if pair % 2 == 0 else (1, 0)
            points = {which: measure(given.new if which else given.old, workload) for which in order}
            scenes = max(set(points[0]) & set(points[1]))  # a slow point is a workload's last one
            old.append(points[0][scenes])
            new.append(points[1][scenes])
        ratios = [n[0] / o[0] for n, o in zip(new, old)]
        low, high = interval(ratios)
        lines.append(f"| {workload} | {1e3 * statistics.median(o[0] for o in old):.4g} | "
                     f"{statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} | {old[0][1]:.6g} | {new[0][1]:.6g} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if given.output:
        with open(given.output, "w") as file:
            file.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()

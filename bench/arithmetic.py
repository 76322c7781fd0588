#!/usr/bin/env python3
"""How much of a device's arithmetic workloads reach,
from what `clack bench -o` wrote and what `count_operations` counted.

    build/count_operations -n 4 data/dropped_sphere.yaml ... > OPERATIONS.json
    python3 bench/arithmetic.py OPERATIONS.json BENCH.json...

The ceiling is measured with fused multiplications and additions, two flops each. By the mix of a workload a device can
reach less: an addition or a multiplication takes the place of a fused one, and a division or a root that of twelve (24
flops). "share" is of that; 100 % would be arithmetic alone, without memory, branches, idle lanes. More is not possible:
then counts, times or the ceiling are wrong.
"""
import argparse
import json
import sys

PLACES_OF_DIVISION = 12


def slow_of(count):
    return count["divide"] + count["root"]


def places_of(count, division=PLACES_OF_DIVISION):
    """Fused operations that a processor does in the time of those counted."""
    return count["add"] + count["multiply"] + count["fma"] + division * slow_of(count)


def reached(document, workload, count):
    """Of a workload at its best number of scenes; None where it was not counted or measured."""
    if count is None or not workload["points"]:
        return None
    best = max(workload["points"], key=lambda point: point["scenes_per_kernel_s"])
    plain, fused, slow = count["add"] + count["multiply"], count["fma"], slow_of(count)
    every = plain + fused + slow
    flops, places = plain + 2 * fused + slow, places_of(count)
    # Other scenes than those counted take as many operations for an evaluation, not for a scene.
    per_evaluation = best["evaluations_per_scene"] / count["evaluations"]
    rate = best["scenes_per_kernel_s"] * per_evaluation
    ceiling = document["ceilings"]["flops_per_s"] / 2
    return {"scenes": best["scenes"], "operations": every * per_evaluation,
            "operations_of_evaluation": every / count["evaluations"], "fused": fused / every, "slow": slow / every,
            "ceiling": ceiling * flops / places, "flops_per_s": rate * flops, "share": rate * places / ceiling}


def read_counts(path):
    """What count_operations wrote; a message and nothing where it wrote none, or was stopped."""
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        print("%s: no operations were counted: %s" % (path, error), file=sys.stderr)
        return None


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("operations")
    words.add_argument("documents", nargs="+")
    given = words.parse_args()
    counted = read_counts(given.operations)
    if counted is None:
        return 1
    print("%-4s %-28s %9s %10s %10s %6s %6s %11s %9s %7s" %
          ("", "device", "scenes", "operations", "operations", "fused", "div.,", "Gflop/s by", "Gflop/s", "share"))
    print("%-4s %-28s %9s %10s %10s %6s %6s %11s %9s %7s" %
          ("", "", "", "/scene", "/evaluat.", "", "roots", "its mix", "reached", ""))
    for path in given.documents:
        with open(path) as file:
            document = json.load(file)
        for workload in document.get("workloads", []):
            r = reached(document, workload, counted.get(workload["study"]))
            if r is None:
                continue
            print("%-4s %-28s %9d %10.3g %10.0f %5.0f%% %5.1f%% %11.4g %9.4g %6.1f%%%s" % (
                workload["name"], document["device"]["name"][:28], r["scenes"], r["operations"],
                r["operations_of_evaluation"], 100 * r["fused"], 100 * r["slow"], 1e-9 * r["ceiling"],
                1e-9 * r["flops_per_s"], 100 * r["share"], "" if r["share"] <= 1 else " (not possible)"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

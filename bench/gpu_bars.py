#!/usr/bin/env python3
"""What a GPU has to reach, and what it got, from the folder that `sh bench/gpu.sh FOLDER native gpu` wrote.

    python3 bench/gpu_bars.py FOLDER

Reads bench_*.json, queues_*.json (workloads from queues, once more), code_*.json, one_core.json (the native device on
one thread) and operations.json there. A table for each OpenCL device: bar, got, met. The bars are those of an H100 in
double precision; of a device that is no GPU they are told and not judged. Pairs are judged by the slowest of the three
states (overlapping, touching, apart) of the slowest pair of shapes. A share of the arithmetic over 100 % is refused
(exit code 1): counts, times or the ceiling are wrong then.
"""
import glob
import json
import os
import statistics
import sys

import arithmetic

PAIRS_BARS = (("closed", "closed forms", 5e9), ("exact", "general pairs, GJK and Newton", 1e9),
              ("mpr", "general pairs, MPR", 1e9))
STATES = "overlapping", "touching", "apart"
W1_OVER_ONE_CORE = 200
W2_OVER_ALL_CORES, W2_SCENES = 50, 100000
SHARE_OF_ARITHMETIC = 0.25
IMPOSSIBLE = "impossible"


def read(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError): # not there, or cut while it was written
        return None


def best_point(document, name, scenes=None):
    """Of a workload's points the fastest one, or that of the most scenes up to a number; from its start to its end."""
    points = next((w["points"] for w in (document or {}).get("workloads", []) if w["name"] == name), [])
    if scenes is not None:
        return max((p for p in points if p["scenes"] <= scenes), key=lambda p: p["scenes"], default=None)
    return max(points, key=lambda p: p["scenes_per_s"], default=None)


def pair_rows(document):
    for method, what, bar in PAIRS_BARS:
        speeds = {p["pair"]: min(p[state]["pairs_per_kernel_s"] for state in STATES)
                  for p in document.get("pairs", []) if p["method"] == method}
        if not speeds:
            yield what + ", pairs/s", ">= %.0e" % bar, "not measured", None
            continue
        slowest = min(speeds, key=speeds.get)
        yield ("%s, pairs/s, slowest of %d" % (what, len(speeds)), ">= %.0e" % bar,
               "%.2e (%s; median %.2e)" % (speeds[slowest], slowest, statistics.median(speeds.values())),
               speeds[slowest] >= bar)


def ratio_row(what, bar, ours, theirs, missing):
    """missing: what is said where there is nothing to compare with."""
    if not ours or not theirs:
        return what, ">= %dx" % bar, "not measured" if not ours else missing, None
    ratio = ours["scenes_per_s"] / theirs["scenes_per_s"]
    return (what, ">= %dx" % bar,
            "%.3gx (%.4g of %d scenes over %.4g scenes/s)" %
            (ratio, ours["scenes_per_s"], ours["scenes"], theirs["scenes_per_s"]), ratio >= bar)


def share_rows(document, counted, how):
    for workload in document.get("workloads", []):
        reached = arithmetic.reached(document, workload, (counted or {}).get(workload["study"]))
        if not reached:
            continue
        share, refused = reached["share"], ""
        if not 0 <= share <= 1:
            refused = "; more than there is: counts, times or the ceiling are wrong"
        yield ("advance, %s, of the arithmetic of its mix%s" % (workload["name"], how),
               ">= %.0f %%" % (100 * SHARE_OF_ARITHMETIC), "%.1f %%%s" % (100 * share, refused),
               IMPOSSIBLE if refused else share >= SHARE_OF_ARITHMETIC)


def workload_rows(document, native, one_core, counted, how):
    """Of own slots, or of queues, as `how` says."""
    yield ratio_row("W1 over one core, start to end" + how, W1_OVER_ONE_CORE, best_point(document, "W1"),
                    best_point(one_core, "W1"), "no W1 on one core was measured (one_core.json)")
    cores = "all cores" if native is None else "%d cores" % native["device"]["compute_units"]
    yield ratio_row("W2, up to 100,000 scenes, over " + cores + how, W2_OVER_ALL_CORES,
                    best_point(document, "W2", W2_SCENES), best_point(native, "W2"),
                    "no W2 on all cores was measured (bench_native.json)")
    yield from share_rows(document, counted, how)


def code_rows(code):
    """Of the builds of workloads."""
    rows = [r for r in code if r["kernel"] == "advance"]
    if not rows:
        yield "spills of advance", "0 B", "not told by the driver", None
    for r in rows:
        spills = r["spill_store_bytes"] + r["spill_load_bytes"]
        yield ("spills of advance, %s" % r["build"], "0 B", "%d B stored, %d B loaded; %d registers, %d B of stack" % (
            r["spill_store_bytes"], r["spill_load_bytes"], r["registers"], r["stack_bytes"]), spills == 0)


def device_rows(document, queues, native, one_core, counted, code):
    """(what, bar, got, met or None or IMPOSSIBLE)."""
    yield from pair_rows(document)
    yield from workload_rows(document, native, one_core, counted, "")
    if queues is not None:
        yield from workload_rows(queues, native, one_core, counted, ", queues")
    yield from code_rows(document.get("code") or code)


def documents_of(folder, pattern):
    return [d for d in map(read, sorted(glob.glob(os.path.join(folder, pattern)))) if d and "device" in d]


def word_of(is_met, is_gpu):
    if is_met == IMPOSSIBLE:
        return "REFUSED"
    return "-" if is_met is None or not is_gpu else "met" if is_met else "NOT MET"


def main():
    if len(sys.argv) != 2:
        print(__doc__, end="")
        return 2
    folder = sys.argv[1]
    one_core, counted = read(os.path.join(folder, "one_core.json")), read(os.path.join(folder, "operations.json"))
    documents = documents_of(folder, "bench_*.json")
    native = next((d for d in documents if d["device"]["platform"] == "native"), None)
    codes = {d["device"]["name"]: d.get("code", []) for d in documents_of(folder, "code_*.json")}
    queues = {d["device"]["name"]: d for d in documents_of(folder, "queues_*.json")}
    opencl = [d for d in documents if d["device"]["platform"] != "native"]
    if not opencl:
        print("no bench_*.json of an OpenCL device in " + folder)
        return 1
    refused = 0
    for document in opencl:
        is_gpu, name = document["device"]["is_gpu"], document["device"]["name"]
        print("%s (%s, driver %s)%s" % (name, document["device"]["platform"], document["device"]["driver"],
                                        "" if is_gpu else ": not a GPU, not judged"))
        print("%-60s %-10s %-72s" % ("bar", "", "got"))
        for what, bar, got, is_met in device_rows(document, queues.get(name), native, one_core, counted,
                                                  codes.get(name, [])):
            refused += is_met == IMPOSSIBLE
            print("%-60s %-10s %-72s %s" % (what, bar, got, word_of(is_met, is_gpu)))
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Run clack and the other programs in turn, and print ratios, errors and the bars.

    compare.py BUILD WORK [--results FOLDER] [--quick] [--rounds N]      (called by run.sh, which builds everything)

Times are of the processor, not of the wall, the median of the rounds; in each round every program runs once, so that
what else the machine does falls on all of them. Ratios are of medians: how many times the scenes per second of the
other.
"""
import argparse
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys

from bars import WARM_BARS, WARM_SHARE, bars, clack_error, distances, finer_error
import steps # of the folder above, which bars.py puts on the path

HERE = os.path.dirname(os.path.abspath(__file__))
DEM_STEP_S = 1e-5

# Published speeds on GPUs: what, how fast, on what, measured how.
PUBLISHED = [
    ("MuJoCo Warp, humanoid, 22.3 contacts", "5.67e6 scene-steps/s, 1.27e8 contacts/s", "RTX 6000 Ada, fp32",
     "8,192 worlds, 1,000 steps of 5 ms"),
    ("MuJoCo Warp, primitive contacts alone", "4.0e9 contacts/s", "RTX 6000 Ada, fp32",
     "the same run, field primitive_narrowphase"),
    ("MuJoCo Warp, aloha_clutter (hulls)", "0.355e6 scene-steps/s, 605 ns of narrow phase each", "RTX 6000 Ada, fp32",
     "2,048 worlds"),
    ("OpenGJK-GPU, 50 vertices", "10.9e6 pairs/s", "RTX 4070, fp32", "distance alone, 1,000 pairs"),
    ("MPGOS, Lorenz, RK4", "8.9e10 steps/s", "V100, fp32", "8,388,608 systems, kernel alone, no events"),
    ("DiffEqGPU.jl, Lorenz, Tsit5", "5.8e10 steps/s", "V100, fp32", "the same"),
    ("DEM-Engine, clumps of 3 spheres", "2.8e8 clump-steps/s", "two RTX 3080, forces fp32",
     "rule of thumb of its authors"),
    ("MJX, humanoid", "2.90e6 steps/s", "H200, fp64", "131,072 worlds, 1,000 steps"),
]


def say(*words):
    print(*words)
    sys.stdout.flush()


class Runs:
    """What programs printed: one list of results for each (peer, setting, workload)."""

    def __init__(self):
        self.results, self.left_out = {}, {}

    def add(self, result):
        key = (result["peer"], result["setting"], result["workload"])
        self.results.setdefault(key, []).append(result)

    def speed(self, peer, setting, workload):
        """Scenes per second of the processor, median; None where it did not run."""
        runs = self.results.get((peer, setting, workload))
        return statistics.median(r["scenes"] / r["cpu_s"] for r in runs) if runs else None

    def of(self, workload):
        return {key: runs for key, runs in self.results.items() if key[2] == workload}


def run_lines(command, **more):
    """The JSON objects that a program prints, or None with what went wrong."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, "exit code %d: %s" % (done.returncode, (done.stderr or done.stdout)[-300:])
    lines = [line[5:] if line.startswith("JSON ") else line
             for line in done.stdout.splitlines() if line.startswith(("{", "JSON {"))]
    return [json.loads(line) for line in lines], ""


# --- particle codes: whole processes, less one without steps ---------------------------------------------------

def process_s(command, folder):
    """Processor seconds of a child."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stdout[-300:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read_dump(path):
    with open(path) as file:
        lines = file.read().split("ITEM: ATOMS")[-1].splitlines()[1:]
    return [[float(x) for x in line.split()[1:]] for line in lines]


def dem_command(program, workload, end_s, step_s, scenes, out):
    name = {"lmp": "lmp", "liggghts": "liggghts"}[program]
    script = os.path.join(HERE, ("w1." if workload == 1 else "w24.") + name)
    words = [program, "-in", script, "-log", "none", "-screen", "none", "-var", "T", repr(end_s), "-var", "dt",
             repr(step_s), "-var", "out", out]
    if workload == 1:
        return words + ["-var", "n", str(scenes), "-var", "e", "0.7"]
    return words + ["-var", "atoms", "atoms%d.in" % workload, "-var", "half", {2: "0.2", 4: "0.3"}[workload]]


def run_dem(program, workload, side, folder, step_s=DEM_STEP_S):
    """W1: side x side spheres packed into one run; W2, W4: one scene."""
    peer = {"lmp": "LAMMPS", "liggghts": "LIGGGHTS"}[program]
    end_s, out = {1: 1.0, 2: 1.0, 4: 0.1}[workload], "dump.txt"
    start_s = process_s(dem_command(program, workload, 0.0, step_s, side, out), folder)
    all_s = process_s(dem_command(program, workload, end_s, step_s, side, out), folder)
    rows = read_dump(os.path.join(folder, out))
    result = {"peer": peer, "setting": "%g ms%s" % (1e3 * step_s, ", e = 0.7, packed" if workload == 1 else ""),
              "workload": "W%d" % workload, "scenes": side * side if workload == 1 else 1, "cpu_s": all_s - start_s,
              "start_s": start_s, "places": [x for row in rows for x in row[:3]] if workload != 1 else []}
    if workload == 1:  # read between the first and the second impact
        process_s(dem_command(program, 1, 0.6, step_s, side, out), folder)
        errors = []
        for k, row in enumerate(read_dump(os.path.join(folder, out)), 1):
            height = 0.8 + 0.4 * (k * 104729 % 1000) / 999
            errors.append(math.sqrt(max(row[2] + row[3]**2 / 2 / 9.81 - 0.1, 0) / height) - 0.7)
        result["restitution_bias"] = statistics.mean(errors)
        result["restitution_worst"] = max(map(abs, errors))
    return result


# --- one round -----------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, build, work, is_quick):
        self.build, self.work, self.runs, self.is_quick = build, work, Runs(), is_quick
        self.counts = {1: 100, 2: 2, 3: 20, 4: 1} if is_quick else {1: 10000, 2: 32, 3: 400, 4: 8}
        # Of runs on one and on two threads: seconds long,
        # so that waking the second and the last scenes are little of them.
        self.many = self.counts if is_quick else {1: 200000, 2: 128, 3: 1600, 4: 32}
        for counts, folder in (self.counts, work), (self.many, self.program("many")):
            os.makedirs(folder, exist_ok=True)
            for workload, count in counts.items():
                subprocess.run([self.program("scenes"), "study", str(workload), str(count), folder], check=True)
        for workload in (2, 4):
            with open(os.path.join(work, "atoms%d.in" % workload), "w") as out:
                subprocess.run([self.program("scenes"), "atoms", str(workload), "0"], stdout=out, check=True)

    def program(self, name):
        return os.path.join(self.work, name)

    def simulate(self, words, name, **more):
        """more: members that results get besides."""
        if not os.path.exists(words[0]) and shutil.which(words[0]) is None:
            return
        results, error = run_lines(words, cwd=self.work)
        if results is None:
            self.runs.left_out[name] = error
            return
        for result in results:
            self.runs.add({**result, **more})

    def clack(self, workload, threads, *how, folder="", **more):
        # 10,000 of W1 are over in 0.08 s: 118,000 a second rather than 134,000.
        folder = folder or ("many" if workload == 1 else "")
        study = os.path.join(self.work, folder, "w%d.yaml" % workload)
        self.simulate([os.path.join(self.build, "sim_clack"), str(workload), study, str(threads), *how],
                      "clack W%d" % workload, **more)

    @staticmethod
    def of_many(threads):
        return "many scenes, %d thread%s" % (threads, "" if threads == 1 else "s")

    def cores(self):
        """Runs of many scenes on one thread and on two, in turn."""
        for workload in self.many:
            for threads in 1, 2, 1, 2:
                self.clack(workload, threads, folder="many", setting=self.of_many(threads))

    def round(self, number):
        for workload, count in self.counts.items():
            self.clack(workload, 1)
            if workload in (2, 4):
                self.clack(workload, 1, "fast")
            for name in "sim_ode", "sim_mujoco", "sim_mujoco_new", "sim_bullet":
                for step in ("0.002", "0.0005"):
                    few = max(1, count // (1 if step == "0.002" else 4))
                    self.simulate([self.program(name), str(workload), step, str(few)], "%s W%d" % (name, workload))
            few = {1: 100, 2: 1, 3: 10, 4: 0}[workload] // (5 if self.is_quick and workload != 2 else 1)
            if few > 0 and (workload != 2 or number == 0):
                self.simulate([self.program("sim_simbody"), str(workload), "1e-6", str(few)], "Simbody W%d" % workload)
            self.dem(workload)
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "N": "100", "EN": "0.7", "T": "1"}
        if shutil.which("yade"):
            results, error = run_lines(["yade", "-j1", "-n", "-x", os.path.join(HERE, "w1_yade.py")],
                                       cwd=self.work, env=environment)
            if results:
                self.runs.add(results[0])
            else:
                self.runs.left_out["YADE"] = error

    def dem(self, workload):
        for program in "lmp", "liggghts":
            if workload == 3 or shutil.which(program) is None:
                continue
            try:
                self.runs.add(run_dem(program, workload, 8 if self.is_quick else 32, self.work))
            except (RuntimeError, OSError, subprocess.TimeoutExpired, ValueError) as error:
                self.runs.left_out["%s W%d" % (program, workload)] = str(error)

    def references(self):
        """clack refined, for its own error; the particle codes at a tenth and a hundredth of their step, for theirs."""
        for workload in self.counts:
            self.clack(workload, 1, "refined")
            for program in ("lmp", "liggghts") if workload in (2, 4) else ():
                for share in (0.1, 0.01) if shutil.which(program) else ():
                    try:
                        self.runs.add(run_dem(program, workload, 1, self.work, share * DEM_STEP_S))
                    except (RuntimeError, OSError, subprocess.TimeoutExpired, ValueError) as error:
                        self.runs.left_out["%s W%d, %g of its step" % (program, workload, share)] = str(error)


# --- what came out -------------------------------------------------------------------------------------------

def error_of(bench, key):
    """What is known of a program's error, as text."""
    peer, setting, workload = key
    result = bench.runs.results[key][0]
    words = []
    if "restitution_worst" in result:
        words.append("e off by %.1e mean, %.1e worst" % (result["restitution_bias"], result["restitution_worst"]))
    if result.get("penetration_m", -1) >= 0:
        words.append("%.2g mm deep" % (1e3 * result["penetration_m"]))
    finer = {"0.01 ms": "0.001 ms", "0.001 ms": "0.0001 ms"}.get(setting)
    away = finer_error(bench, peer, workload, setting, finer)
    if away is not None:
        words.append("places off its own finer run by %.1e m median" % away)
    level = setting.split(",")[0]
    if peer == "clack" and workload in ("W2", "W4") and level in ("default", "fast"):
        own = clack_error(bench, workload, level)
        words += ["places off its own finer run by %.1e m median" % own[0]] if own else []
    refined = bench.runs.results.get(("clack", "refined, 1 thread", workload))
    if refined and workload == "W3" and result.get("places") and setting != "refined, 1 thread":
        away = distances(result["places"], refined[0]["places"])
        words.append("places off the converged ones by %.1e m median" % statistics.median(away))
    return "; ".join(words)


def print_workload(bench, workload):
    ours = bench.runs.speed("clack", "default, 1 thread", workload)
    run = bench.runs.results[("clack", "default, 1 thread", workload)][0]
    say("\n%s: clack on one thread %.4g scenes/s, %.4g impacts a scene, %.3g contacts a step, "
        "%.4g evaluations a scene" % (workload, ours, run["impacts"], run["contacts_per_step"], run["evaluations"]))
    error = clack_error(bench, workload)
    if error:
        say("  off its refined run by %.1e median, %.1e worst (%s)" %
            (*error, "speed ratios of impacts" if workload == "W1" else "m, places at the end"))
    say("  %-16s %-26s %12s %8s  %s" % ("", "", "scenes/s", "clack is", "errors"))
    for key in sorted(bench.runs.of(workload)):
        speed = bench.runs.speed(*key)
        say("  %-16s %-26s %12.4g %7.3gx  %s" % (key[0], key[1], speed, ours / speed, error_of(bench, key)))


def print_narrow(lines):
    say("\nnarrow phases, ns a pair, one thread; of libccd's rows clack's exact search and narrow_phase: "
        "mpr (at libccd's tolerance, and at the default 1e-13) are in the same turn")
    say("  %-8s %-20s %-8s %-12s %8s %8s %8s %7s %7s %7s %7s %7s %6s %9s %9s" %
        ("set", "pair", "peer", "setting", "ns", "clack", "mpr", "ratio",
         "few", "mpr r.", "1e-13", "missed", "false", "depth m", "normal rad"))
    for r in lines:
        ours = ("%8.1f %8.1f %7.3f %7.3f %7.2f %7.2f" % (
            r["clack_ns"], r["clack_mpr_ns"], r["ratio"], r["cached_ratio"], r["mpr_ratio"], r["mpr_default_ratio"])
            if "ratio" in r else 49 * " ")
        errors = "%9.1e %9.1e" % (r["depth_error_m"], r["normal_error_rad"]) if "depth_error_m" in r else ""
        say("  %-8s %-20s %-8s %-12s %8.1f %s %7d %6d %s" %
            (r["set"], r["pair"], r["peer"], r["setting"], r["ns"], ours, r["missed"], r["false"], errors))


def print_warm(lines):
    if not lines:
        return
    say("\nwarm starts: looks at pairs that moved by %g of their sizes, with what touched before and without, "
        "in turn within one process; told: without any search" % WARM_SHARE)
    say("  %-20s %8s %8s %8s %6s %13s %8s" %
        ("pair", "cold ns", "warm ns", "told ns", "gain", "instructions", "at once"))
    for r in lines:
        say("  %-20s %8.1f %8.1f %8.1f %5.2fx %12.2fx %6.1f %%" % (
            r["pair"], r["cold_ns"], r["warm_ns"], r["told_ns"], r["gain"], r["gain_instructions"], 100 * r["at_once"]))


def run_methods(bench):
    try:
        return steps.measure(os.path.join(bench.build, "clack"), 1 if bench.is_quick else 5)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        bench.runs.left_out["methods of the stepper"] = str(error)
        return []


def print_methods(rows):
    if rows:
        say("\nmethods of the stepper beside RK4 with fixed steps, one body that stays in touch, one thread; "
            "all of a step in its evaluations")
        say("\n".join("  " + line for line in steps.table(rows)))


def machine():
    with open("/proc/cpuinfo") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "processor")
    return "%s, %d cores, load %.1f" % (name, os.cpu_count(), os.getloadavg()[0])


def run_narrow(bench, count):
    pairs = os.path.join(bench.work, "pairs")
    lines = []
    if not os.path.exists(bench.program("gen_pairs")):
        return lines
    os.makedirs(pairs, exist_ok=True)
    subprocess.run([bench.program("gen_pairs"), pairs, str(count)], check=True)
    commands = [[os.path.join(bench.build, "narrow_clack"), "files", pairs, str(count)],
                [os.path.join(bench.build, "narrow_clack"), "shallow", str(count)]]
    commands += [[bench.program(name), pairs, str(count)] for name in ("narrow_ode", "narrow_bullet", "narrow_fcl")]
    for command in commands:
        lines += run_bench(bench, command)
    return lines


def run_warm(bench, count):
    command = [os.path.join(bench.build, "bench_warm"), "-j", "-n", str(count), "-s", str(WARM_SHARE)]
    return [line for pair in WARM_BARS for line in run_bench(bench, command + pair.split("-")) if line["pair"] == pair]


def run_bench(bench, command):
    if not os.path.exists(command[0]):
        return []
    results, error = run_lines(command, cwd=bench.work)
    if results is None:
        bench.runs.left_out[os.path.basename(command[0])] = error
    return results or []


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build")
    words.add_argument("work")
    words.add_argument("--results")
    words.add_argument("--quick", action="store_true")
    words.add_argument("--rounds", type=int, default=3)
    given = words.parse_args()
    bench = Bench(os.path.abspath(given.build), os.path.abspath(given.work), given.quick)
    table = open(os.path.join(given.results, "table.txt"), "w") if given.results else None
    if table:
        say_to_both(table)
    say("%s; processor time, median of %d rounds" % (machine(), given.rounds))
    for number in range(given.rounds):
        bench.round(number)
    bench.references()
    bench.cores()
    for workload in "W1", "W2", "W3", "W4":
        print_workload(bench, workload)
    narrow = run_narrow(bench, 1000 if given.quick else 10000)
    print_narrow(narrow)
    warm = run_warm(bench, 20 if given.quick else 300)
    print_warm(warm)
    methods = run_methods(bench)
    print_methods(methods)
    say("\npublished speeds on GPUs (not measured here; clack's own: clack bench, bench/gpu.sh)")
    for row in PUBLISHED:
        say("  %-40s %-52s %-28s %s" % row)
    for name, error in bench.runs.left_out.items():
        say("left out: %s: %s" % (name, error.strip().splitlines()[-1] if error.strip() else "failed"))
    rows = bars(bench, narrow, warm, methods)
    say("\n%-64s %-16s %-20s" % ("bar", "", "got"))
    for row in rows:
        say("%-64s %-16s %-20s %s" %
            (row.what, row.bar, row.got, "-" if row.is_met is None else "met" if row.is_met else "NOT MET"))
        if row.is_met is False and row.limit:
            say("    limit: %s" % row.limit)
    say("%d of %d met" % (sum(row.is_met is True for row in rows), len(rows)))
    if given.results:
        with open(os.path.join(given.results, "results.jsonl"), "w") as out:
            for runs in bench.runs.results.values():
                for result in runs:
                    out.write(json.dumps({k: v for k, v in result.items() if k not in ("places", "speed")}) + "\n")
            for line in narrow + warm + methods:
                out.write(json.dumps(line) + "\n")
    return 0


def say_to_both(table):
    plain = say

    def both(*words):
        plain(*words)
        print(*words, file=table)
        table.flush()

    globals()["say"] = both


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Run clack and the other programs in turn, and print ratios, errors and the bars.

    compare.py BUILD WORK [--results FOLDER] [--quick] [--rounds N]      (called by run.sh, which builds everything)

Times are of the processor, not of the wall, the median of the rounds; in each round every program runs once, so that
what else the machine does falls on all of them. Ratios are of medians: how many times the scenes per second of the other.
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
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEM_STEP_S = 1e-5

# Positions of W3's box after 1 s by two other methods that agree to 1e-9 m (scene: x, y, z).
W3_ANCHORS = {0: (0.175155780, 0.087686450, 0.049994624), 1: (0.605839610, -0.332559026, 0.075022627),
              3: (0.424792022, 0.116487983, 0.049994624), 4: (0.357710934, -0.156978722, 0.074994624),
              6: (0.668107671, -0.147753017, 0.130550867), 7: (0.730135943, 0.249843475, 0.089743186)}

# Bars of narrow phases: clack's time over libccd's at most.
FILES_BARS = {"sphere-sphere": 0.30, "sphere-box": 0.05, "ellipsoid-ellipsoid": 0.20, "box-box": 0.60, "cylinder-box": 0.80,
              "hull-hull": 1.0}
SHALLOW_BARS = {"sphere-cylinder": 0.05, "sphere-ellipsoid": 0.10, "sphere-hull": 0.15, "capsule-capsule": 0.05, "capsule-box": 0.20,
                "ellipsoid-box": 0.40, "box-box": 0.45, "cylinder-box": 0.65, "frustum-box": 0.65, "beam-box": 0.65, "hull-box": 0.65,
                "ellipsoid-ellipsoid": 1.0, "cylinder-cylinder": 1.0, "beam-beam": 1.0, "ellipsoid-cylinder": 1.0, "hull-hull": 1.0}

# Bars of warm starts: how many times faster than its own cold one a look is at least, pairs that move by 1e-3 of their sizes.
WARM_SHARE = 1e-3
WARM_BARS = {"box-box": 4, "box-cylinder": 3, "box-beam": 3, "box-ellipsoid": 2}

# Published speeds on GPUs: what, how fast, on what, measured how.
PUBLISHED = [
    ("MuJoCo Warp, humanoid, 22.3 contacts", "5.67e6 scene-steps/s, 1.27e8 contacts/s", "RTX 6000 Ada, fp32", "8,192 worlds, 1,000 steps of 5 ms"),
    ("MuJoCo Warp, primitive contacts alone", "4.0e9 contacts/s", "RTX 6000 Ada, fp32", "the same run, field primitive_narrowphase"),
    ("MuJoCo Warp, aloha_clutter (hulls)", "0.355e6 scene-steps/s, 605 ns of narrow phase each", "RTX 6000 Ada, fp32", "2,048 worlds"),
    ("OpenGJK-GPU, 50 vertices", "10.9e6 pairs/s", "RTX 4070, fp32", "distance alone, 1,000 pairs"),
    ("MPGOS, Lorenz, RK4", "8.9e10 steps/s", "V100, fp32", "8,388,608 systems, kernel alone, no events"),
    ("DiffEqGPU.jl, Lorenz, Tsit5", "5.8e10 steps/s", "V100, fp32", "the same"),
    ("DEM-Engine, clumps of 3 spheres", "2.8e8 clump-steps/s", "two RTX 3080, forces fp32", "rule of thumb of its authors"),
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
    lines = [line[5:] if line.startswith("JSON ") else line for line in done.stdout.splitlines() if line.startswith(("{", "JSON {"))]
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
    words = [program, "-in", script, "-log", "none", "-screen", "none", "-var", "T", repr(end_s), "-var", "dt", repr(step_s), "-var", "out", out]
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
    result = {"peer": peer, "setting": "%g ms%s" % (1e3 * step_s, ", e = 0.7, packed" if workload == 1 else ""), "workload": "W%d" % workload,
              "scenes": side * side if workload == 1 else 1, "cpu_s": all_s - start_s, "start_s": start_s,
              "places": [x for row in rows for x in row[:3]] if workload != 1 else []}
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
        # Of runs on one and on two threads: seconds long, so that waking the second and the last scenes are little of them.
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
        folder = folder or ("many" if workload == 1 else "") # 10,000 are over in 0.08 s: 118,000 a second rather than 134,000
        study = os.path.join(self.work, folder, "w%d.yaml" % workload)
        self.simulate([os.path.join(self.build, "sim_clack"), str(workload), study, str(threads), *how], "clack W%d" % workload, **more)

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
            results, error = run_lines(["yade", "-j1", "-n", "-x", os.path.join(HERE, "w1_yade.py")], cwd=self.work, env=environment)
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
        """clack refined, for its own error; the particle codes at a tenth of their step, for theirs; two threads."""
        for workload in self.counts:
            self.clack(workload, 1, "refined")
            for program in ("lmp", "liggghts") if workload in (2, 4) else ():
                if shutil.which(program):
                    try:
                        self.runs.add(run_dem(program, workload, 1, self.work, 0.1 * DEM_STEP_S))
                    except (RuntimeError, OSError, subprocess.TimeoutExpired, ValueError) as error:
                        self.runs.left_out["%s W%d, fine" % (program, workload)] = str(error)


# --- what came out -------------------------------------------------------------------------------------------

def distances(a, b):
    """Between two lists of places, of each body."""
    count = min(len(a), len(b)) // 3
    return [math.dist(a[3 * i:3 * i + 3], b[3 * i:3 * i + 3]) for i in range(count)]


def error_of(bench, key):
    """What is known of a program's error, as text."""
    peer, setting, workload = key
    result = bench.runs.results[key][0]
    words = []
    if "restitution_worst" in result:
        words.append("e off by %.1e mean, %.1e worst" % (result["restitution_bias"], result["restitution_worst"]))
    if result.get("penetration_m", -1) >= 0:
        words.append("%.2g mm deep" % (1e3 * result["penetration_m"]))
    fine = bench.runs.results.get((peer, "0.001 ms", workload)) if setting == "0.01 ms" else None
    if fine:
        away = distances(result["places"], fine[0]["places"])
        words.append("places off its own finer run by %.1e m median, %.1e worst" % (statistics.median(away), max(away)))
    refined = bench.runs.results.get(("clack", "refined, 1 thread", workload))
    if refined and workload == "W3" and result.get("places") and setting != "refined, 1 thread":
        away = distances(result["places"], refined[0]["places"])
        words.append("places off the converged ones by %.1e m median" % statistics.median(away))
    return "; ".join(words)


def clack_error(bench, workload, setting="default"):
    """Against its own refined run: (median, worst) of places in m; of W1 of the speed after the first impact over that before."""
    ours = bench.runs.results.get(("clack", setting + ", 1 thread", workload))
    refined = bench.runs.results.get(("clack", "refined, 1 thread", workload))
    if not ours or not refined:
        return None
    if workload == "W1":
        away = [abs(a - b) for a, b in zip(ours[0]["speed"], refined[0]["speed"])]
    else:
        away = distances(ours[0]["places"], refined[0]["places"])
    return statistics.median(away), max(away)


def print_workload(bench, workload):
    ours = bench.runs.speed("clack", "default, 1 thread", workload)
    run = bench.runs.results[("clack", "default, 1 thread", workload)][0]
    say("\n%s: clack on one thread %.4g scenes/s, %.4g impacts a scene, %.3g contacts a step, %.4g evaluations a scene" % (
        workload, ours, run["impacts"], run["contacts_per_step"], run["evaluations"]))
    error = clack_error(bench, workload)
    if error:
        say("  off its refined run by %.1e median, %.1e worst (%s)" % (*error, "speed ratios of impacts" if workload == "W1" else "m, places at the end"))
    say("  %-16s %-26s %12s %8s  %s" % ("", "", "scenes/s", "clack is", "errors"))
    for key in sorted(bench.runs.of(workload)):
        speed = bench.runs.speed(*key)
        say("  %-16s %-26s %12.4g %7.3gx  %s" % (key[0], key[1], speed, ours / speed, error_of(bench, key)))


def print_narrow(lines):
    say("\nnarrow phases, ns a pair, one thread; of libccd's rows clack's exact search and narrow_phase: mpr (at libccd's "
        "tolerance, and at the default 1e-13) are in the same turn")
    say("  %-8s %-20s %-8s %-12s %8s %8s %8s %7s %7s %7s %7s %6s %9s %9s" % ("set", "pair", "peer", "setting", "ns", "clack", "mpr", "ratio",
                                                                           "mpr r.", "1e-13", "missed", "false", "depth m", "normal rad"))
    for r in lines:
        ours = "%8.1f %8.1f %7.2f %7.2f %7.2f" % (r["clack_ns"], r["clack_mpr_ns"], r["ratio"], r["mpr_ratio"], r["mpr_default_ratio"]) if "ratio" in r else 41 * " "
        errors = "%9.1e %9.1e" % (r["depth_error_m"], r["normal_error_rad"]) if "depth_error_m" in r else ""
        say("  %-8s %-20s %-8s %-12s %8.1f %s %7d %6d %s" % (r["set"], r["pair"], r["peer"], r["setting"], r["ns"], ours, r["missed"], r["false"], errors))


def print_warm(lines):
    if not lines:
        return
    say("\nwarm starts: looks at pairs that moved by %g of their sizes, with what touched before and without, in turn within one process" % WARM_SHARE)
    say("  %-20s %8s %8s %6s %13s %8s" % ("pair", "cold ns", "warm ns", "gain", "instructions", "at once"))
    for r in lines:
        say("  %-20s %8.1f %8.1f %5.2fx %12.2fx %6.1f %%" % (r["pair"], r["cold_ns"], r["warm_ns"], r["gain"], r["gain_instructions"], 100 * r["at_once"]))


def anchors(bench):
    """Distances of W3's boxes from the anchors at the default, in m."""
    places = bench.runs.results[("clack", "default, 1 thread", "W3")][0]["places"]
    return [math.dist(places[3 * k:3 * k + 3], place) for k, place in W3_ANCHORS.items() if 3 * k + 3 <= len(places)]


def bars(bench, narrow, warm):
    """(what, bar, got, met or None)."""
    runs, rows = bench.runs, []

    def ratio(workload, peer, setting, least, accuracy="default"):
        ours, theirs = runs.speed("clack", accuracy + ", 1 thread", workload), runs.speed(peer, setting, workload)
        what = "%s, one core, %sover %s %s" % (workload, "fast " if accuracy == "fast" else "", peer, setting)
        rows.append((what, ">= %gx" % least, "%.3gx" % (ours / theirs) if theirs else "left out", ours / theirs >= least if theirs else None))

    mujoco = sorted({key[0] for key in runs.results if key[0].startswith("MuJoCo")})
    w1 = runs.speed("clack", "default, 1 thread", "W1")
    ode = runs.speed("ODE", "QuickStep 2 ms", "W1")
    rows.append(("W1, one core, scenes/s, or 15x ODE at 2 ms", ">= 80000", "%.4g" % w1, w1 >= 80000 or bool(ode) and w1 >= 15 * ode))
    for peer in mujoco:
        ratio("W1", peer, "2 ms", 40)
    ratio("W1", "Simbody", "accuracy 1e-06", 500)
    error = clack_error(bench, "W1")
    if error:
        rows.append(("W1, error of the restitution, e 0.5 to 0.95", "<= 5e-6", "%.1e" % error[1], error[1] <= 5e-6))
    ratio("W3", "Simbody", "accuracy 1e-06", 60)
    for peer in mujoco:
        ratio("W3", peer, "0.5 ms", 2)
    ratio("W3", "ODE", "QuickStep 2 ms", 1)
    away = anchors(bench)
    rows.append(("W3, anchors at 1 s, median and worst of %d" % len(away), "<= 2e-5, 1e-3 m", "%.1e, %.1e m" % (statistics.median(away), max(away)),
                 statistics.median(away) <= 2e-5 and max(away) <= 1e-3))
    for workload in "W2", "W4":
        for peer in "LAMMPS", "LIGGGHTS":
            ratio(workload, peer, "0.01 ms", 10, "fast")
        ours = clack_error(bench, workload, "fast")
        for peer in "LAMMPS", "LIGGGHTS":
            coarse, fine = runs.results.get((peer, "0.01 ms", workload)), runs.results.get((peer, "0.001 ms", workload))
            if ours and coarse and fine:
                theirs = statistics.median(distances(coarse[0]["places"], fine[0]["places"]))
                rows.append(("%s, median error of fast against that of %s" % (workload, peer), "<= %.1e m" % theirs, "%.1e m" % ours[0], ours[0] <= theirs))
        ratio(workload, "ODE", "QuickStep 2 ms", 1)
    for workload in "W1", "W2", "W3", "W4":
        one, two = (runs.results.get(("clack", bench.of_many(threads), workload)) for threads in (1, 2))
        if one and two:
            gain = statistics.median(r["wall_s"] for r in one) / statistics.median(r["wall_s"] for r in two)
            rows.append(("%s, two cores over one, %d scenes (wall)" % (workload, one[0]["scenes"]), ">= 1.9x", "%.2fx" % gain, gain >= 1.9))
    for r in narrow:
        bar = {"files": FILES_BARS, "shallow": SHALLOW_BARS}[r["set"]].get(r["pair"]) if "ratio" in r else None
        if bar is not None:
            rows.append(("narrow, %s: %s over libccd" % (r["set"], r["pair"]), "<= %.2f" % bar, "%.3g" % r["ratio"], r["ratio"] <= bar))
    for r in warm:
        if r["pair"] in WARM_BARS:
            bar = WARM_BARS[r["pair"]]
            rows.append(("warm over cold, %s" % r["pair"], ">= %dx, 90 %% at once" % bar, "%.2fx, %.1f %%" % (r["gain"], 100 * r["at_once"]),
                         r["gain"] >= bar and r["at_once"] >= 0.9))
    worst = max((r for r in narrow if "mpr_ratio" in r), key=lambda r: r["mpr_ratio"], default=None)
    if worst:
        rows.append(("narrow_phase: mpr over libccd, worst: %s %s" % (worst["set"], worst["pair"]), "<= 1.00", "%.2f" % worst["mpr_ratio"], worst["mpr_ratio"] <= 1))
    return rows


def clack_bars(bench):
    """Bars of the program itself: memory, start, recording."""
    rows = []
    clack, ten = os.path.join(bench.build, "clack"), os.path.join(HERE, "..", "..", "data", "ten_spheres.yaml")
    plan, _ = run_json([clack, "run", ten, "-d", "native", "--dry-run", "--json", "--set", "design.monte_carlo.samples=65536", "--batch", "65536"])
    if plan:
        bytes_each = sum(b for name, b in plan["device_bytes"].items() if name != "frames") / plan["batch_scenes"]
        rows.append(("memory of a scene of ten spheres, 65,536 in a batch, no frames", "< 5000 bytes", "%.0f" % bytes_each, bytes_each < 5000))
    for device in "native", "cpu":
        results, _ = run_json([clack, "bench", "start", "-d", device, "--time", "0.1", "--json"])
        if results is None or "start" not in results:
            rows.append(("start to first result, %s" % device, "<= 5 s, 0.5 s", "left out", None))
            continue
        cold, warm = results["start"]["cold_s"], results["start"]["warm_s"]
        rows.append(("start to first result, %s, cold and warm (wall)" % device, "<= 5 s, 0.5 s", "%.3g s, %.3g s" % (cold, warm), cold <= 5 and warm <= 0.5))
    rows += recording(bench, clack, ten)
    return rows


def recording(bench, clack, ten):
    """Wall time of a run with frames over that of one without."""
    scenes = 64 if bench.is_quick else 4096
    common = [clack, "run", ten, "-d", "native", "--json", "--overwrite", "-o", bench.program("recorded.h5"), "--set",
              "design.monte_carlo.samples=%d" % scenes]
    frames = ["--set", "outputs.trajectory.scenes=%d" % scenes, "--set", "outputs.trajectory.every=0.01"]
    wall_s = []
    for command in common, common + frames:
        begin_s = time.monotonic()
        result, _ = run_json(command)
        if not result or result["scenes_failed"]:
            return []
        wall_s.append(time.monotonic() - begin_s)
    share = 1 - wall_s[0] / wall_s[1]
    return [("recording of %d W2 scenes at 100 frames/s, of the run (wall)" % scenes, "<= 10 %",
             "%.1f %% of %.1f s" % (100 * share, wall_s[1]), share <= 0.1)]


def run_json(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
        return json.loads(done.stdout), ""
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return None, str(error)


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
    commands = [[os.path.join(bench.build, "narrow_clack"), "files", pairs, str(count)], [os.path.join(bench.build, "narrow_clack"), "shallow", str(count)]]
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
    say("\npublished speeds on GPUs (not measured here; clack's own: clack bench, bench/gpu.sh)")
    for row in PUBLISHED:
        say("  %-40s %-52s %-28s %s" % row)
    for name, error in bench.runs.left_out.items():
        say("left out: %s: %s" % (name, error.strip().splitlines()[-1] if error.strip() else "failed"))
    rows = bars(bench, narrow, warm) + clack_bars(bench)
    say("\n%-64s %-16s %-20s" % ("bar", "", "got"))
    for what, bar, got, is_met in rows:
        say("%-64s %-16s %-20s %s" % (what, bar, got, "-" if is_met is None else "met" if is_met else "NOT MET"))
    say("%d of %d met" % (sum(row[3] is True for row in rows), len(rows)))
    if given.results:
        with open(os.path.join(given.results, "results.jsonl"), "w") as out:
            for runs in bench.runs.results.values():
                for result in runs:
                    out.write(json.dumps({k: v for k, v in result.items() if k not in ("places", "speed")}) + "\n")
            for line in narrow + warm:
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

"""The bars of compare.py: what is asked for, what came out and, where that falls short, what stands in the way,
measured in the same run."""
import collections
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
import arithmetic
import steps

# Positions of W3's box after 1 s by the integration of its own that tests/validation/test_tumbling_box.cc has
# (scene: x, y, z).
W3_ANCHORS = {0: (0.175061571, 0.087991004, 0.049994624), 1: (0.605839708, -0.332560110, 0.075022761),
              3: (0.424792265, 0.116487860, 0.049994624), 4: (0.357710916, -0.156978749, 0.074994624),
              6: (0.668107671, -0.147753017, 0.130550867), 7: (0.729798475, 0.249325535, 0.089743472)}

# Bars of narrow phases: clack's time over libccd's at most.
FILES_BARS = {"sphere-sphere": 0.30, "sphere-box": 0.05, "ellipsoid-ellipsoid": 0.20, "box-box": 0.60,
              "cylinder-box": 0.80, "hull-hull": 1.0}
SHALLOW_BARS = {"sphere-cylinder": 0.05, "sphere-ellipsoid": 0.10, "sphere-hull": 0.15, "capsule-capsule": 0.05,
                "capsule-box": 0.20, "ellipsoid-box": 0.40, "box-box": 0.45, "cylinder-box": 0.65, "frustum-box": 0.65,
                "beam-box": 0.65, "hull-box": 0.65, "ellipsoid-ellipsoid": 1.0, "cylinder-cylinder": 1.0,
                "beam-beam": 1.0, "ellipsoid-cylinder": 1.0, "hull-hull": 1.0}

# Bars of warm starts: how many times faster than its own cold one a look is at least,
# pairs that move by 1e-3 of their sizes.
WARM_SHARE = 1e-3
WARM_BARS = {"box-box": 4, "box-cylinder": 3, "box-beam": 3, "box-ellipsoid": 2}

# Which pair's force a workload's contacts ask for.
FORCES = {"W2": "sphere-sphere", "W3": "half_space-box", "W4": "sphere-sphere"}

# is_met: None where something is left out. limit: what is known to stand in the way, shown where the bar is not met.
Bar = collections.namedtuple("Bar", "what bar got is_met limit", defaults=("",))


def distances(a, b):
    """Between two lists of places, of each body."""
    count = min(len(a), len(b)) // 3
    return [math.dist(a[3 * i:3 * i + 3], b[3 * i:3 * i + 3]) for i in range(count)]


def clack_error(bench, workload, setting="default"):
    """Against its own refined run: (median, worst) of places in m;
    of W1 of the speed after the first impact over that before."""
    ours = bench.runs.results.get(("clack", setting + ", 1 thread", workload))
    refined = bench.runs.results.get(("clack", "refined, 1 thread", workload))
    if not ours or not refined:
        return None
    if workload == "W1":
        away = [abs(a - b) for a, b in zip(ours[0]["speed"], refined[0]["speed"])]
    else:
        away = distances(ours[0]["places"], refined[0]["places"])
    return statistics.median(away), max(away)


def finer_error(bench, peer, workload, setting, finer):
    """Median error of a program's places, in m, against its own finer run; None where one is not there."""
    one, other = (bench.runs.results.get((peer, key, workload)) for key in (setting, finer))
    away = distances(one[0]["places"], other[0]["places"]) if one and other else []
    return statistics.median(away) if away else None


def force_ns(bench):
    """Time of one force on one thread, ns, by pair: clack bench's kernels, whose data is in cache."""
    results, _ = run_json([os.path.join(bench.build, "clack"), "bench", "pairs", "-d", "native", "--threads", "1",
                           "-n", "1000", "--time", "0.05", "--json"])
    return {r["pair"]: 1e9 / r["touching"]["forces_per_kernel_s"]
            for r in (results or {}).get("pairs", []) if r["method"] in ("closed", "exact")}


# Fused operations that a processor could do instead of a division or a root of one number
# (measured on a Xeon: 8 and 12).
PLACES_OF_SCALAR_DIVISION = 8


def scalar_rate(bench):
    """Fused operations of one core in a second, one number each:
    the ceiling that `clack bench` measures is of vectors of four."""
    results, _ = run_json([os.path.join(bench.build, "clack"), "bench", "probe", "-d", "native", "--threads", "1",
                           "--time", "0.2", "--json"])
    if not results or not results["device"]["driver"].endswith("v3"):
        return None
    return results["ceilings"]["flops_per_s"] / 2 / 4


@functools.lru_cache(maxsize=None)
def operations(build, study, accuracy):
    """Places of the arithmetic of an evaluation, counted on the first four scenes; None where it cannot be counted."""
    counted = os.path.join(os.path.dirname(study), "counted.yaml")
    with open(study) as source, open(counted, "w") as out:
        before, solver, after = source.read().partition("solver: {")
        out.write(before + solver + "accuracy: %s, " % accuracy + after)
    results, _ = run_json([os.path.join(build, "count_operations"), "-n", "4", counted])
    if not results or not solver:
        return None
    count = results["counted.yaml"]
    return arithmetic.places_of(count, PLACES_OF_SCALAR_DIVISION) / count["evaluations"]


def arithmetic_s(bench, workload, accuracy, rate):
    """Time of the arithmetic of a scene, one number after the other; None where it is not known."""
    places = operations(bench.build, bench.program(workload.lower() + ".yaml"), accuracy) if rate else None
    return (places / rate * bench.runs.results[("clack", accuracy + ", 1 thread", workload)][0]["evaluations"]
            if places else None)


def stepper_limit(bench, forces, rate, workload, accuracy, peer, theirs):
    """What is left of the ratio if nothing but forces, or arithmetic, cost anything;
    and where the other has to go for its error."""
    words, of_one = [], forces.get(FORCES.get(workload))
    of_all = arithmetic_s(bench, workload, accuracy, rate)
    if of_all:
        words.append("its arithmetic, one number after the other, would alone leave %.3gx" % (1 / of_all / theirs))
    if of_one:
        run = bench.runs.results[("clack", accuracy + ", 1 thread", workload)][0]
        count = run["evaluations"] * run["contacts_per_step"]
        if count > 0:
            words.append("its %.3g forces a scene, %.0f ns each, would alone leave %.3gx" %
                         (count, of_one, 1e9 / (count * of_one) / theirs))
    fine, ours = bench.runs.speed(peer, "0.001 ms", workload), clack_error(bench, workload, accuracy)
    error = finer_error(bench, peer, workload, "0.001 ms", "0.0001 ms")
    if fine and ours and error is not None:
        speed = bench.runs.speed("clack", accuracy + ", 1 thread", workload)
        words.append("%.3gx that program at 0.001 ms, whose error is %.1e m (here %.1e m)" %
                     (speed / fine, error, ours[0]))
    return "; ".join(words)


def anchors(bench):
    """Distances of W3's boxes from the anchors at the default, in m."""
    places = bench.runs.results[("clack", "default, 1 thread", "W3")][0]["places"]
    return [math.dist(places[3 * k:3 * k + 3], place) for k, place in W3_ANCHORS.items() if 3 * k + 3 <= len(places)]


def stepper_bars(bench):
    runs, rows, forces, rate = bench.runs, [], force_ns(bench), scalar_rate(bench)

    def ratio(workload, peer, setting, least, accuracy="default"):
        ours, theirs = runs.speed("clack", accuracy + ", 1 thread", workload), runs.speed(peer, setting, workload)
        what = "%s, one core, %sover %s %s" % (workload, "fast " if accuracy == "fast" else "", peer, setting)
        if theirs:
            is_met = ours / theirs >= least
            rows.append(Bar(what, ">= %gx" % least, "%.3gx" % (ours / theirs), is_met,
                            "" if is_met else stepper_limit(bench, forces, rate, workload, accuracy, peer, theirs)))
        else:
            rows.append(Bar(what, ">= %gx" % least, "left out", None))

    mujoco = sorted({key[0] for key in runs.results if key[0].startswith("MuJoCo")})
    w1 = runs.speed("clack", "default, 1 thread", "W1")
    ode = runs.speed("ODE", "QuickStep 2 ms", "W1")
    rows.append(Bar("W1, one core, scenes/s, or 15x ODE at 2 ms", ">= 80000", "%.4g" % w1,
                    w1 >= 80000 or bool(ode) and w1 >= 15 * ode))
    for peer in mujoco:
        ratio("W1", peer, "2 ms", 40)
    ratio("W1", "Simbody", "accuracy 1e-06", 500)
    error = clack_error(bench, "W1")
    if error:
        rows.append(Bar("W1, error of the restitution, e 0.5 to 0.95", "<= 5e-6", "%.1e" % error[1], error[1] <= 5e-6))
    ratio("W3", "Simbody", "accuracy 1e-06", 60)
    for peer in mujoco:
        ratio("W3", peer, "0.5 ms", 2)
    ratio("W3", "ODE", "QuickStep 2 ms", 1)
    away = anchors(bench)
    rows.append(Bar("W3, anchors at 1 s, median and worst of %d" % len(away), "<= 2e-5, 1e-3 m",
                    "%.1e, %.1e m" % (statistics.median(away), max(away)),
                    statistics.median(away) <= 2e-5 and max(away) <= 1e-3))
    for workload in "W2", "W4":
        for peer in "LAMMPS", "LIGGGHTS":
            ratio(workload, peer, "0.01 ms", 10, "fast")
        ours = clack_error(bench, workload, "fast")
        for peer in "LAMMPS", "LIGGGHTS":
            theirs = finer_error(bench, peer, workload, "0.01 ms", "0.001 ms")
            if ours and theirs is not None:
                rows.append(Bar("%s, median error of fast against that of %s" % (workload, peer), "<= %.1e m" % theirs,
                                "%.1e m" % ours[0], ours[0] <= theirs))
        ratio(workload, "ODE", "QuickStep 2 ms", 1)
    return rows + core_bars(bench)


def core_bars(bench):
    """Two cores over one."""
    rows = []
    for workload in "W1", "W2", "W3", "W4":
        one, two = (bench.runs.results.get(("clack", bench.of_many(threads), workload)) for threads in (1, 2))
        if one and two:
            gain = statistics.median(r["wall_s"] for r in one) / statistics.median(r["wall_s"] for r in two)
            rows.append(Bar("%s, two cores over one, %d scenes (wall)" % (workload, one[0]["scenes"]), ">= 1.9x",
                            "%.2fx" % gain, gain >= 1.9))
    return rows


def narrow_limit(r):
    words = ["%.3g on %d pairs, whose data stays in cache" % (r["cached_ratio"], r["cached_pairs"])]
    if r["clack_iterations"] >= 1:
        words.append("its %.1f support points, one after the other, take %.0f of %.0f ns" % (
            r["clack_iterations"], r["clack_iterations"] * r["clack_point_ns"], r["clack_ns"]))
    return "; ".join(words)


def narrow_bars(narrow, warm):
    rows = []
    for r in narrow:
        bar = {"files": FILES_BARS, "shallow": SHALLOW_BARS}[r["set"]].get(r["pair"]) if "ratio" in r else None
        if bar is not None:
            rows.append(Bar("narrow, %s: %s over libccd" % (r["set"], r["pair"]), "<= %.2f" % bar, "%.3g" % r["ratio"],
                            r["ratio"] <= bar, narrow_limit(r)))
    for r in warm:
        if r["pair"] in WARM_BARS:
            bar = WARM_BARS[r["pair"]]
            rows.append(Bar("warm over cold, %s" % r["pair"], ">= %dx, 90 %% at once" % bar,
                            "%.2fx, %.1f %%" % (r["gain"], 100 * r["at_once"]),
                            r["gain"] >= bar and r["at_once"] >= 0.9,
                            "a look that is told the answer takes %.0f of the cold one's %.0f ns" %
                            (r["told_ns"], r["cold_ns"])))
    worst = max((r for r in narrow if "mpr_ratio" in r), key=lambda r: r["mpr_ratio"], default=None)
    if worst:
        rows.append(Bar("narrow_phase: mpr over libccd, worst: %s %s" % (worst["set"], worst["pair"]), "<= 1.00",
                        "%.2f" % worst["mpr_ratio"], worst["mpr_ratio"] <= 1))
    return rows


def method_bars(methods):
    """The stepper's methods beside RK4 with fixed steps, of bench/steps.py: each one's worst."""
    rows = []
    for method in steps.METHODS:
        worst = max((r for r in methods if r["method"] == method.name), key=lambda r: r["ratio"], default=None)
        if worst:
            rows.append(Bar("an evaluation by %s over RK4's, worst: %s" % (method.name, worst["scene"]),
                            "<= %g" % method.bar, "%.2f" % worst["ratio"], worst["ratio"] <= method.bar))
    return rows


def program_bars(bench):
    """Bars of the program itself: memory, start, recording."""
    rows = []
    clack, ten = os.path.join(bench.build, "clack"), os.path.join(HERE, "..", "..", "data", "ten_spheres.yaml")
    plan, _ = run_json([clack, "run", ten, "-d", "native", "--dry-run", "--json",
                        "--set", "design.monte_carlo.samples=65536", "--batch", "65536"])
    if plan:
        bytes_each = sum(b for name, b in plan["device_bytes"].items() if name != "frames") / plan["batch_scenes"]
        rows.append(Bar("memory of a scene of ten spheres, 65,536 in a batch, no frames", "< 5000 bytes",
                        "%.0f" % bytes_each, bytes_each < 5000))
    for device in "native", "cpu":
        results, _ = run_json([clack, "bench", "start", "-d", device, "--time", "0.1", "--json"])
        if results is None or "start" not in results:
            rows.append(Bar("start to first result, %s" % device, "<= 5 s, 0.5 s", "left out", None))
            continue
        cold, warm = results["start"]["cold_s"], results["start"]["warm_s"]
        rows.append(Bar("start to first result, %s, cold and warm (wall)" % device, "<= 5 s, 0.5 s",
                        "%.3g s, %.3g s" % (cold, warm), cold <= 5 and warm <= 0.5))
    return rows + recording(bench, clack, ten)


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
    return [Bar("recording of %d W2 scenes at 100 frames/s, of the run (wall)" % scenes, "<= 10 %",
                "%.1f %% of %.1f s" % (100 * share, wall_s[1]), share <= 0.1)]


def run_json(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
        return json.loads(done.stdout), ""
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return None, str(error)


def bars(bench, narrow, warm, methods):
    return stepper_bars(bench) + method_bars(methods) + narrow_bars(narrow, warm) + program_bars(bench)

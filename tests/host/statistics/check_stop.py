#!/usr/bin/env python3
"""Runs that end when intervals are narrow enough: after which scenes, against NumPy and SciPy; the same scenes however
the run was cut; what an interval holds that was waited for.

usage: check_stop.py PROGRAM [RUNS], so many for the last of these

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import glob
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
    from scipy import stats
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from program_checks import PROGRAM, check, clack, failures

# Without physics but for two balls at one place, which fail, in one scene of eight. A share of 0 has an interval too.
STUDY = """format: 1
variables: {x: {normal: {mean: 2, sd: 0.5}}, y: {uniform: [0, 1]}, far: {discrete: {values: [9, 0], weights: [7, 1]}}}
scene:
  gravity: [0, 0, 0]
  bodies:
    one: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}
    other: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [$far, 0, 0]}
design: {%s}
solver: {end: 1.0e-3}
outputs:
  quantities: {value: "=x + y*y", some: "=(y - 0.3)^0.5", never: {share: "=x > 90"}, \
often: {share: "=y > 0.4"}, one: "=1"}
  statistics: {confidence: 0.9, stop: {width: {%s}, least: %d}}
"""
MONTE_CARLO = "monte_carlo: {samples: 6000, seed: 3}"


def write(design, width, least):
    with open("study.yaml", "w") as file:
        file.write(STUDY % (design, width, least))


def run(path, *words, code=0):
    return clack("run", "study.yaml", "-q", "-d", "native", "--max-failures", "9999", "-o", path, *words, code=code)


def vectors(path, count=None):
    """Every dataset of scenes, the first `count` of them."""
    with h5py.File(path) as file:
        scenes = len(file["scene"])
        found = {name: file[name][:count]
                 for name in file if isinstance(file[name], h5py.Dataset) and file[name].shape[:1] == (scenes,)}
        found.update({"parameters/" + name: values[:count] for name, values in file["parameters"].items()})
        return found, file["provenance"].attrs.get("stop", np.bytes_("")).decode(), int(file.attrs["complete"])


def check_same(path, other, what, count=None):
    one, two = vectors(path)[0], vectors(other, count)[0]
    check(sorted(one) == sorted(two), f"{what}: datasets")
    for name in one:
        check(one[name].tobytes() == two[name].tobytes(), f"{what}: {name} differs")


def looks(least, most, each=1):
    """After how many scenes: whole points, a tenth more each time."""
    whole = lambda scenes: -(-scenes // each) * each
    at = whole(least)
    while at < most:
        yield at
        at = whole(math.ceil(at * 1.1))
    yield most


def width_of(values, is_share):
    """Of the 90 % interval."""
    n = len(values)
    if is_share:
        z, p = stats.norm.ppf(0.95), np.mean(values)
        return 2 * z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 2 * stats.t.ppf(0.95, n - 1) * np.std(values, ddof=1) / np.sqrt(n) if n > 1 else np.nan


def check_end(widths, least, design=MONTE_CARLO, samples=6000):
    """The run has the scenes up to the first look at which every width is reached; and the bits of the whole run."""
    write(design, ", ".join(f"{name}: {width}" for name, width in widths.items()), least)
    run("all.h5", "--set", "outputs.statistics=false", "--overwrite")
    run("x.h5", "--overwrite")
    found, text, complete = vectors("x.h5")
    whole = vectors("all.h5")[0]
    ended = samples
    for at in looks(least, samples):
        kept = {name: whole[name][:at][(whole["status"][:at] == 0) & np.isfinite(whole[name][:at])] for name in widths}
        now = {name: width_of(values, name in ("never", "often")) for name, values in kept.items()}
        if all(now[name] <= width for name, width in widths.items()):
            ended = at
            break
    count = len(found["scene"])
    check(count == ended, f"{widths}: {count} scenes, expected {ended}")
    check(complete == 1, f"{widths}: complete is {complete}")
    check_same("x.h5", "all.h5", f"{widths}: the first {count} scenes", count)
    is_reached = all(now[name] <= width for name, width in widths.items())
    check(text.startswith(f"{'reached' if is_reached else 'not reached'} after {ended} scenes: "
                          "width of the 90 % interval of "), text)
    for part, name in zip(text.split(" of ", 2)[-1].split("; "), widths):
        told, wanted = float(part.split(") ")[1].split(",")[0]), float(part.split("wanted ")[1])
        check(abs(told - now[name]) <= 1e-5 * now[name] and wanted == widths[name],
              f"told: {part}, expected {now[name]}")
    return count


def check_ends():
    several = check_end({"value": 0.05, "some": 0.05}, 30)
    check(100 < several < 3000, f"{several} scenes are no test")
    check(check_end({"never": 0.01}, 100) > 250, "a share of 0 has an interval")
    check_end({"often": 0.05}, 1000)
    check(check_end({"one": 1e-9}, 40) == 40, "what does not vary is known at once")
    check(check_end({"value": 1e-6}, 100) == 6000, "never narrow enough")
    check(check_end({"value": 0.05}, 7000) == 6000, "fewer scenes than are run in any case")
    check_end({"value": 0.02}, 50, "sobol: {samples: 6000, seed: 3}")


def check_pieces():
    """However the run is cut: batches, interruptions, a shard that is lost or damaged."""
    write(MONTE_CARLO, "value: 0.06", 50)
    run("whole.h5")
    count = len(vectors("whole.h5")[0]["scene"])
    for batch in (1, 7, 64, 5000):
        run("x.h5", "--batch", str(batch), "--overwrite")
        check_same("x.h5", "whole.h5", f"batches of {batch}")
    for harm in (None, "remove", "damage", "beyond"):
        run("x.h5", "--overwrite", "--batch", "40", "--checkpoint", "0", "--time-limit", "0.001", code=130)
        for times in range(6):
            clack("resume", "x.h5", "-q", "--checkpoint", "0", "--time-limit", "0.001", code=130)
        shards = sorted(glob.glob("x.h5.parts/b*.h5"))
        check(len(shards) > 4, f"{shards}: not interrupted")
        if harm == "remove":
            os.remove(shards[1])
        if harm == "damage":
            with open(shards[2], "r+b") as file:
                file.seek(3000)
                file.write(b"xxxxxxxx")
        if harm == "beyond":  # ended by the last scene that is wanted, killed before the file was made
            os.remove("x.h5")  # of the last run
            while not os.path.exists("x.h5"):
                shutil.copytree("x.h5.parts", "kept", dirs_exist_ok=True)
                subprocess.run([PROGRAM, "resume", "x.h5", "-q", "--checkpoint", "0", "--time-limit", "0.001"],
                               stderr=subprocess.DEVNULL)
            os.remove("x.h5")
            shutil.copytree("kept", "x.h5.parts")
        said = json.loads(clack("resume", "x.h5", "--json", "-q", code=0 if harm is None else None).stdout)
        check(said["scenes"] == count and said["stop"].startswith(f"reached after {count} scenes"),
              f"{harm}: told {said['stop']}")
        check_same("x.h5", "whole.h5", f"resumed, {harm}")
        check(vectors("x.h5")[1] == vectors("whole.h5")[1], f"resumed, {harm}: the reason")
    check("run whole" in run("part.h5", "--shard", "1/2", code=2).stderr, "a part of a run that knows its end")
    run("one.h5", "--scene", "5000")
    check(len(vectors("one.h5")[0]["scene"]) == 1, "one scene alone")
    run("v.h5", "--verify", "5%")
    with h5py.File("v.h5") as file:
        compared = file["verification/scene_number"][:]
        check(0 < len(compared) <= count and compared.max() < count, "verified scenes are of the run")


def check_sensitivity(design, each, field, wanted):
    """Whole base points; the widest interval of the file's own indices is the first that is narrow enough."""
    write(design + ": {samples: 900, seed: 3}", f"value: {wanted}", 41)
    run("x.h5", "--overwrite", "--set", "variables.far=9")
    found, text, complete = vectors("x.h5")
    count = len(found["scene"])
    run("all.h5", "--overwrite", "--set", "variables.far=9", "--set", "outputs.statistics=true")
    check_same("x.h5", "all.h5", f"{design}: the first {count} scenes", count)
    check(count % each == 0 and 41 < count < 900 * each, f"{design}: {count} scenes")
    with h5py.File("x.h5") as file:
        row = [name.decode() for name in file["sensitivity/quantity_name"][:]].index("value")
        width = (file[f"sensitivity/{field}_upper"][row] - file[f"sensitivity/{field}_lower"][row]).max()
    check(width <= wanted and f"{width:.6g}, wanted {wanted}" in text, f"{design}: {text}, the file has {width}")
    before = [at for at in looks(41, 900 * each, each) if at < count][-1]
    write(design + f": {{samples: {before // each}, seed: 3}}", "value: 1.0e-9", 41)
    run("less.h5", "--overwrite", "--set", "variables.far=9")
    with h5py.File("less.h5") as file:
        check(len(file["scene"]) == before, f"{design}: {len(file['scene'])} scenes, expected {before}")
        width = (file[f"sensitivity/{field}_upper"][row] - file[f"sensitivity/{field}_lower"][row]).max()
    check(width > wanted, f"{design}: narrow enough a look before: {width}")


def check_coverage():
    """An interval that was waited for holds the mean less often than its confidence says;
    with `least` not much less."""
    held = 0
    tries = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    write("monte_carlo: {samples: 20000}", "value: 0.15", 100)
    for seed in range(tries):
        run("x.h5", "--overwrite", "--seed", str(seed), "--set", "variables.far=9")
        with h5py.File("x.h5") as file:
            column = [name.decode() for name in file["statistics/column_name"][:]].index("value")
            low, high = (file[f"statistics/mean_{end}"][column] for end in ("lower", "upper"))
        held += low <= 2 + 1 / 3 <= high
    print(f"intervals of 90 % that were waited for held the mean in {100 * held / tries:.1f} % of {tries} runs")
    check(0.9 - 4 * math.sqrt(0.09 / tries) <= held / tries, f"{held} of {tries} intervals of 90 % held the mean")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_ends()
        check_pieces()
        check_sensitivity("saltelli", 4, "total", 0.35)
        check_sensitivity("morris", 3, "mu_star", 0.1)
        check_coverage()
        os.chdir("/")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())

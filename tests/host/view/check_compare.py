#!/usr/bin/env python3
"""What `clack compare` tells of ensembles, against NumPy on their files; what it refuses; its figure.

usage: check_compare.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from program_checks import check, clack, failures

import h5py
import numpy as np
import scipy.stats

STUDY = """format: 1
variables: {z: {uniform: [0.1, 0.6]}}
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, $z]}
design: {monte_carlo: {samples: 20, seed: 3}}
solver: {end: 1}
outputs:
  quantities: {top: {max: ball.position.z}, hits: {count: contact_begin}, second: {time_of: contact_begin, n: 2}, \
never: {time_of: contact_begin, n: 99}, many: {share: "=hits > 4"}}
"""


def run(output, *words, code=0):
    clack("run", "study.yaml", "-q", "-d", "native", "--overwrite", "-o", output, *words, code=code)


def numbers(path, name, scenes):
    """Of scenes that ended ok; NaN else."""
    with h5py.File(path, "r") as file:
        first = int(file["scene"][0])
        rows = slice(scenes[0] - first, scenes[1] - first)
        return np.where(file["status"][rows] == 0, file[name][rows].astype(float), np.nan)


def moments(values):
    values = values[np.isfinite(values)]
    return (len(values), np.mean(values) if len(values) > 0 else np.nan,
            np.std(values, ddof=1) if len(values) > 1 else np.nan)


def wilson(hits, n):
    interval = scipy.stats.binomtest(int(hits), int(n)).proportion_ci(method="wilson")
    return interval.low, interval.high


def paired_interval(both, first, second, none):
    """Newcombe (1998), method 10, of the share of the first less that of the second."""
    n = both + first + second + none
    p, q = (both + first) / n, (both + second) / n
    (l1, u1), (l2, u2) = wilson(both + first, n), wilson(both + second, n)
    product, excess = (both + first) * (second + none) * (both + second) * (first + none), both * none - first * second
    phi = 0 if product == 0 else (max(excess - n / 2, 0) if excess > 0 else excess) / np.sqrt(product)

    def side(one, other):
        return np.sqrt(one**2 - 2 * phi * one * other + other**2)
    return p - q - side(p - l1, u2 - q), p - q + side(u1 - p, q - l2)


def interval_of(name, ours, theirs):
    """Of the mean difference, in scenes of both."""
    there = np.isfinite(theirs - ours)
    a, b = ours[there], theirs[there]
    if len(a) < 2:
        return np.nan, np.nan
    if name == "many":
        return paired_interval(np.sum(a * b), np.sum(b * (1 - a)), np.sum(a * (1 - b)), np.sum((1 - a) * (1 - b)))
    half = scipy.stats.t.ppf(0.975, len(a) - 1) * np.std(b - a, ddof=1) / np.sqrt(len(a))
    return np.mean(b - a) - half, np.mean(b - a) + half


def check_intervals():
    """Published, of Newcombe's table; of files whose shares differ, and of chosen quantities."""
    check(np.allclose(paired_interval(36, 12, 2, 0), (0.0569, 0.3404), atol=5e-5), "Newcombe's example")
    run("moon.h5", "--set", "scene.gravity=[0, 0, -5]")
    found = check_numbers(["a.h5", "moon.h5"], (0, 20))
    many = found["quantities"][-1]["files"][1]
    check(many["difference"] < -0.1 and many["difference_upper"] < 0, f"shares that differ: {many}")
    chosen = json.loads(clack("compare", "a.h5", "moon.h5", "--json", "--quantities", "many,top").stdout)["quantities"]
    check([row["name"] for row in chosen] == ["top", "many"] and chosen[1]["files"][1] == many, f"chosen: {chosen}")
    lines = clack("compare", "a.h5", "moon.h5", "--quantities", "many").stdout.splitlines()
    check(len(lines) == 7 and lines[-1].split()[-2:] == [f"{many[name]:.6g}" for name in (
        "difference_lower", "difference_upper")], f"table of one: {lines}")
    clack("compare", "a.h5", "moon.h5", "--quantities", "top,hit", code=2,
          says='no quantity "hit" in a.h5, did you mean "hits"?')


def is_near(found, expected):
    if np.isnan(expected):
        return found is None
    return found is not None and abs(found - expected) <= 1e-12 * max(abs(expected), 1e-3)


def check_moments(value, names, values, what):
    for name, expected in zip(names, moments(values)):
        check(is_near(value[name], expected), f"{what}: {name} {value[name]}, expected {expected}")


def check_value(name, value, ours, theirs, is_first, first, what):
    check_moments(value, ("scenes", "mean", "sd"), theirs, what)
    if is_first:
        check("difference" not in value, f"{what}: the first file differs from nothing")
        return
    off = theirs - ours
    check_moments(value, ("in_both", "difference", "difference_sd"), off, what)
    for end, expected in zip(("difference_lower", "difference_upper"), interval_of(name, ours, theirs)):
        near = is_near(value[end], expected) or (
            value[end] is not None and abs(value[end] - expected) < 1e-9 * max(abs(expected), 1e-3))
        check(near, f"{what}: {end} {value[end]}, expected {expected}")
    largest = np.nanmax(abs(off)) if np.isfinite(off).any() else np.nan
    found, scene = value["largest"], value["largest_scene"]
    check(is_near(None if found is None else abs(found), largest), f"{what}: largest {found}")
    check(scene is None if np.isnan(largest) else off[scene - first] == value["largest"], f"{what}: in scene {scene}")


def check_numbers(paths, scenes, warnings=0):
    found = json.loads(clack("compare", *paths, "--json").stdout)
    check(found["first_scene"] == scenes[0] and found["scenes"] == scenes[1] - scenes[0], f"{paths}: {found}")
    check([file["file"] for file in found["files"]] == paths, f"{paths}: names")
    check(len(found["warnings"]) == warnings, f"{paths}: {found['warnings']}")
    for quantity in found["quantities"]:
        columns = [numbers(path, quantity["name"], scenes) for path in paths]
        for k, value in enumerate(quantity["files"]):
            check_value(quantity["name"], value, columns[0], columns[k], k == 0, scenes[0],
                        f"{paths[k]}: {quantity['name']}")
    return found


def check_text(paths):
    lines = clack("compare", *paths).stdout.splitlines()
    found = json.loads(clack("compare", *paths, "--json").stdout)
    value = found["quantities"][0]["files"][1]
    row = lines[lines.index("top (m)") + 2].split()
    check(row[0] == "B" and row[1] == str(value["scenes"]) and float(row[5]) == float(f"{value['difference']:.6g}") and
          row[8] == str(value["largest_scene"]), f"table: {row}")
    check(any("--set solver.accuracy=fast" in line and line.startswith("  B") for line in lines), "overrides are told")


def check_studies():
    """Of files of several studies each names its own, by as much of its name as tells them apart."""
    os.mkdir("other")
    for path, text in [("copy.yaml", STUDY), ("slope.yaml", STUDY.replace("0.1}", "0.11}")),
                       ("other/study.yaml", STUDY.replace("0.1}", "0.12}")),
                       ("copy_2.yaml", STUDY.replace("end: 1", "end: 1.0"))]:
        with open(path, "w", encoding="utf-8") as study:
            study.write(text)
        clack("run", path, "-q", "-d", "native", "-o", os.path.basename(path).replace(".yaml", "_of.h5"))
    with open("copy_2.yaml", "w", encoding="utf-8") as study: # another text under the same name
        study.write(STUDY.replace("0.1}", "0.13}"))
    clack("run", "copy_2.yaml", "-q", "-d", "native", "-o", "edited.h5")

    def studies(*paths):
        found = [file["study"] for file in json.loads(clack("compare", *paths, "--json").stdout)["files"]]
        lines = clack("compare", *paths).stdout.splitlines()[1:1 + len(paths)]
        for path, study, line in zip(paths, found, lines):
            begin = f"{path}  " if study is None else f"{path}  of {study}  "
            check(line[5:].startswith(begin) and ("  of " in line) == (study is not None), f"{study}: {line}")
        return found

    check(studies("a.h5", "fast.h5", "first.h5") == [None] * 3, "one study")
    check(studies("a.h5", "copy_of.h5") == [None] * 2, "one text in two files")
    check(studies("a.h5", "slope_of.h5", "fast.h5") == ["study.yaml", "slope.yaml", "study.yaml"], "names")
    check(studies("a.h5", "study_of.h5") == ["study.yaml", "other/study.yaml"], "paths")
    with h5py.File("copy_2_of.h5") as one, h5py.File("edited.h5") as other:
        sums = [file.attrs["study_sha256"][:8].decode() for file in (one, other)]
    check(studies("copy_2_of.h5", "edited.h5") == [f"copy_2.yaml (SHA-256 {begin}...)" for begin in sums], "checksums")


def check_refusals():
    run("other.h5", "--set", "design.monte_carlo.seed=4")
    clack("compare", "a.h5", "other.h5", code=2, says='other.h5: scene 0: expected the parameters of a.h5, "z" = ')
    clack("compare", "first.h5", "second.h5", code=2, says="no scene is in all of the files")
    clack("compare", "a.h5", code=2, says="a file is missing")
    clack("compare", *["a.h5"] * 9, code=2, says="expected 2 to 8 ensemble files, found 9")
    clack("compare", "a.h5", "study.yaml", code=7, says="study.yaml: not an ensemble file")
    clack("compare", "a.h5", "fast.h5", "-o", "x.gif", code=2, says="a name that ends in .svg, .png, .pdf or .eps")
    clack("compare", "a.h5", "fast.h5", "--quantities", ",", code=2, says="expected names of quantities, such as top")
    for words in ["--title", "x"], ["--no-title"], ["--dpi", "600"], ["--size", "9x6cm"]:
        clack("compare", "a.h5", "fast.h5", *words, code=2, says=f'{words[0]}: of a figure, which "-o FIGURE" draws')
    clack("compare", "a.h5", "fast.h5", "-o", "x.svg", "--dpi", "600", code=2, says="--dpi: of a name")
    with h5py.File("fast.h5", "r") as file:
        place = file["top"].id.get_chunk_info(0).byte_offset if file["top"].chunks else file["top"].id.get_offset()
    shutil.copy("fast.h5", "damaged.h5")
    with open("damaged.h5", "r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 1]))
    clack("compare", "a.h5", "damaged.h5", code=7, says="damaged.h5: ")


def check_shared():
    """Scenes that share values on purpose have no intervals, here and in stats and report, and it is said why."""
    for name, setting in ("s.h5", "solver.accuracy=accurate"), ("s_moon.h5", "scene.gravity=[0, 0, -5]"):
        run(name, "--set", "design={saltelli: {samples: 8}}", "--set", setting)
    words = "compare", "s.h5", "s_moon.h5", "--quantities", "top,many"
    values = [quantity["files"][1] for quantity in json.loads(clack(*words, "--json").stdout)["quantities"]]
    check([value["in_both"] for value in values] == [24, 24] and values[1]["difference"] != 0, f"shared: {values}")
    check(all(value[end] is None for value in values for end in ("difference_lower", "difference_upper")), f"{values}")
    text = clack(*words).stdout
    check("Scenes of this design share values: no intervals." in text, text)
    check([line.split()[-2:] for line in text.splitlines() if re.match(r"  B +\d", line)] == [["-", "-"]] * 2, text)
    text = clack("stats", "s.h5").stdout
    check(", of sensitivity alone: scenes of this design share values" in text.splitlines()[0], text)
    moments_of = text.split("Sobol'")[0].splitlines()[1:]
    check(any("share 0." in line for line in moments_of) and any(" std " in line for line in moments_of), text)
    check(not any(" to " in line or "(up to" in line for line in moments_of) and " to " in text, text)
    found = json.loads(clack("stats", "s.h5", "--json").stdout)
    check(set(found["statistics"]["mean_lower"]) == {None} and found["statistics"]["mean"][0] is not None and
          found["sensitivity"]["total_lower"][0][0] is not None, "stats --json")
    clack("report", "s.h5", "-q")
    with open("s.html", encoding="utf-8") as file:
        page = file.read()
    tables = page.split("<h2>Quantities")[1].split("<h2>")[0]
    check("<small>" not in tables and "Scenes of this design share values: no intervals." in tables, tables)


def check_figure():
    if shutil.which("gnuplot") is None:
        return
    clack("compare", "a.h5", "fast.h5", "first.h5", "-o", "figure.svg", "-q")
    with open("figure.svg", encoding="utf-8") as file:
        text = file.read()
    for word in ("top in a.h5 (m)", "difference (m)", "fast.h5", "first.h5"):
        check(word in text, f"figure: {word}")
    clack("compare", "a.h5", "fast.h5", "-o", "figure.svg", code=4, says="figure.svg")
    clack("compare", "a.h5", "a.h5", "-o", "alike.png")
    clack("compare", "a.h5", "fast.h5", "-o", "figure.pdf", "--size", "12x9cm", "-q")
    with open("figure.pdf", "rb") as file:
        check(file.read(5) == b"%PDF-", "figure.pdf is no PDF")


def main():
    with tempfile.TemporaryDirectory(prefix="clack_compare_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w", encoding="utf-8") as study:
            study.write(STUDY)
        run("a.h5")
        run("fast.h5", "--set", "solver.accuracy=fast")
        run("fixed.h5", "--set", "solver.method=rk4", "--set", "solver.step=0.001")
        run("failed.h5", "--set", "solver.work_limit=0.5", code=6)  # some scenes need more
        run("first.h5", "--shard", "1/2")
        run("second.h5", "--shard", "2/2")
        found = check_numbers(["a.h5", "fast.h5", "fixed.h5"], (0, 20))
        check(any(abs(quantity["files"][2]["largest"]) > 0 for quantity in found["quantities"]), "something differs")
        check_numbers(["a.h5", "a.h5"], (0, 20))
        found = check_numbers(["a.h5", "failed.h5"], (0, 20))
        check(0 < found["files"][1]["ok"] < 20, f"failed.h5: {found['files'][1]['ok']} of 20 scenes are ok")
        check_numbers(["fast.h5", "second.h5"], (10, 20), warnings=1)
        check_text(["a.h5", "fast.h5"])
        check_intervals()
        check_studies()
        check_shared()
        check_refusals()
        check_figure()
        os.chdir("/")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

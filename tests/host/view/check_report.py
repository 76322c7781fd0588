#!/usr/bin/env python3
"""The page of `clack report`: complete in itself, well-formed, and what it says is what the file holds.

usage: check_report.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"check_report.py: skipped: {missing}")
    sys.exit(77)

from program_checks import PROGRAM, SOURCE, check, clack, failures
from report_page import Page, blocks, check_paper

TITLE = "it's <b>bold</b> & \"quoted\""
# Where the balls are in one place there is no normal: that scene fails.
STUDY = f"""
format: 1
title: '{TITLE.replace("'", "''")}'
variables: {{gap: {{discrete: [0, 0.3, 0.4]}}, mu: {{uniform: [0.1, 0.5]}}}} # </pre><script>alert(1)</script>
scene:
  gravity: [0, 0, -9.81]
  pairs: [{{between: [steel, steel], friction: $mu}}]
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{{half_space: {{}}}}]}}
    a: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}}}], position: [0, 0, 1], velocity: [1, 0, 0]}}
    b: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}}}], position: [$gap, 0, 1]}}
design: {{monte_carlo: {{samples: 40}}}}
solver: {{end: 0.6}}
outputs:
  quantities: {{hits: {{count: contact_begin}}, last_x: {{final: a.position.x}}}}
  trajectory: {{every: 0.01, scenes: 10}}
"""


def check_form(page):
    check(page.title == TITLE, f"title: {page.title}")
    check(page.pre == STUDY, "the study's text as it is")
    check(len(page.ids) == len(set(page.ids)), "every id once")
    for reference in page.references:
        check(reference.startswith("#") and reference[1:] in page.ids, f"a reference to {reference}")
    check(re.search(r"url\((?!#)|@import|<script|<link|<iframe", page.source) is None, "nothing is loaded")
    check('name="viewport"' in page.source and "prefers-color-scheme" in page.source, "for telephones and dark screens")


def check_numbers(file, page):
    facts = {row[0]: row[1] for table in page.tables if len(table[0]) == 2 for row in table}
    for name in "device", "host", "command_line", "seed", "overrides":
        value = file["provenance"].attrs[name]
        check(facts.get(name) == (value.decode() if isinstance(value, bytes) else str(value)),
              f"{name}: {facts.get(name)}")
    tables = [page.table("name", "unit", "mean")] + [table for table in [page.table("name", "least", "mean")] if table]
    named = {row["name"]: row for table in page.tables if "mean" in table[0]
             for row in [dict(zip(table[0], cells)) for cells in table[1:]]}
    check(tables[0] != [] and set(named) >= {"hits", "last_x", "gap", "mu"}, f"names: {set(named)}")
    return named


def check_without_statistics(file, page):
    named = check_numbers(file, page)
    for name in "hits", "last_x", "gap", "mu":
        values = file[name if name in file else f"parameters/{name}"][:].astype(float)
        row = named[name]
        check(float(row["scenes"]) == np.isfinite(values).sum(), f"{name}: scenes {row['scenes']}")
        for heading, value in ("least", np.nanmin(values)), ("mean", np.nanmean(values)), ("most", np.nanmax(values)):
            check(abs(float(row[heading]) - value) <= 1e-5 * abs(value),
                  f"{name}: {heading} {row[heading]}, expected {value}")
    check("has no statistics" in page.source, "that there are no statistics")


def check_failures(file, page):
    failed = np.nonzero(file["status"][:] > 1)[0]
    rows = page.table("scene", "status", "to run it again")
    check([int(row["scene"]) for row in rows] == list(failed) and len(failed) > 5, f"failed scenes: {len(rows)}")
    check({row["status"] for row in rows} == {"coincident"}, "their status")
    command = [code for code in page.codes if code.endswith(f"--scene {failed[1]}")]
    check(len(command) == 1, "a command to run it again")
    again = subprocess.run(f"PATH={os.path.dirname(PROGRAM)}:$PATH; {command[0]} --json -q -d native",
                           shell=True, stdout=subprocess.PIPE, text=True)
    scene = json.loads(again.stdout)["scene"]
    check(scene["status"] == "coincident" and scene["scene"] == failed[1], f"run again: {scene}")
    check(scene["parameters"]["mu"] == file["parameters/mu"][failed[1]], "with the same parameters")


def make_statistics(path):
    """The groups as `clack` lays them out, with numbers that no other part of the file has."""
    with h5py.File(path, "a") as file:
        for group in "statistics", "sensitivity":
            if group in file:
                del file[group]
        group = file.create_group("statistics")
        group.attrs["n_parameters"], group.attrs["confidence"] = np.uint64(2), 0.95
        group["column_name"] = ["gap", "mu", "hits", "last_x", "nothing"]
        for i, name in enumerate(["count", "missing", "mean", "mean_lower", "mean_upper", "std", "std_lower",
                                  "std_upper", "min", "max"]):
            group[name] = 100.0 * i + np.array([0, 1, 2, 3, 0 if name in ("count", "missing") else np.nan])
        group["probability"] = [0.05, 0.5]
        for i, name in enumerate(["quantile", "quantile_lower", "quantile_upper"]):
            group[name] = 5000.0 + 1000 * i + np.append(np.arange(8.0), [np.nan, np.nan]).reshape(5, 2)
        group = file.create_group("sensitivity")
        group["input_name"], group["quantity_name"] = ["gap", "mu"], ["hits", "last_x", "nothing"]
        group["count"], group["varies"] = np.array([9, 9, 0], "i4"), np.array([1, 0, 0], "u1")
        for i, name in enumerate(["first", "total"]):
            group[name] = [[0.111 + i, 0.222 + i], [np.nan, np.nan], [np.nan, np.nan]]
            group[f"{name}_lower"], group[f"{name}_upper"] = group[name][:] - 0.01, group[name][:] + 0.01


def check_statistics(page):
    for i, name in enumerate(["gap", "mu", "hits", "last_x"]):
        rows = [dict(zip(table[0], cells)) for table in page.tables if "5 %" in table[0] for cells in table[1:]]
        row = [row for row in rows if row["name"] == name][0]
        got = [float(row[heading])
               for heading in ("scenes", "missing", "mean", "standard deviation", "least", "most", "5 %", "50 %")]
        check(got == [i, 100 + i, 200 + i, 500 + i, 800 + i, 900 + i, 5000 + 2 * i, 5001 + 2 * i],
              f"statistics of {name}: {got}")
    row = [row for row in rows if row["name"] == "nothing"][0]
    check((row["mean"], row["least"], row["50 %"]) == ("no value", "", ""), f"what has no value: {row}")
    check("<small>302 \u2026 402</small>" in page.source, "an interval of confidence")
    rows = page.table("quantity", "input", "first order", "total")
    check([row["first order"] for row in rows] == ["0.111", "0.222", "", ""]
          and [row["total"] for row in rows] == ["1.111", "1.222", "", ""], f"indices: {rows}")
    check([row["input"] for row in rows] == ["gap", "mu", "does not vary", "no value"], f"what does not vary: {rows}")


def main():
    has_gnuplot = shutil.which("gnuplot") is not None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("it's a study.yaml", "w") as out:
            out.write(STUDY)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        clack("run", "it's a study.yaml", "-q", "-d", "native", "-o", "x.h5", "--set", "scene.gravity[2]=-9.7", code=6)
        make_statistics("x.h5")
        clack("report", "x.h5", "-o", "s.html")
        check_statistics(Page("s.html"))
        with h5py.File("x.h5", "a") as file:
            del file["statistics"], file["sensitivity"]
        clack("report", "x.h5", says="" if has_gnuplot else "without figures")
        page = Page("x.html")
        check_form(page)
        scatters = sum((not soft) for soft_rows, _, _ in blocks(page).values() for soft in soft_rows[:2])
        check(page.seen.get("svg", 0) == (4 + scatters if has_gnuplot else 0),
              f"{page.seen.get('svg', 0)} figures: 2 quantities, {scatters} pairs, 2 bodies that move")
        with h5py.File("x.h5") as file:
            check_without_statistics(file, page)
            check_failures(file, page)
        check_paper("x.html")
        clack("report", "x.h5", code=4, says="--overwrite")
        clack("report", "it's a study.yaml", code=7)
        clack("report", "x.h5", "--overwrite", says="without figures", env={**os.environ, "PATH": "/nonexistent"})
        page = Page("x.html")
        check("svg" not in page.seen and "Figures are missing: gnuplot" in page.source,
              "a page without figures says why")
        check(json.loads(clack("report", "x.h5", "-o", "y.html", "--json", "-q").stdout)["output"] == "y.html", "JSON")
        os.chdir("/")
    if not failures:
        print("the page says what the file holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

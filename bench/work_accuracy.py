#!/usr/bin/env python3
"""A figure of speed against error, of clack and of other programs on the same scenes.

    python3 bench/work_accuracy.py bench/results/DEVICE/peers/table.txt -o work_accuracy.svg

Reads the table that bench/peers/compare.py prints: of W1 (a sphere bounces) the worst error of the restitution, of W3
(a tumbling box) the median error of places, of W2 and W4 (ten and a hundred spheres) that against the program's own
finer run. A program has a point for each of its settings that has an error there.
"""

import argparse
import re
import subprocess
import sys

PANELS = (
    ("W1", r"e off by [-+.\de]+ mean, ([-+.\de]+) worst", "a bouncing sphere", "worst error of the restitution"),
    ("W3", r"places off the converged ones by ([-+.\de]+) m", "a tumbling box, 1 s", "median error of places, m"),
    ("W2", r"places off its own finer run by ([-+.\de]+) m", "ten spheres, 1 s",
     "median of places off the own finer run, m"),
    ("W4", r"places off its own finer run by ([-+.\de]+) m", "a hundred spheres, 0.1 s",
     "median of places off the own finer run, m"),
)
COLOURS = ("#c00000", "#0060a0", "#00a0d0", "#008040", "#806000", "#e08000", "#a040a0", "#606060", "#000000")
ROW = re.compile(r"  (\S.{15}) (.+?)\s+([.\de+]+)\s+[.\de+]+x  (.*)")


def read(path):
    """{workload: {program: [(error, scenes a second, setting)]}}"""
    patterns = {name: re.compile(pattern) for name, pattern, _, _ in PANELS}
    found, workload = {}, None
    with open(path, encoding="utf-8") as text:
        for line in text:
            heading = re.match(r"(W\d): ", line)
            if heading:
                workload = heading.group(1)
            row = ROW.match(line)
            if not row or workload not in patterns or row.group(2).startswith("many scenes"):
                continue
            error = patterns[workload].search(row.group(4))
            if error and error.group(1):
                program = found.setdefault(workload, {}).setdefault(row.group(1).strip(), [])
                program.append((float(error.group(1)), float(row.group(3)), row.group(2).strip()))
    return found


def plot(found, path):
    programs = sorted({name for panel in found.values() for name in panel}, key=lambda name: (name != "clack", name))
    blocks, plots = [], []
    for workload, _, title, axis in PANELS:
        words = []
        for program, points in found[workload].items():
            block = "$d%d" % len(blocks)
            blocks.append("%s << EOD\n%s\nEOD" % (block, "\n".join("%g %g" % point[:2] for point in sorted(points))))
            style = programs.index(program)
            words.append("%s using 1:2 with linespoints lc rgb '%s' pt %d ps %g title '%s'" % (
                block, COLOURS[style], 7 if style == 0 else style + 7, 1.4 if style == 0 else 0.8, program))
        plots.append("set title '%s: %s'; set xlabel '%s'; plot %s" % (workload, title, axis, ", ".join(words)))
    script = ("set terminal svg size 1200,800 dynamic font 'sans,11' background 'white'\nset output '%s'\n%s\n"
              "set multiplot layout 2,%d\nset logscale xy\nset format '10^{%%T}'\nset grid\nset key outside right "
              "top vertical\nset ylabel 'scenes a second, one core'\n%s\nunset multiplot\n" %
              (path, "\n".join(blocks), (len(plots) + 1) // 2, "\n".join(plots)))
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("table")
    words.add_argument("-o", "--output", required=True)
    given = words.parse_args()
    found = read(given.table)
    missing = [name for name, _, _, _ in PANELS if "clack" not in found.get(name, {})]
    if missing:
        sys.exit("%s: no rows of clack with an error in %s" % (given.table, ", ".join(missing)))
    for workload, panel in found.items():
        for program, points in panel.items():
            print(workload, program, ", ".join("%s: %g/s, %.1e" % (what, rate, error) for error, rate, what in points))
    plot(found, given.output)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time against scenes and against bodies of a scene, fitted and plotted, from what `clack bench -o` wrote.

    python3 bench/scaling.py BENCH.json... [-o scaling.svg] [--processor]

Against scenes N of a workload the time is c + a N: c is what a launch costs, a what a scene does once the device is
full; the half-way number N = c/a is how many scenes it takes to fill it. Fitted by least squares of relative errors
with c, a >= 0. Against bodies n of one scene the time is a n^p. --processor: the time of all threads, which other
programs on the machine change little, instead of the wall's. Plotted by gnuplot where it is there.
"""
import argparse
import json
import math
import shutil
import subprocess
import sys


def fit_line(points):
    """c and a of c + a N with the least sum of squared relative errors."""
    sums = [0.0] * 5
    for n, t in points:
        w = 1 / t**2
        for k, term in enumerate((w, w * n, w * n * n, w * t, w * n * t)):
            sums[k] += term
    one, first, second, value, mixed = sums
    determinant = one * second - first * first
    if len(points) > 1 and determinant > 0:
        c, a = (value * second - mixed * first) / determinant, (one * mixed - first * value) / determinant
        if c >= 0 and a >= 0:
            return c, a
        if a < 0:
            return value / one, 0.0
    return 0.0, mixed / second


def fit_power(points):
    """a and p of a n^p, in logarithms."""
    x, y = [math.log(n) for n, _ in points], [math.log(t) for _, t in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    spread = sum((u - mx)**2 for u in x)
    p = sum((u - mx) * (v - my) for u, v in zip(x, y)) / spread if spread > 0 else 0.0
    return math.exp(my - p * mx), p


def read(paths, clock):
    """(title, curves against scenes, curves against bodies): a curve is a name and points (number, s)."""
    scenes, bodies = [], []
    for path in paths:
        with open(path) as file:
            document = json.load(file)
        device = (document["device"]["name"] if document["device"]["platform"] != "native"
                  else "native, %d threads" % document["device"]["compute_units"])
        for workload in document.get("workloads", []):
            scenes.append(("%s, %s" % (workload["name"], device),
                           [(p["scenes"], p[clock]) for p in workload["points"]]))
        if "bodies" in document:
            bodies.append((device, [(p["bodies"], p[clock]) for p in document["bodies"]["points"]]))
    return scenes, bodies


def print_fits(scenes, bodies):
    print("time against scenes: c + a N")
    print("  %-50s %6s %12s %12s %14s %12s" % ("", "points", "c, ms", "a, us/scene", "N half way", "worst fit"))
    for name, points in scenes:
        c, a = fit_line(points)
        worst = max(abs((c + a * n) / t - 1) for n, t in points)
        print("  %-50s %6d %12.4g %12.4g %14.4g %10.0f %%" %
              (name, len(points), 1e3 * c, 1e6 * a, c / a if a > 0 else math.inf, 100 * worst))
    print("time against bodies of a scene: a n^p")
    for name, points in bodies:
        if len(points) < 2:
            continue
        some = [point for point in points if point[0] > 1] or points
        a, p = fit_power(some)
        print("  %-50s %6d points, p = %.2f (n > 1), %.4g ms at n = %d" %
              (name, len(points), p, 1e3 * points[-1][1], points[-1][0]))


def plot(scenes, bodies, path):
    blocks, plots = [], []
    for title, axis, curves, fit in (("time against scenes", "scenes", scenes, True),
                                     ("time against bodies of one scene", "bodies", bodies, False)):
        words = []
        for name, points in curves:
            block = "$d%d" % len(blocks)
            blocks.append("%s << EOD\n%s\nEOD" % (block, "\n".join("%g %.9g" % point for point in points)))
            colour = len(words) // 2 + 1
            words.append("%s using 1:2 with points pt 7 ps 0.6 lc %d title '%s'" %
                         (block, colour, name.replace("'", "")))
            if fit:
                c, a = fit_line(points)
                words.append("%.9g + %.9g*x with lines lc %d notitle" % (c, a, colour))
            else:
                a, p = fit_power([point for point in points if point[0] > 1] or points)
                words.append("%.9g*x**%.9g with lines lc %d notitle" % (a, p, colour))
        if words:
            most = max(n for _, points in curves for n, _ in points)
            plots.append("set title '%s'; set xlabel '%s'; set ylabel 's'; set xrange [0.8:%g]; plot %s" %
                         (title, axis, 1.5 * most, ", ".join(words)))
    script = ("set terminal svg size 1200,560 dynamic font 'sans,11'\nset output '%s'\n%s\n"
              "set multiplot layout 1,%d\nset logscale xy\nset format '10^{%%T}'\nset key top left\n%s\n"
              "unset multiplot\n" % (path, "\n".join(blocks), len(plots), "\n".join(plots)))
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("documents", nargs="+")
    words.add_argument("-o", "--output")
    words.add_argument("--processor", action="store_true")
    given = words.parse_args()
    scenes, bodies = read(given.documents, "cpu_s" if given.processor else "run_s")
    print_fits(scenes, bodies)
    if given.output and shutil.which("gnuplot"):
        plot(scenes, bodies, given.output)
    elif given.output:
        print("gnuplot is not there: no figure", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Shares against measured ones over the levels of a parameter, against NumPy and SciPy; the region of best fit.

usage: check_fit.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
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

from program_checks import check, clack, failures

# No physics: a scene counts where x < k (a + b), whose share is known. The level 9 is in no scene, the measured share
# of 0.1 is 0 as in all scenes. A second quantity is measured without a search, at constants, and one is a plain sample.
STUDY = """format: 1
variables:
  x: {uniform: [0, 1]}
  k: {discrete: [0.1, 0.25, 0.5, 0.75]}
  a: {discrete: [0.4, 0.6, 0.8]}
  b: {integer: [0, 1]}
  c: 3
scene: {gravity: [0, 0, 0], bodies: {ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}}}
design: {monte_carlo: {samples: 20000, seed: 5}}
solver: {end: 1.0e-3}
outputs:
  quantities:
    hit: {share: "=x < k*(a + 0.2*b)*(k > 0.2)"}
    plain: {share: "=x < k"}
    wide: "=x"
    early: {share: "=1/(x > 0.5)*x > 0.8"}
  statistics:
    confidence: 0.9
    references:
      hit: {file: hits.csv, column: share, over: k, count: trials, by: [a, b, c]}
      plain: {file: hits.csv, column: share, over: k, count: trials}
      wide: {file: hits.csv, column: share}
      early: {file: hits.csv, column: share, over: k, count: trials}
"""
LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 9])
TRIALS = np.array([40, 300, 500, 400, 10])
HITS = np.array([0, 46, 148, 181, 5])  # about 0.6 k, so a + 0.2 b = 0.6, twice: a 0.6, b 0 and a 0.4, b 1


def close(found, expected, what, tolerance=1e-12):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    same = found.shape == expected.shape and np.array_equal(np.isnan(found), np.isnan(expected))
    check(same and np.nanmax(np.abs(found - expected), initial=0) <= tolerance * np.nanmax(np.abs(expected), initial=1),
          f"{what}: {found}, expected {expected}")


def wilson(k, n, confidence):
    """By its definition: the shares p of which k / n is z standard deviations away, roots of a quadratic."""
    z = stats.norm.ppf(0.5 + 0.5 * confidence)
    return np.sort(np.roots([1 + z * z / n, -2 * k / n - z * z / n, (k / n) ** 2]).real)


def likelihood(k, n, p):
    return stats.binom.logpmf(k, n, p)


def check_combination(fit, row, hit, level_of, here, searched, name):
    """One combination: chi-squared of the 2 x 2 tables, the likelihood ratio, every level."""
    chi_squared = deviance = degrees = scenes = 0
    for i in np.nonzero(fit["fit"] == row)[0]:
        level = np.nonzero(LEVELS == fit["level"][i])[0][0]
        m, j = TRIALS[level], HITS[level]
        inside = here & (level_of == LEVELS[level])
        n, k = inside.sum(), hit[inside].sum()
        scenes += n
        check(fit["count"][i] == n and fit["measured_count"][i] == m, f"{name}: counts of level {level}")
        close(fit["measured"][i], j / m, f"{name}: measured share of level {level}")
        close([fit["measured_lower"][i], fit["measured_upper"][i]], wilson(j, m, 0.9), f"{name}: its interval", 1e-9)
        if n == 0:
            check(np.isnan(fit["share"][i]) and np.isnan(fit["residual"][i]), f"{name}: a share without scenes")
            continue
        close(fit["share"][i], k / n, f"{name}: share of level {level}")
        close([fit["share_lower"][i], fit["share_upper"][i]], wilson(k, n, 0.9), f"{name}: its interval", 1e-9)
        if k + j == 0:
            check(np.isnan(fit["residual"][i]), f"{name}: two shares of 0")
            continue
        table = stats.chi2_contingency([[k, n - k], [j, m - j]], correction=False)[0]
        close(fit["residual"][i], np.sign(k / n - j / m) * np.sqrt(table), f"{name}: residual of level {level}", 1e-9)
        pooled = (k + j) / (n + m)
        deviance += 2 * (likelihood(k, n, k / n) + likelihood(j, m, j / m) - likelihood(k, n, pooled) -
                         likelihood(j, m, pooled))
        chi_squared += table
        degrees += 1
    close(fit["chi_squared"][row], chi_squared, f"{name}: chi-squared", 1e-10)
    close(fit["deviance"][row], deviance, f"{name}: deviance", 1e-9)
    check(fit["scenes"][row] == scenes and fit["dof"][row] == degrees - searched, f"{name}: scenes, degrees of freedom")
    close(fit["p"][row], stats.chi2.sf(chi_squared, degrees - searched), f"{name}: p", 1e-10)


def check_file(path, fit):
    with h5py.File(path) as file:
        names = [name.decode() for name in file["fit/quantity_name"][:]]
        check([name.decode() for name in file["fit/by_name"][:]] == ["a", "b"], "a constant is searched over")
        check(names == ["hit"] * 6 + ["plain", "early"], f"combinations {names}")
        for name in fit:
            if isinstance(fit[name], np.ndarray):
                close(fit[name], file["fit"][name][:], f"{name} in the file and as JSON", 0)
        a, b, k = (file["parameters"][name][:] for name in "abk")
        everything = np.ones(len(k), bool)
        hit, plain, early = (file[name][:] for name in ("hit", "plain", "early"))
        check([name.decode() for name in file["statistics/comparison_name"][:]] == ["wide"],
              "shares compared as a sample")
    expected = [(x, y) for x in (0.4, 0.6, 0.8) for y in (0, 1)]
    close(fit["by_value"], expected + [(np.nan, np.nan)] * 2, "combinations in their order")
    for row, (x, y) in enumerate(expected):
        check_combination(fit, row, hit, k, (a == x) & (b == y), 2, f"a {x}, b {y}")
    check_combination(fit, 6, plain, k, everything, 0, "plain")
    check_combination(fit, 7, early, k, ~np.isnan(early), 0, "early")
    least = np.min(fit["chi_squared"][:6])
    within = fit["chi_squared"][:6] <= least + stats.chi2.ppf(0.9, 2)
    check(np.array_equal(fit["is_within"][:6], within)
          and np.array_equal(fit["is_best"][:6], fit["chi_squared"][:6] == least), "the region of confidence")
    check(within[1] and within[2] and within.sum() == 2,
          f"a + 0.2 b = 0.6 fits, nothing else: {fit['chi_squared'][:6]}")
    check(fit["p"][6] < 1e-12 and np.all(fit["is_best"][6:] == 1), "what is not searched over is its own best")


def fit_of(path):
    said = json.loads(clack("stats", path, "--json").stdout)["fit"]
    return {key: np.array(value, float) if isinstance(value, list) and not isinstance(value[0], str) else value
            for key, value in said.items()}


def check_shards():
    """Merged, the same bits."""
    for i in (1, 2, 3):
        clack("run", "study.yaml", "-q", "-d", "native", "--shard", f"{i}/3", "-o", f"part{i}.h5")
    clack("merge", "part1.h5", "part2.h5", "part3.h5", "-o", "merged.h5", "-q")
    whole, merged = fit_of("study.h5"), fit_of("merged.h5")
    for name in whole:
        check(np.array_equal(whole[name], merged[name], equal_nan=isinstance(whole[name], np.ndarray)),
              f"{name} of merged shards")


def check_figures(fit):
    """Drawn and shown; without such a comparison told."""
    said = clack("stats", "study.h5").stdout
    best = int(np.nonzero(fit["is_best"])[0][0])
    check(f"chi-squared {fit['chi_squared'][best]:.4g} of {fit['dof'][best]:.0f}" in said, "the best fit is not told")
    clack("report", "study.h5", "-q", "-o", "page.html")
    check("Shares against measured ones" in open("page.html").read(), "the page does not tell the fit")
    clack("run", "study.yaml", "-q", "-d", "native", "--set", "outputs.statistics=true", "-o", "none.h5")
    done = clack("plot", "none.h5", "fit", code=2)
    check("no shares that are compared" in done.stderr, done.stderr)
    clack("report", "none.h5", "-q", "-o", "none.html")
    check("Shares against measured ones" not in open("none.html").read(), "a page tells a fit that is not there")
    if clack("plot", "study.h5", "-q", code=None).returncode == 0:
        for names in ([], ["hit"], ["plain"]):
            clack("plot", "study.h5", "fit", *names, "-q", "--overwrite", "-o", "fit.svg")
            check("<svg" in open("fit.svg").read(), f"figure of {names}")
        check("compared" in clack("plot", "study.h5", "fit", "wide", code=2).stderr, "a sample drawn as shares")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.savetxt("hits.csv", np.column_stack([LEVELS, HITS / TRIALS, TRIALS]), "%.6g", ",",
                   header="k,share,trials", comments="")
        with open("study.yaml", "w") as file:
            file.write(STUDY)
        clack("run", "study.yaml", "-q", "-d", "native")
        fit = fit_of("study.h5")
        check_file("study.h5", fit)
        check_shards()
        check_figures(fit)
        os.chdir("/")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())

#!/usr/bin/env python3
"""Which restitution e and friction mu explain counted throws of a cuboid best? From shares of simulated ones, as text.

usage: python3 bench/cuboid_die.py [data/cuboid_die.csv [SHARES.csv]...]   (default: those in bench/results/cuboid_die)

Each pair of e and mu has noise of its own in chi-squared, more than neighbouring pairs differ by. So for every ratio a
smooth surface, logit p quadratic in e and mu, is fitted to all pairs with e <= 0.4 and mu >= 0.3; it is compared with
the counted shares, with its own variance beside that of the counts.
"""
import csv
import glob
import os
import sys

import numpy as np
from scipy.stats import chi2

HERE = os.path.dirname(os.path.abspath(__file__))
CENTRE, E_MOST, MU_LEAST = (0.2, 0.4), 0.4, 0.3


def read(path):
    with open(path, newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def terms(e, mu):
    x, y = np.asarray(e) - CENTRE[0], np.asarray(mu) - CENTRE[1]
    return np.stack([1 + 0 * x, x, y, x * x, x * y, y * y], -1)


def fit_surface(rows):
    """Logistic regression by Newton's method: coefficients, their covariance, Pearson's chi-squared."""
    x = terms([row["e"] for row in rows], [row["mu"] for row in rows])
    n, k = (np.array([row[name] for row in rows]) for name in ("throws", "square"))
    ridge = 1e-6 * np.eye(x.shape[1])  # shares of 0 leave some terms open
    b = np.zeros(x.shape[1])
    b[0] = np.log((k.sum() + 0.5) / (n.sum() - k.sum() + 0.5))
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ b))
        hessian = x.T * (n * p * (1 - p)) @ x + ridge
        b = b + np.linalg.solve(hessian, x.T @ (k - n * p) - ridge @ b)
    return b, np.linalg.inv(hessian), np.sum((k - n * p) ** 2 / (n * p * (1 - p)))


def residuals(surfaces, counted, e, mu):
    x = terms(e, mu)
    out = []
    for (b, covariance, _), row in zip(surfaces, counted):
        p = 1 / (1 + np.exp(-x @ b))
        variance = p * (1 - p) / row["throws"] + x @ covariance @ x * (p * (1 - p)) ** 2
        out.append((p - round(row["share"] * row["throws"]) / row["throws"]) / np.sqrt(variance))
    return np.array(out)


def main():
    counted = read(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "data", "cuboid_die.csv"))
    paths = sys.argv[2:] or sorted(glob.glob(os.path.join(HERE, "results", "cuboid_die", "*.csv")))
    rows = [row for path in paths for row in read(path) if row["e"] <= E_MOST and row["mu"] >= MU_LEAST]
    surfaces = [fit_surface([row for row in rows if row["ratio"] == one["ratio"]]) for one in counted]
    per_ratio = len(rows) / len(counted)
    print(f"{sum(row['throws'] for row in rows):.0f} throws; surfaces: "
          f"chi-squared {sum(s[2] for s in surfaces):.0f} for {len(counted) * (per_ratio - 6):.0f} degrees of freedom")
    es, mus = np.arange(0.0, 0.401, 0.05), np.arange(0.3, 0.501, 0.05)
    print("\nchi-squared  mu " + " ".join(f"{mu:5.2f}" for mu in mus))
    for e in es:
        print(f"       e {e:5.2f}    " +
              " ".join(f"{np.sum(residuals(surfaces, counted, e, mu) ** 2):5.1f}" for mu in mus))
    grid = [(e, mu) for e in np.arange(0, 0.401, 0.01) for mu in np.arange(0.3, 0.501, 0.01)]
    values = np.array([np.sum(residuals(surfaces, counted, *point) ** 2) for point in grid])
    best = grid[int(values.argmin())]
    inside = np.array(grid)[values <= values.min() + chi2.ppf(0.95, 2)]
    freedom = len(counted) - 2
    print(f"\nleast: {values.min():.1f} for {freedom} degrees of freedom (P {chi2.sf(values.min(), freedom):.1g}) "
          f"at e {best[0]:.2f}, mu {best[1]:.2f}")
    print(f"95 % region, within this range: e {inside[:, 0].min():.2f} to {inside[:, 0].max():.2f}, "
          f"mu {inside[:, 1].min():.2f} to {inside[:, 1].max():.2f}")
    print("\n x/y   difference / standard deviation there")
    for row, residual in zip(counted, residuals(surfaces, counted, *best)):
        print(f"{row['ratio']:5.2f} {residual:+5.1f}")


main()

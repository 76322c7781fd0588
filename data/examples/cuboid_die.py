#!/usr/bin/env python3
"""Which restitution and friction explain the published throws of a cuboid best?

    clack run data/cuboid_die.yaml -o die.h5
    python3 data/examples/cuboid_die.py die.h5 [data/cuboid_die.csv]

For each pair of restitution e and friction mu in the ensemble: the share of throws that ended on a square face at every
ratio x/y, and how far it is from the published one, as chi-squared of the two counts (both are drawn: neither is taken
for exact). 15 ratios; the pair with the least is the best fit, with those up to 5.99 more (95 % for two parameters).
"""

import csv
import os
import sys

import h5py
import numpy
from scipy.stats import chi2


def read_published(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    throws = numpy.array([int(row["throws"]) for row in rows])
    return (numpy.array([float(row["ratio"]) for row in rows]),
            numpy.rint(numpy.array([float(row["share"]) for row in rows]) * throws), throws)


def chi_squared(up, throws, other_up, other_throws):
    """Of two shares that should be one, for each ratio; Yates' correction is left out, as for large counts."""
    share = (up + other_up) / (throws + other_throws)
    variance = share * (1 - share) * (1 / throws + 1 / other_throws)
    return numpy.where(variance > 0, (up / throws - other_up / other_throws) ** 2 / numpy.maximum(variance, 1e-300), 0)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    ratios, up, throws = read_published(sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "..", "cuboid_die.csv"))
    with h5py.File(sys.argv[1]) as file:
        group = file["parameters"]
        e, mu, ratio = (group[name][:] for name in ("e", "mu", "ratio"))
        side, status = file["side"][:], file["status"][:]
    good = (status == 0) & numpy.isfinite(side)
    print("%d throws, %d without a face up (they count for nothing below)" % (len(side), numpy.sum(~good)))
    table = []
    for one in numpy.unique(e):
        for other in numpy.unique(mu):
            here = good & (e == one) & (mu == other)
            thrown = numpy.array([numpy.sum(here & (ratio == r)) for r in ratios])
            square = numpy.array([numpy.sum(here & (ratio == r) & (side <= 2)) for r in ratios])
            table.append((numpy.sum(chi_squared(square, thrown, up, throws)), one, other, square / thrown, thrown))
    least = min(table, key=lambda row: row[0])
    print("\n  e     mu    chi-squared of %d ratios" % len(ratios))
    for total, one, other, _, _ in table:
        mark = "best" if total == least[0] else "within 95 %" if total < least[0] + 5.99 else ""
        print("%5.3g %6.3g %10.1f  %s" % (one, other, total, mark))
    print("\nbest: e %.3g, mu %.3g: chi-squared %.1f for %d degrees of freedom, P %.2g" %
          (least[1], least[2], least[0], len(ratios) - 2, chi2.sf(least[0], len(ratios) - 2)))
    print("\n  x/y  published      simulated")
    for r, k, n, share, count in zip(ratios, up, throws, least[3], least[4]):
        print("%5.2f  %5.3f +- %5.3f  %6.4f +- %6.4f" % (r, k / n, numpy.sqrt(k / n * (1 - k / n) / n), share,
                                                          numpy.sqrt(share * (1 - share) / count)))


main()

"""Quantiles and samples of clack against SciPy. Arguments: a table of "kind a b c d lower upper u x" and
files of 8-byte samples named by a table of "kind a b c d lower upper path". Exit 77 without SciPy."""
import sys

try:
    import numpy
    import scipy.stats
except ImportError:
    sys.exit(77)


def law_of(kind, a, b, c, d):
    if kind == "lognormal":
        return scipy.stats.lognorm(s=b, scale=numpy.exp(a))
    if kind == "triangular":
        return scipy.stats.triang(c=(c - a) / (b - a), loc=a, scale=b - a)
    if kind == "exponential":
        return scipy.stats.expon(scale=a)
    if kind == "weibull":
        return scipy.stats.weibull_min(c=a, scale=b)
    if kind == "beta":
        return scipy.stats.beta(c, d, loc=a, scale=b - a)
    if kind == "normal":
        return scipy.stats.norm(a, b)
    raise ValueError(kind)


def cdf_of(law, lower, upper):
    below, inside = law.cdf(lower), law.cdf(upper) - law.cdf(lower)
    return lambda x: (law.cdf(x) - below) / inside


failures = 0
rows = [line.split() for line in open(sys.argv[1])]
for kind, *numbers in rows:
    a, b, c, d, lower, upper, u, x = map(float, numbers)
    law = law_of(kind, a, b, c, d)
    got = float(cdf_of(law, lower, upper)(x))
    # What an ulp of x is worth, beside the rounding of SciPy's own functions and clack's beta (2e-11).
    inside = law.cdf(upper) - law.cdf(lower)
    tolerance = 2e-11 + 4e-16 * (abs(x) + abs(a)) * float(law.pdf(x)) / inside + 1e-15 / inside
    if not abs(got - u) <= tolerance:
        failures += 1
        print(f"{kind} {numbers}: cdf(x) = {got!r}, expected {u!r} within {tolerance}")
    expected = float(law.ppf(u))
    if lower == -numpy.inf and upper == numpy.inf and not abs(x - expected) <= 1e-9 * abs(expected):
        failures += 1
        print(f"{kind} {numbers}: x expected {expected!r}")
for kind, *words in (line.split() for line in open(sys.argv[2])):
    a, b, c, d, lower, upper = map(float, words[:6])
    samples = numpy.fromfile(words[6])
    result = scipy.stats.kstest(samples, cdf_of(law_of(kind, a, b, c, d), lower, upper))
    print(f"{kind} {words[:6]}: {samples.size} samples, p = {result.pvalue:.3g}")
    if not result.pvalue > 1e-3:
        failures += 1
if not rows:
    failures += 1
sys.exit(1 if failures else 0)

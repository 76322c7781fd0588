"""Quantiles and samples (moments, Kolmogorov-Smirnov) of clack against SciPy. Arguments: a table of
"kind a b c d lower upper u x" and files of 8-byte samples named by a table of "kind a b c d lower upper path". Exit 77
without SciPy."""
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
    if kind == "uniform":
        return scipy.stats.uniform(a, b - a)
    if kind == "log_uniform":
        return scipy.stats.loguniform(a, b)
    if kind == "integer":
        return scipy.stats.randint(int(a), int(b) + 1)
    raise ValueError(kind)


def cdf_of(law, lower, upper):
    below, inside = law.cdf(lower), law.cdf(upper) - law.cdf(lower)
    return lambda x: (law.cdf(x) - below) / inside


def moments_of(law, lower, upper):
    """Mean, variance and fourth central moment, of the part between the bounds."""
    if lower == -numpy.inf and upper == numpy.inf:
        mean, variance, kurtosis = (float(m) for m in law.stats("mvk"))
        return mean, variance, (kurtosis + 3) * variance**2
    low, high = (float(law.ppf(u)) for u in (max(law.cdf(lower), 1e-15), min(law.cdf(upper), 1 - 1e-15)))
    x, weight = numpy.polynomial.legendre.leggauss(2000)
    x, weight = low + (high - low) * (x + 1) / 2, weight * (high - low) / 2 * law.pdf(low + (high - low) * (x + 1) / 2)
    weight /= weight.sum()
    mean = float(weight @ x)
    return mean, float(weight @ (x - mean) ** 2), float(weight @ (x - mean) ** 4)


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
    law, n = law_of(kind, a, b, c, d), samples.size
    mean, variance, fourth = moments_of(law, lower, upper)
    # In standard errors; of the fourth moment itself, so that the law and not the samples sets the scale.
    off = abs(samples.mean() - mean) / (variance / n) ** 0.5
    spread = abs(((samples - mean) ** 2).mean() - variance) / ((fourth - variance**2) / n) ** 0.5
    if kind == "integer":  # no continuous law: each value as often as another
        values, counts = numpy.unique(samples, return_counts=True)
        p = scipy.stats.chisquare(counts).pvalue if list(values) == list(range(int(a), int(b) + 1)) else 0
    else:
        p = scipy.stats.kstest(samples, cdf_of(law, lower, upper)).pvalue
    print(f"{kind} {words[:6]}: {n} samples, p = {p:.3g}, "
          f"mean and variance off by {off:.2f} and {spread:.2f} standard errors")
    if not (p > 1e-3 and off < 4 and spread < 4 and n >= 1000000):
        failures += 1
if not rows:
    failures += 1
sys.exit(1 if failures else 0)

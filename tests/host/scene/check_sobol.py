"""Sobol' points of clack (a file of whole numbers, in units of 2^-32) against SciPy's. Exit 77 without it."""
import sys
import warnings

try:
    import numpy
    from scipy.stats import qmc
except ImportError:
    sys.exit(77)

dimensions = int(sys.argv[2])
points = numpy.loadtxt(sys.argv[1]).reshape(-1, dimensions)
warnings.simplefilter("ignore")  # not a power of 2
expected = qmc.Sobol(dimensions, scramble=False, bits=32).random(len(points)) * 2.0**32
different = int((points != expected).sum())
print(f"{points.size} points, {different} different from SciPy's")
sys.exit(1 if different or not points.size else 0)

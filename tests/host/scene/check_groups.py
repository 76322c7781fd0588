"""Numbers drawn together against SciPy: rows of p q r (correlated normals), a vector of length 2 on the sphere
and a rotation's quaternion, as 8-byte floats. With a second argument the samples are spoiled. Exit 77 without SciPy."""
import sys

try:
    import numpy
    import scipy.stats
except ImportError:
    sys.exit(77)

rows = numpy.fromfile(sys.argv[1]).reshape(-1, 10)
normals, vector, turn = rows[:, :3], rows[:, 3:6] / 2, rows[:, 6:]
if len(sys.argv) > 2:  # a little off: correlation, a pole, an axis of rotation
    normals, vector, turn = normals + [0, 1, 0] * normals[:, :1] / 300, vector + [0, 0, 0.004], turn + [0.004, 0, 0, 0]
n = len(rows)
failures = 0


def check(is_right, text):
    global failures
    print(("ok  " if is_right else "NOT ") + text)
    failures += not is_right


def uniform(values, low, high, name):
    p = scipy.stats.kstest(values, scipy.stats.uniform(low, high - low).cdf).pvalue
    check(p > 1e-3, f"{name} uniform on [{low:.4g}, {high:.4g}]: p = {p:.3g}")


def on_sphere(v, name):
    uniform(v[:, 2], -1, 1, name + " z")
    uniform(v[:, 0], -1, 1, name + " x")
    uniform(numpy.arctan2(v[:, 1], v[:, 0]), -numpy.pi, numpy.pi, name + " azimuth")
    # Means 0 +- sqrt(1/3n); second moments I/3, with variances 4/45 (squares) and 1/15 (products) over n.
    worst = numpy.abs(v.mean(axis=0)).max() * numpy.sqrt(3 * n)
    check(worst < 4.5, f"{name} mean: {worst:.2f} standard errors")
    spread = (numpy.abs(v.T @ v / n - numpy.eye(3) / 3) / numpy.where(numpy.eye(3), 4 / 45, 1 / 15) ** 0.5).max()
    check(spread * numpy.sqrt(n) < 4.5, f"{name} second moments: {spread * numpy.sqrt(n):.2f} standard errors")


on_sphere(vector, "vector")
w, x, y, z = turn.T
# A fixed direction (1, 2, 2)/3 turned, and the third axis: both uniform under Haar's measure.
matrix = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
on_sphere(numpy.einsum("ijn,j->ni", matrix, numpy.array([1, 2, 2]) / 3), "turned direction")
on_sphere(numpy.einsum("ijn,j->ni", matrix, numpy.array([0.0, 0, 1])), "turned axis")
# The angle's density is (1 - cos a)/pi on [0, pi].
angle = 2 * numpy.arccos(numpy.minimum(numpy.abs(w), 1))
p = scipy.stats.kstest(angle, lambda a: (a - numpy.sin(a)) / numpy.pi).pvalue
check(p > 1e-3, f"angle of rotation: p = {p:.3g}")
# Each component of a uniform point on the 3-sphere has the density 2 sqrt(1 - q^2)/pi: (1 + q)/2 is beta(3/2, 3/2).
for name, q in zip("wxyz", turn.T):
    p = scipy.stats.kstest((1 + q) / 2, scipy.stats.beta(1.5, 1.5).cdf).pvalue
    check(p > 1e-3, f"quaternion {name}: p = {p:.3g}")
means, sds = numpy.array([3, 5, -1]), numpy.array([2, 0.5, 1])
wanted = numpy.array([[1, 0.8, -0.3], [0.8, 1, 0.1], [-0.3, 0.1, 1]])
for i in range(3):
    p = scipy.stats.kstest(normals[:, i], scipy.stats.norm(means[i], sds[i]).cdf).pvalue
    check(p > 1e-3, f"normal {i}: p = {p:.3g}")
scaled = (normals - means) / sds
# Variance of a product of two standard normals with correlation r: 1 + r^2.
error = numpy.abs(scaled.T @ scaled / n - wanted) / numpy.sqrt((1 + wanted**2) / n)
check(error.max() < 4.5, f"covariance: {error.max():.2f} standard errors")
sys.exit(1 if failures or n < 1000000 else 0)

"""Reference solutions of joints.py: places of its scenes' marks over time, from equations in the fewest coordinates.

None comes from a program that is compared. Each is integrated by scipy's DOP853 at a relative tolerance of 3e-13 and
again at 1e-10; `doubt` is the largest distance between the two. The pendulum has a closed form, whose own `doubt` is
its distance from such an integration.
"""
import math

import joints_scenes as scenes
import numpy
from scipy import linalg
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

G = scenes.G
FINE, COARSE = 3e-13, 1e-10  # tolerances


def solved(rate, start, times, tolerance):
    done = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=tolerance, atol=tolerance)
    if not done.success:
        raise ArithmeticError(done.message)
    return done.y


def plane(x, z):
    """Places (times, marks, 3) of one mark, or of as many as x has columns."""
    return numpy.stack([x, 0 * x, z], axis=-1).reshape(len(x), -1, 3)


# --- one angle -----------------------------------------------------------------------------------------------

def pendulum_marks(times, tolerance):
    """Angle a from below: a'' = -3/2 g sin a."""
    if tolerance == FINE:
        k, rate = math.sin(scenes.PENDULUM_TILT / 2), math.sqrt(1.5 * G)
        a = 2 * numpy.arcsin(k * ellipj(ellipk(k * k) - rate * times, k * k)[0])
    else:
        a = solved(lambda t, y: [y[1], -1.5 * G * math.sin(y[0])], [scenes.PENDULUM_TILT, 0], times, 1e-12)[0]
    return plane(numpy.sin(a), -numpy.cos(a))


def four_bars_marks(times, tolerance, count=2):
    """Angle a of all cranks from above: (cranks/3 + rods) a'' = (cranks/2 + rods) g sin a."""
    factor = G * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    a = solved(lambda t, y: [y[1], factor * math.sin(y[0])], [0, 1], times, tolerance)[0]
    return plane(numpy.sin(a), numpy.cos(a))


def slider_rate(_, y):
    """Crank's angle q from x to z, rod's angle p: M(q) q'' = -M'(q) q'^2 / 2 - V'(q)."""
    l1, l2, m = scenes.CRANK, scenes.CONROD, scenes.SLIDER_MASSES
    q, rate = y
    sin_p = -l1 / l2 * math.sin(q)
    cos_p = math.sqrt(1 - sin_p**2)
    p1 = -l1 * math.cos(q) / (l2 * cos_p)  # dp/dq and its derivative
    p2 = (l1 / l2 * math.sin(q) + sin_p * p1**2) / cos_p
    c, s = math.cos(q), math.sin(q)
    # First and second derivatives by q of the middle of the rod and of the slider.
    middle1 = (-l1 * s - l2 / 2 * sin_p * p1, l1 * c + l2 / 2 * cos_p * p1)
    middle2 = (-l1 * c - l2 / 2 * (cos_p * p1**2 + sin_p * p2), -l1 * s + l2 / 2 * (cos_p * p2 - sin_p * p1**2))
    end1, end2 = -l1 * s - l2 * sin_p * p1, -l1 * c - l2 * (cos_p * p1**2 + sin_p * p2)
    i1, i2 = (scenes.rod_inertia(length, mass, scenes.THIN)[1] for length, mass in ((l1, m[0]), (l2, m[1])))
    mass = i1 + m[0] * l1**2 / 4 + m[1] * (middle1[0]**2 + middle1[1]**2) + i2 * p1**2 + m[2] * end1**2
    slope = m[1] * (middle1[0] * middle2[0] + middle1[1] * middle2[1]) + i2 * p1 * p2 + m[2] * end1 * end2
    return [rate, -(slope * rate**2 + G * (m[0] * l1 / 2 * c + m[1] * middle1[1])) / mass]


def slider_marks(times, tolerance):
    q = solved(slider_rate, [scenes.CRANK_ANGLE, scenes.CRANK_RATE], times, tolerance)[0]
    return plane(scenes.CRANK * numpy.cos(q), scenes.CRANK * numpy.sin(q))


# --- two rods in space ---------------------------------------------------------------------------------------

def double_rate(_, y):
    """Quaternions and spins (world axes) of two rods; accelerations from virtual power, six equations."""
    inertia = numpy.array(scenes.rod_inertia(1.0, 1.0, scenes.THICK))
    turns, spins = y[:8].reshape(2, 4), y[8:].reshape(2, 3)
    rotation = scenes.matrix(turns / numpy.linalg.norm(turns, axis=1)[:, None])
    half = rotation[:, :, 0] / 2
    world = rotation * inertia @ numpy.swapaxes(rotation, 1, 2)

    def across(r):  # spin -> velocity of the point r
        return -numpy.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    none = numpy.zeros((3, 3))
    jacobians = [numpy.hstack([across(half[0]), none]), numpy.hstack([across(2 * half[0]), across(half[1])])]
    inward = [numpy.cross(w, numpy.cross(w, r)) for w, r in zip(spins, half)]
    biases = [inward[0], 2 * inward[0] + inward[1]]
    mass, force = numpy.zeros((6, 6)), numpy.zeros(6)
    for k, (jacobian, bias) in enumerate(zip(jacobians, biases)):
        mass += jacobian.T @ jacobian
        mass[3 * k:3 * k + 3, 3 * k:3 * k + 3] += world[k]
        force += jacobian.T @ (numpy.array([0, 0, -G]) - bias)
        force[3 * k:3 * k + 3] -= numpy.cross(spins[k], world[k] @ spins[k])
    turning = [0.5 * numpy.array([-w @ q[1:], *(q[0] * w + numpy.cross(w, q[1:]))]) for q, w in zip(turns, spins)]
    return numpy.concatenate([*turning, numpy.linalg.solve(mass, force)])


def double_marks(times, tolerance):
    start = numpy.concatenate([scenes.turn(axis, angle) for axis, angle, _ in scenes.DOUBLE] +
                              [spin for _, _, spin in scenes.DOUBLE])
    turns = solved(double_rate, start, times, tolerance)[:8].T.reshape(-1, 2, 4)
    turns /= numpy.linalg.norm(turns, axis=2)[:, :, None]
    return scenes.matrix(turns)[:, :, :, 0].cumsum(axis=1)


# --- chains: angles in the plane -----------------------------------------------------------------------------

def chain_marks(times, tolerance, count):
    """Angles a from x downwards, all links alike: sum_j c_ij (cos(ai - aj) aj'' + sin(ai - aj) aj'^2) = gravity."""
    k = numpy.arange(count)
    after = count - 1 - numpy.maximum.outer(k, k) + 0.5
    own = scenes.rod_inertia(1.0, 1.0, scenes.THIN / scenes.LINK)[1] - 0.25  # less the half that `after` counts twice
    weights = after + numpy.diag(own * numpy.ones(count))
    pull = G / scenes.LINK * (count - 1 - k + 0.5)

    def rate(_, y):
        a, speed = y[:count], y[count:]
        c, s = numpy.cos(a), numpy.sin(a)
        cosine = numpy.outer(c, c) + numpy.outer(s, s)
        sine = numpy.outer(s, c) - numpy.outer(c, s)
        return numpy.concatenate([speed, linalg.solve(weights * cosine, pull * c - (weights * sine) @ speed**2,
                                                      assume_a="pos", check_finite=False)])

    a = solved(rate, numpy.zeros(2 * count), times, tolerance)[:count]
    return scenes.LINK * plane(numpy.cos(a).cumsum(axis=0).T, -numpy.sin(a).cumsum(axis=0).T)


MARKS = {"pendulum": pendulum_marks, "double": double_marks, "four_bars": four_bars_marks, "slider": slider_marks,
         "chain10": lambda times, tolerance: chain_marks(times, tolerance, 10),
         "chain100": lambda times, tolerance: chain_marks(times, tolerance, 100)}


class Reference:
    """Places of a scene's mark at all multiples of `shortest`, s."""

    def __init__(self, name, shortest):
        count = round(scenes.SCENES[name].end / shortest)
        times = numpy.arange(count + 1) * shortest
        self.shortest, self.places = shortest, MARKS[name](times, FINE)
        self.doubt = numpy.linalg.norm(self.places - MARKS[name](times, COARSE), axis=2).max()

    def error(self, scene, h, states):
        every = round(h / self.shortest)
        return numpy.linalg.norm(scenes.places(scene, states) - self.places[::every][:len(states)], axis=2).max()


def drift(scene, states):
    """The largest change of energy, over the range of the potential energy in this run."""
    height, whole = scenes.energies(scene, states)
    return numpy.abs(whole - whole[0]).max() / numpy.ptp(height)

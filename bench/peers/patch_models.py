"""Surfaces, poses and closed forms of the forces that patches.py compares.

All three programs press a body onto a layer below z = 0 that is K = modulus / depth stiff, N/m^3. clack (`region: {law:
volume}`) and Drake (a rigid mesh on a compliant half-space) integrate K times the depth over the area that the body's
surface covers of the layer. Simbody's elastic foundation adds up K times area times depth of the middle of each face.
"""
import os
import sys

import numpy
from scipy.integrate import quad, simpson, solve_ivp
from scipy.optimize import brentq

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "validation"))
from surfaces import icosphere

RADIUS, SIDE = 0.1, 0.1             # of ball and block, m
MODULUS, DEPTH = 1e6, 0.01          # of the layer, Pa and m
K = MODULUS / DEPTH
MASS, SPEED, IMPACT_END = 10.0, 1.0, 0.04
INERTIA = 0.4 * MASS * RADIUS**2
RESTITUTION = 0.5


# --- surfaces and poses --------------------------------------------------------------------------------------

def ball(level):
    points, triangles = icosphere(level)
    return RADIUS * points, triangles


def block(n):
    """A cube, n x n squares of two triangles on each face."""
    points, triangles = [], []
    for axis in range(3):
        for side in (-1, 1):
            first = len(points)
            for i in range(n + 1):
                for j in range(n + 1):
                    at = numpy.empty(3)
                    at[axis], at[axis - 2], at[axis - 1] = side, 2 * i / n - 1, 2 * j / n - 1
                    points.append(at * SIDE / 2)
            for i in range(n):
                for j in range(n):
                    a = first + i * (n + 1) + j
                    b, c, d = a + n + 1, a + n + 2, a + 1
                    for t in ((a, b, c), (a, c, d)):
                        triangles.append(t if side > 0 else t[::-1])
    names, where = numpy.unique(numpy.round(numpy.array(points) / SIDE * 2 * n).astype(int), axis=0,
                                return_inverse=True)
    return names * SIDE / 2 / n, where.reshape(-1)[numpy.array(triangles)]


def write_obj(path, points, triangles):
    with open(path, "w") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(p) for p in points)
        file.writelines("f %d %d %d\n" % tuple(t + 1) for t in triangles)


def turn(quaternion, points):
    w, v = quaternion[0], numpy.array(quaternion[1:])
    once = 2 * numpy.cross(v, points)
    return points + w * once + numpy.cross(v, once)


def ball_poses(depth, count, seed=1):
    random = numpy.random.default_rng(seed)
    turns = random.normal(size=(count, 4))
    turns /= numpy.linalg.norm(turns, axis=1, keepdims=True)
    return [[0, 0, RADIUS - depth, *q] for q in turns]


def block_poses(count):
    """Tilted by 0.003 to 0.3 rad about y, then turned about z by any angle; the lowest edge is 2 mm deep."""
    poses = []
    for k in range(count):
        angle, yaw = 0.003 * 100**(k / (count - 1)), 0.1 + k
        about_y, about_z = (numpy.cos(angle / 2), numpy.sin(angle / 2)), (numpy.cos(yaw / 2), numpy.sin(yaw / 2))
        height = SIDE / 2 * (numpy.cos(angle) + numpy.sin(angle)) - 0.002
        poses.append([0, 0, height, about_y[0] * about_z[0], -about_y[1] * about_z[1], about_y[1] * about_z[0],
                      about_y[0] * about_z[1]])
    return poses


# --- forces of surfaces as they are ---------------------------------------------------------------------------

def below(corners):
    """The part of a triangle under z = 0, as triangles."""
    kept = []
    for k in range(3):
        p, q = corners[k], corners[(k + 1) % 3]
        if p[2] <= 0:
            kept.append(p)
        if (p[2] < 0 < q[2]) or (q[2] < 0 < p[2]):
            kept.append(p + (q - p) * p[2] / (p[2] - q[2]))
    return [(kept[0], kept[k], kept[k + 1]) for k in range(1, len(kept) - 1)]


def layer_wrench(surface, pose, covers=True):
    """Integral of K times depth over the area that is covered, and its moment about the body's origin: exact for
    triangles. covers: False: over the surface's own area, which springs on ever smaller faces come to."""
    points, triangles = turn(pose[3:], surface[0]) + pose[:3], surface[1]
    force, moment = 0.0, numpy.zeros(2)
    for corners in points[triangles[(points[triangles][:, :, 2] < 0).any(axis=1)]]:
        for part in below(corners):
            p = numpy.array(part)
            normal = numpy.cross(p[1] - p[0], p[2] - p[0]) / 2
            covered = -normal[2] if covers else numpy.linalg.norm(normal)
            force -= K * covered * p[:, 2].mean()
            for axis in (0, 1):
                moment[axis] -= K * covered / 12 * (p[:, axis].sum() * p[:, 2].sum() + p[:, axis] @ p[:, 2])
    moment -= force * numpy.array(pose[:2])
    return [0, 0, force, moment[1], -moment[0], 0]


def foundation_wrench(surface, pose):
    """A spring at the middle of each face."""
    corners = (turn(pose[3:], surface[0]) + pose[:3])[surface[1]]
    middle = corners.mean(axis=1)
    area = numpy.linalg.norm(numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    force = K * area * numpy.maximum(0, -middle[:, 2])
    arm = middle - pose[:3]
    return [0, 0, force.sum(), (arm[:, 1] * force).sum(), -(arm[:, 0] * force).sum(), 0]


# --- smooth balls --------------------------------------------------------------------------------------------

def layer_ball(depth):
    return K * numpy.pi * depth**2 * (RADIUS - depth / 3)


def foundation_ball(depth):
    return K * numpy.pi * RADIUS * depth**2


def layer_pair(depth):
    """Of two balls: the volume that they have in common."""
    return K * numpy.pi * depth**2 * (6 * RADIUS - depth) / 12


def foundation_pair(depth):
    """Half of the springs of either ball, each towards the nearest point of the other, which is taken to be rigid."""
    apart = 2 * RADIUS - depth

    def ring(angle):
        away = numpy.sqrt(RADIUS**2 + apart**2 - 2 * RADIUS * apart * numpy.cos(angle))
        along = (apart - RADIUS * numpy.cos(angle)) / away
        return (RADIUS - away) * along * 2 * numpy.pi * RADIUS**2 * numpy.sin(angle)
    return K * quad(ring, 0, numpy.arccos(apart / 2 / RADIUS), epsrel=1e-12)[0]


def hertz_ball(depth, modulus):
    return 4 / 3 * modulus * numpy.sqrt(RADIUS) * depth**1.5


def pressed_ball(depth, modulus):
    """A compliant ball on a rigid plane: the pressure is modulus times 1 - r / R at the plane."""
    flat = RADIUS - depth
    return 2 * numpy.pi * modulus * ((RADIUS**2 - flat**2) / 2 - (RADIUS**3 - flat**3) / (3 * RADIUS))


def damped_layer_ball(depth):
    """What Drake multiplies by dissipation and speed: its speeds are those along the normals of the ball's faces."""
    a = numpy.linspace(0, 1, 201) * numpy.sqrt(max(0, 2 * RADIUS * depth - depth**2))
    up = numpy.sqrt(RADIUS**2 - a**2)
    return K * simpson((up - RADIUS + depth) * up / RADIUS * 2 * numpy.pi * a, x=a)


def dissipation():
    """d with which f (1 + d u) gives RESTITUTION at SPEED: alpha - ln(1 + alpha) = -alpha e - ln(1 - alpha e)."""
    e = RESTITUTION
    alpha = brentq(lambda a: a - numpy.log1p(a) + a * e + numpy.log1p(-a * e), 0.1, 1 / e - 1e-9)
    return alpha / SPEED


def impact(elastic, damped, d):
    """Speed of a smooth ball after it: m z'' = -(elastic + d z' damped)(z)."""
    def rate(_, state):
        z, v = state
        return [v, -max(0.0, elastic(z) + d * v * damped(z)) / MASS if z > 0 else 0.0]

    def leaves(_, state):
        return state[0]
    leaves.terminal, leaves.direction = True, -1
    done = solve_ivp(rate, (0, 1), [1e-12, SPEED], "DOP853", events=leaves, rtol=1e-11, atol=1e-14)
    return -done.y_events[0][0][1]

"""Scenes of joints.py: bodies, joints and what is measured of them, from which every program's model is made. SI units.

Gravity is along -z. Rods lie along their body's x axis. Joints are between bodies by number, -1 the world; places and
axes are those of the world at the start. `closes`: the joint that a program with reduced coordinates cuts open.
`marks`: bodies and points (body axes) whose places are compared.
"""
import json
import math
import sys

import numpy

G = 9.81
THIN, THICK = 0.01, 0.05  # radii of rods, m, for the inertia about themselves: in a plane it does not matter
TIMED_S = 0.2  # processor time that a measured time is taken of, at least
PENDULUM_TILT = 1.0  # rad from below
CRANK, CONROD, SLIDER_MASSES, CRANK_ANGLE, CRANK_RATE = 0.5, 1.2, (1.0, 2.0, 3.0), 0.4, 3.0
LINK, LINK_MASS = 0.1, 0.1  # of chains: m, kg
# Of the double pendulum: rods' directions as turns about an axis from x, and spins in the world's axes, rad/s.
DOUBLE = (((0.0, 1.0, 0.3), 0.4, (0.5, 1.0, 2.0)), ((0.3, 1.0, -1.0), 1.1, (2.0, -1.0, 1.0)))


def turn(axis, angle):
    """Quaternion w, x, y, z."""
    axis = numpy.array(axis, float) / numpy.linalg.norm(axis)
    return numpy.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])


def matrix(quaternion):
    """From the body's axes into the world's; of one or of many (last axis)."""
    w, x, y, z = numpy.moveaxis(numpy.asarray(quaternion, float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return numpy.moveaxis(numpy.array(rows), (0, 1), (-2, -1))


def rod_inertia(length, mass, radius):
    """Of a slender rod across itself, of a cylinder about itself."""
    across = mass * length**2 / 12
    return [mass * radius**2 / 2, across, across]


class Scene:
    def __init__(self, end, marks, tree=True):
        """end: s; tree: no joint closes a loop."""
        self.end, self.marks, self.tree, self.bodies, self.joints = end, marks, tree, [], []

    def body(self, mass, inertia, position, quaternion=(1, 0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0)):
        """Place and velocity of the centre of mass; inertia: principal, in the body's axes; spin in the world's."""
        self.bodies.append({"mass": mass, "inertia": list(map(float, inertia)), "position": list(map(float, position)),
                            "quaternion": list(map(float, quaternion)), "velocity": list(map(float, velocity)),
                            "spin": list(map(float, spin))})

    def rod(self, start, quaternion, length, mass, radius, velocity=(0, 0, 0), spin=(0, 0, 0)):
        """From its start, which has that velocity, on; returns place and velocity of its other end."""
        half = matrix(quaternion) @ [length / 2, 0, 0]
        drift = numpy.cross(spin, half)
        self.body(mass, rod_inertia(length, mass, radius), start + half, quaternion, velocity + drift, spin)
        return start + 2 * half, velocity + 2 * drift

    def joint(self, kind, one, other, at, axis=(0, 1, 0), closes=False):
        self.joints.append({"kind": kind, "one": one, "other": other, "at": list(map(float, at)),
                            "axis": list(map(float, axis)), "closes": closes})

    def start(self):
        """The state at t = 0: a row for each body, of place, quaternion, velocity, spin in the world's axes."""
        return numpy.array([one["position"] + one["quaternion"] + one["velocity"] + one["spin"] for one in self.bodies])


# --- scenes --------------------------------------------------------------------------------------------------

def pendulum():
    scene = Scene(10.0, [(0, [0.5, 0, 0])])
    scene.rod(numpy.zeros(3), turn([0, 1, 0], math.pi / 2 - PENDULUM_TILT), 1.0, 1.0, THIN)
    scene.joint("revolute", -1, 0, [0, 0, 0])
    return scene


def double_pendulum():
    scene, end, velocity = Scene(5.0, [(k, [0.5, 0, 0]) for k in range(2)]), numpy.zeros(3), numpy.zeros(3)
    for k, (axis, angle, spin) in enumerate(DOUBLE):
        scene.joint("spherical", k - 1, k, end)
        end, velocity = scene.rod(end, turn(axis, angle), 1.0, 1.0, THICK, velocity, spin)
    return scene


def four_bars(count=2):
    """Cranks stand upright at x = 0, 1, ..., rods from one's upper end to the next; all upper ends at 1 m/s along x."""
    scene, up = Scene(10.0, [(0, [0.5, 0, 0])], tree=False), turn([0, 1, 0], -math.pi / 2)
    for k in range(count + 1):
        scene.rod(numpy.array([k, 0, 0]), up, 1.0, 1.0, THIN, spin=[0, 1, 0])
        scene.joint("revolute", -1, k, [k, 0, 0])
    for k in range(count):
        scene.rod(numpy.array([k, 0, 1]), turn([0, 1, 0], 0), 1.0, 1.0, THIN, velocity=numpy.array([1, 0, 0]))
        scene.joint("revolute", k, count + 1 + k, [k, 0, 1])
        scene.joint("revolute", k + 1, count + 1 + k, [k + 1, 0, 1], closes=True)
    return scene


def slider_crank():
    """A crank from the origin, a rod, a slider on the x axis."""
    scene = Scene(5.0, [(0, [CRANK / 2, 0, 0])], tree=False)
    m, q, rate = SLIDER_MASSES, CRANK_ANGLE, CRANK_RATE
    p = -math.asin(CRANK * math.sin(q) / CONROD)
    p_rate = -rate * CRANK * math.cos(q) / (CONROD * math.cos(p))
    pin, velocity = scene.rod(numpy.zeros(3), turn([0, 1, 0], -q), CRANK, m[0], THIN, spin=[0, -rate, 0])
    end, velocity = scene.rod(pin, turn([0, 1, 0], -p), CONROD, m[1], THIN, velocity, [0, -p_rate, 0])
    scene.body(m[2], [0.1, 0.1, 0.1], end, velocity=velocity)
    scene.joint("revolute", -1, 0, [0, 0, 0])
    scene.joint("revolute", 0, 1, pin)
    scene.joint("prismatic", -1, 2, end, [1, 0, 0])
    scene.joint("revolute", 1, 2, end, closes=True)
    return scene


def chain(count):
    """Along x from the origin, at rest."""
    scene = Scene(1.0, [(k, [LINK / 2, 0, 0]) for k in range(count)])
    for k in range(count):
        scene.rod(numpy.array([k * LINK, 0, 0]), turn([0, 1, 0], 0), LINK, LINK_MASS, THIN)
        scene.joint("spherical", k - 1, k, [k * LINK, 0, 0])
    return scene


SCENES = {"pendulum": pendulum(), "double": double_pendulum(), "four_bars": four_bars(), "slider": slider_crank(),
          "chain10": chain(10), "chain100": chain(100)}
PLANAR = ("pendulum", "four_bars", "slider")  # all joints about y, or along x


# --- what is measured of states, alike for all programs ------------------------------------------------------

def places(scene, states):
    """Of the marks (times, marks, 3), from states (times, bodies, 13)."""
    return numpy.stack([states[:, body, :3] + matrix(states[:, body, 3:7]) @ numpy.array(point)
                        for body, point in scene.marks], axis=1)


def energies(scene, states):
    """Potential and whole energy, J."""
    mass = numpy.array([one["mass"] for one in scene.bodies])
    inertia = numpy.array([one["inertia"] for one in scene.bodies])
    spin = numpy.einsum("tbji,tbj->tbi", matrix(states[:, :, 3:7]), states[:, :, 10:13])
    height = G * (states[:, :, 2] @ mass)
    motion = 0.5 * ((states[:, :, 7:10]**2).sum(axis=2) @ mass) + 0.5 * (spin**2 * inertia).sum(axis=(1, 2))
    return height, height + motion


def local(scene, body, turned, place, points):
    """Point and axis of a joint, which are given at the start, on a body (-1: the world) at all times."""
    at, axis = points
    if body < 0:
        return at, axis
    first = matrix(scene.bodies[body]["quaternion"])
    rotation = turned[:, body] @ first.T
    return place[:, body] + rotation @ (at - scene.bodies[body]["position"]), rotation @ axis


def violation(scene, states):
    """The largest distance of two points of a joint (m; of a slide's from its axis) or angle between axes (rad)."""
    turned, most = matrix(states[:, :, 3:7]), 0.0
    for joint in scene.joints:
        given = numpy.array(joint["at"]), numpy.array(joint["axis"])
        bodies = (joint["one"], joint["other"])
        (a, u), (b, v) = (local(scene, body, turned, states[:, :, :3], given) for body in bodies)
        apart = numpy.atleast_2d(b - a)
        u, v = numpy.broadcast_to(u, apart.shape), numpy.broadcast_to(v, apart.shape)
        if joint["kind"] == "prismatic":
            apart = apart - (apart * u).sum(axis=1)[:, None] * u
        most = max(most, numpy.linalg.norm(apart, axis=1).max())
        if joint["kind"] != "spherical":
            most = max(most, numpy.linalg.norm(numpy.cross(u, v), axis=1).max())
    return most


# --- programs that are called from Python --------------------------------------------------------------------

def serve(world_of, version):
    """The jobs of the command line, a line of JSON for each: states in a file, or the time of a step.

    world_of(name, h, setting) has `states(steps)` as of Scene.start, a row more than steps or fewer where it stops, and
    `spent_s(steps)`, processor time without setup, which is asked of what gets to the end only.
    """
    print(json.dumps({"version": version}))
    for text in sys.argv[2:]:
        job = json.loads(text)
        steps, answer = round(SCENES[job["scene"]].end / job["h"]), {}
        world = world_of(job["scene"], job["h"], job["setting"])
        if job.get("timed"):
            spent, count = world.spent_s(steps), 1
            while spent < TIMED_S:
                spent, count = spent + world.spent_s(steps), count + 1
            answer["us"] = 1e6 * spent / (count * steps)
        else:
            states = world.states(steps)
            numpy.save(job["file"], states)
            answer["reached"] = (len(states) - 1) * job["h"]
        print(json.dumps(answer), flush=True)

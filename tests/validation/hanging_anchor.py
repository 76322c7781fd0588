"""Two bodies on a cable, as an anchor hangs, released at 0.5 rad (row J2): what their constraints are off by.

A cable of 5 m, a shank of 2,414 kg and 3 m, flukes of 4,000 kg on a revolute joint. Rates of the constraints follow
from recorded states, second derivatives from the forces and moments that are recorded with them: Newton's and Euler's
equations give the accelerations of both bodies, so a force that is wrong shows here too. Points and axes of the joints
are those of the start, turned with their bodies.
"""
import os
import subprocess
import tempfile

import h5py
import numpy

STUDY = """format: 1
variables: {tilt: 0.5}
scene:
  bodies:
    hook: {fixed: true}
    shank:
      mass: {mass: 2414, inertia: [1828.605, 1828.605, 36.21]}
      position: ["=-6.5*sin(tilt)", 0, "=-6.5*cos(tilt)"]
      rotation: {axis: [0, 1, 0], angle: $tilt}
    flukes:
      mass: {mass: 4000, inertia: [453.3333333333333, 1666.6666666666667, 1453.3333333333333]}
      position: ["=-8.5*sin(tilt)", 0, "=-8.5*cos(tilt)"]
      rotation: {axis: [0, 1, 0], angle: $tilt}
  joints:
    cable: {kind: distance, between: [hook, shank], at: [[0, 0, 0], ["=-5*sin(tilt)", 0, "=-5*cos(tilt)"]]}
    crown: {kind: revolute, between: [shank, flukes], at: ["=-8*sin(tilt)", 0, "=-8*cos(tilt)"], axis: [0, 1, 0]}
solver: {method: trapezoidal, step: 0.01, end: 5}
outputs:
  quantities: {cable_off: {max: cable.violation}, crown_off: {max: crown.violation}}
  trajectory: {every: 0.01}
  contacts: {every: 0.01}
"""
MASSES = {"shank": 2414.0, "flukes": 4000.0}
INERTIAS = {"shank": numpy.array([1828.605, 1828.605, 36.21]),
            "flukes": numpy.array([453.3333333333333, 1666.6666666666667, 1453.3333333333333])}
BODIES, G = {"shank": 1, "flukes": 2}, numpy.array([0, 0, -9.81])


def turned(q, v):
    u = q[..., 1:]
    v = numpy.broadcast_to(v, u.shape)
    return v + 2 * numpy.cross(u, numpy.cross(u, v) + q[..., :1] * v)


def run(clack, device, *settings):
    with tempfile.TemporaryDirectory(prefix="clack_hanging_") as folder:
        study, output = os.path.join(folder, "study.yaml"), os.path.join(folder, "out.h5")
        with open(study, "w") as file:
            file.write(STUDY)
        words = [word for each in settings for word in ("--set", each)]
        subprocess.run([clack, "run", study, "-q", "-d", device, "-o", output, *words], check=True)
        with h5py.File(output) as file:
            of = {name: data[0] for name, data in file.items() if isinstance(data, h5py.Dataset) and data.shape}
            for name in ("position", "orientation", "velocity", "angular_velocity"):
                of[name] = file["trajectory"][name][0]
            for name in ("time", "joint", "force", "moment", "point"):
                of["joint_" + name] = file["joints"][name][()]
            of["time"] = file["trajectory/time"][()]
    return of


class Body:
    """States of a body at all recordings, and the accelerations that forces give it; each a force, a moment about a
    point, and that point."""

    def __init__(self, of, name, loads):
        i, mass, inertia = BODIES[name], MASSES[name], INERTIAS[name]
        self.x, self.q = of["position"][:, i], of["orientation"][:, i]
        self.v, self.w = of["velocity"][:, i], of["angular_velocity"][:, i]
        force = sum(load[0] for load in loads)
        moment = sum(load[1] + numpy.cross(load[2] - self.x, load[0]) for load in loads)
        back = self.q * [1, -1, -1, -1]
        spin, moment = turned(back, self.w), turned(back, moment)
        self.a = force / mass + G
        self.alpha = turned(self.q, (moment - numpy.cross(spin, inertia * spin)) / inertia)

    def point(self, arm):
        """Place, velocity and acceleration of the point at an arm of its axes."""
        r = turned(self.q, numpy.array(arm))
        return (self.x + r, self.v + numpy.cross(self.w, r),
                self.a + numpy.cross(self.alpha, r) + numpy.cross(self.w, numpy.cross(self.w, r)))

    def axis(self, along):
        """A direction of its axes and its two derivatives."""
        d = turned(self.q, numpy.array(along))
        first = numpy.cross(self.w, d)
        return d, first, numpy.cross(self.alpha, d) + numpy.cross(self.w, first)


def rates(of):
    """The most that the equations of both constraints are off by, their rates and their second derivatives."""
    rows = {k: [of["joint_" + name][of["joint_joint"] == k] for name in ("force", "moment", "point")] for k in (0, 1)}
    crown = rows[1]
    shank = Body(of, "shank", [rows[0], [-crown[0], -crown[1], crown[2]]])
    flukes = Body(of, "flukes", [crown])
    x, v, a = shank.point([0, 0, 1.5])
    length = numpy.linalg.norm(x, axis=1)
    first = (x * v).sum(1) / length
    off = [[length - 5, first, ((x * a).sum(1) + (v * v).sum(1) - first ** 2) / length]]
    one, other = shank.point([0, 0, -1.5]), flukes.point([0, 0, 0.5])
    off.append([one[k] - other[k] for k in range(3)])
    y, first, second = shank.axis([0, 1, 0]) # stays across these of the flukes
    for along in ([1, 0, 0], [0, 0, 1]):
        d, first_d, second_d = flukes.axis(along)
        off.append([(y * d).sum(1), (first * d + y * first_d).sum(1),
                    (second * d + 2 * first * first_d + y * second_d).sum(1)])
    return [max(numpy.abs(each[k]).max() for each in off) for k in range(3)]


def row(quantity, expected, got, source, count, absolute):
    error = abs(got - expected)
    return {"case": "two bodies on a cable, 5 s at 10 ms", "quantity": quantity, "expected": float(expected),
            "got": float(got), "error": float(error), "ok": bool(error <= absolute), "count": count,
            "tolerance": f"{absolute:g} absolute", "source": source}


def page_rows(clack, device, is_spoiled):
    """Spoiled: a cable that is hauled in, which its equation here does not know, under another gravity; thrice the
    same step; a start so far from rest that Newton's method takes more iterations."""
    coarse = run(clack, device, *(["scene.joints.cable.length={rate: -1.0e-6, until: 10}",
                                   "scene.gravity=[0, 0, -9.82]"] if is_spoiled else []))
    solved = run(clack, device, "variables.tilt=1.5") if is_spoiled else coarse
    steps = [1e-2] * 3 if is_spoiled else [1e-2, 5e-3, 2.5e-3]
    drifts = [run(clack, device, f"solver.step={step!r}")["energy_drift"] for step in steps]
    place, first, second = rates(coarse)
    place, count = max(place, coarse["cable_off"], coarse["crown_off"]), len(coarse["time"])
    return [row("J2 violation, m or rad", 0, place, "constraints; as told and by recorded states", count, 1e-10),
            row("J2 its rate, m/s or rad/s", 0, first, "constraints; recorded velocities", count, 1e-10),
            row("J2 its second derivative", 0, second, "constraints; recorded forces, Newton and Euler", count, 1e-8),
            row("J2 iterations a step", 2, solved["evaluations"] / solved["substeps"], "at most 4", 1, 2),
            row("J2 drift of the energy at 10 ms, over that at 5", 4, drifts[0] / drifts[1], "second order", 1, 0.3),
            row("J2 and at 5 ms, over that at 2.5", 4, drifts[1] / drifts[2], "second order", 1, 0.3)]

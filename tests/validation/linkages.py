"""Linkages that pass singular positions, and loops of other kinds, against systems of one coordinate.

A linkage of N four-bars has upright cranks at x = 0, 1, ..., N and couplers from one to the next, all of 1 m and 1 kg,
whose upper ends begin at 1 m/s in x; a redundant one has a third crank in the middle of its coupler. Its cranks turn
alike, by a'' = k sin a. Where all bars lie in a line they need not. The others, of no symmetry: a slider-crank, two
shafts with a universal joint, a crank and a rocker with a rod between them. Each is integrated here by the classical
method of order 4 in steps that make 2e-8 of error at most.

Of the energy the trapezoidal rule keeps E - h^2/12 I B at its order, I the inertia of all at a crank: its velocities
are off by h^3/12 times the third derivatives of velocities along the motion, its places by those of places, and bodies
whose centres go round in circles have centripetal parts in both. With w = a', c the share of I that such centres have,

    B = w w'' - w'^2 - 5/4 c w^4,   so E goes to and fro by h^2/12 I (B(0) - B(bottom)), and no more.
"""
import math
import os
import subprocess
import tempfile

import h5py
import numpy

G, END_S = 9.81, 10
BAR = 1 / 12 # kg m^2 of 1 kg and 1 m
THIN = 1e-4


# --- systems of one coordinate
def integrated(q, rate, times, acceleration, longest=1e-3):
    """Coordinate and rate at times, of which the first is that of the start."""
    out = [(q, rate)]
    for before, after in zip(times[:-1], times[1:]):
        n = math.ceil((after - before) / longest - 1e-9)
        h = (after - before) / n
        for _ in range(n):
            k1, l1 = rate, acceleration(q, rate)
            k2, l2 = rate + h / 2 * l1, acceleration(q + h / 2 * k1, rate + h / 2 * l1)
            k3, l3 = rate + h / 2 * l2, acceleration(q + h / 2 * k2, rate + h / 2 * l2)
            k4, l4 = rate + h * l3, acceleration(q + h * k3, rate + h * l3)
            q, rate = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), rate + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        out.append((q, rate))
    return numpy.array(out)


def slope(f, q, h=1e-3):
    """By differences of order 4."""
    return (8 * (f(q + h) - f(q - h)) - (f(q + 2 * h) - f(q - 2 * h))) / (12 * h)


def of_mass(mass, potential=lambda q: 0.0):
    """The acceleration of M(q) q'' + M'(q) q'^2/2 + V'(q) = 0."""
    return lambda q, rate: -(slope(mass, q) * rate * rate / 2 + slope(potential, q)) / mass(q)


# --- studies
class Study:
    """Lines of a study with bodies and joints."""

    def __init__(self, gravity=G):
        self.gravity, self.bodies, self.joints = gravity, ["    hook: {fixed: true}"], []

    def body(self, name, mass, inertia, position, velocity, spin, rotation=""):
        self.bodies.append(f"    {name}: {{mass: {{mass: {mass}, inertia: {list(inertia)}}}, position: "
                           f"{numbers(position)}, velocity: {numbers(velocity)}, angular_velocity: {numbers(spin)}"
                           f"{rotation}}}")

    def joint(self, kind, a, b, at, axis=None):
        axis = "" if axis is None else f", axis: {axis if isinstance(axis, str) else numbers(axis)}"
        self.joints.append(f"    j{len(self.joints)}: {{kind: {kind}, between: [{a}, {b}], at: {numbers(at)}{axis}}}")

    def text(self, step, end, outputs):
        return "\n".join(["format: 1", "scene:", f"  gravity: [0, 0, {-self.gravity!r}]", "  bodies:", *self.bodies,
                          "  joints:", *self.joints,
                          f"solver: {{method: trapezoidal, step: {step!r}, end: {end}}}", f"outputs: {outputs}", ""])


def numbers(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def about_y(angle):
    return f", rotation: {{axis: [0, 1, 0], angle: {float(angle)!r}}}"


def run(clack, device, study, step, end, outputs):
    with tempfile.TemporaryDirectory(prefix="clack_linkages_") as folder:
        path, output = os.path.join(folder, "study.yaml"), os.path.join(folder, "out.h5")
        with open(path, "w") as file:
            file.write(study.text(step, end, outputs))
        subprocess.run([clack, "run", path, "-q", "-d", device, "-o", output], check=True)
        with h5py.File(output) as file:
            values = {name: data[0] for name, data in file.items() if isinstance(data, h5py.Dataset) and data.shape}
            if "trajectory" in file:
                values.update({name: file["trajectory"][name][0] for name in ("position", "velocity",
                                                                              "angular_velocity")})
                values["time"] = file["trajectory/time"][()]
    return values


# --- four-bar linkages
def four_bars(n, extra, speed):
    study = Study()
    places = [*range(n + 1), *((i + 1) / (extra + 1) for i in range(extra))]
    for k, x in enumerate(places):
        study.body(f"crank_{k}", 1, (BAR, BAR, THIN), (x, 0, 0.5), (speed / 2, 0, 0), (0, speed, 0))
        study.joint("revolute", "hook", f"crank_{k}", (x, 0, 0), (0, 1, 0))
    for i in range(n):
        study.body(f"coupler_{i}", 1, (THIN, BAR, BAR), (i + 0.5, 0, 1), (speed, 0, 0), (0, 0, 0))
        for k in (i, i + 1, *range(n + 1, n + 1 + extra if i == 0 else 0)):
            study.joint("revolute", f"crank_{k}", f"coupler_{i}", (places[k], 0, 1), (0, 1, 0))
    return study


def swing_of(clack, device, n, extra, speed, step):
    """The largest that the energy is off by, over its range, and the end of the first crank, m, at all ends of steps;
    the first by the rule's own order."""
    cranks = n + 1 + extra
    inertia, weight = cranks / 3 + n, G * (cranks / 2 + n)
    k, circling, bottom = weight / inertia, (cranks / 4 + n) / inertia, 1 + 4 * weight / inertia # w^2 there
    of = run(clack, device, four_bars(n, extra, speed), step, END_S, f"{{trajectory: {{every: {step!r}}}}}")
    right = integrated(0.0, 1.0, of["time"], lambda a, w: k * math.sin(a))
    x, moving = of["position"], slice(1, None)
    energy_J = (of["velocity"][:, moving] ** 2).sum((1, 2)) / 2 + G * x[:, moving, 2].sum(1)
    energy_J += BAR / 2 * (of["angular_velocity"][:, moving, 1] ** 2).sum(1)
    off_m = numpy.hypot(2 * x[:, 1, 0] - numpy.sin(right[:, 0]), 2 * x[:, 1, 2] - numpy.cos(right[:, 0]))
    swing_J = step * step / 12 * inertia * (k + k * bottom + 1.25 * circling * (bottom * bottom - 1))
    range_J = 2 * weight # of the kinetic as of the potential energy
    return {"energy": numpy.abs(energy_J - energy_J[0]).max() / range_J, "swing": swing_J / range_J,
            "place": off_m.max(), "count": len(x)}


def row(case, quantity, expected, got, source, count=1, **tolerance):
    kind, most = next(iter(tolerance.items()))
    error = abs(got - expected) / (abs(expected) if kind == "relative" else 1)
    return {"case": case, "quantity": quantity, "expected": float(expected), "got": float(got), "error": float(error),
            "ok": bool(error <= most), "count": count, "tolerance": f"{most:g} {kind}", "source": source}


def swing_rows(clack, device, is_spoiled, n, extra=0, has_half=False):
    """Rows of a linkage. Spoiled: in steps a quarter longer, from a start 1 % faster."""
    case = f"{n} four-bar linkage{'s' if n > 1 else ''}{', a third parallel crank' if extra else ''}, 10 s"
    step, half, speed = (1.25e-3, 1.25e-3, 1.01) if is_spoiled else (1e-3, 5e-4, 1)
    whole = swing_of(clack, device, n, extra, speed, step)
    expected = whole["swing"] * (1e-3 / step) ** 2
    rows = [row(case, "energy off at 1 ms, over its range, largest of all times", expected, whole["energy"],
                "the rule's own at its order, h^2; above the bar of 1e-5", whole["count"], relative=0.03),
            row(case, "end of the first crank, m, largest of all times", 0, whole["place"], "the system of one angle",
                whole["count"], absolute=1e-3)]
    if has_half:
        fine = swing_of(clack, device, n, extra, speed, half)
        rows += [row(case, "energy off at 0.5 ms, over its range, largest of all times", 0, fine["energy"],
                     "the bar", fine["count"], absolute=1e-5),
                 row(case, "energy off at 1 ms, over that at 0.5 ms", 4, whole["energy"] / fine["energy"],
                     "second order", relative=0.02)]
    return rows


# --- loops of other kinds: a study, and how far an angle of its first joint after 2 s is from the right one
def slider_crank(spoil):
    """A crank of 0.5 m about y, a rod of 1.2 m, a slider on the x axis; angles from x towards z."""
    crank, rod, masses, q, rate = 0.5, 1.2, (1, 2, 3), 0.4, 3.0
    pin = lambda at: numpy.array([crank * math.cos(at), 0, crank * math.sin(at)])
    slider = lambda at: numpy.array([crank * math.cos(at) + math.sqrt(rod ** 2 - (crank * math.sin(at)) ** 2), 0, 0])
    middle = lambda at: (pin(at) + slider(at)) / 2
    tilt = lambda at: -math.asin(crank / rod * math.sin(at))

    def mass(at):
        along, last, turn = slope(middle, at), slope(slider, at), slope(tilt, at)
        return (masses[0] * crank ** 2 / 3 + masses[1] * (along @ along + rod ** 2 / 12 * turn ** 2) +
                masses[2] * last @ last)

    height = lambda at: G * (masses[0] * pin(at)[2] / 2 + masses[1] * middle(at)[2])
    right = integrated(q, rate, [0, 2], of_mass(mass, height), 2e-3)[-1, 0]
    study = Study(G * spoil)
    for name, m, length, at, velocity, angle, spin in (
            ("crank", masses[0], crank, pin(q) / 2, rate * slope(pin, q) / 2, q, rate),
            ("rod", masses[1], rod, middle(q), rate * slope(middle, q), tilt(q), rate * slope(tilt, q))):
        i = m * length ** 2 / 12
        study.body(name, m, (5e-5 * m, i, i), at, velocity, (0, -spin, 0), about_y(-angle))
    study.body("slider", masses[2], (0.1, 0.1, 0.1), slider(q), rate * slope(slider, q), (0, 0, 0))
    study.joint("revolute", "hook", "crank", (0, 0, 0), (0, 1, 0))
    study.joint("revolute", "crank", "rod", pin(q), (0, 1, 0))
    study.joint("revolute", "rod", "slider", slider(q), (0, 1, 0))
    study.joint("prismatic", "hook", "slider", slider(q), (1, 0, 0))
    return study, lambda angle: q - angle - right # about y: from z towards x


def universal(spoil):
    """Two shafts at 35 degrees: tan(out) = tan(in) cos(35 degrees)."""
    bend, rate = math.radians(35), 7.0
    c, s = math.cos(bend), math.sin(bend)
    mass = lambda at: 0.2 + 0.3 * (c / (math.cos(at) ** 2 + (c * math.sin(at)) ** 2)) ** 2
    right = integrated(0.0, rate, [0, 2], of_mass(mass), 2e-3)[-1, 0]
    study = Study()
    study.body("first", 1, (0.2, 0.4, 0.5), (-0.5, 0, 0), (0, 0, 0), (spoil * rate, 0, 0))
    study.body("second", 1, (0.3, 0.6, 0.7), (0.5 * c, 0, 0.5 * s), (0, 0, 0),
               (spoil * rate * c * c, 0, spoil * rate * c * s), about_y(-bend))
    study.joint("revolute", "hook", "first", (-1, 0, 0), (1, 0, 0))
    study.joint("revolute", "hook", "second", (c, 0, s), (c, 0, s))
    study.joint("universal", "first", "second", (0, 0, 0), f"[[0, 1, 0], {numbers((-s, 0, c))}]")
    return study, lambda angle: angle - right


def spatial_loop(spoil):
    """A crank about z, a rocker about x and a rod between them on spherical joints; the rod may spin about itself."""
    q, rate, first, centre, arm = 0.3, 5.0, 1.9, numpy.array([0.1, 0.9, 0.2]), 0.6
    crank = lambda at: numpy.array([0.25 * math.cos(at), 0.25 * math.sin(at), 0])
    rocker = lambda p: centre + arm * numpy.array([0, math.cos(p), math.sin(p)])
    length2 = ((rocker(first) - crank(q)) ** 2).sum()

    def angle(at): # u . e(p) = (L^2 - |d|^2 - arm^2)/2 with the rocker's e(p): the root near the first
        d = centre - crank(at)
        across = math.acos((length2 - d @ d - arm ** 2) / (2 * arm * math.hypot(d[1], d[2])))
        return math.atan2(d[2], d[1]) + across * sign

    sign = 1
    sign = 1 if abs(math.remainder(angle(q) - first, 2 * math.pi)) < 1e-9 else -1
    tip = lambda at: rocker(angle(at))

    def mass(at):
        a, t = slope(crank, at), slope(tip, at)
        middle, turn = (a + t) / 2, (t - a) / math.sqrt(length2)
        return 0.1 + 0.3 * slope(angle, at) ** 2 + 1.5 * middle @ middle + 0.2 * turn @ turn

    right = integrated(q, rate, [0, 2], of_mass(mass), 2e-3)[-1, 0]
    rate *= spoil
    a, t, va, vt = crank(q), tip(q), rate * slope(crank, q), rate * slope(tip, q)
    study = Study(0.0)
    study.body("crank", 1, (0.2, 0.2, 0.1), (0, 0, 0), (0, 0, 0), (0, 0, rate))
    study.body("rod", 1.5, (0.2, 0.2, 0.2), (a + t) / 2, (va + vt) / 2, numpy.cross(t - a, vt - va) / length2)
    study.body("rocker", 1, (0.3, 0.5, 0.5), centre, (0, 0, 0), (rate * slope(angle, q), 0, 0))
    study.joint("revolute", "hook", "crank", (0, 0, 0), (0, 0, 1))
    study.joint("spherical", "crank", "rod", a)
    study.joint("spherical", "rod", "rocker", t)
    study.joint("revolute", "hook", "rocker", centre, (1, 0, 0))
    return study, lambda angle: q + angle - right


def loop_rows(clack, device, is_spoiled):
    rows, spoil = [], 1.001 if is_spoiled else 1
    for case, of, most in (("slider-crank, 2 s", slider_crank, 1e-4), ("universal joint, 2 s", universal, 2e-4),
                           ("spatial loop, 2 s", spatial_loop, 1e-4)):
        study, off = of(spoil)
        coarse, fine = (off(run(clack, device, study, step, 2, "{quantities: {a: {value: j0.angle, at: 2}}}")["a"])
                        for step in (2e-3, 1e-3))
        rows += [row(case, "angle off at 1 ms", 0, fine, "reduced to one angle", absolute=most),
                 row(case, "angle off at 2 ms, over that", 4, coarse / fine, "second order", absolute=0.5)]
    return rows


def page_rows(clack, device, is_spoiled):
    return [*swing_rows(clack, device, is_spoiled, 1, has_half=True), *swing_rows(clack, device, is_spoiled, 2),
            *swing_rows(clack, device, is_spoiled, 1, extra=1), *loop_rows(clack, device, is_spoiled)]

"""What quasi_rigid.py says of a run: distances of its states from closed forms. Units are in the names of columns."""
import math

import numpy
import quasi_scenes as scenes

SMALL = 1e-3  # m/s: what slides or spins has stopped below that; exact times are those at which this is passed
DECELERATION = scenes.FRICTION * scenes.G


def overlaps(given, states):
    """How far the lowest point is below the plane, at the end of each step."""
    z, (w, x, y, q) = states[:, 2] + given["above"], states[:, 3:7].T
    up = numpy.stack([2 * (x * q - w * y), 2 * (y * q + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    if given["shape"] == "sphere":
        return given["size"] - z
    if given["shape"] == "box":
        return numpy.abs(up) @ numpy.array(given["size"]) / 2 - z
    return numpy.sqrt((up**2) @ numpy.array(given["size"])**2) - z


def first_s(is_small, h):
    found = numpy.flatnonzero(is_small)
    return (found[0] + 1) * h if len(found) else math.inf


class Measures:
    """Of one run. Columns of each scene: what is compared, and the form of its number."""

    COLUMNS = {
        "slide": [("speed - 5/7, m/s", "%.1e"), ("rolls later by, ms", "%.1f"),
                  ("height off by, mm: most, at last", "%s")],
        "rock": [("overlap, mm", "%.1e"), ("energy kept", "%.3f"), ("most of it", "%.3f")],
        "spin": [("spin - 0.5095 at 1 s, rad/s", "%.1e"), ("stops later by, ms", "%.1f")],
        "puck": [("speed off at 0.5 s, m/s", "%.1e"), ("spin/speed - 5, 1/m", "%.1e"),
                 ("stops sliding, spinning later by, ms", "%s")],
        "held": [("point off by, mm: mean, most; free", "%s"), ("creep, m/s", "%.1e"), ("overlap, mm", "%.1e")],
        "pushed": [("point off by, mm: mean, most; free", "%s"), ("acceleration - 0.981, m/s²", "%.1e"),
                   ("overlap, mm", "%.1e")],
        "core": [("depth, mm", "%.3f"), ("core carries, N", "%s")],
    }

    def __init__(self, name, h, rows, core_of=None):
        """core_of: from depth and contacts to what the core carries."""
        self.given, self.h, self.core_of = scenes.SCENES[name], h, core_of
        self.states = numpy.array([state for state, _ in rows])
        self.contacts = [contacts for _, contacts in rows]
        self.find = getattr(self, name)

    def at(self, time_s):
        return self.states[round(time_s / self.h) - 1]

    def later_ms(self, exact_s, is_small):
        return 1e3 * (first_s(is_small, self.h) - exact_s)

    def overlap_mm(self):
        """The largest after a second, when what fell at the start has come to rest."""
        return 1e3 * overlaps(self.given, self.states)[round(1 / self.h):].max()

    def slide(self):
        speed, spin, z = self.states[:, 7], self.states[:, 11], self.states[:, 2]
        exact = (1 - SMALL) * 2 / (7 * DECELERATION)
        return [speed[-1] - 5 / 7, self.later_ms(exact, numpy.abs(speed - spin * z) < SMALL),
                "%.1e, %.1e" % (1e3 * numpy.abs(z - 1).max(), 1e3 * abs(z[-1] - 1))]

    def rock(self):
        velocity, spin, turn = self.states[:, 7:10], self.states[:, 10:13], self.states[:, 3:7]
        w, axis = turn[:, :1], -turn[:, 1:]  # the world's spin, in the body's axes
        twice = 2 * numpy.cross(axis, spin)
        own = spin + w * twice + numpy.cross(axis, twice)
        motion = 0.5 * (velocity**2).sum(axis=1) + 0.5 * (own**2) @ numpy.array(self.given["inertia"])
        energy = (motion + scenes.G * (self.states[:, 2] - scenes.FLAT)) / (
            scenes.G * (self.given["z"] - scenes.FLAT))
        return [self.overlap_mm(), energy[-1], energy.max()]

    def spin(self):
        rate = DECELERATION * scenes.TORSION / self.given["inertia"][2]
        speed = self.states[:, 12]
        # The rim of the ellipsoid of friction: e_r times the spin.
        return [self.at(1.0)[12] - (1 - rate), self.later_ms((1 - SMALL / scenes.TORSION) / rate,
                                                             numpy.abs(speed) * scenes.TORSION < SMALL)]

    def puck(self):
        rate, start = DECELERATION / math.sqrt(1.25), self.given["velocity"][0]
        middle, exact = self.at(0.5), (start - SMALL) / rate
        times = [self.later_ms(exact, numpy.abs(part) < SMALL) for part in (self.states[:, 7],
                                                                           self.states[:, 12] / 5)]
        return [middle[7] - (start - 0.5 * rate), middle[12] / middle[7] - 5, "%.1f, %.1f" % tuple(times)]

    def points_off(self):
        """Over the last second: distance of where the impulses' resultant acts, and largest of a step's; free steps."""
        exact = min(self.given["push"], DECELERATION) * self.given["size"][2] / 2 / scenes.G
        steps = self.contacts[-round(1 / self.h):]
        forces = numpy.array([sum(one[0] for one in contacts) for contacts in steps])
        moments = numpy.array([sum(one[0] * one[1] for one in contacts) for contacts in steps])
        is_held = forces > 1e-9
        most = numpy.abs(moments[is_held] / forces[is_held] - exact).max()
        return "%.1e, %.1e, %.0f %%" % (1e3 * abs(moments.sum() / forces.sum() - exact), 1e3 * most,
                                        100 * (1 - is_held.mean()))

    def held(self):
        return [self.points_off(), abs(self.at(2.0)[0] - self.at(1.0)[0]),
                self.overlap_mm()]

    def pushed(self):
        return [self.points_off(), self.at(2.0)[7] - self.at(1.0)[7] - (self.given["push"] - DECELERATION),
                self.overlap_mm()]

    def core(self):
        depth = overlaps(self.given, self.states)[-1]
        return [1e3 * depth, self.core_of(depth, self.contacts[-1])]

    def cells(self, name):
        return [(form % value).replace("0.0e+00", "0") for (_, form), value in zip(self.COLUMNS[name], self.find())]

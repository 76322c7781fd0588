"""Scenes of quasi_rigid.py, and how a program that is called from Python is stepped through them.

One body on the plane z = 0, SI units. What pushes a box along is a share of gravity along x, which acts at the centre
of mass as a horizontal force does, and which every program has.
"""
import json
import math
import sys
import time

G, FRICTION, TORSION = 9.81, 0.2, 0.1  # m/s^2, -, e_r in m
TILT, FLAT = 0.3, 0.7  # of the spheroid: rad, half of its height
STIFFNESS, DAMPING, THICKNESS = 100.0, 20.0, 0.05  # of the layer over the core: N/m, N s/m, m
TIMED_S = 0.2  # processor time that a measured time is taken of, at least


def spheroid_height(tilt):
    """Of the centre over a plane that it touches."""
    return math.hypot(math.sin(tilt), FLAT * math.cos(tilt))


def scene(shape, size, inertia, z, end, **more):
    """size: radius; half axes; lengths. z, above: height of the centre of mass, and of the shape's centre over it.

    velocity, spin: at the start; push: along x, N; torsion: e_r.
    """
    made = {"shape": shape, "size": size, "inertia": inertia, "z": z, "above": 0.0, "end": end, "velocity": [0, 0, 0],
            "spin": [0, 0, 0], "tilt": 0.0, "push": 0.0, "torsion": 0.0, "layer": False}
    made.update(more)
    return made


BALL, PLATE = (0.4, 0.4, 0.4), (1.04 / 12, 1.04 / 12, 2 / 12)
SCENES = {
    "slide": scene("sphere", 1.0, BALL, 1.0, 1.0, velocity=[1, 0, 0]),
    "rock": scene("ellipsoid", (1.0, 1.0, FLAT), (0.298, 0.298, 0.4), spheroid_height(TILT), 5.0, tilt=TILT),
    "spin": scene("sphere", 1.0, BALL, 1.0, 2.2, spin=[0, 0, 1], torsion=TORSION),
    # The puck touches the plane in its centre of mass, so that friction does not tilt it. I = e_r^2 m about the normal.
    "puck": scene("sphere", 1.0, (1.0, 1.0, 0.01), 0.0, 0.7, above=1.0, velocity=[1, 0, 0], spin=[0, 0, 5],
                  torsion=TORSION),
    "held": scene("box", (1.0, 1.0, 0.2), PLATE, 0.1, 2.0, push=0.99 * FRICTION * G),
    "pushed": scene("box", (1.0, 1.0, 0.2), PLATE, 0.1, 2.0, push=1.5 * FRICTION * G),
    "core": scene("sphere", 1.0, BALL, 1.0, 4.0, layer=True),
}


def turned(quaternion, vector):
    """From the body's axes into the world's."""
    w, x, y, z = quaternion
    t = [2 * (y * vector[2] - z * vector[1]), 2 * (z * vector[0] - x * vector[2]), 2 * (x * vector[1] - y * vector[0])]
    return [vector[0] + w * t[0] + y * t[2] - z * t[1], vector[1] + w * t[1] + z * t[0] - x * t[2],
            vector[2] + w * t[2] + x * t[1] - y * t[0]]


def start_quaternion(given):
    return [math.cos(given["tilt"] / 2), 0.0, math.sin(given["tilt"] / 2), 0.0]


def outline(count):
    """Corners of an elliptic cylinder as wide as 0.2 m, for programs without ellipsoids: it rocks as the spheroid."""
    return [[math.cos(a), y, FLAT * math.sin(a)] for k in range(count) for a in [2 * math.pi * (k + 0.5) / count]
            for y in (-0.1, 0.1)]


class Run:
    """A job's states and contacts, a row for each step; or the time of a step."""

    def __init__(self, world_of, job):
        given = SCENES[job["scene"]]
        self.world = world_of(given, job["h"], job["setting"])
        self.steps = round(given["end"] / job["h"])

    def rows(self):
        """13 numbers of a state (place, quaternion, velocity, spin in the world's axes), normal forces and their x."""
        found = []
        for _ in range(self.steps):
            self.world.advance(1)
            found.append([list(map(float, self.world.state())),
                          [list(map(float, one)) for one in self.world.contacts()]])
        return {"rows": found}

    def step_us(self):
        spent, steps = 0.0, 0
        self.world.reset()
        self.world.advance(self.steps)  # what is only done once is not counted
        while spent < TIMED_S:
            self.world.reset()
            start = time.process_time()
            self.world.advance(self.steps)
            spent += time.process_time() - start
            steps += self.steps
        return {"us": 1e6 * spent / steps}


def serve(world_of, version):
    """The jobs of the command line, a line of JSON for each."""
    print(json.dumps({"version": version}))
    for text in sys.argv[2:]:
        job = json.loads(text)
        try:
            run = Run(world_of, job)
            answer = run.step_us() if job.get("timed") else run.rows()
        except NotImplementedError as why:
            answer = {"absent": str(why)}
        print(json.dumps(answer), flush=True)

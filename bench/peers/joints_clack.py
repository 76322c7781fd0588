"""clack for joints.py: writes the study of a scene, runs it, and reads the states of each step.

Settings: `trapezoidal`, `quasi_rigid` (theta 0.5, its steps of second order).
"""
import json
import math
import os
import resource
import subprocess
import sys

import h5py
import joints_scenes as scenes
import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STUDY = """format: 1
scene:
  gravity: [0, 0, {fall}]
  bodies:
    ground: {{fixed: true}}
{bodies}
  joints:
{joints}
design: {{monte_carlo: {{samples: {copies}}}}}
solver: {{method: {method}, step: {h!r}, end: {end!r}}}
outputs: {{{outputs}}}
"""
BODY = """    b{k}: {{mass: {{mass: {mass!r}, inertia: {inertia}}}, position: {position},
      rotation: {{quaternion: {quaternion}}}, velocity: {velocity}, angular_velocity: {spin}}}"""
METHODS = {"trapezoidal": "trapezoidal", "quasi_rigid": "quasi_rigid, theta: 0.5"}
TIMED = "events: false, statistics: false, quantities: {last: {final: b0.position.x}}"
EXPECTED = {"reactions_not_unique"}  # planar loops in space: forces across the plane are shared arbitrarily


def name_of(body):
    return "ground" if body < 0 else f"b{body}"


def joint_line(k, joint):
    axis = "" if joint["kind"] == "spherical" else f', axis: {joint["axis"]}'
    return (f'    j{k}: {{kind: {joint["kind"]}, between: [{name_of(joint["one"])}, {name_of(joint["other"])}], '
            f'at: {joint["at"]}{axis}}}')


class Clack:
    def __init__(self, program, work):
        self.program, self.path = program, os.path.join(work, "joints")

    def told_of(self, name, h, setting, end, copies, outputs):
        """What the program tells of a run, and its processor time."""
        scene = scenes.SCENES[name]
        text = STUDY.format(fall=-scenes.G, copies=copies, method=METHODS[setting], h=h, end=end, outputs=outputs,
                            bodies="\n".join(BODY.format(k=k, **one) for k, one in enumerate(scene.bodies)),
                            joints="\n".join(joint_line(k, one) for k, one in enumerate(scene.joints)))
        with open(self.path + ".yaml", "w", encoding="utf-8") as file:
            file.write(text)
        words = ["run", self.path + ".yaml", "-d", "native", "--threads", "1", "-q", "--json", "--overwrite", "-o"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, *words, self.path + ".h5"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = json.loads(done.stdout)
        if told["exit_code"] != 0 and list(told.get("statuses", ())) != ["not_solved"]:
            sys.exit(f"clack, {name}: {told}")
        return told, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def states(self, name, h, setting):
        """As Scene.start, a row for each step up to where it stops, and flags that were not expected."""
        end = scenes.SCENES[name].end
        told, _ = self.told_of(name, h, setting, end, 1, f"trajectory: {{every: {h!r}}}")
        with h5py.File(self.path + ".h5") as file:
            found = numpy.concatenate([file["trajectory/" + key][0] for key in (
                "position", "orientation", "velocity", "angular_velocity")], axis=2)
        found = found[numpy.isfinite(found).all(axis=(1, 2)), 1:]  # the ground is the first
        return found, sorted(set(told["flags"]) - EXPECTED)

    def step_us(self, name, h, setting, copies):
        """Processor time of steps of that many scenes at once: of a whole run, less that of a run of one step."""
        steps = round(scenes.SCENES[name].end / h)
        whole, first = (self.told_of(name, h, setting, count * h, copies, TIMED)[1] for count in (steps, 1))
        return 1e6 * (whole - first) / ((steps - 1) * copies)

    def copies(self, name, h, setting):
        """So many that a run takes TIMED_S; of one scene the time is not good for more than that."""
        steps = round(scenes.SCENES[name].end / h)
        return math.ceil(scenes.TIMED_S / (1e-6 * steps * max(1.0, self.step_us(name, h, setting, 1))))

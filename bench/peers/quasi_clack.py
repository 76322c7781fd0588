"""clack for quasi_rigid.py: writes the study of a scene, runs it, and reads states and contacts of each step."""
import json
import os
import resource
import subprocess
import sys

import h5py
import numpy
import quasi_scenes as scenes

STUDY = """format: 1
variables: {{push: {push}}}
scene:
  gravity: [$push, 0, {fall}]
  materials:
    body: {{young: 1.0e+7, poisson: 0.3, density: 1000}}
    floor: {{young: 1.0e+7, poisson: 0.3, density: 1000}}
  pairs:
    - {{between: [body, floor], friction: {friction}, friction_ellipsoid: [1, 1, {torsion}]{layer}}}
  bodies:
    ground: {{fixed: true, material: floor, shapes: [{{half_space: {{}}}}]}}
    body:
      material: body
      mass: {{mass: 1, inertia: {inertia}}}
      shapes: [{{{shape}, position: [0, 0, {above}]}}]
      position: [0, 0, {z!r}]
      rotation: {{axis: [0, 1, 0], angle: {tilt}}}
      velocity: {velocity}
      angular_velocity: {spin}
design: {{monte_carlo: {{samples: {copies}}}}}
solver: {{method: quasi_rigid, step: {h}, end: {end}, theta: {theta}}}
outputs: {{{outputs}}}
"""
STATES = "trajectory: {{every: {h}}}, contacts: {{every: {h}}}"
TIMED = "events: false, statistics: false, quantities: {final: {final: body.position.x}}"


def shape_of(given):
    size, kind = given["size"], given["shape"]
    if kind == "sphere":
        return f"sphere: {{diameter: {2 * size}}}"
    if kind == "box":
        return f"box: {{lengths: {list(size)}}}"
    return f"ellipsoid: {{lengths: {[2 * axis for axis in size]}}}"


class Clack:
    """theta: of its steps, 1 (first order) or 0.5 (second)."""

    def __init__(self, program, work, theta):
        self.program, self.path, self.theta = program, os.path.join(work, "quasi"), theta

    def told_of(self, name, h, copies, outputs):
        """What the program tells of a run."""
        given = scenes.SCENES[name]
        layer = (f", layer: {{stiffness: {scenes.STIFFNESS}, damping: {scenes.DAMPING}, thickness: {scenes.THICKNESS}}}"
                 if given["layer"] else "")
        text = STUDY.format(**{**given, "shape": shape_of(given), "inertia": list(given["inertia"]), "layer": layer},
                            fall=-scenes.G, friction=scenes.FRICTION, copies=copies, h=h, outputs=outputs,
                            theta=self.theta)
        with open(self.path + ".yaml", "w", encoding="utf-8") as file:
            file.write(text)
        words = ["run", self.path + ".yaml", "-d", "native", "--threads", "1", "-q", "--json", "--overwrite", "-o"]
        done = subprocess.run([self.program, *words, self.path + ".h5"], capture_output=True, text=True, check=False)
        told = json.loads(done.stdout)
        if told["exit_code"] != 0 or told["flags"]:
            sys.exit(f"clack, {name}: {told}")
        return told

    def rows(self, name, h):
        """As Run.rows of quasi_scenes.py."""
        self.told_of(name, h, 1, STATES.format(h=h))
        with h5py.File(self.path + ".h5") as file:
            states = numpy.concatenate([file["trajectory/" + key][0][:, 1] for key in (
                "position", "orientation", "velocity", "angular_velocity")], axis=1)
            steps = numpy.rint(file["contacts/time"][:] / h).astype(int)
            forces = numpy.column_stack([file["contacts/normal_force"][:], file["contacts/point"][:, 0]])
        found = []
        for k in range(1, len(states)):
            mine = forces[steps == k]
            found.append([states[k].tolist(), [[force, x - states[k][0], 0] for force, x in mine.tolist()]])
        return {"rows": found}

    def step_us(self, name, h):
        """Processor time of a run of many scenes, less that of a run of one."""
        steps, taken = round(scenes.SCENES[name]["end"] / h), []
        copies = 1 + max(1, round(2 * scenes.TIMED_S / (steps * 10e-6)))
        for count in (1, copies):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.told_of(name, h, count, TIMED)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return {"us": 1e6 * (taken[1] - taken[0]) / (steps * (copies - 1))}

"""clack, Drake and Simbody for patches.py: what each of them is given, and what it answers."""
import json
import os
import resource
import subprocess
import sys

import h5py
import numpy
import patch_models as models

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAIR = ("{{between: [steel, steel], restitution: {restitution}, damping: exact, friction: {friction}, {more}"
        "region: {{law: {law}}}}}")
STUDY = """format: 1
variables: {{z: {{column: z}}, w: {{column: w}}, a: {{column: a}}, b: {{column: b}}, c: {{column: c}}}}
scene:
  gravity: {gravity}
  pairs: [{pair}]
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{other}], position: [0, 0, {low}]}}
    body:
      material: steel
      shapes: [{shape}]
      mass: {{mass: {mass}, inertia: [{inertia}, {inertia}, {inertia}]}}
      position: [0, 0, $z]
      rotation: {{quaternion: [$w, $a, $b, $c]}}
      velocity: [0, 0, {speed}]
      angular_velocity: [0, 0, {spin}]
design: {{table: poses.csv}}
solver: {{method: trapezoidal, step: {step}, end: {end}, accuracy: {accuracy}}}
outputs: {outputs}
"""
VOLUME = f"volume, modulus: {models.MODULUS}, depth: {models.DEPTH}"
HALF_SPACE = "{half_space: {}}"
HELD = "{contacts: {every: 1.0e-6}}"
HIT = "{quantities: {v: {final: body.velocity.z}}}"


class Clack:
    def __init__(self, program, work):
        self.program, self.work = program, work

    def run(self, words):
        """Processor seconds of a process."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, *words, "-d", "native", "--threads", "1", "-q"], capture_output=True,
                              text=True, env=dict(os.environ, CLACK_DATA_DIR=ROOT + "/data"), cwd=self.work)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def write(self, shape, poses, law=VOLUME, restitution=1.0, friction=0.0, more="", mass=1e12, inertia=1e12,
              speed=0.0, step=1e-6, end=1e-6, accuracy="default", outputs=HELD, gravity="[0, 0, 0]", other=HALF_SPACE,
              spin=0.0):
        pair = PAIR.format(restitution=restitution, friction=friction, more=more, law=law)
        with open(os.path.join(self.work, "patch.yaml"), "w") as file:
            file.write(STUDY.format(pair=pair, shape=shape, mass=mass, inertia=inertia, speed=-speed, step=step,
                                    end=end, accuracy=accuracy, outputs=outputs, gravity=gravity, other=other,
                                    spin=spin, low=0 if other == HALF_SPACE else -models.RADIUS))
        with open(os.path.join(self.work, "poses.csv"), "w") as file:
            file.write("z,w,a,b,c\n")
            file.writelines("%.17g,%.17g,%.17g,%.17g,%.17g\n" % tuple(pose[2:]) for pose in poses)

    def simulate(self, shape, poses, **more):
        self.write(shape, poses, **more)
        taken = self.run(["run", "patch.yaml", "-o", "patch.h5", "--overwrite"])
        return taken, h5py.File(os.path.join(self.work, "patch.h5"))

    def forces(self, shape, poses, law=VOLUME, other=HALF_SPACE):
        """Force and moment about the body's origin in each pose, of the first record of a body too heavy to move."""
        _, file = self.simulate(shape, poses, law=law, other=other)
        wrenches = numpy.zeros((len(poses), 6))
        rows = file["contacts"]
        for k in numpy.flatnonzero(rows["time"][:] == 0):
            scene = rows["scene_number"][k]
            sign = 1 if rows["body_b"][k] == 1 else -1
            force = sign * rows["normal_force"][k] * rows["normal"][k]
            wrenches[scene, :3] += force
            wrenches[scene, 3:] += numpy.cross(rows["point"][k] - poses[scene][:3], force)
        file.close()
        return wrenches

    def evaluate_s(self, shape, poses, count, other=HALF_SPACE):
        """Of one pose through `clack evaluate`, in which surfaces are read once."""
        self.write(shape, poses[:1], other=other)
        taken = []
        for repeats in (1, count):
            with h5py.File(os.path.join(self.work, "many.h5"), "w") as file:
                many = numpy.array(poses * repeats)
                zero = numpy.zeros((len(many), 3))
                low = zero if other == HALF_SPACE else zero - [0, 0, models.RADIUS]
                file["position"] = numpy.stack([low, many[:, :3]], axis=1)
                file["orientation"] = numpy.stack([zero[:, :1] * [1, 0, 0, 0] + [1, 0, 0, 0], many[:, 3:]], axis=1)
            taken.append(self.run(["evaluate", "patch.yaml", "many.h5", "-o", "found.h5", "--overwrite"]))
        return (taken[1] - taken[0]) / (len(poses) * (count - 1))

    def impacts(self, shape, poses, copies, **more):
        """Copies: how often all poses are run, so that starting and reading are little of the time."""
        more.update(mass=models.MASS, inertia=models.INERTIA, speed=models.SPEED, step=1e-3, end=models.IMPACT_END,
                    outputs=HIT)
        once, file = self.simulate(shape, poses, **more)
        found = {"impacts": file["v"][:].tolist(),
                 "steps": float(file["substeps"][:].mean()), "evaluations": float(file["evaluations"][:].mean())}
        file.close()
        all_of_it, file = self.simulate(shape, poses * (copies + 1), **more)
        file.close()
        found["cpu_s"] = (all_of_it - once) / (copies * len(poses))
        return found


class Peers:
    """Drake and Simbody; `absent` names those that are not there."""

    def __init__(self, work, drake):
        self.work, self.drake, self.absent = work, drake, []
        self.simbody = os.path.join(work, "patch_simbody")
        if not os.path.exists(self.simbody):
            self.absent.append("Simbody")
        if self.ask_drake([]) is None:
            self.absent.append("Drake")

    def ask_drake(self, jobs):
        if "Drake" in self.absent:
            return [None] * len(jobs)
        program = [sys.executable, os.path.join(HERE, "patch_drake.py"), self.drake]
        done = subprocess.run(program + list(map(json.dumps, jobs)), capture_output=True, text=True)
        if done.returncode == 77:
            return None
        if done.returncode != 0:
            sys.exit(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def ask_simbody(self, kind, mesh, poses, *numbers):
        if "Simbody" in self.absent:
            return None
        path = os.path.join(self.work, "poses.txt")
        with open(path, "w") as file:
            file.writelines(" ".join("%.17g" % x for x in pose) + "\n" for pose in poses)
        done = subprocess.run([self.simbody, kind, mesh, path, *map(str, numbers)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"patch_simbody: {done.stderr}")
        return json.loads(done.stdout)

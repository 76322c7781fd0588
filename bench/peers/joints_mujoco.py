"""MuJoCo for joints.py: python3 joints_mujoco.py FOLDER JOB... (FOLDER: where pip put it). Status 77: not there.

Trees have joint coordinates (hinge, ball, slide) and nothing to violate. A joint that closes a loop is an
`equality/connect`, a soft constraint: `hard` has a time constant of twice the step, the least that it allows, and an
impedance of 0.9999, the most; `soft` what comes by default (0.02 s, 0.9 to 0.95). Settings begin with the integrator.
"""
import sys
import time

sys.path += sys.argv[1:2]
try:
    import mujoco
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)
import joints_scenes as scenes

MODEL = """<mujoco>
<option timestep="{h!r}" gravity="0 0 -{g}" integrator="{integrator}" {solver}><flag contact="disable"/></option>
<worldbody>{bodies}</worldbody>
<equality>{loops}</equality>
</mujoco>"""
BODY = """<body name="b{k}" pos="{place}" quat="{turn}"><inertial pos="0 0 0" mass="{mass!r}" diaginertia="{inertia}"/>
<joint name="j{k}" type="{kind}" pos="{at}" axis="{axis}"/>{children}</body>"""
KINDS = {"revolute": "hinge", "spherical": "ball", "prismatic": "slide"}
HARD = 'solref="{time!r} 1" solimp="0.9999 0.9999 0.001"'
EXACT = 'solver="Newton" tolerance="1e-14" iterations="100"'


def words(values):
    return " ".join(repr(float(value)) for value in values)


def seen_from(one, other):
    """Turn of `other` in the axes of `one`."""
    inverse = numpy.array(one["quaternion"]) * [1, -1, -1, -1]
    found = numpy.zeros(4)
    mujoco.mju_mulQuat(found, inverse, numpy.array(other["quaternion"]))
    return found


class World:
    def __init__(self, name, h, setting):
        self.scene = scenes.SCENES[name]
        self.joints = {joint["other"]: joint for joint in self.scene.joints if not joint["closes"]}
        integrator, *how = setting.split()
        contact = HARD.format(time=2 * h) if how == ["hard"] else ""
        loops = "".join(
            f'<connect body1="b{joint["one"]}" body2="b{joint["other"]}" '
            f'anchor="{words(self.inside(joint["one"], joint))}" '
            f'{contact}/>' for joint in self.scene.joints if joint["closes"])
        self.model = mujoco.MjModel.from_xml_string(MODEL.format(
            h=h, g=scenes.G, integrator=integrator, loops=loops, bodies=self.branch(-1),
            solver=EXACT if how == ["hard"] else ""))
        self.data = mujoco.MjData(self.model)

    def inside(self, k, joint):
        """A joint's place in the axes of a body."""
        body = self.scene.bodies[k]
        return scenes.matrix(body["quaternion"]).T @ numpy.subtract(joint["at"], body["position"])

    def branch(self, parent):
        """The bodies whose joints lead to that one, with all that hangs on them."""
        found = []
        frame = {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]} if parent < 0 else self.scene.bodies[parent]
        for k, joint in self.joints.items():
            if joint["one"] != parent:
                continue
            body = self.scene.bodies[k]
            place = scenes.matrix(frame["quaternion"]).T @ numpy.subtract(body["position"], frame["position"])
            found.append(BODY.format(
                k=k, place=words(place), turn=words(seen_from(frame, body)), mass=body["mass"],
                inertia=words(body["inertia"]), kind=KINDS[joint["kind"]], at=words(self.inside(k, joint)),
                axis=words(scenes.matrix(body["quaternion"]).T @ joint["axis"]), children=self.branch(k)))
        return "".join(found)

    def reset(self):
        mujoco.mj_resetData(self.model, self.data)
        still = {"spin": [0, 0, 0], "velocity": [0, 0, 0]}
        for k, joint in self.joints.items():
            body = self.scene.bodies[k]
            parent = still if joint["one"] < 0 else self.scene.bodies[joint["one"]]
            spin = numpy.subtract(body["spin"], parent["spin"])
            if joint["kind"] == "spherical":
                rate = scenes.matrix(body["quaternion"]).T @ spin
            elif joint["kind"] == "revolute":
                rate = numpy.dot(joint["axis"], spin)
            else:
                rate = numpy.dot(joint["axis"], numpy.subtract(body["velocity"], parent["velocity"]))
            self.data.joint(f"j{k}").qvel[:] = rate

    def row(self):
        """What a step leaves behind is of its start, so kinematics come first."""
        for update in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
            update(self.model, self.data)
        rates, found = numpy.zeros(6), []
        for k in range(len(self.scene.bodies)):
            at = self.data.body(f"b{k}").id
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, at, rates, 0)
            found.append(numpy.concatenate([self.data.xipos[at], self.data.xquat[at], rates[3:], rates[:3]]))
        return found

    def states(self, steps):
        self.reset()
        found = [self.row()]
        for _ in range(steps):
            mujoco.mj_step(self.model, self.data)
            found.append(self.row())
        return numpy.array(found)

    def spent_s(self, steps):
        self.reset()
        start = time.process_time()
        mujoco.mj_step(self.model, self.data, steps)
        return time.process_time() - start


scenes.serve(World, f"MuJoCo {mujoco.__version__}")

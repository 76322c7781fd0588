"""MuJoCo for quasi_rigid.py: python3 quasi_mujoco.py FOLDER JOB... (FOLDER: where pip put it). Status 77: not there.

Settings: `default` (elliptic cones, all else as it comes), `hard` (time constant of contacts twice the step, the least
that it advises; impedance 0.99 to 0.999; friction 100 times as stiff as the normal force; solved to 1e-12).
"""
import sys

sys.path += sys.argv[1:2]
try:
    import mujoco
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)
import quasi_scenes as scenes

MODEL = """<mujoco>
<option timestep="{h}" cone="elliptic" gravity="{push} 0 -{g}" {options}/>
<worldbody>
  <geom name="ground" type="plane" size="100 100 1" {contact}/>
  <body pos="0 0 {z}" quat="{quaternion}">
    <freejoint/>
    <inertial pos="0 0 0" mass="1" diaginertia="{inertia}"/>
    <geom type="{shape}" size="{size}" pos="0 0 {above}" {shape_contact} {layer}/>
    {core}
  </body>
</worldbody>
</mujoco>"""
HARD = 'solref="{time} 1" solimp="0.99 0.999 0.001" '
# Constant impedance 1/2, by which MuJoCo divides: at rest a spring of the layer's stiffness under a mass of 1 kg.
LAYER = f'solref="-{scenes.STIFFNESS / 2} -{scenes.DAMPING / 2}" solimp="0.5 0.5 0.001" priority="1"'


def words(values):
    return " ".join(map(repr, values))


class World:
    def __init__(self, given, h, setting):
        is_hard = setting == "hard"
        friction = f'friction="{scenes.FRICTION} {scenes.FRICTION * given["torsion"]} 0" '
        friction += f'condim="{4 if given["torsion"] else 3}" '
        contact = friction + (HARD.format(time=2 * h) if is_hard else "")
        size = given["size"] if given["shape"] != "box" else [length / 2 for length in given["size"]]
        core = ""
        if setting == "core":  # a second ball within the first
            core = f'<geom type="sphere" size="{1 - scenes.THICKNESS}" {contact}/>'
        text = MODEL.format(
            shape_contact=friction if given["layer"] else contact, above=given["above"],
            h=h, g=scenes.G, push=given["push"], contact=contact, z=given["z"], core=core,
            options='impratio="100" tolerance="1e-12" iterations="200"' if is_hard else "",
            quaternion=words(scenes.start_quaternion(given)), inertia=words(given["inertia"]), shape=given["shape"],
            size=words(size) if given["shape"] != "sphere" else size, layer=LAYER if given["layer"] else "")
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data, self.given = mujoco.MjData(self.model), given
        self.reset()

    def reset(self):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:3], self.data.qvel[3:] = self.given["velocity"], self.given["spin"]

    def advance(self, count):
        mujoco.mj_step(self.model, self.data, count)

    def state(self):
        place = self.data.qpos
        return [*place, *self.data.qvel[:3], *scenes.turned(place[3:], self.data.qvel[3:])]

    def contacts(self):
        """Of the step that was taken: x is that of its start."""
        found, wrench = [], numpy.zeros(6)
        for k in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, k, wrench)
            found.append([wrench[0], self.data.contact[k].pos[0] - self.before(), self.data.contact[k].geom[1]])
        return found

    def before(self):
        """Place of the centre at the start of the step, where its contacts are."""
        return self.data.xpos[1][0]


scenes.serve(World, f"MuJoCo {mujoco.__version__}")

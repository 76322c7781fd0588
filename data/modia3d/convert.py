"""Scenes of Modia3D.jl, written down as JSON, into studies of clack:
python3 convert.py SCENES.json [-o FOLDER] [--scene NAME]...

The file is {"tests": [scene, ...]}, a list of scenes or one scene (tests/golden/scenes.json is an example): bodies with
pose and velocity in the frame of their parent, gravity, options of the scene and of the solver. What moves in clack
are free bodies in the world: frames of parents are taken out, bodies fixed to a free one become its shapes. What has
no counterpart is refused by its name, joints above all; what tells of the reference's own run alone stands in the
first lines of the study. Nothing is dropped silently. Exit code 3: a scene was refused; the others are written.
"""
import argparse
import json
import math
import os
import re
import sys

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MATERIALS = {"Steel": "steel", "Aluminium": "aluminium", "DryWood": "dry_wood", "Observer": "observer",
             "BilliardCushion": "billiard_cushion", "BilliardTable": "billiard_table",
             "BilliardBall": "billiard_ball", "BilliardCue": "billiard_cue"}
# Of the reference's run and its records, not of the scene: told in the first lines of the study.
TOLD = ("path", "kind", "kind_class", "suite_level", "notes", "independent_check", "expected", "expected_error",
        "second_run")
TOLD_SOLVER = ("algorithm", "abs_tolerance", "interval_explicit", "dtmax", "dtmax_explicit")
FINEST_TOLERANCE = 1e-13  # of portals in doubles; the reference has 106 bits
REFERENCE_DAMPING = 2000  # s/m, d_max of both palettes
AXES = {1: "x", 2: "y", 3: "z"}
FROM_DENSITY = "shape+solidMaterial density"
FROM_SHAPE = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?) kg, inertia from shape\b")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}") # a name in a study
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


# --- turns and frames: a pose is (position, body-to-world matrix)
def times(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def turned(matrix, vector):
    return [sum(matrix[i][k] * vector[k] for k in range(3)) for i in range(3)]


def matrix_of(angles):
    """Body to parent: the reference's R3(z) R2(y) R1(x), which takes vectors from parent to body, transposed."""
    matrix = IDENTITY
    for axis, angle in enumerate(angles):
        c, s = math.cos(angle), math.sin(angle)
        # Quarter turns are written as decimals: their dust would put rounding into every number of the study.
        c, s = (round(v) if abs(v - round(v)) < 4e-16 else v for v in (c, s))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        step = [list(row) for row in IDENTITY]
        step[i][i] = step[j][j] = c
        step[i][j], step[j][i] = -s, s
        matrix = times(matrix, step)
    return matrix


def quaternion_of(m):
    """(w, x, y, z) of a rotation matrix, from its largest element."""
    squares = [1 + m[0][0] + m[1][1] + m[2][2]] + [1 + 2 * m[i][i] - m[0][0] - m[1][1] - m[2][2] for i in range(3)]
    k = squares.index(max(squares))
    differences = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]]
    if k == 0:
        q = [squares[0]] + differences
    else:
        i = k - 1
        q = [differences[i]] + [squares[k] if j == i else m[i][j] + m[j][i] for j in range(3)]
    return [v / (2 * math.sqrt(squares[k])) for v in q]


def composed(outer, inner):
    return [p + q for p, q in zip(outer[0], turned(outer[1], inner[0]))], times(outer[1], inner[1])


# --- reading: every key is asked for, and the rest is refused
class Refusals(list):
    def add(self, where, expected, found):
        found = json.dumps(found)
        self.append(f"{where}: expected {expected}, found {found if len(found) < 80 else found[:77] + '...'}")


def is_number(value):
    """Finite, and a double: JSON has whole numbers of any length."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


class Node:
    """A JSON object whose keys are taken one by one."""

    def __init__(self, value, where, refusals):
        self.where, self.refusals = where, refusals
        if not isinstance(value, dict):
            refusals.add(where, "an object", value)
            value = {}
        self.left = dict(value)

    def take(self, key, default=None):
        return self.left.pop(key, default)

    def refuse(self, key, expected, found):
        self.refusals.add(f"{self.where}.{key}" if key else self.where, expected, found)

    def number(self, key, default=None, at_least=-math.inf, above=-math.inf):
        value = self.take(key, default)
        if is_number(value) and value >= at_least and value > above:
            return value
        bound = f" > {above:g}" if above > -math.inf else f" >= {at_least:g}" if at_least > -math.inf else ""
        self.refuse(key, "a number" + bound, value)
        return 1.0

    def vector(self, key, default=None, finish=lambda v: v):
        value = self.take(key, default)
        if isinstance(value, list) and len(value) == 3 and all(map(is_number, value)):
            return finish(list(value))
        self.refuse(key, "3 numbers", value)
        return [0, 0, 0]

    def one_of(self, key, choices, default=None):
        value = self.take(key, default)
        if any(type(value) is type(choice) and value == choice for choice in choices):  # 1 is not True
            return value
        self.refuse(key, "one of " + ", ".join(map(str, choices)), value)
        return next(iter(choices))

    def end(self):
        for key, value in self.left.items():
            self.refuse(key, "a key with a counterpart in clack", value)


# --- what is written: maps in flow style are tuples of (key, value)
def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, (int, float)):
        text = repr(value)
        return text if "e" not in text or "." in text else text.replace("e", ".0e")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {text_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return value


def shape_of(node):
    """The shape of a solid as in a study, and whether a smoothing radius means something to it."""
    kind = node.one_of("kind", ("Sphere", "Ellipsoid", "Box", "Cylinder", "Cone", "Capsule", "Beam", "FileMesh"))
    sizes = {}

    def size(key, name, default=None):
        value = node.number(key, default, at_least=0)
        if value != 0 or default != 0:
            sizes[name] = value

    if kind in ("Box", "Ellipsoid"):
        # A box without thickness has a counterpart: the study's error.
        sizes["lengths"] = [node.number("length" + axis, 1.0, at_least=0) for axis in "XYZ"]
    elif kind == "FileMesh":
        sizes["file"] = json.dumps(
            node.one_of("file", [node.left.get("file")] if isinstance(node.left.get("file"), str) else ["a path"]))
        sizes["scale"] = node.vector("scale", [1, 1, 1])
        node.one_of("convexPartition", (False,), False)
    elif kind == "Beam":
        for key, default in (("length", 1.0), ("width", 0.2), ("thickness", 0.1)):
            size(key, key, default)
    else:
        size("diameter", "diameter", 1.0)
        if kind != "Sphere":
            size("length", "length", 1.0)
        if kind == "Cylinder":
            size("innerDiameter", "inner_diameter", 0.0)
        if kind == "Cone":
            size("topDiameter", "top_diameter", 0.0)
    if kind in ("Cylinder", "Cone", "Capsule", "Beam"):
        sizes["axis"] = AXES[node.one_of("axis", tuple(AXES), 3)]
    node.end()
    return "hull" if kind == "FileMesh" else kind.lower(), sizes, kind in ("Box", "Cylinder", "Cone", "Beam")


def mass_of(node, is_free):
    """Mass as in a study: None where shapes and densities tell it, or where it has no effect."""
    value = node.take("mass")
    match = FROM_SHAPE.match(value) if isinstance(value, str) else None
    if match and 0 < float(match.group(1)) < math.inf:
        return float(match.group(1))
    if value is None or value == FROM_DENSITY or is_number(value) and value > 0:
        return None if value == FROM_DENSITY else value
    if not isinstance(value, dict):
        node.refuse("mass", f'"{FROM_DENSITY}", "<number> kg, inertia from shape", a number > 0 or {{m, Ixx, ...}}',
                    value)
        return None
    mass = Node(value, node.where + ".mass", node.refusals)
    m = mass.number("m", above=0)
    com = mass.vector("centerOfMass", [0, 0, 0])
    defaults = [None] * 3 if is_free else [0] * 3
    inertia = [mass.number(key, default) for key, default in zip(("Ixx", "Iyy", "Izz"), defaults)]
    products = [mass.number(key, 0) for key in ("Ixy", "Ixz", "Iyz")]
    mass.end()
    out = {"mass": m} if com == [0, 0, 0] else {"mass": m, "com": com}
    out["inertia"] = inertia + (products if any(products) else [])
    return out


class Part:
    """One body of the JSON file: a solid or a frame, fixed to its parent or free."""

    def __init__(self, value, where, refusals):
        node = self.node = Node(value, where, refusals)
        self.name = node.take("name")
        if not isinstance(self.name, str):
            node.refuse("name", "a text", self.name)
            self.name = f"of {where}"
        self.word = re.sub(r"[^A-Za-z0-9_]", "_", self.name)
        if self.name == "world" or not WORD.fullmatch(self.word):
            node.refuse("name", 'a text of at most 63 characters, the first of them no digit, other than "world"',
                        self.name)
        self.parent = node.take("parent", "world")
        if not isinstance(self.parent, str):
            node.refuse("parent", '"world" or the name of a body', self.parent)
            self.parent = "world"
        self.is_free = not node.one_of("fixedToParent", (True, False), True)
        self.angles = node.vector("rotation_xyz_rad", [0, 0, 0])
        self.pose = node.vector("translation", [0, 0, 0]), matrix_of(self.angles)
        self.velocity = node.vector("velocity", [0, 0, 0])
        self.spin = node.vector("angularVelocity_resolved_in_parent", [0, 0, 0])
        if not self.is_free and (any(self.velocity) or any(self.spin)):
            node.refuse("velocity", "none of a body fixed to its parent", self.velocity + self.spin)
        self.mass = mass_of(node, self.is_free)
        self.density, self.contact = self.material("solidMaterial"), self.material("contactMaterial")
        self.touches = node.one_of("collision", (True, False), node.left.get("shape") is not None)
        self.shape = self.read_shape(node.take("shape"))
        node.end()

    def material(self, key):
        return (MATERIALS[self.node.one_of(key, MATERIALS)] if self.node.left.get(key) is not None
                else self.node.take(key))

    def read_shape(self, value):
        node, extra = self.node, {}
        smoothing, radius = node.take("collisionSmoothingRadius"), node.take("contactSphereRadius")
        if value is None:
            if self.touches or smoothing is not None or radius is not None:
                node.refuse("shape", "a shape of a body that collides", None)
            return None
        kind, sizes, is_smoothed = shape_of(Node(value, node.where + ".shape", node.refusals))
        if smoothing is not None:
            node.left["collisionSmoothingRadius"] = smoothing
            radius_m = node.number("collisionSmoothingRadius", at_least=0)
            if is_smoothed:
                sizes["smoothing"] = radius_m
        out = {kind: sizes}
        if radius is not None:
            node.left["contactSphereRadius"] = radius
            out["contact_radius"] = node.number("contactSphereRadius", above=0)
        if self.density is None and (self.contact is None or self.mass is None):
            node.refuse("solidMaterial", "a material of the palette", None)
        return out


# --- bodies: parts by what they are fixed to
def root_of(part, parts, refusals):
    """The free body or fixed part in the world that this one hangs on, and its pose there; None: refused."""
    pose, seen = (part.pose if not part.is_free else ([0, 0, 0], IDENTITY)), {part.name}
    while not part.is_free and part.parent != "world":
        if part.parent not in parts or part.parent in seen:
            part.node.refuse("parent",
                             '"world" or the name of a body that is not its own part (a joint has no counterpart)',
                             part.parent)
            return None
        part = parts[part.parent]
        seen.add(part.name)
        if not part.is_free:
            pose = composed(part.pose, pose)
    return part, pose


def rotation_of(pose, angles=None):
    if pose[1] == IDENTITY:
        return None
    return {"cardan": angles} if angles is not None else {"quaternion": quaternion_of(pose[1])}


def with_pose(out, pose, rotation):
    if any(pose[0]):
        out["position"] = pose[0]
    if rotation is not None:
        out["rotation"] = rotation
    return out


def materials_of(part):
    """Keys that say what a shape is made of."""
    out = {"material": part.density} if part.density is not None else {}
    if part.contact is not None and part.contact != part.density:
        out["contact_material"] = part.contact
    return out


def fixed_body(part, parts, refusals):
    found = root_of(part, parts, refusals)
    if found is None or part.shape is None or not part.touches:
        return None
    angles = part.angles if part.parent == "world" else None
    materials = materials_of(part)
    return with_pose({"fixed": True, **(materials or {}), "shapes": [part.shape]}, found[1],
                     rotation_of(found[1], angles))


def free_body(part, carried, parts):
    """A free body with the parts fixed to it; its parent is at rest."""
    base = ([0, 0, 0], IDENTITY)
    if part.parent != "world":
        above = parts.get(part.parent)
        found = root_of(above, parts, part.node.refusals) if above is not None and above is not part else None
        if found is None or found[0].is_free:
            part.node.refuse("parent", '"world" or a body at rest, for a free one (a joint has no counterpart)',
                             part.parent)
            return None
        base = found[1]
    pose = composed(base, part.pose)
    solids = [(part, ([0, 0, 0], IDENTITY))] + carried
    solids = [(solid, at) for solid, at in solids if solid.shape is not None]
    if len(solids) > 1 and any(solid.mass is not None for solid, _ in solids) or any(
            solid.mass is not None for solid, _ in carried):
        part.node.refuse("mass", f'"{FROM_DENSITY}" of every part of a body of several', [s.mass for s, _ in solids])
    if len({solid.touches for solid, _ in solids}) > 1:
        part.node.refuse("collision", "the same of all parts of a body", [s.touches for s, _ in solids])
    if not solids and part.mass is None:
        part.node.refuse("mass", "mass properties of a free body without shapes", None)
    common = materials_of(solids[0][0]) if solids else {}
    out = dict(common)
    out["shapes"] = []
    for solid, at in solids:
        shape = with_pose(dict(solid.shape), at, rotation_of(at))
        out["shapes"].append({**shape, **(materials_of(solid) if materials_of(solid) != common else {})})
    if part.mass is not None:
        out["mass"] = part.mass
    with_pose(out, pose, rotation_of(pose, part.angles if base[1] == IDENTITY else None))
    for key, vector in (("velocity", part.velocity), ("angular_velocity", part.spin)):
        if any(vector):
            out[key] = turned(base[1], vector)
    return out


def bodies_of(values, refusals):
    """Bodies of the study in the order of the file, and which of them never touch anything."""
    if not isinstance(values, list) or not values:
        refusals.add("bodies", "a list of bodies", values)
        return {}, [], []
    parts, by_word = {}, {}
    for i, value in enumerate(values):
        part = Part(value, f"bodies[{i}]", refusals)
        if by_word.setdefault(part.word, part) is not part:
            part.node.refuse("name", "a name unlike that of any other body (all but letters and digits count as _)",
                             part.name)
        parts[part.name] = part
    bodies, ghosts, frames = {}, [], []
    for part in parts.values():
        found = root_of(part, parts, refusals)
        if found is None or found[0].is_free and found[0] is not part:
            continue
        if part.is_free:
            carried = [(p, at[1]) for p in parts.values()
                       if p is not part and (at := root_of(p, parts, Refusals())) and at[0] is part]
            body = free_body(part, carried, parts)
            if any(p.shape is not None and not p.touches for p, _ in [(part, None)] + carried):
                ghosts.append(part.word)
        else:
            body = fixed_body(part, parts, refusals)
        if body is not None:
            bodies[part.word] = body
        elif not part.is_free:
            frames.append(part.word)
    return bodies, ghosts, frames


# --- the scene
def gravity_of(node):
    kind = node.one_of("type", ("uniform", "none"), "uniform")
    strength, direction = ((node.number("g", 9.81), node.vector("n", [0, -1, 0])) if kind == "uniform"
                           else (0, [0, 0, 1]))
    node.end()
    length = math.hypot(*direction)
    if length == 0:
        node.refuse("n", "a direction", direction)
    return [strength * v / (length or 1) for v in direction]


def damping_pairs(limit, bodies):
    """Rows of pairs with another limit of damping: of every row of the palette between materials of the scene."""
    if limit == REFERENCE_DAMPING:
        return []
    import yaml
    used = {m[key] for body in bodies.values() for m in [body] + body["shapes"]
            for key in ("material", "contact_material") if key in m}
    rows = yaml.safe_load(open(os.path.join(DATA, "contact_pairs.yaml")))["pairs"]
    return [{"between": row["between"], "d_max": limit} for row in rows
            if set(row["between"]) <= used and row.get("response") != "observer"]


def solver_of(node, options, notes):
    """Solver and spacing of the trajectory. The reference's interval is kept, its dtmax and algorithm are told."""
    for key in TOLD_SOLVER:
        value = node.take(key)
        if value is not None:
            notes.append(f"solver.{key} = {value}")
    tolerance = node.number("rel_tolerance", 1e-6, above=0)
    solver = {"accuracy": {"tolerance": tolerance, "steps": 16 if tolerance < 1e-6 else 8},
              "step": 1e-3, "end": node.number("stopTime", 1.0, at_least=0)}
    interval = node.number("interval", solver["end"] / 500, at_least=0)
    node.end()
    portal = options.number("mprTolerance", 1e-20, above=0)
    if portal > FINEST_TOLERANCE:
        solver["mpr_tolerance"] = portal
    if 10 * portal > FINEST_TOLERANCE:
        notes.append(f"contacts begin and end at gaps of {10 * portal:g} in the reference, of 1e-13 m here")
    iterations = options.number("mprIterMax", 120, above=0)
    if iterations != 120:
        solver["mpr_iterations"] = iterations
    return solver, interval


def freed(joint, bodies, refusals, where):
    """A prismatic joint that symmetry makes idle: its body set free in the joint's initial state."""
    node = Node(joint, where, refusals)
    node.one_of("type", ("Prismatic",))
    node.one_of("obj1", ("world",))
    node.one_of("canCollide", (True,), True)
    axis = node.one_of("axis", tuple(AXES)) - 1
    body = (next((b for b in bodies if isinstance(b, dict) and b.get("name") == node.left.get("obj2")), None)
            if isinstance(bodies, list) else None)
    name, s, v = node.take("obj2"), node.number("s_init", 0.0), node.number("v_init", 0.0)
    node.take("name")
    node.end()
    if body is None:
        node.refuse("obj2", "the name of a body", name)
        return
    along = lambda x: [x if k == axis else 0 for k in range(3)]
    pose = Node(body, f"{where}.obj2", refusals)  # the body is asked for the rest of its keys where bodies are
    place = [a + b for a, b in zip(pose.vector("translation", [0, 0, 0]), along(s))]
    body.update(parent="world", fixedToParent=False, translation=place, velocity=along(v))


def study_of(scene, free_prismatic=False, physical=False):
    """The text of the study of one scene, and why it was refused."""
    refusals, notes = Refusals(), []
    node = Node(json.loads(json.dumps(scene)), "scene", refusals)
    name = node.take("name", "scene")
    if not isinstance(name, str):
        node.refuse("name", "a text", name)
    told = {key: node.take(key) for key in TOLD}
    joints, bodies = node.take("joints"), node.take("bodies")
    if not isinstance(joints, list):
        joints = [] if joints is None else [joints]
    if free_prismatic and len(joints) == 1:
        freed(joints[0], bodies, refusals, "joints[0]")
    else:
        for i, joint in enumerate(joints):
            refusals.add(f"joints[{i}]", "no joints: clack has none", joint)
    placed, ghosts, frames = bodies_of(bodies, refusals)
    options = Node(node.take("scene_options", {}), "scene_options", refusals)
    out = {"gravity": gravity_of(Node(node.take("gravity", {}), "gravity", refusals))}
    solver, interval = solver_of(Node(node.take("solver", {}), "solver", refusals), options, notes)
    if not physical:
        out["compat"] = "modia3d"
    reduction = options.number("elasticContactReductionFactor", 1.0, above=0)
    if reduction != 1:
        out["reduction"] = reduction
    pairs = damping_pairs(options.number("maximumContactDamping", REFERENCE_DAMPING, at_least=0), placed)
    options.one_of("enableContactDetection", (True,), True)
    options.end()
    outputs = {"trajectory": {"every": interval}} if interval > 0 else {}
    if node.left.get("result_element") is not None:  # forces of a pair over time: those of all
        element = Node(node.take("result_element"), "result_element", refusals)
        element.one_of("type", ("ContactResult",))
        notes.append("contacts recorded: those of " + ", ".join(f"{k} {v}" for k, v in element.left.items()) +
                     " among all")
        outputs["contacts"] = True
    node.end()
    if frames:
        notes.append("frames and solids that neither move nor collide, left out: " + ", ".join(frames))
    del told["expected"], told["second_run"]
    told = [f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in told.items()
            if value is not None]
    head = ["# " + " ".join(line.split())
            for line in [f"Modia3D.jl, test {name}; made by convert.py, not by hand."] + told + notes]
    body_lines = []
    for word, body in placed.items():
        body_lines += [f"    {word}:"] + [f"      {key}: {text_of(value)}" for key, value in body.items()]
    title = name if isinstance(name, str) and re.fullmatch("[A-Za-z][A-Za-z0-9 ]*", name) else json.dumps(name)
    lines = head + ["format: 1", "units: SI", f"title: {title}", "scene:"]
    lines += [f"  {key}: {text_of(value)}" for key, value in out.items()]
    lines += ["  pairs:"] + ["    - " + text_of(row) for row in pairs] if pairs else []
    if ghosts:
        lines.append(f"  groups: {text_of({'all': list(placed), 'ghosts': ghosts})}")
        lines.append("  ignore: [[ghosts, all]]")
    lines += ["  bodies:"] + body_lines + ["solver: " + text_of(solver)]
    lines += ["outputs: " + text_of(outputs)] if outputs else []
    return "\n".join(lines) + "\n", refusals


def file_name(scene):
    """BouncingSphere3D: bouncing_sphere3_d.yaml would read badly, so digits and capitals at the end stay together."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z][a-z])", "_", str(scene.get("name", "scene")))
    return re.sub(r"[^A-Za-z0-9_]", "_", name).lower() + ".yaml"


def scenes_in(path):
    with open(path) as file:
        value = json.load(file)
    if isinstance(value, dict) and "tests" in value:
        value = value["tests"]
    return value if isinstance(value, list) else [value]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes")
    parser.add_argument("-o", metavar="FOLDER", help="write studies there (default: to standard output)")
    parser.add_argument("--scene", action="append", metavar="NAME", help="this one alone (may be repeated)")
    parser.add_argument("--physical", action="store_true", help="without compat: modia3d")
    parser.add_argument("--free-prismatic", action="store_true",
                        help="a body on one prismatic joint from the world moves freely; "
                             "right where the scene's symmetry makes the joint idle")
    arguments = parser.parse_args()
    try:
        scenes = scenes_in(arguments.scenes)
    except (OSError, ValueError) as error:
        print(f"{arguments.scenes}: {error}", file=sys.stderr)
        return 4
    known = [scene.get("name") if isinstance(scene, dict) else None for scene in scenes]
    missing = [name for name in arguments.scene or [] if name not in known]
    for name in missing:
        print(f"{arguments.scenes}: expected a scene named {name}, found {', '.join(map(str, known))}", file=sys.stderr)
    refused, written = len(missing), {}
    for i, (scene, name) in enumerate(zip(scenes, known)):
        if arguments.scene and name not in arguments.scene:
            continue
        text, refusals = study_of(scene, arguments.free_prismatic, arguments.physical) if isinstance(scene, dict) else (
            "", [f"expected a scene, found {json.dumps(scene)[:80]}"])
        if not refusals and arguments.o and (other := written.setdefault(file_name(scene), i)) != i:
            refusals.append(f"name: expected another file than that of {known[other]}, found {file_name(scene)}")
        for line in refusals:
            print(f"{arguments.scenes}: {name}: {line}", file=sys.stderr)
        refused += bool(refusals)
        if not refusals and arguments.o:
            os.makedirs(arguments.o, exist_ok=True)
            with open(os.path.join(arguments.o, file_name(scene)), "w") as file:
                file.write(text)
        elif not refusals:
            sys.stdout.write(text)
    return 3 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

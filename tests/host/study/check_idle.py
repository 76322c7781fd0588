#!/usr/bin/env python3
"""Warnings of what no scene has: rows of pairs whose materials no shapes have that may touch, variables that nothing is
computed from. Told with their places where it is so, by validate and run; of no study that the tree brings.

usage: check_idle.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed.
"""
import glob
import os
import re
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from program_checks import PROGRAM, SOURCE, check, clack, failures

CAN = """format: 1
variables:
  e: {uniform: [0.3, 0.6]}
  mu: {uniform: [0.2, 0.5]}
  half: "=e/2"
scene:
  pairs: [{between: [steel, dry_wood], restitution: $half, friction: $mu, damping: exact}]
  bodies:
    table: {fixed: true, material: dry_wood, shapes: [{half_space: {}}]}
    can: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.1]}
design: {monte_carlo: {samples: 2}}
solver: {end: 0.001}
"""
ROW = "pairs[0]: warning: no shapes of steel and dry_wood may touch"
OF_ROW = {ROW, *(f"variables.{name}: warning: nothing is computed from it" for name in ("e", "mu", "half"))}


def warned(text, *words, command="validate"):
    """Key and text of each warning of the study, in a set."""
    with open("can.yaml", "w") as file:
        file.write(text)
    more = ["-o", "can.h5", "--overwrite", "-d", "native"] if command == "run" else []
    told = clack(command, "can.yaml", *words, *more).stderr
    return {re.sub(r"^.*?(?:\d+:\d+|--set [^:]*): (?:scene\.)?", "", line)
            for line in told.splitlines() if ": warning: " in line}


def expect(label, found, wanted):
    check(found == wanted, f"{label}: warned of {sorted(found)}, expected {sorted(wanted)}")


def check_rows():
    steel = CAN.replace("material: dry_wood", "material: steel")
    expect("as it is", warned(CAN), set())
    expect("another table", warned(steel), OF_ROW)
    expect("another table by --set", warned(CAN, "--set", "scene.bodies.table.material=steel"), OF_ROW)
    expect("run", warned(CAN, "--set", "scene.bodies.table.material=steel", command="run"), OF_ROW)
    with open("can.yaml", "w") as file:
        file.write(steel)
    told = clack("validate", "can.yaml").stderr
    for place in ("can.yaml:7:11: scene.pairs[0]:", "can.yaml:3:3: variables.e:"):
        check(place.split(" ")[1] in told and place.split(":")[1] + ":" in told, f"{place} is not in\n{told}")
    expect("both fixed", warned(CAN.replace("can: {", "can: {fixed: true, ")), OF_ROW)
    expect("ignored", warned(CAN.replace("\ndesign", "\n  ignore: [[table, can]]\ndesign")), OF_ROW)
    expect("two rows, one of them idle", warned(steel.replace("pairs: [", "pairs: [{between: [steel, steel], "
           "restitution: $e, friction: $mu}, ")), {ROW.replace("[0]", "[1]"), *(
               line for line in OF_ROW if "half" in line)})


def check_contacts_that_may_be():
    """Materials that touch in some scenes only, in copies, within means, as observers, as contact materials."""
    shapes = "shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.1]"
    can = f"material: steel, {shapes}"
    cases = {
        "one_of": (can, "one_of: [{material: dry_wood, shapes: [{sphere: {diameter: 0.1}}]}, {material: steel, "
                        "shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}]}], position: [0, 0, 0.1]"),
        "count": (can, "count: {integer: [1, 3]}, material: steel, shapes: [{sphere: {diameter: 0.1}}], "
                       "position: [\"=0.2*number\", 0, 0.1]"),
        "contact material": (can, f"material: aluminium, contact_material: steel, {shapes}"),
        "of a shape": (can, "material: dry_wood, shapes: [{sphere: {diameter: 0.1}}, {sphere: {diameter: 0.1}, "
                            "material: steel}], position: [0, 0, 0.1]"),
        "observer": ("restitution: $half, friction: $mu, damping: exact", "response: observer"),
    }
    for label, (old, new) in cases.items():
        found = warned(CAN.replace(old, new))
        expect(label, {line for line in found if "pairs" in line}, set())
    # Bodies of one kind touch each other; the row of a material with itself is what a mean is taken of.
    balls = CAN.replace("damping: exact}]", "damping: exact}, {between: [steel, steel], restitution: 0.5, "
                                            "friction: 0.3}]")
    expect("one ball", warned(balls), {"pairs[1]: warning: no shapes of steel and steel may touch"})
    expect("two of one", warned(balls.replace("can: {", "can: {count: 2, ").replace("0, 0.1]", "0, '=0.2*number']")),
           set())
    mean = CAN.replace("$half, friction: $mu, damping: exact}", "0.5}, {between: [steel, steel], restitution: 0.5, "
                       "friction: 0.3, rolling: 0.001}").replace("mu: {", "mu_: {")
    expect("a mean", {line for line in warned(mean) if "pairs" in line}, set())


def check_variables():
    one = "variables.{}: warning: nothing is computed from it".format

    def add(lines):
        return CAN.replace("variables:\n", f"variables:\n  {lines}\n")
    body = "position: [0, 0, 0.1]}"
    expect("unused", warned(add("spare: {uniform: [1, 2]}")), {one("spare")})
    expect("a constant", warned(add("spare: 3")), {one("spare")})
    expect("a chain", warned(add("third: '=second'\n  second: '=first + 1'\n  first: 1")),
           {one("first"), one("second"), one("third")})
    expect("a chain that is used", warned(add("third: '=second'\n  second: '=first + 1'\n  first: 0.2").replace(
        body, "position: [0, 0, $third]}")), set())
    expect("the end", warned(add("stop: 0.001").replace("end: 0.001", "end: $stop")), set())
    expect("a quantity", warned(add("spare: 3") + "outputs: {quantities: {a: '=2*spare'}}\n"), set())
    expect("in a material without shapes", warned(add("y: 1.0e+9").replace(
        "scene:\n", "scene:\n  materials: {rubber: {young: $y, poisson: 0.4, density: 1000}}\n")), {one("y")})
    many = warned(add("\n  ".join(f"v{i}: {i}" for i in range(30))))
    check({one(f"v{i}") for i in range(20)} < many and len(many) == 21 and
          "variables.v0: warning: nothing is computed from 10 more variables" in many, f"of many variables: {many}")
    drawn = "drawn: {correlated_normals: {names: [a, b], means: [0.2, 0], sds: [0.01, 1], correlation: [[1, 0], " \
            "[0, 1]]}}"
    expect("drawn together", warned(add(drawn)),
           {"variables.drawn: warning: nothing is computed from them"})
    expect("one of them used", warned(add(drawn).replace(body, "position: [$a, 0, 0.1]}")), set())


def check_own():
    """No study of the tree is warned of, but that whose cases give its bodies other materials by --set."""
    studies = [path for folder in ("data", "data/examples", "data/modia3d", "tests/studies", "tests/validation",
                                   "bench", "bench/studies", "bench/peers")
               for path in sorted(glob.glob(os.path.join(SOURCE, folder, "*.yaml")))
               if not re.match(r"wrong_|.*\.group\.yaml$", os.path.basename(path))]
    read = 0
    for path in studies:
        done = clack("validate", path, code=None)
        read += done.returncode == 0
        idle = [line for line in done.stderr.splitlines() if "may touch" in line or "nothing is computed" in line]
        check((len(idle) > 0) == path.endswith("validation/spheres.yaml"), f"{path}: {idle}")
    check(read > 60, f"of {len(studies)} studies of the tree {read} could be read")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        check_rows()
        check_contacts_that_may_be()
        check_variables()
        check_own()
        os.chdir("/")
    if not failures:
        print("what no scene has is told, and nothing else")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

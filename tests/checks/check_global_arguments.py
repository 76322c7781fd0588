"""Structs in global memory that are arguments as they are, without COPY: check_global_arguments.py FOLDER [--planted]

NVIDIA's OpenCL compilers do not end at some of them (kernels/base/portable.h says why). clang tells what every argument
is: the kernels are parsed as a GPU builds them, with all content. FOLDER: the project's. --planted: one that is planted
in a copy has to be found. Ends with 77 where clang is not there.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

BUILDS = (("stepper/advance.cl", 1), ("stepper/advance.cl", 32), ("evaluate/evaluate.cl", 1),
          ("evaluate/evaluate_meshes.cl", 1))
SPACES = ("__global", "__constant", "__local")
PLANTED = ("pairs/pair_kinematics.h", "vec3_sub(COPY(body_b->position_m),", "vec3_sub(body_b->position_m,")


def parse(kernels, source, items):
    """clang's tree of a kernel file, and all that it includes."""
    words = ["clang", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-Xclang",
             "-finclude-default-header", "-Wno-everything", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-I", kernels,
             f"-DSCENE_ITEMS={items}", "-DOWN_SLOTS=1", os.path.join(kernels, source)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr[:2000])
    return json.loads(done.stdout)


class Places:
    """Where nodes of the tree are: a file and a line are written only where they change."""

    def __init__(self):
        self.file, self.line = "", 0

    def read(self, location):
        """Of a location of a node: where its text is written, in a macro's argument where it is one."""
        if not isinstance(location, dict):
            return None
        spelling, expansion = location.get("spellingLoc"), location.get("expansionLoc")
        if spelling is not None:
            found = self.read(spelling)
            self.read(expansion)
            return found
        self.file = location.get("file", self.file)
        self.line = location.get("line", self.line)
        return self.file, self.line

    def read_range(self, extent):
        first = self.read(extent.get("begin"))
        self.read(extent.get("end"))
        return first


def full_type(node):
    kind = node["type"]
    return kind.get("desugaredQualType", kind["qualType"]), kind["qualType"]


def is_global_struct(argument):
    """Is it the value of a struct that lies there?"""
    if argument.get("kind") != "ImplicitCastExpr" or argument.get("castKind") != "LValueToRValue":
        return False
    value = full_type(argument)[0].replace("const ", "")
    if not value.startswith(("struct ", "union ")) or "*" in value:
        return False
    return any(space in words for space in SPACES for words in full_type(argument["inner"][0]))


def walk(node, places, found):
    """In the order in which it is written, since a place may be told relative to the one before."""
    where = None
    if "loc" in node:
        places.read(node["loc"])
    if "range" in node:
        where = places.read_range(node["range"])
    inner = [child for child in node.get("inner", []) if child]
    for child in inner:
        child["where"] = walk(child, places, found)
    if node.get("kind") == "CallExpr":
        for argument in inner[1:]:
            if is_global_struct(argument):
                found.add((*argument["where"], full_type(argument)[1]))
    return where


def breaches(root):
    kernels, found = os.path.join(root, "kernels"), set()
    for source, items in BUILDS:
        walk(parse(kernels, source, items), Places(), found)
    return sorted(f"{os.path.relpath(file, root)}:{line}: a {kind} in global memory is an argument without COPY"
                  for file, line, kind in found)


def check_planted(root):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(root, "kernels"), os.path.join(folder, "kernels"))
        path = os.path.join(folder, "kernels", PLANTED[0])
        with open(path) as file:
            text = file.read()
        if PLANTED[1] not in text:
            sys.exit(f"{PLANTED[0]}: there is no {PLANTED[1]}")
        with open(path, "w") as file:
            file.write(text.replace(PLANTED[1], PLANTED[2], 1))
        line = text[:text.index(PLANTED[1])].count("\n") + 1
        found = breaches(folder)
    if len(found) != 1 or f"{PLANTED[0]}:{line}:" not in found[0]:
        sys.exit(f"planted in {PLANTED[0]}:{line}, found: {found}")
    print("the planted argument was found")


def main():
    if shutil.which("clang") is None:
        print("skipped: clang is not there")
        return 77
    sys.setrecursionlimit(100000)
    if "--planted" in sys.argv:
        return check_planted(sys.argv[1])
    found = breaches(sys.argv[1])
    if found:
        sys.exit("\n".join(found))
    print("global arguments: all are copies")
    return 0


sys.exit(main())

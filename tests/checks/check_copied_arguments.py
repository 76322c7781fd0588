"""Structs behind a pointer that are arguments as they are, without COPY: check_copied_arguments.py FOLDER

NVIDIA's OpenCL compilers do not end at some that lie in global memory, and read others byte by byte
(kernels/base/portable.h). clang tells what every argument is: the kernels are parsed as a GPU builds them, with all
content. FOLDER: the project's, of which a copy is read in which two are planted: these have to be found, and no
others. Ends with 77 where clang is not there.
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
# (file, what is there, instead): in global memory, in private memory.
PLANTED = (("pairs/pair_kinematics.h", "COPY(state->orientation)", "state->orientation"),
           ("fast/ball_step.h", "COPY(s->gravity_m_per_s2)", "s->gravity_m_per_s2"))


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


def is_behind_pointer(value):
    """Is this lvalue reached through one?"""
    while True:
        kind = value.get("kind")
        if kind == "UnaryOperator":
            return value.get("opcode") == "*"
        if kind == "MemberExpr" and value.get("isArrow"):
            return True
        if kind == "ArraySubscriptExpr":
            if value["inner"][0].get("castKind") != "ArrayToPointerDecay":
                return True
            value = value["inner"][0]
        elif kind not in ("ParenExpr", "MemberExpr"):
            return False
        value = value["inner"][0]


def is_struct_elsewhere(argument):
    """Is it the value of a struct that lies behind a pointer, or in global memory?"""
    if argument.get("kind") != "ImplicitCastExpr" or argument.get("castKind") != "LValueToRValue":
        return False
    value = full_type(argument)[0].replace("const ", "")
    if not value.startswith(("struct ", "union ")) or "*" in value:
        return False
    lies = argument["inner"][0]
    return is_behind_pointer(lies) or any(space in words for space in SPACES for words in full_type(lies))


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
            if is_struct_elsewhere(argument):
                found.add((*argument["where"], full_type(argument)[1]))
    return where


def breaches(root):
    """Of (file, line, type)."""
    kernels, found = os.path.join(root, "kernels"), set()
    for source, items in BUILDS:
        walk(parse(kernels, source, items), Places(), found)
    return {(os.path.relpath(file, root), line, kind) for file, line, kind in found}


def plant(root, folder):
    """Copy the kernels and plant in them. Returns (file, line) of what is planted."""
    planted = []
    shutil.copytree(os.path.join(root, "kernels"), os.path.join(folder, "kernels"))
    for name, there, instead in PLANTED:
        path = os.path.join(folder, "kernels", name)
        with open(path) as file:
            text = file.read()
        if there not in text:
            sys.exit(f"{name}: there is no {there}")
        with open(path, "w") as file:
            file.write(text.replace(there, instead, 1))
        planted.append((f"kernels/{name}", text[:text.index(there)].count("\n") + 1))
    return planted


def main():
    if shutil.which("clang") is None:
        print("skipped: clang is not there")
        return 77
    sys.setrecursionlimit(100000)
    with tempfile.TemporaryDirectory() as folder:
        planted = plant(sys.argv[1], folder)
        found = breaches(folder)
    told = [f"{file}:{line}: a {kind} behind a pointer is an argument without COPY"
            for file, line, kind in sorted(found) if (file, line) not in planted]
    seen = {(file, line) for file, line, _ in found}
    told += [f"{file}:{line}: planted, but not found" for file, line in planted if (file, line) not in seen]
    if told:
        sys.exit("\n".join(told))
    print("arguments: all are copies but those that were planted")
    return 0


sys.exit(main())

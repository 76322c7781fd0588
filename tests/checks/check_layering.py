"""Rules of the tree that a compiler does not check: check_layering.py FOLDER [--planted]

- Folders of kernels/ and host/ include downwards only, in the orders below, and no file reaches itself by its includes.
  Files at the root of host/ include all folders, and no folder includes them, but for clack.h.
- One owner for each library: which files may include its headers; which may print, exit, or start other programs.
- A function bears its file's name: its first word is one of the words of that name, singular or plural. In host/ public
  functions, which may also begin with clack_ or, of a module's own header (*_internal.h), with what they work on; in
  kernels/ all but those of base/ and model/, which are named after what they compute.
- Functions have at most 70 lines and 7 parameters (kernels' entry points aside, whose arguments are buffers), files at
  most 600, but for the public header.
- tests/ mirrors kernels/ and host/: a folder tests/host/<room>/ is one of a room that there is; beside these lie the
  folders of what crosses rooms, and no test lies in none.

--planted: breaches planted in a copy have to be found, one of each kind.
"""
import os
import re
import shutil
import sys
import tempfile

FUNCTION_LINES_MAX, PARAMETERS_MAX, FILE_LINES_MAX = 70, 7, 600
LONG_FILES = {"host/clack.h": 700}  # the public header needs no other one
ROOMS = {
    "kernels": ("base", "model", "geometry", "regions", "pairs", "law", "joints", "integrate", "fast", "stepper",
                "evaluate"),
    "host": ("base", "scene", "study", "device", "statistics", "record", "view", "run", "command"),
}
PUBLIC_HEADER = "clack.h"  # of host/: below all folders
# Folders of tests/ beside kernels/ and host/; tests/README.md says what is in them.
TEST_FOLDERS = ("bits", "checks", "cli", "faults", "golden", "peers", "studies", "support", "validation")
# pattern, files that may, among which files (host: .c and .h; host_c: .c; kernels), all as regular expressions of paths
OWNERS = (
    (r"^ *# *include *<CL/", r"host/device/opencl_internal\.h", "host kernels"),
    # CLBlast's header brings OpenCL's: one file, so that devices are reached through device.h alone.
    (r"^ *# *include *<clblast", r"host/device/opencl_blas\.c", "host kernels"),
    (r'"opencl_internal\.h"', r"host/device/opencl(_[a-z]+)?\.c", "host"),
    (r"^ *# *include *<hdf5", r"host/record/record(_[a-z0-9]+)?\.[ch]", "host kernels"),
    (r"^ *# *include *<libdeflate", r"host/record/record_chunk\.c", "host kernels"),
    (r"^ *# *include *<libfyaml", r"host/study/study(_[a-z]+)?\.[ch]", "host kernels"),
    (r"^ *# *include *<jansson", r"host/(command/command(_[a-z_]+)?|record/manifest)\.c", "host kernels"),
    (r"^ *# *include *<libqhull", r"host/scene/hull\.c", "host kernels"),
    (r"^ *# *include *<Random123", r"host/scene/sample\.c", "host kernels"),
    (r"^ *# *include *<openssl", r"host/base/digest\.c", "host kernels"),
    (r'^ *# *include .*\.cl"', r"host/device/native_kernels\.c", "host kernels"),
    (r"^ *# *include *<", r"kernels/base/portable\.h", "kernels"),
    (r'"device_internal\.h"',
     r"host/device/(session|device|arithmetic|native|native_kernels|opencl_internal|opencl|opencl_build|opencl_probe)"
     r"\.[ch]",
     "host"),
    # Only portable.h asks which compiler it is in.
    (r"__OPENCL|__cplusplus|__GNUC__|__clang__|__STDC", r"kernels/base/portable\.h", "kernels"),
    # Elsewhere these are asked by what they change.
    (r"SCENE_COMPAT_MODIA3D|SCENE_RK4", r"kernels/model/(scene_types|scheme_policy)\.h", "kernels"),
    # The embedding finds only quoted includes at column 1.
    (r"^\s+# *include|^# +include|^#include[^ ]", r"kernels/base/portable\.h", "kernels"),
    # Only the program prints or exits; opencl_probe.c and record_check.c end their children.
    (r"(^|[^a-z_])(printf|puts|putchar|perror|exit|abort|vprintf|getopt_long)\(",
     r"host/(main|command/command(_[a-z_]+)?)\.c", "host_c"),
    (r"(^|[^a-z_])_exit\(",
     r"host/(main|command/command(_[a-z_]+)?|device/opencl_probe|record/record_check)\.c", "host_c"),
    (r"(^|[^a-z_])(stderr|stdout)([^a-z_]|$)", r"host/(main|command/command(_[a-z_]+)?)\.c", "host_c"),
    # One file starts other programs, without a shell; children are asked whether drivers crash and whether files
    # without a seal can be read.
    (r"(^|[^a-z_])fork\(", r"host/(device/opencl_probe|record/record_check)\.c", "host_c"),
    (r"(^|[^a-z_])(vfork|exec[lv]p?e?|posix_spawnp?|popen|system)\(", r"host/view/gnuplot\.c", "host_c"),
)
# Public functions of host/ that are named after what they make or take.
NAMED_OTHERWISE = {"main", "rotation_to_quat", "scene_free"}
PUBLIC_WORDS = {"clack", "report"}
FREE_ROOMS = ("kernels/base/", "kernels/model/")


class Tree:
    """The sources below a folder: {path: text}; and the files of tests/."""

    def __init__(self, root):
        self.texts = {}
        self.tests = [os.path.relpath(os.path.join(path, name), root)
                      for path, _, names in os.walk(os.path.join(root, "tests")) for name in names
                      if not path.endswith("__pycache__")]
        for top, endings in (("host", (".c", ".h")), ("kernels", (".h", ".cl"))):
            for path, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith(endings):
                        full = os.path.join(path, name)
                        with open(full, encoding="utf-8") as file:
                            self.texts[os.path.relpath(full, root)] = file.read()

    def of(self, which):
        for kind in which.split():
            for path, text in sorted(self.texts.items()):
                if path.startswith(kind.split("_")[0] + "/") and (kind != "host_c" or path.endswith(".c")):
                    yield path, text

    def included(self, path):
        """Files of the tree that one includes."""
        for name in re.findall(r'^#include "([^"]+)"', self.texts[path], re.M):
            if path.startswith("kernels/"):
                yield "kernels/" + name
            else:
                beside = os.path.join(os.path.dirname(path), name)
                found = [p for p in self.texts if p == "kernels/" + name or p == beside]
                found = found or [p for p in self.texts if p.startswith("host/") and os.path.basename(p) == name]
                yield found[0] if found else name


def room(path):
    """(top, number of its folder), the root of host/ above all; None: the folder is in no order."""
    top, _, rest = path.partition("/")
    folder, _, name = rest.rpartition("/")
    if top == "host" and name and not folder:
        return (top, -1 if name == PUBLIC_HEADER else len(ROOMS[top]))
    return (top, ROOMS[top].index(folder)) if folder in ROOMS.get(top, ()) else None


def check_includes(tree):
    for path in sorted(tree.texts):
        here = room(path)
        top = path.partition("/")[0]
        if here is None:
            yield f"{path}: in none of the folders {', '.join(ROOMS[top])}"
        if top == "kernels" and not tree.texts[path].endswith("\n"):
            yield f"{path}: does not end in a newline"
        for name in tree.included(path):
            there = room(name)
            if name.startswith("kernels/") and name not in tree.texts:
                yield f"{path}: includes {name}, which there is not"
            if here and there and here[0] == there[0] and there[1] > here[1]:
                yield f"{path}: includes {name}, which is above it"


def check_cycles(tree):
    done, trail = set(), []

    def visit(path):
        if path in trail:
            return [f"include cycle: {' '.join(trail[trail.index(path):] + [path])}"]
        if path in done or path not in tree.texts:
            return []
        trail.append(path)
        found = [breach for name in tree.included(path) for breach in visit(name)]
        trail.pop()
        done.add(path)
        return found

    for path in sorted(tree.texts):
        yield from visit(path)


def check_owners(tree):
    for pattern, allowed, which in OWNERS:
        for path, text in tree.of(which):
            if re.fullmatch(allowed, path):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                if re.search(pattern, line):
                    yield f"not allowed here: {path}:{number}: {line}"


def functions(text):
    """(name, first line, how many lines, how many parameters, is it public) of each function that has a body, as the
    formatter writes it."""
    lines = re.sub(r"__attribute__\(\(.*\)\)", "", text).split("\n")
    start = None
    for number, line in enumerate(lines):
        if start is None:
            is_head = re.match(r"[A-Za-z_].*\(", line) and not re.match(r"(typedef|struct|enum|union|extern)\b", line)
            if not is_head or "=" in line.partition("(")[0] or re.search(r";\s*(//.*)?$", line) and "{" not in line:
                continue
            start = number
            name = re.sub(r".*[ *]", "", line.partition("(")[0])
        has_body = "{" in "\n".join(lines[start:number + 1])
        if lines[start] != line and re.search(r"\);\s*$", line) and not has_body:
            start = None  # a declaration
        elif line == "}" or line.startswith("} ") or (number == start and re.search(r"}\s*(//.*)?$", line)):
            head = "\n".join(lines[start:number + 1]).partition("{")[0].partition("(")[2]
            count = 0 if lines[start].startswith("KERNEL") else len(re.sub(r"\([^()]*\)", "", head).split(","))
            yield name, start + 1, number - start + 1, count, not re.match(r"(static|FN|KERNEL)", lines[start])
            start = None


def words(path):
    """Words that functions of a file may begin with, singular or plural."""
    found = set(os.path.basename(path).partition(".")[0].split("_"))
    return found | {word + "s" for word in found} | {re.sub(r"s$", "", word) for word in found}


def check_functions(tree):
    internal = {name for path, text in tree.texts.items() if path.endswith("_internal.h")
                for name in re.findall(r"^[A-Za-z].*?[ *]([a-z_0-9]*)\(", text, re.M)}
    for path, text in sorted(tree.texts.items()):
        if path.startswith("host/") and path.endswith(".h"):
            continue
        for name, first, count, parameters, is_public in functions(text):
            if parameters > PARAMETERS_MAX:
                yield f"{path}:{first}: {name} has {parameters} parameters, at most {PARAMETERS_MAX}"
            if count > FUNCTION_LINES_MAX:
                yield f"{path}:{first}: {name} has {count} lines, at most {FUNCTION_LINES_MAX}"
            if name.isupper() or re.fullmatch("[A-Z0-9_]+", name) or path.startswith(FREE_ROOMS):
                continue
            allowed = words(path) if path.startswith("kernels/") else \
                {os.path.basename(path).partition(".")[0].split("_")[0]} | PUBLIC_WORDS
            is_looked_at = path.startswith("kernels/") or is_public and name not in NAMED_OTHERWISE | internal
            if is_looked_at and name.split("_")[0] not in allowed:
                yield f"{path}:{first}: {name} does not bear the name of its file"


def check_lengths(tree):
    for path, text in sorted(tree.texts.items()):
        most = LONG_FILES.get(path, FILE_LINES_MAX)
        if text.count("\n") > most:
            yield f"{path}: {text.count(chr(10))} lines, at most {most}"


def check_tests(tree):
    rooms = {os.path.dirname(path) for path in tree.texts} | {"host/python"}
    for path in sorted(tree.tests):
        folder, _, name = path.removeprefix("tests/").rpartition("/")
        if folder.partition("/")[0] in ROOMS:
            if folder not in rooms or folder in ROOMS:
                yield f"{path}: tests/{folder} mirrors no room"
        elif folder not in TEST_FOLDERS and (folder or re.match("test_|check_", name)):
            yield f"{path}: in none of the folders of rooms, {', '.join(TEST_FOLDERS)}"


def breaches(root):
    tree = Tree(root)
    checks = (check_includes, check_cycles, check_owners, check_functions, check_lengths, check_tests)
    return [breach for check in checks for breach in check(tree)]


def plant(root):
    """Breaches planted in a tree, and what has to be said of each."""
    def add(path, text):
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "a", encoding="utf-8") as file:
            file.write(text)

    add("host/scene/stage.c", "#include <CL/cl.h>\nvoid other_name(void) {\n" + '    printf("x");\n' * 80 + "}\n")
    add("host/base/text.h", '#include "study.h"\n')
    add("host/scene/mass.c", '#include "above_all.h"\n')
    add("host/above_all.h", '// Beside clack.h.\n')
    add("host/study/deeper/lonely.c", '// In a folder of a folder.\n')
    add("kernels/base/portable.h", '#include "base/vec3.h"\n')
    add("kernels/base/vec3.h", '#ifdef __clang__\n#endif\n')
    add("kernels/pairs/broad_phase.h", '#include "law/law_damping.h"\nFN u32 other_word(u32 a) {\n    return a;\n}\n')
    add("kernels/law/law_damping.h", '#include "law/no_such.h"\n' + "\n" * FILE_LINES_MAX)
    add("kernels/law/law_force.h",
        "FN u32 law_of_many(u32 a, u32 b, u32 c, u32 d,\n    u32 e, u32 f, u32 g, u32 h) {\n    return a;\n}\n")
    add("kernels/lonely.h", "// In no folder.\n")
    add("kernels/fast/ball_step.h", "#define IS_FIXED(flags) (flags & SCENE_RK4)\n")
    add("tests/host/nowhere/test_nothing.cc", "// Of no room.\n")
    add("tests/host/test_all.cc", "// Of all rooms.\n")
    add("tests/kernels/law/deeper/test_law.cc", "// In a folder of a folder.\n")
    add("tests/lonely/test_lonely.cc", "// Of a kind of its own.\n")
    add("tests/test_flat.cc", "// In no folder.\n")
    return ("stage.c:", "CL/cl.h", "other_name has 82 lines", "other_name does not bear", "printf", "include cycle",
            "vec3.h:", "law_damping.h, which is above it", "other_word does not bear", "no_such.h, which there is not",
            "law_damping.h: ", "ball_step.h:", "kernels/lonely.h: in none of the folders",
            "law_of_many has 8 parameters", "deeper/lonely.c: in none of the folders",
            "base/text.h: includes host/study/study.h, which is above it",
            "mass.c: includes host/above_all.h, which is above it", "tests/host/nowhere mirrors no room",
            "tests/host mirrors no room", "tests/kernels/law/deeper mirrors no room",
            "lonely/test_lonely.cc: in none of the folders", "tests/test_flat.cc: in none of the folders")


def check_planted(root):
    with tempfile.TemporaryDirectory() as folder:
        for top in ("host", "kernels", "tests"):
            shutil.copytree(os.path.join(root, top), os.path.join(folder, top))
        before = breaches(folder)
        wanted = plant(folder)
        found = "\n".join(set(breaches(folder)) - set(before))
        missed = [words for words in wanted if words not in found]
    if missed:
        sys.exit(f"not found: {missed} in\n{found}")
    print(f"{len(wanted)} planted breaches were found")


def main():
    if "--planted" in sys.argv:
        return check_planted(sys.argv[1])
    found = breaches(sys.argv[1])
    if found:
        sys.exit("\n".join(found))
    print("layering: no breach")


main()

"""Mistakes that clang-tidy finds: check_tidy.py FOLDER BUILD_FOLDER [FILE ...]

The checks are those of .clang-tidy in FOLDER and in FOLDER/kernels. Looked at are the sources in C of host/, as
compile_commands.json of BUILD_FOLDER compiles them, but with assertions, which tell the analyzer what cannot be; and
the kernels as OpenCL C, with one scene and with several side by side. native_kernels.c, which is all kernels as C, is
left out. With FILEs these alone.

First of all mistakes that are planted have to be found, and nothing where there are none. Where clang-tidy is not
version 14, whose opinions these are, nothing is looked at (exit status 77).
"""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LEFT_OUT = "host/device/native_kernels.c"
OPENCL = ("-x", "cl", "-cl-std=CL1.2", "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header")
WIDTHS = ("SCENE_ITEMS=1", "SIDE_BY_SIDE=4")  # as host/device/opencl_build.c builds them
# The analyzer looks at up to 225,000 states of a function. At so many it found the same mistakes in a file that had
# two, in a fifth of the time, and one more in all others.
STATES = ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")
PLANTED = (  # check, where, text
    ("bugprone-integer-division", "host/division.c", "double planted(int a) { return a / 2; }\n"),
    ("clang-analyzer-core.NullDereference", "host/null.c", "int planted(int *a) { return a == 0 ? *a : 0; }\n"),
    ("readability-function-size", "host/long.c", "int planted(int a) {\n" + "    a++;\n" * 80 + "    return a;\n}\n"),
    ("bugprone-integer-division", "kernels/model/division.cl", "double planted(int a) { return a / 2; }\n"),
    ("", "host/well.c", "int planted(int a) { return a; }\n"),
    ("", "kernels/model/well.cl", "int planted(int a) { return a; }\n"),
)


def tidy():
    """clang-tidy 14; None: there is none."""
    for name in ("clang-tidy-14", "clang-tidy"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(r"version 14\.", version):
                return name
    return None


def commands_of(program, root, build, path):
    """How clang-tidy is to look at a file, once for each way in which it is compiled."""
    words = [program, "--quiet", "--warnings-as-errors=*", path]
    if path.endswith(".cl"):
        return [words + ["--", *OPENCL, *STATES, f"-D{width}", f"-I{root}/kernels"] for width in WIDTHS]
    return [words + ["-p", build, "--extra-arg=-UNDEBUG", *(f"--extra-arg={word}" for word in STATES)]]


def findings(command):
    """What clang-tidy says: each finding with the way to it; an empty text: nothing."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout or done.stderr if done.returncode != 0 else ""


def check_itself(program, root):
    """Findings in a copy of the settings with planted files."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/host")
        os.makedirs(f"{folder}/kernels/model")
        for name in (".clang-tidy", "kernels/.clang-tidy"):
            shutil.copy(f"{root}/{name}", f"{folder}/{name}")
        commands = [{"directory": folder, "file": name, "command": f"cc -DNDEBUG -c {name}"} for _, name, _ in PLANTED]
        with open(f"{folder}/compile_commands.json", "w", encoding="utf-8") as file:
            json.dump(commands, file)
        for check, name, text in PLANTED:
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
            found = "".join(findings(command) for command in commands_of(program, folder, folder, f"{folder}/{name}"))
            if check not in found or (found and not check):
                sys.exit(f"{name}: planted {check or 'nothing'}, found {found or 'nothing'}")


def sources(root, build):
    """Host's sources that are compiled, and all kernels."""
    with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
        compiled = {os.path.normpath(os.path.join(entry["directory"], entry["file"])) for entry in json.load(file)}
    host = [path for path in compiled if path.startswith(f"{root}/host/") and path.endswith(".c")]
    if not host:
        sys.exit(f"{build}: compiles no file of {root}/host/")
    # The largest first, so that none of them is the last.
    return sorted(set(host + glob.glob(f"{root}/kernels/*/*.cl")) - {f"{root}/{LEFT_OUT}"},
                  key=lambda path: (path.endswith(".c"), -os.path.getsize(path)))


def main():
    root, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    program = tidy()
    if program is None:
        print("skipped: no clang-tidy 14")
        sys.exit(77)
    check_itself(program, root)
    paths = [os.path.abspath(path) for path in sys.argv[3:]] or sources(root, build)
    commands = [command for path in paths for command in commands_of(program, root, build, path)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [text for text in pool.map(findings, commands) if text]
    if found:
        print("\n".join(found))
        sys.exit(f"clang-tidy: findings in {len(found)} of {len(commands)} runs")
    print(f"clang-tidy: no finding in {len(paths)} files")


main()

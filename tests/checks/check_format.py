"""The format of the sources: check_format.py FOLDER

- No line of a source (C, C++, OpenCL C, Python, shell, CMake) is longer than 120 characters.
- clang-format, with the file .clang-format of FOLDER, would change none of the sources in C, C++ and OpenCL C. Where it
  is not version 14, whose output that is, this half is skipped (exit status 77 if nothing else is wrong).

Pages are checked by check_pages.py. First of all a spoiled folder has to fail, so that a check that finds nothing is
noticed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

COLUMNS = 120
FOLDERS = ("bench", "data", "host", "kernels", "tests")
FORMATTED = (".c", ".h", ".cc", ".cl")
MEASURED = FORMATTED + (".py", ".sh", ".cmake", "CMakeLists.txt")


def sources(root, endings):
    found = [name for name in os.listdir(root) if name.endswith(endings)]
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(path, name), root) for name in names if name.endswith(endings)]
    return sorted(found)


def long_lines(root):
    """A breach for each line that is too long."""
    for name in sources(root, MEASURED):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                length = len(line.rstrip("\n"))
                if length > COLUMNS:
                    yield f"{name}:{number}: {length} characters, at most {COLUMNS}"


def formatter():
    """clang-format 14; None: there is none."""
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(r"version 14\.", version):
                return name
    return None


def unformatted(root, program):
    """What the formatter says of all sources, a line for each place that it would change."""
    words = [program, "--style=file", "--dry-run", "-Werror", *sources(root, FORMATTED)]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if re.search(r": (error|warning):", line)]


def check_itself(root, program):
    """A folder with a long line and one that is not formatted has to fail in both."""
    with tempfile.TemporaryDirectory() as spoiled:
        shutil.copy(os.path.join(root, ".clang-format"), spoiled)
        os.mkdir(os.path.join(spoiled, "host"))
        with open(os.path.join(spoiled, "host", "long.py"), "w") as file:
            file.write("#" * (COLUMNS + 1) + "\n")
        with open(os.path.join(spoiled, "host", "wide.c"), "w") as file:
            file.write("int  wide;\n")
        if len(list(long_lines(spoiled))) != 1 or (program and not unformatted(spoiled, program)):
            sys.exit("a spoiled folder is not found out")


def main():
    root, program = sys.argv[1], formatter()
    check_itself(root, program)
    breaches = list(long_lines(root))
    if program:
        breaches += unformatted(root, program)
    print("\n".join(breaches))
    if breaches:
        sys.exit(f"{len(breaches)} breaches")
    if program is None:
        print("no clang-format 14: only the lengths of lines were looked at")
        sys.exit(77)
    print(f"format: no breach in {len(sources(root, MEASURED))} files")


main()

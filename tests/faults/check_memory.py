#!/usr/bin/env python3
"""Too little memory ends in a message and an exit code, or in the same file: single allocations of the program that
fail, and an address space that is limited.

usage: check_memory.py PROGRAM SHIM [--all]

SHIM: tests/faults/malloc_shim.c. --all: every allocation fails once instead of each 13th. Exit code 0: all is well;
1: a check failed; 77: packages are missing.
"""
import os
import resource
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import contents, differences, without_command
from program_checks import PROGRAM, check, failures

STUDY = """format: 1
variables: {h: {uniform: [0.2, 0.3]}, r: 0.05}
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: "=2*r"}}], position: [0, 0, $h]}
design: {monte_carlo: {samples: 8}}
solver: {end: 0.3}
outputs: {quantities: {height: {final: ball.position.z}, begun: {count: contact_begin}}, trajectory: {every: 0.1}}
"""
SHIM = os.path.abspath(sys.argv[2])
SAYS_FAILED = "shim: an allocation fails\n"
STRIDE = 1 if "--all" in sys.argv else 13
CODES = (1, 4, 5)  # memory; a file or a device that could not have any
RUN = ["run", "study.yaml", "-q", "-d", "native", "--overwrite", "-o", "out.h5", "--threads"]


def clack(words, before=None, **environment):
    return subprocess.run([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120,
                          preexec_fn=before, env=dict(os.environ, **environment))


def check_end(done, said, right, what):
    """A clean end; a run that went on has to have made the right file."""
    if done.returncode != 0:
        check(done.returncode in CODES and said.startswith(("clack: ", "to go on: ")),
              f"{what}: exit code {done.returncode}: {said}")
        check("memory" in said, f"{what}: tells nothing of memory: {said}")
    elif right is not None:
        check(differences(right, without_command(contents("out.h5"))) == [], f"{what}: another file")


def check_allocations(words, right):
    count = 0
    for number in range(1, 20000, STRIDE):
        done = clack(words, CLACK_TEST_FAIL_MALLOC=str(number), LD_PRELOAD=SHIM)
        if SAYS_FAILED not in done.stderr:
            break
        count += 1
        check_end(done, done.stderr.replace(SAYS_FAILED, ""), right, f"{words[0]}, allocation {number}")
    check(count > 300 / STRIDE, f"{words[0]}: {count} allocations have failed")
    print(f"{' '.join(words[:1] + words[-1:])}: {count} single allocations failed")


def check_address_space(words, right):
    codes = []
    for mega in range(60, 150, 6):
        limit = mega << 20
        done = clack(words, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check_end(done, done.stderr, right, f"{words[0]} within {mega} MiB")
        codes.append(done.returncode)
    check(codes[-1] == 0 and (words[0] == "validate" or codes[0] != 0), f"{words[0]}: exit codes {codes}")
    print(f"{' '.join(words[:1] + words[-1:])} within 60 to 144 MiB: exit codes {codes}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("study.yaml", "w") as file:
        file.write(STUDY)
    check(clack(RUN + ["1"]).returncode == 0, "the run itself")
    whole = without_command(contents("out.h5"))
    check_allocations(["validate", "study.yaml"], None)
    for threads in ("1", "2"):
        check_allocations(RUN + [threads], whole)
        check_address_space(RUN + [threads], whole)
    check_address_space(["validate", "study.yaml"], None)
sys.exit(1 if failures else 0)

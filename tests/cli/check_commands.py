#!/usr/bin/env python3
"""Help, completion, man page and self-test: what they say is what the program takes.

usage: check_commands.py PROGRAM SOURCE_FOLDER [--device [SHIM]] (self-test on an OpenCL device; the module device_shim)

Exit code 0: all is well; 1: a check failed.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
SHIM = os.path.abspath(sys.argv[4]) if sys.argv[4:] and sys.argv[4] else None # a call without one has an empty word
failures = []


def check(is_right, sentence):
    if not is_right:
        failures.append(sentence)
        print("wrong:", sentence)


def run(*words, code=0, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    check(code in (None, done.returncode),
          f"{' '.join(words)[:200]}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
    return done


def commands():
    return re.findall(r"^  (\w+) +\S", run(PROGRAM, "--help").stdout.split("COMMAND --help")[1], re.MULTILINE)


def long_options(text):
    return set(re.findall(r"--[a-z][a-z0-9-]*", text))


def check_examples(names):
    """The first line of every help, pasted into a shell in a folder that has data/."""
    os.symlink(os.path.join(SOURCE, "data"), "data")
    environment = {**os.environ, "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    has_gnuplot = shutil.which("gnuplot") is not None
    for words in [[]] + [[name] for name in names]:
        text = run(PROGRAM, *words, "--help").stdout
        example = text.splitlines()[0]
        check(example.startswith("  clack ") and text.splitlines()[1] == "",
              f"{words}: help begins with an example: {example}")
        if words == ["plot"] and not has_gnuplot:
            continue
        run("bash", "-c", "set -e; " + example, env=environment)


def check_completion(names):
    """bash completes the commands, of each command the options that its help names, files, and words."""
    script = run(PROGRAM, "completion", "bash").stdout
    complete = script + '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clack; printf "%s\\n" "${COMPREPLY[@]}"\n'

    def bash(*words):
        return run("bash", "-c", complete, "bash", *words).stdout.split()

    check(set(bash("clack", "")) == set(names) | {"-h", "--help", "-V", "--version"}, "bash: commands")
    check(set(bash("clack", "help", "")) == set(names) | {"flags", "statuses"}
          and bash("clack", "help", "me") == ["merge"],
          "bash: commands after help")
    check(bash("clack", "ex") == ["export"] and bash("clack", "re") == ["resume", "report"],
          "bash: the beginning of a command")
    for name in names:
        text = run(PROGRAM, name, "--help").stdout
        usage = text[text.index("Usage: "):]
        body = re.sub(r'"[^"]*"', "", usage)  # other commands are quoted
        told = long_options(body)
        taken = {word for word in bash("clack", name, "--") if word.startswith("--")}
        check(taken - {"--help"} == told - {"--help", "--install"},
              f"{name}: options taken {sorted(taken - told)}, told {sorted(told - taken)}")
    check(bash("clack", "run", "-d", "") == ["native", "gpu", "cpu"], "bash: devices")
    check(bash("clack", "run", "--device", "n") == ["native"], "bash: devices")
    check("ecdf" in bash("clack", "plot", "x.h5", "") and bash("clack", "plot", "x.h5", "sca") == ["scatter"],
          "bash: kinds of figures")
    check(bash("clack", "run", "dat") == [], "bash: files are left to the shell")
    check(bash("clack", "run", "--dr") == ["--dry-run"], "bash: the beginning of an option")
    for shell in "zsh", "fish":
        text = run(PROGRAM, "completion", shell).stdout
        for name in names:
            check(re.search(rf"\b{name}\b", text) is not None, f"{shell}: {name}")
        if shutil.which(shell) is not None:
            with open("script", "w") as out:
                out.write(text)
            run(shell, "-n", "script")
        else:
            print(f"{shell} is not there: its script is not tried")
    if shutil.which("fish") is not None:
        run("fish", "-c",
            "source script; complete -C 'clack run --dr' | grep -q dry-run; "
            "and complete -C 'clack export --x' | grep -q xdmf")
    run(PROGRAM, "completion", "tcsh", code=2)


def check_manual(names):
    page = run(PROGRAM, "manual").stdout
    plain = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")
    for name in names:
        for line in run(PROGRAM, name, "--help").stdout.splitlines():
            check(line.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti") in plain,
                  f"man page: {name}: {line}")
    with open("clack.1", "w") as out:
        out.write(page)
    if shutil.which("mandoc") is not None:
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", "clack.1"], stdout=subprocess.PIPE, text=True)
        told = [line for line in done.stdout.splitlines() if "missing date" not in line]
        check(told == [], f"mandoc: {told[:5]}")
    if shutil.which("man") is not None and shutil.which("groff") is not None:
        done = run("man", "--warnings", "-l", "clack.1", env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "140"})
        check(done.stderr == "" and "--time-limit T" in done.stdout, f"man: {done.stderr}")


def check_selftest():
    done = run(PROGRAM, "selftest", "-d", "native")
    lines = done.stdout.splitlines()
    check(len(lines) == 4 and all(line.startswith("ok ") for line in lines), f"selftest: {done.stdout}")
    document = json.loads(run(PROGRAM, "selftest", "-d", "native", "--json").stdout)
    check([item["name"] for item in document["checks"]] == ["device", "fall", "impact", "file"],
          f"selftest: {document}")
    run(PROGRAM, "selftest", "-d", "99", code=2)
    run(PROGRAM, "selftest", "-d", "native", code=4, env={**os.environ, "TMPDIR": "/nonexistent"})


def check_bench():
    """The documents of clack bench agree with themselves and with a run; laws are found again in times made of them."""
    run(PROGRAM, "bench", "W7", code=2)
    run(PROGRAM, "bench", "--time", "0", code=2)
    words = ("-d", "native", "--threads", "1", "--time", "0.02")
    document = json.loads(run(PROGRAM, "bench", "W1", "-n", "100", "-o", "bench.json", "--json", *words).stdout)
    points = document["workloads"][0]["points"]
    check([p["scenes"] for p in points] == [1, 10, 100], f"bench: {points}")
    check(document["ceilings"]["flops_per_s"] > 1e8 and document["ceilings"]["bytes_per_s"] > 1e7,
          f"bench: {document['ceilings']}")
    done = json.loads(run(PROGRAM, "run", "data/dropped_sphere.yaml", "-d", "native", "--threads", "1", "-o", "d.h5",
                          "--json").stdout)
    check(done["kernel_s"] <= done["run_s"] and done["device_bytes"] > 400 * done["scenes"],
          f"run: {done['kernel_s']}, {done['device_bytes']}")
    for p in points:
        check(p["scenes_failed"] == 0 and p["contacts_per_step"] == 1 and 0 < p["kernel_s"] <= p["run_s"],
              f"bench: {p}")
        check(abs(p["scenes_per_s"] * p["run_s"] / p["scenes"] - 1) < 1e-9 and p["impacts_per_scene"] >= 1,
              f"bench: {p}")
        # All 1,000 outer steps of the one free body, however many it took at once.
        check(abs(p["body_steps_per_s"] * p["run_s"] / p["scenes"] - 1000) < 1e-6, f"bench: {p}")
    # W1 is that of the programs in bench/peers, scene by scene.
    for row in json.loads(run(PROGRAM, "sample", "data/dropped_sphere.yaml", "--json").stdout)["rows"]:
        k = int(row[0])
        height, restitution = 0.8 + 0.4 * (k * 104729 % 1000) / 999, 0.5 + 0.45 * (k * 7919 % 1000) / 999
        check(row[1] == k and abs(row[2] - height) < 1e-15 and abs(row[3] - restitution) < 1e-15, f"W1: {row}")
    kept = json.load(open("bench.json"))
    check([p["scenes"] for p in kept["workloads"][0]["points"]] == [1, 10, 100], "bench: the file has what is printed")
    pairs = json.loads(run(PROGRAM, "bench", "pairs", "-n", "16", "--json", *words).stdout)["pairs"]
    # Of two solids by both methods, but for two spheres.
    check(len(pairs) == 44 + 35, f"bench: {len(pairs)} rows of pairs")
    methods = {(p["pair"], p["method"]) for p in pairs}
    check({("sphere-sphere", "closed"), ("half_space-hull", "closed"), ("box-box", "exact"), ("box-box", "mpr")}
          <= methods, f"bench: {sorted(methods)}")
    for p in pairs:
        for regime in "overlapping", "touching", "apart":
            check(p[regime]["not_ok"] == 0 and p[regime]["pairs_per_kernel_s"] > p[regime]["pairs_per_s"] > 0,
                  f"bench: {p['pair']}, {regime}")
    alone = json.loads(run(PROGRAM, "bench", "box-cylinder", "sphere-sphere", "-n", "16",
                           "--json", *words).stdout)["pairs"]
    check([(p["pair"], p["method"]) for p in alone]
          == [("sphere-sphere", "closed"), ("box-cylinder", "exact"), ("box-cylinder", "mpr")], f"bench: {alone}")
    check("no such part" in run(PROGRAM, "bench", "cylinder-box", code=2).stderr,
          "bench: shapes in an order that is not its own")
    code = json.loads(run(PROGRAM, "bench", "code", "--json", *words).stdout)
    # Native: nothing is told.
    check(code["code"] == [] and "pairs" not in code and "workloads" not in code, f"bench: {code}")
    made = {"device": {"name": "x", "platform": "y", "compute_units": 1},
            "workloads": [{"name": "W1", "points": [{"scenes": n, "run_s": 3e-3 + 2e-6 * n}
                                                    for n in (1, 10, 100, 1000, 10000, 100000)]}],
            "bodies": {"points": [{"bodies": n, "run_s": 4e-4 * n**1.25} for n in (1, 8, 27, 125)]}}
    json.dump(made, open("made.json", "w"))
    told = run(sys.executable, os.path.join(SOURCE, "bench", "scaling.py"), "made.json").stdout
    check(re.search(r"W1, x +6 +3 +2 +1500 +0 %", told) is not None and "p = 1.25" in told, f"scaling: {told}")


def check_inexact_native(device):
    """Where native's own arithmetic is another, --allow-inexact is for both devices that selftest compares."""
    flush = {**os.environ, "LD_PRELOAD": SHIM, "CLACK_TEST_FLUSH": "1"}
    if run(PROGRAM, "selftest", "-d", "native", code=None, env=flush).returncode == 0:
        print("inexact native: left out, the shim does not change the arithmetic of this processor")
        return
    done = run(PROGRAM, "selftest", "-d", device, "--allow-inexact", env=flush)
    check("ok     bits" in done.stdout, done.stdout)


def check_wrong_device():
    """Kernels with one constant changed are a device that computes something else."""
    listed = json.loads(run(PROGRAM, "devices", "--json").stdout)["devices"]
    usable = [device["device"] for device in listed if device["device"] != "native" and device["is_usable"]]
    if not usable:
        print("no OpenCL device: a wrong one is not tried")
        return
    done = run(PROGRAM, "selftest", "-d", usable[0])
    check("the same bits as native" in done.stdout, done.stdout)
    if SHIM: # with the kernels that were compiled just now
        check_inexact_native(usable[0])
    shutil.copytree(os.path.join(SOURCE, "kernels"), "kernels")
    with open("kernels/law/law_damping.h") as text:
        law = text.read()
    wrong = law.replace("4.0 / 3.0", "4.0 / 3.1")
    check(wrong != law, "the constant that is changed is there")
    with open("kernels/law/law_damping.h", "w") as out:
        out.write(wrong)
    done = run(PROGRAM, "selftest", "-d", usable[0], code=5,
               env={**os.environ, "CLACK_KERNEL_DIR": os.path.abspath("kernels"), "CLACK_CACHE": "0"})
    check("wrong  bits" in done.stdout and "ok     fall" in done.stdout and "not to be trusted" in done.stderr,
          done.stdout + done.stderr)


START = """
format: 1
variables: {e: {uniform: [0.25, 0.75]}}
scene:
  materials: {m: {young: 1.0e9, poisson: 0.5, density: 1000}, soft: {young: 1.0e6, poisson: 0.5, density: 500}}
  pairs:
    - {between: [m, m], restitution: $e, friction: 0.3}
    - {between: [m, soft], normal: {linear: {stiffness: 1.0e4, restitution: 0.5}}, friction: 0.1}
    - {between: [soft, soft], restitution: 0.5, friction: 0.1}
  bodies:
    ground: {fixed: true, material: m, shapes: [{half_space: {}}]}
    ball: {material: m, shapes: [{sphere: {diameter: 0.2}}], position: [0, 0, 1]}
    block: {material: m, shapes: [{box: {lengths: [0.2, 0.4, 0.6], smoothing: 0.005}}], position: [1, 0, 1]}
    egg: {material: m, shapes: [{ellipsoid: {lengths: [0.1, 0.2, 0.3]}, contact_radius: local}], position: [2, 0, 1]}
    pad: {material: soft, shapes: [{sphere: {diameter: 0.4}}], position: [3, 0, 1]}
    eye: {fixed: true, material: observer, shapes: [{sphere: {diameter: 0.1}}], position: [9, 0, 0]}
design: {monte_carlo: {samples: 2}}
solver: {method: events, end: 0.1}
"""


def check_start():
    """validate -v: what the study says through several of its numbers."""
    with open("start.yaml", "w") as out:
        out.write(START)
    told = run(PROGRAM, "validate", "-v", "start.yaml").stdout
    restitution = float(run(PROGRAM, "sample", "start.yaml", "--csv").stdout.splitlines()[1].split(",")[1])
    mass = 1000 * 4 / 3 * math.pi * 0.1**3
    for line in [f"ball: {mass:.6g} kg, principal moments {0.4 * mass * 0.01:.6g}", "block: 48 kg, principal moments",
                 "box, radius of contact 0.1 m (flat), edges rounded by 0.005 m", "ellipsoid, radius of contact local",
                 f"ground - ball: R* 0.1 m, modulus 6.66667e+08 Pa, restitution {restitution:.6g}, damping flores",
                 "ball - block: R* 0.1 m,",
                 "ground - block: R* 0.1 m (of sizes, by default: contact_radius),", "ball - egg: R* local,",
                 "ball - pad: linear, stiffness 10000 N/m, friction 0.1", "ball - eye: observed, without force"]:
        check(line in told, f"{line!r} in {told}")
    check("ground - eye" not in told and "more pairs" not in told, told)
    # What tests/validation/impact.group.yaml has of impacts: relation (R) of the contact law with 30 digits.
    for damping, given, gives in [("flores", 0.3, 0.25620791), ("flores", 0.9, 0.89392069),
                                  ("hunt_crossley", 0.3, 0.58128804), ("lankarani_nikravesh", 0.1, 0.66526541),
                                  ("hu_guo", 0.01, 0.0067340067), ("herbert_mcwhannell", 0.5, 0.59362426),
                                  ("lee_wang", 0.7, 0.86934311), ("gonthier", 0.4, 0.39778709), ("none", 0.3, 1),
                                  ("flores", 0, 0), ("exact", 0.01, None), ("exact", 0.3, None), ("exact", 1, None),
                                  ("hu_guo", 1, None)]:
        told = run(PROGRAM, "validate", "-v", "start.yaml", "--set", f"scene.pairs[0].restitution={given}", "--set",
                   f"scene.pairs[0].damping={damping}").stdout
        line = next(line for line in told.splitlines() if "ground - ball:" in line)
        wanted = f"restitution {given}, damping {damping}"
        if gives is not None and gives != given:
            wanted += f" (gives {gives:.4g})"
        check(f"{wanted}, friction 0.3" in line, f"{wanted} in {line}")
    told = run(PROGRAM, "validate", "-v", "start.yaml", "--set", "scene.bodies.ball.count=10").stdout
    # of 13 free and 2 fixed bodies, but the two fixed with each other
    check(f"and {15 * 14 // 2 - 1 - 30} more pairs of shapes" in told, told)
    check("scene 0" not in run(PROGRAM, "validate", "start.yaml").stdout, "without -v")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        names = commands()
        check(len(names) >= 14 and "run" in names, f"commands: {names}")
        if sys.argv[3:4] == ["--device"]:
            check_wrong_device()
        else:
            check_examples(names)
            check_start()
            check_completion(names)
            check_manual(names)
            check_selftest()
            check_bench()
            evaluated = run(PROGRAM, "evaluate", "data/bouncing_sphere.yaml", "bouncing_sphere.h5", "-o", "e.h5", "-q",
                            "--json", "-d", "native")
            check(json.loads(evaluated.stdout)["output"] == "e.h5"
                  and json.loads(evaluated.stdout)["configurations"] > 10, evaluated.stdout)
        os.chdir("/")
    if not failures:
        print("commands do what they say")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

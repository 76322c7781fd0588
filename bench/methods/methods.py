#!/usr/bin/env python3
"""Methods beside each other on five scenes: how far each is from its own converged answer, and what that takes.

usage: methods.py PROGRAM [-o FILE] [SCENE]...

PROGRAM: build/clack. SCENE: bounce, roll, rock, pile, wedge; default: all. One thread; a row for each setting:
milliseconds of a scene (least of up to three runs, within 5 s) and, of each quantity, its largest distance in a scene
from the finest setting of the same method, by `clack compare`. FILE: where the table goes too.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS, ENOUGH_MS = 3, 5000  # of a setting; of all its runs

# Method: settings, the finest last, with which it is compared.
SETTINGS = {
    "events": [{"solver.accuracy": word} for word in ("fast", "default")] +
              [{"solver.accuracy": "accurate", "solver.step": 0.00025}],
    "rk4": [{"solver.step": step} for step in (1e-4, 2.5e-5, 6.25e-6)],
    "trapezoidal": [{"solver.accuracy": "fast"}, {"solver.accuracy": "default"},
                    {"solver.accuracy": "accurate", "solver.step": 0.00025}],
    "quasi_rigid": [{"solver.step": step} for step in (1e-2, 2.5e-3, 6.25e-4)] +
                   [{"solver.theta": 0.5, "solver.step": step} for step in (1e-2, 2.5e-3, 6.25e-4, 1.5625e-4)],
}
SCENES = ("bounce", "roll", "rock", "pile", "wedge")
TIME_LIMIT_S = 120


def words(method, settings):
    pairs = {"solver.method": method, **settings}
    return [word for key, value in pairs.items() for word in ("--set", f"{key}={value}")]


def run(program, scene, method, settings, output):
    """Kernel time of a scene in ms (None where it took too long or failed), scenes, what is told of them."""
    command = [program, "run", os.path.join(HERE, f"{scene}.yaml"), "-d", "native", "--threads", "1", "-q", "--json",
               "--overwrite", "-o", output, *words(method, settings)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None, 0, f"more than {TIME_LIMIT_S} s"
    told = json.loads(done.stdout)
    if told["exit_code"] not in (0, 6):
        return None, 0, told["errors"][0]["message"] if told["errors"] else f"exit code {told['exit_code']}"
    notes = [f"{count} {name}" for name, count in told["statuses"].items() if name != "ok"]
    notes += [f"{count} {name}" for name, count in told["flags"].items()]
    return 1e3 * told["kernel_s"] / told["scenes_run"], told["scenes_run"], ", ".join(notes)


def spent_ms(tries):
    return sum(time * scenes for time, scenes, _ in tries)


def rows_of(program, scene, method):
    """Rows of a table."""
    files, times = [], []
    for k, settings in enumerate(SETTINGS[method]):
        output = f"{scene}_{method}_{k}.h5"
        tries = [run(program, scene, method, settings, output)]
        while len(tries) < RUNS and None not in tries[-1] and spent_ms(tries) < ENOUGH_MS:
            tries.append(run(program, scene, method, settings, output))
        taken = [time for time, _, _ in tries if time is not None]
        times.append((min(taken) if taken else None, tries[-1][2]))
        files.append(output if taken else None)
    rows = []
    for settings, file, (time, note) in zip(SETTINGS[method], files, times):
        name = ", ".join(f"{key.split('.')[1]} {value}" for key, value in settings.items())
        errors = "finest"
        if file is None or files[-1] is None:
            errors = ""
        elif file != files[-1]:
            done = subprocess.run([program, "compare", files[-1], file, "--json"], stdout=subprocess.PIPE, text=True,
                                  check=False)
            told = json.loads(done.stdout)
            errors = ", ".join(f"{q['name']} {abs(q['files'][1]['largest'] or 0):.1e}" for q in told["quantities"])
        rows.append(f"| {scene} | {method} | {name} | {'' if time is None else f'{time:.3g}'} | {errors} | {note} |")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("-o", "--output")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    arguments = parser.parse_intermixed_args()
    program = os.path.abspath(arguments.program)
    output = os.path.abspath(arguments.output) if arguments.output else None
    lines = ["| scene | method | setting | ms a scene | from its finest, largest of all scenes | flags and failures |",
             "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="clack_methods_") as folder:
        os.chdir(folder)
        print("\n".join(lines), flush=True)
        for scene in arguments.scenes or SCENES:
            for method in SETTINGS:
                rows = rows_of(program, scene, method)
                print("\n".join(rows), flush=True)
                lines += rows
        os.chdir("/")
    if output is not None:
        with open(output, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

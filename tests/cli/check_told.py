#!/usr/bin/env python3
"""What commands tell people: flags and statuses in sentences, events of one scene, times and rates of runs that were
stopped, files in the way; what makes answers doubtful; numbers that were hardly meant.

usage: check_told.py PROGRAM SOURCE_FOLDER

Exit code 0: all is well; 1: a check failed.
"""
import glob
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program_checks import PROGRAM, SOURCE, check, clack, failures

DEEP = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.01],
           angular_velocity: [0, 0, $spin]}
    twin: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 1]}
variables: {spin: {uniform: [0, 1]}}
design: {monte_carlo: {samples: 3}}
solver: {end: 0.001}
outputs: {quantities: {height: {final: ball.position.z}}}
"""


def page_table(heading):
    """Names and texts of a table of host/record/README.md, without marks of code."""
    with open(os.path.join(SOURCE, "host", "record", "README.md")) as file:
        section = re.search(rf"^## {heading}\n(.*?)^## ", file.read(), re.M | re.S).group(1)
    rows = {}
    for numbers, names, text in re.findall(r"^\| ([\d, ]+) \| (.*?) \| (.*) \|$", section, re.M):
        for number, name in zip(numbers.split(", "), names.split(", ")):
            rows[name.strip("`")] = (int(number), text.replace("`", ""))
    return rows


def told_topics():
    """`clack help flags` and `statuses`: every one of the page, with the sentence that the page begins with."""
    topics = {}
    for topic, heading in (("flags", "Flags"), ("statuses", "Status of a scene")):
        text = clack("help", topic).stdout
        told = dict(re.findall(r"^  (\w+)  +(\S.*)$", text, re.M))
        page = page_table(heading)
        check(set(told) == set(page) and len(told) > 12, f"{topic}: told {sorted(told)}, on the page {sorted(page)}")
        for name, sentence in told.items():
            check(page.get(name, (0, ""))[1].startswith(sentence), f"{name}: the page does not begin with {sentence!r}")
            check(sentence.startswith("kept for later") or ":" in sentence or name == "ok",
                  f"{name}: what to do is not told: {sentence!r}")
        order = [page[name][0] for name in told if name in page]
        check(order == sorted(order), f"{topic}: order {order}")
        topics[topic] = told
    clack("help", "flag", code=2, says="flag")
    return topics


def check_flagged(flags):
    """What `info` and the page of `report` tell of a file with a flag; of one without, nothing."""
    with open("deep.yaml", "w") as out:
        out.write(DEEP)
    clack("run", "deep.yaml", "-d", "native", "-q")
    clack("run", "deep.yaml", "-d", "native", "-q", "-o", "well.h5", "--set", "scene.bodies.ball.position[2]=0.2")
    sentence = flags["deep_start"]
    text = clack("info", "deep.h5").stdout
    check(f"flags:      deep_start 3 (scenes 0, 1, 2)" in text and f"\n  deep_start: {sentence}\n" in text, text)
    check("deep_start" not in clack("info", "well.h5").stdout, "info: a flag that no scene has")
    for name, count in ("deep", 1), ("well", 0):
        clack("report", f"{name}.h5", "-q", "-o", f"{name}.html")
        with open(f"{name}.html") as file:
            check(file.read().count(sentence) == count, f"{name}.html: sentences of flags")
    told = clack("run", "deep.yaml", "-d", "native", "--overwrite").stderr
    check("clack help flags" in told, f"a summary with flags does not say where they are explained: {told}")


def check_statuses(statuses):
    clack("run", "deep.yaml", "-d", "native", "-q", "-o", "few.h5", "--set", "scene.bodies.ball.position[2]=1",
          "--max-failures", "3")
    text = clack("info", "few.h5").stdout
    check("status:     coincident 3\n" in text and f"\n  coincident: {statuses['coincident']}\n" in text, text)
    clack("report", "few.h5", "-q")
    with open("few.html") as file:
        check(statuses["coincident"] in file.read(), "few.html: the sentence of a status")


def check_scene():
    """--scene: the first events, all, none."""
    study = os.path.join(SOURCE, "data", "ten_spheres.yaml")

    def events(*words):
        text = clack("run", study, "--scene", "0", "-d", "native", *words).stdout
        return text, re.findall(r"^  [\d.e-]+  (?:begin|end|rest|wake) ", text, re.M)

    text, rows = events("-v")
    count = int(re.search(r"events (\d+)$", text, re.M).group(1))
    check(len(rows) == count and count > 100 and "more (" not in text, f"-v: {len(rows)} of {count} events")
    some, first = events()
    check(first == rows[:20] and some.endswith(f"  and {count - 20} more (-v: all)\n"), some[-200:])
    few, none = events("-q")
    check(none == [] and few.startswith("scene 0\nstatus ok at 1 s; ") and "\nquantities\n" in few, few)
    check("bodies at the end" in some and "bodies at the end" not in few and len(few.splitlines()) < 25, few)


CAN = """format: 1
variables:
  spin: {uniform: [0, 10]}
  e: {uniform: [0.3, 1.6]}
scene:
  bodies:
    table: {fixed: true, material: dry_wood, shapes: [{half_space: {}}]}
    can:
      material: steel
      mass: 0.35
      shapes: [{cylinder: {diameter: 0.066, length: 0.115}}]
      position: [0, 0, 0.2]
      angular_velocity: {unit_vector: {length: $spin}}
design: {monte_carlo: {samples: 3}}
solver: {end: 0.05}
"""


def told_of(text, *words, code=0, command="validate"):
    with open("can.yaml", "w") as file:
        file.write(text)
    return clack(command, "can.yaml", *words, code=code).stderr


def check_hardly_meant():
    """Densities that no material has, ranges that variables leave, overrides of sections that are not there."""
    can = CAN.replace("  e: {uniform: [0.3, 1.6]}\n", "")
    check(told_of(can) == "", told_of(can)) # a spin from 0 is one, and the density that of a can
    for mass, density in ("350", "8.9e+05"), ("1.0e-5", "0.0254"):
        told = told_of(can.replace("mass: 0.35", f"mass: {mass}"))
        check(f"can.yaml:9:13: scene.bodies.can.mass: warning: " in told and f"{density} kg/m3" in told, told)
    for mass in "8", "0.0001": # 20,300 kg/m3; 0.25
        told = told_of(can.replace("mass: 0.35", f"mass: {mass}"))
        check(told == "", told)
    copies = can.replace("    can:\n", "    can:\n      count: 3\n").replace("mass: 0.35", 'mass: "=350*number"')
    copies = copies.replace("position: [0, 0, 0.2]", 'position: ["=number", 0, 0.2]')
    check(told_of(copies).count("warning: ") == 1, told_of(copies))
    pairs = "  pairs: [{between: [steel, dry_wood], restitution: $e}]\n  bodies:\n"
    told = told_of(CAN.replace("  bodies:\n", pairs), code=3)
    check("expected a number from 0 to 1, found $e of line 4, which can be as high as 1.6\n" in told, told)
    told = told_of(CAN.replace("  bodies:\n", pairs).replace("{uniform: [0.3, 1.6]}", "{normal: [0.3, 1]}"), code=3)
    check('found $e of line 4, which can be as low as -inf: give "lower"\n' in told, told)
    told = told_of(can.replace("{half_space: {}}", "{half_space: {normal: {unit_vector: {length: $spin}}}}"), code=3)
    check("normal.unit_vector.length: expected a number > 0, found $spin of line 3" in told, told)
    told = told_of(can, "--set", "scene.materials.dry_wood.young=1e9", code=3)
    hint = "scene.materials={dry_wood: {young: 1e9}}"
    check(f"the study has no scene.materials; write --set '{hint}'\n" in told, told)
    check(told_of(can, "--set", hint) == "", "the override that is told is wrong")
    told = told_of(can, "--set", "scene.bodyes.can.mass=1", code=3)
    check(told.endswith("the study has no scene.bodyes\n"), told)


def check_doubts():
    """Scenes in which nothing has come to rest, beside others; bodies that never touch; forces that are 0."""
    nothing = "no bodies have touched in any scene"
    can = CAN.replace("  e: {uniform: [0.3, 1.6]}\n", "")
    run = ["-d", "native", "--overwrite", "-o", "can.h5"]
    check(nothing in told_of(can, *run, command="run"), "no contact in any scene")
    check(nothing not in told_of(can, *run, "--set", "solver.end=0.3", command="run"), "contacts")
    off = can + "outputs: {events: false}\n"
    check(nothing not in told_of(off, *run, "--set", "solver.end=0.3", command="run"), "contacts that are not recorded")
    observed = can.replace("material: dry_wood", "material: observer")
    check(nothing not in told_of(observed, *run, command="run"), "observed")
    lying = can.replace("0, 0, 0.2", "0, 0, 0.0575").replace("spin: {uniform: [0, 10]}", "spin: {discrete: [0, 20]}")
    check(nothing not in told_of(lying, *run, command="run"), "contacts from the beginning")
    outputs = "outputs: {quantities: {speed: {final: can.speed}, " \
              "load: {max: net_force.z, between: [can, table]}, push: {max: net_force.z, between: [table, can]}}}\n"
    lying = lying.replace("samples: 3", "samples: 8").replace("solver: {end: 0.05}", "solver: {end: 0.3}")
    told = told_of(lying + outputs, *run, command="run")
    moving = re.search(r"  nothing has come to rest at the end of (\d) scenes\n", told)
    check(moving is not None and 0 < int(moving[1]) < 8, told)
    text = clack("info", "can.h5").stdout
    line = "moving:     nothing has come to rest at the end of {} scenes\n"
    check(moving is not None and line.format(moving[1]) in text, text)
    hint = ": 0 in each; a net_force `between` two is that on the second by the first\n"
    check(re.search(r"  load .* of 8 scenes" + re.escape(hint), text) is not None and text.count(hint) == 1, text)
    of_one = "outputs: {quantities: {top: {max: can.net_force.z}, touch: {max: can.contact_force}}}\n"
    told_of(can + of_one, *run, command="run")
    text = clack("info", "can.h5").stdout
    check(re.search(r"  top .* max 0, of", text) is not None and "between" not in text, text)
    for label, other in ("no final quantity", lying), ("all at rest", lying.replace("[0, 20]", "[0, 0]") + outputs):
        check("come to rest" not in told_of(other, *run, command="run"), label)
        check("come to rest" not in clack("info", "can.h5").stdout, label)


def on_terminal(*words):
    """What the program tells on a terminal, as on stderr."""
    reader, writer = pty.openpty()
    process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    text = b""
    while True:
        try:
            piece = os.read(reader, 65536)
        except OSError: # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(reader)
    process.wait()
    return text.decode()


def check_stopped():
    """Times, rates and batches of a run that its limit ends, and of the one that goes on with it, are their own."""
    study, limit_s = os.path.join(SOURCE, "data", "ten_spheres.yaml"), 1.5
    scenes = 1024 # far more than can be run
    began_s = time.monotonic()
    done = clack("run", study, "-d", "native", "--threads", "1", "--batch", str(scenes), "--time-limit",
                 str(limit_s), "--json", "-v", "-o", "s.h5", "--set", f"design.monte_carlo.samples={scenes}", code=130)
    wall_s = time.monotonic() - began_s
    told = json.loads(done.stdout)
    check(0 < told["scenes_run"] < scenes, f"{told['scenes_run']} scenes in {limit_s} s")
    check(0.6 * limit_s < told["run_s"] < wall_s, f"a stopped run of {wall_s} s tells {told['run_s']} s")
    check(told["batch_scenes"] == scenes and f"scenes per batch {scenes}" in done.stderr, f"batch: {done.stderr}")
    line = re.search(rf"(\d+) of {scenes} scenes in ([\d.]+) s \(([\d.]+)/s\)", done.stderr)
    check(line is not None and int(line[1]) == told["scenes_run"]
          and abs(float(line[3]) - told["scenes_run"] / told["run_s"]) < 0.51, done.stderr)
    kept = told["scenes_run"]
    text = on_terminal("resume", "s.h5", "--time-limit", str(limit_s), "-v")
    line = re.search(rf"(\d+) of {scenes} scenes, (\d+) of them now in ([\d.]+) s \(.* output ([\d.]+) s", text)
    check(line is not None and int(line[1]) == kept + int(line[2]) and f"{kept} run before" in text
          and float(line[3]) > 0 and float(line[3]) + float(line[4]) > 0.6 * limit_s, text)


def check_rates():
    """Progress of a run that goes on tells no rate before a scene of its own is done; a scene takes a second."""
    study = os.path.join(SOURCE, "data", "packed_spheres.yaml")
    process = subprocess.Popen([PROGRAM, "run", study, "-d", "native", "-q", "--batch", "1", "--checkpoint", "0", "-o",
                                "p.h5"], stderr=subprocess.DEVNULL)
    while process.poll() is None and not glob.glob("p.h5.parts/b*.h5"):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait()
    text = on_terminal("resume", "p.h5", "--time-limit", "1.5")
    kept = re.search(r"(\d+) run before", text)
    shown = re.findall(r"(\d+)/16 scenes, \d+ %([^\r\n]*)", text)
    check(kept is not None and any(now == kept[1] for now, _ in shown), f"nothing was shown at once: {text}")
    for now, rest in shown:
        check(now != kept[1] or "left" not in rest, f"a rate of no scene: {now}{rest}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["CLACK_DATA_DIR"] = os.path.join(SOURCE, "data")
        topics = told_topics()
        check_flagged(topics["flags"])
        check_statuses(topics["statuses"])
        check_scene()
        check_hardly_meant()
        check_doubts()
        check_stopped()
        check_rates()
        os.chdir("/")
    if not failures:
        print("what is told is right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Rows and states of runs without a file, and tables as numbers: check_rows.py CLACK ROOT LIBRARY

The same bits as in the file that the run writes; the same scenes as of a CSV file with those numbers.
Exit status 77 without cffi, pandas or xarray.
"""
import os
import subprocess
import sys
import tempfile

PROGRAM, ROOT, LIBRARY = sys.argv[1:4]
os.environ["CLACK_LIBRARY"] = LIBRARY
os.environ["CLACK_DATA_DIR"] = os.path.join(ROOT, "data")
sys.path.insert(0, os.path.join(ROOT, "host", "python"))
try:
    import cffi  # noqa: F401
    import numpy
    import pandas  # noqa: F401
    import xarray  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import clack

# Bodies that some scenes do not have, contacts, rest.
SOME_BALLS = """format: 1
variables: {n: {integer: [0, 4]}, h: {uniform: [0.06, 0.2]}}
scene:
  bodies:
    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {count: $n, material: steel, shapes: [{sphere: {diameter: 0.1}}], position: ["=0.3*number", 0, $h]}
    thing: {material: steel, shapes: [{box: {lengths: [0.1, 0.1, 0.1]}}], position: [-1, 0, 0.06]}
design: {monte_carlo: {samples: 30, seed: 2}}
solver: {end: 0.5}
outputs:
  quantities:
    x: {final: thing.position.x}
    z: {final: thing.position.z}
    w: {final: thing.angular_velocity.y}
  contacts: {every: 0.01, scenes: 20}
  trajectory: {every: 0.1, scenes: 30}
  events: true
"""
# Joints and a force over time; no two bodies touch.
JOINTS = """format: 1
variables: {m: {uniform: [1, 3]}}
scene:
  bodies:
    hook: {fixed: true}
    rod: {mass: {mass: 2, inertia: [0.01, 0.17, 0.17]}, position: [0.5, 0, 0]}
    load: {mass: {mass: $m, inertia: [0.1, 0.1, 0.1]}, position: [1, 0, -0.6]}
  joints:
    hinge: {kind: revolute, between: [hook, rod], at: [0, 0, 0], axis: [0, 1, 0]}
    rope: {kind: distance, between: [rod, load], at: [[1, 0, 0], [1, 0, -0.5]]}
  forces:
    wind: {body: load, force: ["=3*sin(4*t)", 0, 0]}
design: {monte_carlo: {samples: 6, seed: 3}}
solver: {method: trapezoidal, step: 1.0e-3, end: 0.1}
outputs: {contacts: {every: 0.01, scenes: 4}, trajectory: {every: 0.05, scenes: 6}, events: true}
"""
# Contact regions, which have areas.
REGIONS = """format: 1
variables: {h: {uniform: [0.0001, 0.002]}}
scene:
  bodies:
    floor: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    solid: {material: steel, shapes: [{mesh: {file: icosahedron.obj}}], position: [0, 0, "=1.61803 + h"]}
design: {monte_carlo: {samples: 4, seed: 3}}
solver: {method: trapezoidal, step: 1.0e-4, end: 0.08}
outputs: {contacts: {every: 0.002}, trajectory: {every: 0.04}, events: true}
"""
ALL = ("events", "contacts", "joints", "states", "trajectory")


def same(mine, file, what):
    """Equal bits, or equal words and numbers of any width."""
    mine, file = numpy.asarray(mine), numpy.asarray(file)
    assert mine.shape == file.shape, (what, mine.shape, file.shape)
    if file.dtype.kind == "f":
        assert mine.dtype == file.dtype, (what, mine.dtype)
        # NaN is one value in a file.
        assert (mine.view(numpy.uint64) == file.view(numpy.uint64))[~numpy.isnan(file)].all(), what
        assert (numpy.isnan(mine) == numpy.isnan(file)).all(), what
    else:
        assert (mine == file).all(), what


def compare(result, path):
    """Rows of a result against those of the file; how many there are of each table."""
    counts = {}
    with clack.open(path) as ensemble:
        for table in ALL[:3]:
            mine, file = getattr(result, table), getattr(ensemble, table)
            counts[table] = len(mine)
            if file is None:
                assert len(mine) == 0, table
                continue
            assert [name for name in mine.columns if name != "area" or "area" in file] == list(file.columns), (
                table, list(mine.columns), list(file.columns))
            for name in file.columns:
                same(mine[name].values, file[name].values, f"{table}.{name}")
        frames = ensemble.trajectory
        last = frames.isel(time=-1)
        recorded = result.states.sel(scene=last["scene"].values)
        assert abs(recorded["time"].values - float(last["time"])).max() < 1e-12
        for name in ("position", "orientation", "velocity", "angular_velocity"):
            same(recorded[name].values, last[name].values, f"states.{name}")
            assert result.trajectory[name].dims == frames[name].dims, name
            same(result.trajectory[name].values, frames[name].values, f"trajectory.{name}")
        assert abs(result.trajectory["time"].values - frames["time"].values).max() < 1e-12
        assert (result.trajectory["scene"].values == frames["scene"].values).all()
        assert recorded["position"].dims == ("scene", "body", "xyz")
    return counts


def check_rows(folder):
    """Events, contacts, joints and final states are those of the file, bit by bit, also from a run without one."""
    wanted = {"balls": ("events", "contacts"), "joints": ("joints",), "regions": ("events", "contacts")}
    for name, study in ("balls", SOME_BALLS), ("joints", JOINTS), ("regions", REGIONS):
        out = os.path.join(folder, name + ".h5")
        where = dict(device="native", folder=os.path.join(ROOT, "data"), rows=ALL)
        if name == "regions":
            os.symlink(os.path.join(ROOT, "data", "icosahedron.obj"), os.path.join(folder, "icosahedron.obj"))
        written = clack.run(study, output=out, **where)
        alone = clack.run(study, **where)
        for result in written, alone:
            counts = compare(result, out)
            assert all((counts[table] > 7) == (table in wanted[name]) for table in ALL[:3]), (name, counts)
        print(f"  {name}: {counts}")
        if name == "regions":
            assert (alone.contacts["area"] > 0).all()
        if name == "balls":
            assert set(alone.events["kind"]) == {"begin", "end", "rest"}
            same(alone.states["position"].sel(body="thing", xyz="z").values, alone["z"], "z")
            same(alone.states["angular_velocity"].sel(body="thing", xyz="y").values, alone["w"], "w")
            there = ~numpy.isnan(alone.states["position"].sel(xyz="x").values)
            assert (there[:, 1:5].sum(1) == alone["n"]).all() and there[:, [0, 5]].all() and not there.all()
            spoiled = clack.run(study, overrides={"scene.gravity": "[0, 0, -9.80000001]"}, **where)
            try:
                compare(spoiled, out)
            except AssertionError:
                spoiled = None
            assert spoiled is None, "other rows are taken for the same"
    nothing = clack.run(SOME_BALLS, device="native")
    assert [getattr(nothing, name) for name in ALL] == [None] * 5 and nothing.event_count > 0
    some = clack.run(SOME_BALLS, device="native", scenes=[7, 3], rows=["events"])
    whole = clack.run(SOME_BALLS, device="native", rows=["events"]).events
    assert some.events.equals(whole[whole.scene.isin([3, 7])].reset_index(drop=True)) and some.states is None
    assert clack.run(SOME_BALLS, device="native", scenes=[3], rows="events").events.equals(
        whole[whole.scene == 3].reset_index(drop=True))
    try:
        clack.run(SOME_BALLS, rows=["events", "frames"])
    except clack.UsageError as error:
        assert "rows: expected some of" in str(error), error
    else:
        raise AssertionError("rows that there are none of")


def refused(words, **options):
    try:
        clack.run(SOME_BALLS, device="native", **options)
    except clack.UsageError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{options}: not refused")


def check_chosen(folder):
    """A scene that is asked for has its trajectory, as a table and in a file, also after those that are recorded."""
    few = {"outputs.trajectory.scenes": 2}
    whole = clack.run(SOME_BALLS, device="native", rows="trajectory").trajectory
    assert whole["position"].shape == (30, 6, 6, 3), whole.sizes
    chosen = clack.run(SOME_BALLS, device="native", overrides=few, scenes=[17, 4], rows=["trajectory"]).trajectory
    assert chosen["scene"].values.tolist() == [4, 17]
    same(chosen["position"].values, whole["position"].sel(scene=[4, 17]).values, "chosen")
    first = clack.run(SOME_BALLS, device="native", overrides=few, rows=["trajectory"]).trajectory
    assert first["scene"].values.tolist() == [0, 1]
    out = os.path.join(folder, "chosen.h5")
    result = clack.run(SOME_BALLS, device="native", overrides=few, scenes=[17], output=out)
    assert result.scenes.tolist() == [17]
    with clack.open(out) as ensemble:
        assert ensemble.trajectory["scene"].values.tolist() == [17]
        same(ensemble.trajectory["position"].values, whole["position"].sel(scene=[17]).values, "in a file")
    # Frames that nobody takes are not recorded: these would have 3e11 bytes.
    fine = {"outputs.trajectory": "{every: 1.0e-9, scenes: 1}"}
    assert clack.run(SOME_BALLS, device="native", overrides=fine, scenes=[17]).scenes.tolist() == [17]
    refused("one scene goes into a file, found 2", scenes=[17, 4], output=out, overwrite=True)
    refused("from 0, found [-1]", scenes=[-1])
    refused("found [0.5]", scenes=[0.5])
    refused("the study has 30 scenes", scenes=[30])
    without = SOME_BALLS.replace("  trajectory: {every: 0.1, scenes: 30}\n", "")
    try:
        clack.run(without, device="native", rows="trajectory")
    except clack.UsageError as error:
        assert "no trajectory" in str(error), error
    else:
        raise AssertionError("a trajectory that the study does not record")
    short = clack.run(SOME_BALLS, device="native", scenes=[3], rows="trajectory",
                      overrides={"solver.work_limit": 0.01}) # its frames end where it failed
    assert short.status.tolist() == ["step_limit"] and 0 < short.trajectory.sizes["time"] < 6, short.trajectory


# --- tables ---------------------------------------------------------------------------------------

DROP = """format: 1
variables: {h: {column: h}, e: {column: e}}
scene:
  pairs: [{between: [steel, steel], restitution: $e, damping: exact}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.04}}], position: [0, 0, "=h + 0.02"]}
design: {table: TABLE}
solver: {end: 0.4}
outputs: {quantities: {speed: {speed_of: contact_begin, n: 1}, exit: {speed_of: contact_end, n: 1}}}
"""


def told(source, **options):
    """What a study is refused with, place and table's name left out; None: it is right."""
    try:
        clack.Study(source, **options)
    except (clack.StudyError, clack.UsageError) as error:
        return [problem.message for problem in error.problems]
    return None


def check_tables(folder):
    """A table as numbers makes the scenes of a CSV file with the same, and is refused with the same words."""
    csv, study = os.path.join(folder, "drop.csv"), os.path.join(folder, "drop.yaml")
    open(study, "w").write(DROP.replace("TABLE", "drop.csv"))

    def write(names, rows):
        open(csv, "w").write("\n".join([",".join(names)] + [",".join(map(repr, row)) for row in rows.tolist()]) + "\n")
    random = numpy.random.default_rng(4)
    values = numpy.column_stack([random.uniform(0.1, 0.3, 50), random.uniform(0.2, 0.9, 50)])
    write(["h", "e"], values)
    of_file, of_numbers = clack.run(study, device="native"), clack.run(study, table=values, columns=["h", "e"],
                                                                       device="native")
    for name in ("h", "e", "speed", "exit"):
        same(of_numbers[name], of_file[name], name)
    same(of_numbers["e"], values[:, 1], "e")
    subprocess.run([PROGRAM, "run", study, "-q", "-d", "native", "-o", os.path.join(folder, "drop.h5")], check=True)
    with clack.open(os.path.join(folder, "drop.h5")) as ensemble:
        same(of_numbers["exit"], ensemble.scenes["exit"].values, "exit of the program")
    for at, value, words in ((31, 1.5, 'expected a number from 0 to 1, found 1.5 in column "e", of scene 31'),
                             (7, numpy.nan, 'column "e": expected a number, found nan of scene 7'),
                             (0, -numpy.inf, 'column "e": expected a number, found -inf of scene 0')):
        wrong = values.copy()
        wrong[at, 1] = value
        write(["h", "e"], wrong)
        of_file, of_numbers = told(study), told(study, table=wrong, columns=["h", "e"])
        assert of_numbers == [words], of_numbers
        in_csv = words.split(" of scene")[0] if not numpy.isfinite(value) else words
        assert of_file is not None and len(of_file) == 1 and of_file[0].replace('"', "") == in_csv.replace('"', ""), (
            of_file, in_csv)
    write(["h", "f"], values)
    options = dict(table=values, columns=["h", "f"], overrides={"variables.e": "{column: e}"})
    assert told(study) == ['unknown column "e"'] == [line for line in told(study, **options) if "changes" not in line]
    many = values.copy()
    many[:, 0] = numpy.nan
    assert len(told(study, table=many, columns=["h", "e"])) == 20 # and no more


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for check in (check_rows, check_chosen, check_tables):
            check(scratch)
            print(f"{check.__name__}: ok")

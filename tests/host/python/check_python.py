#!/usr/bin/env python3
"""The Python package, from the source tree: check_python.py CLACK ROOT LIBRARY

LIBRARY: libclack.so, with clack_declarations.h beside it. Exit status 77 without cffi, pandas or xarray.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings

PROGRAM, ROOT, LIBRARY = sys.argv[1:4]
os.environ["CLACK_LIBRARY"] = LIBRARY
os.environ["CLACK_DATA_DIR"] = os.path.join(ROOT, "data")
os.environ["PYTHONPATH"] = os.path.join(ROOT, "host", "python")
sys.path.insert(0, os.environ["PYTHONPATH"])
try:
    import cffi  # noqa: F401
    import numpy
    import pandas
    import xarray  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
import clack

BALL = """format: 1
variables: {height: {uniform: [0.1, 0.3]}, e: {uniform: [0.5, 0.9]}}
scene:
  pairs: [{between: [steel, steel], restitution: $e, damping: exact}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.04}}], position: [0, 0, "=height + 0.02"]}
design: {monte_carlo: {samples: 40, seed: 3}}
solver: {end: 0.5}
outputs:
  quantities:
    speed: {speed_of: contact_begin, n: 1, between: [ground, ball]}
    exit: {speed_of: contact_end, n: 1, between: [ground, ball]}
  trajectory: {every: 0.05, scenes: 4}
  events: true
"""
BALL_DICT = {
    "format": 1, "variables": {"height": {"uniform": [0.1, 0.3]}, "e": {"uniform": [0.5, 0.9]}},
    "scene": {"pairs": [{"between": ["steel", "steel"], "restitution": "$e", "damping": "exact"}], "bodies": {
        "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
        "ball": {"material": "steel", "shapes": [{"sphere": {"diameter": numpy.float64(0.04)}}],
                 "position": [0, 0, "=height + 0.02"]}}},
    "design": {"monte_carlo": {"samples": 40, "seed": 3}}, "solver": {"end": 0.5},
    "outputs": {"quantities": {"speed": {"speed_of": "contact_begin", "n": 1, "between": ["ground", "ball"]},
                               "exit": {"speed_of": "contact_end", "n": 1, "between": ["ground", "ball"]}},
                "trajectory": {"every": 0.05, "scenes": 4}, "events": True}}


def same(a, b):
    """Equal bits."""
    return numpy.asarray(a).tobytes() == numpy.asarray(b).tobytes()


def raised(kind, function, *args, **options):
    """The exception, of just this class."""
    try:
        function(*args, **options)
    except Exception as error: # told below
        assert type(error) is kind, (kind, error)
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_sources(folder):
    """File, text and dict are one study; its run has the program's numbers."""
    path = os.path.join(folder, "ball.yaml")
    open(path, "w").write(BALL)
    of_file, of_text, of_dict = (clack.run(source, device="native") for source in (path, BALL, BALL_DICT))
    assert list(of_file.quantities) == ["speed", "exit"] and list(of_file.parameters)[:2] == ["height", "e"]
    assert of_file.units == {"height": "", "e": "1", "scene.bodies.ball.position[2]": "m", "speed": "m/s",
                             "exit": "m/s"}, of_file.units
    for name in of_file.units:
        assert same(of_file[name], of_text[name]) and same(of_file[name], of_dict[name]), name
    fall = numpy.sqrt(2 * 9.81 * of_file["height"])
    assert abs(of_file["speed"] / fall - 1).max() < 1e-9
    assert abs(of_file["exit"] / of_file["speed"] / of_file["e"] - 1).max() < 2e-3
    drawn = clack.Study(path).sample()
    assert same(drawn["height"], of_file["height"]) and same(clack.Study(path).sample([7])["e"], of_file["e"][7:8])
    out = os.path.join(folder, "program.h5")
    subprocess.run([PROGRAM, "run", path, "-d", "native", "-o", out, "-q"], check=True)
    with clack.open(out) as ensemble:
        assert same(ensemble.scenes["speed"].values, of_file["speed"])
        assert same(ensemble.parameters["e"].values, of_file["e"])
    some = clack.run(path, scenes=[5, 2], device="native")
    assert some.scenes.tolist() == [2, 5] and same(some["exit"], of_file["exit"][[2, 5]])
    frame = of_file.to_dataframe()
    assert frame.index.name == "scene" and (frame["status"] == "ok").all() and same(frame["exit"], of_file["exit"])
    assert "'exit'" in str(raised(KeyError, of_file.__getitem__, "exits"))
    other = clack.run(path, seed=4, overrides={"solver.end": 0.3, "design.monte_carlo.samples": 3}, device="native")
    assert len(other) == 3 and other["height"][0] != of_file["height"][0]


def check_shares_and_flags(folder):
    """Shares with the file's intervals, flags with its bits; a warning tells them, at the caller's line."""
    outputs = {"quantities": {"speed": {"speed_of": "contact_begin", "n": 1, "between": ["ground", "ball"]},
                              "fast": {"share": "=speed > 2"}}}
    coarse = {"solver.method": "rk4", "solver.step": 0.002, "scene.gravity": [0, 0, -9.81]}
    out = os.path.join(folder, "shares.h5")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = clack.run({**BALL_DICT, "outputs": outputs}, output=out, device="native", overrides=coarse)
    flags = [str(each.message) for each in told if isinstance(each.message, clack.StudyWarning)]
    assert [each.filename for each in told if isinstance(each.message, clack.StudyWarning)] == [__file__] * len(flags)
    share = result.share("fast")
    assert 0 < share[1] < share[0] < share[2] < 1, share
    with clack.open(out) as ensemble:
        row = ensemble.statistics.sel(column="fast")
        kept = [float(row[name]) for name in ("mean", "mean_lower", "mean_upper")]
        assert abs(numpy.array(share) - kept).max() < 1e-12, (share, kept)
        assert same(ensemble.scenes["flags"].values.astype(int), result.flags)
        for word in ("energy_drift", "late_begin", "deep_contact"):
            assert ensemble.flagged(word).tolist() == result.flagged(word).tolist()
            assert any(word in line for line in flags) == (len(result.flagged(word)) > 0), (word, flags)
        assert any(len(result.flagged(word)) > 0 for word in ("energy_drift", "late_begin", "deep_contact"))
        assert abs(float(ensemble.statistics["correlation"].sel(column="speed", other="speed")) - 1) < 1e-12
    assert (share.share, share.lower, share.upper) == share and share.scenes == 40 and share.left_out == 0, share
    low, high = share[1:]
    assert low == share.lower and high == share.upper and "scenes=40" in repr(share)
    raised(ValueError, result.share, "speed")
    raised(ValueError, result.flagged, "no such flag")


def check_failures(_):
    """Scenes that failed are told, once, at the caller's line, and are in no share, which says of how many it is."""
    some = {"solver.work_limit": 0.2, "solver.end": "=0.05 + 0.7*e", "design.monte_carlo.samples": 40}
    outputs = {"high": {"share": "=height > 0.2"}}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = clack.run(BALL, overrides=some, outputs=outputs, device="native")
    failed = int((result.status == "step_limit").sum())
    assert 0 < failed < 40 and failed == (result.status != "ok").sum(), result.status
    lines = [(str(each.message), each.filename) for each in told if " failed: " in str(each.message)]
    assert lines == [(f"{failed} of 40 scenes failed: step_limit {failed}", __file__)], lines
    share = result.share("high")
    assert (share.scenes, share.left_out) == (40 - failed, failed), share
    assert share.share == (result["high"][result.status == "ok"]).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clack.run(BALL, device="native") # none failed: nothing is told


def check_units(folder):
    """A variable's unit: in the study, its runs, the file; one that an override draws otherwise keeps it."""
    study = {**BALL_DICT, "variables": {"height": {"uniform": [0.1, 0.3], "unit": "m"}, "e": {"uniform": [0.5, 0.9]},
                                        "square": {"expression": "=height^2", "unit": "m2"}},
             "outputs": {"quantities": {"area": {"expression": "=square", "unit": "m2"}}}}
    units = {"height": "m", "e": "1", "square": "m2", "scene.bodies.ball.position[2]": "m"}
    assert clack.Study(study).parameters == units, clack.Study(study).parameters
    table = clack.Study(study, table={"height": [0.1, 0.2]})
    assert table.parameters == units and table.scene_count == 2, table
    out = os.path.join(folder, "units.h5")
    clack.run(study, output=out, device="native")
    with clack.open(out) as ensemble:
        assert {name: ensemble.parameters[name].attrs.get("units", "") for name in units} == units
    text = subprocess.run([PROGRAM, "info", out], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "  height                           m " in text, text
    in_place = BALL.replace("diameter: 0.04", "diameter: {uniform: [1, 2], unit: m}")
    error = raised(clack.StudyError, clack.Study, in_place)
    assert "unit of variables alone" in str(error), error
    raised(clack.StudyError, clack.Study, {**study, "variables": {**study["variables"], "square": {
        "expression": 3, "unit": "m2"}}})
    raised(clack.StudyError, clack.Study, {**study, "variables": {**study["variables"], "square": {
        "expression": "=height", "unit": "of more bytes than there are"}}})


def check_tables(folder):
    """A table in whatever form; what it says in place of the distributions, with every bit."""
    random = numpy.random.default_rng(1)
    values = numpy.column_stack([random.uniform(0.1, 0.3, 9), random.uniform(0.5, 0.9, 9)])
    names = ["height", "e"]
    record = numpy.zeros(9, [("height", float), ("e", float)])
    record["height"], record["e"] = values.T
    tables = [dict(table=values, columns=names), dict(table=dict(zip(names, values.T))), dict(table=record),
              dict(table=pandas.DataFrame(values, columns=names))]
    runs = [clack.run(BALL_DICT, device="native", **table) for table in tables]
    for run in runs:
        assert same(run["height"], values[:, 0]) and same(run["e"], values[:, 1]) and same(run["exit"], runs[0]["exit"])
    one = clack.run(BALL, table={"e": [0.7, 0.7, 0.7]}, device="native") # heights are drawn
    assert len(one) == 3 and len(set(one["height"])) == 3 and set(one["e"]) == {0.7}
    only = clack.run(BALL, table=values[:2], columns=names, device="native",
                     outputs={"top": {"max": "ball.position.z", "after": 0.25}})
    assert list(only.quantities) == ["top"]
    out = os.path.join(folder, "table.h5")
    kept = clack.run(BALL_DICT, output=out, device="native", **tables[0])
    assert kept.path == clack.open(out).path and os.path.exists(os.path.join(folder, "table.table.csv"))
    with clack.open(out) as ensemble:
        assert same(ensemble.scenes["exit"].values, runs[0]["exit"])
    raised(clack.UsageError, clack.run, BALL, table=values)
    raised(clack.UsageError, clack.run, BALL, table=values, columns=["height"])
    raised(clack.UsageError, clack.run, BALL, table={"height": [1, 2], "e": [1]})
    error = raised(clack.UsageError, clack.run, BALL, table={"hieght": [0.1]})
    assert str(error).startswith("variables.hieght: table: changes nothing"), error


def check_errors(folder):
    """Errors with their places, warnings, scenes that fail."""
    path = os.path.join(folder, "wrong.yaml")
    open(path, "w").write(BALL.replace("diameter", "diametre").replace("end: 0.5", "end: -1"))
    error = raised(clack.StudyError, clack.Study, path)
    assert isinstance(error, ValueError) and error.status == "study" and len(error.problems) >= 3, error
    by_key = {problem.key: problem for problem in error.problems}
    assert by_key["solver.end"].file == path and by_key["solver.end"].line == 9, by_key
    assert by_key["solver.end"].column == 15, by_key
    assert str(by_key["solver.end"]).startswith(f"{path}:9:15: solver.end: "), by_key
    wrong = {**BALL_DICT, "solver": {"end": -1}}
    assert str(raised(clack.StudyError, clack.Study, wrong)).startswith("solver.end: ")
    raised(TypeError, clack.Study, {**BALL_DICT, "title": object()})
    raised(clack.FileError, clack.Study, os.path.join(folder, "none.yaml"))
    raised(clack.UsageError, clack.run, BALL, device=99)
    raised(clack.UsageError, clack.Study(BALL).sample, [40])
    raised(clack.FileError, clack.open, os.path.join(folder, "none.h5"))
    raised(clack.CorruptError, clack.open, os.path.join(folder, "ball.yaml"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        clack.Study(BALL, overrides={"variables.hieght": 0.1})
    assert [each.filename for each in told if isinstance(each.message, clack.StudyWarning)][0] == __file__, told
    hard = {"solver.work_limit": 0.1}
    failing = clack.run(BALL, overrides=hard, device="native")
    assert (failing.status == "step_limit").all(), failing.status
    error = raised(clack.FailedScenes, clack.run, BALL, overrides=hard, device="native", failures_allowed=3)
    assert len(error.result) == 40 and "40" in str(error), error
    seen = []
    clack.run(BALL, device="native", progress=seen.append)
    assert seen and seen[-1]["scenes_done"] == 40, seen

    def stop(_):
        raise RuntimeError("of the caller")
    assert "of the caller" in str(raised(RuntimeError, clack.run, BALL, device="native", progress=stop))


def check_devices(_):
    """Native is the first, and exact; what is allowed changes nothing there."""
    assert clack.devices()[0]["index"] == -1 and clack.devices()[0]["arithmetic"] == ""
    assert clack.devices(measure=True)[0]["arithmetic"] == "IEEE 754"
    allowed = clack.run(BALL, device="native", allow_inexact=True)
    assert same(allowed["exit"], clack.run(BALL, device="native")["exit"])
    with clack.Evaluator(BALL, device="native", allow_inexact=True) as evaluator:
        assert evaluator.bodies


def check_evaluate(_):
    """Hertz's force of two spheres; poses as arrays and by name."""
    spheres = {"format": 1, "scene": {"gravity": [0, 0, 0], "bodies": {
        name: {"material": "steel", "shapes": [{"sphere": {"diameter": 0.1}}], "position": [x, 0, 0]}
        for name, x in (("left", 0), ("right", 1))}}, "solver": {"end": 1}}
    with clack.Evaluator(spheres, device="native") as evaluator:
        assert evaluator.bodies == ["left", "right"]
        depth = numpy.array([1e-4, 2e-4, -1e-4])
        by_name = evaluator({"right": numpy.column_stack([0.1 - depth, 0 * depth, 0 * depth])})
        positions = numpy.zeros((3, 2, 3))
        positions[:, 1, 0] = 0.1 - depth
        by_array = evaluator(positions)
        assert same(by_name.contacts, by_array.contacts) and by_name.first.tolist() == [0, 1, 2, 2]
        force = by_name.contacts["normal_N"]
        assert abs(force[1] / force[0] - 2 ** 1.5) < 1e-9
        assert abs(by_name.contacts["distance_m"] + depth[:2]).max() < 1e-15
        assert abs(by_name.contacts["normal"] - [1, 0, 0]).max() < 1e-12
        assert abs(by_name.contacts["force_N"][:, 0] - force).max() < 1e-9 * force.max()
        frame = by_name.to_dataframe()
        assert frame["body_b"].tolist() == ["right", "right"]
        assert same(frame["normal_x"], by_name.contacts["normal"][:, 0].copy())
        assert len(evaluator().contacts) == 0 # as the scene starts: 0.9 m apart
        positions[1, 1, 0] = numpy.nan
        raised(clack.CorruptError, evaluator, positions)
        raised(clack.UsageError, evaluator, positions[:, :1])
        raised(clack.UsageError, evaluator, {"middle": [0, 0, 0]})
    raised(clack.StudyError, clack.run, {"format": 1, "scene": spheres["scene"]})  # which poses do not need
    with clack.Evaluator({"format": 1, "scene": spheres["scene"]}, device="native") as evaluator:
        positions[1, 1, 0] = 0.1 - depth[1]
        assert same(evaluator(positions).contacts, by_name.contacts)
    apart = clack.evaluate(spheres, everything=True, device="native")
    assert abs(apart.contacts["distance_m"][0] - 0.9) < 1e-12
    cup = os.path.join(ROOT, "data")
    study = {"format": 1, "scene": {"bodies": {
        "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
        "solid": {"material": "steel", "shapes": [{"mesh": {"file": "icosahedron.obj"}}], "position": [0, 0, 0]}}},
        "solver": {"end": 1}}
    regions = clack.evaluate(study, folder=cup, device="native").regions
    assert len(regions) == 1 and regions["volume_m3"][0] > 0 and regions["area_m2"][0] > 0, regions


def check_file(folder):
    """Words for codes, bodies by name, tables of events."""
    out = os.path.join(folder, "ball.h5")
    result = clack.run(BALL, output=out, device="native")
    error = raised(clack.FileError, clack.run, BALL, output=out, device="native")
    assert "overwrite=True replaces it" in str(error), error
    clack.run(BALL, output=out, overwrite=True, device="native")
    with clack.open(out) as ensemble:
        assert set(ensemble.scenes["status"].values) == {"ok"} and ensemble.bodies == ["ground", "ball"]
        heights = ensemble.trajectory["position"].sel(body="ball", xyz="z").values
        assert heights.shape == (4, 11) and abs(heights[:, 0] - result["height"][:4] - 0.02).max() < 1e-15
        events = ensemble.events
        begins = events[(events["kind"] == "begin") & (events["scene"] == 17)]
        assert (begins[["body_a", "body_b"]].values == ["ground", "ball"]).all()
        assert abs(begins["speed"].iloc[0] - result["speed"][17]) < 1e-12 and "normal_z" in events
        assert ensemble.contacts is None and ensemble.joints is None and ensemble.statistics is not None
        assert ensemble.provenance["study_text"] == BALL and ensemble.provenance["device"] == result.device
        assert ensemble.flagged("energy_drift").dtype.kind == "i" and "ball" in repr(ensemble)
        raised(ValueError, ensemble.flagged, "no such flag")


def check_extend(folder):
    """More scenes of a finished file: it has the numbers of one run of all, the result those that are new."""
    out, path = os.path.join(folder, "more.h5"), "design.monte_carlo.samples"
    first = clack.run(BALL, output=out, device="native")
    whole = clack.run(BALL, overrides={path: len(first) + 30}, device="native")
    more = clack.run(BALL, output=out, device="native", extend=len(first) + 30)
    assert list(more.scenes) == list(range(len(first), len(first) + 30)), more.scenes
    assert same(more["exit"], whole["exit"][len(first):])
    with clack.open(out) as ensemble:
        assert same(ensemble.scenes["exit"].values, whole["exit"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert len(clack.run(BALL, output=out, device="native", extend=len(first) + 30)) == 0
    assert any("is left as it is: it has all 70 scenes" in str(warning.message) for warning in told), told
    raised(clack.UsageError, clack.run, BALL, output=out, device="native", extend=len(first))
    raised(clack.UsageError, clack.run, BALL, device="native", extend=len(first) + 60)
    raised(clack.UsageError, clack.run, BALL, output=out, device="native", extend=-1)
    raised(clack.CorruptError, clack.run, BALL, output=out, device="native", extend=len(first) + 60, seed=99)


def check_interrupt(folder):
    """Ctrl-C ends a run soon; resumed, its file has the numbers of one that was not stopped."""
    out, many = os.path.join(folder, "stopped.h5"), {"design.monte_carlo.samples": 40000}
    script = f"""import clack
try: clack.run({os.path.join(folder, 'ball.yaml')!r}, output={out!r}, device="native", overrides={many!r}, threads=1,
               progress=lambda now: print("on", flush=True))
except KeyboardInterrupt as error: print("stopped", error, flush=True)"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == "on"
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    rest = child.stdout.read().splitlines()
    assert child.wait() == 0 and rest[-1] == f"stopped to go on: clack.resume({out!r})", rest
    assert time.monotonic() - begun < 20 # a second, on a machine that is not busy
    assert os.path.isdir(out + ".parts") and not os.path.exists(out)

    def refuse(now):
        raise LookupError(now["scenes_total"])
    assert raised(LookupError, clack.resume, out, progress=refuse).args == (40000,)
    assert os.path.isdir(out + ".parts") and not os.path.exists(out)
    resumed, whole = clack.resume(out), clack.run(BALL, overrides=many, device="native")
    assert os.path.samefile(resumed, out) and os.path.samefile(resumed.path, out)
    with clack.open(out) as ensemble:
        assert same(ensemble.scenes["exit"].values, whole["exit"])
    assert same(resumed.scenes, whole.scenes) and (resumed.status == whole.status).all()
    assert same(resumed.flags, whole.flags) and resumed.units == whole.units, (resumed.units, whole.units)
    assert list(resumed.quantities) == list(whole.quantities) and list(resumed.parameters) == list(whole.parameters)
    for name in resumed.units:
        assert same(resumed[name], whole[name]), name
    raised(TypeError, os.fspath, whole)


def check_readme(folder):
    """Its examples run, in a row; the file that the last ones read is one of the first one's study."""
    text = open(os.path.join(ROOT, "host", "python", "README.md")).read()
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) == 4, blocks
    names = {}
    os.chdir(folder)
    exec(blocks[0], names)
    assert 5 < names["result"]["bounces"].mean() < 100
    clack.run({**names["study"], "outputs": {**names["study"]["outputs"], "events": True,
                                             "trajectory": {"every": 0.1, "scenes": 2}}}, output="x.h5")
    for block in blocks[1:]:
        exec(block, names)
    assert names["found"].contacts["normal_N"].max() > 0 and len(names["events"]) > 1000


def check_loading(folder):
    """What is missing is named."""
    def imported(**changes):
        child = subprocess.run([sys.executable, "-c", "import clack"], env={**os.environ, **changes}, text=True,
                               capture_output=True)
        assert child.returncode != 0
        return child.stderr
    assert "clack_declarations.h is missing" in imported(CLACK_LIBRARY=os.path.join(folder, "libclack.so"))
    from clack import _library
    text = "libclblast.so.1: cannot open shared object file: No such file or directory"
    assert "apt install libclblast1" in str(_library._missing(OSError(text)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for check in (check_sources, check_shares_and_flags, check_failures, check_units, check_tables,
                      check_errors, check_devices, check_evaluate, check_file, check_extend, check_interrupt,
                      check_readme, check_loading):
            check(scratch)
            print(f"{check.__name__}: ok")
